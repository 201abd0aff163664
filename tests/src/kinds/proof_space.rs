//! Proof spaces (SPEC.md section 8).

use super::{Kind, Sample};
use crate::counting::{self, Draft};
use crate::oracle::Oracle;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::State;
use threadproof_format::proof::proof_space::*;
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Int, Op};
use threadproof_producer::certify::hints::complete;
use threadproof_producer::certify::invariant::initial_state;
use threadproof_producer::control::Control;

impl Kind for ProofSpace {
    fn objection(&self, _: &Program, last: &Program) -> Option<String> {
        Oracle::new(last, self).objection()
    }

    fn forget_reasons(&mut self) {
        self.basis.iter_mut().for_each(|t| t.refutation.0.clear());
        self.initial.iter_mut().for_each(|i| i.refutation.0.clear());
        self.impossible.iter_mut().for_each(|i| i.refutation.0.clear());
        self.configurations.iter_mut().for_each(|c| c.steps.clear());
        self.error_steps.clear();
    }

    fn executes(&self, _: &Program) -> Result<(), String> {
        Ok(())
    }

    fn witness(&self) -> Option<Option<&State>> {
        Some(self.witness.as_ref())
    }

    fn start(&mut self) -> &mut State {
        self.witness.as_mut().expect("a witness")
    }

    fn obliged(&mut self) -> Option<&mut ProofSpace> {
        Some(self)
    }
}

pub(super) fn samples() -> Vec<Sample> {
    let operators = Sample::new("operators", &operators(), operators_proved());
    let counting = counting::proofs().into_iter().map(|p| {
        let bytes = counting::certificate(p.core, Proof::ProofSpace(p.proof));
        Sample::new(p.name, p.core, bytes)
    });
    std::iter::once(operators).chain(counting).collect()
}

/// What no integers satisfy though all sums of it can be met, and what no arrays do.
const IMPOSSIBLE: [&str; 9] = [
    "27 <= 11 * x + 13 * y && 11 * x + 13 * y <= 45 && -10 <= 7 * x - 9 * y && 7 * x - 9 * y <= 4",
    "27 <= 13 * x + 11 * z && 13 * x + 11 * z <= 45 && -10 <= 7 * z - 9 * x && 7 * z - 9 * x <= 4",
    "x == y && a[x := z][y] != z",
    "x != y && a[x := z][y] != a[y]",
    "x == y && a[x] != a[y]",
    "x == y && f && !b[x := f][y]",
    "x != y && b[x := f][y] && !b[y]",
    "x == y && b[x] && !b[y]",
    "x % 3 > 2",
];

/// What holds of any values: each operator, and an integer beyond 64 bits.
const ALWAYS: &str = "(x < 2 * x - x + 99999999999999999999 && z >= z - 1 && z > z + -2)
    && (a[x := 3][x] == 3 || b[y := true][y] == false) && !(y != y) && true && #t.busy <= #t.busy
    && 3 * (x / 3) + x % 3 == x && (y + 4) / 2 == y / 2 + 2";

pub(crate) const VARIABLES: &str = "global x: int; global y: int; global z: int; global f: bool;
    global a: int[]; global b: bool[]; global k: int[]; global n: bool[];";

pub(crate) fn errors() -> String {
    IMPOSSIBLE.map(|guard| format!("edge idle -> wrong {{ when {guard}; }}\n")).concat()
}

fn operators() -> String {
    let errors = errors();
    format!(
        "core 1; assumption \"none\"; {VARIABLES}
        init x == y && a[1] == 5 && b[2] && !b[3] && a[x] == 7 && f && z == 4 && k[1] == 5 && k[2] == 0 && k[-7] == 0 && n[4];
        many t {{ local c: int; init c >= 0;
            location idle; location busy; location wrong error; location negative error;
            {errors}
            edge idle -> busy {{ when a[x] == 7; c := c + 1; }}
            edge busy -> idle {{ }}
            edge busy -> wrong {{ when !({ALWAYS} || c == c + 1); }}
            edge busy -> wrong {{ when a[y] != 7; }}
            edge busy -> negative {{ when c < 0; }}
        }}"
    )
}

/// A proof with each operator in a predicate, with slots without a location, and a case split.
fn operators_proved() -> Vec<u8> {
    let core = operators();
    let mut draft = Draft::new(&core);
    let always = draft.predicate(&["t"], &format!("{ALWAYS} || c_0 == c_0 + 1"));
    let counted = draft.predicate(&["t"], "c_0 >= 0");
    let seven = draft.predicate(&[], "a[y] == 7");
    for edge in 0..u32::try_from(IMPOSSIBLE.len()).expect("few") {
        draft.proof.basis.push(triple(vec![], edge, 0, 0));
    }
    let first = u32::try_from(IMPOSSIBLE.len()).expect("few");
    draft.proof.basis.extend([
        triple(vec![Instance(counted, vec![0])], first, counted, 1),
        triple(vec![Instance(always, vec![0])], first + 2, 0, 0),
        triple(vec![Instance(seven, vec![])], first + 3, 0, 0),
        triple(vec![Instance(counted, vec![0])], first + 4, 0, 0),
        triple(vec![], first, always, 1),
        triple(vec![], first + 1, always, 1),
    ]);
    draft.initial(always);
    draft.initial(counted);
    draft.initial(seven);
    let anywhere = |negated| (vec![Slot(0, None)], vec![negated]);
    for (threads, negated) in [
        anywhere(Instance(always, vec![0])),
        anywhere(Instance(counted, vec![0])),
        (vec![], vec![Instance(seven, vec![])]),
    ] {
        draft.proof.configurations.push(Configuration { steps: vec![], negated, threads });
    }
    let program = draft.program;
    let proof = complete(&program, draft.proof, &Control::default());
    let mut proof = proof.unwrap_or_else(|e| panic!("operators: {e}"));
    proof.witness = initial_state(&program);
    assert!(proof.witness.is_some(), "operators: an initial state");
    split(&program, &mut proof);
    counting::certificate(&core, Proof::ProofSpace(proof))
}

fn triple(pre: Vec<Instance>, edge: u32, post: u32, acting: u32) -> Triple {
    Triple { pre, edge, post, acting, template: 0, refutation: Refutation::default() }
}

/// The last step to an error is a case distinction on something that always holds.
fn split(program: &Program, proof: &mut ProofSpace) {
    let sure = Expr(vec![
        Op::Local(0, 0),
        Op::Local(0, 0),
        Op::Int(Int::from(1)),
        Op::Add,
        Op::Cmp(threadproof_format::Cmp::Lt),
    ]);
    proof.predicates.push(Predicate { formula: sure, threads: vec![0] });
    let sure = Instance(u32::try_from(proof.predicates.len()).expect("few"), vec![0]);
    proof.impossible.push(Impossible {
        negated: vec![sure.clone()],
        threads: vec![Slot(0, None)],
        refutation: Refutation::default(),
    });
    let impossible = u32::try_from(proof.configurations.len()).expect("few");
    let last = proof.error_steps.last_mut().expect("a step to an error");
    last.0.splice(0..0, [Hint::Split(sure), Hint::Embed(impossible, vec![0])]);
    counting::refute_impossible(program, proof);
}
