//! Executions as certificates hold them: counterexamples.

use super::state::{State, Step, Thread, Value, index};
use threadproof_format::Int;
use threadproof_format::program::{Multiplicity, Program};
use threadproof_format::proof::counterexample as proof;

/// The execution as a certificate holds it.
pub fn counterexample(start: &State, steps: &[Step]) -> proof::Counterexample {
    let narrow = |i: usize| u32::try_from(i).expect("a small number");
    let thread = |t: &Thread| proof::Thread {
        locals: t.locals.iter().map(given).collect(),
        template: narrow(t.template),
    };
    // A certificate holds the threads that act, and no other.
    let acting: Vec<usize> =
        (0..start.threads.len()).filter(|i| steps.iter().any(|s| s.0 == *i)).collect();
    let number = |i: usize| acting.iter().position(|a| *a == i).expect("it acts");
    proof::Counterexample {
        start: proof::State {
            globals: start.globals.iter().map(given).collect(),
            threads: acting.iter().map(|i| thread(&start.threads[*i])).collect(),
        },
        schedule: steps
            .iter()
            .map(|(t, edge, inputs)| proof::Move {
                edge: narrow(*edge),
                inputs: inputs.iter().map(given).collect(),
                thread: narrow(number(*t)),
            })
            .collect(),
    }
}

fn given(value: &Value) -> proof::Value {
    let int = |v: &Value| match v {
        Value::Int(i) => Int::from(*i),
        _ => panic!("an integer is needed"),
    };
    let bool = |v: &Value| *v == Value::Bool(true);
    match value {
        Value::Int(i) => proof::Value::Int(Int::from(*i)),
        Value::Bool(b) => proof::Value::Bool(*b),
        Value::Array(default, map) => match **default {
            Value::Bool(_) => {
                let entries = map.iter().map(|(i, v)| (Int::from(*i), bool(v)));
                proof::Value::BoolArray(bool(default), entries.collect())
            }
            _ => {
                let entries = map.iter().map(|(i, v)| (Int::from(*i), int(v)));
                proof::Value::IntArray(int(default), entries.collect())
            }
        },
    }
}

/// The counterexample's start and steps, if its integers are small. Single threads that do not
/// move are not listed there, and come last here.
pub fn read(program: &Program, run: &proof::Counterexample) -> Option<(State, Vec<Step>)> {
    let all = |values: &[proof::Value]| values.iter().map(read_value).collect::<Option<Vec<_>>>();
    let threads = run.start.threads.iter().map(|t| {
        Some(Thread { template: index(t.template), location: 0, locals: all(&t.locals)? })
    });
    let mut threads = threads.collect::<Option<Vec<Thread>>>()?;
    for (template, own) in program.templates.iter().enumerate() {
        if own.multiplicity == Multiplicity::One && threads.iter().all(|t| t.template != template) {
            threads.push(Thread { template, location: 0, locals: Vec::new() });
        }
    }
    let start = State { globals: all(&run.start.globals)?, threads };
    let steps = run.schedule.iter();
    let steps = steps.map(|m| Some((index(m.thread), index(m.edge), all(&m.inputs)?)));
    Some((start, steps.collect::<Option<_>>()?))
}

/// Executes a counterexample; what it is, if its integers are small.
///
/// # Errors
/// Why it is no execution to an error.
pub fn execute(
    program: &Program,
    run: &proof::Counterexample,
) -> Result<Option<(State, Vec<Step>)>, String> {
    let Some((start, steps)) = read(program, run) else { return Ok(None) };
    if !start.is_initial(program) {
        return Err("the start is no initial state".to_owned());
    }
    let mut state = start.clone();
    for (number, (thread, edge, inputs)) in steps.iter().enumerate() {
        let acting = &state.threads[*thread];
        let edge = &program.templates[acting.template].edges[*edge];
        let next = state.after(*thread, edge, inputs);
        let next = next.filter(|_| acting.location == index(edge.source));
        state = next.ok_or(format!("step {number} cannot be taken"))?;
    }
    if !state.is_error(program) {
        return Err("no thread ends at an error location".to_owned());
    }
    Ok(Some((start, steps)))
}

fn read_value(value: &proof::Value) -> Option<Value> {
    let int = |i: &Int| i32::try_from(&i.0).ok().map(i64::from);
    let entry = |(i, v): &(Int, Int)| Some((int(i)?, Value::Int(int(v)?)));
    let truth = |(i, v): &(Int, bool)| Some((int(i)?, Value::Bool(*v)));
    Some(match value {
        proof::Value::Int(i) => Value::Int(int(i)?),
        proof::Value::Bool(b) => Value::Bool(*b),
        proof::Value::IntArray(default, entries) => {
            let entries = entries.iter().map(entry).collect::<Option<_>>()?;
            Value::Array(Box::new(Value::Int(int(default)?)), entries)
        }
        proof::Value::BoolArray(default, entries) => {
            let entries = entries.iter().map(truth).collect::<Option<_>>()?;
            Value::Array(Box::new(Value::Bool(*default)), entries)
        }
    })
}
