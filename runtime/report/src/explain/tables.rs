//! Topics that are made from tables with their own words: events, assumptions, signals, derived events.

use super::texts::{filled, flushes_of_one_group};
use super::{Kind, Topic};
use crate::event_list::written;
use crate::wording::SIGNALS;
use asm_macros::events::{Event, Standing, Unit};
use p5_chips::ibs::Field;
use p5_chips::{ASSUMPTIONS, Assumption, MEMORY_PRESETS, MODELS, Model, Prediction, Row, STIMULI, Selection, VIDEO};
use p5_record::SampleKind;
use p5_record::derived::{Condition, Derived};
use p5_words::signals::{ByDefault, by_default};
use std::collections::BTreeMap;

pub(super) fn of_event(model: &Model, selection: Selection) -> Topic {
    let row = selection.event.row();
    let counts = match row.unit {
        Unit::Occurrence => "how often it occurs, or with COUNT_CYCLES the clocks in which it does",
        Unit::Duration => "how many times it begins, or with COUNT_CYCLES the clocks that it lasts",
    };
    let counter = match selection.counter {
        None => "both counters count it".to_owned(),
        Some(counter) => format!("only counter {counter} counts it"),
    } + &on_chips(selection.event);
    let selector = selection.selector;
    let demonstrated = written(&selection);
    let stimulus = STIMULI.iter().find(|stimulus| stimulus.event == selection.event);
    let why_not = model.events.why_unavailable(selection.event);
    let raised = stimulus.filter(|stimulus| why_not.is_none() || !stimulus.monitor.is_empty());
    let raised = raised.map_or_else(String::new, |stimulus| {
        let with = match (stimulus.monitor, stimulus.memory) {
            ("", "") => String::new(),
            ("", memory) => format!(" with `--memory {memory}`"),
            (monitor, "") => format!(" with `--monitor {monitor}`"),
            (monitor, memory) => format!(" with `--monitor {monitor} --memory {memory}`"),
        };
        let usual = || MODELS[0].events.selections().any(|one| one.event == selection.event);
        let on = match usual() {
            true => String::new(),
            false => format!(" --cpu {}", model.name),
        };
        format!(
            " It is raised for example by {}, which `p5inst events --demo {demonstrated}{on}` runs{with}.",
            stimulus.numbered(model, 0).replace(" / ", "; ")
        )
    });
    Topic {
        name: row.event.name().to_owned(),
        kind: Kind::Event,
        rule: format!(
            "{}. Selector {selector:02X}h counts {counts}; {counter}.{}{raised}",
            row.title,
            beside_causes(model, row.event)
        ) + &counted_operations(model, row.event),
        source: match row.standing {
            Standing::Documented => "Intel, Pentium Processor Family Developer's Manual 1997, 16.4".to_owned(),
            Standing::Folklore => "tools and texts of the time; Intel calls the selector reserved".to_owned(),
        },
        not_modelled: match (why_not, raised.is_empty()) {
            (None, _) => String::new(),
            (Some(why), true) => format!("It is not counted: {why}."),
            (Some(why), false) => format!("Without a monitor it is not counted: {why}."),
        },
        tests: vec![match raised.is_empty() {
            false => "snapshots/tests/stimuli.rs: each_stimulus_raises_its_event".to_owned(),
            true => "runtime/report/src/tests.rs: a_counter_of_an_event_that_is_never_raised_has_no_figures".to_owned(),
        }],
        chip: "",
        said: &[],
    }
}

/// The chips that have an event, unless all chips with counters do.
fn on_chips(event: Event) -> String {
    let counting = || MODELS.iter().filter(|chip| chip.events.selections().next().is_some());
    let has = |chip: &&&'static Model| chip.events.selections().any(|selection| selection.event == event);
    let names: Vec<&str> = counting().filter(has).map(|chip| chip.name).collect();
    match names.len() == counting().count() {
        true => String::new(),
        false => format!("; of the chips, {} has it (`--cpu`)", names.join(", ")),
    }
}

/// The difference between the clocks of an event and those of the cause with a similar name.
fn beside_causes(model: &Model, event: Event) -> &'static str {
    match event {
        Event::DATA_READ_STALL => {
            " It holds in each clock in which a read waits, in either pipe, page walks included. A read of a line that \
             is still being filled waits, too, so that it may begin more often than reads miss. Reports charge each \
             clock once: a walk to data TLB miss, and, where V waits longer than U, V's wait for the bank to bank \
             conflict, even if U's read waits in that clock. So the cause data read miss may have fewer clocks."
        }
        Event::PIPELINE_FLUSHES => flushes_of_one_group(model),
        Event::AGI_STALLS => {
            " If both instructions of a pair wait for an address in the same clocks, it begins twice; the clocks, and \
             those of the cause agi, count once."
        }
        _ => "",
    }
}

/// The forms that the event of floating-point operations counts, and how certain that is; empty for other events.
fn counted_operations(model: &Model, event: Event) -> String {
    if event != Event::FLOPS {
        return String::new();
    }
    let mut counted: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut others: Vec<&str> = Vec::new();
    for row in forms(model) {
        let Some(fpu) = row.fpu else { continue };
        match fpu.operations.min(model.rules.most_operations) {
            0 => others.push(row.form),
            number => counted.entry(number).or_default().push(row.form),
        }
    }
    let mut text = String::new();
    for (number, forms) in counted {
        let times = match number {
            1 => "once".to_owned(),
            number => format!("{number} times"),
        };
        text.push_str(&format!(" Counted {times}: {}.", forms.join(", ")));
    }
    text + &format!(
        " Not counted: {}. The manual lists adds, subtracts, multiplies, divides, remainders and square roots, says \
         that transcendental functions count several times, but not how often (`p5inst explain transcendental_flops`), \
         and that integer multiplies count. It does not list compares, FTST, FABS, FCHS, FXAM, conversions, loads and \
         stores, so these do not count here. Nobody has measured that; compares, which subtract, are the most \
         doubtful. What divides by zero, takes the root of a negative number, has a special operand or overruns the \
         stack does not count.",
        others.join(", ")
    )
}

/// The rows of a chip, without those that the chip's own rows replace.
fn forms(model: &Model) -> Vec<&Row> {
    let mut rows: Vec<&Row> = model.rows.iter().collect();
    let mut base = model.base;
    while let Some(chip) = base {
        for row in chip.rows {
            if rows.iter().all(|own| own.form != row.form) {
                rows.push(row);
            }
        }
        base = chip.base;
    }
    rows
}

/// The topic that lists all open questions, from their table.
pub(super) fn of_assumptions() -> Topic {
    let each = ASSUMPTIONS.iter().map(|assumption| {
        let values: Vec<&str> = assumption.answers.iter().map(|answer| answer.value).collect();
        format!(
            "{} ({}) decides {}",
            assumption.name,
            values.join(", "),
            assumption.decides
        )
    });
    Topic {
        name: "open questions".to_owned(),
        kind: Kind::Rule,
        rule: format!(
            "The sources leave {} questions open. `--assume NAME=VALUE,...` answers some; otherwise the first answer \
             here, the usual one, holds, and the others are tried as `p5inst explain how sure` says. {}. `p5inst \
             explain NAME` has the answers to one.",
            ASSUMPTIONS.len(),
            each.collect::<Vec<_>>().join("; ")
        ),
        source: "those of each question, which `p5inst timings --assumptions` lists".to_owned(),
        not_modelled: String::new(),
        tests: assumption_tests(),
        chip: "",
        said: &[
            "assume",
            "assumed",
            "assumption",
            "assumptions",
            "open",
            "open question",
        ],
    }
}

fn assumption_tests() -> Vec<String> {
    vec![
        "runtime/chips/src/assumptions.rs: each_answer_but_the_usual_one_changes_the_chip".to_owned(),
        "snapshots/tests/engines/open_questions.rs: a_question_that_a_run_does_not_touch_changes_nothing".to_owned(),
    ]
}

/// The topic of signals, from the list of their names and the services' handling of them.
pub(super) fn of_signals() -> Topic {
    let left = |wanted: ByDefault| {
        let numbered = SIGNALS.iter().zip(1..);
        let names = numbered.filter(|&(_, number)| by_default(number) == wanted);
        names.map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    };
    Topic {
        name: "signals".to_owned(),
        kind: Kind::Rule,
        rule: format!(
            "A Linux program can raise a signal for itself, by `kill`, `tkill`, `tgkill` or a fault or trap that it \
             handles, hold signals back, ignore them and handle them in code of its own, on a stack that it sets aside \
             for that. One that it leaves to the system ends \
             the run ({}), stops it for good ({}), or does nothing ({}). A fault without a handler is the result of \
             the run and raises none.",
            left(ByDefault::Ends),
            left(ByDefault::Stops),
            left(ByDefault::Ignores)
        ),
        source: "Linux, signal(7), for the i386".to_owned(),
        not_modelled: "Signals of other processes and of timers.".to_owned(),
        tests: vec!["snapshots/asm/linux_signals.asm: ended by raising SIGABRT".to_owned()],
        chip: "",
        said: &["signal", "signal *", "ended by raising *"],
    }
}

/// The topic of the memories that `--memory` selects, from their table.
pub(super) fn of_memory() -> Topic {
    let usual = |index: usize| if index == 0 { " (usual)" } else { "" };
    let each = MEMORY_PRESETS
        .iter()
        .enumerate()
        .map(|(index, preset)| format!("{}{}: {}", preset.name, usual(index), preset.title));
    Topic {
        name: "memory".to_owned(),
        kind: Kind::Rule,
        rule: format!(
            "`--memory` selects what follows the caches of the chip. {}. The second level cache takes in the lines that \
             reads miss in both caches. A write to a line that it has ends there; any other write goes on to DRAM and \
             brings no line in: of memory that is written before it is read, each write takes the clocks of DRAM, in \
             the next pass, too. A read from a video card takes {} clocks and a write {}, of 1 byte as of 8; 16-bit \
             programs always have one, and in a flat program its addresses are mapped with `--memory vga` only.",
            each.collect::<Vec<_>>().join("; "),
            VIDEO.transfers.first_quadword,
            VIDEO.transfers.write,
        ),
        source:
            "Intel, Pentium Processor Family Developer's Manual 1997, 6.4.2; Intel, Architecture Optimization Manual \
                 1997, 2.1.2. Doubted: that the boards of l2, dram and vga are typical, for no document decides \
                 their clocks or the size of the second level cache; the 4 clocks of a page walk beside its reads; \
                 when a bus is granted; and the clocks of a video card, because cards differ"
                .to_owned(),
        not_modelled: "Refresh; the pages of DRAM; what a video card shows, and that one on a bus of 32 bits takes 8 \
                       bytes in two transfers."
            .to_owned(),
        tests: vec![
            "runtime/machine/src/tests/real.rs: the_memory_of_a_video_card_is_not_cached".to_owned(),
            "runtime/timing/src/units/second_level.rs: lines_stay_when_the_first_level_evicts_them_and_leave_modified"
                .to_owned(),
        ],
        chip: "",
        said: &[
            "--memory",
            "l2",
            "second level cache",
            "write allocate",
            "write allocation",
            "dram",
            "ideal",
            "vga",
            "memory preset",
            "memory presets",
            "video memory",
        ],
    }
}

/// The topic of a question and its answers.
pub(super) fn of_assumption(assumption: &Assumption) -> Topic {
    let answers: Vec<String> = assumption
        .answers
        .iter()
        .enumerate()
        .map(|(index, answer)| {
            let usual = if index == 0 { " (usual)" } else { "" };
            format!("{}={}{usual}: {}", assumption.name, answer.value, answer.meaning)
        })
        .collect();
    Topic {
        name: assumption.name.to_owned(),
        kind: Kind::Assumption,
        rule: format!(
            "It decides {}. With `--assume`, {}. A program that executes something which it concerns is also run \
             under the other answers; see `p5inst explain how sure`.",
            assumption.decides,
            answers.join("; ")
        ),
        source: assumption.sources.to_owned(),
        not_modelled: String::new(),
        tests: assumption_tests(),
        chip: "",
        said: &[],
    }
}

/// The topic of a derived event of samples, which is not in any list of topics.
/// A chip, with what tells it from others.
pub(super) fn of_chip(chip: &Model) -> Topic {
    let pipes = match chip.rules.pipes {
        1 => "one pipe, in which no two instructions pair",
        _ => "two pipes, U and V",
    };
    let predicts = match chip.rules.prediction {
        Prediction::None => "It predicts no branch",
        _ => "It predicts branches by {prediction}",
    };
    let rule = format!(
        "The {}, on which `--cpu {}` runs a program. It has {pipes}; {{cache_sizes}}; {{tlb_sizes}}; {{write_buffers}}. \
         {predicts}. `p5inst timings --cpu {1}` has the clocks of its instructions, `p5inst \
         explain TOPIC --cpu {1}` its rules, and `p5inst events --cpu {1}` what it counts.",
        chip.title, chip.name
    );
    Topic {
        name: chip.name.to_owned(),
        kind: Kind::Chip,
        rule: filled(&rule, chip),
        source: "those of each rule; runtime/chips/src".to_owned(),
        not_modelled: String::new(),
        tests: vec![
            "snapshots/tests/geometry.rs: the_data_cache_is_as_large_as_the_chip_says".to_owned(),
            "snapshots/tests/geometry.rs: the_branch_target_buffer_is_as_large_as_the_chip_says".to_owned(),
        ],
        chip: "",
        said: &[],
    }
}

pub(super) fn of_derived(event: &Derived) -> Topic {
    let names = |fields: &[Field], joined: &str| {
        let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.join(joined)
    };
    let conditions: Vec<String> = event
        .conditions
        .iter()
        .map(|condition| match condition {
            Condition::Any(fields) => format!("with {}", names(fields, " or ")),
            Condition::Clear(fields) => format!("without {}", names(fields, " or ")),
            Condition::Is(field, value) => format!("with {} = {value}", field.name),
        })
        .collect();
    let which = match conditions.as_slice() {
        [] => String::new(),
        conditions => format!(" {}", conditions.join(" and ")),
    };
    let kinds = match event.kind {
        SampleKind::Fetch => "fetches",
        SampleKind::Op => "ops",
    };
    let what = match event.sum {
        Some(field) => format!("It is the sum of {} over the samples of {kinds}{which}", field.name),
        None => format!("It counts the samples of {kinds}{which}"),
    };
    Topic {
        name: event.name.to_owned(),
        kind: Kind::DerivedEvent,
        rule: format!(
            "{:04X}: {}. {what}. `p5inst query FILE derive` has it for all samples, `top --pm {}` by instruction, and \
             `names` lists all.",
            event.code, event.title, event.name
        ),
        source: "OProfile, events/x86-64/family10/events; AMD CodeAnalyst, derived events of IBS".to_owned(),
        not_modelled: String::new(),
        tests: vec!["instrumenter/tests/samples.rs: sums_of_derived_events_hold_for_any_packets".to_owned()],
        chip: "",
        said: &[],
    }
}
