//! The contents of a file of samples: the answer if no question is asked.

use super::super::phrases::counted;
use super::super::setting::attached;
use super::{Answer, Columns, Unit, Value, begin, warn};
use p5_chips::ibs::sample_register;
use p5_record::{Attempts, CountMode, SampleKind, TrueData};
use p5_samples::Analysis;

/// The samplers, the numbers of their samples, and the registers that were kept.
pub fn overview(recording: &Analysis) -> Answer<'_> {
    let mut answer = begin("overview", recording, usize::MAX);
    let sampling = &recording.sampling;
    let runs = match sampling.runs {
        (first, last) if first == last => format!("run {first}"),
        (first, last) => format!("runs {first} to {last}"),
    };
    let basis = match sampling.choice.mode {
        CountMode::Cycles => "clocks",
        CountMode::Dispatch => "dispatched ops",
    };
    let found = match sampling.op {
        Some(_) => format!("; ops found by counting {basis}"),
        None => String::new(),
    };
    answer.lead(format!(
        "{runs}{found}; randomization {}, seed {}",
        sampling.choice.randomization.name(),
        sampling.choice.seed
    ));
    let machine = &recording.machine;
    let monitors: Vec<&str> = machine
        .monitors
        .iter()
        .chain(&machine.also)
        .map(String::as_str)
        .collect();
    if !monitors.is_empty() {
        answer.lead(attached(&monitors, machine.core_ratio.as_deref()));
    }
    if let Some(latency) = sampling.choice.load_latency {
        answer.lead(format!("only loads of at least {latency} clocks"));
    }
    if sampling.choice.last_level_misses_only {
        answer.lead("only what neither cache level had".to_owned());
    }
    if let Some(kept) = &sampling.choice.kept {
        let names = kept.iter().filter_map(|&register| sample_register(register));
        let names: Vec<&str> = names.map(|register| register.name).collect();
        answer.lead(format!("only these registers were kept: {}", names.join(", ")));
    }
    if let Some(window) = sampling.choice.window {
        let pairs = recording.samples.iter().filter(|sample| sample.pair.is_some()).count();
        answer.lead(format!(
            "{}, up to {} apart",
            counted(pairs as u64, "pair"),
            counted(u64::from(window), "op")
        ));
    }
    if let Some(truth) = &recording.truth {
        let line = |part: &TrueData| part.address & !(recording.machine.line_bytes.max(1) - 1);
        // The parts of a line follow one another.
        let mut lines: Vec<u32> = truth.data.iter().map(line).collect();
        lines.dedup();
        answer.lead(format!(
            "exact figures of {} and {} of data, {}",
            counted(truth.instructions.len() as u64, "instruction"),
            counted(lines.len() as u64, "line"),
            counted(truth.clocks, "clock")
        ));
    }
    let mut columns = Columns::default();
    columns.add("kind", "sampler", Unit::Text, |(kind, _): &(SampleKind, Attempts)| {
        Value::Text(kind.name().to_owned())
    });
    columns.add("samples", "samples", Unit::Count, |(kind, _)| {
        Value::count(recording.count(*kind))
    });
    columns.add("period", "period", Unit::Count, |(_, attempts)| {
        Value::count(attempts.period)
    });
    columns.add("attempts", "attempts", Unit::Count, |(_, attempts)| {
        Value::count(attempts.made)
    });
    let number = |number: Option<u64>| number.map_or(Value::Missing, Value::count);
    columns.add("dropped", "dropped", Unit::Count, |(_, attempts)| {
        number(attempts.dropped)
    });
    columns.add("flushed", "flushed", Unit::Count, |(_, attempts)| {
        number(attempts.flushed)
    });
    columns.add("filtered", "filtered", Unit::Count, |(_, attempts)| {
        Value::count(attempts.filtered)
    });
    let not_kept = |kind: SampleKind, attempts: &Attempts| attempts.taken().saturating_sub(recording.count(kind));
    columns.add(
        "not_kept",
        if sampling.cut > 0 { "not\nkept" } else { "" },
        Unit::Count,
        |(kind, attempts)| Value::count(not_kept(*kind, attempts)),
    );
    let rows = [(SampleKind::Fetch, sampling.fetch), (SampleKind::Op, sampling.op)];
    let rows = rows.into_iter().filter_map(|(kind, attempts)| Some((kind, attempts?)));
    answer.table(columns, rows);
    let samplers = [sampling.fetch, sampling.op];
    if samplers.iter().flatten().any(|attempts| attempts.dropped.is_none()) {
        answer.note(
            "attempts dropped because there was nothing to tag are not known: the recorder does not see them"
                .to_owned(),
        );
    }
    if sampling.op.is_some_and(|attempts| attempts.flushed.is_none()) {
        answer.note(
            "tagged ops that were flushed are not known: the recorder does not see them, and a simulated chip has \
             none, as paths that are not taken are not modelled"
                .to_owned(),
        );
    }
    if recording.machine.width.is_none() {
        answer.note("how many ops this machine issues in a clock at best is not known".to_owned());
    }
    answer.note(format!(
        "an attempt is the end of a period: dropped if there was nothing to tag, flushed if the op never retired, \
         filtered if an option left the sample out, {}else a sample",
        if sampling.cut > 0 {
            "not kept if there were too many, "
        } else {
            ""
        }
    ));
    for (kind, attempts) in [(SampleKind::Fetch, sampling.fetch), (SampleKind::Op, sampling.op)] {
        let lack = recording.lack(Some(kind), []).filter(|_| attempts.is_some());
        super::known(&mut answer, lack, "nothing is known of them");
    }
    if sampling.op.is_none() {
        answer.note("no ops were sampled; `--op N` samples them, too".to_owned());
    }
    answer.note(
        "`p5inst query FILE derive` lists the derived events; `p5inst query --help` the other questions".to_owned(),
    );
    warn(&mut answer, recording, &SampleKind::ALL);
    answer
}
