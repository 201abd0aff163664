//! From files to a syntax tree: the preprocessor, the parser, and questions about the tree alone.

pub(crate) mod counted;
pub(crate) mod modelled;
pub(crate) mod preprocess;
pub(crate) mod query;
pub(crate) mod source;
