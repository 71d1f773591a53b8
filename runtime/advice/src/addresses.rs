//! Memory operands as symbolic sums: which accesses of straight code provably do not overlap.
//!
//! The value of a register is an unknown plus a number, followed through moves and additions of constants. Two accesses
//! are apart if they use the same segment register, the same unknowns, and ranges that do not meet.
//!
//! A caller that knows the address of an access can say so; from there on the value of its register is a number, from
//! which arithmetic computes others. Not modelled: segments with a base other than 0, except that nothing is concluded
//! about FS and GS.

use super::effects::Effects;
use super::operand::Operand;
use iced_x86::{CodeSize, Instruction, Mnemonic, OpKind, Register};
use p5_chips::Geometry;
use rustc_hash::FxHashMap;

/// The address that stands for the first unknown: it is above those that a program's constants usually have.
const FIRST: u32 = 0x10_0000;
/// The distance from one unknown's stand-in to the next, in lines of the data cache: an odd number, so that they lie in
/// different sets.
const LINES: u32 = 33;
/// Stand-in addresses are taken modulo 16 MiB, so that a sum of several stays in that range.
const SPACE: u32 = 0x00FF_FFFF;

/// Where pointers of unknown value lie among the banks of the data cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Banks {
    /// As far as there are enough banks, each in one of its own.
    #[default]
    Apart,
    /// All of them in the same one, so that two accesses of a pair conflict unless their displacements differ.
    Same,
}

/// The known part of a register's value: an unknown, or `None` for a constant, and the number added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Value {
    unknown: Option<u16>,
    added: u32,
}

/// An access, with its address as a sum of unknowns and a number.
#[derive(Clone, Debug)]
pub(super) struct Address {
    segment: Register,
    /// The unknowns, each with its factor, in ascending order.
    terms: Vec<(u16, u32)>,
    constant: u32,
    size: u32,
    bits: u32,
    pub(super) write: bool,
}

impl Address {
    /// The segment and the unknowns of its address: all of the sum but the number.
    pub(super) fn unknowns(&self) -> (Register, &[(u16, u32)]) {
        (self.segment, &self.terms)
    }

    pub(super) fn number(&self) -> u32 {
        self.constant
    }

    /// Whether the base of its segment is assumed to be 0.
    fn is_flat(&self) -> bool {
        self.bits == 32 && !matches!(self.segment, Register::FS | Register::GS)
    }

    pub(super) fn is_apart(&self, other: &Address) -> bool {
        let same = self.segment == other.segment && self.bits == other.bits && self.terms == other.terms;
        if !same || self.size == 0 || other.size == 0 {
            return false;
        }
        let space = 1u64 << self.bits;
        let distance = u64::from(other.constant.wrapping_sub(self.constant)) & (space - 1);
        distance >= u64::from(self.size) && space - distance >= u64::from(other.size)
    }

    /// An address that stands for this one on a chip. Each unknown becomes a multiple of the width of a bank, in a set
    /// of its own and, if the banks are `apart` and there are enough of them, in a bank of its own.
    pub(super) fn stand_in(&self, geometry: &Geometry, banks: Banks) -> u32 {
        let next = LINES * geometry.data_cache.line;
        let terms = self.terms.iter().map(|&(unknown, factor)| {
            let unknown = u32::from(unknown);
            let bank = match banks {
                Banks::Apart => unknown % geometry.banks.max(1),
                Banks::Same => 0,
            };
            let value = FIRST + next * unknown + geometry.bank_width * bank;
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

/// The values of the registers along a path of code.
#[derive(Clone, Debug)]
pub(super) struct Followed {
    values: [Value; 8],
    next: u16,
    // The values of the unknowns that an access has revealed.
    shown: FxHashMap<u16, u32>,
}

impl Followed {
    /// Starts with a separate unknown in each register.
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

    /// The linear address of an access, if it is known.
    pub(super) fn place(&self, address: &Address) -> Option<u32> {
        if !address.is_flat() {
            return None;
        }
        let terms = address.terms.iter();
        let mut values = terms.map(|&(unknown, factor)| Some(self.shown.get(&unknown)?.wrapping_mul(factor)));
        values.try_fold(address.constant, |sum, value| Some(sum.wrapping_add(value?)))
    }

    /// Records that an access lies at `place`, which may reveal the value of a register. If several values are
    /// possible, the smallest is taken.
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

    /// The number in a register, if it is known.
    fn number(&self, value: Value) -> Option<u32> {
        let shown = value
            .unknown
            .map_or(Some(0), |unknown| self.shown.get(&unknown).copied());
        shown.map(|shown| shown.wrapping_add(value.added))
    }

    /// The accesses of an instruction at this point of the path.
    pub(super) fn addresses(&self, effects: &Effects) -> Vec<Address> {
        effects.accesses.iter().map(|one| address(one, &self.values)).collect()
    }

    /// Executes an instruction: its results become the values of the registers.
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

/// The number in `register` after `instruction`, if the instruction computes it from known numbers. `number` gives the
/// number in a register before the instruction.
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

/// The value of `register` after `instruction`, if it is a known sum.
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

/// Whether an operand is an immediate.
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

    /// The address of each access of 32-bit code whose first access is at `first`.
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
        // mov eax,[esi]; mov esi,[esi]; mov eax,[esi]: a value from memory is not known.
        assert_eq!(
            places(&[0x8B, 0x06, 0x8B, 0x36, 0x8B, 0x06], 64),
            [Some(64), Some(64), None]
        );
        // mov eax,fs:[esi]; mov eax,[esi]: the base of FS is not known either.
        assert_eq!(places(&[0x64, 0x8B, 0x06, 0x8B, 0x06], 64), [None, None]);
        // mov eax,[esi*4]; mov eax,[esi+8]
        assert_eq!(
            places(&[0x8B, 0x04, 0xB5, 0, 0, 0, 0, 0x8B, 0x46, 0x08], 64),
            [Some(64), Some(24)]
        );
    }
}
