//! What costs clocks again and again, and how a change of the source avoids it.

use super::misses::place;
use crate::phrases::counted;
use crate::printable::printable;
use p5_results::Note;

/// The words of such a note; none for others.
pub(super) fn told(note: &Note) -> String {
    match note {
        Note::MisalignedData {
            variables,
            more,
            first,
            alignment,
            clocks,
        } => {
            let names: Vec<String> = variables.iter().map(|name| format!("`{}`", printable(name))).collect();
            let (one, names) = (variables.len() == 1, names.join(", "));
            let lie = match (one, more) {
                (true, _) => format!("{names} lies where all accesses to its elements are misaligned"),
                (false, 0) => format!("{names} lie where all accesses to their elements are misaligned"),
                (false, more) => {
                    format!("{names} and {more} more lie where all accesses to their elements are misaligned")
                }
            };
            let before = match one {
                true => "it".to_owned(),
                false => format!("`{}`, the first of them in memory", printable(first)),
            };
            format!(
                "{lie}, which takes {} of the last run: put `align {alignment}` before {before}",
                counted(*clocks, "clock")
            )
        }
        Note::HurriedBranch {
            file,
            number,
            wrong,
            of,
            instructions,
        } => format!(
            "{}: the branch is mispredicted in {wrong} of {of} rounds, because its last outcomes count only after \
             {instructions} further instructions; in a longer round, such as two rounds in one, the chip may learn what \
             it does (`p5inst explain tight`)",
            place(file.as_deref(), *number)
        ),
        _ => String::new(),
    }
}
