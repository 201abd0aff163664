//! Executes programs on explicit states, statement by statement.

use super::abstraction::Abstract;
use super::ast::{Abstraction, Binary, Count, Decl, Expr, Place, Stmt, Type, Unit};
use super::control::{Frame, Layout, Work};
use super::values::{self, Scope, int, truth};
use crate::explicit::Value;
use crate::traces::{Observation, System, is_small};
use std::slice::from_ref;

/// More initial states than this are not looked at.
const MOST_INITIAL: usize = 2_000;

/// A program with a number of threads of each `[*]` template.
pub struct Machine<'a> {
    pub(super) layout: Layout<'a>,
    templates: Vec<Template<'a>>,
    threads: usize,
    /// Integers that are tried where any is possible.
    pub(super) ints: &'a [i64],
}

/// What the threads of a template run.
struct Template<'a> {
    many: bool,
    runs: Runs<'a>,
}

enum Runs<'a> {
    /// An index into `Layout::bodies`.
    Code(usize),
    Abstract(&'a Abstraction),
}

/// Where a thread is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Control<'a> {
    Code(Vec<Frame<'a>>),
    Abstract(Abstract),
}

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Thread<'a> {
    template: usize,
    control: Control<'a>,
}

/// A state. Its threads are sorted, as their order has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<'a> {
    globals: Vec<Value>,
    threads: Vec<Thread<'a>>,
    /// Whether an assertion has failed.
    wrong: bool,
}

impl<'a> Machine<'a> {
    /// The program, or its abstract program of this layer.
    pub fn new(unit: &'a Unit, layer: usize, threads: usize, ints: &'a [i64]) -> Self {
        let mut templates = Vec::new();
        for (number, thread) in unit.threads.iter().enumerate() {
            let mut runs = Runs::Code(unit.procedures.len() + number);
            let mut above = thread.abstracts.as_ref();
            for _ in 0..layer {
                let named = |name: &String| unit.abstractions.iter().find(|a| a.name == *name);
                if let Some(abstraction) = above.and_then(named) {
                    runs = Runs::Abstract(abstraction);
                    above = abstraction.abstracts.as_ref();
                }
            }
            let (many, copies) = match thread.count {
                Count::Any => (true, 1),
                Count::Single => (false, 1),
                Count::Exactly(n) => (false, n),
            };
            let runs = || match runs {
                Runs::Code(body) => Runs::Code(body),
                Runs::Abstract(abstraction) => Runs::Abstract(abstraction),
            };
            templates.extend((0..copies).map(|_| Template { many, runs: runs() }));
        }
        Machine { layout: Layout::new(unit), templates, threads, ints }
    }

    /// For each template how many variables its threads declare; none for abstract threads.
    pub fn declared(&self) -> Vec<Option<usize>> {
        let count = |template: &Template| match template.runs {
            Runs::Code(body) => Some(self.layout.variables(body).count()),
            Runs::Abstract(_) => None,
        };
        self.templates.iter().map(count).collect()
    }

    pub(super) fn globals(&self) -> &'a [Decl] {
        &self.layout.unit.globals
    }

    /// The values of the globals at the start.
    fn initial_globals(&self) -> Vec<Vec<Value>> {
        let inits = &self.layout.unit.inits;
        let free =
            |decl: &Decl| decl.kind == Type::Lock && !inits.iter().any(|e| e.mentions(&decl.name));
        let choices = self.globals().iter().map(|decl| match free(decl) {
            true => vec![Value::Bool(false)],
            false => values::initial(decl, self.ints),
        });
        let mut all = values::combinations(&choices.collect::<Vec<_>>());
        all.retain(|globals| {
            let scope = Globals { machine: self, globals };
            inits.iter().all(|e| truth(&values::value(e, &scope)))
        });
        all
    }

    /// Where a thread of a template can start.
    fn starts(&self, template: usize, globals: &[Value]) -> Vec<Thread<'a>> {
        let controls: Vec<Control<'a>> = match self.templates[template].runs {
            Runs::Code(body) => {
                let choices = self.layout.variables(body).map(|d| values::initial(d, self.ints));
                let all = values::combinations(&choices.collect::<Vec<_>>());
                let start = |variables| {
                    let mut frames = vec![self.layout.frame(body, variables, None)];
                    self.layout.settle(&mut frames);
                    Control::Code(frames)
                };
                all.into_iter().map(start).collect()
            }
            Runs::Abstract(of) => {
                Abstract::starts(of, globals).into_iter().map(Control::Abstract).collect()
            }
        };
        let mut all: Vec<_> =
            controls.into_iter().map(|control| Thread { template, control }).collect();
        all.sort();
        all
    }

    /// The state after the thread takes its next step, for each way that it can come out.
    fn step(&self, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        let Control::Code(_) = state.threads[thread].control else {
            return self.abstract_step(state, thread);
        };
        let (mut todo, mut done) = (self.statement(state, state, thread), Vec::new());
        while let Some(next) = todo.pop() {
            let open = next.frames(thread).iter().any(|f| f.work.contains(&Work::AtomicEnd));
            if open && !next.wrong {
                todo.extend(self.statement(state, &next, thread));
            } else {
                done.push(next);
            }
        }
        done
    }

    /// The state after the thread's next statement. Threads are counted in the state in which the
    /// step begins.
    fn statement(&self, begin: &State<'a>, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        let here = Here { machine: self, begin, state, thread };
        let s = match here.frame().work.last() {
            None => return Vec::new(),
            Some(Work::Loop(code) | Work::Code(code)) => &code.list[0],
            Some(Work::AtomicEnd) => panic!("between two steps"),
        };
        let mut next = match s {
            Stmt::Atomic(body) => {
                let mut next = here.moved_on();
                let work = &mut next.frame_mut(thread).work;
                work.push(Work::AtomicEnd);
                self.layout.push(work, body);
                vec![next]
            }
            Stmt::Assume(e) => here.holds(e),
            Stmt::Assert(e) => {
                vec![State { wrong: !truth(&here.value(e)), ..here.moved_on() }]
            }
            Stmt::If(e, then, other) => here.branch(e, then, other.as_deref()),
            Stmt::While(e, body) => here.turn(e, body),
            Stmt::Havoc(place) => here.havoc(place),
            Stmt::Lock(name) if truth(&here.variable(name)) => Vec::new(),
            Stmt::Lock(name) | Stmt::Unlock(name) => {
                let mut next = here.moved_on();
                let held = Value::Bool(matches!(s, Stmt::Lock(_)));
                next.write(self, thread, name, |_| held);
                vec![next]
            }
            Stmt::Return(Some(e)) => here.give_back(e),
            _ => match (self.layout.call(s), s) {
                (Some((body, arguments, result)), _) => here.enter(body, arguments, result),
                (None, Stmt::Assign(place, e)) => here.assign(place, e),
                _ => panic!("{s} is no step"),
            },
        };
        for state in &mut next {
            if let Control::Code(frames) = &mut state.threads[thread].control {
                self.layout.settle(frames);
            }
        }
        next
    }

    fn abstract_step(&self, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        let (Control::Abstract(at), Runs::Abstract(of)) =
            (&state.threads[thread].control, &self.templates[state.threads[thread].template].runs)
        else {
            panic!("no abstract thread");
        };
        let mut out = Vec::new();
        if at.is_wrong(of, self, &state.globals) {
            out.push(State { wrong: true, ..state.clone() });
        }
        for (globals, control) in at.steps(of, self, &state.globals) {
            let mut next = State { globals, ..state.clone() };
            next.threads[thread].control = Control::Abstract(control);
            out.push(next);
        }
        out
    }
}

impl<'a> State<'a> {
    fn is_small(&self) -> bool {
        let threads = 0..self.threads.len();
        let mut locals = threads.flat_map(|t| self.frames(t)).flat_map(|f| &f.variables);
        self.globals.iter().all(is_small) && locals.all(is_small)
    }

    fn frames(&self, thread: usize) -> &[Frame<'a>] {
        match &self.threads[thread].control {
            Control::Code(frames) => frames,
            Control::Abstract(_) => &[],
        }
    }

    fn frame_mut(&mut self, thread: usize) -> &mut Frame<'a> {
        match &mut self.threads[thread].control {
            Control::Code(frames) => frames.last_mut().expect("a frame"),
            Control::Abstract(_) => panic!("an abstract thread runs no code"),
        }
    }

    /// Changes a variable: of the thread's body, or else a global.
    fn write(
        &mut self,
        machine: &Machine<'a>,
        thread: usize,
        name: &str,
        change: impl FnOnce(&Value) -> Value,
    ) {
        let frame = self.frame_mut(thread);
        let own = machine.layout.variables(frame.body).position(|d| d.name == name);
        let variable = match own {
            Some(own) => &mut frame.variables[own],
            None => &mut self.globals[index(machine.globals(), name)],
        };
        *variable = change(variable);
    }
}

/// The number of a variable.
pub(super) fn index(decls: &[Decl], name: &str) -> usize {
    let found = decls.iter().position(|d| d.name == name);
    found.unwrap_or_else(|| panic!("{name} is not declared"))
}

/// Globals alone.
struct Globals<'m, 'a> {
    machine: &'m Machine<'a>,
    globals: &'m [Value],
}

impl Scope for Globals<'_, '_> {
    fn variable(&self, name: &str) -> Value {
        self.globals[index(self.machine.globals(), name)].clone()
    }

    fn count(&self, _: &[Expr]) -> i64 {
        panic!("a count of no state")
    }
}

/// A thread in a state, in a step that began in a state.
struct Here<'m, 'a> {
    machine: &'m Machine<'a>,
    begin: &'m State<'a>,
    state: &'m State<'a>,
    thread: usize,
}

impl Scope for Here<'_, '_> {
    fn variable(&self, name: &str) -> Value {
        let frame = self.frame();
        let own = self.machine.layout.variables(frame.body).position(|d| d.name == name);
        match own {
            Some(own) => frame.variables[own].clone(),
            None => self.state.globals[index(self.machine.globals(), name)].clone(),
        }
    }

    fn count(&self, labels: &[Expr]) -> i64 {
        let at = |thread: usize| {
            let frames = self.begin.frames(thread);
            let is_at = |label: &Expr| self.machine.layout.is_at(frames, &label.to_string());
            !frames.is_empty() && labels.iter().any(is_at)
        };
        let threads = 0..self.begin.threads.len();
        i64::try_from(threads.filter(|t| at(*t)).count()).expect("few threads")
    }
}

impl<'a> Here<'_, 'a> {
    fn frame(&self) -> &Frame<'a> {
        self.state.frames(self.thread).last().expect("a frame")
    }

    fn value(&self, e: &Expr) -> Value {
        values::value(e, self)
    }

    /// The same thread in another state of the same step.
    fn at<'s>(&'s self, state: &'s State<'a>) -> Here<'s, 'a> {
        Here { machine: self.machine, begin: self.begin, state, thread: self.thread }
    }

    /// The state with the thread behind its statement.
    fn moved_on(&self) -> State<'a> {
        let mut next = self.state.clone();
        self.machine.layout.advance(&mut next.frame_mut(self.thread).work);
        next
    }

    /// The ways in which a condition comes out, with the states behind its evaluation.
    fn decide(&self, e: &Expr) -> Vec<(State<'a>, bool)> {
        let rest = |ways: Vec<(State<'a>, bool)>, go_on: bool, second: &Expr| {
            let way = |(state, value): (State<'a>, bool)| match value == go_on {
                true => self.at(&state).decide(second),
                false => vec![(state, value)],
            };
            ways.into_iter().flat_map(way).collect()
        };
        match e {
            Expr::Any => [true, false].map(|value| (self.state.clone(), value)).to_vec(),
            Expr::Cas(place, old, new) => self.compare_and_swap(place, old, new),
            Expr::Not(e) if e.is_condition() => {
                self.decide(e).into_iter().map(|(state, value)| (state, !value)).collect()
            }
            Expr::Binary(Binary::And, a, b) if e.is_condition() => rest(self.decide(a), true, b),
            Expr::Binary(Binary::Or, a, b) if e.is_condition() => rest(self.decide(a), false, b),
            _ => vec![(self.state.clone(), truth(&self.value(e)))],
        }
    }

    fn compare_and_swap(&self, place: &Place, old: &Expr, new: &Expr) -> Vec<(State<'a>, bool)> {
        if values::place(place, self) != self.value(old) {
            return vec![(self.state.clone(), false)];
        }
        vec![(self.written(self.state.clone(), place, self.value(new)), true)]
    }

    /// The state with another value at a place, whose index has its value here.
    fn written(&self, mut state: State<'a>, place: &Place, value: Value) -> State<'a> {
        let element = place.index.as_ref().map(|e| self.value(e));
        state.write(self.machine, self.thread, &place.name, |before| match element {
            None => value,
            Some(element) => values::with_element(before, int(&element), value),
        });
        state
    }

    fn holds(&self, e: &Expr) -> Vec<State<'a>> {
        let ways = self.decide(e).into_iter().filter(|(_, value)| *value);
        ways.map(|(state, _)| self.at(&state).moved_on()).collect()
    }

    fn assign(&self, place: &Place, e: &Expr) -> Vec<State<'a>> {
        if e.is_condition() {
            let ways = self.decide(e).into_iter();
            let written = |(state, value): (State<'a>, bool)| {
                let here = self.at(&state);
                here.written(here.moved_on(), place, Value::Bool(value))
            };
            return ways.map(written).collect();
        }
        vec![self.written(self.moved_on(), place, self.value(e))]
    }

    fn havoc(&self, place: &Place) -> Vec<State<'a>> {
        let mut decls = self.machine.layout.variables(self.frame().body);
        let global = || self.machine.globals().iter().find(|d| d.name == place.name);
        let decl = decls.find(|d| d.name == place.name).or_else(global).expect("a variable");
        let whole = decl.array && place.index.is_none();
        let any = values::any(decl.kind, whole, self.machine.ints).into_iter();
        any.map(|value| self.written(self.moved_on(), place, value)).collect()
    }

    fn branch(&self, e: &Expr, then: &'a Stmt, other: Option<&'a Stmt>) -> Vec<State<'a>> {
        let way = |(state, value): (State<'a>, bool)| {
            let mut next = self.at(&state).moved_on();
            if let Some(s) = if value { Some(then) } else { other } {
                self.machine.layout.push(&mut next.frame_mut(self.thread).work, from_ref(s));
            }
            next
        };
        self.decide(e).into_iter().map(way).collect()
    }

    /// A turn of a loop, or its end.
    fn turn(&self, e: &Expr, body: &'a Stmt) -> Vec<State<'a>> {
        let way = |(mut state, value): (State<'a>, bool)| {
            let work = &mut state.frame_mut(self.thread).work;
            if value {
                self.machine.layout.push(work, from_ref(body));
            } else {
                work.pop();
            }
            state
        };
        self.decide(e).into_iter().map(way).collect()
    }

    /// Arguments are evaluated, and the procedure's other variables get their first values.
    fn enter(&self, body: usize, arguments: &[Expr], result: Option<&'a str>) -> Vec<State<'a>> {
        let layout = &self.machine.layout;
        let given = arguments.iter().map(|e| vec![self.value(e)]);
        let locals = layout.variables(body).skip(arguments.len());
        let choices = given.chain(locals.map(|d| values::initial(d, self.machine.ints)));
        let entered = |variables| {
            let mut next = self.moved_on();
            let Control::Code(frames) = &mut next.threads[self.thread].control else {
                panic!("an abstract thread calls nothing");
            };
            frames.push(layout.frame(body, variables, result));
            next
        };
        values::combinations(&choices.collect::<Vec<_>>()).into_iter().map(entered).collect()
    }

    /// `return e;`
    fn give_back(&self, e: &Expr) -> Vec<State<'a>> {
        let way = |(mut state, value): (State<'a>, Value)| {
            let Control::Code(frames) = &mut state.threads[self.thread].control else {
                panic!("an abstract thread returns nothing");
            };
            let result = frames.pop().expect("a procedure's frame").result;
            if let Some(name) = result {
                state.write(self.machine, self.thread, name, |_| value);
            }
            state
        };
        if e.is_condition() {
            let ways = self.decide(e).into_iter();
            return ways.map(|(state, value)| way((state, Value::Bool(value)))).collect();
        }
        vec![way((self.state.clone(), self.value(e)))]
    }
}

impl<'a> System for Machine<'a> {
    type State = State<'a>;

    fn initial(&self) -> Option<Vec<State<'a>>> {
        let mut out = Vec::new();
        for globals in self.initial_globals() {
            let mut states = vec![State { globals, threads: Vec::new(), wrong: false }];
            for (number, template) in self.templates.iter().enumerate() {
                let starts = self.starts(number, &states[0].globals);
                for _ in 0..if template.many { self.threads } else { 1 } {
                    let longer = states.iter().flat_map(|s| s.with_one_of(&starts));
                    states = longer.take(MOST_INITIAL + 1).collect();
                }
            }
            out.extend(states);
            if out.len() > MOST_INITIAL {
                return None;
            }
        }
        Some(out)
    }

    fn steps(&self, state: &State<'a>) -> Vec<(usize, State<'a>)> {
        if state.wrong {
            return Vec::new();
        }
        let of = |thread: usize| {
            let template = state.threads[thread].template;
            let next = self.step(state, thread).into_iter().filter(State::is_small);
            next.map(move |mut next| {
                next.threads.sort();
                (template, next)
            })
        };
        (0..state.threads.len()).flat_map(of).collect()
    }

    fn observe(&self, state: &State<'a>) -> Observation {
        let locals = |thread: &Thread<'a>| match &thread.control {
            Control::Code(frames) => (thread.template, frames[0].variables.clone()),
            Control::Abstract(_) => (thread.template, Vec::new()),
        };
        let threads = state.threads.iter().map(locals).collect();
        Observation::new(state.globals.clone(), threads, state.wrong)
    }
}

impl<'a> State<'a> {
    /// The states with one of these threads more, not before the last one of its template.
    fn with_one_of(&self, starts: &[Thread<'a>]) -> Vec<State<'a>> {
        let fits = |t: &&Thread<'a>| {
            self.threads.last().is_none_or(|last| last.template != t.template || *t >= last)
        };
        let with = |thread: &Thread<'a>| {
            let mut state = self.clone();
            state.threads.push(thread.clone());
            state
        };
        starts.iter().filter(fits).map(with).collect()
    }
}
