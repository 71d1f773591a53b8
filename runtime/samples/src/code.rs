//! The stalls that follow from the code of a program, as DCPI's `dcpicalc` reads it from the program's file.
//!
//! The packets of samples do not show address interlocks, slow instructions, prefixes and waits for the floating-point
//! unit or for a write buffer. These follow from the code, by the timing of the recording's chip: `walk` replays it
//! under the events that the packets show. Not inferred: waits for an interrupt, and transfers out of the code segment.

use super::Analysis;
use super::walk::{Code, charges};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use p5_advice::{Charged, Passes, target};
use p5_chips::{self as model, MEMORY_PRESETS, MemoryPreset, Model, Resolved};
use p5_record::{Sample, SampleKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instructions that are replayed.
const MOST_INSTRUCTIONS: usize = 1 << 16;

/// The most instructions that are examined, if there are more bytes of code than are replayed.
const MOST_DECODED: usize = 1 << 20;

/// The greatest distance in bytes from a sampled instruction at which code is replayed, if there is more.
const NEAR: u32 = 64;

/// The facts that follow from the code of a program.
#[derive(Debug, Default)]
pub(super) struct CodeFacts {
    /// The costs of each instruction for which they are known.
    pub(super) charges: FxHashMap<u32, Charged>,
    /// Where the pipeline resolves near branches, the only ones that it predicts, by their addresses.
    pub(super) branches: FxHashMap<u32, Resolved>,
    /// The addresses of far transfers, software interrupts and HLT, for which nothing is inferred.
    pub(super) transfers: FxHashSet<u32>,
}

struct Decoded<'a> {
    /// The instructions with their bytes, in ascending address order.
    instructions: Vec<(Instruction, &'a [u8])>,
    /// The addresses at which straight code begins.
    leaders: FxHashSet<u32>,
}

impl Analysis {
    /// The facts of the program's code; empty if the chip is not known.
    pub(super) fn code_facts(&self) -> CodeFacts {
        let mut facts = CodeFacts::default();
        let (Some(model), Some(memory)) = (self.model(), self.memory()) else {
            return facts;
        };
        let Decoded {
            instructions: decoded,
            leaders,
        } = self.decoded();
        let mut replayed = Vec::new();
        let mut before: FxHashMap<u32, u32> = FxHashMap::default();
        for (instruction, bytes) in &decoded {
            let address = instruction.ip32();
            before.insert(instruction.next_ip32(), address);
            if !is_plain(instruction) {
                facts.transfers.insert(address);
                continue;
            }
            if replayed.len() < MOST_INSTRUCTIONS {
                replayed.push((instruction, *bytes));
            }
        }
        let passes = || {
            let mut passes = Passes::new(model, memory, self.machine.cpl);
            for (instruction, bytes) in &replayed {
                passes.add(instruction, bytes);
            }
            passes
        };
        facts.charges = charges(self, model, Code { leaders, before }, &passes);
        for (instruction, _) in decoded.iter().filter(|(instruction, _)| is_plain(instruction)) {
            let (flow, address) = (instruction.flow_control(), instruction.ip32());
            if flow != FlowControl::Next {
                let mostly_in_v = facts
                    .charges
                    .get(&address)
                    .is_some_and(|charged| charged.beside.is_some());
                let conditional = flow == FlowControl::ConditionalBranch;
                let resolved = Resolved::of(conditional, target(instruction).is_some(), mostly_in_v);
                facts.branches.insert(address, resolved);
            }
        }
        facts
    }

    /// The chip under the chosen answers; none if this version does not know it, one of the answers, or the memory.
    pub(super) fn model(&self) -> Option<&'static Model> {
        self.memory()?;
        let chosen = self.machine.assumed.iter();
        let chosen = chosen.map(|(name, value)| model::choice(&format!("{name}={value}")).ok());
        let chosen: Vec<_> = chosen.collect::<Option<_>>()?;
        Some(model::by_name(&self.machine.chip)?.assuming(&chosen))
    }

    /// The memory behind the first level caches; none if this version does not know it.
    pub(super) fn memory(&self) -> Option<&'static MemoryPreset> {
        MEMORY_PRESETS.iter().find(|preset| preset.name == self.machine.memory)
    }

    /// Whether an address is near a sampled one; unless some are to be `chosen`, every one is.
    fn near(&self, chosen: bool) -> impl FnMut(u32) -> bool + use<> {
        let addresses = self.samples.iter().filter_map(Sample::address);
        let places: FxHashSet<u32> = match chosen {
            true => addresses.map(|address| address / NEAR).collect(),
            false => FxHashSet::default(),
        };
        move |address| {
            let place = address / NEAR;
            !chosen || (place.saturating_sub(1)..=place.saturating_add(1)).any(|place| places.contains(&place))
        }
    }

    /// The addresses at which an instruction begins: those of sampled ops and of source lines, ascending.
    fn begun(&self) -> Vec<u32> {
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let sampled = ops.filter_map(Sample::address);
        let mut begun: Vec<u32> = sampled.chain(self.lines.iter().map(|line| line.address)).collect();
        begun.sort_unstable();
        begun.dedup();
        begun
    }

    /// The code as instructions. Of much code, only the part near samples is decoded: the file is not trusted, and each
    /// instruction takes many times its bytes.
    ///
    /// Data between instructions is no code. What does not decode, or reaches across the beginning of an instruction,
    /// is taken for data up to the next such beginning.
    fn decoded(&self) -> Decoded<'_> {
        let begun = self.begun();
        let bytes: usize = self.code.iter().map(|code| code.bytes.len()).sum();
        let mut near = self.near(bytes > MOST_INSTRUCTIONS);
        let mut decoded = Vec::new();
        let mut leaders: FxHashSet<u32> = self.code.iter().map(|code| code.address).collect();
        for code in &self.code {
            let mut decoder = Decoder::with_ip(code.bits, &code.bytes, u64::from(code.address), DecoderOptions::NONE);
            let before = begun.partition_point(|&begins| begins < code.address);
            let mut begun = begun[before..].iter().copied().peekable();
            while decoder.can_decode() {
                let at = decoder.position();
                let instruction = decoder.decode();
                let address = instruction.ip32();
                let mut begins_here = false;
                while let Some(begins) = begun.next_if(|&begins| begins <= address) {
                    begins_here = begins == address;
                }
                let next = begun.peek().map(|&begins| (begins, (begins - code.address) as usize));
                let reaches_across = next.is_some_and(|(_, next)| next < decoder.position());
                if instruction.is_invalid() || reaches_across && !begins_here {
                    let Some((begins, next)) = next else { break };
                    // The next beginning may be in a later piece.
                    if next >= code.bytes.len() || decoder.set_position(next).is_err() {
                        break;
                    }
                    decoder.set_ip(u64::from(begins));
                    if near(begins) {
                        leaders.insert(begins);
                    }
                    continue;
                }
                leaders.extend(target(&instruction).filter(|&address| near(address)));
                if decoded.len() < MOST_DECODED && near(instruction.ip32()) {
                    decoded.push((instruction, &code.bytes[at..decoder.position()]));
                }
            }
        }
        Decoded {
            instructions: decoded,
            leaders,
        }
    }
}

/// Whether an instruction transfers control as a near branch or not at all, and waits for no interrupt.
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
