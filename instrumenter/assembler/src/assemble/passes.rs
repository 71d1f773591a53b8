//! Passes over the source: one, unless what it assumed turns out to be otherwise.

use super::{pass, several};
use crate::diag::Severity;
use crate::source::Sources;
use crate::{Assembly, Options};

/// The maximum number of passes over the source. A second one is made only if a distance that decided something turned
/// out to be another one.
const MOST_PASSES: usize = 4;

/// What a pass knows of the source from earlier ones.
#[derive(Default)]
pub(super) struct Known {
    /// The lengths of the instructions whose length depends on an address, in source order.
    pub(super) lengths: Vec<u8>,
    /// The values of conditions that ask for what the source defines later, in their order.
    pub(super) forward: Vec<i64>,
    /// Whether a memory model has 16-bit segments although a processor with 32-bit ones was named before it.
    pub(super) narrow: bool,
}

/// The outcome of a pass.
pub(super) struct Passed {
    pub(super) assembly: Assembly,
    /// What the next pass knows, if this one assumed something wrongly, or lacked it.
    pub(super) again: Option<Known>,
    /// Whether a memory model with 16-bit segments was ignored.
    pub(super) model_ignored: bool,
}

/// Assembles a program of one or several modules; `library` is the text of the bundled macro library.
pub(crate) fn assemble(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    match sources.objects.iter().any(|file| several::is_module(file, options)) {
        true => several::assemble(sources, options, library),
        false => assemble_one(sources, options, library),
    }
}

/// Assembles one source.
///
/// A processor before the memory model makes its segments 32 bits wide. A program that has errors then and none with
/// 16-bit segments was written for those.
pub(super) fn assemble_one(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    let wide = settled(sources, options, library, false);
    if !wide.model_ignored || !has_errors(&wide.assembly) {
        return wide.assembly;
    }
    let narrow = settled(sources, options, library, true);
    match has_errors(&narrow.assembly) {
        true => wide.assembly,
        false => narrow.assembly,
    }
}

fn has_errors(assembly: &Assembly) -> bool {
    assembly.diagnostics.iter().any(|one| one.severity == Severity::Error)
}

fn settled(sources: &Sources<'_>, options: &Options, library: &str, narrow: bool) -> Passed {
    let first = Known {
        narrow,
        ..Known::default()
    };
    let mut passed = pass(sources, options, library, first);
    for _ in 1..MOST_PASSES {
        let Some(known) = passed.again.take() else { break };
        // One assembly at a time is in memory.
        passed.assembly = Assembly::default();
        passed = pass(sources, options, library, Known { narrow, ..known });
    }
    passed
}
