//! A check of derivations as `explain --json` prints them, by the rules of the paper's Section 4 and of
//! impossible configurations. It shares no code with `explain`; normal forms are the checker's.

use serde_json::Value;
use std::collections::BTreeSet;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::counters;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_checker::internals::substitute::substitute;
use threadproof_format::Op;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{Instance, ProofSpace, Slot};

/// What derivations are about.
pub struct Judge<'a> {
    program: &'a Program,
    proof: &'a ProofSpace,
    predicates: Predicates,
}

/// A trace: the template of each thread, the steps (thread, edge), and where the threads are.
struct Trace<'a> {
    templates: Vec<u32>,
    steps: Vec<(u32, &'a Edge, u32)>,
    locations: Vec<Vec<u32>>,
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("32 bits")
}

fn at<T>(list: &[T], index: u32) -> &T {
    &list[usize::try_from(index).expect("an index")]
}

fn array(value: &Value) -> &Vec<Value> {
    value.as_array().expect("an array")
}

fn numbers(value: &Value) -> Vec<u32> {
    array(value).iter().map(number).collect()
}

fn require(condition: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(what()) }
}

impl<'a> Judge<'a> {
    pub fn new(program: &'a Program, proof: &'a ProofSpace) -> Self {
        let predicates = Predicates::new(program, &proof.predicates, &Budget::default()).unwrap();
        Judge { program, proof, predicates }
    }

    /// Judges one of the `traces`.
    pub fn check(&self, explained: &Value) -> Result<(), String> {
        let trace = self.trace(explained)?;
        let derivation = &explained["derivation"];
        require(derivation["start"] == 0, || "the derivation does not start at 0".to_owned())?;
        self.derivation(&trace, derivation, None)
    }

    /// An interleaving of paths from the initial locations; only the last step ends at an error location.
    fn trace(&self, explained: &Value) -> Result<Trace<'a>, String> {
        let templates: Vec<u32> =
            array(&explained["threads"]).iter().map(|t| number(&t["template"])).collect();
        for (t, template) in (0..).zip(&self.program.templates) {
            let count = templates.iter().filter(|of| **of == t).count();
            require(template.is_many() || count <= 1, || format!("{count} threads {t}"))?;
        }
        let mut here = vec![0; templates.len()];
        let mut trace = Trace { templates, steps: vec![], locations: vec![here.clone()] };
        let mut wrong = false;
        for step in array(&explained["steps"]) {
            let (thread, template) = (number(&step["thread"]), number(&step["template"]));
            let of = at(&self.program.templates, template);
            let edge = at(&of.edges, number(&step["edge"]));
            let own = *at(&trace.templates, thread) == template;
            require(own && !wrong && *at(&here, thread) == edge.source, || format!("{step}"))?;
            here[usize::try_from(thread).unwrap()] = edge.target;
            wrong = at(&of.locations, edge.target).error;
            trace.steps.push((thread, edge, template));
            trace.locations.push(here.clone());
        }
        require(wrong, || "the trace does not end at an error location".to_owned())?;
        Ok(trace)
    }

    /// A derivation, or the part of one for a case: what is known at its start.
    fn derivation(
        &self,
        trace: &Trace<'_>,
        derivation: &Value,
        known: Option<(&BTreeSet<Instance>, &Instance)>,
    ) -> Result<(), String> {
        let start = usize::try_from(number(&derivation["start"])).unwrap();
        let mut before = BTreeSet::new();
        for (i, point) in array(&derivation["points"]).iter().enumerate() {
            let mut here = BTreeSet::new();
            for assertion in array(point) {
                let instance =
                    Instance(number(&assertion["predicate"]), numbers(&assertion["threads"]));
                let holds = match known.filter(|_| i == 0) {
                    Some((before, case)) => match assertion["by"].as_str() {
                        Some("before") => before.contains(&instance),
                        Some("case") => *case == instance,
                        _ => false,
                    },
                    None => self.follows(trace, start + i, &before, &instance, &assertion["by"]),
                };
                require(holds, || format!("point {}: {assertion}", start + i))?;
                here.insert(instance);
            }
            before = here;
        }
        let end = start + array(&derivation["points"]).len() - 1;
        let Some(cases) = derivation.get("cases") else {
            let falsity = BTreeSet::from([Instance(0, vec![])]);
            return require(end == trace.steps.len() && before == falsity, || {
                format!("it ends at point {end} with {before:?}")
            });
        };
        let alternatives = self.alternatives(trace, end, cases).ok_or("no such place")?;
        let branches = array(&cases["branches"]);
        require(branches.len() == alternatives.len(), || "a case is missing".to_owned())?;
        for (branch, case) in branches.iter().zip(&alternatives) {
            let at = branch["start"].as_u64() == u64::try_from(end).ok();
            require(at, || "a case starts elsewhere".to_owned())?;
            self.derivation(trace, branch, Some((&before, case)))?;
        }
        Ok(())
    }

    fn follows(
        &self,
        trace: &Trace<'_>,
        point: usize,
        before: &BTreeSet<Instance>,
        instance: &Instance,
        by: &Value,
    ) -> bool {
        match by.as_str() {
            Some("initial") => {
                point == 0 && self.proof.initial.iter().any(|i| i.predicate == instance.0)
            }
            Some("frame") => {
                point > 0 && before.contains(instance) && self.frame(trace, point, instance)
            }
            Some(_) => false,
            None if by.get("triple").is_some() => {
                point > 0 && self.triple(trace, point, before, instance, by)
            }
            None => {
                let alternatives = self.alternatives(trace, point, by);
                alternatives
                    .is_some_and(|a| a.is_empty() || a == BTreeSet::from([instance.clone()]))
            }
        }
    }

    /// The step writes no variable of the assertion and does not change its counters' sums.
    fn frame(&self, trace: &Trace<'_>, point: usize, instance: &Instance) -> bool {
        let (actor, edge, template) = &trace.steps[point - 1];
        let formula =
            &self.predicates.get(instance.0, &Budget::default()).unwrap().predicate.formula;
        let written = |op: &Op| {
            edge.updates.iter().any(|(variable, _)| match (variable, op) {
                (Op::Local(_, i), Op::Local(p, j)) => i == j && at(&instance.1, *p) == actor,
                (global, op) => global == op,
            })
        };
        let moved = counters::updates(self.program, *template, edge, &Budget::default()).unwrap();
        let after = substitute(formula, &moved, &Budget::default()).unwrap();
        !formula.0.iter().any(written)
            && self.predicates.says(self.program, instance.0, &after, &Budget::default())
                == Ok(true)
    }

    fn triple(
        &self,
        trace: &Trace<'_>,
        point: usize,
        before: &BTreeSet<Instance>,
        instance: &Instance,
        by: &Value,
    ) -> bool {
        let (actor, edge, template) = &trace.steps[point - 1];
        let triple = at(&self.proof.basis, number(&by["triple"]));
        let threads = numbers(&by["threads"]);
        let same = triple.template == *template
            && std::ptr::eq(at(&at(&self.program.templates, *template).edges, triple.edge), *edge)
            && threads[0] == *actor;
        let different = threads.iter().collect::<BTreeSet<_>>().len() == threads.len();
        // The postcondition's threads are 1, 2, ..., but for the acting one.
        let mut others = 1..;
        let arity =
            self.predicates.get(triple.post, &Budget::default()).unwrap().predicate.threads.len();
        let post: Vec<u32> = (1..=arity)
            .map(|i| {
                let acts = usize::try_from(triple.acting) == Ok(i);
                *at(&threads, if acts { 0 } else { others.next().unwrap() })
            })
            .collect();
        let pre = |i: &Instance| self.mapped(i, &threads).is_some_and(|i| before.contains(&i));
        same && different && *instance == Instance(triple.post, post) && triple.pre.iter().all(pre)
    }

    /// Of which assertions an impossible configuration says that one holds; `None` if its threads
    /// are not there.
    fn alternatives(
        &self,
        trace: &Trace<'_>,
        point: usize,
        place: &Value,
    ) -> Option<BTreeSet<Instance>> {
        let first = u32::try_from(self.proof.configurations.len()).unwrap();
        let configuration = number(&place["configuration"]).checked_sub(first)?;
        let configuration = at(&self.proof.impossible, configuration);
        let threads = numbers(&place["threads"]);
        let different = threads.iter().collect::<BTreeSet<_>>().len() == threads.len();
        let there = configuration.threads.iter().zip(&threads).all(|(Slot(of, location), t)| {
            at(&trace.templates, *t) == of
                && location.is_none_or(|l| *at(&trace.locations[point], *t) == l)
        });
        let fits = different && there && threads.len() == configuration.threads.len();
        // After the last step a thread is at an error location, of which nothing is said.
        if !fits || point == trace.steps.len() {
            return None;
        }
        configuration.negated.iter().map(|i| self.mapped(i, &threads)).collect()
    }

    /// An instance over other threads, in normal form.
    fn mapped(&self, instance: &Instance, threads: &[u32]) -> Option<Instance> {
        let threads = instance.1.iter().map(|t| *at(threads, *t)).collect();
        self.predicates.normal(Instance(instance.0, threads), &Budget::default()).ok()
    }
}
