//! The region table: the program's own measurements beside the true figures.

use super::{columns, figure, name, text, title};
use crate::regions::{counted_event, missing};
use crate::summary::{self, RegionSummary};
use crate::sure;
use maud::{Markup, html};
use p5_results::{RegionResult, Run};

/// The columns, and for each whether it holds numbers.
const COLUMNS: &[(&str, bool)] = &[
    ("region", false),
    ("line", true),
    ("counts", false),
    ("passes", true),
    ("cold", true),
    ("min", true),
    ("measured", true),
    ("max", true),
    ("true", true),
    ("off by", true),
    ("overhead", true),
];
const REGIONS: usize = 300;
const NOTES: usize = 300;

pub(super) fn section(run: &Run) -> Markup {
    let listed = run.regions.iter().take(REGIONS);
    let listed: Vec<_> = listed.map(|region| (region, summary::region(run, region))).collect();
    html! {
        (title("regions", "Regions: measured beside true"))
        @if listed.is_empty() {
            p { "The program marks no region; " code { "StartTSC" } " and " code { "EndTSC" } " around code make one." }
        } @else {
            div .scroll tabindex="0" role="region" aria-label="Regions" {
                table .sortable {
                    caption {
                        "Measured: what the program itself found. True: the simulator's own count. Figures are medians "
                        "of the warm passes; min and max are of the measured ones, and cold is the measured figure of "
                        "the first pass."
                    }
                    (columns(COLUMNS))
                    tbody {
                        @for (region, summary) in &listed {
                            @for index in 0..summary::figures(region.kind) { (row(region, summary, index)) }
                        }
                    }
                }
            }
            @for (index, (region, _)) in listed.iter().enumerate().take(NOTES) {
                @if let Some(words) = sure::region(run, index).and_then(|bar| bar.line(usize::MAX)) {
                    p .sure { (name(&region.name)) ": " (text(&words)) "." }
                }
            }
            @for note in listed.iter().flat_map(|(region, summary)| missing(region, summary)).take(NOTES) {
                p .note { (text(note.trim_start_matches("- "))) }
            }
            @if run.regions.len() > REGIONS {
                p .note { (REGIONS) " of " (run.regions.len()) " regions are listed." }
            }
        }
    }
}

fn row(region: &RegionResult, summary: &RegionSummary, index: usize) -> Markup {
    let available = region.unavailable[index].is_none();
    let of = |pair: Option<[i64; 2]>| figure(pair.filter(|_| available).map(|pair| pair[index].into()));
    let measured = summary.warm.as_ref().and_then(|warm| warm.measured);
    let shown = summary.shown();
    let cold = summary.cold.and_then(|pass| pass.measured);
    let counts = match summary::figures(region.kind) {
        1 => "clocks".to_owned(),
        _ => counted_event(region, index),
    };
    html! {
        tr data-figure=(index) {
            th scope="row" { (name(&region.name)) }
            td .n data-v=(region.start_line) {
                a .line href={ "#L" (region.file) "-" (region.start_line) } {
                    (region.start_line) "\u{2013}" (region.end_line)
                }
            }
            td { (counts) }
            (figure(Some(region.pass_count.into())))
            (of(cold))
            (of(measured.map(|pair| pair.map(|spread| spread.min))))
            (of(measured.map(|pair| pair.map(|spread| spread.median))))
            (of(measured.map(|pair| pair.map(|spread| spread.max))))
            (of(shown.truth))
            (of(shown.difference))
            (of(shown.overhead))
        }
    }
}
