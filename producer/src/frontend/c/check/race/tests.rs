//! The monitor against the definition: for random threads, executed on explicit states, there is an
//! error exactly if accesses in conflict can be next to each other.

use crate::frontend::c::check::race::monitor;
use crate::frontend::c::reduce::lipton::tests::{State, VARIABLES, holds, states, steps, value};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::{Graph, Node};
use crate::frontend::c::steps::thread_graph::{DataAccess, ThreadGraph};
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::term::{add, compare, int, not};
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op, Sort};

/// Shared variables that hold data; behind them one to synchronize by, and one that says that
/// threads are created.
const DATA: u32 = 2;
const FLAG: Op = Op::Global(DATA);
const CREATED: Op = Op::Global(DATA + 1);

fn own(random: &mut fastrand::Rng) -> Op {
    Op::Local(0, random.u32(..VARIABLES))
}

/// An access behind a location: a variable as a whole, or one of its two cells.
fn access(random: &mut fastrand::Rng, graph: &Graph, node: usize, when: Command) -> DataAccess {
    let number = random.u32(..DATA);
    let first = int(2 * number + 1);
    let cell = match number {
        0 => first,
        _ => add(&[own(random)], &first),
    };
    DataAccess {
        node,
        when,
        variable: number,
        cell,
        write: random.bool(),
        atomic: graph.nodes[node].depth > 0 || random.u8(..3) == 0,
        notes: Default::default(),
        at: node,
    }
}

/// An access's step; what is written does not matter.
fn step(random: &mut fastrand::Rng, access: &DataAccess) -> Command {
    let command = access.when.clone();
    match access.write {
        true => command.set(Op::Global(access.variable), int(random.u8(..2))),
        false => command.set(own(random), vec![Op::Global(access.variable)]),
    }
}

/// A thread of accesses, waits for the flag, settings of it, and branches, partly in atomic
/// sections. The first thread creates the others somewhere, and they wait for that.
fn thread(random: &mut fastrand::Rng, first: bool) -> ThreadGraph {
    let (mut graph, mut accesses) = (Graph::default(), Vec::new());
    let count = random.usize(3..8);
    for i in 0..count {
        let depth = usize::from(i > 1 && random.u8(..4) == 0);
        graph.node(Node { depth, ..Node::default() });
    }
    graph.node(Node::default());
    let creation = if first { random.usize(..count) } else { count };
    let mut creations = Vec::new();
    for source in 0..count {
        let depth = graph.nodes[source].depth;
        let target = |random: &mut fastrand::Rng| match random.u8(..6) {
            0 if depth == 0 && source > 0 => random.usize(1..=source),
            _ => random.usize(source + 1..=count),
        };
        let [yes, no] = [target(random), target(random)];
        if source == creation {
            creations.push(graph.edges.len());
            let command = Command::default().set(CREATED, int(1));
            graph.edge(source, source + 1, command, String::new());
            continue;
        }
        if source == 0 && !first {
            let created = compare(Cmp::Eq, &[CREATED], &int(1));
            graph.edge(0, 1, Command::default().when(created), String::new());
            graph.nodes[0].partial = true;
            continue;
        }
        let condition = compare(Cmp::Eq, &[own(random)], &int(random.u8(..2)));
        match random.u8(..8) {
            // Into a section and out of it nothing else happens.
            _ if graph.nodes[yes].depth > depth => {
                graph.edge(source, yes, Command::default(), String::new());
            }
            0 => {
                let set = compare(Cmp::Eq, &[FLAG], &int(1));
                graph.edge(source, yes, Command::default().when(set), String::new());
                graph.nodes[source].partial = true;
            }
            1 => {
                let value = int(random.u8(..2));
                graph.edge(source, yes, Command::default().set(FLAG, value), String::new());
            }
            2 => {
                let other = not(&condition);
                graph.edge(source, yes, Command::default().when(condition), String::new());
                graph.edge(source, no, Command::default().when(other), String::new());
            }
            3 => {
                let cases = [condition.clone(), not(&condition)];
                for case in cases {
                    let access = access(random, &graph, source, Command::default().when(case));
                    graph.edge(source, yes, step(random, &access), String::new());
                    accesses.push(access);
                }
            }
            _ => {
                let access = access(random, &graph, source, Command::default());
                graph.edge(source, yes, step(random, &access), String::new());
                accesses.push(access);
            }
        }
    }
    let variable =
        Variable { name: "x".to_owned(), sort: Sort::Int, init: None, range: Some(bit()) };
    let variables = vec![variable; VARIABLES as usize];
    let many = !first && random.bool();
    ThreadGraph { name: "thread".to_owned(), many, graph, variables, accesses, creations }
}

fn bit() -> (BigInt, BigInt) {
    (0.into(), 1.into())
}

/// The threads that are executed: two of each template of many.
fn instances(made: &[ThreadGraph]) -> Vec<&ThreadGraph> {
    made.iter().flat_map(|m| std::iter::repeat_n(m, if m.many { 2 } else { 1 })).collect()
}

/// Whether accesses in conflict can be next to each other: a plain one of a thread that is at it,
/// and one of another thread, in a section perhaps that it goes through meanwhile.
fn races(threads: &[&ThreadGraph], states: impl Iterator<Item = State>) -> bool {
    for state in states {
        let open = |t: usize| threads[t].graph.nodes[state.0[t]].depth > 0;
        if (0..threads.len()).any(open) {
            continue;
        }
        for t in 0..threads.len() {
            for (access, cell) in accesses(threads, t, &state).filter(|(access, _)| !access.atomic)
            {
                let met = |u: usize| u != t && meets(threads, u, &state, access, cell);
                if (0..threads.len()).any(met) {
                    return true;
                }
            }
        }
    }
    false
}

/// Accesses that a thread is at, with their cells' numbers.
fn accesses<'a>(
    threads: &[&'a ThreadGraph],
    t: usize,
    (places, shared, own): &State,
) -> impl Iterator<Item = (&'a DataAccess, i64)> {
    let here = threads[t].accesses.iter().filter(move |a| a.node == places[t]);
    let here = here.filter(move |a| holds(&a.when.guard, shared, &own[t]));
    here.map(move |a| (a, value(&a.cell, shared, &own[t])))
}

/// Whether a thread is at an access in conflict, or comes to one in an atomic section.
fn meets(
    threads: &[&ThreadGraph],
    u: usize,
    state: &State,
    access: &DataAccess,
    cell: i64,
) -> bool {
    let mut todo = vec![state.clone()];
    while let Some(state) = todo.pop() {
        let same = |(other, number): (&DataAccess, i64)| {
            number == cell && other.variable == access.variable && (other.write || access.write)
        };
        if accesses(threads, u, &state).any(same) {
            return true;
        }
        let inside = |next: &State| threads[u].graph.nodes[next.0[u]].depth > 0;
        todo.extend(steps(&threads[u].graph, u, &state).into_iter().filter(inside));
    }
    false
}

#[test]
fn there_is_an_error_exactly_if_there_is_a_race() {
    let mut count = 0;
    for seed in 0..2_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let threads = random.usize(2..4);
        let mut made: Vec<ThreadGraph> =
            (0..threads).map(|i| thread(&mut random, i == 0)).collect();
        let before = instances(&made);
        let graphs: Vec<&Graph> = before.iter().map(|m| &m.graph).collect();
        let expected = races(&before, states(&graphs, DATA + 2).into_iter());

        let shared = |i| Variable {
            name: format!("x{i}"),
            sort: Sort::Int,
            init: Some(vec![0.into()]),
            range: Some(bit()),
        };
        let mut shared: Vec<Variable> = (0..DATA + 2).map(shared).collect();
        let text: Vec<String> =
            made.iter().map(|m| format!("{:#?} {:#?}", m.graph, m.accesses)).collect();
        monitor(&mut made, &mut shared);
        crate::frontend::c::reduce::reduce(&mut made, &shared, &Default::default())
            .expect("no loops in sections");
        let after = instances(&made);
        let graphs: Vec<&Graph> = after.iter().map(|m| &m.graph).collect();
        let states = states(&graphs, number(shared.len()));
        let wrong = |state: &State| (0..graphs.len()).any(|t| graphs[t].nodes[state.0[t]].error);
        let found = states.iter().any(wrong);
        assert_eq!(found, expected, "{seed}: {}", text.join("\n"));
        count += usize::from(found);
    }
    assert!(count > 200 && count < 1_800, "{count}");
}
