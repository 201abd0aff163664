//! Calls: functions of the program, and those of the library that are modelled.

use super::ast::{Expr, Type};
use super::code::{Change, Op, Value};
use super::compile::Compiler;
use super::integer::{Binary, Int};

/// Operators of the functions that fetch and change.
const OPERATORS: [(&str, Binary); 5] = [
    ("add", Binary::Add),
    ("sub", Binary::Sub),
    ("or", Binary::Or),
    ("and", Binary::And),
    ("xor", Binary::Xor),
];

/// Functions that end the program.
pub const EXITS: [&str; 5] = ["abort", "exit", "_exit", "_Exit", "quick_exit"];

/// What `__VERIFIER_nondet_NAME` gives.
pub const ANY: [(&str, Int); 11] = [
    ("bool", Int::Bool),
    ("char", Int::Char),
    ("uchar", Int::UChar),
    ("short", Int::Short),
    ("ushort", Int::UShort),
    ("int", Int::Int),
    ("uint", Int::UInt),
    ("long", Int::Long),
    ("ulong", Int::ULong),
    ("longlong", Int::LLong),
    ("ulonglong", Int::ULLong),
];

impl Compiler<'_> {
    pub(super) fn call(&mut self, f: &Expr, arguments: &[Expr]) -> Type {
        if let Expr::Name(name) = f {
            if let Some(number) = self.function_number(name) {
                return self.call_known(number, arguments);
            }
            if self.is_library(name) {
                return self.library(name, arguments);
            }
        }
        let Type::Pointer(to) = self.rvalue(f) else { panic!("{f:?} is called") };
        let Type::Function(result, params) = *to else { panic!("{f:?} is called") };
        self.pass(arguments, &params);
        self.emit(Op::CallPointer(arguments.len()));
        *result
    }

    fn is_library(&self, name: &str) -> bool {
        let prefixes = ["__", "pthread_", "atomic_", "assume_"];
        prefixes.iter().any(|p| name.starts_with(p)) || EXITS.contains(&name)
    }

    fn pass(&mut self, arguments: &[Expr], params: &[Type]) {
        for (argument, kind) in arguments.iter().zip(params) {
            let from = self.rvalue(argument);
            self.coerce(&from, kind);
        }
    }

    fn call_known(&mut self, number: usize, arguments: &[Expr]) -> Type {
        let function = &self.unit.functions[number];
        let params: Vec<Type> = function.params.iter().map(|(_, kind)| kind.clone()).collect();
        let (result, name) = (function.result.clone(), function.name.clone());
        self.pass(arguments, &params);
        let atomic = name.starts_with("__VERIFIER_atomic_");
        if atomic {
            self.emit(Op::AtomicBegin);
        }
        self.emit(Op::Call(number));
        if atomic {
            self.emit(Op::AtomicEnd);
        }
        result
    }

    /// An instruction on the arguments, with a result of this type; void has the value 0.
    fn plain(&mut self, op: Op, arguments: &[Expr], result: Type) -> Type {
        arguments.iter().for_each(|e| drop(self.rvalue(e)));
        self.emit(op);
        if result == Type::Void {
            self.emit(Op::Push(Value::Int(0)));
        }
        result
    }

    fn library(&mut self, name: &str, arguments: &[Expr]) -> Type {
        let int = Type::Int(Int::Int);
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            let kind = ANY.iter().find(|(name, _)| *name == kind).expect("a type").1;
            return self.plain(Op::Any(kind), &[], Type::Int(kind));
        }
        match name {
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                self.plain(Op::Assume, arguments, Type::Void)
            }
            "__VERIFIER_atomic_begin" => self.plain(Op::AtomicBegin, &[], Type::Void),
            "__VERIFIER_atomic_end" => self.plain(Op::AtomicEnd, &[], Type::Void),
            name if EXITS.contains(&name) => {
                arguments.iter().for_each(|e| drop(self.rvalue(e)));
                self.plain(Op::Exit, &[], Type::Void)
            }
            "pthread_exit" => {
                self.dropped(arguments);
                self.plain(Op::End, &[], Type::Void)
            }
            "pthread_mutex_lock" | "pthread_spin_lock" => self.zero(Op::Lock, arguments),
            "pthread_mutex_unlock" | "pthread_spin_unlock" => self.zero(Op::Unlock, arguments),
            "pthread_mutex_trylock" | "pthread_spin_trylock" => {
                self.plain(Op::TryLock, arguments, int)
            }
            "pthread_rwlock_rdlock" => self.zero(Op::ReadLock, arguments),
            "pthread_rwlock_wrlock" => self.zero(Op::WriteLock, arguments),
            "pthread_rwlock_tryrdlock" => self.plain(Op::TryReadLock, arguments, int),
            "pthread_rwlock_trywrlock" => self.plain(Op::TryWriteLock, arguments, int),
            "pthread_rwlock_unlock" => self.zero(Op::ReadWriteUnlock, arguments),
            "pthread_cond_signal" | "pthread_cond_broadcast" | "pthread_detach" => {
                self.dropped(arguments);
                self.emit(Op::Push(Value::Int(0)));
                int
            }
            "pthread_cond_wait" => {
                self.dropped(&arguments[..1]);
                self.plain(Op::Unlock, &arguments[1..], Type::Void);
                self.emit(Op::Pop);
                self.zero(Op::Lock, &arguments[1..])
            }
            "pthread_once" => self.once(arguments),
            "pthread_create" => self.plain(Op::Create, arguments, int),
            "pthread_join" => {
                self.rvalue(&arguments[0]);
                self.dropped(&arguments[1..]);
                self.zero(Op::Join, &[])
            }
            _ => self.atomic(name, arguments),
        }
    }

    /// Arguments that are evaluated, and of which nothing is taken.
    fn dropped(&mut self, arguments: &[Expr]) {
        for e in arguments {
            self.rvalue(e);
            self.emit(Op::Pop);
        }
    }

    /// An instruction of a function that returns 0.
    fn zero(&mut self, op: Op, arguments: &[Expr]) -> Type {
        self.plain(op, arguments, Type::Void);
        Type::Int(Int::Int)
    }

    fn once(&mut self, arguments: &[Expr]) -> Type {
        arguments.iter().for_each(|e| drop(self.rvalue(e)));
        let done = self.emit(Op::Once(0));
        self.emit(Op::Pop);
        self.emit(Op::OnceDone);
        self.land(done);
        self.emit(Op::Push(Value::Int(0)));
        Type::Int(Int::Int)
    }

    /// The address of the first argument; the type of what is there.
    fn target(&mut self, e: &Expr) -> Int {
        match self.rvalue(e) {
            Type::Pointer(to) => match *to {
                Type::Int(kind) | Type::Atomic(kind) => kind,
                other => panic!("an atomic access to {other:?}"),
            },
            other => panic!("{other:?} is no pointer"),
        }
    }

    fn value(&mut self, e: &Expr, kind: Int) {
        let from = self.rvalue(e);
        self.coerce(&from, &Type::Int(kind));
    }

    fn atomic(&mut self, name: &str, arguments: &[Expr]) -> Type {
        if name == "__sync_synchronize" {
            self.emit(Op::Push(Value::Int(0)));
            return Type::Void;
        }
        let kind = self.target(&arguments[0]);
        if let Some((change, new)) = changes(name, kind) {
            self.value(&arguments[1], kind);
            self.dropped(&arguments[2..]);
            self.emit(Op::Update { change, kind, new });
            return Type::Int(kind);
        }
        match name {
            "atomic_load" | "__atomic_load_n" => {
                self.dropped(&arguments[1..]);
                self.emit(Op::Load);
            }
            "atomic_store" | "__atomic_store_n" => {
                self.value(&arguments[1], kind);
                self.dropped(&arguments[2..]);
                self.emit(Op::Update { change: Change::Exchange, kind, new: true });
            }
            "atomic_compare_exchange_strong"
            | "atomic_compare_exchange_weak"
            | "__atomic_compare_exchange_n" => {
                self.rvalue(&arguments[1]);
                self.value(&arguments[2], kind);
                self.dropped(&arguments[3..]);
                let weak = name.ends_with("weak");
                if weak {
                    self.emit(Op::Any(Int::Bool));
                }
                self.emit(Op::CompareExchange { kind, weak });
                return Type::Int(Int::Bool);
            }
            "__sync_bool_compare_and_swap" | "__sync_val_compare_and_swap" => {
                self.value(&arguments[1], kind);
                self.value(&arguments[2], kind);
                let old = name.contains("val");
                self.emit(Op::CompareSwap { kind, old });
                return Type::Int(if old { kind } else { Int::Bool });
            }
            "__sync_lock_release" => {
                self.emit(Op::Push(Value::Int(0)));
                self.emit(Op::Update { change: Change::Exchange, kind, new: true });
                return Type::Void;
            }
            other => panic!("a call of {other}"),
        }
        Type::Int(kind)
    }
}

/// What a function makes of a value of this type, and whether it gives the new one. The standard
/// has it wrap; that nothing signed overflows is assumed here as everywhere.
fn changes(name: &str, kind: Int) -> Option<(Change, bool)> {
    if ["atomic_exchange", "__atomic_exchange_n"].contains(&name)
        || name == "__sync_lock_test_and_set"
    {
        return Some((Change::Exchange, false));
    }
    let operator = |name: &str| OPERATORS.iter().find(|(word, _)| *word == name).map(|(_, o)| *o);
    let change = |operator, new| (Change::Operator(operator, kind), new);
    if let Some(word) = name.strip_prefix("__sync_").and_then(|n| n.strip_suffix("_and_fetch")) {
        return operator(word).map(|o| change(o, true));
    }
    if let Some(word) = name.strip_prefix("__atomic_").and_then(|n| n.strip_suffix("_fetch")) {
        return operator(word).map(|o| change(o, true));
    }
    let word = ["atomic_fetch_", "__atomic_fetch_", "__sync_fetch_and_"]
        .iter()
        .find_map(|p| name.strip_prefix(p))?;
    operator(word).map(|o| change(o, false))
}
