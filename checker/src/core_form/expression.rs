//! Expressions of the core form: operator precedence with an explicit stack (SPEC.md 4.1).

use super::Parser;
use crate::error::Reason;
use threadproof_format::{Cmp, Expr, Int, Op};

/// What waits on the stack while its operands are read.
enum Waiting {
    Operator(Op, u8),
    Paren,
    Index,
    Write,
}

impl Parser<'_> {
    /// Reads the longest expression that begins here.
    pub(super) fn expression(&mut self) -> Result<Expr, Reason> {
        let mut out = Vec::new();
        let mut waiting = Vec::new();
        loop {
            self.operand(&mut out, &mut waiting)?;
            if !self.after_operand(&mut out, &mut waiting)? {
                break;
            }
        }
        if !unwind(&mut out, &mut waiting, 0) {
            return Err(self.error("an open parenthesis or bracket"));
        }
        if out.len() > threadproof_format::limits::MAX_OPS {
            return Err(Reason::Limit("operators of a formula"));
        }
        Ok(Expr(out))
    }

    /// Reads prefix operators and opening parentheses, then one literal, variable or input.
    fn operand(&mut self, out: &mut Vec<Op>, waiting: &mut Vec<Waiting>) -> Result<(), Reason> {
        loop {
            match self.peek() {
                "(" => waiting.push(Waiting::Paren),
                "!" => waiting.push(Waiting::Operator(Op::Not, 5)),
                "true" | "false" => {
                    out.push(Op::Bool(self.next() == "true"));
                    return Ok(());
                }
                text if text == "-" || text.starts_with(|c: char| c.is_ascii_digit()) => {
                    let value = self.integer()?;
                    if self.peek() == "*" {
                        waiting.push(Waiting::Operator(Op::Scale(value), 5));
                    } else {
                        out.push(Op::Int(value));
                        return Ok(());
                    }
                }
                "#" => {
                    out.push(self.counter()?);
                    return Ok(());
                }
                _ => {
                    out.push(self.variable()?);
                    return Ok(());
                }
            }
            self.next();
        }
    }

    fn integer(&mut self) -> Result<Int, Reason> {
        let minus = self.take("-");
        let value: Result<num_bigint::BigInt, _> = self.peek().parse();
        let value = value.map_err(|_| self.error("an integer is needed here"))?;
        self.next();
        Ok(Int(if minus { -value } else { value }))
    }

    /// Reads closing brackets and at most one binary operator or opening bracket; false at the
    /// expression's end.
    fn after_operand(
        &mut self,
        out: &mut Vec<Op>,
        waiting: &mut Vec<Waiting>,
    ) -> Result<bool, Reason> {
        loop {
            let text = self.peek();
            if let Some((op, level)) = binary(text) {
                unwind(out, waiting, level);
                if level == 3 && matches!(waiting.last(), Some(Waiting::Operator(Op::Cmp(_), _))) {
                    return Err(self.error("comparisons do not chain"));
                }
                waiting.push(Waiting::Operator(op, level));
                self.next();
                return Ok(true);
            }
            match text {
                "[" => {
                    self.next();
                    waiting.push(Waiting::Index);
                    return Ok(true);
                }
                ":=" | ")" | "]" => {
                    unwind(out, waiting, 0);
                    match (text, waiting.pop()) {
                        (":=", Some(Waiting::Index)) => {
                            self.next();
                            waiting.push(Waiting::Write);
                            return Ok(true);
                        }
                        (")", Some(Waiting::Paren)) => {}
                        ("]", Some(Waiting::Index)) => out.push(Op::Select),
                        ("]", Some(Waiting::Write)) => out.push(Op::Store),
                        _ => return Err(self.error("this closes nothing")),
                    }
                    self.next();
                }
                _ => return Ok(false),
            }
        }
    }
}

/// Moves operators that bind at least as strongly as `level` to the output (comparisons stay at
/// their own level: they do not chain). True if nothing is left waiting.
fn unwind(out: &mut Vec<Op>, waiting: &mut Vec<Waiting>, level: u8) -> bool {
    while let Some(Waiting::Operator(_, have)) = waiting.last()
        && (*have > level || (*have == level && level != 3))
    {
        if let Some(Waiting::Operator(op, _)) = waiting.pop() {
            out.push(op);
        }
    }
    waiting.is_empty()
}

fn binary(text: &str) -> Option<(Op, u8)> {
    Some(match text {
        "||" => (Op::Or, 1),
        "&&" => (Op::And, 2),
        "==" => (Op::Cmp(Cmp::Eq), 3),
        "!=" => (Op::Cmp(Cmp::Ne), 3),
        "<" => (Op::Cmp(Cmp::Lt), 3),
        "<=" => (Op::Cmp(Cmp::Le), 3),
        ">" => (Op::Cmp(Cmp::Gt), 3),
        ">=" => (Op::Cmp(Cmp::Ge), 3),
        "+" => (Op::Add, 4),
        "-" => (Op::Sub, 4),
        _ => return None,
    })
}
