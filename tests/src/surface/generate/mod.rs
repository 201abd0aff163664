//! Random programs, of every construct of the language.

mod abstraction;
mod expression;
mod statement;

use super::ast::{Binary, Body, Count, Decl, Expr, Procedure, Stmt, Thread, Type, Unit};
use super::parse::tokens;
use crate::source::Source;
use quickcheck::{Arbitrary, Gen};
use std::collections::BTreeSet;

/// What can be named where a text is made.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<&'static str>,
    bools: Vec<&'static str>,
    int_arrays: Vec<&'static str>,
    bool_arrays: Vec<&'static str>,
    locks: Vec<&'static str>,
    /// Labels that are counted.
    counted: Vec<String>,
    /// Labels of the body.
    labels: Vec<String>,
    /// Of the procedure, if it is one: its result.
    result: Option<Option<Type>>,
    in_loop: bool,
    in_atomic: bool,
    /// Whether loops, jumps to labels and calls of what has them are left out.
    straight: bool,
}

/// What can be called.
#[derive(Clone)]
struct Signature {
    name: &'static str,
    params: Vec<Type>,
    result: Option<Type>,
    straight: bool,
}

/// Makes texts by chance.
struct Writer<'s, 'g> {
    source: &'s mut Source<'g>,
    scope: Scope,
    procedures: Vec<Signature>,
}

/// The globals; the names of some are taken in the core form, by a keyword or by a procedure's
/// variable.
const GLOBALS: [(&str, Type, bool); 8] = [
    ("g", Type::Int, false),
    ("h", Type::Int, false),
    ("f", Type::Bool, false),
    ("when", Type::Bool, false),
    ("a", Type::Int, true),
    ("d", Type::Bool, true),
    ("m", Type::Lock, false),
    ("n", Type::Lock, false),
];

/// The locals of threads.
const LOCALS: [(&str, Type, bool); 4] = [
    ("x", Type::Int, false),
    ("p_k", Type::Int, false),
    ("u", Type::Bool, false),
    ("e", Type::Int, true),
];

/// The locals of procedures.
const INNER: [(&str, Type, bool); 2] = [("x", Type::Int, false), ("y", Type::Bool, false)];

impl Scope {
    fn declare(&mut self, (name, kind, array): (&'static str, Type, bool)) {
        let list = match (kind, array) {
            (Type::Int, false) => &mut self.ints,
            (Type::Bool, false) => &mut self.bools,
            (Type::Int, true) => &mut self.int_arrays,
            (Type::Bool, true) => &mut self.bool_arrays,
            (Type::Lock, _) => &mut self.locks,
        };
        list.push(name);
    }
}

impl Writer<'_, '_> {
    /// A declaration, mostly with a value.
    fn decl(&mut self, (name, kind, array): (&str, Type, bool)) -> Decl {
        let valued = !array && kind != Type::Lock && self.source.chance(80);
        let init = valued.then(|| match kind {
            Type::Int => self
                .source
                .pick(
                    &[
                        Expr::Int(0),
                        Expr::Int(0),
                        Expr::Int(2),
                        Expr::Neg(Box::new(Expr::Int(1))),
                        Expr::two(Binary::Sub, Expr::Int(3), Expr::Int(3)),
                    ]
                    .each_ref(),
                )
                .clone(),
            _ => Expr::Bool(self.source.chance(30)),
        });
        Decl { kind, array, name: name.to_owned(), init }
    }

    /// Some of these variables, which are then in scope.
    fn declare(&mut self, all: &[(&'static str, Type, bool)], percent: usize) -> Vec<Decl> {
        let mut out = Vec::new();
        for variable in all {
            if self.source.chance(percent) {
                self.scope.declare(*variable);
                out.push(self.decl(*variable));
            }
        }
        out
    }

    /// One or two procedures; the second one can call the first.
    fn procedures(&mut self) -> Vec<Procedure> {
        let mut out = Vec::new();
        for name in ["p", "q"].into_iter().take(self.source.below(3)) {
            let outer = self.scope.clone();
            let params: Vec<_> = [("k", Type::Int, false), ("c", Type::Bool, false)]
                .into_iter()
                .filter(|_| self.source.chance(40))
                .collect();
            params.iter().for_each(|param| self.scope.declare(*param));
            let result = self.source.pick(&[None, Some(Type::Int), Some(Type::Bool)]);
            let straight = self.source.chance(60);
            self.scope.result = Some(result);
            self.scope.straight = straight;
            let locals = self.declare(&INNER, 25);
            let label = (!straight && self.source.chance(40)).then(|| format!("in_{name}"));
            let code = self.body(2, label);
            self.scope = outer;
            let params_types = params.iter().map(|param| param.1).collect();
            self.procedures.push(Signature { name, params: params_types, result, straight });
            let params = params.into_iter().map(|(name, kind, array)| Decl {
                kind,
                array,
                name: name.to_owned(),
                init: None,
            });
            let (params, body) = (params.collect(), Body { locals, code });
            out.push(Procedure { result, name: name.to_owned(), params, body });
        }
        out
    }

    /// A thread; `label` is one that has to stand in it.
    fn thread(&mut self, name: &str, label: Option<String>) -> Thread {
        let outer = self.scope.clone();
        let locals = self.declare(&LOCALS, 40);
        let statements = 3 + self.source.below(3);
        let code = self.body(statements, label);
        self.scope = outer;
        let count = match self.source.below(10) {
            0..7 => Count::Any,
            7 | 8 => Count::Single,
            _ => Count::Exactly(2),
        };
        Thread { name: name.to_owned(), count, abstracts: None, body: Body { locals, code } }
    }

    /// Globals, and what is said of them at the start.
    fn globals(&mut self, unit: &mut Unit) {
        unit.globals = self.declare(&GLOBALS[..2], 100);
        unit.globals.extend(self.declare(&GLOBALS[2..], 40));
        if self.source.chance(25) {
            let e = self.truth(0);
            unit.inits.push(self.weaker(e));
        }
    }

    /// A program without abstract threads.
    fn program(&mut self) -> Unit {
        let mut unit = Unit::default();
        self.globals(&mut unit);
        unit.procedures = self.procedures();
        let threads = ["t", "s"].into_iter().take(1 + usize::from(self.source.chance(40)));
        let labelled: Vec<_> = threads
            .map(|name| (name, self.source.chance(50).then(|| format!("in_{name}"))))
            .collect();
        self.scope.counted = labelled.iter().filter_map(|(_, label)| label.clone()).collect();
        unit.threads = labelled.into_iter().map(|(name, label)| self.thread(name, label)).collect();
        for procedure in self.procedures.clone() {
            let called = tokens(&unit.to_string()).iter().filter(|t| *t == procedure.name).count();
            if called == 1 {
                let call = self.call_of(&procedure, None);
                unit.threads[0].body.code.insert(0, call);
            }
        }
        unit
    }
}

/// Drops the declarations that nothing names.
fn prune(unit: &mut Unit) {
    let named = |text: String| tokens(&text).into_iter().collect::<BTreeSet<_>>();
    for thread in &mut unit.threads {
        let used = named(Stmt::Block(thread.body.code.clone()).to_string());
        thread.body.locals.retain(|decl| used.contains(&decl.name));
    }
    let globals = std::mem::take(&mut unit.globals);
    let used = named(unit.to_string());
    unit.globals = globals.into_iter().filter(|decl| used.contains(&decl.name)).collect();
}

impl Arbitrary for Unit {
    fn arbitrary(random: &mut Gen) -> Self {
        let mut source = Source(random);
        let mut writer =
            Writer { source: &mut source, scope: Scope::default(), procedures: Vec::new() };
        let mut unit =
            if writer.source.chance(80) { writer.program() } else { writer.abstracted_program() };
        prune(&mut unit);
        unit
    }

    /// The programs with one part less.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let smaller = super::shrink::smaller(self).into_iter().map(|mut unit| {
            prune(&mut unit);
            unit
        });
        Box::new(smaller)
    }
}
