//! The functions that are modelled: how each takes its operands, what it gives, and what it does.
//!
//! This is the only list of them. A call is looked up here, *all* of its operands are evaluated as
//! the entry says (`operand`), whether the function has a use for their values or not, and only
//! then is it done what the function does (`builtin`): that gets evaluated operands and never sees
//! an expression, so that it cannot forget an effect. A test has a line for each operand of each
//! entry, and compares with a C compiler.

use BinaryOperator as B;
use Gives::{Bool, Int, Long, Pointed, Void};
use Take::{Constant, Effect, Handle, Place, Size, Truth, Value};
use lang_c::ast::BinaryOperator;

/// How an operand is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Take {
    /// Its value.
    Value,
    /// What it points to.
    Place,
    /// Whether it is not zero.
    Truth,
    /// A `pthread_t`, with the object that it is in.
    Handle,
    /// A constant, for the size of an object. What comes before it at a comma is evaluated.
    Size,
    /// Without effects: compilers do not agree whether it is evaluated.
    Constant,
    /// For its effects alone: nothing depends on the value.
    Effect,
}

/// The type of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    Void,
    Int,
    Bool,
    Long,
    /// What the first operand points to.
    Pointed,
    /// As declared, or after the name.
    Chosen,
}

/// Locks, by how they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// By one thread.
    Alone,
    /// By one writer, of a lock that readers share.
    Writer,
    Reader,
}

/// What a function does when its operands are evaluated.
#[derive(Debug, PartialEq)]
pub(crate) enum Does {
    /// An error.
    Fail,
    Assert,
    /// An assertion that the preprocessor left out.
    Disabled,
    Assume,
    /// The end of the program.
    Stop,
    Begin,
    Finish,
    /// Nothing, with a result of 0 or none. What its operands point to has to be there.
    Nothing,
    /// Nothing, with any result.
    Any,
    Random,
    Time,
    /// Its first operand.
    First,
    Allocate,
    Create,
    Join,
    Exit,
    Once,
    Init,
    Lock(Lock),
    TryLock(Lock),
    Unlock,
    UnlockShared,
    Wait,
    Load,
    Store,
    /// Stores zero.
    Clear,
    Exchange,
    TestAndSet,
    /// The operator, and whether the old value is the result.
    Fetch(BinaryOperator, bool),
    /// Whether the result says if it was done, or what was found.
    CompareAndSwap(bool),
    CompareExchange,
}

/// A function that is modelled.
#[derive(Debug)]
pub(crate) struct Modelled {
    /// Its name, or what the names of a family begin with.
    pub name: &'static str,
    pub takes: &'static [Take],
    /// Whether further operands may follow, for their effects alone.
    pub more: bool,
    pub gives: Gives,
    pub does: Does,
}

/// What chosen values are called.
pub(crate) const CHOSEN: &str = "__VERIFIER_nondet_";

/// Functions that are errors, whatever the program says that they do.
pub(crate) const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// The function that is modelled by this name.
pub(crate) fn modelled(name: &str) -> Option<&'static Modelled> {
    let family = name.starts_with(CHOSEN);
    FUNCTIONS.iter().find(|f| f.name == name || (family && f.name == CHOSEN))
}

const fn function(
    name: &'static str,
    takes: &'static [Take],
    gives: Gives,
    does: Does,
) -> Modelled {
    Modelled { name, takes, more: false, gives, does }
}

const fn printing(name: &'static str, takes: &'static [Take]) -> Modelled {
    Modelled { name, takes, more: true, gives: Gives::Int, does: Does::Any }
}

/// All functions that are modelled.
pub(crate) const FUNCTIONS: &[Modelled] = &[
    // Assertions and errors.
    function("assert", &[Truth], Void, Does::Assert),
    function("__assert_fail", &[Effect, Effect, Effect, Effect], Void, Does::Fail),
    function("__assert", &[Effect, Effect, Effect], Void, Does::Fail),
    function("__assert_disabled", &[], Void, Does::Disabled),
    function("__VERIFIER_assert", &[Truth], Void, Does::Assert),
    function("__VERIFIER_error", &[], Void, Does::Fail),
    function("reach_error", &[], Void, Does::Fail),
    // SV-COMP's conventions.
    function("__VERIFIER_assume", &[Truth], Void, Does::Assume),
    function("assume_abort_if_not", &[Truth], Void, Does::Assume),
    function("__VERIFIER_atomic_begin", &[], Void, Does::Begin),
    function("__VERIFIER_atomic_end", &[], Void, Does::Finish),
    function(CHOSEN, &[], Gives::Chosen, Does::Any),
    // The end of the program.
    function("abort", &[], Void, Does::Stop),
    function("exit", &[Effect], Void, Does::Stop),
    function("_exit", &[Effect], Void, Does::Stop),
    function("_Exit", &[Effect], Void, Does::Stop),
    function("quick_exit", &[Effect], Void, Does::Stop),
    function("__builtin_trap", &[], Void, Does::Stop),
    function("__builtin_unreachable", &[], Void, Does::Stop),
    // The library.
    printing("printf", &[Effect]),
    printing("fprintf", &[Effect, Effect]),
    function("puts", &[Effect], Int, Does::Any),
    function("putchar", &[Effect], Int, Does::Any),
    function("fflush", &[Effect], Int, Does::Any),
    function("perror", &[Effect], Void, Does::Nothing),
    function("sleep", &[Effect], Int, Does::Any),
    function("usleep", &[Effect], Int, Does::Any),
    function("nanosleep", &[Effect, Effect], Int, Does::Any),
    function("sched_yield", &[], Int, Does::Any),
    function("srand", &[Effect], Void, Does::Nothing),
    function("srandom", &[Effect], Void, Does::Nothing),
    function("rand", &[], Int, Does::Random),
    function("random", &[], Long, Does::Random),
    function("time", &[Value], Long, Does::Time),
    function("malloc", &[Size], Void, Does::Allocate),
    function("calloc", &[Size, Size], Void, Does::Allocate),
    function("free", &[Effect], Void, Does::Nothing),
    function("__builtin_expect", &[Value, Constant], Long, Does::First),
    // Threads.
    function("pthread_create", &[Place, Effect, Value, Value], Int, Does::Create),
    function("pthread_join", &[Handle, Value], Int, Does::Join),
    function("pthread_detach", &[Effect], Int, Does::Nothing),
    function("pthread_exit", &[Value], Void, Does::Exit),
    function("pthread_once", &[Place, Value], Int, Does::Once),
    // Locks.
    function("pthread_mutex_init", &[Place, Effect], Int, Does::Init),
    function("pthread_mutex_destroy", &[Place], Int, Does::Nothing),
    function("pthread_mutex_lock", &[Place], Int, Does::Lock(Lock::Alone)),
    function("pthread_mutex_trylock", &[Place], Int, Does::TryLock(Lock::Alone)),
    function("pthread_mutex_unlock", &[Place], Int, Does::Unlock),
    function("pthread_spin_init", &[Place, Effect], Int, Does::Init),
    function("pthread_spin_destroy", &[Place], Int, Does::Nothing),
    function("pthread_spin_lock", &[Place], Int, Does::Lock(Lock::Alone)),
    function("pthread_spin_trylock", &[Place], Int, Does::TryLock(Lock::Alone)),
    function("pthread_spin_unlock", &[Place], Int, Does::Unlock),
    function("pthread_rwlock_init", &[Place, Effect], Int, Does::Init),
    function("pthread_rwlock_destroy", &[Place], Int, Does::Nothing),
    function("pthread_rwlock_rdlock", &[Place], Int, Does::Lock(Lock::Reader)),
    function("pthread_rwlock_tryrdlock", &[Place], Int, Does::TryLock(Lock::Reader)),
    function("pthread_rwlock_wrlock", &[Place], Int, Does::Lock(Lock::Writer)),
    function("pthread_rwlock_trywrlock", &[Place], Int, Does::TryLock(Lock::Writer)),
    function("pthread_rwlock_unlock", &[Place], Int, Does::UnlockShared),
    // Condition variables.
    function("pthread_cond_init", &[Place, Effect], Int, Does::Nothing),
    function("pthread_cond_destroy", &[Place], Int, Does::Nothing),
    function("pthread_cond_signal", &[Place], Int, Does::Nothing),
    function("pthread_cond_broadcast", &[Place], Int, Does::Nothing),
    function("pthread_cond_wait", &[Place, Place], Int, Does::Wait),
    // Attributes.
    function("pthread_attr_init", &[Place], Int, Does::Nothing),
    function("pthread_attr_destroy", &[Place], Int, Does::Nothing),
    function("pthread_attr_setdetachstate", &[Place, Effect], Int, Does::Nothing),
    function("pthread_attr_setstacksize", &[Place, Effect], Int, Does::Nothing),
    function("pthread_mutexattr_init", &[Place], Int, Does::Nothing),
    function("pthread_mutexattr_destroy", &[Place], Int, Does::Nothing),
    function("pthread_condattr_init", &[Place], Int, Does::Nothing),
    function("pthread_condattr_destroy", &[Place], Int, Does::Nothing),
    // The compiler's atomic functions; the last operands are memory orders.
    function("__atomic_load_n", &[Place, Effect], Pointed, Does::Load),
    function("__atomic_store_n", &[Place, Value, Effect], Void, Does::Store),
    function("__atomic_exchange_n", &[Place, Value, Effect], Pointed, Does::Exchange),
    function(
        "__atomic_compare_exchange_n",
        &[Place, Place, Value, Value, Effect, Effect],
        Bool,
        Does::CompareExchange,
    ),
    function("__atomic_test_and_set", &[Place, Effect], Bool, Does::TestAndSet),
    function("__atomic_clear", &[Place, Effect], Void, Does::Clear),
    function("__atomic_thread_fence", &[Effect], Void, Does::Nothing),
    function("__atomic_signal_fence", &[Effect], Void, Does::Nothing),
    function("__atomic_fetch_add", FETCH, Pointed, Does::Fetch(B::Plus, true)),
    function("__atomic_fetch_sub", FETCH, Pointed, Does::Fetch(B::Minus, true)),
    function("__atomic_fetch_or", FETCH, Pointed, Does::Fetch(B::BitwiseOr, true)),
    function("__atomic_fetch_and", FETCH, Pointed, Does::Fetch(B::BitwiseAnd, true)),
    function("__atomic_fetch_xor", FETCH, Pointed, Does::Fetch(B::BitwiseXor, true)),
    function("__atomic_add_fetch", FETCH, Pointed, Does::Fetch(B::Plus, false)),
    function("__atomic_sub_fetch", FETCH, Pointed, Does::Fetch(B::Minus, false)),
    function("__atomic_or_fetch", FETCH, Pointed, Does::Fetch(B::BitwiseOr, false)),
    function("__atomic_and_fetch", FETCH, Pointed, Does::Fetch(B::BitwiseAnd, false)),
    function("__atomic_xor_fetch", FETCH, Pointed, Does::Fetch(B::BitwiseXor, false)),
    function("__sync_synchronize", &[], Void, Does::Nothing),
    function("__sync_lock_test_and_set", &[Place, Value], Pointed, Does::Exchange),
    function("__sync_lock_release", &[Place], Void, Does::Clear),
    function(
        "__sync_bool_compare_and_swap",
        &[Place, Value, Value],
        Int,
        Does::CompareAndSwap(true),
    ),
    function(
        "__sync_val_compare_and_swap",
        &[Place, Value, Value],
        Pointed,
        Does::CompareAndSwap(false),
    ),
    function("__sync_fetch_and_add", &[Place, Value], Pointed, Does::Fetch(B::Plus, true)),
    function("__sync_fetch_and_sub", &[Place, Value], Pointed, Does::Fetch(B::Minus, true)),
    function("__sync_fetch_and_or", &[Place, Value], Pointed, Does::Fetch(B::BitwiseOr, true)),
    function("__sync_fetch_and_and", &[Place, Value], Pointed, Does::Fetch(B::BitwiseAnd, true)),
    function("__sync_fetch_and_xor", &[Place, Value], Pointed, Does::Fetch(B::BitwiseXor, true)),
    function("__sync_add_and_fetch", &[Place, Value], Pointed, Does::Fetch(B::Plus, false)),
    function("__sync_sub_and_fetch", &[Place, Value], Pointed, Does::Fetch(B::Minus, false)),
    function("__sync_or_and_fetch", &[Place, Value], Pointed, Does::Fetch(B::BitwiseOr, false)),
    function("__sync_and_and_fetch", &[Place, Value], Pointed, Does::Fetch(B::BitwiseAnd, false)),
    function("__sync_xor_and_fetch", &[Place, Value], Pointed, Does::Fetch(B::BitwiseXor, false)),
];

/// Operands of the functions that fetch and change.
const FETCH: &[Take] = &[Place, Value, Effect];
