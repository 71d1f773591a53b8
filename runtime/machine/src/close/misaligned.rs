//! Variables that lie where all accesses to their elements are misaligned.
//!
//! Modelled: what is traced. An access is due to the place of its variable if it would be aligned, were the variable.
//! Not modelled: variables on the stack, and what a pointer into a variable or an index misaligns by itself.

use p5_image::{Image, Symbol, SymbolKind};
use p5_results::{Cause, InstructionResult, Issued, Note};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// The fewest misaligned accesses of a variable that are told.
const FEWEST: usize = 16;
/// The most variables that are named.
const NAMED: usize = 3;

/// What is traced of a variable.
#[derive(Default)]
struct Found {
    accesses: usize,
    /// The instructions that access it.
    by: Vec<u32>,
}

/// The note on such variables of a source.
pub(super) fn note<'a>(
    image: &Image,
    traces: impl Iterator<Item = &'a [Issued]>,
    instructions: &[InstructionResult],
) -> Option<Note> {
    // Of a program that another tool has built, nobody knows what puts a variable where it is.
    if image.process_stack().is_some() {
        return None;
    }
    let data = |symbol: &&Symbol| !symbol.library && symbol.size > 0 && alignment(symbol).is_some();
    let mut symbols: Vec<&Symbol> = image.symbols.iter().filter(data).collect();
    symbols.sort_by_key(|symbol| symbol.value);
    let at = |address: u32| {
        let before = symbols
            .partition_point(|symbol| symbol.value <= address)
            .checked_sub(1)?;
        let symbol = symbols[before];
        (address - symbol.value < symbol.size).then_some(before)
    };
    let mut found: FxHashMap<usize, Found> = FxHashMap::default();
    // Which variable each instruction misaligns; none if it is several, or one that is not the reason.
    let mut of: FxHashMap<u32, Option<usize>> = FxHashMap::default();
    for one in traces.flatten() {
        let waits = one.slowed.main().is_some_and(|main| main.cause == Cause::Misaligned);
        let Some(address) = one.data.filter(|_| waits) else {
            continue;
        };
        let variable = at(address).filter(|&symbol| is_due_to(symbols[symbol], address));
        let known = of.entry(one.instruction).or_insert(variable);
        if *known != variable {
            *known = None;
        }
        if let Some(variable) = variable {
            let found = found.entry(variable).or_default();
            found.accesses += 1;
            if !found.by.contains(&one.instruction) {
                found.by.push(one.instruction);
            }
        }
    }
    let told = found.into_iter().filter(|(_, found)| found.accesses >= FEWEST);
    let mut told: Vec<(u64, &Symbol)> = told
        .map(|(variable, found)| {
            let alone = |by: &&u32| of.get(by) == Some(&Some(variable));
            let misaligned = |by: &u32| {
                let row = instructions.get(*by as usize)?;
                row.causes.iter().find(|one| one.cause == Cause::Misaligned)
            };
            let clocks = found.by.iter().filter(alone).filter_map(misaligned);
            (clocks.map(|one| one.cycles).sum(), symbols[variable])
        })
        .filter(|(clocks, _)| *clocks > 0)
        .collect();
    told.sort_by_key(|(clocks, symbol)| (Reverse(*clocks), symbol.value));
    let first = told
        .iter()
        .map(|(_, symbol)| symbol)
        .min_by_key(|symbol| symbol.value)?;
    Some(Note::MisalignedData {
        variables: told.iter().take(NAMED).map(|(_, symbol)| symbol.name.clone()).collect(),
        more: told.len().saturating_sub(NAMED),
        first: first.name.clone(),
        alignment: alignment(first)?,
        clocks: told.iter().map(|(clocks, _)| clocks).sum(),
    })
}

/// The alignment that the elements of a variable ask for; `None` if it has that already, or is no data.
fn alignment(symbol: &Symbol) -> Option<u32> {
    let SymbolKind::Data { element, .. } = symbol.kind else {
        return None;
    };
    let wanted = match element {
        2 => 2,
        8 | 10 => 8,
        _ => 4,
    };
    (!symbol.value.is_multiple_of(wanted)).then_some(wanted)
}

/// Whether the access at `address` would be aligned, were the variable.
fn is_due_to(symbol: &Symbol, address: u32) -> bool {
    alignment(symbol).is_some_and(|wanted| address.wrapping_sub(symbol.value).is_multiple_of(wanted))
}
