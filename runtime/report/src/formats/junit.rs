//! The budgets as a JUnit report: a test case for each. If the program failed to end by itself, or has no budgets,
//! there is one for its end, because CI systems want at least one. A source with errors has one for its assembly, and
//! one that was not read, so that its budgets are not known, is a skipped one.
//!
//! There is no standard; this is the part that CI systems have in common, and it contains no times.

use super::NotAssembled;
use crate::Style;
use crate::budgets::{self, Judged};
use crate::ending::{CLOCK_LIMIT, ended};
use crate::lines::{MEMORY, path_name};
use crate::printable::escaped;
use crate::wording::unread_sources;
use p5_results::Run;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use std::io::{self, Write};

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let judged = budgets::judged(run);
    let ends = !run.stop.reason.succeeds() || judged.is_empty();
    let (unread, why) = unread_sources(run).unwrap_or_default();
    let counts = [
        judged.len() + usize::from(ends) + unread.len(),
        judged.iter().filter(|one| !one.holds()).count(),
        usize::from(!run.stop.reason.succeeds()),
        unread.len(),
    ];
    let program = xml(&run.program);
    suite(&program, counts, out, |writer| {
        writer.create_element("properties").write_inner_content(|writer| {
            for (name, value) in [("cpu", run.cpu), ("memory", run.memory)] {
                let property = writer.create_element("property");
                property
                    .with_attributes([("name", name), ("value", value)])
                    .write_empty()?;
            }
            Ok(())
        })?;
        if ends {
            end(run, &program, writer)?;
        }
        unread.iter().try_for_each(|name| skipped(name, &why, writer))?;
        judged.iter().try_for_each(|one| case(run, one, writer))
    })
}

pub(super) fn refused(refused: &NotAssembled, out: &mut dyn Write) -> io::Result<()> {
    let program = xml(&refused.program);
    suite(&program, [1, 0, 1, 0], out, |writer| {
        let case = writer.create_element("testcase");
        let case = case.with_attributes([("classname", &*program), ("name", "assembles")]);
        case.write_inner_content(|writer| {
            let errors: Vec<String> = refused.errors.iter().map(|error| xml(&error.placed())).collect();
            let error = writer.create_element("error");
            let first = errors.first().map_or("", String::as_str);
            let error = error.with_attributes([("type", "assembly"), ("message", first)]);
            error.write_text_content(BytesText::new(&errors.join("\n")))?;
            Ok(())
        })?;
        Ok(())
    })
}

/// The document with the suite of a program, with the `counts` of its tests, failures, errors and skipped tests.
fn suite<'o>(
    program: &str,
    counts: [usize; 4],
    out: &'o mut dyn Write,
    content: impl FnOnce(&mut Writer<&'o mut dyn Write>) -> io::Result<()>,
) -> io::Result<()> {
    let [tests, failures, errors, skipped] = counts.map(|count| count.to_string());
    let mut counts = vec![("tests", &*tests), ("failures", &*failures), ("errors", &*errors)];
    if skipped != "0" {
        counts.push(("skipped", &*skipped));
    }
    let mut writer = Writer::new_with_indent(out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let suites = writer.create_element("testsuites").with_attribute(("name", "p5inst"));
    suites.with_attributes(counts.clone()).write_inner_content(|writer| {
        let suite = writer.create_element("testsuite").with_attribute(("name", program));
        suite.with_attributes(counts).write_inner_content(content)?;
        Ok(())
    })?;
    writeln!(writer.into_inner())
}

fn end<W: Write>(run: &Run, program: &str, writer: &mut Writer<W>) -> io::Result<()> {
    let case = writer.create_element("testcase");
    let case = case.with_attributes([("classname", program), ("name", "ends by itself")]);
    if run.stop.reason.succeeds() {
        case.write_empty()?;
        return Ok(());
    }
    case.write_inner_content(|writer| {
        let message = xml(&ended(&run.stop, &run.files, CLOCK_LIMIT));
        let error = writer.create_element("error");
        let error = error.with_attributes([("type", run.stop.reason.name()), ("message", &*message)]);
        error.write_empty()?;
        Ok(())
    })?;
    Ok(())
}

/// The case of a source whose budgets are not known.
fn skipped<W: Write>(source: &str, why: &str, writer: &mut Writer<W>) -> io::Result<()> {
    let source = xml(source);
    let case = writer.create_element("testcase");
    let case = case.with_attributes([("classname", &*source), ("name", "budgets"), ("file", &*source)]);
    case.write_inner_content(|writer| {
        let skipped = writer.create_element("skipped");
        skipped.with_attribute(("message", &*xml(why))).write_empty()?;
        Ok(())
    })?;
    Ok(())
}

fn case<W: Write>(run: &Run, judged: &Judged, writer: &mut Writer<W>) -> io::Result<()> {
    let file = xml(path_name(run, judged.budget.file).unwrap_or(MEMORY));
    let line = judged.budget.line.to_string();
    let class = format!("{file}: {}", xml(&judged.place()));
    let title = judged.title();
    let case = writer.create_element("testcase").with_attributes([
        ("classname", &*class),
        ("name", &*title),
        ("file", &*file),
        ("line", &*line),
    ]);
    if judged.holds() {
        let said: Vec<String> = [judged.fails_under(), judged.alone()].into_iter().flatten().collect();
        if said.is_empty() {
            case.write_empty()?;
            return Ok(());
        }
        case.write_inner_content(|writer| {
            let element = writer.create_element("system-out");
            element.write_text_content(BytesText::new(&said.join("; ")))?;
            Ok(())
        })?;
        return Ok(());
    }
    case.write_inner_content(|writer| {
        let failure = writer.create_element("failure");
        let message = judged.message();
        let failure = failure.with_attributes([("type", "budget"), ("message", &*message)]);
        failure.write_text_content(BytesText::new(&judged.details()))?;
        Ok(())
    })?;
    Ok(())
}

/// Text without the characters that XML cannot hold; the writer escapes markup.
fn xml(text: &str) -> String {
    escaped(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
