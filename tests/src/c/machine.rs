//! Executes programs: all interleavings of the threads' accesses to shared variables, on explicit
//! states.

use super::code::{Code, END, EXIT, Op, Value};
use super::integer::Int;
use super::thread::{Done, OWN, State, Status, Thread};
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashSet};

/// Instructions between two steps, after which a thread is taken to go round for ever.
const FOREVER: usize = 20_000;

/// What can happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Behaviour {
    /// Numbers of the assertions that can fail.
    pub failed: BTreeSet<usize>,
    pub observed: BTreeSet<(usize, i128)>,
    /// Whether what is undefined, and so assumed away, can happen.
    pub undefined: bool,
    /// Whether values or threads were left out.
    pub bounded: bool,
    /// Whether all states were visited.
    pub complete: bool,
}

/// A program with what bounds its executions.
pub struct Machine<'a> {
    pub code: &'a Code,
    /// Integers that are tried where any is possible.
    pub values: &'a [i128],
    /// Threads of one function that are started; further ones never are.
    pub threads: usize,
    pub states: usize,
    /// What each thread's `_Thread_local` variables start with.
    fresh: OnceCell<Vec<Value>>,
}

impl<'a> Machine<'a> {
    pub fn new(code: &'a Code, values: &'a [i128], threads: usize, states: usize) -> Self {
        Machine { code, values, threads, states, fresh: OnceCell::new() }
    }

    /// All that can happen.
    pub fn behaviour(&self) -> Behaviour {
        let mut found = Behaviour { complete: true, ..Behaviour::default() };
        let mut known = HashSet::new();
        let mut todo = Vec::new();
        let start = self.boot(&mut found);
        self.settle(start, 0, &mut found, &mut todo);
        todo.retain(|state| known.insert(state.clone()));
        while let Some(state) = todo.pop() {
            if known.len() > self.states {
                found.complete = false;
                break;
            }
            let mut next = Vec::new();
            for thread in 0..state.threads.len() {
                self.step(&state, thread, &mut found, &mut next);
            }
            todo.extend(next.into_iter().filter(|state| known.insert(state.clone())));
        }
        found
    }

    /// The state before the first instruction of `main`.
    fn boot(&self, found: &mut Behaviour) -> State {
        let mut thread = Thread::new(vec![Value::Unset; self.code.cells.1]);
        thread.at = self.code.boot;
        let cells = vec![Value::Unset; self.code.cells.0];
        let mut state = State { cells, threads: vec![thread], alone: None, over: false };
        while self.code.ops[state.threads[0].at] != Op::Exit {
            assert!(matches!(self.execute(&mut state, 0, found), Done::Goes), "an initial value");
        }
        let thread = &mut state.threads[0];
        self.fresh.get_or_init(|| thread.own.clone());
        thread.enter(self.code, self.code.main, EXIT, &[]);
        state
    }

    /// One step of a thread, if it can take one, and what it does by itself behind it.
    fn step(&self, state: &State, thread: usize, found: &mut Behaviour, out: &mut Vec<State>) {
        let runs = state.threads[thread].status == Status::Runs;
        if state.over || !runs || state.alone.is_some_and(|alone| alone != thread) {
            return;
        }
        let mut next = state.clone();
        match self.execute(&mut next, thread, found) {
            Done::Goes => {
                let created = state.threads.len()..next.threads.len();
                let mut all = vec![next];
                for thread in created.chain([thread]) {
                    let before = std::mem::take(&mut all);
                    before.into_iter().for_each(|s| self.settle(s, thread, found, &mut all));
                }
                out.append(&mut all);
            }
            Done::Waits => {}
            Done::Stuck => found.undefined = true,
            Done::Failed(_) | Done::Chooses(_) => unreachable!("no step"),
        }
    }

    /// Goes on until the thread's next instruction is a step.
    fn settle(&self, state: State, thread: usize, found: &mut Behaviour, out: &mut Vec<State>) {
        let mut todo = vec![(state, 0)];
        while let Some((mut state, mut count)) = todo.pop() {
            loop {
                let alone = state.alone == Some(thread);
                let runs = state.threads[thread].status == Status::Runs && !state.over;
                if !runs || self.is_step(&state, thread) && !alone {
                    out.push(state);
                    break;
                }
                count += 1;
                match self.execute(&mut state, thread, found) {
                    _ if count > FOREVER => {
                        state.threads[thread].status = Status::Stuck;
                    }
                    Done::Goes => {}
                    Done::Waits => break,
                    Done::Failed(number) => {
                        // The others can go on before it fails.
                        found.failed.insert(number);
                        state.threads[thread].status = Status::Stuck;
                    }
                    Done::Stuck => {
                        found.undefined = true;
                        state.threads[thread].status = Status::Stuck;
                    }
                    Done::Chooses(values) => {
                        for value in values {
                            let mut chosen = state.clone();
                            chosen.threads[thread].stack.push(value);
                            todo.push((chosen, count));
                        }
                        break;
                    }
                }
            }
        }
    }

    /// Whether others can tell that the next instruction is done.
    fn is_step(&self, state: &State, thread: usize) -> bool {
        let own = &state.threads[thread];
        match &self.code.ops[own.at] {
            Op::Load | Op::Store => match own.stack.last() {
                Some(Value::Address(a)) => a.shared || a.thread.is_some_and(|of| of != thread),
                _ => false,
            },
            Op::Update { .. } | Op::CompareExchange { .. } | Op::CompareSwap { .. } => true,
            Op::AtomicBegin | Op::Lock | Op::Unlock | Op::TryLock => true,
            Op::ReadLock | Op::WriteLock | Op::TryReadLock | Op::TryWriteLock => true,
            Op::ReadWriteUnlock | Op::Once(_) | Op::OnceDone | Op::Create | Op::Join | Op::Exit => {
                true
            }
            _ => false,
        }
    }

    /// Executes one instruction of a thread.
    fn execute(&self, state: &mut State, number: usize, found: &mut Behaviour) -> Done {
        let thread = &mut state.threads[number];
        let op = &self.code.ops[thread.at];
        thread.at += 1;
        match op {
            Op::Global(..)
            | Op::Local(..)
            | Op::ThreadLocal(..)
            | Op::Element(..)
            | Op::Offset(..)
            | Op::Member(..) => address(thread, number, op),
            Op::Load | Op::Store => access(state, number, op),
            Op::Push(_) | Op::Pop | Op::Dup | Op::Swap => rearrange(thread, op),
            Op::Jump(_)
            | Op::JumpIf(_)
            | Op::JumpUnless(_)
            | Op::Call(_)
            | Op::CallPointer(_)
            | Op::Return => self.go(thread, op),
            Op::Assume | Op::Assert(_) | Op::Observe(_) | Op::Any(_) => {
                self.observe(thread, op, found)
            }
            Op::Convert(_)
            | Op::Truth
            | Op::Sign(..)
            | Op::Binary(..)
            | Op::SamePointer
            | Op::Stepped(..) => thread.calculate(op),
            Op::Update { .. } | Op::CompareExchange { .. } | Op::CompareSwap { .. } => {
                state.atomic(number, op)
            }
            Op::AtomicBegin | Op::AtomicEnd => {
                state.alone = matches!(op, Op::AtomicBegin).then_some(number);
                Done::Goes
            }
            Op::Create => self.create(state, number, found),
            Op::Join | Op::End | Op::Exit => finish(state, number, op),
            _ => self.synchronize(state, number, op),
        }
    }

    /// Jumps, calls and returns.
    fn go(&self, thread: &mut Thread, op: &Op) -> Done {
        match op {
            Op::Jump(to) => thread.at = *to,
            Op::JumpIf(to) | Op::JumpUnless(to) => {
                let truth = thread.pop() != Value::Int(0);
                if truth == matches!(op, Op::JumpIf(_)) {
                    thread.at = *to;
                }
            }
            Op::Call(routine) => thread.call(self.code, *routine),
            Op::CallPointer(arguments) => {
                let at = thread.stack.len() - 1 - arguments;
                let Value::Function(routine) = thread.stack.remove(at) else { return Done::Stuck };
                thread.call(self.code, routine);
            }
            Op::Return => thread.leave(),
            other => unreachable!("{other:?}"),
        }
        Done::Goes
    }

    /// Assumptions, assertions, observations and inputs.
    fn observe(&self, thread: &mut Thread, op: &Op, found: &mut Behaviour) -> Done {
        match op {
            Op::Assume => {
                if thread.pop() == Value::Int(0) {
                    thread.status = Status::Stuck;
                }
            }
            Op::Assert(assertion) => {
                if thread.pop() == Value::Int(0) {
                    return Done::Failed(*assertion);
                }
            }
            Op::Observe(observed) => {
                if let Value::Int(value) = thread.pop() {
                    found.observed.insert((*observed, value));
                }
            }
            Op::Any(kind) => {
                found.bounded |= *kind != Int::Bool;
                let values = self.values.iter().filter(|v| kind.contains(**v));
                return Done::Chooses(values.map(|v| Value::Int(*v)).collect());
            }
            other => unreachable!("{other:?}"),
        }
        Done::Goes
    }

    /// Locks, and functions that are called once.
    fn synchronize(&self, state: &mut State, number: usize, op: &Op) -> Done {
        let routine = match op {
            Op::Once(_) => Some(state.threads[number].pop()),
            _ => None,
        };
        let place = *state.threads[number].stack.last().expect("an address");
        let Some(cell) = state.pop_cell(number) else { return Done::Stuck };
        let Value::Int(held) = *cell else { return Done::Stuck };
        let (free, next) = match op {
            Op::Lock | Op::TryLock => (held == 0, 1),
            Op::WriteLock | Op::TryWriteLock => (held == 0, -1),
            Op::ReadLock | Op::TryReadLock => (held >= 0, held + 1),
            Op::Unlock => (held == 1, 0),
            Op::ReadWriteUnlock => (held != 0, if held < 0 { 0 } else { held - 1 }),
            Op::OnceDone => (true, 2),
            Op::Once(_) => (held != 1, held.max(1)),
            other => unreachable!("{other:?}"),
        };
        if free {
            *cell = Value::Int(next);
        }
        let thread = &mut state.threads[number];
        match (op, routine) {
            (Op::TryLock | Op::TryReadLock | Op::TryWriteLock, _) => {
                thread.stack.push(Value::Int(if free { 0 } else { 16 }));
            }
            (Op::Unlock | Op::ReadWriteUnlock, _) if !free => return Done::Stuck,
            (Op::Once(done), _) if held == 2 => thread.at = *done,
            (Op::Once(_), Some(Value::Function(routine))) if held == 0 => {
                thread.stack.push(place);
                thread.call(self.code, routine);
            }
            (Op::Once(_), Some(_)) if held == 0 => return Done::Stuck,
            _ if !free => return Done::Waits,
            _ => {}
        }
        Done::Goes
    }

    /// Starts a thread, if there are not too many of its function: then it never starts.
    fn create(&self, state: &mut State, number: usize, found: &mut Behaviour) -> Done {
        let thread = &mut state.threads[number];
        let argument = thread.pop();
        let Value::Function(routine) = thread.pop() else { return Done::Stuck };
        thread.pop();
        let count = state.threads.iter().filter(|t| t.routine == routine).count();
        let started = count < self.threads;
        found.bounded |= !started;
        let name = if started { state.threads.len() } else { 0 };
        let Some(handle) = state.pop_cell(number) else { return Done::Stuck };
        *handle = Value::Int(i128::try_from(name).expect("few threads"));
        state.threads[number].stack.push(Value::Int(0));
        if started {
            let own = self.fresh.get().expect("after the start").clone();
            let mut thread = Thread::new(own);
            thread.enter(self.code, routine, END, &[argument]);
            state.threads.push(thread);
        }
        Done::Goes
    }
}

/// Addresses: of variables, and of parts of what an address is of.
fn address(thread: &mut Thread, number: usize, op: &Op) -> Done {
    match op {
        Op::Global(cell, size) => thread.push_address(None, *cell, *size, true),
        Op::Local(cell, size, shared) => {
            let base = thread.frames.last().expect("a frame").base;
            thread.push_address(Some(number), base + cell, *size, *shared);
        }
        // Behind all cells of automatic variables.
        Op::ThreadLocal(cell, size) => thread.push_address(Some(number), OWN + cell, *size, false),
        Op::Element(size, length) => return thread.element(*size, *length),
        Op::Offset(size, plus) => return thread.offset(*size, *plus),
        Op::Member(first, size) => {
            let Value::Address(a) = thread.pop() else { return Done::Stuck };
            thread.push_address(a.thread, a.cell + first, *size, a.shared);
        }
        other => unreachable!("{other:?}"),
    }
    Done::Goes
}

/// Reads or writes a cell.
fn access(state: &mut State, number: usize, op: &Op) -> Done {
    let thread = &state.threads[number];
    let written = matches!(op, Op::Store).then(|| thread.stack[thread.stack.len() - 2]);
    let Some(cell) = state.pop_cell(number) else { return Done::Stuck };
    if let Some(value) = written {
        *cell = value;
        return Done::Goes;
    }
    let value = *cell;
    if value == Value::Unset {
        return Done::Stuck;
    }
    state.threads[number].stack.push(value);
    Done::Goes
}

/// The values on the stack.
fn rearrange(thread: &mut Thread, op: &Op) -> Done {
    match op {
        Op::Push(value) => thread.stack.push(*value),
        Op::Pop => drop(thread.pop()),
        Op::Dup => thread.stack.push(*thread.stack.last().expect("a value")),
        Op::Swap => {
            let last = thread.stack.len() - 1;
            thread.stack.swap(last - 1, last);
        }
        other => unreachable!("{other:?}"),
    }
    Done::Goes
}

/// Ends: of a thread, of the program, and waiting for another thread's.
fn finish(state: &mut State, number: usize, op: &Op) -> Done {
    let thread = &mut state.threads[number];
    match op {
        Op::End => thread.status = Status::Ended,
        Op::Exit => state.over = true,
        Op::Join => {
            let Value::Int(of) = thread.pop() else { return Done::Stuck };
            let of = usize::try_from(of).expect("a thread");
            if of == 0 || state.threads[of].status != Status::Ended {
                return Done::Waits;
            }
        }
        other => unreachable!("{other:?}"),
    }
    Done::Goes
}
