//! Statements that make up one atomic step: all paths through them.

use super::super::ast::Span;
use super::super::ir::{Call, Cond, Place, Slot, Stmt, StmtKind, Term, Unit, Value};
use super::step::{MAX_PATHS, State, Ways, variable};
use super::variables::Variables;
use crate::text::Diagnostic;
use std::collections::BTreeSet;
use std::rc::Rc;
use threadproof_format::{Op, Sort};

/// Levels of statements and calls inside each other.
const MAX_DEPTH: usize = 150;

/// How a path through a step ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exit {
    /// It goes on behind the step.
    Next,
    Break,
    Continue,
    Return,
    /// The assertion at this place fails.
    Fail(usize),
}

/// A path through a step.
pub(super) struct Path {
    pub state: State,
    pub exit: Exit,
}

/// Where a body's variables are, and what takes its result.
#[derive(Clone)]
pub(super) struct Frame {
    pub vars: Vec<Op>,
    pub result: Option<Op>,
}

/// Runs statements symbolically.
pub(super) struct Runner<'a> {
    pub unit: &'a Unit,
    pub variables: &'a Variables,
    /// The core variables that are never negative.
    pub not_negative: Rc<BTreeSet<Op>>,
    /// Statements that no path reaches.
    pub dead: Vec<Span>,
    /// The assertions that `Exit::Fail` numbers.
    pub asserts: Vec<Span>,
    /// Levels of statements and calls that are open.
    pub depth: usize,
}

type Run<T> = Result<T, Diagnostic>;

impl Runner<'_> {
    /// The state before a step.
    pub(super) fn start(&self) -> State {
        State::of(self.not_negative.clone())
    }

    /// Opens a level; whoever gets `Ok` closes it.
    pub(super) fn deeper(&mut self, span: &Span) -> Run<()> {
        if self.depth >= MAX_DEPTH {
            let message =
                format!("statements and calls are nested more than {MAX_DEPTH} levels deep");
            return Err(Diagnostic::new(span.clone(), message));
        }
        self.depth += 1;
        Ok(())
    }

    /// All paths through one statement that is a step of its own, or part of one.
    pub(super) fn statement(&mut self, s: &Stmt, frame: &Frame, state: State) -> Run<Vec<Path>> {
        self.deeper(&s.span)?;
        let paths = self.paths(s, frame, state)?;
        self.depth -= 1;
        if paths.len() > MAX_PATHS {
            return Err(too_many(&s.span));
        }
        if paths.iter().any(|p| p.state.too_large) {
            return Err(too_large(&s.span));
        }
        Ok(paths)
    }

    fn paths(&mut self, s: &Stmt, frame: &Frame, mut state: State) -> Run<Vec<Path>> {
        let vars = &frame.vars;
        match &s.kind {
            StmtKind::Assign(place, value) => assign(place, value, &s.span, vars, state),
            StmtKind::Havoc(place) => {
                let index: Vec<&Term> = place.index.iter().collect();
                let states = split(state, &index, &s.span, vars)?.into_iter();
                Ok(states
                    .map(|mut state| {
                        state.havoc(place, self.variables, vars);
                        Path::new(state, Exit::Next)
                    })
                    .collect())
            }
            StmtKind::Assume(condition) => {
                let ways = decide(condition, &s.span, vars, state)?.into_iter();
                let holds = ways.filter(|(_, value)| *value);
                Ok(holds.map(|(state, _)| Path::new(state, Exit::Next)).collect())
            }
            StmtKind::Assert(formula) => {
                let mut paths = Vec::new();
                for state in split(state, &[formula], &s.span, vars)? {
                    paths.extend(self.assert(formula, &s.span, vars, state));
                }
                Ok(paths)
            }
            StmtKind::Lock(slot) => {
                let mut free = state.eval(&Term::Var(*slot), vars);
                free.push(Op::Not);
                state.require(free);
                state.assign(variable(*slot, vars), vec![Op::Bool(true)]);
                Ok(one(state, Exit::Next))
            }
            StmtKind::Unlock(slot) => {
                state.assign(variable(*slot, vars), vec![Op::Bool(false)]);
                Ok(one(state, Exit::Next))
            }
            StmtKind::If(condition, _, then, other) => {
                let mut out = Vec::new();
                for (state, value) in decide(condition, &s.span, vars, state)? {
                    let branch = if value { then } else { other };
                    out.extend(self.block(branch, frame, state)?);
                }
                Ok(out)
            }
            StmtKind::Atomic(body) | StmtKind::Block(body) => self.block(body, frame, state),
            StmtKind::Call(call) => {
                let mut paths = Vec::new();
                for state in self.arguments(call, &s.span, frame, state)? {
                    paths.extend(self.call(call, frame, state)?);
                }
                Ok(paths)
            }
            StmtKind::Break => Ok(one(state, Exit::Break)),
            StmtKind::Continue => Ok(one(state, Exit::Continue)),
            StmtKind::Return(value) => returned(value.as_ref(), &s.span, frame, state),
            // Refused inside `atomic` when names were resolved, and not asked for outside of it.
            StmtKind::While(..) | StmtKind::Goto(_) | StmtKind::Label(_) => {
                Ok(one(state, Exit::Next))
            }
        }
    }

    /// All paths through a list of statements.
    pub(super) fn block(&mut self, code: &[Stmt], frame: &Frame, state: State) -> Run<Vec<Path>> {
        let mut done = Vec::new();
        let mut live = vec![state];
        for s in code {
            if live.is_empty() {
                self.dead.push(s.span.clone());
                break;
            }
            for state in std::mem::take(&mut live) {
                for path in self.statement(s, frame, state)? {
                    match path.exit {
                        Exit::Next => live.push(path.state),
                        _ => done.push(path),
                    }
                }
            }
            if done.len() + live.len() > MAX_PATHS {
                return Err(too_many(&s.span));
            }
        }
        done.extend(live.into_iter().map(|state| Path::new(state, Exit::Next)));
        Ok(done)
    }

    /// The failing path first. Both stay even if what was written before in the step settles the
    /// formula, so that no assertion disappears; only `assert(false)` has no other path.
    fn assert(&mut self, formula: &Term, span: &Span, vars: &[Op], state: State) -> Vec<Path> {
        let known = self.asserts.iter().position(|a| a == span);
        let number = known.unwrap_or_else(|| {
            self.asserts.push(span.clone());
            self.asserts.len() - 1
        });
        if *formula == Term::Bool(false) {
            return one(state, Exit::Fail(number));
        }
        let [holds, fails] = state.fork(formula, vars);
        vec![Path::new(fails, Exit::Fail(number)), Path::new(holds, Exit::Next)]
    }

    fn call(&mut self, call: &Call, frame: &Frame, state: State) -> Run<Vec<Path>> {
        let (state, inner) = self.enter(call, frame, state);
        let procedure = &self.unit.procedures[call.procedure];
        let mut paths = self.block(&procedure.body.code, &inner, state)?;
        for path in &mut paths {
            match path.exit {
                Exit::Return => path.exit = Exit::Next,
                Exit::Next if procedure.result.is_some() => return Err(no_result(procedure)),
                _ => {}
            }
        }
        Ok(paths)
    }

    /// The paths on which the arguments of a call have values.
    pub(super) fn arguments(
        &self,
        call: &Call,
        span: &Span,
        frame: &Frame,
        state: State,
    ) -> Run<Vec<State>> {
        let terms: Vec<&Term> = call.arguments.iter().collect();
        split(state, &terms, span, &frame.vars)
    }

    /// Passes the arguments: the parameters get their values and the locals their initial ones,
    /// all at once.
    pub(super) fn enter(&self, call: &Call, frame: &Frame, mut state: State) -> (State, Frame) {
        let body = &self.unit.procedures[call.procedure].body;
        let vars = self.variables.procedures[call.procedure].clone();
        let inner = Frame {
            vars: vars.unwrap_or_default(),
            result: call.result.map(|slot| variable(slot, &frame.vars)),
        };
        let terms = call.arguments.iter();
        let values: Vec<_> = terms.map(|t| state.eval(t, &frame.vars)).collect();
        for (i, local) in body.locals.iter().enumerate().skip(values.len()) {
            match &local.init {
                Some(value) => {
                    let value = state.eval(value, &inner.vars);
                    state.assign(inner.vars[i].clone(), value);
                }
                None => state.havoc(&whole(i, local.sort), self.variables, &inner.vars),
            }
        }
        for (variable, value) in inner.vars.iter().zip(values) {
            state.assign(variable.clone(), value);
        }
        (state, inner)
    }
}

impl Path {
    fn new(state: State, exit: Exit) -> Self {
        Path { state, exit }
    }
}

fn one(state: State, exit: Exit) -> Vec<Path> {
    vec![Path::new(state, exit)]
}

/// The whole variable number `local` of a body.
fn whole(local: usize, sort: Sort) -> Place {
    Place { slot: Slot::Local(local), index: None, sort }
}

/// The error of a step whose terms grow past the limit.
pub(super) fn too_large(span: &Span) -> Diagnostic {
    let message = "the formula of this step grows too large";
    Diagnostic::new(span.clone(), message).hint("split it into several steps")
}

fn too_many(span: &Span) -> Diagnostic {
    let message = format!("more than {MAX_PATHS} paths through one atomic step");
    Diagnostic::new(span.clone(), message).hint("split it, or use fewer branches")
}

/// Evaluates a condition; `span` is the statement that it belongs to.
pub(super) fn decide(condition: &Cond, span: &Span, vars: &[Op], state: State) -> Run<Ways> {
    state.decide(condition, vars).map_err(|_| too_many(span))
}

/// The paths on which the terms' divisions have values.
fn split(state: State, terms: &[&Term], span: &Span, vars: &[Op]) -> Run<Vec<State>> {
    state.split(terms, vars).map_err(|_| too_many(span))
}

fn assign(place: &Place, value: &Value, span: &Span, vars: &[Op], state: State) -> Run<Vec<Path>> {
    let mut out = Vec::new();
    match value {
        Value::Term(term) => {
            for mut state in split(state, &place.terms(term), span, vars)? {
                let value = state.eval(term, vars);
                state.write(place, value, vars);
                out.push(Path::new(state, Exit::Next));
            }
        }
        Value::Cond(condition) => {
            for (state, value) in decide(condition, span, vars, state)? {
                for mut state in split(state, &place.terms(&Term::Bool(value)), span, vars)? {
                    state.write(place, vec![Op::Bool(value)], vars);
                    out.push(Path::new(state, Exit::Next));
                }
            }
        }
    }
    Ok(out)
}

fn returned(value: Option<&Value>, span: &Span, frame: &Frame, state: State) -> Run<Vec<Path>> {
    let deliver = |state: &mut State, value: Vec<Op>| {
        if let Some(result) = &frame.result {
            state.assign(result.clone(), value);
        }
    };
    match value {
        None => Ok(one(state, Exit::Return)),
        Some(Value::Term(term)) => {
            let mut out = Vec::new();
            for mut state in split(state, &[term], span, &frame.vars)? {
                let value = state.eval(term, &frame.vars);
                deliver(&mut state, value);
                out.push(Path::new(state, Exit::Return));
            }
            Ok(out)
        }
        Some(Value::Cond(condition)) => {
            let mut out = Vec::new();
            for (mut state, value) in decide(condition, span, &frame.vars, state)? {
                deliver(&mut state, vec![Op::Bool(value)]);
                out.push(Path::new(state, Exit::Return));
            }
            Ok(out)
        }
    }
}

/// The error that a procedure's end can be reached without a result.
pub(super) fn no_result(procedure: &super::super::ir::Procedure) -> Diagnostic {
    let message = format!("`{}` can end without returning a value", procedure.name);
    Diagnostic::new(procedure.span.clone(), message).hint("end it with `return e;`")
}
