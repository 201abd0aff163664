//! Executes programs on explicit states, statement by statement.

use super::abstraction::Abstract;
use super::ast::{Abstraction, Count, Decl, Expr, Type, Unit};
use super::control::{Layout, Work};
use super::state::{Control, State, Thread, index};
use super::statement::Here;
use super::values::{self, Scope, truth};
use crate::explicit::Value;
use crate::traces::{Observation, System};

/// More initial states than this are not looked at.
const MOST_INITIAL: usize = 2_000;

/// A program with a number of threads of each `[*]` template.
pub struct Machine<'a> {
    layout: Layout<'a>,
    templates: Vec<Template<'a>>,
    threads: usize,
    /// Integers that are tried where any is possible.
    ints: &'a [i64],
}

/// What the threads of a template run.
struct Template<'a> {
    many: bool,
    runs: Runs<'a>,
}

enum Runs<'a> {
    /// An index into `Layout::bodies`.
    Code(usize),
    Abstract(&'a Abstraction),
}

impl<'a> Machine<'a> {
    /// The program, or its abstract program of this layer.
    pub fn new(unit: &'a Unit, layer: usize, threads: usize, ints: &'a [i64]) -> Self {
        let mut templates = Vec::new();
        for (number, thread) in unit.threads.iter().enumerate() {
            let mut runs = Runs::Code(unit.procedures.len() + number);
            let mut above = thread.abstracts.as_ref();
            for _ in 0..layer {
                let named = |name: &String| unit.abstractions.iter().find(|a| a.name == *name);
                if let Some(abstraction) = above.and_then(named) {
                    runs = Runs::Abstract(abstraction);
                    above = abstraction.abstracts.as_ref();
                }
            }
            let (many, copies) = match thread.count {
                Count::Any => (true, 1),
                Count::Single => (false, 1),
                Count::Exactly(n) => (false, n),
            };
            let runs = || match runs {
                Runs::Code(body) => Runs::Code(body),
                Runs::Abstract(abstraction) => Runs::Abstract(abstraction),
            };
            templates.extend((0..copies).map(|_| Template { many, runs: runs() }));
        }
        Machine { layout: Layout::new(unit), templates, threads, ints }
    }

    /// For each template how many variables its threads declare; none for abstract threads.
    pub fn declared(&self) -> Vec<Option<usize>> {
        let count = |template: &Template| match template.runs {
            Runs::Code(body) => Some(self.layout.variables(body).count()),
            Runs::Abstract(_) => None,
        };
        self.templates.iter().map(count).collect()
    }

    /// The values of the globals at the start.
    fn initial_globals(&self) -> Vec<Vec<Value>> {
        let inits = &self.layout.unit.inits;
        let free =
            |decl: &Decl| decl.kind == Type::Lock && !inits.iter().any(|e| e.mentions(&decl.name));
        let choices = self.layout.globals().iter().map(|decl| match free(decl) {
            true => vec![Value::Bool(false)],
            false => values::initial(decl, self.ints),
        });
        let mut all = values::combinations(&choices.collect::<Vec<_>>());
        all.retain(|globals| {
            let scope = Globals { declared: self.layout.globals(), globals };
            inits.iter().all(|e| truth(&values::value(e, &scope)))
        });
        all
    }

    /// Where a thread of a template can start.
    fn starts(&self, template: usize, globals: &[Value]) -> Vec<Thread<'a>> {
        let controls: Vec<Control<'a>> = match self.templates[template].runs {
            Runs::Code(body) => {
                let choices = self.layout.variables(body).map(|d| values::initial(d, self.ints));
                let all = values::combinations(&choices.collect::<Vec<_>>());
                let start = |variables| {
                    let mut frames = vec![self.layout.frame(body, variables, None)];
                    self.layout.settle(&mut frames);
                    Control::Code(frames)
                };
                all.into_iter().map(start).collect()
            }
            Runs::Abstract(of) => {
                Abstract::starts(of, globals).into_iter().map(Control::Abstract).collect()
            }
        };
        let mut all: Vec<_> =
            controls.into_iter().map(|control| Thread { template, control }).collect();
        all.sort();
        all
    }

    /// The state after the thread takes its next step, for each way that it can come out.
    fn step(&self, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        let Control::Code(_) = state.threads[thread].control else {
            return self.abstract_step(state, thread);
        };
        let (mut todo, mut done) = (self.statement(state, state, thread), Vec::new());
        while let Some(next) = todo.pop() {
            let open = next.frames(thread).iter().any(|f| f.work.contains(&Work::AtomicEnd));
            if open && !next.wrong {
                todo.extend(self.statement(state, &next, thread));
            } else {
                done.push(next);
            }
        }
        done
    }

    fn statement(&self, begin: &State<'a>, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        Here { layout: &self.layout, ints: self.ints, begin, state, thread }.next()
    }

    fn abstract_step(&self, state: &State<'a>, thread: usize) -> Vec<State<'a>> {
        let (Control::Abstract(at), Runs::Abstract(of)) =
            (&state.threads[thread].control, &self.templates[state.threads[thread].template].runs)
        else {
            panic!("no abstract thread");
        };
        let (declared, mut out) = (self.layout.globals(), Vec::new());
        if at.is_wrong(of, declared, &state.globals) {
            out.push(State { wrong: true, ..state.clone() });
        }
        for (globals, control) in at.steps(of, (declared, self.ints), &state.globals) {
            let mut next = State { globals, ..state.clone() };
            next.threads[thread].control = Control::Abstract(control);
            out.push(next);
        }
        out
    }
}

/// Globals alone.
struct Globals<'m> {
    declared: &'m [Decl],
    globals: &'m [Value],
}

impl Scope for Globals<'_> {
    fn variable(&self, name: &str) -> Value {
        self.globals[index(self.declared, name)].clone()
    }

    fn count(&self, _: &[Expr]) -> i64 {
        panic!("a count of no state")
    }
}

impl<'a> System for Machine<'a> {
    type State = State<'a>;

    fn initial(&self) -> Option<Vec<State<'a>>> {
        let mut out = Vec::new();
        for globals in self.initial_globals() {
            let mut states = vec![State { globals, threads: Vec::new(), wrong: false }];
            for (number, template) in self.templates.iter().enumerate() {
                let starts = self.starts(number, &states[0].globals);
                for _ in 0..if template.many { self.threads } else { 1 } {
                    let longer = states.iter().flat_map(|s| s.with_one_of(&starts));
                    states = longer.take(MOST_INITIAL + 1).collect();
                }
            }
            out.extend(states);
            if out.len() > MOST_INITIAL {
                return None;
            }
        }
        Some(out)
    }

    fn steps(&self, state: &State<'a>) -> Vec<(usize, State<'a>)> {
        if state.wrong {
            return Vec::new();
        }
        let of = |thread: usize| {
            let template = state.threads[thread].template;
            let next = self.step(state, thread).into_iter().filter(State::is_small);
            next.map(move |mut next| {
                next.threads.sort();
                (template, next)
            })
        };
        (0..state.threads.len()).flat_map(of).collect()
    }

    fn observe(&self, state: &State<'a>) -> Observation {
        let locals = |thread: &Thread<'a>| match &thread.control {
            Control::Code(frames) => (thread.template, frames[0].variables.clone()),
            Control::Abstract(_) => (thread.template, Vec::new()),
        };
        let threads = state.threads.iter().map(locals).collect();
        Observation::new(state.globals.clone(), threads, state.wrong)
    }
}
