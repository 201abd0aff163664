//! The checker's own parser of the core form: the statement that a certificate is about
//! (SPEC.md section 4.1). No recursion; everything that it does not know is an error.

mod expression;
mod layout;
mod lexer;

use crate::error::{Reason, number};
use crate::sorts::require;
use lexer::Token;
use std::collections::{HashMap, HashSet};
use threadproof_format::program::{Edge, Location, Multiplicity, Program, Template, Variable};
use threadproof_format::{Digest, Expr, Op, Sort};

/// The words that are no names.
pub const KEYWORDS: [&str; 16] = [
    "core",
    "assumption",
    "global",
    "init",
    "many",
    "one",
    "local",
    "location",
    "error",
    "edge",
    "input",
    "when",
    "true",
    "false",
    "int",
    "bool",
];

/// Parses a program in the core form; also gives its digest.
///
/// # Errors
/// `Syntax`, `Sort` or `Limit`.
pub fn parse(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(Program, Digest), Reason> {
    let text = lexer::text(text.as_ref())?;
    let tokens = lexer::tokens(text)?;
    let digest = lexer::digest(&tokens);
    let counters = counters(&tokens)?;
    let (scope, sorts) = (HashMap::new(), HashMap::new());
    let mut parser = Parser { text, tokens, at: 0, scope, sorts, counters, command: false };
    Ok((parser.program()?, digest))
}

/// The text that a program's digest is over: its tokens, each followed by a line feed.
///
/// # Errors
/// `Syntax` or `Limit`.
pub fn statement(text: &str) -> Result<String, Reason> {
    Ok(lexer::statement(&lexer::tokens(lexer::text(text.as_bytes())?)?))
}

/// The tokens of a text, with a line for each declaration and for each part of a command.
///
/// # Errors
/// `Syntax` or `Limit`.
pub fn laid_out(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<String, Reason> {
    Ok(layout::layout(&lexer::tokens(lexer::text(text.as_ref())?)?))
}

/// A parser and the names that are in scope, with what they stand for.
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    scope: HashMap<&'a str, Op>,
    /// Sorts of what is, or once was, in scope.
    sorts: HashMap<Op, Sort>,
    /// The counters, by template and location: edges can name those of later templates.
    counters: HashMap<(&'a str, &'a str), Op>,
    /// Whether a command is being read.
    command: bool,
}

/// The counters that a program's text declares (section 4.4): its locations, but for error locations and
/// the initial ones of many threads. These words are nowhere else, so their order is all that is needed.
fn counters<'a>(tokens: &[Token<'a>]) -> Result<HashMap<(&'a str, &'a str), Op>, Reason> {
    let mut counters = HashMap::new();
    let text = |at: usize| tokens.get(at).map_or("", |t| t.text);
    let (mut templates, mut locations) = (0_u32, 0_u32);
    let (mut template, mut many) = ("", false);
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            word @ ("many" | "one") => {
                (template, many) = (text(at + 1), word == "many");
                (templates, locations) = (number_after(templates)?, 0);
            }
            "location" => {
                if text(at + 2) != "error" && !(many && locations == 0) {
                    let counter = Op::Count(templates.saturating_sub(1), locations);
                    counters.insert((template, text(at + 1)), counter);
                }
                locations = number_after(locations)?;
            }
            _ => {}
        }
    }
    Ok(counters)
}

fn number_after(number: u32) -> Result<u32, Reason> {
    number.checked_add(1).ok_or(Reason::Limit("tokens of a program"))
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |t| t.text)
    }

    fn next(&mut self) -> &'a str {
        let text = self.peek();
        self.at += 1;
        text
    }

    fn error(&self, what: impl Into<String>) -> Reason {
        let at = self.tokens.get(self.at).map_or(self.text.len(), |t| t.start);
        lexer::syntax(self.text, at, what)
    }

    /// Takes the token if it is this one.
    fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Reason> {
        if self.take(text) { Ok(()) } else { Err(self.error(format!("`{text}` is needed here"))) }
    }

    fn name(&mut self) -> Result<&'a str, Reason> {
        let text = self.peek();
        let first = text.bytes().next().unwrap_or(0);
        if !(first.is_ascii_alphabetic() || first == b'_') || KEYWORDS.contains(&text) {
            return Err(self.error("a name is needed here"));
        }
        self.at += 1;
        Ok(text)
    }

    /// `# template . location`, a counter; only the commands of edges name them.
    fn counter(&mut self) -> Result<Op, Reason> {
        self.expect("#")?;
        let template = self.name()?;
        self.expect(".")?;
        let counter = self.counters.get(&(template, self.peek())).cloned();
        let counter = counter.filter(|_| self.command);
        let counter = counter.ok_or_else(|| self.error("no threads are counted here"))?;
        self.at += 1;
        self.sorts.insert(counter.clone(), Sort::Int);
        Ok(counter)
    }

    /// A variable or input that is in scope.
    fn variable(&mut self) -> Result<Op, Reason> {
        let known = self.scope.get(self.peek()).cloned();
        let known = known.ok_or_else(|| self.error("an expression is needed here"))?;
        self.at += 1;
        Ok(known)
    }

    /// `name : sort ;` and puts the name into scope.
    fn declare(&mut self, op: Op) -> Result<Variable, Reason> {
        if self.scope.contains_key(self.peek()) {
            return Err(self.error("this name is taken"));
        }
        let name = self.name()?;
        self.expect(":")?;
        let (int, bool) = (self.take("int"), self.take("bool"));
        let array = self.take("[");
        if array {
            self.expect("]")?;
        }
        let sort = match (int, bool, array) {
            (true, false, false) => Sort::Int,
            (true, false, true) => Sort::IntArray,
            (false, true, false) => Sort::Bool,
            (false, true, true) => Sort::BoolArray,
            _ => return Err(self.error("a sort is needed here")),
        };
        self.expect(";")?;
        self.scope.insert(name, op.clone());
        self.sorts.insert(op, sort);
        Ok(Variable { name: name.to_owned(), sort, owner: None })
    }

    /// An expression of a sort.
    fn sorted(&mut self, sort: Sort) -> Result<Expr, Reason> {
        let begin = self.at;
        let expr = self.expression()?;
        let leaf = |op: &Op| self.sorts.get(op).copied().ok_or(Reason::Index("variable"));
        match require(&expr, sort, &leaf) {
            Err(Reason::Sort(what)) => {
                self.at = begin;
                Err(self.error(format!("not well sorted: {what}")))
            }
            other => other.map(|()| expr),
        }
    }

    /// `[keyword formula ;]`, by default true.
    fn optional_formula(&mut self, keyword: &str) -> Result<Expr, Reason> {
        if !self.take(keyword) {
            return Ok(Expr::bool(true));
        }
        let formula = self.sorted(Sort::Bool)?;
        self.expect(";")?;
        Ok(formula)
    }

    fn program(&mut self) -> Result<Program, Reason> {
        self.expect("core")?;
        self.expect("1")?;
        self.expect(";")?;
        let mut assumptions = Vec::new();
        while self.take("assumption") {
            let text = self.peek().strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            let text = text.ok_or_else(|| self.error("a string is needed here"))?;
            assumptions.push(text.to_owned());
            self.at += 1;
            self.expect(";")?;
        }
        let mut globals = Vec::new();
        while self.take("global") {
            globals.push(self.declare(Op::Global(number(globals.len())?))?);
        }
        let init = self.optional_formula("init")?;
        let (mut templates, mut names) = (Vec::new(), HashSet::new());
        while !self.peek().is_empty() {
            let template = self.template(number(templates.len())?, &mut globals)?;
            if !names.insert(template.name.clone()) {
                return Err(self.error("two templates of one name"));
            }
            templates.push(template);
        }
        Ok(Program { assumptions, globals, init, templates })
    }

    fn template(&mut self, number_: u32, globals: &mut Vec<Variable>) -> Result<Template, Reason> {
        let multiplicity = match self.next() {
            "many" => Multiplicity::Many,
            "one" => Multiplicity::One,
            _ => {
                self.at -= 1;
                return Err(self.error("`many` or `one` is needed here"));
            }
        };
        let name = self.name()?.to_owned();
        self.expect("{")?;
        let (mut locals, mut names) = (Vec::new(), Vec::new());
        while self.take("local") {
            names.push(self.peek());
            if multiplicity == Multiplicity::One {
                let mut variable = self.declare(Op::Global(number(globals.len())?))?;
                variable.owner = Some(number_);
                globals.push(variable);
            } else {
                locals.push(self.declare(Op::Local(0, number(locals.len())?))?);
            }
        }
        let init = self.optional_formula("init")?;
        let mut places = HashMap::new();
        let mut locations = Vec::new();
        while self.take("location") {
            if places.contains_key(self.peek()) {
                return Err(self.error("this name is taken"));
            }
            let name = self.name()?;
            places.insert(name, number(locations.len())?);
            locations.push(Location { name: name.to_owned(), error: self.take("error") });
            self.expect(";")?;
        }
        if locations.first().is_none_or(|initial: &Location| initial.error) {
            return Err(self.error("a template needs an initial location, which is no error"));
        }
        let mut edges = Vec::new();
        while self.take("edge") {
            edges.push(self.edge(&places)?);
        }
        self.expect("}")?;
        for name in names {
            self.scope.remove(name);
        }
        Ok(Template { name, multiplicity, locals, init, locations, edges })
    }

    fn place(&mut self, places: &HashMap<&str, u32>) -> Result<u32, Reason> {
        let place = places.get(self.peek()).copied();
        let place = place.ok_or_else(|| self.error("a location is needed here"))?;
        self.at += 1;
        Ok(place)
    }

    fn edge(&mut self, places: &HashMap<&str, u32>) -> Result<Edge, Reason> {
        let source = self.place(places)?;
        self.expect("->")?;
        let target = self.place(places)?;
        self.expect("{")?;
        self.command = true;
        let mut inputs = Vec::new();
        while self.take("input") {
            inputs.push(self.declare(Op::Input(number(inputs.len())?))?);
        }
        let guard = self.optional_formula("when")?;
        let (mut updates, mut updated) = (Vec::new(), HashSet::new());
        if self.peek() != "}" {
            loop {
                let variable = self.variable()?;
                if matches!(variable, Op::Input(_)) || !updated.insert(variable.clone()) {
                    return Err(self.error("an input, or a variable that is updated already"));
                }
                self.expect(":=")?;
                let sort = self.sorts.get(&variable).copied().ok_or(Reason::Index("variable"))?;
                updates.push((variable, self.sorted(sort)?));
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        self.command = false;
        for input in &inputs {
            self.scope.remove(input.name.as_str());
        }
        Ok(Edge { source, target, inputs, guard, updates })
    }
}
