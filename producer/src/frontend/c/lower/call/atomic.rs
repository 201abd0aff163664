//! The compiler's atomic functions, each one atomic step. Those of `stdatomic.h` are macros for
//! them.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::call::operand::Operands;
use crate::frontend::c::memory::place::{Change, Place};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::modelled::{Does, Modelled};
use crate::frontend::c::term::{compare, int};
use crate::frontend::c::types::value::{Value, void};
use crate::frontend::c::types::{Integer, Type};
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    /// What an atomic function does at a place.
    pub(crate) fn atomic(
        &mut self,
        of: &Modelled,
        place: &Place,
        operands: &Operands<'a>,
        at: usize,
    ) -> Lower<Value> {
        match &of.does {
            Does::Load => self.read(place),
            Does::Store => {
                let value = self.convert(operands.value(1)?, &place.ty, at)?;
                self.write(place, &value)?;
                Ok(void())
            }
            Does::Clear => {
                self.write(place, &Value::constant(0, place.ty.clone()))?;
                Ok(void())
            }
            Does::Exchange => {
                let value = self.convert(operands.value(1)?, &place.ty, at)?;
                self.exchange(place, &value, at)
            }
            Does::TestAndSet => {
                let one = Value::constant(1, place.ty.clone());
                let old = self.exchange(place, &one, at)?;
                self.convert(old, &Type::Int(Integer::BOOL), at)
            }
            Does::Fetch(operator, old) => {
                if place.ty.pointee().is_some() {
                    // The number that it is, in bytes.
                    return Err(Fault::unsupported(at, "atomic arithmetic on a pointer"));
                }
                self.checks.wraps = true;
                let result = self.modify(place, operator, operands.value(1)?, *old, at);
                self.checks.wraps = false;
                result
            }
            Does::CompareAndSwap(whether) => {
                let old = self.convert(operands.value(1)?, &place.ty, at)?;
                let new = self.convert(operands.value(2)?, &place.ty, at)?;
                self.expose(&new, at, true)?;
                let found = self.steps.temporary();
                let done = self.exchange_if(place, &old, &new, &found)?;
                match whether {
                    true => Ok(done),
                    false => Ok(Value::new(vec![found], place.ty.plain().clone())),
                }
            }
            Does::CompareExchange => self.compare_exchange(place, operands, at),
            _ => Err(Fault::unsupported(at, format!("`{}`", of.name))),
        }
    }

    fn compare_exchange(
        &mut self,
        place: &Place,
        operands: &Operands<'a>,
        at: usize,
    ) -> Lower<Value> {
        let expected = operands.place(1)?;
        let new = self.convert(operands.value(2)?, &place.ty, at)?;
        let weak = operands.value(3)?;
        self.expose(&new, at, true)?;
        let old = self.read(&expected)?;
        let old = self.convert(old, &place.ty, at)?;
        let found = self.steps.temporary();
        let done = self.steps.temporary();
        let outer = self.steps.here();
        let result = self.exchange_if(place, &old, &new, &found)?;
        self.steps.step(vec![Command::default().set(done.clone(), result.term)], false)?;
        let [yes, no, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        let may_fail = compare(Cmp::Ne, &weak.term, &int(0));
        if may_fail != [Op::Bool(false)] {
            // It may fail for no reason: then what was expected is what was found.
            let after = self.steps.here();
            self.steps.resume(outer);
            let (out, kept) = (done.clone(), found.clone());
            self.update(place, false, &move |x| {
                let set = vec![(out.clone(), int(0)), (kept.clone(), x.to_vec())];
                vec![Change { when: may_fail.clone(), value: None, set }]
            })?;
            self.steps.jump(no)?;
            self.steps.resume(after);
        }
        self.steps.split(&compare(Cmp::Eq, std::slice::from_ref(&done), &int(1)), yes, no)?;
        self.steps.resume(no);
        let seen = Value::new(vec![found], place.ty.plain().clone());
        self.write(&expected, &seen)?;
        self.steps.jump(end)?;
        self.steps.resume(yes);
        self.steps.jump(end)?;
        self.steps.resume(end);
        Ok(Value::bit(done, Type::Int(Integer::BOOL)))
    }

    fn exchange(&mut self, place: &Place, value: &Value, at: usize) -> Lower<Value> {
        self.expose(value, at, true)?;
        let found = self.steps.temporary();
        let (new, out) = (value.term.clone(), found.clone());
        self.update(place, false, &move |x| {
            let set = vec![(out.clone(), x.to_vec())];
            vec![Change { when: vec![Op::Bool(true)], value: Some(new.clone()), set }]
        })?;
        Ok(Value::new(vec![found], place.ty.plain().clone()))
    }
}
