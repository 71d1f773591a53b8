//! Builds operands from values and encodes instructions.

use super::address_meant::with_address;
use super::{Program, Value, addresses, evaluate};
use crate::diag::{Fault, fault};
use crate::expression::{Location, NodeKind, Type};
use crate::names::{NONE, NameInfo};
use crate::operand::{CodeSize, Distance, Immediate, Memory, Operand, Target};
use crate::remedy::Remedy;
use crate::select::{self, Encoded, Prefixes};
use crate::session::Session;
use crate::statement::{Instruction, MOST_OPERANDS};
use iced_x86::Register;

/// Evaluates an instruction's operands with the addresses known so far.
pub(crate) fn evaluate_operands(
    session: &Session,
    program: &Program,
    instruction: &Instruction,
    values: &mut [Value; MOST_OPERANDS],
) -> Result<(), Fault> {
    let operands = instruction.operands.iter().zip(values);
    for (&id, value) in operands.take(usize::from(instruction.operand_count)) {
        // Plain numbers and registers are settled in place: a value is large.
        match session.expressions.node(id).kind {
            NodeKind::Number(number) => {
                *value = Value::number(number);
            }
            NodeKind::Register(register) => {
                *value = Value::number(0);
                (value.register, value.displaced) = (register, false);
            }
            _ => *value = evaluate(session, program, id)?,
        }
    }
    Ok(())
}

/// The instruction before a near call of a far procedure.
pub(crate) const PUSH_CS: u8 = 0x0E;

/// The location of an instruction, and the assumed contents of segment registers there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    pub(crate) location: Location,
    pub(crate) assumes: u32,
}

/// Encodes an instruction whose operands are `values`.
///
/// `distance` selects the branch form. With `loosely` a branch targets itself, and only its length counts.
pub(crate) fn encode_values(
    session: &Session,
    program: &Program,
    instruction: &Instruction,
    values: &[Value; MOST_OPERANDS],
    site: Site,
    distance: Option<Distance>,
    loosely: bool,
) -> Result<Encoded, Fault> {
    let mut at = program.layout.place_of(site.location);
    let count = usize::from(instruction.operand_count).min(MOST_OPERANDS);
    let mut operands = [Operand::Register(Register::None); MOST_OPERANDS];
    let info = session.names.info(instruction.mnemonic);
    let mnemonic = session.names.text(instruction.mnemonic);
    let pushes_cs = mnemonic == "call" && is_far_near_by(program, &values[0], site);
    if pushes_cs {
        at.address = at.address.wrapping_add(1);
    }
    for (place, value) in values.iter().enumerate().take(count) {
        let mut operand = match program.layout.segmented {
            false => operand(program, value, info, at.size),
            true => segmented_operand(program, value, info, (site, at.size)),
        }
        .map_err(|(message, help)| operand_fault(session, instruction, place, message, help))?;
        if let Operand::Target(target) = &mut operand {
            if loosely {
                target.address = at.address;
            }
            if let (Some(distance), Distance::Any) = (distance, target.distance) {
                target.distance = distance;
            }
        }
        operands[place] = operand;
    }
    let prefixes = Prefixes {
        lock: instruction.lock,
        repeat: instruction.repeat,
        segment: instruction.segment,
        of_operand: false,
        lengthen: instruction.lengthen,
        no_near: instruction.no_near,
        compiled: program.layout.compiled,
        stores: program.layout.untyped,
    };
    let operands_used = operands.get(..count).unwrap_or(&[]);
    let mut encoded = select::encode(mnemonic, prefixes, operands_used, at);
    if at.size == CodeSize::Bits16
        && (encoded.is_err() || is_dword_of_old(instruction, operands_used))
        && let Some(loose) = without_declared_size(&operands, count)
        && let Ok(found) = select::encode(mnemonic, prefixes, loose.get(..count).unwrap_or(&[]), at)
    {
        encoded = Ok(Encoded { resized: true, ..found });
    }
    let mut others = values.iter().take(count).enumerate();
    if encoded.is_ok()
        && let Some((place, (message, help))) = others.find_map(|(at, value)| Some((at, misused(value)?)))
    {
        return Err(operand_fault(session, instruction, place, message, help));
    }
    let byte = match operands_used.first() {
        Some(Operand::Register(register)) => register.is_gpr8(),
        Some(Operand::Memory(memory)) => memory.size == Some(1),
        _ => false,
    };
    // An offset may be a small number before the linker adds where its segment begins.
    let is_offset = |value: &Value| value.relocatable && value.anchor.0 != NONE && !value.memory;
    if program.layout.segmented
        && byte
        && encoded.is_ok()
        && let Some((place, value)) = (1..)
            .zip(values.iter().take(count).skip(1))
            .find(|(_, value)| is_offset(value))
        && matches!(operands_used.get(place), Some(Operand::Immediate(_)))
        && let Some(problem) = address_in(session, program, instruction, (place, value), 8, &operands)
    {
        return Err(problem);
    }
    if let (true, Ok(encoded)) = (pushes_cs, &mut encoded) {
        *encoded = encoded.after(PUSH_CS);
    }
    if let (true, Ok(encoded)) = (instruction.wait, &mut encoded) {
        *encoded = encoded.after_wait();
    }
    encoded.map_err(|error| {
        if let (Some(place), Some(bits)) = (error.operand, error.too_narrow)
            && let Some(value) = values.get(place)
            && value.volatile
            && let Some(problem) = address_in(session, program, instruction, (place, value), bits, &operands)
        {
            return problem;
        }
        let help = error.help.map(|help| match help {
            Remedy::Widen(_) => with_address(session, program, instruction, at.size, help),
            help => help,
        });
        match error.operand {
            Some(place) if place < count => operand_fault(session, instruction, place, error.message, help),
            _ => {
                let mut problem = fault(instruction.span, error.message);
                problem.help = help;
                problem
            }
        }
    })
}

/// The operands with memory of any size instead of the size that its name declares. MASM up to version 5 only warns of
/// another size: the other operand decides.
fn without_declared_size(operands: &[Operand; MOST_OPERANDS], count: usize) -> Option<[Operand; MOST_OPERANDS]> {
    let mut loose = *operands;
    let mut memory = loose.iter_mut().take(count).filter_map(|operand| match operand {
        Operand::Memory(memory) if memory.size.is_some() && !memory.explicit_size => Some(memory),
        _ => None,
    });
    memory.next()?.size = None;
    (count > 1).then_some(loose)
}

/// Whether a number goes to a dword, which no instruction of the processors without 32-bit registers has.
fn is_dword_of_old(instruction: &Instruction, operands: &[Operand]) -> bool {
    instruction.no_near
        && matches!(operands, [Operand::Memory(memory), Operand::Immediate(_)]
            if memory.size == Some(4) && !memory.explicit_size)
}

/// The fault for an address in an operand of too few bits; `None` if the value is a distance, which is a number.
fn address_in(
    session: &Session,
    program: &Program,
    instruction: &Instruction,
    (place, value): (usize, &Value),
    bits: u8,
    operands: &[Operand],
) -> Option<Fault> {
    let found = addresses(session, program, *instruction.operands.get(place)?)?;
    if found.is_distance() {
        return None;
    }
    let name = found.name(session);
    let of_memory = matches!(operands.get(place), Some(Operand::Memory(_)));
    let whole = match program.layout.place_of(program.layout.location()).size {
        CodeSize::Bits16 => 16,
        CodeSize::Bits32 => 32,
    };
    let (message, help) = match (value.relocatable, operands.first()) {
        _ if program.layout.segmented && bits == 16 => {
            let message = format!(
                "the offset of {name} is {:X}h, which does not fit in 16 bits",
                value.number
            );
            (message, None)
        }
        (false, _) => {
            let message = format!("a number computed from the address of {name} does not fit in {bits} bits");
            (message, None)
        }
        (true, _) if of_memory => {
            let short = if value.base == Register::None {
                value.index
            } else {
                value.base
            };
            let message = format!("the offset of {name} has 32 bits and does not fit in an address of {bits} bits");
            (message, Some(use_whole(short, 32)))
        }
        (true, Some(Operand::Register(register)))
            if place > 0 && register.is_gpr() && register.size() * 8 == usize::from(bits) =>
        {
            let message = format!("the offset of {name} has {whole} bits and does not fit in {bits} bits");
            (message, Some(use_whole(*register, whole)))
        }
        (true, first) => {
            let message = format!("the offset of {name} has {whole} bits and does not fit in {bits} bits");
            let memory = place > 0 && matches!(first, Some(Operand::Memory(_)));
            (message, memory.then(|| Remedy::Size(vec![whole / 8])))
        }
    };
    Some(operand_fault(session, instruction, place, message, help))
}

/// The remedy that replaces a part of a register by the whole register, of which `bits` count.
fn use_whole(register: Register, bits: u8) -> Remedy {
    let name = format!("{:?}", register.full_register32()).to_ascii_lowercase();
    format!(
        "use `{}`",
        if bits == 16 {
            name.trim_start_matches('e')
        } else {
            &name
        }
    )
    .into()
}

/// What is wrong with a register behind a size that it does not have, or behind a segment, and how it is mended.
fn misused(value: &Value) -> Option<(String, Option<Remedy>)> {
    let register = value.register;
    let name = |register| format!("{register:?}").to_ascii_lowercase();
    if register != Register::None && value.segment != Register::None {
        let (register, segment) = (name(register), name(value.segment));
        let message = format!("the register `{register}` is in no segment");
        let help = format!("write `{segment}:[{register}]` for the memory that it points to");
        return Some((message, Some(help.into())));
    }
    let Type::Bytes(bytes) = value.kind else { return None };
    let own = register.size() as u32;
    let other = register.is_gpr() && value.explicit && !value.memory && u32::from(bytes) != own;
    let message = || {
        format!(
            "`{}` has {} bits, not {}",
            name(register),
            8 * own,
            8 * u32::from(bytes)
        )
    };
    other.then(|| (message(), None))
}

fn operand_fault(
    session: &Session,
    instruction: &Instruction,
    place: usize,
    message: String,
    help: Option<Remedy>,
) -> Fault {
    let mut span = instruction.span;
    if let Some(&id) = instruction.operands.get(place)
        && id != NONE
    {
        span = session.expressions.extent(id);
    }
    let mut problem = fault(span, message);
    // One `assume` that is missing concerns every variable of the segment.
    problem.recurs = matches!(help, Some(Remedy::Assume(_)));
    problem.help = help;
    problem
}

/// The reason why a value is not an operand, and the remedy.
type Refusal = (String, Option<Remedy>);

/// Whether code that was declared far lies in the segment of the instruction, so that MASM 6 and TASM call it by
/// `push cs` and a near call.
fn is_far_near_by(program: &Program, value: &Value, site: Site) -> bool {
    program.layout.segmented
        && value.kind == Type::Far
        && !value.explicit
        && !value.memory
        && value.relocatable
        && value.selector == NONE
        && value.anchor.0 == site.location.segment
}

/// Converts a value to an operand of a segmented program: an address in another segment needs a far branch, or a
/// segment register that holds its frame.
fn segmented_operand(
    program: &Program,
    value: &Value,
    info: &NameInfo,
    (site, size): (Site, CodeSize),
) -> Result<Operand, Refusal> {
    let layout = &program.layout;
    let (code, data) = (site.location.segment, value.anchor.0);
    let located = value.relocatable && data != NONE;
    let elsewhere = value.relocatable && data == NONE;
    if info.branch && !value.memory && value.kind == Type::Far && (value.unresolved || elsewhere) {
        // The location does not change its size, and another module's is not known.
        return Ok(Operand::FarPointer {
            selector: 0,
            offset: 0,
            wide: false,
        });
    }
    if info.branch && !value.memory && located && value.selector == NONE {
        let same = layout.frame_of(code) == layout.frame_of(data) && layout.size_of(code) == layout.size_of(data);
        let declared = value.kind == Type::Far && !value.explicit;
        let near = same && info.jump || is_far_near_by(program, value, site);
        if value.kind == Type::Far && !(declared && near) {
            return Ok(Operand::FarPointer {
                selector: (layout.start_of(layout.frame_of(data)) >> 4) as u16,
                offset: value.number as u32,
                wide: layout.size_of(data) == CodeSize::Bits32,
            });
        }
        if !same && layout.resolved {
            return Err((
                "branch target is in another segment".to_owned(),
                Some(Remedy::FarBranch),
            ));
        }
    }
    let operand = operand(program, value, info, size)?;
    match operand {
        Operand::FarPointer { selector, offset, .. } if located => Ok(Operand::FarPointer {
            selector,
            offset,
            wide: layout.size_of(data) == CodeSize::Bits32,
        }),
        Operand::Memory(memory) if located && !info.address_only => {
            let by_default = match memory.base {
                Register::ESP | Register::EBP | Register::BP => Register::SS,
                _ if matches!(memory.index, Register::BP) => Register::SS,
                _ => Register::DS,
            };
            let address = (data, memory.displacement);
            match layout.reach(code, site.assumes, address, (memory.segment, by_default)) {
                Some(reach) => Ok(Operand::Memory(Memory {
                    segment: reach.segment,
                    displacement: reach.offset,
                    ..memory
                })),
                None => {
                    let name = layout.segments.get(data as usize).map_or("", |segment| &segment.name);
                    Err((
                        format!("no segment register is assumed to hold segment `{name}`"),
                        Some(Remedy::Assume(name.to_owned())),
                    ))
                }
            }
        }
        operand => Ok(operand),
    }
}

/// Converts a value to an operand; the error is a message and a remedy.
fn operand(program: &Program, value: &Value, info: &NameInfo, code: CodeSize) -> Result<Operand, Refusal> {
    let (structures, branch) = (&program.structures, info.branch);
    if value.register != Register::None {
        return Ok(Operand::Register(value.register));
    }
    if value.selector != NONE && !value.memory {
        return Ok(Operand::FarPointer {
            selector: value.selector as u16,
            offset: value.number as u32,
            wide: false,
        });
    }
    let near_pointer = match code {
        CodeSize::Bits16 => 2,
        CodeSize::Bits32 => 4,
    };
    let size = match value.kind {
        // Data has no size where names have no types.
        Type::Bytes(_) if !value.explicit && (program.layout.is_of_gnu() || program.layout.untyped) => None,
        Type::Bytes(size) => Some(size),
        Type::Structure(_) => match structures.size_of(value.kind) {
            size @ (1 | 2 | 4 | 6 | 8 | 10) if value.explicit => Some(size as u8),
            _ => None,
        },
        Type::None | Type::Near | Type::Far => None,
    };
    let addressed = value.base != Register::None || value.index != Register::None;
    // A label with a register, as in `lea di,(table+si)`, is an address.
    if addressed && !value.memory && (branch || !value.relocatable) {
        return Err((
            "register arithmetic is only allowed in brackets".to_owned(),
            Some("write `[eax+4]` to access memory".into()),
        ));
    }
    if branch && !value.memory {
        if value.kind == Type::Far && value.explicit {
            return Ok(Operand::FarPointer {
                selector: program.selectors[0],
                offset: value.number as u32,
                wide: true,
            });
        }
        let distance = match (value.short, value.explicit && value.kind == Type::Near) {
            (true, _) => Distance::Short,
            (false, true) => Distance::Near,
            (false, false) => Distance::Any,
        };
        return Ok(Operand::Target(Target {
            address: value.number as u32,
            distance,
        }));
    }
    // The name of code is its offset, unless brackets or a size make it memory.
    let code_offset = matches!(value.kind, Type::Near | Type::Far) && !info.address_only;
    if value.memory || addressed || (value.relocatable && !value.offset && !code_offset) {
        let pointer = branch && value.explicit && size.is_none();
        return Ok(Operand::Memory(Memory {
            size: if pointer {
                Some(near_pointer + if value.kind == Type::Far { 2 } else { 0 })
            } else {
                size
            },
            explicit_size: value.explicit,
            segment: value.segment,
            base: value.base,
            index: value.index,
            scale: value.scale,
            displacement: program.layout.taken(value.number, 4),
            volatile: value.volatile,
            has_displacement: value.displaced,
        }));
    }
    Ok(Operand::Immediate(Immediate {
        value: program.layout.taken(value.number, 4),
        size: if value.explicit { size } else { None },
        volatile: value.volatile,
    }))
}
