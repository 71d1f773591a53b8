//! SARIF 2.1.0: a result for each budget that does not hold, and one if the program did not end by itself; of a source
//! with errors, one for each of them. A source that was not read, so that its budgets are not known, has a warning, and
//! a budget that holds, but not under other answers to open questions, a note.
//!
//! The few objects of this fixed schema are written without a library.

use super::NotAssembled;
use crate::Style;
use crate::budgets::{self, Judged};
use crate::ending::{CLOCK_LIMIT, ended};
use crate::json_text::write_json;
use crate::lines::{Text, path_name};
use crate::printable::escaped;
use crate::wording::unread_sources;
use p5_results::Run;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let text = Text::of(run);
    let judged = budgets::judged(run);
    let mut results: Vec<Value> = Vec::new();
    if !run.stop.reason.succeeds() {
        let location = |(file, line)| location(run, file, json!({ "startLine": line }));
        let place = run.stop.place.and_then(location);
        results.push(result(1, &ended(&run.stop, &run.files, CLOCK_LIMIT), place));
    }
    results.extend(judged.iter().filter(|one| !one.holds()).map(|one| {
        let words = [one.message(), one.details()];
        let words: Vec<String> = words.into_iter().filter(|words| !words.is_empty()).collect();
        let place = location(run, one.budget.file, region(one, &text));
        result(0, &words.join(": "), place)
    }));
    results.extend(judged.iter().filter_map(|one| {
        let words = format!("the budget `{}` holds, but {}", one.title(), one.fails_under()?);
        let mut only = result(0, &words, location(run, one.budget.file, region(one, &text)));
        only["level"] = json!("note");
        Some(only)
    }));
    if let Some((sources, why)) = unread_sources(run) {
        let places = sources.iter().map(|name| physical(name, json!({ "startLine": 1 })));
        let mut unread = result(3, &why, None);
        unread["level"] = json!("warning");
        unread["locations"] = places.collect();
        results.push(unread);
    }
    write_log(results, run.stop.reason.succeeds(), out)
}

pub(super) fn refused(refused: &NotAssembled, out: &mut dyn Write) -> io::Result<()> {
    let results = refused.errors.iter().map(|error| {
        let place = error
            .place
            .as_ref()
            .map(|(file, line)| physical(file, json!({ "startLine": line })));
        result(2, &escaped(&error.message), place)
    });
    write_log(results.collect(), false, out)
}

fn write_log(results: Vec<Value>, successful: bool, out: &mut dyn Write) -> io::Result<()> {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "p5inst",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [
                    rule(RULES[0], "A limit that a comment in the source sets does not hold"),
                    rule(RULES[1], "The program did not end by itself"),
                    rule(RULES[2], "The source has an error, and was not assembled"),
                    rule(RULES[3], "A source was not read, so that limits in it are not judged"),
                ],
            } },
            "columnKind": "unicodeCodePoints",
            "invocations": [{ "executionSuccessful": successful }],
            "results": results,
        }],
    });
    write_json(&log, out)
}

/// The names of the rules, by index.
const RULES: [&str; 4] = ["budget", "stopped", "assembly", "unread"];

fn result(rule: usize, message: &str, place: Option<Value>) -> Value {
    json!({
        "ruleId": RULES[rule],
        "ruleIndex": rule,
        "level": "error",
        "message": { "text": message },
        "locations": place.into_iter().collect::<Vec<Value>>(),
    })
}

fn location(run: &Run, file: u32, region: Value) -> Option<Value> {
    Some(physical(path_name(run, file)?, region))
}

fn physical(file: &str, region: Value) -> Value {
    json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region } })
}

/// The columns of a budget in its line, in characters.
fn region(judged: &Judged, text: &Text) -> Value {
    let budget = judged.budget;
    let line = text.line((budget.file, budget.line));
    let column = |byte: u32| line.get(..byte as usize).map(|before| before.chars().count() + 1);
    json!({
        "startLine": budget.line,
        "startColumn": column(budget.written.0),
        "endColumn": column(budget.written.1),
    })
}

fn uri(name: &str) -> String {
    let name = name.replace('\\', "/");
    let mut uri = if name.starts_with('/') {
        "file://".to_owned()
    } else {
        String::new()
    };
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}
