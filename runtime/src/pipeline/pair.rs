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
    if single_pipe {
        return Err(Refusal::SinglePipe);
    }
    match u.row.class {
        Class::Np => return Err(Refusal::FirstNotPairable),
        Class::Pv => return Err(Refusal::FirstOnlyV),
        Class::Fx if !v.exchanges() => return Err(Refusal::FirstOnlyWithExchange),
        Class::Uv | Class::Pu if v.exchanges() => return Err(Refusal::SecondExchange),
        Class::Uv | Class::Pu | Class::Fx => {}
    }
    match v.row.class {
        Class::Np => return Err(Refusal::SecondNotPairable),
        Class::Pu | Class::Fx => return Err(Refusal::SecondOnlyU),
        Class::Uv | Class::Pv => {}
    }
    if only_in_u(v, rules) {
        return Err(Refusal::SecondPrefix);
    }
    if has_both_constants(u, rules) || has_both_constants(v, rules) {
        return Err(Refusal::DisplacementAndImmediate);
    }
    if is_too_long(u, rules) || is_too_long(v, rules) {
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

/// The pipes that `op` can issue to, whatever it pairs with.
pub(super) fn class(op: &Op, rules: &Rules) -> Class {
    match op.row.class {
        _ if has_both_constants(op, rules) || is_too_long(op, rules) => Class::Np,
        Class::Uv if only_in_u(op, rules) => Class::Pu,
        Class::Pv if only_in_u(op, rules) => Class::Np,
        class => class,
    }
}

/// Whether a displacement together with an immediate keeps `op` from pairing.
fn has_both_constants(op: &Op, rules: &Rules) -> bool {
    rules.displacement_with_immediate_never_pairs && op.displacement_and_immediate
}

/// Whether its length keeps `op` from pairing. The decoder treats a prefix as a separate instruction, so prefixes do
/// not count.
fn is_too_long(op: &Op, rules: &Rules) -> bool {
    op.length - op.prefixes > rules.longest_paired
}

/// Whether a prefix keeps `op` out of the V pipe.
fn only_in_u(op: &Op, rules: &Rules) -> bool {
    rules.prefixed_goes_to_u && op.prefixes > 0
}

/// The clocks from the pair's issue to the start of V. V starts in the last clock of a read-modify-write in U.
pub(crate) fn v_begins(u: &Op, u_clocks: u32) -> u32 {
    if u.modifies_memory { u_clocks - 1 } else { 0 }
}
