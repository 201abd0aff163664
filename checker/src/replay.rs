//! Executions: evaluation of commands on values (SPEC.md sections 4.2 and 9).

use crate::budget::{Held, ascends, bounded, get};
use crate::claim::Told;
use crate::error::{At, Budget, Failure, Reason};
use crate::scope::template;
use crate::sorts::fold;
use std::rc::Rc;
use threadproof_format::program::{Edge, Program, Variable};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Value};
use threadproof_format::work::{
    Group as _, List as _, Map, Metered as _, Seq, Set, Size, Spent, Table as _, Text as _, gather,
};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// A value during evaluation.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Data {
    /// Of sort Int.
    Int(Int),
    /// Of sort Bool.
    Bool(bool),
    /// Of an array sort: the default and the exceptions from it, which are shared until one is
    /// written.
    Array(Box<Data>, Rc<Entries>),
}

/// The exceptions of an array, and the sum of their sizes.
#[derive(Debug, Default)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Entries {
    /// The value at each of them.
    pub map: Map<Int, Data>,
    size: usize,
}

impl Size for Entries {
    fn size(&self) -> usize {
        1 + self.size
    }
}

impl Entries {
    /// Sets a value, or takes it off.
    fn set(&mut self, index: Int, value: Option<Data>, budget: &Budget) -> Result<(), Spent> {
        let size = index.size();
        let old = match value {
            Some(value) => {
                self.size += size + value.size();
                self.map.put(index, value, budget)?
            }
            None => self.map.take(&index, budget)?,
        };
        self.size -= old.map_or(0, |old| size + old.size());
        Ok(())
    }
}

impl Size for Data {
    fn size(&self) -> usize {
        match self {
            Data::Int(i) => i.size(),
            Data::Bool(_) => 1,
            Data::Array(default, _) => match **default {
                Data::Int(ref i) => 1 + i.size(),
                _ => 2,
            },
        }
    }
}

impl Data {
    /// How much a state holds with this value, shared or not (section 11.4).
    fn held(&self) -> usize {
        match self {
            Data::Array(_, entries) => self.size() + entries.size(),
            _ => self.size(),
        }
    }
}

/// Checks a value's sort and form (array entries ascending, none the default) and takes it in.
fn data(value: &Value, sort: Sort, budget: &Budget) -> Result<Data, Reason> {
    fn array<T>(
        default: &T,
        entries: &Seq<(Int, T)>,
        budget: &Budget,
        wrap: impl Fn(&T) -> Result<Data, Spent>,
    ) -> Result<Data, Reason> {
        let default = wrap(default)?;
        let mut map = Entries::default();
        let ascending = ascends(entries, budget, |a, b| Ok(a.0.below(&b.0, budget)?))?;
        for (index, value) in entries.walk(budget)? {
            let value = wrap(value)?;
            if !ascending || value.same(&default, budget)? {
                return Err(Reason::Order("entries of an array"));
            }
            map.set(index.copy(budget)?, Some(value), budget)?;
        }
        Ok(Data::Array(Box::new(default), Rc::new(map)))
    }
    let int = |i: &Int| Ok(Data::Int(i.copy(budget)?));
    match (value, sort) {
        (Value::Int(i), Sort::Int) => Ok(int(i)?),
        (Value::Bool(b), Sort::Bool) => Ok(Data::Bool(*b)),
        (Value::IntArray(d, e), Sort::IntArray) => array(d, e, budget, int),
        (Value::BoolArray(d, e), Sort::BoolArray) => array(d, e, budget, |b| Ok(Data::Bool(*b))),
        _ => Err(Reason::Sort("a value of another sort")),
    }
}

fn all_data(
    values: &Seq<Value>,
    variables: &Seq<Variable>,
    budget: &Budget,
) -> Result<Seq<Data>, Reason> {
    if values.len() != variables.len() {
        return Err(Reason::Replay("number of values"));
    }
    let pairs = values.walk(budget)?.zip(variables.walk(budget)?);
    gather(pairs.map(|(value, variable)| data(value, variable.sort, budget)), budget)
}

/// The values that an expression can mention.
struct Values<'a> {
    globals: &'a Seq<Data>,
    /// Locals of the thread at position 0.
    locals: &'a Seq<Data>,
    inputs: &'a Seq<Data>,
    /// How many threads are at a location, where it is not 0.
    counts: &'a Map<(u32, u32), u32>,
    /// What is held until the step is made.
    held: Held,
}

impl Values<'_> {
    /// Evaluates an expression (section 4.2).
    fn evaluate(&self, expr: &Expr, budget: &Budget) -> Result<Data, Reason> {
        fold(expr, budget, |op, operands| {
            let value = self.apply(op, operands, budget)?;
            // What is short is as long as what asks for it.
            self.held.hold(value.size() - 1)?;
            Ok(value)
        })
    }

    fn apply(&self, op: &Op, operands: [Option<Data>; 3], budget: &Budget) -> Result<Data, Reason> {
        use Data::{Array, Bool, Int};
        Ok(match (op, operands) {
            (Op::Int(i), _) => Int(i.copy(budget)?),
            (Op::Bool(b), _) => Bool(*b),
            (Op::Global(i), _) => get(self.globals, *i, "global", budget)?.copy(budget)?,
            (Op::Local(0, i), _) => get(self.locals, *i, "local", budget)?.copy(budget)?,
            (Op::Input(i), _) => get(self.inputs, *i, "input", budget)?.copy(budget)?,
            (Op::Count(of, location), _) => {
                let count = self.counts.look(&(*of, *location), budget)?.copied().unwrap_or(0);
                Int(i64::from(count).into())
            }
            (Op::Add, [Some(Int(a)), Some(Int(b)), _]) => Int(bounded(a.plus(&b, budget)?)?),
            (Op::Sub, [Some(Int(a)), Some(Int(b)), _]) => Int(bounded(a.minus(&b, budget)?)?),
            (Op::Scale(k), [Some(Int(a)), ..]) => Int(bounded(k.times(&a, budget)?)?),
            (Op::Div(n), [Some(Int(a)), ..]) => Int(a.floor(n, budget)?),
            (Op::Mod(n), [Some(Int(a)), ..]) => {
                Int(a.minus(&a.floor(n, budget)?.times(n, budget)?, budget)?)
            }
            (Op::Select, [Some(Array(default, map)), Some(Int(i)), _]) => {
                map.map.look(&i, budget)?.unwrap_or(&default).copy(budget)?
            }
            (Op::Store, [Some(Array(default, map)), Some(Int(i)), Some(value)]) => {
                let mut map = match Rc::try_unwrap(map) {
                    Ok(own) => own,
                    Err(shared) => {
                        self.held.hold(shared.size())?;
                        (*shared).copy(budget)?
                    }
                };
                let value = if value.same(&default, budget)? { None } else { Some(value) };
                map.set(i, value, budget)?;
                Array(default, Rc::new(map))
            }
            (Op::Cmp(cmp), [Some(Int(a)), Some(Int(b)), _]) => Bool(cmp.holds(&a, &b)),
            (Op::Cmp(cmp @ (Cmp::Eq | Cmp::Ne)), [Some(Bool(a)), Some(Bool(b)), _]) => {
                Bool(cmp.holds(&a, &b))
            }
            (Op::Not, [Some(Bool(a)), ..]) => Bool(!a),
            (Op::And, [Some(Bool(a)), Some(Bool(b)), _]) => Bool(a && b),
            (Op::Or, [Some(Bool(a)), Some(Bool(b)), _]) => Bool(a || b),
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        })
    }

    fn holds(&self, formula: &Expr, budget: &Budget) -> Result<bool, Reason> {
        Ok(matches!(self.evaluate(formula, budget)?, Data::Bool(true)))
    }
}

/// A state of an execution.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Execution {
    /// Values of the globals.
    pub globals: Seq<Data>,
    /// The threads.
    pub threads: Seq<Acting>,
    /// What the values are more than those of the start.
    held: Held,
}

/// A thread of an execution.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub struct Acting {
    /// Its template.
    pub template: u32,
    /// Where it is.
    pub location: u32,
    /// Values of its locals.
    pub locals: Seq<Data>,
    /// Whether it has made a step.
    pub acted: bool,
}

/// Checks that a state is an initial one (section 4.2) and takes it in.
///
/// # Errors
/// `Replay`, `Order`, `Sort`, `Index` or `Limit`.
pub fn start(program: &Program, state: &State, budget: &Budget) -> Result<Execution, Reason> {
    let globals = all_data(&state.globals, &program.globals, budget)?;
    let (nothing, counts) = (Seq::new(), Map::new());
    let holds = |init: &Expr, locals: &Seq<Data>| {
        let (globals, inputs, counts) = (&globals, &nothing, &counts);
        Values { globals, locals, inputs, counts, held: Held::default() }.holds(init, budget)
    };
    let mut threads: Seq<Acting> = Seq::new();
    for thread in state.threads.walk(budget)? {
        let number = thread.template;
        let of = template(program, number, budget)?;
        let last = threads.last().map(|t| t.template);
        if last > Some(number) || (last == Some(number) && !of.is_many()) {
            return Err(Reason::Order("threads"));
        }
        let locals = all_data(&thread.locals, &of.locals, budget)?;
        if of.is_many() && !holds(&of.init, &locals)? {
            return Err(Reason::Replay("a thread's initial condition"));
        }
        threads.add(Acting { template: number, location: 0, locals, acted: false }, budget)?;
    }
    let singles = program.templates.walk(budget)?.filter(|t| !t.is_many());
    for init in singles.map(|t| &t.init).chain([&program.init]) {
        if !holds(init, &nothing)? {
            return Err(Reason::Replay("the initial condition"));
        }
    }
    Ok(Execution { globals, threads, held: Held::default() })
}

/// Checks that a state witnesses the initial condition: an initial state with one thread of each
/// template with many threads (section 8.7).
///
/// # Errors
/// `Replay`, `Order`, `Sort`, ...
pub fn witness(program: &Program, state: &State, budget: &Budget) -> Result<(), Reason> {
    let running = start(program, state, budget)?;
    let have = running.threads.walk(budget)?.map(|t| t.template);
    let many = (0..).zip(program.templates.walk(budget)?).filter(|(_, t)| t.is_many());
    if have.eq(many.map(|(i, _)| i)) {
        Ok(())
    } else {
        Err(Reason::Replay("one thread of each `many` template"))
    }
}

impl Execution {
    /// How many threads are at each location where one is. A single template's thread that is not
    /// listed never moves: it is at its initial location.
    fn counts(&self, program: &Program, budget: &Budget) -> Result<Map<(u32, u32), u32>, Reason> {
        let (mut counts, mut listed) = (Map::new(), Set::new());
        for thread in self.threads.walk(budget)? {
            listed.include(thread.template, budget)?;
            *counts.entry_of((thread.template, thread.location), budget)? += 1;
        }
        for (of, template) in (0..).zip(program.templates.walk(budget)?) {
            if !template.is_many() && !listed.has(&of, budget)? {
                counts.put((of, 0), 1, budget)?;
            }
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
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let actor = get(&self.threads, step.thread, "thread", budget)?;
        let of = template(program, actor.template, budget)?;
        let edge = get(&of.edges, step.edge, "edge", budget)?;
        if actor.location != edge.source {
            return Err(Reason::Replay("the thread is at another location"));
        }
        let inputs = all_data(&step.inputs, &edge.inputs, budget)?;
        let counts = match counts_threads(edge, budget)? {
            true => self.counts(program, budget)?,
            false => Map::new(),
        };
        let (globals, locals) = (&self.globals, &actor.locals);
        let values =
            Values { globals, locals, inputs: &inputs, counts: &counts, held: Held::default() };
        if !values.holds(&edge.guard, budget)? {
            return Err(Reason::Replay("the guard does not hold"));
        }
        let updates = edge.updates.walk(budget)?;
        let news = gather(updates.map(|(_, value)| values.evaluate(value, budget)), budget)?;
        let actor = self.threads.change(step.thread, budget)?.ok_or(Reason::Index("thread"))?;
        for ((variable, _), value) in edge.updates.walk(budget)?.zip(news.give(budget)?) {
            let (list, index) = match variable {
                Op::Local(_, i) => (&mut actor.locals, *i),
                Op::Global(i) => (&mut self.globals, *i),
                _ => return Err(Reason::Index("variable")),
            };
            let old = list.change(index, budget)?.ok_or(Reason::Index("variable"))?;
            let (less, more) = (old.held(), value.held());
            self.held.release(less.saturating_sub(more));
            self.held.hold(more.saturating_sub(less))?;
            *old = value;
        }
        actor.location = edge.target;
        actor.acted = true;
        Ok(get(&of.locations, edge.target, "location", budget)?.error)
    }
}

/// Whether an edge's command mentions a counter.
fn counts_threads(edge: &Edge, budget: &Budget) -> Result<bool, Spent> {
    let values = edge.updates.walk(budget)?.map(|(_, value)| value);
    for expr in values.chain([&edge.guard]) {
        if expr.0.walk(budget)?.any(|op| matches!(op, Op::Count(..))) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Replays a counterexample (section 9).
///
/// # Errors
/// Why it is no execution that ends at an error location, and at which step.
pub fn check(program: &Program, run: &Counterexample, budget: &Budget) -> Result<(), Failure> {
    let mut state = start(program, &run.start, budget).at(|| "start".to_owned())?;
    let mut wrong = false;
    for (i, step) in run.schedule.walk(budget)?.enumerate() {
        if wrong {
            return Err(Reason::Replay("it goes on after the error")).at(|| format!("step {i}"));
        }
        wrong = state.step(program, step, budget).at(|| format!("step {i}"))?;
    }
    if !wrong {
        return Err(Reason::Replay("no thread ends at an error location").into());
    }
    if state.threads.walk(budget)?.any(|thread| !thread.acted) {
        return Err(Reason::Unused("thread").into());
    }
    Ok(())
}

/// What is told of an execution that was replayed: all its threads, also those that never move.
pub(crate) fn told(
    program: &Program,
    run: &Counterexample,
    budget: &Budget,
) -> Result<Told<'static>, Reason> {
    let mut listed = Set::new();
    for thread in run.start.threads.walk(budget)? {
        listed.include(thread.template, budget)?;
    }
    let mut threads = run.start.threads.len();
    for (number, template) in (0..).zip(program.templates.walk(budget)?) {
        // Of a single template that is not listed, the thread is idle.
        threads += usize::from(!template.is_many() && !listed.has(&number, budget)?);
    }
    let plural = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        _ => format!("{n} {what}s"),
    };
    let execution = format!(
        "an execution of {} leads a thread to {} in {}",
        plural(threads, "thread"),
        end(program, run, budget)?,
        plural(run.schedule.len(), "step")
    );
    Ok(Told { proof: "counterexample, replayed".to_owned(), witness: None, execution })
}

/// Where a replayed execution ends, as `template.location`.
fn end(program: &Program, run: &Counterexample, budget: &Budget) -> Result<String, Reason> {
    let last = run.schedule.last().ok_or(Reason::Index("step"))?;
    let of = get(&run.start.threads, last.thread, "thread", budget)?.template;
    let template = template(program, of, budget)?;
    let target = get(&template.edges, last.edge, "edge", budget)?.target;
    let location = get(&template.locations, target, "location", budget)?;
    let names = [template.name.text(budget)?, location.name.text(budget)?];
    Ok(format!("the error location {}", names.join(".")))
}
