//! CPUID and the model specific registers of a chip.
//!
//! Modelled: the results of CPUID; the model specific registers, their reset values and their roles. Not modelled: the
//! effects of reading and writing the registers, which are in `machine`.

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

/// A register of architectural performance monitoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PerfmonRegister {
    /// IA32_PERFEVTSELn, which selects the event of counter n.
    Select(u8),
    /// IA32_PMCn: counter n, to which a write sign-extends bit 31.
    Counter(u8),
    /// IA32_A_PMCn: counter n, written in its full width.
    WholeCounter(u8),
    /// IA32_FIXED_CTRn, written in its full width.
    Fixed(u8),
    /// IA32_PERF_CAPABILITIES, read-only.
    Capabilities,
    /// IA32_FIXED_CTR_CTRL, which enables the fixed counters.
    FixedControl,
    /// IA32_PERF_GLOBAL_STATUS, read-only.
    Status,
    /// IA32_PERF_GLOBAL_CTRL, which enables all counters.
    GlobalControl,
    /// IA32_PERF_GLOBAL_OVF_CTRL: ones clear bits of the status.
    OverflowControl,
}

impl PerfmonRegister {
    /// The name of the register as Intel spells it.
    pub fn name(self) -> String {
        match self {
            PerfmonRegister::Select(number) => format!("IA32_PERFEVTSEL{number}"),
            PerfmonRegister::Counter(number) => format!("IA32_PMC{number}"),
            PerfmonRegister::WholeCounter(number) => format!("IA32_A_PMC{number}"),
            PerfmonRegister::Fixed(number) => format!("IA32_FIXED_CTR{number}"),
            PerfmonRegister::Capabilities => "IA32_PERF_CAPABILITIES".to_owned(),
            PerfmonRegister::FixedControl => "IA32_FIXED_CTR_CTRL".to_owned(),
            PerfmonRegister::Status => "IA32_PERF_GLOBAL_STATUS".to_owned(),
            PerfmonRegister::GlobalControl => "IA32_PERF_GLOBAL_CTRL".to_owned(),
            PerfmonRegister::OverflowControl => "IA32_PERF_GLOBAL_OVF_CTRL".to_owned(),
        }
    }
}

/// Leaf 0 of every Intel chip: the last leaf and "GenuineIntel".
pub const fn genuine_intel(last_leaf: u32) -> CpuidLeaf {
    [last_leaf, 0x756E_6547, 0x6C65_746E, 0x4965_6E69]
}
