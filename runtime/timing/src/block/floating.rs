//! What the time of an instruction of the floating-point unit's stack depends on, gathered from its row and its use of
//! the stack.

use super::{Branch, ExClocks, Properties};

/// The work of an instruction in the floating-point unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Floating {
    /// Clocks after EX until its results are in their registers.
    pub(crate) settles: u32,
    /// Clocks after EX until the unit accepts the next instruction.
    pub(crate) occupies: u32,
    /// Clocks after EX until the multiplier is free, if it uses that.
    pub(crate) multiplier: Option<u32>,
    /// By how many clocks the first two are less under 24-bit and under 53-bit precision control.
    pub(crate) less_by_precision: [u32; 2],
    /// Clocks by which its operands must be ready before its issue.
    pub(crate) operands_ahead: u32,
    /// Clocks that it waits after the unit could have accepted it, for the status of the instruction before.
    pub(crate) status_behind: u32,
    /// The registers whose values it needs, one bit each, relative to the top before it.
    pub(crate) needs: u8,
    /// The registers it writes.
    pub(crate) writes: u8,
    /// The number of registers by which it moves the top.
    pub(crate) rotation: i8,
    /// The register that it exchanges with ST(0); 0 for none.
    pub(crate) exchanges: u8,
    /// Whether its facts end with the circumstances of an operation.
    pub(crate) counted: bool,
    /// How many times the event of floating-point operations counts it.
    pub(crate) operations: u32,
    /// Whether it has to wait for the unit, which an instruction of the chip may occupy for long.
    pub(crate) awaits_unit: bool,
    /// Whether its time depends on nothing else but one access.
    pub(crate) plain: bool,
}

impl Floating {
    /// The work of an instruction that has these properties, if it uses the stack.
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

/// Whether the time of an instruction of the stack depends on nothing else but one access.
fn is_plain(op: &Properties) -> bool {
    op.accesses.len() <= 1
        && op.repeated.is_none()
        && op.awaits.is_empty()
        && op.branch == Branch::None
        && !(op.locked || op.io || op.looks_up || op.loads_segment || op.counts_as_branch || op.row.serializing)
        && matches!(op.clocks, ExClocks::Known(system, user) if system == user)
}
