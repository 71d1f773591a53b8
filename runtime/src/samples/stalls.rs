//! Where the clocks went, estimated from samples alone as DCPI's `dcpicalc` does it, and graded by what is true.
//!
//! An op costs at best a share of a clock, one divided by the number of pipes. What its packet shows beside that is a
//! stall: the latency of a miss, the fixed clocks of a bank conflict, a misaligned access or a misprediction, the wait
//! for the other pipe. Address interlocks, prefixes, slow instructions, stores and the floating-point unit are inferred
//! from the code where it meets what packets show, as `code` beside this file does. What neither shows remains
//! unexplained, as `unexplained` says.

use super::blames::{Blame, Told};
use super::code::CodeFacts;
use super::estimate::Sum;
use super::shared::share_waits;
use super::stalled::{Clocks, ExactStalls, StallRow};
use super::unexplained::add_unexplained;
use super::{Attempts, CountMode, Lack, Randomization, Recording, SampleKind};
use crate::advice::Charged;
use crate::model::ibs::*;
use crate::run::Cause;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// The stalls of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stalls {
    /// By instruction, in address order.
    pub rows: Vec<StallRow>,
    /// How many ops a sample of ops stands for.
    pub scale: f64,
    /// Whether every op was sampled, so that chance has no part in the figures of ops.
    pub census: bool,
    /// How many ops a clock takes at best, at least 1.
    pub width: u32,
    /// The clocks of the sampled runs, as the clocks of their first and last samples tell.
    pub span: u64,
    /// Exact clocks, if they are known.
    pub clocks: Option<u64>,
    /// The clocks in which ops issue beyond those at best, because they issue alone, as the code says; 0 without it.
    pub alone: Clocks,
    /// The samples of far transfers, software interrupts and HLT, of whose own clocks nothing is inferred.
    pub of_transfers: u64,
    /// Whether the causes with fixed clocks are known: those of the recording's chip.
    pub chip_known: bool,
    /// Whether the causes that are inferred are known: the recording has the code, and its chip is known.
    pub code_known: bool,
    /// Why stalls for code are not known.
    pub code_lack: Option<Lack>,
}

/// Why stalls cannot be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoStalls {
    /// No ops were sampled.
    NoOps,
    /// Clocks were counted between samples, so that they do not tell how often an op was executed.
    Cycles,
    /// A filter kept only some of the ops.
    Filtered,
    /// A register that is needed was not kept.
    NotKept(&'static str),
    /// It is not known how many ops a clock takes at best.
    NoWidth,
}

impl Stalls {
    /// Estimated clocks of one cause over all rows.
    pub fn cause(&self, cause: Blame) -> Clocks {
        let mut whole = Clocks::default();
        for row in &self.rows {
            whole.merge(&row.causes[cause as usize]);
        }
        whole
    }

    /// Whether a cause is known: where the recording does not tell of it, its sum is 0 but not none.
    pub fn knows(&self, cause: Blame) -> bool {
        match (cause, cause.told()) {
            (Blame::CodeMiss | Blame::CodeTlb, _) => self.code_lack.is_none(),
            (Blame::Misprediction | Blame::Misaligned | Blame::BankConflict, _) => self.chip_known,
            (_, Told::ByPackets) => true,
            (_, Told::ByCode) => self.code_known,
            (_, Told::Nowhere) => false,
        }
    }

    /// All samples of ops.
    pub fn samples(&self) -> u64 {
        self.rows.iter().map(|row| row.samples.samples).sum()
    }

    /// Clocks at best: every pipe gets an op in every clock.
    pub fn best(&self) -> f64 {
        self.samples() as f64 * self.scale / f64::from(self.width.max(1))
    }

    /// The share of the exact stall clocks that belong to instructions whose true greatest cause the estimate puts
    /// first, or among those first ones that it says it cannot tell apart: of two that truly take as long as each
    /// other, chance decides which seems the greater. None if it is not known, or there are none.
    pub fn blamed_right(&self) -> Option<f64> {
        let (mut right, mut all) = (0.0, 0.0);
        for row in self.rows.iter().filter(|row| row.samples.samples > 0) {
            let stall = row.exact.as_ref()?.stall() as f64;
            all += stall;
            if row.right() == Some(true) {
                right += stall;
            }
        }
        (all > 0.0).then(|| right / all)
    }
}

impl Recording {
    /// The stalls by instruction.
    ///
    /// # Errors
    /// Why the recording does not tell.
    pub fn stalls(&self) -> Result<Stalls, NoStalls> {
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
        let width = self.machine.width.ok_or(NoStalls::NoWidth)?;
        let scale = self.scale(SampleKind::Op).unwrap_or(1.0);
        let mut rows: BTreeMap<u32, StallRow> = BTreeMap::new();
        let rules = self.model().map(|chip| &chip.rules);
        let code_known = rules.is_some() && !self.code.is_empty();
        let CodeFacts {
            charges,
            branches,
            late,
            transfers,
        } = self.code_facts();
        let mut of_transfers = 0;
        let mut issue = Clocks::default();
        let paired: FxHashSet<u32> = charges.values().filter_map(|charged| charged.beside).collect();
        let turn = self.read_turn();
        for sample in self.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
            let Some(address) = sample.address() else { continue };
            let row = row(&mut rows, address);
            row.samples.add(1);
            of_transfers += u64::from(transfers.contains(&address));
            let images = &sample.images;
            let clocks = |field: &Field| images.field(field).unwrap_or_default();
            let fixed = |field: &Field, clocks: u32| if images.flag(field) { u64::from(clocks) } else { 0 };
            let missed = images.flag(&LD_OP) && images.flag(&DC_MISS);
            let mut stalls = [0; Blame::COUNT];
            // What is read for others at the same time has its turn on the bus before, and they are charged for it.
            let others = clocks(&DC_MISS_OPEN_REQS).saturating_mul(turn);
            // What V waits for its line, U mostly waits for, too.
            let in_u = |charged: &&Charged| charged.filling > 0 && charged.beside.is_none();
            let filling = charges.get(&address).filter(in_u);
            stalls[Blame::DataMiss as usize] = match filling {
                // It has the bus for itself, which is another cause.
                _ if images.flag(&DC_LOCKED_OP) => 0,
                _ if missed => clocks(&DC_MISS_LAT).saturating_sub(others),
                // The packet says that it waits for a line that another access has missed, and not how long.
                Some(charged) if images.flag(&DC_MAB_HIT) => charged.filled / charged.filling,
                _ => 0,
            };
            stalls[Blame::DataTlb as usize] = if images.flag(&DC_L1_TLB_MISS) {
                clocks(&TLB_REFILL_LAT)
            } else {
                0
            };
            if let Some(rules) = rules {
                // What meets the entry of another branch refills the pipeline as a misprediction does.
                let refill = |field: &Field| fixed(field, rules.mispredicted_in_ex);
                // The clocks of a far transfer and of an interrupt have their refill in them.
                let predicted = !code_known || branches.contains(&address);
                let mispredicted = match predicted {
                    true if late.contains(&address) => fixed(&OP_BRN_MISP, rules.mispredicted_in_wb),
                    true => refill(&OP_BRN_MISP),
                    false => 0,
                };
                stalls[Blame::Misprediction as usize] = mispredicted.max(refill(&OP_BRN_RESYNC));
                // The reading and the writing of the same place are both misaligned.
                let accesses = 1 + u32::from(charges.get(&address).is_some_and(|charged| charged.rewrites));
                stalls[Blame::Misaligned as usize] = fixed(&DC_MIS_ACC, accesses * rules.misaligned);
                stalls[Blame::BankConflict as usize] =
                    fixed(&DC_LD_BNK_CON, rules.bank_conflict).max(fixed(&DC_ST_BNK_CON, rules.bank_conflict));
            }
            if let Some(charged) = charges.get(&address).filter(|charged| charged.ops > 0) {
                if charged.beside.is_none() && !paired.contains(&address) {
                    let clocks = charged.causes[Cause::Issue as usize] as f64 / charged.ops as f64;
                    issue.add_signed((clocks - 1.0 / f64::from(width)) * scale);
                }
                let inferred = stalls
                    .iter_mut()
                    .zip(Blame::ALL)
                    .filter(|(_, blame)| blame.told() == Told::ByCode);
                for (stall, blame) in inferred {
                    let clocks = blame.sum(|cause| charged.causes[cause as usize]);
                    // As many clocks for all ops of an execution as the code says.
                    let after = |samples: u64| samples * clocks / charged.ops;
                    *stall = after(row.samples.samples) - after(row.samples.samples - 1);
                }
            }
            put(row, &stalls, scale);
        }
        share_waits(&mut rows, &charges, scale);
        self.time_repeats(&mut rows, &charges, scale);
        self.add_fetches(&mut rows);
        if code_known {
            add_unexplained(self, &mut rows, &charges, scale);
        }
        let mut stalls = Stalls {
            rows: rows.into_values().collect(),
            scale,
            census: self.is_census(SampleKind::Op),
            width,
            span: self.span(),
            clocks: self.truth.as_ref().map(|truth| truth.clocks),
            alone: issue,
            of_transfers,
            chip_known: rules.is_some(),
            code_known,
            code_lack: self.lack(
                Some(SampleKind::Fetch),
                [IBS_FETCH_CTL, IBS_FETCH_LIN_AD, IC_IBS_EXTD_CTL],
            ),
        };
        for row in &mut stalls.rows {
            row.census = stalls.census;
            row.exact = self.instruction(row.address).map(|instruction| {
                let of = |causes: &[Cause]| {
                    let own = instruction.causes.iter().filter(|(cause, _)| causes.contains(cause));
                    own.map(|(_, clocks)| *clocks).sum::<u64>()
                };
                let causes = Blame::ALL.map(|blame| of(blame.causes()));
                let known = of(&[Cause::Issue]) + causes.iter().sum::<u64>();
                let others = instruction.clocks.saturating_sub(known);
                ExactStalls {
                    executions: instruction.executions,
                    ops: instruction.ops,
                    clocks: instruction.clocks,
                    causes,
                    others,
                }
            });
        }
        Ok(stalls)
    }

    /// The clocks that a read that misses takes if no other is under way, on average over the samples; 0 without one.
    fn read_turn(&self) -> u64 {
        let images = self.samples.iter().map(|sample| &sample.images);
        let alone = images.filter(|images| {
            images.flag(&LD_OP) && images.flag(&DC_MISS) && images.field(&DC_MISS_OPEN_REQS) == Some(0)
        });
        let mut turns = Sum::default();
        for images in alone {
            turns.add(images.field(&DC_MISS_LAT).unwrap_or_default());
        }
        turns.total.checked_div(turns.samples).unwrap_or_default()
    }

    /// Adds the clocks of missing fetches to the first sampled instruction of their line; if there is none, to the
    /// line.
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
                let first = rows.range(line..end).next().map_or(line, |(&address, _)| address);
                put(row(rows, first), &stalls, scale);
            }
        }
    }

    /// Whether every fetch or op of the sampled runs is a sample.
    pub fn is_census(&self, kind: SampleKind) -> bool {
        let sampling = &self.sampling;
        let attempts = match kind {
            SampleKind::Fetch => sampling.fetch,
            SampleKind::Op if sampling.choice.mode == CountMode::Dispatch => sampling.op,
            SampleKind::Op => None,
        };
        let all = |attempts: Attempts| attempts.period == 1 && attempts.dropped == Some(0);
        let whole = sampling.cut == 0 && !self.is_filtered(kind);
        attempts.is_some_and(all) && sampling.choice.randomization == Randomization::None && whole
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

fn row(rows: &mut BTreeMap<u32, StallRow>, address: u32) -> &mut StallRow {
    rows.entry(address).or_insert_with(|| StallRow {
        address,
        ..StallRow::default()
    })
}

/// Adds what a sample shows, which stands for `scale` times as much.
fn put(row: &mut StallRow, stalls: &[u64; Blame::COUNT], scale: f64) {
    for (sum, &clocks) in row.causes.iter_mut().zip(stalls) {
        sum.add(clocks as f64 * scale);
    }
    row.stall.add(stalls.iter().sum::<u64>() as f64 * scale);
}
