//! The assembler's front end: source text in, an [`runtime::image::Image`] and diagnostics out.

pub mod diag;
pub mod operand;
pub mod render;
pub mod select;
pub mod source;
