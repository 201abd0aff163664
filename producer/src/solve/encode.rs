//! Expressions as z3 terms.

use num_bigint::BigInt;
use threadproof_format::{Cmp, Expr, Op, Sort};
use z3::ast::{Bool, Dynamic, Int};

/// z3's sort for a sort of the logic.
pub fn z3_sort(sort: Sort) -> z3::Sort {
    match sort {
        Sort::Int => z3::Sort::int(),
        Sort::Bool => z3::Sort::bool(),
        Sort::IntArray => z3::Sort::array(&z3::Sort::int(), &z3::Sort::int()),
        Sort::BoolArray => z3::Sort::array(&z3::Sort::int(), &z3::Sort::bool()),
    }
}

/// A z3 constant.
pub fn constant(name: &str, sort: Sort) -> Dynamic {
    Dynamic::new_const(name, &z3_sort(sort))
}

/// A numeral.
pub fn numeral(value: &BigInt) -> Int {
    match i64::try_from(value) {
        Ok(small) => Int::from_i64(small),
        Err(_) => value.to_string().parse().expect("z3 reads decimal numerals"),
    }
}

/// An operand stack that trusts the expression to be well sorted, as every program is that the
/// front ends and the core form's parser let through.
struct Stack(Vec<Dynamic>);

impl Stack {
    fn pop(&mut self) -> Dynamic {
        self.0.pop().expect("an expression has all its operands")
    }

    fn int(&mut self) -> Int {
        self.pop().as_int().expect("an integer operand")
    }

    fn bool(&mut self) -> Bool {
        self.pop().as_bool().expect("a Boolean operand")
    }
}

/// Translates an expression; `leaf` gives the terms of variables and inputs.
///
/// `indices` collects the index terms of all array reads and writes.
pub fn encode(
    expr: &Expr,
    leaf: &mut dyn FnMut(&Op) -> Dynamic,
    indices: &mut Vec<Int>,
) -> Dynamic {
    let mut stack = Stack(Vec::new());
    for op in &expr.0 {
        let term = operator(op, &mut stack, leaf, indices);
        stack.0.push(term);
    }
    stack.pop()
}

/// Translates a formula.
pub fn formula(expr: &Expr, leaf: &mut dyn FnMut(&Op) -> Dynamic) -> Bool {
    encode(expr, leaf, &mut Vec::new()).as_bool().expect("a formula is Boolean")
}

fn operator(
    op: &Op,
    stack: &mut Stack,
    leaf: &mut dyn FnMut(&Op) -> Dynamic,
    indices: &mut Vec<Int>,
) -> Dynamic {
    match op {
        Op::Int(value) => numeral(&value.0).into(),
        Op::Bool(value) => Bool::from_bool(*value).into(),
        Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => leaf(op),
        Op::Add => {
            let (right, left) = (stack.int(), stack.int());
            (left + right).into()
        }
        Op::Sub => {
            let (right, left) = (stack.int(), stack.int());
            (left - right).into()
        }
        Op::Scale(factor) => (numeral(&factor.0) * stack.int()).into(),
        Op::Div(divisor) => stack.int().div(numeral(&divisor.0)).into(),
        Op::Mod(divisor) => stack.int().modulo(numeral(&divisor.0)).into(),
        Op::Select => {
            let index = stack.int();
            indices.push(index.clone());
            stack.pop().as_array().expect("an array").select(&index)
        }
        Op::Store => {
            let (value, index) = (stack.pop(), stack.int());
            indices.push(index.clone());
            let array = stack.pop().as_array().expect("an array");
            array.store(&index, &value).into()
        }
        Op::Cmp(cmp) => {
            let (right, left) = (stack.pop(), stack.pop());
            compare(*cmp, &left, &right).into()
        }
        Op::Not => stack.bool().not().into(),
        Op::And => {
            let (right, left) = (stack.bool(), stack.bool());
            Bool::and(&[left, right]).into()
        }
        Op::Or => {
            let (right, left) = (stack.bool(), stack.bool());
            Bool::or(&[left, right]).into()
        }
    }
}

fn compare(cmp: Cmp, left: &Dynamic, right: &Dynamic) -> Bool {
    let ints = || {
        (left.as_int().expect("an integer operand"), right.as_int().expect("an integer operand"))
    };
    match cmp {
        Cmp::Eq => left.eq(right),
        Cmp::Ne => left.eq(right).not(),
        Cmp::Lt => ints().0.lt(ints().1),
        Cmp::Le => ints().0.le(ints().1),
        Cmp::Gt => ints().0.gt(ints().1),
        Cmp::Ge => ints().0.ge(ints().1),
    }
}
