//! Pairing: whether two instructions issue together, and when the second one begins.
//!
//! Modelled: all pairing rules in the manuals and in Agner Fog's measurements. Not modelled: single-stepping.
//!
//! Sources: Agner Fog, Microarchitecture (2020-09), 3.3 and table 4.1; Intel, Architecture Optimization Manual 1997,
//! 3.6; Intel, Pentium Processor Family Developer's Manual 1997, 2.2.

use crate::block::{Op, RegisterSet, Stack};
use crate::model::{Class, Rules};
use crate::run::Refusal;

/// The registers whose dependencies prevent pairing. Flags do not: CMP pairs with Jcc. Instructions that load segment,
/// control or debug registers never pair.
const PAIRING: RegisterSet = RegisterSet::GENERAL;

/// Whether `v` may issue in the V pipe together with `u` in the U pipe; if not, the first reason.
///
/// `u_known` is set if the length of `u` is known from an earlier execution.
pub(crate) fn verdict(u: &Op, v: &Op, rules: &Rules, u_known: bool, single_pipe: bool) -> Result<(), Refusal> {
    match u.row.class {
        Class::Np => return Err(Refusal::FirstNotPairable),
        Class::Pv => return Err(Refusal::FirstOnlyV),
        Class::Uv | Class::Pu => {}
    }
    if single_pipe {
        return Err(Refusal::SinglePipe);
    }
    match v.row.class {
        Class::Np => return Err(Refusal::SecondNotPairable),
        Class::Pu => return Err(Refusal::SecondOnlyU),
        Class::Uv | Class::Pv => {}
    }
    if rules.prefixed_goes_to_u && v.prefixes > 0 {
        return Err(Refusal::SecondPrefix);
    }
    if rules.displacement_with_immediate_never_pairs && (u.displacement_and_immediate || v.displacement_and_immediate) {
        return Err(Refusal::DisplacementAndImmediate);
    }
    // The decoder treats a prefix as a separate instruction, so prefixes do not count towards the length.
    if [u, v].iter().any(|op| op.length - op.prefixes > rules.longest_paired) {
        return Err(Refusal::TooLong);
    }
    // The implicit change of ESP is not a dependency between these instructions; an explicit ESP operand is.
    let stack_pair = matches!(
        (u.stack, v.stack),
        (Stack::Push, Stack::Push | Stack::Call) | (Stack::Pop, Stack::Pop)
    ) && !u.names_esp
        && !v.names_esp;
    let mut writes = u.writes.intersection(PAIRING);
    if stack_pair {
        writes = writes.without(RegisterSet::ESP);
    }
    let (read, written) = (writes.intersection(v.reads), writes.intersection(v.writes));
    if read.union(written) == RegisterSet::ESP && u.stack != Stack::None {
        return Err(Refusal::StackPointer);
    }
    if !read.is_empty() {
        return Err(Refusal::ReadAfterWrite);
    }
    if !written.is_empty() {
        return Err(Refusal::WriteAfterWrite);
    }
    if rules.pairs_after_first_execution && !u_known && u.length > 1 {
        return Err(Refusal::FirstExecution);
    }
    Ok(())
}

/// The clocks from the pair's issue to the start of V. V starts in the last clock of a read-modify-write in U.
pub(crate) fn v_begins(u: &Op, u_clocks: u32) -> u32 {
    if u.modifies_memory { u_clocks - 1 } else { 0 }
}
