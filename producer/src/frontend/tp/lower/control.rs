//! From the statements of a thread to its control-flow graph.
//!
//! Statements are visited in order with a current location. Each statement that is a step takes
//! the current location and leads to a new one; jumps and joins merge locations.

use super::super::ast::Span;
use super::super::ir::{Body, Call, Cond, Stmt, StmtKind, Term};
use super::graph::{Graph, Step, Target};
use super::notes::Notes;
use super::run::{Exit, Frame, Path, Runner, decide, no_result, too_large};
use super::step::State;
use crate::text::Diagnostic;
use std::collections::BTreeSet;
use threadproof_format::{Expr, Op};

/// Operators of all edges of one template.
pub(super) const MAX_SIZE: usize = 2_000_000;
/// Edges of one template.
pub(super) const MAX_EDGES: usize = 50_000;

/// Where jumps of a body lead.
struct Context<'f> {
    frame: &'f Frame,
    labels: Vec<usize>,
    /// Head and exit of the innermost loop.
    innermost: Option<(usize, usize)>,
    /// Behind the body.
    end: usize,
}

/// The pass over one template.
pub(super) struct Control<'a> {
    pub graph: Graph,
    pub runner: Runner<'a>,
    notes: Notes<'a>,
    /// The current location; none behind a jump.
    current: Option<usize>,
    /// Nodes that something leads to, of those that may stay unused: ends and loop exits.
    used: BTreeSet<usize>,
    size: usize,
    /// What is said of loops: the node, the formula, and its place.
    pub said: Vec<(usize, Expr, String)>,
}

impl<'a> Control<'a> {
    pub(super) fn new(runner: Runner<'a>, notes: Notes<'a>) -> Self {
        Control {
            graph: Graph::default(),
            runner,
            notes,
            current: None,
            used: BTreeSet::new(),
            size: 0,
            said: Vec::new(),
        }
    }

    /// The graph of a thread; gives its first and last location.
    pub(super) fn thread(&mut self, body: &Body) -> Result<(usize, usize), Diagnostic> {
        let (start, end) = (self.graph.node(), self.graph.node());
        let frame = Frame { vars: self.runner.variables.thread.clone(), result: None };
        self.current = Some(start);
        self.body(body, &frame, end)?;
        self.join(end);
        Ok((start, end))
    }

    fn body(&mut self, body: &Body, frame: &Frame, end: usize) -> Result<(), Diagnostic> {
        let mut context = Context {
            frame,
            labels: body.labels.iter().map(|_| self.graph.node()).collect(),
            innermost: None,
            end,
        };
        self.block(&body.code, body, &mut context)
    }

    fn block(
        &mut self,
        code: &[Stmt],
        body: &Body,
        context: &mut Context<'_>,
    ) -> Result<(), Diagnostic> {
        for statement in code {
            self.runner.deeper(&statement.span)?;
            self.statement(statement, body, context)?;
            self.runner.depth -= 1;
        }
        Ok(())
    }

    /// Merges the current location, if there is one, with another; a jump.
    fn join(&mut self, node: usize) {
        if let Some(current) = self.current.take() {
            self.graph.merge(current, node);
            self.used.insert(node);
        }
    }

    /// The current location. Where there is none the statement can never run.
    fn here(&mut self, span: &Span) -> usize {
        match self.current {
            Some(node) => node,
            None => {
                self.runner.dead.push(span.clone());
                let node = self.graph.node();
                self.current = Some(node);
                node
            }
        }
    }

    fn statement(
        &mut self,
        s: &Stmt,
        body: &Body,
        context: &mut Context<'_>,
    ) -> Result<(), Diagnostic> {
        if let StmtKind::Label(label) = s.kind {
            let node = context.labels[label];
            let root = self.graph.find(node);
            let name = (body.labels[label].clone(), s.span.clone());
            self.graph.nodes[root].labels.push(name.0.clone());
            self.graph.nodes[root].label.get_or_insert(name);
            self.join(node);
            self.current = Some(node);
            return Ok(());
        }
        let here = self.here(&s.span);
        match &s.kind {
            StmtKind::Goto(label) => self.join(context.labels[*label]),
            StmtKind::Return(None) => self.join(context.end),
            StmtKind::Break | StmtKind::Continue => {
                if let Some((head, exit)) = context.innermost {
                    let is_break = matches!(s.kind, StmtKind::Break);
                    self.join(if is_break { exit } else { head });
                }
            }
            StmtKind::Block(inner) => self.block(inner, body, context)?,
            StmtKind::If(condition, span, then, other) => {
                self.occupy(here, &(s.span.start..span.end));
                self.branch(here, condition, span, [then, other], body, context)?;
            }
            StmtKind::While(condition, span, invariants, inner) => {
                self.occupy(here, &(s.span.start..span.end));
                self.said(here, invariants, context)?;
                self.repeat(here, condition, span, inner, body, context)?;
            }
            StmtKind::Call(call) => self.call(here, s, call, context)?,
            _ => self.step(here, s, context)?,
        }
        Ok(())
    }

    fn occupy(&mut self, node: usize, span: &Span) {
        self.graph.occupy(node, span);
    }

    /// A statement that is one step.
    fn step(&mut self, here: usize, s: &Stmt, context: &Context<'_>) -> Result<(), Diagnostic> {
        self.occupy(here, &s.span);
        let paths = self.runner.statement(s, context.frame, self.runner.start())?;
        self.current = None;
        for Path { state, exit } in paths {
            let text = self.notes.statement(&s.span);
            let (target, note) = match exit {
                Exit::Fail(assert) => (Target::Error(assert), format!("{text} fails")),
                Exit::Next => {
                    let node = match self.current {
                        Some(node) => node,
                        None => self.graph.node(),
                    };
                    self.current = Some(node);
                    (Target::Node(node), text)
                }
                Exit::Return => (self.used(context.end), text),
                Exit::Break | Exit::Continue => {
                    let (head, exit_node) = context.innermost.unwrap_or((here, here));
                    let is_break = exit == Exit::Break;
                    (self.used(if is_break { exit_node } else { head }), text)
                }
            };
            self.edge(here, target, state, note, &s.span)?;
        }
        Ok(())
    }

    fn used(&mut self, node: usize) -> Target {
        self.used.insert(node);
        Target::Node(node)
    }

    fn edge(
        &mut self,
        source: usize,
        target: Target,
        state: State,
        note: String,
        span: &Span,
    ) -> Result<(), Diagnostic> {
        if state.too_large {
            return Err(too_large(span));
        }
        self.size += state.size();
        if self.size > MAX_SIZE || self.graph.steps.len() >= MAX_EDGES {
            let message = "the thread grows too large when its procedures are inlined";
            return Err(Diagnostic::new(span.clone(), message));
        }
        self.graph.steps.push(Step { source, target, state, note });
        Ok(())
    }

    /// The edges of a condition, to the nodes for true and false.
    fn decide(
        &mut self,
        here: usize,
        condition: &Cond,
        span: &Span,
        vars: &[Op],
        targets: [usize; 2],
    ) -> Result<(), Diagnostic> {
        let [yes, no] = targets;
        for (state, value) in decide(condition, span, vars, self.runner.start())? {
            let note = self.notes.condition(span, value);
            let target = Target::Node(if value { yes } else { no });
            self.edge(here, target, state, note, span)?;
        }
        Ok(())
    }

    fn branch(
        &mut self,
        here: usize,
        condition: &Cond,
        span: &Span,
        branches: [&Vec<Stmt>; 2],
        body: &Body,
        context: &mut Context<'_>,
    ) -> Result<(), Diagnostic> {
        let targets = [self.graph.node(), self.graph.node()];
        let vars = &context.frame.vars;
        self.decide(here, condition, span, vars, targets)?;
        let mut behind = None;
        for (branch, start) in branches.into_iter().zip(targets) {
            self.current = Some(start);
            self.block(branch, body, context)?;
            behind = match (behind, self.current) {
                (Some(a), Some(b)) => {
                    self.graph.merge(a, b);
                    Some(a)
                }
                (a, b) => a.or(b),
            };
        }
        self.current = behind;
        Ok(())
    }

    /// Notes what is said of the loop whose head is here.
    fn said(
        &mut self,
        here: usize,
        invariants: &[(Term, Span)],
        context: &Context<'_>,
    ) -> Result<(), Diagnostic> {
        for (formula, span) in invariants {
            let mut state = self.runner.start();
            let formula = Expr(state.formula(formula, &context.frame.vars));
            if state.too_large {
                return Err(too_large(span));
            }
            self.said.push((here, formula, self.notes.clause("invariant", span)));
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        head: usize,
        condition: &Cond,
        span: &Span,
        inner: &[Stmt],
        body: &Body,
        context: &mut Context<'_>,
    ) -> Result<(), Diagnostic> {
        let (start, exit) = (self.graph.node(), self.graph.node());
        let vars = &context.frame.vars;
        self.decide(head, condition, span, vars, [start, exit])?;
        if condition.constant() != Some(true) {
            self.used.insert(exit);
        }
        let outer = context.innermost.replace((head, exit));
        self.current = Some(start);
        self.block(inner, body, context)?;
        self.join(head);
        context.innermost = outer;
        self.current = self.used.contains(&exit).then_some(exit);
        Ok(())
    }

    /// A call: one step that passes the arguments, then the procedure's statements.
    fn call(
        &mut self,
        here: usize,
        s: &Stmt,
        call: &Call,
        context: &Context<'_>,
    ) -> Result<(), Diagnostic> {
        let start = self.runner.start();
        let states = self.runner.arguments(call, &s.span, context.frame, start)?;
        let entered = states.into_iter().map(|state| self.runner.enter(call, context.frame, state));
        let (states, frames): (Vec<State>, Vec<Frame>) = entered.unzip();
        let frame = &frames[0];
        if !states.iter().all(State::is_idle) {
            self.occupy(here, &s.span);
            let node = self.graph.node();
            let note = self.notes.statement(&s.span);
            for state in states {
                self.edge(here, Target::Node(node), state, note.clone(), &s.span)?;
            }
            self.current = Some(node);
        }
        let end = self.graph.node();
        let procedure = &self.runner.unit.procedures[call.procedure];
        self.notes.enter(&s.span);
        self.body(&procedure.body, frame, end)?;
        self.notes.leave();
        if procedure.result.is_some() && self.current.is_some() {
            return Err(no_result(procedure));
        }
        self.join(end);
        self.current = self.used.contains(&end).then_some(end);
        Ok(())
    }
}
