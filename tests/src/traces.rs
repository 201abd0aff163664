//! Compares what two programs do: the sequences of observations, step by step, with the template
//! that acts.

use crate::explicit::{self, Bounds, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;
use threadproof_format::program::{Multiplicity, Program};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// What is seen of a state: the globals, the declared variables of each thread, and whether an
/// assertion has failed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Observation {
    globals: Vec<Value>,
    threads: Vec<(usize, Vec<Value>)>,
    wrong: bool,
}

impl Observation {
    pub fn new(globals: Vec<Value>, mut threads: Vec<(usize, Vec<Value>)>, wrong: bool) -> Self {
        threads.sort();
        Observation { globals, threads, wrong }
    }

    /// Whether all integers are.
    fn within(&self, range: &RangeInclusive<i64>) -> bool {
        let locals = self.threads.iter().flat_map(|(_, locals)| locals);
        self.globals.iter().chain(locals).all(|value| within(value, range))
    }
}

/// Whether a value's integers are in a range.
fn within(value: &Value, range: &RangeInclusive<i64>) -> bool {
    match value {
        Value::Int(k) => range.contains(k),
        Value::Bool(_) => true,
        Value::Array(default, entries) => {
            within(default, range) && entries.values().all(|v| within(v, range))
        }
    }
}

/// Whether a value is so small that the next step cannot overflow. Steps to others are left out.
pub fn is_small(value: &Value) -> bool {
    within(value, &(-1_000_000_000_000..=1_000_000_000_000))
}

/// What is compared.
pub trait System {
    type State: Clone + Debug + Eq + Hash;

    /// None if there are too many.
    fn initial(&self) -> Option<Vec<Self::State>>;

    /// The template that acts, and the state then. An error is the end.
    fn steps(&self, state: &Self::State) -> Vec<(usize, Self::State)>;

    fn observe(&self, state: &Self::State) -> Observation;
}

/// How far two systems were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All traces within the range.
    All,
    /// As many as the bound says.
    Some,
    /// There are too many initial states.
    Nothing,
}

/// A comparison that found no difference.
#[derive(Clone, Copy, Debug)]
pub struct Compared {
    pub extent: Extent,
    /// Pairs of sets of states that were looked at.
    pub pairs: usize,
    /// Whether a trace leads to a failed assertion.
    pub wrong: bool,
}

/// A step: the template that acts, and the number of what is seen then. The first one is the start.
type Label = (Option<usize>, usize);

/// States by the label of the step that leads there.
type Moves = BTreeMap<Label, BTreeSet<usize>>;

/// What was seen, by numbers, within a range.
struct Sights {
    range: RangeInclusive<i64>,
    numbers: HashMap<Observation, usize>,
    list: Vec<Observation>,
}

impl Sights {
    fn number(&mut self, seen: Observation) -> Option<usize> {
        if !seen.within(&self.range) {
            return None;
        }
        let list = &mut self.list;
        Some(*self.numbers.entry(seen).or_insert_with_key(|seen| {
            list.push(seen.clone());
            list.len() - 1
        }))
    }
}

/// The states of a system that were met, by numbers.
struct Explorer<'s, S: System> {
    system: &'s S,
    numbers: HashMap<S::State, usize>,
    states: Vec<S::State>,
    /// The steps of each state that was asked for.
    steps: HashMap<usize, Vec<(Label, usize)>>,
}

impl<'s, S: System> Explorer<'s, S> {
    fn new(system: &'s S) -> Self {
        let (numbers, steps) = (HashMap::new(), HashMap::new());
        Explorer { system, numbers, states: Vec::new(), steps }
    }

    fn number(&mut self, state: S::State) -> usize {
        let states = &mut self.states;
        *self.numbers.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    }

    /// The states that are in range, by number and label.
    fn labelled(
        &mut self,
        states: Vec<(Option<usize>, S::State)>,
        sights: &mut Sights,
    ) -> Vec<(Label, usize)> {
        let mut out = Vec::new();
        for (template, state) in states {
            if let Some(seen) = sights.number(self.system.observe(&state)) {
                out.push(((template, seen), self.number(state)));
            }
        }
        out
    }

    /// The initial states by what is seen of them.
    fn initial(&mut self, sights: &mut Sights) -> Option<Moves> {
        let states = self.system.initial()?.into_iter().map(|state| (None, state)).collect();
        let mut out = Moves::new();
        for (label, state) in self.labelled(states, sights) {
            out.entry(label).or_default().insert(state);
        }
        Some(out)
    }

    /// The states after one step from some of these, by label.
    fn after(&mut self, from: &BTreeSet<usize>, sights: &mut Sights) -> Moves {
        let mut out = Moves::new();
        for state in from {
            if !self.steps.contains_key(state) {
                let steps = self.system.steps(&self.states[*state]).into_iter();
                let steps = steps.map(|(template, next)| (Some(template), next)).collect();
                let steps = self.labelled(steps, sights);
                self.steps.insert(*state, steps);
            }
            for (label, next) in &self.steps[state] {
                out.entry(*label).or_default().insert(*next);
            }
        }
        out
    }
}

/// Pairs of sets of states that one trace leads to, each with the pair before and the label.
#[derive(Default)]
struct Pairs {
    known: HashSet<(BTreeSet<usize>, BTreeSet<usize>)>,
    list: Vec<(BTreeSet<usize>, BTreeSet<usize>)>,
    before: Vec<(Option<usize>, Label)>,
    /// Those that were not looked at.
    todo: VecDeque<usize>,
}

impl Pairs {
    /// Adds what two steps lead to; an error is a label that only one of them has.
    fn add(&mut self, from: Option<usize>, a: Moves, mut b: Moves) -> Result<(), Unmatched> {
        for (label, states) in a {
            let Some(others) = b.remove(&label) else {
                return Err(Unmatched { from, label, which: "first" });
            };
            let pair = (states, others);
            if self.known.insert(pair.clone()) {
                self.todo.push_back(self.list.len());
                self.list.push(pair);
                self.before.push((from, label));
            }
        }
        let which = "second";
        b.keys().next().map_or(Ok(()), |label| Err(Unmatched { from, label: *label, which }))
    }
}

/// A step after some trace that only one of two programs can take.
struct Unmatched {
    from: Option<usize>,
    label: Label,
    which: &'static str,
}

impl Unmatched {
    /// The trace as text.
    fn trace(&self, pairs: &Pairs, sights: &Sights) -> String {
        let text = |(template, seen): Label| format!("{template:?} {:?}", sights.list[seen]);
        let mut lines = vec![format!("only the {} program: {}", self.which, text(self.label))];
        let mut at = self.from;
        while let Some(pair) = at {
            let (before, label) = pairs.before[pair];
            lines.push(text(label));
            at = before;
        }
        lines.reverse();
        lines.join("\n")
    }
}

/// Whether two systems have the same traces, as long as all integers are in a range. The bound is
/// on the pairs of sets of states that traces lead to. An error is a trace that only one of them
/// has.
pub fn compare<A: System, B: System>(
    a: &A,
    b: &B,
    range: RangeInclusive<i64>,
    most: usize,
) -> Result<Compared, String> {
    let (mut a, mut b) = (Explorer::new(a), Explorer::new(b));
    let mut sights = Sights { range, numbers: HashMap::new(), list: Vec::new() };
    let (Some(first), Some(second)) = (a.initial(&mut sights), b.initial(&mut sights)) else {
        return Ok(Compared { extent: Extent::Nothing, pairs: 0, wrong: false });
    };
    let mut pairs = Pairs::default();
    let mut added = pairs.add(None, first, second);
    for turn in 0..most {
        // In turns the oldest pair and the newest: breadth, and traces to their ends.
        let next = if turn % 2 == 0 { pairs.todo.pop_front() } else { pairs.todo.pop_back() };
        let (Some(at), Ok(())) = (next, &added) else { break };
        let (left, right) = pairs.list[at].clone();
        let (first, second) = (a.after(&left, &mut sights), b.after(&right, &mut sights));
        added = pairs.add(Some(at), first, second);
    }
    added.map_err(|unmatched| unmatched.trace(&pairs, &sights))?;
    let extent = if pairs.todo.is_empty() { Extent::All } else { Extent::Some };
    let wrong = sights.list.iter().any(|seen| seen.wrong);
    Ok(Compared { extent, pairs: pairs.list.len() - pairs.todo.len(), wrong })
}

/// Whether an assertion can fail, if that is known after so many states.
pub fn goes_wrong(system: &impl System, most: usize) -> Option<bool> {
    let mut todo = system.initial()?;
    let mut known: HashSet<_> = todo.iter().cloned().collect();
    let mut at = 0;
    while let Some(state) = todo.get(at).cloned() {
        if system.observe(&state).wrong {
            return Some(true);
        }
        if at >= most {
            return None;
        }
        let next = system.steps(&state).into_iter().map(|(_, next)| next);
        todo.extend(next.filter(|next| known.insert(next.clone())));
        at += 1;
    }
    Some(false)
}

/// A core program, of which only what the source declares is seen.
pub struct Core {
    program: Program,
    bounds: Bounds,
    /// How many globals the text has.
    globals: usize,
    /// For each template how many of its variables are seen, the first ones; of an abstract thread
    /// none.
    declared: Vec<Option<usize>>,
}

/// The first value of the integers that are not seen, the procedures': no other value is near.
const UNSEEN: i64 = 1_000;

/// More initial states than this are not looked at.
const MOST_INITIAL: usize = 20_000;

impl Core {
    /// A program with a number of threads of each `many` template.
    pub fn new(
        program: &Program,
        declared: Vec<Option<usize>>,
        threads: usize,
        ints: &[i64],
    ) -> Self {
        let bounds = Bounds { threads, values: ints.to_vec(), states: MOST_INITIAL };
        let globals = program.globals.iter().filter(|v| v.owner.is_none()).count();
        let mut core = Core { program: program.clone(), bounds, globals, declared };
        core.fix_unseen();
        core
    }

    /// Says what the procedures' variables start with, as it must not matter.
    fn fix_unseen(&mut self) {
        let fix = |variable: Op, sort: Sort, init: &mut Expr| match sort {
            Sort::Int => {
                let value = Op::Int(Int::from(UNSEEN));
                init.0.extend([variable, value, Op::Cmp(Cmp::Eq), Op::And]);
            }
            Sort::Bool => init.0.extend([variable, Op::And]),
            Sort::IntArray | Sort::BoolArray => {}
        };
        let number = |i: usize| u32::try_from(i).expect("few variables");
        for (of, declared) in self.declared.iter().enumerate() {
            let Some(declared) = declared else { continue };
            let template = &mut self.program.templates[of];
            for (i, local) in template.locals.iter().enumerate().skip(*declared) {
                fix(Op::Local(0, number(i)), local.sort, &mut template.init);
            }
            let owned = self.program.globals.iter().enumerate();
            let owned = owned.filter(|(_, v)| v.owner == Some(number(of))).skip(*declared);
            for (i, variable) in owned {
                fix(Op::Global(number(i)), variable.sort, &mut self.program.init);
            }
        }
    }
}

impl System for Core {
    type State = explicit::State;

    fn initial(&self) -> Option<Vec<Self::State>> {
        let all = explicit::initial(&self.program, &self.bounds);
        (all.len() <= MOST_INITIAL).then(|| all.iter().map(explicit::State::key).collect())
    }

    fn steps(&self, state: &Self::State) -> Vec<(usize, Self::State)> {
        if state.is_error(&self.program) {
            return Vec::new();
        }
        let steps = state.steps(&self.program, &self.bounds.values).into_iter();
        let small = |(_, next): &(explicit::Step, Self::State)| {
            let locals = next.threads.iter().flat_map(|thread| &thread.locals);
            next.globals.iter().chain(locals).all(is_small)
        };
        let of = |((thread, ..), next): (explicit::Step, Self::State)| {
            (state.threads[thread].template, next.key())
        };
        steps.filter(small).map(of).collect()
    }

    fn observe(&self, state: &Self::State) -> Observation {
        let globals = state.globals[..self.globals].to_vec();
        let seen = |thread: &explicit::Thread| {
            let declared = self.declared[thread.template].unwrap_or(0);
            let many = self.program.templates[thread.template].multiplicity == Multiplicity::Many;
            if many {
                return (thread.template, thread.locals[..declared].to_vec());
            }
            let owner = u32::try_from(thread.template).expect("few templates");
            let owned = self.program.globals.iter().zip(&state.globals);
            let owned = owned.filter(|(v, _)| v.owner == Some(owner)).take(declared);
            (thread.template, owned.map(|(_, value)| value.clone()).collect())
        };
        let threads = state.threads.iter().map(seen).collect();
        Observation::new(globals, threads, state.is_error(&self.program))
    }
}
