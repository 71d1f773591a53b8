//! The samplers as seen by a program: control registers, samples in registers, and interrupts.
//!
//! Modelled: a sampler that is enabled counts from its current count to the period, leaves a sample in its registers,
//! sets Val and stops until its control register is written without Val. After a sample of an op the low 7 bits of the
//! current count are random, so that a program that writes back the value it read varies its period. A sample that a
//! filter rejects restarts the sampler with other random low bits. Those of a fetch are random only with RandEn. Bits
//! that cannot be written ignore writes. Not modelled: a period of zero, which samples nothing.

use super::{FetchCounter, Filter, OpCounter, Period, Random, Stream, fetch_images, low_bits, op_images};
use p5_chips::ibs::*;
use p5_record::{CountMode, Images};
use p5_results::records::{FetchRecord, OpRecord};
use p5_timing::pipeline::{Next, Passed, Wanted};

/// The number of values of the random low bits of each count.
const FETCH_SPREAD: u64 = 1 << 4;
const OP_SPREAD: u64 = 1 << 7;
/// A count of fetches that is never reached.
const NO_FETCH: Next = Next::Count(u32::MAX as u64);

#[derive(Debug)]
pub(crate) struct Unit {
    registers: [u64; REGISTER_COUNT],
    op: Option<OpCounter>,
    fetch: Option<FetchCounter>,
    random: Random,
    // Whether a sampler has ever been enabled. From then on it is shown the retired ops.
    used: bool,
}

fn index(register: u32) -> usize {
    (register - FIRST_REGISTER) as usize
}

impl Unit {
    /// Both samplers at reset, which are disabled.
    pub(crate) fn new() -> Unit {
        Unit {
            registers: [0; REGISTER_COUNT],
            op: None,
            fetch: None,
            random: Random::uniform(0, Stream::Registers),
            used: false,
        }
    }

    /// Disables both samplers. The sequence of random numbers continues.
    pub(crate) fn reset(&mut self) {
        *self = Unit {
            random: self.random.clone(),
            ..Unit::new()
        };
    }

    /// Whether the samplers have to be shown retired ops and ended fetches.
    pub(crate) fn watches(&self) -> bool {
        self.used
    }

    /// The ops and fetches that have to be shown next. The course of fetches is followed even if none is wanted,
    /// because the program may enable the sampler of fetches at any time.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            op: self.op.as_ref().map_or(Next::Never, OpCounter::due),
            fetch: self.fetch.as_ref().map_or(NO_FETCH, FetchCounter::due),
        }
    }

    /// Counts the ops and fetches that passed without being shown.
    pub(crate) fn pass(&mut self, passed: Passed) {
        if let Some(counter) = &mut self.op {
            counter.pass(passed.ops);
        }
        if let Some(counter) = &mut self.fetch {
            counter.pass(passed.fetches);
        }
    }

    fn field(&self, field: &Field) -> u64 {
        field.get(self.registers[index(field.register)])
    }

    fn put(&mut self, field: &Field, value: u64) {
        let image = &mut self.registers[index(field.register)];
        *image = field.put(*image, value);
    }

    /// The period of ops, in ops or clocks.
    fn op_period(&self) -> u64 {
        self.field(&OP_MAX_CNT) << 4 | self.field(&OP_MAX_CNT_EXT) << 20
    }

    fn fetch_period(&self) -> u64 {
        self.field(&FETCH_MAX_CNT) << 4
    }

    pub(crate) fn read(&mut self, register: u32, now: u64) -> u64 {
        if let Some(counter) = &self.op {
            let counted = self.op_period().saturating_sub(counter.left(now));
            self.put(&OP_CUR_CNT, counted);
        }
        if let Some(counter) = &self.fetch {
            let counted = self.fetch_period().saturating_sub(counter.left()) >> 4;
            self.put(&FETCH_CNT, counted);
        }
        self.registers[index(register)]
    }

    pub(crate) fn write(&mut self, register: u32, value: u64, now: u64) {
        let writable = sample_register(register).map_or(0, |register| register.writable);
        let image = &mut self.registers[index(register)];
        *image = *image & !writable | value & writable;
        match register {
            IBS_OP_CTL => self.start_ops(now),
            IBS_FETCH_CTL => self.start_fetches(),
            _ => {}
        }
    }

    pub(crate) fn op_counter(&mut self) -> Option<&mut OpCounter> {
        self.op.as_mut()
    }

    fn start_ops(&mut self, now: u64) {
        let period = self.op_period();
        let on = self.field(&OP_EN) == 1 && self.field(&OP_VAL) == 0 && period > 0;
        self.op = on.then(|| {
            let mode = match self.field(&OP_CNT_CTL) {
                0 => CountMode::Cycles,
                _ => CountMode::Dispatch,
            };
            let left = period.saturating_sub(self.field(&OP_CUR_CNT)).max(1);
            let again = Period::counted(period, OP_SPREAD, self.random.split());
            let mut counter = OpCounter::new(mode, period, again, self.random.split(), now);
            counter.arm(left, now);
            counter
        });
        self.used |= on;
    }

    fn start_fetches(&mut self) {
        let period = self.fetch_period();
        let on = self.field(&FETCH_EN) == 1 && self.field(&FETCH_VAL) == 0 && period > 0;
        self.fetch = on.then(|| {
            let mut random = match self.field(&RAND_EN) {
                0 => Random::None,
                _ => self.random.split(),
            };
            let counted = self.field(&FETCH_CNT) * FETCH_SPREAD + random.below(FETCH_SPREAD);
            let mut counter = FetchCounter::new(period, Period::counted(period, FETCH_SPREAD, random));
            counter.arm(period.saturating_sub(counted).max(1));
            counter
        });
        self.used |= on;
    }

    /// Passes `ops` that have retired and `fetches` that have ended to the samplers. Returns whether a sample is
    /// ready, which interrupts.
    pub(crate) fn look(
        &mut self,
        ops: &[OpRecord],
        fetches: &[FetchRecord],
        physical: &dyn Fn(u32) -> Option<u32>,
    ) -> bool {
        let fetched = self.look_at_fetches(fetches, physical);
        self.look_at_ops(ops, physical) | fetched
    }

    fn look_at_ops(&mut self, ops: &[OpRecord], physical: &dyn Fn(u32) -> Option<u32>) -> bool {
        let threshold = (self.field(&LD_LAT_THRSH) as u32 + 1) * 128;
        let filter = Filter {
            load_latency: (self.field(&LD_LAT_EN) == 1).then_some(threshold),
            last_level_misses_only: self.field(&OP_L3_MISS_ONLY) == 1,
        };
        let mut from = 0;
        while let Some(counter) = &mut self.op
            && let Some(at) = counter.count(ops, from)
        {
            let op = &ops[at];
            from = at + 1;
            if !filter.takes_op(op) {
                counter.restart(op.retired);
                continue;
            }
            self.op = None;
            let counted = self.random.below(low_bits(self.op_period(), OP_SPREAD));
            self.fill(&op_images(op, physical), IBS_OP_CTL);
            self.put(&OP_CUR_CNT, counted);
            self.put(&OP_VAL, 1);
            return true;
        }
        false
    }

    fn look_at_fetches(&mut self, fetches: &[FetchRecord], physical: &dyn Fn(u32) -> Option<u32>) -> bool {
        let filter = Filter {
            load_latency: None,
            last_level_misses_only: self.field(&FETCH_L3_MISS_ONLY) == 1,
        };
        let mut from = 0;
        while let Some(counter) = &mut self.fetch
            && let Some(at) = counter.count(fetches, from)
        {
            let fetch = &fetches[at];
            from = at + 1;
            if !filter.takes_fetch(fetch) {
                counter.restart();
                continue;
            }
            self.fetch = None;
            let images = fetch_images(fetch, physical);
            let found = images.get(IBS_FETCH_CTL).unwrap_or_default();
            self.fill(&images, IBS_FETCH_CTL);
            // The bits set by the program are kept.
            let control = &mut self.registers[index(IBS_FETCH_CTL)];
            let set = FETCH_MAX_CNT.mask() | FETCH_EN.mask() | RAND_EN.mask() | FETCH_L3_MISS_ONLY.mask();
            *control = *control & set | found & !set;
            return true;
        }
        false
    }

    /// Stores the images of a sample, except that of its control register.
    fn fill(&mut self, images: &Images, control: u32) {
        for (register, image) in images.iter().filter(|&(register, _)| register != control) {
            self.registers[index(register)] = image;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::Pipe;
    use p5_results::records::{AccessRecord, DataSource, OpRecord};

    /// A load that waited `filled` clocks for memory.
    fn load(filled: u32) -> OpRecord {
        OpRecord {
            address: 0x1000,
            step: 0,
            steps: 1,
            last: true,
            pipe: Pipe::U,
            tagged: 10,
            completed: 12 + u64::from(filled),
            retired: 13 + u64::from(filled),
            microcode: false,
            branch: None,
            counts_as_branch: false,
            met_entry: false,
            load: Some(AccessRecord {
                write: false,
                size: 4,
                address: 0x2000,
                when: 11,
                wait: filled,
                references: 1,
                missed: 1,
                filled,
                source: DataSource::Memory,
                open_reads: 0,
                walks: 0,
                walked: 0,
                large_page: false,
                misaligned: false,
                bank_conflict: false,
                uncached: false,
                locked: false,
                buffered: 0,
            }),
            store: None,
        }
    }

    #[test]
    fn the_threshold_of_latency_counts_in_steps_of_128_clocks() {
        // The least threshold exceeds the clocks of every memory preset.
        for threshold in 0..16 {
            let least = (threshold as u32 + 1) * 128;
            for (filled, taken) in [(least - 1, false), (least, true)] {
                let mut unit = Unit::new();
                let control = LD_LAT_THRSH.put(LD_LAT_EN.put(OP_EN.put(OP_MAX_CNT.put(0, 1), 1), 1), threshold);
                unit.write(IBS_OP_CTL, OP_CUR_CNT.put(OP_CNT_CTL.put(control, 1), 15), 0);
                assert_eq!(
                    unit.look(&[load(filled)], &[], &Some),
                    taken,
                    "threshold {threshold}, {filled} clocks"
                );
                assert_eq!(OP_VAL.get(unit.read(IBS_OP_CTL, 0)) == 1, taken);
                if taken {
                    let image = unit.read(IBS_OP_DATA3, 0);
                    assert_eq!(DC_MISS_LAT.get(image), u64::from(filled));
                }
            }
        }
    }
}
