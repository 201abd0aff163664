//! Evaluation where something is still open: each integer as a linear form in one unknown, each
//! formula true, false or neither.

use super::code::{ArrayCode, Base, Code, Frame, Instruction, Missing, Place, bounded};
use super::machine::Machine;
use super::state::UNSET;
use threadproof_format::{Cmp, Sort};

/// Remainders that are tried for a sum that is divided.
const REMAINDERS: i64 = 16;

/// What is open; places are those of the acting thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// An input; of an array, all elements.
    Input(usize),
    /// A number of the start.
    Number(Place),
    /// An element of an array of the start.
    Element(Place, i64),
}

/// A value that was chosen for an unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// What it is for.
    pub unknown: Unknown,
    /// The value.
    pub value: i64,
}

/// A value that may depend on unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A constant, and how often the unknown that is looked at is added.
    Form(i64, i64),
    /// It depends on unknowns in another way, or on others.
    Other,
}

impl Value {
    /// The value, if it depends on nothing.
    pub fn known(self) -> Option<i64> {
        match self {
            Value::Form(constant, 0) => Some(constant),
            _ => None,
        }
    }
}

/// What values are looked for: a guard holds, and all new values are known.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The program.
    pub machine: &'a Machine,
    /// The state before; inputs are not in it.
    pub frame: Frame<'a>,
    /// The acting thread's template.
    pub template: Option<usize>,
    /// The sorts of the inputs.
    pub inputs: &'a [Sort],
    /// What has to hold.
    pub guard: &'a Code,
    /// The new values of numbers.
    pub numbers: &'a [(Place, Code)],
    /// The new values of arrays.
    pub arrays: &'a [(Place, ArrayCode)],
}

/// Evaluates with some values chosen, and looks at one unknown.
pub struct Evaluation<'a> {
    problem: &'a Problem<'a>,
    picks: &'a [Pick],
    focus: Option<Unknown>,
    /// The unknowns that were met.
    pub met: Vec<Unknown>,
    /// The values of the unknown in focus where a comparison or an element changes.
    pub critical: Vec<i64>,
    /// Whether comparisons alone say where anything changes.
    pub compared: bool,
    /// The values so far.
    pub stack: Vec<Value>,
}

/// The value of a truth value that is known.
pub fn truth(value: Option<i64>) -> Option<bool> {
    value.map(|value| value != 0)
}

impl<'a> Evaluation<'a> {
    /// An evaluation with these values chosen.
    pub fn new(problem: &'a Problem<'a>, picks: &'a [Pick], focus: Option<Unknown>) -> Self {
        let (met, critical, stack) = (Vec::new(), Vec::new(), Vec::new());
        Evaluation { problem, picks, focus, met, critical, compared: true, stack }
    }

    /// The value of an unknown.
    pub fn look(&mut self, unknown: Unknown) -> Value {
        if let Some(pick) = self.picks.iter().find(|pick| pick.unknown == unknown) {
            return Value::Form(pick.value, 0);
        }
        if !self.met.contains(&unknown) {
            self.met.push(unknown);
        }
        match self.focus == Some(unknown) && !self.problem.is_truth(unknown) {
            true => Value::Form(0, 1),
            false => Value::Other,
        }
    }

    fn pop(&mut self) -> Value {
        self.stack.pop().expect("an operand")
    }

    /// Pushes what the code pushes.
    pub fn run(&mut self, code: &Code) -> Result<(), Missing> {
        for instruction in &code.0 {
            let value = self.step(*instruction)?;
            self.stack.push(value);
        }
        Ok(())
    }

    fn step(&mut self, instruction: Instruction) -> Result<Value, Missing> {
        Ok(match instruction {
            Instruction::Constant(value) => Value::Form(value, 0),
            Instruction::Variable(place) => match self.problem.frame.number(place) {
                UNSET => self.look(Unknown::Number(place)),
                value => Value::Form(value, 0),
            },
            Instruction::Input(number) => self.look(Unknown::Input(number)),
            Instruction::Count(template, location) => {
                Value::Form(self.problem.frame.count(template, location), 0)
            }
            Instruction::Scale(factor) => match self.pop() {
                Value::Form(c, k) => {
                    Value::Form(bounded(c.checked_mul(factor))?, bounded(k.checked_mul(factor))?)
                }
                Value::Other => Value::Other,
            },
            Instruction::Div(divisor) | Instruction::Mod(divisor) => match self.pop() {
                Value::Form(c, k) if k % divisor != 0 => {
                    self.divided((c, k), divisor);
                    Value::Other
                }
                Value::Form(c, k) if matches!(instruction, Instruction::Div(_)) => {
                    Value::Form(c.div_euclid(divisor), k / divisor)
                }
                Value::Form(c, _) => Value::Form(c.rem_euclid(divisor), 0),
                Value::Other => Value::Other,
            },
            Instruction::Not => match self.pop().known() {
                Some(value) => Value::Form(1 - value, 0),
                None => Value::Other,
            },
            Instruction::Select(base, writes) => self.select(base, writes)?,
            Instruction::Add | Instruction::Sub => {
                let (right, left) = (self.pop(), self.pop());
                sum(left, right, instruction == Instruction::Sub)?
            }
            Instruction::Compare(cmp) => {
                let (right, left) = (self.pop(), self.pop());
                self.compare(cmp, left, right)?
            }
            Instruction::And | Instruction::Or => {
                let (right, left) = (truth(self.pop().known()), truth(self.pop().known()));
                let decisive = Some(instruction == Instruction::Or);
                match (left, right) {
                    _ if left == decisive || right == decisive => decided(decisive),
                    (Some(_), Some(_)) => decided(decisive.map(|value| !value)),
                    _ => Value::Other,
                }
            }
        })
    }

    fn compare(&mut self, cmp: Cmp, left: Value, right: Value) -> Result<Value, Missing> {
        let Value::Form(constant, factor) = sum(left, right, true)? else {
            return Ok(Value::Other);
        };
        if factor == 0 {
            return Ok(Value::Form(i64::from(cmp.holds(&constant, &0)), 0));
        }
        let (below, rest) = (constant.div_euclid(factor), constant.rem_euclid(factor));
        // constant + factor * x == 0 between these two.
        let first = below.checked_neg();
        let second =
            if rest == 0 { None } else { first.and_then(|v| v.checked_sub(factor.signum())) };
        [first, second].into_iter().flatten().for_each(|value| self.note_near(value));
        Ok(Value::Other)
    }

    /// Notes where an index in the unknown is another index.
    fn changes(&mut self, index: i64, form: Value) {
        if let Value::Form(constant, factor) = form
            && let Some(distance) = index.checked_sub(constant).filter(|d| *d != UNSET)
            && distance % factor == 0
        {
            self.note_near(distance / factor);
        }
    }

    /// Notes where a sum that is divided has one of the first remainders, and where its quotient
    /// changes.
    fn divided(&mut self, (constant, factor): (i64, i64), divisor: i64) {
        self.compared = false;
        let ends = [-1, 1, 2].map(|quotient| divisor.saturating_mul(quotient));
        let sums = (0..divisor.min(REMAINDERS)).chain(ends).chain(ends.map(|end| end - 1));
        let solve = |sum: i64| sum.checked_sub(constant).filter(|d| *d != UNSET && d % factor == 0);
        let values: Vec<i64> = sums.filter_map(solve).map(|d| d / factor).collect();
        self.note(&values);
    }

    /// Notes a value and its neighbours.
    fn note_near(&mut self, value: i64) {
        let near = [Some(value), value.checked_add(1), value.checked_sub(1)].into_iter().flatten();
        let near: Vec<i64> = near.filter(|value| *value != UNSET).collect();
        self.note(&near);
    }

    fn note(&mut self, values: &[i64]) {
        for value in values {
            if !self.critical.contains(value) {
                self.critical.push(*value);
            }
        }
    }

    fn select(&mut self, base: Base, writes: usize) -> Result<Value, Missing> {
        let at = self.pop();
        let pairs = self.stack.split_off(self.stack.len() - 2 * writes);
        let Some(index) = at.known() else {
            let mut known: Vec<i64> = pairs.iter().step_by(2).filter_map(|v| v.known()).collect();
            if let Base::Variable(place) = base {
                known.extend(
                    self.problem.frame.array(place).entries.iter().map(|(index, _)| *index),
                );
            }
            if let Value::Form(constant, factor) = at {
                self.compared = false;
                let solve =
                    |e: &i64| e.checked_sub(constant).filter(|d| *d != UNSET && d % factor == 0);
                let values: Vec<i64> = known.iter().filter_map(solve).map(|d| d / factor).collect();
                self.note(&values);
            }
            return Ok(Value::Other);
        };
        for pair in pairs.chunks_exact(2).rev() {
            match pair[0].known() {
                Some(written) if written == index => return Ok(pair[1]),
                Some(_) => {}
                None => {
                    // What is read changes where the write is to this index; of writes before it
                    // nothing is told.
                    self.changes(index, pair[0]);
                    self.compared &= writes == 1;
                    return Ok(Value::Other);
                }
            }
        }
        Ok(match base {
            Base::Input(number) => self.look(Unknown::Input(number)),
            Base::Variable(place) => match self.problem.frame.array(place).get(index) {
                UNSET => self.look(Unknown::Element(place, index)),
                value => Value::Form(value, 0),
            },
        })
    }

    /// The value of an expression that is no array.
    pub fn value(&mut self, code: &Code) -> Result<Value, Missing> {
        self.run(code)?;
        Ok(self.pop())
    }
}

fn decided(value: Option<bool>) -> Value {
    value.map_or(Value::Other, |value| Value::Form(i64::from(value), 0))
}

/// A sum, or the difference.
fn sum(left: Value, right: Value, minus: bool) -> Result<Value, Missing> {
    let (Value::Form(c, k), Value::Form(d, l)) = (left, right) else { return Ok(Value::Other) };
    let both = |a: i64, b: i64| bounded(if minus { a.checked_sub(b) } else { a.checked_add(b) });
    Ok(Value::Form(both(c, d)?, both(k, l)?))
}

impl Problem<'_> {
    /// Whether an unknown is a truth value.
    pub fn is_truth(&self, unknown: Unknown) -> bool {
        let sort = match unknown {
            Unknown::Input(number) => {
                let sort = self.inputs[number];
                sort.element().unwrap_or(sort)
            }
            Unknown::Number(place) => self.machine.sort(self.template, place),
            Unknown::Element(place, _) => self.machine.element(self.template, place),
        };
        sort == Sort::Bool
    }
}
