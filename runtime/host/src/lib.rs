//! Code on this machine: native runs in a process of their own, and counters of the host.

pub mod native;
pub mod perf;
