//! Declarations: the objects that they make, and initial values.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::specify::{is_thread, named};
use crate::frontend::c::memory::object::{Object, Storage};
use crate::frontend::c::steps::value::{Value, range};
use crate::frontend::c::steps::variable::Variable;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::layout::contains_array;
use crate::frontend::c::unit::Entity;
use lang_c::ast::{Declaration, Expression, Initializer};
use lang_c::span::Node;
use num_bigint::BigInt;
use threadproof_format::{Op, Sort};

/// Arrays up to this many cells have a variable for each.
const MAX_CELLS: usize = 8;
/// The same of arrays of structures, and of what synchronizes threads.
const MAX_MIXED: usize = 64;
/// Cells of an object.
const MAX_OBJECT: usize = 4_096;

impl<'a> Lowering<'a> {
    /// A declaration outside of functions or in a block.
    pub(crate) fn declaration(&mut self, d: &'a Node<Declaration>, outside: bool) -> Lower<()> {
        let said = self.specifiers(&d.node.specifiers)?;
        let base = self.specified(&said, d.span.start)?;
        for init in &d.node.declarators {
            let declarator = &init.node.declarator;
            let at = declarator.span.start;
            let (name, mut ty) = self.declarator(declarator, base.clone())?;
            let Some(name) = name else { continue };
            if said.typedef {
                self.scope().names.insert(name.clone(), Entity::Typedef(named(&name, ty)));
                continue;
            }
            if matches!(ty, Type::Function(_)) {
                self.globals.names.insert(name, Entity::Function(ty));
                continue;
            }
            let extensions = &declarator.node.extensions;
            let thread = said.thread || extensions.iter().any(|e| is_thread(&e.node));
            let initializer = init.node.initializer.as_ref();
            if let (Type::Array(element, None), Some(Initializer::List(items))) =
                (&ty, initializer.map(|i| &i.node))
            {
                let (mut count, mut next) = (0, 0);
                for item in items {
                    next = self.designated(&ty, &item.node.designation, next)? + 1;
                    count = count.max(next);
                }
                ty = Type::Array(element.clone(), Some(count));
            }
            if said.is_extern && initializer.is_none() {
                if self.scopes.iter().any(|scope| scope.names.contains_key(&name)) {
                    return Err(Fault::unsupported(at, "a global variable behind a local one"));
                }
                if !matches!(self.globals.names.get(&name), Some(Entity::Object(_))) {
                    let undefined =
                        Type::Unsupported(format!("`{name}`, which is defined elsewhere").into());
                    let object = self.object(&name, undefined, at, true, true)?;
                    self.scope().names.insert(name, Entity::Object(object));
                }
                continue;
            }
            if thread {
                if !outside {
                    return Err(Fault::unsupported(at, "a thread-local variable in a block"));
                }
                self.locals.push((name, ty, at, initializer));
            } else if outside || said.is_static {
                self.lasting(name, ty, at, initializer, outside)?;
            } else {
                self.local(name, ty, at, initializer)?;
            }
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
        let known = match self.globals.names.get(&name) {
            Some(Entity::Object(object)) if outside => Some(*object),
            _ => self.statics.get(&at).copied(),
        };
        let object = match known {
            Some(object) if !matches!(self.objects[object].ty, Type::Unsupported(_)) => object,
            _ => self.object(&name, ty, at, true, true)?,
        };
        self.statics.insert(at, object);
        self.scope().names.insert(name, Entity::Object(object));
        if let Some(initializer) = initializer.filter(|_| known.is_none() || outside) {
            self.initial(object, initializer)?;
        }
        Ok(())
    }

    /// Sets the initial values of a variable with static storage: constants.
    fn initial(&mut self, object: usize, initializer: &'a Node<Initializer>) -> Lower<()> {
        let ty = self.objects[object].ty.clone();
        let mut values = Vec::new();
        self.initializers(&ty, initializer, 0, &mut values)?;
        for (cell, expression, ty) in values {
            let at = expression.span.start;
            if !ty.is_scalar() {
                return Err(Fault::unsupported(at, "this initial value of a structure"));
            }
            let edges = self.t.graph.edges.len();
            let value = self.value(expression)?;
            let value = self.convert(value, &ty, at)?;
            let constant = value.as_constant().filter(|_| self.t.graph.edges.len() == edges);
            let Some(constant) = constant.cloned() else {
                return Err(Fault::unsupported(at, "an initial value that is not a constant"));
            };
            self.expose(&value, at, true)?;
            let storage = self.objects[object].storage.clone();
            let (op, element) = match &storage {
                Storage::Cells(cells) => (cells[cell].clone(), 0),
                Storage::Array(op) => (op.clone(), cell),
                Storage::Bound(_) => continue,
            };
            let list = match op {
                Op::Global(i) => &mut self.shared[i as usize].init,
                Op::Local(_, i) => &mut self.t.variables[i as usize].init,
                _ => continue,
            };
            if let Some(list) = list {
                list[element] = constant;
            }
        }
        Ok(())
    }

    /// Thread-local variables: each thread has its own, with their initial values at its start.
    pub(crate) fn thread_locals(&mut self) -> Lower<()> {
        for (name, ty, at, initializer) in self.locals.clone() {
            let object = self.object(&name, ty, at, false, true)?;
            self.t.objects.insert(at, object);
            self.globals.names.insert(name, Entity::Object(object));
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
        self.scope().names.insert(name, Entity::Object(object));
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
        if let Some(object) = self.t.objects.get(&at) {
            return Ok(*object);
        }
        let name = match self.t.calls.last() {
            Some((function, _)) => format!("{function}_{name}"),
            None => name.to_owned(),
        };
        let shared = self.known.escaped.contains(&at) && !self.t.many;
        let object = self.object(&name, ty, at, shared, false)?;
        self.t.objects.insert(at, object);
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
                let members = self.members(ty, at)?;
                let mut next = 0;
                for item in items {
                    next = self.designated(ty, &item.node.designation, next)?;
                    let Some((member, cell)) = members.get(next) else {
                        let message = "more initial values than members".to_owned();
                        return Err(Fault::wrong(at, message));
                    };
                    self.initializers(member, &item.node.initializer, offset + cell, out)?;
                    next += 1;
                }
                Ok(())
            }
        }
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

    /// A new object. Its name is made different from others when the program is finished.
    /// It is `zero` at the start, but for its initial value, or has any value.
    pub(crate) fn object(
        &mut self,
        name: &str,
        ty: Type,
        at: usize,
        shared: bool,
        zero: bool,
    ) -> Lower<usize> {
        let cells =
            if matches!(ty, Type::Unsupported(_)) { Vec::new() } else { self.leaves(&ty, at)? };
        let used = if shared { self.dereferenced } else { self.t.dereferenced || self.t.leaked };
        if used && self.known.exposed.contains(&at) {
            let what = "a variable whose address is kept, declared behind a use of pointers";
            return Err(Fault::unsupported(at, what));
        }
        let address = self.address(cells.len());
        let mixed = cells.windows(2).any(|pair| pair[0] != pair[1]);
        let handles = matches!(cells.first(), Some(Type::Sync(_)));
        let most = if mixed || handles { MAX_MIXED } else { MAX_CELLS };
        let is_array = contains_array(&ty, &self.structures) && cells.len() > most;
        let zeros = |count| zero.then(|| vec![BigInt::from(0); count]);
        let storage = if is_array {
            let init = zeros(cells.len());
            let variable =
                Variable { name: name.to_owned(), sort: Sort::IntArray, init, range: None };
            Storage::Array(self.variable(variable, shared))
        } else {
            let mut ops = Vec::new();
            let mut names = Vec::new();
            self.paths(&ty, name.to_owned(), &mut names);
            for (cell, name) in cells.iter().zip(names) {
                let init = zeros(1);
                let sync = matches!(cell.plain(), Type::Sync(_));
                let range = Some(range(cell)).filter(|_| !sync);
                ops.push(self.variable(Variable { name, sort: Sort::Int, init, range }, shared));
            }
            Storage::Cells(ops)
        };
        let name = name.to_owned();
        self.objects.push(Object {
            name,
            ty,
            storage,
            cells,
            address,
            shared,
            undefined: !zero,
            at,
        });
        Ok(self.objects.len() - 1)
    }

    fn variable(&mut self, variable: Variable, shared: bool) -> Op {
        if shared { self.global(variable) } else { self.own(variable) }
    }

    /// The types of a type's cells.
    pub(crate) fn leaves(&self, ty: &Type, at: usize) -> Lower<Vec<Type>> {
        let mut out = Vec::new();
        let mut todo = vec![ty.clone()];
        while let Some(next) = todo.pop() {
            match next.plain() {
                Type::Int(_) | Type::Pointer(_) | Type::Sync(_) => out.push(next),
                Type::Array(element, Some(size)) => {
                    if *size > MAX_OBJECT {
                        return Err(Fault::unsupported(at, format!("an array of {size} elements")));
                    }
                    todo.extend(std::iter::repeat_n((**element).clone(), *size));
                }
                Type::Struct(number) => {
                    let structure = &self.structures[*number];
                    let Some(members) = &structure.members else {
                        return Err(Fault::wrong(
                            at,
                            format!("`{}` is not complete", structure.name),
                        ));
                    };
                    todo.extend(members.iter().rev().map(|(_, ty)| ty.clone()));
                }
                Type::Unsupported(what) => return Err(Fault::unsupported(at, what)),
                _ => return Err(Fault::unsupported(at, "a variable of this type")),
            }
            if out.len() + todo.len() > MAX_OBJECT {
                return Err(Fault::unsupported(at, "a variable of such a size"));
            }
        }
        Ok(out)
    }

    /// Names of a type's cells.
    fn paths(&self, ty: &Type, name: String, out: &mut Vec<String>) {
        match ty.plain() {
            Type::Array(element, Some(size)) => {
                (0..*size).for_each(|i| self.paths(element, format!("{name}_{i}"), out));
            }
            Type::Struct(number) => {
                for (member, ty) in self.structures[*number].members.iter().flatten() {
                    self.paths(ty, format!("{name}_{member}"), out);
                }
            }
            _ => out.push(name),
        }
    }

    /// The number of a type's cells.
    pub(crate) fn size(&self, ty: &Type, at: usize) -> Lower<usize> {
        Ok(self.leaves(ty, at)?.len())
    }

    /// The value of a constant expression.
    pub(crate) fn constant(&mut self, e: &'a Node<Expression>) -> Lower<BigInt> {
        let edges = self.t.graph.edges.len();
        let value = self.value(e)?;
        match value.as_constant() {
            Some(value) if self.t.graph.edges.len() == edges => Ok(value.clone()),
            _ => Err(Fault::unsupported(e.span.start, "this where a constant has to be")),
        }
    }

    /// A parameter or result as an own variable.
    pub(crate) fn scalar(&mut self, name: String, ty: &Type) -> Op {
        let range = Some(range(ty));
        self.own(Variable { name, sort: Sort::Int, init: None, range })
    }

    /// The object of a parameter that always has the same value.
    pub(crate) fn bound(&mut self, name: &str, value: Value, at: usize) -> usize {
        let (ty, cells) = (value.ty.clone(), vec![value.ty.clone()]);
        let (name, storage) = (name.to_owned(), Storage::Bound(value));
        let address = self.address(1);
        let (shared, undefined) = (false, false);
        self.objects.push(Object { name, ty, storage, cells, address, shared, undefined, at });
        self.objects.len() - 1
    }
}
