//! The clocks of straight code in a steady state: all accesses hit, branches are predicted, code is known.
//!
//! The pipeline of the model replays the code over and over. Addresses that depend on registers are stand-ins, so data
//! cache banks and alignment are guesses; a program that is changed must be run again. A repeated string instruction
//! counts as one of one element of four bytes, whatever its count would be: it is the same in each order.

use super::{Dependences, target};
use crate::block::{Classifier, Op};
use crate::facts::{Circumstances, FACT_CAPACITY, Facts};
use crate::mode::Mode;
use crate::model::{Geometry, MemoryPreset, Model};
use crate::pipeline::Pipeline;
use crate::run::{Cause, Refusal};
use iced_x86::Instruction;

/// Replays in which lines are fetched and the branch gets its entry.
const COLD: usize = 4;
/// Replays from there on, of which the last one is measured.
const WARM: usize = 4;
/// Instructions before each of two more entries: a short loop that is mispredicted when it is entered remains so until
/// it is left, and whether it is depends on how many groups issue before it. The better of the two counts.
const APART: [usize; 2] = [4, 5];
/// The orders after which a new pipeline begins: each one leaves its schedules behind.
const PER_PIPELINE: usize = 512;
/// Where stand-ins for the lines of data are read from.
const LOAD: [u8; 5] = [0xA1, 0, 0, 0, 0];

/// The elements of a repeated string instruction.
const ELEMENTS: u32 = 1;
/// The bytes of each.
const ELEMENT_SIZE: u32 = 4;

/// What an instruction of such code costs in one round of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    /// The ops that it consists of; 0 if that depends on how often it repeats itself.
    pub ops: u64,
    /// Its clocks by cause, in the order of [`Cause::ALL`].
    pub causes: [u64; Cause::ALL.len()],
    /// If it issues in V, the linear address of the instruction beside it in U.
    pub beside: Option<u32>,
    /// Whether it reads a place and writes the same one.
    pub rewrites: bool,
}

/// Straight code with what its time depends on.
pub struct Steady {
    model: &'static Model,
    memory: &'static MemoryPreset,
    ops: Vec<Op>,
    // The words of each instruction.
    words: Vec<Vec<u32>>,
    // Those of them that are addresses.
    addresses: Vec<u32>,
    // Whether each reads a place and writes the same one.
    rewrites: Vec<bool>,
    load: Op,
    start: u32,
    // Whether its branch leads back to its beginning.
    repeats: bool,
    pipeline: Pipeline,
    facts: Facts,
    uses: usize,
}

impl Steady {
    /// The code of `instructions`, one behind the other, of which the last one may be a branch. None if the chip has no
    /// timing for one of them, or if their number of accesses is not known.
    pub fn new(
        model: &'static Model,
        memory: &'static MemoryPreset,
        code: &[(Instruction, &[u8])],
        dependences: &Dependences,
        bits: u32,
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
        let mut rewrites = Vec::with_capacity(code.len());
        for (index, (instruction, bytes)) in code.iter().enumerate() {
            let op = classified(bytes, instruction.ip32())?;
            let (of_addresses, others) = fact_words(&op, dependences, index, &model.geometry);
            addresses.extend_from_slice(&of_addresses);
            words.push([of_addresses, others].concat());
            rewrites.push(dependences.addresses(index).len() == 1 && op.accesses.len() == 2 && op.repeated.is_none());
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
            rewrites,
            load,
            start,
            repeats,
            pipeline: Pipeline::new(model, memory),
            facts: Facts::default(),
            uses: PER_PIPELINE,
        })
    }

    /// The clocks of one round of the code in this order; of code that does not repeat itself, those of one pass. A
    /// loop so short that its branch is predicted too late after some entries takes more clocks then.
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
        self.set_facts(order, address);
        let mut block = self.pipeline.add_block(&mut ops);
        let mut rounds = |steady: &mut Steady, count: usize| {
            steady.set_facts(order, address);
            let mut took = 0;
            for _ in 0..count {
                let before = steady.pipeline.end();
                steady.pipeline.replay(&mut block, &steady.facts, order.len());
                if !steady.repeats {
                    steady.pipeline.close_open(Refusal::LastInstruction, &steady.facts);
                }
                took = steady.pipeline.end() - before;
            }
            steady.pipeline.close_open(Refusal::LastInstruction, &steady.facts);
            took
        };
        rounds(self, COLD);
        let entries = if self.repeats { &APART[..] } else { &APART[..1] };
        let mut least = u64::MAX;
        for &instructions in entries {
            self.execute_others(instructions);
            least = least.min(rounds(self, WARM));
        }
        least
    }

    /// What each instruction costs in one round of the code as it is, at this privilege level; of code that does not
    /// repeat itself, in one pass.
    pub fn charged(&mut self, cpl: u8) -> Vec<Charged> {
        let order: Vec<usize> = (0..self.ops.len()).collect();
        self.pipeline = Pipeline::new(self.model, self.memory);
        self.pipeline.set_user(cpl == 3);
        self.uses = PER_PIPELINE;
        self.pipeline.observe();
        self.read_data();
        let last = self.ops.last();
        let end = last.map_or(self.start, Op::end);
        let mut ops = self.ops.clone();
        self.set_facts(&order, end);
        let mut block = self.pipeline.add_block(&mut ops);
        let mut before = Vec::new();
        for round in 0..COLD + WARM {
            if round == COLD {
                self.pipeline.close_open(Refusal::LastInstruction, &self.facts);
                self.execute_others(APART[0]);
                self.set_facts(&order, end);
            }
            before = self.charges();
            if let Some((records, fetches)) = self.pipeline.observed() {
                records.clear();
                fetches.clear();
            }
            self.pipeline.replay(&mut block, &self.facts, order.len());
            if !self.repeats {
                self.pipeline.close_open(Refusal::LastInstruction, &self.facts);
            }
        }
        let mut after = vec![Charged::default(); self.ops.len()];
        for (charged, &rewrites) in after.iter_mut().zip(&self.rewrites) {
            charged.rewrites = rewrites;
        }
        for ((charged, all), before) in after.iter_mut().zip(self.charges()).zip(before) {
            for (cause, clocks) in charged.causes.iter_mut().enumerate() {
                // A round that is like the one before takes nothing back of it.
                *clocks = u64::try_from(all[cause] - before[cause]).unwrap_or(0);
            }
        }
        if let Some((records, _)) = self.pipeline.observed() {
            let mut before = None;
            for record in records.iter() {
                let own = self.ops.iter().position(|op| op.address == record.address);
                if let Some(own) = own {
                    after[own].ops += u64::from(self.ops[own].repeated.is_none());
                    after[own].beside = before.filter(|_| record.is_in_v());
                }
                before = Some(record.address);
            }
        }
        after
    }

    /// The clocks of each instruction so far by cause, below 0 as long as they are taken back of what follows.
    fn charges(&mut self) -> Vec<[i64; Cause::ALL.len()]> {
        let mut charged = vec![[0; Cause::ALL.len()]; self.ops.len()];
        let places = &self.ops;
        self.pipeline.read_stats(|op, stats| {
            if let Some(own) = places.iter().position(|place| place.address == op.address) {
                let sums = charged[own].iter_mut().zip(stats.causes);
                sums.for_each(|(sum, clocks)| *sum += i64::from(clocks));
            }
        });
        charged
    }

    /// The facts of the code in this order, which ends at `end`.
    fn set_facts(&mut self, order: &[usize], end: u32) {
        self.facts.clear();
        for &index in order {
            self.words[index].iter().for_each(|&word| self.facts.push(word));
        }
        self.facts.taken = self.repeats;
        self.facts.next = if self.repeats { self.start } else { end };
    }

    /// Executes something else before the code is entered again.
    fn execute_others(&mut self, instructions: usize) {
        let address = self.addresses.first().copied().unwrap_or_default();
        for _ in 0..instructions {
            self.load_from(address);
        }
    }

    /// Brings the lines of all accesses into the data cache.
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

/// The words that an instruction leaves, as far as they can be told beforehand: addresses, and what follows them.
fn fact_words(op: &Op, dependences: &Dependences, index: usize, geometry: &Geometry) -> (Vec<u32>, Vec<u32>) {
    let addresses = dependences.addresses(index);
    let stand_in = |which: usize| {
        let address = addresses.get(which).or(addresses.last());
        address.map_or(0, |address| address.stand_in(geometry))
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
