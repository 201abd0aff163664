//! Counterexamples (SPEC.md section 9).

use super::{Kind, Sample};
use crate::counting;
use crate::explicit;
use crate::oracle::objection_to_run;
use threadproof_format::Int;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::ProofSpace;

impl Kind for Counterexample {
    fn objection(&self, program: &Program, _: &Program) -> Option<String> {
        objection_to_run(program, self)
    }

    fn forget_reasons(&mut self) {}

    fn executes(&self, program: &Program) -> Result<(), String> {
        explicit::execute(program, self).map(drop)
    }

    fn witness(&self) -> Option<Option<&State>> {
        None
    }

    fn start(&mut self) -> &mut State {
        &mut self.start
    }

    fn obliged(&mut self) -> Option<&mut ProofSpace> {
        None
    }
}

pub(super) fn samples() -> Vec<Sample> {
    let values = ("values", VALUES, values());
    let sample = |(name, core, run): (&str, &str, Counterexample)| {
        Sample::new(name, core, counting::certificate(core, Proof::Counterexample(run)))
    };
    std::iter::once(values).chain(counting::counterexamples()).map(sample).collect()
}

/// Goes wrong only with certain values of each sort, at the start and as inputs.
const VALUES: &str = "core 1;
global x: int;
global f: bool;
global a: int[];
global b: bool[];
init f && x == 99999999999999999999 && a[3] == 4 && b[1] && !b[5];
one s {
    local n: int[];
    init n[0] == 0;
    location begin;
    location end;
    edge begin -> end { when n[1] == 8; n := n[1 := 9]; }
}
many t {
    local i: int;
    local g: bool;
    local d: int[];
    local e: bool[];
    init i == 3 && !g && d[i] == 6 && !e[0] && e[1] && d[0] == 0;
    location first;
    location second;
    location wrong error;
    edge first -> second {
        input p: int; input q: int[]; input r: bool[]; input h: bool;
        when p == 7 && q[1] == 5 && q[2] == 0 && r[2] && !r[0] && h;
        x := p + i, a := q, b := r, g := h;
    }
    edge second -> wrong { when x == 10 && a[1] == 5 && b[2] && g && #s.end == 1 && #t.second == 1; }
}
";

fn values() -> Counterexample {
    let int = |i: i64| Value::Int(Int::from(i));
    let ints = |list: &[(i64, i64)]| {
        let entries = list.iter().map(|(i, v)| (Int::from(*i), Int::from(*v)));
        Value::IntArray(Int::from(0), entries.collect())
    };
    let bools = |list: &[i64]| {
        Value::BoolArray(false, list.iter().map(|i| (Int::from(*i), true)).collect())
    };
    let big = Value::Int(Int("99999999999999999999".parse().expect("a number")));
    let locals = vec![int(3), Value::Bool(false), ints(&[(3, 6)]), bools(&[1])];
    let inputs = vec![int(7), ints(&[(1, 5)]), bools(&[2]), Value::Bool(true)];
    let start = State {
        globals: vec![big, Value::Bool(true), ints(&[(3, 4)]), bools(&[1]), ints(&[(1, 8)])],
        threads: vec![Thread { locals: vec![], template: 0 }, Thread { locals, template: 1 }],
    };
    let go = |thread, edge, inputs| Move { edge, inputs, thread };
    let schedule = vec![go(1, 0, inputs), go(0, 0, vec![]), go(1, 1, vec![])];
    Counterexample { start, schedule }
}
