//! The words that all parts share: registers, faults, facts about instructions, causes of clocks.

pub mod causes;
pub mod descriptor;
pub mod facts;
pub mod fault;
pub mod flags;
pub mod fpu;
pub mod isa;
pub mod mode;
pub mod printable;
pub mod register_set;
pub mod registers;
pub mod signals;
pub mod stack_use;
