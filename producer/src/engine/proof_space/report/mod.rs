//! What a search can tell that found nothing.

pub mod diagnosis;
mod families;
pub mod growth;
pub mod summary;
