//! Equal single threads that are joined, and what is known of them.

use threadproof_checker::internals::{core_form, replay};
use threadproof_format::program::{Multiplicity, Program};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_producer::frontend::tp;
use threadproof_producer::logic::print;
use threadproof_producer::source::Annotation;
use threadproof_producer::transform::instances::Instances;
use threadproof_producer::transform::symmetry::Join;

/// Two workers around another thread, and a third worker that differs by its guard.
const SOURCE: &str = "global int g;\n\
    thread t[2] { local int x; local int y = 1; x = g; atomic { assume(x >= y); g = x + y; } }\n\
    thread s { local int z; z = g; assert(z < 5); }\n\
    thread u { local int x; local int y = 1; x = g; atomic { assume(x > y); g = x + y; } }\n";

fn program(source: &str) -> Program {
    tp::lower("test.tp", source).unwrap_or_else(|errors| panic!("{errors}")).program
}

fn joined(program: &Program) -> (Join, Program) {
    let join = Join::new(&[program]).expect("equal threads");
    let joined = join.program(program).expect("a program");
    (join, joined)
}

#[test]
fn equal_threads_become_any_number() {
    let program = program(SOURCE);
    let (join, joined) = joined(&program);
    assert_eq!(join.to(), [0, 0, 1, 2]);
    let expected = "\
core 1;
assumption \"memory is sequentially consistent, and each statement, each condition and each atomic block is one atomic step\";
assumption \"integers are mathematical: no overflow happens\";
global g: int;
many t {
    local x: int;
    local y: int;
    init y == 1;
    location L1;
    location L2;
    location end;
    edge L1 -> L2 { x := g; }
    edge L2 -> end { when x >= y; g := x + y; }
}
one s {
    local z: int;
    location L1;
    location L2;
    location end;
    location error_1 error;
    edge L1 -> L2 { z := g; }
    edge L2 -> error_1 { when z >= 5; }
    edge L2 -> end { when z < 5; }
}
one u {
    local x: int;
    local y: int;
    init y == 1;
    location L1;
    location L2;
    location end;
    edge L1 -> L2 { x := g; }
    edge L2 -> end { when x > y; g := x + y; }
}
";
    let text = print::program(&joined, &|_, _| String::new());
    assert_eq!(text, expected);
    assert_eq!(core_form::parse(&text).expect("the checker reads it").0, joined);
    assert_eq!(Join::new(&[&joined]), None);
}

#[test]
fn threads_that_are_counted_or_differ_above_are_not_joined() {
    let counted = "thread t[2] { a: assume(true); }\nthread s { assert(count(a) >= 0); }\n";
    assert_eq!(Join::new(&[&program(counted)]), None);
    // What comes after joined threads gets another number, which its counters would not have.
    let moved = "thread t[2] { assume(true); }\nthread s { a: assert(count(a) >= 0); }\n";
    assert_eq!(Join::new(&[&program(moved)]), None);
    let concrete = program(SOURCE);
    let mut above = concrete.clone();
    above.templates[1].locations[1].name = "other".to_owned();
    assert_eq!(Join::new(&[&concrete, &above]), None);
    above.templates.pop();
    assert_eq!(Join::new(&[&concrete, &above]), None);
    let mut many = concrete;
    many.templates[0].multiplicity = Multiplicity::Many;
    assert_eq!(Join::new(&[&many]), None);
}

#[test]
fn clauses_are_said_of_joined_threads_once() {
    let source = SOURCE.replace("t[2]", "t[*]");
    let source = format!("{source}hint forall t a, t b (a.x + g != b.x + s.z);\n");
    let lowered = tp::lower("test.tp", &source).unwrap_or_else(|errors| panic!("{errors}"));
    let single = Instances::source(&lowered, 3);
    assert_eq!(single.annotations.len(), 6);
    let join = Join::new(&[&single.program]).expect("equal threads");
    let joined = join.source(&single).expect("a program");
    let text =
        |said: &Annotation| print::assertion(&joined.program, &said.threads, &[], &said.formula);
    let texts: Vec<String> = joined.annotations.iter().map(text).collect();
    assert_eq!(
        texts,
        [print::assertion(&lowered.program, &[0, 0], &[], &lowered.annotations[0].formula)]
    );
}

fn int(value: i64) -> Value {
    Value::Int(value.into())
}

/// An execution of the joined program with so many threads of `t`, each of which acts.
fn execution(threads: usize) -> Counterexample {
    let start =
        |i: usize| Thread { locals: vec![int(i64::try_from(i).unwrap()), int(1)], template: 0 };
    let mut listed: Vec<Thread> = (0..threads).map(start).collect();
    listed.push(Thread { locals: vec![], template: 1 });
    let last = u32::try_from(threads).unwrap();
    let go = |edge, thread| Move { edge, inputs: vec![], thread };
    let mut schedule: Vec<Move> = (0..last).flat_map(|t| [go(0, t), go(1, t)]).collect();
    schedule.extend([go(0, last), go(1, last)]);
    // Globals: g, s.z, u.x, u.y.
    let globals = vec![int(5), int(0), int(0), int(1)];
    Counterexample { start: State { globals, threads: listed }, schedule }
}

#[test]
fn an_execution_of_joined_threads_is_one_of_single_ones() {
    let program = program(SOURCE);
    let (join, joined) = joined(&program);
    for threads in 0..4 {
        let run = execution(threads);
        replay::check(&joined, &run, &Default::default()).expect("an execution");
        let found = join.apart(&program, &run);
        match threads {
            // Without one that acts, y cannot be 0; with three there are too many.
            0 | 3 => assert_eq!(found, None, "{threads}"),
            _ => {
                let found = found.expect("an execution");
                replay::check(&program, &found, &Default::default()).expect("replayed");
                let templates: Vec<u32> = found.start.threads.iter().map(|t| t.template).collect();
                assert_eq!(templates, if threads == 1 { vec![0, 2] } else { vec![0, 1, 2] });
            }
        }
    }
}
