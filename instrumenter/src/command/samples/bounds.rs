//! What a file of samples may hold. The reader refuses more, for a file may be of anybody; the writer knows the same
//! numbers, so that it writes no such file: it cuts texts, divides code, and refuses the rest, if it can before the
//! program runs.

use runtime::image::{Image, SymbolKind};
use runtime::machine::MOST_SAMPLES;
use runtime::model::ibs::SAMPLE_REGISTERS;
use runtime::run::Cause;
use runtime::samples::derived::DERIVED;
use runtime::samples::{AFTER, MOST_INSTRUCTIONS, Recording, Sample, SampleKind, Sampling};

/// The largest file, in bytes.
pub(super) const MOST_BYTES: u64 = 1 << 30;

/// The most rows of a table, but for those below.
pub(super) const MOST_ROWS: u64 = 4 << 20;

/// The most rows of the clocks of instructions by cause.
pub(super) const MOST_CAUSES: u64 = (MOST_INSTRUCTIONS * Cause::ALL.len()) as u64;

/// The most rows of the exact events of instructions, and of the whole.
pub(super) const MOST_EVENTS: u64 = ((MOST_INSTRUCTIONS + 1) * DERIVED.len()) as u64;

/// The most columns of registers, as of the raw samples of a kernel.
pub(super) const MOST_REGISTERS: usize = 32;

/// The most images of registers in a table: those of as many samples as a recording keeps, of all known registers.
pub(super) const MOST_IMAGES: u64 = (MOST_SAMPLES * SAMPLE_REGISTERS.len()) as u64;

/// The most bytes of code: those of the largest program.
pub(super) const MOST_CODE: usize = 64 << 20;

/// The most bytes of a piece of code, which is a row. Earlier versions wrote code that follows on as one piece.
pub(super) const MOST_PIECE: usize = 1 << 15;

/// The most bytes of a text in the file; longer names are cut.
pub(super) const LONGEST_TEXT: usize = 4096;

/// The most bytes of a text that is read, which others may have written.
pub(super) const LONGEST_READ: usize = 1 << 16;

/// The largest count or clock, and the largest sum of a column of them: both have 64 bits with a sign.
pub(super) const LARGEST: u64 = 1 << 62;

/// The bytes that a row has at least beside its texts, about.
const ROW: u64 = 8;

/// The sums of columns, which are no larger than a number may be: what reports add up has 64 bits then.
pub(super) struct Sums<const COLUMNS: usize>([u64; COLUMNS]);

impl<const COLUMNS: usize> Sums<COLUMNS> {
    pub(super) const fn new() -> Sums<COLUMNS> {
        Sums([0; COLUMNS])
    }

    /// Adds the numbers of a row.
    ///
    /// # Errors
    /// A number or a sum that is too large.
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

/// Makes sure that a file can hold what there is to say of the program in `image`, before it runs.
///
/// # Errors
/// One line: what there is too much of.
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
    // The largest part of such a file; beside an address of code stand a label and a procedure.
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

/// Makes sure that a recording says nothing that contradicts itself, and nothing that figures cannot be made of.
///
/// # Errors
/// One line: what is wrong.
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
    agree(sampling, &recording.samples)
}

/// Makes sure that there are as many samples as attempts became one.
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
    // A kernel does not tell all that it drops.
    let kept = taken.saturating_sub(sampling.cut);
    if known && kept != samples.len() as u64 {
        return Err(format!(
            "table `attempts` says that {kept} samples were kept, and there are {}",
            samples.len()
        ));
    }
    Ok(())
}
