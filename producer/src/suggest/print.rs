//! A proposed abstract thread in the language `.tp`.

use super::{Proposal, Step};
use crate::report::print::{expr, global_name};
use std::fmt::Write as _;
use threadproof_checker::internals::core_form::keywords;
use threadproof_format::program::Program;
use threadproof_format::{Expr, Op};

/// The text of a proposal, with a name for it.
pub fn tp(program: &Program, name: &str, proposal: &Proposal) -> String {
    let mut out = format!("abstract {name} {{\n");
    for (i, node) in proposal.nodes.iter().enumerate() {
        let initial = if i == 0 { "initial " } else { "" };
        let right: Vec<String> =
            node.wrong.iter().map(|w| text(program, &w.clone().negate())).collect();
        let assertion =
            if right.is_empty() { String::new() } else { format!(" ({})", right.join(" && ")) };
        let _ = writeln!(out, "    {initial}node {}{assertion};", node.name);
    }
    for step in &proposal.steps {
        let (source, target) =
            (&proposal.nodes[step.source].name, &proposal.nodes[step.target].name);
        let _ = writeln!(out, "    edge {source} -> {target}{};", relation(program, step));
    }
    out + "}\n"
}

/// An edge's relation, and which globals change.
fn relation(program: &Program, step: &Step) -> String {
    let mut parts: Vec<String> = step.guard.iter().map(|g| strong(text(program, g), g)).collect();
    let mut changed = Vec::new();
    for (global, value) in &step.updates {
        let name = tp_name(program, *global);
        if let Some(value) = value {
            parts.push(format!("{name}' == {}", operand(text(program, value), value)));
        }
        changed.push(name);
    }
    let relation = match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(" && ")),
    };
    match changed.is_empty() {
        true => format!("{relation} unchanged"),
        false => format!("{relation} unchanged except ({})", changed.join(", ")),
    }
}

fn text(program: &Program, formula: &Expr) -> String {
    expr(formula, &|op| match op {
        Op::Global(i) => tp_name(program, *i),
        _ => "?".to_owned(),
    })
}

/// A global's name in the source: the core form's keywords have an underscore at their end there.
fn tp_name(program: &Program, global: u32) -> String {
    let name = global_name(program, global);
    match name.strip_suffix('_') {
        Some(word) if keywords().any(|k| k == word) => word.to_owned(),
        _ => name,
    }
}

/// A conjunct: a disjunction in parentheses.
fn strong(text: String, formula: &Expr) -> String {
    if matches!(formula.0.last(), Some(Op::Or)) { format!("({text})") } else { text }
}

/// The right side of an equality: a formula in parentheses.
fn operand(text: String, value: &Expr) -> String {
    let formula = matches!(value.0.last(), Some(Op::Or | Op::And | Op::Cmp(_)));
    if formula { format!("({text})") } else { text }
}
