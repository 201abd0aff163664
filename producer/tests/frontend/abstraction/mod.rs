//! Abstract threads: the layers of programs that they make, and what is refused.

mod comparable;
mod layers;
mod loops;
mod refused;

pub use comparable::comparable_layers;
