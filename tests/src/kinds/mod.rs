//! What the tests know of each kind of proof: one file a kind. The functions of this file are the
//! registry: what lists all kinds for the tests.

mod counterexample;
pub(crate) mod proof_space;

use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::State;
use threadproof_format::proof::proof_space::ProofSpace;

/// A program in the core form and a certificate about it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub name: String,
    pub core: String,
    pub bytes: Vec<u8>,
}

impl Sample {
    pub fn new(name: &str, core: &str, bytes: Vec<u8>) -> Sample {
        Sample { name: name.to_owned(), core: core.to_owned(), bytes }
    }
}

/// A proof of one kind.
pub trait Kind {
    /// Why it is no proof, by z3 and by execution: about the program, and about the last layer's
    /// abstract program. It looks at no refutation and no hint.
    fn objection(&self, program: &Program, last: &Program) -> Option<String>;

    /// Drops the refutations and hints.
    fn forget_reasons(&mut self);

    /// Whether it is what it says of this program, as far as small numbers tell.
    ///
    /// # Errors
    /// What is false about it.
    fn executes(&self, program: &Program) -> Result<(), String>;

    /// The state by which it shows that its claim is not vacuous; none if the claim cannot be.
    fn witness(&self) -> Option<Option<&State>>;

    /// The initial state that it has.
    fn start(&mut self) -> &mut State;

    /// The proof space, if its obligations are those of one.
    fn obliged(&mut self) -> Option<&mut ProofSpace>;
}

/// A proof as what the tests know of it.
pub fn of(proof: &Proof) -> &dyn Kind {
    match proof {
        Proof::ProofSpace(proof) => proof,
        Proof::Counterexample(run) => run,
    }
}

/// The same, to change it.
pub fn of_mut(proof: &mut Proof) -> &mut dyn Kind {
    match proof {
        Proof::ProofSpace(proof) => proof,
        Proof::Counterexample(run) => run,
    }
}

/// Certificates by hand of each kind, that have fields which real proofs seldom have.
pub fn samples() -> Vec<Sample> {
    [proof_space::samples(), counterexample::samples()].concat()
}
