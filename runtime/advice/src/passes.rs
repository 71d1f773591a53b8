//! The replay of code along a path, one instruction after the other, under conditions that the caller gives.
//!
//! The pipeline of the model computes what each execution costs and the causes of its clocks. The caller that gives the
//! path also gives what each instruction meets: where its data are and whether they are cached, whether its code is
//! cached, where its branch goes and whether that was predicted. Registers are followed, so that an address stays known
//! for as long as the code computes others from it.

mod spread;

pub use spread::Spread;

use super::addresses::Followed;
use super::effects::Effects;
use iced_x86::{CodeSize, Instruction, InstructionInfoFactory, Register};
use p5_chips::{MemoryPreset, Model, PREDICTED};
use p5_results::records::OpRecord;
use p5_results::{Cause, Refusal};
use p5_timing::block::{Classifier, Op};
use p5_timing::pipeline::{BlockTime, Pipeline, RecentStats};
use p5_words::facts::{Circumstances, Facts};
use p5_words::mode::Mode;
use rustc_hash::FxHashMap;

/// The cost of an instruction over all paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charged {
    /// The number of executions.
    pub executions: u64,
    /// The number of ops in these executions; 0 if the instruction was not executed.
    pub ops: u64,
    /// The number of these ops that issued in V.
    pub in_v: u64,
    /// The sum over its ops of the clocks from tag to retirement.
    pub latency: u64,
    /// The waits of its ops, each counted by itself, even if an op was waiting for something else in the same clocks.
    pub waits: Waits,
    /// The variation of its clocks from path to path; empty if no path executed it.
    pub spread: Spread,
    /// Its clocks by cause, in the order of [`Cause::ALL`].
    pub causes: [u64; Cause::ALL.len()],
    /// The linear address of the instruction beside it in U, if it mostly issues in V.
    pub beside: Option<u32>,
    /// The linear address of the instruction that last issued in U after it.
    pub after: Option<u32>,
    /// Whether it reads a place in memory and writes the same place.
    pub rewrites: bool,
    /// Whether it is a repeated string instruction, whose ops are executed one after the other.
    pub repeats: bool,
    /// Whether its clocks depend on values, which are not followed: it counts, or uses the floating-point stack.
    pub by_values: bool,
}

/// The waits of an instruction's ops, each counted by itself. A clock in which an op waits for several things, or the
/// other pipe waits as well, has one cause but counts in each of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waits {
    /// The number of ops with a read that missed.
    pub misses: u64,
    /// The clocks from these misses to the arrival of their data.
    pub missed: u64,
    /// The number of ops that read a line that hit but was still being filled.
    pub filling: u64,
    /// The clocks that these ops waited.
    pub filled: u64,
    /// The number of ops for which page tables were walked.
    pub walks: u64,
    /// The clocks of these page walks.
    pub walked: u64,
    /// The number of ops with a misaligned access.
    pub misaligned: u64,
    /// The number of ops with an access that met a bank conflict.
    pub conflicts: u64,
    /// The number of times that the pipeline was refilled after the op.
    pub refills: u64,
    /// The clocks of these refills.
    pub refilled: u64,
}

impl Waits {
    fn add(&mut self, record: &OpRecord) {
        let accesses = || [&record.load, &record.store].into_iter().flatten();
        match record.load {
            Some(load) if load.missed > 0 => {
                self.misses += 1;
                self.missed += u64::from(load.filled);
            }
            Some(load) if load.filled > 0 => {
                self.filling += 1;
                self.filled += u64::from(load.filled);
            }
            _ => {}
        }
        self.walks += u64::from(accesses().any(|access| access.walks > 0));
        self.walked += accesses().map(|access| u64::from(access.walked)).sum::<u64>();
        self.misaligned += u64::from(accesses().any(|access| access.misaligned));
        self.conflicts += u64::from(accesses().any(|access| access.bank_conflict));
    }
}

/// A memory access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it is a write.
    pub write: bool,
    /// Its size in bytes.
    pub size: u32,
    /// Its linear address, if the values of the registers are known.
    pub address: Option<u32>,
    /// Whether it writes back the operand that the same instruction has read.
    pub again: bool,
}

/// The accesses that a repeated string instruction makes for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repetition {
    /// The size in bytes of an element that is read; `None` if none is.
    pub source: Option<u32>,
    /// The size in bytes of an element at the destination, and whether it is written there.
    pub destination: Option<(u32, bool)>,
}

impl Repetition {
    /// The number of accesses, and therefore ops, per element; at least 1.
    pub fn accesses(&self) -> u64 {
        (u64::from(self.source.is_some()) + u64::from(self.destination.is_some())).max(1)
    }
}

struct Passed {
    instruction: Instruction,
    effects: Effects,
    op: Op,
    block: BlockTime,
    charged: Charged,
}

/// A segment register, and the unknowns of an address, each with its factor.
type Unknowns = (Register, Vec<(u16, u32)>);

/// The code, and the state of the replay.
pub struct Passes {
    model: &'static Model,
    classifier: Classifier,
    factory: InstructionInfoFactory,
    pipeline: Pipeline,
    facts: Facts,
    known: FxHashMap<u32, usize>,
    passed: Vec<Passed>,
    followed: Followed,
    // The addresses of sums of unknowns, without the number.
    sums: FxHashMap<Unknowns, u32>,
    // Whether the last op that retired issued in V.
    in_v: bool,
    // The instructions that issued in the last group.
    group: Vec<usize>,
    // For each instruction of the path, its cost before the path; then whether the path is still warming up.
    before: FxHashMap<usize, (RecentStats, Charged)>,
    warming: bool,
    // The instruction before a refill that the next group waits for, and its clocks.
    refill: Option<(usize, u32)>,
}

impl Passes {
    /// Starts without code, at this privilege level, on a chip that predicts every branch.
    pub fn new(model: &'static Model, memory: &'static MemoryPreset, cpl: u8) -> Passes {
        let foreseen = PREDICTED.of(model, memory).map_or(model, |supposed| supposed.model);
        let mut pipeline = Pipeline::new(foreseen, memory);
        pipeline.set_user(cpl == 3);
        pipeline.observe(false);
        Passes {
            model,
            classifier: Classifier::new(model),
            factory: InstructionInfoFactory::new(),
            pipeline,
            facts: Facts::default(),
            known: FxHashMap::default(),
            passed: Vec::new(),
            followed: Followed::new(),
            sums: FxHashMap::default(),
            in_v: false,
            group: Vec::new(),
            before: FxHashMap::default(),
            warming: false,
            refill: None,
        }
    }

    /// Adds an instruction with its bytes, in code of the width in which it was decoded. Returns false if the chip has
    /// no timing for it.
    pub fn add(&mut self, instruction: &Instruction, bytes: &[u8]) -> bool {
        let address = instruction.ip32();
        let wide = instruction.code_size() != CodeSize::Code16;
        let mode = Mode {
            wide_code: wide,
            wide_stack: wide,
            ..Mode::FLAT
        };
        let mut decoder = self.model.isa.decoder(if wide { 32 } else { 16 }, bytes, address);
        let decoded = decoder.decode();
        let offsets = decoder.get_constant_offsets(&decoded);
        let Some(op) = self.classifier.classify(&decoded, &offsets, bytes, &mode) else {
            return false;
        };
        let effects = Effects::of(instruction, &mut self.factory);
        let block = self.pipeline.add_block(&mut vec![op.clone()]);
        self.known.insert(address, self.passed.len());
        self.passed.push(Passed {
            instruction: *instruction,
            charged: Charged {
                rewrites: effects.accesses.len() == 1 && op.accesses.len() == 2 && op.repeated.is_none(),
                repeats: op.repeated.is_some(),
                by_values: op.counted || op.stack_use.is_some(),
                ..Charged::default()
            },
            effects,
            op,
            block,
        });
        true
    }

    /// The instruction at a linear address, if it was added.
    pub fn instruction(&self, address: u32) -> Option<&Instruction> {
        self.known.get(&address).map(|&at| &self.passed[at].instruction)
    }

    /// Whether each execution of the instruction at a linear address is one op.
    pub fn is_one_op(&self, address: u32) -> bool {
        let known = self.known.get(&address);
        known.is_some_and(|&at| self.passed[at].op.steps() == Some(1))
    }

    /// The accesses per element of the instruction at a linear address; `None` unless it is a repeated string
    /// instruction.
    pub fn repetition(&self, address: u32) -> Option<Repetition> {
        let op = &self.passed[*self.known.get(&address)?].op;
        op.repeated.map(|repeated| Repetition {
            source: repeated.source.map(|access| u32::from(access.size)),
            destination: repeated
                .destination
                .map(|access| (u32::from(access.size), access.write)),
        })
    }

    /// Appends to `accesses` those of the instruction at a linear address, in order; none of a repeated string
    /// instruction.
    pub fn accesses(&self, address: u32, accesses: &mut Vec<Access>) {
        accesses.clear();
        let Some(&at) = self.known.get(&address) else { return };
        let passed = &self.passed[at];
        if passed.op.repeated.is_some() {
            return;
        }
        let places = self.followed.addresses(&passed.effects);
        let distinct = places.len() > 1;
        let mut begun: Option<u32> = None;
        for (which, access) in passed.op.accesses.iter().enumerate() {
            let place = places.get(if distinct { which } else { 0 }).or(places.last());
            let address = place.and_then(|place| {
                let (segment, terms) = place.unknowns();
                let sum = || Some(self.sums.get(&(segment, terms.to_vec()))?.wrapping_add(place.number()));
                self.followed.place(place).or_else(sum)
            });
            let again = !distinct && which > 0 && passed.charged.rewrites && access.write;
            // The parts of one operand lie one after the other.
            let after = match begun {
                Some(bytes) if !distinct && !again => bytes,
                _ => 0,
            };
            accesses.push(Access {
                write: access.write,
                size: u32::from(access.size),
                address: address.map(|address| address.wrapping_add(after)),
                again,
            });
            begun = Some(begun.unwrap_or(0) + u32::from(access.size));
        }
    }

    /// Sets the addresses of the data of instruction number `at`, one for each of its accesses.
    fn place(&mut self, at: usize, addresses: &[u32]) {
        let passed = &self.passed[at];
        let places = self.followed.addresses(&passed.effects);
        let distinct = places.len() > 1;
        for (which, &address) in addresses.iter().enumerate() {
            if which > 0 && !distinct {
                break;
            }
            let Some(place) = places.get(which) else { break };
            let (segment, terms) = place.unknowns();
            let sum = address.wrapping_sub(place.number());
            self.sums.insert((segment, terms.to_vec()), sum);
            self.followed.show(place, address);
        }
    }

    /// Whether the data cache holds the line of a linear address.
    pub fn holds_data(&self, address: u32) -> bool {
        self.pipeline.holds_data(address)
    }

    /// Puts the line of `address` into the data cache, or removes it.
    pub fn set_data(&mut self, address: u32, held: bool) {
        self.pipeline.stage_data(address, held);
    }

    /// Makes the fetch of the line of `address`, which the data cache does not hold, replace a modified line.
    pub fn set_modified(&mut self, address: u32) {
        self.pipeline.stage_modified(address);
    }

    /// Puts the line of `address` into the second level cache, or removes it; the line that its fetch replaces is then
    /// `modified`, or not.
    pub fn set_second_level(&mut self, address: u32, held: bool, modified: bool) {
        self.pipeline.stage_second_level(address, held, modified);
    }

    /// Puts the page of `address` into the data TLB, or removes it.
    pub fn set_page(&mut self, address: u32, known: bool) {
        self.pipeline.stage_page(address, known);
    }

    /// Puts the line of `address` into the code cache, or removes it.
    pub fn set_code(&mut self, address: u32, held: bool) {
        self.pipeline.stage_code(address, held);
    }

    /// Puts the page of `address` into the code TLB, or removes it.
    pub fn set_code_page(&mut self, address: u32, known: bool) {
        self.pipeline.stage_code_page(address, known);
    }

    /// Executes the instruction at `address`, with accesses at `addresses`. `elements` counts those of a repeated
    /// string instruction, `taken` is the outcome of a branch, and `next` is the address of the instruction that
    /// follows.
    pub fn execute(&mut self, address: u32, addresses: &[u32], elements: u32, taken: bool, next: u32) {
        let Some(&at) = self.known.get(&address) else { return };
        let passed = &self.passed[at];
        let before = || (self.pipeline.charged(passed.block.ops.start), passed.charged.clone());
        self.before.entry(at).or_insert_with(before);
        if let Some((branch, clocks)) = self.refill.take() {
            let waits = &mut self.passed[branch].charged.waits;
            waits.refills += 1;
            waits.refilled += u64::from(clocks);
        }
        self.facts.clear();
        let repetition = self.repetition(address);
        match repetition {
            Some(repetition) => {
                let size = repetition.source.or(repetition.destination.map(|(size, _)| size));
                let place = |which: usize| addresses.get(which).copied().unwrap_or_default();
                for word in [place(0), place(1), elements, size.unwrap_or_default()] {
                    self.facts.push(word);
                }
            }
            None => {
                let accesses = self.passed[at].op.accesses.len();
                for which in 0..accesses {
                    self.facts.push(addresses.get(which).copied().unwrap_or_default());
                }
                if self.passed[at].op.counted {
                    self.facts.push(usual_count(&self.passed[at].op));
                }
            }
        }
        self.facts.taken = taken;
        self.facts.next = next;
        self.pipeline.replay(&mut self.passed[at].block, &self.facts, 1);
        if repetition.is_none() {
            self.place(at, addresses);
        }
        let Passed {
            instruction, effects, ..
        } = &self.passed[at];
        self.followed.pass(instruction, effects);
        self.read_records();
    }

    /// Makes the last execution of the branch at a linear address a misprediction.
    pub fn mispredict(&mut self, address: u32) {
        let Some(&at) = self.known.get(&address) else { return };
        let op = self.passed[at].block.ops.start;
        self.refill = Some((at, self.pipeline.stage_misprediction(op, self.in_v)));
    }

    /// Makes the next execution, of the instruction at a linear address, hit the branch target buffer's entry of
    /// another branch.
    pub fn meet_entry(&mut self, address: u32) {
        let Some(&at) = self.known.get(&address) else { return };
        let op = self.passed[at].block.ops.start;
        self.refill = Some((at, self.pipeline.stage_false_entry(op, &self.facts)));
    }

    /// A path begins. What is executed from here on warms up and does not count.
    pub fn begin_path(&mut self) {
        self.warming = true;
    }

    /// Ends the warming up: executions count from here on, and the earlier ones of the path do not. The exception is a
    /// repeated instruction that no other path has shown: it may take longer than any warming up, and be the only one
    /// of its program.
    pub fn warmed_up(&mut self) {
        self.forget(|before| before.ops > 0 || !before.repeats);
    }

    /// Takes back the cost of this path's instructions, for those whose cost before the path satisfies `forgotten`.
    fn forget(&mut self, forgotten: impl Fn(&Charged) -> bool) {
        self.warming = false;
        for (at, (stats, charged)) in self.before.drain().filter(|(_, (_, charged))| forgotten(charged)) {
            let passed = &mut self.passed[at];
            self.pipeline.set_charged(passed.block.ops.start, stats);
            passed.charged = charged;
        }
    }

    /// Ends the path; the next one begins elsewhere, with no known register. If the path has not warmed up, it does not
    /// count for instructions that are known from other paths.
    pub fn end_path(&mut self) {
        self.pipeline.close_open(Refusal::LastInstruction, &self.facts);
        self.pipeline.stage_departure();
        self.read_records();
        if self.warming {
            self.forget(|before| before.ops > 0);
        }
        for (at, (stats, before)) in self.before.drain() {
            let passed = &mut self.passed[at];
            let ops = passed.charged.ops - before.ops;
            let now = self.pipeline.charged(passed.block.ops.start);
            let clocks = std::array::from_fn(|cause| now.causes[cause].wrapping_sub(stats.causes[cause]).max(0) as u64);
            passed.charged.spread.add(ops, &clocks);
        }
        self.group.clear();
        self.sums.clear();
        self.followed = Followed::new();
    }

    /// The cost of each instruction that was executed, by its linear address; each has at least one op.
    pub fn finish(mut self) -> FxHashMap<u32, Charged> {
        let (passed, known) = (&mut self.passed, &self.known);
        self.pipeline.take_stats(|op, stats| {
            let Some(&at) = known.get(&op.address) else { return };
            for (sum, clocks) in passed[at].charged.causes.iter_mut().zip(stats.causes) {
                // A negative remainder of forgotten executions is no cost.
                *sum = u64::try_from(clocks).unwrap_or(0);
            }
        });
        let executed = self.passed.into_iter().filter(|passed| passed.charged.ops > 0);
        let cost = executed.map(|mut passed| {
            let Charged { ops, in_v, .. } = passed.charged;
            passed.charged.beside = passed.charged.beside.filter(|_| 2 * in_v > ops);
            (passed.op.address, passed.charged)
        });
        cost.collect()
    }

    /// Adds the ops that have retired to the costs.
    fn read_records(&mut self) {
        let Some(observed) = self.pipeline.observed() else {
            return;
        };
        for record in observed.ops.iter() {
            self.in_v = record.is_in_v();
            let Some(&at) = self.known.get(&record.address) else {
                continue;
            };
            if self.in_v {
                let beside = self.group.last().map(|&before| self.passed[before].op.address);
                let charged = &mut self.passed[at].charged;
                charged.in_v += 1;
                charged.beside = beside;
            } else if record.step == 0 {
                for before in self.group.drain(..) {
                    self.passed[before].charged.after = Some(record.address);
                }
            }
            let charged = &mut self.passed[at].charged;
            charged.ops += 1;
            charged.executions += u64::from(record.last);
            charged.latency += record.retired - record.tagged;
            charged.waits.add(record);
            if record.step == 0 {
                self.group.push(at);
            }
        }
        observed.ops.clear();
    }
}

/// The usual value of the count word of an instruction that has one: the fewest steps, the usual precision, no
/// saturation.
fn usual_count(op: &Op) -> u32 {
    match op.packed_use {
        Some(_) => 0,
        None if op.stack_use.is_some() => Circumstances::PRECISION,
        None => 1,
    }
}
