//! Values from z3: the steps of an execution are kept, and its inputs and initial values are chosen
//! anew so that it can go on by an edge that no values before allowed.

use super::run::Step;
use crate::logic::model::{index, number};
use crate::solve::encode;
use crate::solve::values::Reader;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread};
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{self, Dynamic};
use z3::{Model, SatResult, Solver};

/// What z3 may do for one question, in its own unit.
const WORK: u32 = 1_000_000;

/// The path of an execution with open values.
struct Path<'a> {
    program: &'a Program,
    solver: Solver,
    /// The terms of the globals and of each thread's locals, now.
    globals: Vec<Dynamic>,
    locals: Vec<Vec<Dynamic>>,
    /// Template and location of each thread.
    places: Vec<(usize, u32)>,
    inputs: Vec<Vec<Dynamic>>,
    /// Index terms of all array accesses.
    indices: Vec<ast::Int>,
}

/// An execution of threads of these templates that makes these steps, with values from z3.
pub fn execution(program: &Program, templates: &[usize], steps: &[Step]) -> Option<Counterexample> {
    let constants = |name: &str, variables: &[Variable]| -> Vec<Dynamic> {
        let named = variables.iter().enumerate();
        named.map(|(i, v)| encode::constant(&format!("{name}.{i}"), v.sort)).collect()
    };
    let globals = constants("g", &program.globals);
    let own = |(t, template): (usize, &usize)| {
        constants(&format!("l{t}"), &program.templates[*template].locals)
    };
    let locals: Vec<Vec<Dynamic>> = templates.iter().enumerate().map(own).collect();
    let mut path = Path {
        program,
        solver: Solver::new(),
        globals: globals.clone(),
        locals: locals.clone(),
        places: templates.iter().map(|template| (*template, 0)).collect(),
        inputs: Vec::new(),
        indices: Vec::new(),
    };
    let mut params = z3::Params::new();
    params.set_u32("rlimit", WORK);
    path.solver.set_params(&params);
    path.start();
    steps.iter().for_each(|step| path.step(step));
    if path.solver.check() != SatResult::Sat {
        return None;
    }
    path.read(&path.solver.get_model()?, &globals, &locals, steps)
}

impl Path<'_> {
    fn start(&mut self) {
        let program = self.program;
        let singles = program.templates.iter().filter(|t| !t.is_many()).map(|t| &t.init);
        for init in singles.chain([&program.init]) {
            self.assert(init, 0, &[]);
        }
        for thread in 0..self.places.len() {
            let template = &program.templates[self.places[thread].0];
            if template.is_many() {
                self.assert(&template.init, thread, &[]);
            }
        }
    }

    fn step(&mut self, step: &Step) {
        let (template, _) = self.places[step.seat];
        let edge = &self.program.templates[template].edges[step.edge];
        let name = |i: usize| format!("u{}.{i}", self.inputs.len());
        let inputs: Vec<Dynamic> = edge
            .inputs
            .iter()
            .enumerate()
            .map(|(i, v)| encode::constant(&name(i), v.sort))
            .collect();
        self.assert(&edge.guard, step.seat, &inputs);
        let values = edge.updates.iter().map(|(_, value)| self.term(value, step.seat, &inputs));
        let values: Vec<(Dynamic, Vec<ast::Int>)> = values.collect();
        for ((variable, _), (value, indices)) in edge.updates.iter().zip(values) {
            self.indices.extend(indices);
            match variable {
                Op::Global(i) => self.globals[index(*i)] = value,
                Op::Local(_, i) => self.locals[step.seat][index(*i)] = value,
                other => unreachable!("{other:?} is no variable"),
            }
        }
        self.places[step.seat].1 = edge.target;
        self.inputs.push(inputs);
    }

    fn assert(&mut self, formula: &Expr, thread: usize, inputs: &[Dynamic]) {
        let (term, indices) = self.term(formula, thread, inputs);
        self.indices.extend(indices);
        self.solver.assert(term.as_bool().expect("a formula is Boolean"));
    }

    /// An expression's term, and those of the indices in it.
    fn term(&self, expr: &Expr, thread: usize, inputs: &[Dynamic]) -> (Dynamic, Vec<ast::Int>) {
        let mut leaf = |op: &Op| match op {
            Op::Global(i) => self.globals[index(*i)].clone(),
            Op::Local(_, i) => self.locals[thread][index(*i)].clone(),
            Op::Input(i) => inputs[index(*i)].clone(),
            Op::Count(template, location) => {
                let here = |place: &&(usize, u32)| **place == (index(*template), *location);
                encode::numeral(&self.places.iter().filter(here).count().into()).into()
            }
            other => unreachable!("{other:?} is no symbol"),
        };
        let mut indices = Vec::new();
        (encode::encode(expr, &mut leaf, &mut indices), indices)
    }

    fn read(
        &self,
        model: &Model,
        globals: &[Dynamic],
        locals: &[Vec<Dynamic>],
        steps: &[Step],
    ) -> Option<Counterexample> {
        let reader = Reader::new(model, &self.indices)?;
        let values = |terms: &[Dynamic], sorts: &mut dyn Iterator<Item = Sort>| {
            terms.iter().zip(sorts).map(|(term, sort)| reader.value(term, sort)).collect()
        };
        let sorts =
            |variables: &'_ [Variable]| -> Vec<Sort> { variables.iter().map(|v| v.sort).collect() };
        let acting: Vec<usize> = (0..self.places.len())
            .filter(|thread| steps.iter().any(|step| step.seat == *thread))
            .collect();
        let thread = |thread: &usize| {
            let template = self.places[*thread].0;
            let sorts = sorts(&self.program.templates[template].locals);
            let locals: Option<_> = values(&locals[*thread], &mut sorts.into_iter());
            Some(Thread { locals: locals?, template: number(template) })
        };
        let threads: Option<Vec<Thread>> = acting.iter().map(thread).collect();
        let mut schedule = Vec::new();
        for (step, terms) in steps.iter().zip(&self.inputs) {
            let template = &self.program.templates[self.places[step.seat].0];
            let sorts = sorts(&template.edges[step.edge].inputs);
            let inputs: Option<_> = values(terms, &mut sorts.into_iter());
            let place = acting.iter().position(|seat| *seat == step.seat)?;
            schedule.push(Move { edge: number(step.edge), inputs: inputs?, thread: number(place) });
        }
        let globals: Option<_> = values(globals, &mut sorts(&self.program.globals).into_iter());
        Some(Counterexample { start: State { globals: globals?, threads: threads? }, schedule })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::explore::machine::tests::compiled;
    use crate::engine::explore::run::Execution;
    use threadproof_checker::error::Budget;
    use threadproof_checker::internals::replay;

    const PROGRAM: &str = "core 1; global x: int; global a: int[]; init x >= 0;
        one s { location p; location q; location r;
          edge p -> q { input i: int; a := a[x := i]; }
          edge q -> r { when #t.m == 1; } }
        many t { local n: int; init n > x; location l; location m; location e error;
          edge l -> m { input j: int; when 3 * j == n + x; n := n - j; }
          edge m -> e { when a[x] + 7 * n == 1000003 && x > 900 && a[n] == 5; } }";

    fn steps(list: &[(usize, usize)]) -> Vec<Step> {
        list.iter()
            .map(|(seat, edge)| Step { seat: *seat, edge: *edge, picks: Vec::new() })
            .collect()
    }

    #[test]
    fn values_are_found_that_lead_along_a_path() {
        let (program, machine) = compiled(PROGRAM);
        let path = steps(&[(0, 0), (1, 0), (0, 1), (1, 1)]);
        let run = execution(&program, &[0, 1], &path).expect("there are values");
        assert_eq!(replay::check(&program, &run, &Budget::default()), Ok(()));
        let read = Execution::read(&machine, &run).expect("small values");
        let again = read.run(&machine).execution(&machine);
        assert_eq!(again.counterexample(&machine, &program), Some(run));
    }

    #[test]
    fn a_path_that_no_values_allow_has_none() {
        let (program, _) = compiled(PROGRAM);
        // The counter of m is 0.
        assert_eq!(execution(&program, &[0, 1], &steps(&[(0, 0), (0, 1), (1, 0), (1, 1)])), None);
        let (program, _) = compiled(&PROGRAM.replace("init x >= 0", "init x == 0"));
        assert_eq!(execution(&program, &[0, 1], &steps(&[(0, 0), (1, 0), (1, 1)])), None);
    }
}
