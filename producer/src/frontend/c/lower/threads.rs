//! Threads: which templates there are, and the body of each.
//!
//! A thread that is created once is a single template: its first step waits until it has been created, which can be
//! right before whatever it does first. Where threads are created in a loop, or by one of many threads, they are a
//! template of many threads. The creation then leaves word (`created`, and the argument), and a thread that has not
//! started takes it, so that as many start as have been created: that a thread starts at once, before the next one is
//! created, shows nothing, since nobody sees it. Where a loop does nothing but to create threads (`free`), the word stays:
//! any number can start from then on.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::thread::Thread;
use crate::frontend::c::steps::command::{Access, Command};
use crate::frontend::c::steps::graph::Node;
use crate::frontend::c::steps::term::{compare, int};
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::value::Value;
use crate::frontend::c::steps::variable::Variable;
use crate::frontend::c::threads::{Argument, Site, Spawned};
use crate::frontend::c::types::{Type, function_type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{ExternalDeclaration, TranslationUnit};
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op, Sort};

/// Templates of one program.
const MAX_THREADS: usize = 64;

impl<'a> Lowering<'a> {
    /// Lowers all threads, the main one first.
    pub(crate) fn program(&mut self, unit: &'a TranslationUnit) -> Lower<Vec<ThreadGraph>> {
        self.outside(unit)?;
        self.identities();
        self.allocated()?;
        let mut made = vec![self.main()?];
        let mut next = 0;
        while let Some(spawned) = self.spawned.get(next).cloned() {
            next += 1;
            if next >= MAX_THREADS {
                return Err(Fault::unsupported(spawned.at, "so many threads"));
            }
            made.push(self.spawned_thread(next, &spawned)?);
        }
        self.found.numbered |= self.joins_repeated();
        if let Some(fault) = self.pending.take() {
            return Err(fault);
        }
        Ok(made)
    }

    /// Whether it may be that a thread is joined that is created in a loop.
    fn joins_repeated(&self) -> bool {
        let (joined, repeated) = (&self.joined, &self.repeated_names);
        let unknown =
            self.copied || joined.contains_key(&usize::MAX) || repeated.contains(&usize::MAX);
        let both = joined.keys().any(|object| repeated.contains(object));
        both || (unknown && !joined.is_empty() && !repeated.is_empty())
    }

    /// Declarations and definitions outside of functions.
    fn outside(&mut self, unit: &'a TranslationUnit) -> Lower<()> {
        for part in &unit.0 {
            self.span = part.span;
            match &part.node {
                ExternalDeclaration::Declaration(d) => self.declaration(d, true)?,
                ExternalDeclaration::StaticAssert(s) => self.static_assertion(s)?,
                ExternalDeclaration::FunctionDefinition(f) => {
                    let (name, ty, _) = self.signature(&f.node)?;
                    if self.functions.insert(name.clone(), &f.node).is_some() {
                        let message = format!("`{name}` is defined twice");
                        return Err(Fault::wrong(f.span.start, message));
                    }
                    self.globals.names.insert(name, Entity::Function(ty));
                }
            }
        }
        Ok(())
    }

    pub(crate) fn flag(&mut self, name: String) -> Op {
        let init = Some(vec![BigInt::from(0)]);
        self.global(Variable { name, sort: Sort::Int, init, range: None })
    }

    fn thread(&mut self, number: usize, many: bool, chain: Vec<String>) -> Lower<()> {
        self.t = Thread { number, many, chain, ..Thread::default() };
        self.t.graph.node(Node::default());
        self.scopes.clear();
        self.thread_locals()
    }

    fn main(&mut self) -> Lower<ThreadGraph> {
        let Some(function) = self.functions.get("main").copied() else {
            return Err(Fault::wrong(0, "there is no function `main`".to_owned()));
        };
        self.span = function.declarator.span;
        self.thread(0, false, vec!["main".to_owned()])?;
        self.t.end = self.node();
        let (_, _, parameters) = self.signature(function)?;
        let mut arguments = Vec::new();
        for (_, ty, _) in &parameters {
            arguments.push(self.any("any", ty.clone())?);
        }
        let at = self.span.start;
        self.body_of("main", function, arguments, self.t.end, at)?;
        self.made("main".to_owned())
    }

    /// The template of a thread that is created at a place, and its number.
    pub(crate) fn spawn(
        &mut self,
        function: &str,
        value: &Value,
        at: usize,
    ) -> Lower<(usize, Site)> {
        let mut calls: Vec<usize> = self.t.calls.iter().map(|(_, at)| *at).collect();
        calls.push(at);
        // No place is that far behind.
        calls.extend(self.t.rounds.iter().flat_map(|[at, round]| [*at, usize::MAX - round]));
        let site = (self.t.number, calls);
        let again = self.t.chain.iter().any(|f| f == function);
        let many = self.t.many || again || self.known.repeated.contains(&site);
        let constant = value.as_constant().cloned();
        let key = (function.to_owned(), constant.clone());
        let place = (function.to_owned(), (!many).then(|| site.clone()));
        let (low, high) = self.argument_range(place, value);
        let known = if many { self.many.get(&key) } else { self.sites.get(&site) };
        if let Some(number) = known {
            return Ok((*number, site));
        }
        let created = self.flag(format!("{function}_created"));
        let argument = match constant {
            Some(_) => Argument::Constant(value.clone()),
            None => {
                let (name, init) = (format!("{function}_argument"), Some(vec![BigInt::from(0)]));
                let range = Some((low.clone().min(0.into()), high.clone().max(0.into())));
                let op = self.global(Variable { name, sort: Sort::Int, init, range });
                Argument::Left(op, low, high)
            }
        };
        let mut chain = self.t.chain.clone();
        chain.push(function.to_owned());
        let (mut ended, mut number) = (None, None);
        if !many {
            self.handed.insert(created.clone());
            if let Argument::Left(op, ..) = &argument {
                self.handed.insert(op.clone());
            }
            self.found.singles.insert(site.clone(), function.to_owned());
            let position = self.known.singles.keys().position(|known| *known == site);
            ended = position.map(|i| self.ended[i].clone());
        } else if self.numbers.is_some() {
            number = Some(self.flag(format!("{function}_number")));
        }
        let free = many && number.is_none() && self.known.free.contains(&key);
        let function = function.to_owned();
        self.spawned.push(Spawned {
            function,
            many,
            free,
            chain,
            created,
            ended,
            number,
            argument,
            at,
        });
        let number = self.spawned.len() - 1;
        match many {
            true => self.many.insert(key, number),
            false => self.sites.insert(site.clone(), number),
        };
        Ok((number, site))
    }

    /// The range of what threads are created with at a place, or at any place for a template of many.
    fn argument_range(&mut self, place: (String, Option<Site>), value: &Value) -> (BigInt, BigInt) {
        let known = self.known.arguments.get(&place).cloned();
        let (low, high) = known.unwrap_or((value.low.clone(), value.high.clone()));
        let found = self.found.arguments.entry(place).or_insert((low.clone(), high.clone()));
        found.0 = found.0.clone().min(value.low.clone());
        found.1 = found.1.clone().max(value.high.clone());
        (low, high)
    }

    fn spawned_thread(&mut self, number: usize, spawned: &Spawned) -> Lower<ThreadGraph> {
        let name = &spawned.function;
        let Some(function) = self.functions.get(name.as_str()).copied() else {
            return Err(Fault::unsupported(
                spawned.at,
                format!("`{name}`, which has no definition"),
            ));
        };
        self.span = function.declarator.span;
        self.thread(number, spawned.many, spawned.chain.clone())?;
        let created = std::slice::from_ref(&spawned.created);
        let mut command = Command::default().when(compare(Cmp::Eq, created, &int(1)));
        if spawned.many && !spawned.free {
            command = command.set(spawned.created.clone(), int(0));
        }
        let value = match &spawned.argument {
            Argument::Constant(value) => value.clone(),
            Argument::Left(op, low, high) => {
                let target = self.temporary();
                command = command.set(target.clone(), vec![op.clone()]);
                let ty = Type::Pointer(Type::Void.into());
                let (low, high) = (low.clone(), high.clone());
                Value { term: vec![target], ty, low, high, object: None }
            }
        };
        if let Some(number) = &spawned.number {
            let name = format!("{name}_number");
            let own = self.own(Variable { name, sort: Sort::Int, init: None, range: None });
            command = command.set(own.clone(), vec![number.clone()]);
            self.t.own = Some(own);
        }
        self.step(vec![command], true)?;
        if spawned.free {
            // Once it is possible it stays so, and nobody sees it: it can come right before the next step.
            self.t.graph.edges.iter_mut().for_each(|edge| edge.access = Access::None);
        }
        self.t.end = self.node();
        let (_, ty, parameters) = self.signature(function)?;
        if let Some(Type::Pointer(to)) = function_type(&ty).map(|f| f.result.plain().clone()) {
            self.t.result = self.result_variable(name, &Type::Pointer(to), spawned.at)?;
        }
        let arguments = if parameters.is_empty() { Vec::new() } else { vec![value] };
        let at = self.span.start;
        let result = self.body_of(name, function, arguments, self.t.end, at)?;
        self.ends(spawned, &result)?;
        self.made(name.clone())
    }

    /// What has been lowered. Where threads are created more than once comes to light here.
    fn made(&mut self, name: String) -> Lower<ThreadGraph> {
        for (edge, site) in &self.t.creations {
            if self.t.graph.on_a_cycle(*edge) {
                self.found.repeated.insert(site.clone());
            }
        }
        for (edge, at) in &self.t.allocations {
            if self.t.graph.on_a_cycle(*edge) {
                return Err(Fault::unsupported(*at, "an allocation in a loop"));
            }
        }
        let thread = std::mem::take(&mut self.t);
        self.assertions.lowered(&thread.graph, &thread.copies);
        self.t.graph.node(Node::default());
        let Thread { many, graph, variables, accesses, creations, .. } = thread;
        let creations = creations.into_iter().map(|(edge, _)| edge).collect();
        Ok(ThreadGraph { name, many, graph, variables, accesses, creations })
    }
}
