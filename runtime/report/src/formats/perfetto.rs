//! Traced passes clock by clock as Chrome trace events, which Perfetto reads: each pass is a process with tracks for U,
//! for V and for the lost clocks. A microsecond represents a clock.

use crate::Style;
use crate::diagram::{self, Group, Shown, Spent};
use crate::json_text::compact;
use crate::lines::file_name;
use crate::printable::printable;
use crate::reasons::{self, reason};
use p5_results::{Cause, Refusal, Run};
use serde::Serialize;
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Write};

/// The numbers of the tracks of a process.
const U: u32 = 1;
const V: u32 = 2;
const LOST: u32 = 3;

/// The fields of an event that precede its time.
#[derive(Serialize)]
struct Kind<'a> {
    name: &'a str,
    /// The category, for filters; names of tracks have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    cat: Option<&'static str>,
    ph: &'static str,
}

/// The fields of an event that follow its time: its track, and its arguments.
#[derive(Serialize)]
struct Place<'a> {
    pid: usize,
    tid: u32,
    args: Arguments<'a>,
}

/// The arguments of an event: a viewer shows them for a selected event, or takes them as the name or position of a
/// track.
#[derive(Serialize)]
#[serde(untagged)]
enum Arguments<'a> {
    Name {
        name: Cow<'a, str>,
    },
    Order {
        sort_index: usize,
    },
    Instruction {
        address: Option<&'a str>,
        file: Option<&'a str>,
        instruction: usize,
        line: Option<u32>,
        #[serde(rename = "not paired")]
        not_paired: Option<&'static str>,
    },
    /// Lost clocks: the waiting instructions, and the reason in the words of the slot diagram.
    Lost {
        address: Option<&'a str>,
        file: Option<&'a str>,
        instruction: usize,
        instructions: [Option<&'a str>; 2],
        line: Option<u32>,
        why: Option<String>,
    },
}

/// An event without its time, as the members of an object. Issues of an instruction in a pass rarely differ in anything
/// else, and there are thousands.
struct Timeless {
    kind: String,
    place: String,
}

impl Timeless {
    fn of(kind: &Kind, place: &Place) -> io::Result<Timeless> {
        Ok(Timeless {
            kind: members(kind)?,
            place: members(place)?,
        })
    }
}

fn members(object: &impl Serialize) -> io::Result<String> {
    let text = compact(object)?;
    let members = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    Ok(members.unwrap_or(&text).to_owned())
}

#[derive(Default)]
struct Events {
    text: String,
    /// The text to write before the next event.
    separator: &'static str,
}

impl Events {
    /// Adds an event that begins at `clock`; `clocks` is its duration, if it has one.
    fn add(&mut self, event: &Timeless, clock: u64, clocks: Option<u64>) {
        let mut digits = itoa::Buffer::new();
        let begin = [self.separator, "{", &event.kind, ",\"ts\":", digits.format(clock)];
        begin.iter().for_each(|part| self.text.push_str(part));
        if let Some(clocks) = clocks {
            self.text.push_str(",\"dur\":");
            self.text.push_str(digits.format(clocks));
        }
        [",", &event.place, "}"]
            .iter()
            .for_each(|part| self.text.push_str(part));
        self.separator = ",";
    }
}

/// The text about an instruction, formed once for all of its issues.
struct InstructionText<'a> {
    text: String,
    address: String,
    file: Option<&'a str>,
    line: Option<u32>,
}

/// The instructions that issue in the passes, by index.
struct Issuing<'a>(Vec<Option<InstructionText<'a>>>);

impl<'a> Issuing<'a> {
    fn of(run: &'a Run, passes: &[Shown]) -> Issuing<'a> {
        let mut all: Vec<Option<InstructionText>> =
            run.instructions.iter().chain(&run.variants).map(|_| None).collect();
        for group in passes.iter().flat_map(|pass| &pass.groups) {
            for index in group.executed.into_iter().flatten() {
                if let (Some(place @ None), Some(one)) = (all.get_mut(index), run.executed(index)) {
                    *place = Some(InstructionText {
                        text: printable(reasons::told(one)),
                        address: format!("{:08X}", one.address),
                        file: one.place.and_then(|(file, _)| file_name(run, file)),
                        line: one.place.map(|(_, line)| line),
                    });
                }
            }
        }
        Issuing(all)
    }

    fn get(&self, index: usize) -> Option<&InstructionText<'a>> {
        self.0.get(index)?.as_ref()
    }
}

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let passes = diagram::shown(run);
    let issuing = Issuing::of(run, &passes);
    let mut events = Events::default();
    out.write_all(b"{\"traceEvents\":[")?;
    for (index, pass) in passes.iter().enumerate() {
        add(run, &issuing, pass, index + 1, &mut events)?;
        out.write_all(events.text.as_bytes())?;
        events.text.clear();
    }
    let totals = &run.whole.totals;
    let other = compact(&json!({
        "program": run.program,
        "cpu": run.cpu_title,
        "stopped": super::why_stopped(run),
        "time": "a microsecond stands for a clock",
        "last run": {
            "cycles": totals.cycles, "instructions": totals.instructions, "u": totals.u, "v": totals.v,
        },
    }))?;
    writeln!(out, "],\"displayTimeUnit\":\"ns\",\"otherData\":{other}}}")
}

fn add(run: &Run, issuing: &Issuing, pass: &Shown, pid: usize, events: &mut Events) -> io::Result<()> {
    let mut name = |name: &'static str, tid: u32, args: Arguments| {
        let kind = Kind {
            name,
            cat: None,
            ph: "M",
        };
        events.add(&Timeless::of(&kind, &Place { pid, tid, args })?, 0, None);
        io::Result::Ok(())
    };
    let title = match &pass.cut {
        Some(cut) => Cow::Owned(format!("{} ({cut})", pass.name)),
        None => Cow::Borrowed(&*pass.name),
    };
    name("process_name", 0, Arguments::Name { name: title })?;
    name("process_sort_index", 0, Arguments::Order { sort_index: pid })?;
    for (tid, track) in [(U, "U"), (V, "V"), (LOST, "lost")] {
        name("thread_name", tid, Arguments::Name { name: track.into() })?;
        let sort_index = tid as usize;
        name("thread_sort_index", tid, Arguments::Order { sort_index })?;
    }
    let timeless = |name: &str, cat, tid, args| {
        let kind = Kind {
            name,
            cat: Some(cat),
            ph: "X",
        };
        Timeless::of(&kind, &Place { pid, tid, args })
    };
    // The events of issues already formed, by instruction, track and refusal to pair.
    let mut told: BTreeMap<(usize, u32, Option<Refusal>), Timeless> = BTreeMap::new();
    for (number, group) in pass.groups.iter().enumerate() {
        let mut clock = group.clock;
        let mut executing = 0;
        let mut lost = Vec::new();
        for span in group.spans() {
            let clocks = u64::from(span.clocks);
            executing += if span.executing { clocks } else { 0 };
            // Clocks lost after a group are the wait of the next one, unless the group's own branch is mispredicted.
            let waits = match span.executing || span.spent == Spent::Lost(Cause::Misprediction) {
                true => group,
                false => pass.groups.get(number + 1).unwrap_or(group),
            };
            lost.extend(span.spent.lost().map(|why| (clock, clocks, why, waits)));
            clock += clocks;
        }
        let first = if group.begun_in_v { V } else { U };
        let rows = [(first, Some(group.u)), (V, group.v)];
        for ((tid, row), executed) in rows.into_iter().zip(group.executed) {
            let Some((row, executed)) = row.zip(executed) else {
                continue;
            };
            let refusal = group.refusal.filter(|_| tid == U);
            let issue = match told.entry((executed, tid, refusal)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let (text, arguments) = issued(issuing, [row, executed], refusal);
                    place.insert(timeless(text, "instruction", tid, arguments)?)
                }
            };
            events.add(issue, group.clock, Some(executing));
        }
        for (ts, clocks, why, waits) in lost {
            let lost = timeless(why, "lost", LOST, lost_to(run, issuing, waits))?;
            events.add(&lost, ts, Some(clocks));
        }
    }
    Ok(())
}

/// The name and the arguments of an instruction that issues: of its row, and of what was executed.
fn issued<'a>(
    issuing: &'a Issuing,
    [instruction, executed]: [usize; 2],
    refusal: Option<Refusal>,
) -> (&'a str, Arguments<'a>) {
    let told = issuing.get(executed);
    let arguments = Arguments::Instruction {
        address: told.map(|told| &*told.address),
        file: told.and_then(|told| told.file),
        instruction,
        line: told.and_then(|told| told.line),
        not_paired: refusal.map(Refusal::name),
    };
    (told.map_or("", |told| &told.text), arguments)
}

/// The arguments for clocks in which a group waits.
fn lost_to<'a>(run: &Run, issuing: &'a Issuing, group: &Group) -> Arguments<'a> {
    let told = group.executed[0].and_then(|u| issuing.get(u));
    let why = reason(run, group);
    Arguments::Lost {
        address: told.map(|told| &*told.address),
        file: told.and_then(|told| told.file),
        instruction: group.u,
        instructions: group.executed.map(|index| Some(&*issuing.get(index?)?.text)),
        line: told.and_then(|told| told.line),
        why: Some(why).filter(|why| !why.is_empty()),
    }
}
