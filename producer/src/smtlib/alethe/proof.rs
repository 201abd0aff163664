//! An Alethe proof that is being written: terms, each defined once, and steps.

use std::collections::HashMap;
use std::fmt::Write as _;

/// A term, by its number.
pub type Term = usize;

/// A step, by its number: a clause that is known.
pub type Known = usize;

/// A term's function and arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    function: String,
    arguments: Vec<Term>,
}

/// The text of a proof so far.
#[derive(Debug, Default)]
pub struct Proof {
    text: String,
    nodes: Vec<Node>,
    index: HashMap<Node, Term>,
    clauses: Vec<Vec<Term>>,
    /// Steps without premises that were written before.
    axioms: HashMap<(String, Vec<Term>), Known>,
}

impl Proof {
    /// What was written.
    pub fn text(self) -> String {
        self.text
    }

    /// A term. One with arguments is defined, so that it is written out once however often it
    /// occurs.
    pub fn term(&mut self, sort: &str, function: &str, arguments: &[Term]) -> Term {
        let node = Node { function: function.to_owned(), arguments: arguments.to_vec() };
        if let Some(known) = self.index.get(&node) {
            return *known;
        }
        let number = self.nodes.len();
        if !arguments.is_empty() {
            let written: Vec<String> = arguments.iter().map(|a| self.name(*a)).collect();
            let _ = writeln!(
                self.text,
                "(define-fun |t:{number}| () {sort} ({function} {}))",
                written.join(" ")
            );
        }
        self.nodes.push(node.clone());
        self.index.insert(node, number);
        number
    }

    /// A truth value.
    pub fn formula(&mut self, function: &str, arguments: &[Term]) -> Term {
        self.term("Bool", function, arguments)
    }

    /// The negation.
    pub fn not(&mut self, term: Term) -> Term {
        self.formula("not", &[term])
    }

    /// A term's text.
    pub fn name(&self, term: Term) -> String {
        match self.nodes.get(term) {
            Some(node) if node.arguments.is_empty() => node.function.clone(),
            _ => format!("|t:{term}|"),
        }
    }

    /// A clause that is known by a rule.
    pub fn step(
        &mut self,
        rule: &str,
        clause: Vec<Term>,
        premises: &[Known],
        arguments: &[String],
    ) -> Known {
        let written: String = clause.iter().map(|t| format!(" {}", self.name(*t))).collect();
        let known = self.clauses.len();
        let _ = write!(self.text, "(step s{known} (cl{written}) :rule {rule}");
        if !premises.is_empty() {
            let names: Vec<String> = premises.iter().map(|p| format!("s{p}")).collect();
            let _ = write!(self.text, " :premises ({})", names.join(" "));
        }
        if !arguments.is_empty() {
            let _ = write!(self.text, " :args ({})", arguments.join(" "));
        }
        self.text += ")\n";
        self.clauses.push(clause);
        known
    }

    /// A clause that a rule without premises gives, written once.
    pub fn axiom(&mut self, rule: &str, clause: Vec<Term>, arguments: &[String]) -> Known {
        let key = (rule.to_owned(), clause);
        if let Some(known) = self.axioms.get(&key) {
            return *known;
        }
        let known = self.step(rule, key.1.clone(), &[], arguments);
        self.axioms.insert(key, known);
        known
    }

    /// The clause of a step by a rule.
    pub fn clause(&self, known: Known) -> &[Term] {
        self.clauses.get(known).map_or(&[], Vec::as_slice)
    }

    /// A formula of the problem, as it is written there.
    pub fn assume(&mut self, formula: &str) -> Known {
        let known = self.clauses.len();
        let _ = writeln!(self.text, "(assume s{known} {formula})");
        self.clauses.push(Vec::new());
        known
    }

    /// The constant true.
    pub fn truth(&mut self) -> Term {
        self.formula("true", &[])
    }

    /// A clause that follows from known ones by unit propagation.
    pub fn resolve(&mut self, clause: Vec<Term>, premises: &[Known]) -> Known {
        // The rule wants two premises, and constants are to be propagated.
        let truth = self.truth();
        let holds = self.axiom("true", vec![truth], &[]);
        let mut all = premises.to_vec();
        all.push(holds);
        all.sort_unstable();
        all.dedup();
        if all.len() == 1 {
            return holds;
        }
        self.step("resolution", clause, &all, &[])
    }

    /// `or` of a known disjunction as a clause.
    pub fn disjunction(&mut self, parts: &[Term], rule: &str, arguments: &[String]) -> Known {
        let whole = self.formula("or", parts);
        let known = self.axiom(rule, vec![whole], arguments);
        self.step("or", parts.to_vec(), &[known], &[])
    }
}
