//! Programs and formulas as text: the core form (SPEC.md section 4.1).

use std::fmt::Write as _;
use threadproof_format::program::{Multiplicity, Program, Template, Variable};
use threadproof_format::{Cmp, Expr, Op, Sort};

/// Binding strength of an operator in the core form, from `||` up to an operand.
pub fn strength(op: &Op) -> u8 {
    match op {
        Op::Or => 1,
        Op::And => 2,
        Op::Cmp(_) => 3,
        Op::Add | Op::Sub => 4,
        Op::Div(_) | Op::Mod(_) => 5,
        Op::Scale(_) | Op::Not => 6,
        _ => 7,
    }
}

/// The core form's sign of a comparison.
pub fn comparison(cmp: Cmp) -> &'static str {
    match cmp {
        Cmp::Eq => "==",
        Cmp::Ne => "!=",
        Cmp::Lt => "<",
        Cmp::Le => "<=",
        Cmp::Gt => ">",
        Cmp::Ge => ">=",
    }
}

/// The core form's name of a sort.
pub fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "int",
        Sort::Bool => "bool",
        Sort::IntArray => "int[]",
        Sort::BoolArray => "bool[]",
    }
}

/// Prints an expression; `name` gives the text of variables and inputs.
///
/// An expression that is not well formed is printed with `?` for what is missing.
pub fn expr(expr: &Expr, name: &dyn Fn(&Op) -> String) -> String {
    let mut stack: Vec<(String, u8)> = Vec::new();
    for op in &expr.0 {
        let level = strength(op);
        let mut pop = |least: u8| match stack.pop() {
            Some((text, have)) if have < least => format!("({text})"),
            Some((text, _)) => text,
            None => "?".to_owned(),
        };
        let text = match op {
            Op::Int(value) => value.to_string(),
            Op::Bool(value) => value.to_string(),
            Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => name(op),
            Op::Scale(k) => format!("{k} * {}", pop(level)),
            Op::Div(k) => format!("{} / {k}", pop(level)),
            Op::Mod(k) => format!("{} % {k}", pop(level)),
            Op::Not => format!("!{}", pop(level)),
            Op::Select => {
                let index = pop(0);
                format!("{}[{index}]", pop(level))
            }
            Op::Store => {
                let (value, index) = (pop(0), pop(0));
                format!("{}[{index} := {value}]", pop(level))
            }
            Op::Add | Op::Sub | Op::Cmp(_) | Op::And | Op::Or => {
                let right = pop(level + 1);
                // A comparison does not chain: `a == b == c` needs its parentheses.
                let left = pop(if matches!(op, Op::Cmp(_)) { level + 1 } else { level });
                let sign = match op {
                    Op::Add => "+",
                    Op::Sub => "-",
                    Op::Cmp(cmp) => comparison(*cmp),
                    Op::And => "&&",
                    _ => "||",
                };
                let mut text = left;
                let _ = write!(text, " {sign} {right}");
                text
            }
        };
        stack.push((text, level));
    }
    stack.pop().map_or_else(|| "?".to_owned(), |(text, _)| text)
}

fn pick(variables: &[Variable], index: u32) -> String {
    usize::try_from(index)
        .ok()
        .and_then(|i| variables.get(i))
        .map_or_else(|| "?".to_owned(), |v| v.name.clone())
}

/// A global's name outside its template: `name`, or `template.name` for a single template's local.
pub fn global_name(program: &Program, index: u32) -> String {
    let variable = usize::try_from(index).ok().and_then(|i| program.globals.get(i));
    let owner = variable
        .and_then(|v| v.owner)
        .and_then(|t| usize::try_from(t).ok())
        .and_then(|t| program.templates.get(t));
    match owner {
        Some(template) => format!("{}.{}", template.name, pick(&program.globals, index)),
        None => pick(&program.globals, index),
    }
}

/// Prints an assertion about threads: the local x of position p as `x(p + 1)`, as in the paper.
///
/// `threads` holds the template of each position, `inputs` the command's inputs.
pub fn assertion(program: &Program, threads: &[u32], inputs: &[Variable], e: &Expr) -> String {
    assertion_about(program, threads, &|p| (u64::from(p) + 1).to_string(), inputs, e)
}

/// As [`assertion`], with a name for each position.
pub fn assertion_about(
    program: &Program,
    threads: &[u32],
    named: &dyn Fn(u32) -> String,
    inputs: &[Variable],
    e: &Expr,
) -> String {
    expr(e, &|op| match op {
        Op::Global(i) => global_name(program, *i),
        Op::Local(p, i) => {
            let template = usize::try_from(*p)
                .ok()
                .and_then(|p| threads.get(p))
                .and_then(|t| usize::try_from(*t).ok())
                .and_then(|t| program.templates.get(t));
            let name = template.map_or_else(|| "?".to_owned(), |t| pick(&t.locals, *i));
            format!("{name}({})", named(*p))
        }
        Op::Input(i) => pick(inputs, *i),
        Op::Count(of, location) => counter(program, *of, *location),
        _ => "?".to_owned(),
    })
}

/// A counter, as the core form names it.
pub fn counter(program: &Program, of: u32, location: u32) -> String {
    let template = usize::try_from(of).ok().and_then(|t| program.templates.get(t));
    let at = |t: &Template| {
        let at = usize::try_from(location).ok().and_then(|l| t.locations.get(l));
        at.map(|l| format!("#{}.{}", t.name, l.name))
    };
    template.and_then(at).unwrap_or_else(|| "?".to_owned())
}

/// Prints a program in the core form. `note` gives a comment for an edge (template, edge), such
/// as the source line; an empty one is left out.
pub fn program(program: &Program, note: &dyn Fn(usize, usize) -> String) -> String {
    let mut out = String::from("core 1;\n");
    for text in &program.assumptions {
        let _ = writeln!(out, "assumption \"{}\";", ascii(text).replace('"', "\\u{22}"));
    }
    for v in program.globals.iter().filter(|v| v.owner.is_none()) {
        let _ = writeln!(out, "global {}: {};", v.name, sort(v.sort));
    }
    let name = |op: &Op| match op {
        Op::Global(i) => pick(&program.globals, *i),
        _ => "?".to_owned(),
    };
    initial(&mut out, "", &expr(&program.init, &name));
    for (t, template) in program.templates.iter().enumerate() {
        print_template(&mut out, program, t, template, note);
    }
    out
}

/// Text with characters of the core form only: others are escaped, which has no meaning there.
fn ascii(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' | '\t' => out.push(c),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}

fn initial(out: &mut String, indent: &str, formula: &str) {
    if formula != "true" {
        let _ = writeln!(out, "{indent}init {formula};");
    }
}

fn print_template(
    out: &mut String,
    program: &Program,
    number: usize,
    template: &Template,
    note: &dyn Fn(usize, usize) -> String,
) {
    let kind = match template.multiplicity {
        Multiplicity::Many => "many",
        Multiplicity::One => "one",
    };
    let _ = writeln!(out, "{kind} {} {{", template.name);
    let owned = |v: &&Variable| v.owner.and_then(|t| usize::try_from(t).ok()) == Some(number);
    for v in program.globals.iter().filter(owned).chain(&template.locals) {
        let _ = writeln!(out, "    local {}: {};", v.name, sort(v.sort));
    }
    let name = |inputs: &[Variable], op: &Op| match op {
        Op::Global(i) => pick(&program.globals, *i),
        Op::Local(_, i) => pick(&template.locals, *i),
        Op::Input(i) => pick(inputs, *i),
        Op::Count(of, location) => counter(program, *of, *location),
        _ => "?".to_owned(),
    };
    initial(out, "    ", &expr(&template.init, &|op| name(&[], op)));
    for l in &template.locations {
        let error = if l.error { " error" } else { "" };
        let _ = writeln!(out, "    location {}{error};", l.name);
    }
    let place = |l: u32| {
        let location = usize::try_from(l).ok().and_then(|i| template.locations.get(i));
        location.map_or("?", |l| l.name.as_str())
    };
    for (e, edge) in template.edges.iter().enumerate() {
        let name = |op: &Op| name(&edge.inputs, op);
        let _ = write!(out, "    edge {} -> {} {{", place(edge.source), place(edge.target));
        for input in &edge.inputs {
            let _ = write!(out, " input {}: {};", input.name, sort(input.sort));
        }
        let guard = expr(&edge.guard, &name);
        if guard != "true" {
            let _ = write!(out, " when {guard};");
        }
        for (i, (variable, value)) in edge.updates.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(out, "{comma} {} := {}", name(variable), expr(value, &name));
        }
        out.push_str(if edge.updates.is_empty() { " }" } else { "; }" });
        match note(number, e) {
            text if text.is_empty() => out.push('\n'),
            text => {
                let _ = writeln!(out, " // {}", ascii(&text));
            }
        }
    }
    out.push_str("}\n");
}
