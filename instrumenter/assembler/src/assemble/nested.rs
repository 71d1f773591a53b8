//! Lines from other sources: macro calls, macro functions, included files and the bundled library.

use super::{Driver, LIBRARY, USER, read_above};
use crate::diag::{Fault, Span, fault};
use crate::elsewhere;
use crate::expand::Body;
use crate::measuring::{self, Bundled, MeasuringCall, MeasuringMacro};
use crate::names::{NONE, NameId};
use crate::program;
use crate::remedy::Remedy;
use crate::source::{Included, Unavailable, decode};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// The maximum depth of nested macro functions: each level uses host stack.
const MOST_NESTED: u32 = 40;

/// Calls a macro; its lines are read next.
pub(super) fn call_macro(
    driver: &mut Driver<'_>,
    name: NameId,
    mut arguments: Vec<String>,
    places: &[Span],
    span: Span,
) -> Result<(), Fault> {
    if driver.session.names.info(name).library {
        load_library(driver, true);
    }
    let Driver { session, expander, .. } = driver;
    let Some(body) = expander.macro_of(session, name).map(Rc::clone) else {
        let text = session.names.spelling(name);
        return Err(fault(span, format!("undefined macro `{text}`")).undefined(text));
    };
    if expander.depth() > session.limits.macro_depth {
        session.stopped = true;
        let message = format!("macros are nested deeper than {}", session.limits.macro_depth);
        let label = format!("infinite recursion in `{}`?", body.spelled);
        return Err(fault(span, message).with_label(label));
    }
    let called = driver
        .measuring
        .recognise(&driver.session.names, &driver.program, &body);
    let selected = settle_arguments(driver, &body, called.as_ref(), (&mut arguments, places), span);
    if let Some(called) = called {
        if body.reader.library
            && let Some(problem) = measuring::unreachable(&driver.program, span)
        {
            measuring::refuse(&mut driver.program, called, span);
            return Err(problem);
        }
        let Ok(events) = selected else {
            measuring::refuse(&mut driver.program, called, span);
            return selected.map(|_| ());
        };
        let call = MeasuringCall {
            called,
            arguments: &arguments,
            events,
            library: body.reader.library,
            span,
        };
        driver.measuring.begin(&mut driver.session, &mut driver.program, &call);
    }
    selected?;
    let watched = called.is_some();
    driver
        .expander
        .enter_macro(&mut driver.session, body, arguments, span, watched);
    Ok(())
}

/// Matches the arguments of a call to the parameters; returns the events that a measuring macro selects, if known.
fn settle_arguments(
    driver: &mut Driver<'_>,
    body: &Body,
    called: Option<&MeasuringMacro>,
    (arguments, places): (&mut Vec<String>, &[Span]),
    span: Span,
) -> Result<Option<[u8; 2]>, Fault> {
    let crosses = body.reader.library && !driver.session.in_library;
    if crosses && called.is_some() {
        let place = |index: usize| places.get(index).copied().unwrap_or(span);
        driver.measuring.check_rest(arguments, body.parameters.len(), place)?;
    }
    body.bind(&mut driver.session, arguments, span)?;
    let selected = called
        .and_then(|called| called.selectors(arguments))
        .and_then(|[first, second]| Some([selector(driver, first, span)?, selector(driver, second, span)?]));
    if crosses {
        settle_events(driver, body, (arguments, places), span)?;
    }
    Ok(selected)
}

/// Replaces the events that a call of a library macro selects by their numbers. The arguments are in the dialect of the
/// call, which may differ from the library's. Reports every wrong one except the last, which it returns.
fn settle_events(
    driver: &mut Driver<'_>,
    body: &Body,
    (arguments, places): (&mut [String], &[Span]),
    span: Span,
) -> Result<(), Fault> {
    let Some(selecting) = measuring::event_arguments(driver.session.names.text(body.name)) else {
        return Ok(());
    };
    let mut last = None;
    for (counter, place) in selecting.into_iter().enumerate() {
        let Some(argument) = arguments.get_mut(place) else {
            continue;
        };
        let span = places.get(place).copied().unwrap_or(span);
        let number = driver.number(argument, span);
        let number = number.map_err(|problem| driver.measuring.unknown_event(problem, argument, span));
        match number.and_then(|number| driver.measuring.check_event(counter, number, span).map(|()| number)) {
            Ok(number) => {
                if let Some(warning) = driver.measuring.other_event(counter, argument, span) {
                    driver.session.warn(warning);
                }
                *argument = number.to_string();
            }
            Err(problem) => {
                if let Some(earlier) = last.replace(problem) {
                    driver.session.report(earlier);
                }
            }
        }
    }
    last.map_or(Ok(()), Err)
}

fn selector(driver: &mut Driver<'_>, text: &str, span: Span) -> Option<u8> {
    let number = driver.number(text, span).ok()?;
    // The bits above the selector choose privilege levels and whether to count clocks.
    (0..0x400).contains(&number).then_some((number & 0x3F) as u8)
}

/// The result of a macro function.
pub(super) fn call_function(
    driver: &mut Driver<'_>,
    name: NameId,
    arguments: Vec<String>,
    span: Span,
) -> Result<String, Fault> {
    if driver.function_depth >= MOST_NESTED {
        let problem = fault(span, format!("macro functions are nested deeper than {MOST_NESTED}"))
            .with_label("infinite recursion?");
        driver.session.give_up(problem);
        return Ok(String::new());
    }
    let floor = driver.expander.depth();
    let (origin, in_library) = (driver.session.origin, driver.session.in_library);
    call_macro(driver, name, arguments, &[], span)?;
    driver.function_depth += 1;
    driver.expander.take_function_result();
    read_above(driver, floor);
    driver.function_depth -= 1;
    (driver.session.origin, driver.session.in_library) = (origin, in_library);
    Ok(driver.expander.take_function_result())
}

/// The file that an include names: one of the search path, or else one beside the file that includes it, as for MASM 6.
/// Also the name from the directories of the search path.
fn found<'n>(driver: &Driver<'_>, name: &'n str, from: Option<u32>) -> (Cow<'n, str>, Result<Included, Unavailable>) {
    let found = (driver.include)(name);
    let is_relative = !name.trim_start().starts_with(['/', '\\']) && !name.contains(':');
    let folder = from.filter(|_| is_relative).and_then(|file| driver.folders.get(&file));
    if let (Err(_), Some(folder)) = (&found, folder) {
        let beside = format!("{folder}/{}", name.trim());
        if let Ok(included) = (driver.include)(&beside) {
            return (beside.into(), Ok(included));
        }
    }
    (name.into(), found)
}

pub(super) fn include_file(driver: &mut Driver<'_>, name: &str, span: Span) {
    let (from, depth) = (driver.expander.innermost_file(), driver.expander.file_depth());
    match opened(driver, name, (from, depth), span) {
        Opened::Library => load_library(driver, false),
        Opened::File(index) => {
            let Driver { session, expander, .. } = driver;
            if let Some(reader) = expander.reader() {
                expander.push_file(session, index, reader);
            }
        }
        Opened::Nothing => {}
    }
}

/// What an include leads to.
pub(super) enum Opened {
    Library,
    /// A file, by its index.
    File(u32),
    /// Nothing, and why has been told.
    Nothing,
}

/// Opens the file that another one includes, with so many files around it.
pub(super) fn opened(driver: &mut Driver<'_>, name: &str, (from, depth): (Option<u32>, usize), span: Span) -> Opened {
    let session = &mut driver.session;
    if depth > session.limits.include_depth {
        let message = format!("includes are nested deeper than {}", session.limits.include_depth);
        session.give_up(fault(span, message).with_label("does the file include itself?"));
        return Opened::Nothing;
    }
    session.includes += 1;
    if session.includes > session.limits.includes {
        let message = format!("more than {} includes", session.limits.includes);
        session.give_up(fault(span, message));
        return Opened::Nothing;
    }
    if session.files.len() >= session.limits.files {
        let message = format!("more than {} included files", session.limits.files);
        session.give_up(fault(span, message));
        return Opened::Nothing;
    }
    let (named, found) = found(driver, name, from);
    let Driver { session, expander, .. } = driver;
    match found {
        Ok(Included::Library) => Opened::Library,
        Ok(Included::File { name, bytes }) => {
            let Some(index) = session.add_file(&name, Arc::from(decode(&bytes)), span) else {
                return Opened::Nothing;
            };
            if let Some(end) = named.rfind(['/', '\\']) {
                driver.folders.insert(index, named[..end].to_owned());
            }
            Opened::File(index)
        }
        Err(Unavailable { why, help }) => {
            if !session.missing.insert(name.replace('\\', "/").to_ascii_lowercase()) {
                return Opened::Nothing;
            }
            let mut problem = fault(span, format!("cannot include `{name}`: {why}"));
            let meant = session.names.intern(name);
            let is_text = expander.text_of(session, meant).is_some() && !session.names.info(meant).text_of_library;
            problem.help = match is_text {
                true => Some(Remedy::Expand(format!("include {name}"))),
                false => elsewhere::remedy(name).map(Into::into).or(help.map(Into::into)),
            };
            session.report_include(problem);
            Opened::Nothing
        }
    }
}

/// Places the bytes of a file.
pub(super) fn include_binary(
    driver: &mut Driver<'_>,
    name: &str,
    start: usize,
    length: usize,
    span: Span,
) -> Result<(), Fault> {
    let session = &mut driver.session;
    session.includes += 1;
    if session.includes > session.limits.includes {
        let message = format!("more than {} includes", session.limits.includes);
        return Err(fault(span, message).ending());
    }
    let (_, found) = found(driver, name, driver.expander.innermost_file());
    let Driver { session, program, .. } = driver;
    match found {
        Ok(Included::Library) => Err(fault(
            span,
            format!("`{name}` is the bundled library, which is no data"),
        )),
        Ok(Included::File { bytes, .. }) => {
            let bytes = bytes.get(start..).unwrap_or_default();
            let bytes = bytes.get(..length.min(bytes.len())).unwrap_or_default();
            program::place_bytes(session, program, bytes, span)
        }
        Err(Unavailable { why, help }) => {
            let mut problem = fault(span, format!("cannot include `{name}`: {why}"));
            problem.help = help.map(Into::into);
            Err(problem)
        }
    }
}

/// Reads the bundled library now; user definitions of the same name take precedence.
///
/// If one of its names was `met`, it is not read for a program that defines the macros itself.
pub(super) fn load_library(driver: &mut Driver<'_>, met: bool) {
    let Driver {
        session,
        readers,
        expander,
        program,
        measuring,
        ..
    } = driver;
    if measuring.bundled == Bundled::Read {
        return;
    }
    session.names.forget_library();
    if met && measuring.is_replaced(session, readers[USER].dialect) {
        measuring.bundled = Bundled::Refused;
        return;
    }
    measuring.bundled = Bundled::Read;
    let text: Arc<str> = Arc::from(measuring.library.as_str());
    let Some(index) = session.add_file(measuring.library_file, text, Span::default()) else {
        return;
    };
    session.library = Some(index);
    let (origin, in_library) = (session.origin, session.in_library);
    let (structure, snippet) = (program.structures.open.take(), program.layout.snippet);
    let current = program.layout.current;
    let conditions = expander.take_conditions();
    session.origin = NONE;
    session.in_library = true;
    measuring.define_constants(session, program);
    let floor = expander.depth();
    let reader = driver.reader(LIBRARY);
    driver.expander.push_file(&driver.session, index, reader);
    read_above(driver, floor);
    let Driver {
        session,
        expander,
        program,
        ..
    } = driver;
    program.structures.open = structure;
    program.layout.snippet = snippet;
    program.layout.current = current;
    expander.restore_conditions(conditions);
    (session.origin, session.in_library) = (origin, in_library);
}
