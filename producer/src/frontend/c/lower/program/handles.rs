//! `pthread_create`, `pthread_join` and the end of threads, with their identities
//! (`crate::frontend::c::threads`).

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::call::operand::Operands;
use crate::frontend::c::memory::place::Change;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::term::{compare, int, is, select, store};
use crate::frontend::c::threads::{Argument, Numbers, Spawned};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    /// `pthread_create`: the thread can start from now on.
    pub(crate) fn create(&mut self, operands: &Operands<'a>, at: usize) -> Lower<()> {
        self.assumed.success = true;
        let place = operands.place(0)?;
        let Some(function) = self.memory.function_at(&operands.value(2)?) else {
            return Err(Fault::unsupported(at, "a thread whose function is not known"));
        };
        let value = self.convert(operands.value(3)?, &Type::Pointer(Type::Void.into()), at)?;
        self.expose(&value, at, true)?;
        let (number, site) = self.spawn(&function, &value, at);
        let spawned = self.threads.spawned()[number].clone();
        let mut set = vec![(spawned.created.clone(), int(1))];
        if let Argument::Left(op, ..) = &spawned.argument {
            set.push((op.clone(), value.term));
        }
        let waits = spawned.many && !spawned.free;
        let mut when = vec![Op::Bool(true)];
        if waits {
            if self.steps.depth() > 0 {
                // The one before must be able to start.
                let what = "threads created repeatedly inside an atomic section";
                return Err(Fault::unsupported(at, what));
            }
            when = is(Cmp::Eq, std::slice::from_ref(&spawned.created), 0);
        }
        let id = self.threads.identity(&spawned, &site, &self.facts.known, &mut set);
        if id.is_some() {
            self.update(&place, waits, &move |_| {
                vec![Change { when: when.clone(), value: id.clone(), set: set.clone() }]
            })?;
        } else {
            self.threads.is_repeated(self.object_of(&place));
            self.used(&place)?;
            let mut command = Command::default().when(when);
            for (variable, value) in set {
                command = command.set(variable, value);
            }
            self.steps.step(vec![command], waits)?;
        }
        // All edges of this step lead to the same location but those to errors, which come first.
        let edge = self.steps.next_edge() - 1;
        self.thread.creations.push((edge, site));
        Ok(())
    }

    /// `pthread_join`: waits until a thread has ended.
    pub(crate) fn join(&mut self, operands: &Operands<'a>, at: usize) -> Lower<()> {
        self.assumed.joins = true;
        let (id, object) = operands.handle(0)?;
        self.threads.is_joined(object);
        let result = operands.value(1)?;
        let wanted = result.as_constant().is_none_or(|v| *v != 0.into());
        if wanted && result.as_constant().is_none() && result.object.is_none() {
            return Err(Fault::unsupported(at, "a result that goes where a variable points to"));
        }
        self.facts.found.results |= wanted;
        let target = self.steps.temporary();
        let finished = |command: Command, given: Vec<Op>| match wanted {
            true => command.set(target.clone(), given),
            false => command,
        };
        let mut alternatives = Vec::new();
        for (i, (ended, result)) in self.threads.ended().iter().enumerate() {
            let command = Command::default()
                .when(compare(Cmp::Eq, &id.term, &int(i + 1)))
                .when(is(Cmp::Eq, std::slice::from_ref(ended), 1));
            alternatives.push(finished(command, vec![result.clone()]));
        }
        if let Some(Numbers { last, ended, results }) = self.threads.numbers() {
            let command = Command::default()
                .when(compare(Cmp::Gt, &id.term, &int(self.threads.ended().len())))
                .when(compare(Cmp::Le, &id.term, std::slice::from_ref(last)))
                .when(is(Cmp::Eq, &select(ended.clone(), &id.term), 1));
            alternatives.push(finished(command, select(results.clone(), &id.term)));
        }
        self.steps.step(alternatives, true)?;
        if wanted {
            let place = self.dereference(result, at)?;
            let given = Value::new(vec![target], Type::Pointer(Type::Void.into()));
            let given = self.convert(given, &place.ty.clone(), at)?;
            self.write(&place, &given)?;
        }
        Ok(())
    }

    /// `pthread_exit`.
    pub(crate) fn exit(&mut self, value: Value, at: usize) -> Lower<()> {
        if self.steps.depth() > 0 {
            return Err(Fault::unsupported(at, "the end of a thread inside an atomic section"));
        }
        if self.facts.known.results
            && let Some((result, ty)) = self.thread.result.clone()
        {
            let value = self.convert(value, &ty, at)?;
            self.expose(&value, at, true)?;
            self.steps.step(vec![Command::default().set(result, value.term)], false)?;
        }
        let end = self.thread.end;
        self.steps.jump(end)?;
        self.steps.nowhere();
        Ok(())
    }

    /// The last step of a thread, with its result if any thread asks for one.
    pub(crate) fn ends(&mut self, spawned: &Spawned, result: &Value) -> Lower<()> {
        if self.facts.known.results {
            if self.thread.result.is_none() {
                let what = "results of threads, where a thread's function gives no pointer";
                return Err(Fault::unsupported(spawned.at, what));
            }
            self.expose(result, spawned.at, true)?;
        }
        let given = if self.facts.known.results { result.term.clone() } else { int(0) };
        let mut command = Command::default();
        if let Some((ended, gives)) = &spawned.ended {
            command = command.set(ended.clone(), int(1)).set(gives.clone(), given.clone());
        }
        if let (Some(number), Some(Numbers { ended, results, .. })) =
            (&self.thread.own, self.threads.numbers())
        {
            let number = std::slice::from_ref(number);
            command = command
                .set(ended.clone(), store(ended.clone(), number, &int(1)))
                .set(results.clone(), store(results.clone(), number, &given));
        }
        self.steps.step(vec![command], false)
    }
}
