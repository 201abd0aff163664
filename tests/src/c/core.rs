//! Executes core programs on explicit states, with integers of any C type. Inputs that the guard
//! determines (quotients, numbers of wraps) are found from it; others get the values that are
//! tried.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use threadproof_format::program::{Edge, Multiplicity, Program, Variable};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// A value. An array is its entries; others are 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Value {
    Int(i128),
    Bool(bool),
    Array(BTreeMap<i128, i128>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Thread {
    template: usize,
    location: usize,
    locals: Vec<Value>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    globals: Vec<Value>,
    threads: Vec<Thread>,
}

/// The first value of variables that the condition on the start does not mention: it must not
/// matter.
const UNSET: Value = Value::Int(77);

/// A program with what bounds its executions.
pub struct Core<'a> {
    pub program: &'a Program,
    /// Integers that are tried where any is possible.
    pub values: &'a [i128],
    /// Threads of each `many` template.
    pub threads: usize,
    pub states: usize,
}

/// The errors that can be reached, and what was tried: template and edge of the step.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    pub first: BTreeSet<(usize, usize)>,
    /// Those that other threads reach when there was an error before.
    pub later: BTreeSet<(usize, usize)>,
    /// The edges from locations that a thread comes to.
    pub tried: BTreeSet<(usize, usize)>,
    /// Whether all states were visited.
    pub complete: bool,
    /// An input that may have more values than can be tried.
    pub undetermined: Option<String>,
}

/// The line of the file that an error comes from: the last one in its note, or 0.
pub fn line(file: &str, note: &str) -> usize {
    let starts = note.split("; ").filter_map(|part| {
        let part = part.strip_prefix(file).and_then(|p| p.strip_prefix(':')).unwrap_or(part);
        part.split_once(": ")?.0.parse().ok()
    });
    starts.last().unwrap_or(0)
}

fn int(value: &Int) -> i128 {
    i128::try_from(&value.0).expect("a number of C")
}

fn index(i: u32) -> usize {
    usize::try_from(i).expect("an index")
}

/// The value of an expression, if it depends on nothing unknown.
fn eval(ops: &[Op], leaf: &dyn Fn(&Op) -> Option<Value>) -> Option<Value> {
    let mut stack: Vec<Value> = Vec::new();
    for op in ops {
        let rest = stack.split_off(stack.len() - op.arity());
        stack.push(match (op, rest.as_slice()) {
            (Op::Int(k), _) => Value::Int(int(k)),
            (Op::Bool(b), _) => Value::Bool(*b),
            (Op::Global(_) | Op::Local(..) | Op::Input(_), _) => leaf(op)?,
            // Only in a damaged program are numbers beyond all of C's.
            (Op::Add, [Value::Int(a), Value::Int(b)]) => Value::Int(a.saturating_add(*b)),
            (Op::Sub, [Value::Int(a), Value::Int(b)]) => Value::Int(a.saturating_sub(*b)),
            (Op::Scale(k), [Value::Int(a)]) => Value::Int(int(k).saturating_mul(*a)),
            (Op::Div(n), [Value::Int(a)]) => Value::Int(a.div_euclid(int(n))),
            (Op::Mod(n), [Value::Int(a)]) => Value::Int(a.rem_euclid(int(n))),
            (Op::Cmp(cmp), [a, b]) => Value::Bool(match cmp {
                Cmp::Eq => a == b,
                Cmp::Ne => a != b,
                Cmp::Lt => a < b,
                Cmp::Le => a <= b,
                Cmp::Gt => a > b,
                Cmp::Ge => a >= b,
            }),
            (Op::Not, [Value::Bool(a)]) => Value::Bool(!a),
            (Op::And, [Value::Bool(a), Value::Bool(b)]) => Value::Bool(*a && *b),
            (Op::Or, [Value::Bool(a), Value::Bool(b)]) => Value::Bool(*a || *b),
            (Op::Select, [Value::Array(entries), Value::Int(i)]) => {
                Value::Int(entries.get(i).copied().unwrap_or(0))
            }
            (Op::Store, [Value::Array(entries), Value::Int(i), Value::Int(value)]) => {
                let mut entries = entries.clone();
                entries.insert(*i, *value);
                entries.retain(|_, value| *value != 0);
                Value::Array(entries)
            }
            other => panic!("not expected: {other:?}"),
        });
    }
    stack.pop()
}

/// The operands of the last operator.
fn operands(ops: &[Op]) -> (&Op, Vec<&[Op]>) {
    let (last, mut rest) = ops.split_last().expect("an operator");
    let mut out = Vec::new();
    for _ in 0..last.arity() {
        let (mut start, mut missing) = (rest.len(), 1);
        while missing > 0 {
            start -= 1;
            missing = missing - 1 + rest[start].arity();
        }
        out.insert(0, &rest[start..]);
        rest = &rest[..start];
    }
    (last, out)
}

/// Least and greatest value.
type Interval = (i128, i128);

const ALL: Interval = (i128::MIN / 4, i128::MAX / 4);
/// Values of an input that are tried.
const MOST: i128 = 50;
const NONE: Interval = (1, 0);

/// Values of the input outside of which the formula is false; `leaf` knows all others that are
/// known.
fn hull(ops: &[Op], input: u32, leaf: &dyn Fn(&Op) -> Option<Value>) -> Interval {
    if let Some(Value::Bool(truth)) = eval(ops, leaf) {
        return if truth { ALL } else { NONE };
    }
    let (op, parts) = operands(ops);
    let inner = || (hull(parts[0], input, leaf), hull(parts[1], input, leaf));
    match op {
        Op::And => {
            let (a, b) = inner();
            (a.0.max(b.0), a.1.min(b.1))
        }
        Op::Or => {
            let (a, b) = inner();
            let known = [a, b].into_iter().filter(|(low, high)| low <= high);
            known.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or(NONE)
        }
        // The comparison of linear terms.
        Op::Cmp(cmp) if !ops.iter().any(|op| matches!(op, Op::Div(_) | Op::Mod(_))) => {
            let at = |value: i128| {
                let with = |op: &Op| match op {
                    Op::Input(i) if *i == input => Some(Value::Int(value)),
                    other => leaf(other),
                };
                match (eval(parts[0], &with), eval(parts[1], &with)) {
                    (Some(Value::Int(a)), Some(Value::Int(b))) => Some(a - b),
                    _ => None,
                }
            };
            let (Some(zero), Some(one)) = (at(0), at(1)) else { return ALL };
            between(*cmp, zero, one - zero)
        }
        _ => ALL,
    }
}

/// Where `offset + slope * x` compares with 0 so.
fn between(cmp: Cmp, offset: i128, slope: i128) -> Interval {
    if slope < 0 {
        let turned = match cmp {
            Cmp::Lt => Cmp::Gt,
            Cmp::Le => Cmp::Ge,
            Cmp::Gt => Cmp::Lt,
            Cmp::Ge => Cmp::Le,
            same => same,
        };
        return between(turned, -offset, -slope);
    }
    if slope == 0 {
        return ALL;
    }
    let (floor, ceiling) = ((-offset).div_euclid(slope), -(offset.div_euclid(slope)));
    match cmp {
        Cmp::Eq => (ceiling, floor),
        Cmp::Ne => ALL,
        Cmp::Le | Cmp::Lt => (ALL.0, floor),
        Cmp::Ge | Cmp::Gt => (ceiling, ALL.1),
    }
}

impl Core<'_> {
    /// All errors that can be reached.
    pub fn reached(&self) -> Reached {
        let mut found = Reached { complete: true, ..Reached::default() };
        let mut known = HashSet::new();
        let mut todo = self.initial();
        todo.retain(|state| known.insert(state.clone()));
        while let Some(state) = todo.pop() {
            if known.len() > self.states {
                found.complete = false;
                break;
            }
            let next = self.steps(&state, &mut found).into_iter();
            todo.extend(next.filter(|state| known.insert(state.clone())));
        }
        found
    }

    fn choices(&self, variable: &Variable) -> Vec<Value> {
        match variable.sort {
            Sort::Int => self.values.iter().map(|v| Value::Int(*v)).collect(),
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::IntArray | Sort::BoolArray => vec![Value::Array(BTreeMap::new())],
        }
    }

    /// The values that a condition on the start allows: its equations decide, of other variables in
    /// it values are tried.
    fn starts(&self, variables: &[Variable], condition: &Expr, local: bool) -> Vec<Vec<Value>> {
        let number = |op: &Op| match op {
            Op::Global(i) if !local => Some(index(*i)),
            Op::Local(_, i) if local => Some(index(*i)),
            _ => None,
        };
        let mentioned = |v: usize| condition.0.iter().any(|op| number(op) == Some(v));
        let mut fixed: BTreeMap<usize, Value> = BTreeMap::new();
        let mut todo = vec![condition.0.as_slice()];
        while let Some(ops) = todo.pop() {
            match ops {
                [v, Op::Int(k), Op::Cmp(Cmp::Eq)] => {
                    fixed.extend(number(v).map(|v| (v, Value::Int(int(k)))));
                }
                [v, Op::Int(i), Op::Select, Op::Int(k), Op::Cmp(Cmp::Eq)] => {
                    if let (Some(v), true) = (number(v), int(k) != 0) {
                        let array = fixed.entry(v).or_insert_with(|| Value::Array(BTreeMap::new()));
                        let Value::Array(entries) = array else { panic!("no array") };
                        entries.insert(int(i), int(k));
                    }
                }
                [.., Op::And] => todo.extend(operands(ops).1),
                _ => {}
            }
        }
        let mut out = vec![Vec::new()];
        for (number, variable) in variables.iter().enumerate() {
            let values = match fixed.get(&number) {
                Some(value) => vec![value.clone()],
                None if variable.sort == Sort::Int && !mentioned(number) => vec![UNSET],
                None => self.choices(variable),
            };
            let longer = |c: &Vec<Value>| -> Vec<Vec<Value>> {
                values.iter().map(|v| c.iter().cloned().chain([v.clone()]).collect()).collect()
            };
            out = out.iter().flat_map(longer).collect();
        }
        out
    }

    fn initial(&self) -> Vec<State> {
        let program = self.program;
        let mut out = Vec::new();
        let conditions = [&program.init].into_iter().chain(
            program
                .templates
                .iter()
                .filter(|t| t.multiplicity == Multiplicity::One)
                .map(|t| &t.init),
        );
        let conditions: Vec<&Expr> = conditions.collect();
        let all = conditions.iter().skip(1).fold(conditions[0].clone(), |all, c| {
            Expr([all.0, c.0.clone(), vec![Op::And]].concat())
        });
        for globals in self.starts(&program.globals, &all, false) {
            let state = State { globals, threads: Vec::new() };
            if !state.holds(&all, None, &[]) {
                continue;
            }
            let mut states = vec![state];
            for (template, of) in program.templates.iter().enumerate() {
                let count = if of.multiplicity == Multiplicity::Many { self.threads } else { 1 };
                let locals = self.starts(&of.locals, &of.init, true);
                let thread = |l: &Vec<Value>| Thread { template, location: 0, locals: l.clone() };
                for _ in 0..count {
                    let mut longer = Vec::new();
                    for state in &states {
                        for locals in &locals {
                            let mut state = state.clone();
                            state.threads.push(thread(locals));
                            let last = state.threads.last();
                            if of.locals.is_empty() || state.holds(&of.init, last, &[]) {
                                longer.push(state);
                            }
                        }
                    }
                    states = longer;
                }
            }
            out.extend(states);
        }
        out.iter_mut().for_each(|state| state.threads.sort());
        out
    }

    /// Whether a thread is at an error location. It stays there.
    fn wrong(&self, state: &State) -> bool {
        let at = |t: &Thread| self.program.templates[t.template].locations[t.location].error;
        state.threads.iter().any(at)
    }

    /// The states after one step; those that lead to an error are noted.
    fn steps(&self, state: &State, found: &mut Reached) -> Vec<State> {
        let wrong = self.wrong(state);
        let mut out = Vec::new();
        for (number, thread) in state.threads.iter().enumerate() {
            let template = &self.program.templates[thread.template];
            for (e, edge) in template.edges.iter().enumerate() {
                if index(edge.source) != thread.location {
                    continue;
                }
                found.tried.insert((thread.template, e));
                for inputs in self.inputs(state, thread, edge, found) {
                    let errors = if wrong { &mut found.later } else { &mut found.first };
                    if template.locations[index(edge.target)].error {
                        errors.insert((thread.template, e));
                    }
                    out.push(state.after(number, edge, &inputs));
                }
            }
        }
        out
    }

    /// The inputs with which an edge can be taken.
    fn inputs(
        &self,
        state: &State,
        thread: &Thread,
        edge: &Edge,
        found: &mut Reached,
    ) -> Vec<Vec<Value>> {
        let count = edge.inputs.len();
        let mut done = Vec::new();
        let mut todo: Vec<Vec<Option<Value>>> = vec![vec![None; count]];
        while let Some(inputs) = todo.pop() {
            let leaf = |op: &Op| state.leaf(op, Some(thread), &inputs);
            match eval(&edge.guard.0, &leaf) {
                Some(Value::Bool(false)) => continue,
                Some(_) if inputs.iter().all(Option::is_some) => {
                    done.push(inputs.into_iter().flatten().collect());
                    continue;
                }
                _ => {}
            }
            let Some((next, values)) = self.next_input(edge, &inputs, &leaf) else {
                found.undetermined = Some(edge.inputs[0].name.clone());
                continue;
            };
            for value in values {
                let mut inputs = inputs.clone();
                inputs[next] = Some(value);
                todo.push(inputs);
            }
        }
        done
    }

    /// An input that is not yet known, and its values: free ones first, then what has the fewest.
    fn next_input(
        &self,
        edge: &Edge,
        inputs: &[Option<Value>],
        leaf: &dyn Fn(&Op) -> Option<Value>,
    ) -> Option<(usize, Vec<Value>)> {
        let unknown: Vec<usize> = (0..inputs.len()).filter(|i| inputs[*i].is_none()).collect();
        let free = |i: &&usize| {
            edge.inputs[**i].name.starts_with("any") || edge.inputs[**i].sort != Sort::Int
        };
        if let Some(i) = unknown.iter().find(free) {
            return Some((*i, self.choices(&edge.inputs[*i])));
        }
        let narrow = |i: &usize| u32::try_from(*i).expect("few inputs");
        let hulls = unknown.iter().map(|i| (*i, hull(&edge.guard.0, narrow(i), leaf)));
        let (i, (low, high)) = hulls.min_by_key(|(_, (low, high))| high - low)?;
        (high - low < MOST).then(|| (i, (low..=high).map(Value::Int).collect()))
    }
}

impl State {
    fn leaf(&self, op: &Op, thread: Option<&Thread>, inputs: &[Option<Value>]) -> Option<Value> {
        match op {
            Op::Global(i) => Some(self.globals[index(*i)].clone()),
            Op::Local(_, i) => Some(thread?.locals[index(*i)].clone()),
            Op::Input(i) => inputs[index(*i)].clone(),
            other => panic!("{other:?} is no leaf"),
        }
    }

    fn holds(&self, formula: &Expr, thread: Option<&Thread>, inputs: &[Option<Value>]) -> bool {
        eval(&formula.0, &|op| self.leaf(op, thread, inputs)) == Some(Value::Bool(true))
    }

    fn after(&self, number: usize, edge: &Edge, inputs: &[Value]) -> State {
        let inputs: Vec<Option<Value>> = inputs.iter().cloned().map(Some).collect();
        let mut next = self.clone();
        for (variable, e) in &edge.updates {
            let leaf = |op: &Op| self.leaf(op, Some(&self.threads[number]), &inputs);
            let value = eval(&e.0, &leaf).expect("all is known");
            match variable {
                Op::Global(i) => next.globals[index(*i)] = value,
                Op::Local(_, i) => next.threads[number].locals[index(*i)] = value,
                other => panic!("{other:?} is updated"),
            }
        }
        next.threads[number].location = index(edge.target);
        next.threads.sort();
        next
    }
}
