//! Profiles with a fake kernel: the counts, the overhead subtracted, and every reason for a missing number.

pub(crate) mod fake;

use super::why::Surroundings;
use super::*;
use crate::events::{Event, HostEvent};
use fake::{BRANCHES, CORE_CLOCKS, Call, INSTRUCTIONS, LEADER, REFERENCE_CLOCKS, Script, with_kernel};

const ON_METAL: Surroundings = Surroundings {
    hypervisor: false,
    paranoid: Some(2),
};

fn counted(raw: u64, overhead: u64) -> Result<Counted, Unavailable> {
    Ok(Counted { raw, overhead })
}

fn missing<T>(reason: Reason) -> Result<T, Unavailable> {
    Err(Unavailable(reason))
}

fn profile_in(script: Script, surroundings: fn() -> Surroundings) -> Profile {
    let events = [Event::INSTRUCTIONS_EXECUTED.into(), Event::BRANCHES.into()];
    let profile = || Profile::from(Prepared::with(Counters::open_in(events, surroundings)).start().stop());
    with_kernel(script, profile).0
}

fn profile_of(script: Script) -> Profile {
    profile_in(script, || ON_METAL)
}

/// The first dry run is cold; the others vary slightly, and neither the first nor the last is the smallest. Then comes
/// the region, of 1000 instructions and 100 branches.
fn usual(asked: fake::Asked, interval: usize) -> u64 {
    let overhead = match interval {
        0 => 90,
        _ => 30 + (interval as u64 % 4),
    };
    match (asked, interval < DRY_RUNS) {
        (INSTRUCTIONS, true) => overhead,
        (BRANCHES, true) => overhead / 10,
        (INSTRUCTIONS, false) => 1030,
        (BRANCHES, false) => 103,
        _ => 0,
    }
}

#[test]
fn both_counts_come_without_their_overhead() {
    let profile = profile_of(Script {
        count: usual,
        ..Script::default()
    });
    assert_eq!(profile.first.counted, counted(1030, 30));
    assert_eq!(profile.second.counted, counted(103, 3));
    assert_eq!((profile.first.net(), profile.second.net()), (Ok(1000), Ok(100)));
    assert_eq!(profile.ratio(), Ok(10.0));
    assert_eq!(
        profile.to_string(),
        "INSTRUCTIONS_EXECUTED: 1000 (1030 counted, 30 of them overhead; host event INSTRUCTIONS)\n\
         BRANCHES: 100 (103 counted, 3 of them overhead; host event BRANCH_INSTRUCTIONS)\n\
         ratio: 10.00 INSTRUCTIONS_EXECUTED per BRANCHES"
    );
}

#[test]
fn the_macros_count_through_the_same_calls() {
    let script = || Script {
        count: usual,
        ..Script::default()
    };
    let (inline, calls) = with_kernel(script(), || {
        crate::profile!(Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES, { vec![1, 2, 3] })
    });
    let (apart, _) = with_kernel(script(), || {
        let started = crate::start_profile!(Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES);
        let sum: u32 = (0..10).sum();
        assert_eq!(sum, 45);
        crate::end_profile!(started)
    });
    assert_eq!(inline, profile_of(script()));
    assert_eq!(apart, inline);
    let switches: Vec<&Call> = calls.iter().filter(|call| !matches!(call, Call::Open { .. })).collect();
    let expected = [Call::Enable { group: false }, Call::Disable { group: false }].repeat(DRY_RUNS + 1);
    assert_eq!(
        switches,
        expected.iter().collect::<Vec<_>>(),
        "one call at each end, of the leader alone"
    );
}

#[test]
fn both_events_are_members_of_one_group_of_this_thread_in_user_mode() {
    let (_, calls) = with_kernel(Script::default(), || {
        crate::profile!(Event::INSTRUCTIONS_EXECUTED, HostEvent::CONTEXT_SWITCHES, ())
    });
    let opened: Vec<_> = calls
        .iter()
        .filter_map(|call| match *call {
            Call::Open {
                asked,
                leader,
                kernel_too,
                hypervisor_too,
                counting,
                thread,
                processor,
            } => {
                assert_eq!((thread, processor), (0, -1), "this thread on any processor");
                assert!(!hypervisor_too);
                assert_eq!(counting, leader.is_some(), "members count whenever their leader does");
                Some((asked, leader, kernel_too))
            }
            _ => None,
        })
        .collect();
    let [leader, first, second] = opened[..] else {
        panic!("{opened:?}")
    };
    assert_eq!((leader.0, leader.1, leader.2), (LEADER, None, false));
    assert_eq!((first.0, first.2), (INSTRUCTIONS, false));
    assert_eq!(second.0.0, LEADER.0, "the kernel's own event");
    assert!(
        second.2,
        "a switch happens in the kernel, and is not counted in user mode"
    );
    assert!(first.1.is_some() && first.1 == second.1, "one group");
}

#[test]
fn a_count_below_the_overhead_is_none_beyond_the_noise() {
    let profile = profile_of(Script {
        count: |_, interval| if interval < DRY_RUNS { 30 } else { 28 },
        ..Script::default()
    });
    assert_eq!(profile.first.counted, counted(28, 30));
    assert_eq!(profile.first.net(), Ok(0));
    assert!(
        profile.first.counted.expect("it was counted").below_overhead(),
        "the reader can tell"
    );
    let told = profile.to_string();
    assert!(
        told.contains("0 (28 counted, fewer than the 30 of an empty region;"),
        "{told}"
    );
}

#[test]
fn nothing_is_divided_by_no_count() {
    let profile = profile_of(Script {
        count: |asked, interval| match (asked, interval < DRY_RUNS) {
            (INSTRUCTIONS, false) => 70,
            _ => 20,
        },
        ..Script::default()
    });
    assert_eq!((profile.first.net(), profile.second.net()), (Ok(50), Ok(0)));
    assert_eq!(profile.ratio(), missing(Reason::NothingCounted { event: "BRANCHES" }));
    assert!(
        profile
            .to_string()
            .ends_with("ratio: unavailable: BRANCHES did not occur in the region, so the ratio is undefined"),
        "{profile}"
    );
}

#[test]
fn a_machine_without_counters_says_whether_a_hypervisor_hides_them() {
    fn none(asked: fake::Asked, _: bool) -> Option<i32> {
        (asked.0 != LEADER.0).then_some(libc::ENOENT)
    }
    let script = || Script {
        refuse: none,
        ..Script::default()
    };
    let virtual_machine = profile_in(script(), || Surroundings {
        hypervisor: true,
        paranoid: Some(2),
    });
    for reading in [virtual_machine.first, virtual_machine.second] {
        assert_eq!(reading.counted, missing(Reason::NoPmu { hypervisor: true }));
    }
    assert_eq!(virtual_machine.ratio(), missing(Reason::NoPmu { hypervisor: true }));
    let told = virtual_machine.to_string();
    assert!(
        told.starts_with("INSTRUCTIONS_EXECUTED and BRANCHES: unavailable: this virtual machine has no"),
        "{told}"
    );

    let metal = profile_of(script());
    assert_eq!(metal.second.counted, missing(Reason::NoPmu { hypervisor: false }));
}

#[test]
fn an_event_that_is_not_counted_leaves_the_other() {
    for errno in [libc::ENOENT, libc::EOPNOTSUPP, libc::ENODEV] {
        let refuse: fn(fake::Asked, bool) -> Option<i32> = match errno {
            libc::ENOENT => |asked, _| (asked == INSTRUCTIONS).then_some(libc::ENOENT),
            libc::EOPNOTSUPP => |asked, _| (asked == INSTRUCTIONS).then_some(libc::EOPNOTSUPP),
            _ => |asked, _| (asked == INSTRUCTIONS).then_some(libc::ENODEV),
        };
        let profile = profile_of(Script {
            refuse,
            count: usual,
            ..Script::default()
        });
        let event = "INSTRUCTIONS_EXECUTED";
        assert_eq!(profile.first.counted, missing(Reason::NotCounted { event }));
        assert_eq!(profile.second.counted, counted(103, 3));
        assert_eq!(profile.ratio(), missing(Reason::NotCounted { event }));
    }
}

#[test]
fn an_event_without_counterpart_names_the_nearest_and_leaves_the_other() {
    let (profile, _) = with_kernel(
        Script {
            count: usual,
            ..Script::default()
        },
        || crate::profile!(Event::PIPELINE_FLUSHES, Event::BRANCHES, ()),
    );
    let reason = Reason::NoCounterpart {
        event: "PIPELINE_FLUSHES",
        nearest: Some("BRANCH_MISSES"),
    };
    assert_eq!(profile.first.counted, missing(reason));
    assert_eq!(profile.second.counted, counted(103, 3));
    let told = profile.to_string();
    assert!(
        told.contains("no counterpart to PIPELINE_FLUSHES; the closest event is BRANCH_MISSES"),
        "{told}"
    );
}

#[test]
fn events_that_do_not_fit_together_are_told_from_those_nobody_counts() {
    let together = profile_of(Script {
        refuse: |asked, in_group| (asked == BRANCHES && in_group).then_some(libc::EINVAL),
        count: usual,
        ..Script::default()
    });
    assert_eq!(together.first.counted, counted(1030, 30));
    assert_eq!(
        together.second.counted,
        missing(Reason::NotTogether { event: "BRANCHES" })
    );
    let never = profile_of(Script {
        refuse: |asked, _| (asked == BRANCHES).then_some(libc::EINVAL),
        ..Script::default()
    });
    assert_eq!(never.second.counted, missing(Reason::System { errno: libc::EINVAL }));
}

#[test]
fn a_denial_has_the_kernels_level_where_that_is_the_cause() {
    fn denied(level: fn() -> Surroundings) -> Profile {
        let refuse: fn(fake::Asked, bool) -> Option<i32> = |_, _| Some(libc::EACCES);
        profile_in(
            Script {
                refuse,
                ..Script::default()
            },
            level,
        )
    }
    let strict = denied(|| Surroundings {
        hypervisor: true,
        paranoid: Some(3),
    });
    assert_eq!(strict.first.counted, missing(Reason::Paranoid { level: Some(3) }));
    assert!(strict.to_string().contains("perf_event_paranoid is 3"), "{strict}");
    let sandbox = denied(|| ON_METAL);
    assert_eq!(
        sandbox.second.counted,
        missing(Reason::Paranoid { level: None }),
        "level 2 permits user mode"
    );
    let hidden = denied(|| Surroundings {
        hypervisor: true,
        paranoid: None,
    });
    assert_eq!(hidden.first.counted, missing(Reason::Paranoid { level: None }));
}

#[test]
fn what_happens_in_the_kernel_is_denied_at_a_lower_level() {
    let events = [HostEvent::CONTEXT_SWITCHES.into(), HostEvent::PAGE_FAULTS.into()];
    let script = Script {
        refuse: |asked, _| {
            let switches = perf_event::hooks::sys::bindings::PERF_COUNT_SW_CONTEXT_SWITCHES;
            (asked == (LEADER.0, u64::from(switches))).then_some(libc::EACCES)
        },
        count: |_, interval| if interval < DRY_RUNS { 0 } else { 7 },
        ..Script::default()
    };
    let (profile, _) = with_kernel(script, || {
        Profile::from(Prepared::with(Counters::open_in(events, || ON_METAL)).start().stop())
    });
    assert_eq!(profile.first.counted, missing(Reason::Paranoid { level: Some(2) }));
    assert_eq!(profile.second.counted, counted(7, 0));
}

#[test]
fn a_group_counted_for_a_part_of_the_time_says_which_part() {
    let profile = profile_of(Script {
        count: usual,
        time: |interval| (1000, if interval < DRY_RUNS { 1000 } else { 373 }),
        ..Script::default()
    });
    for reading in [profile.first, profile.second] {
        assert_eq!(reading.counted, missing(Reason::Shared { percent: 37 }));
    }
}

#[test]
fn a_member_that_the_kernel_left_out_is_told_from_one_that_counted_nothing() {
    let profile = profile_of(Script {
        count: |asked, interval| if asked == BRANCHES { 0 } else { usual(asked, interval) },
        of_member: |asked, running| if asked == BRANCHES { 0 } else { running },
        ..Script::default()
    });
    assert_eq!(profile.first.counted, counted(1030, 30));
    assert_eq!(profile.second.counted, missing(Reason::NeverRan));
    let late = profile_of(Script {
        count: usual,
        of_member: |asked, running| if asked == BRANCHES { running / 2 } else { running },
        ..Script::default()
    });
    assert_eq!(late.second.counted, missing(Reason::Shared { percent: 50 }));
}

#[test]
fn a_disturbed_dry_run_does_not_spoil_the_others() {
    let profile = profile_of(Script {
        // The smallest count belongs to a disturbed run.
        count: |asked, interval| if interval == 3 { 1 } else { usual(asked, interval) },
        time: |interval| (1000, if interval == 3 { 10 } else { 1000 }),
        ..Script::default()
    });
    assert_eq!(profile.first.counted, counted(1030, 30));
}

#[test]
fn an_overhead_that_was_never_seen_whole_is_not_taken_for_none() {
    let profile = profile_of(Script {
        count: usual,
        time: |interval| (1000, if interval < DRY_RUNS { 500 } else { 1000 }),
        ..Script::default()
    });
    assert_eq!(profile.first.counted, missing(Reason::Shared { percent: 50 }));
}

#[test]
fn a_group_that_never_ran_is_not_a_group_that_counted_nothing() {
    let idle = profile_of(Script {
        count: usual,
        time: |_| (1000, 0),
        ..Script::default()
    });
    assert_eq!(idle.first.counted, missing(Reason::NeverRan));
    let later = profile_of(Script {
        count: usual,
        time: |interval| (1000, if interval < DRY_RUNS { 1000 } else { 0 }),
        ..Script::default()
    });
    assert_eq!(later.second.counted, missing(Reason::NeverRan));
    let empty = profile_of(Script {
        count: usual,
        empty: |_| true,
        ..Script::default()
    });
    assert_eq!(
        empty.first.counted,
        missing(Reason::NeverRan),
        "the kernel reads as empty what has no place"
    );
}

#[test]
fn an_end_that_fails_is_a_reason() {
    let profile = profile_of(Script {
        count: usual,
        enable: |interval| (interval == DRY_RUNS).then_some(libc::EIO),
        ..Script::default()
    });
    assert_eq!(profile.first.counted, missing(Reason::System { errno: libc::EIO }));
    assert_eq!(profile.second.counted, missing(Reason::System { errno: libc::EIO }));
}

#[test]
fn a_kernel_or_process_that_can_open_nothing_says_why() {
    let reason = |refuse| {
        profile_of(Script {
            refuse,
            ..Script::default()
        })
        .first
        .counted
    };
    assert_eq!(reason(|_, _| Some(libc::ENOSYS)), missing(Reason::NoPerfEvents));
    assert_eq!(reason(|_, _| Some(libc::EMFILE)), missing(Reason::TooManyFiles));
    assert_eq!(
        reason(|asked, _| (asked != LEADER).then_some(libc::EBUSY)),
        missing(Reason::NeverRan)
    );
    assert_eq!(
        reason(|_, _| Some(libc::EFAULT)),
        missing(Reason::System { errno: libc::EFAULT })
    );
}

#[test]
fn clocks_per_instruction_are_those_of_the_fixed_counters() {
    let count: fn(fake::Asked, usize) -> u64 = |asked, interval| match (asked, interval < DRY_RUNS) {
        (INSTRUCTIONS, true) => 30,
        (CORE_CLOCKS, true) => 200,
        (REFERENCE_CLOCKS, true) => 130,
        (INSTRUCTIONS, false) => 430,
        (CORE_CLOCKS, false) => 1000,
        (REFERENCE_CLOCKS, false) => 630,
        _ => 0,
    };
    let script = || Script {
        count,
        ..Script::default()
    };
    let (cpi, _) = with_kernel(script(), || crate::cpi!({ 1 + 1 }));
    assert_eq!((cpi.non_halted(), cpi.nominal()), (Ok(2.0), Ok(1.25)));
    assert!(
        cpi.to_string()
            .ends_with("\n2.00 core clocks per instruction\n1.25 reference clocks per instruction"),
        "{cpi}"
    );

    let no_reference = Script {
        refuse: |asked, _| (asked == REFERENCE_CLOCKS).then_some(libc::ENOENT),
        ..script()
    };
    let (cpi, _) = with_kernel(no_reference, || crate::cpi!({ 1 + 1 }));
    assert_eq!(cpi.non_halted(), Ok(2.0));
    let event = "REFERENCE_CLOCKS";
    assert_eq!(cpi.nominal(), missing(Reason::NotCounted { event }));
    let told = cpi.to_string();
    let reason = Unavailable(Reason::NotCounted { event });
    assert!(told.contains(&format!("\n{event}: {reason}\n")), "{told}");
    assert!(told.ends_with("\n2.00 core clocks per instruction"), "{told}");
}

#[test]
fn clocks_per_no_instruction_are_a_reason() {
    let script = Script {
        count: |asked, interval| match (asked, interval < DRY_RUNS) {
            (INSTRUCTIONS, _) => 30,
            (_, true) => 200,
            (_, false) => 250,
        },
        ..Script::default()
    };
    let (cpi, _) = with_kernel(script, || crate::cpi!(()));
    let event = "INSTRUCTIONS_EXECUTED";
    assert_eq!(cpi.non_halted(), missing(Reason::NothingCounted { event }));
    assert_eq!(cpi.nominal(), missing(Reason::NothingCounted { event }));
    let told = cpi.to_string();
    assert!(
        told.contains("\ncore clocks per instruction: unavailable: INSTRUCTIONS_EXECUTED did not occur"),
        "{told}"
    );
}

#[test]
fn every_event_asks_the_kernel_for_what_its_row_says() {
    for row in crate::events::EVENTS {
        let event = Countable::Event(row.event);
        assert_eq!(
            kernel::builder(event).is_some(),
            event.generic().is_ok(),
            "{}",
            event.name()
        );
    }
    // The kernel's numbers: type, and for a cache what | operation << 8 | result << 16.
    let cases: [(Countable, fake::Asked); 6] = [
        (Event::INSTRUCTIONS_EXECUTED.into(), (0, 1)),
        (Event::BRANCHES.into(), (0, 4)),
        (Event::DATA_READ.into(), (3, 0)),
        (Event::DATA_WRITE_MISS.into(), (3, 0x1_0100)),
        (Event::CODE_TLB_MISS.into(), (3, 0x1_0004)),
        (HostEvent::PAGE_FAULTS.into(), (1, 2)),
    ];
    for (event, asked) in cases {
        let builder = kernel::builder(event).expect("it has a counterpart");
        let attributes = builder.attrs();
        assert_eq!((attributes.type_, attributes.config), asked, "{}", event.name());
    }
}
