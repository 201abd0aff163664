//! Thread-modular specifications ("Abstract Threads", Appendix A): what a thread does in turn, and
//! what it relies on. They are abstract threads with a node for each number of steps done.

use super::super::ast::{Abstraction, Edge, Name, Node, Said, Span};
use super::abstraction::Relation;
use crate::text::token::{Parsed, Parser, fail_hint, found, symbol, word};

/// The node of threads that have reached their end.
const POST: &str = "end";

impl<'a> Parser<'a> {
    /// A specification; `start` stands at the word, `i` behind it.
    pub(super) fn specification(&self, start: &'a str, i: &'a str) -> Parsed<'a, Abstraction> {
        let (i, name) = self.name(i, "the name of a specification")?;
        let span = self.span(start, i);
        let (i, abstracts) = self.abstracts(i)?;
        let (mut i, ()) = self.expect(i, "{")?;
        let mut out = Abstraction::new(name, abstracts);
        out.add_node("done_0".to_owned(), span);
        loop {
            if let Ok((rest, ())) = symbol(i, "}") {
                return Ok((rest, out));
            }
            i = self.next_part(i, |i| self.specified(i, &mut out))?;
        }
    }

    fn specified(&self, i: &'a str, out: &mut Abstraction) -> Parsed<'a, ()> {
        match word(i) {
            Ok((rest, "pre")) => {
                let (rest, said) = self.said(i, rest)?;
                out.nodes[0].assertions.push(said);
                Ok((rest, ()))
            }
            Ok((rest, "invariant")) => {
                let (rest, said) = self.said(i, rest)?;
                out.common.push(said);
                Ok((rest, ()))
            }
            Ok((rest, "environment")) => {
                let (rest, said) = self.said(i, rest)?;
                out.environment.push(said);
                Ok((rest, ()))
            }
            Ok((_, "step" | "post")) if out.nodes.iter().any(|node| node.name.text == POST) => {
                fail_hint(i, "a part after `post`", "`post` is the last part of a specification")
            }
            Ok((rest, "step")) => {
                let (rest, relation) = self.relation(rest)?;
                let node = format!("done_{}", out.nodes.len());
                out.add_step(node, relation, self.span(i, rest));
                Ok((rest, ()))
            }
            // The paper's last step is <post>, and <...> leaves the variables as they are.
            Ok((rest, "post")) => {
                let (rest, Said { formula, span }) = self.said(i, rest)?;
                out.add_step(POST.to_owned(), (Some(formula), Some(Vec::new())), span);
                Ok((rest, ()))
            }
            _ => fail_hint(
                i,
                format!("expected a part of a specification, found {}", found(i)),
                "the parts of a specification are `pre`, `invariant`, `environment`, `step` and `post`",
            ),
        }
    }
}

impl Abstraction {
    /// A node behind all others; the first one is initial.
    fn add_node(&mut self, text: String, span: Span) {
        let (initial, assertions) = (self.nodes.is_empty(), Vec::new());
        let name = Name { text, span: span.clone() };
        self.nodes.push(Node { name, initial, assertions, span });
    }

    /// An edge from the last node to a new one.
    fn add_step(&mut self, node: String, (relation, unchanged): Relation, span: Span) {
        let source = self.nodes.last().map(|node| node.name.clone());
        let target = Name { text: node.clone(), span: span.clone() };
        self.add_node(node, span.clone());
        let edge = source.map(|source| Edge { source, target, relation, unchanged, span });
        self.edges.extend(edge);
    }
}
