//! Events counted by the real kernel of the machine that the tests run on.

use asm_macros::events::{Event, Generic, HostEvent};
use asm_macros::profile::Reading;
use asm_macros::{Reason, Unavailable, cpi, end_profile, profile, start_profile};
use std::hint::black_box;
use std::time::Duration;

/// The net count, or `None` and a message on standard error if this machine or user cannot count the event.
fn net(reading: &Reading) -> Option<u64> {
    let of_kernel = matches!(reading.event.generic(), Ok(Generic::Software(_)));
    match reading.net() {
        Ok(count) => Some(count),
        Err(Unavailable(reason @ (Reason::Paranoid { .. } | Reason::NoPerfEvents))) => skipped(reading, reason),
        // Software events need no counter of the processor.
        Err(Unavailable(
            reason @ (Reason::NoPmu { .. }
            | Reason::NotCounted { .. }
            | Reason::NotTogether { .. }
            | Reason::NeverRan
            | Reason::Shared { .. }),
        )) if !of_kernel => skipped(reading, reason),
        Err(Unavailable(reason)) => panic!("{}: {reason}", reading.event.name()),
    }
}

fn skipped(reading: &Reading, reason: Reason) -> Option<u64> {
    eprintln!("skipped {}: {reason}", reading.event.name());
    None
}

/// Small pages of untouched memory.
struct FreshPages {
    start: *mut u8,
    pages: usize,
    page: usize,
}

impl FreshPages {
    fn new(pages: usize) -> FreshPages {
        // SAFETY: sysconf has no preconditions.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).expect("a page has a size");
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address the kernel chooses touches no memory in use.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), pages * page, protection, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED, "the kernel has {pages} pages");
        // SAFETY: the range is the mapping just made. A kernel without huge pages refuses, which is fine.
        unsafe { libc::madvise(start, pages * page, libc::MADV_NOHUGEPAGE) };
        FreshPages {
            start: start.cast(),
            pages,
            page,
        }
    }

    fn touch(&self) {
        for index in 0..self.pages {
            // SAFETY: the address is within the mapping, which is writable and not shared.
            unsafe { self.start.add(index * self.page).write_volatile(1) };
        }
    }
}

impl Drop for FreshPages {
    fn drop(&mut self) {
        // SAFETY: this value owns the mapping, and nothing refers to it any more.
        unsafe { libc::munmap(self.start.cast(), self.pages * self.page) };
    }
}

/// Switches away from this thread so far, according to the kernel's accounting.
fn switches() -> u64 {
    // SAFETY: zeros are a value of this structure of integers.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of the right type that is this function's own.
    assert_eq!(unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) }, 0);
    u64::try_from(usage.ru_nvcsw + usage.ru_nivcsw).expect("counts are not negative")
}

#[test]
fn as_many_page_faults_are_counted_as_fresh_pages_are_touched() {
    for pages in [1, 100, 1000] {
        let fresh = FreshPages::new(pages);
        let first = profile!(HostEvent::PAGE_FAULTS, HostEvent::TASK_CLOCK, fresh.touch());
        let again = profile!(HostEvent::PAGE_FAULTS, HostEvent::TASK_CLOCK, fresh.touch());
        let (Some(faults), Some(later)) = (net(&first.first), net(&again.first)) else {
            return;
        };
        let pages = pages as u64;
        assert!((pages..=pages + 3).contains(&faults), "{pages} fresh pages, {first}");
        assert!(later <= 3, "the pages are there by now, {again}");
        let time = net(&first.second).expect("a user who may count faults may count time");
        assert!(time > 0, "{first}");
    }
}

#[test]
fn as_many_switches_are_counted_as_the_thread_sleeps() {
    const SLEEPS: u64 = 20;
    let started = start_profile!(HostEvent::CONTEXT_SWITCHES, HostEvent::CPU_MIGRATIONS);
    let before = switches();
    for _ in 0..SLEEPS {
        std::thread::sleep(Duration::from_micros(200));
    }
    let accounted = switches() - before;
    let profile = end_profile!(started);
    let (Some(counted), Some(migrations)) = (net(&profile.first), net(&profile.second)) else {
        return;
    };
    assert!(accounted >= SLEEPS, "each sleep gives the processor away");
    // The profile encloses the accounting, so a switch may occur in between.
    assert!(
        (accounted..=accounted + 2).contains(&counted),
        "{accounted} accounted for, {profile}"
    );
    assert!(
        migrations <= counted,
        "a thread moves only while it does not run, {profile}"
    );
}

#[test]
fn instructions_are_counted_or_missing_and_never_none() {
    const TURNS: u64 = 10_000;
    let profile = profile!(Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES, {
        for turn in 0..TURNS {
            black_box(turn);
        }
    });
    if let Some(instructions) = net(&profile.first) {
        assert!(instructions >= TURNS, "{profile}");
    }
    if let (Some(instructions), Some(branches)) = (net(&profile.first), net(&profile.second)) {
        assert!(branches > 0 && branches <= instructions, "{profile}");
        assert!(profile.ratio().expect("both are there") >= 1.0);
    }
}

#[test]
fn clocks_per_instruction_are_measured_or_missing() {
    let cpi = cpi!({
        let mut product = black_box(3u64);
        // A chain: no instruction can start before the previous one has completed.
        for _ in 0..10_000 {
            product = black_box(product.wrapping_mul(product));
        }
        product
    });
    if let (Some(instructions), Some(clocks)) = (net(&cpi.instructions), net(&cpi.core_clocks)) {
        assert!(instructions >= 10_000 && clocks >= 10_000, "{cpi}");
        assert!(cpi.non_halted().expect("both are there") > 0.1, "{cpi}");
    }
    // The figure gives the same reason as the count that it lacks.
    if let Err(missing) = cpi.instructions.net() {
        assert!(cpi.non_halted().is_err() && cpi.nominal().is_err());
        assert!(cpi.to_string().contains(&missing.to_string()), "{cpi}");
    }
}

#[test]
fn a_region_may_be_left_early() {
    fn leave(early: bool) -> Option<String> {
        let profile = profile!(HostEvent::PAGE_FAULTS, HostEvent::TASK_CLOCK, {
            if early {
                return None;
            }
        });
        Some(profile.to_string())
    }
    assert_eq!(leave(true), None);
    assert!(leave(false).is_some_and(|told| told.contains("TASK_CLOCK")));
}
