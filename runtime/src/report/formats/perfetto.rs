//! Traced passes clock by clock as trace events of Chrome, which Perfetto reads: each pass is a process with tracks for
//! U, for V and for the clocks lost. A microsecond stands for a clock.

use crate::report::Style;
use crate::report::diagram::{self, Group, Shown, Spent};
use crate::report::json_text::write_compact;
use crate::report::lines::file_name;
use crate::report::printable::printable;
use crate::report::reasons::{reason, told};
use crate::run::{Cause, Run};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The numbers of the tracks of a process.
const U: u32 = 1;
const V: u32 = 2;
const LOST: u32 = 3;

#[derive(Serialize)]
struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "otherData")]
    other: Map<String, Value>,
}

#[derive(Serialize)]
struct Event {
    name: String,
    /// What it is, for filters; names of tracks have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
    ts: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<u64>,
    pid: usize,
    tid: u32,
    args: Value,
}

/// Writes the passes of `run`.
pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Vec::new();
    for (index, pass) in diagram::shown(run).iter().enumerate() {
        add(run, pass, index + 1, &mut events);
    }
    let totals = &run.whole.totals;
    let mut other = Map::new();
    other.insert("program".to_owned(), run.program.as_str().into());
    other.insert("cpu".to_owned(), run.cpu_title.into());
    other.insert("time".to_owned(), "a microsecond stands for a clock".into());
    other.insert(
        "last run".to_owned(),
        json!({"cycles": totals.cycles, "instructions": totals.instructions, "u": totals.u, "v": totals.v}),
    );
    let trace = Trace {
        events,
        unit: "ns",
        other,
    };
    write_compact(&trace, out)
}

/// Adds the events of a pass.
fn add(run: &Run, pass: &Shown, pid: usize, events: &mut Vec<Event>) {
    let name = |what: &'static str, tid: u32, args: Value| Event {
        name: what.to_owned(),
        cat: None,
        ph: "M",
        ts: 0,
        dur: None,
        pid,
        tid,
        args,
    };
    let title = match &pass.cut {
        Some(cut) => format!("{} ({cut})", pass.name),
        None => pass.name.clone(),
    };
    events.push(name("process_name", 0, json!({ "name": title })));
    events.push(name("process_sort_index", 0, json!({ "sort_index": pid })));
    for (tid, track) in [(U, "U"), (V, "V"), (LOST, "lost")] {
        events.push(name("thread_name", tid, json!({ "name": track })));
        events.push(name("thread_sort_index", tid, json!({ "sort_index": tid })));
    }
    for (number, group) in pass.groups.iter().enumerate() {
        let mut clock = group.clock;
        let mut executing = 0;
        let mut lost = Vec::new();
        for span in group.spans() {
            let clocks = u64::from(span.clocks);
            executing += if span.executing { clocks } else { 0 };
            // What is lost behind a group is the wait of the next one, unless its own branch is mispredicted.
            let waits = match span.executing || span.spent == Spent::Lost(Cause::Misprediction) {
                true => group,
                false => pass.groups.get(number + 1).unwrap_or(group),
            };
            lost.extend(span.spent.lost().map(|why| (clock, clocks, why, waits)));
            clock += clocks;
        }
        let first = if group.begun_in_v { V } else { U };
        for (tid, instruction) in [(first, Some(group.u)), (V, group.v)] {
            let Some(instruction) = instruction else { continue };
            events.push(Event {
                name: run
                    .instructions
                    .get(instruction)
                    .map_or_else(String::new, |one| printable(told(one))),
                cat: Some("instruction"),
                ph: "X",
                ts: group.clock,
                dur: Some(executing),
                pid,
                tid,
                args: arguments(run, group, instruction, tid == U),
            });
        }
        events.extend(lost.into_iter().map(|(ts, clocks, why, waits)| Event {
            name: why.to_owned(),
            cat: Some("lost"),
            ph: "X",
            ts,
            dur: Some(clocks),
            pid,
            tid: LOST,
            args: arguments_of_lost(run, waits),
        }));
    }
}

/// What it shows of lost clocks: the instructions that wait, and why in the words of the slot diagram.
fn arguments_of_lost(run: &Run, group: &Group) -> Value {
    let mut arguments = arguments(run, group, group.u, false);
    let text = |index: usize| run.instructions.get(index).map(|one| printable(told(one)));
    arguments["instructions"] = json!([Some(group.u), group.v].map(|index| index.and_then(text)));
    let why = reason(run, group);
    arguments["why"] = json!((!why.is_empty()).then_some(why));
    arguments
}

/// What a viewer shows of an instruction that is selected.
fn arguments(run: &Run, group: &Group, instruction: usize, in_u: bool) -> Value {
    let one = run.instructions.get(instruction);
    let place = one.and_then(|one| one.place);
    let refusal = group.refusal.filter(|_| in_u).map(|refusal| refusal.name());
    json!({
        "instruction": instruction,
        "address": one.map(|one| format!("{:08X}", one.address)),
        "file": place.and_then(|(file, _)| file_name(run, file)),
        "line": place.map(|(_, line)| line),
        "not paired": refusal,
    })
}
