//! A call of each modelled function, operand by operand, the objects that the calls are about, and
//! what else of the language evaluates something.

/// A call of a function.
pub struct Line {
    pub name: &'static str,
    /// Statements before it.
    pub before: &'static str,
    /// What the operands are. `#` is in front of an integer that may be computed, `!` in front of
    /// what may have no effects.
    pub operands: &'static [&'static str],
    /// The statement, with `@` for the call.
    pub statement: &'static str,
    /// Whether something follows; otherwise an operand has to fail by itself.
    pub returns: bool,
}

impl Line {
    /// The operands as they stand in a call.
    pub fn plain(&self) -> Vec<String> {
        self.operands.iter().map(|o| o.trim_start_matches(['#', '!']).to_owned()).collect()
    }

    /// The statement with these operands.
    pub fn call(&self, operands: &[String]) -> String {
        let call = match self.name.ends_with('_') {
            true => self.name.to_owned(),
            false => format!("{}({})", self.name, operands.join(", ")),
        };
        self.statement.replace('@', &call)
    }
}

/// Declarations of what the operands name; all bytes are 0.
pub const OBJECTS: [(&str, &str); 13] = [
    ("words", "int words[4] = { 0 };"),
    ("others", "int others[4] = { 0 };"),
    ("got", "int got = 0;"),
    ("bytes", "char bytes[4] = { 0 };"),
    ("atomics", "atomic_int atomics[4] = { 0 };"),
    ("flags", "atomic_flag flags[4] = { 0 };"),
    ("mutexes", "pthread_mutex_t mutexes[4] = { 0 };"),
    ("conditions", "pthread_cond_t conditions[4] = { 0 };"),
    ("rwlocks", "pthread_rwlock_t rwlocks[4] = { 0 };"),
    ("spins", "pthread_spinlock_t spins[4] = { 0 };"),
    ("attributes", "pthread_attr_t attributes[4] = { 0 };"),
    ("mutex_attributes", "pthread_mutexattr_t mutex_attributes[4] = { 0 };"),
    ("condition_attributes", "pthread_condattr_t condition_attributes[4] = { 0 };"),
];

/// All lines.
pub fn all() -> impl Iterator<Item = &'static Line> {
    LINES.iter().chain(MACROS)
}

const fn line(name: &'static str, operands: &'static [&'static str]) -> Line {
    Line { name, before: "", operands, statement: "@;", returns: true }
}

const fn after(
    before: &'static str,
    name: &'static str,
    operands: &'static [&'static str],
) -> Line {
    Line { name, before, operands, statement: "@;", returns: true }
}

const fn last(name: &'static str, operands: &'static [&'static str]) -> Line {
    Line { name, before: "", operands, statement: "@;", returns: false }
}

const fn within(
    statement: &'static str,
    name: &'static str,
    operands: &'static [&'static str],
) -> Line {
    Line { name, before: "", operands, statement, returns: true }
}

const FETCH: &[&str] = &["&words[0]", "#1", "#5"];
const BITS: &[&str] = &["&words[0]", "1", "#5"];
const SYNC: &[&str] = &["&words[0]", "#1"];

/// A line for each function that the front end models.
pub const LINES: &[Line] = &[
    line("assert", &["#1"]),
    last("__assert_fail", &["\"e\"", "\"case.c\"", "#3", "\"main\""]),
    last("__assert", &["\"e\"", "\"case.c\"", "#3"]),
    line("__assert_disabled", &[]),
    line("__VERIFIER_assert", &["#1"]),
    last("__VERIFIER_error", &[]),
    last("reach_error", &[]),
    line("__VERIFIER_assume", &["#1"]),
    line("assume_abort_if_not", &["#1"]),
    within("@; __VERIFIER_atomic_end();", "__VERIFIER_atomic_begin", &[]),
    after("__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end", &[]),
    within("int n = @int();", "__VERIFIER_nondet_", &[]),
    last("abort", &[]),
    last("exit", &["#0"]),
    last("_exit", &["#0"]),
    last("_Exit", &["#0"]),
    last("quick_exit", &["#0"]),
    within("if (c) @;", "__builtin_trap", &[]),
    within("if (c) @;", "__builtin_unreachable", &[]),
    line("printf", &["\"%d %d\"", "#5", "#6"]),
    line("fprintf", &["stdout", "\"%d %d\"", "#5", "#6"]),
    line("puts", &["\"text\""]),
    line("putchar", &["#10"]),
    line("fflush", &["stdout"]),
    line("perror", &["\"text\""]),
    line("sleep", &["#0"]),
    line("usleep", &["#0"]),
    line("nanosleep", &["0", "0"]),
    line("sched_yield", &[]),
    line("srand", &["#1"]),
    line("srandom", &["#1"]),
    line("rand", &[]),
    line("random", &[]),
    line("time", &["0"]),
    within("int *p = @;", "malloc", &["sizeof(int)"]),
    within("int *p = @;", "calloc", &["2", "sizeof(int)"]),
    line("free", &["(void *)0"]),
    line("__builtin_expect", &["#1", "!1"]),
    line("pthread_create", &["&handles[0]", "0", "start", "0"]),
    after("pthread_create(&handle, 0, start, 0);", "pthread_join", &["handle", "0"]),
    after("pthread_create(&handle, 0, start, 0);", "pthread_detach", &["handle"]),
    last("pthread_exit", &["0"]),
    line("pthread_once", &["&onces[0]", "first"]),
    line("pthread_mutex_init", &["&mutexes[0]", "0"]),
    line("pthread_mutex_destroy", &["&mutexes[0]"]),
    line("pthread_mutex_lock", &["&mutexes[0]"]),
    line("pthread_mutex_trylock", &["&mutexes[0]"]),
    after("pthread_mutex_lock(&mutexes[0]);", "pthread_mutex_unlock", &["&mutexes[0]"]),
    line("pthread_spin_init", &["&spins[0]", "#0"]),
    after("pthread_spin_init(&spins[0], 0);", "pthread_spin_destroy", &["&spins[0]"]),
    after("pthread_spin_init(&spins[0], 0);", "pthread_spin_lock", &["&spins[0]"]),
    after("pthread_spin_init(&spins[0], 0);", "pthread_spin_trylock", &["&spins[0]"]),
    after("pthread_spin_init(&spins[0], 0);", "pthread_spin_unlock", &["&spins[0]"]),
    line("pthread_rwlock_init", &["&rwlocks[0]", "0"]),
    line("pthread_rwlock_destroy", &["&rwlocks[0]"]),
    line("pthread_rwlock_rdlock", &["&rwlocks[0]"]),
    line("pthread_rwlock_tryrdlock", &["&rwlocks[0]"]),
    line("pthread_rwlock_wrlock", &["&rwlocks[0]"]),
    line("pthread_rwlock_trywrlock", &["&rwlocks[0]"]),
    after("pthread_rwlock_rdlock(&rwlocks[0]);", "pthread_rwlock_unlock", &["&rwlocks[0]"]),
    line("pthread_cond_init", &["&conditions[0]", "0"]),
    line("pthread_cond_destroy", &["&conditions[0]"]),
    line("pthread_cond_signal", &["&conditions[0]"]),
    line("pthread_cond_broadcast", &["&conditions[0]"]),
    last("pthread_cond_wait", &["&conditions[0]", "&mutexes[0]"]),
    line("pthread_attr_init", &["&attributes[0]"]),
    after("pthread_attr_init(&attributes[0]);", "pthread_attr_destroy", &["&attributes[0]"]),
    after(
        "pthread_attr_init(&attributes[0]);",
        "pthread_attr_setdetachstate",
        &["&attributes[0]", "#0"],
    ),
    after(
        "pthread_attr_init(&attributes[0]);",
        "pthread_attr_setstacksize",
        &["&attributes[0]", "#65536"],
    ),
    line("pthread_mutexattr_init", &["&mutex_attributes[0]"]),
    line("pthread_mutexattr_destroy", &["&mutex_attributes[0]"]),
    line("pthread_condattr_init", &["&condition_attributes[0]"]),
    line("pthread_condattr_destroy", &["&condition_attributes[0]"]),
    within("got = @;", "__atomic_load_n", &["&words[0]", "#5"]),
    line("__atomic_store_n", &["&words[0]", "#1", "#5"]),
    line("__atomic_exchange_n", &["&words[0]", "#1", "#5"]),
    line("__atomic_compare_exchange_n", &["&words[0]", "&others[0]", "#1", "#0", "#5", "#5"]),
    line("__atomic_test_and_set", &["&bytes[0]", "#5"]),
    line("__atomic_clear", &["&bytes[0]", "#5"]),
    line("__atomic_thread_fence", &["#5"]),
    line("__atomic_signal_fence", &["#5"]),
    line("__atomic_fetch_add", FETCH),
    line("__atomic_fetch_sub", FETCH),
    line("__atomic_fetch_or", BITS),
    line("__atomic_fetch_and", BITS),
    line("__atomic_fetch_xor", BITS),
    line("__atomic_add_fetch", FETCH),
    line("__atomic_sub_fetch", FETCH),
    line("__atomic_or_fetch", BITS),
    line("__atomic_and_fetch", BITS),
    line("__atomic_xor_fetch", BITS),
    line("__sync_synchronize", &[]),
    line("__sync_lock_test_and_set", SYNC),
    line("__sync_lock_release", &["&words[0]"]),
    line("__sync_bool_compare_and_swap", &["&words[0]", "#0", "#1"]),
    line("__sync_val_compare_and_swap", &["&words[0]", "#0", "#1"]),
    line("__sync_fetch_and_add", SYNC),
    line("__sync_fetch_and_sub", SYNC),
    line("__sync_fetch_and_or", &["&words[0]", "1"]),
    line("__sync_fetch_and_and", &["&words[0]", "1"]),
    line("__sync_fetch_and_xor", &["&words[0]", "1"]),
    line("__sync_add_and_fetch", SYNC),
    line("__sync_sub_and_fetch", SYNC),
    line("__sync_or_and_fetch", &["&words[0]", "1"]),
    line("__sync_and_and_fetch", &["&words[0]", "1"]),
    line("__sync_xor_and_fetch", &["&words[0]", "1"]),
];

/// The macros of `stdatomic.h`, whose operands are those of the functions that they stand for.
pub const MACROS: &[Line] = &[
    line("atomic_init", &["&atomics[0]", "#1"]),
    line("atomic_store", &["&atomics[0]", "#1"]),
    line("atomic_store_explicit", &["&atomics[0]", "#1", "#5"]),
    within("got = @;", "atomic_load", &["&atomics[0]"]),
    within("got = @;", "atomic_load_explicit", &["&atomics[0]", "#5"]),
    line("atomic_exchange", &["&atomics[0]", "#1"]),
    line("atomic_exchange_explicit", &["&atomics[0]", "#1", "#5"]),
    line("atomic_compare_exchange_strong", &["&atomics[0]", "&others[0]", "#1"]),
    line("atomic_compare_exchange_weak", &["&atomics[0]", "&others[0]", "#1"]),
    line(
        "atomic_compare_exchange_strong_explicit",
        &["&atomics[0]", "&others[0]", "#1", "#5", "#5"],
    ),
    line("atomic_compare_exchange_weak_explicit", &["&atomics[0]", "&others[0]", "#1", "#5", "#5"]),
    line("atomic_fetch_add", &["&atomics[0]", "#1"]),
    line("atomic_fetch_sub_explicit", &["&atomics[0]", "#1", "#5"]),
    line("atomic_fetch_or_explicit", &["&atomics[0]", "1", "#5"]),
    line("atomic_fetch_and_explicit", &["&atomics[0]", "1", "#5"]),
    line("atomic_fetch_xor_explicit", &["&atomics[0]", "1", "#5"]),
    line("atomic_flag_test_and_set", &["&flags[0]"]),
    line("atomic_flag_test_and_set_explicit", &["&flags[0]", "#5"]),
    line("atomic_flag_clear", &["&flags[0]"]),
    line("atomic_flag_clear_explicit", &["&flags[0]", "#5"]),
    line("atomic_thread_fence", &["#5"]),
    line("atomic_signal_fence", &["#5"]),
];

/// Statements that change `c`, each by some part of the language.
pub const EFFECTS: &[&str] = &[
    "c++;",
    "(void)c++;",
    "c++, 0;",
    "1 ? c++ : 0;",
    "0 ? 0 : c++;",
    "int n = c++ ? 1 : 1;",
    "(c++ ? unused : unused)(0);",
    "1 && c++;",
    "0 || c++;",
    "if (1 || c) c++;",
    "c++ * 0;",
    "c++ & 0;",
    "c++ % 1;",
    "c++ << 0;",
    "-c++;",
    "!c++;",
    "~c++;",
    "(char)c++;",
    "(_Bool)c++;",
    "(void *)(long)(c++ * 0);",
    "unused(c++);",
    "unnamed(c++);",
    "two(0, c++);",
    "two(c++, 0);",
    "two(two(0, c++), 0);",
    "fewer(c++, 0);",
    "pf(c++);",
    "(*pf)(c++);",
    "table[0](c++);",
    "(c++, unused)(0);",
    "(c++, table)[0](0);",
    "__VERIFIER_atomic_f(c++);",
    "assert((c++, 1));",
    "printf(\"%d\", two(c++, 0));",
    "two(sleep(c++ * 0), 0);",
    "int n = (c++, 1);",
    "int b[2] = { c++, 0 };",
    "int b[2] = { [1] = c++ };",
    "int b[12] = { 1, c++ };",
    "int b[2][2] = { 0, 0, c++ };",
    "int b[][2] = { 0, c++, 0 };",
    "int b[][2] = { 1, 2, 3 }; if (sizeof b == 4 * sizeof(int) && b[1][0] == 3 && !b[1][1]) c++;",
    "int b[2][2] = { [1] = 1, 2 }; if (!b[0][1] && b[1][0] == 1 && b[1][1] == 2) c++;",
    "int b[2][2] = { { 1 }, 2, 3 }; if (b[0][0] == 1 && !b[0][1] && b[1][1] == 3) c++;",
    "struct pair q[2] = { 1, 2, c++ };",
    "struct pair q[2] = { 1, 2, 3 }; if (q[0].b == 2 && q[1].a == 3 && !q[1].b) c++;",
    "struct pair q[2] = { whole, 3, 4 }; if (!q[0].a && q[1].b == 4) c++;",
    "struct pair q[] = { pair(0), 3 }; if (q[0].b == 2 && q[1].a == 3) c++;",
    "struct pair q = { c++, 0 };",
    "struct pair q = { .b = c++ };",
    "struct pair q = (c++, whole);",
    "whole = (c++, pairs[0]);",
    "pair(c++).a;",
    "pairs[c++].a;",
    "&pairs[c++].b;",
    "taken(pair(c++));",
    "taken(pairs[c++]);",
    "int n = 0; switch (c++) { default: n = 1; }",
    "switch (1) { case 1: c++; }",
    "for (c++; c < 1;) ;",
    "for (int i = (c++, 0); i < 0; i++) ;",
    "for (int i = 0; i < 1; i++, c++) ;",
    "while (c++, 0) ;",
    "do ; while (c++, 0);",
    "if (c++) ;",
    "if (c++, 0) ; else ;",
    "words[c++];",
    "&words[c++];",
    "*(words + c++);",
    "*(c++ + words);",
    "words[c++] = 1;",
    "words[0] = c++;",
    "words[c++]++;",
    "--words[c++];",
    "words[c++] += 2;",
    "atomics[c++] += 2;",
    "atomics[c++]++;",
    "*at(&words[c++]);",
    "(*at(&words[c++]))++;",
    "*at(&words[c++]) += 1;",
    "*at(words + (c++, 0)) = 2;",
    "int *p = &words[c++];",
    "int *p = words; *(c++, p);",
    "({ c++; });",
    "({ int n = c++; n; });",
    "({ c++; 0; });",
    "int n = 3 + ({ c++; 0; });",
    "goto behind; behind: c++;",
    "__typeof__(c) n = c++;",
    "static int n = 1; n = c++;",
    "given(c++);",
    "int n = given(given(c++));",
    "c = c + 1;",
    "c += 1;",
    "c ^= 1;",
    "c |= (1, 1);",
    "*&c += 1;",
    "(&c)[0] = 1;",
];

/// Statements that do not evaluate what would change `c`.
pub const UNEVALUATED: &[&str] = &[
    "sizeof(c++);",
    "int n = sizeof c++;",
    "int n = sizeof(two(c++, 0));",
    "int b[sizeof(c++)];",
    "int *p = malloc(sizeof(words[0]));",
    "__typeof__(c++) n = 0;",
    "0 ? c++ : 0;",
    "1 ? 0 : c++;",
    "0 && c++;",
    "1 || c++;",
    "if (0) c++;",
    "while (0) c++;",
    "for (; 0; c++) ;",
    "switch (0) { case 1: c++; }",
    "goto behind; c++; behind: ;",
    "return 0; c++;",
];
