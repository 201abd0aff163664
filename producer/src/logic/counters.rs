//! Counting threads in the search (SPEC.md section 4.4): the counters become *ghost globals* of the
//! program that is searched, so that nothing else has to know them. Edges and locations keep their
//! numbers, and in a proof the ghosts become counters again.

use crate::logic::linear::Var;
use crate::logic::model::{index, number};
use crate::logic::operators;
use crate::logic::rewrite::Rewrite as _;
use std::collections::HashMap;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::counters::{self, Place};
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::counterexample::State;
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// The ghost globals of a program that is searched.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// The number of the first ghost among the globals.
    first: u32,
    /// What each ghost counts.
    places: Vec<Place>,
    ghosts: HashMap<Place, u32>,
}

/// Whether commands of the program mention counters.
pub fn mentioned(program: &Program) -> bool {
    operators::in_commands(program, |op| matches!(op, Op::Count(..)))
}

/// The program with a ghost global for each counter: steps change them and need the one of
/// their source to be positive, and at the start they have the values of section 4.4.
pub fn ghosted(program: &Program) -> (Program, Counters) {
    let mut counters = Counters { first: number(program.globals.len()), ..Counters::default() };
    let mut out = program.clone();
    for (t, template) in (0u32..).zip(&program.templates) {
        for (l, location) in (0u32..).zip(&template.locations) {
            if !template.counts(l) {
                continue;
            }
            let ghost = counters.first + number(counters.places.len());
            counters.ghosts.insert((t, l), ghost);
            counters.places.push((t, l));
            let name = format!("#{}.{}", template.name, location.name);
            out.globals.push(Variable { name, sort: Sort::Int, owner: None });
            let start = int(u8::from(l == 0));
            conjoin(&mut out.init, [Op::Global(ghost), start, Op::Cmp(Cmp::Eq)]);
        }
    }
    for (t, template) in (0u32..).zip(&mut out.templates) {
        for edge in &mut template.edges {
            let ghost = |op: &Op| counters.ghost(op).map(|ghost| vec![ghost]);
            edge.guard = edge.guard.substitute(ghost);
            edge.updates.iter_mut().for_each(|(_, value)| *value = value.substitute(ghost));
            if let Some(source) = counters.ghosts.get(&(t, edge.source)) {
                conjoin(&mut edge.guard, [Op::Global(*source), int(1), Op::Cmp(Cmp::Ge)]);
            }
            let moved = counters::updates(program, t, edge, &Budget::default())
                .expect("a template of the program");
            let moved = moved.into_iter().map(|(counter, value)| {
                (counters.ghost(&counter).expect("a counter"), value.substitute(ghost))
            });
            edge.updates.extend(moved);
        }
    }
    (out, counters)
}

fn int(value: u8) -> Op {
    Op::Int(Int(value.into()))
}

fn conjoin(formula: &mut Expr, further: [Op; 3]) {
    let nothing = formula.0 == [Op::Bool(true)];
    if nothing {
        formula.0.clear();
    }
    formula.0.extend(further);
    if !nothing {
        formula.0.push(Op::And);
    }
}

impl Counters {
    /// Whether no ghosts were added, so that the search does not count threads.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The ghosts, which are globals, and the template and location that each counts.
    pub fn iter(&self) -> impl Iterator<Item = (Var, Place)> {
        let ghosts = (self.first..).map(Var::Global);
        ghosts.zip(self.places.iter().copied())
    }

    /// The ghost of a counter.
    fn ghost(&self, op: &Op) -> Option<Op> {
        match op {
            Op::Count(t, l) => self.ghosts.get(&(*t, *l)).map(|g| Op::Global(*g)),
            _ => None,
        }
    }

    /// The formula with ghosts for counters, none if one has no ghost.
    pub fn ghosts(&self, formula: &Expr) -> Option<Expr> {
        let out = formula.substitute(|op| self.ghost(op).map(|ghost| vec![ghost]));
        (!out.0.iter().any(|op| matches!(op, Op::Count(..)))).then_some(out)
    }

    /// The ghost that counts the threads at a place.
    pub fn at(&self, place: Place) -> Option<Var> {
        self.ghosts.get(&place).map(|g| Var::Global(*g))
    }

    /// What a variable counts, if it is a ghost.
    pub fn place(&self, var: Var) -> Option<Place> {
        match var {
            Var::Global(i) if i >= self.first => self.places.get(index(i - self.first)).copied(),
            _ => None,
        }
    }

    /// The formula with counters for ghosts.
    pub fn restore(&self, formula: &Expr) -> Expr {
        formula.substitute(|op| {
            let (t, l) = self.place(Var::of(op)?)?;
            Some(vec![Op::Count(t, l)])
        })
    }

    /// Drops the ghosts' values from a state of the ghosted program.
    pub fn forget(&self, state: &mut State) {
        if !self.is_empty() {
            state.globals.truncate(index(self.first));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::print;

    const PROGRAM: &str = "core 1;
global g: int;
init g == 0;
one s { location first; location second; edge first -> second { } }
many t {
  location out; location in; location wrong error;
  edge out -> in { g := g + 1; }
  edge in -> in { when #t.in >= 2; }
  edge in -> out { }
  edge in -> wrong { when g < 1; }
}";

    #[test]
    fn ghosts_follow_the_threads() {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        assert!(mentioned(&program));
        let (ghosted, counters) = ghosted(&program);
        let text = print::program(&ghosted, &|_, _| String::new());
        let expected = [
            "init g == 0 && #s.first == 1 && #s.second == 0 && #t.in == 0;",
            "when #s.first >= 1; #s.first := #s.first - 1, #s.second := #s.second + 1;",
            "edge out -> in { g := g + 1, #t.in := #t.in + 1; }",
            "edge in -> in { when #t.in >= 2 && #t.in >= 1; }",
            "edge in -> out { when #t.in >= 1; #t.in := #t.in - 1; }",
            "edge in -> wrong { when g < 1 && #t.in >= 1; #t.in := #t.in - 1; }",
        ];
        for line in expected {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let var = counters.at((1, 1)).expect("a counter");
        assert_eq!(counters.place(var), Some((1, 1)));
        assert_eq!(counters.restore(&Expr(vec![var.op()])), Expr(vec![Op::Count(1, 1)]));
        assert_eq!((counters.at((1, 0)), counters.at((1, 2))), (None, None));
    }
}
