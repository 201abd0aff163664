//! Expressions as instructions: operands from left to right, and a value before the place that it
//! is assigned to.

use super::ast::{Expr, Type, Unary};
use super::code::{Change, Op, Sign, Value};
use super::compile::Compiler;
use super::integer::{Binary, Int};

impl Compiler<'_> {
    /// Converts a value from one type to the other.
    pub(super) fn coerce(&mut self, from: &Type, to: &Type) {
        match (from, to) {
            (Type::Int(from), Type::Int(to) | Type::Atomic(to)) if from == to => {}
            (_, Type::Int(to) | Type::Atomic(to)) => drop(self.emit(Op::Convert(*to))),
            _ => {}
        }
    }

    /// Leaves the value of an expression; gives its type.
    pub(super) fn rvalue(&mut self, e: &Expr) -> Type {
        match e {
            Expr::Constant(value, kind) => {
                self.emit(Op::Push(Value::Int(*value)));
                Type::Int(*kind)
            }
            Expr::Unary(operator, e) => self.unary(*operator, e),
            Expr::Binary(operator, a, b) => self.binary(*operator, a, b),
            Expr::And(a, b) => self.shortened(a, b, false),
            Expr::Or(a, b) => self.shortened(a, b, true),
            Expr::Comma(a, b) => {
                self.rvalue(a);
                self.emit(Op::Pop);
                self.rvalue(b)
            }
            Expr::Conditional(c, a, b) => self.conditional(c, a, b),
            Expr::Assign(operator, place, value) => match operator {
                None => self.assign(place, value),
                Some(operator) => self.update(*operator, place, value),
            },
            Expr::Step { up, before, place } => self.step(*up, *before, place),
            Expr::Cast(kind, e) => {
                let from = self.rvalue(e);
                self.coerce(&from, kind);
                kind.clone()
            }
            Expr::Address(place) => Type::pointer(self.lvalue(place)),
            Expr::Call(f, arguments) => self.call(f, arguments),
            Expr::Name(name) => match self.function_number(name) {
                Some(number) => {
                    self.emit(Op::Push(Value::Function(number)));
                    let function = &self.unit.functions[number];
                    let params = function.params.iter().map(|(_, kind)| kind.clone()).collect();
                    Type::pointer(Type::Function(Box::new(function.result.clone()), params))
                }
                None => self.load(e),
            },
            Expr::Deref(_) | Expr::Index(..) | Expr::Member(..) | Expr::Arrow(..) => self.load(e),
        }
    }

    pub(super) fn function_number(&self, name: &str) -> Option<usize> {
        self.unit.functions.iter().position(|function| function.name == name)
    }

    /// The value at a place; an array is the address of its first element.
    fn load(&mut self, e: &Expr) -> Type {
        match self.lvalue(e) {
            Type::Array(of, _) => Type::Pointer(of),
            Type::Atomic(kind) => {
                self.emit(Op::Load);
                Type::Int(kind)
            }
            Type::Function(result, params) => Type::pointer(Type::Function(result, params)),
            kind => {
                self.emit(Op::Load);
                kind
            }
        }
    }

    /// Leaves the address of a place; gives the type of what is there.
    pub(super) fn lvalue(&mut self, e: &Expr) -> Type {
        match e {
            Expr::Name(name) => match self.function_number(name) {
                Some(_) => {
                    let Type::Pointer(function) = self.rvalue(e) else { unreachable!() };
                    *function
                }
                None => self.address_of(name).unwrap_or_else(|| panic!("`{name}`")),
            },
            Expr::Deref(e) => match self.rvalue(e) {
                Type::Pointer(to) => *to,
                other => panic!("{other:?} is no pointer"),
            },
            Expr::Index(a, i) => self.index(a, i),
            Expr::Member(a, name) => {
                let Type::Struct(tag) = self.lvalue(a) else { panic!("no structure") };
                self.member(&tag, name)
            }
            Expr::Arrow(a, name) => match self.rvalue(a) {
                Type::Pointer(to) => match *to {
                    Type::Struct(tag) => self.member(&tag, name),
                    other => panic!("{other:?} is no structure"),
                },
                other => panic!("{other:?} is no pointer"),
            },
            other => panic!("{other:?} is no place"),
        }
    }

    fn index(&mut self, a: &Expr, i: &Expr) -> Type {
        let array =
            matches!(a, Expr::Name(_) | Expr::Member(..) | Expr::Arrow(..) | Expr::Index(..));
        let of = if array { self.lvalue(a) } else { self.rvalue(a) };
        match of {
            Type::Array(of, length) => {
                self.rvalue(i);
                self.emit(Op::Element(self.size(&of), length));
                *of
            }
            Type::Pointer(to) => {
                if array {
                    self.emit(Op::Load);
                }
                self.rvalue(i);
                self.emit(Op::Offset(self.size(&to), true));
                *to
            }
            other => panic!("{other:?} has no elements"),
        }
    }

    fn member(&mut self, tag: &str, name: &str) -> Type {
        let mut first = 0;
        for (member, kind) in self.members(tag) {
            let size = self.size(kind);
            if member == name {
                let kind = kind.clone();
                self.emit(Op::Member(first, size));
                return kind;
            }
            first += size;
        }
        panic!("no member {name}")
    }

    fn integer(&mut self, e: &Expr) -> Int {
        match self.rvalue(e) {
            Type::Int(kind) => kind,
            other => panic!("{other:?} is no integer"),
        }
    }

    fn unary(&mut self, operator: Unary, e: &Expr) -> Type {
        if operator == Unary::Not {
            self.rvalue(e);
            self.emit(Op::Truth);
            self.emit(Op::Push(Value::Int(0)));
            self.emit(Op::Binary(Binary::Eq, Int::Int, Int::Int));
            return Type::Int(Int::Int);
        }
        let kind = self.integer(e);
        match operator {
            Unary::Minus => drop(self.emit(Op::Sign(Sign::Minus, kind))),
            Unary::Complement => drop(self.emit(Op::Sign(Sign::Complement, kind))),
            _ => {}
        }
        Type::Int(kind.promoted())
    }

    fn binary(&mut self, operator: Binary, a: &Expr, b: &Expr) -> Type {
        let (left, right) = (self.rvalue(a), self.rvalue(b));
        match (left, right) {
            (Type::Int(a), Type::Int(b)) => {
                self.emit(Op::Binary(operator, a, b));
                Type::Int(operator.result(a, b))
            }
            (Type::Pointer(to), Type::Int(_)) if !operator.compares() => {
                self.emit(Op::Offset(self.size(&to), operator == Binary::Add));
                Type::Pointer(to)
            }
            (Type::Int(_), Type::Pointer(to)) if !operator.compares() => {
                self.emit(Op::Swap);
                self.emit(Op::Offset(self.size(&to), true));
                Type::Pointer(to)
            }
            _ => {
                self.emit(Op::SamePointer);
                if operator == Binary::Ne {
                    self.emit(Op::Push(Value::Int(0)));
                    self.emit(Op::Binary(Binary::Eq, Int::Int, Int::Int));
                }
                Type::Int(Int::Int)
            }
        }
    }

    /// `&&`, and `||` if the first operand's truth decides.
    fn shortened(&mut self, a: &Expr, b: &Expr, decides: bool) -> Type {
        self.rvalue(a);
        self.emit(Op::Truth);
        self.emit(Op::Dup);
        let end = self.emit(if decides { Op::JumpIf(0) } else { Op::JumpUnless(0) });
        self.emit(Op::Pop);
        self.rvalue(b);
        self.emit(Op::Truth);
        self.land(end);
        Type::Int(Int::Int)
    }

    fn conditional(&mut self, c: &Expr, a: &Expr, b: &Expr) -> Type {
        self.rvalue(c);
        let no = self.emit(Op::JumpUnless(0));
        let first = self.rvalue(a);
        // The type that both are converted to is known behind the second one.
        let convert = matches!(first, Type::Int(_)).then(|| self.emit(Op::Convert(Int::Int)));
        let end = self.emit(Op::Jump(0));
        self.land(no);
        let second = self.rvalue(b);
        let kind = match (&first, &second) {
            (Type::Int(a), Type::Int(b)) => {
                let kind = a.common(*b);
                self.code.ops[convert.expect("two integers")] = Op::Convert(kind);
                self.emit(Op::Convert(kind));
                Type::Int(kind)
            }
            (Type::Int(_), _) => {
                self.code.ops[convert.expect("a null pointer")] = Op::Convert(Int::Long);
                second
            }
            _ => first,
        };
        self.land(end);
        kind
    }

    fn assign(&mut self, place: &Expr, value: &Expr) -> Type {
        let from = self.rvalue(value);
        // The place's type is needed first: the conversion is moved before its address.
        let start = self.here();
        let kind = self.lvalue(place);
        let address = self.code.ops.split_off(start);
        let shift = {
            self.coerce(&from, &kind);
            self.here() - start
        };
        self.code.ops.extend(address.into_iter().map(|op| shifted(op, start, shift)));
        self.emit(Op::Store);
        unqualified(kind)
    }

    /// `place op= value`: the place is read before the value is evaluated.
    fn update(&mut self, operator: Binary, place: &Expr, value: &Expr) -> Type {
        let kind = self.lvalue(place);
        match &kind {
            Type::Atomic(int) => {
                let right = self.integer(value);
                let change = Change::Operator(operator, right);
                self.emit(Op::Update { change, kind: *int, new: true });
            }
            Type::Int(int) => {
                self.emit(Op::Dup);
                self.emit(Op::Load);
                let right = self.integer(value);
                self.emit(Op::Binary(operator, *int, right));
                self.emit(Op::Convert(*int));
                self.emit(Op::Swap);
                self.emit(Op::Store);
            }
            Type::Pointer(to) => {
                self.emit(Op::Dup);
                self.emit(Op::Load);
                self.rvalue(value);
                self.emit(Op::Offset(self.size(to), operator == Binary::Add));
                self.emit(Op::Swap);
                self.emit(Op::Store);
            }
            other => panic!("{other:?} is updated"),
        }
        unqualified(kind)
    }

    fn step(&mut self, up: bool, before: bool, place: &Expr) -> Type {
        let operator = Binary::step(up);
        if before {
            return self.update(operator, place, &Expr::Constant(1, Int::Int));
        }
        let kind = self.lvalue(place);
        match &kind {
            Type::Atomic(int) => {
                self.emit(Op::Push(Value::Int(1)));
                let change = Change::Operator(operator, Int::Int);
                self.emit(Op::Update { change, kind: *int, new: false });
            }
            Type::Int(int) => {
                self.emit(Op::Dup);
                self.emit(Op::Load);
                self.emit(Op::Stepped(*int, up));
                self.emit(Op::Store);
                self.emit(Op::Pop);
            }
            other => panic!("{other:?} is stepped"),
        }
        unqualified(kind)
    }
}

/// The type of a value that lies at a place of this type.
fn unqualified(kind: Type) -> Type {
    match kind {
        Type::Atomic(int) => Type::Int(int),
        other => other,
    }
}

/// An instruction whose jumps within what is moved go along.
fn shifted(op: Op, from: usize, by: usize) -> Op {
    let moved = |to: usize| if to >= from { to + by } else { to };
    match op {
        Op::Jump(to) => Op::Jump(moved(to)),
        Op::JumpIf(to) => Op::JumpIf(moved(to)),
        Op::JumpUnless(to) => Op::JumpUnless(moved(to)),
        Op::Once(to) => Op::Once(moved(to)),
        other => other,
    }
}
