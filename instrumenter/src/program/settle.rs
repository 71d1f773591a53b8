//! The fixpoint that gives each fragment its address. Branches only grow, so the passes end.

use super::layout::FragmentKind;
use super::{Program, Value, encode_values, evaluate_operands};
use crate::diag::{Fault, fault};
use crate::operand::Distance;
use crate::session::Session;
use crate::statement::MOST_OPERANDS;

/// Gives every fragment its final address.
pub(crate) fn settle(session: &mut Session, program: &mut Program) {
    program.layout.resolved = true;
    program.layout.place();
    // With every name known, all lengths except those of branches are final after one pass.
    for index in 0..program.deferred.len() {
        if let Err(problem) = settle_length(session, program, index) {
            let origin = program.deferred[index].instruction.origin;
            program.deferred[index].failed = true;
            session.report_at(problem, origin);
        }
    }
    program.layout.place();
    let branches: Vec<usize> = (0..program.deferred.len())
        .filter(|&index| program.deferred[index].branch == Some(false) && !program.deferred[index].failed)
        .collect();
    for pass in 0.. {
        let mut grown = false;
        for &index in &branches {
            grown |= grow(session, program, index);
        }
        if !grown {
            break;
        }
        program.layout.place();
        if pass >= session.limits.passes {
            let span = branches.first().map(|&index| program.deferred[index].instruction.span);
            session.report(fault(
                span.unwrap_or_default(),
                format!("branch distances did not converge in {} passes", session.limits.passes),
            ));
            break;
        }
    }
}

fn settle_length(session: &Session, program: &mut Program, index: usize) -> Result<(), Fault> {
    let deferred = &program.deferred[index];
    let location = deferred.location;
    let fragment = &program.layout.segments[location.segment as usize].fragments[location.fragment as usize];
    if !matches!(fragment.kind, FragmentKind::Variable(_)) {
        return Ok(());
    }
    let instruction = deferred.instruction;
    let mut values = [Value::number(0); MOST_OPERANDS];
    evaluate_operands(session, program, &instruction, &mut values)?;
    let address = program.layout.address(location);
    let encoded = match program.deferred[index].branch {
        // A branch stays short until its target is out of reach.
        Some(_) => encode_values(
            session,
            program,
            &instruction,
            &values,
            address,
            Some(Distance::Short),
            true,
        )?,
        None => {
            let free = encode_values(session, program, &instruction, &values, address, None, true)?;
            if free.relaxable {
                program.deferred[index].branch = Some(false);
            }
            free
        }
    };
    set_length(program, index, u32::from(encoded.length));
    Ok(())
}

fn set_length(program: &mut Program, index: usize, length: u32) {
    let deferred = &mut program.deferred[index];
    deferred.length = length;
    let location = deferred.location;
    program.layout.segments[location.segment as usize].fragments[location.fragment as usize].length = length;
}

/// Makes a short branch near if its target is out of reach; returns whether it did.
fn grow(session: &Session, program: &mut Program, index: usize) -> bool {
    let deferred = &program.deferred[index];
    if deferred.branch != Some(false) {
        return false;
    }
    let instruction = deferred.instruction;
    let after = i64::from(program.layout.address(deferred.location)) + i64::from(deferred.length);
    let mut values = [Value::number(0); MOST_OPERANDS];
    if evaluate_operands(session, program, &instruction, &mut values).is_err() {
        return false;
    }
    if values[0].short || i8::try_from(values[0].number - after).is_ok() {
        return false;
    }
    let address = program.layout.address(program.deferred[index].location);
    if let Ok(encoded) = encode_values(
        session,
        program,
        &instruction,
        &values,
        address,
        Some(Distance::Near),
        false,
    ) {
        program.deferred[index].branch = Some(true);
        set_length(program, index, u32::from(encoded.length));
        return true;
    }
    false
}
