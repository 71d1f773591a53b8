//! A small notation for test cases: MASM's, with `to 1000h` for a branch target and `volatile` before a number.

use super::*;

/// Splits a line into mnemonic, prefixes and operands.
pub(super) fn parse(text: &str) -> (String, Prefixes, Vec<Operand>) {
    let mut prefixes = Prefixes::NONE;
    let mut rest = text.trim();
    loop {
        let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "lock" => prefixes.lock = true,
            "rep" => prefixes.repeat = RepeatPrefix::Rep,
            "repe" => prefixes.repeat = RepeatPrefix::Repe,
            "repne" => prefixes.repeat = RepeatPrefix::Repne,
            _ => {
                let operands = after
                    .split(',')
                    .map(str::trim)
                    .filter(|text| !text.is_empty())
                    .map(operand)
                    .collect();
                return (word.to_owned(), prefixes, operands);
            }
        }
        rest = after;
    }
}

fn number(text: &str) -> i64 {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    sign * match digits.strip_suffix('h') {
        Some(hex) => i64::from_str_radix(hex, 16).expect(text),
        None => digits.parse::<i64>().expect(text),
    }
}

fn operand(text: &str) -> Operand {
    let distance = |text: &str| match text {
        text if text.starts_with("short ") => (Distance::Short, text.len() - 6),
        text if text.starts_with("near ") => (Distance::Near, text.len() - 5),
        text => (Distance::Any, text.len()),
    };
    let (reach, left) = distance(text);
    if let Some(address) = text[text.len() - left..].strip_prefix("to ") {
        return Operand::Target(Target {
            address: number(address) as u32,
            distance: reach,
        });
    }
    if let Some(pointer) = text.strip_prefix("far ") {
        let (selector, offset) = pointer.split_once(':').expect(text);
        return Operand::FarPointer {
            selector: number(selector) as u16,
            offset: number(offset) as u32,
            wide: false,
        };
    }
    let sizes = [
        ("byte", 1),
        ("word", 2),
        ("dword", 4),
        ("fword", 6),
        ("qword", 8),
        ("tbyte", 10),
    ];
    let (size, text) = match text.split_once(" ptr ") {
        Some((name, rest)) => (sizes.iter().find(|size| size.0 == name).map(|size| size.1), rest),
        None => (None, text),
    };
    if let Some(open) = text.find('[') {
        return Operand::Memory(memory(&text[..open], text[open + 1..].trim_end_matches(']'), size));
    }
    let plain = text.replace(['(', ')'], "");
    if let Some(register) = register(&plain) {
        return Operand::Register(register);
    }
    let (volatile, text) = match text.strip_prefix("volatile ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    Operand::Immediate(Immediate {
        value: number(text),
        size,
        volatile,
    })
}

fn memory(segment: &str, inner: &str, size: Option<u8>) -> Memory {
    let mut memory = Memory {
        size,
        explicit_size: size.is_some(),
        segment: segment.strip_suffix(':').and_then(register).unwrap_or(Register::None),
        base: Register::None,
        index: Register::None,
        scale: 1,
        displacement: 0,
        volatile: false,
        has_displacement: false,
    };
    for term in inner.replace('-', "+-").split('+').filter(|term| !term.is_empty()) {
        if let Some((index, scale)) = term.split_once('*') {
            memory.index = register(index).expect(term);
            memory.scale = number(scale) as u8;
        } else if let Some(found) = register(term) {
            if memory.base == Register::None {
                memory.base = found;
            } else {
                memory.index = found;
            }
        } else {
            let (volatile, term) = match term.strip_prefix("volatile ") {
                Some(rest) => (true, rest),
                None => (false, term),
            };
            memory.volatile |= volatile;
            memory.has_displacement = true;
            memory.displacement += number(term);
        }
    }
    memory
}

/// Decodes one instruction of 32-bit code at 1000h, which must use all of the bytes.
pub(super) fn instruction(bytes: &[u8]) -> Instruction {
    instruction_of(CodeSize::Bits32, bytes)
}

/// Decodes one instruction like [`instruction`], in code of this size.
pub(super) fn instruction_of(size: CodeSize, bytes: &[u8]) -> Instruction {
    let bits = match size {
        CodeSize::Bits16 => 16,
        CodeSize::Bits32 => 32,
    };
    let mut decoder = Decoder::with_ip(bits, bytes, 0x1000, DecoderOptions::MOV_TR);
    let decoded = decoder.decode();
    assert_eq!(decoded.len(), bytes.len(), "{bytes:02X?} is not one instruction");
    decoded
}
