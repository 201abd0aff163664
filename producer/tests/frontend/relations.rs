//! What an edge of an abstract thread means, against a thread that chooses all next values and
//! assumes the relation: both are executed, from all small states.

use super::lowered;
use super::robustness::Random;
use std::collections::BTreeSet;
use threadproof_format::program::Program;
use threadproof_producer::frontend::tp;
use threadproof_tests::explicit::{State, Thread, Value};

/// The integers of the states before, and of inputs.
const VALUES: [i64; 3] = [-1, 0, 1];

/// The integer and Boolean variables: globals, then locals of the abstract thread.
const VARIABLES: [&str; 5] = ["x", "y", "b", "l", "k"];

fn boolean(name: &str) -> bool {
    matches!(name, "b" | "l")
}

/// A random integer term over the variables and those next values that may change.
fn term(random: &mut Random, changing: &[&str]) -> String {
    let integers = ["x", "y", "k"];
    let next: Vec<&&str> = changing.iter().filter(|name| !boolean(name)).collect();
    let one = match random.below(5) {
        0 => return random.below(2).to_string(),
        1 | 2 if !next.is_empty() => format!("{}'", next[random.below(next.len())]),
        _ => integers[random.below(integers.len())].to_owned(),
    };
    match random.below(4) {
        0 => format!("{one} + 1"),
        1 => format!("{one} - {}", integers[random.below(integers.len())]),
        _ => one,
    }
}

/// A random formula.
fn formula(random: &mut Random, changing: &[&str], depth: usize) -> String {
    if depth > 0 {
        let mut inner = || formula(random, changing, depth - 1);
        let (left, right) = (inner(), inner());
        return match random.below(5) {
            0 => format!("({left} || {right})"),
            1 => format!("!({left})"),
            _ => format!("({left} && {right})"),
        };
    }
    let mut truth = || {
        let next: Vec<&&str> = changing.iter().filter(|name| boolean(name)).collect();
        match random.below(3) {
            0 if !next.is_empty() => format!("{}'", next[random.below(next.len())]),
            1 => "l".to_owned(),
            _ => "b".to_owned(),
        }
    };
    let (one, other) = (truth(), truth());
    match random.below(8) {
        0 => one,
        1 => format!("{one} == {other}"),
        2 => format!("{one} != ({} < {})", term(random, changing), term(random, changing)),
        3 => format!("{} < {}", term(random, changing), term(random, changing)),
        _ => format!("{} == {}", term(random, changing), term(random, changing)),
    }
}

/// A state after a step: the globals, and the locals of the abstract thread.
type After = BTreeSet<(Vec<Value>, Vec<Value>)>;

/// The steps of the only thread from these globals on, to a place where it goes on.
fn steps(program: &Program, globals: &[Value]) -> Vec<(Vec<Value>, String)> {
    let thread = Thread { template: 0, location: 0, locals: Vec::new() };
    let start = State { globals: globals.to_vec(), threads: vec![thread] };
    let next = start.steps(program, &VALUES).into_iter().map(|(_, next)| {
        let location = next.threads[0].location;
        (next.globals, program.templates[0].locations[location].name.clone())
    });
    next.collect()
}

/// The values in a location's name: `after_l_k_1`.
fn locals(location: &str) -> Vec<Value> {
    let k = i64::from(location.ends_with("_k_1"));
    vec![Value::Bool(location.contains("_l_")), Value::Int(k)]
}

fn small(value: &Value) -> bool {
    !matches!(value, Value::Int(i) if !VALUES.contains(i))
}

#[test]
fn an_edge_is_the_relation_that_it_says() {
    let mut random = Random(7);
    let (mut compared, mut taken) = (0, 0);
    for _ in 0..150 {
        let changing: Vec<&str> = VARIABLES.into_iter().filter(|_| random.below(3) > 0).collect();
        let depth = random.below(3);
        let relation = formula(&mut random, &changing, depth);
        let except = match changing.len() {
            0 => String::new(),
            5 if random.below(2) == 0 => "everything".to_owned(),
            _ => format!("except ({})", changing.join(", ")),
        };
        let unchanged =
            if except == "everything" { String::new() } else { format!("unchanged {except}") };
        let (l, k) = (random.below(2) == 0, random.below(2));
        let abstraction = format!(
            "global int x; global int y; global bool b;\n\
             abstract W {{ local bool l = {l}; local int k in 0..1 = {k};\n\
             initial node before; node after;\nedge before -> after ({relation}) {unchanged}; }}\n\
             thread t abstracts W {{ assume(true); }}\n"
        );
        let Ok(machine) = tp::lower("test.tp", &abstraction) else { continue };
        let program = chosen(&relation, &changing, l, k);
        for globals in starts() {
            let start: Vec<Value> = globals
                .iter()
                .chain(&[Value::Bool(l), Value::Int(i64::try_from(k).expect("small"))])
                .cloned()
                .collect();
            let all = steps(&machine.abstractions[0].program, &globals).into_iter();
            let abstracted: After = all
                .filter(|(globals, at)| at.starts_with("after") && globals.iter().all(small))
                .map(|(globals, at)| (globals, locals(&at)))
                .collect();
            let with_next: Vec<Value> = start.iter().chain(&start).cloned().collect();
            let concrete: After = steps(&program, &with_next)
                .into_iter()
                .map(|(globals, _)| (globals[..3].to_vec(), globals[3..5].to_vec()))
                .collect();
            assert_eq!(abstracted, concrete, "{abstraction} from {globals:?}");
            taken += concrete.len();
        }
        compared += 1;
    }
    assert!(compared > 100 && taken > 1000, "{compared} relations, {taken} steps");
}

/// The values of `x`, `y` and `b` at the start.
fn starts() -> Vec<Vec<Value>> {
    let mut out = Vec::new();
    for x in VALUES {
        for y in VALUES {
            out.extend([true, false].map(|b| vec![Value::Int(x), Value::Int(y), Value::Bool(b)]));
        }
    }
    out
}

/// A thread that chooses the next values of what changes, in one step.
fn chosen(relation: &str, changing: &[&str], l: bool, k: usize) -> Program {
    let next = |name: &str| format!("next_{name}");
    let mut relation = relation.to_owned();
    let (mut choices, mut writes) = (String::new(), String::new());
    for name in changing {
        relation = relation.replace(&format!("{name}'"), &next(name));
        choices += &format!("havoc {}; ", next(name));
        writes += &format!("{name} = {}; ", next(name));
    }
    if changing.contains(&"k") {
        choices += "assume(next_k >= 0 && next_k <= 1); ";
    }
    let program = lowered(&format!(
        "global int x; global int y; global bool b;\n\
         thread t {{ local bool l = {l}; local int k = {k};\n\
         local int next_x; local int next_y; local bool next_b; local bool next_l; local int next_k;\n\
         atomic {{ {choices} assume({relation}); {writes} }} }}\n"
    ));
    program.program
}
