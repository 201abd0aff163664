//! Questions about the syntax tree that need no types: effects, writes, labels, operators.

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Expression, Label, Statement,
    UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::BTreeSet;
use threadproof_format::Cmp;

/// Whether an expression writes anything, or lets others do so.
pub(crate) fn has_effects(e: &Node<Expression>) -> bool {
    struct Effects(bool);
    impl<'ast> Visit<'ast> for Effects {
        fn visit_unary_operator(
            &mut self,
            operator: &'ast UnaryOperator,
            _: &'ast lang_c::span::Span,
        ) {
            use UnaryOperator as U;
            let changes = [U::PostIncrement, U::PostDecrement, U::PreIncrement, U::PreDecrement];
            self.0 |= changes.contains(operator);
        }
        fn visit_binary_operator(
            &mut self,
            operator: &'ast BinaryOperator,
            _: &'ast lang_c::span::Span,
        ) {
            self.0 |= assigns(operator);
        }
        fn visit_call_expression(
            &mut self,
            _: &'ast lang_c::ast::CallExpression,
            _: &'ast lang_c::span::Span,
        ) {
            self.0 = true;
        }
        fn visit_statement(&mut self, _: &'ast Statement, _: &'ast lang_c::span::Span) {
            self.0 = true;
        }
    }
    let mut effects = Effects(false);
    effects.visit_expression(&e.node, &e.span);
    effects.0
}

/// Whether an operator writes its left operand.
pub(crate) fn assigns(operator: &BinaryOperator) -> bool {
    *operator == BinaryOperator::Assign || compound(operator).is_some()
}

/// The operator of a compound assignment.
pub(crate) fn compound(operator: &BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match operator {
        B::AssignMultiply => B::Multiply,
        B::AssignDivide => B::Divide,
        B::AssignModulo => B::Modulo,
        B::AssignPlus => B::Plus,
        B::AssignMinus => B::Minus,
        B::AssignShiftLeft => B::ShiftLeft,
        B::AssignShiftRight => B::ShiftRight,
        B::AssignBitwiseAnd => B::BitwiseAnd,
        B::AssignBitwiseXor => B::BitwiseXor,
        B::AssignBitwiseOr => B::BitwiseOr,
        _ => return None,
    })
}

/// Names of variables that a statement writes or takes the address of.
pub(crate) fn changed(s: &Node<Statement>) -> BTreeSet<String> {
    struct Changed(BTreeSet<String>);
    impl Changed {
        fn add(&mut self, e: &Node<Expression>) {
            if let Expression::Identifier(name) = &e.node {
                self.0.insert(name.node.name.clone());
            }
        }
    }
    impl<'ast> Visit<'ast> for Changed {
        fn visit_unary_operator_expression(
            &mut self,
            u: &'ast UnaryOperatorExpression,
            span: &'ast Span,
        ) {
            use UnaryOperator as U;
            if !matches!(
                u.operator.node,
                U::Indirection | U::Plus | U::Minus | U::Complement | U::Negate
            ) {
                self.add(&u.operand);
            }
            visit::visit_unary_operator_expression(self, u, span);
        }
        fn visit_binary_operator_expression(
            &mut self,
            b: &'ast BinaryOperatorExpression,
            span: &'ast Span,
        ) {
            if assigns(&b.operator.node) {
                self.add(&b.lhs);
            }
            visit::visit_binary_operator_expression(self, b, span);
        }
    }
    let mut changed = Changed(BTreeSet::new());
    changed.visit_statement(&s.node, &s.span);
    changed.0
}

/// The comparison that an operator is.
pub(crate) fn comparison(operator: &BinaryOperator) -> Option<Cmp> {
    Some(match operator {
        BinaryOperator::Less => Cmp::Lt,
        BinaryOperator::Greater => Cmp::Gt,
        BinaryOperator::LessOrEqual => Cmp::Le,
        BinaryOperator::GreaterOrEqual => Cmp::Ge,
        BinaryOperator::Equals => Cmp::Eq,
        BinaryOperator::NotEquals => Cmp::Ne,
        _ => return None,
    })
}

/// The labels of a `switch`, not those of inner ones.
pub(crate) fn cases<'a>(s: &'a Node<Statement>, out: &mut Vec<&'a Node<Label>>) {
    match &s.node {
        Statement::Labeled(labeled) => {
            if !matches!(labeled.node.label.node, Label::Identifier(_)) {
                out.push(&labeled.node.label);
            }
            cases(&labeled.node.statement, out);
        }
        Statement::Compound(items) => {
            for item in items {
                if let BlockItem::Statement(s) = &item.node {
                    cases(s, out);
                }
            }
        }
        Statement::If(s) => {
            cases(&s.node.then_statement, out);
            if let Some(other) = &s.node.else_statement {
                cases(other, out);
            }
        }
        Statement::While(s) => cases(&s.node.statement, out),
        Statement::DoWhile(s) => cases(&s.node.statement, out),
        Statement::For(s) => cases(&s.node.statement, out),
        _ => {}
    }
}

/// Whether something can jump into a statement.
pub(crate) fn has_labels(s: &Node<Statement>) -> bool {
    struct Labels(bool);
    impl<'ast> Visit<'ast> for Labels {
        fn visit_label(&mut self, label: &'ast Label, _: &'ast Span) {
            self.0 |= matches!(label, Label::Identifier(_));
        }
    }
    let mut labels = Labels(false);
    labels.visit_statement(&s.node, &s.span);
    let mut own = Vec::new();
    cases(s, &mut own);
    labels.0 || !own.is_empty()
}

pub(crate) fn identifier(e: &Node<Expression>) -> Option<&str> {
    match &e.node {
        Expression::Identifier(name) => Some(&name.node.name),
        _ => None,
    }
}
