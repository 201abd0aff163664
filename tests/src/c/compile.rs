//! From the syntax tree to the stack machine: types, scopes and control, after the C standard.

use super::ast::{Decl, Function, Init, Stmt, Storage, Type, Unit};
use super::code::{Code, Op, Routine, Value};
use super::escape;
use super::integer::{Binary, Int};
use std::collections::HashMap;

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
enum Slot {
    Global(usize),
    Local(usize, bool),
    Thread(usize),
}

#[derive(Clone, Debug)]
struct Variable {
    kind: Type,
    slot: Slot,
}

/// The jumps that leave a loop or `switch`.
#[derive(Default)]
struct Around {
    breaks: Vec<usize>,
    /// None for `switch`.
    continues: Option<Vec<usize>>,
}

#[derive(Default)]
struct Cases {
    kind: Option<Int>,
    cases: Vec<(i128, usize)>,
    default: Option<usize>,
}

pub(super) struct Compiler<'a> {
    pub(super) unit: &'a Unit,
    pub(super) code: Code,
    /// What sets the initial values; its code comes last.
    boot: Vec<Op>,
    scopes: Vec<HashMap<String, Variable>>,
    around: Vec<Around>,
    switches: Vec<Cases>,
    labels: HashMap<String, usize>,
    gotos: Vec<(usize, String)>,
    /// Names whose address is taken in the function.
    addressed: Vec<String>,
    result: Type,
    cells: usize,
    assertions: usize,
}

/// The program as instructions.
pub fn compile(unit: &Unit) -> Code {
    let code = Code { ops: vec![Op::End, Op::Exit], ..Code::default() };
    let mut compiler = Compiler {
        unit,
        code,
        boot: Vec::new(),
        scopes: vec![HashMap::new()],
        around: Vec::new(),
        switches: Vec::new(),
        labels: HashMap::new(),
        gotos: Vec::new(),
        addressed: Vec::new(),
        result: Type::Void,
        cells: 0,
        assertions: 0,
    };
    unit.globals.iter().for_each(|decl| compiler.declare(decl, true));
    compiler.code.routines = vec![Routine::default(); unit.functions.len()];
    for (number, function) in unit.functions.iter().enumerate() {
        compiler.function(number, function);
    }
    let mut code = compiler.code;
    code.boot = code.ops.len();
    code.ops.append(&mut compiler.boot);
    code.ops.push(Op::Exit);
    code.main = unit.functions.len() - 1;
    code
}

impl Compiler<'_> {
    pub(super) fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.ops.len() - 1
    }

    pub(super) fn here(&self) -> usize {
        self.code.ops.len()
    }

    /// Lets a jump lead here.
    pub(super) fn land(&mut self, jump: usize) {
        self.aim(jump, self.here());
    }

    fn aim(&mut self, jump: usize, at: usize) {
        match &mut self.code.ops[jump] {
            Op::Jump(to) | Op::JumpIf(to) | Op::JumpUnless(to) | Op::Once(to) => *to = at,
            other => panic!("{other:?} is no jump"),
        }
    }

    /// The cells of an object.
    pub(super) fn size(&self, kind: &Type) -> usize {
        match kind {
            Type::Array(of, length) => length * self.size(of),
            Type::Struct(tag) => self.members(tag).iter().map(|(_, kind)| self.size(kind)).sum(),
            _ => 1,
        }
    }

    pub(super) fn members(&self, tag: &str) -> &[(String, Type)] {
        let found = self.unit.structs.iter().find(|(name, _)| name == tag);
        &found.unwrap_or_else(|| panic!("struct {tag}")).1
    }

    fn variable(&self, name: &str) -> Option<Variable> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned()
    }

    /// The address of a variable; gives its type.
    pub(super) fn address_of(&mut self, name: &str) -> Option<Type> {
        let variable = self.variable(name)?;
        let size = self.size(&variable.kind);
        self.emit(match variable.slot {
            Slot::Global(cell) => Op::Global(cell, size),
            Slot::Local(cell, shared) => Op::Local(cell, size, shared),
            Slot::Thread(cell) => Op::ThreadLocal(cell, size),
        });
        Some(variable.kind)
    }

    fn bind(&mut self, name: &str, kind: Type, slot: Slot) {
        let scope = self.scopes.last_mut().expect("a scope");
        scope.insert(name.to_owned(), Variable { kind, slot });
    }

    fn local(&mut self, name: &str, kind: &Type) {
        let slot = Slot::Local(self.cells, self.addressed.iter().any(|taken| taken == name));
        self.cells += self.size(kind);
        self.bind(name, kind.clone(), slot);
    }

    /// A declaration; what is not automatic gets its value before the program starts.
    fn declare(&mut self, decl: &Decl, file: bool) {
        let size = self.size(&decl.kind);
        match (decl.storage, file) {
            (Storage::Thread, _) => {
                self.bind(&decl.name, decl.kind.clone(), Slot::Thread(self.code.cells.1));
                self.code.cells.1 += size;
            }
            (Storage::Plain, false) => {
                self.local(&decl.name, &decl.kind);
                return self.initialize(decl, false);
            }
            _ => {
                self.bind(&decl.name, decl.kind.clone(), Slot::Global(self.code.cells.0));
                self.code.cells.0 += size;
            }
        }
        let from = self.here();
        self.initialize(decl, true);
        let ops = self.code.ops.split_off(from);
        self.boot.extend(ops);
    }

    /// Gives each cell its value: what is not said is 0, or anything if nothing is said of an
    /// automatic variable.
    fn initialize(&mut self, decl: &Decl, zero: bool) {
        let mut cells = Vec::new();
        self.scalars(&decl.kind, decl.init.as_ref(), &mut cells);
        for (cell, (kind, init)) in cells.into_iter().enumerate() {
            match (init, &kind) {
                (Some(e), _) => {
                    let from = self.rvalue(e);
                    self.coerce(&from, &kind);
                }
                (None, Type::Int(int) | Type::Atomic(int)) if !zero && decl.init.is_none() => {
                    self.emit(Op::Any(*int));
                }
                (None, _) => {
                    self.emit(Op::Push(Value::Int(0)));
                }
            }
            self.address_of(&decl.name);
            self.emit(Op::Member(cell, 1));
            self.emit(Op::Store);
            self.emit(Op::Pop);
        }
    }

    /// The scalars of an object with what is said of them.
    fn scalars<'i>(
        &self,
        kind: &Type,
        init: Option<&'i Init>,
        out: &mut Vec<(Type, Option<&'i super::ast::Expr>)>,
    ) {
        let part = |i: usize| match init {
            Some(Init::List(list)) => list.get(i),
            _ => None,
        };
        match kind {
            Type::Array(of, length) => {
                (0..*length).for_each(|i| self.scalars(of, part(i), out));
            }
            Type::Struct(tag) => {
                let members = self.members(tag).iter().enumerate();
                members.for_each(|(i, (_, kind))| self.scalars(kind, part(i), out));
            }
            _ => out.push((
                kind.clone(),
                match init {
                    Some(Init::Value(e)) => Some(e),
                    Some(Init::List(list)) => match list.first() {
                        Some(Init::Value(e)) => Some(e),
                        _ => None,
                    },
                    None => None,
                },
            )),
        }
    }

    fn function(&mut self, number: usize, function: &Function) {
        (self.cells, self.result) = (0, function.result.clone());
        self.addressed = escape::addressed(&function.body);
        self.scopes.push(HashMap::new());
        function.params.iter().for_each(|(name, kind)| self.local(name, kind));
        let entry = self.here();
        self.block(&function.body);
        self.emit(Op::Push(Value::Int(0)));
        self.emit(Op::Return);
        self.scopes.pop();
        for (jump, label) in std::mem::take(&mut self.gotos) {
            let at = self.labels[&label];
            self.aim(jump, at);
        }
        self.labels.clear();
        let params = function.params.len();
        self.code.routines[number] = Routine { entry, cells: self.cells, params };
    }

    fn block(&mut self, code: &[Stmt]) {
        self.scopes.push(HashMap::new());
        code.iter().for_each(|s| self.stmt(s));
        self.scopes.pop();
    }

    fn inner(&mut self, s: &Stmt) {
        self.block(std::slice::from_ref(s));
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Empty => {}
            Stmt::Expr(e) => {
                self.rvalue(e);
                self.emit(Op::Pop);
            }
            Stmt::Decl(decl) => self.declare(decl, false),
            Stmt::Block(code) => self.block(code),
            Stmt::If(e, then, other) => self.branch(e, then, other.as_deref()),
            Stmt::While(e, body) => self.repeat(Some(e), None, body),
            Stmt::DoWhile(body, e) => self.do_while(body, e),
            Stmt::For(first, condition, next, body) => {
                self.scopes.push(HashMap::new());
                self.stmt(first);
                self.repeat(condition.as_ref(), next.as_ref(), body);
                self.scopes.pop();
            }
            Stmt::Switch(e, body) => self.switch(e, body),
            Stmt::Case(_, inner) | Stmt::Default(inner) | Stmt::Label(_, inner) => {
                self.label(s);
                self.stmt(inner);
            }
            Stmt::Goto(_) | Stmt::Break | Stmt::Continue => self.jump(s),
            Stmt::Return(e) => self.leave(e.as_ref()),
            Stmt::Assert(_, e) => {
                self.rvalue(e);
                self.assert();
            }
            Stmt::Fail(_, line) => {
                self.rvalue(line);
                self.emit(Op::Pop);
                self.emit(Op::Push(Value::Int(0)));
                self.assert();
            }
            Stmt::Library { effect, .. } => {
                self.rvalue(effect);
                self.emit(Op::Pop);
            }
            Stmt::Observe(number, e) => {
                self.rvalue(e);
                self.emit(Op::Observe(*number));
            }
        }
    }

    /// An assertion; its number is that of the text's order.
    fn assert(&mut self) {
        self.emit(Op::Assert(self.assertions));
        self.assertions += 1;
    }

    fn branch(&mut self, e: &super::ast::Expr, then: &Stmt, other: Option<&Stmt>) {
        self.rvalue(e);
        let no = self.emit(Op::JumpUnless(0));
        self.inner(then);
        if let Some(other) = other {
            let end = self.emit(Op::Jump(0));
            self.land(no);
            self.inner(other);
            self.land(end);
        } else {
            self.land(no);
        }
    }

    /// The label of a statement: a jump comes here.
    fn label(&mut self, s: &Stmt) {
        let at = self.here();
        match s {
            Stmt::Case(value, _) => {
                let cases = self.switches.last_mut().expect("a switch");
                let kind = cases.kind.expect("its type");
                cases.cases.push((kind.convert(*value), at));
            }
            Stmt::Default(_) => self.switches.last_mut().expect("a switch").default = Some(at),
            Stmt::Label(name, _) => drop(self.labels.insert(name.clone(), at)),
            _ => unreachable!("no label"),
        }
    }

    fn jump(&mut self, s: &Stmt) {
        let jump = self.emit(Op::Jump(0));
        match s {
            Stmt::Goto(name) => self.gotos.push((jump, name.clone())),
            Stmt::Break => self.around.last_mut().expect("a loop").breaks.push(jump),
            Stmt::Continue => {
                let mut loops = self.around.iter_mut().rev().filter_map(|a| a.continues.as_mut());
                loops.next().expect("a loop").push(jump);
            }
            _ => unreachable!("no jump"),
        }
    }

    fn leave(&mut self, e: Option<&super::ast::Expr>) {
        match e {
            Some(e) => {
                let from = self.rvalue(e);
                self.coerce(&from, &self.result.clone());
            }
            None => {
                self.emit(Op::Push(Value::Int(0)));
            }
        }
        self.emit(Op::Return);
    }

    /// `while` and `for`.
    fn repeat(
        &mut self,
        condition: Option<&super::ast::Expr>,
        next: Option<&super::ast::Expr>,
        body: &Stmt,
    ) {
        let head = self.here();
        let leave = condition.map(|e| {
            self.rvalue(e);
            self.emit(Op::JumpUnless(0))
        });
        let around = self.around_body(body);
        around.continues.into_iter().flatten().for_each(|jump| self.land(jump));
        if let Some(e) = next {
            self.rvalue(e);
            self.emit(Op::Pop);
        }
        self.emit(Op::Jump(head));
        leave.into_iter().chain(around.breaks).for_each(|jump| self.land(jump));
    }

    fn around_body(&mut self, body: &Stmt) -> Around {
        self.around.push(Around { breaks: Vec::new(), continues: Some(Vec::new()) });
        self.inner(body);
        self.around.pop().expect("the loop")
    }

    fn do_while(&mut self, body: &Stmt, e: &super::ast::Expr) {
        let head = self.here();
        let around = self.around_body(body);
        around.continues.into_iter().flatten().for_each(|jump| self.land(jump));
        self.rvalue(e);
        self.emit(Op::JumpIf(head));
        around.breaks.into_iter().for_each(|jump| self.land(jump));
    }

    fn switch(&mut self, e: &super::ast::Expr, body: &[Stmt]) {
        let Type::Int(kind) = self.rvalue(e) else { panic!("no integer in `switch`") };
        let kind = kind.promoted();
        let start = self.emit(Op::Jump(0));
        self.switches.push(Cases { kind: Some(kind), ..Cases::default() });
        self.around.push(Around::default());
        self.block(body);
        let around = self.around.pop().expect("the switch");
        let cases = self.switches.pop().expect("the switch");
        let end = self.emit(Op::Jump(0));
        self.land(start);
        for (value, at) in cases.cases {
            self.emit(Op::Dup);
            self.emit(Op::Push(Value::Int(value)));
            self.emit(Op::Binary(Binary::Eq, kind, kind));
            let other = self.emit(Op::JumpUnless(0));
            self.emit(Op::Pop);
            self.emit(Op::Jump(at));
            self.land(other);
        }
        self.emit(Op::Pop);
        if let Some(at) = cases.default {
            self.emit(Op::Jump(at));
        }
        self.land(end);
        around.breaks.into_iter().for_each(|jump| self.land(jump));
    }
}
