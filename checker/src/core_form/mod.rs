//! The checker's own parser of the core form: the statement that a certificate is about
//! (SPEC.md section 4.1). No recursion; everything that it does not know is an error.

mod expression;
mod layout;
mod lexer;

use crate::budget::number;
use crate::error::{Budget, Reason};
use crate::sorts::require;
use lexer::Token;
use threadproof_format::program::{Edge, Location, Multiplicity, Program, Template, Variable};
use threadproof_format::work::{
    Group as _, List as _, Map, Metered as _, Name, Seq, Set, Table as _, Text as _, Walk,
};
use threadproof_format::{Digest, Expr, Op, Sort};

const KEYWORDS: &str =
    "core assumption global init many one local location error edge input when true false int bool";

/// The words that are no names.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.split(' ')
}

/// Parses a program in the core form; also gives its digest.
///
/// # Errors
/// `Syntax`, `Sort` or `Limit`.
pub fn parse(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<(Program, Digest), Reason> {
    parse_within(text, &Budget::default())
}

/// [`parse`] within a budget of work (section 11).
///
/// # Errors
/// As [`parse`].
pub fn parse_within(
    text: &(impl AsRef<[u8]> + ?Sized),
    budget: &Budget,
) -> Result<(Program, Digest), Reason> {
    let text = lexer::text(text.as_ref())?;
    let tokens = lexer::tokens(text, budget)?;
    let mut parser = Parser {
        text,
        token: Token { text: "", start: 0 },
        rest: tokens.walk(budget)?,
        scope: Map::new(),
        sorts: Map::new(),
        counters: counters(&tokens, budget)?,
        templates: Set::new(),
        command: false,
        budget,
    };
    parser.next();
    Ok((parser.program()?, lexer::digest(&tokens, budget)?))
}

/// The text that a program's digest is over: its tokens, each followed by a line feed.
///
/// # Errors
/// `Syntax` or `Limit`.
pub fn statement(text: &str) -> Result<String, Reason> {
    let budget = Budget::default();
    let tokens = lexer::tokens(lexer::text(text.as_bytes())?, &budget)?;
    Ok(lexer::statement(&tokens, &budget)?)
}

/// The tokens of a text, with a line for each declaration and for each part of a command.
///
/// # Errors
/// `Syntax` or `Limit`.
pub fn laid_out(text: &(impl AsRef<[u8]> + ?Sized)) -> Result<String, Reason> {
    let budget = Budget::default();
    let tokens = lexer::tokens(lexer::text(text.as_ref())?, &budget)?;
    Ok(layout::layout(&tokens, &budget)?)
}

/// A parser and the names that are in scope, with what they stand for.
struct Parser<'a> {
    text: &'a str,
    /// The next token, and those after it.
    token: Token<'a>,
    rest: Walk<'a, Token<'a>>,
    scope: Map<&'a str, Op>,
    /// Sorts of what is, or once was, in scope.
    sorts: Map<Op, Sort>,
    counters: Counters<'a>,
    /// Names of the templates that were read.
    templates: Set<&'a str>,
    /// Whether a command is being read.
    command: bool,
    budget: &'a Budget,
}

/// The counters that a program's text declares (section 4.4), since edges can name those of later
/// templates: the templates by name, and the counted locations by template and name.
type Counters<'a> = (Map<&'a str, u32>, Map<(u32, &'a str), Op>);

/// The locations are counted but for error locations and the initial ones of many threads. The
/// words are nowhere else, so their order is all that is needed.
fn counters<'a>(tokens: &Seq<Token<'a>>, budget: &Budget) -> Result<Counters<'a>, Reason> {
    let (mut named, mut counters) = (Map::new(), Map::new());
    let text = |at: usize| -> Result<&'a str, Reason> {
        Ok(tokens.at(at, budget)?.map_or("", |token| token.text))
    };
    let (mut templates, mut locations, mut many) = (0_u32, 0_u32, false);
    for (at, token) in tokens.walk(budget)?.enumerate() {
        match token.text {
            word @ ("many" | "one") => {
                named.put(text(at + 1)?, templates, budget)?;
                many = word == "many";
                (templates, locations) = (number_after(templates)?, 0);
            }
            "location" => {
                if text(at + 2)? != "error" && !(many && locations == 0) {
                    let template = templates.saturating_sub(1);
                    let counter = Op::Count(template, locations);
                    counters.put((template, text(at + 1)?), counter, budget)?;
                }
                locations = number_after(locations)?;
            }
            _ => {}
        }
    }
    Ok((named, counters))
}

fn number_after(number: u32) -> Result<u32, Reason> {
    number.checked_add(1).ok_or(Reason::Limit("tokens of a program"))
}

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.token.text
    }

    /// Takes a token. The last one, which has no text, is never followed by another.
    fn next(&mut self) -> &'a str {
        let text = self.peek();
        let end = Token { text: "", start: self.text.len() };
        self.token = self.rest.next().copied().unwrap_or(end);
        text
    }

    fn error(&self, what: impl Into<String>) -> Reason {
        lexer::syntax(self.text, self.token.start, what)
    }

    /// Takes the token if it is this one.
    fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<(), Reason> {
        if self.take(text) { Ok(()) } else { Err(self.error(format!("`{text}` is needed here"))) }
    }

    fn name(&mut self) -> Result<&'a str, Reason> {
        let text = self.peek();
        let first = text.bytes().next().unwrap_or(0);
        if !(first.is_ascii_alphabetic() || first == b'_') || keywords().any(|word| word == text) {
            return Err(self.error("a name is needed here"));
        }
        Ok(self.next())
    }

    /// `# template . location`, a counter; only the commands of edges name them.
    fn counter(&mut self) -> Result<Op, Reason> {
        self.expect("#")?;
        let template = self.name()?;
        self.expect(".")?;
        let (templates, counters) = &self.counters;
        let counter = match templates.look(&template, self.budget)? {
            Some(of) if self.command => counters.look(&(*of, self.peek()), self.budget)?,
            _ => None,
        };
        let counter = counter.ok_or_else(|| self.error("no threads are counted here"))?;
        let counter = counter.copy(self.budget)?;
        self.next();
        self.sorts.put(counter.copy(self.budget)?, Sort::Int, self.budget)?;
        Ok(counter)
    }

    /// A variable or input that is in scope.
    fn variable(&mut self) -> Result<Op, Reason> {
        let known = self.scope.look(&self.peek(), self.budget)?;
        let known = known.ok_or_else(|| self.error("an expression is needed here"))?;
        let known = known.copy(self.budget)?;
        self.next();
        Ok(known)
    }

    /// `name : sort ;` and puts the name into scope.
    fn declare(&mut self, op: Op) -> Result<Variable, Reason> {
        if self.scope.look(&self.peek(), self.budget)?.is_some() {
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
        self.scope.put(name, op.copy(self.budget)?, self.budget)?;
        self.sorts.put(op, sort, self.budget)?;
        Ok(Variable { name: Name::of(name, self.budget)?, sort, owner: None })
    }

    /// An expression of a sort.
    fn sorted(&mut self, sort: Sort) -> Result<Expr, Reason> {
        let begin = self.token;
        let expr = self.expression()?;
        let leaf =
            |op: &Op| self.sorts.look(op, self.budget)?.copied().ok_or(Reason::Index("variable"));
        match require(&expr, sort, &leaf, self.budget) {
            Err(Reason::Sort(what)) => {
                self.token = begin;
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
        let mut assumptions = Seq::new();
        while self.take("assumption") {
            let text = self.peek().strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            let text = text.ok_or_else(|| self.error("a string is needed here"))?;
            assumptions.add(Name::of(text, self.budget)?, self.budget)?;
            self.next();
            self.expect(";")?;
        }
        let mut globals = Seq::new();
        while self.take("global") {
            let global = self.declare(Op::Global(number(globals.len())?))?;
            globals.add(global, self.budget)?;
        }
        let init = self.optional_formula("init")?;
        let mut templates = Seq::new();
        while !self.peek().is_empty() {
            let template = self.template(number(templates.len())?, &mut globals)?;
            templates.add(template, self.budget)?;
        }
        Ok(Program { assumptions, globals, init, templates })
    }

    fn template(&mut self, own: u32, globals: &mut Seq<Variable>) -> Result<Template, Reason> {
        let budget = self.budget;
        let multiplicity = match self.peek() {
            "many" => Multiplicity::Many,
            "one" => Multiplicity::One,
            _ => return Err(self.error("`many` or `one` is needed here")),
        };
        self.next();
        let name = self.name()?;
        self.expect("{")?;
        let (mut locals, mut names) = (Seq::new(), Seq::new());
        while self.take("local") {
            names.add(self.peek(), budget)?;
            if multiplicity == Multiplicity::One {
                let mut variable = self.declare(Op::Global(number(globals.len())?))?;
                variable.owner = Some(own);
                globals.add(variable, budget)?;
            } else {
                locals.add(self.declare(Op::Local(0, number(locals.len())?))?, budget)?;
            }
        }
        let init = self.optional_formula("init")?;
        let (locations, places) = self.locations()?;
        let mut edges = Seq::new();
        while self.take("edge") {
            edges.add(self.edge(&places)?, budget)?;
        }
        self.expect("}")?;
        for name in names.walk(budget)? {
            self.scope.take(name, budget)?;
        }
        if !self.templates.include(name, budget)? {
            return Err(self.error("two templates of one name"));
        }
        let name = Name::of(name, budget)?;
        Ok(Template { name, multiplicity, locals, init, locations, edges })
    }

    /// Locations, and their numbers by name.
    fn locations(&mut self) -> Result<(Seq<Location>, Map<&'a str, u32>), Reason> {
        let (mut locations, mut places) = (Seq::new(), Map::new());
        while self.take("location") {
            if places.look(&self.peek(), self.budget)?.is_some() {
                return Err(self.error("this name is taken"));
            }
            let name = self.name()?;
            places.put(name, number(locations.len())?, self.budget)?;
            let name = Name::of(name, self.budget)?;
            locations.add(Location { name, error: self.take("error") }, self.budget)?;
            self.expect(";")?;
        }
        if locations.first().is_none_or(|initial| initial.error) {
            return Err(self.error("a template needs an initial location, which is no error"));
        }
        Ok((locations, places))
    }

    fn place(&mut self, places: &Map<&'a str, u32>) -> Result<u32, Reason> {
        let place = places.look(&self.peek(), self.budget)?.copied();
        let place = place.ok_or_else(|| self.error("a location is needed here"))?;
        self.next();
        Ok(place)
    }

    fn edge(&mut self, places: &Map<&'a str, u32>) -> Result<Edge, Reason> {
        let budget = self.budget;
        let source = self.place(places)?;
        self.expect("->")?;
        let target = self.place(places)?;
        self.expect("{")?;
        self.command = true;
        let (mut inputs, mut names) = (Seq::new(), Seq::new());
        while self.take("input") {
            names.add(self.peek(), budget)?;
            inputs.add(self.declare(Op::Input(number(inputs.len())?))?, budget)?;
        }
        let guard = self.optional_formula("when")?;
        let (mut updates, mut updated) = (Seq::new(), Set::new());
        if self.peek() != "}" {
            loop {
                let variable = self.variable()?;
                let again = !updated.include(variable.copy(budget)?, budget)?;
                if again || matches!(variable, Op::Input(_)) {
                    return Err(self.error("an input, or a variable that is updated already"));
                }
                self.expect(":=")?;
                let sort = self.sorts.look(&variable, budget)?.copied();
                let value = self.sorted(sort.ok_or(Reason::Index("variable"))?)?;
                updates.add((variable, value), budget)?;
                if !self.take(",") {
                    break;
                }
            }
            self.expect(";")?;
        }
        self.expect("}")?;
        self.command = false;
        for name in names.walk(budget)? {
            self.scope.take(name, budget)?;
        }
        Ok(Edge { source, target, inputs, guard, updates })
    }
}
