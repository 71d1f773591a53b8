//! The meaning of instructions: their effects on registers, memory and floating point, and the services of a system.

pub mod exec;
pub mod memory;
pub mod services;
