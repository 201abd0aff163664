//! Declarations: from specifiers and declarators to types and objects.

use super::fault::{Fault, Lower};
use super::lower::{Entity, Lowering, Object, Storage, Value, Variable, range};
use super::types::{Function, Integer, Structure, Sync, Type};
use lang_c::ast::{
    ArraySize, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator,
    EnumType, Expression, Extension, FunctionDefinition, Initializer, ParameterDeclaration,
    PointerQualifier, SpecifierQualifier, StorageClassSpecifier, StructDeclaration, StructKind,
    StructType, TypeName, TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::rc::Rc;
use threadproof_format::{Op, Sort};

/// Arrays up to this many cells have a variable for each.
const MAX_CELLS: usize = 8;
/// Cells of an object.
const MAX_OBJECT: usize = 4_096;

/// What the specifiers of a declaration say.
#[derive(Default)]
struct Specified {
    typedef: bool,
    is_extern: bool,
    is_static: bool,
    thread: bool,
    atomic: bool,
    words: Words,
    ty: Option<Type>,
}

/// The words of an integer type.
#[derive(Default)]
struct Words {
    any: bool,
    char: bool,
    short: bool,
    long: u8,
    signed: bool,
    unsigned: bool,
}

impl<'a> Lowering<'a> {
    /// A declaration outside of functions or in a block.
    pub(super) fn declaration(&mut self, d: &'a Node<Declaration>, outside: bool) -> Lower<()> {
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
                ty = Type::Array(element.clone(), Some(items.len()));
            }
            if said.is_extern && initializer.is_none() {
                if self.scopes.iter().any(|scope| scope.names.contains_key(&name)) {
                    return Err(Fault::unsupported(at, "a global variable behind a local one"));
                }
                if !matches!(self.globals.names.get(&name), Some(Entity::Object(_))) {
                    let undefined = Type::Unsupported(format!("`{name}`, which is defined elsewhere").into());
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
    pub(super) fn thread_locals(&mut self) -> Lower<()> {
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
        if matches!(initializer.node, Initializer::List(_)) || !ty.is_scalar() {
            self.cleared(object)?;
        }
        for (cell, expression, ty) in values {
            let value = self.value(expression)?;
            let value = self.convert(value, &ty, expression.span.start)?;
            self.write_cell(object, cell, ty, &value, expression.span.start)?;
        }
        Ok(())
    }

    /// The object of a local variable; the same one each time its declaration is reached.
    pub(super) fn automatic(&mut self, name: &str, ty: Type, at: usize) -> Lower<usize> {
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
            (Initializer::Expression(_), Type::Sync(_)) => Ok(()),
            (Initializer::Expression(e), _) if ty.is_scalar() => {
                out.push((offset, e, ty.clone()));
                Ok(())
            }
            (Initializer::Expression(_), _) => {
                Err(Fault::unsupported(at, "this initial value of an array or structure"))
            }
            (Initializer::List(items), Type::Sync(_)) => {
                items.iter().try_for_each(|item| self.zeros(&item.node.initializer))
            }
            (Initializer::List(items), plain) => {
                let members: Vec<Type> = match plain {
                    Type::Array(element, size) => vec![(**element).clone(); size.unwrap_or(0)],
                    Type::Struct(number) => {
                        let members = self.structures[*number].members.clone();
                        members.unwrap_or_default().into_iter().map(|(_, ty)| ty).collect()
                    }
                    _ => vec![ty.clone()],
                };
                let mut cell = offset;
                for (i, item) in items.iter().enumerate() {
                    if !item.node.designation.is_empty() {
                        return Err(Fault::unsupported(item.span.start, "a designated initial value"));
                    }
                    let Some(member) = members.get(i) else {
                        return Err(Fault::wrong(at, "more initial values than members".to_owned()));
                    };
                    self.initializers(member, &item.node.initializer, cell, out)?;
                    cell += self.size(member, at)?;
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
    pub(super) fn object(
        &mut self,
        name: &str,
        ty: Type,
        at: usize,
        shared: bool,
        zero: bool,
    ) -> Lower<usize> {
        let cells = if matches!(ty, Type::Unsupported(_)) { Vec::new() } else { self.leaves(&ty, at)? };
        let address = self.address(cells.len());
        let is_array = contains_array(&ty, &self.structures) && cells.len() > MAX_CELLS;
        let zeros = |count| zero.then(|| vec![BigInt::from(0); count]);
        let storage = if is_array {
            let init = zeros(cells.len());
            let variable = Variable { name: name.to_owned(), sort: Sort::IntArray, init, range: None };
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
        self.objects.push(Object { name, ty, storage, cells, address, shared, undefined: !zero, at });
        Ok(self.objects.len() - 1)
    }

    fn variable(&mut self, variable: Variable, shared: bool) -> Op {
        if shared { self.global(variable) } else { self.own(variable) }
    }

    /// The types of a type's cells.
    pub(super) fn leaves(&self, ty: &Type, at: usize) -> Lower<Vec<Type>> {
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
                        return Err(Fault::wrong(at, format!("`{}` is not complete", structure.name)));
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
    pub(super) fn size(&self, ty: &Type, at: usize) -> Lower<usize> {
        Ok(self.leaves(ty, at)?.len())
    }

    fn specifiers(&mut self, list: &'a [Node<DeclarationSpecifier>]) -> Lower<Specified> {
        let mut said = Specified::default();
        for specifier in list {
            match &specifier.node {
                DeclarationSpecifier::StorageClass(class) => match class.node {
                    StorageClassSpecifier::Typedef => said.typedef = true,
                    StorageClassSpecifier::Extern => said.is_extern = true,
                    StorageClassSpecifier::Static => said.is_static = true,
                    StorageClassSpecifier::ThreadLocal => said.thread = true,
                    StorageClassSpecifier::Auto | StorageClassSpecifier::Register => {}
                },
                DeclarationSpecifier::TypeSpecifier(specifier) => self.word(specifier, &mut said)?,
                DeclarationSpecifier::TypeQualifier(q) => said.atomic |= q.node == TypeQualifier::Atomic,
                DeclarationSpecifier::Extension(list) => attributes(list)?,
                DeclarationSpecifier::Function(_) | DeclarationSpecifier::Alignment(_) => {}
            }
        }
        Ok(said)
    }

    fn word(&mut self, specifier: &'a Node<TypeSpecifier>, said: &mut Specified) -> Lower<()> {
        let at = specifier.span.start;
        let words = &mut said.words;
        words.any = true;
        match &specifier.node {
            TypeSpecifier::Void => said.ty = Some(Type::Void),
            TypeSpecifier::Char => words.char = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => {}
            TypeSpecifier::Long => words.long += 1,
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Bool => said.ty = Some(Type::Int(Integer::BOOL)),
            TypeSpecifier::Float | TypeSpecifier::Double | TypeSpecifier::TS18661Float(_) => {
                said.ty = Some(Type::Unsupported("a floating-point number".into()));
            }
            TypeSpecifier::Complex => said.ty = Some(Type::Unsupported("a complex number".into())),
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name)?;
                said.ty = Some(ty);
                said.atomic = true;
            }
            TypeSpecifier::Struct(structure) => said.ty = Some(self.structure(structure)?),
            TypeSpecifier::Enum(list) => said.ty = Some(self.enumeration(list)?),
            TypeSpecifier::TypedefName(name) => {
                said.ty = Some(match self.lookup(&name.node.name) {
                    Some(Entity::Typedef(ty)) => ty.clone(),
                    _ => Type::Unsupported(format!("the type `{}`", name.node.name).into()),
                });
            }
            TypeSpecifier::TypeOf(of) => {
                said.ty = Some(match &of.node {
                    TypeOf::Type(name) => self.type_name(name)?,
                    TypeOf::Expression(e) => self.type_of(e)?,
                });
            }
        }
        if said.ty.is_none() && words.long > 2 {
            return Err(Fault::wrong(at, "a type that is too long".to_owned()));
        }
        Ok(())
    }

    fn specified(&self, said: &Specified, at: usize) -> Lower<Type> {
        let words = &said.words;
        if said.words.long > 0 && matches!(said.ty, Some(Type::Unsupported(_))) {
            return Ok(said.ty.clone().unwrap_or(Type::Void));
        }
        let ty = match &said.ty {
            Some(ty) => ty.clone(),
            None if !words.any => return Err(Fault::unsupported(at, "a declaration without a type")),
            None => {
                let (bits, rank) = match words {
                    Words { char: true, .. } => (8, 1),
                    Words { short: true, .. } => (16, 2),
                    Words { long: 0, .. } => (32, 3),
                    Words { long: 1, .. } => (self.model.long(), 4),
                    _ => (64, 5),
                };
                Type::Int(Integer { bits, rank, signed: !words.unsigned })
            }
        };
        Ok(if said.atomic { Type::Atomic(Rc::new(ty)) } else { ty })
    }

    fn qualified(&mut self, list: &'a [Node<SpecifierQualifier>], at: usize) -> Lower<Type> {
        let mut said = Specified::default();
        for specifier in list {
            match &specifier.node {
                SpecifierQualifier::TypeSpecifier(s) => self.word(s, &mut said)?,
                SpecifierQualifier::TypeQualifier(q) => said.atomic |= q.node == TypeQualifier::Atomic,
                SpecifierQualifier::Extension(list) => attributes(list)?,
            }
        }
        self.specified(&said, at)
    }

    pub(super) fn type_name(&mut self, name: &'a Node<TypeName>) -> Lower<Type> {
        let base = self.qualified(&name.node.specifiers, name.span.start)?;
        match &name.node.declarator {
            None => Ok(base),
            Some(declarator) => Ok(self.declarator(declarator, base)?.1),
        }
    }

    /// The name that a declarator declares, and its type.
    pub(super) fn declarator(
        &mut self,
        d: &'a Node<Declarator>,
        base: Type,
    ) -> Lower<(Option<String>, Type)> {
        let mut ty = base;
        let pointers = d.node.derived.iter().filter(|x| matches!(x.node, DerivedDeclarator::Pointer(_)));
        for pointer in pointers {
            ty = Type::Pointer(Rc::new(ty));
            if let DerivedDeclarator::Pointer(qualifiers) = &pointer.node
                && qualifiers.iter().any(is_atomic)
            {
                ty = Type::Atomic(Rc::new(ty));
            }
        }
        for derived in d.node.derived.iter().rev() {
            ty = match &derived.node {
                DerivedDeclarator::Pointer(_) => ty,
                DerivedDeclarator::Array(array) => {
                    let size = match &array.node.size {
                        ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => {
                            let size = self.constant(e)?;
                            let size = usize::try_from(&size).map_err(|_| {
                                Fault::unsupported(e.span.start, format!("an array of {size} elements"))
                            })?;
                            Some(size)
                        }
                        ArraySize::Unknown | ArraySize::VariableUnknown => None,
                    };
                    Type::Array(Rc::new(ty), size)
                }
                DerivedDeclarator::Function(f) => {
                    let parameters = self.parameters(&f.node.parameters)?;
                    let parameters = parameters.into_iter().map(|(_, ty, _)| ty).collect();
                    Type::Function(Rc::new(Function { result: ty, parameters }))
                }
                DerivedDeclarator::KRFunction(_) => {
                    Type::Function(Rc::new(Function { result: ty, parameters: Vec::new() }))
                }
                DerivedDeclarator::Block(_) => Type::Unsupported("a block".into()),
            };
        }
        match &d.node.kind.node {
            DeclaratorKind::Abstract => Ok((None, ty)),
            DeclaratorKind::Identifier(name) => Ok((Some(name.node.name.clone()), ty)),
            DeclaratorKind::Declarator(inner) => self.declarator(inner, ty),
        }
    }

    /// Names, types and places of parameters; `void` alone is none.
    pub(super) fn parameters(
        &mut self,
        list: &'a [Node<ParameterDeclaration>],
    ) -> Lower<Vec<(Option<String>, Type, usize)>> {
        let mut out = Vec::new();
        for parameter in list {
            let said = self.specifiers(&parameter.node.specifiers)?;
            let mut ty = self.specified(&said, parameter.span.start)?;
            let (mut name, mut at) = (None, parameter.span.start);
            if let Some(declarator) = &parameter.node.declarator {
                (name, ty) = self.declarator(declarator, ty)?;
                at = declarator.span.start;
            }
            ty = match ty {
                Type::Array(element, _) => Type::Pointer(element),
                Type::Function(f) => Type::Pointer(Rc::new(Type::Function(f))),
                other => other,
            };
            out.push((name, ty, at));
        }
        if let [(None, Type::Void, _)] = out.as_slice() {
            out.clear();
        }
        Ok(out)
    }

    /// Name, type and parameters of a function that is defined.
    pub(super) fn signature(
        &mut self,
        f: &'a FunctionDefinition,
    ) -> Lower<(String, Type, Vec<(Option<String>, Type, usize)>)> {
        let said = self.specifiers(&f.specifiers)?;
        let base = match said.words.any || said.ty.is_some() {
            true => self.specified(&said, f.declarator.span.start)?,
            false => Type::int(),
        };
        let (name, ty) = self.declarator(&f.declarator, base)?;
        let mut list = Vec::new();
        let mut declarator = &f.declarator;
        loop {
            let function = declarator.node.derived.iter().find_map(|d| match &d.node {
                DerivedDeclarator::Function(f) => Some(f),
                _ => None,
            });
            if let Some(function) = function {
                list = self.parameters(&function.node.parameters)?;
            }
            match &declarator.node.kind.node {
                DeclaratorKind::Declarator(inner) => declarator = inner,
                _ => break,
            }
        }
        if !f.declarations.is_empty() {
            return Err(Fault::unsupported(f.declarator.span.start, "parameters declared behind the list"));
        }
        let name = name.unwrap_or_default();
        Ok((name, ty, list))
    }

    fn structure(&mut self, s: &'a Node<StructType>) -> Lower<Type> {
        let tag = s.node.identifier.as_ref().map(|i| i.node.name.clone());
        if s.node.kind.node == StructKind::Union {
            let union = Type::Unsupported("a union".into());
            // Its members may declare tags and constants.
            for field in s.node.declarations.iter().flatten() {
                if let StructDeclaration::Field(f) = &field.node {
                    self.qualified(&f.node.specifiers, field.span.start)?;
                }
            }
            if let Some(tag) = tag {
                self.scope().tags.insert(tag, union.clone());
            }
            return Ok(union);
        }
        let known = tag.as_deref().and_then(|tag| self.tag(tag));
        let Some(declarations) = &s.node.declarations else {
            if let Some(ty) = known {
                return Ok(ty);
            }
            return Ok(self.new_structure(tag));
        };
        let open = |this: &Self, ty: &Type| match ty {
            Type::Struct(n) => this.structures[*n].members.is_none(),
            _ => false,
        };
        let ty = match known {
            Some(ty) if open(self, &ty) => ty,
            _ => self.new_structure(tag),
        };
        let mut members = Vec::new();
        for declaration in declarations {
            let StructDeclaration::Field(field) = &declaration.node else { continue };
            let base = self.qualified(&field.node.specifiers, field.span.start)?;
            for declarator in &field.node.declarators {
                let width = declarator.node.bit_width.is_some();
                let Some(declarator) = &declarator.node.declarator else { continue };
                let (name, mut ty) = self.declarator(declarator, base.clone())?;
                if width {
                    ty = Type::Unsupported("a bit-field".into());
                }
                members.push((name.unwrap_or_default(), ty));
            }
            if field.node.declarators.is_empty() {
                members.push((String::new(), Type::Unsupported("a structure without a name".into())));
            }
        }
        if let Type::Struct(number) = ty {
            self.structures[number].members = Some(members);
        }
        Ok(ty)
    }

    fn tag(&self, tag: &str) -> Option<Type> {
        let scopes = self.scopes.iter().rev().chain([&self.globals]);
        scopes.filter_map(|scope| scope.tags.get(tag)).next().cloned()
    }

    fn new_structure(&mut self, tag: Option<String>) -> Type {
        let name = format!("struct {}", tag.as_deref().unwrap_or("without a name"));
        self.structures.push(Structure { name, members: None });
        let ty = Type::Struct(self.structures.len() - 1);
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, ty.clone());
        }
        ty
    }

    /// An enumeration: its constants are `int`. Its type is `unsigned` if no constant is negative, as gcc has it.
    fn enumeration(&mut self, e: &'a Node<EnumType>) -> Lower<Type> {
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.clone());
        if e.node.enumerators.is_empty() {
            return Ok(tag.and_then(|tag| self.tag(&tag)).unwrap_or(Type::Int(Integer::UNSIGNED)));
        }
        let mut next = BigInt::from(0);
        let mut negative = false;
        for enumerator in &e.node.enumerators {
            let at = enumerator.span.start;
            if let Some(value) = &enumerator.node.expression {
                next = self.constant(value)?;
            }
            if next < Integer::INT.low() || next > Integer::INT.high() {
                return Err(Fault::unsupported(at, "a constant beyond `int`"));
            }
            negative |= next < BigInt::from(0);
            let name = enumerator.node.identifier.node.name.clone();
            self.scope().names.insert(name, Entity::Constant(next.clone()));
            next += 1;
        }
        let ty = Type::Int(if negative { Integer::INT } else { Integer::UNSIGNED });
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, ty.clone());
        }
        Ok(ty)
    }

    /// The value of a constant expression.
    pub(super) fn constant(&mut self, e: &'a Node<Expression>) -> Lower<BigInt> {
        let edges = self.t.graph.edges.len();
        let value = self.value(e)?;
        match value.as_constant() {
            Some(value) if self.t.graph.edges.len() == edges => Ok(value.clone()),
            _ => Err(Fault::unsupported(e.span.start, "this where a constant has to be")),
        }
    }

    /// The type of an expression that is not evaluated.
    pub(super) fn type_of(&mut self, e: &'a Node<Expression>) -> Lower<Type> {
        let graph = self.t.graph.clone();
        let (current, used) = (self.t.current, self.t.used);
        let ty = match self.lvalue(e) {
            Ok(place) => place.ty,
            Err(Fault::Again) => return Err(Fault::Again),
            Err(_) => self.value(e)?.ty,
        };
        self.t.graph = graph;
        (self.t.current, self.t.used) = (current, used);
        Ok(ty)
    }

    /// A parameter or result as an own variable.
    pub(super) fn scalar(&mut self, name: String, ty: &Type) -> Op {
        let range = Some(range(ty));
        self.own(Variable { name, sort: Sort::Int, init: None, range })
    }

    /// The object of a parameter that always has the same value.
    pub(super) fn bound(&mut self, name: &str, value: Value, at: usize) -> usize {
        let (ty, cells) = (value.ty.clone(), vec![value.ty.clone()]);
        let (name, storage) = (name.to_owned(), Storage::Bound(value));
        let address = self.address(1);
        let (shared, undefined) = (false, false);
        self.objects.push(Object { name, ty, storage, cells, address, shared, undefined, at });
        self.objects.len() - 1
    }
}

fn contains_array(ty: &Type, structures: &[Structure]) -> bool {
    match ty.plain() {
        Type::Array(..) => true,
        Type::Struct(number) => {
            structures[*number].members.iter().flatten().any(|(_, ty)| contains_array(ty, structures))
        }
        _ => false,
    }
}

/// The types of POSIX threads, whatever the headers say.
fn named(name: &str, ty: Type) -> Type {
    Type::Sync(match name {
        "pthread_mutex_t" | "pthread_spinlock_t" | "mtx_t" => Sync::Mutex,
        "pthread_rwlock_t" => Sync::ReadWrite,
        "pthread_cond_t" => Sync::Condition,
        "pthread_once_t" => Sync::Once,
        "pthread_t" => Sync::Thread,
        "pthread_attr_t" | "pthread_mutexattr_t" | "pthread_condattr_t" | "pthread_rwlockattr_t" => {
            Sync::Attributes
        }
        _ => return ty,
    })
}

fn is_atomic(qualifier: &Node<PointerQualifier>) -> bool {
    matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Atomic)
}

fn is_thread(extension: &Extension) -> bool {
    matches!(extension, Extension::Attribute(a) if a.name.node == "thread")
}

/// Attributes that change what a declaration means are not modelled.
fn attributes(list: &[Node<Extension>]) -> Lower<()> {
    for extension in list {
        if let Extension::Attribute(attribute) = &extension.node {
            let name = attribute.name.node.trim_matches('_');
            if matches!(name, "mode" | "vector_size" | "cleanup" | "constructor" | "destructor" | "alias") {
                return Err(Fault::unsupported(extension.span.start, format!("the attribute `{name}`")));
            }
        }
    }
    Ok(())
}
