//! Calls of the library with effects in their operands.

use super::super::ast::{Decl, Expr, Init, Int, Stmt, Storage, Type};
use super::super::calls::{self, Line};
use super::threads::do_call;
use super::{Place, Writer};

/// Those that take a memory order, too.
const ORDERED: [&str; 11] = [
    "__atomic_load_n",
    "__atomic_store_n",
    "__atomic_exchange_n",
    "__atomic_compare_exchange_n",
    "__atomic_fetch_add",
    "__atomic_fetch_sub",
    "__atomic_fetch_or",
    "__atomic_fetch_and",
    "__atomic_fetch_xor",
    "__atomic_add_fetch",
    "__atomic_sub_fetch",
];

/// Lines that are not about objects of their own: these calls are generated elsewhere.
const ELSEWHERE: [&str; 8] = [
    "assert",
    "__VERIFIER_assert",
    "__VERIFIER_assume",
    "assume_abort_if_not",
    "pthread_create",
    "pthread_join",
    "pthread_detach",
    "pthread_once",
];

/// Lines that print where observed values are printed.
const PRINTING: [&str; 4] = ["printf", "fprintf", "puts", "putchar"];

/// Lines that are modelled once an execution.
const ONCE: [&str; 2] = ["malloc", "calloc"];

impl Writer<'_, '_> {
    /// An operand with an effect before it, now and then.
    pub(super) fn with_effect(&mut self, e: Expr) -> Expr {
        if !self.source.chance(50) {
            return e;
        }
        let effect = if self.compiled() { self.safe_effect() } else { self.effect().e };
        Expr::Comma(Box::new(effect), Box::new(e))
    }

    /// An atomic function with memory orders, in whose operands something is written. The order of
    /// operands is not said: where that matters the others are constants.
    pub(super) fn ordered(&mut self) -> Stmt {
        let name = self.source.pick(&ORDERED);
        let places = self.scope.addressable.iter().filter(|p| p.kind != Int::Bool);
        let places: Vec<Place> = places.cloned().collect();
        let Some(place) = self.pick(&places) else { return self.assignment() };
        let plain = |word: &str| name.ends_with(word);
        let bits = ["or", "and", "xor"].into_iter().any(plain);
        let value = if self.compiled() || bits { Expr::int(1) } else { self.int(1).e };
        let value = if self.compiled() { value } else { self.with_effect(value) };
        let order = self.with_effect(Expr::int(5));
        let to = Expr::address(place.e);
        match name {
            "__atomic_load_n" => {
                let result = self.place();
                Stmt::Expr(Expr::assign(result.e, Expr::call(name, vec![to, order])))
            }
            "__atomic_compare_exchange_n" => {
                let expected = self.fresh("e");
                let (storage, kind) = (Storage::Plain, Type::Int(place.kind));
                let init = Some(Init::Value(self.constant().e));
                let decl = Decl { storage, kind, name: expected.clone(), init };
                let at = Expr::address(Expr::name(&expected));
                let arguments = vec![to, at, value, Expr::int(0), order, Expr::int(5)];
                Stmt::Block(vec![Stmt::Decl(decl), do_call(name, arguments)])
            }
            _ => do_call(name, vec![to, value, order]),
        }
    }

    /// Operands, now and then one of them with an effect.
    pub(super) fn one_with_effect(&mut self, mut operands: Vec<Expr>) -> Vec<Expr> {
        let at = self.source.below(operands.len());
        operands[at] = self.with_effect(operands[at].clone());
        operands
    }

    /// A call on objects of its own, in which something is written.
    pub(super) fn isolated(&mut self) -> Stmt {
        let compiled = self.compiled();
        let left_out = |name: &&str| {
            ELSEWHERE.contains(name) || ONCE.contains(name) || compiled && PRINTING.contains(name)
        };
        self.library_call(|line| !left_out(&line.name))
    }

    /// An allocation, in which something is written.
    pub(super) fn allocation(&mut self) -> Stmt {
        self.library_call(|line| ONCE.contains(&line.name))
    }

    fn library_call(&mut self, wanted: impl Fn(&Line) -> bool) -> Stmt {
        if self.scope.in_atomic {
            return self.assignment();
        }
        let lines = calls::all().enumerate().filter(|(_, l)| l.returns && wanted(l));
        let operands = |line: &'static Line| {
            let all = line.operands.iter().enumerate();
            all.filter(|(_, o)| !o.starts_with('!')).map(|(operand, _)| operand).collect::<Vec<_>>()
        };
        let lines = lines.map(|(i, line)| (i, operands(line))).filter(|(_, o)| !o.is_empty());
        let (line, operands) = self.pick(&lines.collect::<Vec<_>>()).expect("a line");
        let operand = self.pick(&operands).expect("an operand");
        let effect = if self.compiled() { self.safe_effect() } else { self.effect().e };
        Stmt::Library { line, operand, effect }
    }
}
