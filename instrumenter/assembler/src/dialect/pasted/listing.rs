//! The listing of `objdump -d`, and that of gdb: addresses, with or without the bytes, and instructions. A relocation
//! may stand beside its instruction, as `objdump -dwr` has it, or below.
//!
//! `<name>` and `<name+0x22>` are names of places; a branch to the address of a line of the same section leads there.

use super::att::{self, Piece};
use super::expression::edited;
use super::intel::{behind_prefixes, edits};
use super::printed::Printed;
use super::unknown::unknown;
use super::word::{first_word, is_name};
use super::{Notation, Taken, relocated};
use crate::diag::{Fault, Span, fault};
use crate::lex::{Made, marked};
use crate::select;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A line with an address.
struct Placed {
    address: u64,
    /// Its instruction; empty if the line only has more bytes of the one before.
    code: Range<usize>,
    /// Whether its place in its function stands beside the address.
    named: bool,
}

/// A line of a listing.
enum Kind<'l> {
    /// `00000000 <name>:`, with the place of the name between the brackets.
    Function(u64, &'l str, Range<usize>),
    Placed(Placed),
    /// `Disassembly of section .text:`, after which addresses begin anew.
    Section,
    /// `4f: R_386_PC32 name`: the linker puts an address there.
    Relocation(&'l str, &'l str),
    Other,
}

fn hex(text: &str) -> Option<u64> {
    let digits = !text.is_empty() && text.len() <= 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits.then(|| u64::from_str_radix(text, 16).ok()).flatten()
}

/// The parts of a line: the relocations of `objdump -dwr` stand after the instruction.
fn parts(line: &str) -> Vec<Kind<'_>> {
    let mut ends = Vec::new();
    for (at, _) in line.match_indices(": R_386_") {
        let digits = line[..at].bytes().rev().take_while(u8::is_ascii_hexdigit).count();
        let begin = at - digits;
        if digits > 0 && line[..begin].ends_with('\t') && !line[..begin].trim().is_empty() {
            ends.push(begin);
        }
    }
    let first = ends.first().copied().unwrap_or(line.len());
    let last = ends.iter().copied().skip(1).chain([line.len()]);
    let more = ends
        .iter()
        .copied()
        .zip(last)
        .map(|(begin, end)| kind(&line[begin..end]));
    std::iter::once(kind(&line[..first])).chain(more).collect()
}

/// The address before the colon of a line: of objdump, or of gdb, as in `=> 0x08049000 <+4>` or `0x8049000 <main+4>`.
fn address(text: &str) -> Option<(u64, bool)> {
    let plain = text.strip_prefix("=>").unwrap_or(text).trim();
    match plain.split_once(" <") {
        Some((number, place)) => {
            let number = hex(number.trim().strip_prefix("0x")?)?;
            place.ends_with('>').then_some((number, true))
        }
        None => hex(text).map(|number| (number, false)),
    }
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
    // A name of C++ in the place of gdb may have colons.
    let split = match text.split_once(">:") {
        Some((before, rest)) if before.contains("0x") => Some((&text[..=before.len()], rest)),
        _ => text.split_once(':'),
    };
    let Some((written, rest)) = split else {
        return Kind::Other;
    };
    let found = address(written).filter(|_| rest.is_empty() || rest.starts_with([' ', '\t']));
    let Some((number, named)) = found else {
        return Kind::Other;
    };
    // A name of C++ may have blanks.
    if let Some((what, name)) = rest.trim().split_once([' ', '\t'])
        && what.starts_with("R_386_")
    {
        return Kind::Relocation(what, name.trim());
    }
    // The bytes, of two digits each, stand before the instruction.
    let mut at = start + written.len() + 1;
    loop {
        let rest = &line[at..];
        let begin = at + rest.len() - rest.trim_start().len();
        let byte = line[begin..].bytes().take_while(u8::is_ascii_hexdigit).count();
        let behind = line.as_bytes().get(begin + byte);
        if byte != 2 || !matches!(behind, None | Some(b' ' | b'\t' | b'\r')) {
            let code = &line[begin..];
            // Some listings have what the linker knows of an address after a hash.
            let code = code.split(" #").next().unwrap_or(code);
            let end = begin + code.trim_end().len();
            return Kind::Placed(Placed {
                address: number,
                code: begin..end,
                named,
            });
        }
        at = begin + byte;
    }
}

/// Whether a text is such a listing: it has the head of a function, or addresses that rise in all lines, with the bytes
/// or with names of places.
pub(super) fn is_listing(text: &str) -> bool {
    let (mut last, mut placed, mut rise, mut sure) = (None, 0, true, false);
    for (line, kind) in text
        .lines()
        .flat_map(|line| parts(line).into_iter().map(move |kind| (line, kind)))
    {
        match kind {
            Kind::Function(..) => {
                last = None;
                sure = true;
            }
            Kind::Section => last = None,
            Kind::Relocation(..) => {}
            Kind::Placed(Placed { address, code, named }) => {
                let (mnemonic, operands) = first_word(line, code.clone());
                let is_code = code.is_empty() || is_instruction(&line[mnemonic]);
                rise &= last.is_none_or(|last| address > last);
                last = Some(address);
                placed += u32::from(is_code);
                let bytes = !named && line[..code.start].split_whitespace().count() > 1;
                sure |= is_code && (named || bytes || target(&line[operands]).is_some_and(|(_, name)| name.is_some()));
            }
            Kind::Other => {}
        }
    }
    sure && rise && placed > 0
}

/// The names of the functions of a listing.
pub(super) fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| match kind(line) {
        Kind::Function(_, name, _) => Some(name),
        _ => None,
    })
}

/// Whether a word begins an instruction in either syntax.
fn is_instruction(word: &str) -> bool {
    select::instruction(word).is_some() || select::is_later(word) || att::is_instruction(word) || word == "data16"
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
pub(super) fn lines(text: &str, notation: Notation, taken: &mut Taken<'_>) -> Result<Vec<Made>, Fault> {
    let (att, module) = (notation.att, notation.is_module());
    let lines = (1..).zip(text.lines());
    let numbered = lines.flat_map(|(number, line)| parts(line).into_iter().map(move |kind| (number, (line, kind))));
    let (numbers, kinds): (Vec<u32>, Vec<(&str, Kind<'_>)>) = numbered.unzip();
    let mut section = 0;
    // The addresses of instructions and functions, and the names of those that branches lead to.
    let mut known: BTreeSet<(u32, u64)> = BTreeSet::new();
    let mut names: BTreeMap<(u32, u64), String> = BTreeMap::new();
    for (_, kind) in &kinds {
        match kind {
            Kind::Section => section += 1,
            Kind::Function(address, name, _) => {
                taken.define(name, true);
                names.insert((section, *address), (*name).to_owned());
            }
            Kind::Placed(placed) if !placed.code.is_empty() => {
                known.insert((section, placed.address));
            }
            Kind::Relocation(_, name) => taken.define(name, true),
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
    for (at, ((line, kind), &number)) in kinds.iter().zip(&numbers).enumerate() {
        match kind {
            Kind::Section => section += 1,
            Kind::Function(_, name, place) => {
                let mut label = Made::new(number);
                label.put(&format!("{}:", place_name(name, taken)), place.clone());
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
                    let begin = line.len() - line.trim_start().len();
                    let end = line.find([':', '<']).unwrap_or(begin);
                    label.put(&format!("{}:", place_name(name, taken)), begin..end);
                    made.push(label);
                }
                let mut instruction = Made::new(number);
                let place = Within {
                    section,
                    names: &names,
                    att,
                };
                if let Some(fault) = unknown(line, number, placed.code.clone(), notation, |_| false) {
                    return Err(fault);
                }
                let relocations = relocations(&kinds[at + 1..]);
                if module && let Some(fault) = leads_out(line, number, placed, &relocations, &place) {
                    return Err(fault);
                }
                let printed = printed(&kinds, at);
                let Some(pieces) = pieces(line, placed, &relocations, &place, (&printed, taken)) else {
                    return Err(not_relocated(number, &placed.code));
                };
                let code = placed.code.clone();
                let own = match pieces.is_empty() {
                    true => edits(line, code.clone(), taken),
                    false => Vec::new(),
                };
                let masm = match pieces.is_empty() {
                    true => edited(&line[code.clone()], code.start, &own),
                    false => pieces.iter().map(|(text, _)| text.as_str()).collect(),
                };
                let kept = printed.kept(&masm, &line[code.clone()]);
                match kept.filter(|_| relocations.is_empty()) {
                    Some(bytes) => {
                        let bytes: Vec<String> = bytes.iter().map(u8::to_string).collect();
                        instruction.put(&format!("db {}", bytes.join(",")), code);
                    }
                    None if pieces.is_empty() => instruction.edit(line, code, &own),
                    None => {
                        pieces
                            .iter()
                            .for_each(|(text, part)| instruction.put(text, part.clone()));
                        instruction.end(code.end);
                    }
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
    Ok(made)
}

/// The fault of a branch to where the listing has nothing, from which no object can be made.
fn leads_out(
    line: &str,
    number: u32,
    placed: &Placed,
    relocations: &[(&str, &str)],
    place: &Within<'_>,
) -> Option<Fault> {
    let (mnemonic, operands) = behind_prefixes(line, placed.code.clone());
    let (address, _) = target(&line[operands.clone()]).filter(|_| branches(&line[mnemonic]))?;
    let is_known = place.names.contains_key(&(place.section, address)) || !relocations.is_empty();
    let span = Span::of(number, &operands);
    let message = "the listing does not say what is called here, which a linker puts in";
    (!is_known).then(|| {
        fault(span, message).with_help(
            "`p5inst FILE` runs it without; for an object, give the assembly source: `gcc -m32 -march=pentium -O2 -S \
             FILE.c`",
        )
    })
}

/// The warning of a listing of an object without its relocations, in which a linker has yet to put addresses in.
pub(super) fn unrelocated(text: &str) -> Option<Fault> {
    let all = || {
        (1..)
            .zip(text.lines())
            .flat_map(|(number, line)| parts(line).into_iter().map(move |kind| (number, line, kind)))
    };
    if all().any(|(_, _, kind)| matches!(kind, Kind::Relocation(..))) {
        return None;
    }
    all().find_map(|(number, line, kind)| {
        let Kind::Placed(placed) = kind else { return None };
        let (mnemonic, operands) = behind_prefixes(line, placed.code);
        let span = Span::of(number, &operands);
        relocated::is_open(&line[mnemonic], &line[operands]).then(|| {
            let message =
                "this accesses address 0, where a linker puts in that of data: the listing has no relocations";
            fault(span, message).with_help(
                "list the object with them, `objdump -dr -M intel FILE.o`, or give the object itself, `p5inst \
                 DRIVER.asm FILE.o`",
            )
        })
    })
}

/// Whether a line of no listing is an instruction that someone has added. `int` begins a declaration in C.
fn is_own(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    !word.eq_ignore_ascii_case("int")
        && select::instruction(word).is_some()
        && !line.trim_end().ends_with(['{', '}', ';'])
}

/// The fault of an instruction in which it is not plain what a linker changes.
fn not_relocated(number: u32, code: &Range<usize>) -> Fault {
    let span = Span::of(number, code);
    fault(span, "what a linker puts into this instruction is not read")
        .with_help("list the linked program, or give the object itself")
}

/// What a listing says of the length of the instruction of line `at`: its bytes, which may go on in lines that have
/// nothing else, or where the next one stands.
fn printed(kinds: &[(&str, Kind<'_>)], at: usize) -> Printed {
    let bytes = |(line, kind): &(&str, Kind<'_>)| match kind {
        Kind::Placed(placed) => {
            let (_, behind) = line[..placed.code.start].rsplit_once(':').unwrap_or_default();
            let bytes = behind.split_whitespace().map(|byte| u8::from_str_radix(byte, 16));
            bytes.collect::<Result<Vec<u8>, _>>().unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let Some(Kind::Placed(own)) = kinds.get(at).map(|(_, kind)| kind) else {
        return Printed::Nothing;
    };
    let behind = &kinds[at + 1..];
    let more = behind.iter().take_while(|(_, kind)| match kind {
        Kind::Relocation(..) => true,
        Kind::Placed(placed) => placed.code.is_empty(),
        _ => false,
    });
    let all: Vec<u8> = kinds.iter().skip(at).take(1).chain(more).flat_map(bytes).collect();
    let next = behind.iter().find_map(|(_, kind)| match kind {
        Kind::Placed(placed) => Some(Some(placed.address)),
        Kind::Function(address, ..) => Some(Some(*address)),
        Kind::Section => Some(None),
        _ => None,
    });
    let length = next.flatten().and_then(|next| next.checked_sub(own.address));
    match (all.is_empty(), length) {
        (false, _) => Printed::Bytes(all),
        (true, Some(length @ 1..=15)) => Printed::Length(length as u32),
        (true, _) => Printed::Nothing,
    }
}

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

/// The name of a place as one name for MASM, in its brackets if it has a distance.
fn place_name(name: &str, taken: &Taken<'_>) -> String {
    let is_plain = name.bytes().all(|byte| is_name(byte) || matches!(byte, b'+' | b'?'));
    let is_distant = || {
        name.rsplit_once("+0x")
            .is_some_and(|(_, distance)| hex(distance).is_some())
    };
    match taken.apart(name) {
        Some(spelled) => spelled,
        None if is_plain => format!("<{name}>"),
        None if is_distant() => marked(&format!("<{name}>")),
        None => marked(name),
    }
}

/// Where an instruction stands.
struct Within<'n> {
    section: u32,
    names: &'n BTreeMap<(u32, u64), String>,
    att: bool,
}

/// An instruction in pieces: targets of branches become names, and so do the addresses that a linker puts in; no pieces
/// if only edits change it. `None` if a linker puts in something other than a plain address.
fn pieces(
    line: &str,
    placed: &Placed,
    relocations: &[(&str, &str)],
    place: &Within<'_>,
    (printed, taken): (&Printed, &Taken<'_>),
) -> Option<Vec<Piece>> {
    let (mnemonic, operands) = behind_prefixes(line, placed.code.clone());
    let text = &line[operands.clone()];
    let name = line[mnemonic.clone()].trim_end_matches(",pt").trim_end_matches(",pn");
    if branches(name)
        && let Some((address, written)) = target(text)
    {
        let relocated = relocations.first().map(|(_, name)| *name);
        let known = place.names.get(&(place.section, address)).map(String::as_str);
        let bare = format!("0x{address:x}");
        let target = relocated.or(known).or(written).unwrap_or(&bare);
        let target = target.strip_suffix("@plt").unwrap_or(target);
        let jumps = name.starts_with(['j', 'J']) && known.is_some();
        let near = if jumps && printed.is_near() { "near ptr " } else { "" };
        return Some(vec![
            (format!("{name} {near}"), mnemonic),
            (place_name(target, taken), operands),
        ]);
    }
    if relocations.is_empty() && !place.att {
        return Some(Vec::new());
    }
    // What a linker puts in, written where it does.
    let mut line = line.to_owned();
    let mut code = placed.code.clone();
    if !relocations.is_empty() {
        let [("R_386_32", name)] = relocations else { return None };
        let is_memory = |before: &str| place.att || before.rfind('[') > before.rfind(']');
        let new = relocated::with_name(text, &place_name(name, taken), is_memory)?;
        code.end = code.end + new.len() - operands.len();
        line.replace_range(operands, &new);
    }
    let whole = placed.code.clone();
    if place.att {
        let pieces = att::converted(&line, code.clone(), taken);
        let made = pieces.map(|pieces| pieces.into_iter().map(|(text, _)| text).collect());
        return Some(vec![(made.unwrap_or_else(|| line[code].to_owned()), whole)]);
    }
    let edits = edits(&line, code.clone(), taken);
    Some(vec![(edited(&line[code.clone()], code.start, &edits), whole)])
}
