//! The threads of a program: which templates there are, and the body of each.
//!
//! A thread that is created once is a single template: its first step waits until it has been
//! created, which can be right before whatever it does first. Where threads are created in a loop,
//! or by one of many threads, they are a template of many threads. `pthread_create` then sets
//! `created` and the argument, and the first step of a thread that has not started resets
//! `created`, so that as many start as have been created: that a thread starts at once, before the
//! next one is created, shows nothing, since no other thread sees it. Where a loop only creates
//! threads (`free`), `created` stays set: any number can start from then on.

mod handles;

use crate::frontend::c::error::{Fault, Lower, Problems};
use crate::frontend::c::facts::Site;
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::thread::{Inlined, Thread};
use crate::frontend::c::steps::builder::Steps;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::variable::Variable;
use crate::frontend::c::term::{compare, int};
use crate::frontend::c::threads::{Argument, Creation, Spawned};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Type, function_type};
use lang_c::ast::{ExternalDeclaration, FunctionDefinition, TranslationUnit};
use lang_c::span::Node;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Sort};

/// Templates of one program.
const MAX_THREADS: usize = 64;

/// Whether the lowering goes on with other threads behind what is wrong with one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Go {
    /// The first problem ends it.
    Stop,
    /// The problems of all threads are collected.
    On,
}

impl<'a> Lowering<'a> {
    /// Lowers all threads, the main one first.
    pub(crate) fn program(&mut self, unit: &'a TranslationUnit, go: Go) -> Lower<Vec<ThreadGraph>> {
        self.outside(unit)?;
        self.threads.identities(&self.facts.known, &mut self.memory);
        self.allocated()?;
        let mut problems = Problems::default();
        let mut keep =
            |outcome| if go == Go::On { problems.keep(outcome) } else { outcome.map(Some) };
        let mut made = Vec::from_iter(keep(self.main())?);
        let mut next = 0;
        while let Some(spawned) = self.threads.spawned().get(next).cloned() {
            next += 1;
            if next >= MAX_THREADS {
                return Err(Fault::unsupported(spawned.at, "so many threads"));
            }
            made.extend(keep(self.spawned_thread(next, &spawned))?);
        }
        problems.all()?;
        self.facts.found.numbered |= self.threads.joins_repeated();
        self.memory.unresolved()?;
        Ok(made)
    }

    /// Declarations and definitions outside of functions.
    fn outside(&mut self, unit: &'a TranslationUnit) -> Lower<()> {
        let mut problems = Problems::default();
        for part in &unit.0 {
            self.steps.locate(part.span);
            let outcome = match &part.node {
                ExternalDeclaration::Declaration(d) => self.declaration(d, true),
                ExternalDeclaration::StaticAssert(s) => self.static_assertion(s),
                ExternalDeclaration::FunctionDefinition(f) => self.function(f),
            };
            problems.keep(outcome)?;
        }
        problems.all()
    }

    /// The definition of a function.
    fn function(&mut self, f: &'a Node<FunctionDefinition>) -> Lower<()> {
        let (name, ty, _) = self.signature(&f.node)?;
        self.unit.define(name, ty, f)
    }

    fn thread(&mut self, number: usize, many: bool, chain: Vec<String>) -> Lower<()> {
        self.thread = Thread { number, many, chain, ..Thread::default() };
        self.steps = Steps::new(self.source, self.steps.span());
        self.inlined = Inlined::default();
        self.memory.next_thread();
        self.unit.outside();
        self.thread_locals()
    }

    fn main(&mut self) -> Lower<ThreadGraph> {
        let Some(function) = self.unit.function("main") else {
            return Err(Fault::wrong(0, "there is no function `main`"));
        };
        self.steps.locate(function.declarator.span);
        self.thread(0, false, vec!["main".to_owned()])?;
        self.thread.end = self.steps.node();
        let (_, _, parameters) = self.signature(function)?;
        let mut arguments = Vec::new();
        for (_, ty, _) in &parameters {
            arguments.push(self.steps.any("any", ty.clone())?);
        }
        let at = self.steps.span().start;
        self.body_of("main", function, arguments, self.thread.end, at)?;
        self.made("main".to_owned())
    }

    /// The template of a thread that is created at a place, and its number.
    pub(crate) fn spawn(&mut self, function: &str, value: &Value, at: usize) -> (usize, Site) {
        let site = (self.thread.number, self.steps.path.to(at));
        let again = self.thread.chain.iter().any(|f| f == function);
        let many = self.thread.many || again || self.facts.known.repeated.contains(&site);
        let range =
            self.argument_range((function.to_owned(), (!many).then(|| site.clone())), value);
        let chain = &self.thread.chain;
        let creation = Creation { function, site: site.clone(), many, value, range, chain, at };
        let number = self.threads.template(creation, &mut self.facts, &mut self.memory);
        (number, site)
    }

    /// The range of what threads are created with at a place, or at any place for a template of
    /// many.
    fn argument_range(&mut self, place: (String, Option<Site>), value: &Value) -> (BigInt, BigInt) {
        let range = (value.low.clone(), value.high.clone());
        let known = self.facts.known.arguments.get(&place).cloned().unwrap_or(range.clone());
        self.facts.found.argument(place.clone(), known.clone());
        self.facts.found.argument(place, range);
        known
    }

    fn spawned_thread(&mut self, number: usize, spawned: &Spawned) -> Lower<ThreadGraph> {
        let name = &spawned.function;
        let Some(function) = self.unit.function(name) else {
            let what = format!("`{name}`, which has no definition");
            return Err(Fault::unsupported(spawned.at, what));
        };
        self.steps.locate(function.declarator.span);
        self.thread(number, spawned.many, spawned.chain.clone())?;
        let value = self.starts(spawned)?;
        self.thread.end = self.steps.node();
        let (_, ty, parameters) = self.signature(function)?;
        if let Some(Type::Pointer(to)) = function_type(&ty).map(|f| f.result.plain().clone()) {
            self.thread.result = self.result_variable(name, &Type::Pointer(to), spawned.at)?;
        }
        let arguments = if parameters.is_empty() { Vec::new() } else { vec![value] };
        let at = self.steps.span().start;
        let result = self.body_of(name, function, arguments, self.thread.end, at)?;
        self.ends(spawned, &result)?;
        self.made(name.clone())
    }

    /// The first step of a thread, once it has been created; gives its argument.
    fn starts(&mut self, spawned: &Spawned) -> Lower<Value> {
        let created = std::slice::from_ref(&spawned.created);
        let mut command = Command::default().when(compare(Cmp::Eq, created, &int(1)));
        if spawned.many && !spawned.free {
            command = command.set(spawned.created.clone(), int(0));
        }
        let value = match &spawned.argument {
            Argument::Constant(value) => value.clone(),
            Argument::Left(op, low, high) => {
                let target = self.steps.temporary();
                command = command.set(target.clone(), vec![op.clone()]);
                let ty = Type::Pointer(Type::Void.into());
                let (low, high) = (low.clone(), high.clone());
                Value { term: vec![target], ty, low, high, object: None }
            }
        };
        if let Some(number) = &spawned.number {
            let name = format!("{}_number", spawned.function);
            let own = self.steps.own(Variable { name, sort: Sort::Int, init: None, range: None });
            command = command.set(own.clone(), vec![number.clone()]);
            self.thread.own = Some(own);
        }
        self.steps.step(vec![command], true)?;
        if spawned.free {
            // Once it is possible it stays so, and nobody sees it.
            self.steps.hide();
        }
        Ok(value)
    }

    /// What has been lowered. Where threads are created more than once comes to light here.
    fn made(&mut self, name: String) -> Lower<ThreadGraph> {
        let thread = std::mem::take(&mut self.thread);
        let fresh = Steps::new(self.source, self.steps.span());
        let (graph, variables, copies) = std::mem::replace(&mut self.steps, fresh).done();
        for (edge, site) in &thread.creations {
            if graph.on_a_cycle(*edge) {
                self.facts.found.repeated.insert(site.clone());
            }
        }
        for (edge, at) in &thread.allocations {
            if graph.on_a_cycle(*edge) {
                return Err(Fault::unsupported(*at, "an allocation in a loop"));
            }
        }
        self.assertions.lowered(&graph, &copies);
        let Thread { many, accesses, creations, .. } = thread;
        let creations = creations.into_iter().map(|(edge, _)| edge).collect();
        Ok(ThreadGraph { name, many, graph, variables, accesses, creations })
    }
}
