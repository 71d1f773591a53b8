//! Traced passes clock by clock as a pipeline log in the format Kanata 0004, which Konata shows. The passes follow one
//! another, each as a separate thread.
//!
//! Lane 0 has the clocks in EX as stage `U` or `V`. Lane 1 has the lost clocks as a stage named after their cause. A
//! trace does not include the stages before EX.

use crate::Style;
use crate::diagram::{self, Group, Shown};
use crate::lines::file_name;
use crate::printable::printable;
use crate::reasons::told;
use p5_results::{InstructionResult, Run};
use std::collections::BTreeMap;
use std::io::{self, Write};

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "Kanata\t0004")?;
    writeln!(out, "C=\t0")?;
    let mut log = Log {
        labels: vec![None; run.instructions.len() + run.variants.len()],
        number: 0,
        text: String::new(),
        run,
    };
    for (thread, pass) in diagram::shown(run).iter().enumerate() {
        log.add_pass(pass, &thread.to_string());
        out.write_all(log.text.as_bytes())?;
        log.text.clear();
    }
    Ok(())
}

struct Log<'a> {
    run: &'a Run,
    /// The number of the next instruction to issue.
    number: usize,
    /// The texts for lanes 0 and 1 of each instruction that is in the log already.
    labels: Vec<Option<[String; 2]>>,
    /// The lines of the pass that are not written yet. They are many and short: formatting each one into a writer would
    /// take several times as long.
    text: String,
}

impl Log<'_> {
    fn add_pass(&mut self, pass: &Shown, thread: &str) {
        // The instructions in progress: those of the current group, or those that wait to be the next one.
        let mut begun: Option<Vec<usize>> = None;
        // The latest number of each instruction.
        let mut last: BTreeMap<usize, usize> = BTreeMap::new();
        for (index, group) in pass.groups.iter().enumerate() {
            let stages = match group.v {
                None if group.begun_in_v => ["V", "V"],
                _ => ["U", "V"],
            };
            let ids = begun.take().unwrap_or_else(|| self.begin(group, thread));
            if index == 0 {
                let cut = pass.cut.as_ref().map_or_else(String::new, |cut| format!(" ({cut})"));
                for &id in ids.iter().take(1) {
                    self.line('L', id, &["0", &format!(", first of {}{cut}", pass.name)]);
                }
            }
            let producer = group.awaited.and_then(|(_, by)| by).and_then(|by| last.get(&by));
            if let (Some(producer), Some(&consumer)) = (producer, ids.first()) {
                self.line('W', consumer, &[itoa::Buffer::new().format(*producer), "0"]);
            }
            for (&id, stage) in ids.iter().zip(stages) {
                self.line('S', id, &["0", stage]);
            }
            let mut retired = false;
            for span in group.spans() {
                if !span.executing && !retired {
                    self.retire(&ids);
                    retired = true;
                    begun = pass.groups.get(index + 1).map(|next| self.begin(next, thread));
                }
                let waiting = if span.executing { Some(&ids) } else { begun.as_ref() };
                let lost = span.spent.lost();
                let stages = waiting.into_iter().flatten().zip(lost.iter().cycle());
                for (&id, stage) in stages.clone() {
                    self.line('S', id, &["1", stage]);
                }
                self.line('C', span.clocks as usize, &[]);
                for (&id, stage) in stages {
                    self.line('E', id, &["1", stage]);
                }
            }
            if !retired {
                self.retire(&ids);
            }
            last.extend([Some(group.u), group.v].into_iter().flatten().zip(ids));
        }
    }

    /// Begins the instructions of a group and returns their numbers.
    fn begin(&mut self, group: &Group, thread: &str) -> Vec<usize> {
        let mut ids = Vec::new();
        let rows = [Some(group.u), group.v];
        for (row, index) in rows
            .into_iter()
            .zip(group.executed)
            .filter_map(|(row, index)| row.zip(index))
        {
            let id = self.number;
            self.number += 1;
            self.line('I', id, &[itoa::Buffer::new().format(row), thread]);
            if let Some(one) = self.run.executed(index) {
                let [told, place] = self.labels[index].take().unwrap_or_else(|| labels(self.run, one));
                self.line('L', id, &["0", &told]);
                if !place.is_empty() {
                    self.line('L', id, &["1", &place]);
                }
                self.labels[index] = Some([told, place]);
            }
            ids.push(id);
        }
        ids
    }

    fn retire(&mut self, ids: &[usize]) {
        for &id in ids {
            self.line('R', id, &[itoa::Buffer::new().format(id), "0"]);
        }
    }

    /// Adds a line: a command, its number, which is usually that of an instruction, and further fields.
    fn line(&mut self, command: char, number: usize, fields: &[&str]) {
        self.text.push(command);
        self.text.push('\t');
        self.text.push_str(itoa::Buffer::new().format(number));
        for field in fields {
            self.text.push('\t');
            self.text.push_str(field);
        }
        self.text.push('\n');
    }
}

/// The texts of an instruction: with its address, and with its file and line if it has them.
fn labels(run: &Run, one: &InstructionResult) -> [String; 2] {
    let told = format!("{:08X} {}", one.address, printable(told(one)));
    let place = one.place.map_or_else(String::new, |(file, line)| {
        let file = file_name(run, file).map_or_else(String::new, printable);
        format!("{file}:{line}")
    });
    [told, place]
}
