//! Executes core programs on explicit states, breadth first, for a few threads and small values:
//! an independent reading of what a core program means. It shares no code with the checker's
//! replay, and the counterexamples that it finds are replayed there.

use std::collections::{BTreeMap, HashSet};
use threadproof_format::program::{Edge, Multiplicity, Program, Template, Variable};
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

/// All combinations of the variables' values, of those that are tried.
fn all(variables: &[Variable], values: &[i64]) -> Vec<Vec<Value>> {
    combinations(&variables.iter().map(|v| choices(v, values)).collect::<Vec<_>>())
}

/// The formulas that a conjunction joins.
fn conjuncts(formula: &Expr) -> Vec<&[Op]> {
    let (mut out, mut todo) = (Vec::new(), vec![formula.0.as_slice()]);
    while let Some(ops) = todo.pop() {
        let Some((Op::And, operands)) = ops.split_last() else {
            out.push(ops);
            continue;
        };
        // The second operand begins where no value is missing for it.
        let (mut start, mut missing) = (operands.len(), 1);
        while missing > 0 {
            start -= 1;
            missing = missing - 1 + operands[start].arity();
        }
        todo.extend([&operands[..start], &operands[start..]]);
    }
    out
}

/// All combinations of the variables' values at the start: the values that are tried or, for a
/// variable that the initial condition sets equal to a constant, this constant.
fn starts(variables: &[Variable], init: &Expr, values: &[i64]) -> Vec<Vec<Value>> {
    let conjuncts = conjuncts(init);
    let is = |op: &Op, number: usize| match op {
        Op::Global(i) | Op::Local(_, i) => index(*i) == number,
        _ => false,
    };
    let constant = |number: usize, ops: &[Op]| match ops {
        [v, Op::Int(k), Op::Cmp(Cmp::Eq)] if is(v, number) => Some(Value::Int(int(k))),
        [v] if is(v, number) => Some(Value::Bool(true)),
        [v, Op::Not] if is(v, number) => Some(Value::Bool(false)),
        _ => None,
    };
    let of = |(number, variable): (usize, &Variable)| {
        let set = conjuncts.iter().find_map(|ops| constant(number, ops));
        set.map_or_else(|| choices(variable, values), |value| vec![value])
    };
    combinations(&variables.iter().enumerate().map(of).collect::<Vec<_>>())
}

/// The initial states with the bounded number of threads, one for all orders of the threads of a
/// template; some of them, if there are more than the bound on states.
pub fn initial(program: &Program, bounds: &Bounds) -> Vec<State> {
    let mut out = Vec::new();
    let single = program.templates.iter().filter(|t| t.multiplicity == Multiplicity::One);
    let with = |all: Expr, t: &Template| Expr([all.0, t.init.0.clone(), vec![Op::And]].concat());
    let init = single.fold(program.init.clone(), with);
    for globals in starts(&program.globals, &init, &bounds.values) {
        if !holds(&program.init, &globals, &[]) || out.len() > bounds.states {
            continue;
        }
        let most = bounds.states + 1;
        out.extend(populated(program, bounds.threads, most, &globals, &|number| {
            let template = &program.templates[number];
            let mut starts = starts(&template.locals, &template.init, &bounds.values);
            starts.retain(|locals| holds(&template.init, &globals, locals));
            starts
                .into_iter()
                .map(|l| Thread { template: number, location: 0, locals: l })
                .collect()
        }));
    }
    out
}

/// All states, reachable or not, with the bounded number of threads, none at an error location,
/// and all variables among the bounded values; one for all orders of the threads of a template.
pub fn clean(program: &Program, bounds: &Bounds) -> Vec<State> {
    let everywhere = |number: usize| {
        let template = &program.templates[number];
        let places = (0..template.locations.len()).filter(|l| !template.locations[*l].error);
        let locals = all(&template.locals, &bounds.values);
        let at = |location| {
            locals.iter().map(move |l| Thread { template: number, location, locals: l.clone() })
        };
        places.flat_map(at).collect()
    };
    let globals = all(&program.globals, &bounds.values);
    let states = |g: &Vec<Value>| populated(program, bounds.threads, usize::MAX, g, &everywhere);
    globals.iter().flat_map(states).collect()
}

/// The states with these globals and so many threads of each `many` template, each among `choices`
/// of its template's number; no more than `most` of them.
fn populated(
    program: &Program,
    threads: usize,
    most: usize,
    globals: &[Value],
    choices: &dyn Fn(usize) -> Vec<Thread>,
) -> Vec<State> {
    let mut states = vec![State { globals: globals.to_vec(), threads: Vec::new() }];
    for (number, template) in program.templates.iter().enumerate() {
        let many = template.multiplicity == Multiplicity::Many;
        let mut choices = choices(number);
        choices.sort();
        for _ in 0..if many { threads } else { 1 } {
            let longer = states.iter().flat_map(|s| s.with_one_of(&choices));
            states = longer.take(most).collect();
        }
    }
    states
}

/// Whether an initial condition holds of a thread, or of the globals alone.
fn holds(formula: &Expr, globals: &[Value], locals: &[Value]) -> bool {
    let leaf = |op: &Op| match op {
        Op::Global(i) => globals[index(*i)].clone(),
        Op::Local(_, i) => locals[index(*i)].clone(),
        other => panic!("{other:?} in an initial condition"),
    };
    eval(formula, &leaf) == Value::Bool(true)
}

impl State {
    /// The states with one of these threads more, not before the last thread of its template.
    fn with_one_of(&self, choices: &[Thread]) -> Vec<State> {
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
    explore_to(program, bounds, &mut Vec::new())
}

/// The reachable states within the bounds, of a program that is safe within them.
///
/// # Panics
/// If it is not, or there are more states than the bound says.
pub fn reachable(program: &Program, bounds: &Bounds) -> Vec<State> {
    let mut all = Vec::new();
    assert!(matches!(explore_to(program, bounds, &mut all), Explored::All));
    all.into_iter().map(|(state, _)| state).collect()
}

/// A state that was visited, and how: from which one and by which step, unless it is initial.
type Visited = (State, Option<(usize, Step)>);

fn explore_to(program: &Program, bounds: &Bounds, all: &mut Vec<Visited>) -> Explored {
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
                let (start, steps) = path(all);
                return Explored::Error(start, steps);
            }
        }
        at += 1;
    }
    Explored::All
}

/// The execution that leads to the last state.
fn path(all: &[Visited]) -> (State, Vec<Step>) {
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

/// The counterexample's start and steps, if its integers are small. Single threads that do not
/// move are not listed there, and come last here.
pub fn read(program: &Program, run: &proof::Counterexample) -> Option<(State, Vec<Step>)> {
    let all = |values: &[proof::Value]| values.iter().map(read_value).collect::<Option<Vec<_>>>();
    let threads = run.start.threads.iter().map(|t| {
        Some(Thread { template: index(t.template), location: 0, locals: all(&t.locals)? })
    });
    let mut threads = threads.collect::<Option<Vec<Thread>>>()?;
    for (template, own) in program.templates.iter().enumerate() {
        if own.multiplicity == Multiplicity::One && threads.iter().all(|t| t.template != template) {
            threads.push(Thread { template, location: 0, locals: Vec::new() });
        }
    }
    let start = State { globals: all(&run.start.globals)?, threads };
    let steps = run.schedule.iter();
    let steps = steps.map(|m| Some((index(m.thread), index(m.edge), all(&m.inputs)?)));
    Some((start, steps.collect::<Option<_>>()?))
}

/// Executes a counterexample; what it is, if its integers are small.
///
/// # Errors
/// Why it is no execution to an error.
pub fn execute(
    program: &Program,
    run: &proof::Counterexample,
) -> Result<Option<(State, Vec<Step>)>, String> {
    let Some((start, steps)) = read(program, run) else { return Ok(None) };
    if !start.is_initial(program) {
        return Err("the start is no initial state".to_owned());
    }
    let mut state = start.clone();
    for (number, (thread, edge, inputs)) in steps.iter().enumerate() {
        let acting = &state.threads[*thread];
        let edge = &program.templates[acting.template].edges[*edge];
        let next = state.after(*thread, edge, inputs);
        let next = next.filter(|_| acting.location == index(edge.source));
        state = next.ok_or(format!("step {number} cannot be taken"))?;
    }
    if !state.is_error(program) {
        return Err("no thread ends at an error location".to_owned());
    }
    Ok(Some((start, steps)))
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
