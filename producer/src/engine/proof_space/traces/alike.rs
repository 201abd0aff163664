//! The triple of one command for the others of its template.
//!
//! The steps of a phase do the same to a predicate, each from a location of its own. Once a triple
//! speaks of threads at any of these locations (`counters::widening`) it holds of all the steps,
//! and a trace for each of them would find no more.

use crate::logic::basis::{self, Basis, Triple};
use crate::logic::model::{Facts, number};
use crate::logic::predicates::{Predicates, Thread};
use crate::logic::validity::{Act, Validity};

/// What is looked at for such triples.
pub struct Alike<'s, 'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// All predicates.
    pub predicates: &'s Predicates<'a>,
    /// Triples decided so far.
    pub validity: &'s mut Validity,
    /// What is known; a command that it has a triple of needs no other.
    pub basis: &'s Basis,
}

impl Alike<'_, '_> {
    /// For each triple those with the same precondition and postcondition for other commands that
    /// have none yet.
    pub fn further(&mut self, triples: &[Triple]) -> Vec<Triple> {
        let mut all = triples.to_vec();
        for triple in triples {
            for command in 0..self.facts.commands.len() {
                if self.open(command, triple, &all) {
                    all.extend(self.take(command, triple));
                }
            }
        }
        all.split_off(triples.len())
    }

    /// Whether a command of the triple's template lacks a triple for its postcondition.
    fn open(&self, command: usize, triple: &Triple, triples: &[Triple]) -> bool {
        let [of, other] = [triple.command, command].map(|c| &self.facts.commands[c]);
        let wrong = |c: &crate::logic::model::Command| self.facts.is_error(c.template, c.target);
        let same =
            |t: &Triple| (t.post, t.command, t.acting) == (triple.post, command, triple.acting);
        of.template == other.template
            && wrong(of) == wrong(other)
            && !self.basis.proves(triple.post, command, triple.acting)
            && !triples.iter().any(same)
    }

    /// The triple for the command, if it is valid and no frame triple.
    fn take(&mut self, command: usize, triple: &Triple) -> Vec<Triple> {
        let template = self.facts.commands[command].template;
        let mut threads = vec![number(template)];
        let mut args: Vec<Thread> = Vec::new();
        for (place, kind) in (1..).zip(&self.predicates.get(triple.post).threads) {
            if place == triple.acting {
                args.push(0);
            } else {
                args.push(Thread::try_from(threads.len()).expect("few threads"));
                threads.push(*kind);
            }
        }
        let post = self.predicates.instance(triple.post, &args);
        let act = Act { facts: self.facts, threads: &threads, command, thread: 0 };
        let framed = || basis::framed(self.facts, self.predicates, command, act.actor(), &post);
        // `false` is to be shown of what goes before, which a frame triple does not.
        if (triple.post != 0 && framed())
            || !self.validity.valid(self.predicates, &act, &triple.pre, &post)
        {
            return Vec::new();
        }
        let variants = Basis::variants(self.predicates, command, act.actor(), &triple.pre, &post);
        variants.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::formula::Formula;
    use crate::logic::linear::{Leaf, Linear, Var};

    const PROGRAM: &str = "core 1;
global g: int;
many t {
  local x: int;
  location a; location b; location wrong error;
  edge a -> b { g := x; }
  edge b -> a { g := x; }
  edge a -> a { g := g - 1; }
  edge a -> a { x := x + 1; }
  edge a -> wrong { when g < 0; }
  edge b -> wrong { when g < 0; }
  edge b -> wrong { when g < 9; }
}
one s { location a; edge a -> a { g := 7; } }";

    /// The commands for which a triple of command `of` is taken over; a form stands for that it is
    /// at least 0, no form for `false`.
    fn found(of: usize, pre: Linear, post: Option<Linear>) -> Vec<usize> {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let mut intern = |form: Linear| {
            let formula = Formula::le(Linear::default(), form);
            predicates.intern(&formula, &[0]).expect("a narrow predicate")
        };
        let pre = vec![intern(pre)];
        let post = post.map_or(0, |form| intern(form).predicate);
        let triple = Triple { post, command: of, acting: 0, pre };
        let mut validity = Validity::new(&facts);
        let (predicates, basis) = (&predicates, &Basis::default());
        let mut alike = Alike { facts: &facts, predicates, validity: &mut validity, basis };
        alike.further(&[triple]).iter().map(|t| t.command).collect()
    }

    #[test]
    fn exactly_the_commands_that_do_the_same_are_found() {
        let global = || Linear::leaf(Leaf::Var(Var::Global(0)));
        let local = || Linear::leaf(Leaf::Var(Var::Local(0, 0)));
        // Not the command that lowers g, not the one that leaves it alone, not that of another
        // template.
        assert_eq!(found(0, local(), Some(global())), [1]);
        // Not the error edge that g >= 0 does not exclude.
        assert_eq!(found(4, global(), None), [5]);
    }
}
