//! Exported proofs in the Alethe format, without a checker for it: whether each step's clause
//! follows from its premises is a question to the solvers.

use super::ask::Script;
use std::collections::HashMap;
use std::path::Path;

/// A step: its clause, and the clauses of its premises.
struct Step {
    clause: Vec<String>,
    premises: Vec<String>,
}

/// A proof as it is written: a line each for definitions, assumptions and steps.
struct Proof {
    definitions: Vec<String>,
    steps: Vec<(String, Step)>,
}

/// A line's parts up to the parenthesis that closes it, `(f a (g b))` as `f`, `a`, `(g b)`.
fn parts(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).expect("parentheses");
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0, false);
    for c in inner.chars() {
        quoted ^= c == '|';
        match c {
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
        match parts.last_mut() {
            Some(last) if c != ' ' || depth > 0 || quoted => last.push(c),
            _ => parts.push(String::new()),
        }
    }
    assert!(depth == 0 && !quoted, "{text}");
    parts.retain(|part| !part.is_empty());
    parts
}

/// Reads a proof of a script; fails unless its assumptions are the script's assertions and its last
/// clause is empty.
fn read(proof: &str, script: &str) -> Proof {
    let asserted = script.lines().filter(|line| line.starts_with("(assert "));
    let asserted: Vec<String> = asserted.map(|line| parts(line)[1].clone()).collect();
    let mut assumed = Vec::new();
    let mut clauses: HashMap<String, String> = HashMap::new();
    let mut read = Proof { definitions: Vec::new(), steps: Vec::new() };
    for line in proof.lines() {
        let parts = parts(line);
        match parts[0].as_str() {
            "define-fun" => read.definitions.push(line.to_owned()),
            "assume" => {
                clauses.insert(parts[1].clone(), parts[2].clone());
                assumed.push(parts[2].clone());
            }
            "step" => {
                let clause: Vec<String> = self::parts(&parts[2])[1..].to_vec();
                let place = parts.iter().position(|part| part == ":premises");
                let names = place.map_or(vec![], |at| self::parts(&parts[at + 1]));
                let premises = names.iter().map(|name| clauses[name].clone()).collect();
                clauses.insert(parts[1].clone(), or(&clause));
                read.steps.push((parts[4].clone(), Step { clause, premises }));
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(assumed, asserted);
    assert!(read.steps.last().is_some_and(|(_, step)| step.clause.is_empty()), "no empty clause");
    read
}

fn or(clause: &[String]) -> String {
    format!("(or false {})", clause.join(" "))
}

impl Proof {
    /// A script that has a model if some step is wrong.
    fn wrong_step(&self, script: &str) -> String {
        let kept = script
            .lines()
            .filter(|line| !line.starts_with("(assert ") && !line.contains("check-sat"));
        let mut text: Vec<String> = kept.map(str::to_owned).collect();
        text.extend(self.definitions.iter().cloned());
        let wrong = self.steps.iter().map(|(_, step)| {
            format!("(and true {} (not {}))", step.premises.join(" "), or(&step.clause))
        });
        text.push(format!("(assert (or false {}))", wrong.collect::<Vec<_>>().join("\n")));
        text.push("(check-sat)".to_owned());
        text.join("\n")
    }
}

/// For each script with a proof beside it a script that is satisfiable if a step of the proof is
/// wrong; and for each of them one in which an axiom of the proof lacks a literal.
pub fn wrong_steps(scripts: &[Script], folder: &Path) -> (Vec<Script>, Vec<Script>) {
    let (mut right, mut wrong) = (Vec::new(), Vec::new());
    for (number, script) in scripts.iter().enumerate() {
        let Some(proof) = script.proof() else { continue };
        let text = std::fs::read_to_string(&script.path).expect("a script");
        let proof = std::fs::read_to_string(proof).expect("a proof");
        let mut proof = read(&proof, &text);
        let write = |list: &mut Vec<Script>, kind: &str, proof: &Proof| {
            let path = folder.join(format!("{number}.{kind}.smt2"));
            std::fs::write(&path, proof.wrong_step(&text)).expect("a script");
            list.push(Script { name: format!("{}, {kind}", script.name), path });
        };
        write(&mut right, "steps", &proof);
        let rules = ["la_generic", "and_pos", "and_neg", "or_pos", "or_neg", "rare_rewrite"];
        let axiom = proof.steps.iter_mut().find(|(rule, _)| rules.contains(&rule.as_str()));
        if let Some((_, step)) = axiom {
            step.clause.remove(0);
            write(&mut wrong, "without a literal", &proof);
        }
    }
    (right, wrong)
}

/// A proof whose last step lacks its first premise that is not the constant true.
pub fn without_a_premise(proof: &Path) -> String {
    let text = std::fs::read_to_string(proof).expect("a proof");
    let (before, last) = text.trim_end().rsplit_once('\n').expect("steps");
    let truth = before.lines().find_map(|line| line.strip_suffix(" (cl true) :rule true)"));
    let truth = truth.and_then(|line| line.strip_prefix("(step ")).expect("a step");
    let (step, premises) = last.split_once(":premises (").expect("premises");
    let (premises, rest) = premises.split_once(')').expect("a list");
    let mut list: Vec<&str> = premises.split(' ').collect();
    let gone = list.iter().position(|name| *name != truth).expect("a premise");
    list.remove(gone);
    format!("{before}\n{step}:premises ({}){rest}\n", list.join(" "))
}
