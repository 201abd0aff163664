//! From the text to the syntax tree. A text that the front end takes is expected: anything else is
//! a panic.

use super::abstraction::{self, Part};
use super::ast::{
    Abstraction, Binary, Body, Count, Decl, Edge, Expr, Finite, Node, Place, Procedure, Relation,
    Stmt, Thread, Type, Unit,
};

/// Signs of two characters.
const LONG: [&str; 8] = ["||", "&&", "==", "!=", "<=", ">=", "->", ".."];

/// The tokens that are left, the next one last.
struct Parser {
    tokens: Vec<String>,
}

/// Parses a program.
pub fn unit(text: &str) -> Unit {
    let mut tokens = tokens(text);
    tokens.reverse();
    let mut parser = Parser { tokens };
    let mut unit = Unit::default();
    while !parser.tokens.is_empty() {
        parser.item(&mut unit);
    }
    unit
}

/// Words, numbers and signs, without comments.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let length = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            rest = rest[end..].trim_start();
            continue;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let end = comment.find("*/").expect("a comment ends");
            rest = comment[end + 2..].trim_start();
            continue;
        } else if rest.starts_with(word) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if LONG.iter().any(|sign| rest.starts_with(sign)) {
            2
        } else {
            1
        };
        out.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    out
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.last().map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.tokens.pop().expect("a token")
    }

    /// Takes a token if it comes next.
    fn take(&mut self, token: &str) -> bool {
        let here = self.peek() == token;
        if here {
            self.tokens.pop();
        }
        here
    }

    fn expect(&mut self, token: &str) {
        let found = self.next();
        assert_eq!(found, token, "before {:?}", self.tokens.iter().rev().take(5));
    }

    /// Items up to a closing token, which is taken.
    fn until<T>(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let mut out = Vec::new();
        while !self.take(end) {
            out.push(item(self));
        }
        out
    }

    /// Items between commas, in parentheses.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        self.expect("(");
        self.until(")", |p| {
            let made = item(p);
            p.take(",");
            made
        })
    }

    fn item(&mut self, unit: &mut Unit) {
        match self.next().as_str() {
            "global" => unit.globals.extend(self.declarations()),
            "init" => unit.inits.push(self.closed()),
            "invariant" | "hint" => self.skip_clause(),
            "thread" => unit.threads.push(self.thread()),
            "abstract" => unit.abstractions.push(self.abstraction()),
            "specification" => unit.abstractions.push(self.specification()),
            "void" => unit.procedures.push(self.procedure(None)),
            "int" => unit.procedures.push(self.procedure(Some(Type::Int))),
            "bool" => unit.procedures.push(self.procedure(Some(Type::Bool))),
            other => panic!("{other} outside of threads"),
        }
    }

    /// What is said to help the prover has no meaning.
    fn skip_clause(&mut self) {
        while self.next() != ";" {}
    }

    /// `(e);`
    fn closed(&mut self) -> Expr {
        let e = self.parenthesised();
        self.expect(";");
        e
    }

    fn parenthesised(&mut self) -> Expr {
        self.expect("(");
        let e = self.expression();
        self.expect(")");
        e
    }

    fn kind(&mut self) -> Type {
        match self.next().as_str() {
            "int" => Type::Int,
            "bool" => Type::Bool,
            "lock" => Type::Lock,
            other => panic!("{other} is no type"),
        }
    }

    fn declarations(&mut self) -> Vec<Decl> {
        let kind = self.kind();
        self.until(";", |p| {
            let decl = p.declared(kind);
            p.take(",");
            decl
        })
    }

    fn declared(&mut self, kind: Type) -> Decl {
        let name = self.next();
        let array = self.take("[");
        if array {
            self.expect("]");
        }
        let init = self.take("=").then(|| self.expression());
        Decl { kind, array, name, init }
    }

    fn thread(&mut self) -> Thread {
        let name = self.next();
        let mut count = Count::Single;
        if self.take("[") {
            let number = self.next();
            count = if number == "*" {
                Count::Any
            } else {
                Count::Exactly(number.parse().expect("a number"))
            };
            self.expect("]");
        }
        let abstracts = self.take("abstracts").then(|| self.next());
        Thread { name, count, abstracts, body: self.body() }
    }

    fn procedure(&mut self, result: Option<Type>) -> Procedure {
        let name = self.next();
        let params = self.list(|p| {
            let kind = (!p.take("void")).then(|| p.kind());
            kind.map(|kind| p.declared(kind))
        });
        let params = params.into_iter().flatten().collect();
        Procedure { result, name, params, body: self.body() }
    }

    fn body(&mut self) -> Body {
        self.expect("{");
        let mut locals = Vec::new();
        while self.take("local") {
            locals.extend(self.declarations());
        }
        while ["invariant", "hint"].contains(&self.peek()) {
            self.skip_clause();
        }
        Body { locals, code: self.until("}", Self::statement) }
    }

    fn block(&mut self) -> Vec<Stmt> {
        self.expect("{");
        self.until("}", Self::statement)
    }

    fn statement(&mut self) -> Stmt {
        let word = self.next();
        let simple = match word.as_str() {
            ";" => return Stmt::Empty,
            "{" => return Stmt::Block(self.until("}", Self::statement)),
            "atomic" => return Stmt::Atomic(self.block()),
            "if" => return self.branch(),
            "while" => return self.repeat(),
            "assume" => Stmt::Assume(self.parenthesised()),
            "assert" => Stmt::Assert(self.parenthesised()),
            "havoc" => Stmt::Havoc(self.place()),
            "lock" => Stmt::Lock(self.list(Self::next).remove(0)),
            "unlock" => Stmt::Unlock(self.list(Self::next).remove(0)),
            "goto" => Stmt::Goto(self.next()),
            "break" => Stmt::Break,
            "continue" => Stmt::Continue,
            "return" => Stmt::Return((self.peek() != ";").then(|| self.expression())),
            _ if self.take(":") => {
                let s = if self.peek() == "}" { Stmt::Empty } else { self.statement() };
                return Stmt::Label(word, Box::new(s));
            }
            _ if self.peek() == "(" => Stmt::Call(word, self.list(Self::expression)),
            _ => {
                self.tokens.push(word);
                let place = self.place();
                self.expect("=");
                Stmt::Assign(place, self.expression())
            }
        };
        self.expect(";");
        simple
    }

    fn branch(&mut self) -> Stmt {
        let condition = self.parenthesised();
        let then = Box::new(self.statement());
        let other = self.take("else").then(|| Box::new(self.statement()));
        Stmt::If(condition, then, other)
    }

    fn repeat(&mut self) -> Stmt {
        let condition = self.parenthesised();
        while self.take("invariant") {
            self.parenthesised();
        }
        Stmt::While(condition, Box::new(self.statement()))
    }

    fn expression(&mut self) -> Expr {
        self.binary(0)
    }

    /// Operands joined by signs that bind at least as strongly as this.
    fn binary(&mut self, least: usize) -> Expr {
        let mut left = self.unary();
        loop {
            let here = Binary::ALL.into_iter().find(|b| b.sign().0 == self.peek());
            match here {
                Some(operator) if operator.sign().1 >= least => {
                    self.next();
                    let right = self.binary(operator.sign().1 + 1);
                    left = Expr::two(operator, left, right);
                }
                _ => return left,
            }
        }
    }

    fn unary(&mut self) -> Expr {
        if self.take("!") {
            return Expr::Not(Box::new(self.unary()));
        }
        if self.take("-") {
            return Expr::Neg(Box::new(self.unary()));
        }
        self.primary()
    }

    fn primary(&mut self) -> Expr {
        let word = self.next();
        match word.as_str() {
            "(" => {
                let e = self.expression();
                self.expect(")");
                e
            }
            "*" => Expr::Any,
            "true" => Expr::Bool(true),
            "false" => Expr::Bool(false),
            "cas" => self.compare_and_swap(),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => {
                Expr::Int(word.parse().expect("a small number"))
            }
            _ if self.peek() == "(" => Expr::Call(word, self.list(Self::expression)),
            _ => {
                self.tokens.push(word);
                Expr::Place(self.place())
            }
        }
    }

    fn compare_and_swap(&mut self) -> Expr {
        match self.list(Self::expression).as_slice() {
            [Expr::Place(place), old, new] => {
                Expr::Cas(place.clone(), Box::new(old.clone()), Box::new(new.clone()))
            }
            other => panic!("cas of {other:?}"),
        }
    }

    fn place(&mut self) -> Place {
        let mut name = self.next();
        if self.take("'") {
            name.push('\'');
        }
        let index = self.take("[").then(|| {
            let index = self.expression();
            self.expect("]");
            Box::new(index)
        });
        Place { name, index }
    }

    fn abstraction(&mut self) -> Abstraction {
        let name = self.next();
        let abstracts = self.take("abstracts").then(|| self.next());
        let mut out = Abstraction { name, abstracts, ..Abstraction::default() };
        self.expect("{");
        while !self.take("}") {
            let initial = self.take("initial");
            match self.next().as_str() {
                "local" => {
                    let locals = self.finite();
                    out.locals.extend(locals);
                }
                "common" => {
                    self.expect("assertion");
                    out.common.push(self.closed());
                }
                "node" => {
                    let name = self.next();
                    let assertion = (self.peek() == "(").then(|| self.parenthesised());
                    self.expect(";");
                    out.nodes.push(Node { name, initial, assertion });
                }
                "edge" => {
                    let source = self.next();
                    self.expect("->");
                    let target = self.next();
                    out.edges.push(Edge { source, target, relation: self.relation() });
                }
                other => panic!("{other} in an abstract thread"),
            }
        }
        out
    }

    fn finite(&mut self) -> Vec<Finite> {
        let kind = self.kind();
        self.until(";", |p| {
            let name = p.next();
            let range = p.take("in").then(|| {
                let least = p.bound();
                p.expect("..");
                (least, p.bound())
            });
            let init = p.take("=").then(|| p.expression());
            p.take(",");
            Finite { decl: Decl { kind, array: false, name, init }, range }
        })
    }

    fn bound(&mut self) -> i64 {
        let negative = self.take("-");
        let number: i64 = self.next().parse().expect("a small number");
        if negative { -number } else { number }
    }

    fn relation(&mut self) -> Relation {
        let formula = (self.peek() == "(").then(|| self.parenthesised());
        let unchanged = self.take("unchanged").then(|| {
            let except = self.take("except");
            if except { self.list(Self::next) } else { Vec::new() }
        });
        self.expect(";");
        Relation { formula, unchanged }
    }

    fn specification(&mut self) -> Abstraction {
        let name = self.next();
        let abstracts = self.take("abstracts").then(|| self.next());
        self.expect("{");
        let parts = self.until("}", |p| match p.next().as_str() {
            "pre" => Part::Pre(p.closed()),
            "invariant" => Part::Invariant(p.closed()),
            "environment" => Part::Environment(p.closed()),
            "post" => Part::Post(p.closed()),
            "step" => Part::Step(p.relation()),
            other => panic!("{other} in a specification"),
        });
        abstraction::specification(name, abstracts, parts)
    }
}
