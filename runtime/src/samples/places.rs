//! Which instruction, procedure, line or data an address belongs to.

use super::{Images, Recording, Sample, SampleKind, SampledLine, SampledSymbol, TrueInstruction};
use crate::model::ibs::{FETCH_LIN_AD, OP_RIP, RIP_INVALID};

/// What figures are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// By instruction.
    Instruction,
    /// By the label or procedure before the instruction.
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

    /// The first address of the group that an address belongs to.
    pub fn group(&self, address: u32, by: Grouping) -> u32 {
        match by {
            Grouping::Instruction => address,
            Grouping::Procedure => self.procedure(address).map_or(0, |symbol| symbol.address),
            Grouping::Line => {
                let Some(line) = self.line(address) else { return 0 };
                let same = |other: &&SampledLine| (other.file, other.line) == (line.file, line.line);
                self.lines.iter().find(same).map_or(line.address, |first| first.address)
            }
        }
    }
}
