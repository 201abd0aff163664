//! Random abstract threads.

use super::super::ast::{Abstraction, Binary, Edge, Expr, Finite, Node, Relation, Type, Unit};
use super::Writer;

impl Writer<'_, '_> {
    /// A program with a thread that is abstracted, perhaps twice, and perhaps another one.
    pub(super) fn abstracted_program(&mut self) -> Unit {
        let mut unit = Unit::default();
        self.globals(&mut unit);
        unit.threads.push(self.thread("t", None));
        unit.threads[0].abstracts = Some("W".to_owned());
        if self.source.chance(30) {
            unit.threads.push(self.thread("s", None));
        }
        let twice = self.source.chance(25);
        unit.abstractions.push(self.abstraction("W", twice.then_some("V")));
        if twice {
            unit.abstractions.push(self.abstraction("V", None));
        }
        unit
    }

    fn abstraction(&mut self, name: &str, abstracts: Option<&str>) -> Abstraction {
        let outer = self.scope.clone();
        let mut out = Abstraction {
            name: name.to_owned(),
            abstracts: abstracts.map(str::to_owned),
            ..Abstraction::default()
        };
        if self.source.chance(30) {
            let local = self.source.pick(&[("j", Type::Int, false), ("b", Type::Bool, false)]);
            let decl = self.decl(local);
            let range = (local.1 == Type::Int).then_some((-1, 2));
            self.scope.declare(local);
            out.locals.push(Finite { decl, range });
        }
        if self.source.chance(20) {
            out.common.push(self.truth(1));
        }
        let nodes = 1 + self.source.below(3);
        for number in 0..nodes {
            let initial = number == 0 || self.source.chance(20);
            let assertion = self.source.chance(40).then(|| self.truth(1));
            out.nodes.push(Node { name: format!("n{number}"), initial, assertion });
        }
        for target in 1..nodes {
            out.edges.push(self.edge(target - 1, target));
        }
        for _ in 0..=self.source.below(2) {
            let (source, target) = (self.source.below(nodes), self.source.below(nodes));
            out.edges.push(self.edge(source, target));
        }
        self.scope = outer;
        out
    }

    fn edge(&mut self, source: usize, target: usize) -> Edge {
        let mut changed = Vec::new();
        let mut conjuncts = Vec::new();
        for kind in [Type::Int, Type::Int, Type::Bool] {
            let place = if self.source.chance(50) { self.place(kind) } else { None };
            let Some(name) = place.map(|place| place.name) else { continue };
            if changed.contains(&name) {
                continue;
            }
            let array = self.scope.int_arrays.contains(&name.as_str())
                || self.scope.bool_arrays.contains(&name.as_str());
            if !array && self.source.chance(85) {
                conjuncts.push(self.next_value(&name, kind));
            }
            changed.push(name);
        }
        if self.source.chance(50) {
            conjuncts.push(self.truth(0));
        }
        let unchanged = self.source.chance(80).then_some(changed);
        let formula = conjuncts.into_iter().reduce(|a, b| Expr::two(Binary::And, a, b));
        let relation = Relation { formula, unchanged };
        Edge { source: format!("n{source}"), target: format!("n{target}"), relation }
    }

    /// What is said of a variable's next value.
    fn next_value(&mut self, name: &str, kind: Type) -> Expr {
        let next = Expr::name(&format!("{name}'"));
        if kind == Type::Bool {
            return match self.source.below(3) {
                0 => next,
                1 => Expr::Not(Box::new(next)),
                _ => Expr::two(Binary::Ne, next, Expr::name(name)),
            };
        }
        let operator =
            self.source.pick(&[Binary::Eq, Binary::Eq, Binary::Eq, Binary::Ge, Binary::Lt]);
        let value = match self.source.below(3) {
            0 => Expr::two(Binary::Add, Expr::name(name), Expr::Int(1)),
            1 => Expr::two(Binary::Sub, Expr::name(name), Expr::Int(1)),
            _ => self.int(0),
        };
        Expr::two(operator, next, value)
    }
}
