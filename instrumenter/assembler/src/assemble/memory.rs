//! How much memory an assembly takes: all that sources multiply, weighed together.
//!
//! Most of it has a limit of its own, but all of these together would be more than a machine has that assembles on all
//! its cores. What is counted is what is kept until the program is linked, with what the image and the listing have of
//! it. A listing that would take too much ends early; of everything else, too much is an error.

use crate::diag::{Fault, fault};
use crate::expand::Expander;
use crate::lex::Line;
use crate::program::{Deferred, Fixup, Fragment, Program, Record};
use crate::session::Session;
use std::time::Instant;

/// The number of lines that are read before memory is estimated again: few of them add much.
const LINES: u32 = 256;
/// So many addresses come between two.
const ADDRESSES: usize = 1 << 14;
/// So many bytes of generated text come between two.
const TEXT: u64 = 1 << 20;

/// The bytes of memory for one instruction that is encoded only when addresses are known: the record of it, and room
/// for its encoding.
const DEFERRED: usize = size_of::<Deferred>() + 16;
/// The bytes of memory for one relocation in a listing.
const RELOCATION: usize = 32;

/// When an assembly is weighed next.
#[derive(Default)]
pub(super) struct Memory {
    lines: u32,
    addresses: usize,
    text: u64,
}

/// A record for a listing, which takes its memory from that of `session`: a part of all, so that it keeps no program
/// from being assembled.
pub(super) fn record(session: &mut Session) -> Record {
    let most = session.most_weight / 4;
    session.most_weight -= most;
    Record::within(most)
}

impl Memory {
    /// Counts a line that is about to be read.
    ///
    /// # Errors
    /// That the assembly takes too much memory, work or time.
    pub(super) fn count(
        &mut self,
        session: &mut Session,
        program: &Program,
        expander: &Expander,
        line: &Line,
    ) -> Result<(), Fault> {
        let span = || line.span(0, line.text.len() as u32);
        session.count_line(line.text.len(), span)?;
        self.lines += 1;
        if self.lines < LINES
            && program.fixups.len() < self.addresses + ADDRESSES
            && session.expanded_text() < self.text + TEXT
        {
            return Ok(());
        }
        *self = Memory {
            lines: 0,
            addresses: program.fixups.len(),
            text: session.expanded_text(),
        };
        let span = span();
        session.weight = weight(session, program, expander);
        session.weigh(0, span)?;
        match session.limits.until {
            Some((end, longest)) if Instant::now() >= end => {
                let message = format!("assembling takes longer than {} s", longest.as_secs_f64());
                Err(fault(span, message)
                    .with_help("repeat less, or allow more time")
                    .ending())
            }
            _ => Ok(()),
        }
    }
}

/// The approximate number of bytes kept so far.
fn weight(session: &Session, program: &Program, expander: &Expander) -> usize {
    let relocation = program.layout.record.as_ref().map_or(0, |_| RELOCATION);
    let segments = program.layout.segments.iter();
    let of_segments = segments.map(|segment| {
        let fragments = segment.fragments.len() * size_of::<Fragment>();
        2 * segment.bytes.len() + segment.rows.bytes() + fragments
    });
    of_segments.sum::<usize>()
        + session.bytes()
        + expander.bytes()
        + program.symbols.bytes()
        + program.structures.bytes()
        + program.regions.bytes()
        + program.fixups.len() * (size_of::<Fixup>() + relocation)
        + program.deferred.len() * (DEFERRED + relocation)
}
