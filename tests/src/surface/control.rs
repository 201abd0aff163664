//! Where a thread is: what it has left to do, and what takes no step.

use super::ast::{Body, Decl, Expr, Stmt, Unit};
use crate::explicit::Value;
use std::collections::HashMap;
use std::slice::from_ref;

/// Statements to do, up to the end of their list. They are known by the first one's number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code<'a> {
    number: usize,
    pub list: &'a [Stmt],
}

impl PartialEq for Code<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Code<'_> {}

impl PartialOrd for Code<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Code<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.number.cmp(&other.number)
    }
}

impl std::hash::Hash for Code<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

/// What a thread has left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Work<'a> {
    Code(Code<'a>),
    /// The condition of this loop, and what follows from it.
    Loop(Code<'a>),
    /// The end of an atomic block.
    AtomicEnd,
}

/// A thread's own variables and work, or those of a procedure that it has called.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Frame<'a> {
    /// An index into `Layout::bodies`.
    pub body: usize,
    pub variables: Vec<Value>,
    /// The next one last.
    pub work: Vec<Work<'a>>,
    /// The caller's variable that takes the result.
    pub result: Option<&'a str>,
}

/// What the text of a program says of its control.
pub(super) struct Layout<'a> {
    pub unit: &'a Unit,
    /// The procedures, with their parameters, and then the threads.
    pub bodies: Vec<(&'a [Decl], &'a Body)>,
    /// A number for each statement.
    numbers: HashMap<*const Stmt, usize>,
    /// The steps that labels stand at. At the end of a thread there is none: the thread's body
    /// instead.
    labels: HashMap<&'a str, Vec<Result<usize, usize>>>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(unit: &'a Unit) -> Self {
        let procedures = unit.procedures.iter().map(|p| (p.params.as_slice(), &p.body));
        let threads = unit.threads.iter().map(|t| ([].as_slice(), &t.body));
        let bodies = procedures.chain(threads).collect();
        let mut layout = Layout { unit, bodies, numbers: HashMap::new(), labels: HashMap::new() };
        for body in 0..layout.bodies.len() {
            layout.number(&layout.bodies[body].1.code);
        }
        for body in 0..layout.bodies.len() {
            layout.place_labels(body);
        }
        layout
    }

    /// The program's globals.
    pub(super) fn globals(&self) -> &'a [Decl] {
        &self.unit.globals
    }

    fn number(&mut self, code: &'a [Stmt]) {
        for s in code {
            let number = self.numbers.len();
            self.numbers.insert(s, number);
            inside(s).into_iter().for_each(|inner| self.number(inner));
        }
    }

    /// Notes where the labels of a body are: at the first step behind each.
    fn place_labels(&mut self, body: usize) {
        let code = &self.bodies[body].1.code;
        for name in labels(code) {
            let mut frames = vec![self.frame(body, Vec::new(), None)];
            frames[0].work = self.behind(code, name).expect("the label is there");
            self.settle(&mut frames);
            let at = next(&frames).ok_or(body);
            assert!(
                at.is_ok() || body >= self.unit.procedures.len(),
                "{name} at a procedure's end: it is not said which threads count"
            );
            self.labels.entry(name).or_default().push(at);
        }
    }

    /// Whether a thread is at a label: whether its next step is the label's.
    pub(super) fn is_at(&self, frames: &[Frame<'a>], label: &str) -> bool {
        let here = next(frames).ok_or(frames[0].body);
        self.labels[label].contains(&here)
    }

    /// What is left to do from a label on.
    fn behind(&self, code: &'a [Stmt], label: &str) -> Option<Vec<Work<'a>>> {
        code.iter().enumerate().find_map(|(i, s)| {
            let mut work = Vec::new();
            self.push(&mut work, &code[i + 1..]);
            match s {
                Stmt::Label(name, inner) if name == label => self.push(&mut work, from_ref(inner)),
                _ => {
                    if let Stmt::While(..) = s {
                        work.push(Work::Loop(self.code(from_ref(s))));
                    }
                    let mut inner = inside(s).into_iter();
                    work.extend(inner.find_map(|inner| self.behind(inner, label))?);
                }
            }
            Some(work)
        })
    }

    fn code(&self, list: &'a [Stmt]) -> Code<'a> {
        Code { number: self.numbers[&std::ptr::from_ref(&list[0])], list }
    }

    pub(super) fn push(&self, work: &mut Vec<Work<'a>>, list: &'a [Stmt]) {
        if !list.is_empty() {
            work.push(Work::Code(self.code(list)));
        }
    }

    /// Takes the first statement out of the work.
    pub(super) fn advance(&self, work: &mut Vec<Work<'a>>) {
        let Some(Work::Code(code)) = work.pop() else { panic!("no statement is left") };
        self.push(work, &code.list[1..]);
    }

    /// A frame at the start of its body.
    pub(super) fn frame(
        &self,
        body: usize,
        variables: Vec<Value>,
        result: Option<&'a str>,
    ) -> Frame<'a> {
        let mut work = Vec::new();
        self.push(&mut work, &self.bodies[body].1.code);
        Frame { body, variables, work, result }
    }

    /// The procedure that a statement calls, with the arguments and the variable that takes the
    /// result.
    pub(super) fn call(&self, s: &'a Stmt) -> Option<(usize, &'a [Expr], Option<&'a str>)> {
        let (name, arguments, result) = match s {
            Stmt::Call(name, arguments) => (name, arguments, None),
            Stmt::Assign(place, Expr::Call(name, arguments)) => {
                (name, arguments, Some(place.name.as_str()))
            }
            _ => return None,
        };
        let procedure = self.unit.procedures.iter().position(|p| p.name == *name);
        Some((procedure.expect("a procedure"), arguments, result))
    }

    /// Does what takes no step, until the next thing is a step or the thread has ended.
    pub(super) fn settle(&self, frames: &mut Vec<Frame<'a>>) {
        loop {
            let nested = frames.len() > 1;
            let frame = frames.last_mut().expect("a frame");
            let s = match frame.work.last() {
                None if nested => {
                    frames.pop();
                    continue;
                }
                None | Some(Work::Loop(_)) => return,
                Some(Work::AtomicEnd) => {
                    frame.work.pop();
                    continue;
                }
                Some(Work::Code(code)) => &code.list[0],
            };
            match s {
                Stmt::Empty => self.advance(&mut frame.work),
                Stmt::Block(_) | Stmt::Label(..) => {
                    self.advance(&mut frame.work);
                    inside(s).into_iter().for_each(|inner| self.push(&mut frame.work, inner));
                }
                Stmt::While(..) => {
                    self.advance(&mut frame.work);
                    frame.work.push(Work::Loop(self.code(from_ref(s))));
                }
                Stmt::Goto(label) => {
                    let work = self.behind(&self.bodies[frame.body].1.code, label);
                    frame.work = work.expect("the label is there");
                }
                Stmt::Break | Stmt::Continue => {
                    while !matches!(frame.work.last(), Some(Work::Loop(_))) {
                        frame.work.pop().expect("a loop");
                    }
                    if *s == Stmt::Break {
                        frame.work.pop();
                    }
                }
                Stmt::Return(None) => frame.work.clear(),
                _ => match self.call(s) {
                    Some((body, _, result)) if self.variables(body).next().is_none() => {
                        self.advance(&mut frame.work);
                        frames.push(self.frame(body, Vec::new(), result));
                    }
                    _ => return,
                },
            }
        }
    }

    /// A body's variables, its parameters first.
    pub(super) fn variables(&self, body: usize) -> impl Iterator<Item = &'a Decl> {
        let (params, body) = self.bodies[body];
        params.iter().chain(&body.locals)
    }
}

/// The number of the statement that is the next step.
fn next(frames: &[Frame<'_>]) -> Option<usize> {
    match frames.last().and_then(|frame| frame.work.last())? {
        Work::Code(code) | Work::Loop(code) => Some(code.number),
        Work::AtomicEnd => panic!("between two steps"),
    }
}

/// The lists of statements inside a statement.
fn inside(s: &Stmt) -> Vec<&[Stmt]> {
    match s {
        Stmt::Block(inner) | Stmt::Atomic(inner) => vec![inner],
        Stmt::Label(_, inner) | Stmt::While(_, inner) => vec![from_ref(inner)],
        Stmt::If(_, then, other) => {
            let other = other.as_deref().map(from_ref);
            [Some(from_ref(&**then)), other].into_iter().flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// The labels in a list of statements.
fn labels(code: &[Stmt]) -> Vec<&str> {
    let mut out = Vec::new();
    for s in code {
        if let Stmt::Label(name, _) = s {
            out.push(name.as_str());
        }
        out.extend(inside(s).into_iter().flat_map(labels));
    }
    out
}
