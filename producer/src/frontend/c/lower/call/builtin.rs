//! What the functions do that the language, POSIX threads and SV-COMP's conventions define, with
//! operands that have been evaluated (`operand`).

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::call::operand::{Arguments, Operands};
use crate::frontend::c::memory::place::{Change, Place};
use crate::frontend::c::syntax::modelled::{CHOSEN, Does, Gives, Lock, Modelled, modelled};
use crate::frontend::c::term::{add, compare, int, is, not, sub};
use crate::frontend::c::types::value::{Value, void};
use crate::frontend::c::types::{Integer, Type, function_type};
use crate::frontend::c::unit::Entity;
use threadproof_format::{Cmp, Op};

/// What to do about a function that is neither modelled nor defined.
const UNDEFINED: &str =
    "define it, or call `__VERIFIER_nondet_T()` for a result that may be any value of T";
/// The error code of what is busy.
const EBUSY: u8 = 16;

impl<'a> Lowering<'a> {
    /// A call of a function without a definition.
    pub(crate) fn builtin(
        &mut self,
        name: &str,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Value> {
        let Some(of) = modelled(name) else {
            let what = match name.starts_with("pthread_") || name.starts_with("__") {
                true => format!("`{name}`"),
                false => format!("a call of `{name}`, which has no definition"),
            };
            return Err(Fault::unsupported(at, what).hint(UNDEFINED));
        };
        let ty = self.gives(of, name, at)?;
        let operands = self.operands(of, arguments, at)?;
        self.perform(of, ty, &operands, at)
    }

    /// What a function does, once its operands are evaluated.
    fn perform(
        &mut self,
        of: &Modelled,
        ty: Type,
        operands: &Operands<'a>,
        at: usize,
    ) -> Lower<Value> {
        match &of.does {
            Does::Fail => self.fail(at)?,
            Does::Assert => {
                let holds = self.steps.here();
                self.steps.resume(operands.fails(0)?);
                self.fail(at)?;
                self.steps.resume(holds);
            }
            Does::Disabled => self.disabled(at),
            // The operand says where the thread goes on.
            Does::Assume => {}
            // No step of this thread follows. That others go on shows nothing that they could not
            // have done before.
            Does::Stop => self.steps.nowhere(),
            Does::Begin => self.steps.begin()?,
            Does::Finish => self.steps.finish(at)?,
            Does::Nothing => operands.places().try_for_each(|place| self.used(place))?,
            Does::Any => return self.steps.any("any", ty),
            Does::Random => {
                let chosen = Type::Int(Integer { signed: false, bits: 31, rank: 3 });
                return self.steps.any("any", chosen).map(|value| Value { ty, ..value });
            }
            Does::Time => {
                if operands.value(0)?.as_constant().is_none_or(|v| *v != 0.into()) {
                    return Err(Fault::unsupported(at, "`time` with a place for it"));
                }
                return self.steps.any("any", ty);
            }
            Does::First => return self.convert(operands.value(0)?, &ty, at),
            Does::Allocate => {
                let what = "an allocation that is not assigned to a pointer with a type";
                return Err(Fault::unsupported(at, what));
            }
            Does::Create => self.create(operands, at)?,
            Does::Join => self.join(operands, at)?,
            Does::Exit => self.exit(operands.value(0)?, at)?,
            Does::Once => self.once(operands, at)?,
            Does::Init | Does::Lock(_) | Does::Unlock | Does::UnlockShared => {
                self.lock(&of.does, &operands.place(0)?)?;
            }
            Does::TryLock(how) => return self.try_lock(*how, &operands.place(0)?),
            Does::Wait => {
                self.used(&operands.place(0)?)?;
                let mutex = operands.place(1)?;
                self.update(&mutex, false, &|_| vec![change(vec![Op::Bool(true)], Some(int(0)))])?;
                self.update(&mutex, true, &|x| vec![change(is(Cmp::Eq, x, 0), Some(int(1)))])?;
            }
            _ => return self.atomic(of, &operands.place(0)?.atomic(), operands, at),
        }
        match ty {
            Type::Void => Ok(void()),
            ty => Ok(Value::constant(0, ty)),
        }
    }

    /// The type of the result of a function without a definition.
    pub(crate) fn builtin_type(
        &mut self,
        name: &str,
        arguments: Arguments<'a>,
        at: usize,
    ) -> Lower<Type> {
        match modelled(name) {
            Some(of) if of.gives == Gives::Pointed => {
                let first = arguments.first();
                let first = first.ok_or_else(|| Fault::wrong(at, "too few arguments"));
                let pointer = self.type_of(first?)?;
                let of = pointer.pointee().map(|ty| ty.plain().clone());
                of.ok_or_else(|| Fault::unsupported(at, "the type of this call"))
            }
            Some(of) => self.gives(of, name, at),
            None => Ok(Type::Void),
        }
    }

    /// The type of a result that does not depend on the operands.
    fn gives(&mut self, of: &Modelled, name: &str, at: usize) -> Lower<Type> {
        Ok(match of.gives {
            Gives::Void | Gives::Pointed => Type::Void,
            Gives::Int => Type::int(),
            Gives::Bool => Type::Int(Integer::BOOL),
            Gives::Long => {
                Type::Int(Integer { bits: self.unit.types.long(), signed: true, rank: 4 })
            }
            Gives::Chosen => self.chosen_type(name, &name[CHOSEN.len()..], at)?,
        })
    }

    /// The type of a chosen value: as declared, or after its name.
    pub(crate) fn chosen_type(&self, name: &str, kind: &str, at: usize) -> Lower<Type> {
        if let Some(Entity::Function(ty)) = self.unit.global(name)
            && let Some(function) = function_type(ty)
            && function.result.is_scalar()
        {
            return Ok(function.result.clone());
        }
        let long = self.unit.types.long();
        let (bits, signed, rank) = match kind {
            "bool" | "_Bool" => return Ok(Type::Int(Integer::BOOL)),
            "char" => (8, true, 1),
            "uchar" | "unsigned_char" | "u8" => (8, false, 1),
            "short" => (16, true, 2),
            "ushort" | "u16" => (16, false, 2),
            "int" => (32, true, 3),
            "uint" | "unsigned" | "u32" => (32, false, 3),
            "long" => (long, true, 4),
            "ulong" | "size_t" => (long, false, 4),
            "longlong" => (64, true, 5),
            "ulonglong" => (64, false, 5),
            _ => return Err(Fault::unsupported(at, format!("`{name}`, which is not declared"))),
        };
        Ok(Type::Int(Integer { bits, signed, rank }))
    }

    /// A step of a lock.
    fn lock(&mut self, does: &Does, place: &Place) -> Lower<()> {
        let always = || vec![Op::Bool(true)];
        match does {
            Does::Lock(Lock::Reader) => self
                .update(place, true, &|x| vec![change(is(Cmp::Ge, x, 0), Some(add(x, &int(1))))]),
            Does::Lock(how) => {
                let held = if *how == Lock::Writer { -1 } else { 1 };
                self.update(place, true, &move |x| vec![change(is(Cmp::Eq, x, 0), Some(int(held)))])
            }
            Does::Unlock => {
                self.assumed.locks = true;
                self.update(place, false, &|_| vec![change(always(), Some(int(0)))])
            }
            Does::UnlockShared => {
                self.assumed.locks = true;
                self.update(place, false, &|x| {
                    vec![
                        change(is(Cmp::Gt, x, 0), Some(sub(x, &int(1)))),
                        change(is(Cmp::Le, x, 0), Some(int(0))),
                    ]
                })
            }
            _ => self.write(place, &Value::constant(0, place.ty.clone())),
        }
    }

    fn try_lock(&mut self, how: Lock, place: &Place) -> Lower<Value> {
        let result = self.steps.temporary();
        let out = result.clone();
        self.update(place, false, &move |x| {
            let free = is(if how == Lock::Reader { Cmp::Ge } else { Cmp::Eq }, x, 0);
            let taken = match how {
                Lock::Reader => add(x, &int(1)),
                Lock::Writer => int(-1),
                Lock::Alone => int(1),
            };
            let busy = not(&free);
            let set = |value: u8| vec![(out.clone(), int(value))];
            vec![
                Change { when: free, value: Some(taken), set: set(0) },
                Change { when: busy, value: None, set: set(EBUSY) },
            ]
        })?;
        let (low, high) = (0.into(), EBUSY.into());
        Ok(Value { term: vec![result], ty: Type::int(), low, high, object: None })
    }

    /// `pthread_once`: the first one runs the function, and the others wait until it is done.
    fn once(&mut self, operands: &Operands<'a>, at: usize) -> Lower<()> {
        let place = operands.place(0)?;
        let Some(function) = self.memory.function_at(&operands.value(1)?) else {
            return Err(Fault::unsupported(at, "a function that is not known"));
        };
        let first = self.steps.temporary();
        let out = first.clone();
        self.update(&place, true, &move |x| {
            let set = |value: u8| vec![(out.clone(), int(value))];
            vec![
                Change { when: is(Cmp::Eq, x, 0), value: Some(int(1)), set: set(1) },
                Change { when: is(Cmp::Eq, x, 2), value: None, set: set(0) },
            ]
        })?;
        let [run, end] = [self.steps.node(), self.steps.node()];
        self.steps.split(&compare(Cmp::Eq, &[first], &int(1)), run, end)?;
        self.steps.resume(run);
        self.inline(&function, Vec::new(), at)?;
        self.update(&place, false, &|_| vec![change(vec![Op::Bool(true)], Some(int(2)))])?;
        self.steps.jump(end)?;
        self.steps.resume(end);
        Ok(())
    }
}

fn change(when: Vec<Op>, value: Option<Vec<Op>>) -> Change {
    Change { when, value, set: Vec::new() }
}
