//! Both sides of each limit on the size of what is read (SPEC.md section 11).

mod common;

use common::{PROGRAM, certificate, proof};
use std::collections::HashMap;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::core_form::parse;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::sorts::sort_of;
use threadproof_checker::internals::substitute::substitute;
use threadproof_checker::{check, decode};
use threadproof_format::limits::*;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::{Expr, Op};

const OPERATORS: Reason = Reason::Limit("operators of a formula");

fn parsed(text: &str) -> Result<Program, Reason> {
    parse(text).map(|(program, _)| program)
}

fn category(bytes: &[u8]) -> &'static str {
    decode(bytes).unwrap_err().reason.category()
}

#[test]
fn bytes_of_a_program_and_of_a_certificate() {
    let mut text = String::from("core 1; //");
    text.extend(std::iter::repeat_n(' ', MAX_BYTES - text.len()));
    assert!(parsed(&text).is_ok());
    text.push(' ');
    assert_eq!(parsed(&text), Err(Reason::Limit("bytes of a program")));
    // One string of bytes with its length: no certificate, but not too long for one.
    let string = |length: usize| {
        let mut bytes = vec![0x5a];
        bytes.extend(u32::try_from(length).unwrap().to_be_bytes());
        bytes.resize(5 + length, 0);
        bytes
    };
    assert_eq!(category(&string(MAX_BYTES - 5)), "schema");
    assert_eq!(category(&string(MAX_BYTES - 4)), "limit");
}

#[test]
fn nesting_of_a_certificate() {
    let nested = |depth: usize| [vec![0x81; depth], vec![0]].concat();
    assert_eq!(category(&nested(MAX_DEPTH)), "schema");
    assert_eq!(category(&nested(MAX_DEPTH + 1)), "limit");
    // Arrays that are too deep are declined whatever is wrong inside them.
    assert_eq!(category(&[vec![0x81; MAX_DEPTH + 1], vec![0xff]].concat()), "limit");
}

#[test]
fn tokens_of_a_program() {
    let text = |tokens: usize| format!("core 1; {}", ";".repeat(tokens - 3));
    assert!(matches!(parsed(&text(MAX_TOKENS)), Err(Reason::Syntax(..))));
    assert_eq!(parsed(&text(MAX_TOKENS + 1)), Err(Reason::Limit("tokens of a program")));
}

#[test]
fn digits_of_an_integer() {
    let text = |digits: usize| format!("core 1; init {} == 0;", "1".repeat(digits));
    assert!(parsed(&text(MAX_DIGITS)).is_ok());
    assert_eq!(parsed(&text(MAX_DIGITS + 1)), Err(Reason::Limit("digits of an integer")));
}

/// Of a program, of a predicate, and of a formula after a step.
#[test]
fn operators_of_a_formula() {
    // !!...!true, in so many operators.
    let program = |operators: usize| format!("core 1; init {}true;", "!".repeat(operators - 1));
    assert!(parsed(&program(MAX_OPS)).is_ok());
    assert_eq!(parsed(&program(MAX_OPS + 1)), Err(OPERATORS));
    let negations = |operators: usize| {
        let negations = std::iter::repeat_n(Op::Not, operators - 1);
        Expr([Op::Bool(true)].into_iter().chain(negations).collect())
    };
    let sorted = |operators: usize| {
        sort_of(&negations(operators), &|_| Err(Reason::Index("variable")), &Budget::default())
            .map(drop)
    };
    assert_eq!([MAX_OPS, MAX_OPS + 1].map(sorted), [Ok(()), Err(OPERATORS)]);
    // Of an obligation, however it came about.
    let obligation = |operators: usize| {
        let formulas = vec![negations(operators)];
        let obligation =
            Obligation { id: ObligationId::Triple(0), sorts: HashMap::new(), formulas };
        obligation.clausal_form(&Budget::default()).map(drop)
    };
    assert_eq!([MAX_OPS, MAX_OPS + 1].map(obligation), [Ok(()), Err(OPERATORS)]);
    // Of a formula after a step.
    let after = |operators: usize| {
        let value = Expr(std::iter::repeat_n(Op::Not, operators).collect());
        substitute(&Expr(vec![Op::Global(0)]), &vec![(Op::Global(0), value)], &Budget::default())
            .map(drop)
    };
    assert_eq!([MAX_OPS, MAX_OPS + 1].map(after), [Ok(()), Err(OPERATORS)]);
    let verdict = |change: &dyn Fn(&mut Expr)| {
        let mut proof = proof();
        change(&mut proof.predicates[0].formula);
        check(PROGRAM, &certificate(PROGRAM, Proof::ProofSpace(proof))).map_err(|e| e.reason)
    };
    let longer = |operators: usize| {
        move |formula: &mut Expr| {
            let more = operators - formula.0.len();
            formula.0.extend(std::iter::repeat_n(Op::Not, more));
        }
    };
    // The step g := g + x makes two more.
    assert!(matches!(verdict(&longer(MAX_OPS - 2)), Err(Reason::Refutation(_))));
    assert_eq!(verdict(&longer(MAX_OPS + 1)).unwrap_err(), OPERATORS);
    // g + g + ... >= 1 before the step g := g + x: each g becomes three operators.
    let sum = |terms: usize| {
        move |formula: &mut Expr| {
            let more = std::iter::repeat_n([Op::Global(0), Op::Add], terms - 1).flatten();
            formula.0.splice(1..1, more);
        }
    };
    // Of n terms, 3n operators of their own and n - 1 sums, a constant and a comparison.
    let most = (MAX_OPS - 1) / 4;
    assert!(verdict(&sum(most)).is_ok(), "n * g >= 1 is g >= 1");
    assert_eq!(verdict(&sum(most + 1)).unwrap_err(), OPERATORS);
}

#[test]
fn positions_of_a_predicate() {
    let verdict = |arity: usize| {
        let mut proof = proof();
        proof.predicates[1].threads = vec![0; arity];
        check(PROGRAM, &certificate(PROGRAM, Proof::ProofSpace(proof))).unwrap_err().reason
    };
    assert!(matches!(verdict(MAX_ARITY), Reason::Instance(_)));
    assert_eq!(verdict(MAX_ARITY + 1), Reason::Limit("thread positions of a predicate"));
}
