//! Random expressions and conditions.

use super::super::ast::{Binary, Expr, Place, Type};
use super::Writer;

impl Writer<'_, '_> {
    fn literal(&mut self) -> Expr {
        match self.source.below(4) {
            3 => Expr::Neg(Box::new(Expr::Int(1))),
            k => Expr::Int(i64::try_from(k).expect("a small number")),
        }
    }

    /// A variable or array element, if there is one of this type.
    pub(super) fn place(&mut self, kind: Type) -> Option<Place> {
        let (variables, arrays) = match kind {
            Type::Int => (self.scope.ints.clone(), self.scope.int_arrays.clone()),
            _ => (self.scope.bools.clone(), self.scope.bool_arrays.clone()),
        };
        let array = !arrays.is_empty() && (variables.is_empty() || self.source.chance(30));
        let list = if array { arrays } else { variables };
        if list.is_empty() {
            return None;
        }
        let name = self.source.pick(&list).to_owned();
        let index = array.then(|| {
            let variables = self.scope.ints.clone();
            let named = !variables.is_empty() && self.source.chance(50);
            Box::new(if named {
                Expr::name(self.source.pick(&variables))
            } else {
                Expr::Int(i64::from(self.source.chance(50)))
            })
        });
        Some(Place { name, index })
    }

    fn int_leaf(&mut self) -> Expr {
        let variable = if self.source.chance(75) { self.place(Type::Int) } else { None };
        variable.map_or_else(|| self.literal(), Expr::Place)
    }

    /// An integer, of so many levels of operators.
    pub(super) fn int(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.int_leaf();
        }
        let deep = depth - 1;
        let small = |writer: &mut Self| {
            Expr::Int(i64::try_from(1 + writer.source.below(3)).expect("a small number"))
        };
        match self.source.below(12) {
            0..=4 => self.int_leaf(),
            5 | 6 => Expr::two(Binary::Add, self.int(deep), self.int(deep)),
            7 => Expr::two(Binary::Sub, self.int(deep), self.int(deep)),
            8 => Expr::two(Binary::Mul, small(self), self.int(deep)),
            9 => Expr::two(Binary::Mul, self.int(deep), small(self)),
            10 => {
                let operator = self.source.pick(&[Binary::Div, Binary::Mod]);
                Expr::two(operator, self.int(deep), small(self))
            }
            _ => Expr::Neg(Box::new(self.int(deep))),
        }
    }

    /// A comparison that names a variable.
    fn comparison(&mut self, depth: usize) -> Expr {
        let operator = self.source.pick(&[
            Binary::Eq,
            Binary::Eq,
            Binary::Ne,
            Binary::Lt,
            Binary::Le,
            Binary::Gt,
            Binary::Ge,
        ]);
        let (a, mut b) = (self.int(depth), self.int(depth));
        if a == b {
            b = Expr::Int(1);
        }
        match self.place(Type::Int) {
            Some(place) if !names(&a) && !names(&b) => Expr::two(operator, Expr::Place(place), b),
            _ => Expr::two(operator, a, b),
        }
    }

    fn truth_leaf(&mut self, depth: usize) -> Expr {
        if !self.scope.locks.is_empty() && self.source.chance(10) {
            let locks = self.scope.locks.clone();
            return Expr::name(self.source.pick(&locks));
        }
        let place = if self.source.chance(40) { self.place(Type::Bool) } else { None };
        place.map_or_else(|| self.comparison(depth), Expr::Place)
    }

    /// A truth value, of so many levels of connectives.
    pub(super) fn truth(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            return self.truth_leaf(0);
        }
        let deep = depth - 1;
        match self.source.below(10) {
            0..=4 => self.truth_leaf(1),
            5 => Expr::Not(Box::new(self.truth(deep))),
            6 => Expr::two(Binary::And, self.truth(deep), self.truth(deep)),
            7 => Expr::two(Binary::Or, self.truth(deep), self.truth(deep)),
            _ => {
                let operator = self.source.pick(&[Binary::Eq, Binary::Ne]);
                let (a, b) = (self.truth(deep), self.truth(deep));
                if a == b { a } else { Expr::two(operator, a, b) }
            }
        }
    }

    /// A condition.
    pub(super) fn condition(&mut self, depth: usize) -> Expr {
        match self.source.below(20) {
            0 | 1 => Expr::Any,
            2..=4 => self.compare_and_swap(),
            5 if depth > 0 => Expr::Not(Box::new(self.condition(depth - 1))),
            6 | 7 if depth > 0 => {
                let operator = self.source.pick(&[Binary::And, Binary::Or]);
                Expr::two(operator, self.condition(depth - 1), self.condition(depth - 1))
            }
            _ => self.truth(depth),
        }
    }

    fn compare_and_swap(&mut self) -> Expr {
        let kind = self.source.pick(&[Type::Int, Type::Int, Type::Bool]);
        let Some(place) = self.place(kind) else { return Expr::Any };
        let (old, new) = match kind {
            Type::Int => (self.int(0), self.int(1)),
            _ => (self.truth(0), self.truth(0)),
        };
        Expr::Cas(place, Box::new(old), Box::new(new))
    }

    /// What is asserted: now and then a number of threads.
    pub(super) fn assertion(&mut self) -> Expr {
        let counted = self.scope.counted.clone();
        if counted.is_empty() || self.source.chance(50) {
            return self.truth(1);
        }
        let mut labels: Vec<Expr> = counted.iter().map(|label| Expr::name(label)).collect();
        if self.source.chance(50) {
            labels.truncate(1);
        }
        let count = Expr::Call("count".to_owned(), labels);
        let operator = self.source.pick(&[Binary::Le, Binary::Lt, Binary::Ne, Binary::Ge]);
        let bound = self.int(0);
        let e = Expr::two(operator, count, bound);
        if self.source.chance(30) { Expr::two(Binary::Or, e, self.truth(0)) } else { e }
    }
}

/// Whether a variable is named.
fn names(e: &Expr) -> bool {
    match e {
        Expr::Int(_) | Expr::Bool(_) | Expr::Any => false,
        Expr::Place(_) | Expr::Cas(..) | Expr::Call(..) => true,
        Expr::Neg(e) | Expr::Not(e) => names(e),
        Expr::Binary(_, a, b) => names(a) || names(b),
    }
}
