//! Judges decoded proofs by z3 and by enumeration, without the checker's code.

use crate::smt::{Script, counts, populate, symbol, term, value, variables};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::program::{Edge, Program, Template};
use threadproof_format::proof::counterexample::{Counterexample, State};
use threadproof_format::proof::proof_space::*;
use threadproof_format::{Expr, Op, Sort};
use threadproof_producer::logic::rewrite::Rewrite as _;

fn at<T>(list: &[T], index: u32) -> &T {
    &list[usize::try_from(index).unwrap()]
}

/// A proof space under judgement.
pub struct Oracle<'a> {
    program: &'a Program,
    proof: &'a ProofSpace,
    /// Of each predicate, the permutations of positions that give an equivalent formula.
    symmetries: Vec<Vec<Vec<u32>>>,
    /// The error configurations.
    roots: Vec<Configuration>,
}

impl<'a> Oracle<'a> {
    pub fn new(program: &'a Program, proof: &'a ProofSpace) -> Self {
        let mut roots = Vec::new();
        for (t, template) in (0..).zip(&program.templates) {
            for (l, location) in (0..).zip(&template.locations) {
                if location.error {
                    let threads = vec![Slot(t, Some(l))];
                    roots.push(Configuration { threads, negated: vec![], steps: vec![] });
                }
            }
        }
        let mut oracle = Oracle { program, proof, symmetries: vec![vec![vec![]]], roots };
        let found: Vec<_> = proof.predicates.iter().map(|p| oracle.symmetries_of(p)).collect();
        oracle.symmetries.extend(found);
        oracle
    }

    /// Why the proof is wrong; `None` if it is right.
    pub fn objection(&self) -> Option<String> {
        for (i, triple) in self.proof.basis.iter().enumerate() {
            if !self.valid(triple) {
                return Some(format!("triple {i} is not valid"));
            }
        }
        for initial in &self.proof.initial {
            if !self.initial(initial.predicate) {
                return Some(format!("predicate {} does not hold initially", initial.predicate));
            }
        }
        for (i, c) in self.proof.impossible.iter().enumerate() {
            if self.possible(c) {
                return Some(format!("impossible configuration {i} is possible"));
            }
        }
        for (i, c) in self.roots.iter().chain(&self.proof.configurations).enumerate() {
            if let Some(step) = self.open_step(c) {
                return Some(format!("configuration {i} (roots first) has an open step: {step}"));
            }
            let start = c.threads.iter().all(|slot| slot.1.is_none_or(|l| l == 0));
            if start && !c.negated.iter().any(|n| self.initial(n.0)) {
                return Some(format!("configuration {i} is accepting"));
            }
        }
        match &self.proof.witness {
            Some(state) if !initial_state(self.program, state) => Some("witness".to_owned()),
            _ => None,
        }
    }

    fn formula(&self, instance: &Instance) -> Expr {
        match instance.0 {
            0 => Expr::bool(false),
            n => at(&self.proof.predicates, n - 1).formula.rename(&instance.1),
        }
    }

    fn templates(&self, predicate: u32) -> &[u32] {
        if predicate == 0 { &[] } else { &at(&self.proof.predicates, predicate - 1).threads }
    }

    fn symmetries_of(&self, p: &Predicate) -> Vec<Vec<u32>> {
        let arity = u32::try_from(p.threads.len()).unwrap();
        let mut orders: Vec<Vec<u32>> = vec![vec![]];
        for _ in 0..arity {
            let longer = orders.iter().flat_map(|o| {
                (0..arity).filter(|n| !o.contains(n)).map(|n| [o.as_slice(), &[n]].concat())
            });
            orders = longer.collect();
        }
        orders.retain(|order| {
            order.iter().zip(&p.threads).all(|(to, t)| at(&p.threads, *to) == t)
                && self.equivalent(p, &p.formula.rename(order))
        });
        orders
    }

    fn equivalent(&self, p: &Predicate, other: &Expr) -> bool {
        let mut script = Script::default();
        let threads: Vec<Option<u32>> = p.threads.iter().copied().map(Some).collect();
        for (op, v) in variables(self.program, &threads) {
            script.declare(&symbol(&op, ""), v.sort);
        }
        let name = |op: &Op| symbol(op, "");
        for count in counts(self.program) {
            script.declare(&name(&count), Sort::Int);
        }
        script.assert(&format!("(xor {} {})", term(&p.formula, &name), term(other, &name)));
        p.formula == *other || !script.satisfiable()
    }

    /// The least instance that is equivalent by a symmetry.
    fn normal(&self, instance: &Instance) -> Instance {
        let orders = &self.symmetries[usize::try_from(instance.0).unwrap()];
        let args = orders.iter().map(|o| o.iter().map(|p| *at(&instance.1, *p)).collect());
        Instance(instance.0, args.min().unwrap())
    }

    /// Whether {pre} (edge) {post} is valid, with the state after the step in variables of its own.
    pub fn valid(&self, triple: &Triple) -> bool {
        let template = at(&self.program.templates, triple.template);
        let edge = at(&template.edges, triple.edge);
        let mut threads = vec![template.is_many().then_some(triple.template)];
        let mut args = Vec::new();
        for (i, t) in (1..).zip(self.templates(triple.post)) {
            if i == triple.acting {
                args.push(0);
            } else {
                args.push(u32::try_from(threads.len()).unwrap());
                threads.push(Some(*t));
            }
        }
        let mut script = Script::default();
        let now = |op: &Op| symbol(op, "");
        declare(&mut script, self.program, &threads, edge);
        populate(&mut script, self.program, &[(triple.template, edge.source)]);
        for pre in &triple.pre {
            script.assert(&term(&self.formula(pre), &now));
        }
        take(&mut script, edge, self.program, &threads);
        move_one(&mut script, self.program, triple.template, edge);
        let post = self.formula(&Instance(triple.post, args));
        script.assert(&format!("(not {})", term(&post, &|op| symbol(op, "_next"))));
        !script.satisfiable()
    }

    /// Whether {predicate} (edge) {predicate} is valid, of the same threads.
    fn preserved(&self, predicate: u32, (template, edge): (u32, u32), acting: u32) -> bool {
        let mut next = 1..;
        let name = |position| if position == acting { 0 } else { next.next().unwrap() };
        let arity = u32::try_from(self.templates(predicate).len()).unwrap();
        let pre = vec![Instance(predicate, (1..=arity).map(name).collect())];
        let refutation = Default::default();
        self.valid(&Triple { pre, edge, post: predicate, acting, template, refutation })
    }

    /// Whether a clean state has such threads and none of the negated predicates holds of them.
    pub fn possible(&self, c: &Impossible) -> bool {
        let mut script = Script::default();
        let threads: Vec<Option<u32>> = c.threads.iter().map(|slot| Some(slot.0)).collect();
        for (op, v) in variables(self.program, &threads) {
            script.declare(&symbol(&op, ""), v.sort);
        }
        let places = c.threads.iter().filter_map(|slot| Some((slot.0, slot.1?)));
        populate(&mut script, self.program, &places.collect::<Vec<_>>());
        for instance in &c.negated {
            let formula = term(&self.formula(instance), &|op| symbol(op, ""));
            script.assert(&format!("(not {formula})"));
        }
        script.satisfiable()
    }

    pub fn initial(&self, predicate: u32) -> bool {
        if predicate == 0 {
            return false;
        }
        let templates = self.templates(predicate).to_vec();
        let threads: Vec<Option<u32>> = templates.iter().copied().map(Some).collect();
        let mut script = Script::default();
        for (op, v) in variables(self.program, &threads) {
            script.declare(&symbol(&op, ""), v.sort);
        }
        let name = |op: &Op| symbol(op, "");
        script.assert(&term(&self.program.init, &name));
        for single in self.program.templates.iter().filter(|t| !t.is_many()) {
            script.assert(&term(&single.init, &name));
        }
        for (position, t) in (0..).zip(&templates) {
            let init = at(&self.program.templates, *t).init.rename(&[position]);
            script.assert(&term(&init, &name));
        }
        let args = (0..u32::try_from(templates.len()).unwrap()).collect();
        let formula = self.formula(&Instance(predicate, args));
        let starts: Vec<(u32, u32)> = templates.iter().map(|t| (*t, 0)).collect();
        populate(&mut script, self.program, &starts);
        for count in counts(self.program) {
            if !matches!(count, Op::Count(_, 0)) {
                script.assert(&format!("(= {} 0)", name(&count)));
            }
        }
        script.assert(&format!("(not {})", term(&formula, &name)));
        !script.satisfiable()
    }

    /// A step of a configuration whose successor is not covered, if there is one.
    fn open_step(&self, c: &Configuration) -> Option<String> {
        for (t, template) in (0..).zip(&self.program.templates) {
            let mut actors: Vec<Option<usize>> =
                (0..c.threads.len()).filter(|s| c.threads[*s].0 == t).map(Some).collect();
            if template.is_many() || actors.is_empty() {
                actors.push(None);
            }
            for actor in actors {
                for (e, edge) in (0..).zip(&template.edges) {
                    if self.possible_last_step(c, actor, t, edge)
                        && !self.covered(c, t, e, edge, actor)
                    {
                        return Some(format!("template {t}, edge {e}, actor {actor:?}"));
                    }
                }
            }
        }
        None
    }

    /// Whether a state of the configuration can be reached by this step of this slot, or of another
    /// thread, from a clean one; if that is so for several slots at error locations, one is tried.
    fn possible_last_step(
        &self,
        c: &Configuration,
        actor: Option<usize>,
        t: u32,
        edge: &Edge,
    ) -> bool {
        let error = |t: u32, l: u32| at(&at(&self.program.templates, t).locations, l).error;
        let wrong = c.threads.iter().position(|slot| slot.1.is_some_and(|l| error(slot.0, l)));
        let ends = actor.and_then(|a| c.threads[a].1).is_none_or(|l| l == edge.target);
        let who = wrong.is_none_or(|first| actor == Some(first));
        ends && who && !error(t, edge.source) && error(t, edge.target) == wrong.is_some()
    }

    /// Whether no truth of the instances before the step agrees with the triples and frames while
    /// no configuration holds: a propositional question, here for all embeddings.
    fn covered(
        &self,
        c: &Configuration,
        t: u32,
        e: u32,
        edge: &Edge,
        actor: Option<usize>,
    ) -> bool {
        let mut threads = c.threads.clone();
        let moved = Slot(t, Some(edge.source));
        let actor = actor.unwrap_or(threads.len());
        if actor == threads.len() {
            threads.push(moved)
        } else {
            threads[actor] = moved
        }
        let actor = u32::try_from(actor).unwrap();
        let mut names: BTreeMap<Instance, String> = BTreeMap::new();
        let mut script = Script::default();
        let mut literal = |script: &mut Script, i: &Instance| {
            let count = names.len();
            let name = names.entry(self.normal(i)).or_insert_with(|| format!("p{count}")).clone();
            script.declare(&name, Sort::Bool);
            name
        };
        let nothing = Instance(0, vec![]);
        for instance in c.negated.iter().chain([&nothing]) {
            let acting = instance.1.iter().position(|s| *s == actor).map_or(0, |i| i + 1);
            let writes = |op: &Op| {
                self.formula(instance).0.iter().any(|o| match (o, op) {
                    (Op::Local(p, i), Op::Local(_, j)) => *p == actor && i == j,
                    _ => o == op,
                })
            };
            let moved = [Op::Count(t, edge.source), Op::Count(t, edge.target)];
            let acting = u32::try_from(acting).unwrap();
            if !edge.updates.iter().any(|(v, _)| writes(v))
                && (!moved.iter().any(writes) || self.preserved(instance.0, (t, e), acting))
            {
                let name = literal(&mut script, instance);
                script.assert(&format!("(not {name})"));
            }
            for triple in &self.proof.basis {
                let key = (triple.post, triple.template, triple.edge, triple.acting);
                if key != (instance.0, t, e, acting) {
                    continue;
                }
                let mut slots = vec![actor];
                slots.extend(instance.1.iter().filter(|s| **s != actor));
                let parts: Vec<String> = triple
                    .pre
                    .iter()
                    .map(|pre| {
                        let args = pre.1.iter().map(|p| *at(&slots, *p)).collect();
                        format!("(not {})", literal(&mut script, &Instance(pre.0, args)))
                    })
                    .collect();
                script.assert(&format!("(or false {})", parts.join(" ")));
            }
        }
        let listed = self.roots.iter().chain(&self.proof.configurations);
        let listed = listed.map(|c| (&c.threads, &c.negated));
        let impossible = self.proof.impossible.iter().map(|c| (&c.threads, &c.negated));
        for (slots, negated) in listed.chain(impossible) {
            for map in embeddings(slots, &threads) {
                let parts: Vec<String> = negated
                    .iter()
                    .map(|n| {
                        let args = n.1.iter().map(|s| *at(&map, *s)).collect();
                        literal(&mut script, &Instance(n.0, args))
                    })
                    .collect();
                script.assert(&format!("(or false {})", parts.join(" ")));
            }
        }
        !script.satisfiable()
    }
}

/// All injective maps of a configuration's slots to threads of the same template and location.
fn embeddings(slots: &[Slot], threads: &[Slot]) -> Vec<Vec<u32>> {
    let mut maps: Vec<Vec<u32>> = vec![vec![]];
    for slot in slots {
        let fits = |to: &Slot| to.0 == slot.0 && (slot.1.is_none() || slot.1 == to.1);
        maps = maps
            .iter()
            .flat_map(|map| {
                (0..)
                    .zip(threads)
                    .filter(|(i, to)| fits(to) && !map.contains(i))
                    .map(|(i, _)| [map.as_slice(), &[i]].concat())
            })
            .collect();
    }
    maps
}

fn declare(script: &mut Script, program: &Program, threads: &[Option<u32>], edge: &Edge) {
    for (op, v) in variables(program, threads) {
        script.declare(&symbol(&op, ""), v.sort);
        script.declare(&symbol(&op, "_next"), v.sort);
    }
    for (i, input) in (0..).zip(&edge.inputs) {
        script.declare(&symbol(&Op::Input(i), ""), input.sort);
    }
}

/// The transition relation of an edge that thread 0 takes.
fn take(script: &mut Script, edge: &Edge, program: &Program, threads: &[Option<u32>]) {
    let now = |op: &Op| symbol(op, "");
    script.assert(&term(&edge.guard, &now));
    for (op, _) in variables(program, threads) {
        let update = edge.updates.iter().find(|(v, _)| *v == op);
        let value = update.map_or_else(|| now(&op), |(_, value)| term(value, &now));
        script.assert(&format!("(= {} {value})", symbol(&op, "_next")));
    }
}

/// The numbers of threads after a thread has taken the edge.
fn move_one(script: &mut Script, program: &Program, template: u32, edge: &Edge) {
    for count in counts(program) {
        let one_if = |l: u32| u32::from(count == Op::Count(template, l));
        let (gone, come) = (one_if(edge.source), one_if(edge.target));
        let (now, next) = (symbol(&count, ""), symbol(&count, "_next"));
        script.declare(&next, Sort::Int);
        script.assert(&format!("(= {next} (- (+ {now} {come}) {gone}))"));
    }
}

/// Whether values are those of an initial state.
pub fn initial_state(program: &Program, state: &State) -> bool {
    let mut script = Script::default();
    let threads: Vec<Option<u32>> = state.threads.iter().map(|t| Some(t.template)).collect();
    let variables = variables(program, &threads);
    let values = state.globals.iter().chain(state.threads.iter().flat_map(|t| &t.locals));
    for ((op, v), given) in variables.iter().zip(values) {
        script.declare(&symbol(op, ""), v.sort);
        script.assert(&format!("(= {} {})", symbol(op, ""), value(given)));
    }
    let name = |op: &Op| symbol(op, "");
    script.assert(&term(&program.init, &name));
    for single in program.templates.iter().filter(|t| !t.is_many()) {
        script.assert(&term(&single.init, &name));
    }
    for (position, t) in (0..).zip(&state.threads) {
        let template: &Template = at(&program.templates, t.template);
        script.assert(&term(&template.init.rename(&[position]), &name));
    }
    script.satisfiable()
}

/// Why a counterexample is wrong; `None` if it is right. Each step's values come from z3.
pub fn objection_to_run(program: &Program, run: &Counterexample) -> Option<String> {
    if !initial_state(program, &run.start) {
        return Some("no initial state".to_owned());
    }
    let threads: Vec<u32> = run.start.threads.iter().map(|t| t.template).collect();
    let singles: Vec<&u32> =
        threads.iter().filter(|t| !at(&program.templates, **t).is_many()).collect();
    if singles.iter().collect::<BTreeSet<_>>().len() != singles.len() {
        return Some("a single template twice".to_owned());
    }
    let everyone: Vec<Option<u32>> = threads.iter().copied().map(Some).collect();
    let mut script = Script::default();
    let values = run.start.globals.iter().chain(run.start.threads.iter().flat_map(|t| &t.locals));
    for ((op, v), given) in variables(program, &everyone).iter().zip(values) {
        script.declare(&symbol(op, "_0"), v.sort);
        script.assert(&format!("(= {} {})", symbol(op, "_0"), value(given)));
    }
    let mut locations = vec![0; threads.len()];
    // Single threads that are not listed stay where they start.
    let mut everywhere = threads.clone();
    for (t, template) in (0..).zip(&program.templates) {
        if !template.is_many() && !threads.contains(&t) {
            everywhere.push(t);
        }
    }
    let mut wrong = false;
    for (n, step) in run.schedule.iter().enumerate() {
        let template = at(&program.templates, *at(&threads, step.thread));
        let edge = at(&template.edges, step.edge);
        if *at(&locations, step.thread) != edge.source || wrong {
            return Some(format!("step {n} cannot be taken"));
        }
        let rest = std::iter::repeat(0);
        let places: Vec<(u32, u32)> =
            everywhere.iter().copied().zip(locations.iter().copied().chain(rest)).collect();
        locations[usize::try_from(step.thread).unwrap()] = edge.target;
        wrong = at(&template.locations, edge.target).error;
        for (i, (input, given)) in (0..).zip(edge.inputs.iter().zip(&step.inputs)) {
            let name = symbol(&Op::Input(i), &format!("_{n}"));
            script.declare(&name, input.sort);
            script.assert(&format!("(= {name} {})", value(given)));
        }
        let own = |op: &Op| match op {
            Op::Local(_, i) => Op::Local(step.thread, *i),
            other => other.clone(),
        };
        let now = |op: &Op| match op {
            Op::Count(t, l) => {
                places.iter().filter(|place| **place == (*t, *l)).count().to_string()
            }
            op => symbol(&own(op), &format!("_{n}")),
        };
        script.assert(&term(&edge.guard, &now));
        for (op, v) in variables(program, &everyone) {
            let next = symbol(&op, &format!("_{}", n + 1));
            script.declare(&next, v.sort);
            let update = edge.updates.iter().find(|(variable, _)| own(variable) == op);
            let value =
                update.map_or_else(|| symbol(&op, &format!("_{n}")), |(_, e)| term(e, &now));
            script.assert(&format!("(= {next} {value})"));
        }
    }
    (!wrong || !script.satisfiable()).then(|| "it does not reach the error".to_owned())
}
