//! Nothing is allocated, freed or reallocated between the start and end of a profile.

use asm_macros::events::{Event, HostEvent};
use asm_macros::profile::{Prepared, Profile};
use asm_macros::{end_profile, profile, start_profile};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Calls of the allocator on this thread. It is a plain number, so that counting allocates nothing itself.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn note() {
    // A thread that ends may free memory after its thread-local numbers are gone.
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller keeps this function's contract, which is the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        note();
        // SAFETY: as above; the memory came from the system's allocator.
        unsafe { System.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: as above; the memory came from the system's allocator.
        unsafe { System.realloc(address, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn calls() -> u64 {
    CALLS.with(Cell::get)
}

#[test]
fn the_ends_of_a_profile_allocate_nothing() {
    let before = calls();
    let started = start_profile!(HostEvent::PAGE_FAULTS, HostEvent::TASK_CLOCK);
    let opened = calls();
    let stopped = started.stop();
    let ended = calls();
    let profile = Profile::from(stopped);
    if cfg!(all(feature = "perf", target_os = "linux")) {
        assert!(opened > before, "opening allocates, and the allocator sees it");
    }
    assert_eq!(ended, opened, "stopping allocates nothing, {profile}");
}

#[test]
fn starting_what_is_prepared_allocates_nothing() {
    let prepared = Prepared::new([HostEvent::PAGE_FAULTS.into(), Event::INSTRUCTIONS_EXECUTED.into()]);
    let before = calls();
    let started = prepared.start();
    let between = calls();
    let stopped = started.stop();
    let after = calls();
    let [faults, instructions] = stopped.readings();
    assert_eq!((between - before, after - between), (0, 0), "{faults}, {instructions}");
}

#[test]
fn a_region_sees_only_its_own_allocations() {
    let seen;
    let profile = profile!(HostEvent::PAGE_FAULTS, HostEvent::TASK_CLOCK, {
        let before = calls();
        drop(std::hint::black_box(Box::new(7u64)));
        seen = calls() - before;
    });
    assert_eq!(seen, 2, "a box comes and goes, {profile}");
    let started = start_profile!(Event::BRANCHES, Event::DATA_READ);
    let _ = end_profile!(started);
}
