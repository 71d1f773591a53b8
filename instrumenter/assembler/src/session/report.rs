//! Diagnostics: a fault becomes a message with its position in a file and its macro backtrace.

use super::{OriginStep, Repeated, Session};
use crate::diag::{Diagnostic, Fault, Problem, Severity, Span, Step, shortened};
use crate::names::NONE;
use crate::source::LineStarts;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// The most undefined names that are reported once an include has failed.
const MOST_CONSEQUENCES: usize = 4;

/// The most undefined names that are kept, to see whether later lines define them.
const MOST_UNKNOWN: usize = 64;
/// The most undefined names that are reported of one place in a repeat.
const MOST_OF_REPEAT: u32 = 2;

/// The number of repeated uses of undefined names after which reading stops.
const MOST_AGAIN: usize = 200_000;

impl Session {
    /// Reports `fault` as an error of the current line.
    pub(crate) fn report(&mut self, fault: Fault) {
        let origin = self.origin;
        self.report_at(fault, origin);
    }

    /// Reports `fault` as an error of a line with this `origin`.
    #[allow(clippy::boxed_local)] // Faults are always passed boxed.
    pub(crate) fn report_at(&mut self, mut fault: Fault, origin: u32) {
        if self.gave_up {
            return;
        }
        fault.shorten();
        if fault.ends {
            self.gave_up = true;
            self.stopped = true;
        }
        if self.decided {
            // Errors that are not shown count too, because they cost time.
            self.errors += 1;
            if self.errors >= self.limits.diagnostics {
                (self.stopped, self.gave_up) = (true, true);
            }
            return;
        }
        if fault.decides {
            self.decided = true;
            self.errors += 1;
            self.diagnostics.clear();
            self.read = 0;
            self.undefined.clear();
            self.repeated.clear();
            self.push(Severity::Error, *fault, origin);
            return;
        }
        let told_once = fault.undefined.is_some() || fault.recurs;
        if told_once && let Some((_, uses)) = self.undefined.get_mut(&fault.message) {
            *uses += 1;
            self.again += 1;
            if self.again >= MOST_AGAIN {
                self.stop_after_errors();
            }
            return;
        }
        if self.errors >= self.limits.diagnostics {
            return;
        }
        if fault.undefined.is_some() && !self.missing.is_empty() {
            // A file that is missing defines many names.
            self.consequences += 1;
            if self.consequences > MOST_CONSEQUENCES {
                self.errors += 1;
                self.undefined.insert(fault.message.clone(), (usize::MAX, 1));
                self.stop_at_limit();
                return;
            }
        }
        if let Some(name) = fault.undefined.as_deref()
            && self.unknown.len() < MOST_UNKNOWN
        {
            self.unknown.push(name.to_owned());
        }
        // Repeated errors count too, because they cost time.
        self.errors += 1;
        if self.is_repeated(&fault, origin, true) || self.is_of_known_repeat(&fault, origin) {
            if told_once {
                self.undefined.insert(fault.message.clone(), (usize::MAX, 1));
            }
            self.stop_at_limit();
            return;
        }
        if told_once {
            let known = (self.diagnostics.len(), 1);
            self.undefined.insert(fault.message.clone(), known);
        }
        if fault.undefined.is_some()
            && let Some(index) = self.failed_include.take()
            && let Some(include) = self.diagnostics.get_mut(index)
        {
            self.include_told = Some(index);
            let consequence = "errors about undefined names may follow from this";
            include.help = Some(match include.help.take() {
                Some(help) => format!("{help}; {consequence}"),
                None => consequence.to_owned(),
            });
        }
        self.push(Severity::Error, *fault, origin);
        self.stop_at_limit();
    }

    fn stop_at_limit(&mut self) {
        if self.errors >= self.limits.diagnostics {
            self.stop_after_errors();
        }
    }

    fn stop_after_errors(&mut self) {
        if self.gave_up {
            return;
        }
        (self.stopped, self.gave_up) = (true, true);
        self.diagnostics.push(Diagnostic {
            severity: Severity::Error,
            message: format!("too many errors: stopped after {}", self.errors + self.again),
            file: None,
            span: None,
            label: None,
            help: None,
            trail: Vec::new(),
        });
    }

    /// Whether the undefined name in this message was reported before, so that another use only counts.
    pub(crate) fn is_reported(&self, message: &str) -> bool {
        self.undefined.contains_key(shortened(message).as_ref())
    }

    /// Reports that an include failed. The first undefined name, which it may have defined, adds a note to this error.
    pub(crate) fn report_include(&mut self, fault: Fault) {
        let index = self.diagnostics.len();
        self.report(fault);
        if index < self.diagnostics.len() {
            self.failed_include.get_or_insert(index);
        }
    }

    /// Whether a line of a macro or a repeat has the same problem in another expansion, which then counts this one. A
    /// new one is kept only if there is `room`.
    fn is_repeated(&mut self, problem: &Problem, origin: u32, room: bool) -> bool {
        if origin == NONE {
            return false;
        }
        let passes = self.origins.get(origin as usize).is_some_and(|step| step.pass > 0);
        let Span { file, line, start, .. } = problem.span;
        match self.repeated.entry((file, line, start, problem.message.clone())) {
            Entry::Occupied(mut known) => {
                known.get_mut().others += 1;
                true
            }
            Entry::Vacant(first) if room => {
                first.insert(Repeated {
                    first: self.diagnostics.len(),
                    others: 0,
                    passes,
                });
                false
            }
            Entry::Vacant(_) => false,
        }
    }

    /// Whether the passes of a repeat have made several undefined names in one place before; the last one reported then
    /// counts this one.
    fn is_of_known_repeat(&mut self, problem: &Problem, origin: u32) -> bool {
        let in_pass = |session: &Session| session.steps(origin).any(|(_, step)| step.pass > 0);
        if problem.undefined.is_none() || origin == NONE || !in_pass(self) {
            return false;
        }
        let Span { file, line, start, .. } = problem.span;
        let (count, last) = self.made_names.entry((file, line, start)).or_default();
        if *count < MOST_OF_REPEAT {
            *count += 1;
            last.clone_from(&problem.message);
            return false;
        }
        // This problem has just been noted as a first one.
        self.repeated.remove(&(file, line, start, problem.message.clone()));
        if let Some(known) = self.repeated.get_mut(&(file, line, start, last.clone())) {
            known.others += 1;
            known.passes = true;
        }
        true
    }

    /// Reports an error without a line, and its remedy.
    pub(crate) fn report_without_place(&mut self, message: String, help: Option<String>) {
        self.errors += 1;
        self.diagnostics.push(Diagnostic {
            severity: Severity::Error,
            message,
            file: None,
            span: None,
            label: None,
            help,
            trail: Vec::new(),
        });
    }

    /// Reports an error without a line that is the reason for all later ones, which are then not reported.
    pub(crate) fn report_deciding(&mut self, message: String, help: String) {
        self.report_without_place(message, Some(help));
        self.decided = true;
    }

    /// Ends the diagnostics of reading: those that follow are found when every name and address is known.
    pub(crate) fn begin_resolving(&mut self) {
        self.read = self.diagnostics.len();
    }

    /// All diagnostics: first those of reading the source, in that order, so that a cause comes before what follows
    /// from it, and then those about names and addresses, by file and line.
    pub(crate) fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        for (index, uses) in std::mem::take(&mut self.undefined).into_values() {
            if let Some(diagnostic) = diagnostics.get_mut(index).filter(|_| uses > 1) {
                diagnostic.label.get_or_insert_with(|| format!("one of {uses} places"));
            }
        }
        for Repeated { first, others, passes } in std::mem::take(&mut self.repeated).into_values() {
            if let Some(diagnostic) = diagnostics.get_mut(first).filter(|_| others > 0) {
                let calls = match (passes, others) {
                    (true, 1) => "pass",
                    (true, _) => "passes",
                    (false, 1) => "call",
                    (false, _) => "calls",
                };
                let others = format!("and in {others} more {calls}");
                diagnostic.label = Some(match diagnostic.label.take() {
                    Some(label) => format!("{label}, {others}"),
                    None => others,
                });
            }
        }
        if self.consequences > MOST_CONSEQUENCES
            && let Some(include) = self.include_told.and_then(|index| diagnostics.get_mut(index))
            && let Some(help) = &mut include.help
        {
            help.push_str(&format!(
                ", {} of which are not shown",
                self.consequences - MOST_CONSEQUENCES
            ));
        }
        let read = self.read.min(diagnostics.len());
        diagnostics[read..]
            .sort_by_key(|diagnostic| diagnostic.span.map_or((u32::MAX, 0), |span| (span.file, span.line)));
        diagnostics
    }

    /// Reports `fault` as a warning of the current line.
    #[allow(clippy::boxed_local)] // Faults are always passed boxed.
    pub(crate) fn warn(&mut self, fault: Fault) {
        let origin = self.origin;
        self.warn_at(fault, origin);
    }

    /// Warns of what stands in a line with this `origin`.
    #[allow(clippy::boxed_local)] // Faults are always passed boxed.
    pub(crate) fn warn_at(&mut self, mut fault: Fault, origin: u32) {
        fault.shorten();
        let room = self.diagnostics.len() < self.limits.diagnostics * 2;
        if self.decided || self.is_repeated(&fault, origin, room) {
            return;
        }
        if room {
            self.push(Severity::Warning, *fault, origin);
        }
    }

    pub(crate) fn give_up(&mut self, fault: Fault) {
        self.report(fault);
        self.gave_up = true;
        self.stopped = true;
    }

    fn push(&mut self, severity: Severity, problem: Problem, origin: u32) {
        let span = self.clamp(problem.span);
        let trail = self.trail(origin);
        self.diagnostics.push(Diagnostic {
            severity,
            message: problem.message,
            file: self.files.get(span.file as usize).map(|file| file.name.clone()),
            span: Some(span),
            label: problem.label,
            help: problem
                .help
                .as_ref()
                .map(|help| shortened(&(self.wording)(help)).into_owned()),
            trail,
        });
    }

    fn trail(&mut self, origin: u32) -> Vec<Step> {
        // A recursive macro repeats itself in the backtrace: the innermost calls and the outermost one are enough.
        let shown = |&(index, (_, step)): &(usize, (u32, &OriginStep))| index < 16 || step.parent == NONE;
        let steps = self.steps(origin).enumerate().filter(shown);
        let steps: Vec<Step> = steps
            .map(|(_, (_, step))| Step {
                message: match (step.pass, shortened(&step.name)) {
                    (0, name) => format!("in macro {name}"),
                    (pass, name) => format!("in pass {pass} of {name}"),
                },
                span: step.span,
            })
            .collect();
        let clamped = |step: Step| Step {
            span: self.clamp(step.span),
            ..step
        };
        steps.into_iter().map(clamped).collect()
    }

    /// Clamps a span to its line: expanded macro text may be longer than the line of the body.
    fn clamp(&mut self, span: Span) -> Span {
        let Some(file) = self.files.get(span.file as usize) else {
            return span;
        };
        let text = &file.text;
        let starts = self.line_starts.entry(span.file);
        let starts = starts.or_insert_with(|| LineStarts::of(text));
        let Some(Range { start, end }) = starts.line(text, span.line) else {
            return span;
        };
        let (start, end) = (start as u32, end as u32);
        let width = end.saturating_sub(start);
        let mut first = span.start.min(width);
        let mut last = span.end.clamp(first, width);
        let boundary = |column: u32| text.is_char_boundary((start + column) as usize);
        while first > 0 && !boundary(first) {
            first -= 1;
        }
        while last < width && !boundary(last) {
            last += 1;
        }
        Span {
            start: first,
            end: last,
            ..span
        }
    }
}
