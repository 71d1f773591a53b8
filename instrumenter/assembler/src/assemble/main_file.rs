//! How the main file is read: as it stands, or as lines of another dialect if it is a text that compilers print.

use super::{Driver, USER, meaning};
use crate::diag::{Span, fault};
use crate::dialect::{Among, Pasted};
use crate::names::Meaning;
use crate::select;
use std::borrow::Cow;

/// Begins to read the main file, as lines of another dialect if it is a text that compilers print.
pub(super) fn push_main(driver: &mut Driver<'_>, index: u32, text: &str) {
    let reader = &mut driver.readers[USER];
    let among = match (driver.program.is_module, driver.objects.is_empty()) {
        (true, _) => Among::Modules,
        (false, false) => Among::Objects,
        (false, true) => Among::Nothing,
    };
    let most = driver.session.limits.line;
    let long = (1..).zip(text.lines()).find(|(_, line)| line.len() > most);
    let long = long.map(|(number, _)| number);
    // What a longer line holds is not looked at; the lines after it keep their numbers.
    let kept = match long {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(
            text.lines()
                .map(|line| if line.len() <= most { line } else { "" })
                .collect::<Vec<_>>()
                .join("\n"),
        ),
    };
    let Some((pasted, dialect)) = (reader.dialect.pasted)(&kept, among, &mut driver.session.names) else {
        if long.is_none()
            && driver.program.may_be_fragment
            && let Some(problem) = (reader.dialect.commented)(text)
        {
            driver.session.warn(problem);
        }
        let reader = driver.reader(USER);
        return driver.expander.push_file(&driver.session, index, reader);
    };
    reader.dialect = dialect;
    let Pasted {
        lines,
        padding,
        of_compilers,
        functions,
        refused,
        warnings,
    } = pasted;
    driver.program.functions = functions;
    if of_compilers {
        driver.program.layout.read_compiled(padding);
        driver.session.names.distinguish_case(true);
        driver.session.names.mean(meaning_to_compilers);
    }
    for warning in warnings {
        driver.session.warn(warning);
    }
    let too_long = long.map(|line| {
        let span = Span {
            file: index,
            line,
            start: 0,
            end: 1,
        };
        fault(span, format!("line longer than {} KiB", most >> 10)).deciding()
    });
    let lines = if too_long.is_some() { Vec::new() } else { lines };
    if let Some(refused) = too_long.or(refused) {
        driver.session.report(refused);
    }
    let reader = driver.reader(USER);
    driver.expander.push_made(&driver.session, index, reader, lines);
}

/// The meaning of a name in code of compilers, which may be for later processors.
fn meaning_to_compilers(name: &str) -> Meaning {
    let meaning = meaning(name);
    Meaning {
        mnemonic: meaning.mnemonic || select::is_later(name),
        ..meaning
    }
}
