//! Which integers are never negative: of these the quotient that truncates towards zero, as the
//! language has it, is the logic's, which is rounded down.

use super::super::ir::{Body, Call, Cond, Place, Slot, Stmt, StmtKind, Term, Unit, Value, Var};
use super::step::id;
use super::variables::Variables;
use std::collections::BTreeSet;
use threadproof_format::Op;

/// A body: a thread's or a procedure's, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Code {
    Thread(usize),
    Procedure(usize),
}

/// A variable of the program: a global, or a local of a body.
type Variable = (Option<Code>, usize);

/// A procedure's result, as if it were a local.
const RESULT: usize = usize::MAX;

/// The variables, of arrays the elements, that are never negative: whatever is assigned to them is
/// not, if none of them is.
#[derive(Debug, Default)]
pub(super) struct Signs(BTreeSet<Variable>);

impl Signs {
    /// Those of a program: the greatest fixed point.
    pub(super) fn of(unit: &Unit) -> Self {
        let mut all = Assignments { unit, list: Vec::new(), any: BTreeSet::new() };
        all.unit();
        let targets = all.list.iter().map(|(target, ..)| *target);
        let mut signs = Signs(targets.filter(|target| !all.any.contains(target)).collect());
        loop {
            let before = signs.0.len();
            for (target, code, value) in &all.list {
                if !not_negative(value, &|slot| signs.0.contains(&named(*code, slot))) {
                    signs.0.remove(target);
                }
            }
            if signs.0.len() == before {
                return signs;
            }
        }
    }

    /// The core variables of a thread that are never negative.
    pub(super) fn variables(&self, thread: usize, variables: &Variables) -> BTreeSet<Op> {
        let op = |(code, i): &Variable| match code {
            None => Some(Op::Global(id(*i))),
            Some(Code::Thread(of)) => variables.thread.get(*i).filter(|_| *of == thread).cloned(),
            Some(Code::Procedure(of)) => variables.procedures[*of].as_ref()?.get(*i).cloned(),
        };
        self.0.iter().filter_map(op).collect()
    }
}

fn named(code: Code, slot: Slot) -> Variable {
    match slot {
        Slot::Global(i) => (None, i),
        Slot::Local(i) => (Some(code), i),
    }
}

/// Whether a term is not negative, if the variables are not for which this is known.
pub(super) fn not_negative(term: &Term, known: &dyn Fn(Slot) -> bool) -> bool {
    match term {
        Term::Int(value) => value.sign() != num_bigint::Sign::Minus,
        Term::Var(slot) | Term::Select(slot, _) => known(*slot),
        Term::Count(_) => true,
        Term::Add(a, b) => not_negative(a, known) && not_negative(b, known),
        Term::Scale(factor, a) => factor.sign() == num_bigint::Sign::Plus && not_negative(a, known),
        Term::Div(a, _) | Term::Mod(a, _) => not_negative(a, known),
        _ => false,
    }
}

/// What is assigned to each variable, and which can have any value.
struct Assignments<'a> {
    unit: &'a Unit,
    list: Vec<(Variable, Code, Term)>,
    any: BTreeSet<Variable>,
}

impl Assignments<'_> {
    fn unit(&mut self) {
        let unit = self.unit;
        for (i, var) in unit.globals.iter().enumerate() {
            // No code belongs to the constant.
            self.initial((None, i), Code::Thread(0), var);
        }
        for (i, thread) in unit.threads.iter().enumerate() {
            let code = Code::Thread(i);
            self.locals(code, &thread.body, 0);
            self.block(code, &thread.body.code);
        }
        for (i, procedure) in unit.procedures.iter().enumerate() {
            self.block(Code::Procedure(i), &procedure.body.code);
        }
        // The threads that are abstracted change globals as their specification says.
        let abstracted = !unit.abstractions.is_empty();
        self.any.extend((0..unit.globals.len()).filter(|_| abstracted).map(|i| (None, i)));
    }

    fn initial(&mut self, variable: Variable, code: Code, var: &Var) {
        match &var.init {
            Some(value) => self.list.push((variable, code, value.clone())),
            None => drop(self.any.insert(variable)),
        }
    }

    /// The initial values of a body's locals, but for the first ones.
    fn locals(&mut self, code: Code, body: &Body, first: usize) {
        for (i, var) in body.locals.iter().enumerate().skip(first) {
            self.initial((Some(code), i), code, var);
        }
    }

    fn block(&mut self, code: Code, statements: &[Stmt]) {
        for statement in statements {
            self.statement(code, &statement.kind);
        }
    }

    fn statement(&mut self, code: Code, kind: &StmtKind) {
        match kind {
            StmtKind::Assign(place, value) => self.value(code, named(code, place.slot), value),
            StmtKind::Havoc(place) => drop(self.any.insert(named(code, place.slot))),
            StmtKind::Assume(condition) => self.condition(code, condition),
            StmtKind::If(condition, _, then, other) => {
                self.condition(code, condition);
                self.block(code, then);
                self.block(code, other);
            }
            StmtKind::While(condition, _, _, inner) => {
                self.condition(code, condition);
                self.block(code, inner);
            }
            StmtKind::Atomic(inner) | StmtKind::Block(inner) => self.block(code, inner),
            StmtKind::Call(call) => self.call(code, call),
            StmtKind::Return(value) => self.returned(code, value.as_ref()),
            StmtKind::Assert(_)
            | StmtKind::Lock(_)
            | StmtKind::Unlock(_)
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }
    fn value(&mut self, code: Code, target: Variable, value: &Value) {
        match value {
            Value::Term(term) => self.list.push((target, code, term.clone())),
            Value::Cond(condition) => self.condition(code, condition),
        }
    }

    fn condition(&mut self, code: Code, condition: &Cond) {
        match condition {
            Cond::Cas(Place { slot, .. }, _, new) => {
                self.list.push((named(code, *slot), code, new.clone()));
            }
            Cond::Not(inner) => self.condition(code, inner),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.condition(code, a);
                self.condition(code, b);
            }
            Cond::Term(_) | Cond::Any => {}
        }
    }

    /// The parameters' values, the other locals' initial values, and what takes the result.
    fn call(&mut self, code: Code, call: &Call) {
        let callee = Code::Procedure(call.procedure);
        for (i, argument) in call.arguments.iter().enumerate() {
            self.list.push(((Some(callee), i), code, argument.clone()));
        }
        let body = &self.unit.procedures[call.procedure].body;
        self.locals(callee, body, call.arguments.len());
        if let Some(slot) = call.result {
            let result = Term::Var(Slot::Local(RESULT));
            self.list.push((named(code, slot), callee, result));
        }
    }

    fn returned(&mut self, code: Code, value: Option<&Value>) {
        if let Some(value) = value {
            self.value(code, (Some(code), RESULT), value);
        }
    }
}
