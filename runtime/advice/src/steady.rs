//! The clocks of straight code in a steady state: all accesses hit, branches are predicted, the code has run before.
//!
//! The pipeline of the model replays the code over and over. Stand-ins replace addresses that depend on registers, so
//! data cache banks and alignment are guesses, and a changed program must be run again. A repeated string instruction
//! counts as one of one element of four bytes in every order, whatever its count would be.

use super::{Banks, Dependences, target};
use iced_x86::Instruction;
use p5_chips::{Geometry, MemoryPreset, Model};
use p5_results::Refusal;
use p5_timing::block::{Classifier, Op};
use p5_timing::pipeline::Pipeline;
use p5_words::facts::{Circumstances, FACT_CAPACITY, Facts};
use p5_words::mode::Mode;

/// The replays in which lines are fetched and the branch gets its entry.
const COLD: usize = 4;
/// The replays after them; the last one is measured.
const WARM: usize = 4;
/// The replays of a part of the code, which is only compared with other parts; the last one is measured.
const PART: usize = 2;
/// The instructions before each of two further entries. A short loop that is mispredicted when it is entered remains
/// mispredicted until it is left, and this depends on the number of groups that issue before it. The better entry
/// counts.
const APART: [usize; 2] = [4, 5];
/// The number of orders after which a new pipeline begins, because each order leaves schedules in the pipeline.
const PER_PIPELINE: usize = 512;
/// The instruction that reads the stand-ins for lines of data: mov eax,[0].
const LOAD: [u8; 5] = [0xA1, 0, 0, 0, 0];

/// The number of elements of a repeated string instruction.
const ELEMENTS: u32 = 1;
/// The size of an element in bytes.
const ELEMENT_SIZE: u32 = 4;

/// Straight code, with the facts that its time depends on.
pub struct Steady {
    model: &'static Model,
    memory: &'static MemoryPreset,
    ops: Vec<Op>,
    // The fact words of each instruction.
    words: Vec<Vec<u32>>,
    // The words among them that are addresses.
    addresses: Vec<u32>,
    load: Op,
    start: u32,
    // Whether the last branch leads back to the beginning.
    repeats: bool,
    pipeline: Pipeline,
    facts: Facts,
    uses: usize,
}

impl Steady {
    /// The code of `instructions`, one after the other; the last one may be a branch. It is code of this many bits,
    /// with its pointers in these banks. `None` if the chip has no timing for one of them, or if the number of accesses
    /// of one is not known.
    pub fn new(
        model: &'static Model,
        memory: &'static MemoryPreset,
        code: &[(Instruction, &[u8])],
        dependences: &Dependences,
        (bits, banks): (u32, Banks),
    ) -> Option<Steady> {
        let mode = Mode {
            wide_code: bits == 32,
            wide_stack: bits == 32,
            ..Mode::FLAT
        };
        let mut classifier = Classifier::new(model);
        let mut classified = |bytes: &[u8], address: u32| {
            let mut decoder = model.isa.decoder(bits, bytes, address);
            let instruction = decoder.decode();
            let offsets = decoder.get_constant_offsets(&instruction);
            classifier.classify(&instruction, &offsets, bytes, &mode)
        };
        let load = classified(&LOAD, 0)?;
        let mut ops = Vec::with_capacity(code.len());
        let mut words = Vec::with_capacity(code.len());
        let mut addresses = Vec::new();
        for (index, (instruction, bytes)) in code.iter().enumerate() {
            let op = classified(bytes, instruction.ip32())?;
            let (of_addresses, others) = fact_words(&op, dependences, index, (&model.geometry, banks));
            addresses.extend_from_slice(&of_addresses);
            words.push([of_addresses, others].concat());
            ops.push(op);
        }
        if words.iter().map(Vec::len).sum::<usize>() > FACT_CAPACITY {
            return None;
        }
        let start = code.first()?.0.ip32();
        let (last, _) = code.last()?;
        let repeats = target(last) == Some(start) && last.ip32() != start;
        Some(Steady {
            model,
            memory,
            ops,
            words,
            addresses,
            load,
            start,
            repeats,
            pipeline: Pipeline::new(model, memory),
            facts: Facts::default(),
            uses: PER_PIPELINE,
        })
    }

    /// The clocks of one round of the code in this order; those of one pass, if the code does not repeat itself, or if
    /// these are only some of its instructions. A loop so short that its branch is predicted too late after some
    /// entries takes more clocks after them.
    pub fn clocks(&mut self, order: &[usize]) -> u64 {
        if self.uses >= PER_PIPELINE {
            self.uses = 0;
            self.pipeline = Pipeline::new(self.model, self.memory);
            self.read_data();
        }
        self.uses += 1;
        let mut ops = Vec::with_capacity(order.len());
        let mut address = self.start;
        for &index in order {
            let op = &self.ops[index];
            ops.push(if op.address == address {
                op.clone()
            } else {
                op.at(address)
            });
            address = address.wrapping_add(u32::from(op.length));
        }
        let repeats = self.repeats && order.len() == self.ops.len();
        let mut block = self.pipeline.add_block(&mut ops);
        let mut rounds = |steady: &mut Steady, count: usize| {
            steady.set_facts(order, address, repeats);
            let mut took = 0;
            for _ in 0..count {
                let before = steady.pipeline.end();
                steady.pipeline.replay(&mut block, &steady.facts, order.len());
                if !repeats {
                    steady.pipeline.close_open(Refusal::LastInstruction, &steady.facts);
                }
                took = steady.pipeline.end() - before;
            }
            steady.pipeline.close_open(Refusal::LastInstruction, &steady.facts);
            took
        };
        if order.len() < self.ops.len() {
            return rounds(self, PART);
        }
        rounds(self, COLD);
        let entries = if repeats { &APART[..] } else { &APART[..1] };
        let mut least = u64::MAX;
        for &instructions in entries {
            self.execute_others(instructions);
            least = least.min(rounds(self, WARM));
        }
        least
    }

    fn set_facts(&mut self, order: &[usize], end: u32, repeats: bool) {
        self.facts.clear();
        for &index in order {
            self.words[index].iter().for_each(|&word| self.facts.push(word));
        }
        self.facts.taken = repeats;
        self.facts.next = if repeats { self.start } else { end };
    }

    /// Executes other instructions, after which the code is entered again.
    fn execute_others(&mut self, instructions: usize) {
        let address = self.addresses.first().copied().unwrap_or_default();
        for _ in 0..instructions {
            self.load_from(address);
        }
    }

    fn read_data(&mut self) {
        for place in 0..self.addresses.len() {
            self.load_from(self.addresses[place]);
        }
    }

    fn load_from(&mut self, address: u32) {
        let mut ops = vec![self.load.clone()];
        let mut block = self.pipeline.add_block(&mut ops);
        self.facts.clear();
        self.facts.push(address);
        self.facts.next = self.load.end();
        self.pipeline.replay(&mut block, &self.facts, 1);
        self.pipeline.close_open(Refusal::LastInstruction, &self.facts);
    }
}

/// The fact words of an instruction that are known beforehand: its addresses, and the words that follow them.
fn fact_words(
    op: &Op,
    dependences: &Dependences,
    index: usize,
    (geometry, banks): (&Geometry, Banks),
) -> (Vec<u32>, Vec<u32>) {
    let addresses = dependences.addresses(index);
    let stand_in = |which: usize| {
        let address = addresses.get(which).or(addresses.last());
        address.map_or(0, |address| address.stand_in(geometry, banks))
    };
    if op.repeated.is_some() {
        return (vec![stand_in(0), stand_in(1)], vec![ELEMENTS, ELEMENT_SIZE]);
    }
    // A read and a write of the same operand have one address.
    let distinct = addresses.len() > 1;
    let places = (0..op.accesses.len()).map(|which| stand_in(if distinct { which } else { 0 }));
    let mut others = Vec::new();
    if op.counted {
        others.push(match op.packed_use {
            Some(_) => 0,
            None if op.stack_use.is_some() => Circumstances::PRECISION,
            None => 1,
        });
    }
    (places.collect(), others)
}
