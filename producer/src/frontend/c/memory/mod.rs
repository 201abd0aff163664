//! Memory: the objects of the program with their addresses, and the shared variables of their
//! cells.

pub(crate) mod cells;
pub(crate) mod object;
pub(crate) mod place;

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::memory::object::{
    Allocated, FIRST_ADDRESS, FIRST_FUNCTION, Key, Object, Storage,
};
use crate::frontend::c::steps::builder::Steps;
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::layout::Types;
use crate::frontend::c::types::literal::character_type;
use crate::frontend::c::types::value::{Value, range};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::{Op, Sort};

/// Arrays up to this many cells have a variable for each.
const MAX_CELLS: usize = 8;
/// The same of arrays of structures, and of what synchronizes threads.
const MAX_MIXED: usize = 64;

/// A declaration that makes an object.
pub(crate) struct Declared<'d> {
    pub name: &'d str,
    pub ty: Type,
    /// The place of the declaration.
    pub at: usize,
    /// Whether other threads can see the object.
    pub shared: bool,
    /// Whether it is zero at the start, but for its initial value, or has any value.
    pub zero: bool,
}

/// All objects.
pub(crate) struct Memory {
    objects: Vec<Object>,
    next_address: BigInt,
    /// Addresses of functions.
    functions: BTreeMap<String, BigInt>,
    pub shared: Vec<Variable>,
    /// Objects of `static` variables by their places.
    statics: BTreeMap<usize, usize>,
    /// Objects that are allocated.
    heap: BTreeMap<Key, usize>,
    /// The objects of the thread at work by the places of their declarations.
    automatic: BTreeMap<usize, usize>,
    /// Whether a pointer that may point to several objects has been used, by any thread and by the
    /// thread at work, and whether that has given one to other threads.
    dereferenced: bool,
    dereferenced_here: bool,
    leaked: bool,
    /// What is wrong, unless it turns out otherwise when the other threads are known.
    unresolved: Option<Fault>,
}

impl Memory {
    /// Memory without objects.
    pub(crate) fn new() -> Self {
        Memory {
            objects: Vec::new(),
            next_address: FIRST_ADDRESS.into(),
            functions: BTreeMap::new(),
            shared: Vec::new(),
            statics: BTreeMap::new(),
            heap: BTreeMap::new(),
            automatic: BTreeMap::new(),
            dereferenced: false,
            dereferenced_here: false,
            leaked: false,
            unresolved: None,
        }
    }

    /// Another thread is at work.
    pub(crate) fn next_thread(&mut self) {
        self.automatic.clear();
        (self.dereferenced_here, self.leaked) = (false, false);
    }

    /// An object by its number.
    pub(crate) fn object(&self, object: usize) -> &Object {
        &self.objects[object]
    }

    /// The shared variables.
    pub(crate) fn shared(&mut self) -> &mut Vec<Variable> {
        &mut self.shared
    }

    /// A shared variable that is zero at the start.
    pub(crate) fn flag(&mut self, name: String) -> Op {
        let init = Some(vec![BigInt::from(0)]);
        self.global(Variable { name, sort: Sort::Int, init, range: None })
    }

    /// The object of a variable with static storage in a block.
    pub(crate) fn static_at(&self, at: usize) -> Option<usize> {
        self.statics.get(&at).copied()
    }

    /// The object of a variable with static storage is made.
    pub(crate) fn set_static(&mut self, at: usize, object: usize) {
        self.statics.insert(at, object);
    }

    /// The object that a declaration has made in the thread at work.
    pub(crate) fn automatic(&self, at: usize) -> Option<usize> {
        self.automatic.get(&at).copied()
    }

    /// The object of a declaration in the thread at work is made.
    pub(crate) fn set_automatic(&mut self, at: usize, object: usize) {
        self.automatic.insert(at, object);
    }

    /// The object that an allocation has made.
    pub(crate) fn allocated(&self, key: &Key) -> Option<usize> {
        self.heap.get(key).copied()
    }

    /// The address of a function.
    pub(crate) fn function(&mut self, name: &str) -> BigInt {
        let next = BigInt::from(FIRST_FUNCTION) + self.functions.len() * 2;
        self.functions.entry(name.to_owned()).or_insert(next).clone()
    }

    /// Other threads get a pointer that may point to several objects.
    pub(crate) fn leak(&mut self) {
        self.leaked = true;
    }

    /// A local variable that a pointer of which nothing is known may point to.
    pub(crate) fn exposed_local(&self, exposed: &BTreeSet<usize>) -> Option<&Object> {
        self.objects.iter().find(|o| !o.shared && exposed.contains(&o.at))
    }

    /// Something is wrong, unless another thread tells.
    pub(crate) fn defer(&mut self, fault: Fault) {
        self.unresolved.get_or_insert(fault);
    }

    /// What is wrong when all threads are known.
    pub(crate) fn unresolved(&mut self) -> Lower<()> {
        self.unresolved.take().map_or(Ok(()), Err)
    }

    /// Makes the object of an allocation or string.
    pub(crate) fn allocate(
        &mut self,
        types: &Types,
        exposed: &BTreeSet<usize>,
        steps: &mut Steps,
        (key, known): (Key, &Allocated),
    ) -> Lower<usize> {
        let name = if known.ty.pointee() == Some(&character_type()) { "text" } else { "heap" };
        let (ty, at, zero) = (known.ty.clone(), known.at, known.init.is_some());
        let object =
            self.declare(types, exposed, steps, Declared { name, ty, at, shared: true, zero })?;
        for (cell, value) in known.init.iter().flatten().enumerate() {
            self.initialise(steps, object, cell, value.clone());
        }
        self.heap.insert(key, object);
        Ok(object)
    }

    /// A cell has this value at the start.
    pub(crate) fn initialise(
        &mut self,
        steps: &mut Steps,
        object: usize,
        cell: usize,
        value: BigInt,
    ) {
        let (op, element) = match &self.objects[object].storage {
            Storage::Cells(cells) => (&cells[cell], 0),
            Storage::Array(op) => (op, cell),
            Storage::Bound(_) => return,
        };
        let list = match op {
            Op::Global(i) => self.shared[*i as usize].init.as_mut(),
            Op::Local(_, i) => steps.initial(*i),
            _ => None,
        };
        if let Some(list) = list {
            list[element] = value;
        }
    }

    /// A new object. Its name is made different from others when the program is finished.
    pub(crate) fn declare(
        &mut self,
        types: &Types,
        exposed: &BTreeSet<usize>,
        steps: &mut Steps,
        Declared { name, ty, at, shared, zero }: Declared,
    ) -> Lower<usize> {
        let cells =
            if matches!(ty, Type::Unsupported(_)) { Vec::new() } else { types.leaves(&ty, at)? };
        let used = if shared { self.dereferenced } else { self.dereferenced_here || self.leaked };
        if used && exposed.contains(&at) {
            let what = "a variable whose address is kept, declared behind a use of pointers";
            return Err(Fault::unsupported(at, what));
        }
        let address = self.address(cells.len());
        let zeros = |count| zero.then(|| vec![BigInt::from(0); count]);
        let mut variable = |name, sort, init, range| {
            let variable = Variable { name, sort, init, range };
            if shared { self.global(variable) } else { steps.own(variable) }
        };
        let storage = if in_array(types, &ty, &cells) {
            let init = zeros(cells.len());
            Storage::Array(variable(name.to_owned(), Sort::IntArray, init, None))
        } else {
            let mut names = Vec::new();
            types.paths(&ty, name.to_owned(), &mut names);
            let ops = cells.iter().zip(names).map(|(cell, name)| {
                let sync = matches!(cell.plain(), Type::Sync(_));
                variable(name, Sort::Int, zeros(1), Some(range(cell)).filter(|_| !sync))
            });
            Storage::Cells(ops.collect())
        };
        let (name, undefined) = (name.to_owned(), !zero);
        self.objects.push(Object { name, ty, storage, cells, address, shared, undefined, at });
        Ok(self.objects.len() - 1)
    }

    /// A variable that all threads see.
    pub(crate) fn global(&mut self, variable: Variable) -> Op {
        self.shared.push(variable);
        Op::Global(number(self.shared.len() - 1))
    }

    /// Addresses for the cells of an object.
    pub(crate) fn address(&mut self, cells: usize) -> BigInt {
        let address = self.next_address.clone();
        self.next_address += cells + 1;
        address
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

    /// The addresses of an object's first cell and of what is right behind its last one.
    pub(crate) fn extent(&self, object: usize) -> (BigInt, BigInt) {
        let object = &self.objects[object];
        (object.address.clone(), &object.address + object.cells.len())
    }

    /// The object that a pointer points into, or right behind, if that is known.
    pub(crate) fn object_at(&self, pointer: &Value) -> Option<usize> {
        let address = pointer.as_constant();
        pointer.object.or_else(|| {
            let address = address?;
            self.objects.iter().position(|o| {
                let end = &o.address + o.cells.len();
                o.address <= *address && *address <= end
            })
        })
    }

    /// The function that a value is known to be the address of.
    pub(crate) fn function_at(&self, pointer: &Value) -> Option<String> {
        let address = pointer.as_constant()?;
        self.functions.iter().find(|(_, a)| *a == address).map(|(name, _)| name.clone())
    }

    /// The objects that a pointer may point to of which nothing is known.
    pub(crate) fn targets(&self, exposed: &BTreeSet<usize>) -> Vec<usize> {
        let seen = |object: &usize| {
            let candidate = &self.objects[*object];
            let own = candidate.shared || self.automatic.get(&candidate.at) == Some(object);
            own && exposed.contains(&candidate.at)
        };
        (0..self.objects.len()).filter(seen).collect()
    }

    /// From now on no object may appear that a pointer may point to.
    pub(crate) fn uses_pointers(&mut self) {
        (self.dereferenced, self.dereferenced_here) = (true, true);
    }
}

/// Whether the cells of an object are the elements of one array.
fn in_array(types: &Types, ty: &Type, cells: &[Type]) -> bool {
    let mixed = cells.windows(2).any(|pair| pair[0] != pair[1]);
    let handles = matches!(cells.first(), Some(Type::Sync(_)));
    let most = if mixed || handles { MAX_MIXED } else { MAX_CELLS };
    types.contains_array(ty) && cells.len() > most
}
