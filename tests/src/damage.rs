//! Wrong lowerings, to show that a comparison notices them.

use threadproof_format::program::{Edge, Program};
use threadproof_format::{Expr, Op};

/// A wrong lowering: damage to one edge of a template with so many locations. There may be none of
/// the kind.
pub type Damage = fn(&mut Edge, u32) -> bool;

/// Kinds of damage.
pub const DAMAGES: [(&str, Damage); 5] = [
    ("the guard is lost", |edge, _| {
        std::mem::replace(&mut edge.guard, Expr::bool(true)) != Expr::bool(true)
    }),
    ("an update is lost", |edge, _| edge.updates.pop().is_some()),
    ("the edge is lost", |edge, _| {
        edge.guard = Expr::bool(false);
        true
    }),
    ("the edge leads elsewhere", |edge, locations| {
        edge.target = (edge.target + 1) % locations;
        locations > 1
    }),
    ("a constant is greater by one", |edge, _| {
        let values = edge.updates.iter_mut().map(|(_, value)| value);
        let ops = values.chain([&mut edge.guard]).flat_map(|e| &mut e.0);
        let mut ints = ops.filter_map(|op| match op {
            Op::Int(k) => Some(k),
            _ => None,
        });
        ints.next().map(|k| k.0 += 1).is_some()
    }),
];

/// The program with one edge damaged, if there is such damage.
pub fn damaged(
    program: &Program,
    (template, edge): (usize, usize),
    damage: Damage,
) -> Option<Program> {
    let mut wrong = program.clone();
    let template = &mut wrong.templates[template];
    let locations = u32::try_from(template.locations.len()).expect("few locations");
    damage(&mut template.edges[edge], locations).then_some(wrong)
}

/// Template and number of each edge.
pub fn edges(program: &Program) -> Vec<(usize, usize)> {
    let of = |t: usize| (0..program.templates[t].edges.len()).map(move |e| (t, e));
    (0..program.templates.len()).flat_map(of).collect()
}
