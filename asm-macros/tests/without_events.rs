//! The macros in a build without events: they compile, run the region, and say why there is no number.

use asm_macros::events::{Event, HostEvent};
use asm_macros::{Reason, Unavailable, cpi, end_profile, profile, start_profile};

const MISSING: Unavailable = Unavailable(if cfg!(target_os = "linux") {
    Reason::WithoutFeature("perf")
} else {
    Reason::NotLinux
});

#[test]
fn the_region_runs_and_both_numbers_are_missing() {
    let mut runs = 0;
    let inline = profile!(Event::BRANCHES, HostEvent::PAGE_FAULTS, { runs += 1 });
    let started = start_profile!(Event::BRANCHES, HostEvent::PAGE_FAULTS);
    runs += 1;
    let apart = end_profile!(started);
    assert_eq!(runs, 2);
    assert_eq!(inline, apart);
    assert_eq!((inline.first.net(), inline.second.net()), (Err(MISSING), Err(MISSING)));
    assert_eq!(inline.ratio(), Err(MISSING));
    assert_eq!(inline.to_string(), format!("BRANCHES and PAGE_FAULTS: {MISSING}"));
}

#[test]
fn clocks_per_instruction_are_missing() {
    let cpi = cpi!({ 1 + 1 });
    assert_eq!((cpi.non_halted(), cpi.nominal()), (Err(MISSING), Err(MISSING)));
}

#[test]
fn what_nobody_counts_says_that_first() {
    let profile = profile!(Event::AGI_STALLS, Event::BTB_HITS, ());
    let none = |event, nearest| Err(Unavailable(Reason::NoCounterpart { event, nearest }));
    assert_eq!(profile.first.net(), none("AGI_STALLS", None));
    assert_eq!(profile.second.net(), none("BTB_HITS", Some("BRANCH_MISSES")));
}
