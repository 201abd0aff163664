//! Functions that the language, POSIX threads and SV-COMP's conventions define.

use super::expression::void;
use super::fault::{Fault, Lower};
use super::graph::Command;
use super::lower::{Entity, Lowering, Value, function_type};
use super::place::{Change, Place};
use super::term::{add, compare, int, sub};
use super::types::{Integer, Type};
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use threadproof_format::{Cmp, Op};

pub(super) type Arguments<'a> = &'a [Node<Expression>];

/// The error code of what is busy.
const EBUSY: u8 = 16;

impl<'a> Lowering<'a> {
    /// A call of a function without a definition.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Value> {
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            let ty = self.nondeterministic(name, kind, at)?;
            return self.any("any", ty);
        }
        if name.starts_with("pthread_") {
            return self.posix(name, arguments, at);
        }
        if name.starts_with("__sync_") || name.starts_with("__atomic_") {
            return self.atomic(name, arguments, at);
        }
        match name {
            "__VERIFIER_error" | "reach_error" | "__assert_fail" | "__assert" => self.fail(at)?,
            "assert" | "__VERIFIER_assert" => {
                let [yes, no] = [self.node(), self.node()];
                self.branch(argument(arguments, 0, at)?, yes, no)?;
                self.t.current = no;
                self.fail(at)?;
                self.t.current = yes;
            }
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                let [yes, no] = [self.node(), self.node()];
                self.branch(argument(arguments, 0, at)?, yes, no)?;
                self.t.current = yes;
            }
            // No step of this thread follows. That others go on shows nothing that they could not have done before.
            "abort"
            | "exit"
            | "_exit"
            | "_Exit"
            | "quick_exit"
            | "__builtin_trap"
            | "__builtin_unreachable" => {
                self.arguments(arguments)?;
                self.nowhere();
            }
            "__VERIFIER_atomic_begin" => self.begin()?,
            "__VERIFIER_atomic_end" => self.finish(at)?,
            "printf" | "puts" | "putchar" => {
                self.printed(arguments)?;
                return self.any("any", Type::int());
            }
            // The first one is `stderr` or the like.
            "fprintf" | "fflush" => {
                self.printed(arguments.get(1..).unwrap_or_default())?;
                return self.any("any", Type::int());
            }
            "perror" | "srand" | "srandom" | "free" => self.printed(arguments)?,
            "rand" | "random" => {
                let ty = self.builtin_type(name, arguments, at)?;
                let chosen =
                    self.any("any", Type::Int(Integer { signed: false, bits: 31, rank: 3 }))?;
                return Ok(Value { ty, ..chosen });
            }
            "time" => {
                let place = self.value(argument(arguments, 0, at)?)?;
                if place.as_constant().is_none_or(|v| *v != 0.into()) {
                    return Err(Fault::unsupported(at, "`time` with a place for it"));
                }
                let ty = self.builtin_type(name, arguments, at)?;
                return self.any("any", ty);
            }
            "malloc" | "calloc" => {
                return Err(Fault::unsupported(
                    at,
                    "an allocation that is not assigned to a pointer with a type",
                ));
            }
            "sleep" | "usleep" | "sched_yield" | "nanosleep" => {
                self.printed(arguments)?;
                return self.any("any", Type::int());
            }
            "__builtin_expect" => {
                let value = self.value(argument(arguments, 0, at)?)?;
                let bits = self.model.long();
                return self.convert(
                    value,
                    &Type::Int(Integer { bits, signed: true, rank: 4 }),
                    at,
                );
            }
            _ => {
                let what = format!("a call of `{name}`, which has no definition");
                return Err(Fault::unsupported(at, what));
            }
        }
        Ok(void())
    }

    /// Arguments of a function that prints: strings are as they are.
    fn printed(&mut self, arguments: Arguments<'a>) -> Lower<()> {
        for argument in arguments {
            if !matches!(argument.node, Expression::StringLiteral(_)) {
                self.effect(argument)?;
            }
        }
        Ok(())
    }

    /// The type of a call's result, where the function is not declared.
    pub(super) fn builtin_type(
        &mut self,
        name: &str,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Type> {
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.nondeterministic(name, kind, at);
        }
        let operation = name.strip_prefix("__atomic_").or_else(|| name.strip_prefix("__sync_"));
        if let Some(operation) = operation {
            return match operation {
                "bool_compare_and_swap" => Ok(Type::int()),
                "compare_exchange_n" | "test_and_set" => Ok(Type::Int(Integer::BOOL)),
                "store_n" | "lock_release" | "clear" | "synchronize" | "thread_fence" => {
                    Ok(Type::Void)
                }
                _ => {
                    let pointer = self.type_of(argument(arguments, 0, at)?)?;
                    let of = pointer.pointee().map(|ty| ty.plain().clone());
                    of.ok_or_else(|| Fault::unsupported(at, "the type of this call"))
                }
            };
        }
        match name {
            "__builtin_expect" | "random" | "time" => {
                Ok(Type::Int(Integer { bits: self.model.long(), signed: true, rank: 4 }))
            }
            "printf" | "fprintf" | "puts" | "putchar" | "fflush" | "rand" | "sleep" | "usleep"
            | "sched_yield" | "nanosleep" => Ok(Type::int()),
            _ if name.starts_with("pthread_") && name != "pthread_exit" => Ok(Type::int()),
            _ => Ok(Type::Void),
        }
    }

    /// The type of a chosen value: as declared, or after its name.
    fn nondeterministic(&self, name: &str, kind: &str, at: usize) -> Lower<Type> {
        if let Some(Entity::Function(ty)) = self.globals.names.get(name)
            && let Some(function) = function_type(ty)
            && function.result.is_scalar()
        {
            return Ok(function.result.clone());
        }
        let long = self.model.long();
        let (bits, signed, rank) = match kind {
            "bool" | "_Bool" => return Ok(Type::Int(Integer::BOOL)),
            "char" => (8, true, 1),
            "uchar" | "unsigned_char" | "u8" => (8, false, 1),
            "short" => (16, true, 2),
            "ushort" | "u16" => (16, false, 2),
            "int" => (32, true, 3),
            "uint" | "unsigned" | "u32" => (32, false, 3),
            "long" => (long, true, 4),
            "ulong" | "size_t" => (long, false, 4),
            "longlong" => (64, true, 5),
            "ulonglong" => (64, false, 5),
            _ => return Err(Fault::unsupported(at, format!("`{name}`, which is not declared"))),
        };
        Ok(Type::Int(Integer { bits, signed, rank }))
    }

    /// What the argument, a pointer, points to.
    pub(super) fn pointed(
        &mut self,
        arguments: Arguments<'a>,
        i: usize,
        at: usize,
    ) -> Lower<Place> {
        let pointer = self.value(argument(arguments, i, at)?)?;
        self.dereference(pointer, at)
    }

    fn posix(&mut self, name: &str, arguments: Arguments<'a>, at: usize) -> Lower<Value> {
        let zero = Value::constant(0, Type::int());
        match name {
            "pthread_create" => self.create(arguments, at)?,
            "pthread_join" => self.join(arguments, at)?,
            "pthread_exit" => self.exit(arguments, at)?,
            "pthread_once" => self.once(arguments, at)?,
            "pthread_mutex_init" | "pthread_rwlock_init" | "pthread_spin_init" => {
                let place = self.pointed(arguments, 0, at)?;
                self.write(&place, &Value { ty: place.ty.clone(), ..zero.clone() })?;
            }
            "pthread_mutex_lock" | "pthread_spin_lock" | "pthread_rwlock_wrlock" => {
                let held = if name == "pthread_rwlock_wrlock" { -1 } else { 1 };
                let place = self.pointed(arguments, 0, at)?;
                self.update(&place, true, &move |x| {
                    vec![change(is(Cmp::Eq, x, 0), Some(int(held)))]
                })?;
            }
            "pthread_rwlock_rdlock" => {
                let place = self.pointed(arguments, 0, at)?;
                self.update(&place, true, &|x| {
                    vec![change(is(Cmp::Ge, x, 0), Some(add(x, &int(1))))]
                })?;
            }
            "pthread_mutex_unlock" | "pthread_spin_unlock" => {
                self.assumed.locks = true;
                let place = self.pointed(arguments, 0, at)?;
                self.update(&place, false, &|_| vec![change(vec![Op::Bool(true)], Some(int(0)))])?;
            }
            "pthread_rwlock_unlock" => {
                self.assumed.locks = true;
                let place = self.pointed(arguments, 0, at)?;
                self.update(&place, false, &|x| {
                    vec![
                        change(is(Cmp::Gt, x, 0), Some(sub(x, &int(1)))),
                        change(is(Cmp::Le, x, 0), Some(int(0))),
                    ]
                })?;
            }
            "pthread_mutex_trylock"
            | "pthread_spin_trylock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_tryrdlock" => return self.try_lock(name, arguments, at),
            "pthread_cond_wait" => {
                let condition = self.pointed(arguments, 0, at)?;
                self.used(&condition)?;
                let place = self.pointed(arguments, 1, at)?;
                self.update(&place, false, &|_| vec![change(vec![Op::Bool(true)], Some(int(0)))])?;
                self.update(&place, true, &|x| vec![change(is(Cmp::Eq, x, 0), Some(int(1)))])?;
            }
            "pthread_cond_init"
            | "pthread_cond_destroy"
            | "pthread_cond_signal"
            | "pthread_cond_broadcast"
            | "pthread_mutex_destroy"
            | "pthread_rwlock_destroy"
            | "pthread_spin_destroy"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "pthread_attr_setdetachstate"
            | "pthread_attr_setstacksize"
            | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy"
            | "pthread_condattr_init"
            | "pthread_condattr_destroy" => {
                let place = self.pointed(arguments, 0, at)?;
                self.used(&place)?;
            }
            "pthread_detach" => {}
            _ => return Err(Fault::unsupported(at, format!("`{name}`"))),
        }
        Ok(zero)
    }

    fn try_lock(&mut self, name: &str, arguments: Arguments<'a>, at: usize) -> Lower<Value> {
        let place = self.pointed(arguments, 0, at)?;
        let result = self.temporary();
        let out = result.clone();
        let reader = name == "pthread_rwlock_tryrdlock";
        let writer = name == "pthread_rwlock_trywrlock";
        self.update(&place, false, &move |x| {
            let free = is(if reader { Cmp::Ge } else { Cmp::Eq }, x, 0);
            let taken = if reader { add(x, &int(1)) } else { int(if writer { -1 } else { 1 }) };
            let busy = super::term::not(&free);
            let set = |value: u8| vec![(out.clone(), int(value))];
            vec![
                Change { when: free, value: Some(taken), set: set(0) },
                Change { when: busy, value: None, set: set(EBUSY) },
            ]
        })?;
        let (low, high) = (0.into(), EBUSY.into());
        Ok(Value { term: vec![result], ty: Type::int(), low, high, object: None })
    }

    /// `pthread_once`: the first one runs the function, and the others wait until it is done.
    fn once(&mut self, arguments: Arguments<'a>, at: usize) -> Lower<()> {
        let place = self.pointed(arguments, 0, at)?;
        let function = self.value(argument(arguments, 1, at)?)?;
        let Some(function) = self.function_at(&function) else {
            return Err(Fault::unsupported(at, "a function that is not known"));
        };
        let first = self.temporary();
        let out = first.clone();
        self.update(&place, true, &move |x| {
            let set = |value: u8| vec![(out.clone(), int(value))];
            vec![
                Change { when: is(Cmp::Eq, x, 0), value: Some(int(1)), set: set(1) },
                Change { when: is(Cmp::Eq, x, 2), value: None, set: set(0) },
            ]
        })?;
        let [run, end] = [self.node(), self.node()];
        self.split(&compare(Cmp::Eq, &[first], &int(1)), run, end)?;
        self.t.current = run;
        self.inline(&function, Vec::new(), at)?;
        self.update(&place, false, &|_| vec![change(vec![Op::Bool(true)], Some(int(2)))])?;
        self.jump(end)?;
        self.t.current = end;
        Ok(())
    }

    /// The built-ins of gcc, each one atomic step.
    fn atomic(&mut self, name: &str, arguments: Arguments<'a>, at: usize) -> Lower<Value> {
        let (family, operation) = match name.strip_prefix("__sync_") {
            Some(operation) => ("sync", operation),
            None => ("atomic", name.trim_start_matches("__atomic_")),
        };
        if let "synchronize" | "thread_fence" | "signal_fence" = operation {
            return Ok(void());
        }
        let pointer = self.value(argument(arguments, 0, at)?)?;
        let pointer = self.kept_if_variable(pointer)?;
        let place = self.dereference(pointer, at)?;
        let place = place.atomic();
        if let Some((operator, old)) = fetched(operation) {
            let value = self.value(argument(arguments, 1, at)?)?;
            self.wraps = true;
            let result = self.modify(&place, &operator, value, old, at);
            self.wraps = false;
            return result;
        }
        match (family, operation) {
            (_, "load_n") => self.read(&place),
            (_, "store_n") => {
                let value = self.argument_as(arguments, 1, &place.ty.clone(), at)?;
                self.write(&place, &value)?;
                Ok(void())
            }
            (_, "lock_release" | "clear") => {
                self.write(&place, &Value::constant(0, place.ty.clone()))?;
                Ok(void())
            }
            (_, "exchange_n" | "lock_test_and_set") => {
                let value = self.argument_as(arguments, 1, &place.ty.clone(), at)?;
                self.exchange(&place, &value, at)
            }
            (_, "test_and_set") => {
                let one = Value::constant(1, place.ty.clone());
                let old = self.exchange(&place, &one, at)?;
                self.convert(old, &Type::Int(Integer::BOOL), at)
            }
            ("sync", "bool_compare_and_swap" | "val_compare_and_swap") => {
                let ty = place.ty.clone();
                let old = self.argument_as(arguments, 1, &ty, at)?;
                let old = self.kept_if_variable(old)?;
                let new = self.argument_as(arguments, 2, &ty, at)?;
                self.expose(&new, at, true)?;
                let found = self.temporary();
                let done = self.exchange_if(&place, &old, &new, &found)?;
                if operation.starts_with("bool") {
                    return Ok(done);
                }
                Ok(Value::new(vec![found], ty.plain().clone()))
            }
            ("atomic", "compare_exchange_n") => self.compare_exchange(&place, arguments, at),
            _ => Err(Fault::unsupported(at, format!("`{name}`"))),
        }
    }

    fn compare_exchange(
        &mut self,
        place: &Place,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Value> {
        let expected = self.pointed(arguments, 1, at)?;
        let new = argument(arguments, 2, at)?;
        let expected = self.settled(expected, new)?;
        let new = self.argument_as(arguments, 2, &place.ty.clone(), at)?;
        let weak = self.value(argument(arguments, 3, at)?)?;
        self.expose(&new, at, true)?;
        let old = self.read(&expected)?;
        let old = self.convert(old, &place.ty, at)?;
        let found = self.temporary();
        let done = self.temporary();
        let outer = self.t.current;
        let result = self.exchange_if(place, &old, &new, &found)?;
        self.step(vec![Command::default().set(done.clone(), result.term)], false)?;
        let [yes, no, end] = [self.node(), self.node(), self.node()];
        if weak.as_constant().is_none_or(|w| *w != 0.into()) {
            // It may fail for no reason: then what was expected is what was found.
            let after = self.t.current;
            self.t.current = outer;
            let (out, kept) = (done.clone(), found.clone());
            self.update(place, false, &move |x| {
                let set = vec![(out.clone(), int(0)), (kept.clone(), x.to_vec())];
                vec![Change { when: vec![Op::Bool(true)], value: None, set }]
            })?;
            self.jump(no)?;
            self.t.current = after;
        }
        self.split(&compare(Cmp::Eq, std::slice::from_ref(&done), &int(1)), yes, no)?;
        self.t.current = no;
        let seen = Value::new(vec![found], place.ty.plain().clone());
        self.write(&expected, &seen)?;
        self.jump(end)?;
        self.t.current = yes;
        self.jump(end)?;
        self.t.current = end;
        Ok(Value::bit(done, Type::Int(Integer::BOOL)))
    }

    fn exchange(&mut self, place: &Place, value: &Value, at: usize) -> Lower<Value> {
        self.expose(value, at, true)?;
        let found = self.temporary();
        let (new, out) = (value.term.clone(), found.clone());
        self.update(place, false, &move |x| {
            let set = vec![(out.clone(), x.to_vec())];
            vec![Change { when: vec![Op::Bool(true)], value: Some(new.clone()), set }]
        })?;
        Ok(Value::new(vec![found], place.ty.plain().clone()))
    }

    fn argument_as(
        &mut self,
        arguments: Arguments<'a>,
        i: usize,
        ty: &Type,
        at: usize,
    ) -> Lower<Value> {
        let value = self.value(argument(arguments, i, at)?)?;
        self.convert(value, ty, at)
    }

    fn kept_if_variable(&mut self, value: Value) -> Lower<Value> {
        match value.as_constant() {
            Some(_) => Ok(value),
            None => self.held(value),
        }
    }
}

/// An argument of a call.
pub(super) fn argument<'a>(
    arguments: Arguments<'a>,
    i: usize,
    at: usize,
) -> Lower<&'a Node<Expression>> {
    arguments.get(i).ok_or_else(|| Fault::wrong(at, "too few arguments".to_owned()))
}

/// A comparison with a number.
pub(super) fn is(cmp: Cmp, term: &[Op], value: i32) -> Vec<Op> {
    compare(cmp, term, &int(value))
}

fn change(when: Vec<Op>, value: Option<Vec<Op>>) -> Change {
    Change { when, value, set: Vec::new() }
}

/// The operator of `fetch_and_add` and the like, and whether the old value is the result.
fn fetched(operation: &str) -> Option<(BinaryOperator, bool)> {
    let (word, old) = match operation.strip_prefix("fetch_") {
        Some(word) => (word.trim_start_matches("and_"), true),
        None => (operation.strip_suffix("_fetch")?.trim_end_matches("_and"), false),
    };
    let operator = match word {
        "add" => BinaryOperator::Plus,
        "sub" => BinaryOperator::Minus,
        "or" => BinaryOperator::BitwiseOr,
        "and" => BinaryOperator::BitwiseAnd,
        "xor" => BinaryOperator::BitwiseXor,
        _ => return None,
    };
    Some((operator, old))
}
