//! Calls: functions of the program are inlined.

mod allocation;
mod assertion;
mod atomic;
mod builtin;
pub(crate) mod operand;

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::declaration::specify::Parameter;
use crate::frontend::c::lower::thread::Frame;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::modelled::ERRORS;
use crate::frontend::c::syntax::query::{changed, has_effects};
use crate::frontend::c::term::{compare, int};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::{Value, void};
use crate::frontend::c::unit::{Entity, Scope};
use lang_c::ast::{CallExpression, Expression, FunctionDefinition};
use lang_c::span::Node;
use threadproof_format::Cmp;

impl<'a> Lowering<'a> {
    pub(crate) fn call(&mut self, call: &'a CallExpression, at: usize) -> Lower<Value> {
        if let Expression::Identifier(name) = &call.callee.node {
            let name = &name.node.name;
            let variable = matches!(self.unit.lookup(name), Some(Entity::Object(_)));
            if !variable && self.unit.function(name.as_str()).is_none() {
                return self.builtin(name, &call.arguments, at);
            }
        }
        let pointer = self.value(&call.callee)?;
        if pointer.as_constant().is_some() {
            let Some(name) = self.memory.function_at(&pointer) else {
                return Err(Fault::unsupported(at, "a call of what is no function"));
            };
            let arguments = self.arguments(&call.arguments)?;
            return self.inline(&name, arguments, at);
        }
        let pointer = self.kept(pointer, at)?;
        let arguments = self.arguments(&call.arguments)?;
        let candidates = self.candidates(&pointer, at)?;
        let (end, target) = (self.steps.node(), self.steps.temporary());
        let start = self.steps.here();
        let mut ty = Type::Void;
        let same: Vec<_> = candidates
            .iter()
            .map(|(_, a)| compare(Cmp::Eq, &pointer.term, &int(a.clone())))
            .collect();
        let partial = self.none_of(same.iter(), at);
        for ((name, _), same) in candidates.into_iter().zip(same) {
            let body = self.steps.node();
            self.steps.resume(start);
            self.steps.edge(body, Command::default().when(same), partial)?;
            self.steps.resume(body);
            let value = self.inline(&name, arguments.clone(), at)?;
            ty = value.ty.clone();
            if let Type::Struct(_) = ty {
                return Err(Fault::unsupported(
                    at,
                    "a structure from a function that is not known",
                ));
            }
            self.steps.edge(end, Command::default().set(target.clone(), value.term), false)?;
        }
        self.steps.resume(end);
        if ty == Type::Void {
            return Ok(void());
        }
        Ok(Value::new(vec![target], ty))
    }

    /// The values of arguments, from left to right.
    pub(crate) fn arguments(&mut self, list: &'a [Node<Expression>]) -> Lower<Vec<Value>> {
        let mut out = Vec::new();
        for (i, argument) in list.iter().enumerate() {
            let value = self.value(argument)?;
            let value = self.structure_of_its_own(value, argument.span.end)?;
            let later = list[i + 1..].iter().any(has_effects);
            let keep = later && value.as_constant().is_none();
            out.push(if keep { self.kept(value, argument.span.start)? } else { value });
        }
        Ok(out)
    }

    /// A function of the program with the values of its arguments.
    pub(crate) fn inline(&mut self, name: &str, arguments: Vec<Value>, at: usize) -> Lower<Value> {
        // An error function is one whatever its body says: it may be empty.
        if ERRORS.contains(&name) {
            self.fail(at)?;
            return Ok(void());
        }
        let Some(function) = self.unit.function(name) else {
            return Err(Fault::unsupported(
                at,
                format!("a call of `{name}`, which has no definition"),
            ));
        };
        if self.inlined.frame.function == name {
            return Err(Fault::unsupported(at, format!("`{name}` calls itself")));
        }
        self.steps.path.enter(name, at)?;
        let atomic = name.starts_with("__VERIFIER_atomic_");
        if atomic {
            self.steps.begin()?;
        }
        let end = self.steps.node();
        let result = self.body_of(name, function, arguments, end, at)?;
        self.steps.path.leave();
        if atomic {
            self.steps.finish(at)?;
        }
        Ok(result)
    }

    /// Lowers the body of a function from here to `end`; gives its result.
    pub(crate) fn body_of(
        &mut self,
        name: &str,
        function: &'a FunctionDefinition,
        arguments: Vec<Value>,
        end: usize,
        at: usize,
    ) -> Lower<Value> {
        self.assertions.entered.insert(name.to_owned());
        let scopes = self.unit.outside();
        let (_, ty, parameters) = self.signature(function)?;
        let Type::Function(signature) = &ty else {
            return Err(Fault::wrong(at, format!("`{name}` is no function")));
        };
        let result_type = signature.result.clone();
        if arguments.len() < parameters.len() {
            return Err(Fault::wrong(at, format!("too few arguments of `{name}`")));
        }
        self.unit.open();
        self.bind(function, parameters, arguments, at)?;
        let (mut result, mut structure) = (None, None);
        if let Type::Struct(_) = &result_type {
            // Each call has a result of its own, that no other one overwrites.
            structure = Some(self.automatic("result", result_type.clone(), at)?);
        } else {
            result = self.result_variable(name, &result_type, at)?;
        }
        let frame = Frame { function: name.to_owned(), result, structure, end, ..Frame::default() };
        let outer = std::mem::replace(&mut self.inlined.frame, frame);
        let span = self.steps.span();
        self.statement(&function.statement)?;
        self.steps.locate(span);
        let frame = std::mem::replace(&mut self.inlined.frame, outer);
        if let Some(label) = frame.labels.keys().find(|name| !frame.placed.contains(*name)) {
            return Err(Fault::wrong(at, format!("`{name}` has no label `{label}`")));
        }
        self.result_of(frame, scopes, at)
    }

    /// The parameters of a function get the values of its arguments.
    fn bind(
        &mut self,
        function: &'a FunctionDefinition,
        parameters: Vec<Parameter>,
        arguments: Vec<Value>,
        at: usize,
    ) -> Lower<()> {
        let changed = changed(&function.statement);
        for ((parameter, ty, place), value) in parameters.into_iter().zip(arguments) {
            let Some(parameter) = parameter else { continue };
            let structure = matches!(ty, Type::Struct(_));
            if !ty.is_scalar() && !structure {
                return Err(Fault::unsupported(place, "a parameter of this type"));
            }
            let value = self.convert(value, &ty, at)?;
            let known = value.as_constant().is_some() && !structure;
            let object = if known && !changed.contains(parameter.as_str()) {
                self.memory.bound(&parameter, Value { ty, ..value }, place)
            } else {
                let object = self.automatic(&parameter, ty.clone(), place)?;
                self.write_cell(object, 0, ty, &value, at)?;
                object
            };
            self.unit.declare(parameter, Entity::Object(object));
        }
        Ok(())
    }

    /// The result of a function whose body has been lowered, back in the caller's scopes.
    fn result_of(&mut self, frame: Frame, scopes: Vec<Scope>, at: usize) -> Lower<Value> {
        let end = frame.end;
        // Whoever comes to the end of a function with a result gives any.
        if let Some((target, ty)) = &frame.result {
            let value = self.steps.any("any", ty.clone())?;
            self.steps.edge(end, Command::default().set(target.clone(), value.term), false)?;
        } else {
            self.steps.jump(end)?;
        }
        self.unit.back(scopes);
        self.steps.resume(end);
        if let Some(object) = frame.structure {
            let place = self.object_place(object, at);
            return self.structure_at(&place);
        }
        match frame.result {
            Some((target, ty)) => {
                let copy = self.steps.temporary();
                let command = Command::default().set(copy.clone(), vec![target]);
                self.steps.step(vec![command], false)?;
                Ok(Value::new(vec![copy], ty))
            }
            None => Ok(void()),
        }
    }

    pub(crate) fn result_variable(
        &mut self,
        name: &str,
        ty: &Type,
        at: usize,
    ) -> Lower<Option<(threadproof_format::Op, Type)>> {
        if *ty == Type::Void {
            return Ok(None);
        }
        if !ty.is_scalar() {
            return Err(Fault::unsupported(at, format!("the result of `{name}`")));
        }
        let ty = ty.plain().clone();
        if let Some(known) = self.inlined.results.get(name) {
            return Ok(Some((known.clone(), ty)));
        }
        let variable = self.steps.scalar(format!("{name}_result"), &ty);
        self.inlined.results.insert(name.to_owned(), variable.clone());
        Ok(Some((variable, ty)))
    }
}
