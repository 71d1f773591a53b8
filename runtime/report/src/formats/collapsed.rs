//! Clocks by stack, one stack per line: the frames separated by `;`, a blank, and the clocks.
//!
//! The frames are the program, the functions that called each other, the label, the macro calls, the line and the
//! cause. All lines add up to the clocks of the program.

use crate::Style;
use crate::lines::{self, Chains, Stack, Sum};
use crate::printable::printable;
use p5_results::{Cause, Run};
use std::io::{self, Write};

/// The last frame of instructions that are too many to tell.
const NOT_LISTED: &str = "(not listed)";
/// The most bytes of frames of called functions: deep chains repeat all their names in each line. The clocks of further
/// lines are added up in one of the program.
const MOST_BYTES: usize = 64 << 20;

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let stacks = lines::stacks(run, style.detail);
    let chains = Chains::of(run);
    let calls = run.calls.as_ref().filter(|calls| calls.chains.len() > 1);
    let Some(calls) = calls else {
        for stack in &stacks {
            write_clocks(&framed(&frames(run, stack)), &stack.sum, out)?;
        }
        return Ok(());
    };
    let (mut room, mut rest) = (MOST_BYTES, Sum::default());
    for ((number, chain), sum) in lines::by_chain(&calls.spent, &stacks, style.detail) {
        let callers = chains.frames(chain).into_iter().map(printable);
        let own = match stacks.get(number) {
            Some(stack) => {
                let told = chains.tells_label(run, chain, stack);
                frames(run, stack).split_off(1 + usize::from(told))
            }
            None => vec![NOT_LISTED.to_owned()],
        };
        let program = std::iter::once(printable(&run.program));
        let all: Vec<String> = program.chain(callers).chain(own).collect();
        let frames = framed(&all);
        let bytes = frames.len() * Cause::ALL.iter().filter(|&&cause| sum.spent(cause) > 0).count();
        match room.checked_sub(bytes) {
            Some(left) => {
                room = left;
                write_clocks(&frames, &sum, out)?;
            }
            None => rest.merge(&sum),
        }
    }
    let beyond = format!("(beyond {} MiB of frames)", MOST_BYTES >> 20);
    write_clocks(&framed(&[printable(&run.program), beyond]), &rest, out)
}

/// A line for each cause of the clocks of a stack.
fn write_clocks(frames: &str, sum: &Sum, out: &mut dyn Write) -> io::Result<()> {
    for &cause in Cause::ALL {
        let clocks = sum.spent(cause);
        if clocks > 0 {
            writeln!(out, "{frames};{} {clocks}", cause.name())?;
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

/// Frames as text, without the characters that would end one.
fn framed(frames: &[String]) -> String {
    let frames: Vec<String> = frames.iter().map(|frame| frame.replace(';', "\\u{3b}")).collect();
    frames.join(";")
}
