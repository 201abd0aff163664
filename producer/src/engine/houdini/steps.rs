//! Steps of threads at places, and which facts hold before and after them.

use super::candidates::{Candidates, Said};
use super::{injections, number, rename};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::model::{Facts, index};
use crate::logic::validity::Act;
use crate::solve::{self, encode};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use threadproof_checker::internals::counters::Place;
use threadproof_format::Expr;
use z3::ast::{Bool, Dynamic};
use z3::{SatResult, Solver};

/// A candidate that has not been given up: choice of places, and which of its formulas.
pub type Fact = (usize, usize);

/// A command that one of some different threads takes.
#[derive(Clone, Debug)]
pub struct Step {
    /// Which choice of places the threads are at afterwards, but for one further thread that acts;
    /// `None`: one is at an error location.
    pub after: Option<usize>,
    /// Where the threads are before.
    before: Vec<Place>,
    command: usize,
    /// Which of them acts.
    actor: usize,
}

/// Which facts are left, and z3.
pub struct Steps<'a> {
    facts: &'a Facts<'a>,
    /// The choices of places and their candidates; `None`: given up.
    pub left: Vec<(Vec<Place>, Vec<Option<Formula>>)>,
    solver: Solver,
    constants: HashMap<(Var, u32), Dynamic>,
}

impl<'a> Steps<'a> {
    /// All candidates are left.
    pub fn new(facts: &'a Facts<'a>, candidates: Candidates) -> Self {
        let left = candidates.into_iter();
        let left = left.map(|(places, list)| (places, list.into_iter().map(Some).collect()));
        Steps { facts, left: left.collect(), solver: solve::solver(), constants: HashMap::new() }
    }

    /// The facts that are left.
    pub fn left(&self) -> Said {
        let left = |list: &[Option<Formula>]| list.iter().flatten().cloned().collect();
        self.left.iter().map(|(places, list)| (places.clone(), left(list))).collect()
    }

    /// How much z3 has done, in its own unit.
    pub fn work(&self) -> u64 {
        solve::done(&self.solver)
    }

    /// The steps by which a fact may fail: those to threads at its places, and those to errors.
    pub fn all(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (number, command) in self.facts.commands.iter().enumerate() {
            let template = super::number(command.template);
            let (source, target) = ((template, command.source), (template, command.target));
            if self.facts.is_error(command.template, command.source) {
                continue;
            }
            if self.facts.is_error(command.template, command.target) {
                let before = vec![source];
                steps.push(Step { after: None, before, command: number, actor: 0 });
                continue;
            }
            for (choice, (places, _)) in self.left.iter().enumerate() {
                for actor in (0..places.len()).filter(|i| places[*i] == target) {
                    let mut before = places.clone();
                    before[actor] = source;
                    steps.push(Step { after: Some(choice), before, command: number, actor });
                }
                let present = places.iter().any(|(t, _)| *t == template);
                if self.facts.many[command.template] || !present {
                    let before = [places.as_slice(), &[source]].concat();
                    let actor = places.len();
                    steps.push(Step { after: Some(choice), before, command: number, actor });
                }
            }
        }
        steps
    }

    /// The facts that do not hold after a step whatever the facts before it say, or the facts that
    /// show that all hold. `None` if z3 does not know.
    pub fn failing(&mut self, step: &Step) -> Option<Result<BTreeSet<Fact>, Vec<Fact>>> {
        let posts = self.posts(step);
        if posts.is_empty() {
            return Some(Err(Vec::new()));
        }
        let templates = templates(&step.before);
        self.solver.push();
        let pre = self.assume(step, &templates);
        let posts: Vec<(Fact, Bool)> = posts
            .into_iter()
            .map(|(fact, formula)| (fact, self.term(step, &templates, &formula.expr())))
            .collect();
        let fails = posts.iter().map(|(_, term)| term.not());
        self.solver.assert(Bool::or(&fails.collect::<Vec<Bool>>()));
        let switches: Vec<Bool> = pre.iter().map(|(_, switch)| switch.clone()).collect();
        let found = match solve::check_assumptions(&self.solver, &switches) {
            SatResult::Unsat => {
                let core = self.solver.get_unsat_core();
                let used = pre.into_iter().filter(|(_, s)| core.iter().any(|c| c.ast_eq(s)));
                Some(Err(used.map(|(fact, _)| fact).collect()))
            }
            SatResult::Sat => self.solver.get_model().and_then(|model| {
                let fails =
                    |term: &Bool| model.eval(term, true).and_then(|v| v.as_bool()) == Some(false);
                let failing: BTreeSet<Fact> =
                    posts.iter().filter(|(_, term)| fails(term)).map(|(fact, _)| *fact).collect();
                (!failing.is_empty()).then_some(Ok(failing))
            }),
            SatResult::Unknown => None,
        };
        self.solver.pop(1);
        found
    }

    /// Facts that hold before a step and suffice for one after it, or that exclude the error; no
    /// fewer do.
    pub fn reason(&mut self, step: &Step, post: Option<Fact>) -> Option<Vec<Fact>> {
        let formula = match post {
            Some(fact) => self.before(step, self.formula(fact)?),
            None => Formula::FALSE,
        };
        let templates = templates(&step.before);
        self.solver.push();
        let pre = self.assume(step, &templates);
        let fails = self.term(step, &templates, &formula.expr()).not();
        self.solver.assert(fails);
        let switches: Vec<Bool> = pre.iter().map(|(_, switch)| switch.clone()).collect();
        let least = solve::least(&self.solver, &switches);
        self.solver.pop(1);
        least.map(|kept| kept.into_iter().map(|i| pre[i].0).collect())
    }

    fn formula(&self, (choice, number): Fact) -> Option<&Formula> {
        self.left[choice].1[number].as_ref()
    }

    /// The facts after a step that it may change, in terms of the state before.
    fn posts(&self, step: &Step) -> Vec<(Fact, Formula)> {
        let Some(choice) = step.after else { return vec![((0, 0), Formula::FALSE)] };
        let (places, list) = &self.left[choice];
        let stays = step.before.len() > places.len();
        let facts = list.iter().enumerate().filter_map(|(i, f)| Some(((choice, i), f.as_ref()?)));
        let updates = &self.facts.commands[step.command].updates;
        let written = |v: Var| matches!(v, Var::Global(_)) && updates.iter().any(|(u, _)| *u == v);
        let changed = facts.filter(|(_, formula)| {
            let mut changed = !stays;
            formula.variables(&mut |v| changed |= written(v));
            changed
        });
        changed.map(|(fact, formula)| (fact, self.before(step, formula))).collect()
    }

    fn before(&self, step: &Step, formula: &Formula) -> Formula {
        let templates = templates(&step.before);
        self.act(step, &templates).before(&formula.expr())
    }

    fn act<'s>(&'s self, step: &Step, templates: &'s [u32]) -> Act<'s> {
        let thread = u8::try_from(step.actor).expect("few threads");
        Act { facts: self.facts, threads: templates, command: step.command, thread }
    }

    /// Asserts the guard, and each fact about the threads before the step under a switch.
    fn assume(&mut self, step: &Step, templates: &[u32]) -> Vec<(Fact, Bool)> {
        for guard in self.act(step, templates).guard() {
            let term = self.term(step, templates, &guard.expr());
            self.solver.assert(term);
        }
        let mut instances = Vec::new();
        for (choice, (places, list)) in self.left.iter().enumerate() {
            for positions in injections(places, &step.before) {
                for (i, formula) in list.iter().enumerate() {
                    let formula = formula.as_ref().map(|f| rename(f, &positions));
                    instances.extend(formula.map(|f| ((choice, i), f)));
                }
            }
        }
        let mut switches = BTreeMap::new();
        for (fact, formula) in instances {
            let switch = switches
                .entry(fact)
                .or_insert_with(|| Bool::new_const(format!("fact{}/{}", fact.0, fact.1)))
                .clone();
            let term = self.term(step, templates, &formula.expr());
            self.solver.assert(switch.implies(&term));
        }
        switches.into_iter().collect()
    }

    fn term(&mut self, step: &Step, templates: &[u32], formula: &Expr) -> Bool {
        let facts = self.facts;
        let constants = &mut self.constants;
        encode::formula(formula, &mut |op| {
            let var = Var::of(op).expect("a variable");
            let (sort, scope) = match var {
                Var::Input(i) => {
                    (facts.commands[step.command].inputs[index(i)], number(step.command))
                }
                Var::Local(t, _) => (facts.sort(templates, var), templates[index(t)]),
                Var::Global(_) => (facts.sort(templates, var), 0),
            };
            let constant = || encode::constant(&format!("{var:?}/{scope}"), sort);
            constants.entry((var, scope)).or_insert_with(constant).clone()
        })
    }

    /// Gives up what need not hold at the start.
    pub fn start(&mut self) {
        for choice in 0..self.left.len() {
            let places = self.left[choice].0.clone();
            if places.iter().any(|(_, location)| *location != 0) {
                continue;
            }
            for i in 0..self.left[choice].1.len() {
                let holds =
                    self.left[choice].1[i].clone().is_none_or(|f| self.initially(&places, &f));
                if !holds {
                    self.left[choice].1[i] = None;
                }
            }
        }
    }

    fn initially(&mut self, places: &[Place], formula: &Formula) -> bool {
        let templates = templates(places);
        let step = Step { after: None, before: places.to_vec(), command: 0, actor: 0 };
        let mut known: Vec<Formula> = self.facts.init.clone();
        for (position, template) in templates.iter().enumerate() {
            let own = self.facts.thread_init[index(*template)].iter();
            known.extend(own.map(|f| rename(f, &[position])));
        }
        self.solver.push();
        for formula in known.iter().chain([&formula.negate()]) {
            let term = self.term(&step, &templates, &formula.expr());
            self.solver.assert(term);
        }
        let answer = solve::check(&self.solver);
        self.solver.pop(1);
        answer == SatResult::Unsat
    }
}

fn templates(places: &[Place]) -> Vec<u32> {
    places.iter().map(|(template, _)| *template).collect()
}
