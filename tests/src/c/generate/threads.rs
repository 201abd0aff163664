//! Random programs of several threads.

use super::super::ast::{
    Binary, Decl, Expr, Function, Init, Int, Opaque, Stmt, Storage, Type, Unit,
};
use super::program::main;
use super::{Place, Writer};

/// Functions that end the program or the thread.
const ENDS: [&str; 7] =
    ["abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "pthread_exit"];

/// Functions that read and write an integer at once.
const UPDATES: [&str; 9] = [
    "atomic_fetch_add",
    "atomic_fetch_sub",
    "atomic_exchange",
    "__sync_fetch_and_add",
    "__sync_add_and_fetch",
    "__sync_fetch_and_sub",
    "__sync_lock_test_and_set",
    "atomic_store",
    "__sync_sub_and_fetch",
];

pub(super) fn do_call(name: &str, arguments: Vec<Expr>) -> Stmt {
    Stmt::Expr(Expr::call(name, arguments))
}

fn lock(name: &str) -> Vec<Expr> {
    vec![Expr::address(Expr::name(name))]
}

fn handle(name: &str) -> Stmt {
    let kind = Type::Opaque(Opaque::Thread);
    let storage = Storage::Plain;
    Stmt::Decl(Decl { storage, kind, name: name.to_owned(), init: None })
}

/// What creates a thread of a function.
fn create(handle: &str, function: &str, argument: Expr) -> Vec<Expr> {
    vec![Expr::address(Expr::name(handle)), Expr::int(0), Expr::name(function), argument]
}

fn join(handle: &str) -> Stmt {
    do_call("pthread_join", vec![Expr::name(handle), Expr::int(0)])
}

impl Writer<'_, '_> {
    /// A program of two or three threads, at whose end `main` looks at the variables.
    pub(super) fn threads(&mut self) -> Unit {
        let mut unit = Unit::default();
        self.globals(&mut unit, 2);
        if self.source.chance(20) {
            self.structure(&mut unit);
        }
        if self.source.chance(20) {
            self.arrays(&mut unit);
        }
        self.shared_pointer(&mut unit);
        self.library(&mut unit);
        for _ in 0..self.source.below(2) {
            let atomic = self.source.chance(40);
            let function = self.function(atomic);
            unit.functions.push(function);
        }
        let choice = self.table(&mut unit);
        let places = self.scope.places.clone();
        let functions = 1 + self.source.below(2);
        let pointed = self.source.chance(15);
        let mut names: Vec<String> = (1..=functions).map(|i| format!("t{i}")).collect();
        for name in &names {
            let function = self.thread(name, pointed);
            unit.functions.push(function);
        }
        if names.len() == 2 && !pointed && self.source.chance(30) {
            self.chain(&mut unit, &mut names);
        }
        let mut body: Vec<Stmt> = choice.into_iter().collect();
        let places = if pointed { [places, self.shared_local(&mut body)].concat() } else { places };
        let joins = self.creations(&names, pointed, &mut body);
        let number = self.source.below(3);
        body.extend(self.block(number, 1));
        body.extend(joins);
        self.observe(&mut body, &places);
        unit.functions.push(main(body));
        unit
    }

    /// Lets the first thread create the second one, and now and then wait for it.
    fn chain(&mut self, unit: &mut Unit, names: &mut Vec<String>) {
        let created = names.pop().expect("two");
        let first = unit.functions.iter_mut().find(|f| f.name == names[0]).expect("the first");
        let mut code = vec![handle("h")];
        let value = Expr::Cast(Type::pointer(Type::Void), Box::new(Expr::int(2)));
        code.push(do_call("pthread_create", create("h", &created, value)));
        if self.source.chance(40) {
            code.push(join("h"));
        }
        let at = self.source.below(first.body.len());
        let late = first.body.split_off(at);
        first.body.extend(code);
        first.body.extend(late);
    }

    /// Locks, some `_Thread_local` variable.
    pub(super) fn library(&mut self, unit: &mut Unit) {
        let mut declare = |name: &str, kind: Opaque, init: Option<Init>| {
            let kind = Type::Opaque(kind);
            let storage = Storage::Plain;
            unit.globals.push(Decl { storage, kind, name: name.to_owned(), init });
        };
        if self.source.chance(40) {
            declare("m", Opaque::Mutex, None);
            self.scope.mutexes.push("m".to_owned());
        }
        if self.source.chance(15) {
            declare("rw", Opaque::ReadWrite, None);
            self.scope.read_write.push("rw".to_owned());
        }
        if !self.compiled() && self.source.chance(15) {
            // Its initial value on the machine is not 0.
            declare("sp", Opaque::Spin, None);
            self.scope.spins.push("sp".to_owned());
        }
        if !self.compiled() && !self.scope.mutexes.is_empty() && self.source.chance(30) {
            declare("c", Opaque::Condition, None);
            self.scope.conditions.push("c".to_owned());
        }
        if self.source.chance(15) {
            let init = self.constant().e;
            let (kind, init) = (Type::Int(Int::Int), Some(Init::Value(init)));
            let (storage, name) = (Storage::Thread, "own".to_owned());
            unit.globals.push(Decl { storage, kind, name, init });
            self.scope.places.push(Place { e: Expr::name("own"), kind: Int::Int, atomic: false });
        }
        if self.source.chance(15) {
            let kind = Type::Opaque(Opaque::Once);
            unit.globals.push(Decl {
                storage: Storage::Plain,
                kind,
                name: "once".to_owned(),
                init: None,
            });
            let body = self.block(1, 0);
            let name = "first".to_owned();
            unit.functions.push(Function { result: Type::Void, name, params: Vec::new(), body });
            self.scope.once = true;
        }
    }

    /// A thread's function; its argument may be the address of an integer.
    fn thread(&mut self, name: &str, pointed: bool) -> Function {
        let outer = self.scope.clone();
        let mut body = Vec::new();
        if pointed {
            let n = self.fresh("n");
            let kind = Self::pointer_type(Int::Int);
            let init =
                Some(Init::Value(Expr::Cast(kind.clone(), Box::new(Expr::name("argument")))));
            body.push(Stmt::Decl(Decl { storage: Storage::Plain, kind, name: n.clone(), init }));
            self.scope.pointers.push((Expr::name(&n), Int::Int));
        } else if self.source.chance(40) {
            let n = self.fresh("n");
            let argument = Expr::Cast(Type::Int(Int::Long), Box::new(Expr::name("argument")));
            let init = Some(Init::Value(Expr::cast(Int::Int, argument)));
            let kind = Type::Int(Int::Int);
            body.push(Stmt::Decl(Decl { storage: Storage::Plain, kind, name: n.clone(), init }));
            self.scope.places.push(Place { e: Expr::name(&n), kind: Int::Int, atomic: false });
        }
        let number = 1 + self.source.below(3);
        body.extend(self.block(number, 1));
        if self.source.chance(20) {
            body.push(self.assertion());
        }
        let leave = match self.source.below(6) {
            0 => do_call("pthread_exit", vec![Expr::int(0)]),
            _ => Stmt::Return(Some(Expr::int(0))),
        };
        body.push(leave);
        self.scope = outer;
        let any = Type::pointer(Type::Void);
        let params = vec![("argument".to_owned(), any.clone())];
        Function { result: any, name: name.to_owned(), params, body }
    }

    /// A variable of `main` whose address threads get.
    fn shared_local(&mut self, body: &mut Vec<Stmt>) -> Vec<Place> {
        let (kind, name) = (Type::Int(Int::Int), "shared".to_owned());
        let init = Some(Init::Value(self.constant().e));
        body.push(Stmt::Decl(Decl { storage: Storage::Plain, kind, name, init }));
        let place = Place { e: Expr::name("shared"), kind: Int::Int, atomic: false };
        self.scope.places.push(place.clone());
        vec![place]
    }

    /// Creates threads; gives the joins.
    fn creations(&mut self, names: &[String], pointed: bool, body: &mut Vec<Stmt>) -> Vec<Stmt> {
        let mut joins = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let name_of_handle = format!("h{i}");
            body.push(handle(&name_of_handle));
            let argument = |e: Expr| {
                let e = match pointed {
                    true => Expr::address(Expr::name("shared")),
                    false => Expr::cast(Int::Long, e),
                };
                Expr::Cast(Type::pointer(Type::Void), Box::new(e))
            };
            let create = |writer: &mut Self, e: Expr| {
                let operands = create(&name_of_handle, name, argument(e));
                do_call("pthread_create", writer.one_with_effect(operands))
            };
            match self.source.below(8) {
                0 if i == 0 => {
                    let decl = Decl {
                        storage: Storage::Plain,
                        kind: Type::Int(Int::Int),
                        name: "i".to_owned(),
                        init: Some(Init::Value(Expr::int(0))),
                    };
                    let e = Expr::name("i");
                    let less = Expr::two(Binary::Lt, e.clone(), Expr::int(2));
                    let next = Expr::Step { up: true, before: false, place: Box::new(e.clone()) };
                    let inner = Box::new(create(self, e));
                    body.push(Stmt::For(Box::new(Stmt::Decl(decl)), Some(less), Some(next), inner));
                }
                2 => {
                    // Once or not at all.
                    let (condition, e) = (self.condition(1), self.int(1).e);
                    body.push(Stmt::If(condition, Box::new(create(self, e)), None));
                }
                3 => {
                    // Two threads of one function.
                    let again = format!("k{i}");
                    let e = self.int(1).e;
                    body.extend([create(self, e.clone()), handle(&again)]);
                    let e = argument(Expr::two(Binary::Xor, e, Expr::int(1)));
                    let to = Expr::address(Expr::name(&again));
                    let arguments = vec![to, Expr::int(0), Expr::name(name), e];
                    body.push(do_call("pthread_create", arguments));
                    joins.extend(self.finish(&again));
                }
                1 if i + 1 == names.len() => {
                    let inner = Box::new(create(self, Expr::int(1)));
                    body.push(Stmt::While(Expr::int(1), inner));
                }
                _ => {
                    let e = self.int(1).e;
                    body.push(create(self, e));
                    joins.extend(self.finish(&name_of_handle));
                }
            }
        }
        joins
    }

    /// A join with a thread, or that there will be none, or nothing.
    fn finish(&mut self, handle: &str) -> Option<Stmt> {
        let (name, operands) = match self.source.below(10) {
            0..6 => ("pthread_join", vec![Expr::name(handle), Expr::int(0)]),
            6 | 7 => ("pthread_detach", vec![Expr::name(handle)]),
            _ => return None,
        };
        Some(do_call(name, self.one_with_effect(operands)))
    }

    /// A statement that only programs of several threads have.
    pub(super) fn concurrent(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        match self.source.below(18) {
            0..4 => self.locked(depth, out),
            4..8 => out.push(self.atomic_access()),
            8 if depth > 0 && !self.scope.in_atomic => self.section(out),
            9 => {
                let place = self.place();
                let any = self.source.pick(&["int", "uchar", "bool", "uint"]);
                let any = Expr::call(&format!("__VERIFIER_nondet_{any}"), Vec::new());
                out.push(Stmt::Expr(Expr::assign(place.e, any)));
            }
            10 => {
                let name = self.source.pick(&["__VERIFIER_assume", "assume_abort_if_not"]);
                let e = self.condition(1);
                let e = if self.source.chance(30) { self.with_effect(e) } else { e };
                out.push(do_call(name, vec![e]));
            }
            11 | 12 => out.push(self.assertion()),
            13 if !self.scope.in_atomic => {
                let name = self.source.pick(&ENDS);
                let status = self.with_effect(Expr::int(0));
                let end = do_call(name, if name == "abort" { Vec::new() } else { vec![status] });
                let e = self.condition(1);
                out.push(Stmt::If(e, Box::new(end), None));
            }
            14 if self.scope.once && !self.scope.in_atomic => {
                let once = Expr::address(Expr::name("once"));
                let operands = self.one_with_effect(vec![once, Expr::name("first")]);
                out.push(do_call("pthread_once", operands));
            }
            15 => {
                let s = self.ordered();
                out.push(s);
            }
            16 => out.push(self.isolated()),
            _ => out.push(self.assignment()),
        }
    }

    /// Statements with a lock held, or waiting on a condition with it.
    pub(super) fn locked(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let mut kinds = Vec::new();
        let scope = &self.scope;
        let mutexes = scope.mutexes.iter().map(|m| (m, "mutex", "lock", "trylock", "unlock"));
        let spins = scope.spins.iter().map(|m| (m, "spin", "lock", "trylock", "unlock"));
        let reads = scope.read_write.iter().map(|m| (m, "rwlock", "rdlock", "tryrdlock", "unlock"));
        let writes =
            scope.read_write.iter().map(|m| (m, "rwlock", "wrlock", "trywrlock", "unlock"));
        for (name, kind, take, attempt, free) in mutexes.chain(spins).chain(reads).chain(writes) {
            kinds.push((name.clone(), kind, take, attempt, free));
        }
        if self.scope.in_atomic || depth == 0 {
            kinds.clear();
        }
        let Some((name, kind, take, attempt, free)) = self.pick(&kinds) else {
            return out.push(self.assignment());
        };
        let call = |word: &str| Expr::call(&format!("pthread_{kind}_{word}"), lock(&name));
        let outer = self.scope.clone();
        if self.compiled() {
            // Who takes a lock again waits for ever, or is told that.
            self.scope.mutexes.retain(|held| *held != name);
            self.scope.read_write.retain(|held| *held != name);
        }
        let mut code = self.block(1, depth - 1);
        self.scope = outer;
        if kind == "mutex" && !self.scope.conditions.is_empty() && self.source.chance(40) {
            let condition = self.scope.conditions[0].clone();
            let mutex = lock(&name).swap_remove(0);
            let arguments = vec![lock(&condition).swap_remove(0), mutex];
            let wait = do_call("pthread_cond_wait", self.one_with_effect(arguments));
            let e = self.condition(1);
            code.insert(0, Stmt::If(e, Box::new(wait), None));
            code.push(do_call("pthread_cond_signal", lock(&condition)));
        }
        code.push(Stmt::Expr(call(free)));
        if self.source.chance(25) {
            let got = Expr::two(Binary::Eq, call(attempt), Expr::int(0));
            return out.push(Stmt::If(got, Box::new(Stmt::Block(code)), None));
        }
        out.push(Stmt::Expr(call(take)));
        out.append(&mut code);
    }

    pub(super) fn atomic_access(&mut self) -> Stmt {
        let atomics: Vec<Place> =
            self.scope.places.iter().filter(|p| p.atomic && p.kind != Int::Bool).cloned().collect();
        let plain: Vec<Place> =
            self.scope.addressable.iter().filter(|p| p.kind != Int::Bool).cloned().collect();
        let name = self.source.pick(&UPDATES);
        let list = if name.starts_with("__sync") { plain } else { atomics };
        let (Some(place), result) = (self.pick(&list), self.place()) else {
            return self.assignment();
        };
        let to = Expr::address(place.e);
        let value = self.int(1).e;
        if name == "atomic_store" {
            return do_call(name, vec![to, value]);
        }
        let mut e = Expr::call(name, vec![to.clone(), value.clone()]);
        if self.source.chance(25) {
            e = if name.starts_with("__sync") {
                let name = self
                    .source
                    .pick(&["__sync_bool_compare_and_swap", "__sync_val_compare_and_swap"]);
                Expr::call(name, vec![to, self.int(1).e, value])
            } else if self.source.chance(50) {
                Expr::call("atomic_load", vec![to])
            } else {
                return self.compare_exchange(to, place.kind, value, result);
            };
        }
        Stmt::Expr(Expr::assign(result.e, e))
    }

    fn compare_exchange(&mut self, to: Expr, kind: Int, value: Expr, result: Place) -> Stmt {
        let name = self.fresh("e");
        let functions = ["atomic_compare_exchange_strong", "atomic_compare_exchange_weak"];
        // A weak one may fail for no reason.
        let function = if self.compiled() { functions[0] } else { self.source.pick(&functions) };
        let init = Some(Init::Value(self.int(1).e));
        let (storage, of) = (Storage::Plain, Type::Int(kind));
        let decl = Stmt::Decl(Decl { storage, kind: of, name: name.clone(), init });
        let expected = Expr::name(&name);
        let e = Expr::call(function, vec![to, Expr::address(expected.clone()), value]);
        let first = Stmt::Expr(Expr::assign(result.e, e));
        let seen = self.place();
        let second = Stmt::Expr(Expr::assign(seen.e, expected));
        Stmt::Block(vec![decl, first, second])
    }

    /// An atomic section.
    fn section(&mut self, out: &mut Vec<Stmt>) {
        let outer = self.scope.clone();
        self.scope.in_atomic = true;
        (self.scope.in_loop, self.scope.in_switch, self.scope.result) = (false, false, None);
        let number = 1 + self.source.below(2);
        let code = self.block(number, 1);
        self.scope = outer;
        out.push(do_call("__VERIFIER_atomic_begin", Vec::new()));
        out.push(Stmt::Block(code));
        out.push(do_call("__VERIFIER_atomic_end", Vec::new()));
    }
}
