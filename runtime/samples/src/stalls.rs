//! The clocks of a run by cause, estimated from samples alone as DCPI's `dcpicalc` does, and graded by exact figures.
//!
//! An op takes at best one clock divided by the number of pipes. Further clocks that its packet shows are stalls: the
//! latency of a miss, the fixed clocks of a bank conflict, a misaligned access or a misprediction, the wait for the
//! other pipe (see `shown`). Address interlocks, prefixes, slow instructions, stores and the floating-point unit are
//! inferred from a replay of the code (see `code` and `inferred`). Others are unexplained (see `unexplained`).

use super::Analysis;
use super::blames::{Blame, Told};
use super::inferred::{add_common_errors, add_errors, add_inferred};
use super::latencies::Latencies;
use super::ordered::place_waits;
use super::shared::{share_waits, time_repeats};
use super::shown::Shown;
use super::stalled::{Clocks, ExactStalls, StallRow};
use super::unexplained::add_unexplained;
use super::values::add_values;
use p5_advice::Charged;
use p5_chips::ibs::*;
use p5_record::{CountMode, Images, Lack, Sample, SampleKind};
use p5_results::Cause;
use p5_results::records::STAGES_TO_EXECUTION;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The stalls of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stalls {
    /// By instruction, in address order.
    pub rows: Vec<StallRow>,
    /// The number of ops that a sample of ops stands for.
    pub scale: f64,
    /// Whether every op was sampled, so that figures of ops do not depend on chance.
    pub census: bool,
    /// The number of ops that a clock takes at best, at least 1.
    pub width: u32,
    /// The clocks of the sampled runs, from the clocks of their first and last samples.
    pub span: u64,
    /// Exact clocks, if they are known.
    pub clocks: Option<u64>,
    /// The issue clocks of ops beyond those at best, because they issue alone, as the code says; 0 without it.
    pub alone: Clocks,
    /// The samples of far transfers, software interrupts and HLT, for whose own clocks nothing is inferred.
    pub of_transfers: u64,
    /// Whether the causes with fixed clocks are known: those of the recording's chip.
    pub chip_known: bool,
    /// Whether the causes that are inferred are known: the recording has the code, and its chip is known.
    pub code_known: bool,
    /// The number of samples of ops whose code the file does not have, if it has some.
    pub without_code: u64,
    /// The reason why stalls for code are not known; none if they are.
    pub code_lack: Option<Lack>,
}

/// The reason why stalls cannot be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStalls {
    /// No op was sampled.
    NoOps,
    /// The samplers counted clocks, so samples do not tell how often an op was executed.
    Cycles,
    /// A filter kept only some of the ops.
    Filtered,
    /// A register that is needed was not kept.
    NotKept(&'static str),
    /// The number of ops that a clock takes at best is not known.
    NoWidth,
    /// More instructions than [`MOST_INSTRUCTIONS`] were sampled, each of which has figures for every cause.
    TooMany,
}

/// The maximum number of instructions whose stalls are estimated.
pub const MOST_INSTRUCTIONS: usize = 1 << 17;

impl Stalls {
    /// Estimated clocks of one cause over all rows.
    pub fn cause(&self, cause: Blame) -> Clocks {
        total(self.rows.iter().map(|row| &row.causes[cause as usize]))
    }

    /// Whether a cause is known. If the recording does not show it, its sum is 0, which is no estimate.
    pub fn knows(&self, cause: Blame) -> bool {
        match (cause, cause.told()) {
            (Blame::CodeMiss | Blame::CodeTlb, _) => self.code_lack.is_none(),
            (Blame::Misprediction | Blame::Misaligned | Blame::BankConflict, _) => self.chip_known,
            (_, Told::ByPackets) => true,
            (_, Told::ByCode) => self.code_known,
            (_, Told::Nowhere) => false,
        }
    }

    /// The number of samples of ops.
    pub fn samples(&self) -> u64 {
        self.rows.iter().map(|row| row.samples.samples).sum()
    }

    /// Clocks at best: every pipe gets an op in every clock.
    pub fn best(&self) -> f64 {
        self.samples() as f64 * self.scale / f64::from(self.width.max(1))
    }

    /// The share of exact stall clocks of instructions whose true greatest cause comes first in the estimate, or is
    /// among the first ones that cannot be told apart: if two truly take equally long, chance decides which seems
    /// greater. None if it is not known, or if there are no stalls.
    pub fn blamed_right(&self) -> Option<f64> {
        self.right_share(|_, exact| exact.stall() as f64)
    }

    /// The same share of the estimated stall clocks. Those of instructions that truly do not stall count as wrong.
    pub fn estimated_right(&self) -> Option<f64> {
        self.right_share(|row, _| row.stall.clocks)
    }

    fn right_share(&self, weight: impl Fn(&StallRow, &ExactStalls) -> f64) -> Option<f64> {
        let (mut right, mut all) = (0.0, 0.0);
        for row in self.rows.iter().filter(|row| row.samples.samples > 0) {
            let stall = weight(row, row.exact.as_ref()?);
            all += stall;
            if row.right() == Some(true) {
                right += stall;
            }
        }
        (all > 0.0).then(|| right / all)
    }
}

impl Analysis {
    /// The stalls by instruction.
    ///
    /// # Errors
    /// The reason why the recording does not determine them.
    pub fn stalls(&self) -> Result<Stalls, NoStalls> {
        let width = self.stalling_width()?;
        let scale = self.scale(SampleKind::Op).unwrap_or(1.0);
        let rules = self.model().map(|chip| &chip.rules);
        let code_known = rules.is_some() && !self.code.is_empty();
        let facts = self.code_facts();
        let charges = &facts.charges;
        let shown = Shown {
            rules,
            facts: code_known.then_some(&facts),
        };
        let latencies = Latencies::of(self, charges);
        let mut rows = self.stalled_ops(&shown, charges, scale);
        share_waits(&mut rows, charges, &shown, scale);
        time_repeats(&mut rows, charges, &latencies, scale);
        place_waits(&mut rows, charges, &latencies, &shown, scale);
        add_errors(&mut rows, charges, &latencies, scale);
        self.add_fetches(&mut rows);
        if code_known {
            add_unexplained(&mut rows, charges, &latencies, scale);
            add_values(&mut rows, charges, &latencies, scale);
        }
        add_alone(&mut rows, charges, width, scale);
        let best = self.count(SampleKind::Op) as f64 * scale / f64::from(width);
        add_common_errors(&mut rows, self.span() as f64 - best);
        let [census, census_of_fetches] = [SampleKind::Op, SampleKind::Fetch].map(|kind| self.is_census(kind));
        for row in rows.values_mut() {
            // The clocks of code misses are an upper limit, which may be wrong by all of it.
            row.stall.inferred += row.causes[Blame::CodeMiss as usize].clocks.powi(2);
            row.census = census;
            row.census_of_fetches = census_of_fetches;
            row.exact = self.instruction(row.address).map(ExactStalls::of);
        }
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let of_transfers = ops
            .filter_map(Sample::address)
            .filter(|address| facts.transfers.contains(address));
        Ok(Stalls {
            alone: total(rows.values().map(|row| &row.alone)),
            rows: rows.into_values().collect(),
            scale,
            census,
            width,
            span: self.span(),
            clocks: self.truth.as_ref().map(|truth| truth.clocks),
            of_transfers: of_transfers.count() as u64,
            chip_known: rules.is_some(),
            code_known,
            without_code: if code_known { self.without_code() } else { 0 },
            code_lack: self.lack(
                Some(SampleKind::Fetch),
                [IBS_FETCH_CTL, IBS_FETCH_LIN_AD, IC_IBS_EXTD_CTL],
            ),
        })
    }

    /// The number of samples of ops whose code the file does not have.
    fn without_code(&self) -> u64 {
        let mut pieces: Vec<(u32, usize)> = self.code.iter().map(|code| (code.address, code.bytes.len())).collect();
        pieces.sort_unstable();
        let has_code = |address: u32| {
            let after = pieces.partition_point(|&(begin, _)| begin <= address);
            let before = after.checked_sub(1).map(|number| pieces[number]);
            before.is_some_and(|(begin, length)| ((address - begin) as usize) < length)
        };
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        ops.filter_map(Sample::address)
            .filter(|&address| !has_code(address))
            .count() as u64
    }

    /// The number of ops that a clock takes at best, if stalls can be estimated.
    fn stalling_width(&self) -> Result<u32, NoStalls> {
        if self.sampling.op.is_none() {
            return Err(NoStalls::NoOps);
        }
        if self.sampling.choice.mode == CountMode::Cycles {
            return Err(NoStalls::Cycles);
        }
        if self.is_filtered(SampleKind::Op) {
            return Err(NoStalls::Filtered);
        }
        let has_ops = self.samples.iter().any(|sample| sample.kind == SampleKind::Op);
        for (register, name) in [
            (IBS_OP_RIP, "IbsOpRip"),
            (IBS_OP_DATA, "IbsOpData"),
            (IBS_OP_DATA3, "IbsOpData3"),
        ] {
            if has_ops && !self.has(register) {
                return Err(NoStalls::NotKept(name));
            }
        }
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let addresses: FxHashSet<u32> = ops.filter_map(Sample::address).collect();
        if addresses.len() > MOST_INSTRUCTIONS {
            return Err(NoStalls::TooMany);
        }
        self.machine.width.ok_or(NoStalls::NoWidth)
    }

    /// The stalls of ops that packets show, and those that the code implies.
    fn stalled_ops(&self, shown: &Shown, charges: &FxHashMap<u32, Charged>, scale: f64) -> BTreeMap<u32, StallRow> {
        let mut rows: BTreeMap<u32, StallRow> = BTreeMap::new();
        for sample in self.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
            let Some(address) = sample.address() else { continue };
            let row = row(&mut rows, address);
            let mut stalls = shown.by_packet(address, &sample.images);
            if let Some(charged) = charges.get(&address) {
                add_inferred(&mut stalls, charged, row.samples.samples);
                let own = &mut stalls[Blame::Slow as usize];
                *own = most_of_its_own(charged, &sample.images).map_or(*own, |most| most.min(*own));
            }
            row.samples.add(1);
            put(row, &stalls, scale);
        }
        rows
    }

    /// Adds the clocks of missing fetches to the sampled instruction that was fetched, or to the one next to it in its
    /// line, or else to the line.
    fn add_fetches(&self, rows: &mut BTreeMap<u32, StallRow>) {
        let Some(scale) = self.scale(SampleKind::Fetch) else {
            return;
        };
        let line_bytes = self.machine.line_bytes.max(1);
        for sample in self.samples.iter().filter(|sample| sample.kind == SampleKind::Fetch) {
            let Some(address) = sample.address() else { continue };
            let images = &sample.images;
            let mut stalls = [0; Blame::COUNT];
            let refill = images
                .field(&ITLB_REFILL_LAT)
                .filter(|_| images.flag(&FETCH_L1_TLB_MISS))
                .unwrap_or_default();
            if images.flag(&FETCH_COMP) && images.flag(&IC_MISS) {
                let latency = images.field(&FETCH_LAT).unwrap_or_default();
                stalls[Blame::CodeMiss as usize] = latency.saturating_sub(refill);
            }
            stalls[Blame::CodeTlb as usize] = refill;
            if stalls.iter().any(|&clocks| clocks > 0) {
                let line = address & !(line_bytes - 1);
                let end = line.saturating_add(line_bytes);
                let fetched = rows.range(address..end).next();
                let fetched = fetched.or_else(|| rows.range(line..address).next_back());
                let place = fetched.map_or(line, |(&address, _)| address);
                put(row(rows, place), &stalls, scale);
            }
        }
    }

    /// The clocks from the first to the last sample of each run.
    fn span(&self) -> u64 {
        let mut runs: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for sample in &self.samples {
            let run = runs.entry(sample.run).or_insert((sample.clock, sample.clock));
            *run = (run.0.min(sample.clock), run.1.max(sample.clock));
        }
        let spans = runs.values().map(|(first, last)| last - first);
        spans.fold(0, u64::saturating_add)
    }
}

/// Adds the issue clocks of ops beyond those at best, because they issue alone.
fn add_alone(rows: &mut BTreeMap<u32, StallRow>, charges: &FxHashMap<u32, Charged>, width: u32, scale: f64) {
    let paired: FxHashSet<u32> = charges.values().filter_map(|charged| charged.beside).collect();
    for row in rows.values_mut() {
        let charged = charges.get(&row.address);
        let Some(charged) = charged.filter(|charged| charged.beside.is_none() && !paired.contains(&row.address)) else {
            continue;
        };
        let clocks = charged.causes[Cause::Issue as usize] as f64 / charged.ops as f64;
        row.alone = Clocks::of(row.samples.samples, (clocks - 1.0 / f64::from(width)) * scale);
    }
}

/// The most clocks that an op of an instruction took by itself: those from its tag to its retirement, less the stages
/// before EX and a clock in EX. An instruction that faults and is passed over by a handler takes fewer than its replay.
/// None if its ops are parts of it, or the packet does not tell.
fn most_of_its_own(charged: &Charged, images: &Images) -> Option<u64> {
    let is_whole = !charged.repeats && charged.ops == charged.executions;
    let latency = images.field(&TAG_TO_RET_CTR).filter(|_| is_whole)?;
    Some(latency.saturating_sub(STAGES_TO_EXECUTION + 1))
}

fn total<'a>(parts: impl Iterator<Item = &'a Clocks>) -> Clocks {
    let mut whole = Clocks::default();
    parts.for_each(|part| whole.merge(part));
    whole
}

fn row(rows: &mut BTreeMap<u32, StallRow>, address: u32) -> &mut StallRow {
    rows.entry(address).or_insert_with(|| StallRow {
        address,
        ..StallRow::default()
    })
}

fn put(row: &mut StallRow, stalls: &[u64; Blame::COUNT], scale: f64) {
    for (sum, &clocks) in row.causes.iter_mut().zip(stalls) {
        sum.add(clocks as f64 * scale);
    }
    row.stall.add(stalls.iter().sum::<u64>() as f64 * scale);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Confidence, sampled_op};
    use p5_record::{Attempts, Recording, SampledMachine, Sampling};

    /// A recording of an op of each of this many instructions.
    fn sampled(instructions: usize) -> Analysis {
        let op = |address: usize| {
            let mut images = Images::default();
            images.put(&OP_RIP, address as u64);
            images.put(&COMP_TO_RET_CTR, 1);
            images.put(&DATA_SRC, 0);
            images.put(&DC_MISS, 0);
            sampled_op(images)
        };
        Analysis(Recording {
            machine: SampledMachine {
                width: Some(2),
                ..SampledMachine::default()
            },
            sampling: Sampling {
                op: Some(Attempts::default()),
                ..Sampling::default()
            },
            samples: (0..instructions).map(op).collect(),
            ..Recording::default()
        })
    }

    /// A branch goes to the second instruction of a line, whose fetch misses: the first one does not wait.
    #[test]
    fn the_instruction_that_is_fetched_waits_for_its_line() {
        let mut given = sampled(2);
        let mut images = Images::default();
        images.put(&FETCH_LIN_AD, 1);
        for (field, value) in [(&FETCH_COMP, 1), (&IC_MISS, 1), (&FETCH_LAT, 7)] {
            images.put(field, value);
        }
        given.machine.line_bytes = 32;
        given.sampling.fetch = Some(Attempts {
            period: 1,
            ..Attempts::default()
        });
        given.samples.push(Sample {
            kind: SampleKind::Fetch,
            ..sampled_op(images)
        });
        let stalls = given.stalls().expect("estimates");
        let waited = stalls
            .rows
            .iter()
            .map(|row| row.causes[Blame::CodeMiss as usize].clocks);
        assert_eq!(waited.collect::<Vec<_>>(), [0.0, 7.0]);
        // What may be wrong by all of it is not trusted, and any other cause may be greater.
        let mut row = stalls.rows[1].clone();
        assert_eq!((row.confidence(), row.letters().as_str()), (Confidence::Low, "i"));
        row.causes[Blame::DataMiss as usize] = Clocks::of(1, 2.0);
        assert_eq!((row.confidence(), row.letters().as_str()), (Confidence::Low, "i~d"));
    }

    #[test]
    fn stalls_of_too_many_instructions_are_refused() {
        let most = sampled(MOST_INSTRUCTIONS).stalls().expect("estimates");
        assert_eq!(most.rows.len(), MOST_INSTRUCTIONS);
        assert_eq!(sampled(MOST_INSTRUCTIONS + 1).stalls(), Err(NoStalls::TooMany));
    }
}
