//! Statements: what each may mention and where it may stand.

use super::super::ast::{self, Expr, ExprKind, Name, Span};
use super::super::ir::{Call, Cond, Slot, Stmt, StmtKind, Term, Value};
use super::{Meaning, Resolver, Scope};
use threadproof_format::Sort;

/// Visits every label of some statements, in order.
pub(super) fn labels(code: &[ast::Stmt], visit: &mut impl FnMut(&Name)) {
    for statement in code {
        match &statement.kind {
            ast::StmtKind::Label(name, at) => {
                visit(name);
                labels(std::slice::from_ref(at), visit);
            }
            ast::StmtKind::Block(inner) | ast::StmtKind::Atomic(inner) => labels(inner, visit),
            ast::StmtKind::While(.., body) => labels(std::slice::from_ref(body), visit),
            ast::StmtKind::If(_, then, other) => {
                labels(std::slice::from_ref(then), visit);
                if let Some(other) = other {
                    labels(std::slice::from_ref(other), visit);
                }
            }
            _ => {}
        }
    }
}

impl Resolver {
    pub(super) fn block(&mut self, code: &[ast::Stmt], scope: &mut Scope) -> Vec<Stmt> {
        let mut out = Vec::new();
        for statement in code {
            self.statement(statement, scope, &mut out);
        }
        out
    }

    fn single(&mut self, statement: &ast::Stmt, scope: &mut Scope) -> Vec<Stmt> {
        self.block(std::slice::from_ref(statement), scope)
    }

    /// Appends the resolved statement; after an error nothing, as there is no program then.
    fn statement(&mut self, statement: &ast::Stmt, scope: &mut Scope, out: &mut Vec<Stmt>) {
        let span = &statement.span;
        let kind = match &statement.kind {
            ast::StmtKind::Empty => None,
            ast::StmtKind::Label(name, at) => {
                self.label(name, span, scope, out);
                self.statement(at, scope, out);
                None
            }
            ast::StmtKind::Block(inner) => Some(StmtKind::Block(self.block(inner, scope))),
            ast::StmtKind::Atomic(inner) => {
                let outer = std::mem::replace(&mut scope.atomic, true);
                let inner = self.block(inner, scope);
                scope.atomic = outer;
                Some(StmtKind::Atomic(inner))
            }
            ast::StmtKind::If(e, then, other) => self.branch(e, then, other.as_deref(), scope),
            ast::StmtKind::While(e, invariants, body) => {
                self.repeat(e, invariants, body, span, scope)
            }
            ast::StmtKind::Goto(name) => self.goto(name, scope),
            ast::StmtKind::Break | ast::StmtKind::Continue => {
                if scope.loops == 0 {
                    self.error(span, "`break` and `continue` are allowed only inside a loop");
                }
                Some(match statement.kind {
                    ast::StmtKind::Break => StmtKind::Break,
                    _ => StmtKind::Continue,
                })
            }
            ast::StmtKind::Return(e) => self.returned(e.as_ref(), span, scope),
            _ => self.simple(statement, scope),
        };
        if let Some(kind) = kind {
            let span = span.clone();
            out.push(Stmt { kind, span });
        }
    }

    /// Statements without statements inside and without jumps.
    fn simple(&mut self, statement: &ast::Stmt, scope: &Scope) -> Option<StmtKind> {
        match &statement.kind {
            ast::StmtKind::Assign(place, value) => {
                if let ExprKind::Call(name, arguments) = &value.kind {
                    return self.call(name, arguments, Some(place), scope);
                }
                let place = self.place(place, scope);
                let Some(sort) = place.as_ref().map(|p| p.sort) else {
                    self.unplaced(value, scope);
                    return None;
                };
                if sort.element().is_some() {
                    let hint = "assign its elements one by one: `a[i] = e;`";
                    self.error_hint(&statement.span, "an array is assigned as a whole", hint);
                    return None;
                }
                let place = place?;
                let value_span = value.span.clone();
                let value = self.value(value, sort, scope)?;
                if place.index.is_some() && matches!(value, Value::Cond(_)) {
                    let hint = "assign it to a bool variable first";
                    self.error_hint(
                        &value_span,
                        "`cas` or `*` is assigned to an array element",
                        hint,
                    );
                    return None;
                }
                Some(StmtKind::Assign(place, value))
            }
            ast::StmtKind::Call(e) => match &e.kind {
                ExprKind::Call(name, arguments) => self.call(name, arguments, None, scope),
                _ => None,
            },
            ast::StmtKind::Assume(e) => self.condition(e, scope).map(StmtKind::Assume),
            ast::StmtKind::Assert(e) => self.assertion(e, scope),
            ast::StmtKind::Havoc(place) => self.place(place, scope).map(StmtKind::Havoc),
            ast::StmtKind::Lock(name) => self.lock(name, scope).map(StmtKind::Lock),
            ast::StmtKind::Unlock(name) => self.lock(name, scope).map(StmtKind::Unlock),
            _ => None,
        }
    }

    /// Reports what is wrong in a value whose place is wrong already.
    fn unplaced(&mut self, value: &Expr, scope: &Scope) {
        if !matches!(value.kind, ExprKind::Any | ExprKind::Cas(_)) {
            let _ = self.term(value, scope);
        }
    }

    fn assertion(&mut self, e: &Expr, scope: &Scope) -> Option<StmtKind> {
        self.counting = true;
        let formula = self.formula(e, scope);
        self.counting = false;
        let formula = formula?;
        if formula == Term::Bool(true) {
            let hint = "remove it, or assert what depends on the program";
            self.error_hint(&e.span, "this assertion holds whatever the program does", hint);
        }
        Some(StmtKind::Assert(formula))
    }

    fn lock(&mut self, name: &Name, scope: &Scope) -> Option<Slot> {
        let slot = self.slot(name, scope)?;
        if !self.var(slot, scope).lock {
            let hint = format!("declare it: `global lock {};`", name.text);
            self.error_hint(&name.span, format!("`{}` is not a lock", name.text), hint);
            return None;
        }
        Some(slot)
    }

    fn branch(
        &mut self,
        e: &Expr,
        then: &ast::Stmt,
        other: Option<&ast::Stmt>,
        scope: &mut Scope,
    ) -> Option<StmtKind> {
        let condition = self.condition(e, scope);
        let then = self.single(then, scope);
        let other = other.map(|s| self.single(s, scope)).unwrap_or_default();
        let condition = condition?;
        if let Some(value) = condition.constant() {
            let hint = "one of the branches can never be taken: remove it and the `if`";
            self.error_hint(&e.span, format!("this condition is always {value}"), hint);
        }
        Some(StmtKind::If(condition, e.span.clone(), then, other))
    }

    fn repeat(
        &mut self,
        e: &Expr,
        invariants: &[Expr],
        body: &ast::Stmt,
        span: &Span,
        scope: &mut Scope,
    ) -> Option<StmtKind> {
        if scope.atomic {
            self.error_hint(
                &(span.start..e.span.end),
                "a loop inside `atomic`",
                "an atomic block is one step: unroll the loop, or put it around the block",
            );
        }
        let condition = self.condition(e, scope);
        let invariants = self.loop_invariants(invariants, scope);
        scope.loops += 1;
        let body = self.single(body, scope);
        scope.loops -= 1;
        let condition: Cond = condition?;
        if condition.constant() == Some(false) {
            let hint = "the body can never run: remove the loop";
            self.error_hint(&e.span, "this condition is always false", hint);
        }
        Some(StmtKind::While(condition, e.span.clone(), invariants, body))
    }

    fn label(&mut self, name: &Name, span: &Span, scope: &Scope, out: &mut Vec<Stmt>) {
        if scope.atomic {
            let hint = "no jump can lead into an atomic block: put the label before it";
            self.error_hint(&name.span, "a label inside `atomic`", hint);
        }
        let known = scope.labels.iter().position(|l| *l == name.text);
        if let Some(label) = known {
            let kind = StmtKind::Label(label);
            let span = span.start..name.span.end;
            out.push(Stmt { kind, span });
        }
    }

    fn goto(&mut self, name: &Name, scope: &Scope) -> Option<StmtKind> {
        if scope.atomic {
            let hint = "use `if` and `else` inside the block, or `break`, `continue` or `return` to leave it";
            self.error_hint(&name.span, "`goto` inside `atomic`", hint);
        }
        let label = scope.labels.iter().position(|l| *l == name.text);
        if label.is_none() {
            let hint = "a label must be in the same thread or procedure: `name: statement`";
            self.error_hint(&name.span, format!("there is no label `{}`", name.text), hint);
        }
        label.map(StmtKind::Goto)
    }

    fn returned(&mut self, e: Option<&Expr>, span: &Span, scope: &Scope) -> Option<StmtKind> {
        match (scope.result, e) {
            (None, None) => Some(StmtKind::Return(None)),
            (Some(sort), Some(e)) => {
                if matches!(e.kind, ExprKind::Call(..)) {
                    let hint = "assign the result to a local first";
                    self.error_hint(&e.span, "a call cannot be returned", hint);
                    return None;
                }
                let value = self.value(e, sort, scope)?;
                Some(StmtKind::Return(Some(value)))
            }
            (Some(_), None) => {
                self.error(span, "this procedure must return a value");
                None
            }
            (None, Some(e)) => {
                let what = if scope.procedure { "a `void` procedure" } else { "a thread" };
                self.error(&e.span, format!("{what} returns no value"));
                None
            }
        }
    }

    fn call(
        &mut self,
        name: &Name,
        arguments: &[Expr],
        result: Option<&Expr>,
        scope: &Scope,
    ) -> Option<StmtKind> {
        let Some(Meaning::Procedure(procedure)) = self.names.get(&name.text).copied() else {
            let hint = format!("write it: `void {}() {{ ... }}`", name.text);
            self.error_hint(&name.span, format!("there is no procedure `{}`", name.text), hint);
            return None;
        };
        let signature = &self.signatures[procedure];
        let (params, returns) = (signature.params.clone(), signature.result);
        if params.len() != arguments.len() {
            let message = format!(
                "`{}` takes {} arguments, not {}",
                signature.name,
                params.len(),
                arguments.len()
            );
            self.error(&name.span, message);
            return None;
        }
        let mut terms = Vec::new();
        for (argument, sort) in arguments.iter().zip(params) {
            terms.push(self.sorted(argument, Some(sort), scope));
        }
        let result = match result {
            None => None,
            Some(place) => Some(self.result(place, name, returns, scope)?),
        };
        Some(StmtKind::Call(Call {
            procedure,
            arguments: terms.into_iter().collect::<Option<_>>()?,
            result,
        }))
    }

    /// The variable that takes a call's result.
    fn result(
        &mut self,
        place: &Expr,
        name: &Name,
        returns: Option<Sort>,
        scope: &Scope,
    ) -> Option<Slot> {
        let Some(sort) = returns else {
            self.error(&name.span, format!("`{}` returns no value", name.text));
            return None;
        };
        if matches!(place.kind, ExprKind::Index(..)) {
            let hint = "assign the result to a local first";
            self.error_hint(&place.span, "a result cannot be assigned to an array element", hint);
            return None;
        }
        let place = self.place(place, scope)?;
        if place.sort != sort {
            self.sort_error(&name.span, place.sort, sort);
            return None;
        }
        Some(place.slot)
    }
}
