//! The translation unit: the names in scope, the functions and the structures.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::layout::Types;
use lang_c::ast::{FunctionDefinition, Initializer};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::collections::HashMap;

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(Type),
    Constant(BigInt),
    Object(usize),
    Function(Type),
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<String, Entity>,
    /// Structures by their tags.
    pub tags: HashMap<String, Type>,
}

/// A thread-local variable: name, type, place and initial value.
pub(crate) type ThreadLocal<'a> = (String, Type, usize, Option<&'a Node<Initializer>>);

/// The declarations of the translation unit, and the names in scope where the lowering is.
pub(crate) struct Unit<'a> {
    pub types: Types,
    globals: Scope,
    scopes: Vec<Scope>,
    functions: HashMap<String, &'a FunctionDefinition>,
    /// Thread-local variables: each thread makes objects of its own.
    pub locals: Vec<ThreadLocal<'a>>,
}

impl<'a> Unit<'a> {
    /// A unit without declarations.
    pub(crate) fn new(types: Types) -> Self {
        let (globals, scopes) = Default::default();
        Unit { types, globals, scopes, functions: HashMap::new(), locals: Vec::new() }
    }

    /// Opens a block.
    pub(crate) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost block.
    pub(crate) fn close(&mut self) {
        self.scopes.pop();
    }

    /// Leaves all blocks, for the body of another function. They are what [`Self::back`] takes.
    pub(crate) fn outside(&mut self) -> Vec<Scope> {
        std::mem::take(&mut self.scopes)
    }

    /// Goes back to blocks that have been left.
    pub(crate) fn back(&mut self, scopes: Vec<Scope>) {
        self.scopes = scopes;
    }

    /// Declares a name in the innermost block.
    pub(crate) fn declare(&mut self, name: String, entity: Entity) {
        self.scope().names.insert(name, entity);
    }

    /// Declares a tag in the innermost block.
    pub(crate) fn declare_tag(&mut self, tag: String, ty: Type) {
        self.scope().tags.insert(tag, ty);
    }

    /// Declares a name outside of all blocks.
    pub(crate) fn declare_global(&mut self, name: String, entity: Entity) {
        self.globals.names.insert(name, entity);
    }

    /// What a name means outside of all blocks.
    pub(crate) fn global(&self, name: &str) -> Option<&Entity> {
        self.globals.names.get(name)
    }

    /// Whether a block declares a name.
    pub(crate) fn is_local(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.names.contains_key(name))
    }

    /// Defines a function.
    pub(crate) fn define(
        &mut self,
        name: String,
        ty: Type,
        function: &'a Node<FunctionDefinition>,
    ) -> Lower<()> {
        if self.functions.insert(name.clone(), &function.node).is_some() {
            return Err(Fault::wrong(function.span.start, format!("`{name}` is defined twice")));
        }
        self.declare_global(name, Entity::Function(ty));
        Ok(())
    }

    /// The definition of a function.
    pub(crate) fn function(&self, name: &str) -> Option<&'a FunctionDefinition> {
        self.functions.get(name).copied()
    }

    /// All functions that are defined.
    pub(crate) fn functions(&self) -> &HashMap<String, &'a FunctionDefinition> {
        &self.functions
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Entity> {
        let scopes = self.scopes.iter().rev().chain([&self.globals]);
        scopes.filter_map(|scope| scope.names.get(name)).next()
    }

    fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap_or(&mut self.globals)
    }

    pub(crate) fn tag(&self, tag: &str) -> Option<Type> {
        let scopes = self.scopes.iter().rev().chain([&self.globals]);
        scopes.filter_map(|scope| scope.tags.get(tag)).next().cloned()
    }

    pub(crate) fn new_structure(&mut self, tag: Option<String>) -> Type {
        let name = format!("struct {}", tag.as_deref().unwrap_or("without a name"));
        let ty = self.types.declare(name);
        if let Some(tag) = tag {
            self.scope().tags.insert(tag, ty.clone());
        }
        ty
    }
}
