//! Declarations: the objects that they make, and initial values.

pub(crate) mod specify;

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::declaration::specify::{is_thread, named};
use crate::frontend::c::memory::Declared;
use crate::frontend::c::types::Type;
use crate::frontend::c::unit::Entity;
use lang_c::ast::{Declaration, Expression, Initializer, InitializerListItem};
use lang_c::span::Node;
use num_bigint::BigInt;

impl<'a> Lowering<'a> {
    /// A declaration outside of functions or in a block.
    pub(crate) fn declaration(&mut self, d: &'a Node<Declaration>, outside: bool) -> Lower<()> {
        let said = self.specifiers(&d.node.specifiers)?;
        let base = self.specified(&said, d.span.start)?;
        for init in &d.node.declarators {
            let declarator = &init.node.declarator;
            let at = declarator.span.start;
            let (name, ty) = self.declarator(declarator, base.clone())?;
            let Some(name) = name else { continue };
            if said.typedef {
                self.unit.declare(name.clone(), Entity::Typedef(named(&name, ty)));
                continue;
            }
            if matches!(ty, Type::Function(_)) {
                self.unit.declare_global(name, Entity::Function(ty));
                continue;
            }
            let extensions = &declarator.node.extensions;
            let thread = said.thread || extensions.iter().any(|e| is_thread(&e.node));
            let initializer = init.node.initializer.as_ref();
            let ty = self.counted(ty, initializer)?;
            if said.is_extern && initializer.is_none() {
                self.defined_elsewhere(name, at)?;
            } else if thread && !outside {
                return Err(Fault::unsupported(at, "a thread-local variable in a block"));
            } else if thread {
                self.unit.locals.push((name, ty, at, initializer));
            } else if outside || said.is_static {
                self.lasting(name, ty, at, initializer, outside)?;
            } else {
                self.local(name, ty, at, initializer)?;
            }
        }
        Ok(())
    }

    /// The type of a variable: an array without a size has as many elements as initial values.
    fn counted(&mut self, ty: Type, initializer: Option<&'a Node<Initializer>>) -> Lower<Type> {
        let (Type::Array(element, None), Some(Initializer::List(items))) =
            (&ty, initializer.map(|i| &i.node))
        else {
            return Ok(ty);
        };
        let (mut count, mut next, mut rest) = (0, 0, items.as_slice());
        while let Some(item) = rest.first() {
            next = self.designated(&ty, &item.node.designation, next)? + 1;
            count = count.max(next);
            rest = &rest[self.initialized(element, rest, 0, &mut Vec::new())?..];
        }
        Ok(Type::Array(element.clone(), Some(count)))
    }

    /// A variable that is declared `extern`.
    fn defined_elsewhere(&mut self, name: String, at: usize) -> Lower<()> {
        if self.unit.is_local(&name) {
            return Err(Fault::unsupported(at, "a global variable behind a local one"));
        }
        if !matches!(self.unit.global(&name), Some(Entity::Object(_))) {
            let what = format!("`{name}`, which is defined elsewhere");
            let object = self.object(&name, Type::Unsupported(what.into()), at, true, true)?;
            self.unit.declare(name, Entity::Object(object));
        }
        Ok(())
    }

    /// A variable with static storage.
    fn lasting(
        &mut self,
        name: String,
        ty: Type,
        at: usize,
        initializer: Option<&'a Node<Initializer>>,
        outside: bool,
    ) -> Lower<()> {
        let known = match self.unit.global(&name) {
            Some(Entity::Object(object)) if outside => Some(*object),
            _ => self.memory.static_at(at),
        };
        let object = match known {
            Some(object) if !matches!(self.memory.object(object).ty, Type::Unsupported(_)) => {
                object
            }
            _ => self.object(&name, ty, at, true, true)?,
        };
        self.memory.set_static(at, object);
        self.unit.declare(name, Entity::Object(object));
        if let Some(initializer) = initializer.filter(|_| known.is_none() || outside) {
            self.initial(object, initializer)?;
        }
        Ok(())
    }

    /// Sets the initial values of a variable with static storage: constants.
    fn initial(&mut self, object: usize, initializer: &'a Node<Initializer>) -> Lower<()> {
        let ty = self.memory.object(object).ty.clone();
        let mut values = Vec::new();
        self.initializers(&ty, initializer, 0, &mut values)?;
        for (cell, expression, ty) in values {
            let at = expression.span.start;
            if !ty.is_scalar() {
                return Err(Fault::unsupported(at, "this initial value of a structure"));
            }
            let mark = self.steps.mark();
            let value = self.value(expression)?;
            let value = self.convert(value, &ty, at)?;
            let constant = value.as_constant().filter(|_| self.steps.unchanged(mark));
            let Some(constant) = constant.cloned() else {
                return Err(Fault::unsupported(at, "an initial value that is not a constant"));
            };
            self.expose(&value, at, true)?;
            self.memory.initialise(&mut self.steps, object, cell, constant);
        }
        Ok(())
    }

    /// Thread-local variables: each thread has its own, with their initial values at its start.
    pub(crate) fn thread_locals(&mut self) -> Lower<()> {
        for (name, ty, at, initializer) in self.unit.locals.clone() {
            let object = self.object(&name, ty, at, false, true)?;
            self.memory.set_automatic(at, object);
            self.unit.declare_global(name, Entity::Object(object));
            if let Some(initializer) = initializer {
                self.initial(object, initializer)?;
            }
        }
        Ok(())
    }

    /// A local variable.
    fn local(
        &mut self,
        name: String,
        ty: Type,
        at: usize,
        initializer: Option<&'a Node<Initializer>>,
    ) -> Lower<()> {
        let object = self.automatic(&name, ty.clone(), at)?;
        self.unit.declare(name, Entity::Object(object));
        let Some(initializer) = initializer else { return self.undefined(object) };
        let mut values = Vec::new();
        self.initializers(&ty, initializer, 0, &mut values)?;
        let listed = matches!(initializer.node, Initializer::List(_));
        if listed || matches!(ty.plain(), Type::Sync(_)) {
            self.cleared(object)?;
        }
        for (cell, expression, ty) in values {
            let value = self.value_for(expression, &ty)?;
            let value = self.convert(value, &ty, expression.span.start)?;
            self.write_cell(object, cell, ty, &value, expression.span.start)?;
        }
        Ok(())
    }

    /// The object of a local variable; the same one each time its declaration is reached.
    pub(crate) fn automatic(&mut self, name: &str, ty: Type, at: usize) -> Lower<usize> {
        if let Some(object) = self.memory.automatic(at) {
            return Ok(object);
        }
        let name = match self.steps.path.function() {
            Some(function) => format!("{function}_{name}"),
            None => name.to_owned(),
        };
        let shared = self.facts.known.escaped.contains(&at) && !self.thread.many;
        let object = self.object(&name, ty, at, shared, false)?;
        self.memory.set_automatic(at, object);
        Ok(object)
    }

    /// The cells that an initializer gives values to, in order.
    fn initializers(
        &mut self,
        ty: &Type,
        initializer: &'a Node<Initializer>,
        offset: usize,
        out: &mut Vec<(usize, &'a Node<Expression>, Type)>,
    ) -> Lower<()> {
        let at = initializer.span.start;
        match (&initializer.node, ty.plain()) {
            (Initializer::Expression(_), Type::Sync(_)) => self.zeros(initializer),
            (Initializer::Expression(e), plain)
                if ty.is_scalar() || matches!(plain, Type::Struct(_)) =>
            {
                out.push((offset, e, ty.clone()));
                Ok(())
            }
            (Initializer::Expression(_), _) => {
                Err(Fault::unsupported(at, "this initial value of an array or structure"))
            }
            (Initializer::List(items), Type::Sync(_)) => {
                items.iter().try_for_each(|item| self.zeros(&item.node.initializer))
            }
            (Initializer::List(items), _) => {
                if self.listed(ty, (items, at), true, offset, out)? < items.len() {
                    return Err(Fault::wrong(at, "more initial values than members"));
                }
                Ok(())
            }
        }
    }

    /// The cells of the members that a list gives values to, and how many values these are. Only a
    /// list of their own in braces may have designated values.
    fn listed(
        &mut self,
        ty: &Type,
        (items, at): (&'a [Node<InitializerListItem>], usize),
        braces: bool,
        offset: usize,
        out: &mut Vec<(usize, &'a Node<Expression>, Type)>,
    ) -> Lower<usize> {
        let members = self.unit.types.members(ty, at)?;
        let (mut next, mut taken) = (0, 0);
        while let Some(item) = items.get(taken) {
            if braces {
                next = self.designated(ty, &item.node.designation, next)?;
            } else if taken > 0 && !item.node.designation.is_empty() {
                break;
            }
            let Some((member, cell)) = members.get(next) else { break };
            taken += self.initialized(member, &items[taken..], offset + cell, out)?;
            next += 1;
        }
        Ok(taken)
    }

    /// The cells of a member, and how many values of a list are about it: several if the braces
    /// around them are left out (C11 6.7.9, paragraph 20).
    fn initialized(
        &mut self,
        ty: &Type,
        items: &'a [Node<InitializerListItem>],
        offset: usize,
        out: &mut Vec<(usize, &'a Node<Expression>, Type)>,
    ) -> Lower<usize> {
        let first = &items[0].node.initializer;
        let inside = match (&first.node, ty.plain()) {
            (Initializer::Expression(e), Type::Array(..)) => {
                !matches!(e.node, Expression::StringLiteral(_))
            }
            (Initializer::Expression(e), Type::Struct(_)) => {
                !matches!(self.type_of(e)?.plain(), Type::Struct(_))
            }
            _ => false,
        };
        if inside && self.unit.types.size(ty, first.span.start)? > 0 {
            return self.listed(ty, (items, first.span.start), false, offset, out);
        }
        self.initializers(ty, first, offset, out)?;
        Ok(1)
    }

    /// The initial value of a lock: zeros, however deeply nested.
    fn zeros(&mut self, initializer: &'a Node<Initializer>) -> Lower<()> {
        match &initializer.node {
            Initializer::List(items) => {
                items.iter().try_for_each(|item| self.zeros(&item.node.initializer))
            }
            Initializer::Expression(e) => match self.constant(e)? {
                zero if zero == BigInt::from(0) => Ok(()),
                _ => Err(Fault::unsupported(e.span.start, "a lock with attributes")),
            },
        }
    }

    /// A new object, `zero` at the start or with any value.
    pub(crate) fn object(
        &mut self,
        name: &str,
        ty: Type,
        at: usize,
        shared: bool,
        zero: bool,
    ) -> Lower<usize> {
        let (types, exposed) = (&self.unit.types, &self.facts.known.exposed);
        let declared = Declared { name, ty, at, shared, zero };
        self.memory.declare(types, exposed, &mut self.steps, declared)
    }

    /// The value of a constant expression.
    pub(crate) fn constant(&mut self, e: &'a Node<Expression>) -> Lower<BigInt> {
        let mark = self.steps.mark();
        let value = self.value(e)?;
        match value.as_constant() {
            Some(value) if self.steps.unchanged(mark) => Ok(value.clone()),
            _ => Err(Fault::unsupported(e.span.start, "this where a constant has to be")),
        }
    }
}
