//! Abstract threads: what each may mention, and which thread or abstract thread each abstracts.

use super::super::ast::{self, ExprKind, Name, Span};
use super::super::ir::{Abstraction, Edge, Finite, Node, Slot, Term, Thread, Var};
use super::{Meaning, Resolver, Scope, Within};
use crate::text::Diagnostic;
use num_bigint::BigInt;
use threadproof_format::Sort;

/// Values of all locals of an abstract thread together.
const MAX_VALUATIONS: usize = 256;

impl Resolver {
    /// The abstract threads. Each abstracts some thread.
    pub(super) fn abstractions(
        &mut self,
        unit: &ast::Unit,
        threads: &[Thread],
    ) -> Vec<Abstraction> {
        let out: Vec<Abstraction> = unit.abstractions.iter().map(|a| self.abstraction(a)).collect();
        let mut used = vec![false; out.len()];
        for thread in threads {
            let mut next = thread.abstraction;
            while let Some(i) = next.filter(|i| !used[*i]) {
                used[i] = true;
                next = out[i].abstraction;
            }
        }
        self.cycles(unit, &out);
        for (abstraction, _) in unit.abstractions.iter().zip(&used).filter(|(_, used)| !**used) {
            let name = &abstraction.name;
            let hint = format!(
                "name it where the thread is declared: `thread t[*] abstracts {}`",
                name.text
            );
            let message = format!("no thread has the abstraction `{}`", name.text);
            self.error_hint(&name.span, message, hint);
        }
        out
    }

    /// The abstract thread that stands behind `abstracts`.
    pub(super) fn abstracted_by(&mut self, name: Option<&Name>) -> Option<usize> {
        let name = name?;
        if let Some(Meaning::Abstraction(i)) = self.names.get(&name.text) {
            return Some(*i);
        }
        let hint = format!("write it: `abstract {} {{ initial node start; ... }}`", name.text);
        self.error_hint(&name.span, format!("there is no abstract thread `{}`", name.text), hint);
        None
    }

    /// Abstract threads that abstract themselves, by way of others or not.
    fn cycles(&mut self, unit: &ast::Unit, all: &[Abstraction]) {
        for (i, abstraction) in unit.abstractions.iter().enumerate() {
            let mut at = Some(i);
            for _ in all {
                at = at.and_then(|a| all[a].abstraction);
                if at == Some(i) {
                    let name = &abstraction.name;
                    self.error(&name.span, format!("`{}` abstracts itself", name.text));
                    return;
                }
            }
        }
    }

    fn abstraction(&mut self, a: &ast::Abstraction) -> Abstraction {
        let mut scope = Scope { within: Within::Abstraction, ..Scope::default() };
        let locals: Vec<Finite> =
            a.locals.iter().filter_map(|local| self.finite(local, &mut scope)).collect();
        let mut count = 1usize;
        for (local, decl) in locals.iter().zip(&a.locals) {
            count = count.saturating_mul(local.values.len());
            if count > MAX_VALUATIONS {
                let message =
                    format!("the locals have more than {MAX_VALUATIONS} combinations of values");
                self.error_hint(&decl.decl.name.span, message, FINITE_HINT);
                break;
            }
        }
        let common = a.common.iter().filter_map(|said| self.holds(said, &scope)).collect();
        let environment = self.environment(&a.environment, &scope);
        let nodes = self.nodes(a, &scope);
        let edges = a.edges.iter().filter_map(|e| self.edge(e, &nodes, &scope)).collect();
        let abstraction = self.abstracted_by(a.abstracts.as_ref());
        let name = a.name.text.clone();
        Abstraction { name, abstraction, locals, common, environment, nodes, edges }
    }

    fn nodes(&mut self, a: &ast::Abstraction, scope: &Scope) -> Vec<Node> {
        let mut out: Vec<Node> = Vec::new();
        for node in &a.nodes {
            let name = &node.name;
            if out.iter().any(|other| other.name == name.text) {
                self.error(&name.span, format!("the node `{}` is declared twice", name.text));
            }
            out.push(Node {
                name: name.text.clone(),
                initial: node.initial,
                assertions: node.assertions.iter().filter_map(|s| self.holds(s, scope)).collect(),
                span: node.span.clone(),
            });
        }
        if !out.iter().any(|node| node.initial) {
            let hint = "write `initial node name;` for the nodes where a thread may start";
            let message = format!("`{}` has no initial node", a.name.text);
            self.error_hint(&a.name.span, message, hint);
        }
        out
    }

    /// An assertion of nodes.
    fn holds(&mut self, said: &ast::Said, scope: &Scope) -> Option<(Term, Span)> {
        let formula = self.formula(&said.formula, scope)?;
        if formula == Term::Bool(true) {
            let hint = "remove it: a node without an assertion asserts nothing";
            self.error_hint(&said.formula.span, "this assertion always holds", hint);
        }
        Some((formula, said.span.clone()))
    }

    /// What a specification says of other threads.
    fn environment(&mut self, said: &[ast::Said], scope: &Scope) -> Vec<(Term, Span)> {
        let all_change = vec![false; self.globals.len() + scope.locals.len()];
        let scope = self.relation(scope, &all_change);
        let mut out = Vec::new();
        for said in said {
            let formula = self.formula(&said.formula, &scope);
            out.extend(formula.map(|formula| (formula, said.span.clone())));
        }
        out
    }

    fn finite(&mut self, local: &ast::Finite, scope: &mut Scope) -> Option<Finite> {
        self.local(&local.decl, scope);
        let var = scope.locals.last()?.clone();
        let span = &local.decl.name.span;
        let values = match (var.sort, &local.range) {
            (Sort::Bool, None) => vec![Term::Bool(false), Term::Bool(true)],
            (Sort::Int, Some((least, greatest, range))) => self.values(least, greatest, range)?,
            (Sort::Int, None) | (Sort::IntArray | Sort::BoolArray, _) => {
                let message = format!("`{}` can have infinitely many values", var.name);
                self.error_hint(span, message, FINITE_HINT);
                return None;
            }
            (Sort::Bool, Some((.., range))) => {
                self.error(range, "only an integer has a range");
                return None;
            }
        };
        if let (Some(init), Some(e)) = (&var.init, &local.decl.init)
            && !values.contains(init)
        {
            self.error(&e.span, "the initial value is not in the range");
        }
        let Var { name, init, .. } = var;
        Some(Finite { name, values, init })
    }

    fn values(&mut self, least: &BigInt, greatest: &BigInt, range: &Span) -> Option<Vec<Term>> {
        if greatest < least {
            self.error_hint(range, "this range is empty", "the smaller bound comes first");
            return None;
        }
        let mut out = Vec::new();
        let mut value = least.clone();
        while value <= *greatest {
            if out.len() == MAX_VALUATIONS {
                let message = format!("a range of more than {MAX_VALUATIONS} values");
                self.error_hint(range, message, FINITE_HINT);
                return None;
            }
            out.push(Term::Int(value.clone()));
            value += 1;
        }
        Some(out)
    }

    fn edge(&mut self, edge: &ast::Edge, nodes: &[Node], scope: &Scope) -> Option<Edge> {
        let mut node = |name: &Name| {
            let found = nodes.iter().position(|node| node.name == name.text);
            if found.is_none() {
                let hint = format!("declare it: `node {};`", name.text);
                self.error_hint(&name.span, format!("there is no node `{}`", name.text), hint);
            }
            found
        };
        let (source, target) = (node(&edge.source), node(&edge.target));
        let kept = self.kept(edge.unchanged.as_deref(), scope);
        let relation = match &edge.relation {
            None => Term::Bool(true),
            Some(e) => {
                let scope = self.relation(scope, &kept);
                self.formula(e, &scope)?
            }
        };
        let span = edge.span.clone();
        Some(Edge { source: source?, target: target?, relation, kept, span })
    }

    /// Which variables keep their values: with `unchanged` all but the named ones.
    fn kept(&mut self, except: Option<&[Name]>, scope: &Scope) -> Vec<bool> {
        let globals = self.globals.len();
        let mut kept = vec![except.is_some(); globals + scope.locals.len()];
        for name in except.unwrap_or_default() {
            let index = match self.slot(name, scope) {
                Some(Slot::Global(i)) => i,
                Some(Slot::Local(i)) => globals + i,
                None => continue,
            };
            if !std::mem::replace(&mut kept[index], false) {
                self.error(&name.span, format!("`{}` is named twice", name.text));
            }
        }
        kept
    }

    /// The names of a relation: those of the abstract thread, and the next values of what changes.
    fn relation(&self, scope: &Scope, kept: &[bool]) -> Scope {
        let mut out = Scope { within: Within::Relation, ..Scope::default() };
        let (globals, locals) = kept.split_at(self.globals.len());
        let mut add = |name: Option<String>, var: &Var| {
            if let Some(name) = name {
                out.names.insert(name, out.locals.len());
            }
            out.locals.push(var.clone());
        };
        let next = |(var, kept): (&Var, &bool)| (!kept).then(|| format!("{}'", var.name));
        self.globals.iter().zip(globals).for_each(|pair| add(next(pair), pair.0));
        scope.locals.iter().for_each(|var| add(Some(var.name.clone()), var));
        scope.locals.iter().zip(locals).for_each(|pair| add(next(pair), pair.0));
        out
    }

    /// What a loop says to help the proof that its thread conforms to its abstraction.
    pub(super) fn loop_invariants(
        &mut self,
        formulas: &[ast::Expr],
        scope: &mut Scope,
    ) -> Vec<(Term, Span)> {
        if let (true, Some(first)) = (scope.unabstracted, formulas.first()) {
            let hint = "it helps to prove that a thread conforms to its abstraction; otherwise write it at the start of the thread, after its locals";
            let message = "a loop invariant in a thread without an abstraction";
            self.error_hint(&first.span, message, hint);
        }
        let outer = std::mem::replace(&mut scope.within, Within::Loop);
        let mut out = Vec::new();
        for e in formulas {
            let formula = self.formula(e, scope);
            out.extend(formula.map(|formula| (formula, e.span.clone())));
        }
        scope.within = outer;
        out
    }

    /// `candidate(X)` in a loop invariant. Which thread's abstraction has the node, is known
    /// where procedures are inlined.
    pub(super) fn candidate(&mut self, span: &Span, nodes: &[ast::Expr]) -> Option<Term> {
        let [ast::Expr { kind: ExprKind::Name(name), .. }] = nodes else {
            let hint = "write `candidate(node)` with a node of the abstract thread";
            self.error_hint(span, "`candidate` takes the name of a node", hint);
            return None;
        };
        self.candidates.push((name.text.clone(), name.span.clone()));
        Some(Term::Candidate(self.candidates.len() - 1))
    }

    /// The error of a next value that cannot stand where it does.
    pub(super) fn misplaced(&mut self, name: &Name, scope: &Scope) -> Option<Slot> {
        let variable = name.text.trim_end_matches('\'').to_owned();
        // What is no variable has an error of its own.
        self.slot(&Name { text: variable.clone(), span: name.span.clone() }, scope)?;
        let item = match scope.within {
            Within::Relation => {
                let hint =
                    format!("write `{variable}`, or name it in `unchanged except ({variable})`");
                Diagnostic::new(
                    name.span.clone(),
                    format!("this edge leaves `{variable}` unchanged"),
                )
                .hint(hint)
            }
            Within::Code | Within::Loop | Within::Abstraction => {
                let hint =
                    "a next value is allowed only in the relation of an edge of an abstract thread";
                Diagnostic::new(name.span.clone(), format!("`{}` is not allowed here", name.text))
                    .hint(hint)
            }
        };
        self.errors.push(item);
        None
    }
}

const FINITE_HINT: &str = "a local of an abstract thread is a `bool`, or an integer of a small range: `local int k in 0..3;`";
