//! A thread's graph unfolded over those of its locals whose values the code shows: constants and
//! truth values. Other locals are dropped: what depends on them holds or not, and their values are
//! any values.

use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::rewrite::Rewrite as _;
use crate::transform::suggest::shared;
use crate::transform::suggest::{Node, Proposal, Step};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::{Expr, Op, Sort};

/// With more nodes than this fewer locals are kept.
const NODES: usize = 64;

/// A location, and the known values of locals that matter there.
type Place = (u32, BTreeMap<u32, Op>);

/// Unfolds a thread whose locals are at position 0.
pub fn unfold(program: &Program, thread: &Template) -> Proposal {
    let mut kept: BTreeSet<u32> = (0..).zip(&thread.locals).map(|(i, _)| i).collect();
    loop {
        let unfolded = Unfolding { program, thread, live: live(thread), kept: kept.clone() }.run();
        match unfolded {
            Some(proposal) => return proposal,
            None => kept.pop_last(),
        };
    }
}

struct Unfolding<'a> {
    program: &'a Program,
    thread: &'a Template,
    /// The locals that matter at each location.
    live: Vec<BTreeSet<u32>>,
    /// The locals whose values are followed.
    kept: BTreeSet<u32>,
}

impl Unfolding<'_> {
    /// The unfolded graph, unless it is too large and fewer locals could be kept.
    fn run(&self) -> Option<Proposal> {
        let mut numbers: BTreeMap<Place, usize> = BTreeMap::new();
        let mut proposal = Proposal { nodes: Vec::new(), steps: Vec::new() };
        let mut waiting = VecDeque::from([(0, self.initial())]);
        numbers.insert(waiting[0].clone(), 0);
        while let Some(place) = waiting.pop_front() {
            let source = numbers[&place];
            let mut wrong = Vec::new();
            for edge in self.thread.edges.iter().filter(|e| e.source == place.0) {
                let Some(guard) = self.formula(&edge.guard, &place.1, &edge.inputs) else {
                    continue;
                };
                if self.is_error(edge.target) {
                    wrong.push(crate::transform::suggest::all(&guard));
                    continue;
                }
                for (guard, values) in self.branches(guard, edge, &place.1) {
                    let target = (edge.target, values);
                    let next = numbers.len();
                    let number = *numbers.entry(target.clone()).or_insert_with(|| {
                        waiting.push_back(target);
                        next
                    });
                    let updates = self.updates(edge, &place.1);
                    proposal.steps.push(Step { source, target: number, guard, updates });
                }
            }
            proposal.nodes.push(Node { name: self.name(&place), wrong });
            if numbers.len() > NODES && !self.kept.is_empty() {
                return None;
            }
        }
        Some(proposal)
    }

    /// The values that the thread's initial condition gives to its locals.
    fn initial(&self) -> BTreeMap<u32, Op> {
        let environment = |v: Var| Item::variable(v, self.sort(v, &[]));
        let known = convert::formula(&self.thread.init, &environment).conjuncts();
        let candidates = |k: &u32| {
            let is = |value: Op| {
                let values = BTreeMap::from([(*k, value)]);
                let others = known.iter().map(|f| self.known(&f.expr(), &values, &[]));
                let possible = others.into_iter().all(|f| f != Formula::FALSE);
                possible.then(|| values[k].clone())
            };
            match self.sort(Var::Local(0, *k), &[]) {
                Sort::Bool => match (is(Op::Bool(false)), is(Op::Bool(true))) {
                    (Some(value), None) | (None, Some(value)) => Some(value),
                    _ => None,
                },
                Sort::Int => known.iter().find_map(|f| constant_of(f, *k)),
                Sort::IntArray | Sort::BoolArray => None,
            }
        };
        let kept = self.kept.iter().filter(|k| self.live[0].contains(k));
        kept.filter_map(|k| Some((*k, candidates(k)?))).collect()
    }

    /// A formula with the known locals' values, as conjuncts of which those are left out that
    /// depend on what is not known; `None` if it is false.
    fn formula(
        &self,
        formula: &Expr,
        values: &BTreeMap<u32, Op>,
        inputs: &[Variable],
    ) -> Option<Vec<Expr>> {
        let mut out = Vec::new();
        for part in self.known(formula, values, inputs).conjuncts() {
            match part {
                Formula::Const(true) => {}
                Formula::Const(false) => return None,
                part if is_shared(&part) => out.push(part.expr()),
                _ => {}
            }
        }
        Some(out)
    }

    /// A formula with the known locals' values.
    fn known(&self, formula: &Expr, values: &BTreeMap<u32, Op>, inputs: &[Variable]) -> Formula {
        let formula = substituted(formula, values);
        convert::formula(&formula, &|v| Item::variable(v, self.sort(v, inputs)))
    }

    /// The locals' values after an edge, with what has to hold before: a truth value that is not
    /// known is both.
    fn branches(
        &self,
        guard: Vec<Expr>,
        edge: &Edge,
        values: &BTreeMap<u32, Op>,
    ) -> Vec<(Vec<Expr>, BTreeMap<u32, Op>)> {
        let target = usize::try_from(edge.target).unwrap_or(usize::MAX);
        let live = self.live.get(target).cloned().unwrap_or_default();
        let mut branches = vec![(guard, BTreeMap::new())];
        for local in self.kept.iter().filter(|k| live.contains(k)) {
            let update = edge.updates.iter().find(|(v, _)| *v == Op::Local(0, *local));
            let Some((_, value)) = update else {
                let value = values.get(local).cloned();
                branches.iter_mut().for_each(|(_, v)| v.extend(value.clone().map(|x| (*local, x))));
                continue;
            };
            let value = substituted(value, values);
            match (self.sort(Var::Local(0, *local), &[]), &value.0[..]) {
                (_, [constant @ (Op::Int(_) | Op::Bool(_))]) => {
                    branches.iter_mut().for_each(|(_, v)| {
                        v.insert(*local, constant.clone());
                    });
                }
                (Sort::Bool, _) => branches = self.both(branches, *local, (&value, &edge.inputs)),
                _ => {}
            }
        }
        branches
    }

    /// Each branch with a truth value true, where the formula may hold, and with it false.
    fn both(
        &self,
        branches: Vec<(Vec<Expr>, BTreeMap<u32, Op>)>,
        local: u32,
        (formula, inputs): (&Expr, &[Variable]),
    ) -> Vec<(Vec<Expr>, BTreeMap<u32, Op>)> {
        let mut out = Vec::new();
        for (guard, values) in branches {
            for (truth, formula) in [(true, formula.clone()), (false, formula.clone().negate())] {
                let Some(more) = self.formula(&formula, &BTreeMap::new(), inputs) else { continue };
                let mut values = values.clone();
                values.insert(local, Op::Bool(truth));
                out.push(([guard.clone(), more].concat(), values));
            }
        }
        out
    }

    /// The new values of globals.
    fn updates(&self, edge: &Edge, values: &BTreeMap<u32, Op>) -> Vec<(u32, Option<Expr>)> {
        let mut out = Vec::new();
        for (variable, value) in &edge.updates {
            let Op::Global(global) = variable else { continue };
            let value = substituted(value, values);
            let known =
                value.0.iter().all(|op| !matches!(op, Op::Local(..) | Op::Input(_) | Op::Store));
            out.push((*global, known.then_some(value)));
        }
        out.sort();
        out
    }

    fn is_error(&self, location: u32) -> bool {
        let at = usize::try_from(location).ok().and_then(|l| self.thread.locations.get(l));
        at.is_some_and(|l| l.error)
    }

    fn sort(&self, var: Var, inputs: &[Variable]) -> Sort {
        let (list, number) = match var {
            Var::Global(i) => (shared(self.program), i),
            Var::Local(_, i) => (&self.thread.locals[..], i),
            Var::Input(i) => (inputs, i),
        };
        let variable = usize::try_from(number).ok().and_then(|i| list.get(i));
        variable.expect("a variable in scope").sort
    }

    /// The location's name, with the values of the locals.
    fn name(&self, (location, values): &Place) -> String {
        let at = usize::try_from(*location).ok().and_then(|l| self.thread.locations.get(l));
        let mut name = at.map_or_else(String::new, |l| l.name.clone());
        for (local, value) in values {
            let local = usize::try_from(*local).ok().and_then(|l| self.thread.locals.get(l));
            let value = match value {
                Op::Int(value) => value.to_string().replace('-', "minus_"),
                Op::Bool(value) => value.to_string(),
                _ => String::new(),
            };
            name += &format!("_{}_{value}", local.map_or("", |l| &l.name));
        }
        name
    }
}

/// The locals that are read from a location on before they are written, where that has an effect:
/// on guards, globals or locals that are.
fn live(thread: &Template) -> Vec<BTreeSet<u32>> {
    let mut live: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); thread.locations.len()];
    loop {
        let before = live.clone();
        for edge in &thread.edges {
            let (Ok(source), Ok(target)) =
                (usize::try_from(edge.source), usize::try_from(edge.target))
            else {
                continue;
            };
            let (mut now, mut written) = (locals(&edge.guard), BTreeSet::new());
            for (variable, value) in &edge.updates {
                match variable {
                    Op::Local(_, local) => {
                        written.insert(*local);
                        if live[target].contains(local) {
                            now.extend(locals(value));
                        }
                    }
                    _ => now.extend(locals(value)),
                }
            }
            now.extend(live[target].difference(&written));
            live[source].extend(now);
        }
        if live == before {
            return live;
        }
    }
}

fn locals(expr: &Expr) -> BTreeSet<u32> {
    let ops = expr.0.iter();
    ops.filter_map(|op| if let Op::Local(_, i) = op { Some(*i) } else { None }).collect()
}

fn substituted(expr: &Expr, values: &BTreeMap<u32, Op>) -> Expr {
    expr.substitute(|op| match op {
        Op::Local(_, local) => values.get(local).map(|value| vec![value.clone()]),
        _ => None,
    })
}

/// Whether a formula is about globals alone.
fn is_shared(formula: &Formula) -> bool {
    let mut shared = true;
    formula.variables(&mut |v| shared &= matches!(v, Var::Global(_)));
    shared
}

/// The value that a formula "local == constant" gives.
fn constant_of(formula: &Formula, local: u32) -> Option<Op> {
    let expr = formula.expr();
    match &expr.0[..] {
        [Op::Local(_, l), value @ Op::Int(_), Op::Cmp(threadproof_format::Cmp::Eq)]
            if *l == local =>
        {
            Some(value.clone())
        }
        _ => None,
    }
}
