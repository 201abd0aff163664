//! Loops that create or join a few threads, a known number of times: each round is a copy of the body, in which the variable that
//! counts the rounds is a constant. So each thread is a single one, with an identity of its own.

use super::call::changed;
use super::condition::comparison;
use super::fault::Lower;
use super::lower::{Entity, Lowering, Scope, Storage, Value};
use super::types::{Integer, Type};
use lang_c::ast::{
    BinaryOperator, CallExpression, DeclaratorKind, Expression, ForInitializer, ForStatement,
    Initializer, Label, Statement, UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// Rounds of a loop that is unrolled.
const MAX_ROUNDS: usize = 16;

/// The variable that counts a loop's rounds, and its values, the last of which ends the loop.
pub(super) struct Rounds<'a> {
    name: &'a str,
    values: Vec<BigInt>,
}

impl<'a> Lowering<'a> {
    /// The rounds of a loop that is unrolled.
    pub(super) fn rounds(&mut self, s: &'a ForStatement) -> Lower<Option<Rounds<'a>>> {
        if !self.known.numbered || !self.about_threads(&s.statement) || has_labels(&s.statement) {
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
            if values.len() > MAX_ROUNDS + 1 {
                return Ok(None);
            }
        }
        let all = values.iter().chain([&bound]).all(plain) && plain(&(by * sign));
        Ok(all.then_some(Rounds { name, values }))
    }

    /// The rounds of a loop one behind the other, where it has begun.
    pub(super) fn unrolled(
        &mut self,
        rounds: Rounds<'a>,
        body: &'a Node<Statement>,
        end: usize,
    ) -> Lower<bool> {
        let Some((object, ty)) = self.counter(rounds.name, &rounds.values) else {
            return Ok(false);
        };
        let at = body.span.start;
        let last = rounds.values.len() - 1;
        for (i, value) in rounds.values.into_iter().enumerate() {
            let value = Value::constant(value, ty.clone());
            self.write_cell(object, 0, ty.clone(), &value, at)?;
            if i == last {
                break;
            }
            let bound = self.bound(rounds.name, value, at);
            let mut scope = Scope::default();
            scope.names.insert(rounds.name.to_owned(), Entity::Object(bound));
            self.scopes.push(scope);
            self.t.rounds.push([at, i]);
            let next = self.node();
            self.body(self.t.current, end, next, body)?;
            self.jump(next)?;
            self.t.rounds.pop();
            self.scopes.pop();
            self.t.current = next;
        }
        self.jump(end)?;
        Ok(true)
    }

    /// The object of a variable that only what it is called by can change, and that holds these values.
    fn counter(&self, name: &str, values: &[BigInt]) -> Option<(usize, Type)> {
        let Some(Entity::Object(number)) = self.lookup(name) else { return None };
        let object = &self.objects[*number];
        let Type::Int(of) = &object.ty else { return None };
        let fits = values.iter().all(|v| *v >= of.low() && *v <= of.high());
        let own = !object.shared && !self.known.exposed.contains(&object.at);
        let variable = matches!(object.storage, Storage::Cells(_));
        (fits && own && variable).then(|| (*number, object.ty.clone()))
    }

    /// Whether an expression is made of constants.
    fn is_constant(&self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => true,
            Expression::Identifier(name) => {
                matches!(self.lookup(&name.node.name), Some(Entity::Constant(_)))
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
        let mut calls = Calls(BTreeSet::new());
        calls.visit_statement(&s.node, &s.span);
        let mut todo: Vec<&str> = calls.0.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = todo.pop() {
            if matches!(name, "pthread_create" | "pthread_join") {
                return true;
            }
            if let Some(function) = self.functions.get(name).filter(|_| seen.insert(name)) {
                let mut calls = Calls(BTreeSet::new());
                calls.visit_statement(&function.statement.node, &function.statement.span);
                todo.extend(calls.0);
            }
        }
        false
    }
}

/// Names of functions that are called.
struct Calls<'a>(BTreeSet<&'a str>);

impl<'a> Visit<'a> for Calls<'a> {
    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Span) {
        self.0.extend(identifier(&call.callee));
        visit::visit_call_expression(self, call, span);
    }
}

/// Whether something can jump into a statement.
fn has_labels(s: &Node<Statement>) -> bool {
    struct Labels(bool);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_label(&mut self, label: &'ast Label, _: &'ast Span) {
            self.0 |= matches!(label, Label::Identifier(_));
        }
    }
    let mut labels = Labels(false);
    labels.visit_statement(&s.node, &s.span);
    let mut cases = Vec::new();
    super::statement::cases(s, &mut cases);
    labels.0 || !cases.is_empty()
}

fn identifier(e: &Node<Expression>) -> Option<&str> {
    match &e.node {
        Expression::Identifier(name) => Some(&name.node.name),
        _ => None,
    }
}

/// The variable that a loop begins with, and its first value.
fn first(initializer: &ForInitializer) -> Option<(&str, &Node<Expression>)> {
    match initializer {
        ForInitializer::Expression(e) => match &e.node {
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Assign => {
                Some((identifier(&b.node.lhs)?, &b.node.rhs))
            }
            _ => None,
        },
        ForInitializer::Declaration(d) => {
            let [declared] = d.node.declarators.as_slice() else { return None };
            let DeclaratorKind::Identifier(name) = &declared.node.declarator.node.kind.node else {
                return None;
            };
            match &declared.node.initializer.as_ref()?.node {
                Initializer::Expression(e) => Some((&name.node.name, e)),
                Initializer::List(_) => None,
            }
        }
        _ => None,
    }
}

/// What a loop's step is about, what it adds or subtracts, if that is not one, and the sign.
fn step(e: &Node<Expression>) -> Option<(&str, Option<&Node<Expression>>, i8)> {
    use BinaryOperator as B;
    use UnaryOperator as U;
    match &e.node {
        Expression::UnaryOperator(u) => {
            let sign = match u.node.operator.node {
                U::PostIncrement | U::PreIncrement => 1,
                U::PostDecrement | U::PreDecrement => -1,
                _ => return None,
            };
            Some((identifier(&u.node.operand)?, None, sign))
        }
        Expression::BinaryOperator(b) => {
            let sign = match b.node.operator.node {
                B::AssignPlus => 1,
                B::AssignMinus => -1,
                _ => return None,
            };
            Some((identifier(&b.node.lhs)?, Some(&b.node.rhs), sign))
        }
        _ => None,
    }
}
