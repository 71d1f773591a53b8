//! Dialects: how a prepared line becomes a statement.

pub(crate) mod instruction;
pub(crate) mod masm;
pub(crate) mod words;
