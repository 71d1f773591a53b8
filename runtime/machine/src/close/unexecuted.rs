//! Lines of a fragment that did not run: what was assumed of registers and memory decides which way its branches go.
//!
//! Modelled: the lines of the code that begins with the fragment. Not modelled: which other data would execute them.

use crate::parts::in_library;
use p5_image::Image;
use p5_results::{InstructionResult, Note};
use std::collections::BTreeSet;

/// The note on such lines; of several functions, those that did not run are told elsewhere.
pub(super) fn note(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    image.fragment.as_ref()?;
    let mut functions: Vec<u32> = image.standalone.functions.iter().map(|one| one.address).collect();
    functions.sort_unstable();
    let function = |address: u32| functions.partition_point(|&begin| begin <= address);
    let executed = || instructions.iter().filter(|one| one.executions > 0 && !one.library);
    let first = executed().next()?.address;
    let ran: BTreeSet<u32> = executed().filter_map(|one| own(one.outermost?)).collect();
    let entered: BTreeSet<usize> = executed().map(|one| function(one.address)).collect();
    let code = image.lines.starting_from(first).filter(|row| {
        let own = !row.data && !in_library(image, row.address);
        own && entered.contains(&function(row.address))
    });
    let lines: BTreeSet<u32> = code.filter_map(|row| own(image.outermost(&row))).collect();
    let mut spans: Vec<[u32; 2]> = Vec::new();
    // Lines without code between two that did not run, such as comments, do not part them; lines that ran do.
    let mut before = false;
    for &line in &lines {
        let runs = ran.contains(&line);
        match spans.last_mut().filter(|_| before) {
            _ if runs => {}
            Some(span) => span[1] = line,
            None => spans.push([line, line]),
        }
        before = !runs;
    }
    let number = lines.difference(&ran).count();
    (number > 0).then_some(Note::LinesNotRun { number, spans })
}

/// The line of a place in the program's own file.
fn own((file, line): (u32, u32)) -> Option<u32> {
    (file == 0).then_some(line)
}
