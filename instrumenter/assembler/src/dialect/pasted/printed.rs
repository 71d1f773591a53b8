//! How long instructions of a listing are, by their bytes or by the address that follows: the text of an instruction
//! does not say how many bytes of a displacement it has, and padding has more than it needs.

use super::word::is_name;
use crate::operand::{CodeSize, Immediate, Memory, Operand, Place};
use crate::select;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, OpKind, Register};
use std::collections::BTreeSet;

/// What a listing says of the length of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Printed {
    Bytes(Vec<u8>),
    /// Only how many there are.
    Length(u32),
    Nothing,
}

impl Printed {
    /// Whether it is a jump that may lead anywhere rather than 128 bytes away.
    pub(super) fn is_near(&self) -> bool {
        match self {
            Printed::Bytes(bytes) => bytes.len() >= 5,
            Printed::Length(length) => *length >= 5,
            Printed::Nothing => false,
        }
    }

    /// The bytes of an instruction that an assembler would encode in fewer or more bytes. `masm` is the
    /// instruction as MASM writes it, `text` what the listing has: where they differ from the bytes, they count.
    pub(super) fn kept(&self, masm: &str, text: &str) -> Option<Vec<u8>> {
        match self {
            Printed::Bytes(bytes) => {
                let instruction = decoded(bytes)?;
                let differs = assembled(&instruction)? != bytes.len();
                (differs && says(masm, &instruction)).then(|| bytes.clone())
            }
            Printed::Length(length) => padding(masm, text, *length as usize),
            Printed::Nothing => None,
        }
    }
}

/// The instruction that these bytes are, with nothing after it.
fn decoded(bytes: &[u8]) -> Option<Instruction> {
    let mut decoder = Decoder::new(32, bytes, DecoderOptions::NONE);
    let instruction = decoder.decode();
    (!instruction.is_invalid() && instruction.len() == bytes.len()).then_some(instruction)
}

/// How many bytes an assembler makes of an instruction; `None` if that does not depend on its displacement and its
/// numbers.
fn assembled(instruction: &Instruction) -> Option<usize> {
    let prefixed = instruction.has_lock_prefix() || instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if prefixed {
        return None;
    }
    let operands: Option<Vec<Operand>> = (0..instruction.op_count())
        .map(|number| operand(instruction, number))
        .collect();
    Some(encoded(&name(instruction), &operands?)?.len())
}

fn name(instruction: &Instruction) -> String {
    format!("{:?}", instruction.mnemonic()).to_ascii_lowercase()
}

fn encoded(name: &str, operands: &[Operand]) -> Option<Vec<u8>> {
    let place = Place {
        address: 0,
        size: CodeSize::Bits32,
    };
    let prefixes = select::Prefixes {
        compiled: true,
        ..select::Prefixes::NONE
    };
    let encoded = select::encode(name, prefixes, operands, place).ok()?;
    encoded.bytes.get(..usize::from(encoded.length)).map(<[u8]>::to_vec)
}

/// An operand of it; `None` if it is the target of a branch, or of a string instruction.
fn operand(instruction: &Instruction, number: u32) -> Option<Operand> {
    Some(match instruction.op_kind(number) {
        OpKind::Register => Operand::Register(instruction.op_register(number)),
        OpKind::Memory => Operand::Memory(Memory {
            size: match instruction.memory_size().size() {
                0 => None,
                size => u8::try_from(size).ok(),
            },
            explicit_size: true,
            segment: instruction.segment_prefix(),
            base: instruction.memory_base(),
            index: instruction.memory_index(),
            scale: instruction.memory_index_scale() as u8,
            displacement: i64::from(instruction.memory_displacement32() as i32),
            volatile: false,
            has_displacement: instruction.memory_displ_size() > 0,
        }),
        _ => Operand::Immediate(Immediate {
            value: immediate(instruction, number)?,
            size: None,
            volatile: false,
        }),
    })
}

/// A number among the operands, with its sign.
fn immediate(instruction: &Instruction, number: u32) -> Option<i64> {
    let value = instruction.try_immediate(number).ok()?;
    Some(match instruction.op_kind(number) {
        OpKind::Immediate32 => i64::from(value as u32 as i32),
        OpKind::Immediate16 => i64::from(value as u16),
        OpKind::Immediate8 | OpKind::Immediate8_2nd => i64::from(value as u8),
        _ => value as i64,
    })
}

/// Whether a text for MASM has the name, the registers and the numbers of an instruction.
fn says(masm: &str, instruction: &Instruction) -> bool {
    let mut words = masm
        .split(|byte: char| !byte.is_ascii() || !is_name(byte as u8))
        .filter(|word| !word.is_empty());
    let operands: Option<Vec<Operand>> = (0..instruction.op_count())
        .map(|number| operand(instruction, number))
        .collect();
    let mut word = words.next();
    while word.is_some_and(|word| word.starts_with("seg")) {
        word = words.next();
    }
    let same = word.zip(operands).and_then(|(word, operands)| encoded(word, &operands));
    let named = same.and_then(|bytes| decoded(&bytes)).map(|other| other.mnemonic());
    if named != Some(instruction.mnemonic()) {
        return false;
    }
    let (mut registers, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..instruction.op_count() {
        match operand(instruction, number) {
            Some(Operand::Register(register)) => _ = registers.insert(register),
            Some(Operand::Immediate(immediate)) => _ = numbers.insert(immediate.value as i32),
            Some(Operand::Memory(memory)) => {
                registers.extend([memory.base, memory.index, memory.segment]);
                numbers.insert(memory.displacement as i32);
                if memory.index != Register::None {
                    numbers.insert(i32::from(memory.scale));
                }
            }
            _ => return false,
        }
    }
    registers.remove(&Register::None);
    let (mut named, mut told) = (BTreeSet::new(), BTreeSet::new());
    for word in words {
        match (select::register(word), number(word)) {
            (Some(register), _) => _ = named.insert(register),
            (_, Some(number)) => told.extend([number, number.wrapping_neg()]),
            _ => {}
        }
    }
    // What a text may leave out, or have without need.
    let may = |number: &i32| matches!(number, 0 | 1);
    let known = |number: &i32| may(number) || numbers.contains(number) || numbers.contains(&number.wrapping_neg());
    let beside: Vec<&Register> = named.difference(&registers).collect();
    let is_default = |register: &&Register| matches!(**register, Register::DS | Register::SS | Register::ST0);
    let same = registers.is_subset(&named) && beside.iter().all(is_default);
    same && told.iter().all(known) && numbers.iter().all(|number| may(number) || told.contains(number))
}

fn number(word: &str) -> Option<i32> {
    let value = match word.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    value.map(|value| value as i32)
}

/// Padding of this many bytes: a LEA of a register into itself, or a NOP with memory, without a displacement other than
/// zeros.
fn padding(masm: &str, text: &str, length: usize) -> Option<Vec<u8>> {
    let text = text.to_ascii_lowercase();
    let (before, behind) = masm.split_once('[')?;
    let inside = behind.strip_suffix(']')?;
    let mut words = before
        .split([' ', ',', '\t'])
        .filter(|word| !word.is_empty())
        .peekable();
    while words.next_if(|word| word.starts_with("seg")).is_some() {}
    let (mut bytes, register) = match words.next()? {
        "lea" => (
            vec![0x8D],
            select::register(words.next()?).filter(|one| one.is_gpr32())?,
        ),
        "nop" => (vec![0x0F, 0x1F], Register::EAX),
        _ => return None,
    };
    let (mut base, mut index) = (None, None);
    for part in inside.split('+') {
        let (name, scale) = part.split_once('*').unwrap_or((part, ""));
        match (select::register(name.trim()), number(part.trim())) {
            (Some(register), _) if scale.is_empty() => base = Some(register),
            (Some(register), _) => index = Some((register, scale.trim().parse::<u8>().ok()?)),
            (None, Some(0)) => {}
            _ => return None,
        }
    }
    let base = base.filter(|base| base.is_gpr32())?;
    if bytes.len() == 1 && (base != register || index.is_some()) {
        return None;
    }
    let small = |register: Register| register.number() as u8;
    let sib = match index {
        Some((index, scale)) => Some(scale.trailing_zeros() as u8 * 64 + small(index) * 8),
        None if text.contains("eiz") || base == Register::ESP => Some(0x20),
        None => None,
    };
    let mut before = Vec::new();
    before.resize(text.matches("data16").count(), 0x66);
    if text.contains("nopw") || masm.contains("word ptr") && !masm.contains("dword ptr") {
        before.push(0x66);
    }
    if text.contains("cs:") || text.split_whitespace().any(|word| word == "cs") {
        before.push(0x2E);
    }
    let plain = before.len() + bytes.len() + 1 + usize::from(sib.is_some());
    // Without a displacement the text has none either.
    let displacement = length.checked_sub(plain).filter(|bytes| matches!(bytes, 1 | 4))?;
    let form = if displacement == 1 { 0x40 } else { 0x80 };
    let below = if sib.is_some() { 4 } else { small(base) };
    bytes.push(form | (if bytes.len() == 1 { small(register) * 8 } else { 0 }) | below);
    bytes.extend(sib.map(|sib| sib | small(base)));
    bytes.resize(bytes.len() + displacement, 0);
    before.extend(bytes);
    decoded(&before).filter(|one| one.code() != Code::INVALID)?;
    Some(before)
}

#[cfg(test)]
mod tests {
    use super::Printed;

    #[test]
    fn bytes_stay_where_an_assembler_makes_another_number_of_them() {
        for (bytes, masm, kept) in [
            (&[0x8D, 0x74, 0x26, 0][..], "lea esi, [esi+0x0]", true),
            (&[0x8D, 0xB6, 0, 0, 0, 0], "lea esi, [esi+0x0]", true),
            (&[0x8B, 0x44, 0x24, 4], "mov eax, dword ptr [esp+0x4]", false),
            (&[0x8B, 0x84, 0x24, 4, 0, 0, 0], "mov eax, dword ptr [esp+0x4]", true),
            (&[0x81, 0xC0, 1, 0, 0, 0], "add eax, 0x1", true),
            (&[0x89, 0xD8], "mov eax, ebx", false),
            // The text was changed since.
            (&[0x81, 0xC0, 1, 0, 0, 0], "sub eax, 0x1", false),
            (&[0x81, 0xC0, 1, 0, 0, 0], "add ebx, 0x1", false),
            (&[0x81, 0xC0, 1, 0, 0, 0], "add eax, 0x2", false),
            (&[0x8D, 0xB6, 0, 0, 0, 0], "lea edi, [esi+0x0]", false),
        ] {
            let made = Printed::Bytes(bytes.to_vec()).kept(masm, "");
            assert_eq!(made.as_deref(), kept.then_some(bytes), "{masm}");
        }
    }

    #[test]
    fn padding_has_the_length_that_addresses_leave_for_it() {
        for (masm, text, bytes) in [
            ("lea esi, [esi+0x0]", "lea 0x0(%esi),%esi", &[0x8D, 0x76, 0][..]),
            ("lea esi, [esi+0x0]", "lea 0x0(%esi),%esi", &[0x8D, 0xB6, 0, 0, 0, 0]),
            (
                "lea esi, [esi+0x0]",
                "lea 0x0(%esi,%eiz,1),%esi",
                &[0x8D, 0x74, 0x26, 0],
            ),
            (
                "lea esi, cs:[esi+0x0]",
                "lea %cs:0x0(%esi,%eiz,1),%esi",
                &[0x2E, 0x8D, 0xB4, 0x26, 0, 0, 0, 0],
            ),
            (
                "nop word ptr [eax+eax*1+0x0]",
                "nopw 0x0(%eax,%eax,1)",
                &[0x66, 0x0F, 0x1F, 0x44, 0, 0],
            ),
        ] {
            let made = Printed::Length(bytes.len() as u32).kept(masm, text);
            assert_eq!(made.as_deref(), Some(bytes), "{text}");
        }
        for (masm, length) in [
            ("lea esi, [esi+0x0]", 2),
            ("lea eax, [esi+0x0]", 6),
            ("mov eax, [esi+0x0]", 6),
        ] {
            assert_eq!(Printed::Length(length).kept(masm, masm), None, "{masm}");
        }
    }
}
