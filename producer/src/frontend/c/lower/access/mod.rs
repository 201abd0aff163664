//! Access to objects: what lvalues designate, and how places are read, written and updated, each in
//! one step.

mod aggregate;
mod check;
mod pointer;

use crate::frontend::c::check::Check;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::object::Storage;
use crate::frontend::c::memory::place::{Cell, Change, Place, Range, Target, same_type};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::term;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::{Value, range};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, Expression, MemberOperator, UnaryOperator,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    pub(crate) fn object_place(&self, object: usize, at: usize) -> Place {
        let offset = Value::constant(0, Type::int());
        Place {
            target: Target::Object(object, offset),
            ty: self.memory.object(object).ty.clone(),
            at,
        }
    }

    /// What an expression refers to.
    pub(crate) fn lvalue(&mut self, e: &'a Node<Expression>) -> Lower<Place> {
        let at = e.span.start;
        match &e.node {
            Expression::Identifier(name) => self.named_place(&name.node.name, at),
            Expression::Member(member) => {
                let of = &member.node.expression;
                let place = match member.node.operator.node {
                    MemberOperator::Direct => self.lvalue(of)?,
                    MemberOperator::Indirect => {
                        let pointer = self.value(of)?;
                        self.dereference(pointer, at)?
                    }
                };
                self.member(place, &member.node.identifier.node.name, at)
            }
            Expression::UnaryOperator(unary)
                if unary.node.operator.node == UnaryOperator::Indirection =>
            {
                let pointer = self.value(&unary.node.operand)?;
                self.dereference(pointer, at)
            }
            Expression::BinaryOperator(binary)
                if binary.node.operator.node == BinaryOperator::Index =>
            {
                self.element(&binary.node, 0, at)
            }
            Expression::StringLiteral(_) => {
                let pointer = self.value(e)?;
                self.dereference(pointer, at)
            }
            Expression::Call(_) => {
                let value = self.value(e)?;
                match value.ty {
                    Type::Struct(_) => self.structure_place(&value, at),
                    _ => Err(Fault::unsupported(at, "this in the place of a variable")),
                }
            }
            Expression::CompoundLiteral(_) => Err(Fault::unsupported(at, "a compound literal")),
            _ => Err(Fault::unsupported(at, "this in the place of a variable")),
        }
    }

    /// The variable or function of a name.
    fn named_place(&self, name: &str, at: usize) -> Lower<Place> {
        match self.unit.lookup(name) {
            Some(Entity::Object(object)) => match &self.memory.object(*object).ty {
                Type::Unsupported(what) => Err(Fault::unsupported(at, what)),
                _ => Ok(self.object_place(*object, at)),
            },
            Some(Entity::Function(ty)) => {
                Ok(Place { target: Target::Function(name.to_owned()), ty: ty.clone(), at })
            }
            Some(_) => Err(Fault::wrong(at, "this is not a variable")),
            None => Err(Fault::wrong(at, format!("`{name}` is not declared"))),
        }
    }

    /// `array[index]`, or as many elements `beyond` the array if only the address is asked for.
    pub(crate) fn element(
        &mut self,
        binary: &'a BinaryOperatorExpression,
        beyond: usize,
        at: usize,
    ) -> Lower<Place> {
        let (array, index) = (&binary.lhs, &binary.rhs);
        let size = match self.type_of(array)?.plain() {
            Type::Array(_, size) => size.map(|size| size + beyond),
            _ => None,
        };
        let pointer = self.value(array)?;
        let pointer = self.stable(pointer, index)?;
        let index = self.value(index)?;
        if pointer.ty.pointee().is_none() {
            return Err(Fault::unsupported(at, "an index in front of its array"));
        }
        let index = self.in_bounds(index, size, at)?;
        let pointer = self.moved(pointer, &index, 1, at)?;
        self.dereference(pointer, at)
    }

    /// An index of an array of a size has to be in bounds.
    fn in_bounds(&mut self, index: Value, size: Option<usize>, at: usize) -> Lower<Value> {
        let Some(size) = size else { return Ok(index) };
        let (zero, last) = (BigInt::from(0), BigInt::from(size) - 1);
        if index.low >= zero && index.high <= last {
            return Ok(index);
        }
        if index.as_constant().is_some() {
            if !self.checks.asked(Check::Bounds) {
                return Err(Fault::wrong(at, "an index beyond the array")
                    .hint("with --check bounds this is an error location of the program"));
            }
            self.violated(Check::Bounds, at);
            return Ok(Value::constant(0, index.ty));
        }
        let mut conditions = Vec::new();
        if index.low < zero {
            conditions.push(term::compare(Cmp::Ge, &index.term, &term::int(0)));
        }
        if index.high > last {
            conditions.push(term::compare(Cmp::Le, &index.term, &term::int(last.clone())));
        }
        self.require(Check::Bounds, conditions, at)?;
        Ok(Value { low: index.low.clone().max(zero), high: index.high.clone().min(last), ..index })
    }

    fn member(&mut self, place: Place, name: &str, at: usize) -> Lower<Place> {
        let Type::Struct(number) = place.ty.plain() else {
            return Err(Fault::wrong(at, format!("no structure has a member `{name}` here")));
        };
        let members = self.unit.types.members_of(*number);
        let mut skipped = 0;
        for (member, ty) in members {
            if member == name {
                return Ok(Place { at, ..place }.part(skipped, ty.clone()));
            }
            skipped += self.unit.types.size(ty, at)?;
        }
        Err(Fault::wrong(at, format!("the structure has no member `{name}`")))
    }

    /// The cells that a place may be.
    pub(crate) fn cells(&mut self, place: &Place) -> Lower<(Vec<Cell>, bool)> {
        let at = place.at;
        match &place.target {
            Target::Object(object, offset) => {
                let end = BigInt::from(self.memory.object(*object).cells.len());
                let beyond = |i: &BigInt| *i < BigInt::from(0) || *i >= end;
                if self.checks.asked(Check::Bounds) && offset.as_constant().is_some_and(beyond) {
                    return Ok((Vec::new(), true));
                }
                let cells = self.memory.cells_at(*object, offset, &place.ty, at)?;
                let partial = offset.as_constant().is_none() && cells.1;
                self.assumed.bounds |= partial && !self.checks.asked(Check::Bounds);
                Ok((cells.0, partial))
            }
            Target::Address(address) => {
                self.assumed.pointers |= !self.checks.asked(Check::Bounds);
                self.memory.uses_pointers();
                let mut out = Vec::new();
                for object in self.memory.targets(&self.facts.known.exposed) {
                    let candidate = &self.memory.object(object);
                    let base = candidate.address.clone();
                    let high = BigInt::from(candidate.cells.len()) - 1;
                    let offset = term::sub(address, &term::int(base));
                    let ty = Type::int();
                    let offset =
                        Value { term: offset, ty, low: (-1).into(), high: high + 1, object: None };
                    let same =
                        self.memory.object(object).cells.iter().any(|c| same_type(c, &place.ty));
                    if same {
                        out.extend(self.memory.cells_at(object, &offset, &place.ty, at)?.0);
                    }
                }
                if out.is_empty() && !self.checks.asked(Check::Bounds) {
                    // Another thread may still tell.
                    let what = "a pointer of which it is not known where it points";
                    self.memory.defer(Fault::unsupported(at, what));
                }
                Ok((out, true))
            }
            Target::Function(_) => {
                Err(Fault::unsupported(at, "a function in the place of a variable"))
            }
        }
    }

    /// Reads a place: a step of its own if other threads see it.
    pub(crate) fn read(&mut self, place: &Place) -> Lower<Value> {
        match place.ty.plain() {
            Type::Array(..) | Type::Function(_) => return self.address_of(place),
            Type::Struct(_) => return self.structure_at(place),
            Type::Void => return Err(Fault::wrong(place.at, "a value of type `void`")),
            _ => {}
        }
        let (cells, partial) = self.cells(place)?;
        let ty = place.ty.plain().clone();
        if let [only] = cells.as_slice() {
            if let Some(value) = &only.bound {
                return Ok(value.clone());
            }
            if !only.shared && only.index.is_none() && !partial {
                return Ok(Value::new(only.read(), ty));
            }
        }
        let target = self.steps.temporary();
        let (low, high) = range(&ty);
        let mut alternatives = Vec::new();
        for cell in &cells {
            let value = cell.read();
            let mut command = Command::default().when(cell.when.clone());
            if cell.index.is_some() && cell.undefined {
                command = command.when(term::between(&low, &value, &high));
            }
            self.accessed(cell, place, None, false);
            alternatives.push(command.set(target.clone(), value));
        }
        let partial = self.beyond(&cells, partial, place.at);
        self.steps.step(alternatives, partial)?;
        Ok(Value::new(vec![target], ty))
    }

    /// Writes a value of the place's type: a step of its own if other threads see it.
    pub(crate) fn write(&mut self, place: &Place, value: &Value) -> Lower<()> {
        if let Type::Struct(_) = place.ty.plain() {
            return self.copy(place, value);
        }
        let (cells, partial) = self.cells(place)?;
        let mut alternatives = Vec::new();
        for cell in &cells {
            if cell.bound.is_some() {
                return Err(Fault::unsupported(place.at, "an assignment to this parameter"));
            }
            let command = Command::default().when(cell.when.clone());
            self.accessed(cell, place, None, true);
            alternatives.push(cell.write(command, &value.term));
        }
        let shared = cells.iter().any(|cell| cell.shared);
        self.expose(value, place.at, shared)?;
        let partial = self.beyond(&cells, partial, place.at);
        self.steps.step(alternatives, partial)
    }

    /// Reads and writes a place in one step. `change` gives, for the term that reads it, conditions
    /// with the new value, if it is written, and the values of own variables.
    pub(crate) fn update(
        &mut self,
        place: &Place,
        partial: bool,
        change: &dyn Fn(&[Op]) -> Vec<Change>,
    ) -> Lower<()> {
        let (cells, unknown) = self.cells(place)?;
        let (low, high) = range(&place.ty);
        let mut alternatives = Vec::new();
        for cell in &cells {
            let found = cell.read();
            for Change { when, value, set } in change(&found) {
                if when == [Op::Bool(false)] {
                    continue;
                }
                let mut command = Command::default().when(cell.when.clone());
                if cell.index.is_some() && cell.undefined {
                    command = command.when(term::between(&low, &found, &high));
                }
                self.accessed(cell, place, Some(&when), value.is_some());
                command = command.when(when);
                for (variable, value) in set {
                    command = command.set(variable, value);
                }
                if let Some(value) = value {
                    command = cell.write(command, &value);
                }
                alternatives.push(command);
            }
        }
        let unknown = self.beyond(&cells, unknown, place.at);
        self.steps.step(alternatives, partial || unknown)
    }

    /// Sets one cell of an object that has just been declared.
    pub(crate) fn write_cell(
        &mut self,
        object: usize,
        cell: usize,
        ty: Type,
        value: &Value,
        at: usize,
    ) -> Lower<()> {
        let offset = Value::constant(cell, Type::int());
        self.write(&Place { target: Target::Object(object, offset), ty, at }, value)
    }

    /// A variable without an initial value has any.
    pub(crate) fn undefined(&mut self, object: usize) -> Lower<()> {
        self.filled(object, &|command, name, range| match range {
            Some((low, high)) => command.input(name, low, high),
            None => command.array(name),
        })
    }

    /// All cells of a local variable become zero.
    pub(crate) fn cleared(&mut self, object: usize) -> Lower<()> {
        let o = self.memory.object(object).clone();
        if let Storage::Array(_) = o.storage {
            for (i, ty) in o.cells.iter().enumerate() {
                let zero = Value::constant(0, ty.clone());
                self.write_cell(object, i, ty.clone(), &zero, o.at)?;
            }
            return Ok(());
        }
        self.filled(object, &|_, _, _| Op::Int(threadproof_format::Int(0.into())))
    }

    fn filled(
        &mut self,
        object: usize,
        value: &dyn Fn(&mut Command, &str, Range) -> Op,
    ) -> Lower<()> {
        let o = self.memory.object(object).clone();
        let name = format!("any_{}", o.name);
        let mut command = Command::default();
        match &o.storage {
            Storage::Cells(cells) => {
                for (variable, ty) in cells.iter().zip(&o.cells) {
                    let value = value(&mut command, &name, Some(range(ty)));
                    command = command.set(variable.clone(), vec![value]);
                    if o.shared {
                        self.steps.step(vec![std::mem::take(&mut command)], false)?;
                    }
                }
            }
            Storage::Array(variable) => {
                let value = value(&mut command, &name, None);
                command = command.set(variable.clone(), vec![value]);
            }
            Storage::Bound(_) => {}
        }
        self.steps.step(vec![command], false)
    }

    /// Whether a place is none of the thread's own variables.
    pub(crate) fn is_shared(&self, place: &Place) -> bool {
        self.object_of(place).is_some_and(|object| self.memory.object(object).shared)
    }

    /// The object that a place belongs to, if that is known.
    pub(crate) fn object_of(&self, place: &Place) -> Option<usize> {
        match &place.target {
            Target::Object(object, _) => Some(*object),
            _ => None,
        }
    }
}
