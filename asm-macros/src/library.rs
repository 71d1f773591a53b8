//! The macro library as text, for whoever assembles it.

/// `p5.inc`, the library in MASM/TASM syntax.
pub const P5_INC: &str = include_str!("../inc/p5.inc");
