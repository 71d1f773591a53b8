//! A walk through the code of a recording: the model's pipeline replays it under the events that the packets show.
//!
//! Paths begin at sampled instructions and follow branches as their packets say, and calls and returns. The address of
//! an access follows from an earlier one by the code, or else from a packet. Accesses miss as often as the packets do,
//! where they reach a line that is new to the path. The waits then follow from the samples and the rules of the chip: a
//! store waits for an earlier one that has not left, a read for a line that is still being filled, an op for a
//! floating-point result. Exact figures are not used. Not modelled: correlation between events of different
//! instructions, beyond addresses and the path.

use super::Analysis;
use super::met::{Accesses, AllMet, Met};
use super::replaced;
use super::second_level::{Held, held};
use super::written_back::{WrittenBack, written_back};
use iced_x86::{FlowControl, Instruction};
use p5_advice::{Access, Charged, Passes, Repetition, target};
use p5_chips::Model;
use p5_chips::ibs::*;
use p5_record::{Images, SampleKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most instructions that all paths together execute, warm-up included; elements of repeated instructions count as
/// a share of one.
const BUDGET: u64 = 1 << 18;
/// The instructions that they execute for each sample, and the least in all.
const PER_SAMPLE: u64 = 4;
const LEAST: u64 = 1 << 12;
/// The part of the budget for replays in which only the clocks of stores matter.
const TRIAL: u64 = 4;
/// The instructions of a path, and those before it that warm up.
const PATH: u64 = 1 << 8;
const WARMING: u64 = 1 << 5;
/// The distance between the beginnings of successive paths, as a part of all samples: the golden section, with which
/// any number of paths lie about as far apart as possible.
const NEXT_PATH: f64 = 0.618_033_988_749_895;
/// The number of elements that count as an instruction.
const ELEMENTS: u64 = 4;
/// The most elements of one execution, and the number without any evidence.
const MOST_ELEMENTS: f64 = 2048.0;
const SOME_ELEMENTS: f64 = 64.0;
/// The instructions of a detour, which begins at a sampled instruction that no path has met.
const DETOUR: u64 = 64;
/// The part of the budget that is kept for detours.
const DETOURS: u64 = 4;
const MOST_RETURNS: usize = 1 << 10;
/// The neighbours that are examined to find the number of executions of a repeated instruction.
const NEIGHBOURS: usize = 16;
/// The number of due misses that is late: others have evicted the line of the access before.
const OVERDUE: f64 = 2.0;
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;
/// The packets that are searched for one of the wanted kind.
const TRIES: usize = 8;

/// The facts of the code that need no execution.
pub(super) struct Code {
    /// The targets of branches.
    pub(super) leaders: FxHashSet<u32>,
    /// The instruction before each instruction.
    pub(super) before: FxHashMap<u32, u32>,
}

/// The cost of each instruction in the code that `passes` makes ready.
///
/// Packets do not say whether a store that misses the data cache finds its line in the second level cache. So the code
/// is replayed as if all did and as if none did, which takes different times, and then with the shares in between that
/// the latencies of the samples suggest. So it is with the fetched lines that replace modified ones, of which only an
/// upper limit is known.
pub(super) fn charges(
    recording: &Analysis,
    model: &'static Model,
    code: Code,
    passes: &dyn Fn() -> Passes,
) -> FxHashMap<u32, Charged> {
    let met = AllMet::of(recording, model.geometry.code_cache.line);
    let second_level = recording.memory().and_then(|memory| memory.second_level.as_ref());
    let replaced = second_level.map(|cache| replaced::modified(recording, &cache.geometry));
    let replaced = replaced.unwrap_or_default();
    let walk = |budget: u64, held: &Held, written_back: &WrittenBack| {
        let walk = Walk::new(
            recording,
            model,
            passes(),
            (&code, &met, &replaced),
            (held, written_back),
        );
        walk.charges(budget)
    };
    let stores = met.storing();
    let budget = (recording.count(SampleKind::Op) * PER_SAMPLE).clamp(LEAST, BUDGET);
    let held = if stores.is_empty() || second_level.is_none() {
        Held::Never
    } else {
        let ends = [Held::Never, Held::Always].map(|held| walk(budget / TRIAL, &held, &WrittenBack::Limit));
        held(&met, &stores, &ends)
    };
    if !met.writes_back() {
        return walk(budget, &held, &WrittenBack::Limit);
    }
    let ends = [WrittenBack::Nothing, WrittenBack::Limit].map(|end| walk(budget / TRIAL, &held, &end));
    walk(budget, &held, &written_back(&met, &ends))
}

struct Walk<'r> {
    recording: &'r Analysis,
    passes: Passes,
    met: &'r AllMet,
    /// The probability that missing stores find their lines in the second level cache.
    held: &'r Held,
    /// The part of the upper limits of modified lines that is assumed.
    written_back: &'r WrittenBack,
    /// The share of the lines that an instruction fetches from memory that replace a modified one.
    replaced: &'r FxHashMap<u32, f64>,
    code: &'r Code,
    random: u64,
    /// The misses that each instruction lacks so far, by the direction of the access.
    debts: FxHashMap<(u32, bool), Debt>,
    returns: Vec<u32>,
    /// The fetched code line, and the next one, for which it is decided whether it is cached.
    line: Option<u32>,
    decided: Option<u32>,
    /// The line of data that a read missed last.
    fetched: Option<u32>,
    /// The lines and the pages of data that the path has reached.
    lines: FxHashSet<u32>,
    pages: FxHashSet<u32>,
    code_line: u32,
    data_line: u32,
    page: u32,
    /// The accesses of the current instruction, and their addresses.
    accesses: Vec<Access>,
    addresses: Vec<u32>,
}

/// The misses of an instruction that are due.
#[derive(Clone, Copy, Debug, Default)]
struct Debt {
    missed: f64,
    walked: f64,
}

impl<'r> Walk<'r> {
    fn new(
        recording: &'r Analysis,
        model: &'static Model,
        passes: Passes,
        (code, met, replaced): (&'r Code, &'r AllMet, &'r FxHashMap<u32, f64>),
        (held, written_back): (&'r Held, &'r WrittenBack),
    ) -> Walk<'r> {
        let code_line = model.geometry.code_cache.line;
        Walk {
            recording,
            passes,
            met,
            held,
            written_back,
            replaced,
            code,
            random: SEED,
            debts: FxHashMap::default(),
            returns: Vec::new(),
            line: None,
            decided: None,
            fetched: None,
            lines: FxHashSet::default(),
            pages: FxHashSet::default(),
            code_line,
            data_line: model.geometry.data_cache.line,
            page: recording.machine.page_bytes.max(1),
            accesses: Vec::new(),
            addresses: Vec::new(),
        }
    }

    /// The cost of each instruction, if all paths together execute `budget` instructions.
    fn charges(mut self, budget: u64) -> FxHashMap<u32, Charged> {
        let recording = self.recording;
        let ops = recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let starts: Vec<u32> = ops.filter_map(|sample| sample.address()).collect();
        let mut executed: FxHashSet<u32> = FxHashSet::default();
        // Every part of the run gets its share of paths.
        let mut begun = (0..).map(|path| f64::from(path) * NEXT_PATH % 1.0);
        let mut start = || starts.get((begun.next()? * starts.len() as f64) as usize).copied();
        let mut left = budget;
        while left > budget / DETOURS {
            let Some(start) = start() else { break };
            left = left.saturating_sub(self.path(start, PATH, &mut executed));
        }
        let mut others: Vec<u32> = self.met.instructions.keys().copied().collect();
        others.sort_unstable();
        for other in others {
            if left > 0 && !executed.contains(&other) {
                left = left.saturating_sub(self.path(other, DETOUR, &mut executed));
            }
        }
        while left > 0 {
            let Some(start) = start() else { break };
            left = left.saturating_sub(self.path(start, PATH, &mut executed));
        }
        self.passes.finish()
    }

    /// Executes a path of this `length` after a warm-up, from an instruction on. Returns what it executed, at least 1.
    fn path(&mut self, start: u32, length: u64, executed: &mut FxHashSet<u32>) -> u64 {
        self.returns.clear();
        (self.line, self.decided, self.fetched) = (None, None, None);
        self.lines.clear();
        self.pages.clear();
        let (mut spent, mut passed) = (0, 0);
        let mut warmed_up = None;
        let mut next = Some(start);
        self.passes.begin_path();
        while let Some(at) = next.filter(|_| warmed_up.is_none_or(|warmed_up| passed < warmed_up + length)) {
            if warmed_up.is_none() && passed >= WARMING {
                warmed_up = Some(passed);
                self.passes.warmed_up();
            }
            let Some(&instruction) = self.passes.instruction(at) else {
                break;
            };
            executed.insert(at);
            let (elements, after) = self.step(&instruction);
            let elements = u64::from(elements) / ELEMENTS;
            spent += 1 + elements;
            // What follows a long repetition waits for it, so the path goes on.
            passed += 1 + elements.min(WARMING);
            next = after;
        }
        self.passes.end_path();
        spent.max(1)
    }

    /// Executes an instruction. Returns its elements, if it is repeated, and the next instruction.
    fn step(&mut self, instruction: &Instruction) -> (u32, Option<u32>) {
        let at = instruction.ip32();
        self.enter_code(instruction);
        let flow = instruction.flow_control();
        let branches = flow != FlowControl::Next;
        let packet = self.packet(at, |images| !branches || images.flag(&OP_BRN_RET));
        if packet.is_some_and(|images| images.flag(&OP_BRN_RESYNC)) {
            self.passes.meet_entry(at);
        }
        let mut elements = 0;
        match self.passes.repetition(at) {
            Some(repetition) => elements = self.repeat(at, repetition),
            None => self.place(at, packet),
        }
        let (taken, next) = self.outcome(instruction, packet);
        let after = next.unwrap_or(instruction.next_ip32());
        let addresses = std::mem::take(&mut self.addresses);
        self.passes.execute(at, &addresses, elements, taken, after);
        self.addresses = addresses;
        if branches && packet.is_some_and(|images| images.flag(&OP_BRN_MISP)) {
            self.passes.mispredict(at);
        }
        if taken {
            (self.line, self.decided) = (None, None);
        }
        (elements, next)
    }

    /// Whether a branch is taken, and the next instruction, if it is known.
    fn outcome(&mut self, instruction: &Instruction, packet: Option<&Images>) -> (bool, Option<u32>) {
        let next = instruction.next_ip32();
        let sampled = packet.and_then(|images| images.field(&BR_TARGET)).filter(|&to| to != 0);
        let sampled = sampled.map(|to| to as u32);
        match instruction.flow_control() {
            FlowControl::ConditionalBranch => {
                let taken = match packet {
                    Some(images) => images.flag(&OP_BRN_TAKEN),
                    None => self.below(2) == 1,
                };
                (taken, if taken { target(instruction) } else { Some(next) })
            }
            FlowControl::UnconditionalBranch => (true, target(instruction)),
            FlowControl::IndirectBranch => (true, sampled),
            FlowControl::Call | FlowControl::IndirectCall => {
                if self.returns.len() < MOST_RETURNS {
                    self.returns.push(next);
                }
                (true, target(instruction).or(sampled))
            }
            FlowControl::Return => (true, self.returns.pop().or(sampled)),
            _ => (false, Some(next)),
        }
    }

    fn enter_code(&mut self, instruction: &Instruction) {
        let first = instruction.ip32();
        let last = first.wrapping_add(instruction.len() as u32 - 1);
        for line in [first, last].map(|address| address & !(self.code_line - 1)) {
            if self.line == Some(line) {
                continue;
            }
            if self.decided != Some(line) {
                self.decide(line);
            }
            self.line = Some(line);
            // Whether a line is cached is decided before it is read ahead.
            let next = line.wrapping_add(self.code_line);
            if !next.is_multiple_of(self.page) {
                self.decide(next);
                self.decided = Some(next);
            }
        }
    }

    fn decide(&mut self, line: u32) {
        let met = self.met.lines.get(&line).copied().unwrap_or_default();
        let missed = self.happens(met.missed.of().unwrap_or(0.0));
        let walked = self.happens(met.walked.of().unwrap_or(0.0));
        self.passes.set_code(line, !missed);
        self.passes.set_code_page(line, !walked);
    }

    fn place(&mut self, at: u32, packet: Option<&Images>) {
        let mut accesses = std::mem::take(&mut self.accesses);
        self.passes.accesses(at, &mut accesses);
        self.addresses.clear();
        for access in &accesses {
            if let Some(&read) = self.addresses.last().filter(|_| access.again) {
                self.addresses.push(read);
                continue;
            }
            let of_kind = |images: &Images| images.flag(if access.write { &ST_OP } else { &LD_OP });
            let own = packet.filter(|images| accesses.len() == 1 && of_kind(images));
            let address = access.address.unwrap_or_else(|| {
                let packet = own.or_else(|| self.packet(at, of_kind));
                packet.map_or(0, |images| images.field(&DC_LIN_AD).unwrap_or_default() as u32)
            });
            self.meet(at, access, address);
            self.addresses.push(address);
        }
        self.accesses = accesses;
    }

    /// Makes an access to an address meet the events of the instruction's accesses.
    fn meet(&mut self, at: u32, access: &Access, address: u32) {
        let met = self.accesses_of(at, access.write);
        let (missed, walked) = (met.missed.of().unwrap_or(0.0), met.walked.of().unwrap_or(0.0));
        let mut debt = self.debts.get(&(at, access.write)).copied().unwrap_or_default();
        debt.missed += missed;
        debt.walked += walked;
        if self.pages.insert(address / self.page) {
            let walks = self.happens(debt.walked);
            self.passes.set_page(address, !walks);
            debt.walked -= f64::from(u8::from(walks));
        }
        let line = address & !(self.data_line - 1);
        // The instruction beside it in U may be about to fetch it.
        let fetched = self.fetched == Some(line);
        let another = self.lines.insert(line);
        if !fetched && (another || debt.missed >= OVERDUE) {
            let misses = self.happens(debt.missed);
            self.passes.set_data(address, !misses);
        }
        let misses = !fetched && !self.passes.holds_data(address);
        if misses && (another || !access.write) {
            if !access.write {
                if self.happens(self.met.stores_near(address) * self.written_back.of(at)) {
                    self.passes.set_modified(address);
                }
                self.fetched = Some(line).filter(|_| !self.met.is_locked(at));
            }
            self.set_second_level(at, address, met.held(access.write, self.held.of(at)));
        }
        debt.missed -= f64::from(u8::from(misses));
        self.debts.insert((at, access.write), debt);
    }

    /// Decides whether the second level cache holds a line that an instruction misses, with this probability, and what
    /// its fetch replaces there.
    fn set_second_level(&mut self, at: u32, address: u32, held: f64) {
        let held = self.happens(held);
        let modified = self.replaced.get(&at).copied().unwrap_or(0.0);
        let modified = self.happens(modified * self.written_back.of(at));
        self.passes.set_second_level(address, held, modified);
    }

    fn accesses_of(&self, at: u32, write: bool) -> Accesses {
        let met = self.met.instructions.get(&at);
        met.map_or(Accesses::default(), |met| if write { met.writes } else { met.reads })
    }

    /// Places the elements of a repeated instruction. Returns how many it has this time.
    fn repeat(&mut self, at: u32, repetition: Repetition) -> u32 {
        let mean = self.elements(at, repetition);
        let whole = mean as u32;
        let elements = whole + u32::from(self.happens(mean - f64::from(whole)));
        self.addresses.clear();
        let places = [repetition.source.map(|size| (size, false)), repetition.destination];
        for place in places {
            let Some((size, write)) = place else {
                self.addresses.push(0);
                continue;
            };
            let packet = self.packet(at, |images| images.flag(if write { &ST_OP } else { &LD_OP }));
            let address = packet.map_or(0, |images| images.field(&DC_LIN_AD).unwrap_or_default() as u32);
            self.addresses.push(address);
            let met = self.accesses_of(at, write);
            let missed = met.missed.of().unwrap_or(0.0);
            // A read fetches its line for those that follow.
            let of_line = if write {
                missed
            } else {
                missed * f64::from(self.data_line / size.max(1))
            };
            let end = address.saturating_add(elements.saturating_mul(size));
            for line in (address & !(self.data_line - 1)..end).step_by(self.data_line as usize) {
                let misses = self.happens(of_line);
                self.passes.set_data(line, !misses);
                if misses {
                    self.set_second_level(at, line, met.held(write, self.held.of(at)));
                }
            }
            for page in (address & !(self.page - 1)..end).step_by(self.page as usize) {
                self.passes.set_page(page, true);
            }
        }
        elements
    }

    /// The mean number of elements per execution of a repeated instruction: its ops exceed those of its neighbours,
    /// which are executed as often, by that many.
    fn elements(&self, at: u32, repetition: Repetition) -> f64 {
        let ops = |address: u32| self.met.instructions.get(&address).map_or(0, |met| met.samples.len()) as f64;
        let following = |address: u32| {
            let instruction = self.passes.instruction(address)?;
            let next = instruction.next_ip32();
            let goes_on = instruction.flow_control() == FlowControl::Next && !self.code.leaders.contains(&next);
            goes_on.then_some(next)
        };
        let ahead = |address: u32| {
            let before = self
                .code
                .before
                .get(&address)
                .filter(|_| !self.code.leaders.contains(&address))?;
            (following(*before) == Some(address)).then_some(*before)
        };
        // The neighbours of one op each on either side: the more there are, the less chance matters.
        let mut sides: Vec<f64> = Vec::new();
        for next in [&following as &dyn Fn(u32) -> Option<u32>, &ahead] {
            let neighbours = std::iter::successors(next(at), |&address| next(address)).take(NEIGHBOURS);
            sides.extend(neighbours.filter(|&address| self.passes.is_one_op(address)).map(ops));
        }
        let executions = sides.iter().sum::<f64>() / sides.len().max(1) as f64;
        if executions == 0.0 {
            return SOME_ELEMENTS;
        }
        (ops(at) / repetition.accesses() as f64 / executions).min(MOST_ELEMENTS)
    }

    /// The packet of a sample of an instruction, of the `wanted` kind if there is one.
    fn packet(&mut self, at: u32, wanted: impl Fn(&Images) -> bool) -> Option<&'r Images> {
        let recording = self.recording;
        let count = self.met.instructions.get(&at).map_or(0, |met: &Met| met.samples.len());
        if count == 0 {
            return None;
        }
        for _ in 0..TRIES {
            let which = self.below(count as u64) as usize;
            let index = self.met.instructions[&at].samples[which];
            let images = &recording.samples[index as usize].images;
            if wanted(images) {
                return Some(images);
            }
        }
        None
    }

    /// Whether an event with this probability happens now.
    fn happens(&mut self, probability: f64) -> bool {
        // A floating-point number holds 53 bits.
        probability > 0.0 && (self.drawn() >> 11) as f64 / (1u64 << 53) as f64 <= probability
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.drawn() % bound.max(1)
    }

    /// A random number, the same in every run (Marsaglia's generator of shifts, 2003).
    fn drawn(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }
}
