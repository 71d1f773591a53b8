//! Identities that hold for every run: clocks, causes and events agree, and the program and the library add up to the
//! whole.

use asm_macros::events::Event;
use runtime::run::{CauseCycles, EventCount, Run};

fn counted(run: &Run, event: Event) -> Option<&EventCount> {
    run.whole.events.iter().find(|count| count.event == event)
}

/// The number of occurrences of an event in the last run.
pub(crate) fn occurrences(run: &Run, event: Event) -> u64 {
    counted(run, event).map_or(0, |count| count.occurrences)
}

fn clocks(run: &Run, event: Event) -> u64 {
    counted(run, event).map_or(0, |count| count.clocks)
}

/// The figures of an instruction, or of the instructions of a line that have no row of their own.
struct Figures<'a> {
    executions: u64,
    cycles: u64,
    u: u64,
    v: u64,
    causes: &'a [CauseCycles],
    library: bool,
}

impl Figures<'_> {
    fn of(run: &Run) -> Vec<Figures<'_>> {
        let listed = run.instructions.iter().map(|one| Figures {
            executions: one.executions,
            cycles: one.cycles,
            u: one.u,
            v: one.v,
            causes: &one.causes,
            library: one.library,
        });
        let others = run.remainders.iter().map(|one| Figures {
            executions: one.executions,
            cycles: one.cycles,
            u: one.u,
            v: one.v,
            causes: &one.causes,
            library: one.library,
        });
        listed.chain(others).collect()
    }
}

/// The identities that one run violates.
pub(crate) fn broken(run: &Run) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut equal = |what: &str, left: u64, right: u64| {
        if left != right {
            wrong.push(format!("{what}: {left} is not {right}"));
        }
    };
    let totals = run.whole.totals;
    let rows = Figures::of(run);
    let sum = |of: fn(&Figures) -> u64| rows.iter().map(of).sum::<u64>();
    let stack = run.whole.cycle_stack.iter().map(|part| part.cycles).sum();
    equal("cycle stack and clocks", stack, totals.cycles);
    equal(
        "clocks of the instructions and all clocks",
        sum(|one| one.cycles),
        totals.cycles,
    );
    equal(
        "executions and instructions",
        sum(|one| one.executions),
        totals.instructions,
    );
    equal("executions in U", sum(|one| one.u), totals.u);
    equal("executions in V", sum(|one| one.v), totals.v);
    equal("U and V", totals.u + totals.v, totals.instructions);
    for one in &run.instructions {
        let causes = one.causes.iter().map(|part| part.cycles).sum();
        equal(&format!("causes of {} and its clocks", one.text), causes, one.cycles);
        equal(&format!("pipes of {}", one.text), one.u + one.v, one.executions);
        let refused: u64 = one.refusals.iter().map(|&(_, count)| count).sum();
        if refused > one.u {
            equal(
                &format!("refusals of {} beyond its issues in U", one.text),
                refused,
                one.u,
            );
        }
    }
    for part in &run.whole.cycle_stack {
        let of_all = rows.iter().flat_map(|one| one.causes);
        let sum = of_all.filter(|one| one.cause == part.cause).map(|one| one.cycles).sum();
        equal(part.cause.name(), sum, part.cycles);
    }
    if let Some(last) = run.runs.last() {
        equal("the last run's clocks", last.whole.cycles, totals.cycles);
        equal(
            "the last run's instructions",
            last.whole.instructions,
            totals.instructions,
        );
        equal("the last run's pairs", last.whole.v, totals.v);
        equal("the last run's own clocks", last.own.cycles, run.own.totals.cycles);
    }
    let count = |event| occurrences(run, event);
    equal(
        "28h",
        count(Event::DATA_READ_OR_WRITE),
        count(Event::DATA_READ) + count(Event::DATA_WRITE),
    );
    equal(
        "29h",
        count(Event::DATA_READ_OR_WRITE_MISS),
        count(Event::DATA_READ_MISS) + count(Event::DATA_WRITE_MISS),
    );
    // A chip may have no counters.
    let has_events = !run.whole.events.is_empty();
    if has_events {
        equal("16h", count(Event::INSTRUCTIONS_EXECUTED), totals.instructions);
        equal("17h", count(Event::INSTRUCTIONS_EXECUTED_V_PIPE), totals.v);
    }
    if run.pipes == 1 {
        equal("pairs in one pipe", totals.v, 0);
    }
    // The program and the library add up to the whole, and so do the instructions of each.
    let none = runtime::run::Part::default();
    for (part, library) in [(&run.own, false), (run.probes.as_ref().unwrap_or(&none), true)] {
        let members = || rows.iter().filter(|one| one.library == library);
        equal(
            "clocks of a part",
            part.totals.cycles,
            members().map(|one| one.cycles).sum(),
        );
        equal("U of a part", part.totals.u, members().map(|one| one.u).sum());
        equal("V of a part", part.totals.v, members().map(|one| one.v).sum());
        let stack = part.cycle_stack.iter().map(|part| part.cycles).sum();
        equal("causes of a part", part.totals.cycles, stack);
        if !has_events {
            continue;
        }
        let event = |event: Event| {
            part.events
                .get(usize::from(event.selector()))
                .map_or(0, |row| row.occurrences)
        };
        equal(
            "16h of a part",
            part.totals.instructions,
            event(Event::INSTRUCTIONS_EXECUTED),
        );
        equal(
            "17h of a part",
            part.totals.v,
            event(Event::INSTRUCTIONS_EXECUTED_V_PIPE),
        );
    }
    for (at, whole) in run.whole.events.iter().enumerate() {
        let parts = || [Some(&run.own), run.probes.as_ref()].into_iter().flatten();
        let sum = |of: fn(&EventCount) -> u64| parts().map(|part| of(&part.events[at])).sum();
        equal(whole.event.name(), whole.occurrences, sum(|row| row.occurrences));
        equal(whole.event.name(), whole.clocks, sum(|row| row.clocks));
    }
    let mut at_most = |what: &str, less: u64, more: u64| {
        if less > more {
            wrong.push(format!("{what}: {less} is more than {more}"));
        }
    };
    at_most(
        "13h, 14h",
        count(Event::BTB_HITS),
        count(Event::TAKEN_BRANCH_OR_BTB_HIT),
    );
    at_most(
        "14h, 12h",
        count(Event::TAKEN_BRANCH_OR_BTB_HIT),
        count(Event::BRANCHES),
    );
    at_most(
        "0Ah, 09h",
        count(Event::BANK_CONFLICTS),
        count(Event::MEMORY_ACCESSES_IN_BOTH_PIPES),
    );
    at_most(
        "05h, 01h",
        count(Event::WRITE_HIT_TO_M_OR_E_LINE),
        count(Event::DATA_WRITE),
    );
    at_most("03h, 00h", count(Event::DATA_READ_MISS), count(Event::DATA_READ));
    at_most("04h, 01h", count(Event::DATA_WRITE_MISS), count(Event::DATA_WRITE));
    at_most("0Eh, 0Ch", count(Event::CODE_CACHE_MISS), count(Event::CODE_READ));
    for event in [
        Event::BUS_CYCLE_DURATION,
        Event::WRITE_BUFFER_FULL_STALL,
        Event::DATA_READ_STALL,
        Event::WRITE_TO_M_OR_E_LINE_STALL,
        Event::DATA_READ,
        Event::DATA_WRITE,
        Event::DATA_READ_OR_WRITE,
    ] {
        at_most(event.name(), clocks(run, event), totals.cycles);
    }
    wrong
}

/// The first part in which two runs differ.
pub(crate) fn difference(left: &Run, right: &Run) -> Option<String> {
    macro_rules! compare {
        ($($field:ident)*) => {
            // The pattern names every field, so that a new one is not forgotten.
            let Run { $($field: _,)* } = left;
            $(if left.$field != right.$field {
                let (one, other) = (format!("{:?}", left.$field), format!("{:?}", right.$field));
                let at = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
                let around = |text: &str| {
                    let (from, to) = (at.saturating_sub(300), (at + 100).min(text.len()));
                    String::from_utf8_lossy(text.as_bytes().get(from..to).unwrap_or_default()).into_owned()
                };
                return Some(format!("{}:\n{}\n{}", stringify!($field), around(&one), around(&other)));
            })*
        };
    }
    compare!(
        stop runs whole own probes trace asked registers selectors flags floating_point screen symbols instructions variants
        remainders regions labels local_labels statements output standard_error notes budgets caches program bundled cpu cpu_title
        pipes memory assumed monitors core_ratio cpl files library answers functions inlined fragment entered calls
        other_memory picture hertz
    );
    None
}
