//! What an instruction needs to issue, apart from what the program was doing: the basis of bounds on its time.
//!
//! Modelled: the pipes it takes, its least clocks, and the registers and clocks it waits for. Not modelled: waits for
//! caches, the bus, predictions and prefixes.

use super::pair;
use crate::block::{ExClocks, Op};
use crate::model::{Class, Rules};
use crate::run::{Needs, Pipe};

/// What `op` needs by `rules`; `user` selects CPL 1 to 3, `jump` is set if it is a jump, `to_next` if it is a branch to
/// the next instruction, `overlap_unknown` if its overlap with others is not simulated.
pub(crate) fn needs(op: &Op, rules: &Rules, user: bool, [jump, to_next, overlap_unknown]: [bool; 3]) -> Needs {
    Needs {
        overlap_unknown,
        takes: match pair::class(op, rules) {
            Class::Np | Class::Fx => &[Pipe::U, Pipe::V],
            Class::Pu => &[Pipe::U],
            Class::Pv => &[Pipe::V],
            Class::Uv => &[],
        },
        clocks: match op.clocks {
            // It may make no iteration.
            ExClocks::PerIteration(start_up, _) => start_up.min(rules.repeated_zero_times),
            _ => op.static_clocks(user),
        },
        reads: op.reads,
        writes: op.writes,
        addresses: op.address_registers,
        interlocks: op.interlocks,
        address_wait: rules.address_interlock,
        jump,
        to_next,
    }
}
