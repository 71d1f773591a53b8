//! Instructions: encoded at once if nothing in them can change, and deferred until addresses are known otherwise.

use super::address_meant::with_address;
use super::{FragmentKind, Program, Site, Value, encode_values, evaluate_operands};
use crate::diag::{Fault, fault};
use crate::expression::{Location, Type};
use crate::names::{NONE, NameId};
use crate::operand::CodeSize;
use crate::remedy::Remedy;
use crate::select::Encoded;
use crate::session::Session;
use crate::statement::{Instruction, MOST_OPERANDS};
use iced_x86::Register;

/// An instruction that is encoded again when addresses are known.
pub(crate) struct Deferred {
    pub(crate) instruction: Instruction,
    pub(crate) location: Location,
    /// The assumed contents of segment registers, as an index.
    pub(crate) assumes: u32,
    pub(crate) length: u32,
    /// Whether the branch has grown; `None` unless the layout chooses its distance.
    pub(crate) branch: Option<bool>,
    /// Whether its error has been reported.
    pub(crate) failed: bool,
    /// The operands, as bits, for whose numbers GNU's assembler leaves 32 bits: names that come later are in them.
    pub(crate) late: u8,
}

impl Deferred {
    /// Keeps the numbers from being short that were not known when the line was read.
    pub(crate) fn lengthen(&self, values: &mut [Value; MOST_OPERANDS]) {
        let late = (0..).zip(values).filter(|(place, _)| self.late >> place & 1 != 0);
        late.for_each(|(_, value)| value.volatile = true);
    }

    pub(crate) fn site(&self) -> Site {
        Site {
            location: self.location,
            assumes: self.assumes,
        }
    }
}

/// Whether an open structure keeps an instruction out: either the instruction is misplaced or the structure lacks its
/// end, and the following lines tell which.
pub(super) fn is_kept_out(session: &Session, program: &mut Program, instruction: &Instruction) -> bool {
    let open = program.structures.open.as_mut();
    open.is_some_and(|open| {
        open.intruder.get_or_insert((instruction.span, session.origin));
        true
    })
}

/// Assembles an instruction that stands for itself, whose expressions are the nodes since `mark`.
pub(super) fn plain_instruction(
    session: &mut Session,
    program: &mut Program,
    instruction: &Instruction,
    mark: usize,
) -> Result<(), Fault> {
    if is_kept_out(session, program, instruction) {
        return Ok(());
    }
    let mut values = [Value::number(0); MOST_OPERANDS];
    evaluate_operands(session, program, instruction, &mut values)?;
    place_instruction(session, program, instruction, &values, mark)
}

/// The interrupts of the BIOS and of the mouse, for which 16-bit code calls.
const OF_BIOS: [i64; 5] = [0x10, 0x13, 0x15, 0x16, 0x33];

/// Notes the registers with which the operands of an instruction address memory, or which get the address of data, and
/// the use of segments. The operands are not accessed if it is `address_only`.
fn note_addresses(session: &mut Session, operands: &[Value], mnemonic: NameId) {
    let address_only = session.names.info(mnemonic).address_only;
    operands
        .iter()
        .for_each(|value| session.narrow.note_operand(value.register));
    let text = session.names.text(mnemonic);
    let segmented = match operands {
        [to, from] if from.register.is_gpr16() => to.register.is_segment_register(),
        [one] if one.register.is_segment_register() => text == "pop",
        [to, _] if to.register.is_gpr16() => matches!(text, "lds" | "les"),
        [number] => text == "int" && OF_BIOS.contains(&number.number),
        _ => false,
    };
    let counts = matches!(text, "loop" | "loope" | "loopz" | "loopne" | "loopnz" | "jcxz");
    if segmented {
        session.narrow.note_segmented();
    }
    if counts {
        session.narrow.note_count();
    }
    let of_memory = operands.iter().filter(|value| value.memory && !address_only);
    of_memory.for_each(|value| session.narrow.note([value.base, value.index]));
    if let [to, of] = operands {
        let is_address = !of.has_registers() && (of.unresolved || of.relocatable);
        if is_address && (of.offset || address_only) {
            session.narrow.note([to.register, Register::None]);
        }
    }
}

/// Places an instruction in the current segment, now or when its addresses are known.
pub(super) fn place_instruction(
    session: &mut Session,
    program: &mut Program,
    instruction: &Instruction,
    values: &[Value; MOST_OPERANDS],
    mark: usize,
) -> Result<(), Fault> {
    let span = instruction.span;
    let here = program.layout.location();
    program.layout.data_behind = program.layout.data_behind.filter(|_| session.in_library);
    let used = values.get(..usize::from(instruction.operand_count)).unwrap_or(values);
    let lines = program.may_be_fragment && program.layout.snippet && !session.in_library;
    if lines {
        note_addresses(session, used, instruction.mnemonic);
    }
    if program.layout.segmented
        && let Some(value) = used.iter().find(|value| value.memory && value.selector != NONE)
    {
        let message = format!(
            "the segment {:X}h of this address is not in the instruction: DS has to hold it",
            value.selector
        );
        let help = "load it into a segment register, and write that one in its place";
        session.warn(fault(span, message).with_help(help));
    }
    let branch = session.names.info(instruction.mnemonic).branch;
    let unresolved = used.iter().any(|value| value.unresolved);
    let volatile = used.iter().any(|value| value.volatile);
    let near_by = branch
        && matches!(used, [value] if value.relocatable && !value.memory && !value.unresolved
            && value.kind != Type::Far && value.anchor == (here.segment, here.fragment));
    let site = Site {
        location: here,
        assumes: program.layout.assumes,
    };
    if !volatile || near_by {
        let encoded = encode_values(session, program, instruction, values, site, None, false)?;
        let location = program
            .layout
            .emit(encoded.bytes.get(..usize::from(encoded.length)).unwrap_or(&[]), span)?;
        program
            .layout
            .note_instruction(session.origin, location, u32::from(encoded.length), instruction);
        note_sizes(session, program, instruction, &encoded);
        session.expressions.forget(mark);
        return Ok(());
    }
    let late = match program.layout.is_of_gnu() && !branch {
        true => (0..)
            .zip(used)
            .fold(0, |late, (place, value)| late | u8::from(value.unresolved) << place),
        false => 0,
    };
    let guess = if branch && matches!(used, [value] if !value.memory && value.register == Register::None) {
        let address = program.layout.address(here);
        let mut nowhere = *values;
        if unresolved {
            nowhere[0].number = i64::from(address);
        }
        // A short branch to itself always reaches; the question is whether it can grow.
        let near = Value {
            number: i64::from(address),
            ..nowhere[0]
        };
        let trial = [near, nowhere[1], nowhere[2], nowhere[3]];
        encode_values(session, program, instruction, &trial, site, None, false)?
    } else if unresolved {
        guess(session, program, instruction, values, site)
    } else {
        match encode_values(session, program, instruction, values, site, None, false) {
            Ok(encoded) => encoded,
            // A value computed from addresses may fit once they are known.
            Err(_) if used.iter().any(|value| value.volatile && !value.relocatable) => Encoded::UNKNOWN,
            Err(problem) => return Err(problem),
        }
    };
    note_sizes(session, program, instruction, &guess);
    let most = session.limits.deferred;
    if program.deferred.len() >= most {
        return Err(fault(span, format!("more than {most} instructions with addresses")).ending());
    }
    // The last pass over the source knows better.
    let known = program.lengths.get(program.deferred.len()).copied();
    let length = u32::from(known.unwrap_or(guess.length));
    let certain = !unresolved && !guess.relaxable && guess != Encoded::UNKNOWN;
    program.layout.reserve(u64::from(length), span)?;
    let index = program.deferred.len() as u32;
    let location = if certain {
        let bytes = guess.bytes.get(..length as usize).unwrap_or(&[]);
        program.layout.append(bytes)
    } else {
        program.layout.emit_fragment(FragmentKind::Variable(index), length)
    };
    program
        .layout
        .note_instruction(session.origin, location, if certain { length } else { 0 }, instruction);
    program.deferred.push(Deferred {
        instruction: *instruction,
        location,
        assumes: site.assumes,
        length,
        branch: guess.relaxable.then_some(false),
        failed: false,
        late,
    });
    Ok(())
}

/// Counts an instruction if the size of segments was assumed, and warns of a variable of another size.
fn note_sizes(session: &mut Session, program: &Program, instruction: &Instruction, encoded: &Encoded) {
    if encoded.resized {
        let size = program.layout.place_of(program.layout.location()).size;
        let warning = other_size(session, program, instruction, size);
        session.warn(warning);
    }
    if session.size_assumed {
        session.sized[0] += 1;
        session.sized[1] += u32::from(encoded.is_resized());
    }
}

/// The warning that an instruction takes a variable with another size than it was declared with.
pub(super) fn other_size(session: &Session, program: &Program, instruction: &Instruction, size: CodeSize) -> Fault {
    let message = "the variable has another size than the other operand, which decides how many bytes are accessed";
    let help = with_address(session, program, instruction, size, Remedy::OtherSize(vec![1, 2, 4]));
    fault(instruction.span, message).with_help(help)
}

/// An estimate of the length of an instruction with forward references, most of which refer to data.
fn guess(
    session: &Session,
    program: &Program,
    instruction: &Instruction,
    values: &[Value; MOST_OPERANDS],
    site: Site,
) -> Encoded {
    for size in [0u8, 4, 1, 2, 8, 10] {
        let mut tried = *values;
        for value in tried.iter_mut().filter(|value| value.unresolved && !value.offset) {
            value.memory = true;
            if size != 0 && value.kind == Type::None {
                value.kind = Type::Bytes(size);
            }
        }
        if let Ok(encoded) = encode_values(session, program, instruction, &tried, site, None, false) {
            return encoded;
        }
    }
    Encoded::UNKNOWN
}
