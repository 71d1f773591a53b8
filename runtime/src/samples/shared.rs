//! Waits of both instructions of a pair at the same time, which their packets show twice.

use super::{Clocks, StallRow};
use crate::advice::Charged;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

// Places in `BLAMES`.
const READ_MISS: usize = 0;
const MISALIGNED: usize = 5;
const BANK_CONFLICT: usize = 6;
const LOCKSTEP: usize = 7;

/// Takes away what is waited for at the same time. Of misaligned accesses of both instructions, and of a bank conflict
/// of V while the read in U alone waits for its line, that is the part in V; of a read in U that misses, the clocks in
/// which the instruction in V goes on anyway. What happens to one in an execution is taken as independent of the other.
pub(super) fn share_waits(rows: &mut BTreeMap<u32, StallRow>, charges: &FxHashMap<u32, Charged>, scale: f64) {
    let beside = |address: &u32| charges.get(address)?.beside;
    let pairs: Vec<(u32, u32)> = rows.keys().filter_map(|v| Some((*v, beside(v)?))).collect();
    for (v, u) in pairs {
        let (Some(in_v), Some(in_u)) = (rows.get(&v), rows.get(&u)) else {
            continue;
        };
        let misses = &in_u.causes[READ_MISS];
        let meanwhile = per_op(in_v, LOCKSTEP, scale).min(each(misses, scale));
        let hidden = misses.samples as f64 * scale * meanwhile;
        // A read in V that misses, too, begins the later for the bank.
        let alone = waiting(in_u, READ_MISS, scale) * (1.0 - waiting(in_v, READ_MISS, scale));
        let taken = [(MISALIGNED, waiting(in_u, MISALIGNED, scale)), (BANK_CONFLICT, alone)];
        let taken = taken.map(|(cause, share)| (cause, in_v.causes[cause].clocks * share));
        reduce(rows.get_mut(&u), READ_MISS, hidden);
        for (cause, clocks) in taken {
            reduce(rows.get_mut(&v), cause, clocks);
        }
    }
}

/// The clocks of a cause for one op, on average.
fn per_op(row: &StallRow, cause: usize, scale: f64) -> f64 {
    let ops = row.samples.estimate(scale);
    if ops > 0.0 { row.causes[cause].clocks / ops } else { 0.0 }
}

/// The share of an instruction's ops that wait for a cause.
fn waiting(row: &StallRow, cause: usize, scale: f64) -> f64 {
    let each = each(&row.causes[cause], scale);
    if each > 0.0 {
        (per_op(row, cause, scale) / each).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The clocks of one wait, on average.
fn each(waits: &Clocks, scale: f64) -> f64 {
    waits.clocks / waits.samples.max(1) as f64 / scale
}

fn reduce(row: Option<&mut StallRow>, cause: usize, clocks: f64) {
    if let Some(row) = row.filter(|_| clocks > 0.0) {
        row.causes[cause].reduce(clocks);
        row.stall.reduce(clocks);
    }
}
