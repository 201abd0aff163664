//! Joined steps against elementary ones: for random pairs of threads, executed on explicit states,
//! the same can go wrong.

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::{Graph, Node};
use crate::frontend::c::term::{compare, int, not};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use threadproof_format::{Cmp, Int, Op};

/// Shared and own variables of each kind.
pub(crate) const VARIABLES: u32 = 2;
/// A shared variable that is handed over: some set it to 1, and others wait for that.
const HANDED: Op = Op::Global(VARIABLES);

fn variable(random: &mut fastrand::Rng) -> Op {
    let index = random.u32(..VARIABLES);
    if random.bool() { Op::Global(index) } else { Op::Local(0, index) }
}

/// A thread of some locations: assignments, branches, waits, ends and errors, partly in atomic
/// sections.
fn thread(random: &mut fastrand::Rng) -> Graph {
    let mut graph = Graph::default();
    let count = random.usize(3..9);
    for i in 0..count {
        let depth = usize::from(i > 0 && random.u8(..4) == 0);
        graph.node(Node { depth, ..Node::default() });
    }
    let error = graph.node(Node { error: true, ..Node::default() });
    for source in 0..count {
        // Inside atomic sections there are no loops, and nothing leads back to the start.
        let depth = graph.nodes[source].depth;
        let least = if depth > 0 { source + 1 } else { 1 };
        let target = |random: &mut fastrand::Rng| match random.u8(..12) {
            0 => error,
            1..4 if depth == 0 && source > 0 => source,
            _ => random.usize(least..count.max(least + 1)).min(error),
        };
        let own = Op::Local(0, random.u32(..VARIABLES));
        let asked = if random.u8(..3) == 0 { variable(random) } else { own };
        let condition = compare(Cmp::Eq, &[asked], &int(random.u8(..2)));
        let [yes, no] = [target(random), target(random)];
        match random.u8(..10) {
            0 => {}
            8 => {
                let command = Command::default().set(HANDED, int(1));
                graph.edge(source, yes, command, String::new());
            }
            9 => {
                let handed = compare(Cmp::Eq, &[HANDED], &int(1));
                let command = Command::default().when(handed).set(variable(random), int(1));
                let own = command.updates.keys().all(|v| matches!(v, Op::Local(..)));
                let command =
                    if own { command } else { Command { updates: BTreeMap::new(), ..command } };
                graph.edge(source, yes, command, String::new());
                graph.nodes[source].partial = true;
            }
            1 => {
                graph.edge(source, yes, Command::default().when(condition), String::new());
                graph.nodes[source].partial = true;
            }
            2..4 => {
                let other = not(&condition);
                graph.edge(source, yes, Command::default().when(condition), String::new());
                graph.edge(source, no, Command::default().when(other), String::new());
            }
            _ => {
                let value =
                    if random.bool() { int(random.u8(..2)) } else { vec![variable(random)] };
                let command = Command::default().set(variable(random), value);
                graph.edge(source, yes, command, String::new());
            }
        }
    }
    graph
}

pub(crate) type Values = BTreeMap<Op, i64>;

/// Where the threads are, the shared variables, and the own ones of each.
pub(crate) type State = (Vec<usize>, Values, Vec<Values>);

/// The value of a term or condition.
pub(crate) fn value(term: &[Op], shared: &Values, own: &Values) -> i64 {
    let small = |k: &BigInt| i64::try_from(k).expect("a small number");
    let mut stack = Vec::new();
    for op in term {
        let mut pop = || stack.pop().expect("an operand");
        let result = match op {
            Op::Int(Int(k)) => small(k),
            Op::Bool(value) => i64::from(*value),
            Op::Global(_) => shared[op],
            Op::Local(..) => own[op],
            Op::Scale(Int(k)) => small(k) * pop(),
            Op::Not => 1 - pop(),
            Op::Add => pop() + pop(),
            Op::And => pop() * pop(),
            Op::Cmp(cmp) => {
                let b = pop();
                i64::from(cmp.holds(&pop(), &b))
            }
            _ => panic!("{term:?}"),
        };
        stack.push(result);
    }
    stack.pop().expect("a value")
}

pub(crate) fn holds(guard: &[Vec<Op>], shared: &Values, own: &Values) -> bool {
    guard.iter().all(|formula| value(formula, shared, own) == 1)
}

/// The states that one step of a thread leads to.
pub(crate) fn steps(thread: &Graph, t: usize, state: &State) -> Vec<State> {
    let (places, shared, own) = state;
    let mut out = Vec::new();
    for edge in thread.edges.iter().filter(|e| e.source == places[t]) {
        if !holds(&edge.command.guard, shared, &own[t]) {
            continue;
        }
        let mut next = state.clone();
        next.0[t] = edge.target;
        for (variable, term) in &edge.command.updates {
            let new = value(term, shared, &own[t]);
            match variable {
                Op::Global(_) => next.1.insert(variable.clone(), new),
                _ => next.2[t].insert(variable.clone(), new),
            };
        }
        out.push(next);
    }
    out
}

/// All states of some threads. At the start the shared variables are zero, and the own ones of each
/// thread 0 and 1.
pub(crate) fn states(threads: &[&Graph], globals: u32) -> HashSet<State> {
    let shared: Values = (0..globals).map(|i| (Op::Global(i), 0)).collect();
    let mut own: Values = (0..VARIABLES).map(|i| (Op::Local(0, i), i64::from(i))).collect();
    // Shared variables that became a thread's own are zero, too.
    own.extend((VARIABLES..VARIABLES + globals).map(|i| (Op::Local(0, i), 0)));
    let start: State = (vec![0; threads.len()], shared, vec![own; threads.len()]);
    let (mut seen, mut todo) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = todo.pop() {
        let alone = (0..threads.len()).find(|t| threads[*t].nodes[state.0[*t]].depth > 0);
        for (t, thread) in threads.iter().enumerate() {
            if alone.is_none_or(|only| only == t) {
                let new = steps(thread, t, &state).into_iter();
                todo.extend(new.filter(|next| seen.insert(next.clone())));
            }
        }
    }
    seen
}

/// The threads of which one can come to an error.
fn wrong(threads: &[Graph]) -> Vec<bool> {
    let threads: Vec<&Graph> = threads.iter().collect();
    let states = states(&threads, VARIABLES + 1);
    let errs = |t: usize| states.iter().any(|state| threads[t].nodes[state.0[t]].error);
    (0..threads.len()).map(errs).collect()
}

#[test]
fn joined_steps_go_wrong_where_elementary_ones_do() {
    let (mut unsafe_ones, mut joined) = (0, 0);
    for seed in 0..20_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let before = [thread(&mut random), thread(&mut random)];
        let mut after = before.clone();
        for graph in &mut after {
            let handed = BTreeSet::from([HANDED]);
            graph.edges.iter_mut().for_each(|edge| edge.access = edge.command.access(&handed));
            graph.ranges = (0..=VARIABLES)
                .map(|i| (Op::Global(i), (BigInt::from(0), BigInt::from(1))))
                .collect();
            if graph.atomic_sections().is_err() {
                panic!("{seed}: a loop in an atomic section");
            }
            graph.reduce();
        }
        let expected = wrong(&before);
        assert_eq!(expected, wrong(&after), "{seed}: {before:#?} {after:#?}");
        unsafe_ones += usize::from(expected.contains(&true));
        joined += usize::from(after[0].edges.len() < before[0].edges.len());
    }
    assert!(
        unsafe_ones > 2_000 && unsafe_ones < 18_000 && joined > 5_000,
        "{unsafe_ones} {joined}"
    );
}
