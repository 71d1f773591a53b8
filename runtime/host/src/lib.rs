//! Running programs on this machine: native runs, each set in a child process, and the host's performance counters.

pub mod native;
pub mod perf;
