//! `derive`: the derived events, as OProfile and CodeAnalyst list them.

use super::{
    Answer, Columns, Exactly, Shown, Unit, Value, begin, estimated, graded_by, known, percent, truth_missing, warn,
};
use p5_record::SampleKind;
use p5_record::derived::{DERIVED, Derived, SUM_RULES};
use p5_samples::{Analysis, Sum};

/// Every derived event: its sum over the samples, the estimate, and with `truth` the exact figure.
pub fn derived(recording: &Analysis, shown: Shown) -> Answer<'_> {
    let truth = shown.truth;
    let mut answer = begin("derive", recording, shown.rows);
    // Both are counted once: there may be millions of samples, and there are many events.
    let counts = SampleKind::ALL.map(|kind| recording.count(kind));
    let scales = SampleKind::ALL.map(|kind| recording.scale(kind));
    let [fetches, ops] = counts;
    answer.lead(format!("{fetches} fetch samples, {ops} op samples"));
    let known_events = || DERIVED.iter().filter(|event| counts[event.kind as usize] > 0);
    let rows = known_events().filter(|event| recording.knows(event)).map(|event| {
        let (sum, scale) = (recording.sum(event), scales[event.kind as usize]);
        let graded = graded_by(&sum, scale, recording.exact(event), recording.usual(event));
        (event, sum, graded)
    });
    let mut columns = Columns::default();
    columns.add(
        "code",
        "code",
        Unit::Text,
        |(event, ..): &(&Derived, Sum, [Value; 2])| Value::Text(format!("{:04X}", event.code)),
    );
    columns.add("name", "event", Unit::Text, |(event, ..)| {
        Value::Text(event.name.to_owned())
    });
    let shown = |text: &'static str| if truth { "" } else { text };
    columns.add("samples", shown("samples"), Unit::Count, |(_, sum, _)| {
        Value::count(sum.total)
    });
    columns.add(
        "share_percent",
        shown("share"),
        Unit::Percent,
        |(event, sum, _)| match event.sum {
            None => percent(sum.total as f64, counts[event.kind as usize] as f64),
            Some(_) => Value::Missing,
        },
    );
    columns.add("estimate", "stands for", Unit::Count, |(event, sum, _)| {
        estimated(sum, scales[event.kind as usize])
    });
    if truth {
        columns.add_graded(("exact", "exact", Unit::Count), "error_sigmas", |(.., graded)| {
            graded.clone()
        });
    }
    columns.add("title", "", Unit::Text, |(event, ..)| {
        Value::Text(event.title.to_owned())
    });
    answer.table(columns, rows);
    let unknown: Vec<&Derived> = known_events().filter(|event| !recording.knows(event)).collect();
    let registers: Vec<u32> = unknown.iter().flat_map(|event| event.registers()).collect();
    for kind in SampleKind::ALL {
        let so = format!(
            "events of {} are not known",
            match kind {
                SampleKind::Fetch => "fetches",
                SampleKind::Op => "ops",
            }
        );
        known(&mut answer, recording.lack(Some(kind), []), &so);
    }
    known(
        &mut answer,
        recording.lack(None, registers),
        &format!("{} events are not known", unknown.len()),
    );
    let knows = |code: &u16| p5_record::derived::derived(*code).is_some_and(|event| recording.knows(event));
    let sum = |code: u16| p5_record::derived::derived(code).map_or(0, |event| recording.sum(event).total);
    for (whole, parts) in SUM_RULES {
        let names: Vec<String> = parts.iter().map(|part| format!("{part:04X}")).collect();
        let own = sum(*whole);
        let known = knows(whole) && parts.iter().all(knows);
        if known && own > 0 && own == parts.iter().map(|part| sum(*part)).sum::<u64>() {
            answer.lead(format!("{whole:04X} = {} (by definition)", names.join(" + ")));
        }
    }
    truth_missing(&mut answer, recording, truth, Exactly::Everything);
    warn(&mut answer, recording, &SampleKind::ALL);
    answer
}
