//! What can be told of a thread from its control flow alone: numbers that nothing reads any more,
//! and steps whose moment no other thread can tell.

use super::code::{Place, place};
use super::machine::TemplateCode;
use crate::logic::model::{index, number};
use std::collections::BTreeSet;
use threadproof_format::program::{Edge, Program};
use threadproof_format::{Expr, Op};

/// Whether a variable belongs to one thread alone: a local, or a local of a single template.
fn is_own(program: &Program, template: usize, op: &Op) -> bool {
    match op {
        Op::Local(..) => true,
        Op::Global(i) => program.globals[index(*i)].owner == Some(number(template)),
        _ => false,
    }
}

fn expressions(edge: &Edge) -> impl Iterator<Item = &Expr> {
    edge.updates.iter().map(|(_, value)| value).chain([&edge.guard])
}

/// The numbers of its own that a thread may read before it writes them, for each location.
fn live(program: &Program, template: usize) -> Vec<BTreeSet<Op>> {
    let of = &program.templates[template];
    let read = |edge: &Edge| -> BTreeSet<Op> {
        let ops = expressions(edge).flat_map(|expr| &expr.0);
        ops.filter(|op| is_own(program, template, op)).cloned().collect()
    };
    let reads: Vec<BTreeSet<Op>> = of.edges.iter().map(read).collect();
    let mut live = vec![BTreeSet::new(); of.locations.len()];
    loop {
        let before: usize = live.iter().map(BTreeSet::len).sum();
        for (edge, reads) in of.edges.iter().zip(&reads) {
            let written = |op: &Op| edge.updates.iter().any(|(variable, _)| variable == op);
            let after: Vec<Op> =
                live[index(edge.target)].iter().filter(|op| !written(op)).cloned().collect();
            live[index(edge.source)].extend(after.into_iter().chain(reads.iter().cloned()));
        }
        if live.iter().map(BTreeSet::len).sum::<usize>() == before {
            return live;
        }
    }
}

/// Finds the numbers that each edge and the start leave without a reader; `slots` are those of the
/// globals.
pub fn forget(program: &Program, slots: &[usize], template: usize, code: &mut TemplateCode) {
    let of = &program.templates[template];
    let live = live(program, template);
    let globals = (0..).zip(&program.globals).map(|(i, v)| (Op::Global(i), v.sort));
    let locals = (0..).zip(&of.locals).map(|(i, v)| (Op::Local(0, i), v.sort));
    let own = globals.chain(locals).filter(|(op, _)| is_own(program, template, op));
    let own: Vec<Op> = own.filter(|(_, sort)| sort.element().is_none()).map(|(op, _)| op).collect();
    let place = |op: &Op| -> Place {
        place(op, if matches!(op, Op::Global(_)) { slots } else { &code.locals.slots })
    };
    let unread = |location: usize| -> Vec<&Op> {
        own.iter().filter(|op| !live[location].contains(*op)).collect()
    };
    code.forget = unread(0).into_iter().map(place).collect();
    let mut lists = Vec::new();
    for edge in &of.edges {
        let written = |op: &Op| edge.updates.iter().any(|(variable, _)| variable == op);
        let was = |op: &&Op| live[index(edge.source)].contains(*op) || written(op);
        let list: Vec<Place> =
            unread(index(edge.target)).into_iter().filter(was).map(place).collect();
        lists.push(list);
    }
    for (edge, list) in code.edges.iter_mut().zip(lists) {
        edge.iter_mut().for_each(|edge| edge.forget.clone_from(&list));
    }
}

/// The locations of which each edge reads and writes what is the thread's own alone, goes forward
/// in the order of the locations, so that there is no round of such steps, and leaves all counters
/// in use as they are.
pub fn eager(program: &Program, template: usize) -> Vec<bool> {
    let of = &program.templates[template];
    let all = program.templates.iter().flat_map(|t| &t.edges).flat_map(expressions);
    let counted: BTreeSet<(u32, u32)> = all
        .flat_map(|expr| &expr.0)
        .filter_map(|op| match op {
            Op::Count(t, l) => Some((*t, *l)),
            _ => None,
        })
        .collect();
    let hidden = |location: u32| !counted.contains(&(number(template), location));
    let alone =
        |op: &Op| !op.is_symbol() || matches!(op, Op::Input(_)) || is_own(program, template, op);
    let private = |edge: &Edge| {
        edge.target > edge.source
            && hidden(edge.source)
            && hidden(edge.target)
            && edge.updates.iter().all(|(variable, _)| is_own(program, template, variable))
            && expressions(edge).all(|expr| expr.0.iter().all(alone))
    };
    let at = |location: u32| {
        let mut edges = of.edges.iter().filter(move |edge| edge.source == location).peekable();
        edges.peek().is_some() && edges.all(private)
    };
    (0..number(of.locations.len())).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;
    use threadproof_checker::internals::core_form::parse;

    const PROGRAM: &str = "core 1;
global a: int[];
global g: int;
one s {
  local k: int;
  location x; location y; location z;
  edge x -> y { k := 1; }
  edge y -> z { g := k; }
}
many t {
  local n: int; local m: int;
  location p; location q; location r; location e error;
  edge p -> q { input i: int; when i > n; m := i; }
  edge q -> r { n := m + 1; }
  edge q -> r { n := 0; }
  edge r -> q { m := n; }
  edge r -> e { when #s.y == g; }
}";

    #[test]
    fn numbers_without_a_reader_are_forgotten() {
        let machine = compiled(PROGRAM).1;
        let [s, t] = &machine.templates[..] else { panic!("two templates") };
        let lists = |t: &TemplateCode| -> Vec<Vec<Place>> {
            t.edges.iter().flatten().map(|edge| edge.forget.clone()).collect()
        };
        // k is the second number among the globals; the array does not count.
        assert_eq!(s.forget, [Place::Global(1)]);
        assert_eq!(lists(s), [vec![], vec![Place::Global(1)]]);
        let (n, m) = (Place::Local(0), Place::Local(1));
        assert_eq!(t.forget, [m]);
        assert_eq!(lists(t), [vec![n], vec![m], vec![m], vec![n], vec![n]]);
    }

    #[test]
    fn steps_are_eager_that_no_other_thread_can_tell() {
        let program = parse(PROGRAM).expect("a program").0;
        // From x to y the counter of y changes, from y to z it does and g is written.
        assert_eq!(eager(&program, 0), [false, false, false]);
        // From r a thread goes back, or reads g.
        assert_eq!(eager(&program, 1), [true, true, false, false]);
        let program = parse(&PROGRAM.replace("#s.y == g", "g == 1")).expect("a program").0;
        assert_eq!(eager(&program, 0), [true, false, false]);
    }
}
