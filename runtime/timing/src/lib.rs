//! Time: the clock at which each instruction executes, decided by pipes, caches, branch prediction and the bus.

pub mod block;
pub mod counters;
pub mod pipeline;
pub mod units;
