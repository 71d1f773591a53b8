//! Products with a constant as additions and shifts.

use super::{Block, Rule, STATUS, split};
use iced_x86::{Code, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use runtime::advice::{RegisterParts, is_number};

impl Block<'_> {
    /// A multiplication by a constant as LEA, shifts and additions.
    pub(super) fn product(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let instruction = self.instruction(at)?;
        if !self.flags_are_dead(at, STATUS) {
            return None;
        }
        if matches!(instruction.code(), Code::Mul_rm32 | Code::Imul_rm32) {
            // The high half of the product has no replacement.
            let high = RegisterParts::of(Register::EDX);
            let factor = self.constant(at, instruction.op0_register())?;
            return self.parts_are_dead(at, high).then(|| in_place("eax", factor))?;
        }
        let target = instruction.op0_register();
        let count = instruction.op_count();
        if instruction.mnemonic() != Mnemonic::Imul || !target.is_gpr32() || !matches!(count, 2 | 3) {
            return None;
        }
        // `imul r,n` is encoded with its register as both operands.
        let from = instruction.op1_register();
        let written = self.text(at)?.split_once([' ', '\t'])?.1;
        let parts = split(written);
        let (own, source, number) = match parts[..] {
            [own, number] => (own, own, number),
            [own, from, number] => (own, from, number),
            _ => return None,
        };
        let last = count - 1;
        if !is_number(instruction.op_kind(last)) || !self.is_constant(number) || from == Register::ESP {
            return None;
        }
        let factor = instruction.immediate(last) as u32;
        if instruction.op1_kind() == OpKind::Memory {
            let (_, steps) = in_place(own, factor)?;
            let load = format!("mov {own},{source}");
            return Some((Rule::MultiplyBySteps, [&[load], &steps[..]].concat()));
        }
        if from == target {
            in_place(own, factor)
        } else {
            from_another(own, source, factor)
        }
    }

    /// The number in a 32-bit register before `at`, if an instruction of the block sets it.
    fn constant(&self, at: usize, register: Register) -> Option<u32> {
        let parts = RegisterParts::of(register);
        let mut factory = InstructionInfoFactory::new();
        let setter = (0..at).rev().find(|&before| {
            let info = factory.info(&self.slots[before].instruction);
            let mut used = info.used_registers().iter();
            used.any(|used| {
                !matches!(used.access(), OpAccess::Read | OpAccess::CondRead)
                    && RegisterParts::of(used.register()).meets(parts)
            })
        })?;
        let setter_of = self.instruction(setter)?;
        let sets = setter_of.mnemonic() == Mnemonic::Mov
            && setter_of.op0_register() == register
            && is_number(setter_of.op1_kind())
            && self.is_constant(self.operands(setter)?[1]);
        (register.is_gpr32() && sets).then(|| setter_of.immediate(1) as u32)
    }
}

/// The number without its factors of two, and how many it had.
fn odd(factor: u32) -> (u32, u32) {
    let twos = factor.trailing_zeros() % 32;
    (factor >> twos, twos)
}

fn shift(own: &str, twos: u32) -> Option<String> {
    (twos > 0).then(|| format!("shl {own},{twos}"))
}

/// `own` multiplied without another register.
fn in_place(own: &str, factor: u32) -> Option<(Rule, Vec<String>)> {
    let (rest, twos) = odd(factor);
    let address = |factor: u32| format!("lea {own},[{own}+{own}*{}]", factor - 1);
    let steps: Vec<String> = match rest {
        1 if twos > 0 => return Some((Rule::MultiplyByShift, vec![format!("shl {own},{twos}")])),
        3 | 5 | 9 if twos == 0 => return Some((Rule::MultiplyByAddress, vec![address(rest)])),
        3 | 5 | 9 => vec![address(rest)],
        _ => {
            let one = [3, 5, 9]
                .into_iter()
                .find(|one| rest % one == 0 && matches!(rest / one, 3 | 5 | 9))?;
            vec![address(one), address(rest / one)]
        }
    };
    Some((
        Rule::MultiplyBySteps,
        steps.into_iter().chain(shift(own, twos)).collect(),
    ))
}

/// `from` multiplied, with the product in the other register `own`.
fn from_another(own: &str, from: &str, factor: u32) -> Option<(Rule, Vec<String>)> {
    let (rest, twos) = odd(factor);
    let address = |text| Some((Rule::MultiplyByAddress, vec![text]));
    let scaled = |factor: u32| format!("lea {own},[{from}+{from}*{}]", factor - 1);
    let copy = || format!("mov {own},{from}");
    let steps = match rest {
        1 if twos == 1 => return address(format!("lea {own},[{from}+{from}]")),
        1 if matches!(twos, 2 | 3) => return address(format!("lea {own},[{from}*{factor}]")),
        1 if twos > 0 => vec![copy()],
        3 | 5 | 9 if twos == 0 => return address(scaled(rest)),
        3 | 5 | 9 => vec![scaled(rest)],
        _ if rest > 1 && (rest - 1).is_power_of_two() => {
            let by = (rest - 1).trailing_zeros();
            vec![copy(), format!("shl {own},{by}"), format!("add {own},{from}")]
        }
        _ if rest > 1 && rest.wrapping_add(1).is_power_of_two() => {
            let by = (rest + 1).trailing_zeros();
            vec![copy(), format!("shl {own},{by}"), format!("sub {own},{from}")]
        }
        _ => {
            let (_, steps) = in_place(own, rest)?;
            [&[copy()], &steps[..]].concat()
        }
    };
    Some((
        Rule::MultiplyBySteps,
        steps.into_iter().chain(shift(own, twos)).collect(),
    ))
}
