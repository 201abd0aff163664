//! Spacer, z3's solver of constrained Horn clauses (Komuravelli, Gurfinkel, Chaki, "SMT-Based Model
//! Checking for Recursive Programs").

use z3::ast::{Ast, Bool, Dynamic};
use z3::{Fixedpoint, FuncDecl, Params, SatResult, Sort};

/// What is known of a system of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The relations have values under which all clauses hold and the goal is not derived.
    Solved,
    /// The goal is derived, so no values exist.
    Derived,
    /// Neither within the limits, for this reason.
    Unknown(String),
}

/// How Spacer generalises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settings {
    /// As it does by itself.
    Plain,
    /// By cores as they come instead of interpolants, and by lemmas about which terms are equal:
    /// measured on the corpus, more programs are solved at levels 2 and 3, but now and then z3
    /// fails within.
    Cores,
}

/// Constrained Horn clauses over relations, and a goal.
pub struct Clauses {
    fixedpoint: Fixedpoint,
    goal: Bool,
}

impl Clauses {
    /// No clauses yet. `work` bounds what z3 may do, in its own unit.
    pub fn new(work: u32, settings: Settings) -> Self {
        let fixedpoint = Fixedpoint::new();
        let mut params = Params::new();
        params.set_symbol("engine", "spacer");
        params.set_u32("rlimit", work);
        if settings == Settings::Cores {
            params.set_u32("spacer.iuc", 0);
            params.set_bool("spacer.use_euf_gen", true);
        }
        // The answer has to be about the relations as they are given.
        for transformation in ["xform.slice", "xform.inline_linear", "xform.inline_eager"] {
            params.set_bool(transformation, false);
        }
        fixedpoint.set_params(&params);
        let goal = FuncDecl::new("goal", &[], &Sort::bool());
        fixedpoint.register_relation(&goal);
        let goal = goal.apply(&[]).as_bool().expect("a relation is a formula");
        Clauses { fixedpoint, goal }
    }

    /// A new relation.
    pub fn relation(&self, name: &str, sorts: &[Sort]) -> FuncDecl {
        let relation = FuncDecl::new(name, &sorts.iter().collect::<Vec<_>>(), &Sort::bool());
        self.fixedpoint.register_relation(&relation);
        relation
    }

    /// Adds the clause "for all values of the variables, the body implies the head", or the goal
    /// without a head.
    pub fn add(&self, variables: &[Dynamic], body: &[Bool], head: Option<&Bool>) {
        let clause = Bool::and(body).implies(head.unwrap_or(&self.goal));
        let bound: Vec<&dyn Ast> = variables.iter().map(|v| v as &dyn Ast).collect();
        if bound.is_empty() {
            self.fixedpoint.add_rule(&clause, None);
        } else {
            self.fixedpoint.add_rule(&z3::ast::forall_const(&bound, &[], &clause), None);
        }
    }

    /// Looks for values of the relations.
    pub fn solve(&self) -> Answer {
        match self.fixedpoint.query(&self.goal) {
            SatResult::Unsat => Answer::Solved,
            SatResult::Sat => Answer::Derived,
            // After an interruption or at the bound on its work z3 gives "ok" as the reason.
            SatResult::Unknown => Answer::Unknown(match self.fixedpoint.get_reason_unknown() {
                reason if reason == "ok" => "it was stopped before it finished".to_owned(),
                reason => reason,
            }),
        }
    }

    /// After [`Answer::Solved`]: the value of a relation, over its arguments as bound variables.
    /// `None` if z3 left it out of the system.
    pub fn value(&self, relation: &FuncDecl) -> Option<Bool> {
        /// z3's number for the level that is closed under all clauses.
        const CLOSED: i32 = -1;
        self.fixedpoint.get_cover_delta(CLOSED, relation)
    }
}
