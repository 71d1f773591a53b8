//! Every event of a chip has a stimulus: one, two and three of them raise the event one, two and three times as often
//! as a stimulus does, each for the same clocks. A neutral instruction in its place does not raise it.

use asm_macros::events::Event;
use instrumenter::command::demonstration::{demonstrate, neutral};
use runtime::model::{MODELS, Model, STIMULI, monitor};

/// The events that every instruction raises.
const OF_ALL: &[Event] = &[Event::INSTRUCTIONS_EXECUTED, Event::CLOCKS_NOT_HALTED];

/// The reason why a chip does not raise an event, even with the monitor of its stimulus.
fn why_not(model: &'static Model, event: Event) -> Option<&'static str> {
    let stimulus = STIMULI.iter().find(|stimulus| stimulus.event == event);
    let monitors: Vec<_> = stimulus
        .and_then(|stimulus| monitor(stimulus.monitor).ok())
        .into_iter()
        .collect();
    let model = model.with_monitors(&monitors).unwrap_or(model);
    model.events.why_unavailable(event)
}

/// Every event that a chip raises occurs as often per stimulus as its row says, the macros of the program measure this,
/// and each stimulus adds the same clocks.
#[test]
fn each_stimulus_raises_its_event() {
    let mut wrong = Vec::new();
    for model in MODELS.iter().copied() {
        for selection in model.events.selections() {
            let name = format!("{} {}", model.name, selection.event.name());
            match (why_not(model, selection.event), demonstrate(model, selection)) {
                (Some(_), Err(_)) => {}
                (Some(why), Ok(_)) => wrong.push(format!("{name} has a program, but {why}")),
                (None, Err(why)) => wrong.push(format!("{name}: {why}")),
                (None, Ok(shown)) => {
                    let each = shown.rows.get(1).and_then(|row| row.clocks);
                    for row in &shown.rows {
                        let expected = i64::from(row.stimuli * shown.times);
                        let clocks = each.map(|each| each * i64::from(row.stimuli));
                        if row.counted != expected || row.measured != Some(expected) || row.clocks != clocks {
                            wrong.push(format!(
                                "{name}: {row:?}\n{}",
                                if row.stimuli == 3 { &shown.program } else { "" }
                            ));
                        }
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_neutral_instruction_raises_no_event() {
    let mut wrong = Vec::new();
    for model in MODELS.iter().copied() {
        for selection in model.events.selections() {
            let event = selection.event;
            if why_not(model, event).is_some() || OF_ALL.contains(&event) {
                continue;
            }
            match neutral(model, selection) {
                Ok(counted) if counted.iter().all(|&count| count == 0) => {}
                other => wrong.push(format!("{} {}: {other:?}", model.name, event.name())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each event has at most one row, and some chip raises it.
#[test]
fn the_stimuli_are_those_of_the_events_that_occur() {
    for (at, stimulus) in STIMULI.iter().enumerate() {
        let event = stimulus.event;
        assert!(
            STIMULI[..at].iter().all(|other| other.event != event),
            "{} twice",
            event.name()
        );
        let raises = |model: &&&'static Model| {
            let mut selections = model.events.selections();
            selections.any(|selection| selection.event == event) && why_not(model, event).is_none()
        };
        assert!(MODELS.iter().any(|model| raises(&model)), "{}", event.name());
    }
}
