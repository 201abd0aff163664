//! Assertions as they are lowered: calls that fail, and static ones.

use crate::frontend::c::check::assertions::{Reason, is_assertion};
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use lang_c::ast::StaticAssert;
use lang_c::span::Node;
use num_bigint::BigInt;

impl<'a> Lowering<'a> {
    /// An assertion about constants: the compiler says so if it fails.
    pub(crate) fn static_assertion(&mut self, s: &'a Node<StaticAssert>) -> Lower<()> {
        let (at, mark) = (s.span.start, self.steps.mark());
        match self.constant(&s.node.expression) {
            Ok(value) if value == BigInt::from(0) => {
                Err(Fault::wrong(at, "this static assertion fails"))
            }
            Ok(_) => Ok(()),
            // It may have what is not modelled, such as the size of a union.
            Err(_) => {
                self.steps.rewind(mark);
                self.assertions.because(at, Reason::Compiler);
                Ok(())
            }
        }
    }

    /// The place of the assertion that fails at a call: that of a call of `__VERIFIER_assert`
    /// around it.
    pub(crate) fn failing(&mut self, at: usize) -> usize {
        let at = self.steps.path.outermost(is_assertion).unwrap_or(at);
        self.steps.failing(at);
        at
    }

    /// An assertion that the preprocessor has left out.
    pub(crate) fn disabled(&mut self, at: usize) {
        self.assertions.because(at, Reason::Disabled);
    }
}
