//! Shifts and additions that become part of an address: of a LEA, or of the access that comes next, which then does not
//! wait for the register.

use super::copies::{overwrites, renamed};
use super::{Block, Rule, STATUS, is_literal, used};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use runtime::advice::{RegisterParts, is_number};

/// What an instruction makes of a register, as a part of an address.
struct Term {
    register: Register,
    name: String,
    /// The text that stands for the register.
    text: String,
    /// The registers in it.
    registers: Vec<Register>,
    /// Whether one of them is multiplied.
    scaled: bool,
    /// Whether the instruction sets flags.
    flags: bool,
}

impl Block<'_> {
    /// A shift and an addition, or two additions, as one LEA.
    pub(super) fn scaled_sum(&self, at: usize) -> Option<(Rule, String)> {
        let term = self.term(at).filter(|term| term.flags)?;
        let addition = self.instruction(at + 1)?;
        let (target, added) = (addition.op0_register(), addition.op1_register());
        let adds = addition.mnemonic() == Mnemonic::Add
            && addition.op0_kind() == OpKind::Register
            && target.is_gpr32()
            && self.flags_are_dead(at + 1, STATUS);
        if !adds {
            return None;
        }
        let operands = self.operands(at + 1)?;
        let of_register = addition.op1_kind() == OpKind::Register;
        let (other, other_name) = match () {
            () if of_register && target == term.register => (added, operands[1]),
            () if of_register && added == term.register => (target, operands[0]),
            // A register and a number, or a multiple and a number.
            () if target == term.register && is_number(addition.op1_kind()) && is_literal(operands[1]) => {
                let several = term.scaled || term.registers.len() > 1;
                let sign = if operands[1].starts_with('-') { "" } else { "+" };
                let text = format!("lea {},[{}{sign}{}]", operands[0], term.text, operands[1]);
                return several.then_some((Rule::AddedSums, text));
            }
            () => return None,
        };
        if other == term.register || other == Register::ESP || term.registers.len() > 1 {
            return None;
        }
        // Where the sum is another register, what the shift makes is not needed.
        let dead = target == term.register || self.parts_are_dead(at + 1, RegisterParts::of(term.register));
        let rule = if term.scaled {
            Rule::ShiftAndAdd
        } else {
            Rule::AddedSums
        };
        dead.then(|| (rule, format!("lea {},[{other_name}+{}]", operands[0], term.text)))
    }

    /// What changes a register, and the access by it that comes next, as one access.
    pub(super) fn in_address(&self, at: usize) -> Option<String> {
        let term = self.term(at)?;
        let access = self.instruction(at + 1)?;
        let (base, index) = (access.memory_base(), access.memory_index());
        let other = address_beside(access, term.register)?;
        let no_segment = |register: &Register| ![Register::EBP, Register::ESP].contains(register);
        let all = term.registers.iter().chain([&term.register, &other]);
        let fits = match term.registers.len() {
            0 => true,
            1 if term.scaled => other == Register::None || access.memory_index_scale() == 1,
            1 => true,
            2 => other == Register::None,
            _ => false,
        };
        let once = (base == term.register) != (index == term.register);
        let unscaled = base == term.register || access.memory_index_scale() == 1;
        let parts = RegisterParts::of(term.register);
        let unread = overwrites(access, term.register) || self.parts_are_dead(at + 1, parts);
        let flags = if term.flags {
            STATUS & !access.rflags_modified()
        } else {
            0
        };
        let flags_unread = !term.flags || access.rflags_read() & STATUS == 0 && self.flags_are_dead(at + 1, flags);
        if !fits || !once || !unscaled || !unread || !flags_unread || !all.clone().all(no_segment) {
            return None;
        }
        let text = self.text(at + 1)?;
        let (begin, end) = (text.find('[')?, text.rfind(']')?);
        let inner = text.get(begin + 1..end)?;
        // A second pair of brackets, or a product, is spelled in too many ways.
        if inner.contains(['[', ']', '*', '(', '\'', '"']) && (term.scaled || inner.contains(['[', '(', '\'', '"'])) {
            return None;
        }
        let new = renamed(inner, &term.name, &term.text);
        (new != inner).then(|| format!("{}[{new}{}", &text[..begin], &text[end..]))
    }

    /// What the instruction makes of a register, if an address can express it.
    fn term(&self, at: usize) -> Option<Term> {
        let instruction = self.instruction(at)?;
        let register = instruction.op0_register();
        if instruction.op0_kind() != OpKind::Register || !register.is_gpr32() || register == Register::ESP {
            return None;
        }
        let operands = self.operands(at)?;
        let name = operands[0].to_owned();
        let literal = || {
            let text = operands.get(1).copied().unwrap_or_default().trim();
            (is_number(instruction.op1_kind()) && is_literal(text)).then_some(text)
        };
        let term = |text: String, registers: Vec<Register>, scaled: bool, flags: bool| Term {
            register,
            name: name.clone(),
            text,
            registers,
            scaled,
            flags,
        };
        let own = || vec![register];
        Some(match instruction.mnemonic() {
            Mnemonic::Shl | Mnemonic::Sal => {
                literal()?;
                let twos = Some(instruction.immediate(1)).filter(|twos| (1..=3).contains(twos))?;
                term(format!("{name}*{}", 1 << twos), own(), true, true)
            }
            Mnemonic::Add if instruction.op1_kind() == OpKind::Register => {
                let added = instruction.op1_register();
                let other = added.is_gpr32() && added != register && added != Register::ESP;
                other.then(|| term(format!("{name}+{}", operands[1]), vec![register, added], false, true))?
            }
            Mnemonic::Add => match literal()? {
                number if number.starts_with('-') => term(format!("{name}{number}"), own(), false, true),
                number => term(format!("{name}+{number}"), own(), false, true),
            },
            Mnemonic::Sub => {
                let number = literal().filter(|number| !number.starts_with('-'))?;
                term(format!("{name}-{number}"), own(), false, true)
            }
            Mnemonic::Lea => {
                let text = operands[1].trim();
                let inner = text.strip_prefix('[')?.strip_suffix(']')?;
                let registers = [instruction.memory_base(), instruction.memory_index()];
                let registers: Vec<Register> = registers.into_iter().filter(|&one| one != Register::None).collect();
                let plain = !inner.contains(['[', ']', ':']) && registers.iter().all(|one| one.is_gpr32());
                let scaled = instruction.memory_index_scale() > 1;
                (plain && !registers.is_empty()).then(|| term(inner.trim().to_owned(), registers, scaled, false))?
            }
            _ => return None,
        })
    }
}

/// The other register of the only address of an access, or none, if the access uses `register` for its address alone,
/// or loads it.
fn address_beside(access: &Instruction, register: Register) -> Option<Register> {
    let operands = || 0..access.op_count();
    let memory = operands()
        .filter(|&which| access.op_kind(which) == OpKind::Memory)
        .count()
        == 1;
    let plain = operands().all(|which| {
        let kind = access.op_kind(which);
        matches!(kind, OpKind::Memory | OpKind::Register) || is_number(kind)
    });
    let other_use = access.is_stack_instruction() || access.has_lock_prefix() || access.has_rep_prefix();
    if !memory || !plain || other_use || access.flow_control() != FlowControl::Next {
        return None;
    }
    let parts = RegisterParts::of(register);
    let named = operands().any(|which| {
        let loads = which == 0 && overwrites(access, register);
        let of_register = access.op_kind(which) == OpKind::Register;
        of_register && !loads && RegisterParts::of(access.op_register(which)).meets(parts)
    });
    // Registers that are not named, as in DIV.
    let mut bare = *access;
    bare.set_memory_base(Register::None);
    bare.set_memory_index(Register::None);
    let implied = !overwrites(access, register) && used(&bare, false).meets(parts);
    let other = match (access.memory_base(), access.memory_index()) {
        (base, index) if base == register => index,
        (base, index) if index == register => base,
        _ => return None,
    };
    (!named && !implied).then_some(other)
}
