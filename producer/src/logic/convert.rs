//! Expressions of the format as formulas in normal form, and reads over writes by cases.

use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Array, Leaf, Linear, Value, Var};
use num_traits::Zero;
use threadproof_format::{Cmp, Expr, Op, Sort};

/// A term or formula in normal form.
#[derive(Clone, Debug)]
pub enum Item {
    /// A term of sort Int.
    Int(Linear),
    /// A formula, of sort Bool.
    Bool(Formula),
    /// A term of sort IntArray or BoolArray.
    Array(Array),
}

impl Item {
    /// The item of a variable that is of this sort.
    pub fn variable(var: Var, sort: Sort) -> Item {
        let leaf = Leaf::Var(var);
        match sort {
            Sort::Int => Item::Int(Linear::leaf(leaf)),
            Sort::Bool => Item::Bool(Formula::Bool(leaf, true)),
            Sort::IntArray | Sort::BoolArray => Item::Array(Array {
                base: var,
                boolean: sort == Sort::BoolArray,
                writes: Vec::new(),
            }),
        }
    }

    /// The linear form of an integer operand.
    pub fn int(self) -> Linear {
        match self {
            Item::Int(linear) => linear,
            _ => unreachable!("an integer operand"),
        }
    }

    fn bool(self) -> Formula {
        match self {
            Item::Bool(formula) => formula,
            _ => unreachable!("a Boolean operand"),
        }
    }

    fn array(self) -> Array {
        match self {
            Item::Array(array) => array,
            _ => unreachable!("an array operand"),
        }
    }
}

/// What each variable of an expression is replaced by: itself as an item, or its new value.
pub type Environment<'a> = dyn Fn(Var) -> Item + 'a;

/// Reads an expression; it must be well sorted.
pub fn item(expr: &Expr, environment: &Environment) -> Item {
    let mut stack: Vec<Item> = Vec::new();
    for op in &expr.0 {
        let mut pop = || stack.pop().expect("an expression has all its operands");
        let result = match op {
            Op::Int(value) => Item::Int(Linear::constant(value.0.clone())),
            Op::Bool(value) => Item::Bool(Formula::Const(*value)),
            Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => {
                environment(Var::of(op).expect("an operator that names a variable"))
            }
            Op::Add => {
                let right = pop().int();
                Item::Int(pop().int().add(right))
            }
            Op::Sub => {
                let right = pop().int();
                Item::Int(pop().int().sub(right))
            }
            Op::Scale(factor) => Item::Int(pop().int().scale(&factor.0)),
            Op::Div(divisor) => Item::Int(pop().int().quotient(&divisor.0)),
            Op::Mod(divisor) => Item::Int(pop().int().remainder(&divisor.0)),
            Op::Select => {
                let index = pop().int();
                read(pop().array(), index)
            }
            Op::Store => {
                let value = match pop() {
                    Item::Int(v) => Value::Int(v),
                    Item::Bool(v) => Value::Bool(v),
                    Item::Array(_) => unreachable!("elements are not arrays"),
                };
                let index = pop().int();
                let mut array = pop().array();
                array.writes.push((index, value));
                Item::Array(array)
            }
            Op::Cmp(cmp) => {
                let right = pop();
                Item::Bool(compare(*cmp, pop(), right))
            }
            Op::Not => Item::Bool(pop().bool().negate()),
            Op::And => {
                let right = pop().bool();
                Item::Bool(Formula::and([pop().bool(), right]))
            }
            Op::Or => {
                let right = pop().bool();
                Item::Bool(Formula::or([pop().bool(), right]))
            }
        };
        stack.push(result);
    }
    stack.pop().expect("an expression has a value")
}

/// Reads a formula; it must be well sorted.
pub fn formula(expr: &Expr, environment: &Environment) -> Formula {
    item(expr, environment).bool()
}

fn compare(cmp: Cmp, left: Item, right: Item) -> Formula {
    if let Item::Bool(left) = left {
        let equal = Formula::iff(&left, &right.bool());
        return if cmp == Cmp::Eq { equal } else { equal.negate() };
    }
    let (left, right) = (left.int(), right.int());
    match cmp {
        Cmp::Eq => Formula::equal(left, right),
        Cmp::Ne => Formula::linear(Relation::Ne, left.sub(right)),
        Cmp::Lt => Formula::lt(left, right),
        Cmp::Le => Formula::le(left, right),
        Cmp::Gt => Formula::lt(right, left),
        Cmp::Ge => Formula::le(right, left),
    }
}

/// An element of an array. Writes at an index that differs by a constant are decided here.
fn read(mut array: Array, index: Linear) -> Item {
    while let Some((at, value)) = array.writes.last() {
        let distance = at.clone().sub(index.clone());
        match distance.value() {
            Some(d) if d.is_zero() => return value.clone().into(),
            Some(_) => drop(array.writes.pop()),
            None => break,
        }
    }
    let boolean = array.boolean;
    let leaf = Leaf::Read(Box::new((array, index)));
    if boolean { Item::Bool(Formula::Bool(leaf, true)) } else { Item::Int(Linear::leaf(leaf)) }
}

impl From<Value> for Item {
    fn from(value: Value) -> Item {
        match value {
            Value::Int(v) => Item::Int(v),
            Value::Bool(v) => Item::Bool(v),
        }
    }
}

/// A formula without reads over writes that is equivalent: each such read becomes a disjunction
/// over equal and different index.
pub fn expand(formula: &Formula) -> Formula {
    match formula {
        Formula::And(parts) => Formula::and(parts.iter().map(expand)),
        Formula::Or(parts) => Formula::or(parts.iter().map(expand)),
        atom => match written_read(atom) {
            None => atom.clone(),
            Some(read) => expand_read(atom, &read),
        },
    }
}

fn expand_read(atom: &Formula, target: &(Array, Linear)) -> Formula {
    let (mut below, index) = target.clone();
    let (at, value) = below.writes.pop().expect("a read over a write");
    let (hit, miss) = (value.into(), read(below, index.clone()));
    let hit = expand(&replace(atom, target, &hit));
    let miss = expand(&replace(atom, target, &miss));
    let distance = at.sub(index);
    Formula::or([
        Formula::and([Formula::linear(Relation::Eq, distance.clone()), hit]),
        Formula::and([Formula::linear(Relation::Ne, distance), miss]),
    ])
}

/// An innermost read over a write of an atom.
fn written_read(atom: &Formula) -> Option<(Array, Linear)> {
    match atom {
        Formula::Bool(leaf, _) => in_leaf(leaf),
        Formula::Linear(_, form) => in_linear(form),
        Formula::Const(_) | Formula::And(_) | Formula::Or(_) => None,
    }
}

fn in_linear(form: &Linear) -> Option<(Array, Linear)> {
    form.terms.iter().find_map(|(leaf, _)| in_leaf(leaf))
}

fn in_leaf(leaf: &Leaf) -> Option<(Array, Linear)> {
    let read = match leaf {
        Leaf::Var(_) => return None,
        Leaf::Quotient(quotient) => return in_linear(&quotient.0),
        Leaf::Read(read) => read,
    };
    let (array, index) = read.as_ref();
    in_linear(index)
        .or_else(|| array.writes.iter().find_map(|(i, _)| in_linear(i)))
        .or_else(|| (!array.writes.is_empty()).then(|| read.as_ref().clone()))
}

/// Replaces a read in an atom.
fn replace(atom: &Formula, target: &(Array, Linear), by: &Item) -> Formula {
    match atom {
        Formula::Bool(Leaf::Read(read), sign) if **read == *target => {
            let value = by.clone().bool();
            if *sign { value } else { value.negate() }
        }
        Formula::Bool(leaf @ Leaf::Read(_), sign) => {
            let value = replace_leaf(leaf, target, by).bool();
            if *sign { value } else { value.negate() }
        }
        Formula::Linear(relation, form) => {
            Formula::linear(*relation, replace_linear(form, target, by))
        }
        other => other.clone(),
    }
}

fn replace_linear(form: &Linear, target: &(Array, Linear), by: &Item) -> Linear {
    form.map(&mut |leaf| replace_leaf(leaf, target, by).int())
}

fn replace_leaf(leaf: &Leaf, target: &(Array, Linear), by: &Item) -> Item {
    match leaf {
        Leaf::Read(r) if **r == *target => by.clone(),
        Leaf::Read(r) => {
            let (array, index) = r.as_ref();
            let mut array = array.clone();
            for (at, value) in &mut array.writes {
                *at = replace_linear(at, target, by);
                if let Value::Int(v) = value {
                    *v = replace_linear(v, target, by);
                }
            }
            read(array, replace_linear(index, target, by))
        }
        // Only reads are replaced; a variable's sort is that of its place.
        Leaf::Var(_) | Leaf::Quotient(_) => Item::Int(Linear::leaf(leaf.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadproof_format::Int;

    /// Globals 0 and 1 are integers, 2 is an integer array.
    fn read(ops: Vec<Op>) -> Formula {
        formula(&Expr(ops), &|v| {
            let array = v == Var::Global(2);
            Item::variable(v, if array { Sort::IntArray } else { Sort::Int })
        })
    }

    fn int(value: i64) -> Op {
        Op::Int(Int::from(value))
    }

    /// a[index := 7][y] == 7
    fn written(index: Op) -> Formula {
        let mut ops = vec![Op::Global(2), index, int(7), Op::Store, Op::Global(1), Op::Select];
        ops.extend([int(7), Op::Cmp(Cmp::Eq)]);
        read(ops)
    }

    #[test]
    fn reads_of_what_was_just_written_are_decided() {
        assert_eq!(written(Op::Global(1)), Formula::Const(true));
    }

    #[test]
    fn other_reads_over_writes_are_decided_by_cases() {
        let x_is_y = read(vec![Op::Global(0), Op::Global(1), Op::Cmp(Cmp::Eq)]);
        let below = vec![Op::Global(2), Op::Global(1), Op::Select, int(7), Op::Cmp(Cmp::Eq)];
        let elsewhere = Formula::and([x_is_y.negate(), read(below)]);
        assert_eq!(expand(&written(Op::Global(0))), Formula::or([x_is_y, elsewhere]));
    }

    #[test]
    fn equal_truth_values_are_both_or_neither() {
        let ops = vec![Op::Bool(true), Op::Global(0), int(1), Op::Cmp(Cmp::Lt)];
        let less = read(ops[1..].to_vec());
        for (cmp, expected) in [(Cmp::Eq, less.clone()), (Cmp::Ne, less.negate())] {
            let mut ops = ops.clone();
            ops.push(Op::Cmp(cmp));
            assert_eq!(read(ops), expected);
        }
    }
}
