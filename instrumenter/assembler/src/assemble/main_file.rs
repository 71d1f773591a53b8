//! How the main file is read: as it stands, or as lines of another dialect if it is a text that compilers print.

use super::nested::{Opened, opened};
use super::{Driver, USER, meaning};
use crate::diag::{Fault, Span, fault};
use crate::dialect::{Among, Pasted, Reach};
use crate::names::{Meaning, NONE};
use crate::select;
use crate::session::Session;
use std::borrow::Cow;
use std::sync::Arc;

/// Begins to read the main file, as lines of another dialect if it is a text that compilers print.
pub(super) fn push_main(driver: &mut Driver<'_>, index: u32, text: &str) {
    let dialect = driver.readers[USER].dialect;
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
    let Some((pasted, dialect)) = (dialect.pasted)(&kept, among, driver) else {
        if long.is_none()
            && driver.program.may_be_fragment
            && let Some(problem) = (dialect.commented)(text)
        {
            driver.session.warn(problem);
        }
        let reader = driver.reader(USER);
        return driver.expander.push_file(&driver.session, index, reader);
    };
    driver.readers[USER].dialect = dialect;
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
    for (warning, origin) in warnings {
        driver.session.warn_at(warning, origin);
    }
    let too_long = long.map(|line| {
        let span = Span {
            file: index,
            line,
            start: 0,
            end: 1,
        };
        let told = fault(span, format!("line longer than {} KiB", most >> 10)).deciding();
        (told, NONE)
    });
    let lines = if too_long.is_some() { Vec::new() } else { lines };
    if let Some((refused, origin)) = too_long.or(refused) {
        driver.session.report_at(refused, origin);
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

impl Reach for Driver<'_> {
    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn count_line(&mut self, span: Span) -> Result<(), Fault> {
        self.expander.count_line(&self.session, span)
    }

    fn include(&mut self, name: &str, depth: usize, span: Span) -> Result<Option<(u32, Arc<str>)>, Fault> {
        let file = match opened(self, name, (Some(span.file), depth), span) {
            Opened::File(index) => self.session.files.get(index as usize).map(|file| (index, &file.text)),
            Opened::Library => {
                let message = format!("`{name}` is the bundled library, whose macros are written in another notation");
                let help = "leave it out: regions are measured by options of the command as well";
                return Err(fault(span, message).with_help(help));
            }
            Opened::Nothing => None,
        };
        Ok(file.map(|(index, text)| (index, Arc::clone(text))))
    }
}
