//! Random programs of one thread, and what those of more threads share with them: variables and
//! functions.

use super::super::ast::{Decl, Expr, Function, Init, Int, Stmt, Storage, Type, Unit};
use super::{Place, Signature, Writer};

/// Levels of statements inside each other.
const DEPTH: usize = 2;

impl Writer<'_, '_> {
    /// A program of one thread, at whose end all variables are observed.
    pub(super) fn sequential(&mut self) -> Unit {
        let mut unit = Unit::default();
        self.globals(&mut unit, 5);
        self.structure(&mut unit);
        self.arrays(&mut unit);
        self.grids(&mut unit);
        self.shared_pointer(&mut unit);
        self.library(&mut unit);
        for _ in 0..self.source.below(3) {
            let function = self.function(false);
            unit.functions.push(function);
        }
        let choice = self.table(&mut unit);
        let number = 4 + self.source.below(4);
        let places = self.scope.places.clone();
        let mut body: Vec<Stmt> = choice.into_iter().collect();
        if self.source.chance(15) {
            body.push(self.allocation());
        }
        body.extend(self.block(number, DEPTH));
        self.observe(&mut body, &places);
        unit.functions.push(main(body));
        unit
    }

    /// Ends `main` with a look at these variables.
    pub(super) fn observe(&mut self, body: &mut Vec<Stmt>, places: &[Place]) {
        for (number, place) in places.iter().enumerate() {
            let name = format!("r{number}");
            let (kind, init) = (Type::Int(place.kind), Some(Init::Value(place.e.clone())));
            body.push(Stmt::Decl(Decl { storage: Storage::Plain, kind, name: name.clone(), init }));
            body.push(Stmt::Observe(number, Expr::name(&name)));
        }
        body.push(Stmt::Return(Some(Expr::int(0))));
    }

    pub(super) fn globals(&mut self, unit: &mut Unit, number: usize) {
        for i in 0..number {
            let name = format!("g{i}");
            let kind = match self.compiled() {
                true => self.source.pick(&Int::ALL),
                false => self.source.pick(&[
                    Int::Int,
                    Int::Int,
                    Int::UChar,
                    Int::UInt,
                    Int::Bool,
                    Int::Short,
                ]),
            };
            let atomic = self.source.chance(if self.compiled() { 20 } else { 40 });
            let init = self.source.chance(60).then(|| Init::Value(self.start().e));
            let of = if atomic { Type::Atomic(kind) } else { Type::Int(kind) };
            let storage = if self.source.chance(10) { Storage::Static } else { Storage::Plain };
            unit.globals.push(Decl { storage, kind: of, name: name.clone(), init });
            let place = Place { e: Expr::name(&name), kind, atomic };
            if !atomic {
                self.scope.addressable.push(place.clone());
            }
            self.scope.places.push(place);
        }
    }

    /// A pointer that all threads share.
    pub(super) fn shared_pointer(&mut self, unit: &mut Unit) {
        let first = self.pick(&self.scope.addressable.clone());
        let Some(first) = first.filter(|_| self.source.chance(25)) else { return };
        let init = Some(Init::Value(Expr::address(first.e)));
        let (storage, kind) = (Storage::Plain, Self::pointer_type(first.kind));
        unit.globals.push(Decl { storage, kind, name: "gp".to_owned(), init });
        self.scope.pointers.push((Expr::name("gp"), first.kind));
    }

    fn start(&mut self) -> super::expression::Typed {
        self.constant()
    }

    /// A structure of scalars, now and then with a pointer to it.
    pub(super) fn structure(&mut self, unit: &mut Unit) {
        if !self.source.chance(40) {
            return;
        }
        let kinds = [self.source.pick(&Int::ALL), self.source.pick(&Int::ALL)];
        let members =
            vec![("a".to_owned(), Type::Int(kinds[0])), ("b".to_owned(), Type::Int(kinds[1]))];
        unit.structs.push(("pair".to_owned(), members));
        let values = vec![Init::Value(self.start().e), Init::Value(self.start().e)];
        let init = self.source.chance(50).then_some(Init::List(values));
        let kind = Type::Struct("pair".to_owned());
        let storage = Storage::Plain;
        unit.globals.push(Decl { storage, kind: kind.clone(), name: "w".to_owned(), init });
        for (member, kind) in ["a", "b"].into_iter().zip(kinds) {
            let e = Expr::Member(Box::new(Expr::name("w")), member.to_owned());
            let place = Place { e, kind, atomic: false };
            self.scope.addressable.push(place.clone());
            self.scope.places.push(place);
        }
        if self.source.chance(50) {
            let init = Some(Init::Value(Expr::address(Expr::name("w"))));
            let kind = Type::pointer(kind);
            unit.globals.push(Decl { storage, kind, name: "pw".to_owned(), init });
            let e = Expr::Arrow(Box::new(Expr::name("pw")), "b".to_owned());
            self.scope.places.push(Place { e, kind: kinds[1], atomic: false });
        }
    }

    /// Arrays: short ones are variables in the core program, long ones are not.
    pub(super) fn arrays(&mut self, unit: &mut Unit) {
        for (name, length) in [("a", 3), ("b", 12)] {
            if !self.source.chance(30) {
                continue;
            }
            let kind = self.source.pick(&[Int::Int, Int::UChar, Int::Long, Int::UShort]);
            let values = vec![Init::Value(self.start().e), Init::Value(self.start().e)];
            let init = self.source.chance(50).then_some(Init::List(values));
            let of = Type::Array(Box::new(Type::Int(kind)), length);
            unit.globals.push(Decl {
                storage: Storage::Plain,
                kind: of,
                name: name.to_owned(),
                init,
            });
            self.scope.arrays.push((Expr::name(name), kind, length));
            let e = Expr::Index(Box::new(Expr::name(name)), Box::new(Expr::int(1)));
            let place = Place { e, kind, atomic: false };
            if length < 8 {
                self.scope.addressable.push(place.clone());
            }
            self.scope.places.push(place);
        }
    }

    /// Arrays of two rows, and of two structures.
    pub(super) fn grids(&mut self, unit: &mut Unit) {
        let storage = Storage::Plain;
        if self.source.chance(20) {
            let kind = self.source.pick(&Int::ALL);
            let row = Type::Array(Box::new(Type::Int(kind)), 2);
            let rows = Type::Array(Box::new(row), 2);
            let values = vec![Init::List(vec![Init::Value(self.start().e)])];
            let init = Some(Init::List(values));
            unit.globals.push(Decl { storage, kind: rows, name: "gr".to_owned(), init });
            self.scope.grids.push(("gr".to_owned(), kind, None));
        }
        let members = unit.structs.first().map(|(tag, members)| (tag.clone(), members.clone()));
        if let (Some((tag, members)), true) = (members, self.source.chance(40)) {
            let of = Type::Array(Box::new(Type::Struct(tag)), 2);
            unit.globals.push(Decl { storage, kind: of, name: "ws".to_owned(), init: None });
            for (member, kind) in members {
                let Type::Int(kind) = kind else { continue };
                self.scope.grids.push(("ws".to_owned(), kind, Some(member)));
            }
        }
    }

    /// A function of integers, or an atomic one.
    pub(super) fn function(&mut self, atomic: bool) -> Function {
        let stem = if atomic { "__VERIFIER_atomic_" } else { "f" };
        let name = self.fresh(stem);
        let outer = self.scope.clone();
        let kind = |writer: &mut Self| match writer.compiled() {
            true => writer.source.pick(&Int::ALL),
            false => writer.source.pick(&[Int::Int, Int::UChar]),
        };
        let count = self.source.below(3);
        let mut params = Vec::new();
        let pointer = if self.source.chance(25) {
            self.pick(&self.scope.addressable.clone()).map(|p| p.kind)
        } else {
            None
        };
        if let Some(kind) = pointer {
            let name = self.fresh("x");
            self.scope.pointers.push((Expr::name(&name), kind));
            params.push((name, Self::pointer_type(kind)));
        }
        for _ in 0..count {
            let (name, kind) = (self.fresh("x"), kind(self));
            self.scope.places.push(Place { e: Expr::name(&name), kind, atomic: false });
            params.push((name, Type::Int(kind)));
        }
        let result = if self.source.chance(70) { Some(kind(self)) } else { None };
        self.scope.result = Some(result);
        self.scope.in_atomic = atomic;
        if self.compiled() {
            // The caller may hold them.
            self.scope.mutexes.clear();
            self.scope.read_write.clear();
        }
        let number = 1 + self.source.below(2);
        let mut body = self.block(number, if self.compiled() { DEPTH } else { 1 });
        if result.is_some() {
            body.push(Stmt::Return(Some(self.int(1).e)));
        }
        self.scope = outer;
        let kinds = params.iter().filter_map(|(_, kind)| match kind {
            Type::Int(kind) => Some(*kind),
            _ => None,
        });
        let kinds = kinds.collect();
        self.functions.push(Signature {
            name: name.clone(),
            pointer,
            params: kinds,
            result,
            atomic,
        });
        let result = result.map_or(Type::Void, Type::Int);
        Function { result, name, params, body }
    }

    /// A pointer to a function, which is then called as a function is; a statement that sets it.
    pub(super) fn table(&mut self, unit: &mut Unit) -> Option<Stmt> {
        let plain = self.functions.iter().filter(|f| f.pointer.is_none() && !f.atomic).cloned();
        let f = self.pick(&plain.collect::<Vec<_>>())?;
        if !self.source.chance(40) {
            return None;
        }
        let alike = |g: &&Signature| {
            g.pointer.is_none() && !g.atomic && g.params == f.params && g.result == f.result
        };
        let others: Vec<Signature> = self.functions.iter().filter(alike).cloned().collect();
        let other = self.pick(&others).expect("itself");
        let params = f.params.iter().map(|kind| Type::Int(*kind)).collect();
        let result = f.result.map_or(Type::Void, Type::Int);
        let kind = Type::pointer(Type::Function(Box::new(result), params));
        let init = Some(Init::Value(Expr::name(&f.name)));
        unit.globals.push(Decl { storage: Storage::Plain, kind, name: "pf".to_owned(), init });
        self.functions.push(Signature { name: "pf".to_owned(), ..f.clone() });
        let (a, b) = (Box::new(Expr::name(&f.name)), Box::new(Expr::name(&other.name)));
        let value = Expr::Conditional(Box::new(self.condition(1)), a, b);
        Some(Stmt::Expr(Expr::assign(Expr::name("pf"), value)))
    }
}

pub(super) fn main(body: Vec<Stmt>) -> Function {
    Function { result: Type::Int(Int::Int), name: "main".to_owned(), params: Vec::new(), body }
}
