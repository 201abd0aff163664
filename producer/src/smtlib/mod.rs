//! Obligations as SMT-LIB text (version 2.6), for solvers and checkers of others: what a certificate's refutations
//! refute, formed by the checker, each in a file of its own.

pub mod alethe;
pub mod obligations;
pub mod term;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::refutation::Refutation;
use threadproof_format::{Op, Sort};

/// An obligation with what a reader needs to know about it.
#[derive(Debug)]
pub struct Stated {
    /// A name for a file, without a suffix: `triple_4`, `layer_0.template_1.edge_3`.
    pub name: String,
    /// What it is, line by line.
    pub heading: Vec<String>,
    /// The formulas.
    pub obligation: Obligation,
    /// Names of the variables, inputs and counters that occur, no two the same.
    pub names: BTreeMap<Op, String>,
    /// The certificate's refutation.
    pub refutation: Refutation,
}

impl Stated {
    /// The symbol of a variable, input or counter.
    pub fn symbol(&self, op: &Op) -> String {
        self.names.get(op).map_or_else(|| "|?|".to_owned(), |name| format!("|{name}|"))
    }

    /// The formulas as terms.
    fn formulas(&self) -> impl Iterator<Item = String> {
        self.obligation.formulas.iter().map(|f| term::term(f, &|op| self.symbol(op)))
    }

    /// The script. It is unsatisfiable if the obligation is met.
    pub fn script(&self) -> String {
        let mut text = String::new();
        for line in &self.heading {
            let _ = writeln!(text, "; {line}");
        }
        text += "(set-info :smt-lib-version 2.6)\n(set-logic ALL)\n";
        for op in self.names.keys() {
            if let Some(sort) = self.obligation.sorts.get(op) {
                let _ = writeln!(text, "(declare-const {} {})", self.symbol(op), name_of(*sort));
            }
        }
        for formula in self.formulas() {
            let _ = writeln!(text, "(assert {formula})");
        }
        text + "(check-sat)\n"
    }
}

/// The name of a sort.
fn name_of(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Bool => "Bool",
        Sort::IntArray => "(Array Int Int)",
        Sort::BoolArray => "(Array Int Bool)",
    }
}
