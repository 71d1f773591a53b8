//! When an instruction does it: pipes, caches, branch prediction and the bus.

pub mod block;
pub mod counters;
pub mod pipeline;
pub mod units;
