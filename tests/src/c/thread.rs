//! States, and what instructions do with one thread's values.

use super::code::{Address, Change, Code, Op, Sign, Value};
use super::integer::Int;

/// Where the cells of a thread's `_Thread_local` variables begin, behind all automatic ones.
pub(super) const OWN: usize = 1 << 20;

/// A thread's place in a function, to return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    pub(super) back: usize,
    /// The first cell of its variables.
    pub(super) base: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Status {
    Runs,
    Ended,
    /// Something is assumed not to happen.
    Stuck,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Thread {
    /// The function that it runs.
    pub(super) routine: usize,
    pub(super) at: usize,
    pub(super) stack: Vec<Value>,
    pub(super) frames: Vec<Frame>,
    pub(super) cells: Vec<Value>,
    pub(super) own: Vec<Value>,
    pub(super) status: Status,
}

/// A state of the whole program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) cells: Vec<Value>,
    pub(super) threads: Vec<Thread>,
    /// The thread in an atomic section.
    pub(super) alone: Option<usize>,
    pub(super) over: bool,
}

/// How an instruction ends.
pub(super) enum Done {
    Goes,
    /// The thread waits here.
    Waits,
    Stuck,
    Failed(usize),
    /// With one of these values.
    Chooses(Vec<Value>),
}

impl Thread {
    pub(super) fn new(own: Vec<Value>) -> Self {
        Thread {
            routine: usize::MAX,
            at: 0,
            stack: Vec::new(),
            frames: Vec::new(),
            cells: Vec::new(),
            own,
            status: Status::Runs,
        }
    }

    /// Starts with a function that returns to `back`.
    pub(super) fn enter(&mut self, code: &Code, routine: usize, back: usize, arguments: &[Value]) {
        self.routine = routine;
        self.at = back;
        self.stack.extend(arguments);
        self.call(code, routine);
    }

    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().expect("a value")
    }

    pub(super) fn push_address(
        &mut self,
        thread: Option<usize>,
        cell: usize,
        size: usize,
        shared: bool,
    ) {
        let object = (cell, cell + size);
        self.stack.push(Value::Address(Address { thread, cell, object, shared }));
    }

    /// Calls a function whose arguments are on the stack.
    pub(super) fn call(&mut self, code: &Code, routine: usize) {
        let routine = &code.routines[routine];
        let base = self.cells.len();
        self.frames.push(Frame { back: self.at, base });
        let arguments = self.stack.split_off(self.stack.len() - routine.params);
        self.cells.extend(arguments);
        self.cells.resize(base + routine.cells, Value::Unset);
        self.at = routine.entry;
    }

    /// Returns, with the value on the stack.
    pub(super) fn leave(&mut self) {
        let frame = self.frames.pop().expect("a frame");
        self.cells.truncate(frame.base);
        self.at = frame.back;
    }

    pub(super) fn element(&mut self, size: usize, length: usize) -> Done {
        let (Value::Int(index), Value::Address(a)) = (self.pop(), self.pop()) else {
            return Done::Stuck;
        };
        let Some(index) = usize::try_from(index).ok().filter(|i| *i < length) else {
            return Done::Stuck;
        };
        let object = (a.cell, a.cell + length * size);
        let cell = a.cell + index * size;
        self.stack.push(Value::Address(Address { cell, object, ..a }));
        Done::Goes
    }

    /// Pointer arithmetic; one behind the object's end is a pointer, too.
    pub(super) fn offset(&mut self, size: usize, plus: bool) -> Done {
        let (Value::Int(by), Value::Address(a)) = (self.pop(), self.pop()) else {
            return Done::Stuck;
        };
        let number = |n: usize| i128::try_from(n).expect("few cells");
        let by = if plus { by } else { -by };
        let cell = usize::try_from(number(a.cell) + by * number(size)).ok();
        let Some(cell) = cell.filter(|cell| (a.object.0..=a.object.1).contains(cell)) else {
            return Done::Stuck;
        };
        self.stack.push(Value::Address(Address { cell, ..a }));
        Done::Goes
    }

    /// What concerns only the values on the stack.
    pub(super) fn calculate(&mut self, op: &Op) -> Done {
        let last = self.pop();
        let value = match (op, last) {
            (Op::Truth, last) => Some(i128::from(last != Value::Int(0))),
            (Op::SamePointer, b) => Some(i128::from(same(self.pop(), b))),
            (Op::Convert(kind), Value::Int(value)) => Some(kind.convert(value)),
            (Op::Sign(Sign::Complement, kind), Value::Int(value)) => {
                let kind = kind.promoted();
                Some(kind.convert(-1 - kind.convert(value)))
            }
            (Op::Sign(Sign::Minus, kind), Value::Int(value)) => {
                kind.promoted().exact(-kind.promoted().convert(value))
            }
            (Op::Binary(operator, left, right), Value::Int(b)) => match self.pop() {
                Value::Int(a) => operator.apply((*left, a), (*right, b)),
                _ => None,
            },
            (Op::Stepped(kind, up), Value::Int(old)) => {
                let address = self.pop();
                let operator = super::integer::Binary::step(*up);
                let Some(new) = operator.apply((*kind, old), (Int::Int, 1)) else {
                    return Done::Stuck;
                };
                self.stack.extend([last, Value::Int(kind.convert(new)), address]);
                return Done::Goes;
            }
            _ => None,
        };
        let Some(value) = value else { return Done::Stuck };
        self.stack.push(Value::Int(value));
        Done::Goes
    }
}

/// Whether two pointers are equal.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Address(a), Value::Address(b)) => (a.thread, a.cell) == (b.thread, b.cell),
        _ => a == b,
    }
}

impl State {
    /// The cell whose address a thread has on its stack, if it is in bounds.
    pub(super) fn pop_cell(&mut self, thread: usize) -> Option<&mut Value> {
        let Value::Address(a) = self.threads[thread].pop() else { return None };
        if !(a.object.0..a.object.1).contains(&a.cell) {
            return None;
        }
        match a.thread {
            None => self.cells.get_mut(a.cell),
            Some(of) if a.cell >= OWN => self.threads[of].own.get_mut(a.cell - OWN),
            Some(of) => self.threads[of].cells.get_mut(a.cell),
        }
    }

    /// What reads and writes at once.
    pub(super) fn atomic(&mut self, number: usize, op: &Op) -> Done {
        let thread = &mut self.threads[number];
        let fails =
            matches!(op, Op::CompareExchange { weak: true, .. }) && thread.pop() == Value::Int(0);
        let Value::Int(value) = thread.pop() else { return Done::Stuck };
        match op {
            Op::Update { change, kind, new } => {
                let Some(cell) = self.pop_cell(number) else { return Done::Stuck };
                let Value::Int(old) = *cell else { return Done::Stuck };
                let Some(made) = change.apply(*kind, old, value) else { return Done::Stuck };
                *cell = Value::Int(made);
                let result = if *new { made } else { old };
                self.threads[number].stack.push(Value::Int(result));
            }
            Op::CompareSwap { kind, old } => {
                let Value::Int(expected) = thread.pop() else { return Done::Stuck };
                let Some(cell) = self.pop_cell(number) else { return Done::Stuck };
                let Value::Int(before) = *cell else { return Done::Stuck };
                let equal = before == kind.convert(expected);
                if equal {
                    *cell = Value::Int(value);
                }
                let result = if *old { before } else { i128::from(equal) };
                self.threads[number].stack.push(Value::Int(result));
            }
            Op::CompareExchange { .. } => return self.compare_exchange(number, value, fails),
            other => unreachable!("{other:?}"),
        }
        Done::Goes
    }

    /// What is expected belongs to the thread alone, so that it takes no step.
    fn compare_exchange(&mut self, number: usize, value: i128, fails: bool) -> Done {
        let expected = *self.threads[number].stack.last().expect("an address");
        let Some(Value::Int(wanted)) = self.pop_cell(number).map(|cell| *cell) else {
            return Done::Stuck;
        };
        let Some(cell) = self.pop_cell(number) else { return Done::Stuck };
        let Value::Int(before) = *cell else { return Done::Stuck };
        let equal = before == wanted && !fails;
        if equal {
            *cell = Value::Int(value);
        } else {
            self.threads[number].stack.push(expected);
            *self.pop_cell(number).expect("it was read") = Value::Int(before);
        }
        self.threads[number].stack.push(Value::Int(i128::from(equal)));
        Done::Goes
    }
}

impl Change {
    fn apply(self, kind: Int, old: i128, value: i128) -> Option<i128> {
        match self {
            Change::Exchange => Some(value),
            Change::Operator(operator, right) => {
                Some(kind.convert(operator.apply((kind, old), (right, value))?))
            }
        }
    }
}
