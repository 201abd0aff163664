//! The operands of calls, evaluated in one place: every one of them, from left to right, whatever
//! becomes of its value.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::place::{Place, Target};
use crate::frontend::c::syntax::modelled::{Modelled, Take};
use crate::frontend::c::syntax::query::has_effects;
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Sync, Type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::Expression;
use lang_c::span::Node;

/// Names of functions as strings, which are declared nowhere.
const PLACES: [&str; 3] = ["__func__", "__FUNCTION__", "__PRETTY_FUNCTION__"];

/// The operands of a call as they are written.
pub(crate) type Arguments<'a> = &'a [Node<Expression>];

/// An operand that has been evaluated. What it says stays the same, whatever happens next.
enum Operand<'a> {
    Value(Value),
    Place(Place),
    /// A thread's number, and the object that it is in.
    Handle(Value, Option<usize>),
    /// The location where the condition does not hold: the thread is where it holds.
    Truth(usize),
    /// An expression without effects, of which the constant value is asked for.
    Size(&'a Node<Expression>),
    Done,
}

/// The operands of a call of a modelled function, evaluated.
pub(crate) struct Operands<'a> {
    list: Vec<Operand<'a>>,
    at: usize,
}

impl<'a> Lowering<'a> {
    /// Evaluates the operands of a call of a modelled function.
    pub(crate) fn operands(
        &mut self,
        of: &Modelled,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Operands<'a>> {
        if arguments.len() < of.takes.len() {
            return Err(Fault::wrong(at, "too few arguments"));
        }
        if arguments.len() > of.takes.len() && !of.more {
            return Err(Fault::wrong(at, "too many arguments"));
        }
        let takes = of.takes.iter().copied().chain(std::iter::repeat(Take::Effect));
        let evaluated = arguments.iter().zip(takes).map(|(e, take)| self.operand(e, take));
        Ok(Operands { list: evaluated.collect::<Lower<_>>()?, at })
    }

    fn operand(&mut self, e: &'a Node<Expression>, take: Take) -> Lower<Operand<'a>> {
        Ok(match take {
            Take::Value => {
                let value = self.value(e)?;
                Operand::Value(self.steps.steady(value)?)
            }
            Take::Place => {
                let pointer = self.value(e)?;
                let place = self.dereference(pointer, e.span.start)?;
                Operand::Place(self.fixed(place)?)
            }
            Take::Truth => {
                let [yes, no] = [self.steps.node(), self.steps.node()];
                self.branch(e, yes, no)?;
                self.steps.resume(yes);
                Operand::Truth(no)
            }
            Take::Handle => {
                let (value, object) = self.handle(e)?;
                Operand::Handle(self.steps.steady(value)?, object)
            }
            Take::Size => {
                let mut last = e;
                while let Expression::Comma(list) = &last.node
                    && let Some((end, first)) = list.split_last()
                {
                    first.iter().try_for_each(|e| self.effect(e))?;
                    last = end;
                }
                if has_effects(last) {
                    return Err(Fault::unsupported(e.span.start, "an allocation of this size"));
                }
                Operand::Size(last)
            }
            Take::Constant if has_effects(e) => {
                let what = "an effect where it depends on the compiler whether it happens";
                return Err(Fault::unsupported(e.span.start, what));
            }
            Take::Constant | Take::Effect => {
                self.unused(e)?;
                Operand::Done
            }
        })
    }

    /// Evaluates an operand whose value nothing depends on: it may be a string, or a variable that
    /// is defined elsewhere, like `stderr`.
    fn unused(&mut self, e: &'a Node<Expression>) -> Lower<()> {
        match &e.node {
            Expression::StringLiteral(_) => Ok(()),
            Expression::Identifier(name) => match self.unit.lookup(&name.node.name) {
                Some(Entity::Object(object))
                    if matches!(self.memory.object(*object).ty, Type::Unsupported(_)) =>
                {
                    Ok(())
                }
                // A function or an enumerator has no effect.
                Some(Entity::Function(_) | Entity::Constant(_)) => Ok(()),
                None if PLACES.contains(&name.node.name.as_str()) => Ok(()),
                _ => self.effect(e),
            },
            Expression::Comma(list) => list.iter().try_for_each(|e| self.unused(e)),
            Expression::Cast(cast) if !has_effects(e) => self.unused(&cast.node.expression),
            _ => self.effect(e),
        }
    }

    /// The number of a thread, and the object that it is in, if that is known.
    fn handle(&mut self, e: &'a Node<Expression>) -> Lower<(Value, Option<usize>)> {
        let variable = match &e.node {
            Expression::Identifier(name) => {
                matches!(self.unit.lookup(&name.node.name), Some(Entity::Object(_)))
            }
            Expression::Member(_) => true,
            Expression::BinaryOperator(b) => {
                b.node.operator.node == lang_c::ast::BinaryOperator::Index
            }
            _ => false,
        };
        let (value, object) = if variable {
            let place = self.lvalue(e)?;
            (self.read(&place)?, self.object_of(&place))
        } else {
            (self.value(e)?, None)
        };
        if value.ty != Type::Sync(Sync::Thread) {
            return Err(Fault::unsupported(e.span.start, "a join of what is no `pthread_t`"));
        }
        Ok((value, object))
    }

    /// A place that stays the same.
    pub(crate) fn fixed(&mut self, place: Place) -> Lower<Place> {
        let target = match place.target {
            Target::Object(object, offset) => Target::Object(object, self.steps.steady(offset)?),
            Target::Address(address) => {
                let ty = Type::Pointer(std::rc::Rc::new(place.ty.clone()));
                Target::Address(self.steps.steady(Value::new(address, ty))?.term)
            }
            known => known,
        };
        Ok(Place { target, ..place })
    }
}

impl<'a> Operands<'a> {
    /// The operand, if it was taken in that way: the table of functions says so.
    fn get<T>(&self, i: usize, of: impl Fn(&Operand<'a>) -> Option<T>) -> Lower<T> {
        let found = self.list.get(i).and_then(of);
        found.ok_or_else(|| Fault::unsupported(self.at, "this operand"))
    }

    pub(crate) fn value(&self, i: usize) -> Lower<Value> {
        self.get(i, |operand| match operand {
            Operand::Value(value) => Some(value.clone()),
            _ => None,
        })
    }

    pub(crate) fn place(&self, i: usize) -> Lower<Place> {
        self.get(i, |operand| match operand {
            Operand::Place(place) => Some(place.clone()),
            _ => None,
        })
    }

    pub(crate) fn handle(&self, i: usize) -> Lower<(Value, Option<usize>)> {
        self.get(i, |operand| match operand {
            Operand::Handle(value, object) => Some((value.clone(), *object)),
            _ => None,
        })
    }

    /// Where the condition does not hold.
    pub(crate) fn fails(&self, i: usize) -> Lower<usize> {
        self.get(i, |operand| match operand {
            Operand::Truth(no) => Some(*no),
            _ => None,
        })
    }

    pub(crate) fn size(&self, i: usize) -> Lower<&'a Node<Expression>> {
        self.get(i, |operand| match operand {
            Operand::Size(e) => Some(*e),
            _ => None,
        })
    }

    /// What operands point to.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.list.iter().filter_map(|operand| match operand {
            Operand::Place(place) => Some(place),
            _ => None,
        })
    }
}
