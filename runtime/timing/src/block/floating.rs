//! The floating-point work of an instruction, gathered from its timing row and its use of the register stack.

use super::{Branch, ExClocks, Properties};

/// The work of an instruction in the floating-point unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Floating {
    /// Clocks after EX until its results are in their registers.
    pub(crate) settles: u32,
    /// Clocks after EX until the unit accepts the next instruction.
    pub(crate) occupies: u32,
    /// Clocks after EX until the multiplier is free, if it uses the multiplier.
    pub(crate) multiplier: Option<u32>,
    /// The clocks that 24-bit and 53-bit precision control save in `settles` and `occupies`.
    pub(crate) less_by_precision: [u32; 2],
    /// Clocks by which its operands must be ready before its issue.
    pub(crate) operands_ahead: u32,
    /// Clocks of waiting for the status of the instruction before, after the unit could have accepted this one.
    pub(crate) status_behind: u32,
    /// The registers whose values it needs, one bit each, relative to the top before it.
    pub(crate) needs: u8,
    /// The registers it writes, one bit each, relative to the top before it.
    pub(crate) writes: u8,
    /// The number of registers by which it moves the top.
    pub(crate) rotation: i8,
    /// The register that it exchanges with ST(0); 0 for none.
    pub(crate) exchanges: u8,
    /// Whether its facts end with a word for the circumstances of an operation.
    pub(crate) counted: bool,
    /// The number of floating-point operations that the event counts for it.
    pub(crate) operations: u32,
    /// Whether it waits for the unit, which an instruction of the chip may occupy for long.
    pub(crate) awaits_unit: bool,
    /// Whether its time depends only on the unit's registers and one access.
    pub(crate) plain: bool,
}

impl Floating {
    pub(super) fn of(op: &Properties) -> Option<Floating> {
        let (used, fpu) = (op.stack_use?, op.row.fpu?);
        let clocks = op.static_clocks(false);
        Some(Floating {
            settles: op.settles,
            occupies: op.occupies,
            multiplier: (fpu.multiplier > 0).then(|| fpu.multiplier.saturating_sub(clocks)),
            less_by_precision: fpu.less_by_precision,
            operands_ahead: fpu.operands_ahead,
            status_behind: fpu.status_behind,
            needs: used.needs,
            writes: used.writes,
            rotation: used.rotation,
            exchanges: used.exchanges.unwrap_or(0),
            counted: op.counted,
            operations: op.operations,
            awaits_unit: op.awaits_unit,
            plain: is_plain(op),
        })
    }
}

/// Whether the time of a stack instruction depends only on the unit's registers and one access.
fn is_plain(op: &Properties) -> bool {
    op.accesses.len() <= 1
        && op.repeated.is_none()
        && op.awaits.is_empty()
        && op.branch == Branch::None
        && !(op.locked || op.io || op.looks_up || op.loads_segment || op.counts_as_branch || op.row.serializing)
        && matches!(op.clocks, ExClocks::Known(system, user) if system == user)
}
