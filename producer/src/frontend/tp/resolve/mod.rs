//! From the syntax tree to the resolved program: declarations, and what a body may mention.

mod abstraction;
mod calls;
mod clauses;
mod expression;
mod statement;

use super::ast::{self, Decl, ExprKind, Name, Span, Type};
use super::ir::{self, Slot, Term, Var};
use crate::text::Diagnostic;
use std::collections::HashMap;
use threadproof_format::Sort;

/// What a name outside of bodies means.
#[derive(Clone, Copy)]
enum Meaning {
    Global(usize),
    Procedure(usize),
    Thread,
    Abstraction(usize),
}

/// What a call needs to know of a procedure.
struct Signature {
    name: String,
    params: Vec<Sort>,
    result: Option<Sort>,
}

/// The pass: the names of the program and the errors found so far.
struct Resolver {
    names: HashMap<String, Meaning>,
    globals: Vec<Var>,
    signatures: Vec<Signature>,
    errors: Vec<Diagnostic>,
    /// Labels of the `count(...)` so far.
    counts: Vec<Vec<(String, Span)>>,
    /// Nodes of the `candidate(...)` so far.
    candidates: Vec<(String, Span)>,
    /// Whether `count` may stand here.
    counting: bool,
}

/// What kind of text a name stands in.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    /// A thread or procedure, or what stands outside of threads.
    #[default]
    Code,
    /// An assertion of an abstract thread.
    Abstraction,
    /// The relation of an edge of an abstract thread.
    Relation,
    /// An invariant of a loop.
    Loop,
}

/// Where a statement or expression stands.
#[derive(Default)]
struct Scope {
    within: Within,
    /// The body's own variables: name and index into `locals`.
    names: HashMap<String, usize>,
    locals: Vec<Var>,
    labels: Vec<String>,
    /// Result sort of the procedure; `None` in a thread and in a `void` procedure.
    result: Option<Sort>,
    procedure: bool,
    /// Whether it is a thread that nothing abstracts, so that its loops need no invariants.
    unabstracted: bool,
    loops: usize,
    /// Whether inside `atomic`, and the loops that were open at its start.
    atomic: bool,
}

/// Resolves names and checks sorts; gives all errors.
pub(super) fn unit(unit: &ast::Unit) -> Result<ir::Unit, Vec<Diagnostic>> {
    let mut resolver = Resolver {
        names: HashMap::new(),
        globals: Vec::new(),
        signatures: Vec::new(),
        errors: Vec::new(),
        counts: Vec::new(),
        candidates: Vec::new(),
        counting: false,
    };
    let out = resolver.unit(unit);
    let mut errors = resolver.errors;
    if errors.is_empty() {
        errors.extend(calls::check(&out));
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

impl Resolver {
    fn error(&mut self, span: &Span, message: impl Into<String>) {
        self.errors.push(Diagnostic::new(span.clone(), message));
    }

    fn error_hint(&mut self, span: &Span, message: impl Into<String>, hint: impl Into<String>) {
        let item = Diagnostic::new(span.clone(), message).hint(hint);
        self.errors.push(item);
    }

    fn unit(&mut self, unit: &ast::Unit) -> ir::Unit {
        for decl in &unit.globals {
            let var = self.variable(decl);
            self.declare(&decl.name, Meaning::Global(self.globals.len()));
            self.globals.push(var);
        }
        for (i, procedure) in unit.procedures.iter().enumerate() {
            self.declare(&procedure.name, Meaning::Procedure(i));
            let signature = self.signature(procedure);
            self.signatures.push(signature);
        }
        for thread in &unit.threads {
            self.declare(&thread.name, Meaning::Thread);
        }
        for (i, abstraction) in unit.abstractions.iter().enumerate() {
            self.declare(&abstraction.name, Meaning::Abstraction(i));
        }
        if unit.threads.is_empty() {
            self.error_hint(&(0..0), "the program has no thread", "write `thread name[*] { ... }`");
        }
        let mut outside = Scope::default();
        let formulas = unit.inits.iter().filter_map(|e| self.init(e, &mut outside));
        let init = formulas.collect();
        let procedures = unit.procedures.iter().map(|p| self.procedure(p)).collect();
        let threads: Vec<ir::Thread> = unit.threads.iter().map(|t| self.thread(t)).collect();
        let clauses = self.clauses(unit, &threads);
        let abstractions = self.abstractions(unit, &threads);
        ir::Unit {
            abstractions,
            init,
            procedures,
            threads,
            clauses,
            globals: std::mem::take(&mut self.globals),
            counts: std::mem::take(&mut self.counts),
            candidates: std::mem::take(&mut self.candidates),
        }
    }

    fn init(&mut self, e: &ast::Expr, outside: &mut Scope) -> Option<(Term, Span)> {
        let formula = self.formula(e, outside)?;
        Some((formula, e.span.clone()))
    }

    /// Names of globals, procedures and threads are one space.
    fn declare(&mut self, name: &Name, meaning: Meaning) {
        if self.names.insert(name.text.clone(), meaning).is_some() {
            self.error_hint(
                &name.span,
                format!("`{}` is declared twice", name.text),
                "globals, procedures, threads and abstract threads need different names",
            );
        }
    }

    fn variable(&mut self, decl: &Decl) -> Var {
        let sort = match (decl.kind, decl.array) {
            (Type::Int, false) => Sort::Int,
            (Type::Int, true) => Sort::IntArray,
            (Type::Bool, true) => Sort::BoolArray,
            (Type::Bool | Type::Lock, false) => Sort::Bool,
            (Type::Lock, true) => {
                self.error(&decl.name.span, "arrays of locks are not supported");
                Sort::BoolArray
            }
        };
        let init = decl.init.as_ref().and_then(|e| self.initial_value(decl, sort, e));
        Var { name: decl.name.text.clone(), sort, lock: decl.kind == Type::Lock, init }
    }

    fn initial_value(&mut self, decl: &Decl, sort: Sort, e: &ast::Expr) -> Option<Term> {
        if decl.array {
            let hint =
                "constrain single elements with `init (a[0] == 0);`, or let a thread write them";
            self.error_hint(&e.span, "an array has no initial value", hint);
            return None;
        }
        if decl.kind == Type::Lock {
            let hint = format!(
                "a lock is free at the start; write `init ({});` for one that is held",
                decl.name.text
            );
            self.error_hint(&e.span, "a lock has no initial value", hint);
            return None;
        }
        if mentions_name(e) {
            let hint = "write `init (formula);` for relations between globals, or an assignment";
            self.error_hint(&e.span, "an initial value must be a constant", hint);
            return None;
        }
        let (term, found) = self.term(e, &Scope::default())?;
        if found != sort {
            self.sort_error(&e.span, sort, found);
            return None;
        }
        Some(term)
    }

    fn signature(&mut self, procedure: &ast::Procedure) -> Signature {
        let mut result = None;
        match procedure.result {
            Some(Type::Int) => result = Some(Sort::Int),
            Some(Type::Bool) => result = Some(Sort::Bool),
            Some(Type::Lock) => {
                self.error(&procedure.name.span, "a procedure cannot return a lock")
            }
            None => {}
        }
        let mut params = Vec::new();
        for decl in &procedure.params {
            params.push(if decl.kind == Type::Int { Sort::Int } else { Sort::Bool });
            if decl.array || decl.kind == Type::Lock {
                self.error_hint(
                    &decl.name.span,
                    "a parameter must be an int or a bool",
                    "arguments are passed by value; refer to a global array or lock by its name",
                );
            }
            if let Some(e) = &decl.init {
                self.error(&e.span, "a parameter has no initial value");
            }
        }
        Signature { name: procedure.name.text.clone(), params, result }
    }

    fn procedure(&mut self, procedure: &ast::Procedure) -> ir::Procedure {
        let result =
            procedure.result.map(|kind| if kind == Type::Int { Sort::Int } else { Sort::Bool });
        let scope = Scope { result, procedure: true, ..Scope::default() };
        let params: Vec<Decl> =
            procedure.params.iter().map(|d| Decl { init: None, ..d.clone() }).collect();
        ir::Procedure {
            name: procedure.name.text.clone(),
            span: procedure.name.span.clone(),
            result,
            body: self.body(scope, &params, &procedure.body),
        }
    }

    fn thread(&mut self, thread: &ast::Thread) -> ir::Thread {
        ir::Thread {
            name: thread.name.text.clone(),
            count: thread.count,
            abstraction: self.abstracted_by(thread.abstracts.as_ref()),
            body: self.body(
                Scope { unabstracted: thread.abstracts.is_none(), ..Scope::default() },
                &[],
                &thread.body,
            ),
        }
    }

    fn body(&mut self, mut scope: Scope, params: &[Decl], body: &ast::Body) -> ir::Body {
        for decl in params.iter().chain(&body.locals) {
            self.local(decl, &mut scope);
        }
        statement::labels(&body.code, &mut |name| {
            if scope.labels.contains(&name.text) {
                self.error(&name.span, format!("the label `{}` is defined twice", name.text));
            } else {
                scope.labels.push(name.text.clone());
            }
        });
        let code = self.block(&body.code, &mut scope);
        ir::Body { locals: scope.locals, labels: scope.labels, code }
    }

    fn local(&mut self, decl: &Decl, scope: &mut Scope) {
        let var = self.variable(decl);
        let name = &decl.name;
        if var.lock {
            self.error_hint(
                &name.span,
                "a local lock",
                "a lock that only one thread can use has no effect: declare it with `global`",
            );
        }
        if self.names.contains_key(&name.text) {
            self.error_hint(
                &name.span,
                format!(
                    "the local `{}` hides a global, procedure or thread of that name",
                    name.text
                ),
                "rename one of them",
            );
        }
        let index = scope.locals.len();
        if scope.names.insert(name.text.clone(), index).is_some() {
            self.error(&name.span, format!("`{}` is declared twice", name.text));
        }
        scope.locals.push(var);
    }

    /// The variable of a name.
    fn slot(&mut self, name: &Name, scope: &Scope) -> Option<Slot> {
        if let Some(i) = scope.names.get(&name.text) {
            return Some(Slot::Local(*i));
        }
        let text = &name.text;
        match self.names.get(text) {
            Some(Meaning::Global(_)) if scope.within == Within::Loop => {
                let hint = "other threads change it between two steps: use only locals and `candidate(...)`";
                let message = format!("the global `{text}` in a loop invariant");
                self.error_hint(&name.span, message, hint);
                None
            }
            Some(Meaning::Global(i)) => Some(Slot::Global(*i)),
            Some(Meaning::Procedure(_)) => {
                let hint = format!("call it: `{text}(...)`");
                self.error_hint(&name.span, format!("`{text}` is a procedure"), hint);
                None
            }
            Some(Meaning::Thread) => {
                self.error(&name.span, format!("`{text}` is a thread, not a variable"));
                None
            }
            Some(Meaning::Abstraction(_)) => {
                self.error(&name.span, format!("`{text}` is an abstract thread, not a variable"));
                None
            }
            None if text.contains('.') => {
                let hint = "the local `x` of a thread `w` is `w.x` in an `invariant` or `hint` outside of threads: `hint forall worker w (w.x > 0);`";
                self.error_hint(&name.span, format!("`{text}` is not declared here"), hint);
                None
            }
            None if text.ends_with('\'') => self.misplaced(name, scope),
            None => {
                let hint = match scope.within {
                    Within::Code | Within::Loop => {
                        format!("declare it: `global int {text};` or `local int {text};`")
                    }
                    Within::Abstraction | Within::Relation => {
                        "an abstract thread can use only globals and its own locals".to_owned()
                    }
                };
                self.error_hint(&name.span, format!("`{text}` is not declared"), hint);
                None
            }
        }
    }

    fn var<'a>(&'a self, slot: Slot, scope: &'a Scope) -> &'a Var {
        match slot {
            Slot::Global(i) => &self.globals[i],
            Slot::Local(i) => &scope.locals[i],
        }
    }

    fn sort_error(&mut self, span: &Span, wanted: Sort, found: Sort) {
        let name = |sort| match sort {
            Sort::Int => "an integer",
            Sort::Bool => "a truth value",
            Sort::IntArray | Sort::BoolArray => "an array",
        };
        let hint = match (wanted, found) {
            (Sort::Bool, Sort::Int) => "compare it: `x != 0`",
            (Sort::Int, Sort::Bool) => "integers and truth values are not converted",
            (_, Sort::IntArray | Sort::BoolArray) => "name one element: `a[i]`",
            _ => "the sorts must agree",
        };
        let message = format!("expected {}, found {}", name(wanted), name(found));
        self.error_hint(span, message, hint);
    }
}

fn mentions_name(e: &ast::Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Bool(_) => false,
        ExprKind::Neg(e) | ExprKind::Not(e) => mentions_name(e),
        ExprKind::Binary(_, a, b) => mentions_name(a) || mentions_name(b),
        _ => true,
    }
}
