//! Model specific register numbers and the bits of the control and event select register.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997, table 16-1 and 16.4.2; Mathisen, Pentium Secrets.

/// The machine check address register: the physical address of the cycle that failed.
pub const MACHINE_CHECK_ADDRESS: u32 = 0x00;
/// The machine check type register: the kind of the cycle that failed.
pub const MACHINE_CHECK_TYPE: u32 = 0x01;
/// Test register 12: feature control (write only on silicon).
pub const TR12: u32 = 0x0E;
/// The time stamp counter, 64 bits, one count a clock.
pub const TIME_STAMP_COUNTER: u32 = 0x10;
/// The control and event select register (CESR), 32 bits.
pub const CONTROL_AND_EVENT_SELECT: u32 = 0x11;
/// Counter 0, 40 bits wide.
pub const COUNTER_0: u32 = 0x12;
/// Counter 1, 40 bits wide.
pub const COUNTER_1: u32 = 0x13;

/// The event field of one half of the CESR, 6 bits.
pub const CESR_EVENT: u32 = 0x3F;
/// CESR bit 6 of a half: count at CPL 0, 1 and 2.
pub const CESR_SYSTEM: u32 = 0x40;
/// CESR bit 7 of a half: count at CPL 3.
pub const CESR_USER: u32 = 0x80;
/// CESR bit 8 of a half: count clocks instead of occurrences.
pub const CESR_CLOCKS: u32 = 0x100;
/// CESR bit 9 of a half: the pin shows overflows instead of increments.
pub const CESR_PIN_OVERFLOW: u32 = 0x200;
/// The width of a counter in bits.
pub const COUNTER_BITS: u32 = 40;

/// TR12 bit 0: no branch target buffer entry is allocated.
pub const TR12_NO_BRANCH_PREDICTION: u32 = 1 << 0;
/// TR12 bit 2: only the U pipe issues.
pub const TR12_SINGLE_PIPE: u32 = 1 << 2;
/// TR12 bit 3: neither cache fills a line.
pub const TR12_CACHE_INHIBIT: u32 = 1 << 3;
