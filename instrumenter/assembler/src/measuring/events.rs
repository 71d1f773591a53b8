//! The events of the chip: their constants, and the check of macro calls that select events.

use super::MeasuringMacros;
use crate::diag::{Fault, Problem, Span, fault};
use crate::expression::Type;
use crate::names::NONE;
use crate::program::{Definition, Program};
use crate::session::Session;
use crate::spelling::nearest;
use crate::statement::Named;
use p5_chips::{MODELS, Model, Selection};

/// The prefix of the constants' names.
const PREFIX: &str = "EV_";

/// The bits of an event argument that select the event; higher bits choose privilege levels and occurrences or clocks.
const SELECTOR: i64 = 0x3F;

/// The macro that begins a region whose events are counted.
pub(super) const START_PROFILE: &str = "startprofile";

/// The constants of the library that are added to an event.
const ADDED: [&str; 4] = ["COUNT_CYCLES", "COUNT_EVENTS", "USER_CODE", "SYS_CODE"];

/// The macros of the library that select events, and the position of the argument for each counter.
const SELECTING: [(&str, [usize; 2]); 2] = [(START_PROFILE, [0, 1]), ("setmsrtimers", [0, 1])];

/// The first chip with an event whose constant is `word`.
fn chip_with(word: &str) -> Option<&'static Model> {
    let word = word.to_ascii_uppercase();
    let name = word.strip_prefix(PREFIX)?;
    let mut chips = MODELS.iter().copied();
    chips.find(|chip| chip.events.selections().any(|selection| selection.event.name() == name))
}

/// The positions of the arguments of the library's macro `name` that select an event, by counter.
pub(crate) fn event_arguments(name: &str) -> Option<[usize; 2]> {
    let selecting = SELECTING.iter().find(|(selecting, _)| *selecting == name);
    selecting.map(|(_, places)| *places)
}

impl MeasuringMacros {
    /// The constants of the chip's events: name and selector. No two events share a name.
    fn constants(&self) -> impl Iterator<Item = (String, Selection)> {
        let selections = self.chip.events.selections();
        selections.map(|selection| (format!("{PREFIX}{}", selection.event.name()), selection))
    }

    pub(super) fn mark_constants(&self, session: &mut Session) {
        for (spelled, _) in self.constants() {
            let name = session.names.intern(&spelled);
            session.names.info_mut(name).library = true;
        }
    }

    /// Defines the constants, unless the program defines the names itself.
    pub(crate) fn define_constants(&self, session: &mut Session, program: &mut Program) {
        for (spelled, selection) in self.constants() {
            let name = session.names.intern(&spelled);
            let info = session.names.info_mut(name);
            info.public = true;
            if info.text != NONE || info.body != NONE || info.symbol != NONE {
                continue;
            }
            let named = Named {
                name,
                spelled: &spelled,
                span: Span::default(),
            };
            let definition = Definition::Number(i64::from(selection.selector));
            if let Err(problem) = program.symbols.define(session, named, definition, Type::None) {
                session.report(problem);
                return;
            }
        }
    }

    /// Checks that `counter` can count the event that `number` selects.
    pub(crate) fn check_event(&self, counter: usize, number: i64, span: Span) -> Result<(), Fault> {
        let selector = (number & SELECTOR) as u8;
        if self.chip.events.event(counter, selector).is_some() {
            return Ok(());
        }
        let title = self.chip.title;
        Err(fault(
            span,
            format!("counter {counter} of the {title} counts no event {selector:02X}h"),
        )
        .with_help("`p5inst events` lists the events"))
    }

    /// The warning that `counter` counts another event than `argument` names: some numbers select an event of their own
    /// in each counter.
    pub(crate) fn other_event(&self, counter: usize, argument: &str, span: Span) -> Option<Fault> {
        let events = self.chip.events;
        let words = argument.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let named = words
            .filter_map(|word| self.constants().find(|(name, _)| name.eq_ignore_ascii_case(word)))
            .find(|(_, named)| named.counter.is_some_and(|only| usize::from(only) != counter));
        let (name, named) = named?;
        let counted = events.event(counter, named.selector)?;
        let message = format!(
            "counter {counter} counts {} instead of `{name}`: both have the number {:02X}h",
            counted.name(),
            named.selector
        );
        let place = match counter {
            0 => "second",
            _ => "first",
        };
        let help = format!(
            "only counter {} counts `{name}`: write it as the {place} event",
            1 - counter
        );
        Some(fault(span, message).with_help(help))
    }

    /// Checks that no argument after the name, from number `first` on, is an event: a third one is not counted.
    pub(crate) fn check_rest(
        &self,
        arguments: &[String],
        first: usize,
        place: impl Fn(usize) -> Span,
    ) -> Result<(), Fault> {
        let constant = |text: &String| {
            let word = text
                .trim()
                .split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
            let word = word.into_iter().next().unwrap_or_default();
            let known = self.constants().any(|(name, _)| name.eq_ignore_ascii_case(word));
            known.then(|| word.to_owned())
        };
        let mut rest = arguments.iter().enumerate().skip(first);
        let Some((index, event)) = rest.find_map(|(index, text)| Some((index, constant(text)?))) else {
            return Ok(());
        };
        Err(fault(
            place(index),
            format!("`{event}` is not counted: there are two counters"),
        )
        .with_help("count it in a run of its own; the third argument names the region"))
    }

    /// The fault for `argument` at `span`, which has no value: its undefined name should be an event or a constant that
    /// is added to one.
    pub(crate) fn unknown_event(&self, mut problem: Box<Problem>, argument: &str, span: Span) -> Fault {
        let Some(word) = problem.undefined.take() else {
            return problem;
        };
        if let Some(at) = argument.find(&word)
            && (span.end - span.start) as usize == argument.len()
        {
            let start = span.start + at as u32;
            let end = start + word.len() as u32;
            problem.span = Span { start, end, ..span };
        }
        if let Some(constant) = nearest(&word, ADDED.into_iter()) {
            problem.message = format!("unknown constant `{word}`");
            problem.help = Some(format!("did you mean `{constant}`?").into());
            return problem;
        }
        problem.message = format!("unknown event `{word}`");
        let other = chip_with(&word);
        problem.help = Some(match (self.nearest_event(&word), other) {
            _ if self.chip.events.selections().next().is_none() => {
                format!("the {} has no event counters", self.chip.title).into()
            }
            (_, Some(other)) => format!("needs `--cpu {}`", other.name).into(),
            (Some(event), None) => format!("did you mean `{PREFIX}{event}`?").into(),
            (None, None) => "`p5inst events` lists the events".into(),
        });
        problem
    }

    /// The event whose name is closest to `word`, contains it, or shares the most words with it.
    fn nearest_event(&self, word: &str) -> Option<&'static str> {
        let word = word.to_ascii_uppercase();
        let word = word.strip_prefix(PREFIX).unwrap_or(&word);
        let names = || self.chip.events.selections().map(|selection| selection.event.name());
        let starts = || names().find(|name| name.starts_with(word));
        let contains = || names().find(|name| name.contains(word));
        let shared = |name: &&str| {
            let words = name.split('_').filter(|&part| word.split('_').any(|own| own == part));
            (words.count(), std::cmp::Reverse(name.len()))
        };
        // One shared word is too little.
        let most = || names().filter(|name| shared(name).0 > 1).max_by_key(shared);
        let long_enough = word.len() > 2;
        nearest(word, names()).or_else(|| long_enough.then(|| starts().or_else(contains).or_else(most)).flatten())
    }
}
