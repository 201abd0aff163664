//! An oracle beside the checker: formulas as SMT-LIB text, judged by z3. It shares no code with
//! the checker or the producer.

use threadproof_format::program::{Program, Template, Variable};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::{Cmp, Expr, Op, Sort};

/// Prints an expression; `name` gives the symbols of variables and inputs.
pub fn term(expr: &Expr, name: &dyn Fn(&Op) -> String) -> String {
    let mut stack: Vec<String> = Vec::new();
    for op in &expr.0 {
        let mut pop = || stack.pop().expect("a well formed expression");
        let text = match op {
            Op::Int(i) => number(&i.to_string()),
            Op::Bool(b) => b.to_string(),
            Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => name(op),
            Op::Not => format!("(not {})", pop()),
            Op::Scale(k) => format!("(* {} {})", number(&k.to_string()), pop()),
            Op::Div(n) => format!("(div {} {n})", pop()),
            Op::Mod(n) => format!("(mod {} {n})", pop()),
            Op::Store => {
                let (value, index, array) = (pop(), pop(), pop());
                format!("(store {array} {index} {value})")
            }
            binary => {
                let (right, left) = (pop(), pop());
                match binary {
                    Op::Cmp(Cmp::Ne) => format!("(not (= {left} {right}))"),
                    _ => format!("({} {left} {right})", sign(binary)),
                }
            }
        };
        stack.push(text);
    }
    assert_eq!(stack.len(), 1);
    stack.remove(0)
}

fn sign(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Select => "select",
        Op::And => "and",
        Op::Or => "or",
        Op::Cmp(Cmp::Eq) => "=",
        Op::Cmp(Cmp::Lt) => "<",
        Op::Cmp(Cmp::Le) => "<=",
        Op::Cmp(Cmp::Gt) => ">",
        Op::Cmp(Cmp::Ge) => ">=",
        other => panic!("{other:?} is not binary"),
    }
}

fn number(text: &str) -> String {
    text.strip_prefix('-').map_or_else(|| text.to_owned(), |digits| format!("(- {digits})"))
}

/// The name of a sort.
pub fn sort(sort: Sort) -> &'static str {
    match sort {
        Sort::Int => "Int",
        Sort::Bool => "Bool",
        Sort::IntArray => "(Array Int Int)",
        Sort::BoolArray => "(Array Int Bool)",
    }
}

/// A value as a term.
pub fn value(v: &Value) -> String {
    let array = |sort: &str, default: String, entries: Vec<(String, String)>| {
        let start = format!("((as const (Array Int {sort})) {default})");
        entries.iter().fold(start, |a, (i, v)| format!("(store {a} {i} {v})"))
    };
    match v {
        Value::Int(i) => number(&i.to_string()),
        Value::Bool(b) => b.to_string(),
        Value::IntArray(d, e) => {
            let entries = e.iter().map(|(i, v)| (number(&i.to_string()), number(&v.to_string())));
            array("Int", number(&d.to_string()), entries.collect())
        }
        Value::BoolArray(d, e) => {
            let entries = e.iter().map(|(i, v)| (number(&i.to_string()), v.to_string()));
            array("Bool", d.to_string(), entries.collect())
        }
    }
}

/// A script of declarations and assertions.
#[derive(Default)]
pub struct Script {
    text: String,
    declared: std::collections::BTreeSet<String>,
}

impl Script {
    pub fn declare(&mut self, name: &str, of: Sort) {
        if self.declared.insert(name.to_owned()) {
            self.text += &format!("(declare-const {name} {})\n", sort(of));
        }
    }

    pub fn assert(&mut self, formula: &str) {
        self.text += &format!("(assert {formula})\n");
    }

    /// Whether the assertions can be met; z3 must know.
    pub fn satisfiable(&self) -> bool {
        let solver = z3::Solver::new();
        solver.from_string(self.text.as_str());
        match solver.check() {
            z3::SatResult::Sat => true,
            z3::SatResult::Unsat => false,
            z3::SatResult::Unknown => panic!("z3 does not know:\n{}", self.text),
        }
    }
}

/// The symbol of a variable: globals, locals of a thread, inputs, counts of threads; `tag` tells
/// states apart.
pub fn symbol(op: &Op, tag: &str) -> String {
    match op {
        Op::Global(i) => format!("g{i}{tag}"),
        Op::Local(t, i) => format!("l{t}_{i}{tag}"),
        Op::Input(i) => format!("u{i}{tag}"),
        Op::Count(t, l) => format!("n{t}_{l}{tag}"),
        other => panic!("{other:?} is no variable"),
    }
}

/// The variables of a state: globals, and the locals of threads of these templates.
pub fn variables<'a>(program: &'a Program, threads: &[Option<u32>]) -> Vec<(Op, &'a Variable)> {
    let mut list: Vec<(Op, &Variable)> =
        (0..).zip(&program.globals).map(|(i, v)| (Op::Global(i), v)).collect();
    for (t, template) in (0..).zip(threads) {
        if let Some(template) = template {
            let locals = &program.templates[usize::try_from(*template).unwrap()].locals;
            list.extend((0..).zip(locals).map(|(i, v)| (Op::Local(t, i), v)));
        }
    }
    list
}

/// The numbers of threads at all locations, also where programs and proofs cannot name them.
pub fn counts(program: &Program) -> Vec<Op> {
    let of = |(t, template): (u32, &Template)| {
        (0..).zip(&template.locations).map(move |(l, _)| Op::Count(t, l)).collect::<Vec<_>>()
    };
    (0..).zip(&program.templates).flat_map(of).collect()
}

/// Declares the numbers of threads in a state that is possible while different threads are at
/// these places and nobody is at an error location.
pub fn populate(script: &mut Script, program: &Program, places: &[(u32, u32)]) {
    for (t, template) in (0..).zip(&program.templates) {
        let mut all = Vec::new();
        for (l, location) in (0..).zip(&template.locations) {
            let name = symbol(&Op::Count(t, l), "");
            script.declare(&name, Sort::Int);
            let here = places.iter().filter(|place| **place == (t, l)).count();
            script.assert(&format!("(>= {name} {here})"));
            if location.error {
                script.assert(&format!("(= {name} 0)"));
            }
            all.push(name);
        }
        if !template.is_many() {
            script.assert(&format!("(= 1 (+ 0 {}))", all.join(" ")));
        }
    }
}
