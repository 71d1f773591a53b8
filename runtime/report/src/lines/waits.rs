//! Whose wait the clocks of an address interlock are, which are counted with the instruction in U.

use p5_results::{Cause, InstructionResult, RegisterSet, Run};

/// The most instructions that are issued at once.
const GROUP: usize = 2;

/// For each instruction, whether the clocks that an address interlock costs it are those of its partner in V: it
/// computes no address itself, or what always comes directly before it writes only what its partner's address needs.
pub(crate) fn waits_for_next(run: &Run) -> Vec<bool> {
    let all = &run.instructions;
    let follows = |first: &InstructionResult, second: &InstructionResult| {
        let adjoin = first.address.wrapping_add(u32::from(first.length)) == second.address;
        adjoin && first.executions == second.executions
    };
    let partner = |index: usize| {
        let (one, next) = (all.get(index)?, all.get(index + 1)?);
        Some(next).filter(|next| one.address.wrapping_add(u32::from(one.length)) == next.address && next.v > 0)
    };
    let written = |index: usize| {
        let before = (1..=GROUP).map_while(|back| {
            let at = index.checked_sub(back)?;
            let (one, next) = (all.get(at)?, all.get(at + 1)?);
            follows(one, next).then_some(one.needs.interlocks)
        });
        before.fold(RegisterSet::EMPTY, RegisterSet::union)
    };
    let waits = |(index, one): (usize, &InstructionResult)| {
        let waits = one.causes.iter().any(|one| one.cause == Cause::Agi && one.cycles > 0);
        let Some(next) = partner(index).filter(|_| waits) else {
            return false;
        };
        let addresses = one.needs.addresses;
        let of_next = || {
            let written = written(index);
            !written.intersects(addresses) && written.intersects(next.needs.addresses)
        };
        addresses == RegisterSet::EMPTY || of_next()
    };
    all.iter().enumerate().map(waits).collect()
}
