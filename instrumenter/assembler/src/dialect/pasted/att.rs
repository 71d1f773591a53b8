//! Instructions in AT&T syntax as MASM writes them: the destination first, the size with the memory, and the names that
//! Intel gave the instructions.

use super::Taken;
use super::att_names::{OF_INTEGERS, Operation, Order, operation};
use super::att_operand::{Operand, operand, split};
use super::expression::{expression, is_distance, names_place, target};
use super::table::{STRINGS, is_of_top, is_shift, prefix};
use super::word::first_word;
use crate::diag::{Fault, Span, fault};
use crate::select;
use std::ops::Range;

/// A text for MASM, and the part of the line that it stands for.
pub(super) type Piece = (String, Range<usize>);

/// Whether a word is an instruction or a prefix in this syntax.
pub(super) fn is_instruction(word: &str) -> bool {
    prefix(word).is_some_and(|masm| !masm.is_empty()) || operation(word, &[]).is_some()
}

/// Whether a word is an instruction with a suffix for its size, as only this syntax has it.
pub(super) fn is_suffixed(word: &str) -> bool {
    word.ends_with(['b', 'w', 'l', 's', 't']) && operation(word, &[]).is_some()
}

/// What is told of an instruction on an integer in memory whose suffix is missing.
pub(super) fn unsized_integer(line: &str, number: u32, part: Range<usize>) -> Option<Fault> {
    let (mnemonic, _) = first_word(line, part);
    let word = &line[mnemonic.clone()];
    OF_INTEGERS.contains(&word).then(|| {
        let message = format!("`{word}` without a suffix takes an integer of 16 bits");
        let help = format!("write `{word}s` for that, or `{word}l` for one of 32 bits");
        fault(Span::of(number, &mnemonic), message).with_help(help)
    })
}

/// An instruction, which `part` of the line is, in pieces; `None` if it is none that is known here.
pub(super) fn converted(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let (mut mnemonic, mut rest) = first_word(line, part);
    let mut word = line[mnemonic.clone()].to_ascii_lowercase();
    while let Some(masm) = prefix(&word) {
        if word == "data16" && line[rest.clone()].trim() == "nop" {
            pieces.push(("xchg ax, ax".to_owned(), mnemonic.start..rest.end));
            return Some(pieces);
        }
        pieces.push((format!("{masm} "), mnemonic.clone()));
        if line[rest.clone()].trim().is_empty() {
            return Some(pieces);
        }
        (mnemonic, rest) = first_word(line, rest);
        word = line[mnemonic.clone()].to_ascii_lowercase();
    }
    for hint in [",pt", ",pn"] {
        word.truncate(word.strip_suffix(hint).unwrap_or(&word).len());
    }
    let places = split(line, rest.clone());
    let mut operands: Vec<(Operand<'_>, Range<usize>)> = Vec::with_capacity(places.len());
    for place in places {
        operands.push((operand(line, place.clone())?, place));
    }
    let kinds: Vec<&Operand<'_>> = operands.iter().map(|(operand, _)| operand).collect();
    let Operation { name, size, order } = operation(&word, &kinds)?;
    if let Some(whole) = string_instruction(&name, size, &kinds) {
        pieces.push((whole, mnemonic.start..rest.end));
        return Some(pieces);
    }
    pieces.push((name.clone(), mnemonic));
    let branches = select::instruction(&name).is_some_and(|instruction| instruction.takes_target);
    let size = size.or_else(|| of_registers(&name, &kinds));
    let mut before = match is_of_top(&name) && operands.len() == 1 {
        true => " st, ",
        false => " ",
    };
    if let (true, [(Operand::Immediate(selector), _), (Operand::Immediate(offset), _)]) = (branches, &operands[..]) {
        let [selector, offset] = [selector, offset].map(|part| expression(line, part.clone(), taken));
        pieces.push((format!(" ({selector}):({offset})"), rest));
        return Some(pieces);
    }
    let count = operands.len();
    for number in 0..count {
        let (operand, place) = match order {
            Order::Reversed => &operands[count - 1 - number],
            Order::Same => &operands[number],
        };
        let text = match operand {
            Operand::Indirect(inside) => match &**inside {
                Operand::Memory(_) => written(line, inside, size.or(Some("dword")), taken),
                other => written(line, other, None, taken),
            },
            // The address itself.
            Operand::Memory(memory) if branches && memory.is_plain() => {
                target(line, memory.displacement.clone(), taken)
            }
            other => written(line, other, size, taken),
        };
        pieces.push((format!("{before}{text}"), place.clone()));
        before = ", ";
    }
    if let Some(more) = implied(&name, &kinds) {
        pieces.push((more.to_owned(), rest.end..rest.end));
    }
    Some(pieces)
}

/// The size of a memory operand without a size of its own: that of the general registers beside it.
pub(super) fn of_registers(name: &str, operands: &[&Operand<'_>]) -> Option<&'static str> {
    if is_shift(name)
        || matches!(
            name,
            "lea" | "movzx" | "movsx" | "in" | "out" | "lds" | "les" | "lfs" | "lgs" | "lss"
        )
    {
        return None;
    }
    operands.iter().rev().find_map(|operand| match operand {
        Operand::Register(register) => register_size(register),
        _ => None,
    })
}

fn register_size(name: &str) -> Option<&'static str> {
    let register = select::register(name)?;
    match register.size() {
        1 => Some("byte"),
        2 if !register.is_segment_register() => Some("word"),
        4 if register.is_gpr32() => Some("dword"),
        _ => None,
    }
}

/// An operand that this syntax leaves out.
fn implied(name: &str, operands: &[&Operand<'_>]) -> Option<&'static str> {
    match (name, operands.len()) {
        (name, 1) if is_shift(name) => Some(", 1"),
        ("shld" | "shrd", 2) => Some(", cl"),
        _ => None,
    }
}

/// An operand as MASM writes it; memory with its `size`.
fn written(line: &str, operand: &Operand<'_>, size: Option<&str>, taken: &Taken<'_>) -> String {
    match operand {
        Operand::Register(name) => (*name).to_owned(),
        Operand::Immediate(part) => {
            let text = expression(line, part.clone(), taken);
            let place = names_place(line, part.clone(), taken);
            // The distance between two places is a number.
            match place && !is_distance(line, part.clone()) {
                // The operator concerns what stands right after it.
                true if text.starts_with(|first: char| first.is_ascii_digit() || "+-(".contains(first)) => {
                    format!("offset ({text})")
                }
                true => format!("offset {text}"),
                false => text,
            }
        }
        Operand::Memory(memory) => {
            let mut text = size.map(|size| format!("{size} ptr ")).unwrap_or_default();
            let displacement = expression(line, memory.displacement.clone(), taken);
            let plain = memory.is_plain();
            match memory.segment {
                // The segment that an address has anyway is no prefix, but a number needs one to be an address.
                Some(segment) => text += &format!("{segment}:"),
                None if plain => text += "ds:",
                None => {}
            }
            text.push('[');
            let mut between = "";
            if let Some(base) = memory.base {
                text += base;
                between = "+";
            }
            if let Some(index) = memory.index {
                text += &format!("{between}{index}*{}", memory.scale);
                between = "+";
            }
            if !displacement.trim().is_empty() {
                let signed = displacement.starts_with('-');
                let between = if signed { "" } else { between };
                text += &format!("{between}{displacement}");
            }
            text.push(']');
            text
        }
        Operand::Indirect(inside) => written(line, inside, size, taken),
    }
}

/// A string instruction as MASM writes it, with the size in its name, or with operands if its source is in another
/// segment; `None` if it is none.
fn string_instruction(name: &str, size: Option<&'static str>, operands: &[&Operand<'_>]) -> Option<String> {
    if !STRINGS.contains(&name) {
        return None;
    }
    // A port says nothing of the size.
    let beside: Vec<&Operand<'_>> = operands
        .iter()
        .copied()
        .filter(|operand| !matches!((name, operand), ("ins" | "outs", Operand::Register(_))))
        .collect();
    let size = size.or_else(|| of_registers("", &beside)).unwrap_or("dword");
    let source = operands.iter().find_map(|operand| match operand {
        Operand::Memory(memory) if memory.base == Some("esi") => memory.segment,
        _ => None,
    });
    let letter = size.get(..1)?;
    Some(match source.filter(|segment| *segment != "ds") {
        None => format!("{name}{letter}"),
        Some(segment) => match name {
            "movs" => format!("movs {size} ptr es:[edi], {size} ptr {segment}:[esi]"),
            "cmps" => format!("cmps {size} ptr {segment}:[esi], {size} ptr es:[edi]"),
            "outs" => format!("outs dx, {size} ptr {segment}:[esi]"),
            _ => format!("{name} {size} ptr {segment}:[esi]"),
        },
    })
}
