//! The blocks of a source that may be changed: consecutive instructions, each alone on its line, that are entered only
//! at the first one and left only after the last one.

use super::text::Lines;
use crate::budgets;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind};
use p5_assembler::Spelling;
use runtime::advice::{MOST_INSTRUCTIONS, instruction_at, target};
use runtime::image::{Image, LineRow, RegionKind, Start, SymbolKind};
use runtime::report::{Alone, LeftAlone};
use runtime::run::{InstructionResult, Run};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// The line, from 0.
    pub(super) line: usize,
    /// The byte range of the line that holds the instruction's text.
    pub(super) written: Range<usize>,
    pub(super) instruction: Instruction,
    pub(super) bytes: Vec<u8>,
}

impl Slot {
    pub(super) fn text<'a>(&self, lines: &'a Lines) -> &'a str {
        &lines.plain(self.line)[self.written.clone()]
    }
}

/// The lines of a block, and its cost.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The lines, from 0.
    pub(super) lines: Range<usize>,
    pub(super) clocks: u64,
}

/// All blocks of a program, the most expensive first, and the executed instructions outside of blocks.
pub(super) struct Found {
    pub(super) places: Vec<Place>,
    pub(super) left_alone: BTreeMap<LeftAlone, Alone>,
}

const MAIN: u32 = 0;

/// The blocks that `run` executed; if the program has regions, only those in regions.
pub(super) fn find(image: &Image, run: &Run, lines: &Lines) -> Found {
    let borders = borders(image);
    let in_scope = scope(image, run);
    let mut found = Found {
        places: Vec::new(),
        left_alone: BTreeMap::new(),
    };
    let mut open: Option<(Place, Slot, u64, usize)> = None;
    for (index, row) in run.instructions.iter().enumerate() {
        if row.library || row.executions == 0 || !in_scope.contains(&index) {
            continue;
        }
        let slot = match slot_of_result(image, lines, row) {
            Ok(slot) => slot,
            Err(why) => {
                let alone = found.left_alone.entry(why).or_default();
                alone.instructions += 1;
                alone.clocks += row.cycles;
                let line = image.line_at(row.address).filter(|line| line.file == MAIN);
                match (why, line) {
                    (LeftAlone::Changed, Some(line)) => _ = alone.lines.insert(line.line),
                    (LeftAlone::NoLine, Some(line)) => {
                        let maker = (line.line, statement(lines, line.line as usize - 1));
                        *alone.made_by.entry(maker).or_default() += row.cycles;
                    }
                    _ => {}
                }
                if let Some(source) = of_object(image, row.address) {
                    *alone.of_objects.entry(source).or_default() += row.cycles;
                }
                if let Some(maker) = maker(image, lines, row.address) {
                    *alone.made_by.entry(maker).or_default() += row.cycles;
                }
                continue;
            }
        };
        let follows = open.as_ref().is_some_and(|(_, last, executions, count)| {
            *executions == row.executions
                && *count < MOST_INSTRUCTIONS
                && !borders.contains(&row.address)
                && adjoin(lines, last, &slot)
        });
        if !follows {
            found.places.extend(open.take().map(|(place, ..)| place));
        }
        let (mut place, _, _, count) = open.take().unwrap_or_else(|| {
            let place = Place {
                lines: slot.line..slot.line,
                clocks: 0,
            };
            (place, slot.clone(), row.executions, 0)
        });
        place.lines.end = slot.line + 1;
        place.clocks += row.cycles;
        open = Some((place, slot, row.executions, count + 1));
    }
    found.places.extend(open.map(|(place, ..)| place));
    for summed in run.remainders.iter().filter(|one| !one.library && one.instructions > 0) {
        let alone = found.left_alone.entry(LeftAlone::Summed).or_default();
        alone.instructions += summed.instructions;
        alone.clocks += summed.cycles;
    }
    found
        .places
        .sort_by_key(|place| (std::cmp::Reverse(place.clocks), place.lines.start));
    found
}

/// The name of the source of a linked object that has the instruction at an address.
fn of_object(image: &Image, address: u32) -> Option<String> {
    let row = image.line_at(address).filter(|_| image.is_linked(address))?;
    Some(image.files.get(row.file as usize)?.name.clone())
}

/// The macro call or repeat of the program's own file that makes the instruction at an address: its line and its name.
fn maker(image: &Image, lines: &Lines, address: u32) -> Option<(u32, String)> {
    let row = image.line_at(address)?;
    let (file, line) = image.outermost(&row);
    let origin = |index: u32| image.origins.get(index as usize);
    let mut outermost = origin(row.origin?)?;
    while let Some(parent) = outermost.parent.and_then(origin) {
        outermost = parent;
    }
    // A repeat of GNU's assembler is made into one of MASM, whose name its source does not have.
    let name = match lines.spelling {
        Spelling::Gnu { .. } if outermost.pass.is_some() && !outermost.name.starts_with('.') => ".rept",
        _ => &outermost.name,
    };
    (file == MAIN).then(|| (line, name.to_owned()))
}

/// The instructions of lines that form a block or replace one; `None` if they do not form a block.
pub(super) fn slots(image: &Image, lines: &Lines, range: &Range<usize>) -> Option<Vec<Slot>> {
    let mut slots: Vec<Slot> = Vec::new();
    for row in &image.lines {
        if row.file != MAIN || row.origin.is_some() || !range.contains(&(row.line as usize - 1)) {
            continue;
        }
        let slot = slot(image, lines, &row).ok()?;
        if slots.last().is_some_and(|last| !adjoin(lines, last, &slot)) {
            return None;
        }
        slots.push(slot);
    }
    (!slots.is_empty() && slots.len() <= MOST_INSTRUCTIONS).then_some(slots)
}

/// Whether no other code can come between two instructions.
fn adjoin(lines: &Lines, first: &Slot, second: &Slot) -> bool {
    let labelled = !lines.plain(second.line)[..second.written.start].trim().is_empty();
    first.instruction.flow_control() == FlowControl::Next
        && first.instruction.next_ip32() == second.instruction.ip32()
        && first.line < second.line
        && !labelled
        && (first.line + 1..second.line).all(|line| is_comment(lines, line))
}

/// Whether a line is blank or a comment.
fn is_comment(lines: &Lines, line: usize) -> bool {
    let text = lines.plain(line);
    lines.spelling.is_comment(text)
}

/// Whether an instruction names the address at which it stands: by `$` in MASM's syntax, by `.` in that of GNU's
/// assembler. No operand of MASM is a dot alone. A dollar sign in AT&T syntax stands before a number or a name; where
/// nothing else tells this syntax, `$-4` may be either.
fn names_own_address(spelled: &str) -> bool {
    let is_att = spelled.contains('%');
    let here = |word: &str| word == "." || word.starts_with(".+") || word.starts_with(".-");
    let alone = |(at, _): (usize, &str)| {
        let next = spelled[at + 1..].bytes().next();
        !next.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'~' | b'(' | b'\''))
    };
    spelled.split([' ', '\t', ',', '$', '*', '(', '[']).any(here) || !is_att && spelled.match_indices('$').any(alone)
}

/// Whether a budget concerns the code of a line: it is on the line itself or in the comments directly above.
fn has_budget(lines: &Lines, line: usize) -> bool {
    let above = (0..line).rev().take_while(|&above| is_comment(lines, above));
    std::iter::once(line)
        .chain(above)
        .any(|line| budgets::stands_in(lines.plain(line)))
}

fn slot_of_result(image: &Image, lines: &Lines, result: &InstructionResult) -> Result<Slot, LeftAlone> {
    if result.changed {
        return Err(LeftAlone::Changed);
    }
    let row = image.line_at(result.address).ok_or(LeftAlone::NoLine)?;
    if row.address != result.address || row.length != u32::from(result.length) {
        return Err(LeftAlone::NoLine);
    }
    slot(image, lines, &row)
}

/// Whether a line without a place for the text of this instruction spells it beside others, or on several lines, and
/// does not make it from a directive: what fills up to an alignment, saves and restores registers, or passes arguments,
/// is spelled nowhere, and beside it at most one instruction is, such as the RET after the registers are restored.
fn is_shared(image: &Image, lines: &Lines, row: &LineRow) -> bool {
    let text = lines.plain(row.line as usize - 1).to_ascii_lowercase();
    let names = |row: &LineRow| {
        let mnemonic = instruction_at(image, row.address)?.mnemonic();
        let name = format!("{mnemonic:?}").to_ascii_lowercase();
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
        let spelled = words.filter(|word| word.starts_with(&name)).count() > 0;
        let made = matches!(
            mnemonic,
            Mnemonic::Lea
                | Mnemonic::Mov
                | Mnemonic::Nop
                | Mnemonic::Xchg
                | Mnemonic::Jmp
                | Mnemonic::Push
                | Mnemonic::Pop
                | Mnemonic::Add
                | Mnemonic::Sub
                | Mnemonic::Enter
                | Mnemonic::Leave
                | Mnemonic::Call
        );
        Some((spelled, made))
    };
    // A block such as `.while` to `.endw` makes its compares and branches, and spells none.
    let code = text.split_whitespace().find(|word| !word.ends_with(':'));
    if code.is_some_and(|word| word.starts_with('.')) {
        return false;
    }
    // What one statement makes lies together.
    let same = |other: &LineRow| (other.file, other.line) == (row.file, row.line) && other.origin.is_none();
    let at = |address: u32| image.line_at(address).filter(same);
    let before = std::iter::successors(Some(*row), |row| at(row.address.checked_sub(1)?));
    let after = std::iter::successors(Some(*row), |row| at(row.address.checked_add(row.length)?));
    let rows = before.chain(after.skip(1)).take(MOST_INSTRUCTIONS);
    let others: Vec<(bool, bool)> = rows.filter_map(|row| names(&row)).collect();
    // What is spelled with another name of its mnemonic is spelled.
    let spelled = others.iter().filter(|(spelled, made)| *spelled || !made).count();
    match names(row) {
        Some((false, true)) => false,
        Some(_) => spelled > 1 || others.len() == 1,
        None => true,
    }
}

/// The statement on a line, from 0, with single blanks, and without its comment.
fn statement(lines: &Lines, line: usize) -> String {
    let code = lines.plain(line).split([';', lines.spelling.comment()]).next();
    code.unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn slot(image: &Image, lines: &Lines, row: &LineRow) -> Result<Slot, LeftAlone> {
    if row.origin.is_some() {
        return Err(LeftAlone::Generated);
    }
    if row.file != MAIN {
        return Err(match image.is_linked(row.address) {
            true => LeftAlone::Linked,
            false => LeftAlone::Included,
        });
    }
    let line = row.line as usize - 1;
    let text = lines.plain(line);
    let written = row.written.0 as usize..row.written.1 as usize;
    let spelled = text.get(written.clone()).filter(|spelled| !spelled.is_empty());
    let rest = text.get(written.end..).unwrap_or_default().trim_start();
    let instruction = instruction_at(image, row.address).filter(|one| one.len() as u32 == row.length);
    let (Some(spelled), Some(instruction), false) = (spelled, instruction, row.data) else {
        return Err(match spelled.is_none() && is_shared(image, lines, row) {
            true => LeftAlone::SharedLine,
            false => LeftAlone::NoLine,
        });
    };
    if !lines.spelling.is_comment(rest) {
        return Err(LeftAlone::SharedLine);
    }
    if names_own_address(spelled) {
        return Err(LeftAlone::OwnAddress);
    }
    if has_budget(lines, line) {
        return Err(LeftAlone::Budget);
    }
    Ok(Slot {
        line,
        written,
        instruction,
        bytes: image
            .bytes_at(row.address)
            .get(..row.length as usize)
            .unwrap_or_default()
            .to_vec(),
    })
}

/// The addresses at which a block begins: labels, targets of branches, executed or not, and in a flat program every
/// value in data or an immediate operand that may be a code address.
fn borders(image: &Image) -> HashSet<u32> {
    let labels = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Code);
    let code: HashSet<u32> = image
        .lines
        .iter()
        .filter(|row| !row.data)
        .map(|row| row.address)
        .collect();
    let instructions = || code.iter().filter_map(|&address| instruction_at(image, address));
    let targets = instructions().filter_map(|instruction| target(&instruction));
    let immediates = instructions().flat_map(|instruction| {
        let numbers = (0..instruction.op_count()).filter(move |&at| instruction.op_kind(at) == OpKind::Immediate32);
        numbers.map(move |_| instruction.immediate32())
    });
    let data = image
        .segments
        .iter()
        .filter(|_| image.start == Start::Flat)
        .flat_map(|segment| {
            let words = segment.bytes.windows(4).enumerate();
            words
                .filter(|(at, _)| !code.contains(&(segment.address + *at as u32)))
                .filter_map(|(_, bytes)| bytes.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)))
        });
    let named = immediates.chain(data).filter(|address| code.contains(address));
    let regions = image
        .regions
        .iter()
        .flat_map(|region| [region.first, region.after, region.done]);
    labels
        .map(|symbol| symbol.value)
        .chain(targets)
        .chain(named)
        .chain(regions)
        .collect()
}

/// The indexes of the instructions that may be changed: those in regions, if the program has any.
fn scope(image: &Image, run: &Run) -> HashSet<usize> {
    let mut chosen: HashSet<usize> = HashSet::new();
    for region in &run.regions {
        chosen.extend(region.trace.issued.iter().map(|issued| issued.instruction as usize));
    }
    let timed = image
        .regions
        .iter()
        .filter(|region| matches!(region.kind, RegionKind::Tsc | RegionKind::Profile));
    for region in timed {
        // There may be very many regions, so each one visits its own rows only.
        let from = |address: u32| run.instructions.partition_point(|row| row.address < address);
        chosen.extend(from(region.first)..from(region.after));
    }
    if image.regions.is_empty() {
        chosen.extend(0..run.instructions.len());
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::names_own_address;

    #[test]
    fn instructions_name_their_own_address_in_every_syntax() {
        for own in [
            "jmp $+5",
            "push $",
            "mov eax, [$-4]",
            "pushl $.",
            "jmp .+4",
            "push OFFSET .",
            "movl $.-8, %eax",
            "movl .(%ecx), %eax",
        ] {
            assert!(names_own_address(own), "{own}");
        }
        for other in [
            "pushl $4",
            "pushl $.L3",
            "pushl $name",
            "pushl $'a'",
            "pushl $~4",
            "movl $-4, %eax",
            "jmp .L4",
            "fmul real4 ptr [ebx].x",
            "mov eax, $name",
        ] {
            assert!(!names_own_address(other), "{other}");
        }
    }
}
