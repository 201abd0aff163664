//! What becomes of the assertions of a source: each is an error location of the core program, or it
//! is named with the reason why it is none, so that none disappears without a word.
//!
//! An assertion is a call of `assert`, `__VERIFIER_assert` or an error function, wherever it
//! stands: also in code that is never lowered. Where the program defines such a function itself,
//! the call is the assertion, and not what the definition calls. One that is lowered several times
//! (in functions called several times, in iterations of loops, in several threads) is there if
//! one of its copies is.

use crate::frontend::c::steps::builder::Copies;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::{Edge, Graph};
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::syntax::modelled::{Does, modelled};
use crate::frontend::c::syntax::source::Source;
use lang_c::ast::{CallExpression, Expression, FunctionDefinition, SizeOfTy, SizeOfVal};
use lang_c::span::Span;
use lang_c::visit::{self, Visit};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The label of the error locations of assertions.
pub(crate) const LABEL: &str = "error";

/// Why an assertion is no error location, the most telling one last: that of several copies is
/// given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The function that it is in.
    NotCalled(String),
    Unreached,
    /// What is called there.
    Own(String),
    Constant,
    Decided,
    Disabled,
    Compiler,
}

/// Assertions that have been lowered, and those that are none.
#[derive(Debug, Default)]
pub(crate) struct Assertions {
    reasons: BTreeMap<usize, Reason>,
    /// Functions whose bodies have been lowered.
    pub entered: BTreeSet<String>,
}

impl Assertions {
    pub(crate) fn because(&mut self, at: usize, reason: Reason) {
        let known = self.reasons.entry(at).or_insert(reason.clone());
        *known = known.clone().max(reason);
    }

    /// Looks at the assertions of a thread that has been lowered.
    pub(crate) fn lowered(&mut self, graph: &Graph, copies: &Copies) {
        let reached = graph.reached_from(vec![0]);
        // What lies behind a constant condition, with no step before it.
        let cut = copies.cut.iter().filter(|(condition, _)| reached[*condition]);
        let mut todo: Vec<usize> = cut.map(|(_, target)| *target).collect();
        let mut behind = BTreeSet::new();
        while let Some(node) = todo.pop() {
            if behind.insert(node) {
                let silent = |e: &&Edge| e.command == Command::default();
                let next = graph.edges.iter().filter(|e| e.source == node).filter(silent);
                todo.extend(next.map(|e| e.target));
            }
        }
        for (at, node) in &copies.failing {
            let reason = match (reached[*node], behind.contains(node)) {
                (true, _) => Reason::Decided,
                (false, true) => Reason::Constant,
                (false, false) => Reason::Unreached,
            };
            self.because(*at, reason);
        }
    }

    /// What is said of the assertions that are no error locations of these threads.
    pub(crate) fn missing(
        mut self,
        functions: &HashMap<String, &FunctionDefinition>,
        source: &Source,
        made: &[ThreadGraph],
    ) -> Vec<String> {
        let mut written = Written::default();
        // What is in the definition of one that is an assertion itself is none.
        for (name, function) in functions.iter().filter(|(name, _)| !is_assertion(name)) {
            written.function.clone_from(name);
            let body = &function.statement;
            written.visit_statement(&body.node, &body.span);
        }
        for Call { at, name, function } in written.calls {
            self.reasons.entry(at).or_insert(match () {
                () if !self.entered.contains(&function) => Reason::NotCalled(function),
                () if self.entered.contains(&name) => Reason::Own(name),
                () => Reason::Unreached,
            });
        }
        let present: BTreeSet<usize> =
            made.iter().flat_map(|thread| present(&thread.graph)).collect();
        let mut lines: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in self.reasons.keys() {
            lines.entry(source.line(*at)).or_default().push(*at);
        }
        let gone = self.reasons.iter().filter(|(at, _)| !present.contains(at));
        gone.map(|(at, reason)| {
            let line = source.line(*at);
            let all = &lines[&line];
            let which = match all.iter().position(|other| other == at) {
                Some(i) if all.len() > 1 => format!(" ({} of {} in this line)", i + 1, all.len()),
                _ => String::new(),
            };
            format!("assertion {line}{which} is no error location: {}", reason.text())
        })
        .collect()
    }
}

impl Reason {
    fn text(&self) -> String {
        match self {
            Reason::NotCalled(function) => {
                format!("it is in `{function}`, which is neither called nor run by a thread")
            }
            Reason::Unreached => "no execution reaches it".to_owned(),
            Reason::Own(name) => {
                format!("the program defines `{name}`, and there is no error in that")
            }
            Reason::Constant => "its condition is constant".to_owned(),
            Reason::Decided => {
                "the translation finds by the values and ranges of variables that it does not fail"
                    .to_owned()
            }
            Reason::Disabled => "NDEBUG is defined".to_owned(),
            Reason::Compiler => "it is left to the compiler".to_owned(),
        }
    }
}

/// The places of assertions that are error locations of a thread.
fn present(graph: &Graph) -> impl Iterator<Item = usize> {
    let targets = graph.edges.iter().map(|edge| &graph.nodes[edge.target]);
    targets.filter(|node| node.error && node.label == LABEL).map(|node| node.at)
}

/// Whether calls of a function are assertions.
pub(crate) fn is_assertion(name: &str) -> bool {
    let fails = |does: &Does| matches!(does, Does::Fail | Does::Assert | Does::Disabled);
    modelled(name).is_some_and(|of| fails(&of.does))
}

struct Call {
    at: usize,
    name: String,
    /// The function that it is in.
    function: String,
}

/// The assertions that are written in a source.
#[derive(Default)]
pub(crate) struct Written {
    function: String,
    calls: Vec<Call>,
}

impl<'ast> Visit<'ast> for Written {
    fn visit_expression(&mut self, e: &'ast Expression, span: &'ast Span) {
        if let Expression::Call(call) = e
            && let CallExpression { callee, .. } = &call.node
            && let Expression::Identifier(name) = &callee.node
            && is_assertion(&name.node.name)
        {
            let (name, function) = (name.node.name.clone(), self.function.clone());
            self.calls.push(Call { at: span.start, name, function });
        }
        visit::visit_expression(self, e, span);
    }

    // These are not evaluated.
    fn visit_sizeofval(&mut self, _: &'ast SizeOfVal, _: &'ast Span) {}
    fn visit_sizeofty(&mut self, _: &'ast SizeOfTy, _: &'ast Span) {}
}
