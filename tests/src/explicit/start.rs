//! The states from which executions begin, within bounds.

use super::state::{State, Thread, Value, all, choices, combinations, holds, index, int};
use threadproof_format::program::{Multiplicity, Program, Template, Variable};
use threadproof_format::{Cmp, Expr, Op};

/// What is explored.
pub struct Bounds {
    /// Threads of each `many` template.
    pub threads: usize,
    /// Initial integers, and integers that are chosen.
    pub values: Vec<i64>,
    /// States after which the search stops.
    pub states: usize,
}

/// The formulas that a conjunction joins.
fn conjuncts(formula: &Expr) -> Vec<&[Op]> {
    let (mut out, mut todo) = (Vec::new(), vec![formula.0.as_slice()]);
    while let Some(ops) = todo.pop() {
        let Some((Op::And, operands)) = ops.split_last() else {
            out.push(ops);
            continue;
        };
        // The second operand begins where no value is missing for it.
        let (mut start, mut missing) = (operands.len(), 1);
        while missing > 0 {
            start -= 1;
            missing = missing - 1 + operands[start].arity();
        }
        todo.extend([&operands[..start], &operands[start..]]);
    }
    out
}

/// All combinations of the variables' values at the start: the values that are tried or, for a
/// variable that the initial condition sets equal to a constant, this constant.
fn starts(variables: &[Variable], init: &Expr, values: &[i64]) -> Vec<Vec<Value>> {
    let conjuncts = conjuncts(init);
    let is = |op: &Op, number: usize| match op {
        Op::Global(i) | Op::Local(_, i) => index(*i) == number,
        _ => false,
    };
    let constant = |number: usize, ops: &[Op]| match ops {
        [v, Op::Int(k), Op::Cmp(Cmp::Eq)] if is(v, number) => Some(Value::Int(int(k))),
        [v] if is(v, number) => Some(Value::Bool(true)),
        [v, Op::Not] if is(v, number) => Some(Value::Bool(false)),
        _ => None,
    };
    let of = |(number, variable): (usize, &Variable)| {
        let set = conjuncts.iter().find_map(|ops| constant(number, ops));
        set.map_or_else(|| choices(variable, values), |value| vec![value])
    };
    combinations(&variables.iter().enumerate().map(of).collect::<Vec<_>>())
}

/// The initial states with the bounded number of threads, one for all orders of the threads of a
/// template; some of them, if there are more than the bound on states.
pub fn initial(program: &Program, bounds: &Bounds) -> Vec<State> {
    let mut out = Vec::new();
    let single = program.templates.iter().filter(|t| t.multiplicity == Multiplicity::One);
    let with = |all: Expr, t: &Template| Expr([all.0, t.init.0.clone(), vec![Op::And]].concat());
    let init = single.fold(program.init.clone(), with);
    for globals in starts(&program.globals, &init, &bounds.values) {
        if !holds(&program.init, &globals, &[]) || out.len() > bounds.states {
            continue;
        }
        let most = bounds.states + 1;
        out.extend(populated(program, bounds.threads, most, &globals, &|number| {
            let template = &program.templates[number];
            let mut starts = starts(&template.locals, &template.init, &bounds.values);
            starts.retain(|locals| holds(&template.init, &globals, locals));
            starts
                .into_iter()
                .map(|l| Thread { template: number, location: 0, locals: l })
                .collect()
        }));
    }
    out
}

/// All states, reachable or not, with the bounded number of threads, none at an error location,
/// and all variables among the bounded values; one for all orders of the threads of a template.
pub fn clean(program: &Program, bounds: &Bounds) -> Vec<State> {
    let everywhere = |number: usize| {
        let template = &program.templates[number];
        let places = (0..template.locations.len()).filter(|l| !template.locations[*l].error);
        let locals = all(&template.locals, &bounds.values);
        let at = |location| {
            locals.iter().map(move |l| Thread { template: number, location, locals: l.clone() })
        };
        places.flat_map(at).collect()
    };
    let globals = all(&program.globals, &bounds.values);
    let states = |g: &Vec<Value>| populated(program, bounds.threads, usize::MAX, g, &everywhere);
    globals.iter().flat_map(states).collect()
}

/// The states with these globals and so many threads of each `many` template, each among `choices`
/// of its template's number; no more than `most` of them.
fn populated(
    program: &Program,
    threads: usize,
    most: usize,
    globals: &[Value],
    choices: &dyn Fn(usize) -> Vec<Thread>,
) -> Vec<State> {
    let mut states = vec![State { globals: globals.to_vec(), threads: Vec::new() }];
    for (number, template) in program.templates.iter().enumerate() {
        let many = template.multiplicity == Multiplicity::Many;
        let mut choices = choices(number);
        choices.sort();
        for _ in 0..if many { threads } else { 1 } {
            let longer = states.iter().flat_map(|s| s.with_one_of(&choices));
            states = longer.take(most).collect();
        }
    }
    states
}
