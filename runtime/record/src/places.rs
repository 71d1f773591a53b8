//! The instruction, procedure, line or data that an address belongs to.

use super::{Images, Recording, Sample, SampleKind, SampledLine, SampledSymbol, TrueInstruction};
use p5_chips::ibs::{FETCH_LIN_AD, OP_RIP, RIP_INVALID};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The unit by which figures are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// One group for each instruction.
    Instruction,
    /// One group for each procedure. Code outside procedures belongs to the label before it, or to a group of the code
    /// after a procedure.
    Procedure,
    /// One group for each source line.
    Line,
}

/// The group that figures belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// That of samples without an address.
    NoAddress,
    /// That of all addresses that belong to no procedure or label, or to no line.
    Nameless,
    /// The group with this first address.
    At(u32),
}

impl Group {
    /// The first address of the group, if it has one.
    pub fn address(self) -> Option<u32> {
        match self {
            Group::At(address) => Some(address),
            Group::NoAddress | Group::Nameless => None,
        }
    }
}

/// The linear address of the instruction or fetch; none if the images say that it has none.
pub fn address(kind: SampleKind, images: &Images) -> Option<u32> {
    let field = match kind {
        SampleKind::Fetch => FETCH_LIN_AD,
        SampleKind::Op if images.flag(&RIP_INVALID) => return None,
        SampleKind::Op => OP_RIP,
    };
    images.field(&field).map(|address| address as u32)
}

/// A group by procedure: a procedure or label, or the code from the end of a procedure to the next label.
#[derive(Clone, Copy, Debug)]
pub struct Routine<'r> {
    symbol: &'r SampledSymbol,
    after: bool,
}

/// The word before the name of a procedure that denotes the code after its end.
pub const AFTER: &str = "after ";

impl<'r> Routine<'r> {
    /// Its name, which is unique unless the program has several symbols of that name.
    pub fn name(&self) -> Cow<'r, str> {
        let name = self.symbol.name.as_str();
        if self.after {
            format!("{AFTER}{name}").into()
        } else {
            name.into()
        }
    }

    /// The address at which it begins.
    pub fn begin(&self) -> u32 {
        let size = if self.after { self.symbol.size } else { 0 };
        self.symbol.address.wrapping_add(size)
    }
}

impl Sample {
    /// The linear address of the instruction or fetch; none if the sample says that it has none.
    pub fn address(&self) -> Option<u32> {
        address(self.kind, &self.images)
    }
}

impl Recording {
    /// The source line of an address.
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

    /// The group of an address of code: the innermost procedure around it, if the program states the lengths of its
    /// procedures; otherwise the label before it, unless a procedure with that label has ended.
    pub fn routine(&self, address: u32) -> Option<Routine<'_>> {
        if let Some(symbol) = self.around(address).next() {
            return Some(Routine { symbol, after: false });
        }
        let label = self.procedure(address)?;
        // None of these contains the address, so all have ended.
        let ended = self
            .around(label.address)
            .max_by_key(|symbol| u64::from(symbol.address) + u64::from(symbol.size));
        Some(match ended {
            Some(symbol) => Routine { symbol, after: true },
            None => Routine {
                symbol: label,
                after: false,
            },
        })
    }

    /// The procedures of known length that contain an address of code, innermost first.
    fn around(&self, address: u32) -> impl Iterator<Item = &SampledSymbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let before = self.symbols[..after].iter().rev().filter(|symbol| symbol.code);
        let near = before.take(SEARCHED);
        near.filter(move |symbol| address - symbol.address < symbol.size)
    }

    /// The addresses at which the label or the group of code changes, ascending, each with both; before the first one,
    /// code has neither.
    pub fn borders(&self) -> Vec<(u32, &SampledSymbol, Routine<'_>)> {
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
        let mut near = before.take(SEARCHED);
        near.find(|symbol| address - symbol.address < symbol.size.max(1))
    }

    /// The instruction at an address, if the truth is known.
    pub fn instruction(&self, address: u32) -> Option<&TrueInstruction> {
        let instructions = &self.truth.as_ref()?.instructions;
        let at = instructions.binary_search_by_key(&address, |one| one.address).ok()?;
        Some(&instructions[at])
    }

    /// The groups of addresses by instruction, procedure or line.
    pub fn groups(&self, by: Grouping) -> Groups<'_> {
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

/// The most labels that are searched for an enclosing procedure, or for enclosing data.
const SEARCHED: usize = 1 << 10;

/// The group of each address, looked up once.
pub struct Groups<'r> {
    recording: &'r Recording,
    by: Grouping,
    /// The first address of the code of each line, by file and line.
    first_of_line: FxHashMap<(u32, u32), u32>,
    known: FxHashMap<u32, Group>,
}

impl Groups<'_> {
    /// The group of a sample.
    pub fn of_sample(&mut self, sample: &Sample) -> Group {
        sample.address().map_or(Group::NoAddress, |address| self.of(address))
    }

    /// The group that an address belongs to.
    pub fn of(&mut self, address: u32) -> Group {
        let Groups { recording, by, .. } = *self;
        let first_of_line = &self.first_of_line;
        let first = |address| match by {
            Grouping::Instruction => Some(address),
            Grouping::Procedure => recording.routine(address).map(|routine| routine.begin()),
            Grouping::Line => recording.line(address).map(|line| {
                let first = first_of_line.get(&(line.file, line.line));
                first.copied().unwrap_or(line.address)
            }),
        };
        let group = self.known.entry(address);
        *group.or_insert_with(|| first(address).map_or(Group::Nameless, Group::At))
    }
}
