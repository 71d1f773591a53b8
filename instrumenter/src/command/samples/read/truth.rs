//! Reads the exact figures of a recorded run, from the tables `truth_*`.

use super::super::bounds::{MOST_CAUSES, MOST_EVENTS, Sums};
use super::{Meta, Read, at_most, known, number, rows, summed, text};
use runtime::record::{TrueData, TrueInstruction, TruePairs, Truth};
use runtime::run::Cause;
use rusqlite::Connection;

/// The exact figures of a run of this many clocks. Numbers out of range and unknown instructions or causes are errors.
pub(super) fn truth(meta: &Meta, clocks: u64, database: &Connection) -> Read<Truth> {
    let query =
        "SELECT address, length, text, executions, ops, paired, clocks FROM truth_instructions ORDER BY address";
    let mut sums = Sums::new();
    let mut instructions = rows(database, query, |row| {
        let [executions, ops, paired, clocks] = summed(&mut sums, [3, 4, 5, 6].map(|column| number(row, column)))?;
        Ok(TrueInstruction {
            address: number(row, 0)?,
            length: number(row, 1)?,
            text: text(row, 2)?,
            executions,
            ops,
            paired,
            clocks,
            causes: Vec::new(),
            derived: Vec::new(),
        })
    })?;
    let at = |instructions: &[TrueInstruction], address: u32| {
        let found = instructions.binary_search_by_key(&address, |one| one.address);
        found.map_err(|_| format!("there are figures of an instruction at {address:X}h, but no such instruction"))
    };
    let mut sum = Sums::new();
    let causes = "SELECT address, cause, clocks FROM truth_causes";
    let causes = at_most(MOST_CAUSES, database, causes, |row| {
        let name = text(row, 1)?;
        let cause = Cause::ALL.iter().copied().find(|cause| cause.name() == name);
        let cause = cause.ok_or_else(|| format!("there is no cause {name:?} of clocks"))?;
        let [clocks] = summed(&mut sum, [number(row, 2)])?;
        Ok((number::<u32>(row, 0)?, cause, clocks))
    })?;
    for (address, cause, clocks) in causes {
        let at = at(&instructions, address)?;
        instructions[at].causes.push((cause, clocks));
    }
    let (mut derived, mut sum) = (Vec::new(), Sums::new());
    let events = at_most(
        MOST_EVENTS,
        database,
        "SELECT address, code, count FROM truth_events ORDER BY code",
        |row| {
            let [count] = summed(&mut sum, [number(row, 2)])?;
            Ok((known::<u32>(row, 0)?, number(row, 1)?, count))
        },
    )?;
    for (address, code, count) in events {
        match address {
            None => derived.push((code, count)),
            Some(address) => {
                let at = at(&instructions, address)?;
                instructions[at].derived.push((code, count));
            }
        }
    }
    let latencies = "SELECT field, value, count FROM truth_latencies ORDER BY rowid";
    let data = "SELECT address, accesses, stores, misses, latency, touched FROM truth_data ORDER BY address";
    let pairs = "SELECT address, pairs, overlapping, wasted, flights FROM truth_pairs ORDER BY address";
    let mut counted = Sums::new();
    let (mut of_data, mut of_pairs) = (Sums::new(), Sums::new());
    Ok(Truth {
        clocks,
        instructions,
        instructions_cut: meta.needed::<u8>("truth_instructions_cut")? != 0,
        derived,
        latencies: rows(database, latencies, |row| {
            let [count] = summed(&mut counted, [number(row, 2)])?;
            Ok((text(row, 0)?, number(row, 1)?, count))
        })?,
        data: rows(database, data, |row| {
            let touched: i64 = row.get(5).map_err(|error| error.to_string())?;
            let [accesses, stores, misses, latency] =
                summed(&mut of_data, [1, 2, 3, 4].map(|column| number(row, column)))?;
            Ok(TrueData {
                address: number(row, 0)?,
                accesses,
                stores,
                misses,
                latency,
                touched: touched as u64,
            })
        })?,
        data_cut: meta.needed_count("truth_data_cut")?,
        pairs: rows(database, pairs, |row| {
            let [pairs, overlapping, wasted, flights] =
                summed(&mut of_pairs, [1, 2, 3, 4].map(|column| number(row, column)))?;
            Ok(TruePairs {
                address: number(row, 0)?,
                pairs,
                overlapping,
                wasted,
                flights,
            })
        })?,
    })
}
