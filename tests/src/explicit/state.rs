//! States of a core program, and the steps from one to the next.

use std::collections::BTreeMap;
use threadproof_format::program::{Edge, Multiplicity, Program, Variable};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// A value; an array is its default and the other entries.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    Int(i64),
    Bool(bool),
    Array(Box<Value>, BTreeMap<i64, Value>),
}

/// A thread: template, location, locals.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thread {
    pub template: usize,
    pub location: usize,
    pub locals: Vec<Value>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub globals: Vec<Value>,
    pub threads: Vec<Thread>,
}

/// A step that was taken: thread, edge, inputs.
pub type Step = (usize, usize, Vec<Value>);

pub(super) fn int(value: &Int) -> i64 {
    i64::try_from(&value.0).expect("a small constant")
}

pub(super) fn index(i: u32) -> usize {
    usize::try_from(i).expect("an index")
}

/// The value of an expression; `leaf` gives those of variables, inputs and counters.
pub fn eval(e: &Expr, leaf: &dyn Fn(&Op) -> Value) -> Value {
    let mut stack: Vec<Value> = Vec::new();
    for op in &e.0 {
        let rest = stack.split_off(stack.len() - op.arity());
        stack.push(match (op, rest.as_slice()) {
            (Op::Int(k), _) => Value::Int(int(k)),
            (Op::Bool(b), _) => Value::Bool(*b),
            (Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..), _) => leaf(op),
            (Op::Add, [Value::Int(a), Value::Int(b)]) => Value::Int(a + b),
            (Op::Sub, [Value::Int(a), Value::Int(b)]) => Value::Int(a - b),
            (Op::Scale(k), [Value::Int(a)]) => Value::Int(int(k) * a),
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
            (Op::Select, [Value::Array(default, map), Value::Int(i)]) => {
                map.get(i).unwrap_or(default).clone()
            }
            (Op::Store, [Value::Array(default, map), Value::Int(i), value]) => {
                let mut map = map.clone();
                if **default == *value {
                    map.remove(i);
                } else {
                    map.insert(*i, value.clone());
                }
                Value::Array(default.clone(), map)
            }
            other => panic!("not well sorted: {other:?}"),
        });
    }
    stack.pop().expect("one value")
}

/// All values of a variable, of those that are tried.
pub(super) fn choices(variable: &Variable, values: &[i64]) -> Vec<Value> {
    let ints = || values.iter().map(|v| Value::Int(*v));
    let bools = || [false, true].into_iter().map(Value::Bool);
    let array = |v| Value::Array(Box::new(v), BTreeMap::new());
    match variable.sort {
        Sort::Int if variable.name.starts_with("quotient") => (-9..=9).map(Value::Int).collect(),
        Sort::Int => ints().collect(),
        Sort::Bool => bools().collect(),
        Sort::IntArray => ints().map(array).collect(),
        Sort::BoolArray => bools().map(array).collect(),
    }
}

/// All ways of choosing one value from each list.
pub(super) fn combinations(choices: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut out = vec![Vec::new()];
    for choices in choices {
        let longer = |c: &Vec<Value>| -> Vec<Vec<Value>> {
            choices.iter().map(|v| c.iter().cloned().chain([v.clone()]).collect()).collect()
        };
        out = out.iter().flat_map(longer).collect();
    }
    out
}

/// All combinations of the variables' values, of those that are tried.
pub(super) fn all(variables: &[Variable], values: &[i64]) -> Vec<Vec<Value>> {
    combinations(&variables.iter().map(|v| choices(v, values)).collect::<Vec<_>>())
}

/// Whether an initial condition holds of a thread, or of the globals alone.
pub(super) fn holds(formula: &Expr, globals: &[Value], locals: &[Value]) -> bool {
    let leaf = |op: &Op| match op {
        Op::Global(i) => globals[index(*i)].clone(),
        Op::Local(_, i) => locals[index(*i)].clone(),
        other => panic!("{other:?} in an initial condition"),
    };
    eval(formula, &leaf) == Value::Bool(true)
}

impl State {
    /// The states with one of these threads more, not before the last thread of its template.
    pub(super) fn with_one_of(&self, choices: &[Thread]) -> Vec<State> {
        let fits = |t: &&Thread| {
            self.threads.last().is_none_or(|last| last.template != t.template || *t >= last)
        };
        let with = |thread: &Thread| {
            let mut state = self.clone();
            state.threads.push(thread.clone());
            state
        };
        choices.iter().filter(fits).map(with).collect()
    }

    /// How many threads of a template are at a location.
    fn count(&self, template: u32, location: u32) -> Value {
        let here = |t: &&Thread| (t.template, t.location) == (index(template), index(location));
        Value::Int(i64::try_from(self.threads.iter().filter(here).count()).expect("few threads"))
    }

    /// The value of an expression about threads, by their numbers, and inputs.
    pub fn eval(&self, e: &Expr, threads: &[usize], inputs: &[Value]) -> Value {
        let leaf = |op: &Op| match op {
            Op::Global(i) => self.globals[index(*i)].clone(),
            Op::Local(p, i) => self.threads[threads[index(*p)]].locals[index(*i)].clone(),
            Op::Input(i) => inputs[index(*i)].clone(),
            Op::Count(t, l) => self.count(*t, *l),
            other => panic!("{other:?} is no leaf"),
        };
        eval(e, &leaf)
    }

    /// Whether the formulas that constrain initial states hold, and all threads are at the start.
    pub fn is_initial(&self, program: &Program) -> bool {
        let single = program.templates.iter().filter(|t| t.multiplicity == Multiplicity::One);
        holds(&program.init, &self.globals, &[])
            && single.into_iter().all(|t| holds(&t.init, &self.globals, &[]))
            && self.threads.iter().all(|t| {
                t.location == 0
                    && holds(&program.templates[t.template].init, &self.globals, &t.locals)
            })
    }

    /// The same for all orders of the threads.
    pub fn key(&self) -> State {
        let mut state = self.clone();
        state.threads.sort();
        state
    }

    /// The state after an edge that this thread takes, if it can.
    pub fn after(&self, thread: usize, edge: &Edge, inputs: &[Value]) -> Option<State> {
        let value = |e: &Expr| self.eval(e, &[thread], inputs);
        if value(&edge.guard) != Value::Bool(true) {
            return None;
        }
        let mut next = self.clone();
        for (variable, e) in &edge.updates {
            match variable {
                Op::Global(i) => next.globals[index(*i)] = value(e),
                Op::Local(_, i) => next.threads[thread].locals[index(*i)] = value(e),
                other => panic!("{other:?} is updated"),
            }
        }
        next.threads[thread].location = index(edge.target);
        Some(next)
    }

    /// All steps that can be taken here.
    pub fn steps(&self, program: &Program, values: &[i64]) -> Vec<(Step, State)> {
        let mut out = Vec::new();
        for (number, thread) in self.threads.iter().enumerate() {
            for (e, edge) in program.templates[thread.template].edges.iter().enumerate() {
                if index(edge.source) != thread.location {
                    continue;
                }
                for inputs in all(&edge.inputs, values) {
                    if let Some(next) = self.after(number, edge, &inputs) {
                        out.push(((number, e, inputs), next));
                    }
                }
            }
        }
        out
    }

    /// Whether a thread is at an error location.
    pub fn is_error(&self, program: &Program) -> bool {
        let wrong = |t: &Thread| program.templates[t.template].locations[t.location].error;
        self.threads.iter().any(wrong)
    }
}
