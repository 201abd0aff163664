//! The variables of one template: its locals, and those of the procedures that it calls.

use super::super::ir::{Stmt, StmtKind, Term, Unit, Var};
use super::step::id;
use crate::logic::names::Names;
use threadproof_format::program::Variable;
use threadproof_format::{Op, Sort};

/// The core variables of one template.
pub(super) struct Variables {
    /// Names that are taken in the template: globals, templates, its own variables.
    pub names: Names,
    /// The thread's own locals, as core variables.
    pub thread: Vec<Op>,
    /// The locals of each procedure that the template calls. A procedure is never active twice
    /// in one thread, as there is no recursion, so one set of variables is enough.
    pub procedures: Vec<Option<Vec<Op>>>,
    /// All of them in order.
    pub list: Vec<Variable>,
    /// Names of the globals.
    globals: Vec<String>,
    /// The template, if it is single: its variables are then held among the globals.
    owner: Option<u32>,
    /// The number of the first of its variables.
    first: usize,
}

impl Variables {
    /// Declares the variables of a template. `owner` is its number if it is single, `first` the
    /// number of its first variable among the globals then, and 0 otherwise.
    pub(super) fn new(
        unit: &Unit,
        thread: usize,
        names: Names,
        globals: &[Variable],
        owner: Option<u32>,
    ) -> Self {
        let mut variables = Variables {
            names,
            thread: Vec::new(),
            procedures: vec![None; unit.procedures.len()],
            list: Vec::new(),
            globals: globals.iter().map(|v| v.name.clone()).collect(),
            owner,
            first: if owner.is_some() { globals.len() } else { 0 },
        };
        let body = &unit.threads[thread].body;
        for var in &body.locals {
            let op = variables.add(&var.name, var.sort);
            variables.thread.push(op);
        }
        variables.called(unit, &body.code);
        variables
    }

    fn add(&mut self, name: &str, sort: Sort) -> Op {
        let index = id(self.first + self.list.len());
        self.list.push(Variable { name: self.names.fresh(name), sort, owner: self.owner });
        match self.owner {
            Some(_) => Op::Global(index),
            None => Op::Local(0, index),
        }
    }

    /// Declares the variables of the procedures that are called, in the order of the calls.
    fn called(&mut self, unit: &Unit, code: &[Stmt]) {
        for statement in code {
            match &statement.kind {
                StmtKind::Call(call) if self.procedures[call.procedure].is_none() => {
                    let procedure = &unit.procedures[call.procedure];
                    let mut ops = Vec::new();
                    for var in &procedure.body.locals {
                        let name = format!("{}_{}", procedure.name, var.name);
                        ops.push(self.add(&name, var.sort));
                    }
                    self.procedures[call.procedure] = Some(ops);
                    self.called(unit, &procedure.body.code);
                }
                StmtKind::If(_, _, then, other) => {
                    self.called(unit, then);
                    self.called(unit, other);
                }
                StmtKind::While(.., body) | StmtKind::Atomic(body) | StmtKind::Block(body) => {
                    self.called(unit, body);
                }
                _ => {}
            }
        }
    }

    /// A variable's name in the core form.
    pub(super) fn name(&self, variable: &Op) -> &str {
        let index = match variable {
            Op::Global(i) | Op::Local(_, i) => usize::try_from(*i).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        let own = match variable {
            Op::Global(_) if index < self.globals.len() => return &self.globals[index],
            _ => self.list.get(index.wrapping_sub(self.first)),
        };
        own.map_or("value", |v| &v.name)
    }

    /// What the declarations say of the locals' initial values.
    pub(super) fn initial(&self, vars: &[Var]) -> Vec<Vec<Op>> {
        let pairs = vars.iter().zip(&self.thread);
        pairs.filter_map(|(v, op)| initial(op, v.init.as_ref())).collect()
    }
}

/// The formula that a variable has its initial value.
pub(super) fn initial(variable: &Op, value: Option<&Term>) -> Option<Vec<Op>> {
    match value? {
        Term::Int(k) => {
            let value = Op::Int(threadproof_format::Int(k.clone()));
            let equal = Op::Cmp(threadproof_format::Cmp::Eq);
            Some(vec![variable.clone(), value, equal])
        }
        Term::Bool(true) => Some(vec![variable.clone()]),
        Term::Bool(false) => Some(vec![variable.clone(), Op::Not]),
        _ => None,
    }
}
