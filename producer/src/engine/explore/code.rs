//! Expressions as flat stack code over machine integers; truth values are 0 and 1.
//!
//! A result that needs a value which is still open, or does not fit, is none: so nothing wrong is
//! computed.

use super::state::{Array, Shape, State, UNSET};
use crate::logic::model::index;
use threadproof_format::{Cmp, Expr, Op};

/// A variable's place: among the globals, or among the acting thread's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Counted from the first global.
    Global(usize),
    /// Counted from the first local of the acting thread.
    Local(usize),
}

/// What an array is built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A variable.
    Variable(Place),
    /// An input: an array whose elements are all the same.
    Input(usize),
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instruction {
    /// Pushes a constant.
    Constant(i64),
    /// Pushes a variable's value.
    Variable(Place),
    /// Pushes an input's value.
    Input(usize),
    /// Pushes how many threads of a template are at a location.
    Count(usize, usize),
    /// Adds.
    Add,
    /// Subtracts.
    Sub,
    /// Multiplies by a constant.
    Scale(i64),
    /// Divides by a positive constant and rounds down.
    Div(i64),
    /// What remains then.
    Mod(i64),
    /// Compares.
    Compare(Cmp),
    /// Negates.
    Not,
    /// Both.
    And,
    /// One at least.
    Or,
    /// Pops an index, and an index and a value for each write to the array; pushes the element.
    Select(Base, usize),
}

/// An expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code(pub Vec<Instruction>);

/// An array expression: its code pushes index and value of each write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayCode {
    /// What is written to.
    pub base: Base,
    /// How many writes there are.
    pub writes: usize,
    /// Pushes them.
    pub code: Code,
}

/// What an expression is compiled to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// Of sort Int or Bool.
    Scalar(Code),
    /// Of an array sort.
    Array(ArrayCode),
}

/// A symbol's place and whether it is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    /// An integer or a truth value.
    Scalar(Instruction),
    /// An array.
    Array(Base),
}

/// Compiles a well-sorted expression; `symbol` knows variables, inputs and counters. `None` if a
/// constant does not fit.
pub fn compile(expr: &Expr, symbol: &dyn Fn(&Op) -> Symbol) -> Option<Compiled> {
    let mut code = Vec::new();
    // The arrays of the operand stack: what they are built on and how often they are written to.
    let mut arrays: Vec<(Base, usize)> = Vec::new();
    for op in &expr.0 {
        code.push(match op {
            Op::Int(value) => Instruction::Constant(fitting((&value.0).try_into().ok()?)?),
            Op::Bool(value) => Instruction::Constant(i64::from(*value)),
            Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => match symbol(op) {
                Symbol::Scalar(instruction) => instruction,
                Symbol::Array(base) => {
                    arrays.push((base, 0));
                    continue;
                }
            },
            Op::Store => {
                arrays.last_mut().expect("an array operand").1 += 1;
                continue;
            }
            Op::Select => {
                let (base, writes) = arrays.pop().expect("an array operand");
                Instruction::Select(base, writes)
            }
            Op::Add => Instruction::Add,
            Op::Sub => Instruction::Sub,
            Op::Scale(factor) => Instruction::Scale(fitting((&factor.0).try_into().ok()?)?),
            Op::Div(by) => Instruction::Div(fitting((&by.0).try_into().ok()?)?),
            Op::Mod(by) => Instruction::Mod(fitting((&by.0).try_into().ok()?)?),
            Op::Cmp(cmp) => Instruction::Compare(*cmp),
            Op::Not => Instruction::Not,
            Op::And => Instruction::And,
            Op::Or => Instruction::Or,
        });
    }
    let code = Code(code);
    Some(match arrays.pop() {
        Some((base, writes)) => Compiled::Array(ArrayCode { base, writes, code }),
        None => Compiled::Scalar(code),
    })
}

fn fitting(value: i64) -> Option<i64> {
    (value != UNSET).then_some(value)
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// A variable is still open.
    Open,
    /// The value does not fit.
    Overflow,
}

/// A sum, difference or product that fits.
pub fn bounded(value: Option<i64>) -> Result<i64, Missing> {
    value.and_then(fitting).ok_or(Missing::Overflow)
}

/// The values that an expression can mention.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The state.
    pub state: &'a State,
    /// Its threads.
    pub shape: &'a Shape,
    /// The first local of the acting thread among the numbers, and its first array.
    pub own: (usize, usize),
    /// The inputs.
    pub inputs: &'a [i64],
}

impl Frame<'_> {
    /// The value of a variable that is no array.
    pub fn number(&self, place: Place) -> i64 {
        self.state.numbers[match place {
            Place::Global(slot) => slot,
            Place::Local(slot) => self.own.0 + slot,
        }]
    }

    /// An array.
    pub fn array(&self, place: Place) -> &Array {
        &self.state.arrays[match place {
            Place::Global(slot) => slot,
            Place::Local(slot) => self.own.1 + slot,
        }]
    }

    /// How many threads of a template are at a location.
    pub fn count(&self, template: usize, location: usize) -> i64 {
        let seats = self.shape.seats.iter();
        let here =
            seats.filter(|seat| seat.template == template && self.state.location(seat) == location);
        i64::try_from(here.count()).expect("few threads")
    }
}

impl Code {
    /// Pushes what the code pushes.
    ///
    /// # Errors
    /// If a value is missing.
    pub fn run(&self, frame: &Frame, stack: &mut Vec<i64>) -> Result<(), Missing> {
        for instruction in &self.0 {
            let value = match *instruction {
                Instruction::Constant(value) => value,
                Instruction::Variable(place) => known(frame.number(place))?,
                Instruction::Input(number) => frame.inputs[number],
                Instruction::Count(template, location) => frame.count(template, location),
                Instruction::Scale(factor) => bounded(pop(stack).checked_mul(factor))?,
                Instruction::Div(divisor) => pop(stack).div_euclid(divisor),
                Instruction::Mod(divisor) => pop(stack).rem_euclid(divisor),
                Instruction::Not => 1 - pop(stack),
                Instruction::Select(base, writes) => select(frame, stack, base, writes)?,
                Instruction::Add
                | Instruction::Sub
                | Instruction::Compare(_)
                | Instruction::And
                | Instruction::Or => {
                    let (right, left) = (pop(stack), pop(stack));
                    match *instruction {
                        Instruction::Add => bounded(left.checked_add(right))?,
                        Instruction::Sub => bounded(left.checked_sub(right))?,
                        Instruction::Compare(cmp) => i64::from(cmp.holds(&left, &right)),
                        Instruction::And => left & right,
                        _ => left | right,
                    }
                }
            };
            stack.push(value);
        }
        Ok(())
    }

    /// The value of an expression that is no array.
    ///
    /// # Errors
    /// If it is missing.
    pub fn value(&self, frame: &Frame, stack: &mut Vec<i64>) -> Result<i64, Missing> {
        stack.clear();
        self.run(frame, stack)?;
        Ok(pop(stack))
    }
}

/// Takes the last value off.
fn pop(stack: &mut Vec<i64>) -> i64 {
    stack.pop().expect("an operand")
}

fn known(value: i64) -> Result<i64, Missing> {
    if value == UNSET { Err(Missing::Open) } else { Ok(value) }
}

fn select(frame: &Frame, stack: &mut Vec<i64>, base: Base, writes: usize) -> Result<i64, Missing> {
    let at = pop(stack);
    let pairs = stack.split_off(stack.len() - 2 * writes);
    if let Some(pair) = pairs.chunks_exact(2).rev().find(|pair| pair[0] == at) {
        return Ok(pair[1]);
    }
    match base {
        Base::Variable(place) => known(frame.array(place).get(at)),
        Base::Input(number) => Ok(frame.inputs[number]),
    }
}

/// A variable's place from its number among the numbers or arrays.
pub fn place(op: &Op, slots: &[usize]) -> Place {
    match op {
        Op::Local(_, i) => Place::Local(slots[index(*i)]),
        Op::Global(i) => Place::Global(slots[index(*i)]),
        other => unreachable!("{other:?} is no variable"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadproof_format::Int;

    /// `g0` and `l0` are numbers, `g1` is an array, `u0` a number, `u1` an array.
    fn symbol(op: &Op) -> Symbol {
        match op {
            Op::Global(0) => Symbol::Scalar(Instruction::Variable(Place::Global(0))),
            Op::Local(0, 0) => Symbol::Scalar(Instruction::Variable(Place::Local(0))),
            Op::Global(1) => Symbol::Array(Base::Variable(Place::Global(0))),
            Op::Input(0) => Symbol::Scalar(Instruction::Input(0)),
            Op::Input(_) => Symbol::Array(Base::Input(1)),
            Op::Count(..) => Symbol::Scalar(Instruction::Count(0, 3)),
            other => panic!("{other:?}"),
        }
    }

    fn int(value: i64) -> Op {
        Op::Int(Int::from(value))
    }

    /// The value where g0 = 10, l0 = 3, g1 is 7 at 2 and open elsewhere, u0 = 4, u1 is 5
    /// everywhere, and one thread is at location 3.
    fn value(ops: &[Op]) -> Result<i64, Missing> {
        let shape = Shape {
            seats: vec![super::super::state::Seat { template: 0, numbers: 1, arrays: 1 }],
            groups: vec![],
            sizes: vec![(2, 0)],
        };
        let mut array = Array::of(UNSET);
        array.set(2, 7);
        let state = State { numbers: vec![10, 3, 3], arrays: vec![array] };
        let frame = Frame { state: &state, shape: &shape, own: (2, 1), inputs: &[4, 5] };
        match compile(&Expr(ops.to_vec()), &symbol) {
            Some(Compiled::Scalar(code)) => code.value(&frame, &mut Vec::new()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn arithmetic_and_comparisons() {
        let sum = [Op::Global(0), Op::Local(0, 0), Op::Scale(Int::from(-2)), Op::Add];
        assert_eq!(value(&sum), Ok(4));
        let less = [&sum[..], &[Op::Input(0), Op::Cmp(Cmp::Lt), Op::Not]].concat();
        assert_eq!(value(&less), Ok(1));
        assert_eq!(value(&[Op::Count(0, 3), int(1), Op::Sub]), Ok(0));
        assert_eq!(value(&[Op::Bool(true), Op::Bool(false), Op::And]), Ok(0));
        assert_eq!(value(&[Op::Bool(true), Op::Bool(false), Op::Or]), Ok(1));
    }

    #[test]
    fn elements_come_from_the_last_write_to_their_index() {
        let twice = [Op::Global(1), int(1), int(20), Op::Store, int(1), int(30), Op::Store];
        let at = |index: i64| value(&[&twice[..], &[int(index), Op::Select]].concat());
        assert_eq!((at(1), at(2), at(3)), (Ok(30), Ok(7), Err(Missing::Open)));
        assert_eq!(value(&[Op::Input(1), int(8), Op::Select]), Ok(5));
    }

    #[test]
    fn what_does_not_fit_is_no_value() {
        let most = int(i64::MAX);
        assert_eq!(value(&[most.clone(), int(1), Op::Add]), Err(Missing::Overflow));
        assert_eq!(value(&[int(-1), most, Op::Sub, int(1), Op::Sub]), Err(Missing::Overflow));
        let wide = Op::Int(Int(num_bigint::BigInt::from(i64::MAX) + 1));
        assert_eq!(compile(&Expr(vec![wide]), &symbol), None);
        assert_eq!(compile(&Expr(vec![int(UNSET)]), &symbol), None);
    }
}
