//! CPUID and the model specific registers of a chip.
//!
//! Modelled: the results of CPUID; the model specific registers, their reset values and their roles. Not modelled: the
//! effects of reading and writing the registers, which are in `machine`.

use super::PerfmonRegister;

/// The result of one CPUID leaf: EAX, EBX, ECX, EDX.
pub type CpuidLeaf = [u32; 4];

/// A model specific register of a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRegister {
    /// The number of the register, as passed in ECX.
    pub number: u32,
    /// The role, which decides the effects of reads and writes.
    pub role: Role,
    /// The value after reset, in all 64 bits.
    pub reset: u64,
}

/// The role of a model specific register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A register that stores what is written.
    Kept,
    /// A test register that stores what is written, without an effect on the unit that it tests.
    Test,
    /// A test register that hangs the processor when it is read.
    HangsWhenRead,
    /// The time stamp counter, 64 bits.
    TimeStampCounter,
    /// The control and event select register of the two counters.
    ControlAndEventSelect,
    /// Counter 0 or 1 of the two counters.
    Counter(usize),
    /// Test register 12, whose bits disable features.
    FeatureControl,
    /// TSC_AUX, whose 32 bits RDTSCP reads together with the time.
    TimeStampAuxiliary,
    /// The register of instruction-based sampling with this number.
    Sampling(u32),
    /// A register of architectural performance monitoring.
    Perfmon(PerfmonRegister),
}

/// Leaf 0 of every Intel chip: the last leaf and "GenuineIntel".
pub const fn genuine_intel(last_leaf: u32) -> CpuidLeaf {
    [last_leaf, 0x756E_6547, 0x6C65_746E, 0x4965_6E69]
}
