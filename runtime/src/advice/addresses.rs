//! Memory operands as sums: which accesses of straight code provably do not overlap.
//!
//! The value of a register is followed as an unknown plus a number, through moves and the addition of constants. Two
//! accesses are apart if they use the same segment register, the same unknowns, and ranges that do not meet.

use super::effects::Effects;
use crate::model::Geometry;
use iced_x86::{CodeSize, Instruction, Mnemonic, OpKind, Register, UsedMemory};

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
    // Whether it is followed what is only likely.
    likely: bool,
}

/// The least mask that is taken for the end of an array, beyond which a pointer begins anew.
const LEAST_END: u32 = 0xFF;

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
            likely: false,
        }
    }

    /// The same where a guess is good enough: a pointer that is masked has mostly not come to the end, and strings go
    /// up.
    pub(super) fn likely() -> Followed {
        Followed {
            likely: true,
            ..Followed::new()
        }
    }

    /// The accesses of an instruction here.
    pub(super) fn addresses(&self, effects: &Effects) -> Vec<Address> {
        effects.accesses.iter().map(|one| address(one, &self.values)).collect()
    }

    /// An instruction is executed.
    pub(super) fn pass(&mut self, instruction: &Instruction, effects: &Effects) {
        let before = self.values;
        for (number, value) in self.values.iter_mut().enumerate() {
            let register = Register::EAX + number as u32;
            let parts = super::RegisterParts::of(register);
            if effects.writes.meets(parts) {
                let likely = || self.likely.then(|| likely(instruction, register, &before)).flatten();
                *value = result(instruction, register, &before)
                    .or_else(likely)
                    .unwrap_or_else(|| {
                        self.next += 1;
                        Value {
                            unknown: Some(self.next - 1),
                            added: 0,
                        }
                    });
            }
        }
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

/// What `register` most likely holds after `instruction`, of which it cannot be said.
fn likely(instruction: &Instruction, register: Register, before: &[Value; 8]) -> Option<Value> {
    let own = before[register.number()];
    if instruction.mnemonic() == Mnemonic::And && instruction.op0_register() == register {
        let mask = is_number(instruction.op1_kind()).then(|| instruction.immediate(1) as u32)?;
        let end = mask.wrapping_add(1);
        // What is added beyond the end goes around it.
        let added = || (i64::from(own.added as i32) % i64::from(end)) as u32;
        return (mask >= LEAST_END && end.is_power_of_two()).then(|| Value { added: added(), ..own });
    }
    let string =
        instruction.is_string_instruction() && !instruction.has_rep_prefix() && !instruction.has_repne_prefix();
    let moves = matches!(register, Register::ESI | Register::EDI);
    (string && moves).then(|| Value {
        added: own.added.wrapping_add(instruction.memory_size().size() as u32),
        ..own
    })
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
