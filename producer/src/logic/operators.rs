//! Which operators occur in a program's commands.

use threadproof_format::program::Program;
use threadproof_format::{Expr, Op};

/// Whether an operator divides.
pub fn divides(op: &Op) -> bool {
    matches!(op, Op::Div(_) | Op::Mod(_))
}

/// Whether an operator of this kind occurs in a guard or an update of the program.
pub fn in_commands(program: &Program, is: fn(&Op) -> bool) -> bool {
    let mut edges = program.templates.iter().flat_map(|t| &t.edges);
    let found = |e: &Expr| e.0.iter().any(is);
    edges.any(|e| found(&e.guard) || e.updates.iter().any(|(_, value)| found(value)))
}
