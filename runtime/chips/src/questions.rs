//! The open questions that concern an instruction, determined once when it is decoded.
//!
//! Modelled: the instructions that the answers to a question concern. Not modelled: whether an answer makes a
//! difference, which only runs show.

use super::change::{Change, Executed, is_near_page_end};
use super::{ASSUMPTIONS, Assumption, Model, Row};
use iced_x86::Mnemonic;

/// A set of questions: a bit for each of [`ASSUMPTIONS`], in their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Questions(u32);

// Each assumption has a bit.
const _: () = assert!(ASSUMPTIONS.len() <= u32::BITS as usize);

impl Questions {
    /// The questions for which `concern` is true.
    fn chosen(concern: impl Fn(&Assumption) -> bool) -> Questions {
        let all = ASSUMPTIONS.iter().enumerate();
        let bits = all.filter(|(_, assumption)| concern(assumption));
        Questions(bits.fold(0, |set, (bit, _)| set | 1 << bit))
    }

    /// The questions with an answer that concerns an instruction of a chip.
    fn concerning(executed: &Executed, model: &'static Model) -> Questions {
        Questions::chosen(|assumption| concerns(assumption, executed, model))
    }

    /// Those of these questions with an answer that concerns an instruction of a chip.
    fn that_concern(self, executed: &Executed, model: &'static Model) -> Questions {
        let bits = (0..ASSUMPTIONS.len()).filter(|&bit| self.0 >> bit & 1 == 1);
        let concern = bits.filter(|&bit| concerns(&ASSUMPTIONS[bit], executed, model));
        Questions(concern.fold(0, |set, bit| set | 1 << bit))
    }

    /// The questions with an answer that concerns the instruction of `length` bytes at `address` because of its place.
    pub fn of_place(address: u32, length: u32) -> Questions {
        if !is_near_page_end(address, length) {
            return Questions::default();
        }
        Questions::chosen(|assumption| assumption.changes().any(Change::concerns_page_ends))
    }

    /// Adds the questions in `others`.
    #[inline(always)]
    pub fn add(&mut self, others: Questions) {
        self.0 |= others.0;
    }

    /// The questions, in the order of [`ASSUMPTIONS`].
    pub fn list(self) -> impl Iterator<Item = &'static Assumption> {
        let all = ASSUMPTIONS.iter().enumerate();
        all.filter(move |(bit, _)| self.0 >> bit & 1 == 1)
            .map(|(_, assumption)| assumption)
    }
}

fn concerns(assumption: &Assumption, executed: &Executed, model: &'static Model) -> bool {
    assumption.changes().any(|change| change.concerns(executed, model))
}

/// The knowledge about the questions that concern a mnemonic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Nothing yet.
    Nothing,
    /// The mnemonic itself does not matter: the same questions concern it as any mnemonic with the same other
    /// properties.
    AsOfAny,
    /// Some questions may concern it by name: of those in the set, each instruction is examined.
    OwnOnes(Questions),
}

/// The questions that concern the instructions of a chip. For most mnemonics only the other properties of an
/// instruction matter.
pub struct QuestionTable {
    model: &'static Model,
    // For any mnemonic: one bit each for a prefix, a branch, a repeat and microcode.
    usual: [Questions; FLAGS],
    known: Vec<Known>,
}

impl QuestionTable {
    /// The table for a chip.
    pub fn new(model: &'static Model) -> QuestionTable {
        let mut usual = [Questions::default(); FLAGS];
        for (flags, questions) in usual.iter_mut().enumerate() {
            *questions = Questions::concerning(&like_any(Mnemonic::INVALID, flags, &|_| false), model);
        }
        QuestionTable {
            model,
            usual,
            known: vec![Known::Nothing; Mnemonic::values().len()],
        }
    }

    /// The open questions whose answers concern an instruction.
    pub fn of(&mut self, executed: &Executed) -> Questions {
        let known = &mut self.known[executed.mnemonic as usize];
        if *known == Known::Nothing {
            // The questions that concern it in all circumstances, and no other instruction.
            let most = Questions::concerning(&like_any(executed.mnemonic, FLAGS - 1, &|_| true), self.model);
            *known = if most == self.usual[FLAGS - 1] {
                Known::AsOfAny
            } else {
                // Those of any instruction need no examination.
                Known::OwnOnes(Questions(most.0 & !self.usual[0].0))
            };
        }
        match *known {
            Known::OwnOnes(own) => {
                let mut questions = self.usual[0];
                questions.add(own.that_concern(executed, self.model));
                questions
            }
            _ => self.usual[flags(executed)],
        }
    }
}

/// The number of combinations of an instruction's properties.
const FLAGS: usize = 1 << 4;

fn flags(executed: &Executed) -> usize {
    let each = [
        executed.prefixed,
        executed.branch,
        executed.repeated,
        executed.microcode,
    ];
    each.iter().rev().fold(0, |flags, &flag| flags << 1 | usize::from(flag))
}

/// An instruction with these flags.
fn like_any<'a>(mnemonic: Mnemonic, flags: usize, fits: &'a dyn Fn(&Row) -> bool) -> Executed<'a> {
    Executed {
        mnemonic,
        prefixed: flags & 1 != 0,
        branch: flags & 2 != 0,
        repeated: flags & 4 != 0,
        microcode: flags & 8 != 0,
        fits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MODELS;

    #[test]
    fn the_table_says_what_the_changes_say() {
        for model in MODELS {
            let mut table = QuestionTable::new(model);
            for mnemonic in Mnemonic::values() {
                for flags in 0..FLAGS {
                    for fits in [false, true] {
                        let fits = |_: &Row| fits;
                        let executed = like_any(mnemonic, flags, &fits);
                        let expected = Questions::concerning(&executed, model);
                        assert_eq!(table.of(&executed), expected, "{mnemonic:?} on {}", model.name);
                    }
                }
            }
        }
        let mut all = Questions::default();
        all.add(Questions(u32::MAX));
        assert_eq!(all.list().count(), ASSUMPTIONS.len());
    }
}
