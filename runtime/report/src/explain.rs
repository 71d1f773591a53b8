//! `p5inst explain`: a rule of the model with its sources, its omissions, and the tests that hold it.

use super::json_text::write_json;
use super::wording::SIGNALS;
use super::{Format, HEADING, Style, painted, printable};
use crate::document::document;
use p5_chips::{ASSUMPTIONS, LATER_INSTRUCTIONS, MODELS, MONITORS, Model, Text};
use p5_results::{Cause, Refusal};
use p5_samples::Figure;
use serde::Serialize;
use std::io::{self, Write};
use tables::{of_assumption, of_assumptions, of_chip, of_derived, of_event, of_memory, of_signals};

mod tables;
mod texts;

/// A topic of `p5inst explain`.
#[derive(Clone, Debug)]
pub struct Topic {
    /// The name, which is unique on its chip.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// The rule.
    pub rule: String,
    /// The sources of the rule.
    pub source: String,
    /// The part that is not modelled; empty if nothing is known to be missing.
    pub not_modelled: String,
    /// The tests that hold the rule: each a file, and the name of a test or of a row in it.
    pub tests: Vec<String>,
    /// The short name of the chip that the rule is of.
    pub chip: &'static str,
    said: &'static [&'static str],
}

/// The kind of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A rule that several causes or refusals have in common.
    Rule,
    /// A cause of clocks.
    Cause,
    /// A reason why two instructions do not pair.
    Refusal,
    /// A question that the sources leave open.
    Assumption,
    /// A chip.
    Chip,
    /// A monitor that a chip may be given.
    Monitor,
    /// Instructions of later processors that a chip may be given.
    LaterInstructions,
    /// An event of the chip's counters.
    Event,
    /// An event that is derived from samples.
    DerivedEvent,
}

impl Kind {
    /// The kinds that have a heading in lists, in their order.
    const LISTED: [Kind; 8] = [
        Kind::Rule,
        Kind::Cause,
        Kind::Refusal,
        Kind::Assumption,
        Kind::Chip,
        Kind::Monitor,
        Kind::LaterInstructions,
        Kind::Event,
    ];

    /// Its words.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Kind::Rule => "rule",
            Kind::Cause => "cause of clocks",
            Kind::Refusal => "reason not to pair",
            Kind::Assumption => "assumption",
            Kind::Chip => "chip",
            Kind::Monitor => "monitor",
            Kind::LaterInstructions => "later instruction",
            Kind::Event => "event",
            Kind::DerivedEvent => "derived event of samples",
        }
    }
}

document! {
    /// What a topic says.
    #[cfg_attr(test, schemars(rename = "Topic"))]
    pub(crate) struct Explained<'a> {
        /// Its name, unique on its chip.
        name: &'a str = &topic.name,
        /// Its kind in words: `rule`, `cause of clocks`, `reason not to pair`, `assumption`, `chip`, `monitor`, `later
        /// instruction`, `event` or `derived event of samples`.
        kind: &'static str = topic.kind.words(),
        /// The rule.
        rule: &'a str = &topic.rule,
        /// The sources of the rule.
        source: &'a str = &topic.source,
        /// What is not modelled of it; empty if nothing is known to be missing.
        not_modelled: &'a str = &topic.not_modelled,
        /// The tests that hold the rule: each a file, and the name of a test or of a row in it.
        tests: &'a [String] = &topic.tests,
        /// The short name of the chip that the rule is of, if it is another one on another chip; absent if it is not.
        #[serde(skip_serializing_if = "Option::is_none")]
        chip: Option<&'static str> = Some(topic.chip).filter(|_| !others.is_empty()),
        /// The short names of the chips that have another rule of this name; absent without any.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        other_chips: Vec<&'static str> = others,
    }
    from (topic: &'a Topic) {
        let others = elsewhere(topic);
    }

    /// The topics of a kind.
    pub(crate) struct Names<'a> {
        /// The kind in words, as in topics.
        kind: &'static str = kind.words(),
        /// The names of its topics.
        names: Vec<&'a str> = all
            .iter()
            .filter(|topic| topic.kind == kind)
            .map(|topic| topic.name.as_str())
            .collect(),
    }
    from (all: &'a [Topic], kind: Kind)
}

/// What `p5inst explain` writes: the topics that were asked for, or without a question the names of all, by kind.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst explain"))]
#[serde(untagged)]
pub(crate) enum ExplainReport<'a> {
    Topics(Vec<Explained<'a>>),
    Names(Vec<Names<'a>>),
}

/// Every topic of a chip, by kind.
pub fn topics(model: &Model) -> Vec<Topic> {
    let of_text = |name: &str, kind, text: Text| Topic {
        name: name.to_owned(),
        kind,
        rule: texts::told(name, kind == Kind::Refusal, text.rule, model),
        source: texts::filled(text.source, model),
        not_modelled: text.not_modelled.to_owned(),
        tests: text
            .tests
            .iter()
            .map(|(file, name)| format!("{file}: {name}"))
            .collect(),
        chip: model.name,
        said: text.said,
    };
    let concepts = texts::concepts().map(|one| of_text(one.name, Kind::Rule, one.text));
    let causes = Cause::ALL
        .iter()
        .map(|&cause| of_text(cause.name(), Kind::Cause, texts::of_cause(cause)));
    let refusals = Refusal::ALL
        .iter()
        .map(|&refusal| of_text(refusal.name(), Kind::Refusal, texts::of_refusal(refusal)));
    let events = model.events.selections().map(|selection| of_event(model, selection));
    concepts
        .chain([of_assumptions(), of_signals(), of_memory()])
        .chain(causes)
        .chain(refusals)
        .chain(ASSUMPTIONS.iter().map(of_assumption))
        .chain(MODELS.iter().map(|chip| of_chip(chip)))
        .chain(
            MONITORS
                .iter()
                .map(|monitor| of_text(monitor.name, Kind::Monitor, monitor.text)),
        )
        .chain(
            LATER_INSTRUCTIONS
                .iter()
                .map(|later| of_text(later.name, Kind::LaterInstructions, later.text)),
        )
        .chain(events)
        .map(|topic| Topic {
            chip: model.name,
            ..topic
        })
        .collect()
}

/// The topics that `wanted` names: a topic's name, an event's selector, a signal's name, other words for a topic, or a
/// reason as a report prints it. A report's text may hold several reasons; one reason has several topics only if it
/// consists of no more than the words that their names have in common.
pub fn explained(model: &Model, wanted: &str) -> Vec<Topic> {
    let all = topics(model);
    // A word before a reason may be a reason itself.
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
        if topic.kind != Kind::Event && found.iter().all(|known| known.name != topic.name) {
            found.push(topic);
        }
    }
    found
}

/// The topics that `wanted` names on the chip that knows most about it: the first one with a topic of this name that
/// has figures, or an event of this number; otherwise the first one with any.
pub fn explained_on_any(wanted: &str) -> Vec<Topic> {
    let name = plain(wanted);
    let concept = texts::concepts().find(|one| plain(one.name) == name);
    let is_named = |model: &&&'static Model| {
        if concept.is_some_and(|one| texts::is_absent(one.name, model)) {
            return false;
        }
        !of_number(model, &name).is_empty() || topics(model).iter().any(|topic| plain(&topic.name) == name)
    };
    let named = MODELS.iter().find(is_named).map(|model| explained(model, wanted));
    let mut all = MODELS.iter().map(|model| explained(model, wanted));
    named
        .or_else(|| all.find(|found| !found.is_empty()))
        .unwrap_or_default()
}

/// Every topic that any chip has, once.
pub fn topics_of_any() -> Vec<Topic> {
    let mut all: Vec<Topic> = Vec::new();
    for topic in MODELS.iter().flat_map(|model| topics(model)) {
        if all.iter().all(|known| known.name != topic.name) {
            all.push(topic);
        }
    }
    all
}

/// The short names of the chips on which the rule of a topic is another one.
fn elsewhere(topic: &Topic) -> Vec<&'static str> {
    if matches!(topic.kind, Kind::Event | Kind::Chip) {
        return Vec::new();
    }
    let differs = |model: &&&'static Model| {
        let own = topics(model).into_iter();
        let mut own = own.filter(|other| other.kind == topic.kind && other.name == topic.name);
        own.next().is_some_and(|other| other.rule != topic.rule)
    };
    let others = MODELS.iter().filter(|model| model.name != topic.chip);
    others.filter(differs).map(|model| model.name).collect()
}

/// The names of the events whose number is `wanted`.
fn of_number(model: &Model, wanted: &str) -> Vec<&'static str> {
    if !wanted.starts_with(|first: char| first.is_ascii_digit()) {
        return Vec::new();
    }
    let events = super::numbered_events(model, wanted);
    events.iter().map(|one| one.event.name()).collect()
}

/// The text that reports put between clocks and their reason, in addition to the words for the clocks.
const MARKS: [&str; 3] = [" of it:", " before the region:", " before the region,"];

/// The topics among `all` of one reason.
fn of_reason(model: &Model, all: &[Topic], wanted: &str) -> Vec<Topic> {
    let pick =
        |fits: &dyn Fn(&Topic) -> bool| -> Vec<Topic> { all.iter().filter(|topic| fits(topic)).cloned().collect() };
    let named = pick(&|topic| plain(&topic.name) == wanted);
    if !named.is_empty() {
        return named;
    }
    let numbered = of_number(model, wanted);
    if !numbered.is_empty() {
        return pick(&|topic| topic.kind == Kind::Event && numbered.contains(&topic.name.as_str()));
    }
    let signal = wanted.strip_prefix("sig");
    if SIGNALS.iter().any(|name| signal == Some(&*name.to_ascii_lowercase())) {
        return vec![of_signals()];
    }
    let called = pick(&|topic| topic.said.contains(&wanted));
    if !called.is_empty() {
        return called;
    }
    // Words of a reason that is printed lead to its topic, rather than a word among them to its own.
    let within = || pick(&|topic| topic.said.iter().any(|said| contains(said, wanted)));
    let part = if words(wanted).len() >= PART {
        within()
    } else {
        Vec::new()
    };
    if !part.is_empty() {
        return part;
    }
    // A reason in a report contains the words of a topic. The longest such words win, then the most words contained.
    let closeness = |topic: &Topic| {
        if matches!(topic.kind, Kind::Event | Kind::Chip) {
            return (0, 0);
        }
        let name = plain(&topic.name);
        let phrases = topic.said.iter().copied().chain([name.as_str()]);
        let contained = phrases.filter(|phrase| contains(wanted, phrase)).map(str::len);
        contained.fold((0, 0), |(longest, number), length| (length.max(longest), number + 1))
    };
    let most = all.iter().map(closeness).max().unwrap_or((0, 0));
    if most > (0, 0) {
        return pick(&|topic| closeness(topic) == most);
    }
    let of_name = pick(&|topic| contains(&plain(&topic.name), wanted));
    // A single word may be that of an instruction.
    match of_name.is_empty() && words(wanted).len() > 1 {
        true => within(),
        false => of_name,
    }
}

/// The fewest words that are taken for a part of a printed reason before single words of them are looked up.
const PART: usize = 3;

/// The names of the topics among `all` whose rules have most of the words of `wanted`, at most three. A word counts the
/// more the fewer topics have it; words of up to three letters do not count.
pub fn topics_with_words<'a>(all: &'a [Topic], wanted: &str) -> Vec<&'a str> {
    const MOST: usize = 3;
    const SHORT: usize = 3;
    let wanted = plain(wanted);
    let words = wanted.split(|letter: char| !letter.is_alphanumeric());
    let words = words.filter(|word| word.len() > SHORT);
    let mut scores: Vec<f64> = vec![0.0; all.len()];
    for word in words {
        let singular = word.strip_suffix('s').unwrap_or(word);
        let has = |topic: &Topic| {
            let all = [plain(&topic.name), plain(&topic.rule)];
            all.iter().any(|text| contains(text, word) || contains(text, singular))
        };
        let having: Vec<usize> = (0..all.len()).filter(|&at| has(&all[at])).collect();
        for &at in &having {
            scores[at] += 1.0 / having.len() as f64;
        }
    }
    let mut found: Vec<usize> = (0..all.len()).filter(|&at| scores[at] > 0.0).collect();
    found.sort_by(|&one, &other| scores[other].total_cmp(&scores[one]));
    found.into_iter().take(MOST).map(|at| all[at].name.as_str()).collect()
}

/// Whether `text` contains `phrase` word by word; `*` matches any word.
fn contains(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (words(text), words(phrase));
    !phrase.is_empty()
        && text.windows(phrase.len()).any(|words| {
            words
                .iter()
                .zip(&phrase)
                .all(|(word, wanted)| word == wanted || *wanted == "*")
        })
}

/// The words of a text, and each `*`.
pub(super) fn words(text: &str) -> Vec<&str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '*')
        .filter(|word| !word.is_empty())
        .collect()
}

/// A name or phrase in the form in which it is compared.
fn plain(text: &str) -> String {
    let lower = text.trim().to_ascii_lowercase().replace(['_', '-'], " ");
    let bare = ["ev ", "event "].iter().find_map(|word| lower.strip_prefix(word));
    bare.unwrap_or(&lower).to_owned()
}

/// Writes the contents of topics.
///
/// JSON is an array that follows the schema `explain` of [`crate::SCHEMAS`].
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_topics(topics: &[Topic], format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return write_json(&ExplainReport::Topics(topics.iter().map(Explained::of).collect()), out);
    }
    for (index, topic) in topics.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let name = painted(style, HEADING, &topic.name);
        let others = elsewhere(topic);
        let on = match others.is_empty() {
            true => String::new(),
            false => format!(" on {}", topic.chip),
        };
        writeln!(out, "{name}: {}{on}", topic.kind.words())?;
        folded(&topic.rule, "  ", style, out)?;
        if let Some(first) = others.first() {
            let (all, name) = (others.join(", "), &topic.name);
            let words = format!("Another rule on {all}: `p5inst explain {name} --cpu {first}`");
            folded(&words, "  ", style, out)?;
        }
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

/// Writes the names of the topics `all`, by kind.
///
/// JSON is an array that follows the schema `explain` of [`crate::SCHEMAS`].
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_topic_list(all: &[Topic], format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let kinds = Kind::LISTED.map(|kind| Names::of(all, kind));
    if format == Format::Json {
        return write_json(&ExplainReport::Names(kinds.into()), out);
    }
    for names in &kinds {
        writeln!(out, "{}", painted(style, HEADING, names.kind))?;
        folded(&names.names.join(", "), "  ", style, out)?;
    }
    Ok(())
}

fn folded(words: &str, indent: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = printable::folded(words, style.width.saturating_sub(indent.len()));
    lines.iter().try_for_each(|line| writeln!(out, "{indent}{line}"))
}

#[cfg(test)]
mod tests;
