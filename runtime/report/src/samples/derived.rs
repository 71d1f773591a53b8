//! `derive`: the derived events, as OProfile and CodeAnalyst list them.

use super::{Answer, Exactly, Unit, Value, begin, estimated, graded_by, known, percent, truth_missing, warn};
use p5_samples::derived::{DERIVED, SUM_RULES};
use p5_samples::{Recording, SampleKind};

/// Every derived event: what the samples have of it, what that stands for, and with `truth` what is true.
pub fn derived(recording: &Recording, truth: bool) -> Answer<'_> {
    let mut answer = begin("derive", recording);
    let [fetches, ops] = SampleKind::ALL.map(|kind| recording.count(kind));
    answer.lead(format!("{fetches} fetch samples, {ops} op samples"));
    answer.column("code", "code", Unit::Text);
    answer.column("name", "event", Unit::Text);
    answer.column("samples", if truth { "" } else { "samples" }, Unit::Count);
    answer.column("share_percent", if truth { "" } else { "share" }, Unit::Percent);
    answer.column("estimate", "stands for", Unit::Count);
    if truth {
        answer.column("exact", "exact", Unit::Count);
        answer.column("error_sigmas", "sigmas", Unit::Sigmas);
    }
    answer.column("title", "", Unit::Text);
    let mut unknown = 0;
    let mut registers = Vec::new();
    for event in DERIVED.iter().filter(|event| recording.count(event.kind) > 0) {
        if !recording.knows(event) {
            unknown += 1;
            registers.extend(event.registers());
            continue;
        }
        let sum = recording.sum(event);
        let scale = recording.scale(event.kind);
        let share = match event.sum {
            None => percent(sum.total as f64, recording.count(event.kind) as f64),
            Some(_) => Value::Missing,
        };
        let mut row = vec![
            Value::Text(format!("{:04X}", event.code)),
            Value::Text(event.name.to_owned()),
            Value::Integer(u128::from(sum.total)),
            share,
            estimated(&sum, scale),
        ];
        if truth {
            row.extend(graded_by(&sum, scale, recording.exact(event), recording.usual(event)));
        }
        row.push(Value::Text(event.title.to_owned()));
        answer.row(row);
    }
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
        &format!("{unknown} events are not known"),
    );
    let knows = |code: &u16| p5_samples::derived::derived(*code).is_some_and(|event| recording.knows(event));
    let sum = |code: u16| p5_samples::derived::derived(code).map_or(0, |event| recording.sum(event).total);
    for (whole, parts) in SUM_RULES {
        let names: Vec<String> = parts.iter().map(|part| format!("{part:04X}")).collect();
        let own = sum(*whole);
        let known = knows(whole) && parts.iter().all(knows);
        if known && own > 0 && own == parts.iter().map(|part| sum(*part)).sum::<u64>() {
            answer.lead(format!("{whole:04X} = {} (by definition)", names.join(" + ")));
        }
    }
    let begun = |code: u16| knows(&code) && sum(code) > 0;
    if recording.scale(SampleKind::Fetch).is_some_and(|scale| scale > 1.0) && (begun(0xF001) || begun(0xF004)) {
        answer.note(
            "the sampler counts completed fetches from one sample to the next, so that what fetches stand for leaves \
             out some that were killed or aborted"
                .to_owned(),
        );
    }
    truth_missing(&mut answer, recording, truth, Exactly::Everything);
    warn(&mut answer, recording, &SampleKind::ALL);
    answer
}
