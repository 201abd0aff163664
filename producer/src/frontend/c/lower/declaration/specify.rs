//! Specifiers and declarators: the types that declarations name.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::types::{Function, Integer, Sync, Type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{
    ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, EnumType,
    Extension, FunctionDefinition, ParameterDeclaration, PointerQualifier, SpecifierQualifier,
    StorageClassSpecifier, StructDeclaration, StructKind, StructType, TypeName, TypeOf,
    TypeQualifier, TypeSpecifier,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::rc::Rc;

/// Name, type and place of a function's parameter.
pub(crate) type Parameter = (Option<String>, Type, usize);

/// What the specifiers of a declaration say.
#[derive(Default)]
pub(crate) struct Specified {
    pub typedef: bool,
    pub is_extern: bool,
    pub is_static: bool,
    pub thread: bool,
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
    pub(crate) fn specifiers(
        &mut self,
        list: &'a [Node<DeclarationSpecifier>],
    ) -> Lower<Specified> {
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
                DeclarationSpecifier::TypeSpecifier(specifier) => {
                    self.word(specifier, &mut said)?
                }
                DeclarationSpecifier::TypeQualifier(q) => {
                    said.atomic |= q.node == TypeQualifier::Atomic
                }
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
                said.ty = Some(match self.unit.lookup(&name.node.name) {
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
            return Err(Fault::wrong(at, "a type that is too long"));
        }
        Ok(())
    }

    pub(crate) fn specified(&self, said: &Specified, at: usize) -> Lower<Type> {
        let words = &said.words;
        if said.words.long > 0 && matches!(said.ty, Some(Type::Unsupported(_))) {
            return Ok(said.ty.clone().unwrap_or(Type::Void));
        }
        let ty = match &said.ty {
            Some(ty) => ty.clone(),
            None if !words.any => {
                return Err(Fault::unsupported(at, "a declaration without a type"));
            }
            None => {
                let (bits, rank) = match words {
                    Words { char: true, .. } => (8, 1),
                    Words { short: true, .. } => (16, 2),
                    Words { long: 0, .. } => (32, 3),
                    Words { long: 1, .. } => (self.unit.types.long(), 4),
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
                SpecifierQualifier::TypeQualifier(q) => {
                    said.atomic |= q.node == TypeQualifier::Atomic
                }
                SpecifierQualifier::Extension(list) => attributes(list)?,
            }
        }
        self.specified(&said, at)
    }

    pub(crate) fn type_name(&mut self, name: &'a Node<TypeName>) -> Lower<Type> {
        let base = self.qualified(&name.node.specifiers, name.span.start)?;
        match &name.node.declarator {
            None => Ok(base),
            Some(declarator) => Ok(self.declarator(declarator, base)?.1),
        }
    }

    /// The name that a declarator declares, and its type.
    pub(crate) fn declarator(
        &mut self,
        d: &'a Node<Declarator>,
        base: Type,
    ) -> Lower<(Option<String>, Type)> {
        attributes(&d.node.extensions)?;
        let mut ty = base;
        let pointers =
            d.node.derived.iter().filter(|x| matches!(x.node, DerivedDeclarator::Pointer(_)));
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
                    let size = self.array_size(&array.node.size)?;
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

    /// The size of an array, if it is given.
    fn array_size(&mut self, size: &'a ArraySize) -> Lower<Option<usize>> {
        let (ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e)) = size else {
            return Ok(None);
        };
        let size = self.constant(e)?;
        let what = || format!("an array of {size} elements");
        let count = usize::try_from(&size);
        count.map(Some).map_err(|_| Fault::unsupported(e.span.start, what()))
    }

    /// Names, types and places of parameters; `void` alone is none.
    pub(crate) fn parameters(
        &mut self,
        list: &'a [Node<ParameterDeclaration>],
    ) -> Lower<Vec<Parameter>> {
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
    pub(crate) fn signature(
        &mut self,
        f: &'a FunctionDefinition,
    ) -> Lower<(String, Type, Vec<Parameter>)> {
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
            return Err(Fault::unsupported(
                f.declarator.span.start,
                "parameters declared behind the list",
            ));
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
                self.unit.declare_tag(tag, union.clone());
            }
            return Ok(union);
        }
        let known = tag.as_deref().and_then(|tag| self.unit.tag(tag));
        let Some(declarations) = &s.node.declarations else {
            if let Some(ty) = known {
                return Ok(ty);
            }
            return Ok(self.unit.new_structure(tag));
        };
        let ty = match known {
            Some(ty) if self.unit.types.is_open(&ty) => ty,
            _ => self.unit.new_structure(tag),
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
                members
                    .push((String::new(), Type::Unsupported("a structure without a name".into())));
            }
        }
        self.unit.types.complete(&ty, members);
        Ok(ty)
    }

    /// An enumeration: its constants are `int`. Its type is `unsigned` if no constant is negative,
    /// as gcc has it.
    fn enumeration(&mut self, e: &'a Node<EnumType>) -> Lower<Type> {
        let tag = e.node.identifier.as_ref().map(|i| i.node.name.clone());
        if e.node.enumerators.is_empty() {
            return Ok(tag
                .and_then(|tag| self.unit.tag(&tag))
                .unwrap_or(Type::Int(Integer::UNSIGNED)));
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
            self.unit.declare(name, Entity::Constant(next.clone()));
            next += 1;
        }
        let ty = Type::Int(if negative { Integer::INT } else { Integer::UNSIGNED });
        if let Some(tag) = tag {
            self.unit.declare_tag(tag, ty.clone());
        }
        Ok(ty)
    }
}

/// The types of POSIX threads, whatever the headers say.
pub(crate) fn named(name: &str, ty: Type) -> Type {
    Type::Sync(match name {
        "pthread_mutex_t" | "pthread_spinlock_t" => Sync::Mutex,
        "pthread_rwlock_t" => Sync::ReadWrite,
        "pthread_cond_t" => Sync::Condition,
        "pthread_once_t" => Sync::Once,
        "pthread_t" => Sync::Thread,
        "pthread_attr_t"
        | "pthread_mutexattr_t"
        | "pthread_condattr_t"
        | "pthread_rwlockattr_t" => Sync::Attributes,
        _ => return ty,
    })
}

fn is_atomic(qualifier: &Node<PointerQualifier>) -> bool {
    matches!(&qualifier.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Atomic)
}

pub(crate) fn is_thread(extension: &Extension) -> bool {
    matches!(extension, Extension::Attribute(a) if a.name.node == "thread")
}

/// Attributes that change what a declaration means are not modelled.
fn attributes(list: &[Node<Extension>]) -> Lower<()> {
    for extension in list {
        if let Extension::Attribute(attribute) = &extension.node {
            let name = attribute.name.node.trim_matches('_');
            if matches!(
                name,
                "mode"
                    | "vector_size"
                    | "cleanup"
                    | "constructor"
                    | "destructor"
                    | "alias"
                    | "ifunc"
                    | "weakref"
                    | "address_space"
                    | "scalar_storage_order"
            ) {
                return Err(Fault::unsupported(
                    extension.span.start,
                    format!("the attribute `{name}`"),
                ));
            }
        }
    }
    Ok(())
}
