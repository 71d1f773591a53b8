//! Memory operands as sums: which accesses of straight code provably do not overlap.
//!
//! The value of a register is followed as an unknown plus a number, through moves and the addition of constants. Two
//! accesses are apart if they use the same segment register, the same unknowns, and ranges that do not meet.
//!
//! Who knows where an access lies says so, and from there on the value of its register is a number, which arithmetic
//! makes others of. Not modelled: segments that begin elsewhere than at 0, but for FS and GS, of which nothing follows.

use super::effects::Effects;
use iced_x86::{CodeSize, Instruction, Mnemonic, OpKind, Register, UsedMemory};
use p5_chips::Geometry;
use rustc_hash::FxHashMap;

/// What stands for the first unknown: an address behind those that a program's constants usually have.
const FIRST: u32 = 0x10_0000;
/// Lines of the data cache from one unknown to the next: an odd number, so that they lie in different sets.
const LINES: u32 = 33;
/// The bits of an address that stands for another: sums of a few unknowns stay within 16 MiB.
const SPACE: u32 = 0x00FF_FFFF;

/// A memory operand as the instruction spells it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) segment: Register,
    pub(super) base: Register,
    pub(super) index: Register,
    scale: u32,
    displacement: u32,
    /// Bytes; 0 if they are not known.
    size: u32,
    /// The bits of its address.
    bits: u32,
    pub(super) write: bool,
}

impl Operand {
    /// The operand that the decoder describes; the size of an `open` one is not known.
    pub(super) fn of(used: &UsedMemory, write: bool, open: bool) -> Operand {
        let open = open || used.index().size() == 1;
        Operand {
            segment: used.segment(),
            base: used.base(),
            index: used.index(),
            scale: used.scale(),
            displacement: used.displacement() as u32,
            size: if open { 0 } else { used.memory_size().size() as u32 },
            bits: match used.address_size() {
                CodeSize::Code16 => 16,
                _ => 32,
            },
            write,
        }
    }
}

/// What is known of a register: an unknown, or none if it is a constant, and what was added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    unknown: Option<u16>,
    added: u32,
}

/// An access with its address as a sum.
#[derive(Clone, Debug)]
pub(super) struct Address {
    segment: Register,
    /// The unknowns with their factors, in ascending order.
    terms: Vec<(u16, u32)>,
    constant: u32,
    size: u32,
    bits: u32,
    pub(super) write: bool,
}

impl Address {
    /// What its sum has beside the number.
    pub(super) fn unknowns(&self) -> (Register, &[(u16, u32)]) {
        (self.segment, &self.terms)
    }

    /// The number in its sum.
    pub(super) fn number(&self) -> u32 {
        self.constant
    }

    /// Whether its segment is taken to begin at 0.
    fn is_flat(&self) -> bool {
        self.bits == 32 && !matches!(self.segment, Register::FS | Register::GS)
    }

    /// Whether no byte belongs to both accesses.
    pub(super) fn is_apart(&self, other: &Address) -> bool {
        let same = self.segment == other.segment && self.bits == other.bits && self.terms == other.terms;
        if !same || self.size == 0 || other.size == 0 {
            return false;
        }
        let space = 1u64 << self.bits;
        let distance = u64::from(other.constant.wrapping_sub(self.constant)) & (space - 1);
        distance >= u64::from(self.size) && space - distance >= u64::from(other.size)
    }

    /// An address that stands for it on a chip: each unknown is a multiple of a bank's width, in a set and, as far as
    /// there are as many, in a bank of its own.
    pub(super) fn stand_in(&self, geometry: &Geometry) -> u32 {
        let next = LINES * geometry.data_cache.line;
        let terms = self.terms.iter().map(|&(unknown, factor)| {
            let unknown = u32::from(unknown);
            let value = FIRST + next * unknown + geometry.bank_width * (unknown % geometry.banks.max(1));
            value.wrapping_mul(factor)
        });
        terms.fold(self.constant, u32::wrapping_add) & SPACE
    }
}

/// The accesses of each instruction, in the order of `instructions`.
pub(super) fn addresses(instructions: &[Instruction], effects: &[Effects]) -> Vec<Vec<Address>> {
    let mut followed = Followed::new();
    let mut found = Vec::with_capacity(instructions.len());
    for (instruction, effects) in instructions.iter().zip(effects) {
        found.push(followed.addresses(effects));
        followed.pass(instruction, effects);
    }
    found
}

/// The registers along a path of code.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    values: [Value; 8],
    next: u16,
    // The unknowns that are known since an access has shown them.
    shown: FxHashMap<u16, u32>,
}

impl Followed {
    /// Nothing is known of any register.
    pub(super) fn new() -> Followed {
        let values: [Value; 8] = std::array::from_fn(|number| Value {
            unknown: Some(number as u16),
            added: 0,
        });
        Followed {
            next: values.len() as u16,
            values,
            shown: FxHashMap::default(),
        }
    }

    /// Where an access lies, if that is known.
    pub(super) fn place(&self, address: &Address) -> Option<u32> {
        if !address.is_flat() {
            return None;
        }
        let terms = address.terms.iter();
        let mut values = terms.map(|&(unknown, factor)| Some(self.shown.get(&unknown)?.wrapping_mul(factor)));
        values.try_fold(address.constant, |sum, value| Some(sum.wrapping_add(value?)))
    }

    /// An access lies at `place`, which may tell the value of a register: the smallest one.
    pub(super) fn show(&mut self, address: &Address, place: u32) {
        if let [(unknown, factor)] = address.terms[..]
            && address.is_flat()
        {
            let value = place.wrapping_sub(address.constant);
            if factor > 0 && value.is_multiple_of(factor) {
                self.shown.insert(unknown, value / factor);
            }
        }
    }

    /// The number that a register is known to hold.
    fn number(&self, value: Value) -> Option<u32> {
        let shown = value
            .unknown
            .map_or(Some(0), |unknown| self.shown.get(&unknown).copied());
        shown.map(|shown| shown.wrapping_add(value.added))
    }

    /// The accesses of an instruction here.
    pub(super) fn addresses(&self, effects: &Effects) -> Vec<Address> {
        effects.accesses.iter().map(|one| address(one, &self.values)).collect()
    }

    /// An instruction is executed.
    pub(super) fn pass(&mut self, instruction: &Instruction, effects: &Effects) {
        let before = self.values;
        let (mut values, mut next) = (before, self.next);
        for (number, value) in values.iter_mut().enumerate() {
            let register = Register::EAX + number as u32;
            let parts = super::RegisterParts::of(register);
            if effects.writes.meets(parts) {
                let number = |register: Register| {
                    let known = register.is_gpr32().then(|| self.number(before[register.number()]));
                    known.flatten()
                };
                let computed = || {
                    let added = computed(instruction, register, number)?;
                    Some(Value { unknown: None, added })
                };
                let found = result(instruction, register, &before).or_else(computed);
                *value = found.unwrap_or_else(|| {
                    next += 1;
                    Value {
                        unknown: Some(next - 1),
                        added: 0,
                    }
                });
            }
        }
        (self.values, self.next) = (values, next);
    }
}

fn address(operand: &Operand, values: &[Value; 8]) -> Address {
    let mut terms: Vec<(u16, u32)> = Vec::new();
    let mut constant = operand.displacement;
    for (register, factor) in [(operand.base, 1), (operand.index, operand.scale)] {
        if !register.is_gpr() {
            continue;
        }
        let value = values[register.full_register32().number()];
        constant = constant.wrapping_add(value.added.wrapping_mul(factor));
        let Some(unknown) = value.unknown else { continue };
        match terms.iter_mut().find(|term| term.0 == unknown) {
            Some(term) => term.1 += factor,
            None => terms.push((unknown, factor)),
        }
    }
    terms.sort_unstable();
    Address {
        segment: operand.segment,
        terms,
        constant,
        size: operand.size,
        bits: operand.bits,
        write: operand.write,
    }
}

/// The number that `register` holds after `instruction`, if it computes one of numbers that are known. `number` is what
/// a register holds before.
fn computed(instruction: &Instruction, register: Register, number: impl Fn(Register) -> Option<u32>) -> Option<u32> {
    if instruction.op0_kind() != OpKind::Register || instruction.op0_register() != register {
        return None;
    }
    let operand = |which: u32| match instruction.op_kind(which) {
        OpKind::Register => number(instruction.op_register(which)),
        kind => is_number(kind).then(|| instruction.immediate(which) as u32),
    };
    let shifts = || operand(1).map(|by| by & 31);
    match instruction.mnemonic() {
        Mnemonic::Add => Some(operand(0)?.wrapping_add(operand(1)?)),
        Mnemonic::Sub => Some(operand(0)?.wrapping_sub(operand(1)?)),
        Mnemonic::And => Some(operand(0)? & operand(1)?),
        Mnemonic::Or => Some(operand(0)? | operand(1)?),
        Mnemonic::Xor if operand(1).is_none() && instruction.op1_register() == register => Some(0),
        Mnemonic::Xor => Some(operand(0)? ^ operand(1)?),
        Mnemonic::Not => Some(!operand(0)?),
        Mnemonic::Neg => Some(operand(0)?.wrapping_neg()),
        Mnemonic::Shl => Some(operand(0)? << shifts()?),
        Mnemonic::Shr => Some(operand(0)? >> shifts()?),
        Mnemonic::Sar => Some((operand(0)? as i32 >> shifts()?) as u32),
        Mnemonic::Imul if instruction.op_count() == 2 => Some(operand(0)?.wrapping_mul(operand(1)?)),
        Mnemonic::Imul if instruction.op_count() == 3 => Some(operand(1)?.wrapping_mul(operand(2)?)),
        Mnemonic::Lea => {
            let part = |register: Register, factor: u32| match register {
                Register::None => Some(0),
                register => Some(number(register)?.wrapping_mul(factor)),
            };
            let base = part(instruction.memory_base(), 1)?;
            let index = part(instruction.memory_index(), instruction.memory_index_scale())?;
            Some(
                base.wrapping_add(index)
                    .wrapping_add(instruction.memory_displacement32()),
            )
        }
        _ => None,
    }
}

/// What `register` holds after `instruction`, if that can be said.
fn result(instruction: &Instruction, register: Register, before: &[Value; 8]) -> Option<Value> {
    let of = |register: Register| (register.is_gpr32()).then(|| before[register.number()]);
    let plus = |value: Value, number: u32| Value {
        added: value.added.wrapping_add(number),
        ..value
    };
    let step = instruction.stack_pointer_increment();
    match instruction.mnemonic() {
        Mnemonic::Push | Mnemonic::Call | Mnemonic::Ret if register == Register::ESP => {
            return (instruction.code_size() == CodeSize::Code32).then(|| plus(before[4], step as u32));
        }
        Mnemonic::Pop if register == Register::ESP && instruction.op0_register() != Register::ESP => {
            return (instruction.code_size() == CodeSize::Code32).then(|| plus(before[4], step as u32));
        }
        _ => {}
    }
    if instruction.op0_kind() != OpKind::Register || instruction.op0_register() != register {
        return None;
    }
    let number = || is_number(instruction.op1_kind()).then(|| instruction.immediate(1) as u32);
    match instruction.mnemonic() {
        Mnemonic::Add => number().map(|number| plus(before[register.number()], number)),
        Mnemonic::Sub => number().map(|number| plus(before[register.number()], number.wrapping_neg())),
        Mnemonic::Inc => Some(plus(before[register.number()], 1)),
        Mnemonic::Dec => Some(plus(before[register.number()], u32::MAX)),
        Mnemonic::Mov if instruction.op1_kind() == OpKind::Register => of(instruction.op1_register()),
        Mnemonic::Mov => number().map(|added| Value { unknown: None, added }),
        Mnemonic::Lea if instruction.memory_index() == Register::None => Some(plus(
            of(instruction.memory_base())?,
            instruction.memory_displacement32(),
        )),
        _ => None,
    }
}

/// Whether an operand is a number in the instruction.
pub fn is_number(kind: OpKind) -> bool {
    matches!(
        kind,
        OpKind::Immediate8
            | OpKind::Immediate16
            | OpKind::Immediate32
            | OpKind::Immediate8to16
            | OpKind::Immediate8to32
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory};

    /// Where each access of 32-bit code lies, if its first one lies at `first`.
    fn places(code: &[u8], first: u32) -> Vec<Option<u32>> {
        let mut factory = InstructionInfoFactory::new();
        let mut followed = Followed::new();
        let mut found = Vec::new();
        for instruction in Decoder::with_ip(32, code, 0x1000, DecoderOptions::NONE).iter() {
            let effects = Effects::of(&instruction, &mut factory);
            for address in followed.addresses(&effects) {
                if found.is_empty() {
                    followed.show(&address, first);
                }
                found.push(followed.place(&address));
            }
            followed.pass(&instruction, &effects);
        }
        found
    }

    #[test]
    fn a_pointer_is_followed_through_arithmetic_from_where_it_is_seen() {
        // mov eax,[esi+4]; add esi,20h; and esi,0FFFh; mov eax,[esi]; lea edi,[esi+esi*2+1]; mov eax,[edi*4]
        let code = [
            0x8B, 0x46, 0x04, 0x83, 0xC6, 0x20, 0x81, 0xE6, 0xFF, 0x0F, 0x00, 0x00, 0x8B, 0x06, 0x8D, 0x7C, 0x76, 0x01,
            0x8B, 0x04, 0xBD, 0x00, 0x00, 0x00, 0x00,
        ];
        assert_eq!(places(&code, 0x1FF4), [Some(0x1FF4), Some(0x010), Some(0xC4)]);
        // mov eax,[esi]; mov esi,[esi]; mov eax,[esi]: what is read is not known.
        assert_eq!(
            places(&[0x8B, 0x06, 0x8B, 0x36, 0x8B, 0x06], 64),
            [Some(64), Some(64), None]
        );
        // mov eax,fs:[esi]; mov eax,[esi]: nor where FS begins.
        assert_eq!(places(&[0x64, 0x8B, 0x06, 0x8B, 0x06], 64), [None, None]);
        // mov eax,[esi*4]; mov eax,[esi+8]
        assert_eq!(
            places(&[0x8B, 0x04, 0xB5, 0, 0, 0, 0, 0x8B, 0x46, 0x08], 64),
            [Some(64), Some(24)]
        );
    }
}
