//! Two faults in one certificate: the tables of SPEC.md say which one is named. And what depends on
//! an order of declaration.

use super::layers::{candidate, fill, layer, layered};
use super::pair::{Pair, int, run};
use super::{Arena, Why};
use crate::counting::Draft;
use ciborium::Value as Item;
use threadproof_format::proof::VERSION;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::{Configuration, Hint, Slot, StepHints};
use threadproof_format::refutation::Refutation;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    versions(arena);
    moves(arena);
    embeddings(arena);
    obligations(arena);
    inputs(arena);
}

/// The certificate as a map, with these fields instead.
fn fields(item: &mut Item, change: impl FnOnce(&mut Vec<(Item, Item)>)) {
    change(item.as_map_mut().expect("a map"));
}

fn versions(arena: &mut Arena) {
    let mut group = arena.on("introduction", "2.5.1");
    let version = |number: u64| (Item::from("version"), Item::from(number));
    let other = u64::from(VERSION) + 1;
    let why: Why<'_> = ("version", "unknown format version");
    group.untyped("version_beside_an_unknown_field", why, "it is another's", |item| {
        fields(item, |map| {
            *map.iter_mut().find(|(key, _)| *key == "version".into()).expect("one") =
                version(other);
            map.push(("statements".into(), Item::Null));
        });
    });
    let rows = [
        ("version_alone", "the other fields are another's", vec![version(other)]),
        ("version_after_a_number", "a key of another kind", vec![(0.into(), 1.into()), version(3)]),
        ("version_0", "the least number", vec![version(0)]),
        ("version_of_32_bits", "the largest number", vec![version(u64::from(u32::MAX))]),
    ];
    for (name, trap, new) in rows {
        group.untyped(name, why, trap, |item| *item = Item::Map(new));
    }
    let mut group = arena.on("introduction", "2.4.1");
    let rows: [(&str, Item); 3] = [
        ("version_of_33_bits", (1_u64 << 32).into()),
        ("version_below_zero", (-1).into()),
        ("version_in_words", "5".into()),
    ];
    for (name, new) in rows {
        let why = ("schema", "not of the schema");
        group.untyped(name, why, "it is no version", |item| {
            *item = Item::Map(vec![("version".into(), new)]);
        });
    }
}

fn moves(arena: &mut Arena) {
    let core = "core 1;
global g: int;
many t {
    location a;
    location b;
    location wrong error;
    edge a -> b { input v: int; g := v; }
    edge b -> wrong { input v: int; when v > g; }
}
";
    let threads: [(u32, &[Value]); 1] = [(0, &[])];
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[int(1)]), (0, 1, &[int(2)])];
    arena.good("inputs", "9", "a value for each input", run(core, &[int(0)], &threads, &moves));
    let mut group = arena.on("inputs", "9.4");
    let elsewhere = ("replay", "step 0: not an execution: the thread is at another location");
    let trap = "the thread is elsewhere, and the input has another sort";
    group.bad("move_elsewhere_with_an_input_of_another_sort", elsewhere, trap, |pair| {
        pair.run().schedule.remove(0);
        pair.step(0).inputs = vec![Value::Bool(true)];
    });
    let trap = "the thread is elsewhere, and an input is missing";
    group.bad("move_elsewhere_without_an_input", elsewhere, trap, |pair| {
        pair.run().schedule.remove(0);
        pair.step(0).inputs = vec![];
    });
    let trap = "the input has another sort, and there is one too many";
    let number = ("replay", "step 0: not an execution: number of values");
    group.bad("move_with_an_input_of_another_sort_and_one_more", number, trap, |pair| {
        pair.step(0).inputs = vec![Value::Bool(true), int(1)];
    });
}

fn embeddings(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.4.9");
    let three = |pair: &mut Pair, map: &[u32]| {
        let threads = vec![Slot(0, None), Slot(0, None), Slot(0, None)];
        let negated = pair.configuration(0).negated.clone();
        let c = Configuration { steps: vec![], negated, threads };
        let space = pair.space();
        space.configurations.push(Configuration { threads: vec![Slot(0, Some(1)); 3], ..c });
        space.error_steps[0] = StepHints(vec![Hint::Embed(2, map.to_vec())]);
    };
    let place = "error configuration 0, thread 0, template 0, edge 2: ";
    let unknown = format!("{place}a number that names no thread");
    let trap = "two slots for one thread, and one for none";
    group.bad("embedding_twice_and_beyond", ("index", &unknown), trap, |pair| {
        three(pair, &[0, 0, 99]);
    });
    let twice = format!("{place}not a useful embedding: two threads become one");
    let trap = "two slots for one thread";
    group.bad("embedding_of_three_in_one", ("embedding", &twice), trap, |pair| {
        three(pair, &[0, 0, 0]);
    });
}

fn obligations(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let why = ("refutation", "triple 0: not a refutation");
    let trap = "triple 0 is not refuted, and triple 1 has an unknown edge";
    group.bad("refutation_before_the_next_triple", why, trap, |pair| {
        pair.triple(0).refutation = Refutation::default();
        pair.triple(1).edge = 9;
    });
    let why = ("index", "triple 0: a number that names no edge");
    let trap = "triple 0 has an unknown edge, and no refutation";
    group.bad("edge_before_the_refutation", why, trap, |pair| {
        pair.triple(0).edge = 9;
        pair.triple(0).refutation = Refutation::default();
    });
}

/// One input is the next value of two globals.
const NEXT: &str = "core 1;
global g: int;
global h: int;
many t {
    location a;
    location wrong error;
    edge a -> a { input v: int; input w: int; when v == 5 && w == 5; g := v, h := w; }
}
";

/// The edge of the abstract thread updates the second global first.
fn next() -> Pair {
    let inputs = "input v: int; input w: int; when v == 5 && w == 5; g := v, h := w;";
    let above = NEXT.replace(inputs, "input v: int; when v == 5; h := v, g := v;");
    let above = above.replace("many t", "many u");
    let layer = layer(&above, vec![Some((vec![], vec![candidate(0)]))]);
    layered(NEXT, vec![layer], Draft::new(&above))
}

fn inputs(arena: &mut Arena) {
    let shows =
        "an input is the new value of the first global that is declared, not that is updated";
    arena.good("input_of_two_globals", "12.3.8", shows, next());
    let mut group = arena.on("input_of_two_globals", "12.3.8");
    let why = ("refutation", "layer 0, template 0, edge 0: not a refutation");
    let trap = "the refutation is for the global that is updated first";
    group.bad("input_of_the_global_updated_first", why, trap, |pair| {
        let mut other = pair.clone();
        other.restate(&[("global g: int;\nglobal h: int;", "global h: int;\nglobal g: int;")]);
        other.restate_layer(
            0,
            &[("global g: int; global h: int;", "global h: int; global g: int;")],
        );
        fill(&mut other);
        let found = other.conformance(0, 0).refutations.clone();
        pair.conformance(0, 0).refutations = found;
    });
}
