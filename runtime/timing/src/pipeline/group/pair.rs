//! Pairing: whether two instructions issue together, and when the second one begins.
//!
//! Modelled: all pairing rules in the manuals and in Agner Fog's measurements. Not modelled: single-stepping.
//!
//! Sources: Agner Fog, Microarchitecture (2020-09), 3.3 and table 4.1; Intel, Architecture Optimization Manual 1997,
//! 3.6; Intel, Pentium Processor Family Developer's Manual 1997, 2.2.

use crate::block::{Op, RegisterSet, Stack};
use p5_chips::{BothConstants, Class, Rules};
use p5_results::Refusal;

/// The registers whose dependencies prevent pairing. Flags do not: CMP pairs with Jcc. Instructions that load segment,
/// control or debug registers never pair.
const PAIRING: RegisterSet = RegisterSet::GENERAL.union(RegisterSet::PACKED);

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
        Class::Uv | Class::Pu | Class::Packed(_) if v.exchanges() => return Err(Refusal::SecondExchange),
        Class::Uv | Class::Pu | Class::Fx | Class::Packed(_) => {}
    }
    match v.row.class {
        Class::Np => return Err(Refusal::SecondNotPairable),
        Class::Pu | Class::Fx => return Err(Refusal::SecondOnlyU),
        Class::Packed(_) if v.packed_use.is_some_and(|used| used.only_in_u) => return Err(Refusal::SecondOnlyU),
        Class::Uv | Class::Pv | Class::Packed(_) => {}
    }
    match (u.row.class, v.row.class) {
        (Class::Packed(unit), Class::Packed(other)) if unit == other && !unit.in_both_pipes() => {
            return Err(Refusal::SameUnit);
        }
        (Class::Packed(_), Class::Packed(_)) => {}
        (Class::Packed(_), _) if u.packed_use.is_some_and(|used| used.only_in_u) => {
            return Err(Refusal::FirstOnlyWithPacked);
        }
        _ => {}
    }
    if v.prefixed_to_u {
        return Err(Refusal::SecondPrefix);
    }
    if u.displacement_and_immediate && never_with_both(rules) || v.displacement_and_immediate {
        return Err(Refusal::DisplacementAndImmediate);
    }
    let [longest_in_u, longest_in_v] = rules.longest_paired;
    if is_longer(u, longest_in_u) || is_longer(v, longest_in_v) {
        return Err(Refusal::TooLong);
    }
    // The implicit change of ESP is not a dependency between these instructions; an explicit ESP operand is.
    let stack_pair = u.stack.pairs_with(v.stack) && !u.names_esp && !v.names_esp;
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

/// The pipes that `op` can issue to, whatever its partner.
pub(in crate::pipeline) fn class(op: &Op, rules: &Rules) -> Class {
    let [longest_in_u, longest_in_v] = rules.longest_paired;
    let only_in_u = op.prefixed_to_u || op.displacement_and_immediate || is_longer(op, longest_in_v);
    match op.row.class {
        _ if op.displacement_and_immediate && never_with_both(rules) || is_longer(op, longest_in_u) => Class::Np,
        Class::Uv | Class::Packed(_) if only_in_u => Class::Pu,
        Class::Pv if only_in_u => Class::Np,
        class => class,
    }
}

/// Whether an instruction with both a displacement and an immediate never pairs.
fn never_with_both(rules: &Rules) -> bool {
    rules.displacement_with_immediate == BothConstants::Unpaired
}

/// Whether `op` is longer than `longest`. The decoder treats a prefix as a separate instruction, so prefixes do not
/// count.
fn is_longer(op: &Op, longest: u8) -> bool {
    op.length - op.prefixes > longest
}

/// The clocks from the pair's issue to the start of V. V starts in the last clock of a read-modify-write in U.
pub(crate) fn v_begins(u: &Op, u_clocks: u32) -> u32 {
    if u.modifies_memory { u_clocks - 1 } else { 0 }
}
