//! Random expressions, with their types and what values they can have.

use super::super::ast::{Binary, Expr, Int, Type, Unary};
use super::{Place, Writer};

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub e: Expr,
    pub kind: Int,
    /// Least and greatest value.
    low: i128,
    high: i128,
}

/// Constants where something changes.
const EDGES: [(i128, Int); 14] = [
    (7, Int::Int),
    (10, Int::Int),
    (127, Int::Int),
    (128, Int::Int),
    (200, Int::Int),
    (255, Int::Int),
    (256, Int::Int),
    (32_767, Int::Int),
    (65_535, Int::Int),
    (2_147_483_647, Int::Int),
    (4_294_967_295, Int::UInt),
    (3, Int::ULong),
    (5, Int::Long),
    (1, Int::UInt),
];

impl Typed {
    fn constant(value: i128, kind: Int) -> Typed {
        Typed { e: Expr::Constant(value, kind), kind, low: value, high: value }
    }

    fn of(e: Expr, kind: Int) -> Typed {
        Typed { e, kind, low: kind.min(), high: kind.max() }
    }

    fn truth(e: Expr) -> Typed {
        Typed { e, kind: Int::Int, low: 0, high: 1 }
    }

    pub(super) fn cast(self, kind: Int) -> Typed {
        let (low, high) = converted(kind, self.low, self.high);
        Typed { e: Expr::cast(kind, self.e), kind, low, high }
    }
}

/// The values after a conversion.
fn converted(kind: Int, low: i128, high: i128) -> (i128, i128) {
    match kind {
        Int::Bool => (i128::from(low > 0 || high < 0), i128::from(low != 0 || high != 0)),
        _ if kind.contains(low) && kind.contains(high) => (low, high),
        _ => (kind.min(), kind.max()),
    }
}

impl Writer<'_, '_> {
    pub(super) fn constant(&mut self) -> Typed {
        if self.compiled() && self.source.chance(30) {
            let (value, kind) = self.source.pick(&EDGES);
            return Typed::constant(value, kind);
        }
        let value = i128::try_from(self.source.below(4)).expect("a small number");
        Typed::constant(value, Int::Int)
    }

    fn divisor(&mut self) -> Typed {
        Typed::constant(self.source.pick(&[2, 3, 5, 7, 10]), Int::Int)
    }

    /// A variable that can be written.
    pub(super) fn place(&mut self) -> Place {
        if !self.scope.pointers.is_empty() && self.source.chance(20) {
            let (e, kind) = self.pick(&self.scope.pointers.clone()).expect("a pointer");
            return Place { e: Expr::Deref(Box::new(e)), kind, atomic: false };
        }
        self.pick(&self.scope.places.clone()).expect("a variable")
    }

    fn leaf(&mut self) -> Typed {
        if self.source.chance(35) {
            return self.constant();
        }
        let counters = self.scope.counters.clone();
        if !counters.is_empty() && self.source.chance(20) {
            let counter = self.pick(&counters).expect("a counter");
            return Typed { e: counter.e, kind: counter.kind, low: -10, high: 10 };
        }
        let place = self.place();
        Typed::of(place.e, place.kind)
    }

    /// An integer expression of so many levels.
    pub(super) fn int(&mut self, depth: usize) -> Typed {
        if depth == 0 {
            return self.leaf();
        }
        let deep = depth - 1;
        match self.source.below(34) {
            0..8 => self.leaf(),
            8..11 => {
                let (a, b) = (self.int(deep), self.int(deep));
                self.fit(Binary::Add, a, b)
            }
            11..13 => {
                let (a, b) = (self.int(deep), self.int(deep));
                self.fit(Binary::Sub, a, b)
            }
            13 => {
                let (a, b) = (self.int(deep), self.divisor());
                if self.source.chance(50) {
                    self.fit(Binary::Mul, a, b)
                } else {
                    self.fit(Binary::Mul, b, a)
                }
            }
            14..16 => {
                let operator = self.source.pick(&[Binary::Div, Binary::Rem]);
                let (a, b) = (self.int(deep), self.divisor());
                self.fit(operator, a, b)
            }
            16 => {
                let by = i128::try_from(1 + self.source.below(5)).expect("a small number");
                let a = self.int(deep);
                let operator = self.source.pick(&[Binary::Shl, Binary::Shr, Binary::Shr]);
                self.fit(operator, a, Typed::constant(by, Int::Int))
            }
            17..19 => {
                let mask = self.source.pick(&[1, 3, 4, 6, 15, 12, 128, 255]);
                let operator =
                    self.source.pick(&[Binary::And, Binary::And, Binary::Or, Binary::Xor]);
                let a = self.int(deep);
                self.fit(operator, a, Typed::constant(mask, Int::Int))
            }
            19 => {
                let (a, b) = (self.truth(deep), self.truth(deep));
                let operator = self.source.pick(&[Binary::And, Binary::Or, Binary::Xor]);
                self.fit(operator, a, b)
            }
            20..23 => self.truth(depth),
            23..25 => {
                let (c, a, b) = (self.truth(deep), self.int(deep), self.int(deep));
                let kind = a.kind.common(b.kind);
                let (a_low, a_high) = converted(kind, a.low, a.high);
                let (b_low, b_high) = converted(kind, b.low, b.high);
                let e = Expr::Conditional(Box::new(c.e), Box::new(a.e), Box::new(b.e));
                Typed { e, kind, low: a_low.min(b_low), high: a_high.max(b_high) }
            }
            25..29 => {
                let kind = self.source.pick(&Int::ALL);
                self.int(deep).cast(kind)
            }
            29 => {
                let a = self.int(deep);
                let kind = a.kind.promoted();
                let e = Expr::Unary(Unary::Complement, Box::new(a.e));
                Typed::of(e, kind)
            }
            30 => {
                let a = self.int(deep);
                self.minus(a)
            }
            33 if self.source.chance(50) => {
                let a = self.int(deep);
                let kind = a.kind.promoted();
                let (low, high) = converted(kind, a.low, a.high);
                Typed { e: Expr::Unary(Unary::Plus, Box::new(a.e)), kind, low, high }
            }
            31 | 32 if !self.compiled() => self.effect(),
            _ => self.element().map_or_else(|| self.leaf(), |p| Typed::of(p.e, p.kind)),
        }
    }

    fn minus(&mut self, a: Typed) -> Typed {
        let kind = a.kind.promoted();
        let a = if kind.signed() && a.low == kind.min() { a.cast(Int::UInt) } else { a };
        let kind = a.kind.promoted();
        let (low, high) = converted(kind, -a.high, -a.low);
        Typed { e: Expr::Unary(Unary::Minus, Box::new(a.e)), kind, low, high }
    }

    /// `a operator b`, where nothing signed overflows.
    fn fit(&mut self, operator: Binary, a: Typed, b: Typed) -> Typed {
        let kind = operator.result(a.kind, b.kind);
        let shift = matches!(operator, Binary::Shl | Binary::Shr);
        let of = |t: &Typed| if shift { (t.low, t.high) } else { converted(kind, t.low, t.high) };
        let (low, high) = bounds(operator, of(&a), of(&b));
        let fits = kind.contains(low) && kind.contains(high);
        let negative = operator == Binary::Shl && a.low < 0;
        // Where threads interleave values are small, and what overflows is assumed away.
        if kind.signed() && (!fits || negative) && (self.compiled() || self.source.chance(20)) {
            let unsigned = if kind.bits() == 64 { Int::ULong } else { Int::UInt };
            return self.fit(operator, a.cast(unsigned), b);
        }
        let (low, high) = if fits { (low, high) } else { (kind.min(), kind.max()) };
        Typed { e: Expr::two(operator, a.e, b.e), kind, low, high }
    }

    /// 0 or 1.
    pub(super) fn truth(&mut self, depth: usize) -> Typed {
        let deep = depth.saturating_sub(1);
        match self.source.below(10) {
            0..6 => {
                use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
                let operator = self.source.pick(&[Eq, Ne, Lt, Le, Gt, Ge]);
                let right = if self.source.chance(60) { 0 } else { deep };
                let (a, b) = (self.int(deep), self.int(right));
                Typed::truth(Expr::two(operator, a.e, b.e))
            }
            6 => Typed::truth(Expr::Unary(Unary::Not, Box::new(self.int(deep).e))),
            7 if depth > 0 => {
                let (a, b) = (self.condition(deep), self.condition(deep));
                Typed::truth(Expr::And(Box::new(a), Box::new(b)))
            }
            8 if depth > 0 => {
                let (a, b) = (self.condition(deep), self.condition(deep));
                Typed::truth(Expr::Or(Box::new(a), Box::new(b)))
            }
            _ => self.int(deep).cast(Int::Bool),
        }
    }

    /// What is only tested.
    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        if self.source.chance(60) { self.truth(depth).e } else { self.int(depth).e }
    }

    /// An expression whose evaluation writes.
    pub(super) fn effect(&mut self) -> Typed {
        if !self.compiled()
            && self.source.chance(20)
            && let Some((call, Some(kind))) = self.called()
        {
            return Typed::of(call, kind);
        }
        let place = self.place();
        if place.kind == Int::Bool || self.source.chance(50) {
            let value = self.int(1);
            return Typed::of(Expr::assign(place.e, value.e), place.kind);
        }
        let (up, before) = (self.source.chance(60), self.source.chance(50));
        Typed::of(Expr::Step { up, before, place: Box::new(place.e) }, place.kind)
    }

    /// An index below a length.
    fn index(&mut self, length: usize) -> Expr {
        if self.source.chance(40) {
            return Expr::int(i128::try_from(self.source.below(length)).expect("small"));
        }
        if !self.compiled() && self.source.chance(40) {
            // What is out of bounds is assumed away.
            return self.int(1).e;
        }
        let index = self.int(1).cast(Int::UInt);
        let length = i128::try_from(length).expect("small");
        Expr::two(Binary::Rem, index.e, Expr::Constant(length, Int::Int))
    }

    /// An element of an array, the index variable but in bounds.
    pub(super) fn element(&mut self) -> Option<Place> {
        if !self.scope.grids.is_empty() && self.source.chance(30) {
            let (name, kind, member) = self.pick(&self.scope.grids.clone())?;
            let row = Expr::Index(Box::new(Expr::name(&name)), Box::new(self.index(2)));
            let e = match member {
                Some(member) => Expr::Member(Box::new(row), member),
                None => Expr::Index(Box::new(row), Box::new(self.index(2))),
            };
            return Some(Place { e, kind, atomic: false });
        }
        let (array, kind, length) = self.pick(&self.scope.arrays.clone())?;
        let index = self.index(length);
        let e = match self.source.below(5) {
            0 => Expr::Deref(Box::new(Expr::two(Binary::Add, array, index))),
            _ => Expr::Index(Box::new(array), Box::new(index)),
        };
        Some(Place { e, kind, atomic: false })
    }

    /// A value of a type for a pointer, in scope or anywhere.
    pub(super) fn pointer_to(&mut self, kind: Int, here: bool) -> Option<Expr> {
        let automatic = self.scope.automatic.iter().filter(|_| here);
        let all = self.scope.addressable.iter().chain(automatic).filter(|p| p.kind == kind);
        let all: Vec<Place> = all.cloned().collect();
        let first = Expr::address(self.pick(&all)?.e);
        if !self.source.chance(40) {
            return Some(first);
        }
        let second = Expr::address(self.pick(&all)?.e);
        let c = self.condition(1);
        Some(Expr::Conditional(Box::new(c), Box::new(first), Box::new(second)))
    }

    pub(super) fn pointer_type(kind: Int) -> Type {
        Type::pointer(Type::Int(kind))
    }
}

/// Least and greatest result.
fn bounds(operator: Binary, a: (i128, i128), b: (i128, i128)) -> (i128, i128) {
    let all = |f: &dyn Fn(i128, i128) -> i128| {
        let values = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
        (values.into_iter().min().expect("some"), values.into_iter().max().expect("some"))
    };
    match operator {
        Binary::Add => all(&|a, b| a + b),
        Binary::Sub => all(&|a, b| a - b),
        Binary::Mul => all(&|a, b| a * b),
        Binary::Div => all(&|a, b| a / b),
        Binary::Rem => (if a.0 < 0 { 1 - b.1.abs() } else { 0 }, b.1.abs() - 1),
        Binary::Shl => all(&|a, b| a << b),
        Binary::Shr => all(&|a, b| a >> b),
        Binary::And if a.0 >= 0 || b.0 >= 0 => {
            (0, if a.0 >= 0 && b.0 >= 0 { a.1.min(b.1) } else { a.1.max(b.1) })
        }
        Binary::And | Binary::Or | Binary::Xor => {
            let wide = [a.0, a.1, b.0, b.1].map(|v| if v < 0 { -1 - v } else { v });
            let bits = 128 - wide.iter().map(|v| v.leading_zeros()).min().expect("four");
            let top = 1_i128 << bits;
            (if a.0 < 0 || b.0 < 0 { -top } else { 0 }, top - 1)
        }
        _ => (0, 1),
    }
}
