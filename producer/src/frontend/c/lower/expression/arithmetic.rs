//! Arithmetic of C's integer types on mathematical integers, by interval analysis.
//!
//! A value has a term and a range. Where the result of an operation may lie outside its type's
//! range, an unsigned one wraps (a case for each number of times, or a quotient), and a signed one
//! is assumed not to, or checked.

use crate::frontend::c::check::Check;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::object::FIRST_ADDRESS;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::term::{add, and, compare, constant, floor, int, modulo, or, scale, sub};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Integer, Sync, Type};
use lang_c::ast::BinaryOperator;
use num_bigint::BigInt;
use num_traits::Signed as _;
use threadproof_format::{Cmp, Op};

/// Values of a factor that are told apart.
const MAX_FACTORS: u32 = 16;

impl Lowering<'_> {
    /// A value converted to another type.
    pub(crate) fn convert(&mut self, value: Value, ty: &Type, at: usize) -> Lower<Value> {
        let ty = ty.plain();
        match (value.ty.plain(), ty) {
            (Type::Int(_), Type::Int(to)) => {
                if !to.is_bool() && (value.low < to.low() || value.high > to.high()) && to.signed {
                    self.assumed.narrowing |= value.as_constant().is_none();
                }
                self.steps.fit(value, *to)
            }
            (Type::Pointer(_) | Type::Array(..), Type::Int(to)) => {
                if to.is_bool() {
                    return self.steps.fit(value, *to);
                }
                let value = self.no_address(value, at)?;
                self.steps.fit(value, *to)
            }
            (Type::Int(_), Type::Pointer(_)) => {
                let long = Integer { bits: self.unit.types.long(), signed: true, rank: 4 };
                let value = self.steps.fit(value, long)?;
                let value = self.no_address(value, at)?;
                Ok(Value { ty: ty.clone(), ..value })
            }
            (Type::Pointer(from), Type::Pointer(to)) => {
                let null = value.as_constant().is_some_and(|v| *v == BigInt::from(0));
                if !null && !compatible(from, to) {
                    let what = "a conversion between pointers to different types";
                    return Err(Fault::unsupported(at, what));
                }
                Ok(Value { ty: ty.clone(), ..value })
            }
            (Type::Sync(Sync::Thread), Type::Sync(Sync::Thread)) => {
                self.threads.is_copied();
                Ok(value)
            }
            (Type::Sync(a), Type::Sync(b)) if a == b => {
                Err(Fault::unsupported(at, "a copy of a lock"))
            }
            (Type::Struct(a), Type::Struct(b)) if a == b => Ok(value),
            (_, Type::Void) => Ok(Value { ty: Type::Void, ..value }),
            (_, Type::Unsupported(what)) | (Type::Unsupported(what), _) => {
                Err(Fault::unsupported(at, what))
            }
            _ => Err(Fault::unsupported(at, "a conversion between such types")),
        }
    }

    /// A pointer as a number: it is assumed that it is no object's address.
    fn no_address(&mut self, value: Value, at: usize) -> Lower<Value> {
        let first = BigInt::from(FIRST_ADDRESS);
        if value.high < first {
            return Ok(value);
        }
        if value.as_constant().is_some() || value.object.is_some() {
            let what = "an address as a number, or a number as an address";
            return Err(Fault::unsupported(at, what));
        }
        self.assumed.addresses = true;
        let below = compare(Cmp::Lt, &value.term, &int(first.clone()));
        self.steps.step(vec![Command::default().when(below)], true)?;
        Ok(Value { high: first - 1, ..value })
    }

    /// A result of arithmetic in a type: an unsigned one wraps, and a signed one has to fit.
    fn result(
        &mut self,
        term: Vec<Op>,
        (low, high): (BigInt, BigInt),
        of: Integer,
        at: usize,
    ) -> Lower<Value> {
        // A difference of equal terms is 0, whatever their bounds say.
        let (low, high) = constant(&term).map_or((low, high), |k| (k.clone(), k.clone()));
        let value = Value { term, ty: Type::Int(of), low, high, object: None };
        let wraps = !of.signed || (self.checks.wraps && self.checks.asked(Check::Overflow));
        if wraps || (value.low >= of.low() && value.high <= of.high()) {
            return self.steps.fit(value, of);
        }
        if value.as_constant().is_some() {
            if !self.checks.asked(Check::Overflow) {
                return Err(Fault::wrong(at, "a constant beyond its type")
                    .hint("with --check overflow this is an error location of the program"));
            }
            self.violated(Check::Overflow, at);
            return self.steps.fit(value, of);
        }
        let mut conditions = Vec::new();
        if value.low < of.low() {
            conditions.push(compare(Cmp::Ge, &value.term, &int(of.low())));
        }
        if value.high > of.high() {
            conditions.push(compare(Cmp::Le, &value.term, &int(of.high())));
        }
        self.require(Check::Overflow, conditions, at)?;
        let (low, high) = (value.low.clone().max(of.low()), value.high.clone().min(of.high()));
        Ok(Value { low, high, ..value })
    }

    /// An operator on two values, after the usual conversions.
    pub(crate) fn binary(
        &mut self,
        operator: &BinaryOperator,
        a: Value,
        b: Value,
        at: usize,
    ) -> Lower<Value> {
        use BinaryOperator as B;
        let pointers = (a.ty.pointee().is_some(), b.ty.pointee().is_some());
        match (operator, pointers) {
            (B::Plus, (true, false)) => return self.moved(a, &b, 1, at),
            (B::Plus, (false, true)) => return self.moved(b, &a, 1, at),
            (B::Minus, (true, true)) => return self.distance(&a, &b, at),
            (B::Minus, (true, false)) => return self.moved(a, &b, -1, at),
            (_, (false, false)) => {}
            _ => return Err(Fault::unsupported(at, "this operator on pointers")),
        }
        let (from_a, from_b) = (a.integer(at)?, b.integer(at)?);
        if let B::ShiftLeft | B::ShiftRight = operator {
            let a = self.steps.fit(a, from_a.promoted())?;
            return self.shift(operator, a, &b, from_a.promoted(), at);
        }
        let common = from_a.common(from_b);
        let a = self.steps.fit(a, common)?;
        let b = self.steps.fit(b, common)?;
        match operator {
            B::Plus => {
                let range = (a.low + b.low, a.high + b.high);
                self.result(add(&a.term, &b.term), range, common, at)
            }
            B::Minus => {
                let range = (a.low - b.high, a.high - b.low);
                self.result(sub(&a.term, &b.term), range, common, at)
            }
            B::Multiply => self.multiply(a, b, common, at),
            B::Divide | B::Modulo => self.divide(operator, a, &b, common, at),
            B::BitwiseAnd | B::BitwiseOr | B::BitwiseXor => {
                self.bitwise(operator, a, b, common, at)
            }
            _ => Err(Fault::unsupported(at, "this operator")),
        }
    }

    fn multiply(&mut self, a: Value, b: Value, of: Integer, at: usize) -> Lower<Value> {
        let (factor, value) = match (a.as_constant(), b.as_constant()) {
            (Some(k), _) => (k.clone(), b),
            (_, Some(k)) => (k.clone(), a),
            _ => return self.product(a, b, of, at),
        };
        let (x, y) = (&factor * &value.low, &factor * &value.high);
        let (low, high) = if x <= y { (x, y) } else { (y, x) };
        let term = if factor == BigInt::from(0) { int(0) } else { scale(&factor, &value.term) };
        self.result(term, (low, high), of, at)
    }

    /// A product of two variables, of which one has few values: a case for each of them.
    fn product(&mut self, a: Value, b: Value, of: Integer, at: usize) -> Lower<Value> {
        let few = |v: &Value| &v.high - &v.low < BigInt::from(MAX_FACTORS);
        let (value, factor) = if few(&b) { (a, b) } else { (b, a) };
        if !few(&factor) {
            return Err(Fault::unsupported(at, "a product of two variables"));
        }
        let target = self.steps.temporary();
        let mut alternatives = Vec::new();
        let mut k = factor.low.clone();
        while k <= factor.high {
            let same = compare(Cmp::Eq, &factor.term, &int(k.clone()));
            let times = if k == BigInt::from(0) { int(0) } else { scale(&k, &value.term) };
            alternatives.push(Command::default().when(same).set(target.clone(), times));
            k += 1;
        }
        self.steps.step(alternatives, false)?;
        let ends = [&value.low, &value.high];
        let mut corners: Vec<BigInt> =
            ends.iter().flat_map(|x| [*x * &factor.low, *x * &factor.high]).collect();
        corners.sort();
        let (low, high) = (corners[0].clone(), corners[3].clone());
        self.result(vec![target], (low, high), of, at)
    }

    fn divide(
        &mut self,
        operator: &BinaryOperator,
        a: Value,
        b: &Value,
        of: Integer,
        at: usize,
    ) -> Lower<Value> {
        let Some(divisor) = b.as_constant().cloned() else {
            return Err(Fault::unsupported(at, "a division by a variable"));
        };
        let zero = BigInt::from(0);
        if divisor == zero {
            return Err(Fault::wrong(at, "a division by zero"));
        }
        let remainder = *operator == BinaryOperator::Modulo;
        if remainder && divisor == BigInt::from(-1) {
            // The quotient has to fit, too.
            let (low, high) = (-&a.high, -&a.low);
            self.result(scale(&divisor, &a.term), (low, high), of, at)?;
        }
        if let Some(dividend) = a.as_constant() {
            let value = if remainder { dividend % &divisor } else { dividend / &divisor };
            let range = (value.clone(), value.clone());
            return self.result(int(value), range, of, at);
        }
        let positive = divisor.abs();
        let value = self.truncated(&a, &positive, remainder)?;
        if !remainder && divisor < zero {
            let term = scale(&BigInt::from(-1), &value.term);
            return self.result(term, (-value.high, -value.low), of, at);
        }
        Ok(Value { ty: Type::Int(of), ..value })
    }

    /// A quotient by a positive constant, towards zero, or the remainder, which has the sign of the
    /// dividend: of a negative one the negation of what its absolute value has.
    fn truncated(&mut self, a: &Value, divisor: &BigInt, remainder: bool) -> Lower<Value> {
        let (zero, minus) = (BigInt::from(0), BigInt::from(-1));
        let of = |term: &[Op]| match (remainder, *divisor == BigInt::from(1)) {
            (false, true) => term.to_vec(),
            (true, true) => int(0),
            (false, false) => floor(term, divisor),
            (true, false) => modulo(term, divisor),
        };
        let a = self.steps.steady(a.clone())?;
        let target = self.steps.temporary();
        let positive = Command::default().set(target.clone(), of(&a.term));
        let negative = scale(&minus, &of(&scale(&minus, &a.term)));
        let negative = Command::default().set(target.clone(), negative);
        let cases = match (a.low >= zero, a.high <= zero) {
            (true, _) => vec![positive],
            (_, true) => vec![negative],
            _ => vec![
                positive.when(compare(Cmp::Ge, &a.term, &int(0))),
                negative.when(compare(Cmp::Lt, &a.term, &int(0))),
            ],
        };
        self.steps.step(cases, false)?;
        let (mut low, mut high) = (&a.low / divisor, &a.high / divisor);
        if remainder {
            let most: BigInt = divisor - 1;
            low = if a.low >= zero { zero.clone() } else { -most.clone() };
            high = if a.high <= zero { zero } else { most };
        }
        Ok(Value { term: vec![target], low, high, object: None, ty: a.ty })
    }

    fn shift(
        &mut self,
        operator: &BinaryOperator,
        a: Value,
        b: &Value,
        of: Integer,
        at: usize,
    ) -> Lower<Value> {
        let by = b.as_constant().and_then(|k| u32::try_from(k).ok()).filter(|k| *k < of.bits);
        let Some(by) = by else {
            return Err(Fault::unsupported(
                at,
                "a shift by a variable, or by more bits than there are",
            ));
        };
        let power = BigInt::from(1) << by;
        if *operator == BinaryOperator::ShiftLeft {
            let a = self.shiftable(a, of, at)?;
            let range = (&a.low * &power, &a.high * &power);
            return self.result(scale(&power, &a.term), range, of, at);
        }
        let value = self.steps.floor(&a, by)?;
        Ok(Value { ty: Type::Int(of), ..value })
    }

    /// What is shifted to the left: if overflow is checked, it must not be negative (C11, 6.5.7).
    fn shiftable(&mut self, a: Value, of: Integer, at: usize) -> Lower<Value> {
        let zero = BigInt::from(0);
        if !of.signed || !self.checks.asked(Check::Overflow) || a.low >= zero {
            return Ok(a);
        }
        if a.as_constant().is_some() {
            self.violated(Check::Overflow, at);
            return Ok(Value::constant(0, a.ty));
        }
        self.require(Check::Overflow, vec![compare(Cmp::Ge, &a.term, &int(0))], at)?;
        Ok(Value { low: zero, ..a })
    }

    fn bitwise(
        &mut self,
        operator: &BinaryOperator,
        a: Value,
        b: Value,
        of: Integer,
        at: usize,
    ) -> Lower<Value> {
        use BinaryOperator as B;
        let (a, b) = if a.as_constant().is_some() { (b, a) } else { (a, b) };
        let Some(mask) = b.as_constant().cloned() else {
            let bit = |v: &Value| v.low >= BigInt::from(0) && v.high <= BigInt::from(1);
            if !bit(&a) || !bit(&b) {
                return Err(Fault::unsupported(at, "a bitwise operator on two variables"));
            }
            let set = |v: &Value| compare(Cmp::Eq, &v.term, &int(1));
            let formula = match operator {
                B::BitwiseAnd => and(&set(&a), &set(&b)),
                B::BitwiseOr => or(&set(&a), &set(&b)),
                _ => compare(Cmp::Ne, &a.term, &b.term),
            };
            return self.steps.truth(&formula, [1, 0]).map(|v| Value { ty: Type::Int(of), ..v });
        };
        if let Some(number) = a.as_constant() {
            let value = match operator {
                B::BitwiseAnd => number & &mask,
                B::BitwiseOr => number | &mask,
                _ => number ^ &mask,
            };
            return self.steps.fit(Value::constant(value, Type::Int(of)), of);
        }
        let both = self.steps.masked(&a, &mask)?;
        // a | m = a + m - (a & m), and a ^ m = a + m - 2 (a & m)
        let times = match operator {
            B::BitwiseAnd => return Ok(Value { ty: Type::Int(of), ..both }),
            B::BitwiseOr => 1,
            _ => 2,
        };
        let sum = add(&a.term, &int(mask));
        let term = sub(&sum, &scale(&times.into(), &both.term));
        Ok(Value::new(term, Type::Int(of)))
    }

    /// `-a`, `+a` and `~a`
    pub(crate) fn negative(&mut self, a: Value, complement: bool, at: usize) -> Lower<Value> {
        let of = a.integer(at)?.promoted();
        let a = self.steps.fit(a, of)?;
        let term = scale(&BigInt::from(-1), &a.term);
        match (complement, of.signed) {
            (false, _) => self.result(term, (-a.high, -a.low), of, at),
            (true, true) => {
                let range = (-&a.high - 1, -&a.low - 1);
                self.result(sub(&term, &int(1)), range, of, at)
            }
            (true, false) => {
                let most = of.high();
                let range = (&most - &a.high, &most - &a.low);
                self.result(add(&term, &int(most)), range, of, at)
            }
        }
    }
}

/// Whether a pointer to one type may be one to another.
fn compatible(from: &Type, to: &Type) -> bool {
    let open = |ty: &Type| matches!(ty.plain(), Type::Void | Type::Function(_));
    let alike = |a: &Type, b: &Type| match (a.plain(), b.plain()) {
        // Cells of both hold pointers, which are numbers.
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Array(a, _), b) | (b, Type::Array(a, _)) => a.plain() == b,
        _ => false,
    };
    from.plain() == to.plain() || open(from) || open(to) || alike(from, to)
}
