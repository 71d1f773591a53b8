//! Passes over the source: one, unless what it assumed turns out to be otherwise.

use super::pass;
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
    /// Names that the source uses before it makes them text macros, and their texts. MASM 5 and TASM know them in their
    /// second pass.
    pub(super) texts: Vec<(String, String)>,
    /// Its assumptions about the size of segments.
    pub(super) sizes: Sizes,
}

/// The assumptions of a pass about the size of segments.
#[derive(Clone, Copy, Default)]
pub(super) struct Sizes {
    /// Whether segments that do not say their size have 16 bits although a processor with 32-bit ones was named before.
    pub(super) narrow: bool,
    /// Whether lines without segments are 16-bit code.
    pub(super) tiny: bool,
}

/// The outcome of a pass.
pub(super) struct Passed {
    pub(super) assembly: Assembly,
    /// The knowledge for the next pass, if this one assumed something that is wrong or lacked something.
    pub(super) again: Option<Known>,
    /// If the size of segments was assumed: the number of instructions, and of those with a prefix for a size.
    pub(super) assumed_size: Option<[u32; 2]>,
    /// Whether it is lines without segments that are 16-bit code.
    pub(super) is_narrow: bool,
}

/// Assembles one source.
///
/// Where little says for which assembler a source is, and it has errors in the dialect that is assumed, it is of the
/// other one in which it has none.
pub(super) fn assemble_one(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    let mut assembly = sized(sources, options, library);
    let (dialect, text) = (options.dialect, &*sources.main.text);
    let is_open = errors(&assembly) > 0 && !assembly.pasted && !assembly.out_of_memory;
    if !is_open || (dialect.other)(text).is_some() {
        return assembly;
    }
    let Some((other, how)) = (dialect.perhaps)(text) else {
        return assembly;
    };
    let of_other = Options {
        dialect: other,
        ..options.clone()
    };
    let tried = sized(sources, &of_other, library);
    if errors(&tried) == 0 && !tried.out_of_memory {
        return tried;
    }
    let fewer = errors(&tried) < errors(&assembly);
    let mut all = assembly.diagnostics.iter_mut().filter(|_| fewer);
    // What is plainly in another notation has its own remedy.
    if let Some(first) = all.find(|one| one.severity == Severity::Error)
        && dialect.foreign(text).is_none()
    {
        first.help = Some(match first.help.take() {
            Some(help) => format!("{help}; {how}"),
            None => how.to_owned(),
        });
    }
    assembly
}

/// Assembles one source in the dialect of the options, or in that in which it is plainly written.
///
/// A processor with 32-bit segments that is named before the memory model, or before segments that do not say their
/// size, makes these 32 bits wide in some assemblers and versions, and not in others. So the code tells: it was written
/// for segments of the size in which it has fewer errors and, if that is no difference, in which fewer instructions
/// need a prefix.
fn sized(sources: &Sources<'_>, options: &Options, library: &str) -> Assembly {
    let wide = settled(sources, options, library, Sizes::default());
    if wide.is_narrow {
        let sizes = Sizes {
            tiny: true,
            ..Sizes::default()
        };
        let tiny = settled(sources, options, library, sizes).assembly;
        let image = tiny.image.as_ref();
        if image.is_some_and(|image| image.fragment.is_some()) {
            return tiny;
        }
    }
    let Some([instructions, prefixed]) = wide.assumed_size else {
        return wide.assembly;
    };
    let wide_errors = errors(&wide.assembly);
    // Code for the other size has a prefix in most instructions.
    if wide_errors == 0 && prefixed < instructions / 4 {
        return wide.assembly;
    }
    let sizes = Sizes {
        narrow: true,
        ..Sizes::default()
    };
    let narrow = settled(sources, options, library, sizes);
    let narrow_prefixed = narrow.assumed_size.map_or(u32::MAX, |sized| sized[1]);
    match (errors(&narrow.assembly), narrow_prefixed) < (wide_errors, prefixed) {
        true => narrow.assembly,
        false => wide.assembly,
    }
}

fn errors(assembly: &Assembly) -> usize {
    let all = assembly.diagnostics.iter();
    all.filter(|one| one.severity == Severity::Error).count()
}

fn settled(sources: &Sources<'_>, options: &Options, library: &str, sizes: Sizes) -> Passed {
    let first = Known {
        sizes,
        ..Known::default()
    };
    let mut passed = pass(sources, options, library, first);
    for _ in 1..MOST_PASSES {
        let Some(known) = passed.again.take() else { break };
        // One assembly at a time is in memory.
        passed.assembly = Assembly::default();
        passed = pass(sources, options, library, Known { sizes, ..known });
    }
    passed
}
