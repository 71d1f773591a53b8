//! The assembler, the [`budgets`] of sources, and the command p5inst in [`command`].

pub mod command;

pub use p5_assembler::*;
#[doc(inline)]
pub use p5_budgets as budgets;
