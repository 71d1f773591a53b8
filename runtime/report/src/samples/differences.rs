//! `diff`: two recordings, event by event.

use super::{Answer, Columns, Unit, Value, begin, known, warn};
use p5_record::derived::DERIVED;
use p5_record::{CountMode, SampleKind, SampledMachine, Sampling};
use p5_samples::{Analysis, Difference};

/// The derived events of two recordings for 1000 fetches or ops, with how far chance may explain the difference.
pub fn differences<'a>(earlier: &'a Analysis, later: &'a Analysis, rows: usize) -> Answer<'a> {
    let mut answer = begin("diff", earlier, rows);
    let counts = [earlier, later].map(|one| SampleKind::ALL.map(|kind| one.count(kind)));
    for (name, [fetches, ops]) in [("first", counts[0]), ("second", counts[1])] {
        let program = if name == "first" {
            &earlier.program
        } else {
            &later.program
        };
        answer.lead(format!("{name}: {program}, {fetches} fetch samples, {ops} op samples"));
    }
    let all = earlier.differences(later);
    let (rows, same): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|row| row.sums.iter().any(|sum| sum.total > 0));
    let rate = |row: &Difference, side: usize| row.rates[side].map(|rate| rate * 1000.0);
    let mut columns = Columns::default();
    columns.add("code", "code", Unit::Text, |row: &Difference| {
        Value::Text(format!("{:04X}", row.event.code))
    });
    columns.add("name", "event", Unit::Text, |row| {
        Value::Text(row.event.name.to_owned())
    });
    columns.add("first_per_1000", "first\nper 1000", Unit::Count, move |row| {
        Value::real(rate(row, 0))
    });
    columns.add("second_per_1000", "second\nper 1000", Unit::Count, move |row| {
        Value::real(rate(row, 1))
    });
    columns.add("difference", "change", Unit::Count, |row| {
        let rates = row.rates[0].zip(row.rates[1]);
        Value::real(rates.map(|(first, second)| (second - first) * 1000.0))
    });
    columns.add("error_sigmas", "sigmas", Unit::Sigmas, |row| Value::real(row.sigmas));
    columns.add("title", "", Unit::Text, |row| Value::Text(row.event.title.to_owned()));
    answer.table(columns, rows);
    for (recording, which) in [(earlier, "first"), (later, "second")] {
        for kind in SampleKind::ALL {
            let events: Vec<_> = DERIVED
                .iter()
                .filter(|event| event.kind == kind && !recording.knows(event))
                .collect();
            let so = format!(
                "{} events are not compared: they are not known of the {which}",
                events.len()
            );
            let registers = events.iter().flat_map(|event| event.registers());
            known(&mut answer, recording.lack(Some(kind), registers), &so);
        }
    }
    if !same.is_empty() {
        let same = same.len();
        answer.note(format!("{same} events are in neither"));
    }
    answer.note("a change under 2 standard errors (sigmas) may be chance".to_owned());
    let [first, second] = [earlier, later].map(|one| &one.sampling);
    if first.choice.mode != second.choice.mode {
        answer.note(format!(
            "ops of the first were found by counting {}, of the second by counting {}: how often each is sampled \
             differs by that alone",
            counted(first.choice.mode),
            counted(second.choice.mode)
        ));
    }
    let filters = |one: &Sampling| {
        (
            one.choice.load_latency,
            one.choice.last_level_misses_only,
            one.choice.kept.clone(),
        )
    };
    if filters(first) != filters(second) {
        answer.note("the two were filtered differently, so a share of samples is of something else in each".to_owned());
    }
    if earlier.program != later.program {
        answer.note("the two are of programs of different names".to_owned());
    }
    if earlier.machine != later.machine {
        answer.note(format!(
            "the two were recorded on different machines: {}",
            apart(&earlier.machine, &later.machine)
        ));
    }
    warn(&mut answer, earlier, &SampleKind::ALL);
    warn(&mut answer, later, &SampleKind::ALL);
    answer
}

fn apart(first: &SampledMachine, second: &SampledMachine) -> String {
    let assumed = |machine: &SampledMachine| {
        let answers = machine.assumed.iter().map(|(name, answer)| format!("{name}={answer}"));
        answers.collect::<Vec<String>>().join(", ")
    };
    let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let of = |machine: &SampledMachine| {
        [
            ("chip", machine.chip_title.clone()),
            ("memory", machine.memory.clone()),
            ("--assume", assumed(machine)),
            ("--monitor", machine.monitors.join(", ")),
            ("--also", machine.also.join(", ")),
            ("--core-ratio", machine.core_ratio.clone().unwrap_or_default()),
            ("privilege level", machine.cpl.to_string()),
            ("ops in a clock", number(machine.width)),
            ("bytes of a line", machine.line_bytes.to_string()),
            ("bytes of a page", machine.page_bytes.to_string()),
        ]
    };
    let or_none = |value: String| if value.is_empty() { "none".to_owned() } else { value };
    let pairs = of(first).into_iter().zip(of(second));
    let different = pairs.filter(|((_, first), (_, second))| first != second);
    let words =
        different.map(|((name, first), (_, second))| format!("{name} {} and {}", or_none(first), or_none(second)));
    words.collect::<Vec<String>>().join("; ")
}

const fn counted(mode: CountMode) -> &'static str {
    match mode {
        CountMode::Cycles => "clocks",
        CountMode::Dispatch => "dispatched ops",
    }
}
