//! The traced passes: for each the figures of its region in a sentence, its clocks by cause, and U and V clock by
//! clock.

use super::lanes::{self, Places};
use super::rules::Rules;
use super::stacks::{self, Stack};
use super::{name, text, title};
use crate::diagram::{self, Shown};
use crate::{Detail, Style, regions};
use maud::{Markup, html};
use p5_results::{RegionResult, Run};

/// The maximum number of passes, of the rows of one, and of the rows of all.
const PASSES: usize = 64;
const ROWS_EACH: usize = 500;
const ROWS: usize = 1_500;

pub(super) fn section(run: &Run, places: &Places, rules: &mut Rules) -> Markup {
    let passes = diagram::shown(run);
    let mut room = ROWS;
    let mut shown = Vec::new();
    for (index, pass) in passes.iter().enumerate().take(PASSES) {
        let region = run
            .regions
            .iter()
            .find(|region| std::ptr::eq(pass.trace, &region.trace));
        let (markup, rows) = one(run, (index, pass), region, (places, rules), room.min(ROWS_EACH));
        room -= rows;
        shown.push(markup);
    }
    html! {
        (title("pipeline", "U and V, clock by clock"))
        p .lead {
            "Time goes down. Of a loop its steady round is shown once, with clocks counted from its begin, as "
            code { "+0" } ". Lost clocks are hatched and named."
        }
        @for pass in &shown { (pass) }
        @if shown.is_empty() { p { "No pass was traced." } }
        @if passes.len() > PASSES {
            p .note { (PASSES) " of " (passes.len()) " passes are shown." }
        }
    }
}

fn one(
    run: &Run,
    (index, pass): (usize, &Shown),
    region: Option<&RegionResult>,
    (places, rules): (&Places, &mut Rules),
    room: usize,
) -> (Markup, usize) {
    let name = name(&pass.name);
    let stack = Stack::of_pass(&pass.groups);
    let part = if pass.cut.is_some() { "traced part of the " } else { "" };
    let caption = format!("{name}: clocks of the {part}pass by cause");
    let causes = stacks::chart(&stack, &caption, rules);
    let heading = format!("{name}: U and V");
    let (table, rows) = match pass.diagram(run).filter(|_| room > 0) {
        Some(diagram) => lanes::table(run, &diagram, &heading, (places, rules), room),
        None => (html! { p .note { "The page has no room for its clocks." } }, 0),
    };
    let said_above = format!("{}: ", pass.name);
    let markup = html! {
        article .pass aria-labelledby={ "pass-" (index) } {
            h3 id={ "pass-" (index) } { (name) }
            @if let Some(region) = region {
                @for words in sentences(run, region) { p { (words.strip_prefix(&*said_above).unwrap_or(&words)) } }
            }
            @if let Some(cut) = &pass.cut { p .note { "Of this pass, " (cut) "." } }
            div .columns {
                div { (table) }
                div { (causes) }
            }
        }
    };
    (markup, rows)
}

/// The sentences of the text report about a region.
fn sentences(run: &Run, region: &RegionResult) -> Vec<String> {
    let style = Style::plain(4_000, Detail::Short);
    let mut said = Vec::new();
    if regions::heading(run, region, &style, &mut said).is_err() {
        return Vec::new();
    }
    let said = String::from_utf8_lossy(&said);
    said.lines().map(|line| text(line.trim())).collect()
}
