//! `p5inst explain`: a rule of the model, who says so, what is left out, and the tests that hold it.

use super::event_list::written;
use super::json_text::write_json;
use super::{Format, HEADING, Style, painted, printable};
use crate::model::ibs::Field;
use crate::model::topics::{self, Text};
use crate::model::{ASSUMPTIONS, Assumption, MONITORS, Model, Row, STIMULI, Selection};
use crate::run::{Cause, Refusal};
use crate::samples::Figure;
use crate::samples::derived::{Condition, Derived};
use asm_macros::events::{Event, Standing, Unit};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A topic and what is known about it.
#[derive(Clone, Debug, Serialize)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// What it is: `rule`, `cause of clocks`, `reason not to pair`, `event`, `assumption` or `monitor`.
    pub kind: &'static str,
    /// The rule.
    pub rule: String,
    /// Who says so.
    pub source: String,
    /// What is left out; empty if nothing is known to be.
    pub not_modelled: String,
    /// The tests that hold it: a file, and the name of a test or of a row in it.
    pub tests: Vec<String>,
    #[serde(skip)]
    said: &'static [&'static str],
}

const RULE: &str = "rule";
pub(super) const CAUSE: &str = "cause of clocks";
pub(super) const REFUSAL: &str = "reason not to pair";
pub(super) const EVENT: &str = "event";
const ASSUMPTION: &str = "assumption";
const MONITOR: &str = "monitor";
const DERIVED_EVENT: &str = "derived event of samples";
const KINDS: [&str; 6] = [RULE, CAUSE, REFUSAL, ASSUMPTION, MONITOR, EVENT];

/// Every topic of a chip.
pub fn topics(model: &Model) -> Vec<Topic> {
    let of_text = |name: &str, kind, text: Text| Topic {
        name: name.to_owned(),
        kind,
        rule: topics::filled(text.rule, model),
        source: text.source.to_owned(),
        not_modelled: text.not_modelled.to_owned(),
        tests: text
            .tests
            .iter()
            .map(|(file, name)| format!("{file}: {name}"))
            .collect(),
        said: text.said,
    };
    let concepts = topics::CONCEPTS.iter().map(|one| of_text(one.name, RULE, one.text));
    let causes = Cause::ALL
        .iter()
        .map(|&cause| of_text(cause.name(), CAUSE, topics::of_cause(cause)));
    let refusals = Refusal::ALL
        .iter()
        .map(|&refusal| of_text(refusal.name(), REFUSAL, topics::of_refusal(refusal)));
    let events = model.events.selections().map(|selection| of_event(model, selection));
    concepts
        .chain(causes)
        .chain(refusals)
        .chain(ASSUMPTIONS.iter().map(of_assumption))
        .chain(
            MONITORS
                .iter()
                .map(|monitor| of_text(monitor.name, MONITOR, monitor.text)),
        )
        .chain(events)
        .collect()
}

fn of_event(model: &Model, selection: Selection) -> Topic {
    let row = selection.event.row();
    let counts = match row.unit {
        Unit::Occurrence => "how often it occurs, or with COUNT_CYCLES the clocks in which it does",
        Unit::Duration => "how many times it begins, or with COUNT_CYCLES the clocks that it lasts",
    };
    let counter = match selection.counter {
        None => "both counters count it".to_owned(),
        Some(counter) => format!("only counter {counter} counts it"),
    };
    let selector = selection.selector;
    let demonstrated = written(&selection);
    let stimulus = STIMULI.iter().find(|stimulus| stimulus.event == selection.event);
    let why_not = model.events.why_unavailable(selection.event);
    let raised = stimulus.filter(|stimulus| why_not.is_none() || !stimulus.monitor.is_empty());
    let raised = raised.map_or_else(String::new, |stimulus| {
        let with = match stimulus.monitor {
            "" => String::new(),
            monitor => format!(" with `--monitor {monitor}`"),
        };
        format!(
            " It is raised for example by {}, which `p5inst events --demo {demonstrated}` runs{with}.",
            stimulus.numbered(model, 0).replace(" / ", "; ")
        )
    });
    Topic {
        name: row.event.name().to_owned(),
        kind: EVENT,
        rule: format!(
            "{}. Selector {selector:02X}h counts {counts}; {counter}.{}{raised}",
            row.title,
            beside_causes(row.event)
        ) + &counted_operations(model, row.event),
        source: match row.standing {
            Standing::Documented => "Intel, Pentium Processor Family Developer's Manual 1997, 16.4".to_owned(),
            Standing::Folklore => "tools and texts of the time; Intel calls the selector reserved".to_owned(),
        },
        not_modelled: match (why_not, raised.is_empty()) {
            (None, _) => String::new(),
            (Some(why), true) => format!("It is not counted: {why}."),
            (Some(why), false) => format!("Without a monitor it is not counted: {why}."),
        },
        tests: vec![match raised.is_empty() {
            false => "snapshots/tests/stimuli.rs: each_stimulus_raises_its_event".to_owned(),
            true => "runtime/src/report/tests.rs: a_counter_of_an_event_that_is_never_raised_has_no_figures".to_owned(),
        }],
        said: &[],
    }
}

/// How the clocks of an event differ from those that reports charge to a cause of a similar name.
fn beside_causes(event: Event) -> &'static str {
    match event {
        Event::DATA_READ_STALL => {
            " It holds in each clock in which a read waits, in either pipe, page walks included. A read of a line that \
             is still being filled waits, too, so that it may begin more often than reads miss. Reports charge each \
             clock once: a walk to data TLB miss, and, where V waits longer than U, V's wait for the bank to bank \
             conflict, even if U's read waits in that clock. So the cause data read miss may have fewer clocks."
        }
        Event::PIPELINE_FLUSHES => {
            " It counts mispredicted branches, jumps and returns to another segment, and the refills after an \
             instruction that met the entry of a branch (`p5inst explain entry met by another`), so there may be more \
             than the mispredictions that a report shows. A refill after the last instruction of a run takes no \
             clock of it. A loop of one group, such as `dec ecx` with `jnz`, flushes in nearly every round, as Agner \
             Fog, Microarchitecture 2020, 3.2, has it: each round is the group right after a misprediction, which \
             cannot use a prediction (`p5inst explain misprediction right after another`). So a thousand rounds count \
             nearly a thousand, not 1."
        }
        _ => "",
    }
}

/// Which forms the event of floating-point operations counts, and how sure that is; nothing for other events.
fn counted_operations(model: &Model, event: Event) -> String {
    if event != Event::FLOPS {
        return String::new();
    }
    let mut counted: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut others: Vec<&str> = Vec::new();
    for row in forms(model) {
        let Some(fpu) = row.fpu else { continue };
        match fpu.operations.min(model.rules.most_operations) {
            0 => others.push(row.form),
            number => counted.entry(number).or_default().push(row.form),
        }
    }
    let mut text = String::new();
    for (number, forms) in counted {
        let times = match number {
            1 => "once".to_owned(),
            number => format!("{number} times"),
        };
        text.push_str(&format!(" Counted {times}: {}.", forms.join(", ")));
    }
    text + &format!(
        " Not counted: {}. The manual lists adds, subtracts, multiplies, divides, remainders and square roots, says \
         that transcendental functions count several times, but not how often (`p5inst explain transcendental_flops`), \
         and that integer multiplies count. It does not list compares, FTST, FABS, FCHS, FXAM, conversions, loads and stores, \
         so these do not count here. Nobody has measured that; compares, which subtract, are the most doubtful. What \
         divides by zero, takes the root of a negative number, has a special operand or overruns the \
         stack does not count.",
        others.join(", ")
    )
}

/// The rows of a chip, those that its own replace left out.
fn forms(model: &Model) -> Vec<&Row> {
    let mut rows: Vec<&Row> = model.rows.iter().collect();
    let mut base = model.base;
    while let Some(chip) = base {
        for row in chip.rows {
            if rows.iter().all(|own| own.form != row.form) {
                rows.push(row);
            }
        }
        base = chip.base;
    }
    rows
}

fn of_assumption(assumption: &Assumption) -> Topic {
    let answers: Vec<String> = assumption
        .answers
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            let usual = if index == 0 { " (usual)" } else { "" };
            format!("{}={}{usual}: {}", assumption.name, answer.value, answer.meaning)
        })
        .collect();
    Topic {
        name: assumption.name.to_owned(),
        kind: ASSUMPTION,
        rule: format!(
            "It decides {}. With `--assume`, {}. A program that executes something which it concerns is also run \
             under the other answers; see `p5inst explain how sure`.",
            assumption.decides,
            answers.join("; ")
        ),
        source: assumption.sources.to_owned(),
        not_modelled: String::new(),
        tests: vec![
            "runtime/src/model/assumptions.rs: each_answer_but_the_usual_one_changes_the_chip".to_owned(),
            "snapshots/tests/engines/open_questions.rs: a_question_that_a_run_does_not_touch_changes_nothing"
                .to_owned(),
        ],
        said: &[],
    }
}

/// A derived event of samples, which no list of topics has.
fn of_derived(event: &Derived) -> Topic {
    let names = |fields: &[Field], joined: &str| {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.join(joined)
    };
    let conditions: Vec<String> = event
        .conditions
        .iter()
        .map(|condition| match condition {
            Condition::Any(fields) => names(fields, " or "),
            Condition::Clear(fields) => format!("not {}", names(fields, " nor ")),
            Condition::Is(field, value) => format!("{} = {value}", field.name),
        })
        .collect();
    let which = match conditions.as_slice() {
        [] => String::new(),
        conditions => format!(" with {}", conditions.join(" and ")),
    };
    let what = match event.sum {
        Some(field) => format!(
            "It is the sum of {} over the samples of {}s{which}",
            field.name,
            event.kind.name()
        ),
        None => format!("It counts the samples of {}s{which}", event.kind.name()),
    };
    Topic {
        name: event.name.to_owned(),
        kind: DERIVED_EVENT,
        rule: format!(
            "{:04X}: {}. {what}. `p5inst query FILE derive` has it for all samples, `top --pm {}` by instruction, and \
             `names` lists all.",
            event.code, event.title, event.name
        ),
        source: "OProfile, events/x86-64/family10/events; AMD CodeAnalyst, derived events of IBS".to_owned(),
        not_modelled: String::new(),
        tests: vec!["instrumenter/tests/samples.rs: sums_of_derived_events_hold_for_any_packets".to_owned()],
        said: &[],
    }
}

/// The topics that `wanted` names: by its name, an event's selector, the words by which it is called, or what a report
/// prints, which may be several reasons. There are several of one reason only if it says no more than what several
/// names have in common.
pub fn explained(model: &Model, wanted: &str) -> Vec<Topic> {
    let all = topics(model);
    // A word before a reason is one itself.
    let wanted = plain(wanted);
    let wanted = wanted.replace("before the region it waited", "before the region; waited");
    let reasons = MARKS.iter().fold(wanted, |words, mark| {
        words.replace(mark, &mark.replace([':', ','], ";"))
    });
    let reasons = reasons.split(';').map(str::trim).filter(|reason| !reason.is_empty());
    let reasons: Vec<&str> = reasons.collect();
    if let [only] = reasons[..] {
        let found = of_reason(model, &all, only);
        return match Figure::by_name(&only.replace(' ', "_")) {
            Some(Figure::Derived(event)) if found.is_empty() => vec![of_derived(event)],
            _ => found,
        };
    }
    let mut found: Vec<Topic> = Vec::new();
    for topic in reasons.iter().flat_map(|reason| of_reason(model, &all, reason)) {
        // No event is a reason.
        if topic.kind != EVENT && found.iter().all(|known| known.name != topic.name) {
            found.push(topic);
        }
    }
    found
}

/// What reports write between clocks and their reason, in addition to the words for the clocks.
const MARKS: [&str; 3] = [" of it:", " before the region:", " before the region,"];

/// The topics among `all` of one reason.
fn of_reason(model: &Model, all: &[Topic], wanted: &str) -> Vec<Topic> {
    let pick =
        |fits: &dyn Fn(&Topic) -> bool| -> Vec<Topic> { all.iter().filter(|topic| fits(topic)).cloned().collect() };
    let named = pick(&|topic| plain(&topic.name) == wanted);
    if !named.is_empty() {
        return named;
    }
    let events = super::event_rows(model, Some(wanted));
    let digits = wanted.trim_start_matches("0x").trim_end_matches('h');
    if let (Ok(selector), true) = (
        u8::from_str_radix(digits, 16),
        wanted.starts_with(|first: char| first.is_ascii_digit()),
    ) {
        let selected = events.iter().filter(|one| one.selector == selector);
        let names: Vec<&str> = selected.map(|one| one.event.name()).collect();
        return pick(&|topic| topic.kind == EVENT && names.contains(&topic.name.as_str()));
    }
    let called = pick(&|topic| topic.said.contains(&wanted));
    if !called.is_empty() {
        return called;
    }
    // A reason of a report contains the words of a topic: the longest decide, then how many of its words it contains.
    let closeness = |topic: &Topic| {
        if topic.kind == EVENT {
            return (0, 0);
        }
        let name = plain(&topic.name);
        let words = topic.said.iter().copied().chain([name.as_str()]);
        let contained = words.filter(|words| contains(wanted, words)).map(str::len);
        contained.fold((0, 0), |(longest, number), length| (length.max(longest), number + 1))
    };
    let most = all.iter().map(closeness).max().unwrap_or((0, 0));
    if most > (0, 0) {
        return pick(&|topic| closeness(topic) == most);
    }
    pick(&|topic| contains(&plain(&topic.name), wanted))
}

/// Whether `phrase` stands in `text` word by word; `*` in it is any word.
fn contains(text: &str, phrase: &str) -> bool {
    let split = |text| -> Vec<&str> {
        str::split(text, |letter: char| !letter.is_alphanumeric() && letter != '*')
            .filter(|word| !word.is_empty())
            .collect()
    };
    let (text, phrase) = (split(text), split(phrase));
    !phrase.is_empty()
        && text.windows(phrase.len()).any(|words| {
            words
                .iter()
                .zip(&phrase)
                .all(|(word, wanted)| word == wanted || *wanted == "*")
        })
}

/// A name or words as they are compared.
fn plain(text: &str) -> String {
    let lower = text.trim().to_ascii_lowercase().replace(['_', '-'], " ");
    lower.strip_prefix("ev ").unwrap_or(&lower).to_owned()
}

/// Writes what is known about topics.
///
/// JSON is an array of objects with `name`, `kind`, `rule`, `source`, `not_modelled` and `tests`.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_topics(topics: &[Topic], format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(topics, out);
    }
    for (index, topic) in topics.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let name = painted(style, HEADING, &topic.name);
        writeln!(out, "{name}: {}", topic.kind)?;
        folded(&topic.rule, "  ", style, out)?;
        folded(&format!("Source: {}", topic.source), "  ", style, out)?;
        if !topic.not_modelled.is_empty() {
            folded(&format!("Not modelled: {}", topic.not_modelled), "  ", style, out)?;
        }
        writeln!(out, "  Tests:")?;
        topic
            .tests
            .iter()
            .try_for_each(|test| folded(test, "    ", style, out))?;
    }
    Ok(())
}

/// Writes the names of all topics, by kind.
///
/// JSON is an array of objects with `kind` and `names`.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_topic_list(model: &Model, format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Listed {
        kind: &'static str,
        names: Vec<String>,
    }
    let all = topics(model);
    let kinds = KINDS.map(|kind| Listed {
        kind,
        names: all
            .iter()
            .filter(|topic| topic.kind == kind)
            .map(|topic| topic.name.clone())
            .collect(),
    });
    if format == Format::Json {
        return write_json(&kinds, out);
    }
    for kind in &kinds {
        writeln!(out, "{}", painted(style, HEADING, kind.kind))?;
        folded(&kind.names.join(", "), "  ", style, out)?;
    }
    Ok(())
}

fn folded(words: &str, indent: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = printable::folded(words, style.width.saturating_sub(indent.len()));
    lines.iter().try_for_each(|line| writeln!(out, "{indent}{line}"))
}

#[cfg(test)]
mod tests;
