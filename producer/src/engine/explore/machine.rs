//! A program compiled for fast execution.

use super::code::{
    ArrayCode, Base, Code, Compiled, Frame, Instruction, Place, Symbol, compile, place,
};
use super::evaluate::Problem;
use super::execute::settle;
use super::live;
use super::open::Choice;
use super::state::{Array, Seat, Shape, State, UNSET};
use crate::logic::model::index;
use std::collections::BTreeSet;
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::{Expr, Op, Sort};

/// Where variables are: numbers and arrays are counted on their own.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Each variable's slot, in the order of the program.
    pub slots: Vec<usize>,
    /// The sort of each variable.
    pub sorts: Vec<Sort>,
    /// The sorts of the numbers.
    pub numbers: Vec<Sort>,
    /// The sorts of the arrays.
    pub arrays: Vec<Sort>,
}

impl Layout {
    fn new(variables: &[Variable]) -> Self {
        let mut layout = Layout::default();
        for variable in variables {
            let list = match variable.sort.element() {
                Some(_) => &mut layout.arrays,
                None => &mut layout.numbers,
            };
            layout.slots.push(list.len());
            layout.sorts.push(variable.sort);
            list.push(variable.sort);
        }
        layout
    }
}

/// The compiled form of an edge.
#[derive(Clone, Debug)]
pub struct EdgeCode {
    /// Location before.
    pub source: usize,
    /// Location after.
    pub target: usize,
    /// Whether the target is an error location.
    pub error: bool,
    /// The inputs' sorts.
    pub inputs: Vec<Sort>,
    /// When it can be taken.
    pub guard: Code,
    /// New values of numbers.
    pub numbers: Vec<(Place, Code)>,
    /// New values of arrays.
    pub arrays: Vec<(Place, ArrayCode)>,
    /// Numbers that nothing reads any more before it is written.
    pub forget: Vec<Place>,
}

/// The compiled form of a template.
#[derive(Clone, Debug)]
pub struct TemplateCode {
    /// Whether any number of threads run it.
    pub many: bool,
    /// Its locals.
    pub locals: Layout,
    /// What holds of its locals at the start.
    pub init: Code,
    /// Its edges; none for one that mentions a number beyond those of the machine.
    pub edges: Vec<Option<EdgeCode>>,
    /// The edges that begin at each location.
    pub from: Vec<Vec<usize>>,
    /// The edges from each location to an error.
    pub wrong: Vec<Vec<usize>>,
    /// The locations where no other thread can tell when the thread goes on, nor change what it
    /// does, and from which it does not come back without a step at another location.
    pub eager: Vec<bool>,
    /// Numbers that nothing reads before it is written, at the start.
    pub forget: Vec<Place>,
}

/// The compiled form of a program.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The globals.
    pub globals: Layout,
    /// The globals at the start, as far as single conjuncts of the initial condition determine
    /// them.
    start: State,
    /// What else holds of the globals at the start.
    pub init: Code,
    /// The templates.
    pub templates: Vec<TemplateCode>,
    /// The constants of the program and their neighbours, small ones first.
    pub constants: Vec<i64>,
    /// Arrays, by template (none: a global), that are copied whole: their elements cannot be left
    /// open.
    pub copied: BTreeSet<(Option<usize>, usize)>,
    /// How many edges are left out.
    pub missing: usize,
}

impl Machine {
    /// Compiles a program. `None` if a constant of an initial condition does not fit.
    pub fn new(program: &Program) -> Option<Self> {
        let globals = Layout::new(&program.globals);
        let nothing = Layout::default();
        let singles = program.templates.iter().filter(|t| !t.is_many()).map(|t| &t.init);
        let init = singles.chain([&program.init]).flat_map(conjuncts);
        let init = init.map(|part| formula(&part, (&globals, &nothing, &[])));
        let init = init.collect::<Option<Vec<Code>>>()?;
        let mut templates = Vec::new();
        for template in &program.templates {
            templates.push(TemplateCode::new(template, &globals)?);
        }
        for (number, code) in templates.iter_mut().enumerate() {
            code.eager = live::eager(program, number);
            live::forget(program, &globals.slots, number, code);
        }
        let edges = templates.iter().flat_map(|t| &t.edges);
        let missing = edges.filter(|edge| edge.is_none()).count();
        let (constants, copied) = (constants(program), copied(&templates));
        let start = State {
            numbers: vec![UNSET; globals.numbers.len()],
            arrays: vec![Array::of(UNSET); globals.arrays.len()],
        };
        let all = Code::default();
        let mut machine =
            Machine { globals, start, init: all, templates, constants, copied, missing };
        machine.determine(init);
        Some(machine)
    }

    /// Takes conjuncts of the initial condition in: gives the globals the values that one of them
    /// determines.
    fn determine(&mut self, conjuncts: Vec<Code>) {
        let shape = Shape { seats: Vec::new(), groups: Vec::new(), sizes: Vec::new() };
        let mut rest = Vec::new();
        for guard in conjuncts {
            let mut start = self.start.clone();
            let frame = Frame { state: &self.start, shape: &shape, own: (0, 0), inputs: &[] };
            let (numbers, arrays, inputs) = (&[], &[], &[]);
            let problem = Problem {
                machine: self,
                frame,
                template: None,
                inputs,
                guard: &guard,
                numbers,
                arrays,
            };
            let mut solutions = 0;
            let effort = problem.solve(&mut Choice::All(0), &mut |picks, _| {
                settle(&mut start, None, picks);
                solutions += 1;
                solutions < 2
            });
            match effort.all && solutions == 1 {
                true => self.start = start,
                false => rest.push(guard),
            }
        }
        let mut code = vec![Instruction::Constant(1)];
        for part in rest {
            code.extend(part.0);
            code.push(Instruction::And);
        }
        self.init = Code(code);
    }

    /// The shape of the states with so many threads of each template of many.
    pub fn shape(&self, threads: &[usize]) -> Shape {
        let (mut numbers, mut arrays) = (self.globals.numbers.len(), self.globals.arrays.len());
        let mut shape = Shape { seats: Vec::new(), groups: Vec::new(), sizes: Vec::new() };
        for (number, template) in self.templates.iter().enumerate() {
            let count = if template.many { threads[number] } else { 1 };
            shape.groups.extend(template.many.then_some((shape.seats.len(), count)));
            let size = (1 + template.locals.numbers.len(), template.locals.arrays.len());
            for _ in 0..count {
                shape.seats.push(Seat { template: number, numbers, arrays });
                shape.sizes.push(size);
                (numbers, arrays) = (numbers + size.0, arrays + size.1);
            }
        }
        shape
    }

    /// The state with all threads at the start, and all variables open but what is determined.
    pub fn open(&self, shape: &Shape) -> State {
        let (locals, own): (usize, usize) =
            shape.sizes.iter().fold((0, 0), |(n, a), size| (n + size.0, a + size.1));
        let mut state = self.start.clone();
        state.numbers.resize(state.numbers.len() + locals, UNSET);
        state.arrays.resize(state.arrays.len() + own, Array::of(UNSET));
        shape.seats.iter().for_each(|seat| state.numbers[seat.numbers] = 0);
        state
    }

    /// What an initial state determines: the elements that are open of arrays that are copied
    /// whole, and that nothing reads some numbers.
    pub fn close(&self, shape: &Shape, state: &mut State) {
        let own = shape.seats.iter().map(|seat| (Some(seat.template), seat.arrays));
        for (template, first) in own.chain([(None, 0)]) {
            for (_, slot) in self.copied.iter().filter(|(of, _)| *of == template) {
                let array = &mut state.arrays[first + slot];
                array.rest = 0;
                array.entries.retain(|(_, value)| *value != 0);
            }
        }
        for seat in &shape.seats {
            forget(state, seat, &self.templates[seat.template].forget);
        }
    }

    /// The sort of a number.
    pub fn sort(&self, template: Option<usize>, place: Place) -> Sort {
        match (place, template) {
            (Place::Global(slot), _) => self.globals.numbers[slot],
            (Place::Local(slot), of) => self.own(of).numbers[slot],
        }
    }

    /// The sort of an array's elements.
    pub fn element(&self, template: Option<usize>, place: Place) -> Sort {
        let sort = match (place, template) {
            (Place::Global(slot), _) => self.globals.arrays[slot],
            (Place::Local(slot), of) => self.own(of).arrays[slot],
        };
        sort.element().expect("the sort of an array")
    }

    fn own(&self, template: Option<usize>) -> &Layout {
        &self.templates[template.expect("only a thread has locals")].locals
    }
}

/// Marks numbers as such that nothing reads.
pub fn forget(state: &mut State, seat: &Seat, places: &[Place]) {
    for place in places {
        let slot = match place {
            Place::Global(slot) => *slot,
            Place::Local(slot) => seat.numbers + 1 + slot,
        };
        state.numbers[slot] = UNSET;
    }
}

impl TemplateCode {
    fn new(template: &Template, globals: &Layout) -> Option<Self> {
        let locals = Layout::new(&template.locals);
        let init = formula(&template.init, (globals, &locals, &[]))?;
        let edge = |edge: &Edge| EdgeCode::new(edge, template, (globals, &locals));
        let edges: Vec<Option<EdgeCode>> = template.edges.iter().map(edge).collect();
        let mut from = vec![Vec::new(); template.locations.len()];
        let mut wrong = from.clone();
        for (number, edge) in edges.iter().enumerate() {
            let Some(edge) = edge else { continue };
            from[edge.source].push(number);
            wrong[edge.source].extend(edge.error.then_some(number));
        }
        let (eager, forget) = (Vec::new(), Vec::new());
        Some(TemplateCode {
            many: template.is_many(),
            locals,
            init,
            edges,
            from,
            wrong,
            eager,
            forget,
        })
    }
}

impl EdgeCode {
    fn new(
        edge: &Edge,
        template: &Template,
        (globals, locals): (&Layout, &Layout),
    ) -> Option<Self> {
        let inputs: Vec<Sort> = edge.inputs.iter().map(|input| input.sort).collect();
        let places = (globals, locals, &inputs[..]);
        let (mut numbers, mut arrays) = (Vec::new(), Vec::new());
        for (variable, value) in &edge.updates {
            let layout = if matches!(variable, Op::Global(_)) { globals } else { locals };
            let place = place(variable, &layout.slots);
            match compile(value, &|op| symbol(op, places))? {
                Compiled::Scalar(code) => numbers.push((place, code)),
                Compiled::Array(code) => arrays.push((place, code)),
            }
        }
        Some(EdgeCode {
            source: index(edge.source),
            target: index(edge.target),
            error: template.locations[index(edge.target)].error,
            guard: formula(&edge.guard, places)?,
            inputs,
            numbers,
            arrays,
            forget: Vec::new(),
        })
    }
}

type Places<'a> = (&'a Layout, &'a Layout, &'a [Sort]);

fn formula(expr: &Expr, places: Places) -> Option<Code> {
    match compile(expr, &|op| symbol(op, places))? {
        Compiled::Scalar(code) => Some(code),
        Compiled::Array(_) => unreachable!("a formula is Boolean"),
    }
}

fn symbol(op: &Op, (globals, locals, inputs): Places) -> Symbol {
    let variable = |layout: &Layout, i: u32| {
        let place = place(op, &layout.slots);
        match layout.sorts[index(i)].element() {
            Some(_) => Symbol::Array(Base::Variable(place)),
            None => Symbol::Scalar(Instruction::Variable(place)),
        }
    };
    match op {
        Op::Global(i) => variable(globals, *i),
        Op::Local(_, i) => variable(locals, *i),
        Op::Input(i) => match inputs[index(*i)].element() {
            Some(_) => Symbol::Array(Base::Input(index(*i))),
            None => Symbol::Scalar(Instruction::Input(index(*i))),
        },
        Op::Count(template, location) => {
            Symbol::Scalar(Instruction::Count(index(*template), index(*location)))
        }
        other => unreachable!("{other:?} is no symbol"),
    }
}

/// The formulas that a conjunction joins.
fn conjuncts(formula: &Expr) -> Vec<Expr> {
    let (mut parts, mut todo) = (Vec::new(), vec![&formula.0[..]]);
    while let Some(ops) = todo.pop() {
        let Some((Op::And, operands)) = ops.split_last() else {
            parts.push(Expr(ops.to_vec()));
            continue;
        };
        // From the end on, where the second operand is complete the first one ends.
        let mut lacking = 1;
        let of = |op: &Op| {
            lacking = lacking + op.arity() - 1;
            lacking == 0
        };
        let second = operands.iter().rposition(of).expect("two operands");
        todo.extend([&operands[second..], &operands[..second]]);
    }
    parts
}

/// How many constants are kept at most.
const CONSTANTS: usize = 96;

/// The constants of the program and their neighbours; 0, 1 and -1 are always among them.
fn constants(program: &Program) -> Vec<i64> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let updates = edges.clone().flat_map(|e| e.updates.iter().map(|(_, value)| value));
    let guards = edges.map(|e| &e.guard).chain(program.templates.iter().map(|t| &t.init));
    let ops = updates.chain(guards).chain([&program.init]).flat_map(|expr| &expr.0);
    let values = ops.filter_map(|op| match op {
        Op::Int(value) => i64::try_from(&value.0).ok(),
        _ => None,
    });
    let near = |v: i64| [Some(v), v.checked_add(1), v.checked_sub(1)];
    let all: BTreeSet<i64> = values.chain([0]).flat_map(near).flatten().collect();
    let mut all: Vec<i64> = all.into_iter().filter(|value| *value != UNSET).collect();
    all.sort_by_key(|value| (value.unsigned_abs(), *value < 0));
    all.truncate(CONSTANTS);
    all
}

/// The arrays that are the base of another one's new value.
fn copied(templates: &[TemplateCode]) -> BTreeSet<(Option<usize>, usize)> {
    let mut found = BTreeSet::new();
    for (number, template) in templates.iter().enumerate() {
        for (target, code) in template.edges.iter().flatten().flat_map(|edge| &edge.arrays) {
            match code.base {
                Base::Variable(base) if base != *target => {
                    found.insert(match base {
                        Place::Global(slot) => (None, slot),
                        Place::Local(slot) => (Some(number), slot),
                    });
                }
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use threadproof_checker::internals::core_form::parse;

    /// A program with its compiled form.
    pub fn compiled(text: &str) -> (Program, Machine) {
        let program = parse(text).expect("a program").0;
        let machine = Machine::new(&program).expect("it can be compiled");
        (program, machine)
    }

    const PROGRAM: &str = "core 1;
global a: int[];
global g: int;
global b: int[];
init g == 7;
one s { local own: bool; init own; location x; location y; edge x -> y { own := false; } }
many t {
  local n: int; local c: bool[];
  location x; location wrong error;
  edge x -> wrong { when #s.y == 1 && n > 100; a := b[1 := g], g := 100000000000000000000; }
  edge x -> wrong { input i: int; when g == i; b := b[i := 2], n := i; }
}";

    fn machine() -> Machine {
        compiled(PROGRAM).1
    }

    #[test]
    fn numbers_and_arrays_have_slots_of_their_own() {
        let machine = machine();
        let shape = machine.shape(&[0, 2]);
        let firsts: Vec<_> =
            shape.seats.iter().map(|s| (s.template, s.numbers, s.arrays)).collect();
        assert_eq!(firsts, [(0, 2, 2), (1, 3, 2), (1, 5, 3)]);
        assert_eq!(shape.groups, [(1, 2)]);
        let state = machine.open(&shape);
        assert_eq!((state.numbers.len(), state.arrays.len()), (7, 4));
        assert_eq!(machine.element(Some(1), Place::Local(0)), Sort::Bool);
        assert_eq!(machine.sort(None, Place::Global(1)), Sort::Bool);
    }

    #[test]
    fn conjuncts_determine_globals_one_by_one() {
        let all: Vec<String> = (0..300).map(|i| format!("a[{i}] == {}", i % 3)).collect();
        let (_, machine) = compiled(&format!(
            "core 1; global a: int[]; global x: int; global b: bool; global y: int;
             init {} && x == a[4] + 5 && !b && (y > x && y < 9);
             many t {{ location p; location e error; edge p -> e {{ }} }}",
            all.join(" && ")
        ));
        let state = machine.open(&machine.shape(&[0]));
        assert_eq!(state.numbers, [6, 0, UNSET]);
        assert_eq!((state.arrays[0].get(299), state.arrays[0].entries.len()), (2, 300));
        assert!(machine.init.0.len() < 10);
    }

    #[test]
    fn edges_beyond_the_machine_are_left_out_and_counted() {
        let machine = machine();
        assert_eq!(machine.missing, 1);
        assert_eq!(
            (&machine.templates[1].from[0], &machine.templates[1].wrong[0]),
            (&vec![1], &vec![1])
        );
    }

    #[test]
    fn constants_come_with_their_neighbours() {
        assert_eq!(machine().constants, [0, 1, -1, 2, 3, 6, 7, 8, 99, 100, 101]);
    }

    #[test]
    fn an_array_that_is_copied_is_closed() {
        let text = PROGRAM.replace("100000000000000000000", "1");
        let machine = compiled(&text).1;
        assert_eq!(machine.copied, BTreeSet::from([(None, 1)]));
        let shape = machine.shape(&[0, 1]);
        let mut state = machine.open(&shape);
        machine.close(&shape, &mut state);
        let rests: Vec<i64> = state.arrays.iter().map(|array| array.rest).collect();
        assert_eq!(rests, [UNSET, 0, UNSET]);
    }
}
