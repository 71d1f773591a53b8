//! Uses of a copy of a register: the register itself does not have to be waited for.

use super::{Block, Rule, Substitution, used, written};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use runtime::advice::RegisterParts;

/// The most instructions between a copy and its use.
const MOST_BETWEEN: usize = 3;

impl Block<'_> {
    /// The first use of a copy of a register as a use of the register; and the same without the copy, if nothing else
    /// uses it.
    pub(super) fn use_of_copy(&self, at: usize) -> Vec<Substitution> {
        self.original_used(at).unwrap_or_default()
    }

    fn original_used(&self, at: usize) -> Option<Vec<Substitution>> {
        let copy = self.instruction(at)?;
        let (target, source) = (copy.op0_register(), copy.op1_register());
        let plain = copy.mnemonic() == Mnemonic::Mov
            && copy.op1_kind() == OpKind::Register
            && target.is_gpr32()
            && source.is_gpr32()
            && target != source
            && ![target, source].contains(&Register::ESP);
        if !plain {
            return None;
        }
        let names = self.operands(at)?;
        let (target_name, source_name) = (names[0].to_owned(), names[1].to_owned());
        let [of_target, of_source] = [target, source].map(RegisterParts::of);
        let last = (at + 1 + MOST_BETWEEN).min(self.slots.len().checked_sub(1)?);
        let place = (at + 1..=last).find(|&place| {
            let one = &self.slots[place].instruction;
            let changes = written(one).meets(of_source);
            used(one, false).meets(of_target) || changes || one.flow_control() != FlowControl::Next
        })?;
        let reads = self.instruction(place)?;
        let overwrites = overwrites(reads, target);
        if !reads_by_name(reads, target) || (written(reads).meets(of_target) && !overwrites) {
            return None;
        }
        // EBP as a base has another segment.
        let addresses = [reads.memory_base(), reads.memory_index()].contains(&target);
        if addresses && [target, source].contains(&Register::EBP) {
            return None;
        }
        let operands = self.operands(place)?;
        let replaced: Vec<String> = operands
            .iter()
            .enumerate()
            .map(|(which, text)| match which == 0 && overwrites {
                true => (*text).to_owned(),
                false => renamed(text, &target_name, &source_name),
            })
            .collect();
        let (mnemonic, _) = self.text(place)?.split_once([' ', '\t'])?;
        let new = format!("{mnemonic} {}", replaced.join(","));
        let between = (at + 1..place).map(|slot| self.texts[slot].to_string());
        let texts: Vec<String> = std::iter::once(self.texts[at].to_string())
            .chain(between)
            .chain([new.clone()])
            .collect();
        let mut found = vec![Substitution {
            rule: Rule::UseOfCopy,
            slots: at..place + 1,
            from: (0..texts.len()).collect(),
            told: None,
            texts,
        }];
        if place == at + 1 && (overwrites || self.parts_are_dead(place, of_target)) {
            found.push(Substitution {
                rule: Rule::UseOfCopy,
                slots: at..place + 1,
                from: Vec::new(),
                told: None,
                texts: vec![new],
            });
        }
        Some(found)
    }
}

/// Whether an instruction replaces all of a 32-bit register by what it reads.
pub(super) fn overwrites(instruction: &Instruction, register: Register) -> bool {
    use Mnemonic::{Lea, Mov, Movsx, Movzx};
    let loads = matches!(instruction.mnemonic(), Mov | Movzx | Movsx | Lea);
    loads && instruction.op0_kind() == OpKind::Register && instruction.op0_register() == register
}

/// Whether an instruction reads a 32-bit register, and only where its text has the name of it.
fn reads_by_name(instruction: &Instruction, register: Register) -> bool {
    use Mnemonic::{Adc, Add, And, Cmp, Imul, Lea, Mov, Movsx, Movzx, Or, Sbb, Sub, Test, Xor};
    let known = match instruction.mnemonic() {
        Adc | Add | And | Cmp | Lea | Mov | Movsx | Movzx | Or | Sbb | Sub | Test | Xor => true,
        Imul => instruction.op_count() > 1,
        _ => false,
    };
    let parts = RegisterParts::of(register);
    let other_part = (0..instruction.op_count()).any(|which| {
        let named = instruction.op_register(which);
        let register_kind = instruction.op_kind(which) == OpKind::Register;
        register_kind && named != register && RegisterParts::of(named).meets(parts)
    });
    known && !other_part && !instruction.has_lock_prefix() && used(instruction, true).meets(parts)
}

/// A text with the name of a register in place of another one.
pub(super) fn renamed(text: &str, name: &str, new: &str) -> String {
    let mut found = String::new();
    let mut rest = text;
    let is_word = |letter: char| letter.is_alphanumeric() || "_@?$.".contains(letter);
    while let Some(at) = rest.find(is_word) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|letter| !is_word(letter)).unwrap_or(from.len());
        let (word, after) = from.split_at(end);
        found += before;
        found += if word.eq_ignore_ascii_case(name) { new } else { word };
        rest = after;
    }
    found + rest
}
