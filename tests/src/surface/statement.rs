//! What a thread's next statement does.

use super::ast::{Binary, Expr, Place, Stmt};
use super::control::{Frame, Layout, Work};
use super::state::{Control, State, index};
use super::values::{self, Scope, int, truth};
use crate::explicit::Value;
use std::slice::from_ref;

/// A thread in a state, in a step that began in a state.
pub(super) struct Here<'m, 'a> {
    pub layout: &'m Layout<'a>,
    /// Integers that are tried where any is possible.
    pub ints: &'a [i64],
    pub begin: &'m State<'a>,
    pub state: &'m State<'a>,
    pub thread: usize,
}

impl Scope for Here<'_, '_> {
    fn variable(&self, name: &str) -> Value {
        let frame = self.frame();
        let own = self.layout.variables(frame.body).position(|d| d.name == name);
        match own {
            Some(own) => frame.variables[own].clone(),
            None => self.state.globals[index(self.layout.globals(), name)].clone(),
        }
    }

    fn count(&self, labels: &[Expr]) -> i64 {
        let at = |thread: usize| {
            let frames = self.begin.frames(thread);
            let is_at = |label: &Expr| self.layout.is_at(frames, &label.to_string());
            !frames.is_empty() && labels.iter().any(is_at)
        };
        let threads = 0..self.begin.threads.len();
        i64::try_from(threads.filter(|t| at(*t)).count()).expect("few threads")
    }
}

impl<'a> Here<'_, 'a> {
    /// The state after the thread's next statement. Threads are counted in the state in which the
    /// step begins.
    pub(super) fn next(&self) -> Vec<State<'a>> {
        let s = match self.frame().work.last() {
            None => return Vec::new(),
            Some(Work::Loop(code) | Work::Code(code)) => &code.list[0],
            Some(Work::AtomicEnd) => panic!("between two steps"),
        };
        let mut next = match s {
            Stmt::Atomic(body) => {
                let mut next = self.moved_on();
                let work = &mut next.frame_mut(self.thread).work;
                work.push(Work::AtomicEnd);
                self.layout.push(work, body);
                vec![next]
            }
            Stmt::Assume(e) => self.holds(e),
            Stmt::Assert(e) => {
                vec![State { wrong: !truth(&self.value(e)), ..self.moved_on() }]
            }
            Stmt::If(e, then, other) => self.branch(e, then, other.as_deref()),
            Stmt::While(e, body) => self.turn(e, body),
            Stmt::Havoc(place) => self.havoc(place),
            Stmt::Lock(name) if truth(&self.variable(name)) => Vec::new(),
            Stmt::Lock(name) | Stmt::Unlock(name) => {
                let mut next = self.moved_on();
                let held = Value::Bool(matches!(s, Stmt::Lock(_)));
                next.write(self.layout, self.thread, name, |_| held);
                vec![next]
            }
            Stmt::Return(Some(e)) => self.give_back(e),
            _ => match (self.layout.call(s), s) {
                (Some((body, arguments, result)), _) => self.enter(body, arguments, result),
                (None, Stmt::Assign(place, e)) => self.assign(place, e),
                _ => panic!("{s} is no step"),
            },
        };
        for state in &mut next {
            if let Control::Code(frames) = &mut state.threads[self.thread].control {
                self.layout.settle(frames);
            }
        }
        next
    }

    fn frame(&self) -> &Frame<'a> {
        self.state.frames(self.thread).last().expect("a frame")
    }

    fn value(&self, e: &Expr) -> Value {
        values::value(e, self)
    }

    /// The same thread in another state of the same step.
    fn at<'s>(&'s self, state: &'s State<'a>) -> Here<'s, 'a> {
        Here { state, ..*self }
    }

    /// The state with the thread behind its statement.
    fn moved_on(&self) -> State<'a> {
        let mut next = self.state.clone();
        self.layout.advance(&mut next.frame_mut(self.thread).work);
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
        state.write(self.layout, self.thread, &place.name, |before| match element {
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
        let mut decls = self.layout.variables(self.frame().body);
        let global = || self.layout.globals().iter().find(|d| d.name == place.name);
        let decl = decls.find(|d| d.name == place.name).or_else(global).expect("a variable");
        let whole = decl.array && place.index.is_none();
        let any = values::any(decl.kind, whole, self.ints).into_iter();
        any.map(|value| self.written(self.moved_on(), place, value)).collect()
    }

    fn branch(&self, e: &Expr, then: &'a Stmt, other: Option<&'a Stmt>) -> Vec<State<'a>> {
        let way = |(state, value): (State<'a>, bool)| {
            let mut next = self.at(&state).moved_on();
            if let Some(s) = if value { Some(then) } else { other } {
                self.layout.push(&mut next.frame_mut(self.thread).work, from_ref(s));
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
                self.layout.push(work, from_ref(body));
            } else {
                work.pop();
            }
            state
        };
        self.decide(e).into_iter().map(way).collect()
    }

    /// Arguments are evaluated, and the procedure's other variables get their first values.
    fn enter(&self, body: usize, arguments: &[Expr], result: Option<&'a str>) -> Vec<State<'a>> {
        let layout = self.layout;
        let given = arguments.iter().map(|e| vec![self.value(e)]);
        let locals = layout.variables(body).skip(arguments.len());
        let choices = given.chain(locals.map(|d| values::initial(d, self.ints)));
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
                state.write(self.layout, self.thread, name, |_| value);
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
