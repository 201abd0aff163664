//! Expressions, from left to right: each access to a shared variable is a step.

mod arithmetic;
mod condition;
mod typing;

use crate::frontend::c::check::Check;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::place::{Change, Place};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::query::{comparison, compound, has_effects};
use crate::frontend::c::term;
use crate::frontend::c::term::{compare, int};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::{Value, void};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, ConditionalExpression, Expression,
    Statement, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::Node;
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    /// The value of an expression.
    pub(crate) fn value(&mut self, e: &'a Node<Expression>) -> Lower<Value> {
        let at = e.span.start;
        match &e.node {
            Expression::Constant(constant) => self.unit.types.literal(&constant.node, at),
            Expression::Identifier(name) => match self.unit.lookup(&name.node.name) {
                Some(Entity::Constant(value)) => Ok(Value::constant(value.clone(), Type::int())),
                _ => self.load(e),
            },
            Expression::Member(_) => self.load(e),
            Expression::UnaryOperator(unary) => self.unary(e, &unary.node),
            Expression::BinaryOperator(binary) => self.operator(e, &binary.node),
            Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                if ty == Type::Void {
                    self.effect(&cast.node.expression)?;
                    return Ok(void());
                }
                let value = self.value_for(&cast.node.expression, &ty)?;
                self.convert(value, &ty, at)
            }
            Expression::Conditional(c) => self.conditional(&c.node, at),
            Expression::Comma(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(void()) };
                first.iter().try_for_each(|e| self.effect(e))?;
                self.value(last)
            }
            Expression::Call(call) => self.call(&call.node, at),
            Expression::SizeOfTy(of) => {
                let ty = self.type_name(&of.node.0)?;
                self.unit.types.size_of(&ty, at)
            }
            Expression::SizeOfVal(of) => {
                let ty = self.type_of(&of.node.0)?;
                self.unit.types.size_of(&ty, at)
            }
            Expression::Statement(statement) => self.block_value(statement),
            Expression::StringLiteral(text) => self.string(&text.node, at),
            _ => Err(Fault::unsupported(at, "such an expression")),
        }
    }

    fn load(&mut self, e: &'a Node<Expression>) -> Lower<Value> {
        let place = self.lvalue(e)?;
        self.read(&place)
    }

    /// Evaluates an expression whose value nobody needs.
    pub(crate) fn effect(&mut self, e: &'a Node<Expression>) -> Lower<()> {
        match &e.node {
            // What is read has no effect, but may take part in a race; what is wrong with it is
            // still said.
            Expression::Identifier(_) => {
                let place = self.lvalue(e)?;
                if self.checks.asked(Check::Race) && place.ty.is_scalar() {
                    self.read(&place)?;
                }
                Ok(())
            }
            Expression::Conditional(c) => {
                let [yes, no, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
                self.branch(&c.node.condition, yes, no)?;
                for (start, part) in [(yes, &c.node.then_expression), (no, &c.node.else_expression)]
                {
                    self.steps.resume(start);
                    self.effect(part)?;
                    self.steps.jump(end)?;
                }
                self.steps.resume(end);
                Ok(())
            }
            Expression::Comma(list) => list.iter().try_for_each(|e| self.effect(e)),
            Expression::Constant(_) => Ok(()),
            _ => self.value(e).map(|_| ()),
        }
    }

    /// A value that stays the same while another expression is evaluated.
    pub(crate) fn stable(&mut self, value: Value, next: &'a Node<Expression>) -> Lower<Value> {
        let known = value.as_constant().is_some() && !matches!(value.ty, Type::Struct(_));
        if known || !has_effects(next) {
            return Ok(value);
        }
        self.kept(value, next.span.start)
    }

    /// A value in a temporary variable.
    pub(crate) fn kept(&mut self, value: Value, at: usize) -> Lower<Value> {
        if let Type::Struct(_) = value.ty {
            return Err(Fault::unsupported(at, "a structure's value in front of further effects"));
        }
        self.expose(&value, at, false)?;
        self.steps.held(value)
    }

    fn unary(
        &mut self,
        e: &'a Node<Expression>,
        unary: &'a UnaryOperatorExpression,
    ) -> Lower<Value> {
        let at = e.span.start;
        let operand = &unary.operand;
        match unary.operator.node {
            UnaryOperator::PostIncrement => self.increment(operand, 1, true),
            UnaryOperator::PostDecrement => self.increment(operand, -1, true),
            UnaryOperator::PreIncrement => self.increment(operand, 1, false),
            UnaryOperator::PreDecrement => self.increment(operand, -1, false),
            UnaryOperator::Address => {
                let place = match &operand.node {
                    Expression::BinaryOperator(b)
                        if b.node.operator.node == BinaryOperator::Index =>
                    {
                        self.element(&b.node, 1, at)?
                    }
                    _ => self.lvalue(operand)?,
                };
                let address = self.address_of(&place)?;
                // The address of an array is one of its first element with another type.
                Ok(address)
            }
            UnaryOperator::Indirection => self.load(e),
            UnaryOperator::Plus => {
                let value = self.value(operand)?;
                let of = value.integer(at)?.promoted();
                self.steps.fit(value, of)
            }
            UnaryOperator::Minus | UnaryOperator::Complement => {
                let value = self.value(operand)?;
                self.negative(value, unary.operator.node == UnaryOperator::Complement, at)
            }
            UnaryOperator::Negate => self.decided(e),
        }
    }

    fn operator(
        &mut self,
        e: &'a Node<Expression>,
        node: &'a BinaryOperatorExpression,
    ) -> Lower<Value> {
        let at = e.span.start;
        let operator = &node.operator.node;
        if *operator == BinaryOperator::Assign {
            return self.assign(node, at);
        }
        if *operator == BinaryOperator::Index {
            return self.load(e);
        }
        if let Some(operator) = compound(operator) {
            let place = self.lvalue(&node.lhs)?;
            let place = self.settled(place, &node.rhs)?;
            if place.ty.is_atomic() {
                let value = self.value(&node.rhs)?;
                return self.modify(&place, &operator, value, false, at);
            }
            let old = self.read(&place)?;
            let old = self.stable(old, &node.rhs)?;
            let value = self.value(&node.rhs)?;
            let new = self.binary(&operator, old, value, at)?;
            return self.assigned(&place, new, at);
        }
        if comparison(operator).is_some()
            || matches!(operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
        {
            return self.decided(e);
        }
        let a = self.value(&node.lhs)?;
        let a = self.stable(a, &node.rhs)?;
        let b = self.value(&node.rhs)?;
        self.binary(operator, a, b, at)
    }

    fn assign(&mut self, node: &'a BinaryOperatorExpression, at: usize) -> Lower<Value> {
        // The value first, then the place: the claim says so.
        let value = match self.type_of(&node.lhs) {
            Ok(ty) => self.value_for(&node.rhs, &ty)?,
            Err(_) => self.value(&node.rhs)?,
        };
        let value = self.stable(value, &node.lhs)?;
        let place = self.lvalue(&node.lhs)?;
        self.assigned(&place, value, at)
    }

    /// Writes a value, converted to the place's type; gives it as it is then, whatever of its term
    /// is overwritten.
    fn assigned(&mut self, place: &Place, value: Value, at: usize) -> Lower<Value> {
        let value = self.convert(value, &place.ty, at)?;
        let kept = value.as_constant().is_some() || self.is_shared(place);
        let value = if kept { value } else { self.steps.held(value)? };
        self.write(place, &value)?;
        Ok(value)
    }

    /// `place++` and the like: atomic types in one step.
    fn increment(&mut self, operand: &'a Node<Expression>, by: i8, old: bool) -> Lower<Value> {
        let at = operand.span.start;
        let place = self.lvalue(operand)?;
        let one = Value::constant(1, Type::int());
        let operator = if by > 0 { BinaryOperator::Plus } else { BinaryOperator::Minus };
        if place.ty.is_atomic() {
            return self.modify(&place, &operator, one, old, at);
        }
        let mut before = self.read(&place)?;
        if old {
            before = self.kept(before, at)?;
        }
        let new = self.binary(&operator, before.clone(), one, at)?;
        let new = self.assigned(&place, new, at)?;
        Ok(if old { before } else { new })
    }

    /// Reads a place, applies an operator and writes it, as one atomic step.
    pub(crate) fn modify(
        &mut self,
        place: &Place,
        operator: &BinaryOperator,
        value: Value,
        old: bool,
        at: usize,
    ) -> Lower<Value> {
        self.steps.begin()?;
        let before = self.read(place)?;
        let before = self.kept(before, at)?;
        let new = self.binary(operator, before.clone(), value, at)?;
        let new = self.assigned(place, new, at)?;
        self.steps.finish(at)?;
        Ok(if old { before } else { new })
    }

    fn conditional(&mut self, c: &'a ConditionalExpression, at: usize) -> Lower<Value> {
        let [yes, no, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        let ty = self.conditional_type(c, at)?;
        self.branch(&c.condition, yes, no)?;
        let target = self.steps.temporary();
        for (start, part) in [(yes, &c.then_expression), (no, &c.else_expression)] {
            self.steps.resume(start);
            if ty == Type::Void {
                self.effect(part)?;
                self.steps.jump(end)?;
            } else {
                let value = self.value(part)?;
                let value = self.convert(value, &ty, part.span.start)?;
                self.expose(&value, part.span.start, false)?;
                self.steps.edge(end, Command::default().set(target.clone(), value.term), false)?;
            }
        }
        self.steps.resume(end);
        Ok(Value::new(vec![target], ty))
    }

    /// The value of a block in parentheses: that of its last expression.
    fn block_value(&mut self, statement: &'a Node<Statement>) -> Lower<Value> {
        let Statement::Compound(items) = &statement.node else {
            self.statement(statement)?;
            return Ok(void());
        };
        self.unit.open();
        let mut value = void();
        for (i, item) in items.iter().enumerate() {
            value = void();
            match &item.node {
                BlockItem::Statement(s) => match &s.node {
                    Statement::Expression(Some(e)) if i + 1 == items.len() => {
                        value = self.value(e)?
                    }
                    _ => self.statement(s)?,
                },
                BlockItem::Declaration(d) => self.declaration(d, false)?,
                BlockItem::StaticAssert(s) => self.static_assertion(s)?,
            }
        }
        self.unit.close();
        Ok(value)
    }

    /// Compare and exchange in one step: 1 if it was done. What is found goes to `found`.
    pub(crate) fn exchange_if(
        &mut self,
        place: &Place,
        expected: &Value,
        new: &Value,
        found: &Op,
    ) -> Lower<Value> {
        let done = self.steps.temporary();
        let (expected, new) = (expected.term.clone(), new.term.clone());
        let (out, kept) = (done.clone(), found.clone());
        self.update(place, false, &move |old| {
            let same = compare(Cmp::Eq, old, &expected);
            let other = term::not(&same);
            let set = |value: u8| vec![(out.clone(), int(value)), (kept.clone(), old.to_vec())];
            vec![
                Change { when: same, value: Some(new.clone()), set: set(1) },
                Change { when: other, value: None, set: set(0) },
            ]
        })?;
        Ok(Value::bit(done, Type::int()))
    }
}
