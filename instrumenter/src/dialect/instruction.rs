//! Instruction lines: prefixes, mnemonic and operands; encoded at once where nothing in them can still change.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{Instruction, MOST_OPERANDS, Type};
use crate::dialect::words::prefix;
use crate::evaluate::Value;
use crate::expr::Cursor;
use crate::layout::{Deferred, FragmentKind};
use crate::lex::Kind;
use crate::names::{NONE, keyword};
use crate::operand::{Distance, Immediate, Memory, Operand, Target};
use crate::select::{self, Encoded, Prefixes, Repeat};
use iced_x86::Register;

impl Assembler<'_> {
    /// Assembles the instruction at the cursor.
    pub(crate) fn instruction(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        if let Some(structure) = &self.structure {
            return Err(fault(cursor.here(), "an instruction cannot stand in a structure")
                .with_help(format!("the structure of line {} has no `ends`", structure.span.line)));
        }
        self.enter_procedure()?;
        let mark = self.expressions.mark();
        let mut instruction = self.pending_prefix.take().unwrap_or(Instruction {
            mnemonic: NONE,
            lock: false,
            repeat: 0,
            operands: [NONE; MOST_OPERANDS],
            operand_count: 0,
            span: cursor.here(),
            origin: self.origin,
        });
        while let Some((name, token)) = cursor.name() {
            let info = self.names.info(name);
            match keyword(name).and_then(prefix) {
                Some(0) => instruction.lock = true,
                Some(repeat) => instruction.repeat = repeat,
                None if info.mnemonic => {
                    instruction.mnemonic = name;
                    instruction.span = cursor.span(token);
                    break;
                }
                None => {
                    return Err(fault(cursor.span(token), "an instruction is expected after the prefix"));
                }
            }
        }
        if instruction.mnemonic == NONE {
            if !cursor.done() {
                return Err(fault(cursor.here(), "an instruction is expected after the prefix"));
            }
            // A prefix on a line of its own belongs to the instruction of the next line.
            self.pending_prefix = Some(instruction);
            return Ok(());
        }
        let mut values = [Value::number(0); MOST_OPERANDS];
        if !cursor.done() {
            loop {
                let count = usize::from(instruction.operand_count);
                if count == MOST_OPERANDS {
                    return Err(fault(cursor.here(), "an instruction has at most three operands"));
                }
                let id = self.expression(cursor)?;
                values[count] = self.evaluate(id)?;
                instruction.operands[count] = id;
                instruction.operand_count += 1;
                if !cursor.eat(b',') {
                    break;
                }
            }
            if let Some(token) = cursor.peek() {
                return Err(match token.kind {
                    Kind::Bad(why) => fault(cursor.here(), why),
                    Kind::Name(name) if self.names.info(name).mnemonic => {
                        fault(cursor.here(), "a second instruction begins here")
                            .with_help("write one instruction on a line")
                    }
                    _ => fault(cursor.here(), "a comma or the line's end is expected here"),
                });
            }
        }
        if self.leave_procedure(&instruction)? {
            return Ok(());
        }
        self.place_instruction(instruction, &values, mark)
    }

    /// Puts an instruction into the current segment, now or when its addresses are known.
    pub(crate) fn place_instruction(
        &mut self,
        instruction: Instruction,
        values: &[Value; MOST_OPERANDS],
        mark: usize,
    ) -> Result<(), Fault> {
        let span = instruction.span;
        let here = self.location();
        let used = values.get(..usize::from(instruction.operand_count)).unwrap_or(values);
        let branch = self.names.info(instruction.mnemonic).branch;
        let unresolved = used.iter().any(|value| value.unresolved);
        let volatile = used.iter().any(|value| value.volatile);
        let near_by = branch
            && matches!(used, [value] if value.relocatable && !value.memory && !value.unresolved
                && value.anchor == (here.segment, here.fragment));
        let address = self.address(here);
        if !volatile || near_by {
            let encoded = self.encode_values(&instruction, values, address, None, false)?;
            let location = self.emit(encoded.bytes.get(..usize::from(encoded.length)).unwrap_or(&[]), span)?;
            self.note_row(location, u32::from(encoded.length), span, false);
            self.expressions.forget(mark);
            return Ok(());
        }
        let guess = if branch && matches!(used, [value] if !value.memory && value.register == Register::None) {
            let mut nowhere = *values;
            if unresolved {
                nowhere[0].number = i64::from(address);
            }
            // Short to itself reaches always; whether that can grow is the question.
            let near = Value {
                number: i64::from(address),
                ..nowhere[0]
            };
            let probe = [near, nowhere[1], nowhere[2], nowhere[3]];
            self.encode_values(&instruction, &probe, address, None, false)?
        } else if unresolved {
            self.guess(&instruction, values, address)
        } else {
            self.encode_values(&instruction, values, address, None, false)?
        };
        let length = u32::from(guess.length);
        let certain = !unresolved && !guess.relaxable;
        self.reserve(u64::from(length), span)?;
        let index = self.deferred.len() as u32;
        let location = if certain {
            let bytes = guess.bytes.get(..length as usize).unwrap_or(&[]);
            self.image_bytes -= u64::from(length);
            self.emit(bytes, span)?
        } else {
            self.emit_fragment(FragmentKind::Variable(index), length)
        };
        self.note_row(location, if certain { length } else { 0 }, span, false);
        self.deferred.push(Deferred {
            instruction,
            location,
            length,
            branch: guess.relaxable.then_some(false),
            failed: false,
        });
        Ok(())
    }

    /// A likely length for an instruction with names that are defined further down: most are data.
    fn guess(&self, instruction: &Instruction, values: &[Value; MOST_OPERANDS], address: u32) -> Encoded {
        let fallback = Encoded {
            bytes: [0; 16],
            length: 6,
            relaxable: false,
        };
        for size in [0u8, 4, 1, 2, 8, 10] {
            let mut tried = *values;
            for value in tried.iter_mut().filter(|value| value.unresolved && !value.offset) {
                value.memory = true;
                if size != 0 && value.kind == Type::None {
                    value.kind = Type::Bytes(size);
                }
            }
            if let Ok(encoded) = self.encode_values(instruction, &tried, address, None, false) {
                return encoded;
            }
        }
        fallback
    }

    /// Evaluates an instruction's operands with what is known now.
    pub(crate) fn evaluate_operands(
        &self,
        instruction: &Instruction,
        values: &mut [Value; MOST_OPERANDS],
    ) -> Result<(), Fault> {
        for (value, &id) in values
            .iter_mut()
            .zip(&instruction.operands)
            .take(usize::from(instruction.operand_count))
        {
            *value = self.evaluate(id)?;
        }
        Ok(())
    }

    /// Encodes an instruction whose operands are `values`.
    ///
    /// `distance` settles how far a branch reaches; with `loosely` a branch is encoded to itself, for its length only.
    pub(crate) fn encode_values(
        &self,
        instruction: &Instruction,
        values: &[Value; MOST_OPERANDS],
        address: u32,
        distance: Option<Distance>,
        loosely: bool,
    ) -> Result<Encoded, Fault> {
        let count = usize::from(instruction.operand_count).min(MOST_OPERANDS);
        let mut operands = [Operand::Register(Register::None); MOST_OPERANDS];
        let info = self.names.info(instruction.mnemonic);
        for (place, value) in values.iter().enumerate().take(count) {
            let mut operand = self
                .operand(value, info.branch)
                .map_err(|(message, help)| self.operand_fault(instruction, place, message, help))?;
            if let Operand::Target(target) = &mut operand {
                if loosely {
                    target.address = address;
                }
                if let (Some(distance), Distance::Any) = (distance, target.distance) {
                    target.distance = distance;
                }
            }
            operands[place] = operand;
        }
        let prefixes = Prefixes {
            lock: instruction.lock,
            repeat: match instruction.repeat {
                1 => Repeat::Rep,
                2 => Repeat::Repe,
                3 => Repeat::Repne,
                _ => Repeat::None,
            },
            segment: Register::None,
        };
        let mnemonic = self.names.text(instruction.mnemonic);
        select::encode(mnemonic, prefixes, operands.get(..count).unwrap_or(&[]), address).map_err(|error| {
            let help = error.help;
            match error.operand {
                Some(place) if place < count => self.operand_fault(instruction, place, error.message, help),
                _ => {
                    let mut problem = fault(instruction.span, error.message);
                    problem.help = help;
                    problem
                }
            }
        })
    }

    fn operand_fault(&self, instruction: &Instruction, place: usize, message: String, help: Option<String>) -> Fault {
        let mut span = instruction.span;
        if let Some(&id) = instruction.operands.get(place)
            && id != NONE
        {
            span = self.extent(id);
        }
        let mut problem = fault(span, message);
        problem.help = help;
        problem
    }

    /// The stretch of the line that an expression covers.
    fn extent(&self, id: u32) -> crate::diag::Span {
        let node = self.expressions.node(id);
        let mut span = node.span;
        let mut join = |below: u32| {
            let other = self.extent(below);
            if other.file == span.file && other.line == span.line {
                span.start = span.start.min(other.start);
                span.end = span.end.max(other.end);
            }
        };
        match node.kind {
            crate::ast::NodeKind::Unary(_, operand) | crate::ast::NodeKind::Field(operand, _) => join(operand),
            crate::ast::NodeKind::Binary(_, left, right) => {
                join(left);
                join(right);
            }
            _ => {}
        }
        span
    }

    /// A value as an operand; the error is a message and what would mend it.
    fn operand(&self, value: &Value, branch: bool) -> Result<Operand, (String, Option<String>)> {
        if value.register != Register::None {
            return Ok(Operand::Register(value.register));
        }
        if value.selector != NONE {
            return Ok(Operand::FarPointer {
                selector: value.selector as u16,
                offset: value.number as u32,
            });
        }
        let size = match value.kind {
            Type::Bytes(size) => Some(size),
            Type::Structure(_) => match self.size_of(value.kind) {
                size @ (1 | 2 | 4 | 6 | 8 | 10) if value.explicit => Some(size as u8),
                _ => None,
            },
            Type::None | Type::Near | Type::Far => None,
        };
        let addressed = value.base != Register::None || value.index != Register::None;
        if addressed && !value.memory {
            return Err((
                "registers are added only in brackets".to_owned(),
                Some("write `[eax+4]` for the memory there".to_owned()),
            ));
        }
        if branch && !value.memory {
            if value.kind == Type::Far && value.explicit {
                return Err((
                    "a far jump needs its selector".to_owned(),
                    Some("write `selector:offset`, or leave `far` out: the program is flat".to_owned()),
                ));
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
        if value.memory || (value.relocatable && !value.offset) {
            let pointer = branch && value.explicit && size.is_none();
            return Ok(Operand::Memory(Memory {
                size: if pointer {
                    Some(if value.kind == Type::Far { 6 } else { 4 })
                } else {
                    size
                },
                explicit_size: value.explicit,
                segment: value.segment,
                base: value.base,
                index: value.index,
                scale: value.scale,
                displacement: value.number,
                volatile: value.volatile,
                has_displacement: value.displaced,
            }));
        }
        Ok(Operand::Immediate(Immediate {
            value: value.number,
            size: if value.explicit { size } else { None },
            volatile: value.volatile,
        }))
    }
}
