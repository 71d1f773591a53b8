//! The beginning of the page: the program, the machine, the totals and the end of the run; and its last section, the
//! model's assumptions and omissions.

use super::rules::chip;
use super::{number, said, sentence, text, title};
use crate::ending::{self, CLOCK_LIMIT};
use crate::explain;
use crate::header;
use crate::setting;
use crate::{budgets, printable, summary, sure, times, wording};
use maud::{Markup, html};
use p5_chips::ASSUMPTIONS;
use p5_results::Run;

/// The maximum number of notes and budgets that are shown.
const NOTES: usize = 100;
/// The maximum size in bytes of the program's output that is shown.
const OUTPUT: usize = 16 * 1024;

pub(super) fn header(run: &Run) -> Markup {
    let totals = &run.own.totals;
    let (folder, file) = run
        .program
        .split_at(run.program.rfind(['/', '\\']).map_or(0, |last| last + 1));
    let clocks = totals.clocks_per_instruction();
    let facts = [
        ("clocks", number(totals.cycles)),
        ("instructions", number(totals.instructions)),
        (
            "clocks per instruction",
            clocks.map_or("-".to_owned(), |clocks| format!("{clocks:.2}")),
        ),
        ("of them in V", summary::percent(totals.v, totals.instructions)),
    ];
    let ended = ending::ended(&run.stop, &run.files, CLOCK_LIMIT);
    let assumed: Vec<String> = run
        .assumed
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    html! {
        header {
            div .top {
                h1 { @if !folder.is_empty() { span .folder { (text(folder)) } } (text(file)) }
                button #theme type="button" aria-pressed="false" hidden="" { "Dark" }
            }
            p .machine {
                (run.cpu_title) ", privilege level " (run.cpl) ", memory " code { (run.memory) }
                @if !assumed.is_empty() { ", assuming " code { (assumed.join(", ")) } }
                @if !run.monitors.is_empty() { ", " (setting::attached(&run.monitors, run.core_ratio.as_deref())) }
            }
            dl .facts {
                @for (name, value) in &facts {
                    div { dt { (name) } dd { (value) } }
                }
            }
            p { (header::runs(run)) ". The last run " @if ending::failed(&run.stop) { strong .warning { (ended) } }
                @else { (ended) } "." }
            @if let Some(times) = times::words(run) { p { (sentence(&times)) "." } }
            (how_sure(run))
            @if let (Some(probes), Some(name)) = (&run.probes, header::library(run)) {
                p { "Without the " (number(probes.totals.cycles)) " clocks of the macros in " (name) "." }
            }
            (judged(run))
            (output(run))
        }
    }
}

/// The certainty of the clocks, if there is something to say about it.
fn how_sure(run: &Run) -> Markup {
    html! {
        @if let Some(words) = sure::program(run).line(usize::MAX) { p .sure { "Clocks: " (sentence(&words)) "." } }
        @for words in sure::not_tried(run).iter().take(NOTES) { p .note { (said(&sentence(words))) "." } }
    }
}

/// The clocks of the program under other answers to a question, or the reason why they are not known.
fn under_others(run: &Run, name: &str) -> Markup {
    let answers = &run.answers;
    let alone = answers
        .variants
        .iter()
        .filter(|variant| matches!(&variant.choices[..], [choice] if choice.assumption.name == name));
    html! {
        @if !answers.touched.contains(&name) { "as they are: it concerns nothing that was executed" }
        @else if let Some(why) = sure::why_untried(run, name) { "not tried: " (said(&why)) }
        @else {
            @for (index, variant) in alone.enumerate() {
                @if index > 0 { ", " }
                @match &variant.figures {
                    Ok(figures) => { (number(figures.clocks)) }
                    Err(ended) => { (text(ended)) }
                }
                " (" code { (sure::choices(variant)) } ")"
            }
        }
    }
}

fn judged(run: &Run) -> Markup {
    let judged = budgets::judged(run);
    let held = judged.iter().filter(|one| one.holds()).count();
    html! {
        @if !judged.is_empty() {
            details open=[(held < judged.len()).then_some("")] {
                summary { (held) " of " (judged.len()) " budgets hold" }
                ul {
                    @for one in judged.iter().take(NOTES) {
                        li {
                            @if one.holds() {
                                "holds: "
                            } @else if one.figure().is_none() {
                                strong .warning { "not judged: " }
                            } @else {
                                strong .warning { "does not hold: " }
                            }
                            code { (one.title()) } " " (text(&one.place()))
                            ": "
                            @match one.figure() {
                                Some(figure) if one.holds() => (text(&figure)),
                                Some(_) => (text(&one.message())),
                                None => (text(&one.details())),
                            }
                            @if let Some(under) = one.fails_under() { "; " (text(&under)) }
                        }
                    }
                }
            }
        }
    }
}

fn output(run: &Run) -> Markup {
    let (written, shown, _) = printable::output(&run.output, OUTPUT);
    let left = run.output.len() - shown;
    html! {
        @if !run.output.is_empty() {
            details {
                summary { "Output of the program" }
                pre {
                    @for line in written.split_inclusive('\n') {
                        (printable::printable(line.trim_end_matches(['\n', '\r']))) "\n"
                    }
                }
                @if left > 0 { p .note { "And " (left) " more bytes, which `--format output` has." } }
            }
        }
    }
}

/// The model's doubts, assumptions and omissions.
pub(super) fn model(run: &Run) -> Markup {
    let topics = chip(run).map(explain::topics).unwrap_or_default();
    let omitted = topics.iter().filter(|topic| !topic.not_modelled.is_empty());
    let omitted: Vec<_> = omitted.filter(|topic| topic.kind != explain::Kind::Event).collect();
    html! {
        (title("model", "What the model assumes and leaves out"))
        @if !run.notes.is_empty() {
            h3 { "In what was executed" }
            ul { @for note in run.notes.iter().take(NOTES) { li { (text_of_note(&wording::note(note))) } } }
        }
        h3 { "Open questions, and the answers that were assumed" }
        div .scroll tabindex="0" role="region" aria-label="Open questions" {
            table {
                caption { "Where the sources differ or are silent; " code { "--assume" } " changes an answer" }
                thead { tr { th scope="col" { "question" } th scope="col" { "answer" } th scope="col" { "meaning" }
                    th scope="col" { "clocks under others" } } }
                tbody {
                    @for assumption in ASSUMPTIONS {
                        @let chosen = run.assumed.iter().find(|(name, _)| *name == assumption.name);
                        @let answers = &assumption.answers;
                        @let answer = answers.iter().find(|one| chosen.is_some_and(|(_, value)| *value == one.value));
                        @let answer = answer.unwrap_or(&answers[0]);
                        tr {
                            th scope="row" { code { (assumption.name) } }
                            td { code { (answer.value) } @if chosen.is_some() { strong { " chosen" } } @else { " usual" } }
                            td { (said(answer.meaning)) }
                            td { (under_others(run, assumption.name)) }
                        }
                    }
                }
            }
        }
        h3 { "Not modelled" }
        ul { @for topic in &omitted { li { b { (topic.name) } ": " (said(&topic.not_modelled)) } } }
    }
}

/// A note, which may be longer than a cell.
fn text_of_note(note: &str) -> String {
    printable::cut(&printable::printable(note), 600)
}
