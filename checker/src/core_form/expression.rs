//! Expressions of the core form: operator precedence with an explicit stack (SPEC.md 4.1).

use super::Parser;
use crate::error::Reason;
use threadproof_format::work::{List as _, Seq, Spent};
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
        let (mut out, mut waiting) = (Seq::new(), Seq::new());
        loop {
            self.operand(&mut out, &mut waiting)?;
            if !self.after_operand(&mut out, &mut waiting)? {
                break;
            }
        }
        if !self.unwind(&mut out, &mut waiting, 0)? {
            return Err(self.error("an open parenthesis or bracket"));
        }
        if out.len() > threadproof_format::limits::MAX_OPS {
            return Err(Reason::Limit("operators of a formula"));
        }
        Ok(Expr(out))
    }

    /// Reads prefix operators and opening parentheses, then one literal, variable or input.
    fn operand(&mut self, out: &mut Seq<Op>, waiting: &mut Seq<Waiting>) -> Result<(), Reason> {
        loop {
            match self.peek() {
                "(" => waiting.add(Waiting::Paren, self.budget)?,
                "!" => waiting.add(Waiting::Operator(Op::Not, 5), self.budget)?,
                "true" | "false" => {
                    out.add(Op::Bool(self.next() == "true"), self.budget)?;
                    return Ok(());
                }
                text if text == "-" || text.starts_with(|c: char| c.is_ascii_digit()) => {
                    let value = self.integer()?;
                    if self.peek() == "*" {
                        waiting.add(Waiting::Operator(Op::Scale(value), 5), self.budget)?;
                    } else {
                        out.add(Op::Int(value), self.budget)?;
                        return Ok(());
                    }
                }
                "#" => {
                    out.add(self.counter()?, self.budget)?;
                    return Ok(());
                }
                _ => {
                    out.add(self.variable()?, self.budget)?;
                    return Ok(());
                }
            }
            self.next();
        }
    }

    fn integer(&mut self) -> Result<Int, Reason> {
        let minus = self.take("-");
        let value = Int::read(self.peek(), self.budget)?;
        let value = value.ok_or_else(|| self.error("an integer is needed here"))?;
        self.next();
        if minus { Ok(value.opposite(self.budget)?) } else { Ok(value) }
    }

    /// Reads closing brackets and at most one binary operator or opening bracket; false at the
    /// expression's end.
    fn after_operand(
        &mut self,
        out: &mut Seq<Op>,
        waiting: &mut Seq<Waiting>,
    ) -> Result<bool, Reason> {
        loop {
            let text = self.peek();
            if let Some((op, level)) = binary(text) {
                self.unwind(out, waiting, level)?;
                if level == 3 && matches!(waiting.last(), Some(Waiting::Operator(Op::Cmp(_), _))) {
                    return Err(self.error("comparisons do not chain"));
                }
                waiting.add(Waiting::Operator(op, level), self.budget)?;
                self.next();
                return Ok(true);
            }
            match text {
                "/" | "%" => {
                    self.unwind(out, waiting, 5)?;
                    self.next();
                    let divisor = self.integer()?;
                    let op = if text == "/" { Op::Div(divisor) } else { Op::Mod(divisor) };
                    out.add(op, self.budget)?;
                }
                "[" => {
                    self.next();
                    waiting.add(Waiting::Index, self.budget)?;
                    return Ok(true);
                }
                ":=" | ")" | "]" => {
                    self.unwind(out, waiting, 0)?;
                    match (text, waiting.pop()) {
                        (":=", Some(Waiting::Index)) => {
                            self.next();
                            waiting.add(Waiting::Write, self.budget)?;
                            return Ok(true);
                        }
                        (")", Some(Waiting::Paren)) => {}
                        ("]", Some(Waiting::Index)) => out.add(Op::Select, self.budget)?,
                        ("]", Some(Waiting::Write)) => out.add(Op::Store, self.budget)?,
                        _ => return Err(self.error("this closes nothing")),
                    }
                    self.next();
                }
                _ => return Ok(false),
            }
        }
    }

    /// Moves operators that bind at least as strongly as `level` to the output (comparisons stay at
    /// their own level: they do not chain). True if nothing is left waiting.
    fn unwind(
        &self,
        out: &mut Seq<Op>,
        waiting: &mut Seq<Waiting>,
        level: u8,
    ) -> Result<bool, Spent> {
        while let Some(Waiting::Operator(_, have)) = waiting.last()
            && (*have > level || (*have == level && level != 3))
        {
            if let Some(Waiting::Operator(op, _)) = waiting.pop() {
                out.add(op, self.budget)?;
            }
        }
        Ok(waiting.is_empty())
    }
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
