//! The basis of the paper's Figure 2 for the thread pool. As printed it is not sufficient: two
//! valid triples are missing, each needed on its own. Completed by them it is.

mod common;

use std::collections::VecDeque;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::proof_space::{
    automaton::Automaton, automaton::Successor, predicates::Predicates,
};
use threadproof_checker::{check, core_form};
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Cmp, Digest, Expr, Int, Op, cbor};
use threadproof_producer::engine::control::Control;
use threadproof_producer::{certify, frontend};

/// Predicates of the figure, by number.
const LOCKED: u32 = 1;
const CLAIMED: u32 = 2; // c(1) <= next
const DONE: u32 = 3; // end(1) <= next
const BEFORE: u32 = 4; // end(1) <= c(2)
const LAST: u32 = 5; // len <= next
const INSIDE: u32 = 6; // c(1) < end(1)
const FINISHED: u32 = 7; // tasks[c(1)] = 1

struct Figure {
    core: String,
    program: Program,
    predicates: Vec<Predicate>,
}

impl Figure {
    fn new() -> Self {
        let source = std::fs::read_to_string(common::root().join("corpus/thread_pool.tp")).unwrap();
        let lowered = frontend::tp::lower("thread_pool.tp", &source).unwrap();
        let program = lowered.program.clone();
        let global = |name: &str| {
            let at = program.globals.iter().position(|v| v.name == name).unwrap();
            Op::Global(u32::try_from(at).unwrap())
        };
        let locals = &program.templates[0].locals;
        let local = |position, name: &str| {
            let at = locals.iter().position(|v| v.name == name).unwrap();
            Op::Local(position, u32::try_from(at).unwrap())
        };
        let (c, end) = (|p| local(p, "c"), |p| local(p, "end"));
        let one = Op::Int(Int::from(1));
        let formulas = [
            (vec![global("m")], 0),
            (vec![c(0), global("next"), Op::Cmp(Cmp::Le)], 1),
            (vec![end(0), global("next"), Op::Cmp(Cmp::Le)], 1),
            (vec![end(0), c(1), Op::Cmp(Cmp::Le)], 2),
            (vec![global("len"), global("next"), Op::Cmp(Cmp::Le)], 0),
            (vec![c(0), end(0), Op::Cmp(Cmp::Lt)], 1),
            (vec![global("tasks"), c(0), Op::Select, one, Op::Cmp(Cmp::Eq)], 1),
        ];
        let predicate =
            |(formula, arity)| Predicate { formula: Expr(formula), threads: vec![0; arity] };
        let predicates = formulas.into_iter().map(predicate).collect();
        Figure { core: lowered.core_form(), program, predicates }
    }

    /// The edge whose command is printed like this in the core form.
    fn edge(&self, command: &str) -> u32 {
        let lines: Vec<&str> =
            self.core.lines().filter(|l| l.trim_start().starts_with("edge ")).collect();
        let fits = |line: &&&str| line.contains(&format!("{{ {command} }}"));
        let found: Vec<usize> = (0..lines.len()).filter(|i| fits(&&lines[*i])).collect();
        assert_eq!(found.len(), 1, "{command}: {lines:?}");
        u32::try_from(found[0]).unwrap()
    }

    /// {pre} (command : thread 0) {post}; `acting` as in the format.
    fn triple(&self, pre: &[(u32, &[u32])], command: &str, post: u32, acting: u32) -> Triple {
        let mut pre: Vec<Instance> = pre.iter().map(|(p, t)| Instance(*p, t.to_vec())).collect();
        pre.sort();
        let refutation = Refutation::default();
        Triple { pre, edge: self.edge(command), post, acting, template: 0, refutation }
    }

    /// The triples that the figure prints, the acting thread renamed to 0.
    fn printed(&self) -> Vec<Triple> {
        let t =
            |pre: &[(u32, &[u32])], command, post, acting| self.triple(pre, command, post, acting);
        vec![
            t(&[], "when !m; m := true;", LOCKED, 0),
            t(&[(LOCKED, &[])], "when !m; m := true;", 0, 0),
            t(&[], "c := next;", CLAIMED, 1),
            t(&[(CLAIMED, &[0])], "next := next + 10;", CLAIMED, 1),
            t(&[], "end := next;", DONE, 1),
            t(&[(DONE, &[1])], "c := next;", BEFORE, 2),
            t(&[], "when next > len;", LAST, 0),
            t(&[(LAST, &[])], "end := len;", DONE, 1),
            t(&[], "when c < end;", INSIDE, 1),
            t(&[(BEFORE, &[1, 0])], "c := c + 1;", BEFORE, 2),
            t(&[], "tasks := tasks[c := 1];", FINISHED, 1),
            t(&[(FINISHED, &[0])], "when tasks[c] != 1;", 0, 0),
            t(
                &[(FINISHED, &[1]), (INSIDE, &[1]), (BEFORE, &[1, 0])],
                "tasks := tasks[c := 0];",
                FINISHED,
                0,
            ),
            t(
                &[(FINISHED, &[1]), (INSIDE, &[0]), (BEFORE, &[0, 1])],
                "tasks := tasks[c := 0];",
                FINISHED,
                0,
            ),
        ]
    }

    /// The two triples that the figure lacks.
    fn missing(&self) -> [Triple; 2] {
        [
            self.triple(&[(DONE, &[1])], "next := next + 10;", DONE, 0),
            self.triple(&[(FINISHED, &[1])], "tasks := tasks[c := 1];", FINISHED, 0),
        ]
    }

    /// Algorithm 1: the closed configurations, or `None` if there is a trace without a proof.
    fn close(&self, basis: &[Triple]) -> Option<Vec<Configuration>> {
        let mut budget = Budget::default();
        let predicates = Predicates::new(&self.program, &self.predicates, &mut budget).unwrap();
        let automaton = Automaton::new(&self.program, &predicates, basis);
        let roots = automaton.roots().unwrap();
        let mut worklist: VecDeque<Configuration> = roots.clone().into();
        let mut closed: Vec<Configuration> = Vec::new();
        while let Some(c) = worklist.pop_front() {
            if covers(&automaton, &closed, &c) {
                continue;
            }
            if c.threads.iter().all(|slot| slot.1.is_none_or(|l| l == 0)) {
                return None;
            }
            for step in automaton.steps(&c, &mut budget).unwrap() {
                let mut next = automaton.successor(&c, &step, &mut budget).unwrap();
                if !next.propagate(&mut [], &mut budget).unwrap() {
                    worklist.extend(cubes(&next));
                }
            }
            closed.push(c);
        }
        Some(closed.split_off(roots.len()))
    }

    fn draft(&self, basis: Vec<Triple>, configurations: Vec<Configuration>) -> ProofSpace {
        let predicates = self.predicates.clone();
        let (initial, error_steps, witness) = (vec![], vec![], None);
        ProofSpace { basis, initial, witness, predicates, error_steps, configurations }
    }

    fn verdict(&self, proof: ProofSpace) -> Result<(), Reason> {
        let statement = core_form::statement(&self.core).unwrap();
        let program = Digest::of([statement.as_bytes()]);
        let proof = Proof::ProofSpace(proof);
        let bytes = cbor::encode(&Certificate { proof, program, version: VERSION, statement });
        check(&self.core, &bytes.unwrap()).map(drop).map_err(|failure| failure.reason)
    }
}

/// The cubes of a successor: of each clause that is open, one instance does not hold. Threads at
/// the initial location without a predicate are left out.
fn cubes(next: &Successor) -> Vec<Configuration> {
    let mut sets = vec![next.negated.clone()];
    for (_, clause) in &next.clauses {
        let longer = |set: &std::collections::HashSet<Instance>| {
            if clause.iter().any(|i| set.contains(i)) {
                return vec![set.clone()];
            }
            let with = |i: &Instance| set.iter().chain([i]).cloned().collect();
            clause.iter().map(with).collect()
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets.into_iter().map(|set| configuration(&next.threads, set)).collect()
}

fn configuration(threads: &[Slot], negated: std::collections::HashSet<Instance>) -> Configuration {
    let mut negated: Vec<Instance> = negated.into_iter().filter(|i| i.0 != 0).collect();
    let kept: Vec<u32> = (0..)
        .zip(threads)
        .filter(|(s, slot)| {
            slot.1.is_some_and(|l| l != 0) || negated.iter().any(|i| i.1.contains(s))
        })
        .map(|(s, _)| s)
        .collect();
    let renamed = |s: &u32| u32::try_from(kept.iter().position(|k| k == s).unwrap()).unwrap();
    for instance in &mut negated {
        instance.1 = instance.1.iter().map(renamed).collect();
    }
    negated.sort();
    let threads = kept.iter().map(|s| threads[usize::try_from(*s).unwrap()]).collect();
    Configuration { steps: vec![], negated, threads }
}

/// Whether a closed configuration embeds into this one (Definition 6.6).
fn covers(automaton: &Automaton<'_>, closed: &[Configuration], c: &Configuration) -> bool {
    closed.iter().any(|target| {
        let mut maps: Vec<Vec<u32>> = vec![vec![]];
        for slot in &target.threads {
            let fits = |to: &Slot| to.0 == slot.0 && (slot.1.is_none() || slot.1 == to.1);
            let longer = |map: &Vec<u32>| {
                let free = (0..).zip(&c.threads).filter(|(i, to)| fits(to) && !map.contains(i));
                free.map(|(i, _)| [map.as_slice(), &[i]].concat()).collect::<Vec<_>>()
            };
            maps = maps.iter().flat_map(longer).collect();
        }
        maps.iter().any(|map| {
            target.negated.iter().all(|instance| {
                let image = automaton.map(instance, map, &mut Budget::default()).unwrap();
                c.negated.contains(&image)
            })
        })
    })
}

#[test]
fn the_figure_as_printed_is_not_sufficient() {
    let figure = Figure::new();
    assert_eq!(figure.close(&figure.printed()), None);
    for one in figure.missing() {
        let basis = [figure.printed(), vec![one]].concat();
        assert_eq!(figure.close(&basis), None);
    }
}

#[test]
fn completed_by_two_triples_it_is_accepted_and_without_them_rejected() {
    let figure = Figure::new();
    let basis = [figure.printed(), figure.missing().to_vec()].concat();
    let configurations = figure.close(&basis).expect("the completed figure covers every trace");
    let draft = figure.draft(basis, configurations);
    let proof = certify::hints::complete(&figure.program, draft, &Control::default()).unwrap();
    println!("{} triples, {} configurations", proof.basis.len(), proof.configurations.len());
    assert_eq!(figure.verdict(proof.clone()), Ok(()));
    let missing = figure.missing();
    let same = |a: &Triple, b: &Triple| {
        // Completing renumbers predicates, so compare commands and the shape of the triple.
        (a.edge, a.acting, a.pre.len(), a.post != 0) == (b.edge, b.acting, b.pre.len(), b.post != 0)
    };
    for absent in &missing {
        let mut printed = proof.clone();
        let before = printed.basis.len();
        printed.basis.retain(|t| !same(t, absent));
        assert_eq!(printed.basis.len(), before - 1);
        assert_eq!(figure.verdict(printed), Err(Reason::StepOpen));
    }
    let mut printed = proof;
    printed.basis.retain(|t| !missing.iter().any(|absent| same(t, absent)));
    assert_eq!(figure.verdict(printed), Err(Reason::StepOpen));
}
