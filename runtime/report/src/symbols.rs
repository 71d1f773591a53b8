//! The data symbols of a run by address, for reports that look up many addresses.

use super::printable::{number, printable};
use p5_results::{Run, SymbolValue};

/// The symbols with at least one byte, in ascending order of address.
pub(super) struct Symbols<'a> {
    sorted: Vec<&'a SymbolValue>,
    // For each symbol, the greatest last address of it and all earlier ones.
    furthest: Vec<u32>,
}

impl<'a> Symbols<'a> {
    pub(super) fn of(run: &'a Run) -> Symbols<'a> {
        let mut sorted: Vec<&SymbolValue> = run.symbols.iter().filter(|symbol| symbol.size > 0).collect();
        sorted.sort_by_key(|symbol| symbol.address);
        let mut last = 0;
        let furthest = sorted.iter().map(|symbol| {
            last = symbol.address.saturating_add(symbol.size - 1).max(last);
            last
        });
        Symbols {
            furthest: furthest.collect(),
            sorted,
        }
    }

    pub(super) fn first(&self, [least, most]: [u32; 2]) -> Option<u32> {
        let index = self.furthest.partition_point(|&last| last < least);
        let symbol = self.sorted.get(index)?;
        (symbol.address <= most).then(|| symbol.address.max(least))
    }

    /// The name of an address by its symbol; if there are several, the nearest one.
    pub(super) fn name(&self, address: u32) -> Option<String> {
        let after = self.sorted.partition_point(|symbol| symbol.address <= address);
        let before = (0..after).rev().take_while(|&index| self.furthest[index] >= address);
        let mut around = before.map(|index| self.sorted[index]);
        let symbol = around.find(|symbol| address - symbol.address < symbol.size)?;
        Some(named(symbol, address - symbol.address))
    }
}

/// The name of an offset in a symbol.
pub(super) fn named(symbol: &SymbolValue, offset: u32) -> String {
    let name = printable(&symbol.name);
    match offset {
        0 => name,
        _ => format!("{name}+{}", number(offset)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reasons::place;
    use crate::specimen;

    #[test]
    fn a_name_is_the_one_that_a_search_of_all_symbols_finds() {
        let seed = p5_seeds::seed();
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..200 {
            let mut run = specimen::run();
            let one = run.symbols[0].clone();
            let mut symbol = |at: usize| SymbolValue {
                name: format!("s{at}"),
                address: random.u32(..200),
                size: random.u32(..40) * random.u32(..2),
                ..one.clone()
            };
            run.symbols = (0..12).map(&mut symbol).collect();
            run.symbols.sort_by_key(|symbol| symbol.address);
            run.symbols.dedup_by_key(|symbol| symbol.address);
            let symbols = Symbols::of(&run);
            for address in 0..256 {
                let all = place(&run, [address; 2]).expect("one address");
                let name = symbols.name(address).unwrap_or_else(|| format!("{address:08X}h"));
                assert_eq!(name, all, "seed {seed}: {address}");
                let range = [address, address + 31];
                let inside = |at: &u32| run.symbols.iter().any(|one| at.wrapping_sub(one.address) < one.size);
                assert_eq!(
                    symbols.first(range),
                    (range[0]..=range[1]).find(inside),
                    "seed {seed}: {range:?}"
                );
            }
        }
    }
}
