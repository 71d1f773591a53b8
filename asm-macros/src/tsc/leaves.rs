//! The facts of CPUID about the time stamp counter. The leaves come from the processor or from a test.

use super::frequency::{Frequency, FrequencySource};
use super::hypervisor::Hypervisor;
use core::fmt;
use raw_cpuid::{CpuId, CpuIdReader};

/// The features of a processor, as CPUID reports them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// The name of the processor, padded with zeros: CPUID.80000002h to 80000004h.
    name: [u8; 48],
    /// The twelve letters of the vendor: CPUID.0.
    vendor: [u8; 12],
    /// The hypervisor: CPUID.40000000h, if CPUID.1:ECX bit 31 is set.
    hypervisor: Option<Hypervisor>,
    /// Whether the processor has a time stamp counter: CPUID.1:EDX bit 4.
    pub tsc: bool,
    /// Whether the processor has RDTSCP and IA32_TSC_AUX: CPUID.80000001h:EDX bit 27.
    pub rdtscp: bool,
    /// Whether the counter runs at a constant rate in all power states: CPUID.80000007h:EDX bit 8.
    pub invariant: bool,
    /// The frequency of the counter, if a leaf states it.
    pub frequency: Option<Frequency>,
}

impl Features {
    /// Reads the leaves of this processor.
    #[cfg(target_arch = "x86_64")]
    pub fn of_this_processor() -> Features {
        Features::from_leaves(raw_cpuid::CpuIdReaderNative)
    }

    /// Reads the leaves from `reader`, a function from EAX and ECX to a leaf.
    pub fn from_leaves<R: CpuIdReader>(reader: R) -> Features {
        let cpuid = CpuId::with_cpuid_reader(reader.clone());
        let features = cpuid.get_feature_info();
        let mut name = [0; 48];
        if let Some(brand) = cpuid.get_processor_brand_string() {
            put(&mut name, brand.as_str().trim());
        }
        let mut vendor = [0; 12];
        if let Some(info) = cpuid.get_vendor_info() {
            put(&mut vendor, info.as_str());
        }
        let virtual_machine = features.as_ref().is_some_and(|info| info.has_hypervisor());
        Features {
            name,
            vendor,
            hypervisor: virtual_machine.then(|| {
                let leaf = reader.cpuid1(0x4000_0000);
                let mut signature = [0; 12];
                for (part, word) in signature.chunks_exact_mut(4).zip([leaf.ebx, leaf.ecx, leaf.edx]) {
                    part.copy_from_slice(&word.to_le_bytes());
                }
                Hypervisor(signature)
            }),
            tsc: features.as_ref().is_some_and(|info| info.has_tsc()),
            rdtscp: cpuid
                .get_extended_processor_and_feature_identifiers()
                .is_some_and(|info| info.has_rdtscp()),
            invariant: cpuid
                .get_advanced_power_mgmt_info()
                .is_some_and(|info| info.has_invariant_tsc()),
            frequency: frequency(&cpuid, virtual_machine, &reader),
        }
    }

    /// The name of the processor; empty if it has none.
    pub fn name(&self) -> &str {
        text(&self.name)
    }

    /// The vendor of the processor, such as `GenuineIntel`.
    pub fn vendor(&self) -> &str {
        text(&self.vendor)
    }

    /// The hypervisor that runs this machine; `None` on bare metal.
    pub fn hypervisor(&self) -> Option<Hypervisor> {
        self.hypervisor
    }
}

impl fmt::Debug for Features {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Features")
            .field("name", &self.name())
            .field("vendor", &self.vendor())
            .field("hypervisor", &self.hypervisor)
            .field("tsc", &self.tsc)
            .field("rdtscp", &self.rdtscp)
            .field("invariant", &self.invariant)
            .field("frequency", &self.frequency)
            .finish()
    }
}

fn put(room: &mut [u8], words: &str) {
    for (place, &byte) in room.iter_mut().zip(words.as_bytes()) {
        *place = byte;
    }
}

fn text(bytes: &[u8]) -> &str {
    let length = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    core::str::from_utf8(&bytes[..length]).unwrap_or("")
}

/// The frequency from the first leaf that states it: 15h, the ratio of 15h with the base of 16h, 16h, or 40000010h of
/// the hypervisor.
fn frequency<R: CpuIdReader>(cpuid: &CpuId<R>, virtual_machine: bool, reader: &R) -> Option<Frequency> {
    const HYPERVISOR_TIMING: u32 = 0x4000_0010;
    let found = |hertz: u64, source| (hertz > 0).then_some(Frequency { hertz, source });
    let stated = cpuid.get_tsc_info().and_then(|info| info.tsc_frequency());
    let ratio = cpuid
        .get_tsc_info()
        .is_some_and(|info| info.numerator() > 0 && info.denominator() > 0);
    let base = cpuid
        .get_processor_frequency_info()
        .map_or(0, |info| u64::from(info.processor_base_frequency()) * 1_000_000);
    let virtual_kilohertz = || {
        let highest = reader.cpuid1(0x4000_0000).eax;
        // A highest leaf outside the range for hypervisors does not come from a hypervisor.
        let named = virtual_machine && (HYPERVISOR_TIMING..=0x4000_FFFF).contains(&highest);
        named.then(|| u64::from(reader.cpuid1(HYPERVISOR_TIMING).eax))
    };
    stated
        .and_then(|hertz| found(hertz, FrequencySource::Cpuid15))
        // The crystal frequency is not stated. If there is a ratio, the counter runs at the base frequency.
        .or_else(|| ratio.then(|| found(base, FrequencySource::Cpuid15And16)).flatten())
        .or_else(|| found(base, FrequencySource::Cpuid16))
        .or_else(|| found(virtual_kilohertz()? * 1000, FrequencySource::Hypervisor))
}
