//! Random statements.

use super::super::ast::{Assertion, Binary, Decl, Expr, Init, Int, Stmt, Storage, Type};
use super::{Place, Writer};

impl Writer<'_, '_> {
    /// Statements, with the variables that they declare in scope up to the end.
    pub(super) fn block(&mut self, number: usize, depth: usize) -> Vec<Stmt> {
        let outer = self.scope.clone();
        let mut code = Vec::new();
        for _ in 0..number {
            self.statement(depth, &mut code);
        }
        self.scope = outer;
        code
    }

    /// Levels of operators.
    fn levels(&self) -> usize {
        if self.compiled() { 2 } else { 1 }
    }

    pub(super) fn statement(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let s = match self.source.below(100) {
            0..30 => self.assignment(),
            30..40 => self.compound(),
            40..47 => Stmt::Expr(self.effect().e),
            47..54 => self.local(),
            54..66 if depth > 0 => self.branch(depth - 1),
            66..74 if depth > 0 => return self.repeat(depth - 1, out),
            74..79 if depth > 0 => self.choice(depth - 1),
            79..85 => self.call(),
            85..88 => match self.pointer() {
                Some(s) => s,
                None => self.assignment(),
            },
            88..91 if depth > 0 => Stmt::Block(self.block(2, depth - 1)),
            91 | 92 if depth > 0 && !self.scope.in_atomic => return self.jump_over(depth - 1, out),
            93 if depth > 0 && !self.scope.in_atomic => return self.jump_back(depth - 1, out),
            94 => return self.aggregate(out),
            95 if self.compiled() => return self.locked(depth, out),
            96 if self.compiled() => self.atomic_access(),
            97 if self.compiled() => self.ordered(),
            98 if self.compiled() => self.isolated(),
            _ if !self.compiled() => return self.concurrent(depth, out),
            _ => self.sequenced(),
        };
        out.push(s);
    }

    /// Where something is stored.
    fn target(&mut self) -> Place {
        let element = if self.source.chance(15) { self.element() } else { None };
        element.unwrap_or_else(|| self.place())
    }

    pub(super) fn assignment(&mut self) -> Stmt {
        let place = self.target();
        let value = self.int(self.levels());
        Stmt::Expr(Expr::assign(place.e, value.e))
    }

    /// `x op= e`, where nothing signed overflows if it is compiled.
    fn compound(&mut self) -> Stmt {
        use Binary::{Add, And, Div, Or, Rem, Shl, Shr, Sub, Xor};
        let place = self.target();
        // What is converted to this type does not overflow in the arithmetic of `int`.
        let safe = !self.compiled() || place.kind.bits() < 32 || !place.kind.signed();
        let (operator, value) = match self.source.below(10) {
            0..5 if safe => {
                let operator = self.source.pick(&[Add, Add, Sub]);
                let value = self.int(1);
                let small = if self.compiled() && place.kind.bits() < 32 {
                    value.cast(Int::Short)
                } else {
                    value
                };
                (operator, small.e)
            }
            5 => (self.source.pick(&[Div, Rem]), Expr::int(self.source.pick(&[2, 3, 5]))),
            6 if !place.kind.signed() => {
                (self.source.pick(&[Shl, Shr]), Expr::int(self.source.pick(&[1, 2, 4])))
            }
            7 if !place.kind.signed() => (Binary::Mul, Expr::int(self.source.pick(&[2, 3]))),
            _ => (
                self.source.pick(&[And, Or, Xor]),
                Expr::int(self.source.pick(&[1, 2, 6, 15, 100])),
            ),
        };
        let wide = place.kind.bits() == 64;
        let value = if wide && self.compiled() && !place.kind.signed() {
            Expr::cast(Int::UInt, value)
        } else {
            value
        };
        Stmt::Expr(Expr::Assign(Some(operator), Box::new(place.e), Box::new(value)))
    }

    /// Effects in an order that the standard says.
    fn sequenced(&mut self) -> Stmt {
        let (a, b) = (self.safe_effect(), self.safe_effect());
        let c = self.condition(1);
        let e = match self.source.below(4) {
            0 => Expr::And(Box::new(a), Box::new(b)),
            1 => Expr::Or(Box::new(a), Box::new(b)),
            2 => Expr::Conditional(Box::new(c), Box::new(a), Box::new(b)),
            _ => Expr::Comma(Box::new(a), Box::new(b)),
        };
        let place = self.place();
        Stmt::Expr(Expr::assign(place.e, e))
    }

    /// An expression that writes, and does not overflow.
    pub(super) fn safe_effect(&mut self) -> Expr {
        let place = self.place();
        if place.kind.signed() && place.kind.bits() >= 32 {
            let value = self.int(1).e;
            return Expr::assign(place.e, value);
        }
        let (up, before) = (self.source.chance(60), self.source.chance(50));
        if place.kind == Int::Bool {
            return Expr::assign(place.e, self.int(1).e);
        }
        Expr::Step { up, before, place: Box::new(place.e) }
    }

    /// A new variable.
    fn local(&mut self) -> Stmt {
        let stem = if self.source.chance(20) { "s" } else { "v" };
        let name = self.fresh(stem);
        let kind = if self.compiled() || self.source.chance(20) {
            self.source.pick(&Int::ALL)
        } else {
            Int::Int
        };
        let is_static = stem == "s" && !self.scope.in_atomic;
        let init = if is_static { self.constant().e } else { self.int(self.levels()).e };
        let unset = !self.compiled() && !is_static && self.source.chance(15);
        let place = Place { e: Expr::name(&name), kind, atomic: false };
        self.scope.places.push(place.clone());
        self.scope.places.push(place.clone());
        if self.source.chance(30) {
            self.scope.automatic.push(place);
        }
        let storage = if is_static { Storage::Static } else { Storage::Plain };
        Stmt::Decl(Decl {
            storage,
            kind: Type::Int(kind),
            name,
            init: (!unset).then_some(Init::Value(init)),
        })
    }

    /// A new pointer variable, or a new value of one.
    fn pointer(&mut self) -> Option<Stmt> {
        if !self.scope.pointers.is_empty() && self.source.chance(40) {
            let (e, kind) = self.pick(&self.scope.pointers.clone())?;
            let value = self.pointer_to(kind, false)?;
            return Some(Stmt::Expr(Expr::assign(e, value)));
        }
        let all = [&self.scope.addressable[..], &self.scope.automatic].concat();
        let kind = self.pick(&all)?.kind;
        let value = self.pointer_to(kind, true)?;
        let name = self.fresh("p");
        self.scope.pointers.push((Expr::name(&name), kind));
        let (storage, kind) = (Storage::Plain, Self::pointer_type(kind));
        Some(Stmt::Decl(Decl { storage, kind, name, init: Some(Init::Value(value)) }))
    }

    /// The statements under a condition, a jump at the end now and then.
    fn inner(&mut self, depth: usize) -> Box<Stmt> {
        let number = 1 + self.source.below(2);
        let mut code = self.block(number, depth);
        if self.source.chance(20) {
            code.extend(self.jump());
        }
        Box::new(Stmt::Block(code))
    }

    fn jump(&mut self) -> Option<Stmt> {
        let mut choices = Vec::new();
        if self.scope.in_loop {
            choices.push(Stmt::Continue);
        }
        if self.scope.in_loop || self.scope.in_switch {
            choices.push(Stmt::Break);
        }
        if let Some(result) = self.scope.result {
            choices.push(Stmt::Return(result.map(|_| self.int(1).e)));
        }
        self.pick(&choices)
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let condition = self.condition(self.levels());
        let then = self.inner(depth);
        let other = self.source.chance(40).then(|| self.inner(depth));
        Stmt::If(condition, then, other)
    }

    /// A loop with few iterations.
    fn repeat(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        if self.scope.in_atomic {
            return out.push(self.assignment());
        }
        let outer = self.scope.clone();
        let name = self.fresh("i");
        let e = Expr::name(&name);
        let iterations = if self.compiled() { 2 + self.source.below(3) } else { 2 };
        let iterations = Expr::Constant(i128::try_from(iterations).expect("few"), Int::Int);
        let kind = self.source.pick(&[Int::Int, Int::Int, Int::UChar, Int::UInt]);
        let init = Some(Init::Value(Expr::int(0)));
        let decl = Stmt::Decl(Decl { storage: Storage::Plain, kind: Type::Int(kind), name, init });
        let before = self.source.chance(50);
        let next = Expr::Step { up: true, before, place: Box::new(e.clone()) };
        let less = Expr::two(Binary::Lt, e.clone(), iterations);
        let how = self.source.below(4);
        let place = Place { e, kind, atomic: false };
        self.scope.counters.push(place.clone());
        (self.scope.in_loop, self.scope.in_switch) = (true, false);
        // Where the body counts, `continue` must not pass over it.
        self.scope.in_loop = how == 0;
        let body = self.inner(depth);
        self.scope = outer;
        let counted = |next: Expr| Box::new(Stmt::Block(vec![(*body).clone(), Stmt::Expr(next)]));
        let s = match how {
            0 => return out.push(Stmt::For(Box::new(decl), Some(less), Some(next), body)),
            1 => Stmt::While(less, counted(next)),
            2 => Stmt::DoWhile(counted(next), less),
            _ => {
                let leave = Stmt::If(less, Box::new(Stmt::Empty), Some(Box::new(Stmt::Break)));
                let code = vec![leave, *body, Stmt::Expr(next)];
                Stmt::For(Box::new(Stmt::Empty), None, None, Box::new(Stmt::Block(code)))
            }
        };
        out.push(Stmt::Block(vec![decl, s]));
    }

    fn choice(&mut self, depth: usize) -> Stmt {
        let outer = std::mem::replace(&mut self.scope.in_switch, true);
        let e = self.int(1);
        let mut code = Vec::new();
        let cases = 1 + self.source.below(3);
        for number in 0..cases {
            let value = i128::try_from(number).expect("few");
            code.push(Stmt::Case(value, Box::new(Stmt::Block(self.block(1, depth)))));
            if self.source.chance(60) {
                code.push(Stmt::Break);
            }
        }
        if self.source.chance(60) {
            let at = self.source.below(cases);
            let default = Stmt::Default(Box::new(Stmt::Block(self.block(1, depth))));
            if self.source.chance(70) {
                code.push(default)
            } else {
                code.insert(at.min(code.len()), default)
            }
        }
        self.scope.in_switch = outer;
        Stmt::Switch(e.e, code)
    }

    /// A jump over statements, under a condition.
    fn jump_over(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let label = self.fresh("l");
        let go = Box::new(Stmt::Goto(label.clone()));
        let condition = self.condition(1);
        out.push(Stmt::If(condition, go, None));
        let code = self.block(1, depth);
        out.push(Stmt::Block(code));
        out.push(Stmt::Label(label, Box::new(Stmt::Empty)));
    }

    /// A loop of a label and a jump.
    fn jump_back(&mut self, depth: usize, out: &mut Vec<Stmt>) {
        let (label, name) = (self.fresh("l"), self.fresh("i"));
        let kind = Type::Int(Int::Int);
        let init = Some(Init::Value(Expr::int(0)));
        out.push(Stmt::Decl(Decl { storage: Storage::Plain, kind, name: name.clone(), init }));
        out.push(Stmt::Label(label.clone(), Box::new(Stmt::Block(self.block(1, depth)))));
        let next = Expr::Step { up: true, before: true, place: Box::new(Expr::name(&name)) };
        let less = Expr::two(Binary::Lt, next, Expr::int(2));
        out.push(Stmt::If(less, Box::new(Stmt::Goto(label)), None));
    }

    /// A local array or structure, or a pointer to the first element of an array.
    fn aggregate(&mut self, out: &mut Vec<Stmt>) {
        let storage = Storage::Plain;
        if self.source.chance(40)
            && let Some((array, kind, length)) = self.pick(&self.scope.arrays.clone())
        {
            let name = self.fresh("q");
            let first = Expr::address(Expr::Index(Box::new(array), Box::new(Expr::int(0))));
            let of = Self::pointer_type(kind);
            let init = Some(Init::Value(first));
            out.push(Stmt::Decl(Decl { storage, kind: of, name: name.clone(), init }));
            return self.scope.arrays.push((Expr::name(&name), kind, length));
        }
        let kind = self.source.pick(&[Int::Int, Int::UChar, Int::Short]);
        let name = self.fresh("d");
        let values = vec![Init::Value(self.int(1).e), Init::Value(self.int(1).e)];
        let of = Type::Array(Box::new(Type::Int(kind)), 3);
        let init = Some(Init::List(values));
        out.push(Stmt::Decl(Decl { storage, kind: of, name: name.clone(), init }));
        self.scope.arrays.push((Expr::name(&name), kind, 3));
    }

    /// A call, and the type of its result.
    pub(super) fn called(&mut self) -> Option<(Expr, Option<Int>)> {
        let callable = if self.scope.in_atomic { Vec::new() } else { self.functions.clone() };
        let f = self.pick(&callable)?;
        let mut arguments: Vec<Expr> = Vec::new();
        if let Some(kind) = f.pointer {
            arguments.push(self.pointer_to(kind, true)?);
        }
        arguments.extend(f.params.iter().map(|_| self.int(1).e));
        Some((Expr::call(&f.name, arguments), f.result))
    }

    fn call(&mut self) -> Stmt {
        let Some((call, result)) = self.called() else { return self.assignment() };
        match result {
            Some(_) if self.source.chance(80) => {
                let place = self.place();
                // The order of a call and other operands is not said.
                let value = if self.source.chance(30) {
                    let constant = self.constant();
                    Expr::two(Binary::Xor, call, constant.e)
                } else {
                    call
                };
                Stmt::Expr(Expr::assign(place.e, value))
            }
            _ => Stmt::Expr(call),
        }
    }

    pub(super) fn assertion(&mut self) -> Stmt {
        let function = self.source.pick(&["assert", "assert", "__VERIFIER_assert"]);
        let error = self.source.pick(&["reach_error", "__VERIFIER_error"]);
        match self.source.below(6) {
            0 | 1 => Stmt::Assert(Assertion::Behind(error), self.condition(1)),
            2 => {
                let line = self.with_effect(Expr::int(1));
                let fail = Stmt::Fail(self.source.pick(&["__assert_fail", "__assert"]), line);
                Stmt::If(self.condition(1), Box::new(fail), None)
            }
            _ => {
                let e = self.condition(1);
                let e = if self.source.chance(30) { self.with_effect(e) } else { e };
                Stmt::Assert(Assertion::Function(function), e)
            }
        }
    }
}
