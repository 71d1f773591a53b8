//! The listing of `objdump -d -M intel`: addresses, with or without the bytes, and instructions.
//!
//! `<name>` and `<name+0x22>` are names of places; a branch to the address of a line of the same section leads there.

use super::Taken;
use super::code::{Edits, edits, first_word};
use crate::lex::Made;
use crate::select;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A line with an address.
struct Placed {
    address: u64,
    /// Its instruction; empty if the line only has more bytes of the one before.
    code: Range<usize>,
}

/// A line of a listing.
enum Kind<'l> {
    /// `00000000 <name>:`, with the place of the name between the brackets.
    Function(u64, &'l str, Range<usize>),
    Placed(Placed),
    /// `Disassembly of section .text:`, behind which addresses begin anew.
    Section,
    /// `4f: R_386_PC32 name`: the linker puts an address there.
    Relocation(&'l str, &'l str),
    Other,
}

fn hex(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

fn kind(line: &str) -> Kind<'_> {
    let text = line.trim();
    if text.starts_with("Disassembly of section") {
        return Kind::Section;
    }
    let start = line.len() - line.trim_start().len();
    if let Some((address, rest)) = text.split_once(" <")
        && let (Some(number), Some(name)) = (hex(address), rest.strip_suffix(">:"))
        && address.len() >= 8
    {
        let begin = start + address.len() + 2;
        return Kind::Function(number, name, begin..begin + name.len());
    }
    let Some((address, rest)) = text.split_once(':') else {
        return Kind::Other;
    };
    let Some(number) = hex(address).filter(|_| rest.is_empty() || rest.starts_with([' ', '\t'])) else {
        return Kind::Other;
    };
    let mut words = rest.split_whitespace();
    if let (Some(what), Some(name)) = (words.next(), words.next())
        && what.starts_with("R_386_")
    {
        return Kind::Relocation(what, name);
    }
    // The bytes, of two digits each, stand before the instruction.
    let mut at = start + address.len() + 1;
    loop {
        let rest = &line[at..];
        let begin = at + rest.len() - rest.trim_start().len();
        let byte = line[begin..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let behind = line.as_bytes().get(begin + byte);
        if byte != 2 || !matches!(behind, None | Some(b' ' | b'\t' | b'\r')) {
            let code = &line[begin..];
            // Some listings have what the linker knows of an address behind a hash.
            let code = code.split(" #").next().unwrap_or(code);
            let end = begin + code.trim_end().len();
            return Kind::Placed(Placed {
                address: number,
                code: begin..end,
            });
        }
        at = begin + byte;
    }
}

/// Whether a text is such a listing: it has the head of a function, or addresses that rise in all lines, with the bytes
/// or with names of places.
pub(super) fn is_listing(text: &str) -> bool {
    let (mut last, mut placed, mut rise, mut sure) = (None, 0, true, false);
    for line in text.lines() {
        match kind(line) {
            Kind::Function(..) => {
                last = None;
                sure = true;
            }
            Kind::Section => last = None,
            Kind::Relocation(..) => {}
            Kind::Placed(Placed { address, code }) => {
                let (mnemonic, operands) = first_word(line, code.clone());
                let is_code = code.is_empty() || select::instruction(&line[mnemonic]).is_some();
                rise &= last.is_none_or(|last| address > last);
                last = Some(address);
                placed += u32::from(is_code);
                let bytes = line[..code.start].split_whitespace().count() > 1;
                sure |= is_code && (bytes || target(&line[operands]).is_some_and(|(_, name)| name.is_some()));
            }
            Kind::Other => {}
        }
    }
    sure && rise && placed > 0
}

/// The address of a branch's target, and the name of its place, from its only operand.
fn target(operand: &str) -> Option<(u64, Option<&str>)> {
    let (address, name) = match operand.split_once(" <") {
        Some((address, name)) => (address, Some(name.strip_suffix('>')?)),
        None => (operand, None),
    };
    Some((hex(address.strip_prefix("0x").unwrap_or(address))?, name))
}

/// Whether a mnemonic is that of a branch.
fn branches(mnemonic: &str) -> bool {
    select::instruction(mnemonic).is_some_and(|instruction| instruction.takes_target)
}

/// The lines of a listing for MASM.
pub(super) fn lines(text: &str, taken: &mut Taken<'_>) -> Vec<Made> {
    let kinds: Vec<(&str, Kind<'_>)> = text.lines().map(|line| (line, kind(line))).collect();
    let mut section = 0;
    // The addresses of instructions and functions, and the names of those that branches lead to.
    let mut known: BTreeSet<(u32, u64)> = BTreeSet::new();
    let mut names: BTreeMap<(u32, u64), String> = BTreeMap::new();
    for (_, kind) in &kinds {
        match kind {
            Kind::Section => section += 1,
            Kind::Function(address, name, _) => {
                taken.define(name);
                names.insert((section, *address), (*name).to_owned());
            }
            Kind::Placed(placed) if !placed.code.is_empty() => {
                known.insert((section, placed.address));
            }
            _ => {}
        }
    }
    section = 0;
    for (line, kind) in &kinds {
        match kind {
            Kind::Section => section += 1,
            Kind::Placed(placed) => {
                let (mnemonic, operands) = first_word(line, placed.code.clone());
                if let Some((address, name)) = target(&line[operands]).filter(|_| branches(&line[mnemonic])) {
                    let place = (section, address);
                    if known.contains(&place) {
                        let name = name.map_or_else(|| format!("0x{address:x}"), str::to_owned);
                        names.entry(place).or_insert(name);
                    }
                }
            }
            _ => {}
        }
    }
    section = 0;
    let mut made: Vec<Made> = Vec::new();
    for (at, (line, kind)) in kinds.iter().enumerate() {
        let number = at as u32 + 1;
        match kind {
            Kind::Section => section += 1,
            Kind::Function(_, name, place) => {
                let mut label = Made::new(number);
                let name = taken.spelled(name).unwrap_or_else(|| (*name).to_owned());
                label.put(&format!("<{name}>:"), place.clone());
                made.push(label);
            }
            Kind::Placed(placed) if !placed.code.is_empty() => {
                let head = kinds[..at].iter().rev().find_map(|(_, kind)| match kind {
                    Kind::Function(address, ..) => Some(*address == placed.address),
                    Kind::Placed(_) => Some(false),
                    _ => None,
                });
                let name = names.get(&(section, placed.address));
                if let Some(name) = name.filter(|_| head != Some(true)) {
                    let mut label = Made::new(number);
                    let end = line.find(':').unwrap_or(0);
                    label.put(&format!("<{name}>:"), line.len() - line.trim_start().len()..end);
                    made.push(label);
                }
                let mut instruction = Made::new(number);
                match instruction_edits(line, placed, &relocations(&kinds[at + 1..]), (section, &names), taken) {
                    Some(edits) => instruction.edit(line, placed.code.clone(), &edits),
                    None => instruction.put(NOT_RELOCATED, placed.code.clone()),
                }
                made.push(instruction);
            }
            Kind::Other if is_own(line) => {
                let mut own = Made::new(number);
                own.copy(line, 0..line.len());
                made.push(own);
            }
            _ => {}
        }
    }
    made
}

/// Whether a line of no listing is an instruction that someone has added. `int` begins a declaration in C.
fn is_own(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    !word.eq_ignore_ascii_case("int")
        && select::instruction(word).is_some()
        && !line.trim_end().ends_with(['{', '}', ';'])
}

/// The error for an instruction in which it is not plain what a linker changes.
const NOT_RELOCATED: &str =
    ".err <what a linker puts into this instruction is not read: list the linked program, or give the object itself>";

/// The relocations of the instruction before these lines, which may follow more of its bytes.
fn relocations<'l>(behind: &[(&str, Kind<'l>)]) -> Vec<(&'l str, &'l str)> {
    let kinds = behind.iter().map(|(_, kind)| kind);
    let own = kinds.take_while(|kind| match kind {
        Kind::Relocation(..) => true,
        Kind::Placed(placed) => placed.code.is_empty(),
        _ => false,
    });
    let found = own.filter_map(|kind| match kind {
        Kind::Relocation(what, name) => Some((*what, *name)),
        _ => None,
    });
    found.collect()
}

/// The place of the only 0 in `text`, which a linker replaces; `None` if there are several, or none.
fn only_zero(text: &str) -> Option<usize> {
    const ZERO: &str = "0x0";
    let mut zeros = text.match_indices(ZERO).filter(|(at, _)| {
        let next = text.as_bytes().get(at + ZERO.len());
        !next.is_some_and(u8::is_ascii_alphanumeric)
    });
    zeros.next().map(|(at, _)| at).filter(|_| zeros.next().is_none())
}

/// The edits of an instruction: targets of branches become names, and so do the addresses that a linker puts in. `None`
/// if it puts in what is not plain.
fn instruction_edits(
    line: &str,
    placed: &Placed,
    relocations: &[(&str, &str)],
    (section, names): (u32, &BTreeMap<(u32, u64), String>),
    taken: &Taken<'_>,
) -> Option<Edits> {
    let (mnemonic, operands) = first_word(line, placed.code.clone());
    let text = &line[operands.clone()];
    if branches(&line[mnemonic])
        && let Some((address, name)) = target(text)
    {
        let relocated = relocations.first().map(|(_, name)| *name);
        let known = names.get(&(section, address)).map(String::as_str);
        let written = name.map(str::to_owned).unwrap_or_else(|| format!("0x{address:x}"));
        let name = relocated.or(known).unwrap_or(&written);
        let name = name.strip_suffix("@plt").unwrap_or(name);
        let name = taken.spelled(name).unwrap_or_else(|| name.to_owned());
        return Some(vec![(operands, format!("<{name}>"))]);
    }
    let mut edits = edits(line, placed.code.clone(), taken);
    if relocations.is_empty() {
        return Some(edits);
    }
    let [("R_386_32", name)] = relocations else { return None };
    let zero = only_zero(text)?;
    let before = &text[..zero];
    // An address of memory, or as a number.
    let (begin, new) = match before.strip_suffix("ds:") {
        Some(before) => (before.len(), format!("<{name}>")),
        None if before.rfind('[') > before.rfind(']') => (zero, format!("<{name}>")),
        None => (zero, format!("offset <{name}>")),
    };
    edits.push((operands.start + begin..operands.start + zero + 3, new));
    edits.sort_by_key(|(place, _)| place.start);
    Some(edits)
}
