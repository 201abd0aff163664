//! Executions: evaluation of commands on values (SPEC.md sections 4.2 and 9).

use crate::error::{At, Budget, Failure, Reason, get};
use crate::scope::template;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use threadproof_format::limits::MAX_BITS;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Value};
use threadproof_format::{Cmp, Expr, Op, Sort};

/// A value during evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// Of sort Int.
    Int(BigInt),
    /// Of sort Bool.
    Bool(bool),
    /// Of an array sort: the default and the exceptions from it.
    Array(Box<Data>, Rc<BTreeMap<BigInt, Data>>),
}

/// Checks a value's sort and form (array entries ascending, none the default) and takes it in.
fn data(value: &Value, sort: Sort) -> Result<Data, Reason> {
    fn array<T: Clone>(
        default: &T,
        entries: &[(threadproof_format::Int, T)],
        wrap: impl Fn(T) -> Data,
    ) -> Result<Data, Reason> {
        let default = wrap(default.clone());
        let mut map = BTreeMap::new();
        for (index, value) in entries {
            let value = wrap(value.clone());
            let ascending = map.last_key_value().is_none_or(|(last, _)| *last < index.0);
            if !ascending || value == default {
                return Err(Reason::Order("entries of an array"));
            }
            map.insert(index.0.clone(), value);
        }
        Ok(Data::Array(Box::new(default), Rc::new(map)))
    }
    match (value, sort) {
        (Value::Int(i), Sort::Int) => Ok(Data::Int(i.0.clone())),
        (Value::Bool(b), Sort::Bool) => Ok(Data::Bool(*b)),
        (Value::IntArray(d, e), Sort::IntArray) => array(d, e, |i| Data::Int(i.0)),
        (Value::BoolArray(d, e), Sort::BoolArray) => array(d, e, Data::Bool),
        _ => Err(Reason::Sort("a value of another sort")),
    }
}

fn all_data(values: &[Value], variables: &[Variable]) -> Result<Vec<Data>, Reason> {
    if values.len() != variables.len() {
        return Err(Reason::Replay("number of values"));
    }
    values.iter().zip(variables).map(|(value, variable)| data(value, variable.sort)).collect()
}

/// The values that an expression can mention.
struct Values<'a> {
    globals: &'a [Data],
    /// Locals of the thread at position 0.
    locals: &'a [Data],
    inputs: &'a [Data],
    /// How many threads are at a location, where it is not 0.
    counts: &'a BTreeMap<(u32, u32), usize>,
}

impl Values<'_> {
    /// Evaluates an expression (section 4.2).
    fn evaluate(&self, expr: &Expr, budget: &mut Budget) -> Result<Data, Reason> {
        let mut stack: Vec<Data> = Vec::new();
        for op in &expr.0 {
            let from =
                stack.len().checked_sub(op.arity()).ok_or(Reason::Sort("missing operand"))?;
            let operands = stack.split_off(from);
            let copied = if *op == Op::Store { operands.first().map_or(0, entries) } else { 0 };
            budget.spend(2 + operands.iter().map(words).sum::<usize>() + copied)?;
            let value = self.apply(op, operands)?;
            budget.spend(words(&value))?;
            stack.push(value);
        }
        match (stack.pop(), stack.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(Reason::Sort("not one expression")),
        }
    }

    fn apply(&self, op: &Op, operands: Vec<Data>) -> Result<Data, Reason> {
        let mut operands = operands.into_iter();
        Ok(match (op, operands.next(), operands.next(), operands.next()) {
            (Op::Int(i), ..) => Data::Int(i.0.clone()),
            (Op::Bool(b), ..) => Data::Bool(*b),
            (Op::Global(i), ..) => get(self.globals, *i, "global")?.clone(),
            (Op::Local(0, i), ..) => get(self.locals, *i, "local")?.clone(),
            (Op::Input(i), ..) => get(self.inputs, *i, "input")?.clone(),
            (Op::Count(of, location), ..) => {
                let count = self.counts.get(&(*of, *location)).copied().unwrap_or(0);
                Data::Int(count.into())
            }
            (Op::Add, Some(Data::Int(a)), Some(Data::Int(b)), _) => Data::Int(bounded(a + b)?),
            (Op::Sub, Some(Data::Int(a)), Some(Data::Int(b)), _) => Data::Int(bounded(a - b)?),
            (Op::Scale(k), Some(Data::Int(a)), ..) => Data::Int(bounded(&k.0 * a)?),
            (Op::Select, Some(Data::Array(default, map)), Some(Data::Int(i)), _) => {
                map.get(&i).unwrap_or(&default).clone()
            }
            (Op::Store, Some(Data::Array(d, mut map)), Some(Data::Int(i)), Some(value)) => {
                let entries = Rc::make_mut(&mut map);
                if value == *d {
                    entries.remove(&i)
                } else {
                    entries.insert(i, value)
                };
                Data::Array(d, map)
            }
            (Op::Cmp(cmp), Some(Data::Int(a)), Some(Data::Int(b)), _) => {
                Data::Bool(cmp.holds(&a, &b))
            }
            (Op::Cmp(cmp @ (Cmp::Eq | Cmp::Ne)), Some(Data::Bool(a)), Some(Data::Bool(b)), _) => {
                Data::Bool(cmp.holds(&a, &b))
            }
            (Op::Not, Some(Data::Bool(a)), ..) => Data::Bool(!a),
            (Op::And, Some(Data::Bool(a)), Some(Data::Bool(b)), _) => Data::Bool(a && b),
            (Op::Or, Some(Data::Bool(a)), Some(Data::Bool(b)), _) => Data::Bool(a || b),
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        })
    }

    fn holds(&self, formula: &Expr, budget: &mut Budget) -> Result<bool, Reason> {
        Ok(self.evaluate(formula, budget)? == Data::Bool(true))
    }
}

/// The cost of a long integer, in some words.
fn words(data: &Data) -> usize {
    match data {
        Data::Int(i) => words_of(i),
        Data::Bool(_) | Data::Array(..) => 0,
    }
}

fn words_of(value: &BigInt) -> usize {
    usize::try_from(value.bits() / 512).unwrap_or(usize::MAX)
}

/// The cost of copying an array's entries, which are shared until one is written.
fn entries(data: &Data) -> usize {
    match data {
        Data::Array(_, map) if Rc::strong_count(map) > 1 => {
            let size = |(index, value): (&BigInt, &Data)| 3 + words_of(index) + words(value);
            map.iter().map(size).sum()
        }
        _ => 0,
    }
}

fn bounded(value: BigInt) -> Result<BigInt, Reason> {
    if value.bits() > MAX_BITS { Err(Reason::Limit("bits of an integer")) } else { Ok(value) }
}

/// A state of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// Values of the globals.
    pub globals: Vec<Data>,
    /// The threads.
    pub threads: Vec<Acting>,
}

/// A thread of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acting {
    /// Its template.
    pub template: u32,
    /// Where it is.
    pub location: u32,
    /// Values of its locals.
    pub locals: Vec<Data>,
    /// Whether it has made a step.
    pub acted: bool,
}

/// Checks that a state is an initial one (section 4.2) and takes it in.
///
/// # Errors
/// `Replay`, `Order`, `Sort`, `Index` or `Limit`.
pub fn start(program: &Program, state: &State, budget: &mut Budget) -> Result<Execution, Reason> {
    let globals = all_data(&state.globals, &program.globals)?;
    let mut threads: Vec<Acting> = Vec::new();
    for thread in &state.threads {
        let of = template(program, thread.template)?;
        let last = threads.last().map(|t| t.template);
        if last > Some(thread.template) || (last == Some(thread.template) && !of.is_many()) {
            return Err(Reason::Order("threads"));
        }
        let locals = all_data(&thread.locals, &of.locals)?;
        let values =
            Values { globals: &globals, locals: &locals, inputs: &[], counts: &BTreeMap::new() };
        if of.is_many() && !values.holds(&of.init, budget)? {
            return Err(Reason::Replay("a thread's initial condition"));
        }
        let template = thread.template;
        threads.push(Acting { template, location: 0, locals, acted: false });
    }
    let values = Values { globals: &globals, locals: &[], inputs: &[], counts: &BTreeMap::new() };
    let singles = program.templates.iter().filter(|t| !t.is_many());
    for init in singles.map(|t| &t.init).chain([&program.init]) {
        if !values.holds(init, budget)? {
            return Err(Reason::Replay("the initial condition"));
        }
    }
    Ok(Execution { globals, threads })
}

/// Checks that a state witnesses the initial condition: an initial state with one thread of each
/// template with many threads (section 8.7).
///
/// # Errors
/// `Replay`, `Order`, `Sort`, ...
pub fn witness(program: &Program, state: &State, budget: &mut Budget) -> Result<(), Reason> {
    let running = start(program, state, budget)?;
    let have = running.threads.iter().map(|t| t.template);
    let many = (0..).zip(&program.templates).filter(|(_, t)| t.is_many()).map(|(i, _)| i);
    if have.eq(many) { Ok(()) } else { Err(Reason::Replay("one thread of each `many` template")) }
}

impl Execution {
    /// How many threads are at each location where one is. A single template's thread that is not
    /// listed never moves: it is at its initial location.
    fn counts(
        &self,
        program: &Program,
        budget: &mut Budget,
    ) -> Result<BTreeMap<(u32, u32), usize>, Reason> {
        budget.spend(self.threads.len() + program.templates.len())?;
        let listed: BTreeSet<u32> = self.threads.iter().map(|thread| thread.template).collect();
        let templates = (0..).zip(&program.templates);
        let idle = templates.filter(|(of, t)| !t.is_many() && !listed.contains(of));
        let mut counts: BTreeMap<_, _> = idle.map(|(of, _)| ((of, 0), 1)).collect();
        for thread in &self.threads {
            *counts.entry((thread.template, thread.location)).or_default() += 1;
        }
        Ok(counts)
    }

    /// Makes one step (section 4.2); true if it ends at an error location.
    ///
    /// # Errors
    /// `Replay`, `Order`, `Sort`, `Index` or `Limit`.
    pub fn step(
        &mut self,
        program: &Program,
        step: &Move,
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let actor = get(&self.threads, step.thread, "thread")?;
        let of = template(program, actor.template)?;
        let edge = get(&of.edges, step.edge, "edge")?;
        let counted = edge.updates.iter().map(|(_, value)| value).chain([&edge.guard]);
        let counted = counted.flat_map(|e| &e.0).any(|op| matches!(op, Op::Count(..)));
        let counts = if counted { self.counts(program, budget)? } else { BTreeMap::new() };
        let thread = usize::try_from(step.thread).ok();
        let actor = thread.and_then(|t| self.threads.get_mut(t)).ok_or(Reason::Index("thread"))?;
        if actor.location != edge.source {
            return Err(Reason::Replay("the thread is at another location"));
        }
        let inputs = all_data(&step.inputs, &edge.inputs)?;
        let (globals, locals) = (&self.globals, &actor.locals);
        let values = Values { globals, locals, inputs: &inputs, counts: &counts };
        if !values.holds(&edge.guard, budget)? {
            return Err(Reason::Replay("the guard does not hold"));
        }
        let news: Result<Vec<Data>, Reason> =
            edge.updates.iter().map(|(_, value)| values.evaluate(value, budget)).collect();
        for ((variable, _), value) in edge.updates.iter().zip(news?) {
            let (list, index) = match variable {
                Op::Local(_, i) => (&mut actor.locals, *i),
                Op::Global(i) => (&mut self.globals, *i),
                _ => return Err(Reason::Index("variable")),
            };
            let place = usize::try_from(index).ok().and_then(|i| list.get_mut(i));
            *place.ok_or(Reason::Index("variable"))? = value;
        }
        actor.location = edge.target;
        actor.acted = true;
        Ok(get(&of.locations, edge.target, "location")?.error)
    }
}

/// Replays a counterexample (section 9).
///
/// # Errors
/// Why it is no execution that ends at an error location, and at which step.
pub fn check(program: &Program, run: &Counterexample, budget: &mut Budget) -> Result<(), Failure> {
    let mut state = start(program, &run.start, budget).at(|| "start".to_owned())?;
    let mut wrong = false;
    for (i, step) in run.schedule.iter().enumerate() {
        if wrong {
            return Err(Reason::Replay("it goes on after the error")).at(|| format!("step {i}"));
        }
        wrong = state.step(program, step, budget).at(|| format!("step {i}"))?;
    }
    if !wrong {
        return Err(Reason::Replay("no thread ends at an error location").into());
    }
    if state.threads.iter().any(|thread| !thread.acted) {
        return Err(Reason::Unused("thread").into());
    }
    Ok(())
}
