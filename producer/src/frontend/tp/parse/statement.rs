//! Statements, and going on after an error in one of them.

use super::super::ast::{Expr, ExprKind, Name, Stmt, StmtKind};
use crate::text::token::{
    Parsed, Parser, Syntax, fail, fail_hint, found, keyword, symbol, token, word,
};
use nom::Err;

/// Errors after which the parser gives up.
const MAX_ERRORS: usize = 30;

impl<'a> Parser<'a> {
    /// One statement.
    pub(super) fn statement(&self, i: &'a str) -> Parsed<'a, Stmt> {
        let (rest, kind) = self.nested(i, |i| self.kind(i))?;
        let span = self.span(i, rest);
        Ok((rest, Stmt { kind, span }))
    }

    fn kind(&self, i: &'a str) -> Parsed<'a, StmtKind> {
        if let Ok((rest, ())) = symbol(i, ";") {
            return Ok((rest, StmtKind::Empty));
        }
        if i.starts_with('{') {
            let (rest, block) = self.block(i)?;
            return Ok((rest, StmtKind::Block(block)));
        }
        let Ok((rest, word)) = word(i) else {
            return fail(i, format!("expected a statement, found {}", found(i)));
        };
        match word {
            "if" => self.branch(rest),
            "while" => {
                let (mut rest, condition) = self.parenthesised(rest)?;
                let mut invariants = Vec::new();
                while let Some(formula) = keyword(rest, "invariant") {
                    let (after, formula) = self.parenthesised(formula)?;
                    invariants.push(formula);
                    rest = after;
                }
                let (rest, body) = self.statement(rest)?;
                Ok((rest, StmtKind::While(condition, invariants, Box::new(body))))
            }
            "atomic" => {
                let (rest, block) = self.block(rest)?;
                Ok((rest, StmtKind::Atomic(block)))
            }
            "goto" => {
                let (rest, label) = self.name(rest, "a label")?;
                self.closed(rest, StmtKind::Goto(label))
            }
            "break" => self.closed(rest, StmtKind::Break),
            "continue" => self.closed(rest, StmtKind::Continue),
            "return" => self.returned(rest),
            "assume" => self.checked(rest, StmtKind::Assume),
            "assert" => self.checked(rest, StmtKind::Assert),
            "havoc" => {
                let (rest, place) = self.place(rest)?;
                self.closed(rest, StmtKind::Havoc(place))
            }
            "lock" => self.locking(rest, StmtKind::Lock),
            "unlock" => self.locking(rest, StmtKind::Unlock),
            _ => self.foreign(i, word).unwrap_or_else(|| self.plain(i)),
        }
    }

    /// Statements that C has and this language has not, or not here.
    fn foreign(&self, i: &'a str, word: &str) -> Option<Parsed<'a, StmtKind>> {
        let (message, hint) = match word {
            "for" | "do" => ("`for` and `do` are not supported", "write a `while` loop"),
            "switch" => ("`switch` is not supported", "write `if` and `else`"),
            "else" => {
                ("`else` without an `if` before it", "an `if` without braces holds one statement")
            }
            "local" => (
                "a local is declared after the first statement",
                "declare locals at the start of the thread or procedure, before its first statement",
            ),
            "invariant" | "hint" => (
                "an `invariant` or `hint` after the first statement",
                "write it at the start of the thread, after its locals, or outside of threads",
            ),
            "int" | "bool" => (
                "a declaration after the first statement",
                "declare it with `local` at the start of the thread or procedure",
            ),
            "global" => ("a global is declared inside a thread", "declare globals outside"),
            _ => return None,
        };
        Some(fail_hint(i, message, hint))
    }

    fn branch(&self, i: &'a str) -> Parsed<'a, StmtKind> {
        let (rest, condition) = self.parenthesised(i)?;
        let (rest, then) = self.statement(rest)?;
        let (rest, other) = match keyword(rest, "else") {
            Some(rest) => {
                let (rest, other) = self.statement(rest)?;
                (rest, Some(Box::new(other)))
            }
            None => (rest, None),
        };
        Ok((rest, StmtKind::If(condition, Box::new(then), other)))
    }

    fn returned(&self, i: &'a str) -> Parsed<'a, StmtKind> {
        if let Ok((rest, ())) = symbol(i, ";") {
            return Ok((rest, StmtKind::Return(None)));
        }
        let (rest, e) = self.expression(i)?;
        self.closed(rest, StmtKind::Return(Some(e)))
    }

    fn checked(&self, i: &'a str, make: fn(Expr) -> StmtKind) -> Parsed<'a, StmtKind> {
        let (rest, condition) = self.parenthesised(i)?;
        self.closed(rest, make(condition))
    }

    fn locking(&self, i: &'a str, make: fn(Name) -> StmtKind) -> Parsed<'a, StmtKind> {
        let (rest, ()) = self.expect(i, "(")?;
        let (rest, name) = self.name(rest, "the name of a lock")?;
        let (rest, ()) = self.expect(rest, ")")?;
        self.closed(rest, make(name))
    }

    fn closed(&self, i: &'a str, kind: StmtKind) -> Parsed<'a, StmtKind> {
        let (rest, ()) = self.expect(i, ";")?;
        Ok((rest, kind))
    }

    /// A label, a call or an assignment.
    fn plain(&self, i: &'a str) -> Parsed<'a, StmtKind> {
        let (rest, name) = self.name(i, "a statement")?;
        if let Ok((rest, ())) = symbol(rest, ":") {
            return self.labelled(name, rest);
        }
        let (rest, place) = self.variable(i)?;
        if matches!(place.kind, ExprKind::Call(..)) {
            return self.closed(rest, StmtKind::Call(place));
        }
        if symbol(rest, "=").is_err() {
            let hint = match token(rest) {
                "++" | "--" | "+=" | "-=" => {
                    "write `x = x + 1;`: one assignment is one atomic step"
                }
                "==" => "`=` assigns, `==` compares",
                _ => return fail(rest, format!("expected `=`, found {}", found(rest))),
            };
            return fail_hint(rest, format!("expected `=`, found {}", found(rest)), hint);
        }
        let (rest, ()) = self.expect(rest, "=")?;
        let (rest, value) = self.expression(rest)?;
        self.closed(rest, StmtKind::Assign(place, value))
    }

    /// The statement that a label stands at; at the end of a block there need be none.
    fn labelled(&self, name: Name, i: &'a str) -> Parsed<'a, StmtKind> {
        let (rest, at) = if i.starts_with('}') {
            let span = name.span.clone();
            let kind = StmtKind::Empty;
            (i, Stmt { kind, span })
        } else {
            self.statement(i)?
        };
        Ok((rest, StmtKind::Label(name, Box::new(at))))
    }

    /// Statements in braces.
    pub(super) fn block(&self, i: &'a str) -> Parsed<'a, Vec<Stmt>> {
        let (rest, ()) = self.expect(i, "{")?;
        self.rest_of_block(rest)
    }

    /// Statements up to the closing brace. After an error in a statement the next one is parsed.
    pub(super) fn rest_of_block(&self, mut i: &'a str) -> Parsed<'a, Vec<Stmt>> {
        let mut out = Vec::new();
        loop {
            if let Ok((rest, ())) = symbol(i, "}") {
                return Ok((rest, out));
            }
            if i.is_empty() {
                return fail(i, "expected `}`, found the end of the file");
            }
            match self.statement(i) {
                Ok((rest, statement)) => {
                    out.push(statement);
                    i = rest;
                }
                Err(error) => i = self.recover(error)?,
            }
        }
    }

    /// Reports an error and gives the text behind the statement that it is in.
    pub(super) fn recover(&self, error: Err<Syntax<'a>>) -> Result<&'a str, Err<Syntax<'a>>> {
        let (Err::Error(syntax) | Err::Failure(syntax)) = error else {
            return Err(error);
        };
        if syntax.rest.is_empty() || self.errors.borrow().len() >= MAX_ERRORS {
            return Err(Err::Failure(syntax));
        }
        self.report(&syntax);
        Ok(behind(syntax.rest))
    }
}

/// The text behind the next semicolon or closed block, or before the brace that closes this one.
fn behind(i: &str) -> &str {
    let (mut braces, mut parentheses) = (0usize, 0usize);
    for (at, c) in i.char_indices() {
        match c {
            '{' => braces += 1,
            '}' if braces == 0 => return &i[at..],
            '}' if braces == 1 => return i[at + 1..].trim_start(),
            '}' => braces -= 1,
            '(' => parentheses += 1,
            ')' => parentheses = parentheses.saturating_sub(1),
            ';' if braces == 0 && parentheses == 0 => return i[at + 1..].trim_start(),
            _ => {}
        }
    }
    ""
}
