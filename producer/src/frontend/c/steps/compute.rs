//! Values that steps compute: kept in temporary variables, wrapped to a type, divided by powers of
//! two.

use crate::frontend::c::error::Lower;
use crate::frontend::c::steps::builder::Steps;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::term::{add, and, compare, floor, int, modulo, not, scale, sub};
use crate::frontend::c::types::value::{Value, range};
use crate::frontend::c::types::{Integer, Type};
use num_bigint::BigInt;
use num_integer::Integer as _;
use threadproof_format::{Cmp, Op};

/// Cases of a wrap that are told apart; more are a remainder.
const MAX_WRAPS: u32 = 4;

impl Steps<'_> {
    /// A value in a temporary variable, to be used here and now: an address of which it stays known
    /// whose it is.
    pub(crate) fn held(&mut self, value: Value) -> Lower<Value> {
        let target = self.temporary();
        self.step(vec![Command::default().set(target.clone(), value.term)], false)?;
        Ok(Value { term: vec![target], ..value })
    }

    /// Any value of a type.
    pub(crate) fn any(&mut self, name: &str, ty: Type) -> Lower<Value> {
        let target = self.temporary();
        let (low, high) = range(&ty);
        let mut command = Command::default();
        let input = command.input(name, low, high);
        self.step(vec![command.set(target.clone(), vec![input])], false)?;
        Ok(Value::new(vec![target], ty))
    }

    /// A value that stays the same, to be used here and now.
    pub(crate) fn steady(&mut self, value: Value) -> Lower<Value> {
        let lasting = match value.term.as_slice() {
            [op @ Op::Local(..)] => self.temporaries.contains(op),
            _ => value.as_constant().is_some(),
        };
        if lasting { Ok(value) } else { self.held(value) }
    }

    /// The first number if a formula holds, the second one otherwise, as an `int`.
    pub(crate) fn truth(&mut self, formula: &[Op], [yes, no]: [u8; 2]) -> Lower<Value> {
        if let [Op::Bool(known)] = formula {
            return Ok(Value::constant(if *known { yes } else { no }, Type::int()));
        }
        let target = self.temporary();
        let holds = Command::default().when(formula.to_vec()).set(target.clone(), int(yes));
        let fails = Command::default().when(not(formula)).set(target.clone(), int(no));
        self.step(vec![holds, fails], false)?;
        Ok(Value::bit(target, Type::int()))
    }

    /// A value in a type's range: what does not fit wraps.
    pub(crate) fn fit(&mut self, value: Value, to: Integer) -> Lower<Value> {
        let ty = Type::Int(to);
        if let Some(number) = value.as_constant() {
            if to.is_bool() {
                return Ok(Value::constant(u8::from(*number != BigInt::from(0)), ty));
            }
            let wrapped = (number - to.low()).mod_floor(&to.modulus()) + to.low();
            return Ok(Value::constant(wrapped, ty));
        }
        if value.low >= to.low() && value.high <= to.high() {
            return Ok(Value { ty, ..value });
        }
        if to.is_bool() {
            let zero = compare(Cmp::Eq, &value.term, &int(0));
            return self.truth(&zero, [0, 1]).map(|v| Value { ty, ..v });
        }
        let modulus = to.modulus();
        let times = |bound: &BigInt| (bound - to.low()).div_floor(&modulus);
        let (first, last) = (times(&value.low), times(&value.high));
        let target = self.temporary();
        if &last - &first < BigInt::from(MAX_WRAPS) {
            let mut alternatives = Vec::new();
            let mut k = first.clone();
            while k <= last {
                let shift = &modulus * &k;
                let mut guard = vec![Op::Bool(true)];
                if k > first {
                    guard = compare(Cmp::Ge, &value.term, &int(to.low() + &shift));
                }
                if k < last {
                    guard = and(&guard, &compare(Cmp::Le, &value.term, &int(to.high() + &shift)));
                }
                let wrapped = sub(&value.term, &int(shift));
                alternatives.push(Command::default().when(guard).set(target.clone(), wrapped));
                k += 1;
            }
            self.step(alternatives, false)?;
        } else {
            let low = int(to.low());
            let wrapped = add(&modulo(&sub(&value.term, &low), &modulus), &low);
            self.step(vec![Command::default().set(target.clone(), wrapped)], false)?;
        }
        Ok(Value::new(vec![target], ty))
    }

    /// `a` divided by 2 to the power `by`, rounded down.
    pub(crate) fn floor(&mut self, a: &Value, by: u32) -> Lower<Value> {
        if by == 0 {
            return Ok(a.clone());
        }
        let power = BigInt::from(1) << by;
        let (low, high) = (a.low.div_floor(&power), a.high.div_floor(&power));
        let ty = a.ty.clone();
        if low == high {
            return Ok(Value::constant(low, ty));
        }
        let target = self.temporary();
        let quotient = floor(&a.term, &power);
        self.step(vec![Command::default().set(target.clone(), quotient)], false)?;
        Ok(Value { term: vec![target], ty, low, high, object: None })
    }

    /// `a & mask`: the sum over the runs of ones in the mask, each the remainder of a quotient.
    /// Both are in two's complement.
    pub(crate) fn masked(&mut self, a: &Value, mask: &BigInt) -> Lower<Value> {
        if *mask < BigInt::from(0) {
            // a & m = a - (a & ~m), where ~m = -m - 1 is not negative
            let rest = self.masked(a, &(-mask - 1))?;
            let term = sub(&a.term, &rest.term);
            return Ok(Value::new(term, a.ty.clone()));
        }
        let a = self.steady(a.clone())?;
        let (mut term, mut at) = (int(0), 0_u32);
        let bits = u32::try_from(mask.bits()).unwrap_or(u32::MAX);
        while at < bits {
            if !mask.bit(u64::from(at)) {
                at += 1;
                continue;
            }
            let first = at;
            while mask.bit(u64::from(at)) {
                at += 1;
            }
            let power = |bits: u32| BigInt::from(1) << bits;
            let shifted = if first == 0 { a.term.clone() } else { floor(&a.term, &power(first)) };
            let run = scale(&power(first), &modulo(&shifted, &power(at - first)));
            term = add(&term, &run);
        }
        let target = self.temporary();
        self.step(vec![Command::default().set(target.clone(), term)], false)?;
        let ty = a.ty.clone();
        Ok(Value { term: vec![target], ty, low: 0.into(), high: mask.clone(), object: None })
    }
}
