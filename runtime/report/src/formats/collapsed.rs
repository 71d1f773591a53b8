//! Clocks by stack, one stack per line: the frames separated by `;`, a blank, and the clocks. The last frame is the
//! cause of the clocks, the one before it the line.

use crate::Style;
use crate::lines::{self, Stack};
use crate::printable::printable;
use p5_results::{Cause, Run};
use std::io::{self, Write};

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for stack in lines::stacks(run, style.detail) {
        let frames: Vec<String> = frames(run, &stack).iter().map(|frame| framed(frame)).collect();
        let frames = frames.join(";");
        for &cause in Cause::ALL {
            let clocks = stack.sum.spent(cause);
            if clocks > 0 {
                writeln!(out, "{frames};{} {clocks}", cause.name())?;
            }
        }
    }
    Ok(())
}

/// The frames of a stack, the outermost first: the program, the label, the calls and the line.
pub(super) fn frames(run: &Run, stack: &Stack) -> Vec<String> {
    let outer = [run.program.as_str(), stack.function].map(printable);
    let calls = stack.calls.iter().map(|call| printable(call));
    let leaf = std::iter::once(printable(&stack.leaf()));
    outer.into_iter().chain(calls).chain(leaf).collect()
}

/// A frame without the characters that would end it.
fn framed(frame: &str) -> String {
    frame.replace(';', "\\u{3b}")
}
