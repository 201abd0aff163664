//! Programs as text: each statement on a line of its own, operators in parentheses.

use super::ast::{Assertion, Decl, Expr, Function, Init, Int, Stmt, Storage, Type, Unary, Unit};
use super::calls::{self, OBJECTS};

/// What is written for `Stmt::Observe`, if anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// For the front end.
    Plain,
    /// For a compiler, beside other programs: `main` and what is global get this number, observed
    /// values are printed.
    Compiled(usize),
}

/// A program's text.
pub struct Text {
    pub text: String,
    /// The line of each assertion, from 1.
    pub assertions: Vec<usize>,
}

struct Printer<'a> {
    unit: &'a Unit,
    style: Style,
    out: String,
    line: usize,
    assertions: Vec<usize>,
}

/// The text of a program.
pub fn print(unit: &Unit, style: Style) -> Text {
    let mut printer = Printer { unit, style, out: String::new(), line: 1, assertions: Vec::new() };
    printer.unit();
    Text { text: printer.out, assertions: printer.assertions }
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
        self.line += 1;
    }

    fn unit(&mut self) {
        for (tag, members) in &self.unit.structs {
            let members: Vec<String> = members
                .iter()
                .map(|(name, kind)| format!(" {};", self.declared(kind, name)))
                .collect();
            self.put(&format!("struct {} {{{} }};", self.global(tag), members.concat()));
        }
        for function in self.unit.functions.iter().filter(|f| f.name != "main") {
            let head = self.head(function);
            self.put(&format!("{head};"));
        }
        for decl in &self.unit.globals {
            let text = self.decl(decl, self.global(&decl.name));
            self.put(&text);
        }
        for function in &self.unit.functions {
            let head = self.head(function);
            self.put(&format!("{head} {{"));
            self.code(&function.body);
            self.put("}");
        }
    }

    fn head(&self, function: &Function) -> String {
        let params: Vec<String> =
            function.params.iter().map(|(name, kind)| self.declared(kind, name)).collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        self.declared(&function.result, &format!("{}({params})", self.global(&function.name)))
    }

    /// A name of file scope.
    fn global(&self, name: &str) -> String {
        match self.style {
            Style::Compiled(number) => format!("p{number}_{name}"),
            Style::Plain => name.to_owned(),
        }
    }

    fn named(&self, name: &str) -> String {
        let here = self.unit.globals.iter().any(|decl| decl.name == name)
            || self.unit.functions.iter().any(|function| function.name == name);
        if here { self.global(name) } else { name.to_owned() }
    }

    /// A declaration of `inner`.
    fn declared(&self, kind: &Type, inner: &str) -> String {
        let base = |name: &str| format!("{name} {inner}").trim_end().to_owned();
        match kind {
            Type::Void => base("void"),
            Type::Int(int) => base(int.name()),
            Type::Atomic(int) => base(&format!("_Atomic {}", int.name())),
            Type::Struct(tag) => base(&format!("struct {}", self.global(tag))),
            Type::Opaque(opaque) => base(opaque.name()),
            Type::Pointer(to) => match **to {
                Type::Array(..) | Type::Function(..) => self.declared(to, &format!("(*{inner})")),
                _ => self.declared(to, &format!("*{inner}")),
            },
            Type::Array(of, length) => self.declared(of, &format!("{inner}[{length}]")),
            Type::Function(result, params) => {
                let params: Vec<String> = params.iter().map(|p| self.declared(p, "")).collect();
                let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
                self.declared(result, &format!("{inner}({params})"))
            }
        }
    }

    fn decl(&self, decl: &Decl, name: String) -> String {
        let storage = match decl.storage {
            Storage::Plain => "",
            Storage::Static => "static ",
            Storage::Thread => "_Thread_local ",
        };
        let init = decl.init.as_ref().map(|init| format!(" = {}", self.init(init)));
        format!("{storage}{}{};", self.declared(&decl.kind, &name), init.unwrap_or_default())
    }

    fn init(&self, init: &Init) -> String {
        match init {
            Init::Value(e) => self.expr(e),
            Init::List(list) => {
                let list: Vec<String> = list.iter().map(|init| self.init(init)).collect();
                format!("{{ {} }}", list.join(", "))
            }
        }
    }

    fn code(&mut self, code: &[Stmt]) {
        code.iter().for_each(|s| self.stmt(s));
    }

    /// A statement inside another one, in braces.
    fn inner(&mut self, s: &Stmt) {
        match s {
            Stmt::Block(code) => self.code(code),
            _ => self.stmt(s),
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Empty => self.put(";"),
            Stmt::Expr(e) => self.put(&format!("{};", self.expr(e))),
            Stmt::Decl(decl) => self.put(&self.decl(decl, decl.name.clone())),
            Stmt::Block(code) => {
                self.put("{");
                self.code(code);
                self.put("}");
            }
            Stmt::If(e, then, other) => {
                self.put(&format!("if ({}) {{", self.expr(e)));
                self.inner(then);
                if let Some(other) = other {
                    self.put("} else {");
                    self.inner(other);
                }
                self.put("}");
            }
            Stmt::While(e, body) => self.nested(&format!("while ({})", self.expr(e)), body),
            Stmt::DoWhile(body, e) => {
                self.put("do {");
                self.inner(body);
                self.put(&format!("}} while ({});", self.expr(e)));
            }
            Stmt::For(first, condition, next, body) => {
                let e = |e: &Option<Expr>| e.as_ref().map(|e| self.expr(e)).unwrap_or_default();
                let first = match &**first {
                    Stmt::Decl(decl) => self.decl(decl, decl.name.clone()),
                    Stmt::Expr(e) => format!("{};", self.expr(e)),
                    _ => ";".to_owned(),
                };
                self.nested(&format!("for ({first} {}; {})", e(condition), e(next)), body);
            }
            Stmt::Switch(e, body) => {
                self.put(&format!("switch ({}) {{", self.expr(e)));
                self.code(body);
                self.put("}");
            }
            Stmt::Case(value, inner) => self.labelled(&format!("case {value}:"), inner),
            Stmt::Default(inner) => self.labelled("default:", inner),
            Stmt::Label(name, inner) => self.labelled(&format!("{name}:"), inner),
            Stmt::Goto(name) => self.put(&format!("goto {name};")),
            Stmt::Break => self.put("break;"),
            Stmt::Continue => self.put("continue;"),
            Stmt::Return(None) => self.put("return;"),
            Stmt::Return(Some(e)) => self.put(&format!("return {};", self.expr(e))),
            Stmt::Assert(how, e) => {
                self.assertions.push(self.line);
                let e = self.expr(e);
                self.put(&match how {
                    Assertion::Function(name) => format!("{name}({e});"),
                    Assertion::Behind(name) => format!("if (!({e})) {name}();"),
                });
            }
            Stmt::Fail(name, line) => {
                self.assertions.push(self.line);
                let function = if *name == "__assert_fail" { ", \"f\"" } else { "" };
                self.put(&format!("{name}(\"e\", \"random.c\", {}{function});", self.expr(line)));
            }
            Stmt::Library { line, operand, effect } => self.library(*line, *operand, effect),
            Stmt::Observe(number, e) => {
                if let Style::Compiled(program) = self.style {
                    let e = self.expr(e);
                    self.put(&format!(
                        "printf(\"{program} {number} %llu\\n\", (unsigned long long)({e}));"
                    ));
                }
            }
        }
    }

    /// A block with the objects of a call.
    fn library(&mut self, line: usize, operand: usize, effect: &Expr) {
        let effect = self.expr(effect);
        let line = calls::all().nth(line).expect("a line");
        let mut operands = line.plain();
        let plain = &operands[operand];
        operands[operand] = match plain.contains("[0]") {
            true => plain.replace("[0]", &format!("[({effect}, 0)]")),
            false => format!("({effect}, {plain})"),
        };
        let statement = line.call(&operands);
        let named = |name: &str| [line.before, &statement].iter().any(|text| has(text, name));
        let objects = OBJECTS.iter().filter(|(name, _)| named(name));
        let objects: Vec<&str> = objects.map(|(_, declaration)| *declaration).collect();
        self.put(&format!("{{ {} {} {statement} }}", objects.join(" "), line.before));
    }

    fn nested(&mut self, head: &str, body: &Stmt) {
        self.put(&format!("{head} {{"));
        self.inner(body);
        self.put("}");
    }

    fn labelled(&mut self, label: &str, inner: &Stmt) {
        self.put(label);
        self.stmt(inner);
    }

    fn list(&self, list: &[Expr]) -> String {
        list.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, e: &Expr) -> String {
        let at = |e: &Expr| self.expr(e);
        match e {
            Expr::Constant(value, kind) => {
                let suffix = match kind {
                    Int::UInt => "u",
                    Int::Long => "l",
                    Int::ULong => "ul",
                    Int::LLong => "ll",
                    Int::ULLong => "ull",
                    _ => "",
                };
                format!("{value}{suffix}")
            }
            Expr::Name(name) => self.named(name),
            Expr::Unary(operator, e) => {
                let sign = match operator {
                    Unary::Minus => "-",
                    Unary::Plus => "+",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                };
                format!("({sign}{})", at(e))
            }
            Expr::Binary(operator, a, b) => format!("({} {} {})", at(a), operator.sign(), at(b)),
            Expr::And(a, b) => format!("({} && {})", at(a), at(b)),
            Expr::Or(a, b) => format!("({} || {})", at(a), at(b)),
            Expr::Comma(a, b) => format!("({}, {})", at(a), at(b)),
            Expr::Conditional(c, a, b) => format!("({} ? {} : {})", at(c), at(a), at(b)),
            Expr::Assign(operator, place, value) => {
                let sign = operator.map_or("", super::ast::Binary::sign);
                format!("({} {sign}= {})", at(place), at(value))
            }
            Expr::Step { up, before, place } => {
                let (sign, place) = (if *up { "++" } else { "--" }, at(place));
                if *before { format!("({sign}{place})") } else { format!("({place}{sign})") }
            }
            Expr::Cast(kind, e) => format!("(({}){})", self.declared(kind, ""), at(e)),
            Expr::Deref(e) => format!("(*{})", at(e)),
            Expr::Address(e) => format!("(&{})", at(e)),
            Expr::Index(a, i) => format!("{}[{}]", at(a), at(i)),
            Expr::Member(a, name) => format!("{}.{name}", at(a)),
            Expr::Arrow(a, name) => format!("{}->{name}", at(a)),
            Expr::Call(f, arguments) => format!("{}({})", at(f), self.list(arguments)),
        }
    }
}

/// Whether a text has this word.
fn has(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|w| w == word)
}
