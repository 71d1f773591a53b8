//! The resources that an instruction needs to issue, regardless of the state of the program: the basis of time bounds.
//!
//! Modelled: the pipes it takes, its least clocks, and the registers and clocks it waits for. Not modelled: waits for
//! caches, the bus, predictions and prefixes.

use super::group::pair;
use super::state::readiness::Precisions;
use crate::block::{ExClocks, Op, Stack};
use p5_chips::{Class, PackedUnit, Rules};
use p5_results::{FloatingNeeds, Flow, Needs, PackedNeeds, Pipe};

/// The properties of an instruction that only its decoded form shows.
pub struct Decoded {
    /// Its effect on the flow of control.
    pub flow: Flow,
    /// Whether it is a branch to the next instruction.
    pub to_next: bool,
    /// The address that a direct jump or call leads to.
    pub target: Option<u32>,
    /// Whether the next instruction may follow it, in a call after the return.
    pub falls_through: bool,
    /// Whether it is the short form of a store from the accumulator.
    pub short_store: bool,
    /// Whether some form of its mnemonic pairs.
    pub other_form_pairs: bool,
    /// The flags it reads and the flags it writes, one bit each.
    pub flags: [u8; 2],
}

/// The pipes, clocks and units that `op` needs by `rules`, at CPL 1 to 3 if it is `user`. `decoded` has its other
/// properties; `precisions` are the precision controls of the run's divisions.
pub fn needs(op: &Op, rules: &Rules, user: bool, decoded: &Decoded, precisions: Precisions) -> Needs {
    let floating = op.row.fpu.map(|fpu| FloatingNeeds {
        stack: op.stack_use,
        beside_exchange: op.row.class == Class::Fx,
        latency: fpu.latency,
        throughput: fpu.throughput,
        saved: precisions.most(fpu.less_by_precision),
        multiplier: fpu.multiplier,
        operands_ahead: fpu.operands_ahead,
    });
    let unit = match op.row.class {
        Class::Packed(unit) => Some(unit),
        _ => None,
    };
    let packed = op.packed_use.map(|used| PackedNeeds {
        unit,
        settles: match unit {
            Some(PackedUnit::Multiplier) => rules.packed_multiply - 1,
            _ => 0,
        },
        operands_ahead: if used.stores { rules.packed_store_ahead } else { 0 },
    });
    Needs {
        floating,
        packed,
        takes: match pair::class(op, rules) {
            Class::Np | Class::Fx => &[Pipe::U, Pipe::V],
            Class::Pu => &[Pipe::U],
            Class::Pv => &[Pipe::V],
            Class::Packed(_) if op.packed_use.is_some_and(|used| used.only_in_u) => &[Pipe::U],
            Class::Uv | Class::Packed(_) => &[],
        },
        clocks: match op.clocks {
            // The number of iterations may be zero.
            ExClocks::PerIteration(start_up, _) => start_up.min(rules.repeated_zero_times),
            _ => op.static_clocks(user),
        },
        varies: !matches!(op.clocks, ExClocks::Known(..)),
        flags_read: decoded.flags[0],
        flags_written: decoded.flags[1],
        reads: op.reads,
        writes: op.writes,
        addresses: op.address_registers,
        interlocks: op.interlocks,
        address_wait: rules.address_interlock,
        flow: decoded.flow,
        to_next: decoded.to_next,
        target: decoded.target,
        falls_through: decoded.falls_through,
        stack: if op.names_esp { Stack::None } else { op.stack },
        short_store: decoded.short_store,
        unpaired_form: (decoded.other_form_pairs && op.row.class == Class::Np).then_some(op.row.form),
    }
}
