//! Proofs that count threads. The checkers agree on them and on mutants of them; and against
//! explicit states of 1 to 4 threads what is proved holds in all of them, and what a checker that
//! miscounts would accept does not.
//!
//! `THREADPROOF_MUTANTS` sets how many mutants of each certificate the checkers are compared on.

mod common;
#[path = "common/counting.rs"]
mod counting;
#[path = "common/explicit.rs"]
mod explicit;
#[path = "common/oracle.rs"]
mod oracle;
#[path = "common/smt.rs"]
mod smt;

use common::{arg, checker, compare_checkers};
use counting::Counting;
use explicit::{Bounds, State, Value, clean, initial, reachable};
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::*;
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Int, Op};
use threadproof_producer::certify::obligations::obligations;
use threadproof_producer::certify::refute::{RefuteError, refute};

/// A proof and the states in which it is looked at.
struct Explicit {
    program: Program,
    proof: ProofSpace,
    values: Vec<i64>,
    initial: Vec<State>,
    reachable: Vec<State>,
    /// Reachable or not: what is valid holds in all of them.
    clean: Vec<State>,
}

fn index(i: u32) -> usize {
    usize::try_from(i).unwrap()
}

impl Explicit {
    fn new(counting: Counting) -> Self {
        let Counting { program, proof, .. } = counting;
        let has_locals = program.templates.iter().any(|t| !t.locals.is_empty());
        let values: Vec<i64> = if has_locals { (0..=2).collect() } else { (-1..=4).collect() };
        let bounds = |threads| Bounds { threads, values: values.clone(), states: 100_000 };
        let all = |of: &dyn Fn(&Program, &Bounds) -> Vec<State>| {
            (1..=4).flat_map(|threads| of(&program, &bounds(threads))).collect::<Vec<State>>()
        };
        let (initial, reachable, mut clean) = (all(&initial), all(&reachable), all(&clean));
        clean.extend(reachable.iter().cloned());
        Explicit { program, proof, values, initial, reachable, clean }
    }

    fn formula(&self, predicate: u32) -> Expr {
        match predicate.checked_sub(1) {
            None => Expr::bool(false),
            Some(p) => self.proof.predicates[index(p)].formula.clone(),
        }
    }

    fn templates(&self, predicate: u32) -> &[u32] {
        predicate.checked_sub(1).map_or(&[], |p| &self.proof.predicates[index(p)].threads)
    }

    /// Whether an instance holds; its threads are positions in `threads`.
    fn holds(&self, state: &State, instance: &Instance, threads: &[usize]) -> bool {
        let named: Vec<usize> = instance.1.iter().map(|t| threads[index(*t)]).collect();
        state.eval(&self.formula(instance.0), &named, &[]) == Value::Bool(true)
    }

    /// Whether the postcondition holds after each step to which the triple applies.
    fn outcomes(&self, triple: &Triple) -> Vec<bool> {
        let edge = index(triple.edge);
        let own = index(triple.template);
        let source = index(self.program.templates[own].edges[edge].source);
        let mut slots = vec![Slot(triple.template, None)];
        let mut args = Vec::new();
        for (position, template) in (1..).zip(self.templates(triple.post)) {
            if position == triple.acting {
                args.push(0);
            } else {
                args.push(u32::try_from(slots.len()).unwrap());
                slots.push(Slot(*template, None));
            }
        }
        let post = Instance(triple.post, args);
        let mut found = Vec::new();
        for state in &self.clean {
            let steps = state.steps(&self.program, &self.values);
            for threads in assignments(state, &slots) {
                let acting = &state.threads[threads[0]];
                if acting.location != source
                    || !triple.pre.iter().all(|pre| self.holds(state, pre, &threads))
                {
                    continue;
                }
                let taken = steps.iter().filter(|(s, _)| (s.0, s.1) == (threads[0], edge));
                found.extend(taken.map(|(_, next)| self.holds(next, &post, &threads)));
            }
        }
        found
    }

    /// Of all places of the slots in these states, whether none of the negated predicates holds.
    fn satisfied(&self, states: &[State], slots: &[Slot], negated: &[Instance]) -> Vec<bool> {
        let in_state = |state: &State| {
            let none = |t: &Vec<usize>| !negated.iter().any(|i| self.holds(state, i, t));
            assignments(state, slots).iter().map(none).collect::<Vec<bool>>()
        };
        states.iter().flat_map(in_state).collect()
    }

    /// Whether an initial state contradicts the predicate.
    fn fails_initially(&self, predicate: u32) -> bool {
        let slots: Vec<Slot> = self.templates(predicate).iter().map(|t| Slot(*t, None)).collect();
        let instance = Instance(predicate, (0..).take(slots.len()).collect());
        self.satisfied(&self.initial, &slots, &[instance]).contains(&true)
    }

    /// What the checker's own obligations say of this part of a proof.
    fn refuted(&self, part: &Part) -> bool {
        let mut proof =
            ProofSpace { predicates: self.proof.predicates.clone(), ..ProofSpace::default() };
        match part.clone() {
            Part::Triple(triple) => proof.basis.push(triple),
            Part::Impossible(c) => proof.impossible.push(c),
            Part::Initial(predicate) => {
                let refutation = Refutation::default();
                proof.initial.push(InitialPredicate { predicate, refutation });
            }
        }
        let budget = Budget::default();
        let known = Predicates::new(&self.program, &proof.predicates, &budget).unwrap();
        let list = obligations(&self.program, &known, &proof, &budget).unwrap();
        match refute(&list[0], &AtomicBool::new(false)) {
            Ok(_) => true,
            Err(RefuteError::Satisfiable) => false,
            Err(e) => panic!("{}: {e}", list[0].id),
        }
    }

    /// What z3 says of it.
    fn valid_by_oracle(&self, part: &Part) -> bool {
        let oracle = oracle::Oracle::new(&self.program, &self.proof);
        match part {
            Part::Triple(triple) => oracle.valid(triple),
            Part::Impossible(c) => !oracle.possible(c),
            Part::Initial(predicate) => oracle.initial(*predicate),
        }
    }

    /// Whether explicit states do not contradict it.
    fn holds_explicitly(&self, part: &Part) -> bool {
        match part {
            Part::Triple(triple) => !self.outcomes(triple).contains(&false),
            Part::Impossible(c) => {
                !self.satisfied(&self.clean, &c.threads, &c.negated).contains(&true)
            }
            Part::Initial(predicate) => !self.fails_initially(*predicate),
        }
    }

    /// Judges a part of a proof three ways, which have to agree.
    fn judge(&self, part: &Part) -> bool {
        let verdict = self.holds_explicitly(part);
        let all = (verdict, self.refuted(part), self.valid_by_oracle(part));
        assert_eq!(all, (verdict, verdict, verdict), "{part:?}");
        verdict
    }
}

/// What a proof claims of all states or steps.
#[derive(Clone, Debug)]
enum Part {
    Triple(Triple),
    Impossible(Impossible),
    Initial(u32),
}

/// All choices of different threads for the slots.
fn assignments(state: &State, slots: &[Slot]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for slot in slots {
        let fits = |thread: &usize| {
            let thread = &state.threads[*thread];
            thread.template == index(slot.0) && slot.1.is_none_or(|l| thread.location == index(l))
        };
        let longer = |chosen: &Vec<usize>| {
            let free = (0..state.threads.len()).filter(|t| fits(t) && !chosen.contains(t));
            free.map(|t| [chosen.as_slice(), &[t]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn parts(proof: &ProofSpace) -> Vec<Part> {
    let triples = proof.basis.iter().cloned().map(Part::Triple);
    let impossible = proof.impossible.iter().cloned().map(Part::Impossible);
    let initial = proof.initial.iter().map(|i| Part::Initial(i.predicate));
    triples.chain(impossible).chain(initial).collect()
}

fn all() -> Vec<(&'static str, Explicit)> {
    counting::proofs().into_iter().map(|p| (p.name, Explicit::new(p))).collect()
}

#[test]
fn two_checkers_agree_on_mutants_of_certificates_that_count() {
    let folder = tempfile::tempdir().unwrap();
    let mutants = std::env::var("THREADPROOF_MUTANTS").unwrap_or("40".to_owned());
    let mut cores = Vec::new();
    for (name, core, bytes) in counting::certificates() {
        let claim = threadproof_checker::check(core, &bytes);
        assert!(claim.is_ok(), "{name}: {claim:?}");
        let path = folder.path().join(name).with_extension("core");
        std::fs::write(&path, core).unwrap();
        std::fs::write(path.with_extension("cert"), bytes).unwrap();
        cores.push(arg(&path).to_owned());
    }
    let checker = checker();
    let mut arguments = vec!["--mutants", &mutants, arg(&checker)];
    arguments.extend(cores.iter().map(String::as_str));
    compare_checkers("compare.py", &arguments);
}

#[test]
fn two_checkers_agree_on_obligations_that_count() {
    compare_checkers("compare_clauses.py", &["--count", "40", arg(&checker())]);
}

#[test]
fn what_is_proved_holds_in_explicit_states() {
    for (name, e) in all() {
        println!("{name}: {} reachable states, {} clean ones", e.reachable.len(), e.clean.len());
        for part in parts(&e.proof) {
            assert!(e.judge(&part), "{name}: {part:?}");
            let applies = match &part {
                Part::Triple(t) => !e.outcomes(&Triple { pre: vec![], ..t.clone() }).is_empty(),
                Part::Impossible(c) => !e.satisfied(&e.clean, &c.threads, &[]).is_empty(),
                Part::Initial(_) => !e.initial.is_empty(),
            };
            assert!(applies, "{name}: nothing to look at: {part:?}");
        }
        for c in &e.proof.configurations {
            let found = e.satisfied(&e.reachable, &c.threads, &c.negated);
            assert!(!found.is_empty() && !found.contains(&true), "{name}: {c:?}");
        }
    }
}

/// A checker that forgets what a step does to counters would take every edge without updates of
/// the predicate's variables for a frame.
#[test]
fn forgotten_changes_of_counters_are_seen_in_explicit_states() {
    let (mut kept, mut lost) = (0, 0);
    for (_, e) in all() {
        for triple in seeming_frames(&e) {
            match e.judge(&Part::Triple(triple)) {
                true => kept += 1,
                false => lost += 1,
            }
        }
    }
    println!("{kept} frames after all, {lost} triples that are wrong");
    assert!(kept >= 10 && lost >= 10);
}

/// {p} e {p} for each p with a counter that e changes, but no variable that it updates.
fn seeming_frames(e: &Explicit) -> Vec<Triple> {
    let mut found = Vec::new();
    for (post, p) in (1..).zip(&e.proof.predicates) {
        for (t, template) in (0..).zip(&e.program.templates) {
            for (number, edge) in (0..).zip(&template.edges) {
                let moved = |l| p.formula.0.contains(&Op::Count(t, l));
                let changes =
                    edge.source != edge.target && (moved(edge.source) || moved(edge.target));
                let updated = |op: &Op| edge.updates.iter().any(|(v, _)| v == op);
                for acting in (0..).take(1 + p.threads.len()) {
                    let own = |op: &Op| match op {
                        Op::Local(q, k) => *q + 1 == acting && updated(&Op::Local(0, *k)),
                        op => updated(op),
                    };
                    let fits = acting == 0 || p.threads[index(acting) - 1] == t;
                    if fits && changes && !p.formula.0.iter().any(own) {
                        found.push(preserving(post, p, (t, number), acting));
                    }
                }
            }
        }
    }
    found
}

fn preserving(post: u32, p: &Predicate, (template, edge): (u32, u32), acting: u32) -> Triple {
    let mut others = 1..;
    let positions = (1..).take(p.threads.len());
    let thread = |q| if q == acting { 0 } else { others.next().unwrap() };
    let pre = vec![Instance(post, positions.map(thread).collect())];
    Triple { pre, edge, post, acting, template, refutation: Refutation::default() }
}

/// Each counter of each predicate in turn is one more or one less: what that makes wrong, a
/// checker whose axioms are off by one would accept.
#[test]
fn counts_that_are_off_by_one_are_seen_in_explicit_states() {
    let (mut right, mut wrong) = (0, [0; 3]);
    for (_, mut e) in all() {
        let (listed, parts) = (e.proof.predicates.clone(), parts(&e.proof));
        for (number, predicate) in (1..).zip(&listed) {
            for shifted in shifts(&predicate.formula) {
                e.proof.predicates = listed.clone();
                let threads = predicate.threads.clone();
                e.proof.predicates.push(Predicate { formula: shifted, threads });
                let new = u32::try_from(e.proof.predicates.len()).unwrap();
                for part in parts.iter().flat_map(|part| replaced(part, number, new)) {
                    match (e.judge(&part), part) {
                        (true, _) => right += 1,
                        (false, Part::Triple(_)) => wrong[0] += 1,
                        (false, Part::Impossible(_)) => wrong[1] += 1,
                        (false, Part::Initial(_)) => wrong[2] += 1,
                    }
                }
            }
        }
    }
    println!("{right} hold still; wrong: {wrong:?} (triples, impossible configurations, initial)");
    assert!(wrong[0] >= 20 && wrong[1] >= 3 && wrong[2] >= 3);
}

/// The formula with one of its counters one more or one less.
fn shifts(formula: &Expr) -> Vec<Expr> {
    let counters = formula.0.iter().enumerate().filter(|(_, op)| matches!(op, Op::Count(..)));
    let shift = |at: usize, sign: Op| {
        let (before, after) = formula.0.split_at(at + 1);
        Expr([before, &[Op::Int(Int::from(1)), sign], after].concat())
    };
    counters.flat_map(|(at, _)| [shift(at, Op::Add), shift(at, Op::Sub)]).collect()
}

/// The part with one occurrence of the predicate replaced.
fn replaced(part: &Part, old: u32, new: u32) -> Vec<Part> {
    let in_list = |list: &[Instance]| {
        let at = list.iter().position(|i| i.0 == old)?;
        let mut list = list.to_vec();
        list[at].0 = new;
        list.sort();
        Some(list)
    };
    match part {
        Part::Triple(t) => {
            let pre = in_list(&t.pre).map(|pre| Triple { pre, ..t.clone() });
            let post = (t.post == old).then(|| Triple { post: new, ..t.clone() });
            pre.into_iter().chain(post).map(Part::Triple).collect()
        }
        Part::Impossible(c) => {
            let changed = in_list(&c.negated).map(|negated| Impossible { negated, ..c.clone() });
            changed.into_iter().map(Part::Impossible).collect()
        }
        Part::Initial(p) => {
            if *p == old {
                vec![Part::Initial(new)]
            } else {
                vec![]
            }
        }
    }
}
