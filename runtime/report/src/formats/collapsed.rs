//! Clocks by stack, one stack per line: the frames separated by `;`, a blank, and the clocks.
//!
//! The frames are the program, the functions that called each other, the label, the macro calls, the line and the
//! cause. The clocks of a function that several chains of calls lead to are not known by line for each chain. Such a
//! chain ends with the function, and has a share of the function's clocks, in proportion to the clocks between its
//! calls and returns. All lines add up to the clocks of the program.

use crate::Style;
use crate::lines::{self, Stack, chains::Chains};
use crate::printable::printable;
use p5_results::{Cause, Run};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let chains = Chains::of(run);
    let mut shared: BTreeMap<u32, u64> = BTreeMap::new();
    for stack in lines::stacks(run, style.detail) {
        let called = stack.start(run).and_then(|address| chains.function(address));
        let before = match called {
            Some((function, [_, _, ..])) => {
                *shared.entry(function).or_default() += stack.sum.cycles;
                continue;
            }
            Some((_, [only])) => chains.frames(run, *only),
            Some((_, [])) | None => Vec::new(),
        };
        let frames = with_callers(frames(run, &stack), &before);
        for &cause in Cause::ALL {
            let clocks = stack.sum.spent(cause);
            if clocks > 0 {
                writeln!(out, "{frames};{} {clocks}", cause.name())?;
            }
        }
    }
    for (function, clocks) in shared {
        for (chain, clocks) in chains.divided(function, clocks) {
            if clocks > 0 {
                let program = vec![printable(&run.program)];
                let frames = with_callers(program, &chains.frames(run, chain));
                writeln!(out, "{frames} {clocks}")?;
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

/// The frames as text, with the callers after the program. A label that is the last caller has one frame.
fn with_callers(frames: Vec<String>, callers: &[String]) -> String {
    let mut frames = frames.into_iter();
    let program = frames.next();
    let mut rest = frames.peekable();
    let repeated = rest.peek().is_some_and(|label| callers.last() == Some(label));
    let rest = rest.skip(usize::from(repeated));
    let all = program.into_iter().chain(callers.iter().cloned()).chain(rest);
    all.map(|frame| framed(&frame)).collect::<Vec<_>>().join(";")
}

/// A frame without the characters that would end it.
fn framed(frame: &str) -> String {
    frame.replace(';', "\\u{3b}")
}
