//! String instructions: without operands, or with operands that give only the operand size, the address size and the
//! segment of the source.

use super::forms::{Form, Name};
use super::mnemonics::StringFamily;
use super::registers::spelling;
use super::{Prefixes, SelectError, refuse};
use crate::operand::{CodeSize, Memory, Operand};
use crate::remedy::Remedy;
use iced_x86::Register;

/// The decisions on how to encode a string instruction.
pub(super) struct Plan<'a> {
    /// The form, which fixes the size.
    pub(super) form: &'a Form,
    /// The prefixes with the source's segment.
    pub(super) prefixes: Prefixes,
    pub(super) short_address: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Source,
    Destination,
    Table,
    Port,
}

fn places(family: StringFamily) -> &'static [Place] {
    match family {
        StringFamily::Movs => &[Place::Destination, Place::Source],
        StringFamily::Cmps => &[Place::Source, Place::Destination],
        StringFamily::Lods => &[Place::Source],
        StringFamily::Stos | StringFamily::Scas => &[Place::Destination],
        StringFamily::Ins => &[Place::Destination, Place::Port],
        StringFamily::Outs => &[Place::Port, Place::Source],
        StringFamily::Xlat => &[Place::Table],
    }
}

pub(super) fn plan<'a>(
    size: CodeSize,
    family: StringFamily,
    name: &Name,
    forms: &'a [Form],
    mut prefixes: Prefixes,
    operands: &[Operand],
) -> Result<Plan<'a>, SelectError> {
    if prefixes.repeat != super::RepeatPrefix::None && family == StringFamily::Xlat {
        return Err(refuse::repeat(name));
    }
    let places = places(family);
    let by_default = size == CodeSize::Bits16;
    let generic = forms.len() > 1;
    if operands.is_empty() {
        return match forms {
            [form] => Ok(Plan {
                form,
                prefixes,
                short_address: by_default,
            }),
            _ => Err(
                SelectError::new(format!("operand size of `{0}` not specified", name.text))
                    .help(format!("write `{0}b`, `{0}w` or `{0}d`", name.text)),
            ),
        };
    }
    if operands.len() != places.len() {
        let takes = match places.len() {
            1 => "0 or 1 operands".to_owned(),
            more => format!("0 or {more} operands"),
        };
        return Err(SelectError::new(format!(
            "`{}` takes {takes}, not {}",
            name.text,
            operands.len()
        )));
    }
    let mut size = None;
    let mut short_address = None;
    for (index, (operand, &place)) in operands.iter().zip(places).enumerate() {
        let memory = match (operand, place) {
            (Operand::Register(Register::DX), Place::Port) => continue,
            (_, Place::Port) => {
                return Err(SelectError::new(format!("the port operand of `{}` must be `dx`", name.text)).at(index));
            }
            (Operand::Memory(memory), _) => memory,
            _ => {
                let error = SelectError::new(format!("`{}` takes a memory operand here", name.text)).at(index);
                return Err(error.help("a string instruction with a size in its name needs no operands"));
            }
        };
        if let Some(short) = address_of(name, memory, place, by_default).map_err(|error| error.at(index))? {
            if short_address.is_some_and(|other| other != short) {
                return Err(SelectError::new("both addresses must be the same size").at(index));
            }
            short_address = Some(short);
        }
        if let Some(bytes) = memory.size {
            if size.is_some_and(|other| other != bytes) {
                return Err(SelectError::new(format!(
                    "the operands of `{}` have different sizes, {} and {}",
                    name.text,
                    refuse::size_name(size.unwrap_or(0)),
                    refuse::size_name(bytes)
                ))
                .at(index));
            }
            size = Some(bytes);
        }
        match (place, memory.segment) {
            (_, Register::None) | (Place::Destination, Register::ES) => {}
            (Place::Destination, _) => {
                return Err(
                    SelectError::new(format!("the destination of `{}` is always in ES", name.text))
                        .at(index)
                        .help("remove the segment override"),
                );
            }
            (_, segment) => (prefixes.segment, prefixes.of_operand) = (segment, true),
        }
    }
    let form = if generic {
        match size {
            Some(1) => forms.first(),
            Some(2) => forms.get(1),
            Some(4) => forms.get(2),
            Some(bytes) => {
                return Err(SelectError::new(format!(
                    "`{}` takes a byte, word or dword, but the operand is a {}",
                    name.text,
                    refuse::size_name(bytes)
                )));
            }
            None => {
                return Err(SelectError::new("operand size not specified")
                    .at(places.iter().position(|&place| place != Place::Port).unwrap_or(0))
                    .help(Remedy::Size(vec![1, 2, 4])));
            }
        }
    } else {
        let own = match name.text.as_bytes().last() {
            Some(b'w') => 2,
            Some(b'd') => 4,
            _ => 1,
        };
        if let Some(bytes) = size.filter(|&bytes| bytes != own && family != StringFamily::Xlat) {
            return Err(SelectError::new(format!(
                "`{}` takes a {}, but the operand is a {}",
                name.text,
                refuse::size_name(own),
                refuse::size_name(bytes)
            )));
        }
        forms.first()
    };
    match form {
        Some(form) => Ok(Plan {
            form,
            prefixes,
            short_address: short_address.unwrap_or(by_default),
        }),
        None => Err(SelectError::new(format!("no valid encoding for `{}`", name.text))),
    }
}

/// Whether the address has 16 bits; `None` if the operand is only a symbol, which gives nothing but a size.
fn address_of(name: &Name, memory: &Memory, place: Place, by_default: bool) -> Result<Option<bool>, SelectError> {
    let (long, short) = match place {
        Place::Source => (Register::ESI, Register::SI),
        Place::Destination => (Register::EDI, Register::DI),
        Place::Table | Place::Port => (Register::EBX, Register::BX),
    };
    let used = if memory.base == Register::None {
        memory.index
    } else {
        memory.base
    };
    let single = (memory.base == Register::None || memory.index == Register::None) && memory.scale <= 1;
    let plain = single && memory.displacement == 0;
    if used == Register::None {
        Ok(None)
    } else if used == long && plain {
        Ok(Some(false))
    } else if used == short && plain {
        Ok(Some(true))
    } else {
        Err(SelectError::new(format!(
            "the address of this operand of `{}` must be `[{}]`",
            name.text,
            spelling(if by_default { short } else { long })
        )))
    }
}
