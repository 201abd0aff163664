//! z3 terms as expressions: the inverse of [`super::encode`], for what solvers answer.

use num_bigint::BigInt;
use threadproof_format::{Cmp, Expr, Int, Op};
use z3::ast::{Ast, Bool, Dynamic};
use z3::{AstKind, DeclKind, SortKind};

/// How many operators an expression may have: terms share parts, expressions do not.
const OPERATORS: usize = 100_000;

/// Why a term of z3 is no expression. A part of it that is to blame is given as z3 prints it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// It has too many operators.
    #[error("it is too large")]
    TooLarge,
    /// A quantifier.
    #[error("it has a quantifier: {0}")]
    Quantifier(String),
    /// A number that is not an integer.
    #[error("it has a number that is not an integer: {0}")]
    Number(String),
    /// A bound variable that no operator was given for.
    #[error("it has an unknown variable: {0}")]
    Variable(String),
    /// A function that no operator stands for.
    #[error("the logic of certificates cannot express {0}")]
    Function(String),
}

/// Reads a formula whose variables are bound ones; `variables` has an operator for each of these,
/// by its index.
///
/// # Errors
/// What the logic cannot say.
pub fn formula(term: &Bool, variables: &[Op]) -> Result<Expr, DecodeError> {
    let mut reader = Reader { variables, out: Vec::new() };
    reader.term(&Dynamic::from_ast(term))?;
    Ok(Expr(reader.out))
}

/// Reads a value: a number or a truth value.
pub fn value(term: &Dynamic) -> Option<Op> {
    let truth = || term.as_bool()?.as_bool().map(Op::Bool);
    constant(term).map(|n| Op::Int(Int(n))).or_else(truth)
}

struct Reader<'a> {
    variables: &'a [Op],
    out: Vec<Op>,
}

impl Reader<'_> {
    /// Writes a term in postfix order.
    fn term(&mut self, term: &Dynamic) -> Result<(), DecodeError> {
        if self.out.len() > OPERATORS {
            return Err(DecodeError::TooLarge);
        }
        match term.kind() {
            AstKind::Numeral => self.numeral(term),
            AstKind::Var => self.variable(term),
            AstKind::App => self.application(term),
            _ => Err(DecodeError::Quantifier(term.to_string())),
        }
    }

    fn numeral(&mut self, term: &Dynamic) -> Result<(), DecodeError> {
        let digits = term.as_int().and_then(|i| number(&i.to_string()));
        let value = digits.ok_or_else(|| DecodeError::Number(term.to_string()))?;
        self.out.push(Op::Int(Int(value)));
        Ok(())
    }

    /// The bindings don't give a bound variable's index, but z3 prints it.
    fn variable(&mut self, term: &Dynamic) -> Result<(), DecodeError> {
        let text = term.to_string();
        let index = text.strip_prefix("(:var ").and_then(|t| t.strip_suffix(')'));
        let op = index.and_then(|i| i.parse::<usize>().ok()).and_then(|i| self.variables.get(i));
        self.out.push(op.ok_or(DecodeError::Variable(text))?.clone());
        Ok(())
    }

    fn application(&mut self, term: &Dynamic) -> Result<(), DecodeError> {
        let parts = term.children();
        match (term.decl().kind(), parts.as_slice()) {
            (DeclKind::True, _) => self.out.push(Op::Bool(true)),
            (DeclKind::False, _) => self.out.push(Op::Bool(false)),
            (DeclKind::And, parts) => self.fold(parts, &Op::And, true)?,
            (DeclKind::Or, parts) => self.fold(parts, &Op::Or, false)?,
            (DeclKind::Not, parts) => self.all(parts, Op::Not)?,
            (DeclKind::Implies, [left, right]) => {
                self.term(left)?;
                self.out.push(Op::Not);
                self.all(std::slice::from_ref(right), Op::Or)?;
            }
            (DeclKind::Ite, [condition, yes, no]) if term.sort_kind() == SortKind::Bool => {
                self.all(&[condition.clone(), yes.clone()], Op::And)?;
                self.term(condition)?;
                self.out.push(Op::Not);
                self.all(std::slice::from_ref(no), Op::And)?;
                self.out.push(Op::Or);
            }
            (DeclKind::Eq | DeclKind::Iff, [left, _]) if left.sort_kind() != SortKind::Array => {
                self.all(&parts, Op::Cmp(Cmp::Eq))?;
            }
            (DeclKind::Le, [_, _]) => self.all(&parts, Op::Cmp(Cmp::Le))?,
            (DeclKind::Lt, [_, _]) => self.all(&parts, Op::Cmp(Cmp::Lt))?,
            (DeclKind::Ge, [_, _]) => self.all(&parts, Op::Cmp(Cmp::Ge))?,
            (DeclKind::Gt, [_, _]) => self.all(&parts, Op::Cmp(Cmp::Gt))?,
            (DeclKind::Select, [_, _]) => self.all(&parts, Op::Select)?,
            (DeclKind::Store, [_, _, _]) => self.all(&parts, Op::Store)?,
            _ => self.sum(term, &parts)?,
        }
        Ok(())
    }

    fn sum(&mut self, term: &Dynamic, parts: &[Dynamic]) -> Result<(), DecodeError> {
        match (term.decl().kind(), parts) {
            (DeclKind::Add, [first, rest @ ..]) => {
                self.term(first)?;
                rest.iter().try_for_each(|part| self.all(std::slice::from_ref(part), Op::Add))
            }
            (DeclKind::Sub, [_, _]) => self.all(parts, Op::Sub),
            (DeclKind::Uminus, [_]) => self.all(parts, Op::Scale(Int((-1).into()))),
            (DeclKind::Mul, [factor, _]) if constant(factor).is_some() => {
                let factor = constant(factor).unwrap_or_default();
                self.all(&parts[1..], Op::Scale(Int(factor)))
            }
            (DeclKind::Idiv | DeclKind::Mod, [of, by]) => {
                let divisor = constant(by).filter(|n| *n > BigInt::from(1));
                let divisor = Int(divisor.ok_or_else(|| DecodeError::Function(term.to_string()))?);
                let divided = term.decl().kind() == DeclKind::Idiv;
                let op = if divided { Op::Div(divisor) } else { Op::Mod(divisor) };
                self.all(std::slice::from_ref(of), op)
            }
            _ => Err(DecodeError::Function(term.to_string())),
        }
    }

    /// Some terms, then an operator on them.
    fn all(&mut self, parts: &[Dynamic], op: Op) -> Result<(), DecodeError> {
        parts.iter().try_for_each(|part| self.term(part))?;
        self.out.push(op);
        Ok(())
    }

    /// An associative operator on any number of terms.
    fn fold(&mut self, parts: &[Dynamic], op: &Op, neutral: bool) -> Result<(), DecodeError> {
        let Some((first, rest)) = parts.split_first() else {
            self.out.push(Op::Bool(neutral));
            return Ok(());
        };
        self.term(first)?;
        rest.iter().try_for_each(|part| self.all(std::slice::from_ref(part), op.clone()))
    }
}

/// The value of a constant integer term.
fn constant(term: &Dynamic) -> Option<BigInt> {
    number(&term.as_int()?.simplify().to_string())
}

/// Reads a decimal number as z3 prints it.
fn number(text: &str) -> Option<BigInt> {
    match text.strip_prefix("(- ") {
        Some(rest) => rest.strip_suffix(')')?.parse::<BigInt>().ok().map(|n| -n),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use z3::ast::Int as Term;

    fn read(formula: &Bool) -> Result<String, DecodeError> {
        super::formula(formula, &[]).map(|e| format!("{:?}", e.0))
    }

    #[test]
    fn sums_and_comparisons_are_read_back() {
        let minus = Term::from_i64(-2);
        let sum = Term::add(&[Term::from_i64(5), minus.clone() * Term::from_i64(3)]);
        let formula = Bool::and(&[sum.le(&minus), sum.eq(&minus).not()]);
        let ints = |n: i64| format!("Int(Int({n}))");
        let left = format!("{}, {}, Scale(Int(-2)), Add, {}", ints(5), ints(3), ints(-2));
        let expected = format!("[{left}, Cmp(Le), {left}, Cmp(Eq), Not, And]");
        assert_eq!(read(&formula), Ok(expected));
    }

    #[test]
    fn what_the_logic_cannot_say_is_refused() {
        let rest = Term::from_i64(7).modulo(Term::new_const("y"));
        let refused = read(&rest.eq(Term::from_i64(1)));
        assert_eq!(refused, Err(DecodeError::Function("(mod 7 y)".to_owned())));
    }
}
