//! After the last line: the calibration is read, and the program is linked, as an image or as a module.

use super::{Driver, LineReader, read_above};
use crate::diag::{Span, fault};
use crate::measuring;
use crate::module::Module;
use crate::names::NONE;
use crate::source::{Include, Included, decode};
use crate::{link, program};
use p5_image::Image;

/// What is left of a program that was read: the image or the module, and the bytes of separate fragments.
#[derive(Default)]
pub(super) struct Finished {
    pub(super) image: Option<Image>,
    pub(super) module: Option<Module>,
    pub(super) encoded: Vec<[u8; 16]>,
}

/// Reads the calibration after the last line and links the program.
pub(super) fn finish(driver: &mut Driver<'_>) -> Finished {
    let Driver {
        session,
        readers,
        program,
        measuring,
        expander,
        ..
    } = driver;
    session.origin = NONE;
    for LineReader { dialect, modes } in readers {
        (dialect.close)(session, program, modes);
    }
    if !expander.skipped_the_rest {
        program.close(session);
        program.regions.close(session);
    }
    program.layout.current = program.layout.first_code.map_or(0, |first| first.segment);
    let end = program.layout.location();
    let end = program::code_end(program, end);
    let mut entry = program::entry(session, program);
    if entry.is_none() && session.errors == 0 && !program.is_module {
        let place = Span {
            line: 1,
            ..Span::default()
        };
        session.report(
            fault(place, "no instructions to run in this file")
                .with_help("write instructions, in a code segment if the file has segments"),
        );
    }
    if entry.is_none() && !program.is_module {
        return Finished::default();
    }
    if let Some(entry) = entry {
        program::enter(session, program, entry);
    }
    let user_entry = entry;
    if let Some(user_entry) = entry
        && let Some(calibration) = measuring::calibration(session, program, measuring, user_entry)
    {
        entry = Some(calibration.entry);
        let span = calibration.body.span;
        expander.push_body(calibration.body, Vec::new(), span, NONE, false);
        // The calibration is not in the listing, because no line of the user calls for it.
        let record = program.layout.record.take();
        read_above(driver, 0);
        driver.program.layout.record = record;
    }
    let Driver { session, program, .. } = driver;
    if session.errors >= session.limits.diagnostics {
        return Finished::default();
    }
    session.in_library = false;
    session.origin = NONE;
    session.begin_resolving();
    let objects: Vec<(&str, &[u8])> = driver.objects.iter().map(|file| (&*file.name, &*file.bytes)).collect();
    let mut linkage = link::choose(session, program, &objects);
    let fragment = match objects.is_empty() {
        true => program::supply(session, program, end),
        false => None,
    };
    program::settle(session, program);
    link::place(session, program, &mut linkage, end);
    let encoded = link::resolve(session, program);
    // Linking drops the instructions.
    let fragment = fragment.map(|supplied| supplied.placed(program));
    let module = match program.fields.is_some() && session.errors == 0 {
        true => link::module(session, program, &encoded, entry, end),
        false => None,
    };
    let whole = entry.filter(|_| session.errors == 0 && !program.is_module);
    let image = whole.map(|entry| {
        let mut image = link::link(session, program, &encoded, entry, end);
        let include = driver.include;
        link::emit(session, &mut linkage, &mut image, &|name| source_text(include, name));
        image.fragment = fragment;
        image.standalone = user_entry.map_or_else(Default::default, |at| program::standalone(program, &image, at));
        image
    });
    Finished { image, module, encoded }
}

/// The text of a source file that an object names, if it is in the search path of includes.
fn source_text(include: Include<'_>, name: &str) -> Option<String> {
    match include(name) {
        Ok(Included::File { bytes, .. }) => Some(decode(&bytes)),
        _ => None,
    }
}
