//! Instruction selection: turns a mnemonic and operands into the bytes that MASM and TASM emit.
//!
//! The forms come from the encoder's own tables (`forms`), operands are matched as bit masks of classes (`slots`), and
//! the error for an instruction that matches no form explains the closest forms (`refuse`). There is one table of forms
//! for 32-bit code, and one for 16-bit code.

mod address;
mod advice;
mod branch;
mod encoded;
mod forms;
mod mnemonics;
mod prefixes;
mod refuse;
mod registers;
mod slots;
mod strings;
#[cfg(test)]
mod tests;

pub(crate) use encoded::Encoded;
pub(crate) use registers::register;

use crate::operand::{CodeSize, Distance, Immediate, Memory, Operand, Place, RepeatPrefix, Target};
use crate::remedy::Remedy;
use forms::{Fill, Form, Name, Table};
use iced_x86::{Code, CpuidFeature, Encoder, Instruction, Mnemonic, OpKind, Register};
use prefixes::order_prefixes;
use slots::{Slot, Slots};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::OnceLock;

/// The prefixes that a source line writes before its mnemonic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prefixes {
    pub(crate) lock: bool,
    pub(crate) repeat: RepeatPrefix,
    /// A segment register written as a prefix, or `Register::None`. The prefix is always emitted.
    pub(crate) segment: Register,
    /// Whether the segment is that of an operand instead.
    pub(crate) of_operand: bool,
    /// Whether a branch that is always short becomes several instructions if its target is out of reach.
    pub(crate) lengthen: bool,
    /// Whether the processor has no near form of conditional branches, so that the opposite one leads over a jump.
    pub(crate) no_near: bool,
    /// Whether a compiler wrote it: it may be for later processors, and prefixes stand where they mean nothing.
    pub(crate) compiled: bool,
    /// Whether a register goes to another one in the form that stores it.
    pub(crate) stores: bool,
}

impl Prefixes {
    pub(crate) const NONE: Prefixes = Prefixes {
        lock: false,
        repeat: RepeatPrefix::None,
        segment: Register::None,
        of_operand: false,
        lengthen: false,
        no_near: false,
        compiled: false,
        stores: false,
    };
}

impl Default for Prefixes {
    fn default() -> Self {
        Prefixes::NONE
    }
}

/// The reason why an instruction cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelectError {
    /// The problem in one sentence, without a full stop.
    pub(crate) message: String,
    /// The index of the operand at fault; `None` if it is the whole instruction.
    pub(crate) operand: Option<usize>,
    pub(crate) help: Option<Remedy>,
    /// The width of the operand in bits, if it is too narrow for its number.
    pub(crate) too_narrow: Option<u8>,
}

impl SelectError {
    fn new(message: impl Into<String>) -> SelectError {
        SelectError {
            message: message.into(),
            operand: None,
            help: None,
            too_narrow: None,
        }
    }

    fn at(mut self, operand: usize) -> SelectError {
        self.operand = Some(operand);
        self
    }

    fn too_narrow(mut self, bits: u8) -> SelectError {
        self.too_narrow = Some(bits);
        self
    }

    fn help(mut self, help: impl Into<Remedy>) -> SelectError {
        self.help = Some(help.into());
        self
    }
}

/// The properties of an instruction that its name alone gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Instructions {
    /// Whether an operand can be the address it branches to.
    pub(crate) takes_target: bool,
}

/// The properties of the instructions called `name`, in any case; `None` if there are none.
pub(crate) fn instruction(name: &str) -> Option<Instructions> {
    // The tables for both sizes of code have the same names.
    let table = Table::get(CodeSize::Bits32);
    let name = table.names.get(usize::from(table.find(name)?))?;
    Some(Instructions {
        takes_target: name.takes_target,
    })
}

/// Whether `name`, in any case, is an instruction of later processors that compilers write and that can be executed.
pub(crate) fn is_later(name: &str) -> bool {
    instruction(name).is_none() && Table::of_compilers().find(name).is_some()
}

/// Whether `name`, in any case, is an instruction that the 8086 has, without those of the coprocessor.
pub(crate) fn is_of_8086(name: &str) -> bool {
    static KNOWN: OnceLock<HashSet<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let first = Code::values().filter(|code| code.cpuid_features() == [CpuidFeature::INTEL8086]);
        first
            .map(|code| format!("{:?}", code.mnemonic()).to_ascii_lowercase())
            .collect()
    });
    let name = name.to_ascii_lowercase();
    // The conditions of jumps and loops have several spellings.
    instruction(&name).is_some() && (known.contains(&name) || name.starts_with('j') || name.starts_with("loop"))
}

/// Whether `name`, in any case, is an instruction of other processors only.
pub(crate) fn is_foreign(name: &str) -> bool {
    static KNOWN: OnceLock<HashSet<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let names = Mnemonic::values().filter(|&mnemonic| mnemonic != Mnemonic::INVALID);
        names
            .map(|mnemonic| format!("{mnemonic:?}").to_ascii_lowercase())
            .collect()
    });
    let name = name.to_ascii_lowercase();
    instruction(&name).is_none() && (known.contains(&name) || name.starts_with("cmov") || name.starts_with("fcmov"))
}

/// Whether `name`, in any case, is a register of other processors only.
pub(crate) fn is_foreign_register(name: &str) -> bool {
    static KNOWN: OnceLock<HashSet<String>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let names = Register::values().filter(|&register| register != Register::None);
        let names = names.map(|register| format!("{register:?}").to_ascii_lowercase());
        names.filter(|name| !name.starts_with("dontuse")).collect()
    });
    register(name).is_none() && known.contains(&name.to_ascii_lowercase())
}

/// The mnemonic closest in spelling to `name`, if one is close enough.
pub(crate) fn nearest_mnemonic(name: &str) -> Option<&'static str> {
    Table::get(CodeSize::Bits32).nearest(name)
}

/// Encodes one instruction at `place`.
///
/// # Errors
/// The Pentium has no such instruction in code of this size; the error says which operand is wrong and how to fix it.
pub(crate) fn encode(
    mnemonic: &str,
    prefixes: Prefixes,
    operands: &[Operand],
    place: Place,
) -> Result<Encoded, SelectError> {
    thread_local! {
        static WIDE: RefCell<Selector> = RefCell::new(Selector::new(CodeSize::Bits32));
        static NARROW: RefCell<Selector> = RefCell::new(Selector::new(CodeSize::Bits16));
        static OF_COMPILERS: RefCell<Selector> = RefCell::new(Selector::of_compilers());
        static WIDE_STORING: RefCell<Selector> = RefCell::new(Selector::storing(CodeSize::Bits32));
        static NARROW_STORING: RefCell<Selector> = RefCell::new(Selector::storing(CodeSize::Bits16));
    }
    let selector = match place.size {
        CodeSize::Bits32 if prefixes.compiled => &OF_COMPILERS,
        CodeSize::Bits32 if prefixes.stores => &WIDE_STORING,
        CodeSize::Bits16 if prefixes.stores => &NARROW_STORING,
        CodeSize::Bits32 => &WIDE,
        CodeSize::Bits16 => &NARROW,
    };
    selector.with(|selector| match selector.try_borrow_mut() {
        Ok(mut selector) => selector.encode(mnemonic, prefixes, operands, place.address),
        Err(_) => Selector::new(place.size).encode(mnemonic, prefixes, operands, place.address),
    })
}

/// An encoder of instructions, which keeps its buffer from one instruction to the next.
pub(crate) struct Selector {
    size: CodeSize,
    table: &'static Table,
    encoder: Encoder,
}

impl Selector {
    pub(crate) fn new(size: CodeSize) -> Selector {
        Selector {
            size,
            table: Table::get(size),
            encoder: Encoder::new(match size {
                CodeSize::Bits16 => 16,
                CodeSize::Bits32 => 32,
            }),
        }
    }

    fn storing(size: CodeSize) -> Selector {
        Selector {
            table: Table::storing(size),
            ..Selector::new(size)
        }
    }

    fn of_compilers() -> Selector {
        Selector {
            table: Table::of_compilers(),
            ..Selector::new(CodeSize::Bits32)
        }
    }

    /// Encodes one instruction at `address`.
    ///
    /// # Errors
    /// The same errors as [`encode`](crate::select::encode).
    pub(crate) fn encode(
        &mut self,
        mnemonic: &str,
        prefixes: Prefixes,
        operands: &[Operand],
        address: u32,
    ) -> Result<Encoded, SelectError> {
        let table = self.table;
        let Some(name) = table.name(mnemonic) else {
            let error = SelectError::new(format!("`{mnemonic}` is not an instruction of the Pentium"));
            return Err(match table.nearest(mnemonic) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        let forms = table.forms.get(name.forms.clone()).unwrap_or_default();
        if let Some(family) = name.string {
            let plan = strings::plan(self.size, family, name, forms, prefixes, operands)?;
            return self.assemble(
                name,
                plan.form,
                plan.prefixes,
                operands,
                address,
                Some(plan.short_address),
            );
        }
        if prefixes.repeat != RepeatPrefix::None && !prefixes.compiled {
            return Err(refuse::repeat(name));
        }
        if let [Operand::Target(target)] = operands
            && target.distance != Distance::Short
        {
            if prefixes.lengthen && branch::is_always_short(forms) {
                return self.lengthened(mnemonic, *target, address);
            }
            if prefixes.no_near && branch::is_conditional(forms) {
                return self.inverted(mnemonic, *target, address);
            }
        }
        let mut classes = [Slot::Absent.bit(); 3];
        if operands.len() > classes.len() {
            return Err(refuse::count(name, forms, operands.len()));
        }
        let mut unsized_memory = None;
        for (index, (class, operand)) in classes.iter_mut().zip(operands).enumerate() {
            *class = match operand {
                Operand::Register(register) => table.registers.get(*register as usize).copied().unwrap_or(0),
                Operand::Memory(memory) => {
                    let classes = name.classes_of(memory);
                    match (memory.size, name.default_size) {
                        (None, Some(size)) => classes & slots::of_size(Some(size)),
                        (None, None) => {
                            unsized_memory = Some(index);
                            classes
                        }
                        (Some(_), _) => classes,
                    }
                }
                Operand::Immediate(immediate) => slots::of_immediate(immediate),
                Operand::Target(target) => branch::classes((name, forms), target, prefixes, address, self.size)
                    .map_err(|error| error.at(index))?,
                Operand::FarPointer { .. } if self.size == CodeSize::Bits32 => Slot::FarPointer.bit(),
                Operand::FarPointer { .. } => slots::of_operand(operand, &table.registers),
            };
        }
        if let (Some(index), Some(Operand::Immediate(number))) = (unsized_memory, operands.last())
            && let Some(narrow) = slots::sized_by(&name.text, classes[index], number)
        {
            classes[index] = narrow;
        }
        let Some(position) = forms.iter().position(|form| matches(form, &classes)) else {
            return Err(refuse::no_form(name, forms, operands, &classes, (table, self.size)));
        };
        let Some((form, rest)) = forms.get(position..).and_then(<[Form]>::split_first) else {
            return Err(refuse::no_form(name, forms, operands, &classes, (table, self.size)));
        };
        if let Some(index) = unsized_memory {
            refuse::unknown_size((form, rest), operands, &classes, index, self.size)?;
        }
        self.assemble(name, form, prefixes, operands, address, None)
    }

    /// Encodes a selected form. For a string instruction `string_address` says whether its addresses have 16 bits.
    fn assemble(
        &mut self,
        name: &Name,
        form: &Form,
        prefixes: Prefixes,
        operands: &[Operand],
        address: u32,
        string_address: Option<bool>,
    ) -> Result<Encoded, SelectError> {
        let mut instruction = Instruction::default();
        instruction.set_code(form.code);
        if prefixes.segment != Register::None {
            if !prefixes.segment.is_segment_register() {
                return Err(address::no_segment(prefixes.segment));
            }
            instruction.set_segment_prefix(prefixes.segment);
        }
        for (place, fill) in (0u32..).zip(form.fills.iter().take(usize::from(form.filled))) {
            let short_address = string_address.unwrap_or(self.size == CodeSize::Bits16);
            fill_operand(&mut instruction, place, *fill, operands, (self.size, short_address))?;
        }
        if prefixes.lock {
            let forms = self.table.forms.get(name.forms.clone()).unwrap_or_default();
            if !forms.iter().any(|form| form.lockable) {
                return Err(refuse::lock(name, false));
            }
            let to_memory = (0..instruction.op_count()).any(|place| instruction.op_kind(place) == OpKind::Memory);
            if !form.lockable || !to_memory {
                return Err(refuse::lock(name, true));
            }
            instruction.set_has_lock_prefix(true);
        }
        match prefixes.repeat {
            RepeatPrefix::None => {}
            RepeatPrefix::Rep | RepeatPrefix::Repe => instruction.set_has_rep_prefix(true),
            RepeatPrefix::Repne => instruction.set_has_repne_prefix(true),
        }
        let result = self.encoder.encode(&instruction, u64::from(address));
        let mut buffer = self.encoder.take_buffer();
        let mut encoded = Encoded {
            bytes: [0; 16],
            length: 0,
            relaxable: false,
            resized: false,
        };
        if let Some(bytes) = encoded.bytes.get_mut(..buffer.len()) {
            bytes.copy_from_slice(&buffer);
        }
        encoded.length = buffer.len().min(16) as u8;
        if prefixes.segment == Register::None || prefixes.of_operand {
            order_prefixes(&mut encoded.bytes, prefixes);
        }
        buffer.clear();
        self.encoder.set_buffer(buffer);
        encoded.relaxable = branch::is_relaxable(form, operands, self.table.forms.get(name.forms.clone()));
        match result {
            Ok(_) => Ok(encoded),
            Err(error) => Err(SelectError::new(format!(
                "no valid encoding for `{}`: {error}",
                name.text
            ))),
        }
    }
}

#[inline]
fn matches(form: &Form, classes: &[Slots; 3]) -> bool {
    let [first, second, third] = form.masks;
    first & classes[0] != 0 && second & classes[1] != 0 && third & classes[2] != 0
}

fn fill_operand(
    instruction: &mut Instruction,
    place: u32,
    fill: Fill,
    operands: &[Operand],
    (size, short_address): (CodeSize, bool),
) -> Result<(), SelectError> {
    let number = |index: u8| match operands.get(usize::from(index)) {
        Some(Operand::Immediate(Immediate { value, .. })) => *value,
        _ => 0,
    };
    let set_register = |instruction: &mut Instruction, register| {
        instruction.set_op_kind(place, OpKind::Register);
        instruction.set_op_register(place, register);
    };
    let set_immediate = |instruction: &mut Instruction, kind, value: i64| {
        instruction.set_op_kind(place, kind);
        instruction.set_immediate_u64(place, value as u64);
    };
    match fill {
        Fill::Fixed(register) => set_register(instruction, register),
        Fill::Operand(index) | Fill::Widened(index) | Fill::Narrowed(index) => match operands.get(usize::from(index)) {
            Some(Operand::Register(register)) => {
                let register = match fill {
                    Fill::Widened(_) => registers::widened(*register),
                    Fill::Narrowed(_) => registers::narrowed(*register),
                    _ => *register,
                };
                set_register(instruction, register);
            }
            Some(Operand::Memory(memory)) => {
                instruction.set_op_kind(place, OpKind::Memory);
                address::set(instruction, memory, size).map_err(|error| error.at(usize::from(index)))?;
            }
            Some(Operand::Target(Target { address, .. })) => match size {
                CodeSize::Bits16 => {
                    instruction.set_op_kind(place, OpKind::NearBranch16);
                    instruction.set_near_branch16(*address as u16);
                }
                CodeSize::Bits32 => {
                    instruction.set_op_kind(place, OpKind::NearBranch32);
                    instruction.set_near_branch32(*address);
                }
            },
            Some(Operand::FarPointer { selector, offset, .. }) => {
                instruction.set_far_branch_selector(*selector);
                if matches!(instruction.code(), Code::Call_ptr1616 | Code::Jmp_ptr1616) {
                    instruction.set_op_kind(place, OpKind::FarBranch16);
                    instruction.set_far_branch16(*offset as u16);
                } else {
                    instruction.set_op_kind(place, OpKind::FarBranch32);
                    instruction.set_far_branch32(*offset);
                }
            }
            Some(Operand::Immediate(_)) | None => {}
        },
        Fill::Immediate8(index) => set_immediate(instruction, OpKind::Immediate8, number(index)),
        Fill::Immediate8Second(index) => set_immediate(instruction, OpKind::Immediate8_2nd, number(index)),
        Fill::Immediate16(index) => set_immediate(instruction, OpKind::Immediate16, number(index)),
        Fill::Immediate32(index) => set_immediate(instruction, OpKind::Immediate32, number(index)),
        Fill::Immediate8To16(index) => set_immediate(instruction, OpKind::Immediate8to16, number(index)),
        Fill::Immediate8To32(index) => set_immediate(instruction, OpKind::Immediate8to32, number(index)),
        Fill::Number(value) => set_immediate(instruction, OpKind::Immediate8, value.into()),
        Fill::Source => {
            instruction.set_op_kind(
                place,
                if short_address {
                    OpKind::MemorySegSI
                } else {
                    OpKind::MemorySegESI
                },
            );
        }
        Fill::Destination => {
            instruction.set_op_kind(
                place,
                if short_address {
                    OpKind::MemoryESDI
                } else {
                    OpKind::MemoryESEDI
                },
            );
        }
        Fill::Table => {
            instruction.set_op_kind(place, OpKind::Memory);
            instruction.set_memory_base(if short_address { Register::BX } else { Register::EBX });
            instruction.set_memory_index(Register::AL);
        }
    }
    Ok(())
}

fn memory_of(operands: &[Operand]) -> Option<(usize, &Memory)> {
    operands.iter().enumerate().find_map(|(index, operand)| match operand {
        Operand::Memory(memory) => Some((index, memory)),
        _ => None,
    })
}
