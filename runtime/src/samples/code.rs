//! What the code of a program says of its stalls, as DCPI's `dcpicalc` reads it from the program's file.
//!
//! The packets of samples do not show address interlocks, slow instructions, prefixes and waits for the floating-point
//! unit. These follow from the code alone, by the timing of the recording's chip, if accesses hit and branches are
//! predicted: each block of straight code is timed by itself, a loop over one block as a loop. Not inferred: what
//! depends on the block before, what repeats itself or waits for an interrupt, and what leaves the segment of code.

use super::{Recording, Sample};
use crate::advice::{Charged, Dependences, Steady, target};
use crate::model::{self, MEMORY_PRESETS};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use rustc_hash::{FxHashMap, FxHashSet};

/// Instructions one behind the other, with their bytes.
type Block<'a> = Vec<(Instruction, &'a [u8])>;

/// The most instructions of a block; what follows is another block.
const LONGEST: usize = 32;

/// The most blocks that are timed.
const MOST_BLOCKS: usize = 1 << 12;

/// Some code of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledCode {
    /// The linear address of the first byte.
    pub address: u32,
    /// Its bytes: whole instructions.
    pub bytes: Vec<u8>,
}

/// What the code says of the program.
#[derive(Debug, Default)]
pub(super) struct CodeFacts {
    /// What an execution of each instruction costs by its code alone; of those of which it is known.
    pub(super) charges: FxHashMap<u32, Charged>,
    /// The addresses of near branches, which alone the pipeline predicts.
    pub(super) branches: FxHashSet<u32>,
    /// Those of them that are conditional and issue in V, so that WB resolves them.
    pub(super) late: FxHashSet<u32>,
    /// The addresses of far transfers, of software interrupts and of HLT, of which nothing is inferred.
    pub(super) transfers: FxHashSet<u32>,
}

impl Recording {
    /// What the code says of the program; nothing if the chip is not known.
    pub(super) fn code_facts(&self) -> CodeFacts {
        let mut facts = CodeFacts::default();
        let Some(model) = model::by_name(&self.machine.chip) else {
            return facts;
        };
        let memory = MEMORY_PRESETS.iter().find(|preset| preset.name == self.machine.memory);
        let memory = memory.unwrap_or(&MEMORY_PRESETS[0]);
        let sampled: FxHashSet<u32> = self.samples.iter().filter_map(Sample::address).collect();
        let (blocks, transfers) = self.blocks();
        facts.transfers = transfers;
        // A block ends behind its branch.
        let last = blocks.iter().filter_map(|block| block.last());
        let branches = last.filter(|(last, _)| last.flow_control() != FlowControl::Next);
        facts.branches = branches.map(|(branch, _)| branch.ip32()).collect();
        let blocks = blocks.into_iter();
        let seen = blocks.filter(|block| {
            block
                .iter()
                .any(|(instruction, _)| sampled.contains(&instruction.ip32()))
        });
        for block in seen.take(MOST_BLOCKS) {
            let instructions: Vec<Instruction> = block.iter().map(|(instruction, _)| *instruction).collect();
            let dependences = Dependences::of(&instructions, 0);
            let Some(mut steady) = Steady::new(model, memory, &block, &dependences, self.code_bits) else {
                continue;
            };
            for (instruction, charged) in instructions.iter().zip(steady.charged(self.machine.cpl)) {
                if instruction.flow_control() == FlowControl::ConditionalBranch && charged.beside.is_some() {
                    facts.late.insert(instruction.ip32());
                }
                facts.charges.insert(instruction.ip32(), charged);
            }
        }
        facts
    }

    /// The code as straight blocks: none but the last instruction of each is a branch, none but the first the target of
    /// one. A label to which no branch leads ends no block: what is behind it mostly follows what is before it.
    /// Besides, the addresses of what is in no block.
    fn blocks(&self) -> (Vec<Block<'_>>, FxHashSet<u32>) {
        let mut decoded = Vec::new();
        let mut leaders: FxHashSet<u32> = FxHashSet::default();
        for code in &self.code {
            leaders.insert(code.address);
            let mut decoder = Decoder::with_ip(
                self.code_bits,
                &code.bytes,
                u64::from(code.address),
                DecoderOptions::NONE,
            );
            while decoder.can_decode() {
                let at = decoder.position();
                let instruction = decoder.decode();
                if instruction.is_invalid() {
                    break;
                }
                leaders.extend(target(&instruction));
                decoded.push((instruction, &code.bytes[at..decoder.position()]));
            }
        }
        let mut blocks: Vec<Block<'_>> = Vec::new();
        let mut transfers = FxHashSet::default();
        let mut open = false;
        for (instruction, bytes) in decoded {
            if !is_plain(&instruction) {
                transfers.insert(instruction.ip32());
                open = false;
                continue;
            }
            let goes_on = open && !leaders.contains(&instruction.ip32());
            match blocks.last_mut() {
                Some(block) if goes_on && block.len() < LONGEST => block.push((instruction, bytes)),
                _ => blocks.push(vec![(instruction, bytes)]),
            }
            open = instruction.flow_control() == FlowControl::Next;
        }
        (blocks, transfers)
    }
}

/// Whether nothing but near branches transfers control in an instruction, and it waits for no interrupt.
fn is_plain(instruction: &Instruction) -> bool {
    let elsewhere = matches!(
        instruction.flow_control(),
        FlowControl::Interrupt | FlowControl::Exception | FlowControl::XbeginXabortXend
    );
    let leaves = matches!(
        instruction.mnemonic(),
        Mnemonic::Retf | Mnemonic::Iret | Mnemonic::Iretd | Mnemonic::Hlt
    );
    let far = instruction.is_jmp_far() || instruction.is_call_far();
    let far_indirect = instruction.is_jmp_far_indirect() || instruction.is_call_far_indirect();
    !elsewhere && !leaves && !far && !far_indirect
}
