//! Calls that a compiler replaced by the code of functions, which counts for the lines that make the calls, too.

use super::inlined::base;
use super::{Entry, Part, Sum, lines};
use crate::printable::printable;
use p5_results::{Budget, Flow, InstructionResult, Run, Scope};

/// The most functions that are named.
const NAMED: usize = 3;

/// The inlined calls that a line of a compiled program makes.
pub(super) struct Calls {
    place: (u32, u32),
    /// Which of the calls of the run the line makes.
    made: Vec<Made>,
    /// The names of the functions that it calls.
    names: Vec<String>,
}

/// Whether a line makes an inlined call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Made {
    Elsewhere,
    /// The line makes it, or one around it.
    Here {
        /// The inlined call that the line itself is in.
        within: Option<u32>,
    },
}

impl Calls {
    /// The inlined calls of a budget's line, if there are any.
    pub(super) fn of(run: &Run, budget: &Budget) -> Option<Calls> {
        let Scope::Statement(line) = budget.scope else {
            return None;
        };
        let place = (budget.file, line);
        let mut made: Vec<Made> = Vec::with_capacity(run.inlined.len());
        let mut names: Vec<String> = Vec::new();
        for call in &run.inlined {
            let around = call.within.and_then(|around| made.get(around as usize)).copied();
            let around = around.unwrap_or(Made::Elsewhere);
            let own = around == Made::Elsewhere && call.place == Some(place);
            let name = printable(base(&call.name));
            if own && !name.is_empty() && !names.contains(&name) && names.len() <= NAMED {
                names.push(name);
            }
            made.push(match own {
                true => Made::Here { within: call.within },
                false => around,
            });
        }
        let brings = |one: &InstructionResult| one.brought.is_some() && one.place == Some(place);
        let any = made.iter().any(|made| *made != Made::Elsewhere) || run.instructions.iter().any(brings);
        any.then_some(Calls { place, made, names })
    }

    /// Whether the line makes the call that an instruction of other lines is the code of.
    fn made(&self, run: &Run, entry: Entry) -> Made {
        // Code of a library belongs to the line, and to the function of that.
        let one = run.instructions.get(entry);
        if let Some(one) = one.filter(|one| one.brought.is_some() && one.place == Some(self.place)) {
            return Made::Here { within: one.inlined };
        }
        let call = lines::inlined(run, entry).filter(|_| lines::place(run, entry) != Some(self.place));
        let made = call.and_then(|call| self.made.get(call as usize));
        made.copied().unwrap_or(Made::Elsewhere)
    }

    /// Whether these calls brought an instruction.
    pub(super) fn brought(&self, run: &Run, entry: Entry) -> bool {
        self.made(run, entry) != Made::Elsewhere
    }

    /// Counts how often the line was executed, with the code of its calls: that of their own loops does not tell.
    pub(super) fn count(&self, run: &Run, entries: &[Entry], sum: &mut Sum) {
        let is_own = |entry: &Entry| !self.brought(run, *entry);
        let (own, called): (Vec<Entry>, Vec<Entry>) = entries.iter().copied().partition(is_own);
        if called.is_empty() || sum.unlisted > 0 {
            return;
        }
        let looped = looped(run, &called);
        let told = |&entry: &Entry| called.binary_search(&entry).map_or(true, |at| !looped[at]);
        let counted = entries.iter().filter(|&entry| told(entry)).filter_map(|&entry| {
            let one = run.instructions.get(entry)?;
            let inlined = match self.made(run, entry) {
                Made::Here { within } => within,
                Made::Elsewhere => one.inlined,
            };
            Some(InstructionResult { inlined, ..one.clone() })
        });
        let counted: Vec<InstructionResult> = counted.collect();
        let (times, most) = lines::least_and_most(&counted);
        let most = most.max(Sum::of_entries(run, &own).most_times.unwrap_or(0));
        sum.times = (!counted.is_empty()).then_some(times);
        sum.most_times = Some(most).filter(|&most| most > times && !counted.is_empty());
    }

    fn told(&self) -> Option<String> {
        let mut names: Vec<String> = self.names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        if self.names.len() > NAMED {
            names.push("others".to_owned());
        }
        (!names.is_empty()).then(|| format!("with {}, inlined here", names.join(", ")))
    }
}

/// Which of these instructions, in the order of addresses, are in loops of their own: from the target of a jump back to
/// the jump, there is no other code. A loop around the line has such, and tells how often the line was executed.
fn looped(run: &Run, called: &[Entry]) -> Vec<bool> {
    let rows = &run.instructions;
    let mut changes = vec![0_i64; called.len() + 1];
    for (last, &entry) in called.iter().enumerate() {
        let Some(one) = rows.get(entry) else { continue };
        let back = one.needs.target.filter(|&target| target <= one.address);
        let Some(target) = back.filter(|_| one.needs.flow == Flow::Jump) else {
            continue;
        };
        let begins = rows.partition_point(|row| row.address < target);
        let first = called.partition_point(|&entry| entry < begins);
        if last - first == entry - begins {
            changes[first] += 1;
            changes[last + 1] -= 1;
        }
    }
    let mut depth = 0;
    let depths = changes.iter().take(called.len()).map(|change| {
        depth += change;
        depth > 0
    });
    depths.collect()
}

impl Part<'_> {
    /// What is said of a line that has inlined code, or that the compiler may have copied.
    pub(super) fn remarks(&self, budget: &Budget) -> Option<String> {
        let inlined = self.calls.as_ref().and_then(Calls::told);
        let told: Vec<String> = inlined.into_iter().chain(self.copied(budget)).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}
