//! The builder of a thread's automaton: elementary steps are added at the location where the thread
//! is.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::steps::command::{Access, Command};
use crate::frontend::c::steps::graph::{Graph, Node};
use crate::frontend::c::steps::path::Path;
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::syntax::source::Source;
use crate::frontend::c::term;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::range;
use lang_c::span::Span;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_format::{Op, Sort};

/// Edges of one thread before they are reduced.
const MAX_EDGES: usize = 60_000;

/// How far a thread has been built.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    edges: usize,
    current: usize,
}

/// The automaton under construction, with the position in the source that its steps come from.
pub(crate) struct Steps<'a> {
    source: &'a Source,
    graph: Graph,
    current: usize,
    /// The thread's own variables.
    variables: Vec<Variable>,
    /// Temporary variables, and how many of them are in use.
    pub temporaries: Vec<Op>,
    used: usize,
    /// Error locations by their kinds and places.
    errors: BTreeMap<(String, usize), usize>,
    copies: Copies,
    /// The statement at work.
    span: Span,
    /// The calls and iterations of loops that lead to it.
    pub path: Path,
}

impl<'a> Steps<'a> {
    /// A thread at its initial location.
    pub(crate) fn new(source: &'a Source, span: Span) -> Self {
        let mut graph = Graph::default();
        graph.node(Node::default());
        Steps {
            source,
            graph,
            current: 0,
            variables: Vec::new(),
            temporaries: Vec::new(),
            used: 0,
            errors: BTreeMap::new(),
            copies: Copies::default(),
            span,
            path: Path::default(),
        }
    }

    /// The automaton with its variables, and the copies of assertions.
    pub(crate) fn done(self) -> (Graph, Vec<Variable>, Copies) {
        (self.graph, self.variables, self.copies)
    }

    /// The location where the thread is.
    pub(crate) fn here(&self) -> usize {
        self.current
    }

    /// Goes on from a location.
    pub(crate) fn resume(&mut self, node: usize) {
        self.current = node;
    }

    /// The source span that steps come from.
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    /// Steps come from this span from now on; the former one.
    pub(crate) fn locate(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// How many temporary variables are in use, for [`Self::release`].
    pub(crate) fn in_use(&self) -> usize {
        self.used
    }

    /// Frees the temporary variables behind the first `used`.
    pub(crate) fn release(&mut self, used: usize) {
        self.used = used;
    }

    /// How far the thread has been built.
    pub(crate) fn mark(&self) -> Mark {
        Mark { edges: self.graph.edges.len(), current: self.current }
    }

    /// Whether there has been no step since a mark.
    pub(crate) fn unchanged(&self, since: Mark) -> bool {
        self.graph.edges.len() == since.edges
    }

    /// Drops the steps since a mark.
    pub(crate) fn rewind(&mut self, to: Mark) {
        self.graph.edges.truncate(to.edges);
        self.current = to.current;
    }

    /// The number of the next edge.
    pub(crate) fn next_edge(&self) -> usize {
        self.graph.edges.len()
    }

    /// The initial value of an own variable.
    pub(crate) fn initial(&mut self, variable: u32) -> Option<&mut Vec<BigInt>> {
        self.variables[variable as usize].init.as_mut()
    }

    /// No step so far touches a shared variable as others see it: it may come right before the
    /// next.
    pub(crate) fn hide(&mut self) {
        self.graph.edges.iter_mut().for_each(|edge| edge.access = Access::None);
    }
}

/// What is known of the copies in one thread before the reduction.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Assertions with the locations at which they fail.
    pub failing: Vec<(usize, usize)>,
    /// Locations that constant conditions do not lead to, with those of the conditions.
    pub cut: Vec<(usize, usize)>,
}

impl Copies {
    /// A condition is constant: it does not lead there.
    pub(crate) fn cuts(&mut self, condition: usize, target: usize) {
        self.cut.push((condition, target));
    }
}

impl Steps<'_> {
    /// A new location, in the atomic sections that are open here.
    pub(crate) fn node(&mut self) -> usize {
        let depth = self.depth();
        self.graph.node(Node { depth, at: self.span.start, ..Node::default() })
    }

    /// How many atomic sections are open here.
    pub(crate) fn depth(&self) -> usize {
        self.graph.nodes[self.current].depth
    }

    /// A location that nothing leads to yet, to go on from behind a jump.
    pub(crate) fn nowhere(&mut self) {
        self.current = self.node();
    }

    /// The place and text of the statement at work, and what is said of it.
    pub(crate) fn note(&self, said: Option<&str>) -> String {
        let mut note = self.source.note(self.span);
        if let (Some(said), Some((place, text))) = (said, note.split_once(": ")) {
            note = format!("{place}: {said}: {text}");
        }
        let calls = self.path.places();
        let lines: Vec<String> = calls.map(|at| self.source.place(at).line.to_string()).collect();
        if !lines.is_empty() {
            note.push_str(&format!(" (called at {})", lines.join(", ")));
        }
        note
    }

    pub(crate) fn edge(&mut self, target: usize, command: Command, partial: bool) -> Lower<()> {
        let note = self.note(None);
        if self.graph.edges.len() >= MAX_EDGES {
            return Err(Fault::wrong(self.span.start, "the thread grows too large"));
        }
        self.graph.edge(self.current, target, command, note);
        self.graph.nodes[self.current].partial |= partial;
        Ok(())
    }

    /// One step with alternatives. They are `partial` if it may be that none is possible.
    pub(crate) fn step(&mut self, alternatives: Vec<Command>, partial: bool) -> Lower<()> {
        let target = self.node();
        for command in alternatives {
            self.edge(target, command, partial)?;
        }
        self.current = target;
        Ok(())
    }

    /// A jump.
    pub(crate) fn jump(&mut self, target: usize) -> Lower<()> {
        if self.graph.nodes[target].depth != self.depth() && self.reached() {
            let what = "a jump into or out of an atomic section";
            return Err(Fault::unsupported(self.span.start, what));
        }
        let source = self.current;
        self.graph.edge(source, target, Command::default(), String::new());
        Ok(())
    }

    /// Whether something leads here already.
    fn reached(&self) -> bool {
        let here = self.current;
        here == 0 || self.graph.edges.iter().rev().any(|edge| edge.target == here)
    }

    /// Opens an atomic section.
    pub(crate) fn begin(&mut self) -> Lower<()> {
        self.skip(self.depth() + 1)
    }

    /// Closes an atomic section.
    pub(crate) fn finish(&mut self, at: usize) -> Lower<()> {
        match self.depth().checked_sub(1) {
            Some(open) => self.skip(open),
            None if self.reached() => {
                Err(Fault::wrong(at, "an atomic section ends that has not begun"))
            }
            None => Ok(()),
        }
    }

    /// A step that does nothing, to a location in so many atomic sections.
    fn skip(&mut self, depth: usize) -> Lower<()> {
        let target = self.graph.node(Node { depth, at: self.span.start, ..Node::default() });
        self.edge(target, Command::default(), false)?;
        self.current = target;
        Ok(())
    }

    /// An own variable of the thread.
    pub(crate) fn own(&mut self, variable: Variable) -> Op {
        self.variables.push(variable);
        Op::Local(0, number(self.variables.len() - 1))
    }

    /// A temporary variable, in use until the statement ends.
    pub(crate) fn temporary(&mut self) -> Op {
        if self.used == self.temporaries.len() {
            let name = format!("t{}", self.used + 1);
            let op = self.own(Variable { name, sort: Sort::Int, init: None, range: None });
            self.temporaries.push(op);
        }
        self.used += 1;
        self.temporaries[self.used - 1].clone()
    }

    /// A parameter or result as an own variable.
    pub(crate) fn scalar(&mut self, name: String, ty: &Type) -> Op {
        let range = Some(range(ty));
        self.own(Variable { name, sort: Sort::Int, init: None, range })
    }

    /// The error location of a place, by the kind of error.
    pub(crate) fn error(&mut self, label: &str, at: usize) -> usize {
        let graph = &mut self.graph;
        let new =
            || graph.node(Node { error: true, label: label.to_owned(), at, ..Node::default() });
        *self.errors.entry((label.to_owned(), at)).or_insert_with(new)
    }

    /// An edge to the error location of a place, and what is said of it.
    pub(crate) fn fails(&mut self, label: &str, says: &str, command: Command, at: usize) {
        let note = self.note(Some(says));
        let error = self.error(label, at);
        self.graph.edge(self.current, error, command, note);
    }

    /// An assertion fails where the thread is.
    pub(crate) fn failing(&mut self, at: usize) {
        self.copies.failing.push((at, self.current));
    }

    /// Goes on where a formula holds, and where it does not.
    pub(crate) fn split(&mut self, formula: &[Op], yes: usize, no: usize) -> Lower<()> {
        for (holds, target) in [(true, yes), (false, no)] {
            if *formula == [Op::Bool(!holds)] {
                self.copies.cuts(self.current, target);
                continue;
            }
            let formula = if holds { formula.to_vec() } else { term::not(formula) };
            self.edge(target, Command::default().when(formula), false)?;
        }
        self.nowhere();
        Ok(())
    }
}
