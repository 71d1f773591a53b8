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
use crate::run::Run;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Writes the passes of `run`.
pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Kanata\t0004")?;
    writeln!(out, "C=\t0")?;
    let mut number = 0;
    for (thread, pass) in diagram::shown(run).iter().enumerate() {
        write_pass(run, pass, thread, &mut number, out)?;
    }
    Ok(())
}

/// Writes a pass, whose instructions are numbered from `number` on.
fn write_pass(run: &Run, pass: &Shown, thread: usize, number: &mut usize, out: &mut dyn Write) -> io::Result<()> {
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
            None => begin(run, group, thread, number, out)?,
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
                begun = next.map(|next| begin(run, next, thread, number, out)).transpose()?;
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
fn begin(run: &Run, group: &Group, thread: usize, number: &mut usize, out: &mut dyn Write) -> io::Result<Vec<usize>> {
    let mut ids = Vec::new();
    for index in [Some(group.u), group.v].into_iter().flatten() {
        let id = *number;
        *number += 1;
        ids.push(id);
        writeln!(out, "I\t{id}\t{index}\t{thread}")?;
        if let Some(one) = run.instructions.get(index) {
            writeln!(out, "L\t{id}\t0\t{:08X} {}", one.address, printable(told(one)))?;
            if let Some((file, line)) = one.place {
                let file = file_name(run, file).map_or_else(String::new, printable);
                writeln!(out, "L\t{id}\t1\t{file}:{line}")?;
            }
        }
    }
    Ok(ids)
}

fn retire(ids: &[usize], out: &mut dyn Write) -> io::Result<()> {
    ids.iter().try_for_each(|id| writeln!(out, "R\t{id}\t{id}\t0"))
}
