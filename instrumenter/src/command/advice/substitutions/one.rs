//! Instructions that another one or a few simple ones replace, without a further register.

use super::{Block, Rule, STATUS, used};
use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register, RflagsBits};
use runtime::advice::{RegisterParts, is_number};

impl Block<'_> {
    /// The shorter or equally long instruction that replaces the one at `at`, and what is as simple.
    pub(super) fn plain(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let instruction = self.instruction(at)?;
        let (first, second) = (instruction.op0_register(), instruction.op1_register());
        let in_register = instruction.op0_kind() == OpKind::Register && first.is_gpr();
        let literal = || {
            self.operands(at)
                .is_some_and(|operands| operands.get(1).is_some_and(|text| self.is_constant(text)))
        };
        let number = is_number(instruction.op1_kind())
            .then(|| instruction.immediate(1))
            .filter(|_| literal());
        let same = instruction.op1_kind() == OpKind::Register && first == second;
        let dead = |flags| self.flags_are_dead(at, flags);
        if instruction.mnemonic() == Mnemonic::Loop {
            let counter = match instruction.code() {
                Code::Loop_rel8_32_ECX => "ecx",
                Code::Loop_rel8_16_CX => "cx",
                _ => return None,
            };
            let target = self.operands(at)?[0].to_owned();
            let flags = STATUS & !RflagsBits::CF;
            let texts = || vec![format!("dec {counter}"), format!("jnz {target}")];
            return dead(flags).then(|| (Rule::Loop, texts()));
        }
        if !in_register {
            return None;
        }
        let operands = self.operands(at)?;
        let register = operands[0];
        let (rule, text) = match (instruction.mnemonic(), number) {
            (Mnemonic::Mov, Some(0)) if dead(STATUS) => (Rule::Clear, format!("xor {register},{register}")),
            (Mnemonic::Cmp, Some(0)) if dead(RflagsBits::AF) => (Rule::Test, format!("test {register},{register}")),
            (Mnemonic::Or | Mnemonic::And, None) if same => (Rule::Test, format!("test {register},{register}")),
            (Mnemonic::Shl | Mnemonic::Sal, Some(1)) if dead(RflagsBits::AF) => {
                (Rule::Double, format!("add {register},{register}"))
            }
            (Mnemonic::Add, Some(1)) if dead(RflagsBits::CF) => (Rule::Step, format!("inc {register}")),
            (Mnemonic::Sub, Some(1)) if dead(RflagsBits::CF) => (Rule::Step, format!("dec {register}")),
            (Mnemonic::Inc, _) if dead(RflagsBits::CF) => (Rule::Step, format!("add {register},1")),
            (Mnemonic::Dec, _) if dead(RflagsBits::CF) => (Rule::Step, format!("sub {register},1")),
            (Mnemonic::Not, _) if dead(STATUS) => (Rule::Complement, format!("xor {register},-1")),
            (Mnemonic::Lea, _) if is_step(instruction) && dead(STATUS) => {
                let (sign, number) = self.number_step(operands[1])?;
                let name = if sign == '-' { "sub" } else { "add" };
                (Rule::AddNumber, format!("{name} {register},{number}"))
            }
            (Mnemonic::Movzx, _) if dead(STATUS) => {
                let size = match instruction.op1_kind() {
                    OpKind::Memory => instruction.memory_size().size(),
                    _ => second.size(),
                };
                if used(instruction, true).meets(RegisterParts::of(first)) {
                    return None;
                }
                let part = low_part(first, size)?;
                let clear = format!("xor {register},{register}");
                let texts = vec![clear, format!("mov {part},{}", operands[1])];
                return Some((Rule::Extend, texts));
            }
            _ => return None,
        };
        Some((rule, vec![text]))
    }

    /// The simple instructions that replace one of microcode at `at`, or an addition that waits for its address.
    pub(super) fn longer(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let instruction = self.instruction(at)?;
        let dead = |flags| self.flags_are_dead(at, flags);
        let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        match instruction.code() {
            Code::Cdq if dead(STATUS) => Some((Rule::Sign, texts(&["mov edx,eax", "sar edx,31"]))),
            Code::Leaved => Some((Rule::Leave, texts(&["mov esp,ebp", "pop ebp"]))),
            Code::Enterd_imm16_imm8 if instruction.immediate8_2nd() == 0 && dead(STATUS) => {
                let size = *self.operands(at)?.first()?;
                let frame: Vec<String> = texts(&["push ebp", "mov ebp,esp"]);
                let locals = (instruction.immediate16() > 0).then(|| format!("sub esp,{size}"));
                self.is_one_number(size)
                    .then(|| (Rule::Enter, frame.into_iter().chain(locals).collect()))
            }
            Code::Jecxz_rel8_32 if dead(STATUS) => {
                let label = *self.operands(at)?.first()?;
                Some((Rule::JumpOnZero, vec!["test ecx,ecx".to_owned(), format!("jz {label}")]))
            }
            Code::Lea_r32_m if dead(STATUS) => Some((Rule::AddRegister, self.additions(at)?)),
            Code::Test_rm32_imm32 | Code::Test_rm8_imm8 => {
                let register = instruction.op0_register();
                let destroyed = register.is_gpr() && self.parts_are_dead(at, RegisterParts::of(register));
                let operands = self.operands(at)?;
                destroyed.then(|| (Rule::TestNumber, vec![format!("and {},{}", operands[0], operands[1])]))
            }
            _ => None,
        }
    }

    /// The additions that replace a LEA whose target is one of two registers that it adds.
    fn additions(&self, at: usize) -> Option<Vec<String>> {
        let instruction = self.instruction(at)?;
        let target = instruction.op0_register();
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let other = match () {
            () if base == target => index,
            () if index == target => base,
            () => return None,
        };
        if instruction.memory_index_scale() != 1 || !other.is_gpr32() || other == target {
            return None;
        }
        let operands = self.operands(at)?;
        let inner = operands[1].trim().strip_prefix('[')?.strip_suffix(']')?;
        let is_register = |text: &str| {
            [target, other]
                .iter()
                .any(|register| text.eq_ignore_ascii_case(&format!("{register:?}")))
        };
        let parts: Vec<&str> = inner.split('+').map(str::trim).collect();
        let numbers: Vec<&str> = parts.iter().copied().filter(|part| !is_register(part)).collect();
        let second = parts
            .iter()
            .find(|part| is_register(part) && !part.eq_ignore_ascii_case(operands[0]))?;
        let last = format!("add {},{second}", operands[0]);
        match numbers[..] {
            [] if parts.len() == 2 => Some(vec![last]),
            [number] if parts.len() == 3 && self.is_one_number(number) && !number.contains('-') => {
                Some(vec![format!("add {},{number}", operands[0]), last])
            }
            _ => None,
        }
    }

    /// The sign and the number of a memory operand that is a register and a number, as in `[esi+4]`.
    fn number_step<'a>(&self, text: &'a str) -> Option<(char, &'a str)> {
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
        let at = inner.find(['+', '-'])?;
        let (sign, number) = (inner[at..].chars().next()?, inner[at + 1..].trim());
        (self.is_one_number(number) && !number.contains('-')).then_some((sign, number))
    }
}

/// Whether it is a LEA that adds a constant to a register.
fn is_step(instruction: &Instruction) -> bool {
    let register = instruction.op0_register();
    register.is_gpr32()
        && instruction.memory_base() == register
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement32() != 0
}

/// The name of the lowest byte or word of a 32-bit register; not every register has such a byte.
fn low_part(register: Register, bytes: usize) -> Option<&'static str> {
    let (byte, word) = match register {
        Register::EAX => (Some("al"), "ax"),
        Register::ECX => (Some("cl"), "cx"),
        Register::EDX => (Some("dl"), "dx"),
        Register::EBX => (Some("bl"), "bx"),
        Register::ESI => (None, "si"),
        Register::EDI => (None, "di"),
        Register::EBP => (None, "bp"),
        _ => return None,
    };
    match bytes {
        1 => byte,
        2 => Some(word),
        _ => None,
    }
}
