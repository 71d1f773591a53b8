//! Traced passes clock by clock as a pipeline log in the format Kanata 0004, which Konata shows. The passes follow one
//! another, each as a thread of its own.
//!
//! Lane 0 has the clocks in EX, as stage `U` or `V`; lane 1 the clocks lost, as a stage with the name of the cause. A
//! trace does not have the stages before EX.

use crate::report::Style;
use crate::report::diagram::{self, Group, Shown};
use crate::report::lines::file_name;
use crate::report::printable::printable;
use crate::report::reasons::told;
use crate::run::{InstructionResult, Run};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the passes of `run`.
pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Kanata\t0004")?;
    writeln!(out, "C=\t0")?;
    let mut log = Log {
        labels: vec![None; run.instructions.len()],
        number: 0,
        run,
    };
    for (thread, pass) in diagram::shown(run).iter().enumerate() {
        log.write_pass(pass, thread, out)?;
    }
    Ok(())
}

/// A log in progress.
struct Log<'a> {
    run: &'a Run,
    /// The number of the next instruction to issue.
    number: usize,
    /// What lanes 0 and 1 say of each instruction of the run that has been told.
    labels: Vec<Option<[String; 2]>>,
}

impl Log<'_> {
    /// Writes a pass.
    fn write_pass(&mut self, pass: &Shown, thread: usize, out: &mut dyn Write) -> io::Result<()> {
        // The instructions under way: those of the group, or those that wait to be the next one.
        let mut begun: Option<Vec<usize>> = None;
        // The number that each instruction last had.
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, group) in pass.groups.iter().enumerate() {
            let members: Vec<(usize, &str)> = match group.v {
                Some(v) => vec![(group.u, "U"), (v, "V")],
                None => vec![(group.u, if group.begun_in_v { "V" } else { "U" })],
            };
            let ids = match begun.take() {
                Some(ids) => ids,
                None => self.begin(group, thread, out)?,
            };
            if index == 0 {
                let cut = pass.cut.as_ref().map_or_else(String::new, |cut| format!(" ({cut})"));
                for id in ids.iter().take(1) {
                    writeln!(out, "L\t{id}\t0\t, first of {}{cut}", pass.name)?;
                }
            }
            let producer = group.awaited.and_then(|(_, by)| by).and_then(|by| last.get(&by));
            if let (Some(producer), Some(consumer)) = (producer, ids.first()) {
                writeln!(out, "W\t{consumer}\t{producer}\t0")?;
            }
            for (id, (instruction, stage)) in ids.iter().zip(&members) {
                last.insert(*instruction, *id);
                writeln!(out, "S\t{id}\t0\t{stage}")?;
            }
            let mut retired = false;
            for span in group.spans() {
                if !span.executing && !retired {
                    retire(&ids, out)?;
                    retired = true;
                    let next = pass.groups.get(index + 1);
                    begun = next.map(|next| self.begin(next, thread, out)).transpose()?;
                }
                let waiting = if span.executing { Some(&ids) } else { begun.as_ref() };
                let lost = span.spent.lost();
                let stages = waiting.into_iter().flatten().zip(lost.iter().cycle());
                for (id, stage) in stages.clone() {
                    writeln!(out, "S\t{id}\t1\t{stage}")?;
                }
                writeln!(out, "C\t{}", span.clocks)?;
                for (id, stage) in stages {
                    writeln!(out, "E\t{id}\t1\t{stage}")?;
                }
            }
            if !retired {
                retire(&ids, out)?;
            }
        }
        Ok(())
    }

    /// Begins the instructions of a group. Returns their numbers.
    fn begin(&mut self, group: &Group, thread: usize, out: &mut dyn Write) -> io::Result<Vec<usize>> {
        let mut ids = Vec::new();
        for index in [Some(group.u), group.v].into_iter().flatten() {
            let id = self.number;
            self.number += 1;
            ids.push(id);
            writeln!(out, "I\t{id}\t{index}\t{thread}")?;
            let Some(one) = self.run.instructions.get(index) else {
                continue;
            };
            let [told, place] = self.labels[index].get_or_insert_with(|| labels(self.run, one));
            writeln!(out, "L\t{id}\t0\t{told}")?;
            if !place.is_empty() {
                writeln!(out, "L\t{id}\t1\t{place}")?;
            }
        }
        Ok(ids)
    }
}

/// An instruction with its address, and its file and line if it has them.
fn labels(run: &Run, one: &InstructionResult) -> [String; 2] {
    let told = format!("{:08X} {}", one.address, printable(told(one)));
    let place = one.place.map_or_else(String::new, |(file, line)| {
        let file = file_name(run, file).map_or_else(String::new, printable);
        format!("{file}:{line}")
    });
    [told, place]
}

fn retire(ids: &[usize], out: &mut dyn Write) -> io::Result<()> {
    ids.iter().try_for_each(|id| writeln!(out, "R\t{id}\t{id}\t0"))
}
