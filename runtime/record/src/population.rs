//! Exact figures of all fetches and ops, from the packets that a sampler of period 1 would have left.
//!
//! A recorder passes every fetch and every op that retires, sampled or not, in order. The memory for them does not grow
//! with the length of a run, only with the numbers of instructions, lines of data and distinct latencies, each bounded.

use super::derived::{LATENCIES, Tally};
use super::matching::{Matches, Matching};
use super::{Images, SampleKind, SampledSymbol, TrueData, TrueInstruction, TruePairs, Truth};
use p5_chips::ibs::{DC_LIN_AD, DC_LIN_ADDR_VALID, DC_MISS, DC_MISS_LAT, LD_OP, OP_MEM_WIDTH, OP_RIP, ST_OP};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most instructions with figures of their own.
pub const MOST_INSTRUCTIONS: usize = 1 << 18;
const MOST_DATA_LINES: usize = 1 << 20;

/// The clocks between which an op was in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The clock in which it was tagged.
    pub tagged: u64,
    /// The clock in which it retired, later than `tagged`.
    pub retired: u64,
}

/// Counts of all fetches and ops of the sampled runs.
#[derive(Debug, Default)]
pub struct Population {
    matching: Matching,
    whole: Tally,
    instructions: FxHashMap<u32, Instruction>,
    instructions_cut: bool,
    latencies: FxHashMap<(usize, u64), u64>,
    data: FxHashMap<u32, TrueData>,
    data_cut: u64,
    line_bytes: u32,
    /// The addresses at which named data begins or ends, ascending.
    borders: Vec<u32>,
    pairing: Option<Pairing>,
}

#[derive(Debug, Default)]
struct Instruction {
    ops: u64,
    tally: Tally,
    pairs: TruePairs,
}

/// The ops that may still become the first of a pair.
#[derive(Debug)]
struct Pairing {
    window: usize,
    width: u64,
    recent: VecDeque<Recent>,
}

#[derive(Debug)]
struct Recent {
    address: u32,
    flight: Flight,
    /// Ops tagged in a later clock, before it retired.
    used: u64,
    overlapping: u64,
    pairs: u64,
}

impl Population {
    /// An empty population. `line_bytes` is the size of a line of data, a power of two. With a `window`, the most ops
    /// from the first of a pair to the second, it examines all pairs; `width` ops issue in a clock at best.
    pub fn new(line_bytes: u32, window: Option<u32>, width: u32) -> Population {
        Population {
            line_bytes: line_bytes.max(1),
            pairing: window.map(|window| Pairing {
                window: window.max(1) as usize,
                width: u64::from(width),
                recent: VecDeque::new(),
            }),
            ..Population::default()
        }
    }

    /// Counts the parts of a line that belong to different symbols separately. Earlier accesses are not divided.
    pub fn divide_lines(&mut self, symbols: &[SampledSymbol]) {
        let data = symbols.iter().filter(|symbol| !symbol.code);
        self.borders = data
            .flat_map(|symbol| [symbol.address, symbol.address.saturating_add(symbol.size.max(1))])
            .collect();
        self.borders.sort_unstable();
        self.borders.dedup();
    }

    /// The number of lines of data, or of parts of them, that have been accessed.
    pub fn lines_of_data(&self) -> usize {
        self.data.len()
    }

    /// Adds a fetch.
    pub fn fetch(&mut self, images: &Images) {
        let matches = self.matching.of(SampleKind::Fetch, images);
        self.whole.add_to(&matches.events, images);
        self.latencies_of(&matches, images);
    }

    /// Adds an op that retired, in program order. The clocks of `flight` continue through all runs.
    pub fn op(&mut self, images: &Images, flight: Flight) {
        let matches = self.matching.of(SampleKind::Op, images);
        self.whole.add_to(&matches.events, images);
        self.latencies_of(&matches, images);
        self.access(images);
        let address = images.field(&OP_RIP).unwrap_or_default() as u32;
        let full = self.instructions.len() >= MOST_INSTRUCTIONS;
        if full && !self.instructions.contains_key(&address) {
            self.instructions_cut = true;
        } else {
            let instruction = self.instructions.entry(address).or_default();
            instruction.ops += 1;
            instruction.tally.add_to(&matches.events, images);
        }
        if let Some(pairing) = &mut self.pairing {
            for first in &mut pairing.recent {
                first.pairs += 1;
                if flight.tagged < first.flight.retired {
                    first.overlapping += 1;
                    first.used += u64::from(flight.tagged > first.flight.tagged);
                }
            }
            pairing.recent.push_back(Recent {
                address,
                flight,
                used: 0,
                overlapping: 0,
                pairs: 0,
            });
            if pairing.recent.len() > pairing.window {
                settle(pairing, &mut self.instructions);
            }
        }
    }

    /// Ends a run: the next op forms no pair with earlier ones.
    pub fn end_run(&mut self) {
        if let Some(pairing) = &mut self.pairing {
            while !pairing.recent.is_empty() {
                settle(pairing, &mut self.instructions);
            }
        }
    }

    fn latencies_of(&mut self, matches: &Matches, images: &Images) {
        for &number in &matches.latencies {
            let number = usize::from(number);
            if let Some(value) = images.field(&LATENCIES[number].0) {
                *self.latencies.entry((number, value)).or_default() += 1;
            }
        }
    }

    fn access(&mut self, images: &Images) {
        let (load, store) = (images.flag(&LD_OP), images.flag(&ST_OP));
        if !(load || store) || !images.flag(&DC_LIN_ADDR_VALID) {
            return;
        }
        let address = images.field(&DC_LIN_AD).unwrap_or_default() as u32;
        let line = address & !(self.line_bytes - 1);
        let before = self.borders.partition_point(|&border| border <= address);
        let part = before.checked_sub(1).map_or(line, |last| self.borders[last].max(line));
        if self.data.len() >= MOST_DATA_LINES && !self.data.contains_key(&part) {
            self.data_cut += 1;
            return;
        }
        let row = self.data.entry(part).or_insert(TrueData {
            address: part,
            ..TrueData::default()
        });
        let missed = images.flag(&DC_MISS);
        row.accesses += 1;
        row.stores += u64::from(store);
        row.misses += u64::from(missed);
        if load && missed {
            row.latency += images.field(&DC_MISS_LAT).unwrap_or_default();
        }
        row.touched |= touched(address, width(images), self.line_bytes);
    }

    /// The exact figures. `instructions` state the executions and clocks of each; their ops and derived events are
    /// added here. `clocks` are those of all sampled runs.
    pub fn finish(mut self, mut instructions: Vec<TrueInstruction>, clocks: u64) -> Truth {
        self.end_run();
        instructions.sort_unstable_by_key(|instruction| instruction.address);
        let mut pairs = Vec::new();
        for row in &mut instructions {
            let Some(known) = self.instructions.get(&row.address) else {
                continue;
            };
            row.ops = known.ops;
            row.derived = known.tally.nonzero();
            if known.pairs.flights > 0 {
                pairs.push(TruePairs {
                    address: row.address,
                    ..known.pairs
                });
            }
        }
        let mut latencies: Vec<((usize, u64), u64)> = self.latencies.into_iter().collect();
        latencies.sort_unstable();
        let named = |((index, value), count): ((usize, u64), u64)| (LATENCIES[index].0.name.to_owned(), value, count);
        let mut data: Vec<TrueData> = self.data.into_values().collect();
        data.sort_unstable_by_key(|line| line.address);
        Truth {
            clocks,
            instructions,
            instructions_cut: self.instructions_cut,
            derived: self.whole.iter().map(|(event, count)| (event.code, count)).collect(),
            latencies: latencies.into_iter().map(named).collect(),
            data,
            data_cut: self.data_cut,
            pairs,
        }
    }
}

/// Finishes the oldest op, which forms no more pairs.
fn settle(pairing: &mut Pairing, instructions: &mut FxHashMap<u32, Instruction>) {
    let Some(first) = pairing.recent.pop_front() else {
        return;
    };
    let Some(instruction) = instructions.get_mut(&first.address) else {
        return;
    };
    let sums = &mut instruction.pairs;
    sums.pairs += first.pairs;
    sums.overlapping += first.overlapping;
    sums.wasted += slots(first.flight, pairing.width).saturating_sub(first.used);
    sums.flights += 1;
}

/// The issue slots of the clocks between the tag of an op and its retirement.
pub fn slots(flight: Flight, width: u64) -> u64 {
    flight.retired.saturating_sub(flight.tagged + 1) * width
}

/// The size of an access in bytes; 0 if the sample does not state it.
pub fn width(images: &Images) -> u32 {
    match images.field(&OP_MEM_WIDTH).unwrap_or_default() {
        0 => 0,
        code => 1 << (code - 1),
    }
}

/// The bits of [`TrueData::touched`] for an access, without bytes in the next line.
pub fn touched(address: u32, width: u32, line_bytes: u32) -> u64 {
    let grain = (line_bytes / 64).max(1);
    let first = (address & (line_bytes - 1)) / grain;
    let within = (address & (line_bytes - 1))
        .saturating_add(width.max(1))
        .min(line_bytes);
    let end = within.div_ceil(grain);
    let below = |bit: u32| if bit >= 64 { u64::MAX } else { (1 << bit) - 1 };
    below(end) & !below(first)
}
