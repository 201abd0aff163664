//! States of random runs with few threads: what does not hold of them is no invariant.

use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::model::{Facts, index, number};
use crate::solve;
use crate::trace::execution;
use crate::trace::{Trace, Word};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay::{self, Data, Execution};
use threadproof_format::proof::counterexample::{Move, State, Value};
use threadproof_format::{Int, Sort};

/// Threads of each template of many, at most.
const THREADS: usize = 3;
/// Runs for each number of threads.
const RUNS: usize = 12;
/// Steps of a run, at most, but in a program with many commands.
const STEPS: usize = 40;
/// The seed of all choices, so that a search can be repeated.
const SEED: u64 = 1;

/// Values of the globals in some reachable states without an error.
pub struct Samples(Vec<Vec<Data>>);

/// Runs the program at random and shows each state without an error.
pub fn runs(facts: &Facts, see: &mut dyn FnMut(&Execution)) {
    let mut random = fastrand::Rng::with_seed(SEED);
    for threads in 1..=THREADS {
        for _ in 0..RUNS {
            if solve::stopped() {
                return;
            }
            if let Some(start) = start(facts, threads, &mut random) {
                run(facts, &start, &mut random, see);
            }
        }
    }
}

fn run(facts: &Facts, start: &State, random: &mut fastrand::Rng, see: &mut dyn FnMut(&Execution)) {
    let budget = &Budget::default();
    let Ok(mut execution) = replay::start(facts.program, start, budget) else { return };
    see(&execution);
    // A long thread is to reach its end.
    let steps = STEPS.max(2 * facts.commands.len());
    for _ in 0..steps {
        match step(facts, &mut execution, random) {
            Some(false) => see(&execution),
            Some(true) | None => return,
        }
    }
}

impl Samples {
    /// The states of [`runs`] of the program.
    pub fn of(facts: &Facts) -> Self {
        let mut samples = Samples(Vec::new());
        runs(facts, &mut |execution| samples.0.push(execution.globals.clone()));
        samples
    }

    /// How many states were sampled; the same state may count several times.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The integer values of a global in all states; `None` if it is no integer.
    pub fn values(&self, var: Var) -> Option<Vec<BigInt>> {
        let states = self.0.iter();
        states.map(|state| integer(&global(state), &Linear::leaf(Leaf::Var(var)))).collect()
    }

    /// Whether a formula over globals holds in all states, as far as it can be evaluated.
    pub fn allow(&self, formula: &Formula) -> bool {
        self.0.iter().all(|state| truth(&global(state), formula).unwrap_or(true))
    }
}

/// An initial state with so many threads of each template of many; small values are chosen at
/// random where the initial condition leaves a choice.
fn start(facts: &Facts, threads: usize, random: &mut fastrand::Rng) -> Option<State> {
    let templates = (0u32..).zip(&facts.many);
    let threads: Vec<u32> = templates
        .flat_map(|(t, many)| std::iter::repeat_n(t, if *many { threads } else { 1 }))
        .collect();
    let mut trace = Trace::new(facts, &Word { threads: threads.clone(), steps: Vec::new() });
    let globals = (0u32..).zip(&facts.program.globals).map(|(i, v)| (Var::Global(i), v.sort));
    let locals = (0u32..).zip(&threads).flat_map(|(t, template)| {
        let locals = &facts.program.templates[index(*template)].locals;
        (0u32..).zip(locals).map(move |(i, v)| (Var::Local(t, i), v.sort))
    });
    let variables: Vec<(Var, Sort)> = globals.chain(locals).collect();
    for (var, sort) in variables {
        trace.prefer(var, sort, random.i64(0..4));
    }
    let model = trace.sample_model()?;
    execution::start(facts, &trace, &model)
}

/// One step of a thread and edge that can be taken; whether it ends at an error. `None` if there
/// is none.
fn step(facts: &Facts, execution: &mut Execution, random: &mut fastrand::Rng) -> Option<bool> {
    let mut choices = Vec::new();
    for (thread, acting) in execution.threads.iter().enumerate() {
        let edges = facts.program.templates[index(acting.template)].edges.iter();
        let here = edges.enumerate().filter(|(_, edge)| edge.source == acting.location);
        choices.extend(here.map(|(edge, _)| (thread, edge, acting.template)));
    }
    random.shuffle(&mut choices);
    choices.into_iter().find_map(|(thread, edge, template)| {
        let inputs = &facts.program.templates[index(template)].edges[edge].inputs;
        let inputs = inputs.iter().map(|input| value(input.sort, random)).collect();
        let next = Move { edge: number(edge), inputs, thread: number(thread) };
        execution.step(facts.program, &next, &Budget::default()).ok()
    })
}

fn value(sort: Sort, random: &mut fastrand::Rng) -> Value {
    match sort {
        Sort::Int => Value::Int(Int::from(random.i64(-1..4))),
        Sort::Bool => Value::Bool(random.bool()),
        Sort::IntArray => Value::IntArray(Int::from(random.i64(-1..4)), Vec::new()),
        Sort::BoolArray => Value::BoolArray(random.bool(), Vec::new()),
    }
}

fn global<'d>(state: &'d [Data]) -> impl Fn(Var) -> Option<&'d Data> {
    move |var| match var {
        Var::Global(i) => state.get(index(i)),
        _ => None,
    }
}

/// The values of variables, as far as they are known.
type Values<'v, 'd> = dyn Fn(Var) -> Option<&'d Data> + 'v;

fn value_of(values: &Values, leaf: &Leaf) -> Option<Data> {
    match leaf {
        Leaf::Var(var) => values(*var).cloned(),
        Leaf::Read(read) => {
            let (array, index) = &**read;
            let Data::Array(default, elements) = values(array.base)? else { return None };
            let element = elements.map.get(&Int(integer(values, index)?)).unwrap_or(default);
            array.writes.is_empty().then(|| element.clone())
        }
        Leaf::Quotient(quotient) => {
            Some(Data::Int(Int(integer(values, &quotient.0)?.div_floor(&quotient.1))))
        }
    }
}

fn integer(values: &Values, form: &Linear) -> Option<BigInt> {
    let mut sum = form.constant.clone();
    for (leaf, coefficient) in &form.terms {
        let Data::Int(value) = value_of(values, leaf)? else { return None };
        sum += coefficient * value.0;
    }
    Some(sum)
}

/// A formula's truth value, as far as it can be evaluated: reads over writes are not.
pub fn truth(values: &Values, formula: &Formula) -> Option<bool> {
    match formula {
        Formula::Const(value) => Some(*value),
        Formula::Bool(leaf, sign) => match value_of(values, leaf)? {
            Data::Bool(value) => Some(value == *sign),
            _ => None,
        },
        Formula::Linear(relation, form) => {
            let value = integer(values, form)?;
            Some(match relation {
                Relation::Le => !value.is_positive(),
                Relation::Eq => value.is_zero(),
                Relation::Ne => !value.is_zero(),
            })
        }
        Formula::And(parts) => {
            let parts = parts.iter().map(|part| truth(values, part));
            Some(parts.collect::<Option<Vec<bool>>>()?.into_iter().all(|v| v))
        }
        Formula::Or(parts) => {
            let parts = parts.iter().map(|part| truth(values, part));
            Some(parts.collect::<Option<Vec<bool>>>()?.into_iter().any(|v| v))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use std::collections::BTreeSet;

    /// Each thread adds one, and the third one of them, if it goes on, goes wrong.
    const PROGRAM: &str = "core 1;
global sum: int;
global free: int;
global large: int;
global flag: bool;
init sum == 0 && large >= 7;
many t {
  location start; location added; location done; location wrong error;
  edge start -> added { sum := sum + 1; }
  edge added -> done { input i: int; when sum <= 2; large := large + 1, flag := i >= 0; }
  edge added -> wrong { when sum >= 3; sum := 50; }
}";

    fn set(samples: &Samples, global: u32) -> BTreeSet<i64> {
        let values = samples.values(Var::Global(global)).expect("an integer");
        values.iter().map(|v| v.try_into().expect("a small value")).collect()
    }

    fn samples() -> Samples {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        Samples::of(&Facts::new(&program, Counters::default()))
    }

    #[test]
    fn runs_reach_what_up_to_three_threads_do_before_an_error() {
        let samples = samples();
        assert_eq!(set(&samples, 0), BTreeSet::from([0, 1, 2, 3]));
        assert!(set(&samples, 2).iter().all(|large| *large >= 7));
        assert!(samples.count() > THREADS * RUNS, "starts and steps");
        assert_eq!(samples.values(Var::Global(3)), None);
    }

    #[test]
    fn what_the_start_leaves_open_is_chosen_anew() {
        let free = set(&samples(), 1);
        assert!(free.len() > 1 && free.iter().all(|v| (0..4).contains(v)), "{free:?}");
    }

    #[test]
    fn formulas_are_allowed_that_hold_of_all_samples() {
        let samples = samples();
        let sum = || Linear::leaf(Leaf::Var(Var::Global(0)));
        let at_most = |bound: i32| Formula::le(sum(), Linear::constant(bound.into()));
        assert!(samples.allow(&at_most(3)));
        assert!(!samples.allow(&at_most(2)));
        let flag = |sign| Formula::Bool(Leaf::Var(Var::Global(3)), sign);
        assert!(!samples.allow(&flag(true)) && !samples.allow(&flag(false)));
        assert!(samples.allow(&Formula::or([flag(true), flag(false)])));
    }

    #[test]
    fn samples_can_be_repeated() {
        let values = |samples: &Samples| [0, 1, 2].map(|g| samples.values(Var::Global(g)));
        assert_eq!(values(&samples()), values(&samples()));
    }
}
