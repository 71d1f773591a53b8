//! How much memory an assembly takes: what macros, repeats and initializers multiply, weighed together.
//!
//! Each of it has a limit of its own, but all of these together would be more than a machine has that assembles on all
//! its cores. What is counted is what is kept until the program is linked, with its copy in the image.

use crate::diag::{Fault, fault};
use crate::expression::Node;
use crate::lex::Line;
use crate::program::{Deferred, Fixup, Fragment, Program, Symbol};
use crate::session::{OriginStep, Session};
use p5_image::{LineRow, Origin};
use std::mem::size_of;

/// So many lines are read between two weighings: with each of them comes little, unless it has addresses.
const LINES: u32 = 256;
/// So many addresses come between two.
const ADDRESSES: usize = 1 << 14;

/// The bytes of one of each, with its copy.
const ORIGIN: usize = size_of::<OriginStep>() + size_of::<Origin>();
const ROW: usize = 2 * size_of::<LineRow>();
const NODE: usize = size_of::<Node>();

/// When an assembly is weighed next.
#[derive(Default)]
pub(super) struct Memory {
    lines: u32,
    addresses: usize,
}

impl Memory {
    /// Counts a line that is about to be read.
    ///
    /// # Errors
    /// That the assembly takes too much.
    pub(super) fn count(&mut self, session: &mut Session, program: &Program, line: &Line) -> Result<(), Fault> {
        self.lines += 1;
        if self.lines < LINES && program.fixups.len() < self.addresses + ADDRESSES {
            return Ok(());
        }
        *self = Memory {
            lines: 0,
            addresses: program.fixups.len(),
        };
        let most = session.limits.memory;
        if weight(session, program) as u64 <= most {
            return Ok(());
        }
        session.out_of_memory = true;
        let message = format!("assembling takes more than {} MiB of memory", most >> 20);
        Err(fault(line.span(0, line.text.len() as u32), message).ending())
    }
}

/// The bytes kept so far, about.
fn weight(session: &Session, program: &Program) -> usize {
    let segments = program.layout.segments.iter();
    let of_segments = segments.map(|segment| {
        let fragments = segment.fragments.len() * size_of::<Fragment>();
        2 * segment.bytes.len() + segment.rows.len() * ROW + fragments
    });
    of_segments.sum::<usize>()
        + session.origins.len() * ORIGIN
        + session.expressions.mark() * NODE
        + program.symbols.table.len() * size_of::<Symbol>()
        + program.fixups.len() * size_of::<Fixup>()
        + program.deferred.len() * size_of::<Deferred>()
}
