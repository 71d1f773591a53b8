//! The cost of an empty pair of reads: those of this crate, the plain instructions, and other clocks for Rust programs.
//!
//! `criterion-cycles-per-byte` fences both reads on both sides and calls ticks cycles; `quanta` reads without fences;
//! the standard library reads the kernel's clock. The first row of each group is the minimum for its kind of ordering.

use asm_macros::tsc;
use core::arch::asm;
use criterion::measurement::Measurement;
use criterion_cycles_per_byte::CyclesPerByte;
use divan::black_box;
use quanta::Clock;
use std::time::Instant;

fn main() {
    // The fence and the overheads are determined once, before anything is timed.
    let _ = black_box((tsc!({}), tsc!(lfence, {}), tsc!(none, {})));
    if !no_rdtscp() {
        let _ = black_box(tsc!(rdtscp, {}));
    }
    divan::main();
}

/// Whether this processor lacks RDTSCP, so that the benchmarks with it are skipped.
fn no_rdtscp() -> bool {
    !tsc::Features::of_this_processor().rdtscp
}

macro_rules! bare {
    ([$($first:literal),+] [$($second:literal),+]) => {{
        let (from_low, from_high, to_low, to_high): (u32, u32, u32, u32);
        // SAFETY: reads a counter; every register that changes is declared.
        unsafe {
            asm!($($first),+, out("eax") from_low, out("edx") from_high, out("ecx") _, options(nostack, preserves_flags));
            asm!($($second),+, out("eax") to_low, out("edx") to_high, out("ecx") _, options(nostack, preserves_flags));
        }
        let from = u64::from(from_high) << 32 | u64::from(from_low);
        (u64::from(to_high) << 32 | u64::from(to_low)).wrapping_sub(from)
    }};
}

#[divan::bench_group]
mod ordered {
    use super::*;

    #[divan::bench]
    fn a_bare_lfence() -> u64 {
        bare!(["lfence", "rdtsc", "lfence"] ["lfence", "rdtsc"])
    }

    #[divan::bench]
    fn b_tsc_lfence() -> u64 {
        tsc!(lfence, {}).ticks()
    }

    #[divan::bench(ignore = no_rdtscp())]
    fn c_bare_rdtscp() -> u64 {
        bare!(["rdtscp", "lfence"]["rdtscp"])
    }

    #[divan::bench(ignore = no_rdtscp())]
    fn d_tsc_rdtscp() -> u64 {
        tsc!(rdtscp, {}).ticks()
    }

    #[divan::bench]
    fn e_tsc_by_default() -> u64 {
        tsc!({}).ticks()
    }

    #[divan::bench]
    fn f_criterion_cycles_per_byte() -> u64 {
        let start = CyclesPerByte.start();
        CyclesPerByte.end(start)
    }
}

#[divan::bench_group]
mod unordered {
    use super::*;

    #[divan::bench]
    fn a_bare() -> u64 {
        bare!(["rdtsc"]["rdtsc"])
    }

    #[divan::bench]
    fn b_tsc_none() -> u64 {
        tsc!(none, {}).ticks()
    }

    #[divan::bench]
    fn c_quanta_raw(bencher: divan::Bencher<'_, '_>) {
        let clock = Clock::new();
        bencher.bench_local(|| {
            let start = clock.raw();
            clock.raw().wrapping_sub(start)
        });
    }

    #[divan::bench]
    fn d_quanta_now(bencher: divan::Bencher<'_, '_>) {
        let clock = Clock::new();
        bencher.bench_local(|| {
            let start = clock.now();
            clock.now().duration_since(start)
        });
    }

    #[divan::bench]
    fn e_standard_instant() -> std::time::Duration {
        Instant::now().elapsed()
    }
}
