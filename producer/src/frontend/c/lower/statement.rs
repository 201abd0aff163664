//! Statements: the thread's control flow.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::term::{between, compare, int, not};
use crate::frontend::c::steps::value::Value;
use crate::frontend::c::syntax::query::{cases, has_effects};
use crate::frontend::c::types::{Integer, Type};
use crate::frontend::c::unit::Scope;
use lang_c::ast::{
    BlockItem, Expression, ForInitializer, ForStatement, Label, LabeledStatement, Statement,
    SwitchStatement,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use std::collections::HashMap;
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    /// A statement. Temporary variables are free again behind it.
    pub(crate) fn statement(&mut self, s: &'a Node<Statement>) -> Lower<()> {
        let (used, span) = (self.t.used, self.span);
        self.span = s.span;
        let done = self.statement_here(s);
        self.t.used = used;
        self.span = span;
        done
    }

    fn statement_here(&mut self, s: &'a Node<Statement>) -> Lower<()> {
        let at = s.span.start;
        match &s.node {
            Statement::Labeled(labeled) => self.labeled(&labeled.node),
            Statement::Compound(items) => {
                self.scopes.push(Scope::default());
                for item in items {
                    self.item(&item.node)?;
                }
                self.scopes.pop();
                Ok(())
            }
            Statement::Expression(None) => Ok(()),
            Statement::Expression(Some(e)) => self.effect(e),
            Statement::If(s) => {
                let [yes, no, end] = [self.node(), self.node(), self.node()];
                self.span = s.node.condition.span;
                self.branch(&s.node.condition, yes, no)?;
                self.t.current = yes;
                self.statement(&s.node.then_statement)?;
                self.jump(end)?;
                self.t.current = no;
                if let Some(other) = &s.node.else_statement {
                    self.statement(other)?;
                }
                self.jump(end)?;
                self.t.current = end;
                Ok(())
            }
            Statement::While(s) => {
                let [head, body, end] = [self.node(), self.node(), self.node()];
                self.jump(head)?;
                self.t.current = head;
                self.span = s.node.expression.span;
                self.branch(&s.node.expression, body, end)?;
                self.body(body, end, head, &s.node.statement)?;
                self.jump(head)?;
                self.t.current = end;
                Ok(())
            }
            Statement::DoWhile(s) => {
                let [body, test, end] = [self.node(), self.node(), self.node()];
                self.jump(body)?;
                self.body(body, end, test, &s.node.statement)?;
                self.jump(test)?;
                self.t.current = test;
                self.span = s.node.expression.span;
                self.branch(&s.node.expression, body, end)?;
                self.t.current = end;
                Ok(())
            }
            Statement::For(s) => self.for_loop(&s.node),
            Statement::Switch(s) => self.switch(&s.node),
            Statement::Goto(label) => {
                let node = self.label(&label.node.name);
                self.jump(node)?;
                self.nowhere();
                Ok(())
            }
            Statement::Break | Statement::Continue => {
                let list = match s.node {
                    Statement::Break => &self.t.frame.breaks,
                    _ => &self.t.frame.continues,
                };
                let Some(target) = list.last().copied() else {
                    return Err(Fault::wrong(at, "this jump leads nowhere".to_owned()));
                };
                self.jump(target)?;
                self.nowhere();
                Ok(())
            }
            Statement::Return(value) => self.returned(value.as_deref(), at),
            Statement::Asm(_) => Err(Fault::unsupported(at, "assembly")),
        }
    }

    fn item(&mut self, item: &'a BlockItem) -> Lower<()> {
        match item {
            BlockItem::Statement(s) => self.statement(s),
            BlockItem::Declaration(d) => {
                let (used, span) = (self.t.used, self.span);
                self.span = d.span;
                self.declaration(d, false)?;
                self.t.used = used;
                self.span = span;
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
        self.t.frame.breaks.push(end);
        self.t.frame.continues.push(next);
        self.t.current = start;
        self.statement(body)?;
        self.t.frame.breaks.pop();
        self.t.frame.continues.pop();
        Ok(())
    }

    fn for_loop(&mut self, s: &'a ForStatement) -> Lower<()> {
        self.scopes.push(Scope::default());
        match &s.initializer.node {
            ForInitializer::Empty => {}
            ForInitializer::StaticAssert(s) => self.static_assertion(s)?,
            ForInitializer::Expression(e) => {
                self.span = e.span;
                self.effect(e)?;
            }
            ForInitializer::Declaration(d) => {
                self.span = d.span;
                self.declaration(d, false)?;
            }
        }
        let [head, body, next, end] = [self.node(), self.node(), self.node(), self.node()];
        if let Some(rounds) = self.rounds(s)?
            && self.unrolled(rounds, &s.statement, end)?
        {
            self.t.current = end;
            self.scopes.pop();
            return Ok(());
        }
        self.jump(head)?;
        self.t.current = head;
        match &s.condition {
            Some(condition) => {
                self.span = condition.span;
                self.branch(condition, body, end)?;
            }
            None => self.jump(body)?,
        }
        self.body(body, end, next, &s.statement)?;
        self.jump(next)?;
        self.t.current = next;
        if let Some(step) = &s.step {
            self.span = step.span;
            self.effect(step)?;
        }
        self.jump(head)?;
        self.t.current = end;
        self.scopes.pop();
        Ok(())
    }

    /// The node of a label in the current function.
    fn label(&mut self, name: &str) -> usize {
        if let Some(node) = self.t.frame.labels.get(name) {
            return *node;
        }
        let node = self.node();
        self.t.frame.labels.insert(name.to_owned(), node);
        node
    }

    fn labeled(&mut self, labeled: &'a LabeledStatement) -> Lower<()> {
        let at = labeled.label.span.start;
        let node = match &labeled.label.node {
            Label::Identifier(name) => {
                let node = self.label(&name.node.name);
                if !self.t.frame.placed.insert(name.node.name.clone()) {
                    let message = format!("the label `{}` stands twice", name.node.name);
                    return Err(Fault::wrong(at, message));
                }
                node
            }
            Label::Case(_) | Label::CaseRange(_) | Label::Default => {
                let Some(node) = self.t.frame.cases.last().and_then(|cases| cases.get(&at)) else {
                    return Err(Fault::unsupported(at, "a `case` at this place"));
                };
                *node
            }
        };
        self.jump(node)?;
        self.t.current = node;
        self.statement(&labeled.statement)
    }

    fn switch(&mut self, s: &'a SwitchStatement) -> Lower<()> {
        let at = s.expression.span.start;
        self.span = s.expression.span;
        let value = self.value(&s.expression)?;
        let of = value.integer(at)?.promoted();
        let value = self.fit(value, of)?;
        let mut labels = Vec::new();
        cases(&s.statement, &mut labels);
        let (mut nodes, mut other, mut formulas) = (HashMap::new(), None, Vec::new());
        for label in labels {
            let node = self.node();
            nodes.insert(label.span.start, node);
            let bounds = match &label.node {
                Label::Case(e) => {
                    let bound = self.case(e, of)?;
                    (bound.clone(), bound)
                }
                Label::CaseRange(range) => {
                    (self.case(&range.node.low, of)?, self.case(&range.node.high, of)?)
                }
                _ => {
                    other = Some(node);
                    continue;
                }
            };
            let formula = match bounds.0 == bounds.1 {
                true => compare(Cmp::Eq, &value.term, &int(bounds.0)),
                false => between(&bounds.0, &value.term, &bounds.1),
            };
            formulas.push((formula, node));
        }
        let end = self.node();
        let mut none = Command::default();
        let mut possible = true;
        for (formula, node) in formulas {
            if formula != [Op::Bool(false)] {
                self.edge(node, Command::default().when(formula.clone()), false)?;
            }
            let outside = not(&formula);
            possible &= outside != [Op::Bool(false)];
            none = none.when(outside);
        }
        if possible {
            self.edge(other.unwrap_or(end), none, false)?;
        }
        self.nowhere();
        self.t.frame.breaks.push(end);
        self.t.frame.cases.push(nodes);
        self.statement(&s.statement)?;
        self.t.frame.cases.pop();
        self.t.frame.breaks.pop();
        self.jump(end)?;
        self.t.current = end;
        Ok(())
    }

    fn case(&mut self, e: &'a Node<Expression>, of: Integer) -> Lower<BigInt> {
        let number = self.constant(e)?;
        let value = Value::constant(number, Type::int());
        let value = self.fit(value, of)?;
        Ok(value.as_constant().cloned().unwrap_or_default())
    }

    fn returned(&mut self, value: Option<&'a Node<Expression>>, at: usize) -> Lower<()> {
        let structure = self.t.frame.structure;
        match (value, self.t.frame.result.clone()) {
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
                self.step(vec![command], false)?;
            }
        }
        let end = self.t.frame.end;
        self.jump(end)?;
        self.nowhere();
        Ok(())
    }
}
