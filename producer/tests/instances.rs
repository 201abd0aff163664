//! Programs with a fixed number of threads.

use std::path::Path;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_producer::frontend::tp;
use threadproof_producer::logic::print;
use threadproof_producer::source::{Annotation, Source};
use threadproof_producer::transform::instances::Instances;

/// A program of the language with exactly so many threads.
fn instances(source: &str, count: u32) -> Source {
    let source = tp::lower("test.tp", source).unwrap_or_else(|errors| panic!("{errors}"));
    Instances::source(&source, count)
}

#[test]
fn threads_become_single_ones_with_locals_of_their_own() {
    let made = instances(
        "global int g; global int t_1; init (g > 0);\n\
         thread s { local int x = 1; assume(g > 1); l: g = x; x = g; }\n\
         thread t[*] { local int x = 2; local int y; k: y = x; g = y; m: assert(count(m, l) <= x); }\n",
        2,
    );
    let expected = "\
core 1;
assumption \"memory is sequentially consistent, and each statement, each condition and each atomic block is one atomic step\";
assumption \"integers are mathematical: no overflow happens\";
assumption \"exactly 2 threads run t\";
global g: int;
global t_1: int;
init g > 0;
one s {
    local x: int;
    init x == 1;
    location L1;
    location l;
    location L2;
    location end;
    edge L1 -> l { when g > 1; } // test.tp:2: assume(g > 1);
    edge l -> L2 { g := x; } // test.tp:2: g = x;
    edge L2 -> end { x := g; } // test.tp:2: x = g;
}
";
    let t = |name: &str| {
        format!(
            "\
one {name} {{
    local x: int;
    local y: int;
    init x == 2;
    location k;
    location L1;
    location m;
    location end;
    location error_1 error;
    edge k -> L1 {{ y := x; }} // test.tp:3: y = x;
    edge L1 -> m {{ g := y; }} // test.tp:3: g = y;
    edge m -> error_1 {{ when #s.l + (#t_1_2.m + #t_2.m) > x; }} // test.tp:3: assert(count(m, l) <= x); fails
    edge m -> end {{ when #s.l + (#t_1_2.m + #t_2.m) <= x; }} // test.tp:3: assert(count(m, l) <= x);
}}
"
        )
    };
    assert_eq!(made.core, format!("{expected}{}{}", t("t_1_2"), t("t_2")));
    let (read, _) = core_form::parse(&made.core).expect("the checker reads it");
    assert_eq!(read, made.program);
}

#[test]
fn clauses_are_about_all_choices_of_different_threads() {
    let source = "global int g;\nhint forall t a, t b (a.x != b.x);\ninvariant (g >= s.y);\n\
         thread t[*] { local int x; invariant (x > g); x = 1; }\nthread s { local int y; y = 1; }\n";
    let texts = |count| -> Vec<String> {
        let made = instances(source, count);
        let text = |said: &Annotation| {
            assert!(said.threads.is_empty());
            print::assertion(&made.program, &[], &[], &said.formula)
        };
        made.annotations.iter().map(text).collect()
    };
    assert_eq!(
        texts(2),
        ["t_1.x != t_2.x", "t_2.x != t_1.x", "g >= s.y", "t_1.x > g", "t_2.x > g"]
    );
    // With one thread there are no two different ones; with very many the clause is left out.
    assert_eq!(texts(1), ["g >= s.y", "t_1.x > g"]);
    assert_eq!(texts(64).len(), 1 + 64);
}

#[test]
fn layers_have_the_same_instances() {
    let concrete = instances(
        "global int g;\n\
         abstract W { initial node a; edge a -> a (g' > g) unchanged except (g); }\n\
         thread s { local int y; y = g; }\n\
         thread t[*] abstracts W { local int x; while (x > 0) invariant (x >= 0 || candidate(a)) { g = g + 1; } }\n\
         thread u[*] { local int z; z = 1; }\n",
        3,
    );
    let [layer] = &concrete.abstractions[..] else { panic!("one layer") };
    let names = |program: &Program| -> Vec<String> {
        program.templates.iter().map(|t| t.name.clone()).collect()
    };
    assert_eq!(names(&concrete.program), ["s", "t_1", "t_2", "t_3", "u_1", "u_2", "u_3"]);
    assert_eq!(names(&layer.program), ["s", "W_1", "W_2", "W_3", "u_1", "u_2", "u_3"]);
    assert_eq!(layer.program.assumptions, concrete.program.assumptions);
    let said = ["exactly 3 threads run t", "exactly 3 threads run u"];
    assert!(concrete.program.assumptions.ends_with(&said.map(str::to_owned)));
    let loops: Vec<u32> = layer.loop_invariants.iter().map(|said| said.template).collect();
    assert_eq!(loops, [1, 2, 3]);
    let budget = Budget::default();
    for of in [0, 4, 5, 6] {
        let pair = threadproof_checker::internals::abstraction::conformance::Pair::new(
            (&concrete.program, of),
            (&layer.program, of),
            &budget,
        );
        assert!(pair.expect("a pair").same(&Budget::default()).unwrap());
    }
    let (read, _) = core_form::parse(&layer.core).expect("the checker reads it");
    assert_eq!(read, layer.program);
}

/// `thread t[3]` says the same as `thread t[*]` with exactly three threads.
#[test]
fn the_corpus_has_the_instances_that_its_text_would_have() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let mut compared = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus") {
        let path = entry.expect("a file").path();
        if path.extension().is_none_or(|e| e != "tp") {
            continue;
        }
        let source = std::fs::read_to_string(&path).expect("a program");
        if !source.contains("[*]") {
            continue;
        }
        let made = instances(&source, 3);
        let Ok(written) = tp::lower("test.tp", &source.replace("[*]", "[3]")) else { continue };
        let said = written.program.assumptions.len();
        let program =
            Program { assumptions: made.program.assumptions[..said].to_vec(), ..made.program };
        assert_eq!(program, written.program, "{}", path.display());
        assert_eq!(made.notes, written.notes);
        compared += 1;
    }
    assert!(compared > 150, "{compared} programs");
}
