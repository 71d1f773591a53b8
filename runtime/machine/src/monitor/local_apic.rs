//! The smallest local APIC: a timer that wakes programs, and the interrupt of counters that overflow.
//!
//! Modelled: its page at FEE00000h, uncached, for aligned accesses of 32 bits: identifier, version, task priority, end
//! of interrupt, the spurious vector register with the enabling bit, interrupts in service and requested, the local
//! vector table's timer (once or periodic) and performance counter entries with vector and mask, initial and current
//! count, and divider. The timer counts reference clocks, also while the core is halted. An interrupt has the priority
//! of the upper half of its vector. DOUBT: the page takes the time of any uncached one, although it is on the chip.
//! The counters' entry may deliver a non-maskable interrupt instead (mode 100b): it has vector 2, waits for no priority
//! and no interrupt flag, is not in service and needs no end of interrupt; the next one waits for IRET.
//! Not modelled: interrupts from outside and between processors, LINT pins, error status, logical destinations, the
//! other delivery modes (SMI, INIT and those for pins, with which the entry never interrupts), the current processor
//! priority, and moving or disabling the page.

pub(crate) const PAGE_ADDRESS: u32 = p5_chips::LOCAL_APIC_PAGE;
/// The size in bytes of the part of the page that holds registers.
pub(crate) const REGISTERS: u32 = 0x400;

pub(crate) const NON_MASKABLE_INTERRUPT: u8 = 2;

const IDENTIFIER: u32 = 0x20;
const VERSION: u32 = 0x30;
const TASK_PRIORITY: u32 = 0x80;
const END_OF_INTERRUPT: u32 = 0xB0;
const SPURIOUS: u32 = 0xF0;
const IN_SERVICE: u32 = 0x100;
const REQUESTED: u32 = 0x200;
const TIMER: u32 = 0x320;
const PERFORMANCE: u32 = 0x340;
const INITIAL_COUNT: u32 = 0x380;
const CURRENT_COUNT: u32 = 0x390;
const DIVIDER: u32 = 0x3E0;

/// The bit of the spurious vector register that enables the APIC.
const ENABLED: u32 = 1 << 8;
/// The bits of an entry of the local vector table: it is masked; the timer is periodic.
const MASKED: u32 = 1 << 16;
const PERIODIC: u32 = 1 << 17;
/// Bits 10:8 of an entry: its delivery mode.
const DELIVERY_MODE: u32 = 7 << 8;
const FIXED: u32 = 0;
const NON_MASKABLE: u32 = 4 << 8;

/// The version register: an integrated APIC, with entries 0 to 4.
const INTEGRATED: u32 = 0x0004_0011;
/// The number of vectors reserved for exceptions, which no interrupt may have.
const EXCEPTIONS: u8 = 16;

#[derive(Debug)]
pub(crate) struct LocalApic {
    identifier: u32,
    task_priority: u32,
    spurious: u32,
    timer: u32,
    performance: u32,
    divider: u32,
    initial_count: u32,
    // The end of the timer's count, in reference clocks.
    expires: Option<u64>,
    requested: [u32; 8],
    in_service: [u32; 8],
    // Whether a non-maskable interrupt is requested, and whether one was delivered without an IRET since.
    non_maskable: bool,
    in_non_maskable: bool,
    returns: bool,
    // Whether registers other than the current count have changed since the last check, except by writes.
    changed: bool,
}

impl LocalApic {
    /// The APIC at reset, disabled and with all entries masked.
    pub(crate) fn new() -> LocalApic {
        LocalApic {
            identifier: 0,
            task_priority: 0,
            spurious: 0xFF,
            timer: MASKED,
            performance: MASKED,
            divider: 0,
            initial_count: 0,
            expires: None,
            requested: [0; 8],
            in_service: [0; 8],
            non_maskable: false,
            in_non_maskable: false,
            returns: false,
            changed: false,
        }
    }

    /// Whether it has to be checked after each instruction.
    pub(crate) fn watches(&self) -> bool {
        self.expires.is_some() || self.requested != [0; 8] || self.non_maskable || self.in_non_maskable
    }

    /// The reference clocks of one step of the timer.
    fn step(&self) -> u64 {
        // Value 0 divides by 2, and so on to 6 by 128; 7 divides by 1.
        let setting = self.divider & 3 | self.divider >> 1 & 4;
        1 << ((setting + 1) & 7)
    }

    fn is_enabled(&self) -> bool {
        self.spurious & ENABLED != 0
    }

    /// The register at `offset` at `now`, in reference clocks.
    pub(crate) fn read(&self, offset: u32, now: u64) -> u32 {
        match offset {
            IDENTIFIER => self.identifier,
            VERSION => INTEGRATED,
            TASK_PRIORITY => self.task_priority,
            SPURIOUS => self.spurious,
            IN_SERVICE..=0x170 => self.in_service[((offset - IN_SERVICE) >> 4) as usize],
            REQUESTED..=0x270 => self.requested[((offset - REQUESTED) >> 4) as usize],
            TIMER => self.timer,
            PERFORMANCE => self.performance,
            // The other entries of the table.
            0x350 | 0x360 | 0x370 => MASKED,
            INITIAL_COUNT => self.initial_count,
            CURRENT_COUNT => self.current_count(now),
            DIVIDER => self.divider,
            _ => 0,
        }
    }

    fn current_count(&self, now: u64) -> u32 {
        let left = self.expires.map_or(0, |expires| expires.saturating_sub(now));
        // The count is at most the initial count.
        left.div_ceil(self.step()) as u32
    }

    /// Writes the register at `offset` at `now`, in reference clocks.
    pub(crate) fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            IDENTIFIER => self.identifier = value & 0xFF00_0000,
            TASK_PRIORITY => self.task_priority = value & 0xFF,
            END_OF_INTERRUPT => {
                if let Some(vector) = highest(&self.in_service) {
                    clear(&mut self.in_service, vector);
                }
            }
            SPURIOUS => {
                self.spurious = value & 0x1FF;
                if !self.is_enabled() {
                    self.timer |= MASKED;
                    self.performance |= MASKED;
                }
            }
            // While the APIC is disabled, entries stay masked.
            TIMER => self.timer = value & 0x0003_00FF | self.mask_if_disabled(),
            PERFORMANCE => self.performance = value & 0x0001_07FF | self.mask_if_disabled(),
            INITIAL_COUNT => {
                self.initial_count = value;
                self.start(now);
            }
            DIVIDER => {
                let left = self.current_count(now);
                self.divider = value & 0xB;
                let step = self.step();
                if let Some(expires) = &mut self.expires {
                    *expires = now.saturating_add(u64::from(left) * step);
                }
            }
            _ => {}
        }
    }

    fn mask_if_disabled(&self) -> u32 {
        if self.is_enabled() { 0 } else { MASKED }
    }

    fn start(&mut self, now: u64) {
        let clocks = u64::from(self.initial_count) * self.step();
        self.expires = (clocks > 0).then(|| now.saturating_add(clocks));
    }

    /// Advances the timer to `now`, in reference clocks.
    pub(crate) fn reach(&mut self, now: u64) {
        let Some(expired) = self.expires.filter(|&expires| expires <= now) else {
            return;
        };
        self.expires = None;
        self.changed = true;
        if self.timer & PERIODIC != 0 {
            // All periods that have passed together make one interrupt.
            let period = u64::from(self.initial_count) * self.step();
            let passed = (now - expired)
                .checked_div(period)
                .map_or(0, |periods| periods * period);
            self.expires = Some(expired + passed + period).filter(|_| period > 0);
        }
        if self.timer & MASKED == 0 {
            self.request(self.timer as u8);
        }
    }

    /// The time of the timer's next interrupt, in reference clocks; `None` if it could not be delivered then.
    pub(crate) fn wakes(&self) -> Option<u64> {
        let vector = self.timer as u8;
        let interrupts = self.timer & MASKED == 0 && vector >= EXCEPTIONS && self.is_above(vector);
        self.expires.filter(|_| interrupts)
    }

    /// Whether the priority of a vector is above the interrupts in service and the task.
    fn is_above(&self, vector: u8) -> bool {
        let in_service = highest(&self.in_service).map_or(0, |vector| vector >> 4);
        let task = (self.task_priority >> 4) as u8;
        vector >> 4 > in_service.max(task)
    }

    /// Handles the overflow of a counter: its entry interrupts and is masked, unless it is already masked.
    pub(crate) fn counter_overflowed(&mut self) {
        if self.performance & MASKED == 0 {
            match self.performance & DELIVERY_MODE {
                FIXED => self.request(self.performance as u8),
                NON_MASKABLE => self.non_maskable = true,
                _ => {}
            }
            self.performance |= MASKED;
            self.changed = true;
        }
    }

    fn request(&mut self, vector: u8) {
        if vector >= EXCEPTIONS {
            self.requested[usize::from(vector >> 5)] |= 1 << (vector & 31);
        }
    }

    /// The vector to deliver next, if its priority is above the interrupts in service and the task.
    pub(crate) fn deliverable(&self) -> Option<u8> {
        highest(&self.requested).filter(|&vector| self.is_above(vector))
    }

    /// Whether a non-maskable interrupt is to be delivered next.
    pub(crate) fn is_non_maskable_deliverable(&self) -> bool {
        self.non_maskable && !self.in_non_maskable
    }

    /// Delivers the non-maskable interrupt. The next one waits for IRET.
    pub(crate) fn deliver_non_maskable(&mut self) {
        self.non_maskable = false;
        self.in_non_maskable = true;
    }

    /// Whether an IRET matters, because it allows the next non-maskable interrupt.
    pub(crate) fn waits_for_return(&self) -> bool {
        self.in_non_maskable
    }

    /// Records whether the next instruction is IRET.
    pub(crate) fn comes_to_return(&mut self, returns: bool) {
        self.returns = returns;
    }

    /// Records that the next instruction has been executed.
    pub(crate) fn executed(&mut self) {
        self.in_non_maskable &= !self.returns;
        self.returns = false;
    }

    /// The offsets of the registers that a program may read differently since the last call.
    pub(crate) fn take_changed(&mut self) -> std::ops::Range<u32> {
        match (std::mem::take(&mut self.changed), self.expires) {
            (true, _) => 0..REGISTERS,
            (false, Some(_)) => CURRENT_COUNT..CURRENT_COUNT + 1,
            (false, None) => 0..0,
        }
    }

    /// Delivers the interrupt. It is in service until the end of interrupt.
    pub(crate) fn deliver(&mut self, vector: u8) {
        clear(&mut self.requested, vector);
        self.in_service[usize::from(vector >> 5)] |= 1 << (vector & 31);
    }
}

fn highest(set: &[u32; 8]) -> Option<u8> {
    let word = set.iter().rposition(|&word| word != 0)?;
    Some((word as u32 * 32 + 31 - set[word].leading_zeros()) as u8)
}

fn clear(set: &mut [u32; 8], vector: u8) {
    set[usize::from(vector >> 5)] &= !(1 << (vector & 31));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enabled() -> LocalApic {
        let mut apic = LocalApic::new();
        apic.write(SPURIOUS, ENABLED | 0xFF, 0);
        apic
    }

    #[test]
    fn the_timer_counts_down_and_interrupts_once_or_periodically() {
        let mut apic = enabled();
        apic.write(DIVIDER, 0xB, 0);
        apic.write(TIMER, 0x40, 0);
        apic.write(INITIAL_COUNT, 100, 1000);
        assert_eq!(
            [1000, 1001, 1099].map(|now| apic.read(CURRENT_COUNT, now)),
            [100, 99, 1]
        );
        assert_eq!(apic.wakes(), Some(1100));
        apic.reach(1099);
        assert_eq!(apic.deliverable(), None);
        apic.reach(1100);
        assert_eq!(apic.deliverable(), Some(0x40));
        apic.deliver(0x40);
        assert_eq!((apic.deliverable(), apic.wakes()), (None, None));
        apic.write(TIMER, PERIODIC | 0x41, 1100);
        apic.write(DIVIDER, 0, 1100);
        apic.write(INITIAL_COUNT, 10, 1100);
        assert_eq!(apic.read(CURRENT_COUNT, 1100), 10);
        assert_eq!(apic.wakes(), None, "of the priority in service");
        apic.reach(1165);
        assert_eq!(apic.read(CURRENT_COUNT, 1160), 10, "until 1180, by 2");
        assert_eq!(apic.deliverable(), None, "of the priority in service");
        apic.write(END_OF_INTERRUPT, 0, 1165);
        assert_eq!(apic.deliverable(), Some(0x41));
        assert_eq!(apic.wakes(), Some(1180));
        apic.write(TASK_PRIORITY, 0x40, 1165);
        assert_eq!(apic.deliverable(), None, "of the priority of the task");
        assert_eq!(apic.wakes(), None, "of the priority of the task");
        apic.write(TASK_PRIORITY, 0x3F, 1165);
        assert_eq!(apic.wakes(), Some(1180));
        apic.write(TIMER, PERIODIC | 0xF, 1165);
        assert_eq!(apic.wakes(), None, "the vector of an exception");
    }

    #[test]
    fn an_overflow_masks_its_entry_and_one_that_is_masked_is_lost() {
        let mut apic = LocalApic::new();
        apic.write(PERFORMANCE, 0x50, 0);
        apic.counter_overflowed();
        assert_eq!(apic.deliverable(), None, "disabled, so masked");
        let mut apic = enabled();
        apic.write(PERFORMANCE, 0x50, 0);
        apic.counter_overflowed();
        assert_eq!(
            (apic.deliverable(), apic.read(PERFORMANCE, 0)),
            (Some(0x50), MASKED | 0x50)
        );
        apic.deliver(0x50);
        apic.write(END_OF_INTERRUPT, 0, 0);
        apic.counter_overflowed();
        assert_eq!(apic.deliverable(), None);
    }
}
