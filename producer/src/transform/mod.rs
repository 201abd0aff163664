//! Programs made from programs: a fixed number of threads, symmetric templates as one, locals
//! unfolded into locations, proposals of abstract threads.

pub mod instances;
pub mod suggest;
pub mod symmetry;
