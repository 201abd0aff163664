//! Values of expressions.

use super::ast::{Binary, Decl, Expr, Place, Type};
use crate::explicit::Value;
use std::collections::BTreeMap;

/// What an expression is evaluated in.
pub(super) trait Scope {
    /// The value of a variable.
    fn variable(&self, name: &str) -> Value;

    /// How many threads are at one of these labels.
    fn count(&self, labels: &[Expr]) -> i64;
}

/// The value of an expression without effect.
pub(super) fn value(e: &Expr, scope: &dyn Scope) -> Value {
    match e {
        Expr::Int(k) => Value::Int(*k),
        Expr::Bool(b) => Value::Bool(*b),
        Expr::Place(place) => self::place(place, scope),
        Expr::Call(name, labels) if name == "count" => Value::Int(scope.count(labels)),
        Expr::Neg(e) => Value::Int(-int(&value(e, scope))),
        Expr::Not(e) => Value::Bool(!truth(&value(e, scope))),
        // Both sides are evaluated: neither has an effect.
        Expr::Binary(operator, a, b) => two(*operator, &value(a, scope), &value(b, scope)),
        Expr::Any | Expr::Cas(..) | Expr::Call(..) => panic!("{e} inside an expression"),
    }
}

/// The value of a variable or array element.
pub(super) fn place(place: &Place, scope: &dyn Scope) -> Value {
    let variable = scope.variable(&place.name);
    match &place.index {
        None => variable,
        Some(index) => {
            let index = int(&value(index, scope));
            match variable {
                Value::Array(default, entries) => entries.get(&index).cloned().unwrap_or(*default),
                other => panic!("{} is {other:?}", place.name),
            }
        }
    }
}

/// The array with another element.
pub(super) fn with_element(array: &Value, index: i64, element: Value) -> Value {
    let Value::Array(default, entries) = array else { panic!("{array:?} is no array") };
    let mut entries = entries.clone();
    entries.insert(index, element);
    entries.retain(|_, element| *element != **default);
    Value::Array(default.clone(), entries)
}

pub(super) fn int(value: &Value) -> i64 {
    match value {
        Value::Int(k) => *k,
        other => panic!("{other:?} is no integer"),
    }
}

pub(super) fn truth(value: &Value) -> bool {
    *value == Value::Bool(true)
}

fn two(operator: Binary, a: &Value, b: &Value) -> Value {
    let compare = |holds: fn(&i64, &i64) -> bool| Value::Bool(holds(&int(a), &int(b)));
    match operator {
        Binary::Or => Value::Bool(truth(a) || truth(b)),
        Binary::And => Value::Bool(truth(a) && truth(b)),
        Binary::Eq => Value::Bool(a == b),
        Binary::Ne => Value::Bool(a != b),
        Binary::Lt => compare(i64::lt),
        Binary::Le => compare(i64::le),
        Binary::Gt => compare(i64::gt),
        Binary::Ge => compare(i64::ge),
        Binary::Add => Value::Int(int(a) + int(b)),
        Binary::Sub => Value::Int(int(a) - int(b)),
        Binary::Mul => Value::Int(int(a) * int(b)),
        // Truncated towards zero, as in C and Rust.
        Binary::Div => Value::Int(int(a) / int(b)),
        Binary::Mod => Value::Int(int(a) % int(b)),
    }
}

/// The values of a variable that are tried where nothing is known of it.
pub(super) fn any(kind: Type, array: bool, ints: &[i64]) -> Vec<Value> {
    let elements: Vec<Value> = match kind {
        Type::Int => ints.iter().map(|k| Value::Int(*k)).collect(),
        Type::Bool | Type::Lock => vec![Value::Bool(false), Value::Bool(true)],
    };
    if !array {
        return elements;
    }
    elements.into_iter().map(|v| Value::Array(Box::new(v), BTreeMap::new())).collect()
}

/// The values that a variable can start with, as far as its declaration says.
pub(super) fn initial(decl: &Decl, ints: &[i64]) -> Vec<Value> {
    match &decl.init {
        Some(e) => vec![value(e, &Nothing)],
        None => any(decl.kind, decl.array, ints),
    }
}

/// The scope of constants.
struct Nothing;

impl Scope for Nothing {
    fn variable(&self, name: &str) -> Value {
        panic!("{name} in a constant")
    }

    fn count(&self, _: &[Expr]) -> i64 {
        panic!("a count in a constant")
    }
}

/// All ways of choosing one value from each list.
pub(super) fn combinations(choices: &[Vec<Value>]) -> Vec<Vec<Value>> {
    choices.iter().fold(vec![Vec::new()], |shorter, values| {
        let longer = shorter.iter().flat_map(|chosen: &Vec<Value>| {
            values.iter().map(move |v| chosen.iter().cloned().chain([v.clone()]).collect())
        });
        longer.collect()
    })
}
