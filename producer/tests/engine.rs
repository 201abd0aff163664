//! The proof-space search on small programs: verdicts, and the validity of what it gives out.

mod engine_support;

use threadproof_format::program::Program;
use threadproof_producer::engine::control::Control;
use threadproof_producer::engine::proof_space::{Options, Outcome, prove};

fn parse(text: &str) -> Program {
    threadproof_checker::core_form::parse(text).expect("a program").0
}

fn search(text: &str) -> (Program, Outcome) {
    let program = parse(text);
    let outcome = prove(&program, &Options::default(), &Control::default());
    (program, outcome)
}

#[test]
fn tmp_all() {
    for entry in std::fs::read_dir("/tmp/wt/progs").unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem().unwrap() == "seqlock" {
            continue;
        }
        let t = std::time::Instant::now();
        let (program, outcome) = search(&std::fs::read_to_string(&path).unwrap());
        println!("{path:?} {:?}", t.elapsed());
        match outcome {
            Outcome::Safe(proof) => engine_support::validate(&program, &proof),
            Outcome::Unsafe(run) => {
                threadproof_checker::replay::check(&program, &run, &mut Default::default()).unwrap()
            }
            Outcome::Unknown(u) => panic!("{u:?}"),
        }
        println!("   {:?}", t.elapsed());
    }
}
