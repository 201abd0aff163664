//! What a program says to help the prover: `invariant`, `hint`, and the counting of threads.

use super::super::ast::{self, Count, Expr, ExprKind, Name, Span};
use super::super::ir::{Clause, Owner, Term, Thread};
use super::{Meaning, Resolver, Scope};

impl Resolver {
    /// The clauses of the program and of its threads.
    pub(super) fn clauses(&mut self, unit: &ast::Unit, threads: &[Thread]) -> Vec<Clause> {
        let mut out = Vec::new();
        for clause in &unit.clauses {
            let resolved = self.outside(clause, threads);
            out.extend(resolved);
        }
        for (i, (thread, body)) in threads.iter().zip(&unit.threads).enumerate() {
            for clause in &body.body.clauses {
                let mut scope = Scope::default();
                let mut locals = Vec::new();
                let many = thread.count == Count::Any;
                for (k, var) in thread.body.locals.iter().enumerate() {
                    scope.names.insert(var.name.clone(), k);
                    scope.locals.push(var.clone());
                    locals.push(if many { Owner::Position(0, k) } else { Owner::Single(i, k) });
                }
                let about = if many { vec![i] } else { Vec::new() };
                out.extend(self.clause(clause, about, &scope, locals));
            }
        }
        for procedure in &unit.procedures {
            for clause in &procedure.body.clauses {
                let hint = "put it at the start of a thread, or outside of threads";
                self.error_hint(&clause.formula.span, "a clause in a procedure", hint);
            }
        }
        out
    }

    /// A clause that stands outside of threads.
    fn outside(&mut self, clause: &ast::Clause, threads: &[Thread]) -> Option<Clause> {
        let mut scope = Scope::default();
        let mut locals = Vec::new();
        let mut add =
            |scope: &mut Scope, prefix: &str, thread: &Thread, owner: &dyn Fn(usize) -> Owner| {
                for (k, var) in thread.body.locals.iter().enumerate() {
                    scope.names.insert(format!("{prefix}.{}", var.name), scope.locals.len());
                    scope.locals.push(var.clone());
                    locals.push(owner(k));
                }
            };
        for (i, thread) in threads.iter().enumerate().filter(|(_, t)| t.count == Count::Single) {
            add(&mut scope, &thread.name, thread, &|k| Owner::Single(i, k));
        }
        let mut about = Vec::new();
        for (position, (template, name)) in clause.threads.iter().enumerate() {
            let thread = self.template(template, threads)?;
            self.bound(name, &clause.threads[..position])?;
            add(&mut scope, &name.text, &threads[thread], &|k| Owner::Position(position, k));
            about.push(thread);
        }
        self.clause(clause, about, &scope, locals)
    }

    /// A template of many threads.
    fn template(&mut self, name: &Name, threads: &[Thread]) -> Option<usize> {
        let found = threads.iter().position(|thread| thread.name == name.text);
        let Some(found) = found else {
            self.error(&name.span, format!("`{}` is not a thread", name.text));
            return None;
        };
        if threads[found].count != Count::Any {
            let hint =
                format!("a local `x` of a single thread is `{}.x`, without `forall`", name.text);
            self.error_hint(
                &name.span,
                format!("`{}` is not declared with `[*]`", name.text),
                hint,
            );
            return None;
        }
        Some(found)
    }

    /// A name for a thread of a clause.
    fn bound(&mut self, name: &Name, earlier: &[(Name, Name)]) -> Option<()> {
        let taken = earlier.iter().any(|(_, other)| other.text == name.text);
        if taken || self.names.contains_key(&name.text) {
            self.error(&name.span, format!("the name `{}` is taken", name.text));
            return None;
        }
        Some(())
    }

    fn clause(
        &mut self,
        clause: &ast::Clause,
        threads: Vec<usize>,
        scope: &Scope,
        locals: Vec<Owner>,
    ) -> Option<Clause> {
        self.counting = true;
        let formula = self.formula(&clause.formula, scope);
        self.counting = false;
        let span = clause.formula.span.clone();
        Some(Clause { kind: clause.kind, threads, locals, formula: formula?, span })
    }

    /// `count(label, ...)`: how many threads are at one of the labels.
    pub(super) fn count(&mut self, span: &Span, name: &Name, labels: &[Expr]) -> Option<Term> {
        if let Some(Meaning::Procedure(_)) = self.names.get(&name.text) {
            self.error_hint(
                span,
                "a call is not allowed inside an expression",
                super::expression::CALL_HINT,
            );
            return None;
        }
        if !self.counting {
            let hint = "a thread cannot observe the locations of other threads";
            self.error_hint(span, "`count` stands in `assert`, `invariant` and `hint` only", hint);
            return None;
        }
        let mut list = Vec::new();
        for label in labels {
            let ExprKind::Name(name) = &label.kind else {
                self.error(&label.span, "`count` takes labels");
                return None;
            };
            list.push((name.text.clone(), name.span.clone()));
        }
        if list.is_empty() {
            self.error_hint(span, "`count` without labels", "write `count(label, ...)`");
            return None;
        }
        self.counts.push(list);
        Some(Term::Count(self.counts.len() - 1))
    }
}
