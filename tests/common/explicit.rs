//! Executes core programs on explicit states, breadth first, for a few threads and small values:
//! an independent reading of what a core program means. It shares no code with the checker's
//! replay, and the counterexamples that it finds are replayed there.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::collections::{BTreeMap, HashSet};
use threadproof_format::program::{Edge, Multiplicity, Program, Variable};
use threadproof_format::proof::counterexample as proof;
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

/// What is explored.
pub struct Bounds {
    /// Threads of each `many` template.
    pub threads: usize,
    /// Initial integers, and integers that are chosen.
    pub values: Vec<i64>,
    /// States after which the search stops.
    pub states: usize,
}

/// A step that was taken: thread, edge, inputs.
pub type Step = (usize, usize, Vec<Value>);

fn int(value: &Int) -> i64 {
    i64::try_from(&value.0).expect("a small constant")
}

fn index(i: u32) -> usize {
    usize::try_from(i).expect("an index")
}

/// The value of an expression.
pub fn eval(e: &Expr, globals: &[Value], locals: &[Value], inputs: &[Value]) -> Value {
    let mut stack: Vec<Value> = Vec::new();
    for op in &e.0 {
        let rest = stack.split_off(stack.len() - op.arity());
        stack.push(match (op, rest.as_slice()) {
            (Op::Int(k), _) => Value::Int(int(k)),
            (Op::Bool(b), _) => Value::Bool(*b),
            (Op::Global(i), _) => globals[index(*i)].clone(),
            (Op::Local(_, i), _) => locals[index(*i)].clone(),
            (Op::Input(i), _) => inputs[index(*i)].clone(),
            (Op::Add, [Value::Int(a), Value::Int(b)]) => Value::Int(a + b),
            (Op::Sub, [Value::Int(a), Value::Int(b)]) => Value::Int(a - b),
            (Op::Scale(k), [Value::Int(a)]) => Value::Int(int(k) * a),
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
fn choices(variable: &Variable, values: &[i64]) -> Vec<Value> {
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
fn combinations(choices: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut out = vec![Vec::new()];
    for choices in choices {
        let longer = |c: &Vec<Value>| -> Vec<Vec<Value>> {
            choices.iter().map(|v| c.iter().cloned().chain([v.clone()]).collect()).collect()
        };
        out = out.iter().flat_map(longer).collect();
    }
    out
}

/// All combinations of the variables' values at the start: the values that are tried and, for a
/// variable that the initial condition sets equal to a constant, this constant.
fn starts(variables: &[Variable], init: &Expr, values: &[i64]) -> Vec<Vec<Value>> {
    let constant = |number: usize, ops: &[Op]| match ops {
        [Op::Global(i) | Op::Local(_, i), Op::Int(k), Op::Cmp(Cmp::Eq)] => {
            (index(*i) == number).then(|| int(k))
        }
        _ => None,
    };
    let of = |(number, variable): (usize, &Variable)| {
        let set = init.0.windows(3).find_map(|ops| constant(number, ops));
        let missing = set.filter(|k| !values.contains(k));
        choices(variable, &[values, missing.as_slice()].concat())
    };
    combinations(&variables.iter().enumerate().map(of).collect::<Vec<_>>())
}

/// The initial states with the bounded number of threads, one for all orders of the threads of a
/// template; some of them, if there are more than the bound on states.
pub fn initial(program: &Program, bounds: &Bounds) -> Vec<State> {
    let mut out = Vec::new();
    for globals in starts(&program.globals, &program.init, &bounds.values) {
        if !holds(&program.init, &globals, &[]) || out.len() > bounds.states {
            continue;
        }
        let mut states = vec![State { globals: globals.clone(), threads: Vec::new() }];
        for (number, template) in program.templates.iter().enumerate() {
            let many = template.multiplicity == Multiplicity::Many;
            let mut starts = starts(&template.locals, &template.init, &bounds.values);
            starts.retain(|locals| holds(&template.init, &globals, locals));
            starts.sort();
            for _ in 0..if many { bounds.threads } else { 1 } {
                let longer = states.iter().flat_map(|s| s.with_one_of(number, &starts));
                states = longer.take(bounds.states + 1).collect();
            }
        }
        out.extend(states);
    }
    out
}

/// Whether a formula holds of a thread, or of the globals alone.
fn holds(formula: &Expr, globals: &[Value], locals: &[Value]) -> bool {
    eval(formula, globals, locals, &[]) == Value::Bool(true)
}

impl State {
    /// The states with one thread more, at the initial location, whose locals are among `starts`
    /// and not before those of the last thread of its template.
    fn with_one_of(&self, template: usize, starts: &[Vec<Value>]) -> Vec<State> {
        let last = self.threads.last().filter(|t| t.template == template);
        let starts = starts.iter().filter(|s| last.is_none_or(|t| **s >= t.locals));
        let with = |locals: &Vec<Value>| {
            let mut state = self.clone();
            state.threads.push(Thread { template, location: 0, locals: locals.clone() });
            state
        };
        starts.map(with).collect()
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
    fn key(&self) -> State {
        let mut state = self.clone();
        state.threads.sort();
        state
    }

    /// The state after an edge that this thread takes, if it can.
    pub fn after(&self, thread: usize, edge: &Edge, inputs: &[Value]) -> Option<State> {
        let locals = &self.threads[thread].locals;
        let value = |e: &Expr| eval(e, &self.globals, locals, inputs);
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
                let choices = edge.inputs.iter().map(|input| choices(input, values));
                for inputs in combinations(&choices.collect::<Vec<_>>()) {
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

/// What an exploration found.
pub enum Explored {
    /// A shortest execution to an error.
    Error(State, Vec<Step>),
    /// All states within the bounds, and no error.
    All,
    /// No error in as many states as the bound says; there are more.
    Some,
}

/// A shortest execution to an error, if there is one within the bounds.
pub fn search(program: &Program, bounds: &Bounds) -> Option<(State, Vec<Step>)> {
    match explore(program, bounds) {
        Explored::Error(start, steps) => Some((start, steps)),
        Explored::All | Explored::Some => None,
    }
}

/// Explores all executions within the bounds, breadth first.
pub fn explore(program: &Program, bounds: &Bounds) -> Explored {
    let mut all: Vec<(State, Option<(usize, Step)>)> = Vec::new();
    let mut seen = HashSet::new();
    for state in initial(program, bounds) {
        if seen.insert(state.key()) {
            all.push((state, None));
        }
    }
    let mut at = 0;
    while at < all.len() {
        if all.len() > bounds.states {
            return Explored::Some;
        }
        for (step, next) in all[at].0.steps(program, &bounds.values) {
            if !seen.insert(next.key()) {
                continue;
            }
            let error = next.is_error(program);
            all.push((next, Some((at, step))));
            if error {
                let (start, steps) = path(&all);
                return Explored::Error(start, steps);
            }
        }
        at += 1;
    }
    Explored::All
}

/// The execution that leads to the last state.
fn path(all: &[(State, Option<(usize, Step)>)]) -> (State, Vec<Step>) {
    let mut at = all.len() - 1;
    let mut steps = Vec::new();
    while let Some((before, step)) = &all[at].1 {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    (all[at].0.clone(), steps)
}

/// The execution as a certificate holds it.
pub fn counterexample(start: &State, steps: &[Step]) -> proof::Counterexample {
    let narrow = |i: usize| u32::try_from(i).expect("a small number");
    let thread = |t: &Thread| proof::Thread {
        locals: t.locals.iter().map(given).collect(),
        template: narrow(t.template),
    };
    // A certificate holds the threads that act, and no other.
    let acting: Vec<usize> =
        (0..start.threads.len()).filter(|i| steps.iter().any(|s| s.0 == *i)).collect();
    let number = |i: usize| acting.iter().position(|a| *a == i).expect("it acts");
    proof::Counterexample {
        start: proof::State {
            globals: start.globals.iter().map(given).collect(),
            threads: acting.iter().map(|i| thread(&start.threads[*i])).collect(),
        },
        schedule: steps
            .iter()
            .map(|(t, edge, inputs)| proof::Move {
                edge: narrow(*edge),
                inputs: inputs.iter().map(given).collect(),
                thread: narrow(number(*t)),
            })
            .collect(),
    }
}

fn given(value: &Value) -> proof::Value {
    let int = |v: &Value| match v {
        Value::Int(i) => Int::from(*i),
        _ => panic!("an integer is needed"),
    };
    let bool = |v: &Value| *v == Value::Bool(true);
    match value {
        Value::Int(i) => proof::Value::Int(Int::from(*i)),
        Value::Bool(b) => proof::Value::Bool(*b),
        Value::Array(default, map) => match **default {
            Value::Bool(_) => {
                let entries = map.iter().map(|(i, v)| (Int::from(*i), bool(v)));
                proof::Value::BoolArray(bool(default), entries.collect())
            }
            _ => {
                let entries = map.iter().map(|(i, v)| (Int::from(*i), int(v)));
                proof::Value::IntArray(int(default), entries.collect())
            }
        },
    }
}

/// The counterexample's start and steps, if its integers are small.
pub fn read(run: &proof::Counterexample) -> Option<(State, Vec<Step>)> {
    let all = |values: &[proof::Value]| values.iter().map(read_value).collect::<Option<Vec<_>>>();
    let threads = run.start.threads.iter().map(|t| {
        Some(Thread { template: index(t.template), location: 0, locals: all(&t.locals)? })
    });
    let start =
        State { globals: all(&run.start.globals)?, threads: threads.collect::<Option<_>>()? };
    let steps = run.schedule.iter();
    let steps = steps.map(|m| Some((index(m.thread), index(m.edge), all(&m.inputs)?)));
    Some((start, steps.collect::<Option<_>>()?))
}

fn read_value(value: &proof::Value) -> Option<Value> {
    let int = |i: &Int| i32::try_from(&i.0).ok().map(i64::from);
    let entry = |(i, v): &(Int, Int)| Some((int(i)?, Value::Int(int(v)?)));
    let truth = |(i, v): &(Int, bool)| Some((int(i)?, Value::Bool(*v)));
    Some(match value {
        proof::Value::Int(i) => Value::Int(int(i)?),
        proof::Value::Bool(b) => Value::Bool(*b),
        proof::Value::IntArray(default, entries) => {
            let entries = entries.iter().map(entry).collect::<Option<_>>()?;
            Value::Array(Box::new(Value::Int(int(default)?)), entries)
        }
        proof::Value::BoolArray(default, entries) => {
            let entries = entries.iter().map(truth).collect::<Option<_>>()?;
            Value::Array(Box::new(Value::Bool(*default)), entries)
        }
    })
}
