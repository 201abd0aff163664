//! Random statements. Nothing stands behind a jump, so that every statement can run.

use super::super::ast::{Binary, Expr, Place, Stmt, Type};
use super::{Signature, Writer};

/// Levels of statements inside each other.
const DEPTH: usize = 2;

impl Writer<'_, '_> {
    /// The statements of a body, with this label in it.
    pub(super) fn body(&mut self, statements: usize, label: Option<String>) -> Vec<Stmt> {
        if let Some(label) = &label {
            self.scope.labels.push(label.clone());
        }
        let mut code = self.statements(statements, DEPTH);
        if let Some(label) = label {
            // Not before the first statement, where threads are not counted.
            let step = self.assign_int();
            let at = 1 + self.source.below(code.len());
            code.insert(at, Stmt::Label(label.clone(), Box::new(step)));
            if !self.scope.straight && self.source.chance(50) {
                let jump = Stmt::If(self.condition(1), Box::new(Stmt::Goto(label)), None);
                let at = 1 + self.source.below(code.len());
                code.insert(at, jump);
            }
        }
        if let Some(Some(kind)) = self.scope.result {
            code.push(Stmt::Return(Some(self.returned(kind))));
        }
        code
    }

    /// Statements, now and then with a lock held around some.
    fn statements(&mut self, number: usize, depth: usize) -> Vec<Stmt> {
        let mut code: Vec<Stmt> = (0..number).map(|_| self.statement(depth)).collect();
        let locks = self.scope.locks.clone();
        if !locks.is_empty() && self.source.chance(30) {
            let lock = self.source.pick(&locks).to_owned();
            let from = self.source.below(number);
            let to = from + 1 + self.source.below(number - from);
            code.insert(to, Stmt::Unlock(lock.clone()));
            code.insert(from, Stmt::Lock(lock));
        }
        code
    }

    fn statement(&mut self, depth: usize) -> Stmt {
        match self.source.below(100) {
            0..20 => self.assign_int(),
            20..30 => self.assign_truth(),
            30..36 => self.havoc(),
            36..42 => {
                let condition = self.condition(1);
                Stmt::Assume(self.weaker(condition))
            }
            42..50 => {
                let assertion = self.assertion();
                Stmt::Assert(self.weaker(assertion))
            }
            50..54 => self.locking(),
            54..73 if depth > 0 => self.branch(depth - 1),
            73..81 if depth > 0 && !self.scope.in_atomic && !self.scope.straight => {
                self.repeat(depth - 1)
            }
            81..90 if depth > 0 => self.atomic(depth - 1),
            90..96 => self.call(),
            96 if depth > 0 => Stmt::Block(self.statements(2, depth - 1)),
            97 => Stmt::Empty,
            _ => self.assign_int(),
        }
    }

    fn assign_int(&mut self) -> Stmt {
        let place = self.place(Type::Int).expect("there are integers");
        // Mostly what keeps values small.
        let value = match self.source.below(4) {
            0 => Expr::two(Binary::Add, Expr::Place(place.clone()), Expr::Int(1)),
            1 => self.int(0),
            _ => self.int(2),
        };
        let same = value == Expr::Place(place.clone());
        Stmt::Assign(place, if same { Expr::Int(1) } else { value })
    }

    fn assign_truth(&mut self) -> Stmt {
        let Some(place) = self.place(Type::Bool) else { return self.assign_int() };
        let value = match self.source.below(4) {
            0 => Expr::Bool(self.source.chance(50)),
            1 if place.index.is_none() => self.condition(2),
            _ => self.truth(1),
        };
        Stmt::Assign(place, value)
    }

    /// Often with an alternative, so that not all threads stop here.
    pub(super) fn weaker(&mut self, e: Expr) -> Expr {
        if self.source.chance(60) { Expr::two(Binary::Or, e, self.truth(1)) } else { e }
    }

    fn havoc(&mut self) -> Stmt {
        let arrays = [&self.scope.int_arrays[..], &self.scope.bool_arrays].concat();
        if !arrays.is_empty() && self.source.chance(15) {
            let name = self.source.pick(&arrays).to_owned();
            return Stmt::Havoc(Place { name, index: None });
        }
        let kind = self.source.pick(&[Type::Int, Type::Bool]);
        self.place(kind).map_or_else(|| self.assign_int(), Stmt::Havoc)
    }

    fn locking(&mut self) -> Stmt {
        let locks = self.scope.locks.clone();
        if locks.is_empty() {
            return self.assign_int();
        }
        let lock = self.source.pick(&locks).to_owned();
        if self.source.chance(60) { Stmt::Lock(lock) } else { Stmt::Unlock(lock) }
    }

    /// One statement, or several in braces. A jump can be the last one.
    fn inner(&mut self, depth: usize, jumps: bool) -> Box<Stmt> {
        let jump = if jumps && self.source.chance(30) { self.jump() } else { None };
        if self.source.chance(30) {
            return Box::new(jump.unwrap_or_else(|| match self.statement(0) {
                Stmt::Empty => self.assign_int(),
                s => s,
            }));
        }
        let number = 1 + self.source.below(2);
        let mut code = self.statements(number, depth);
        code.extend(jump);
        Box::new(Stmt::Block(code))
    }

    fn jump(&mut self) -> Option<Stmt> {
        let mut choices = Vec::new();
        if self.scope.in_loop {
            choices.extend([Stmt::Break, Stmt::Continue]);
        }
        choices.push(match self.scope.result {
            Some(Some(kind)) => Stmt::Return(Some(self.returned(kind))),
            _ => Stmt::Return(None),
        });
        if !self.scope.in_atomic && !self.scope.straight {
            choices.extend(self.scope.labels.iter().map(|label| Stmt::Goto(label.clone())));
        }
        let chosen = self.source.below(choices.len());
        Some(choices.swap_remove(chosen))
    }

    fn returned(&mut self, kind: Type) -> Expr {
        if kind == Type::Int { self.int(1) } else { self.condition(1) }
    }

    fn branch(&mut self, depth: usize) -> Stmt {
        let condition = self.condition(2);
        if self.source.chance(10) {
            // The `else` belongs to the nearest `if`.
            let then = Box::new(self.statement(0));
            let inner = Stmt::If(self.condition(1), then, Some(Box::new(self.statement(0))));
            return Stmt::If(condition, Box::new(inner), None);
        }
        let then = self.inner(depth, true);
        let other = self.source.chance(40).then(|| self.inner(depth, false));
        Stmt::If(condition, then, other)
    }

    fn repeat(&mut self, depth: usize) -> Stmt {
        let outer = std::mem::replace(&mut self.scope.in_loop, true);
        let forever = self.source.chance(25);
        let body = if forever {
            let leave = Stmt::If(self.condition(1), Box::new(Stmt::Break), None);
            let mut code = self.statements(1, depth);
            let at = self.source.below(2);
            code.insert(at, leave);
            Box::new(Stmt::Block(code))
        } else {
            self.inner(depth, false)
        };
        self.scope.in_loop = outer;
        let condition = if forever { Expr::Bool(true) } else { self.condition(2) };
        Stmt::While(condition, body)
    }

    fn atomic(&mut self, depth: usize) -> Stmt {
        let outer = std::mem::replace(&mut self.scope.in_atomic, true);
        let number = 1 + self.source.below(3);
        let code = self.statements(number, depth);
        self.scope.in_atomic = outer;
        Stmt::Atomic(code)
    }

    fn call(&mut self) -> Stmt {
        let only_straight = self.scope.in_atomic || self.scope.straight;
        let callable: Vec<Signature> =
            self.procedures.iter().filter(|p| p.straight || !only_straight).cloned().collect();
        if callable.is_empty() {
            return self.assign_int();
        }
        let procedure = callable[self.source.below(callable.len())].clone();
        let result = procedure.result.filter(|_| self.source.chance(75));
        let place = result.and_then(|kind| self.place(kind)).filter(|p| p.index.is_none());
        self.call_of(&procedure, place)
    }

    /// A call whose result goes to a place, or nowhere.
    pub(super) fn call_of(&mut self, procedure: &Signature, place: Option<Place>) -> Stmt {
        let arguments = procedure
            .params
            .iter()
            .map(|kind| if *kind == Type::Int { self.int(1) } else { self.truth(1) })
            .collect();
        match place {
            Some(place) => Stmt::Assign(place, Expr::Call(procedure.name.to_owned(), arguments)),
            None => Stmt::Call(procedure.name.to_owned(), arguments),
        }
    }
}
