//! The clocks that a change saves outside of its own lines: the code after it may be predicted, cached or paired in
//! another way.

use runtime::report::Elsewhere;
use runtime::run::{Cause, Run};
use std::collections::BTreeMap;
use std::ops::Range;

/// The clocks of lines by cause. A line is the number of its file and its own number, from 1.
pub(super) type Spent = BTreeMap<(u32, u32), BTreeMap<Cause, i64>>;

pub(super) fn spent(run: &Run) -> Spent {
    let mut lines = Spent::new();
    for row in run.instructions.iter().filter(|row| !row.library) {
        let Some(place) = row.outermost else { continue };
        let causes = lines.entry(place).or_default();
        for one in &row.causes {
            *causes.entry(one.cause).or_default() += one.cycles as i64;
        }
    }
    lines
}

/// The clocks that lines outside of the change save, with their numbers in the text before the change; the largest
/// change comes first. `old` and `new` are the changed lines, from 0, before and after.
pub(super) fn elsewhere(run: &Run, before: Spent, old: &Range<usize>, new: &Range<usize>) -> Vec<Elsewhere> {
    let mut saved = before;
    saved.retain(|&(file, line), _| file != 0 || !old.contains(&(line as usize - 1)));
    for ((file, line), causes) in spent(run) {
        let at = line as usize - 1;
        if file == 0 && new.contains(&at) {
            continue;
        }
        let behind = file == 0 && at >= new.end;
        let line = if behind { at - new.end + old.end + 1 } else { at + 1 };
        let lines = saved.entry((file, line as u32)).or_default();
        for (cause, clocks) in causes {
            *lines.entry(cause).or_default() -= clocks;
        }
    }
    let name = |file: u32| {
        run.files
            .get(file as usize)
            .map_or_else(String::new, |file| file.name.clone())
    };
    let lines = saved.into_iter().filter_map(|((file, line), causes)| {
        let clocks: i64 = causes.values().sum();
        let main = causes.iter().max_by_key(|(_, part)| **part * clocks.signum());
        let (&cause, _) = main.filter(|_| clocks != 0)?;
        Some(Elsewhere {
            file: (file != 0).then(|| name(file)),
            line,
            clocks,
            cause,
        })
    });
    let mut lines: Vec<Elsewhere> = lines.collect();
    lines.sort_by_key(|one| (std::cmp::Reverse(one.clocks.unsigned_abs()), one.line));
    lines
}
