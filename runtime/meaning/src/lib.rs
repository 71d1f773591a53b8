//! What an instruction does: registers, memory, floating point and services of a system.

pub mod exec;
pub mod memory;
pub mod services;
