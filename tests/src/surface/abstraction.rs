//! Abstract threads: where one is, and what it does next.

use super::ast::{Abstraction, Decl, Edge, Expr, Finite, Node, Relation, Type};
use super::values::{self, Scope, truth};
use crate::explicit::Value;

/// An item of a specification.
pub enum Part {
    Pre(Expr),
    Invariant(Expr),
    Environment(Expr),
    Step(Relation),
    Post(Expr),
}

/// The state machine of a specification: a node for each number of steps done, and an end.
pub(super) fn specification(
    name: String,
    abstracts: Option<String>,
    parts: Vec<Part>,
) -> Abstraction {
    let mut out = Abstraction { name, abstracts, ..Abstraction::default() };
    let node = |number: usize, assertion| Node {
        name: format!("done_{number}"),
        initial: number == 0,
        assertion,
    };
    out.nodes.push(node(0, None));
    let step = |target: Node, relation: Relation, out: &mut Abstraction| {
        let source = out.nodes.last().expect("the first node").name.clone();
        out.edges.push(Edge { source, target: target.name.clone(), relation });
        out.nodes.push(target);
    };
    for part in parts {
        match part {
            Part::Pre(e) => out.nodes[0].assertion = Some(e),
            Part::Invariant(e) => out.common.push(e),
            Part::Environment(e) => out.environment.push(e),
            Part::Step(relation) => step(node(out.nodes.len(), None), relation, &mut out),
            Part::Post(e) => {
                let end = Node { name: "end".to_owned(), initial: false, assertion: None };
                let stays = Relation { formula: Some(e), unchanged: Some(Vec::new()) };
                step(end, stays, &mut out);
            }
        }
    }
    out
}

/// Where an abstract thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Abstract {
    node: usize,
    locals: Vec<Value>,
    /// The globals after the thread's last step, if something is said of what others do then.
    last: Vec<Value>,
}

/// The values that a local can have.
fn finite(local: &Finite) -> Vec<Value> {
    match local.range {
        Some((least, most)) => (least..=most).map(Value::Int).collect(),
        None => values::any(Type::Bool, false, &[]),
    }
}

/// Variables before and after a step.
struct Pair<'m> {
    decls: Vec<&'m Decl>,
    before: Vec<Value>,
    after: Vec<Value>,
}

impl Scope for Pair<'_> {
    fn variable(&self, name: &str) -> Value {
        let (name, values) = match name.strip_suffix('\'') {
            Some(name) => (name, &self.after),
            None => (name, &self.before),
        };
        values[self.decls.iter().position(|d| d.name == name).expect("it is declared")].clone()
    }

    fn count(&self, _: &[Expr]) -> i64 {
        panic!("a count in an abstract thread")
    }
}

impl Pair<'_> {
    fn holds(&self, e: &Expr) -> bool {
        truth(&values::value(e, self))
    }
}

/// The variables that an abstract thread knows: globals, then its own.
fn decls<'a>(of: &'a Abstraction, declared: &'a [Decl]) -> Vec<&'a Decl> {
    declared.iter().chain(of.locals.iter().map(|local| &local.decl)).collect()
}

impl Abstract {
    /// Where a thread can start.
    pub(super) fn starts(of: &Abstraction, globals: &[Value]) -> Vec<Abstract> {
        let first = |local: &Finite| match &local.decl.init {
            Some(_) => values::initial(&local.decl, &[]),
            None => finite(local),
        };
        let locals = values::combinations(&of.locals.iter().map(first).collect::<Vec<_>>());
        let nodes = (0..of.nodes.len()).filter(|node| of.nodes[*node].initial);
        nodes
            .flat_map(|node| {
                locals.iter().map(move |locals| Abstract {
                    node,
                    locals: locals.clone(),
                    last: last(of, globals),
                })
            })
            .collect()
    }

    /// Whether an assertion fails.
    pub(super) fn is_wrong(&self, of: &Abstraction, declared: &[Decl], globals: &[Value]) -> bool {
        let now = [globals, &self.locals].concat();
        let pair = Pair { decls: decls(of, declared), before: now, after: Vec::new() };
        let assertions = of.common.iter().chain(&of.nodes[self.node].assertion);
        let others = Pair {
            decls: declared.iter().collect(),
            before: self.last.clone(),
            after: globals.to_vec(),
        };
        assertions.into_iter().any(|e| !pair.holds(e))
            || of.environment.iter().any(|e| !others.holds(e))
    }

    /// The globals and the thread after each step that it can take, with these integers where any
    /// is possible.
    pub(super) fn steps(
        &self,
        of: &Abstraction,
        (declared, ints): (&[Decl], &[i64]),
        globals: &[Value],
    ) -> Vec<(Vec<Value>, Abstract)> {
        // The hidden idle edge.
        let idle = Abstract { last: last(of, globals), ..self.clone() };
        let mut out = vec![(globals.to_vec(), idle)];
        let here = &of.nodes[self.node].name;
        for edge in of.edges.iter().filter(|edge| edge.source == *here) {
            let target = of.nodes.iter().position(|node| node.name == edge.target);
            let node = target.expect("the node is there");
            for after in self.after(&edge.relation, of, (declared, ints), globals) {
                let (globals, locals) = after.split_at(globals.len());
                let last = last(of, globals);
                let next = Abstract { node, locals: locals.to_vec(), last };
                out.push((globals.to_vec(), next));
            }
        }
        out
    }

    /// The values of all variables after a step that satisfies a relation.
    fn after(
        &self,
        relation: &Relation,
        of: &Abstraction,
        (declared, ints): (&[Decl], &[i64]),
        globals: &[Value],
    ) -> Vec<Vec<Value>> {
        let before = [globals, &self.locals].concat();
        let decls = decls(of, declared);
        let choices = decls.iter().zip(&before).enumerate().map(|(number, (decl, value))| {
            let stays = |except: &Vec<String>| !except.contains(&decl.name);
            match (
                relation.unchanged.as_ref().is_some_and(stays),
                number.checked_sub(globals.len()),
            ) {
                (true, _) => vec![value.clone()],
                (false, None) => values::any(decl.kind, decl.array, ints),
                (false, Some(local)) => finite(&of.locals[local]),
            }
        });
        let mut all = values::combinations(&choices.collect::<Vec<_>>());
        all.retain(|after| {
            let pair = Pair { decls: decls.clone(), before: before.clone(), after: after.clone() };
            relation.formula.iter().all(|e| pair.holds(e))
        });
        all
    }
}

/// What is kept of the globals after a thread's step.
fn last(of: &Abstraction, globals: &[Value]) -> Vec<Value> {
    if of.environment.is_empty() { Vec::new() } else { globals.to_vec() }
}
