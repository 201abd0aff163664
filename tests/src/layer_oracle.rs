//! Judges layers of abstract threads by z3, without the checker's code: whether the two programs
//! fit each other, and each thread conforms to its abstract thread (SPEC.md section 12).

use crate::oracle::initial_state;
use crate::smt::{Script, counts, symbol, term};
use std::collections::BTreeSet;
use threadproof_checker::internals::core_form;
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::{Expr, Op, Sort};

fn at<T>(list: &[T], index: u32) -> Option<&T> {
    list.get(usize::try_from(index).ok()?)
}

/// A thread: its template, and names for its variables in formulas.
struct Thread<'a> {
    template: &'a Template,
    locals: Vec<&'a Variable>,
    /// The number of the first global that is a local of this thread, if it is single.
    first: Option<u32>,
    /// What its locals are called.
    letter: char,
}

fn shared(program: &Program) -> Vec<&Variable> {
    program.globals.iter().filter(|g| g.owner.is_none()).collect()
}

impl<'a> Thread<'a> {
    fn new(program: &'a Program, of: u32, letter: char) -> Self {
        let template = at(&program.templates, of).expect("a template");
        let own = |g: &&Variable| g.owner == Some(of);
        let first = program.globals.iter().position(|g| own(&g));
        let locals = if template.is_many() {
            template.locals.iter().collect()
        } else {
            program.globals.iter().filter(own).collect()
        };
        Thread { template, locals, first: first.map(|i| i.try_into().expect("few")), letter }
    }

    /// The name of a variable that is no input.
    fn name(&self, op: &Op) -> String {
        let own = match op {
            Op::Local(_, k) => Some(*k),
            Op::Global(i) => self.first.and_then(|first| i.checked_sub(first)),
            _ => None,
        };
        own.map_or_else(|| symbol(op, ""), |k| format!("{}{k}", self.letter))
    }

    fn is_node(&self, location: u32) -> bool {
        at(&self.template.locations, location).is_some_and(|l| !l.error)
    }

    fn nodes(&self) -> Vec<u32> {
        let all = 0..u32::try_from(self.template.locations.len()).expect("few");
        all.filter(|l| self.is_node(*l)).collect()
    }

    /// The value of a variable after an edge, as a term of those before it.
    fn after(&self, edge: &Edge, variable: &str, input: &dyn Fn(u32) -> String) -> String {
        let new = edge.updates.iter().find(|(v, _)| self.name(v) == variable);
        new.map_or_else(|| variable.to_owned(), |(_, value)| self.term(value, input))
    }

    fn term(&self, e: &Expr, input: &dyn Fn(u32) -> String) -> String {
        term(e, &|op| match op {
            Op::Input(i) => input(*i),
            other => self.name(other),
        })
    }
}

fn no_input(i: u32) -> String {
    panic!("input {i} in an initial condition")
}

fn own_input(i: u32) -> String {
    format!("u{i}")
}

/// A thread and its abstract thread.
struct Pair<'a> {
    program: &'a Program,
    thread: Thread<'a>,
    abstraction: Thread<'a>,
    proof: &'a Conformance,
}

/// Why a layer over a program is wrong; `None` if it is right.
pub fn objection_to_layer(concrete: &Program, layer: &Layer) -> Option<String> {
    let (program, _) = core_form::parse(&layer.statement).expect("a program");
    misfit(concrete, &program, layer).or_else(|| {
        let wrong = layer.witness.as_ref().is_some_and(|w| !initial_state(concrete, w));
        wrong.then(|| "the witness is no initial state".to_owned())
    })
}

/// Why the programs do not fit each other.
fn misfit(concrete: &Program, program: &Program, layer: &Layer) -> Option<String> {
    if shared(concrete) != shared(program) || concrete.init != program.init {
        return Some("the globals differ".to_owned());
    }
    let count = concrete.templates.len();
    if layer.parts.len() != count || layer.to.len() != count {
        return Some("the number of templates differs".to_owned());
    }
    if let Some(target) = (0..).zip(&program.templates).find(|(to, target)| {
        let coming = concrete.templates.iter().zip(&layer.to).filter(|(_, other)| *other == to);
        let coming: Vec<bool> = coming.map(|(of, _)| of.is_many()).collect();
        !target.is_many() && coming != [false] || coming.is_empty()
    }) {
        return Some(format!("template {} has other threads", target.1.name));
    }
    let counted: BTreeSet<u32> = [concrete, program].into_iter().flat_map(counted).collect();
    (0..).zip(layer.to.iter().zip(&layer.parts)).find_map(|(of, (to, part))| {
        let thread = Thread::new(concrete, of, 'l');
        let target = at(&program.templates, *to)?.is_many();
        let stays = *part == Part::Kept && *to == of && thread.template.is_many() == target;
        let why = match part {
            _ if !stays && (counted.contains(&of) || counted.contains(to)) => {
                Some("it is counted".to_owned())
            }
            Part::Kept => {
                let other = Thread::new(program, *to, 'l');
                (!same(&thread, &other)).then(|| "it is not kept".to_owned())
            }
            Part::Abstracted(proof) => {
                let abstraction = Thread::new(program, *to, 'c');
                Pair { program: concrete, thread, abstraction, proof }.objection()
            }
        };
        why.map(|why| format!("template {of}: {why}"))
    })
}

/// The templates whose counters a program's edges mention.
fn counted(program: &Program) -> Vec<u32> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let formulas = edges.flat_map(|e| e.updates.iter().map(|(_, v)| v).chain([&e.guard]));
    let counter = |op: &Op| match op {
        Op::Count(t, _) => Some(*t),
        _ => None,
    };
    formulas.flat_map(|f| f.0.iter().filter_map(counter)).collect()
}

/// Whether two threads do the same.
fn same(one: &Thread, other: &Thread) -> bool {
    let edge = |t: &Thread, e: &Edge| {
        let updates = e.updates.iter().map(|(v, new)| (t.name(v), t.term(new, &own_input)));
        (e.source, e.target, t.term(&e.guard, &own_input), updates.collect::<BTreeSet<_>>())
    };
    let all = |t: &Thread| t.template.edges.iter().map(|e| edge(t, e)).collect::<Vec<_>>();
    let inputs = |t: &Thread| {
        let of = |e: &Edge| e.inputs.iter().map(|i| i.sort).collect::<Vec<_>>();
        t.template.edges.iter().map(of).collect::<Vec<_>>()
    };
    let sorts = |t: &Thread| t.locals.iter().map(|v| v.sort).collect::<Vec<_>>();
    let init = |t: &Thread| t.term(&t.template.init, &no_input);
    let errors = |t: &Thread| t.template.locations.iter().map(|l| l.error).collect::<Vec<_>>();
    all(one) == all(other)
        && inputs(one) == inputs(other)
        && sorts(one) == sorts(other)
        && init(one) == init(other)
        && errors(one) == errors(other)
}

impl Pair<'_> {
    /// Why the thread does not conform.
    fn objection(&self) -> Option<String> {
        let invariants = self.thread.nodes().into_iter().zip(&self.proof.invariants);
        let invariants: Vec<(u32, &Expr)> = invariants.collect();
        if let Some(why) = self.no_copies() {
            return Some(why);
        }
        if !self.starts(invariants.first()?.1) {
            return Some("the start".to_owned());
        }
        for (location, invariant) in &invariants {
            let mut script = self.script(&[]);
            script.assert(&self.invariant(invariant));
            for node in self.abstraction.nodes() {
                script.assert(&format!("(not {})", candidate(node)));
            }
            if script.satisfiable() {
                return Some(format!("location {location} without candidates"));
            }
        }
        let of = |l: u32| invariants.iter().find(|(node, _)| *node == l).map(|(_, i)| *i);
        let edges = (0..).zip(&self.thread.template.edges);
        edges.filter_map(|(i, e)| Some((i, e, of(e.source)?))).find_map(
            |(i, e, before): (u32, _, _)| {
                let follows = match of(e.target) {
                    None => self.goes_wrong_too(e, before),
                    Some(after) => self.follows(e, before, after),
                };
                (!follows).then(|| format!("edge {i}"))
            },
        )
    }

    /// Why a local of the abstract thread is no copy of its global.
    fn no_copies(&self) -> Option<String> {
        let (globals, copies) = (shared(self.program), &self.proof.copies);
        if copies.len() != self.abstraction.locals.len() {
            return Some("number of copies".to_owned());
        }
        for (j, (local, copy)) in self.abstraction.locals.iter().zip(copies).enumerate() {
            if at(&globals, *copy).is_none_or(|g| g.sort != local.sort) {
                return Some(format!("local {j} copies nothing"));
            }
            let (own, global) = (format!("c{j}"), symbol(&Op::Global(*copy), ""));
            let steps = self.abstraction.template.edges.iter().filter(|e| self.is_step(e));
            let value = |e: &Edge, name: &str| self.abstraction.after(e, name, &own_input);
            if steps.into_iter().any(|e| value(e, &own) != value(e, &global)) {
                return Some(format!("local {j} is no copy"));
            }
        }
        None
    }

    fn is_step(&self, edge: &Edge) -> bool {
        self.abstraction.is_node(edge.source) && self.abstraction.is_node(edge.target)
    }

    fn is_error(&self, edge: &Edge) -> bool {
        self.abstraction.is_node(edge.source) && !self.abstraction.is_node(edge.target)
    }

    /// Declarations of all that formulas before a step are about.
    fn script(&self, inputs: &[Variable]) -> Script {
        let mut script = Script::default();
        for (i, g) in (0..).zip(shared(self.program)) {
            script.declare(&symbol(&Op::Global(i), ""), g.sort);
        }
        for thread in [&self.thread, &self.abstraction] {
            for (k, local) in thread.locals.iter().enumerate() {
                script.declare(&format!("{}{k}", thread.letter), local.sort);
            }
        }
        self.abstraction.nodes().iter().for_each(|x| script.declare(&candidate(*x), Sort::Bool));
        counts(self.program).iter().for_each(|n| script.declare(&symbol(n, ""), Sort::Int));
        (0..).zip(inputs).for_each(|(i, input)| script.declare(&own_input(i), input.sort));
        script
    }

    /// An invariant over the variables before a step.
    fn invariant(&self, invariant: &Expr) -> String {
        term(invariant, &in_invariant)
    }

    fn starts(&self, invariant: &Expr) -> bool {
        let mut script = self.script(&[]);
        script.assert(&self.thread.term(&self.program.init, &no_input));
        script.assert(&self.thread.term(&self.thread.template.init, &no_input));
        for node in self.abstraction.nodes() {
            script.assert(&format!("(= {} {})", candidate(node), node == 0));
        }
        for (j, copy) in self.proof.copies.iter().enumerate() {
            script.assert(&format!("(= c{j} {})", symbol(&Op::Global(*copy), "")));
        }
        let init = self.abstraction.term(&self.abstraction.template.init, &no_input);
        script.assert(&format!("(not (and {init} {}))", self.invariant(invariant)));
        !script.satisfiable()
    }

    /// Whether a candidate goes wrong.
    fn some_candidate_is_wrong(&self) -> String {
        let errors = self.abstraction.template.edges.iter().filter(|e| self.is_error(e));
        let wrong = errors.map(|e| {
            let guard = self.abstraction.term(&e.guard, &own_input);
            format!("(and {} {guard})", candidate(e.source))
        });
        format!("(or false {})", wrong.collect::<Vec<_>>().join(" "))
    }

    fn goes_wrong_too(&self, edge: &Edge, before: &Expr) -> bool {
        let mut script = self.script(&edge.inputs);
        script.assert(&self.invariant(before));
        script.assert(&self.thread.term(&edge.guard, &own_input));
        script.assert(&format!("(not {})", self.some_candidate_is_wrong()));
        !script.satisfiable()
    }

    fn follows(&self, edge: &Edge, before: &Expr, after: &Expr) -> bool {
        let mut script = self.script(&edge.inputs);
        script.assert(&self.invariant(before));
        script.assert(&self.thread.term(&edge.guard, &own_input));
        script.assert(&format!("(not {})", self.some_candidate_is_wrong()));
        let mut next = |name: String, sort, value: String| {
            script.declare(&format!("{name}_next"), sort);
            script.assert(&format!("(= {name}_next {value})"));
        };
        for (k, local) in self.thread.locals.iter().enumerate() {
            let name = format!("l{k}");
            let value = self.thread.after(edge, &name, &own_input);
            next(name, local.sort, value);
        }
        for (j, (local, copy)) in self.abstraction.locals.iter().zip(&self.proof.copies).enumerate()
        {
            next(format!("c{j}"), local.sort, self.global_after(edge, *copy));
        }
        for node in self.abstraction.nodes() {
            next(candidate(node), Sort::Bool, self.candidate_after(edge, node));
        }
        let next = |op: &Op| format!("{}_next", in_invariant(op));
        script.assert(&format!("(not {})", term(after, &next)));
        !script.satisfiable()
    }

    /// A global after a step of the thread.
    fn global_after(&self, edge: &Edge, global: u32) -> String {
        self.thread.after(edge, &symbol(&Op::Global(global), ""), &own_input)
    }

    /// Whether a node is a candidate after a step: an edge of the abstract thread leads to it from
    /// a candidate and does the same to the globals. Of arrays only what is written alike is the
    /// same.
    fn candidate_after(&self, step: &Edge, node: u32) -> String {
        let edges = self.abstraction.template.edges.iter();
        let edges = edges.filter(|e| self.is_step(e) && e.target == node);
        let relation = |edge: &Edge| {
            let count = u32::try_from(shared(self.program).len()).expect("few");
            let input = |i: u32| {
                let first = edge.updates.iter().find_map(|(v, new)| match v {
                    Op::Global(k) if *k < count && new.0 == [Op::Input(i)] => Some(*k),
                    _ => None,
                });
                self.global_after(step, first.expect("an input is a next value"))
            };
            let guard = self.abstraction.term(&edge.guard, &input);
            let mut parts = vec![candidate(edge.source), guard];
            for (k, global) in (0..).zip(shared(self.program)) {
                let name = symbol(&Op::Global(k), "");
                let (theirs, ours) =
                    (self.abstraction.after(edge, &name, &input), self.global_after(step, k));
                match global.sort {
                    Sort::Int | Sort::Bool => parts.push(format!("(= {theirs} {ours})")),
                    _ if theirs == ours => {}
                    _ => return "false".to_owned(),
                }
            }
            format!("(and {})", parts.join(" "))
        };
        format!("(or false {})", edges.map(relation).collect::<Vec<_>>().join(" "))
    }
}

/// The name of "this node is a candidate".
fn candidate(node: u32) -> String {
    format!("f{node}")
}

/// The name of a variable of an invariant.
fn in_invariant(op: &Op) -> String {
    match op {
        Op::Local(0, k) => format!("l{k}"),
        Op::Local(1, x) => candidate(*x),
        Op::Local(2, j) => format!("c{j}"),
        other => panic!("{other:?} in an invariant"),
    }
}
