//! A program as text, with no more parentheses than it needs.

use super::ast::{
    Abstraction, Body, Count, Decl, Edge, Expr, Finite, Node, Place, Procedure, Stmt, Thread, Type,
    Unit,
};
use std::fmt::{self, Display, Formatter};

/// How strongly the operators with one operand bind.
const UNARY: usize = 6;

/// Texts with something between them.
fn join<T: Display>(items: &[T], between: &str) -> String {
    items.iter().map(T::to_string).collect::<Vec<_>>().join(between)
}

impl Display for Place {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match &self.index {
            None => write!(out, "{}", self.name),
            Some(index) => write!(out, "{}[{index}]", self.name),
        }
    }
}

/// An operand: in parentheses if it binds less strongly than this.
fn operand(e: &Expr, least: usize) -> String {
    let strength = match e {
        Expr::Binary(operator, ..) => operator.sign().1,
        Expr::Neg(_) => UNARY,
        _ => UNARY + 1,
    };
    if strength < least { format!("({e})") } else { e.to_string() }
}

impl Display for Expr {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Expr::Int(k) => write!(out, "{k}"),
            Expr::Bool(b) => write!(out, "{b}"),
            Expr::Any => write!(out, "*"),
            Expr::Place(place) => write!(out, "{place}"),
            Expr::Cas(place, old, new) => write!(out, "cas({place}, {old}, {new})"),
            Expr::Call(name, arguments) => write!(out, "{name}({})", join(arguments, ", ")),
            Expr::Neg(e) => write!(out, "-{}", operand(e, UNARY + 1)),
            Expr::Not(e) => write!(out, "!{}", operand(e, UNARY)),
            Expr::Binary(operator, a, b) => {
                let (sign, strength) = operator.sign();
                // Comparisons do not chain.
                let chains = !matches!(strength, 2 | 3);
                let left = operand(a, if chains { strength } else { strength + 1 });
                write!(out, "{left} {sign} {}", operand(b, strength + 1))
            }
        }
    }
}

impl Display for Stmt {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        match self {
            Stmt::Empty => write!(out, ";"),
            Stmt::Block(code) => write!(out, "{{ {} }}", join(code, " ")),
            Stmt::Label(name, s) => write!(out, "{name}: {s}"),
            Stmt::Assign(place, value) => write!(out, "{place} = {value};"),
            Stmt::Call(name, arguments) => write!(out, "{name}({});", join(arguments, ", ")),
            Stmt::Assume(e) => write!(out, "assume({e});"),
            Stmt::Assert(e) => write!(out, "assert({e});"),
            Stmt::Havoc(place) => write!(out, "havoc {place};"),
            Stmt::Lock(name) => write!(out, "lock({name});"),
            Stmt::Unlock(name) => write!(out, "unlock({name});"),
            Stmt::If(e, then, None) => write!(out, "if ({e}) {then}"),
            Stmt::If(e, then, Some(other)) => write!(out, "if ({e}) {then} else {other}"),
            Stmt::While(e, body) => write!(out, "while ({e}) {body}"),
            Stmt::Atomic(code) => write!(out, "atomic {{ {} }}", join(code, " ")),
            Stmt::Goto(name) => write!(out, "goto {name};"),
            Stmt::Break => write!(out, "break;"),
            Stmt::Continue => write!(out, "continue;"),
            Stmt::Return(None) => write!(out, "return;"),
            Stmt::Return(Some(e)) => write!(out, "return {e};"),
        }
    }
}

impl Display for Type {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        out.write_str(match self {
            Type::Int => "int",
            Type::Bool => "bool",
            Type::Lock => "lock",
        })
    }
}

impl Display for Decl {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{} {}{}", self.kind, self.name, if self.array { "[]" } else { "" })?;
        self.init.iter().try_for_each(|e| write!(out, " = {e}"))
    }
}

impl Display for Body {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        writeln!(out, "{{")?;
        self.locals.iter().try_for_each(|local| writeln!(out, "    local {local};"))?;
        self.code.iter().try_for_each(|s| writeln!(out, "    {s}"))?;
        writeln!(out, "}}")
    }
}

impl Display for Procedure {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let result = self.result.map_or("void".to_owned(), |kind| kind.to_string());
        write!(out, "{result} {}({}) {}", self.name, join(&self.params, ", "), self.body)
    }
}

/// The abstraction that is named.
fn abstracts(name: Option<&String>) -> String {
    name.map(|name| format!(" abstracts {name}")).unwrap_or_default()
}

impl Display for Thread {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let count = match self.count {
            Count::Any => "[*]".to_owned(),
            Count::Single => String::new(),
            Count::Exactly(n) => format!("[{n}]"),
        };
        write!(
            out,
            "thread {}{count}{} {}",
            self.name,
            abstracts(self.abstracts.as_ref()),
            self.body
        )
    }
}

impl Display for Finite {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        let Decl { kind, name, init, .. } = &self.decl;
        write!(out, "{kind} {name}")?;
        self.range.iter().try_for_each(|(least, most)| write!(out, " in {least}..{most}"))?;
        init.iter().try_for_each(|e| write!(out, " = {e}"))
    }
}

impl Display for Node {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "{}node {}", if self.initial { "initial " } else { "" }, self.name)?;
        self.assertion.iter().try_for_each(|e| write!(out, " ({e})"))
    }
}

impl Display for Edge {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        write!(out, "edge {} -> {}", self.source, self.target)?;
        self.relation.formula.iter().try_for_each(|e| write!(out, " ({e})"))?;
        match self.relation.unchanged.as_deref() {
            None => Ok(()),
            Some([]) => write!(out, " unchanged"),
            Some(names) => write!(out, " unchanged except ({})", names.join(", ")),
        }
    }
}

impl Display for Abstraction {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        writeln!(out, "abstract {}{} {{", self.name, abstracts(self.abstracts.as_ref()))?;
        self.locals.iter().try_for_each(|local| writeln!(out, "    local {local};"))?;
        self.common.iter().try_for_each(|e| writeln!(out, "    common assertion ({e});"))?;
        self.nodes.iter().try_for_each(|node| writeln!(out, "    {node};"))?;
        self.edges.iter().try_for_each(|edge| writeln!(out, "    {edge};"))?;
        writeln!(out, "}}")
    }
}

impl Display for Unit {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        self.globals.iter().try_for_each(|decl| writeln!(out, "global {decl};"))?;
        self.inits.iter().try_for_each(|e| writeln!(out, "init ({e});"))?;
        self.procedures.iter().try_for_each(|p| write!(out, "{p}"))?;
        self.abstractions.iter().try_for_each(|a| write!(out, "{a}"))?;
        self.threads.iter().try_for_each(|t| write!(out, "{t}"))
    }
}
