//! What a chip says of itself, and its model specific registers.
//!
//! Modelled: the answers of CPUID, which model specific registers there are, what stands in them after reset and what each
//! is for. Not modelled: what reading and writing them does; that stands in `machine`.

/// What CPUID answers to one leaf: EAX, EBX, ECX, EDX.
pub type CpuidLeaf = [u32; 4];

/// A model specific register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelRegister {
    /// Its number, as ECX names it.
    pub number: u32,
    /// What it is for.
    pub role: Role,
    /// What stands in it after reset.
    pub reset: u64,
}

/// What a model specific register is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It keeps what is written to it.
    Kept,
    /// It keeps what is written to it; it tests a unit, which is not touched.
    Test,
    /// The same, but reading it hangs the processor.
    HangsWhenRead,
    /// The time stamp counter.
    TimeStampCounter,
    /// Control and event select of the two counters.
    ControlAndEventSelect,
    /// A counter: 0 or 1.
    Counter(usize),
    /// Test register 12, whose bits switch features off.
    FeatureControl,
}

/// "Genuine", "Intel" and the last leaf, which every chip of Intel answers to leaf 0.
pub const fn genuine_intel(last_leaf: u32) -> CpuidLeaf {
    [last_leaf, 0x756E_6547, 0x6C65_746E, 0x4965_6E69]
}
