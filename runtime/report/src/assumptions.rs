//! `p5inst timings --assumptions`: the questions that the sources leave open, as text or as JSON.

use super::json_text::write_json;
use super::{Format, HEADING, Style, painted, printable};
use p5_chips::{ASSUMPTIONS, Answer, Assumption};
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    decides: &'static str,
    sources: &'static str,
    answers: Vec<ListedAnswer>,
}

#[derive(Serialize)]
struct ListedAnswer {
    value: &'static str,
    meaning: &'static str,
    usual: bool,
}

impl From<&Assumption> for Listed {
    fn from(assumption: &Assumption) -> Listed {
        let answer = |(index, answer): (usize, &Answer)| ListedAnswer {
            value: answer.value,
            meaning: answer.meaning,
            usual: index == 0,
        };
        Listed {
            name: assumption.name,
            decides: assumption.decides,
            sources: assumption.sources,
            answers: assumption.answers.iter().enumerate().map(answer).collect(),
        }
    }
}

/// Writes every assumption: what it decides, its answers with the usual one first, and its sources.
///
/// JSON is an array of objects with `name`, `decides`, `sources` and `answers`, each of which has `value`, `meaning`
/// and `usual`.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_assumptions(format: Format, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let listed: Vec<Listed> = ASSUMPTIONS.iter().map(Listed::from).collect();
    if format == Format::Json {
        return write_json(&listed, out);
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
        let style = Style {
            color: false,
            width: 60,
            detail: crate::Detail::Short,
        };
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
