//! Properties that hold on any machine, and other machines by fake CPUID leaves.

use super::*;
use crate::{end_tsc, start_tsc, tsc};
use raw_cpuid::CpuIdResult;

/// A leaf: its number, then EAX, EBX, ECX and EDX of the answer.
type Leaf = (u32, [u32; 4]);

const fn letters(text: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*text)
}

/// Leaf 0 of an Intel processor with leaves up to `highest`.
const fn intel(highest: u32) -> Leaf {
    (0, [highest, letters(b"Genu"), letters(b"ntel"), letters(b"ineI")])
}

/// Leaf 0 of an AMD processor.
const fn amd(highest: u32) -> Leaf {
    (0, [highest, letters(b"Auth"), letters(b"cAMD"), letters(b"enti")])
}

const TSC: Leaf = (1, [0, 0, 0, 1 << 4]);
const TSC_IN_A_VIRTUAL_MACHINE: Leaf = (1, [0, 0, 1 << 31, 1 << 4]);
const EXTENDED: Leaf = (0x8000_0000, [0x8000_0008, 0, 0, 0]);
const RDTSCP: Leaf = (0x8000_0001, [0, 0, 0, 1 << 27]);
const INVARIANT: Leaf = (0x8000_0007, [0, 0, 0, 1 << 8]);

/// The features of a processor with these leaves and zeros for all others.
fn features(leaves: &[Leaf]) -> Features {
    Features::from_leaves(|eax, _| {
        let answer = leaves.iter().find(|leaf| leaf.0 == eax).map_or([0; 4], |leaf| leaf.1);
        CpuIdResult {
            eax: answer[0],
            ebx: answer[1],
            ecx: answer[2],
            edx: answer[3],
        }
    })
}

fn frequency_of(leaves: &[Leaf]) -> Option<(u64, FrequencySource)> {
    features(leaves).frequency.map(|found| (found.hertz, found.source))
}

#[test]
fn an_intel_processor_that_states_crystal_and_ratio() {
    let leaves = [
        intel(0x16),
        TSC,
        EXTENDED,
        RDTSCP,
        INVARIANT,
        (0x15, [2, 216, 24_000_000, 0]),
        (0x16, [2600, 0, 0, 0]),
    ];
    assert_eq!(frequency_of(&leaves), Some((2_592_000_000, FrequencySource::Cpuid15)));
    let found = features(&leaves);
    assert!(found.tsc && found.rdtscp && found.invariant);
    assert_eq!(
        (found.vendor(), found.hypervisor(), found.name()),
        ("GenuineIntel", None, "")
    );
}

#[test]
fn an_intel_processor_that_states_a_ratio_but_no_crystal() {
    let leaves = [intel(0x16), TSC, (0x15, [2, 216, 0, 0]), (0x16, [2600, 3500, 100, 0])];
    assert_eq!(
        frequency_of(&leaves),
        Some((2_600_000_000, FrequencySource::Cpuid15And16))
    );
}

#[test]
fn an_intel_processor_without_leaf_15h_gives_its_base_frequency() {
    let leaves = [intel(0x16), TSC, (0x16, [1900, 0, 0, 0])];
    assert_eq!(frequency_of(&leaves), Some((1_900_000_000, FrequencySource::Cpuid16)));
}

#[test]
fn an_old_intel_processor_states_nothing_and_what_its_last_leaf_repeats_is_not_believed() {
    // Old processors answer leaves beyond the highest with the highest one, here leaf 0Ah.
    let leaves = [
        intel(0x0A),
        TSC,
        (0x15, [0x0730_0403, 4, 9, 0x603]),
        (0x16, [0x0730_0403, 0, 0, 0x603]),
    ];
    assert_eq!(frequency_of(&leaves), None);
}

#[test]
fn an_amd_processor_states_no_frequency_but_the_rest() {
    let leaves = [amd(0x10), TSC, EXTENDED, RDTSCP, INVARIANT];
    let found = features(&leaves);
    assert!(found.tsc && found.rdtscp && found.invariant);
    assert_eq!((found.vendor(), found.frequency), ("AuthenticAMD", None));
}

#[test]
fn a_hypervisor_may_state_the_frequency_in_kilohertz() {
    let signature = (
        0x4000_0000,
        [0x4000_0010, letters(b"VMwa"), letters(b"reVM"), letters(b"ware")],
    );
    let leaves = [
        amd(0x10),
        TSC_IN_A_VIRTUAL_MACHINE,
        signature,
        (0x4000_0010, [2_994_374, 66_000, 0, 0]),
    ];
    assert_eq!(
        frequency_of(&leaves),
        Some((2_994_374_000, FrequencySource::Hypervisor))
    );
    assert_eq!(
        features(&leaves).hypervisor().and_then(|one| one.name()),
        Some("VMware")
    );
}

#[test]
fn a_hypervisor_without_a_timing_leaf_or_with_an_empty_one_states_nothing() {
    let kvm = |highest| {
        (
            0x4000_0000,
            [highest, letters(b"KVMK"), letters(b"VMKV"), letters(b"M\0\0\0")],
        )
    };
    let low = [
        amd(0x10),
        TSC_IN_A_VIRTUAL_MACHINE,
        kvm(0x4000_0001),
        (0x4000_0010, [1234, 0, 0, 0]),
    ];
    assert_eq!(frequency_of(&low), None);
    assert_eq!(
        features(&low).hypervisor().map(|one| one.to_string()).as_deref(),
        Some("KVM")
    );
    let empty = [amd(0x10), TSC_IN_A_VIRTUAL_MACHINE, kvm(0x4000_0010)];
    assert_eq!(frequency_of(&empty), None);
    // Without the hypervisor bit the leaf does not belong to a hypervisor.
    let metal = [amd(0x10), TSC, kvm(0x4000_0010), (0x4000_0010, [1234, 0, 0, 0])];
    assert_eq!(frequency_of(&metal), None);
}

#[test]
fn an_unknown_hypervisor_is_shown_by_its_signature() {
    let named = |words: [u32; 3]| {
        let [ebx, ecx, edx] = words;
        let leaves = [
            intel(2),
            TSC_IN_A_VIRTUAL_MACHINE,
            (0x4000_0000, [0x4000_0000, ebx, ecx, edx]),
        ];
        features(&leaves).hypervisor().expect("one").to_string()
    };
    assert_eq!(
        named([letters(b"Some"), letters(b"\x1b[2J"), letters(b"\xff\0\0\0")]),
        "Some\\x1b[2J\\xff"
    );
    assert_eq!(named([letters(b"Micr"), letters(b"osof"), letters(b"t Hv")]), "Hyper-V");
}

#[test]
fn processors_without_the_features_are_told_as_such() {
    let found = features(&[intel(2), (1, [0, 0, 0, 0])]);
    assert!(!found.tsc && !found.rdtscp && !found.invariant);
    // There are extended leaves, but not the one that states invariance.
    let short = features(&[intel(2), TSC, (0x8000_0000, [0x8000_0001, 0, 0, 0]), RDTSCP, INVARIANT]);
    assert!(short.rdtscp && !short.invariant);
}

#[test]
fn this_machine_is_what_its_kernel_says() {
    let Ok(text) = std::fs::read_to_string("/proc/cpuinfo") else {
        eprintln!("skipped: there is no /proc/cpuinfo to compare with");
        return;
    };
    let flags: Vec<&str> = text
        .lines()
        .find(|line| line.starts_with("flags"))
        .expect("a line of flags")
        .split_whitespace()
        .collect();
    let detected = Tsc::detect().expect("a time stamp counter");
    assert_eq!(detected.features.tsc, flags.contains(&"tsc"));
    assert_eq!(detected.features.rdtscp, flags.contains(&"rdtscp"));
    assert_eq!(detected.features.invariant, flags.contains(&"nonstop_tsc"));
    assert_eq!(detected.features.hypervisor().is_some(), flags.contains(&"hypervisor"));
    assert!(text.contains(detected.features.vendor()));
}

#[test]
fn the_processor_that_rdtscp_names_exists() {
    let detected = Tsc::detect().expect("a time stamp counter");
    let Ok(aux) = detected.aux else {
        eprintln!("skipped: {:?}", detected.aux);
        return;
    };
    let there = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(there > 4096 || aux.processor() < 4096 && aux.node() < 1024, "{aux:?}");
}

#[test]
#[cfg(feature = "std")]
fn the_frequency_agrees_with_the_clock() {
    let detected = Tsc::detect().expect("a time stamp counter");
    let stated = detected.frequency.expect("a frequency").hertz as f64;
    let counted = Frequency::calibrate().expect("a steady counter").hertz as f64;
    assert!(
        (stated / counted - 1.0).abs() < 0.02,
        "{stated} stated, {counted} counted"
    );
}

/// Ticks between two fenced reads by the compiler's own intrinsics. Their variation is that of the machine.
fn bare_pair() -> u64 {
    use core::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 processor has both instructions, and the test would have ended without the counter.
    unsafe {
        _mm_lfence();
        let first = _rdtsc();
        _mm_lfence();
        let second = _rdtsc();
        _mm_lfence();
        second.wrapping_sub(first)
    }
}

fn median(ticks: &mut [u64]) -> u64 {
    ticks.sort_unstable();
    ticks[ticks.len() / 2]
}

#[test]
fn an_empty_region_takes_nothing_within_one_step_of_the_counter() {
    const MEASUREMENTS: usize = 10_000;
    // If the counter has fine steps, the fences themselves vary by more than a step.
    let step = quantum().max(16);
    let near = |ticks: u64, other: u64| ticks.abs_diff(other) <= step / 2;
    let mut seen = Vec::new();
    // Several tries, because other programs may share the processor.
    for _ in 0..5 {
        let usual = || median(&mut [(); 1001].map(|()| bare_pair()));
        let before = usual();
        elapsed::calibrate(Fence::here(), false);
        elapsed::calibrate(Fence::Lfence, true);
        let after = usual();
        let mut within = [0usize; 2];
        let mut bare = Vec::with_capacity(MEASUREMENTS);
        for _ in 0..MEASUREMENTS {
            let start = start_tsc!();
            let elapsed = end_tsc!(start);
            within[0] += usize::from(elapsed.signed_ticks().unsigned_abs() <= step);
            within[1] += usize::from(tsc!(lfence, {}).signed_ticks().unsigned_abs() <= step);
            bare.push(bare_pair());
        }
        if within.iter().all(|&count| count * 100 >= MEASUREMENTS * 99) {
            return;
        }
        let during = median(&mut bare);
        let steady = bare.iter().filter(|&&ticks| near(ticks, during)).count();
        // The bare pairs changed with the calibration, or were interrupted: this machine gives no verdict.
        if near(before, after) && near(after, during) && steady * 1000 >= MEASUREMENTS * 995 {
            panic!("{within:?} of {MEASUREMENTS} within {step} ticks, but {steady} bare pairs of {during}");
        }
        seen.push((within, steady, [before, after, during]));
    }
    eprintln!("BUSY: empty regions were not judged, others use this machine's cores: {seen:?}");
}

#[test]
fn a_longer_region_takes_longer_with_every_fence() {
    for fence in Fence::ALL {
        if let Err(missing) = fence.cost() {
            eprintln!("skipped {fence}: {missing}");
            continue;
        }
        // Under a hypervisor, the cost of CPUID varies by more than a short region takes.
        let unit = if fence == Fence::Cpuid { 400 } else { 20 };
        let mut least = [i64::MAX; 2];
        for _ in 0..20 {
            for (least, turns) in least.iter_mut().zip([unit, 2 * unit]) {
                let start = Start::read(fence);
                additions(turns);
                let elapsed = start.end();
                *least = (*least).min(elapsed.signed_ticks());
                assert!(elapsed.raw_ticks() > elapsed.ticks() && elapsed.overhead().median > 0);
            }
        }
        assert!(least[1] > least[0], "{fence}: {least:?}");
    }
}

#[test]
fn rdtscp_tells_whether_the_region_changed_processors() {
    if !Features::of_this_processor().rdtscp {
        eprintln!("skipped: no RDTSCP");
        return;
    }
    assert!(tsc!(rdtscp, {}).moved().is_some());
    assert_eq!(tsc!(lfence, {}).moved(), None);
}

#[test]
fn a_block_runs_once_in_place_and_may_leave() {
    fn leaves(early: bool) -> Option<u64> {
        let mut count = 0;
        let elapsed = tsc!({
            count += 1;
            if early {
                return None;
            }
        });
        assert_eq!(count, 1);
        Some(elapsed.raw_ticks())
    }
    assert_eq!(leaves(true), None);
    assert!(leaves(false).is_some());
}
