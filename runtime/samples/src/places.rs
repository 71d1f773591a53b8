//! Which instruction, procedure, line or data an address belongs to.

use super::{Images, Recording, Sample, SampleKind, SampledLine, SampledSymbol, TrueInstruction};
use p5_chips::ibs::{FETCH_LIN_AD, OP_RIP, RIP_INVALID};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What figures are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// By instruction.
    Instruction,
    /// By the procedure that has the instruction; where none has it, by the label before it.
    Procedure,
    /// By source line.
    Line,
}

/// The linear address of the instruction or fetch, unless the images say that there is none.
pub fn address(kind: SampleKind, images: &Images) -> Option<u32> {
    let field = match kind {
        SampleKind::Fetch => FETCH_LIN_AD,
        SampleKind::Op if images.flag(&RIP_INVALID) => return None,
        SampleKind::Op => OP_RIP,
    };
    images.field(&field).map(|address| address as u32)
}

impl Sample {
    /// The linear address of the instruction or fetch, unless the sample says that it has none.
    pub fn address(&self) -> Option<u32> {
        address(self.kind, &self.images)
    }
}

impl Recording {
    /// The line of an address.
    pub fn line(&self, address: u32) -> Option<&SampledLine> {
        let after = self.lines.partition_point(|line| line.address <= address);
        let line = self.lines.get(after.checked_sub(1)?)?;
        (address - line.address < line.length).then_some(line)
    }

    /// File and line of an address, as `file:line`.
    pub fn place(&self, address: u32) -> Option<String> {
        let line = self.line(address)?;
        let file = self.files.get(line.file as usize)?;
        Some(format!("{file}:{}", line.line))
    }

    /// The label or procedure that an address of code belongs to: the last one at or before it.
    pub fn procedure(&self, address: u32) -> Option<&SampledSymbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        // Of several names of one address, the first counts.
        let last = self.symbols[..after].iter().rposition(|symbol| symbol.code)?;
        let address = self.symbols[last].address;
        let first = self.symbols.partition_point(|symbol| symbol.address < address);
        self.symbols[first..].iter().find(|symbol| symbol.code)
    }

    /// The innermost procedure that an address of code lies in, if the program says how long its procedures are;
    /// otherwise the label before it.
    pub fn routine(&self, address: u32) -> Option<&SampledSymbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = self.symbols[..after].iter().rev().filter(|symbol| symbol.code);
        let mut near = before.take(LABELS_OF_A_PROCEDURE);
        let around = near.find(|symbol| address - symbol.address < symbol.size);
        around.or_else(|| self.procedure(address))
    }

    /// The addresses from which on code has another label or another procedure, ascending, each with the two; before
    /// the first one it has none.
    pub fn borders(&self) -> Vec<(u32, &SampledSymbol, &SampledSymbol)> {
        let code = || self.symbols.iter().filter(|symbol| symbol.code);
        let ends = code().filter_map(|symbol| symbol.address.checked_add(symbol.size));
        let addresses: BTreeSet<u32> = code().map(|symbol| symbol.address).chain(ends).collect();
        let places = addresses.into_iter();
        places
            .filter_map(|address| Some((address, self.procedure(address)?, self.routine(address)?)))
            .collect()
    }

    /// The data that an address belongs to.
    pub fn datum(&self, address: u32) -> Option<&SampledSymbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = self.symbols[..after].iter().rev().filter(|symbol| !symbol.code);
        let mut near = before.take(64);
        near.find(|symbol| address - symbol.address < symbol.size.max(1))
    }

    /// The instruction at an address, if the truth is known.
    pub fn instruction(&self, address: u32) -> Option<&TrueInstruction> {
        let instructions = &self.truth.as_ref()?.instructions;
        let at = instructions.binary_search_by_key(&address, |one| one.address).ok()?;
        Some(&instructions[at])
    }

    /// The groups of addresses.
    pub(super) fn groups(&self, by: Grouping) -> Groups<'_> {
        let mut first_of_line = FxHashMap::default();
        if by == Grouping::Line {
            for line in self.lines.iter().rev() {
                first_of_line.insert((line.file, line.line), line.address);
            }
        }
        Groups {
            recording: self,
            by,
            first_of_line,
            known: FxHashMap::default(),
        }
    }
}

/// The most labels that are looked at for the procedure around them.
const LABELS_OF_A_PROCEDURE: usize = 1 << 10;

/// To which group an address belongs, looked up once for each address.
pub(super) struct Groups<'r> {
    recording: &'r Recording,
    by: Grouping,
    /// The first address of the code of each line, by file and line.
    first_of_line: FxHashMap<(u32, u32), u32>,
    known: FxHashMap<u32, u32>,
}

impl Groups<'_> {
    /// The first address of the group that an address belongs to.
    pub(super) fn of(&mut self, address: u32) -> u32 {
        let Groups { recording, by, .. } = *self;
        let first_of_line = &self.first_of_line;
        *self.known.entry(address).or_insert_with(|| match by {
            Grouping::Instruction => address,
            Grouping::Procedure => recording.routine(address).map_or(0, |symbol| symbol.address),
            Grouping::Line => recording.line(address).map_or(0, |line| {
                let first = first_of_line.get(&(line.file, line.line));
                first.copied().unwrap_or(line.address)
            }),
        })
    }
}
