//! The words for a stop without a source line of its own: where it is, and what led there.

use super::phrases::counted;
use super::printable::printable;
use p5_results::{Astray, Called, Stop, Unlined};

/// The instruction of a stop that has no source line: its function, if it has a name, and its address.
pub(super) fn unlined(stop: &Stop) -> Option<String> {
    let Unlined { address, within, .. } = stop.unlined.as_deref()?;
    let led = match (stop.called().map(from), stop.place) {
        (Some(from), _) => format!(", {from}"),
        (None, Some(_)) => ", in code without source lines, executed after this line".to_owned(),
        (None, None) => String::new(),
    };
    Some(match within {
        Some((name, 0)) => format!("{} ({address:08X}h){led}", printable(name)),
        Some((name, after)) => format!("{}+{after:X}h ({address:08X}h){led}", printable(name)),
        None => format!("{address:08X}h{led}"),
    })
}

/// The function in which a run ended without lines of the program, and which function called it.
pub(super) fn called(stop: &Stop) -> Option<String> {
    let called = stop.called()?;
    Some(format!("{}, {}", printable(&called.function), from(called)))
}

/// The call by which a program of Rust panicked, if the run ended in that.
pub(super) fn panicked(stop: &Stop) -> Option<String> {
    stop.panicked()?;
    Some(format!("a Rust panic: {}", called(stop)?))
}

/// Which function made a call, whose place follows.
fn from(called: &Called) -> String {
    match &called.caller {
        Some(caller) => format!("called from {}", printable(caller)),
        None => "called from here".to_owned(),
    }
}

/// What is said of a line whose bytes are data.
pub(super) const IN_DATA: &str = "this line is data, and execution ran into it";

/// How the program left its code.
pub(super) fn astray(stop: &Stop, way: Astray) -> String {
    let left = match (way.jumped, unlined(stop)) {
        (_, None) if stop.is_in_data() => format!("{IN_DATA}, and out of the program's code from there"),
        (true, None) if way.into_stack => "this line jumped into the stack, and its bytes were executed".to_owned(),
        (true, None) => "this line jumped out of the program's code".to_owned(),
        (false, None) => "execution left the program's code after this line".to_owned(),
        (true, Some(from)) => format!("the program's code was left by the jump at {from}"),
        (false, Some(from)) => format!("the program's code was left after the instruction at {from}"),
    };
    let ran = way.empty.map_or(String::new(), |empty| {
        let instructions = counted(u64::from(empty.instructions), "instruction");
        format!(
            " and ran through {instructions} of empty memory from {:08X}h",
            empty.from
        )
    });
    format!("{left}{ran}")
}
