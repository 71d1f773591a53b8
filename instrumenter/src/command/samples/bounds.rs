//! The limits of a file of samples. The reader rejects larger files, because a file may come from anybody. The writer
//! observes the same limits: it cuts texts, divides code and rejects the rest, if possible before the program runs.

use runtime::image::{Image, SymbolKind};
use runtime::machine::MOST_SAMPLES;
use runtime::model::ibs::SAMPLE_REGISTERS;
use runtime::record::derived::DERIVED;
use runtime::record::{AFTER, MOST_INSTRUCTIONS, Recording, Sample, SampleKind, Sampling};
use runtime::run::Cause;

/// The maximum size of a file in bytes.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// The maximum number of rows of a table, except for those below.
pub(super) const MOST_ROWS: u64 = 4 << 20;

/// The maximum number of rows with clocks of instructions by cause.
pub(super) const MOST_CAUSES: u64 = (MOST_INSTRUCTIONS * Cause::ALL.len()) as u64;

/// The maximum number of rows with exact events, of instructions and of the whole program.
pub(super) const MOST_EVENTS: u64 = ((MOST_INSTRUCTIONS + 1) * DERIVED.len()) as u64;

/// The maximum number of columns for registers; raw samples of a kernel have the same limit.
pub(super) const MOST_REGISTERS: usize = 32;

/// The maximum number of register images in a table: as many samples as a recording keeps, with all known registers.
pub(super) const MOST_IMAGES: u64 = (MOST_SAMPLES * SAMPLE_REGISTERS.len()) as u64;

/// The maximum size of all code in bytes, which is the size of the largest program.
pub(super) const MOST_CODE: usize = 64 << 20;

/// The maximum size in bytes of a piece of code, which is a row. Earlier versions wrote consecutive code as one piece.
pub(super) const MOST_PIECE: usize = 1 << 15;

/// The maximum size in bytes of a text in the file; longer names are cut.
pub(super) const LONGEST_TEXT: usize = 4096;

/// The maximum size in bytes of a text that is read, which other programs may have written.
pub(super) const LONGEST_READ: usize = 1 << 16;

/// The maximum of a count or clock, and of the sum of a column of them: both are signed 64-bit numbers.
pub(super) const LARGEST: u64 = 1 << 62;

/// The approximate minimum size of a row in bytes, without its texts.
const ROW: u64 = 8;

/// The sums of columns. They are limited like single numbers, so that the sums in reports fit into 64 bits.
pub(super) struct Sums<const COLUMNS: usize>([u64; COLUMNS]);

impl<const COLUMNS: usize> Sums<COLUMNS> {
    pub(super) const fn new() -> Sums<COLUMNS> {
        Sums([0; COLUMNS])
    }

    /// Adds the numbers of a row; a number or sum that is too large is an error.
    pub(super) fn add(&mut self, row: [u64; COLUMNS]) -> Result<(), String> {
        for (sum, number) in self.0.iter_mut().zip(row) {
            *sum = sum.saturating_add(number);
            if *sum > LARGEST {
                return Err(format!("a sum of {sum} is out of range"));
            }
        }
        Ok(())
    }
}

/// Makes sure, before the run, that a file can hold the program in `image`; the error says what is too large.
pub(in super::super) fn holds_program(image: &Image) -> Result<(), String> {
    let named = || image.symbols.iter().filter(|one| one.kind != SymbolKind::Constant);
    let lines = image.lines.iter().filter(|line| !line.data);
    let code = lines.clone().map(|line| u64::from(line.length)).sum();
    for (what, number, most) in [
        ("source files", image.files.len() as u64, MOST_ROWS),
        ("labels and variables", named().count() as u64, MOST_ROWS),
        ("lines of code", lines.count() as u64, MOST_ROWS),
        ("bytes of code", code, MOST_CODE as u64),
    ] {
        if number > most {
            return Err(format!(
                "the program has {number} {what}, and a file of samples holds at most {most}; sample a smaller program"
            ));
        }
    }
    // This is the largest part of such a file: a label and a procedure accompany each address of code.
    let length = |name: &str| name.len().min(LONGEST_TEXT) as u64 + ROW;
    let longest = named().filter(|one| one.size > 0 && one.kind == SymbolKind::Code);
    let longest = longest.map(|one| length(&one.name)).max().unwrap_or_default();
    let names: u64 = named()
        .map(|one| match one.kind {
            SymbolKind::Code => 3 * length(&one.name) + 2 * longest + AFTER.len() as u64,
            _ => length(&one.name),
        })
        .sum();
    if names > MOST_BYTES / 2 {
        return Err(format!(
            "the names of the program take up to {} MiB in a file of samples, and the most are {} MiB; use shorter \
             names",
            names >> 20,
            MOST_BYTES >> 21
        ));
    }
    Ok(())
}

/// Makes sure that a recording is consistent and that figures can be derived from it; the error names the defect.
pub(super) fn sound(recording: &Recording) -> Result<(), String> {
    let Recording { machine, sampling, .. } = recording;
    if let Some(line) = recording
        .lines
        .iter()
        .find(|line| line.file as usize >= recording.files.len())
    {
        return Err(format!("a line is in file {}, and there is no such file", line.file));
    }
    if let Some(width) = machine.width.filter(|width| !(1..=64).contains(width)) {
        return Err(format!(
            "`width` in table `meta` is {width}, which is no number of pipes"
        ));
    }
    for (key, size) in [("line_bytes", machine.line_bytes), ("page_bytes", machine.page_bytes)] {
        if !size.is_power_of_two() || size > 1 << 16 {
            return Err(format!("`{key}` in table `meta` is {size}, which is no size"));
        }
    }
    if machine.cpl > 3 {
        return Err(format!(
            "`cpl` in table `meta` is {}, which is no privilege level",
            machine.cpl
        ));
    }
    if !recording.code.is_empty() && ![16, 32].contains(&recording.code_bits) {
        return Err(match recording.code_bits {
            0 => "table `meta` has no `code_bits`, and there is code".to_owned(),
            bits => format!("`code_bits` in table `meta` is {bits}, which is no size of code"),
        });
    }
    if let Some(piece) = recording.code.iter().find(|piece| ![16, 32].contains(&piece.bits)) {
        return Err(format!(
            "`bits` in table `code` is {}, which is no size of code",
            piece.bits
        ));
    }
    let mut code: Vec<(u64, u64)> = (recording.code.iter())
        .map(|piece| (u64::from(piece.address), piece.bytes.len() as u64))
        .collect();
    code.sort_unstable();
    if let Some(both) = code.windows(2).find(|both| both[0].0 + both[0].1 > both[1].0) {
        return Err(format!("there is code at {:X}h twice", both[1].0));
    }
    let mut numbered = recording.samples.iter().zip(1..);
    if let Some((_, number)) = numbered.find(|(sample, number)| sample.number != *number) {
        return Err(format!("there is no sample {number}"));
    }
    agree(sampling, &recording.samples)
}

/// Makes sure that the number of samples equals the number of successful attempts.
fn agree(sampling: &Sampling, samples: &[Sample]) -> Result<(), String> {
    if sampling.lost > sampling.cut {
        return Err(format!(
            "the recorder lost {} samples, and only {} were not kept",
            sampling.lost, sampling.cut
        ));
    }
    let mut taken = 0_u64;
    let mut known = true;
    for (kind, attempts) in [(SampleKind::Fetch, sampling.fetch), (SampleKind::Op, sampling.op)] {
        let count = samples.iter().filter(|sample| sample.kind == kind).count() as u64;
        let of_kind = attempts.map_or(0, |attempts| attempts.taken());
        if of_kind < count {
            return Err(format!(
                "it has {count} samples of kind {:?}, but table `attempts` says that {of_kind} were taken",
                kind.name()
            ));
        }
        taken = taken.saturating_add(of_kind);
        known &= attempts.is_none_or(|attempts| attempts.dropped.is_some());
    }
    // A kernel does not report everything that it drops.
    let kept = taken.saturating_sub(sampling.cut);
    if known && kept != samples.len() as u64 {
        return Err(format!(
            "table `attempts` says that {kept} samples were kept, and there are {}",
            samples.len()
        ));
    }
    Ok(())
}
