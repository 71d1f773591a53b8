//! The assembler, and the command p5inst in [`command`].

pub mod command;

pub use p5_assembler::*;
