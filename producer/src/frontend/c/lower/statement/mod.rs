//! Statements: the thread's control flow.

mod unroll;

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::query::{cases, has_effects};
use crate::frontend::c::term::{between, compare, int, not};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Integer, Type};
use lang_c::ast::{
    BlockItem, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement, Label,
    LabeledStatement, Statement, SwitchStatement, WhileStatement,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::collections::HashMap;
use threadproof_format::{Cmp, Op};

/// The labels of a `switch`.
#[derive(Default)]
struct Cases {
    /// The location of each label's place.
    nodes: HashMap<usize, usize>,
    /// The location of `default`.
    other: Option<usize>,
    /// When each `case` is taken, and its location.
    formulas: Vec<(Vec<Op>, usize)>,
}

impl<'a> Lowering<'a> {
    /// A statement. Temporary variables are free again behind it.
    pub(crate) fn statement(&mut self, s: &'a Node<Statement>) -> Lower<()> {
        let (used, span) = (self.steps.in_use(), self.steps.locate(s.span));
        let done = self.statement_here(s);
        self.steps.release(used);
        self.steps.locate(span);
        done
    }

    fn statement_here(&mut self, s: &'a Node<Statement>) -> Lower<()> {
        let at = s.span.start;
        match &s.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::Compound(items) => {
                self.unit.open();
                items.iter().try_for_each(|item| self.item(&item.node))?;
                self.unit.close();
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(e)) => self.effect(e),
            Statement::If(s) => self.if_else(&s.node),
            Statement::While(s) => self.while_loop(&s.node),
            Statement::DoWhile(s) => self.do_while(&s.node),
            Statement::For(s) => self.for_loop(&s.node),
            Statement::Switch(s) => self.switch(&s.node),
            Statement::Goto(label) => {
                let node = self.label(&label.node.name);
                self.leave_for(node)
            }
            Statement::Break | Statement::Continue => {
                let list = match s.node {
                    Statement::Break => &self.inlined.frame.breaks,
                    _ => &self.inlined.frame.continues,
                };
                let target = list.last().copied();
                self.leave_for(target.ok_or_else(|| Fault::wrong(at, "this jump leads nowhere"))?)
            }
            Statement::Return(value) => self.returned(value.as_deref(), at),
            Statement::Asm(_) => Err(Fault::unsupported(at, "assembly")),
        }
    }

    /// A jump, behind which nothing follows.
    fn leave_for(&mut self, target: usize) -> Lower<()> {
        self.steps.jump(target)?;
        self.steps.nowhere();
        Ok(())
    }

    fn if_else(&mut self, s: &'a IfStatement) -> Lower<()> {
        let [yes, no, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        self.steps.locate(s.condition.span);
        self.branch(&s.condition, yes, no)?;
        self.steps.resume(yes);
        self.statement(&s.then_statement)?;
        self.steps.jump(end)?;
        self.steps.resume(no);
        if let Some(other) = &s.else_statement {
            self.statement(other)?;
        }
        self.steps.jump(end)?;
        self.steps.resume(end);
        Ok(())
    }

    fn while_loop(&mut self, s: &'a WhileStatement) -> Lower<()> {
        let [head, body, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        self.steps.jump(head)?;
        self.steps.resume(head);
        self.steps.locate(s.expression.span);
        self.branch(&s.expression, body, end)?;
        self.body(body, end, head, &s.statement)?;
        self.steps.jump(head)?;
        self.steps.resume(end);
        Ok(())
    }

    fn do_while(&mut self, s: &'a DoWhileStatement) -> Lower<()> {
        let [body, test, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        self.steps.jump(body)?;
        self.body(body, end, test, &s.statement)?;
        self.steps.jump(test)?;
        self.steps.resume(test);
        self.steps.locate(s.expression.span);
        self.branch(&s.expression, body, end)?;
        self.steps.resume(end);
        Ok(())
    }

    fn item(&mut self, item: &'a BlockItem) -> Lower<()> {
        match item {
            BlockItem::Statement(s) => self.statement(s),
            BlockItem::Declaration(d) => {
                let (used, span) = (self.steps.in_use(), self.steps.locate(d.span));
                self.declaration(d, false)?;
                self.steps.release(used);
                self.steps.locate(span);
                Ok(())
            }
            BlockItem::StaticAssert(s) => self.static_assertion(s),
        }
    }

    /// The body of a loop.
    pub(crate) fn body(
        &mut self,
        start: usize,
        end: usize,
        next: usize,
        body: &'a Node<Statement>,
    ) -> Lower<()> {
        self.inlined.frame.breaks.push(end);
        self.inlined.frame.continues.push(next);
        self.steps.resume(start);
        self.statement(body)?;
        self.inlined.frame.breaks.pop();
        self.inlined.frame.continues.pop();
        Ok(())
    }

    fn for_loop(&mut self, s: &'a ForStatement) -> Lower<()> {
        self.unit.open();
        match &s.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::StaticAssert(s) => self.static_assertion(s)?,
            ForInitializer::Expression(e) => {
                self.steps.locate(e.span);
                self.effect(e)?;
            }
            ForInitializer::Declaration(d) => {
                self.steps.locate(d.span);
                self.declaration(d, false)?;
            }
        }
        let [head, body, next, end] =
            [self.steps.node(), self.steps.node(), self.steps.node(), self.steps.node()];
        if let Some(iterations) = self.iterations(s)?
            && self.unrolled(iterations, &s.statement, end)?
        {
            self.steps.resume(end);
            self.unit.close();
            return Ok(());
        }
        self.steps.jump(head)?;
        self.steps.resume(head);
        match &s.condition {
            Some(condition) => {
                self.steps.locate(condition.span);
                self.branch(condition, body, end)?;
            }
            None => self.steps.jump(body)?,
        }
        self.body(body, end, next, &s.statement)?;
        self.steps.jump(next)?;
        self.steps.resume(next);
        if let Some(step) = &s.step {
            self.steps.locate(step.span);
            self.effect(step)?;
        }
        self.steps.jump(head)?;
        self.steps.resume(end);
        self.unit.close();
        Ok(())
    }

    /// The node of a label in the current function.
    fn label(&mut self, name: &str) -> usize {
        if let Some(node) = self.inlined.frame.labels.get(name) {
            return *node;
        }
        let node = self.steps.node();
        self.inlined.frame.labels.insert(name.to_owned(), node);
        node
    }

    fn labeled(&mut self, labeled: &'a LabeledStatement) -> Lower<()> {
        let at = labeled.label.span.start;
        let node = match &labeled.label.node {
            Label::Identifier(name) => {
                let node = self.label(&name.node.name);
                if !self.inlined.frame.placed.insert(name.node.name.clone()) {
                    let message = format!("the label `{}` stands twice", name.node.name);
                    return Err(Fault::wrong(at, message));
                }
                node
            }
            Label::Case(_) | Label::CaseRange(_) | Label::Default => {
                let Some(node) = self.inlined.frame.cases.last().and_then(|cases| cases.get(&at))
                else {
                    return Err(Fault::unsupported(at, "a `case` at this place"));
                };
                *node
            }
        };
        self.steps.jump(node)?;
        self.steps.resume(node);
        self.statement(&labeled.statement)
    }

    fn switch(&mut self, s: &'a SwitchStatement) -> Lower<()> {
        let at = s.expression.span.start;
        self.steps.locate(s.expression.span);
        let value = self.value(&s.expression)?;
        let of = value.integer(at)?.promoted();
        let value = self.steps.fit(value, of)?;
        let Cases { nodes, other, formulas } = self.cases(&value, of, &s.statement)?;
        let end = self.steps.node();
        let mut none = Command::default();
        let mut possible = true;
        for (formula, node) in formulas {
            if formula != [Op::Bool(false)] {
                self.steps.edge(node, Command::default().when(formula.clone()), false)?;
            }
            let outside = not(&formula);
            possible &= outside != [Op::Bool(false)];
            none = none.when(outside);
        }
        if possible {
            self.steps.edge(other.unwrap_or(end), none, false)?;
        }
        self.steps.nowhere();
        self.inlined.frame.breaks.push(end);
        self.inlined.frame.cases.push(nodes);
        self.statement(&s.statement)?;
        self.inlined.frame.cases.pop();
        self.inlined.frame.breaks.pop();
        self.steps.jump(end)?;
        self.steps.resume(end);
        Ok(())
    }

    /// The labels of a `switch` on a value.
    fn cases(&mut self, value: &Value, of: Integer, s: &'a Node<Statement>) -> Lower<Cases> {
        let mut labels = Vec::new();
        cases(s, &mut labels);
        let mut out = Cases::default();
        for label in labels {
            let node = self.steps.node();
            out.nodes.insert(label.span.start, node);
            let (low, high) = match &label.node {
                Label::Case(e) => {
                    let bound = self.case(e, of)?;
                    (bound.clone(), bound)
                }
                Label::CaseRange(range) => {
                    (self.case(&range.node.low, of)?, self.case(&range.node.high, of)?)
                }
                _ => {
                    out.other = Some(node);
                    continue;
                }
            };
            let formula = match low == high {
                true => compare(Cmp::Eq, &value.term, &int(low)),
                false => between(&low, &value.term, &high),
            };
            out.formulas.push((formula, node));
        }
        Ok(out)
    }

    fn case(&mut self, e: &'a Node<Expression>, of: Integer) -> Lower<BigInt> {
        let number = self.constant(e)?;
        let value = Value::constant(number, Type::int());
        let value = self.steps.fit(value, of)?;
        Ok(value.as_constant().cloned().unwrap_or_default())
    }

    fn returned(&mut self, value: Option<&'a Node<Expression>>, at: usize) -> Lower<()> {
        let structure = self.inlined.frame.structure;
        match (value, self.inlined.frame.result.clone()) {
            (None, _) => {}
            (Some(e), None) if structure.is_some() => {
                let value = self.value(e)?;
                let place = structure.map(|object| self.object_place(object, at));
                if let Some(place) = place {
                    let value = self.convert(value, &place.ty, at)?;
                    self.write(&place, &value)?;
                }
            }
            (Some(e), None) => self.effect(e)?,
            (Some(e), Some((target, ty))) => {
                if !ty.is_scalar() && has_effects(e) {
                    return Err(Fault::unsupported(at, "a result of this type"));
                }
                let value = self.value_for(e, &ty)?;
                let value = self.convert(value, &ty, at)?;
                self.expose(&value, at, false)?;
                let command = Command::default().set(target, value.term);
                self.steps.step(vec![command], false)?;
            }
        }
        let end = self.inlined.frame.end;
        self.steps.jump(end)?;
        self.steps.nowhere();
        Ok(())
    }
}
