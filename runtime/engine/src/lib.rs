//! A second engine: blocks compiled to code of the host.
//!
//! The engine executes the operations of a block as `p5_meaning` does, and replays its schedule as `p5_timing` does.
//! What an operation does is said by its handler, and when it does it by the schedule's plan. Code is generated for the
//! usual course of frequent operations and groups; everything else is a call of the functions that the interpreter
//! uses. In the usual course, code itself updates the order of cache ways and pages and the counters of branches, as
//! `p5_timing::units` does; the tests compare both engines after each block.
//!
//! `emit` generates code as data. `memory` has the memory that holds it, `links` where its ways out lead, `host` what
//! the processor can do, `frame` what code and engine share, `run` calls code, and code calls `calls`: all that is
//! unsafe is in these.

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod calls;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod elsewhere;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod emit;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod frame;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod host;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod links;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod memory;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod run;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
pub use elsewhere::Engine;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use run::Engine;

use p5_meaning::exec::Outcome;
use p5_timing::pipeline::AfterCold;

/// The reason why the engine is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The host is not Linux on an x86-64 processor with the instructions that the code needs.
    Host,
    /// The host gives no executable memory; why, in its words.
    Memory(String),
    /// The time of the chip's instructions depends on more than schedules say.
    Chip,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Host => formatter.write_str("this is not Linux on an x86-64 processor"),
            Refused::Memory(why) => write!(formatter, "the system gives no memory for code ({why})"),
            Refused::Chip => formatter.write_str("the pipeline of this chip is not known to the compiler yet"),
        }
    }
}

/// What has become of a block that was to be compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiled {
    /// Its code has this number.
    Unit(u32),
    /// It may be compiled another time.
    NotNow,
    /// It is not suited.
    Never,
}

/// Where compiled code has stopped.
#[derive(Clone, Debug)]
pub struct Ran {
    /// The number that the caller gave the block.
    pub block: u32,
    /// The outcome of the block's operations.
    pub outcome: Outcome,
    /// Whether the block has been replayed; if not, the caller replays it.
    pub replayed: bool,
    /// The way out of the block, for [`Engine::link`].
    pub way: Option<Way>,
}

/// A way out of a compiled block to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The number of the code.
    pub(crate) unit: u32,
    /// The number of the way, or the address of the next instruction if it is not always the same.
    pub(crate) exit: Exit,
}

/// The kinds of ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Direct(u32),
    Indirect(u32),
    /// After a replay of lines that were not at hand, which came to this state.
    Cold(AfterCold),
}
