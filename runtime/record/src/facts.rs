//! The contents of a recording and its gaps: samplers that were off, registers without an image in any sample.

use super::{Attempts, CountMode, Randomization, Recording, SampleKind, Truth};
use p5_chips::ibs::{IBS_FETCH_LIN_AD, IBS_OP_RIP};

/// The reason why something is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The sampler of this kind was off.
    Off(SampleKind),
    /// It was on and took no sample.
    NoSample(SampleKind),
    /// It was on, and the filter left no sample.
    Filtered(SampleKind),
    /// No sample has an image of these registers, ascending by number.
    NotKept(Vec<&'static str>),
}

impl Recording {
    /// The reason why the contents of `registers` in samples of a `kind` are not known; none if they are known.
    /// Registers that neither this version nor the recording knows are ignored.
    pub fn lack(&self, kind: Option<SampleKind>, registers: impl IntoIterator<Item = u32>) -> Option<Lack> {
        if let Some(kind) = kind.filter(|&kind| !self.has_any(kind)) {
            let on = match kind {
                SampleKind::Fetch => self.sampling.fetch.is_some(),
                SampleKind::Op => self.sampling.op.is_some(),
            };
            return Some(match on {
                true if self.is_filtered(kind) => Lack::Filtered(kind),
                true => Lack::NoSample(kind),
                false => Lack::Off(kind),
            });
        }
        let mut missing: Vec<u32> = registers.into_iter().filter(|&register| !self.has(register)).collect();
        missing.sort_unstable();
        missing.dedup();
        let names: Vec<&str> = missing
            .into_iter()
            .filter_map(|register| self.register(register))
            .map(|register| register.name)
            .collect();
        (!names.is_empty()).then_some(Lack::NotKept(names))
    }

    /// The reason why the addresses of the samples of a kind are not known.
    pub fn lack_of_addresses(&self, kind: SampleKind) -> Option<Lack> {
        let register = match kind {
            SampleKind::Fetch => IBS_FETCH_LIN_AD,
            SampleKind::Op => IBS_OP_RIP,
        };
        self.lack(Some(kind), [register])
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

    /// Whether a filter left out some samples of a kind.
    pub fn is_filtered(&self, kind: SampleKind) -> bool {
        let sampling = &self.sampling;
        sampling.choice.last_level_misses_only || kind == SampleKind::Op && sampling.choice.load_latency.is_some()
    }

    /// Whether all distances between samples of a kind are equal and greater than one op or fetch.
    pub fn has_fixed_distances(&self, kind: SampleKind) -> bool {
        let attempts = match kind {
            SampleKind::Fetch => self.sampling.fetch,
            SampleKind::Op => self.sampling.op,
        };
        self.sampling.choice.randomization == Randomization::None && attempts.is_some_and(|one| one.period > 1)
    }

    /// The exact figures for everything that the samples of a kind stand for; none if a filter kept only some of them.
    pub fn comparable(&self, kind: SampleKind) -> Option<&Truth> {
        self.truth.as_ref().filter(|_| !self.is_filtered(kind))
    }

    /// The number of samples of a kind.
    pub fn count(&self, kind: SampleKind) -> u64 {
        self.samples.iter().filter(|sample| sample.kind == kind).count() as u64
    }

    /// Whether there is a sample of a kind.
    pub fn has_any(&self, kind: SampleKind) -> bool {
        self.samples.iter().any(|sample| sample.kind == kind)
    }

    /// Whether a register has an image in any sample.
    pub fn has(&self, register: u32) -> bool {
        self.samples.iter().any(|sample| sample.images.get(register).is_some())
    }
}
