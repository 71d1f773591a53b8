//! Architectural performance monitoring: four general and three fixed counters.
//!
//! Modelled: event, unit mask, privilege levels, enabling here and globally, CMASK, INV and EDGE, presets, overflow
//! status and interrupts on overflow. A counter is a window on the tally, as the Pentium's own two are, and its reading
//! includes the instruction that reads. Levels 1 and 2 count as level 0. CMASK distinguishes clocks without, with one
//! and with two occurrences, which is the most that an event of the Pentium has, and is looked at after each
//! instruction. The tally may know of the clocks of an event before they have passed, as of a bus cycle when it begins:
//! the condition holds in the clocks that pass, up to as many as the tally knows of. Both events of a sum are taken
//! to share no more clocks than an instruction forces them to. EDGE counts when the condition begins to hold: the
//! clocks in which it holds during an instruction are taken to be the last ones of the instruction.
//!
//! Not modelled: pins (PC), the logical processors of ANY, more than one rise within an instruction, and clocks with
//! more than two occurrences.

use asm_macros::events::Event;
use p5_chips::{
    COUNTER_MASK, CoreRatio, CounterEvents, FIXED_COUNTERS, FULL_WIDTH_WRITES, GENERAL_COUNTERS,
    GLOBAL_CONTROL_AT_RESET, PerfmonRegister, Source, perfmon_event,
};
use p5_timing::counters::Tally;

/// Bits of IA32_PERFEVTSELn.
mod select {
    pub(super) const USER: u64 = 1 << 16;
    pub(super) const SYSTEM: u64 = 1 << 17;
    pub(super) const EDGE: u64 = 1 << 18;
    pub(super) const INTERRUPT: u64 = 1 << 20;
    pub(super) const ENABLE: u64 = 1 << 22;
    pub(super) const INVERT: u64 = 1 << 23;
    pub(super) const MASK_SHIFT: u32 = 24;
    pub(super) const DEFINED: u64 = 0xFFFF_FFFF;
}

/// Bits of a counter's four in IA32_FIXED_CTR_CTRL.
mod fixed {
    pub(super) const SYSTEM: u64 = 1;
    pub(super) const USER: u64 = 2;
    pub(super) const INTERRUPT: u64 = 8;
}

/// The bits of the global registers: one for each general counter, and from bit 32 on one for each fixed counter.
const ALL_COUNTERS: u64 = ((1 << GENERAL_COUNTERS) - 1) | ((1 << FIXED_COUNTERS) - 1) << FIXED_SHIFT;
const FIXED_SHIFT: u32 = 32;
/// The bits of IA32_PERF_GLOBAL_OVF_CTRL beyond those of the counters, which never have to be cleared. They are for
/// counters outside the core, for the debug store, and for changed conditions.
const OTHER_CONDITIONS: u64 = 7 << 61;
const FIXED_CONTROL: u64 = (1 << (4 * FIXED_COUNTERS)) - 1;
/// The number of counters, the general ones first.
const COUNTERS: usize = GENERAL_COUNTERS + FIXED_COUNTERS;

const FIXED_SOURCES: [Source; FIXED_COUNTERS] = [
    Source::Event(Event::INSTRUCTIONS_EXECUTED),
    Source::CoreClocks,
    Source::ReferenceClocks,
];

/// The counts so far.
#[derive(Clone, Copy)]
pub(crate) struct Progress<'a> {
    /// The tallies at CPL 0 to 2, and at CPL 3.
    pub(crate) tallies: [&'a Tally; 2],
    /// The instructions that have been executed and wait for a partner, at the same levels.
    pub(crate) waiting: [u64; 2],
    /// The ratio of core clocks to reference clocks.
    pub(crate) ratio: CoreRatio,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Setting {
    source: Source,
    // At CPL 0 to 2, and at CPL 3.
    levels: [bool; 2],
    // The least number of occurrences in a counted clock, or 0 to add occurrences.
    least: u8,
    inverted: bool,
    edge: bool,
    interrupts: bool,
}

impl Setting {
    /// Whether it counts the same as another setting, whatever happens on overflow.
    fn counts_as(&self, other: &Setting) -> bool {
        let Setting { interrupts, .. } = *self;
        *self == Setting { interrupts, ..*other }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Counter {
    value: u64,
    // The setting that applies while the counter is enabled.
    setting: Option<Setting>,
    // The part of the count that its value includes; with CMASK, of the clocks of its event. For a sum, the part of
    // the clocks with one occurrence and of those with two.
    since: [u64; 2],
    // The clocks at its levels up to the last check.
    clocks: u64,
    // For EDGE: whether the condition held in the last clock, and the clocks so far at all levels.
    held: bool,
    all_clocks: u64,
}

#[derive(Debug)]
pub(crate) struct Perfmon {
    events: &'static CounterEvents,
    selects: [u64; GENERAL_COUNTERS],
    fixed_control: u64,
    global_control: u64,
    status: u64,
    counters: [Counter; COUNTERS],
    // Whether an interrupt has been requested since the last check.
    requested: bool,
}

impl Progress<'_> {
    fn of(&self, count: impl Fn(&Tally) -> u64, levels: [bool; 2]) -> u64 {
        let counts = self.tallies.iter().zip(levels).filter(|(_, counted)| *counted);
        counts.fold(0, |sum, (tally, _)| sum.wrapping_add(count(tally)))
    }

    fn clocks(&self, levels: [bool; 2]) -> u64 {
        self.of(|tally| tally.get(Event::CLOCKS_NOT_HALTED, true), levels)
    }

    /// The count of a source at these levels.
    fn count(&self, source: Source, levels: [bool; 2]) -> u64 {
        match source {
            Source::CoreClocks => self.clocks(levels),
            Source::ReferenceClocks => self.ratio.reference_clocks(self.clocks(levels)),
            Source::Event(Event::INSTRUCTIONS_EXECUTED) => {
                let waiting = self.waiting.iter().zip(levels);
                let waiting: u64 = waiting.map(|(waiting, counted)| waiting * u64::from(counted)).sum();
                self.of(|tally| tally.get(Event::INSTRUCTIONS_EXECUTED, false), levels) + waiting
            }
            Source::Event(event) => self.of(|tally| tally.get(event, false), levels),
            Source::Sum(events) => events.iter().fold(0, |sum, &event| {
                sum.wrapping_add(self.count(Source::Event(event), levels))
            }),
        }
    }

    /// The clocks in which a source counted at least `least`, as far as the tally knows them. A clock that its events
    /// share counts for each event, and clocks still to come are included.
    fn clocks_with(&self, source: Source, least: u8, levels: [bool; 2]) -> u64 {
        match (source, least) {
            (Source::CoreClocks, 1) => self.clocks(levels),
            (Source::ReferenceClocks, least) => self.ratio.clocks_with(self.clocks(levels), u64::from(least.max(1))),
            (Source::Event(event), 1) => self.of(|tally| tally.get(event, true), levels),
            (Source::Event(event), 2) => self.of(|tally| tally.doubled(event), levels),
            (Source::Sum(events), 1 | 2) => events.iter().fold(0, |sum, &event| {
                sum.wrapping_add(self.clocks_with(Source::Event(event), least, levels))
            }),
            _ => 0,
        }
    }
}

/// The excess of `later` over `earlier`, or 0, as a correction may precede the count that it corrects.
fn beyond(later: u64, earlier: u64) -> u64 {
    i64::try_from(later.wrapping_sub(earlier)).map_or(0, i64::unsigned_abs)
}

impl Counter {
    /// Brings the value up to date. Returns whether it has overflowed.
    fn update(&mut self, progress: &Progress<'_>) -> bool {
        let Some(setting) = self.setting else {
            return false;
        };
        let counted = match (setting.edge, setting.least) {
            (true, _) => self.rises(&setting, progress),
            (false, 0) => {
                let counted = beyond(progress.count(setting.source, setting.levels), self.since[0]);
                self.since[0] += counted;
                counted
            }
            (false, _) => self.holding(&setting, progress),
        };
        let value = u128::from(self.value) + u128::from(counted);
        self.value = value as u64 & COUNTER_MASK;
        value > u128::from(COUNTER_MASK)
    }

    /// The clocks since the last check in which the condition has held: at most all of them.
    fn holding(&mut self, setting: &Setting, progress: &Progress<'_>) -> u64 {
        let Setting { source, levels, .. } = *setting;
        let clocks = progress.clocks(levels);
        let passed = beyond(clocks, self.clocks);
        self.clocks += passed;
        let least = setting.least.max(1);
        let mut held = match source {
            // The excess of its events over the passed clocks is the number of clocks that they shared.
            Source::Sum(_) => {
                let [one, two] = [1, 2].map(|least| progress.clocks_with(source, least, levels));
                let [ones, twos] = [beyond(one, self.since[0]), beyond(two, self.since[1])];
                self.since = [self.since[0] + ones, self.since[1] + twos];
                match least {
                    1 => ones,
                    2 => twos + ones.saturating_sub(passed),
                    _ => 0,
                }
            }
            // The excess over the passed clocks is still to come.
            _ => beyond(progress.clocks_with(source, least, levels), self.since[0]),
        };
        held = held.min(passed);
        if !matches!(source, Source::Sum(_)) {
            self.since[0] += held;
        }
        match setting.inverted && setting.least > 0 {
            true => passed - held,
            false => held,
        }
    }

    /// The number of times since the last check that the condition has begun to hold.
    fn rises(&mut self, setting: &Setting, progress: &Progress<'_>) -> u64 {
        let clocks = progress.clocks([true; 2]);
        let passed = clocks.wrapping_sub(std::mem::replace(&mut self.all_clocks, clocks));
        match self.holding(setting, progress) {
            0 => {
                self.held &= passed == 0;
                0
            }
            // The condition has held in each clock.
            holding if holding >= passed => u64::from(!std::mem::replace(&mut self.held, true)),
            _ => {
                self.held = true;
                1
            }
        }
    }

    fn set(&mut self, setting: Option<Setting>, progress: &Progress<'_>) {
        let before = std::mem::replace(&mut self.setting, setting);
        if before.zip(setting).is_some_and(|(before, now)| before.counts_as(&now)) {
            return;
        }
        self.held = false;
        self.all_clocks = progress.clocks([true; 2]);
        let Some(Setting {
            source,
            levels,
            least,
            edge,
            ..
        }) = setting
        else {
            return;
        };
        self.clocks = progress.clocks(levels);
        let with = |least| progress.clocks_with(source, least, levels);
        self.since = match source {
            _ if least == 0 && !edge => [progress.count(source, levels), 0],
            Source::Sum(_) => [with(1), with(2)],
            _ => [with(least.max(1)), 0],
        };
    }
}

impl Perfmon {
    /// All counters at reset: the general ones are enabled, but have no event.
    pub(crate) fn new(events: &'static CounterEvents) -> Perfmon {
        Perfmon {
            events,
            selects: [0; GENERAL_COUNTERS],
            fixed_control: 0,
            global_control: GLOBAL_CONTROL_AT_RESET,
            status: 0,
            counters: [Counter::default(); COUNTERS],
            requested: false,
        }
    }

    pub(crate) fn reset(&mut self) {
        *self = Perfmon::new(self.events);
    }

    /// Whether the counters have to be checked after each instruction.
    pub(crate) fn watches(&self) -> bool {
        let mut settings = self.counters.iter().filter_map(|counter| counter.setting);
        self.requested || settings.any(|setting| setting.edge || setting.interrupts || setting.least > 0)
    }

    /// Brings all counters up to date. Returns whether an overflow asks for an interrupt.
    pub(crate) fn look(&mut self, progress: &Progress<'_>) -> bool {
        for (number, counter) in self.counters.iter_mut().enumerate() {
            if counter.update(progress) {
                self.status |= global_bit(number);
                self.requested |= counter.setting.is_some_and(|setting| setting.interrupts);
            }
        }
        std::mem::take(&mut self.requested)
    }

    pub(crate) fn read(&mut self, register: PerfmonRegister, progress: &Progress<'_>) -> u64 {
        self.keep_up(progress);
        match register {
            PerfmonRegister::Select(number) => self.selects[usize::from(number)],
            PerfmonRegister::Counter(number) | PerfmonRegister::WholeCounter(number) => {
                self.counters[usize::from(number)].value
            }
            PerfmonRegister::Fixed(number) => self.counters[GENERAL_COUNTERS + usize::from(number)].value,
            PerfmonRegister::FixedControl => self.fixed_control,
            PerfmonRegister::Status => self.status,
            PerfmonRegister::GlobalControl => self.global_control,
            // Written values are not kept.
            PerfmonRegister::OverflowControl => 0,
            PerfmonRegister::Capabilities => FULL_WIDTH_WRITES,
        }
    }

    /// Writes a register. Returns false without a change if that sets a reserved bit or the register is read-only.
    pub(crate) fn write(&mut self, register: PerfmonRegister, value: u64, progress: &Progress<'_>) -> bool {
        let defined = match register {
            PerfmonRegister::Select(_) => select::DEFINED,
            PerfmonRegister::Counter(_) => u64::MAX,
            PerfmonRegister::WholeCounter(_) | PerfmonRegister::Fixed(_) => COUNTER_MASK,
            PerfmonRegister::FixedControl => FIXED_CONTROL,
            PerfmonRegister::GlobalControl => ALL_COUNTERS,
            PerfmonRegister::OverflowControl => ALL_COUNTERS | OTHER_CONDITIONS,
            PerfmonRegister::Status | PerfmonRegister::Capabilities => return false,
        };
        if value & !defined != 0 {
            return false;
        }
        self.keep_up(progress);
        match register {
            PerfmonRegister::Select(number) => self.selects[usize::from(number)] = value,
            PerfmonRegister::Counter(number) => {
                // The low half, with its sign.
                self.counters[usize::from(number)].value = i64::from(value as i32) as u64 & COUNTER_MASK;
            }
            PerfmonRegister::WholeCounter(number) => self.counters[usize::from(number)].value = value,
            PerfmonRegister::Fixed(number) => self.counters[GENERAL_COUNTERS + usize::from(number)].value = value,
            PerfmonRegister::FixedControl => self.fixed_control = value,
            PerfmonRegister::GlobalControl => self.global_control = value,
            PerfmonRegister::OverflowControl => self.status &= !value,
            PerfmonRegister::Status | PerfmonRegister::Capabilities => {}
        }
        for number in 0..COUNTERS {
            let setting = self.setting(number);
            self.counters[number].set(setting, progress);
        }
        true
    }

    /// Brings all counters up to date, and records a request for an interrupt.
    fn keep_up(&mut self, progress: &Progress<'_>) {
        self.requested = self.look(progress);
    }

    /// The setting of a counter by its control registers.
    fn setting(&self, number: usize) -> Option<Setting> {
        if self.global_control & global_bit(number) == 0 {
            return None;
        }
        let setting = match number.checked_sub(GENERAL_COUNTERS) {
            None => {
                let select = self.selects[number];
                let event = perfmon_event(self.events, select as u8, (select >> 8) as u8);
                Setting {
                    source: event.filter(|_| select & select::ENABLE != 0)?,
                    levels: [select & select::SYSTEM != 0, select & select::USER != 0],
                    least: (select >> select::MASK_SHIFT) as u8,
                    inverted: select & select::INVERT != 0,
                    edge: select & select::EDGE != 0,
                    interrupts: select & select::INTERRUPT != 0,
                }
            }
            Some(fixed) => {
                let control = self.fixed_control >> (4 * fixed);
                Setting {
                    source: FIXED_SOURCES[fixed],
                    levels: [control & fixed::SYSTEM != 0, control & fixed::USER != 0],
                    least: 0,
                    inverted: false,
                    edge: false,
                    interrupts: control & fixed::INTERRUPT != 0,
                }
            }
        };
        Some(setting).filter(|setting| setting.levels != [false; 2])
    }

    /// The register that RDPMC reads: a general counter, or with bit 30 of the number a fixed one.
    pub(crate) fn counter(number: u32) -> Option<PerfmonRegister> {
        const FIXED: u32 = 1 << 30;
        match number {
            number if (number as usize) < GENERAL_COUNTERS => Some(PerfmonRegister::Counter(number as u8)),
            number if number & FIXED != 0 && ((number - FIXED) as usize) < FIXED_COUNTERS => {
                Some(PerfmonRegister::Fixed((number - FIXED) as u8))
            }
            _ => None,
        }
    }
}

/// The bit of a counter in the global registers.
fn global_bit(number: usize) -> u64 {
    match number.checked_sub(GENERAL_COUNTERS) {
        None => 1 << number,
        Some(fixed) => 1 << (FIXED_SHIFT as usize + fixed),
    }
}
