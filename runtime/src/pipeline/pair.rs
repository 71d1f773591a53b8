//! Whether two instructions issue together, and how long a pair takes.
//!
//! Modelled: all pairing conditions of the manuals and of Agner Fog's measurements. Not modelled: single-stepping.
//!
//! Sources: Agner Fog, Microarchitecture (2020-09), 3.3 and table 4.1; Intel, Architecture Optimization Manual 1997, 3.6;
//! Intel, Pentium Processor Family Developer's Manual 1997, 2.2.

use crate::block::{Op, RegisterSet, Stack};
use crate::model::{Class, Rules};
use crate::run::Refusal;

/// The registers whose use keeps two instructions apart. Flags do not: CMP pairs with Jcc. Instructions that load segment,
/// control or debug registers never pair.
const PAIRING: RegisterSet = RegisterSet::GENERAL;

/// Whether `v` may issue in the V pipe beside `u` in the U pipe; if not, the first reason.
///
/// `u_known` says whether `u`'s length is known from an earlier execution.
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
    // A prefix is an instruction of its own to the decoder, so it does not make its instruction longer.
    if [u, v].iter().any(|op| op.length - op.prefixes > rules.longest_paired) {
        return Err(Refusal::TooLong);
    }
    // ESP as it moves by itself is no dependency between these; ESP named by an operand is.
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

/// How many clocks after the pair's issue the V pipe's work begins: a read-modify-write in U lets V in at its last clock.
pub(crate) fn v_begins(u: &Op, u_clocks: u32) -> u32 {
    if u.modifies_memory { u_clocks - 1 } else { 0 }
}
