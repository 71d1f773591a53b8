//! What a program writes into lines of code that it executes, without changing the code.

use crate::printable::printable;
use p5_results::Note;

/// The words of such a note; none for others.
pub(super) fn told(note: &Note) -> String {
    let Note::DataInCodeLine {
        writer,
        code,
        variable,
        times,
        line,
        after_code,
        before_code,
    } = note
    else {
        return String::new();
    };
    let removed = format!(
        "{times} writes of all runs removed it from the code cache, so that fetches wait for a code miss, and what they \
         bring issues alone as a first execution"
    );
    let writes = writer.map(|(_, number)| format!("line {number} writes"));
    if let Some((_, over)) = code {
        return format!(
            "{} to the code of line {over}, which stays the same: its line of {line} bytes is code that is executed; \
             {removed}",
            writes.unwrap_or_else(|| "the program writes".to_owned())
        );
    }
    let data = variable.as_ref().map(|name| format!("`{}`", printable(name)));
    let lies = match (writes, data) {
        (Some(writes), Some(data)) => format!("{writes} {data}, which lies"),
        (Some(writes), None) => format!("{writes} data that lie"),
        (None, Some(data)) => format!("{data} lies"),
        (None, None) => "data lie".to_owned(),
    };
    let apart = match (after_code, before_code) {
        (true, false) => "before the data",
        (false, true) => "before the code, which comes after the data,",
        _ => "before and after the data",
    };
    format!(
        "{lies} in a line of {line} bytes with code that is executed: {removed}; `align {line}` {apart} keeps them \
         apart, and `p5inst compare OLD NEW` tells whether that saves clocks in all"
    )
}
