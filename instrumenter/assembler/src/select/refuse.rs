//! Errors for operands that match no form.

use super::advice;
use super::forms::{Form, Name, Table};
use super::registers::spelling;
use super::slots::{NUMBERS, Slot, Slots, of_memory, of_operand};
use super::{SelectError, matches, memory_of};
use crate::operand::{CodeSize, Memory, Operand};
use crate::remedy::{Remedy, list};
use iced_x86::Register;

/// The name of a value of this size in bytes, as the manuals of all assemblers have it.
pub(super) fn size_name(bytes: u8) -> String {
    match bytes {
        1 => "byte".to_owned(),
        2 => "word".to_owned(),
        4 => "dword".to_owned(),
        8 => "qword".to_owned(),
        other => format!("{other}-byte value"),
    }
}

/// The error for a repeat prefix on an instruction that is not a string instruction.
pub(super) fn repeat(name: &Name) -> SelectError {
    SelectError::new(format!("`{}` cannot take a repeat prefix", name.text))
        .help("`rep` applies to movs, stos, lods, cmps, scas, ins and outs only")
}

/// The error for LOCK where it is not allowed; `form` says whether only the operand is wrong.
pub(super) fn lock(name: &Name, form: bool) -> SelectError {
    if form {
        return SelectError::new(format!("`lock {}` requires a memory destination", name.text))
            .help("without one the processor raises #UD");
    }
    SelectError::new(format!("`{}` cannot take a `lock` prefix", name.text)).help(
        "`lock` applies to add, adc, and, btc, btr, bts, cmpxchg, cmpxchg8b, dec, inc, neg, not, or, sbb, sub, xadd, \
         xchg and xor",
    )
}

/// The error for a wrong number of operands.
pub(super) fn count(name: &Name, forms: &[Form], given: usize) -> SelectError {
    let mut counts: Vec<usize> = forms.iter().map(Form::count).collect();
    counts.sort_unstable();
    counts.dedup();
    let takes = match counts.as_slice() {
        [] | [0] => "no operands".to_owned(),
        [1] => "1 operand".to_owned(),
        [only] => format!("{only} operands"),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(usize::to_string).collect();
            format!("{} or {last} operands", most.join(", "))
        }
    };
    let mut error = SelectError::new(format!("`{}` takes {takes}, not {given}", name.text));
    error.help = advice::count(&name.text, given).map(Remedy::from);
    if given > 0 { error.at(given - 1) } else { error }
}

/// The error for a memory operand at `index` of ambiguous size: `form` is the first form that accepts the operands, and
/// one of `rest` accepts them with another size. In 16-bit code a number that no byte holds makes it a word.
pub(super) fn unknown_size(
    (form, rest): (&Form, &[Form]),
    operands: &[Operand],
    classes: &[Slots; 3],
    index: usize,
    size: CodeSize,
) -> Result<(), SelectError> {
    let bytes = |form: &Form| form.slots.get(index).and_then(|slot| slot.memory_bytes());
    let Some(chosen) = bytes(form) else { return Ok(()) };
    let mut sizes = vec![chosen];
    for other in rest.iter().filter(|form| matches(form, classes)) {
        sizes.extend(bytes(other));
    }
    sizes.sort_unstable();
    sizes.dedup();
    let number = match operands.last() {
        Some(Operand::Immediate(number)) => Some(number.size),
        _ => None,
    };
    let narrow = size == CodeSize::Bits16 && number.is_some() && sizes == [2, 4] && chosen == 2;
    if sizes.len() < 2 || narrow || number == Some(Some(chosen)) {
        return Ok(());
    }
    Err(SelectError::new("operand size not specified")
        .at(index)
        .help(Remedy::Size(sizes)))
}

/// Explains why none of `forms` accepts `operands`.
pub(super) fn no_form(
    name: &Name,
    forms: &[Form],
    operands: &[Operand],
    classes: &[Slots; 3],
    (table, size): (&Table, CodeSize),
) -> SelectError {
    let fitting: Vec<&Form> = forms.iter().filter(|form| form.count() == operands.len()).collect();
    if fitting.is_empty() {
        return count(name, forms, operands.len());
    }
    two_memories(name, operands)
        .or_else(|| advice::frequent(name, operands, size))
        .or_else(|| number_as_target(name, operands, &fitting))
        .or_else(|| number_too_big(operands, classes, &fitting))
        .or_else(|| wrong_memory_size(name, operands, classes, &fitting))
        .or_else(|| unequal_registers(name, operands, &fitting, table))
        .or_else(|| branch_operand(name, operands, &fitting))
        .or_else(|| special_register(name, operands))
        .unwrap_or_else(|| general(name, operands, classes, &fitting))
}

/// The error for two memory operands.
fn two_memories(name: &Name, operands: &[Operand]) -> Option<SelectError> {
    let [Operand::Memory(_), Operand::Memory(_), ..] = operands else {
        return None;
    };
    let error = match name.text.as_str() {
        "mov" => SelectError::new("`mov` cannot move from memory to memory"),
        text => SelectError::new(format!("`{text}` cannot have two memory operands")),
    };
    Some(error.at(1).help("load one of them into a register first"))
}

/// The error for a number as the destination.
fn number_as_target(name: &Name, operands: &[Operand], fitting: &[&Form]) -> Option<SelectError> {
    let [Operand::Immediate(_), ..] = operands else {
        return None;
    };
    let takes_number = fitting.iter().any(|form| form.slots[0].immediate_bits().is_some());
    if takes_number
        || fitting
            .iter()
            .any(|form| matches!(form.slots[0], Slot::Short | Slot::Near))
    {
        return None;
    }
    Some(
        SelectError::new(format!("immediate not allowed as the first operand of `{}`", name.text))
            .at(0)
            .help(Remedy::Destination),
    )
}

/// The error for a number that is only too large.
fn number_too_big(operands: &[Operand], classes: &[Slots; 3], fitting: &[&Form]) -> Option<SelectError> {
    operands.iter().enumerate().find_map(|(index, operand)| {
        let Operand::Immediate(immediate) = operand else {
            return None;
        };
        let mut any = *classes;
        *any.get_mut(index)? |= NUMBERS;
        let bits = fitting
            .iter()
            .filter(|form| matches(form, &any))
            .filter_map(|form| form.slots.get(index)?.immediate_bits())
            .max()?;
        Some(match immediate.size {
            Some(size) if u32::from(size) * 8 != u32::from(bits) => SelectError::new(format!(
                "the immediate is a {}, but {bits} bits are required",
                size_name(size)
            ))
            .at(index)
            .help("remove its size"),
            _ => SelectError::new(format!("{} does not fit in {bits} bits", immediate.value))
                .at(index)
                .too_narrow(bits),
        })
    })
}

/// The error for memory that only has the wrong size.
fn wrong_memory_size(
    name: &Name,
    operands: &[Operand],
    classes: &[Slots; 3],
    fitting: &[&Form],
) -> Option<SelectError> {
    let (index, memory) = memory_of(operands)?;
    let given = memory.size?;
    let mut any = *classes;
    *any.get_mut(index)? = of_memory(memory, None);
    let mut sizes: Vec<u8> = fitting
        .iter()
        .filter(|form| matches(form, &any))
        .filter_map(|form| form.slots.get(index)?.memory_bytes())
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    if sizes.is_empty() {
        return None;
    }
    let wanted: Vec<String> = sizes.iter().map(|&bytes| size_name(bytes)).collect();
    let partner = operands.iter().enumerate().find_map(|(other, operand)| match operand {
        Operand::Register(register) if other != index && sizes.len() == 1 => Some(spelling(*register)),
        _ => None,
    });
    /// The instructions that read their second operand and could as well take it from a register.
    const READING: [&str; 9] = ["add", "adc", "sub", "sbb", "and", "or", "xor", "cmp", "imul"];
    let wider = index == 1 && partner.is_some() && sizes.iter().all(|&bytes| bytes > given);
    let other = !memory.explicit_size && READING.contains(&&*name.text);
    let known = if memory.explicit_size { "is" } else { "is declared as" };
    let with = partner
        .map(|register| format!(" with `{register}`"))
        .unwrap_or_default();
    Some(
        SelectError::new(format!(
            "the memory operand {known} a {}, but `{}`{with} takes a {}",
            size_name(given),
            name.text,
            list(&wanted, "or")
        ))
        .at(index)
        .help(if wider && name.text == "mov" {
            Remedy::Widen(sizes)
        } else if wider && other {
            Remedy::WidenFirst(sizes, name.text.to_string())
        } else {
            Remedy::OtherSize(sizes)
        }),
    )
}

/// The error for two general registers of different sizes.
fn unequal_registers(name: &Name, operands: &[Operand], fitting: &[&Form], table: &Table) -> Option<SelectError> {
    let [Operand::Register(first), Operand::Register(second), ..] = operands else {
        return None;
    };
    let general = |register: &Register| register.is_gpr8() || register.is_gpr16() || register.is_gpr32();
    if !general(first) || !general(second) || first.size() == second.size() {
        return None;
    }
    // The sizes are wrong only if a form accepts two registers of the first one's size.
    let class = of_operand(&Operand::Register(*first), &table.registers);
    let alike = |form: &&&Form| form.slots[0].bit() & class != 0 && form.slots[1].bit() & class != 0;
    fitting.iter().find(alike)?;
    let error = SelectError::new(format!(
        "operands of `{}` must be the same size: `{}` has {} bits, `{}` has {}",
        name.text,
        spelling(*first),
        first.size() * 8,
        spelling(*second),
        second.size() * 8
    ))
    .at(1);
    let whole = spelling(second.full_register32());
    Some(if name.text == "mov" && first.size() > second.size() {
        error.help("use `movzx` or `movsx` to widen")
    } else if first.size() > second.size() && first.size() == 4 {
        error.help(format!("widen `{}` to `{whole}` with `movzx` first", spelling(*second)))
    } else if let Some(part) = advice::low_part(*second, first.size()).filter(|_| first.size() < second.size()) {
        error.help(format!("use `{}`, the low part of `{whole}`", spelling(part)))
    } else if first.size() == 1 && second.size() > 1 {
        error.help("only `eax`, `ecx`, `edx` and `ebx` have parts of 8 bits")
    } else {
        error
    })
}

/// The error for a branch to an operand that is not a code address, and for a code address where none is allowed.
fn branch_operand(name: &Name, operands: &[Operand], fitting: &[&Form]) -> Option<SelectError> {
    let takes = |slot: Slot| fitting.iter().any(|form| form.slots[0] == slot);
    let short_only = takes(Slot::Short) && !takes(Slot::Near);
    match operands {
        [Operand::Target(_)] if short_only => Some(
            SelectError::new(format!("`{}` has no near form", name.text))
                .at(0)
                .help(Remedy::NotNear),
        ),
        [Operand::Target(_)] if takes(Slot::Near) => Some(
            SelectError::new(format!("`{}` has no short form", name.text))
                .at(0)
                .help(Remedy::NotShort),
        ),
        [_] if takes(Slot::Short) && !takes(Slot::Rm32) => {
            let error = SelectError::new(format!("`{}` requires a label", name.text)).at(0);
            Some(error.help("only `jmp` and `call` can branch to an address in a register or memory"))
        }
        _ => None,
    }
}

/// The error for registers that only some instructions can access.
fn special_register(name: &Name, operands: &[Operand]) -> Option<SelectError> {
    match (name.text.as_str(), operands) {
        ("mov" | "pop", [Operand::Register(Register::CS), ..]) => Some(
            SelectError::new(format!("`{}` cannot load `cs`", name.text))
                .at(0)
                .help("use a far jump, call or return"),
        ),
        ("mov", [Operand::Register(to), Operand::Immediate(_)]) if to.is_segment_register() => Some(
            SelectError::new("`mov` cannot load a segment register with an immediate")
                .at(1)
                .help("load it through a general register"),
        ),
        ("mov", [Operand::Register(to), Operand::Register(from)])
            if to.is_segment_register() && from.is_segment_register() =>
        {
            Some(
                SelectError::new("`mov` cannot copy one segment register to another")
                    .at(1)
                    .help("load it through a general register"),
            )
        }
        _ => None,
    }
}

/// The error in all other cases: the classes of the operands, and the valid combinations.
fn general(name: &Name, operands: &[Operand], classes: &[Slots; 3], fitting: &[&Form]) -> SelectError {
    let given: Vec<String> = operands.iter().map(describe).collect();
    // If replacing a single operand would give a valid form, the error points at that operand.
    let culprit = (0..operands.len()).find(|&index| {
        let mut any = *classes;
        if let Some(class) = any.get_mut(index) {
            *class = Slots::MAX;
        }
        fitting.iter().any(|form| matches(form, &any))
    });
    let mut allowed: Vec<String> = Vec::new();
    for form in fitting {
        let slots: Vec<&str> = form
            .slots
            .iter()
            .filter(|&&slot| slot != Slot::Absent)
            .map(|slot| slot.spelling())
            .collect();
        let text = slots.join(",");
        if !allowed.contains(&text) {
            allowed.push(text);
        }
    }
    let shown = 8;
    let more = if allowed.len() > shown { " and more" } else { "" };
    allowed.truncate(shown);
    let mut error = SelectError::new(format!(
        "no valid encoding for `{}` with {}",
        name.text,
        list(&given, "and")
    ));
    error.operand = culprit;
    error.help(format!("valid operands: {}{more}", allowed.join(" · ")))
}

fn describe(operand: &Operand) -> String {
    match operand {
        Operand::Register(register) => format!("`{}`", spelling(*register)),
        Operand::Immediate(immediate) => format!("immediate {}", immediate.value),
        Operand::Memory(Memory { size: Some(size), .. }) => format!("a {} in memory", size_name(*size)),
        Operand::Memory(_) => "memory".to_owned(),
        Operand::Target(_) => "a code address".to_owned(),
        Operand::FarPointer { .. } => "a far address".to_owned(),
    }
}
