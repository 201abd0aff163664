//! Unrolling of loops that create or join a few threads, a known number of times: each iteration
//! is a copy of the body, in which the variable that counts them is a constant. So each thread is
//! a single one, with an identity of its own.

use crate::frontend::c::error::Lower;
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::object::Storage;
use crate::frontend::c::syntax::counted::{called, first, step};
use crate::frontend::c::syntax::query::{changed, comparison, has_labels, identifier};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Integer, Type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{BinaryOperator, Expression, ForStatement, Statement};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Iterations of a loop that is unrolled.
const MAX_ITERATIONS: usize = 16;

/// The variable that counts a loop's iterations, and its values, the last of which ends the loop.
pub(crate) struct Iterations<'a> {
    name: &'a str,
    values: Vec<BigInt>,
}

impl<'a> Lowering<'a> {
    /// The iterations of a loop that is unrolled.
    pub(crate) fn iterations(&mut self, s: &'a ForStatement) -> Lower<Option<Iterations<'a>>> {
        if !self.facts.known.numbered
            || !self.about_threads(&s.statement)
            || has_labels(&s.statement)
        {
            return Ok(None);
        }
        let (Some((name, first)), Some(condition), Some((stepped, by, sign))) =
            (first(&s.initializer.node), &s.condition, s.step.as_deref().and_then(step))
        else {
            return Ok(None);
        };
        let Expression::BinaryOperator(test) = &condition.node else { return Ok(None) };
        let Some(cmp) = comparison(&test.node.operator.node) else { return Ok(None) };
        let counts = identifier(&test.node.lhs) == Some(name) && stepped == name;
        if !counts || changed(&s.statement).contains(name) {
            return Ok(None);
        }
        let numbers = [first, &test.node.rhs].into_iter().chain(by);
        if !numbers.into_iter().all(|e| self.is_constant(e)) {
            return Ok(None);
        }
        let (start, bound) = (self.constant(first)?, self.constant(&test.node.rhs)?);
        let by = by.map_or(Ok(BigInt::from(1)), |by| self.constant(by))? * sign;
        // Whatever the types are, conversions leave such numbers as they are.
        let plain = |value: &BigInt| *value >= 0.into() && *value <= Integer::INT.high();
        let mut values = vec![start];
        while let Some(last) = values.last().filter(|last| cmp.holds(*last, &bound)) {
            let next = last + &by;
            values.push(next);
            if values.len() > MAX_ITERATIONS + 1 {
                return Ok(None);
            }
        }
        let all = values.iter().chain([&bound]).all(plain) && plain(&(by * sign));
        Ok(all.then_some(Iterations { name, values }))
    }

    /// The iterations of a loop one behind the other, where it has begun.
    pub(crate) fn unrolled(
        &mut self,
        iterations: Iterations<'a>,
        body: &'a Node<Statement>,
        end: usize,
    ) -> Lower<bool> {
        let Some((object, ty)) = self.counter(iterations.name, &iterations.values) else {
            return Ok(false);
        };
        let at = body.span.start;
        let last = iterations.values.len() - 1;
        for (i, value) in iterations.values.into_iter().enumerate() {
            let value = Value::constant(value, ty.clone());
            self.write_cell(object, 0, ty.clone(), &value, at)?;
            if i == last {
                break;
            }
            let bound = self.memory.bound(iterations.name, value, at);
            self.unit.open();
            self.unit.declare(iterations.name.to_owned(), Entity::Object(bound));
            self.steps.path.begin_iteration(at, i);
            let next = self.steps.node();
            self.body(self.steps.here(), end, next, body)?;
            self.steps.jump(next)?;
            self.steps.path.end_iteration();
            self.unit.close();
            self.steps.resume(next);
        }
        self.steps.jump(end)?;
        Ok(true)
    }

    /// The object of a variable that only what it is called by can change, and that holds these
    /// values.
    fn counter(&self, name: &str, values: &[BigInt]) -> Option<(usize, Type)> {
        let Some(Entity::Object(number)) = self.unit.lookup(name) else { return None };
        let object = self.memory.object(*number);
        let Type::Int(of) = &object.ty else { return None };
        let fits = values.iter().all(|v| *v >= of.low() && *v <= of.high());
        let own = !object.shared && !self.facts.known.exposed.contains(&object.at);
        let variable = matches!(object.storage, Storage::Cells(_));
        (fits && own && variable).then(|| (*number, object.ty.clone()))
    }

    /// Whether an expression is made of constants.
    fn is_constant(&self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => true,
            Expression::Identifier(name) => {
                matches!(self.unit.lookup(&name.node.name), Some(Entity::Constant(_)))
            }
            Expression::Cast(cast) => self.is_constant(&cast.node.expression),
            Expression::BinaryOperator(b) => {
                use BinaryOperator as B;
                let known = [B::Plus, B::Minus, B::Multiply, B::Divide];
                known.contains(&b.node.operator.node)
                    && self.is_constant(&b.node.lhs)
                    && self.is_constant(&b.node.rhs)
            }
            _ => false,
        }
    }

    /// Whether a statement creates or joins threads, also in functions that it calls.
    fn about_threads(&self, s: &'a Node<Statement>) -> bool {
        let mut todo: Vec<&str> = called(s).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = todo.pop() {
            if matches!(name, "pthread_create" | "pthread_join") {
                return true;
            }
            if let Some(function) = self.unit.function(name).filter(|_| seen.insert(name)) {
                todo.extend(called(&function.statement));
            }
        }
        false
    }
}
