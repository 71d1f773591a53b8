//! `p5inst timings --assumptions`: the questions that the sources leave open, as text or as JSON.

use super::TimingsReport;
use crate::document::document;
use crate::json_text::write_json;
use crate::{Format, HEADING, Style, painted, printable};
use p5_chips::{ASSUMPTIONS, Answer, Assumption};
use std::io::{self, Write};

document! {
    /// A question that the sources leave open.
    pub(crate) struct Question {
        /// Its name, as `--assume` takes it.
        name: &'static str = assumption.name,
        /// What it decides.
        decides: &'static str = assumption.decides,
        /// The sources that leave it open.
        sources: &'static str = assumption.sources,
        /// Its answers, the usual one first.
        answers: Vec<PossibleAnswer> = assumption.answers.iter().enumerate().map(PossibleAnswer::of).collect(),
    }
    from (assumption: &Assumption)

    /// An answer to a question.
    pub(crate) struct PossibleAnswer {
        /// Its value, as `--assume` takes it.
        value: &'static str = answer.value,
        /// What is true under it.
        meaning: &'static str = answer.meaning,
        /// Whether runs assume it unless told otherwise.
        usual: bool = index == 0,
    }
    from (numbered: (usize, &Answer)) {
        let (index, answer) = numbered;
    }
}

/// Writes every assumption: what it decides, its answers with the usual one first, and its sources.
///
/// JSON is an array that follows the schema `timings` of [`crate::SCHEMAS`].
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_assumptions(format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let listed: Vec<Question> = ASSUMPTIONS.iter().map(Question::of).collect();
    if format == Format::Json {
        return write_json(&TimingsReport::Assumptions(listed), out);
    }
    for (index, one) in listed.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", painted(style, HEADING, one.name))?;
        indented(one.decides, "  ", style, out)?;
        for answer in &one.answers {
            let usual = if answer.usual { " (usual)" } else { "" };
            let words = format!("{}={}{usual}: {}", one.name, answer.value, answer.meaning);
            indented(&words, "    ", style, out)?;
        }
        indented(&format!("Sources: {}", one.sources), "  ", style, out)?;
    }
    Ok(())
}

fn indented(words: &str, indent: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let lines = printable::folded(words, style.width.saturating_sub(indent.len()));
    lines.iter().try_for_each(|line| writeln!(out, "{indent}{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_assumption_has_its_answers_and_sources() {
        let style = Style::plain(60, crate::Detail::Short);
        let mut text = Vec::new();
        write_assumptions(Format::Text, &style, &mut text).expect("a vector takes everything");
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
        for assumption in ASSUMPTIONS {
            assert!(text.contains(&format!("{}={} (usual)", assumption.name, assumption.answers[0].value)));
        }
        let mut json = Vec::new();
        write_assumptions(Format::Json, &style, &mut json).expect("a vector takes everything");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        assert_eq!(json.as_array().map(Vec::len), Some(ASSUMPTIONS.len()));
        assert_eq!(json[1]["answers"][1]["value"], "10");
    }
}
