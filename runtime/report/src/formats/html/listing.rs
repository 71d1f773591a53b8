//! The listing: the source with its executions, clocks, pipes and reasons of the last run, and controls that filter it.

use super::lanes::Places;
use super::rules::{Rule, Rules};
use super::{columns, figure, name, text, title};
use crate::header::library;
use crate::lines::{self, MEMORY, Row};
use crate::phrases::counted;
use maud::{Markup, html};
use p5_results::{Cause, Refusal, Run};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The columns, and for each whether it holds numbers.
const COLUMNS: &[(&str, bool)] = &[
    ("line", true),
    ("source", false),
    ("times", true),
    ("clocks", true),
    ("each", true),
    ("in U", true),
    ("in V", true),
    ("lost", true),
    ("why not faster", false),
];
/// The maximum number of rows for the program, and for the bundled library.
const ROWS: usize = 1_500;
const ROWS_OF_LIBRARY: usize = 300;
/// The maximum number of regions by which the listing can be filtered.
const REGIONS: usize = 200;
/// The maximum number of rules for one reason.
const RULES: usize = 4;

/// A source line, with its figures if it was executed.
struct Line<'a> {
    file: u32,
    number: u32,
    row: Option<&'a Row<'a>>,
}

/// The section, and the lines that have a row in it.
pub(super) fn section(run: &Run, rules: &mut Rules) -> (Markup, Places) {
    let rows = lines::rows(run);
    let (of_library, own): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.library);
    let lines = listed(run, &own);
    let elsewhere: Vec<&&Row> = own.iter().filter(|row| row.file == MEMORY).collect();
    let places: Places = lines.iter().map(|line| (line.file, line.number)).collect();
    let texts = lines::Text::of(run);
    let most = own.iter().map(|row| row.sum.cycles).max().unwrap_or(0).max(1);
    let mut body = Vec::new();
    let mut file = None;
    let several = lines.iter().any(|line| line.file != lines[0].file);
    for line in &lines {
        if several && file.replace(line.file) != Some(line.file) {
            let file = lines::file_name(run, line.file).map_or_else(String::new, text);
            body.push(html! { tr .file { th colspan="9" scope="rowgroup" { (file) } } });
        }
        let source = texts.line((line.file, line.number));
        let place = (line.file, line.number, several);
        body.push(one(run, place, source, line.row, most, rules));
    }
    let room = ROWS.saturating_sub(lines.len());
    let unplaced = elsewhere.iter().take(room);
    body.extend(unplaced.map(|row| one(run, (u32::MAX, 0, false), row.text, Some(row), most, rules)));
    let executed = lines.iter().filter(|line| line.row.is_some()).count() + elsewhere.len().min(room);
    let left_out = own.len() - executed;
    let macros: Vec<Markup> = of_library
        .iter()
        .take(ROWS_OF_LIBRARY)
        .map(|row| {
            one(
                run,
                (u32::MAX, row.line, false),
                expanded(run, row),
                Some(row),
                most,
                rules,
            )
        })
        .collect();
    let markup = html! {
        (title("listing", "Listing"))
        (controls(run))
        (table("Lines of the program in the last run", &body))
        @if own.iter().any(|row| row.sum.most_times.is_some()) {
            p .note { "+: at least, as the compiler may have copied the line; the reasons are without figures then." }
        }
        @if left_out > 0 {
            p .note {
                (counted(left_out as u64, "executed line")) " with fewer clocks not listed; "
                code { "--format json" } " and " code { "--format csv" } " have them."
            }
        }
        @if let Some(name) = library(run).filter(|_| !macros.is_empty()) {
            details {
                summary { "Lines of the macros in " (name) }
                (table("Lines of the macros in the last run", &macros))
            }
        }
    };
    (markup, places)
}

/// The text of a line of a macro; if its names depend on the call, the resulting instruction.
fn expanded<'a>(run: &'a Run, row: &Row<'a>) -> &'a str {
    let found = run.instructions.binary_search_by_key(&row.address, |one| one.address);
    let instruction = found.ok().and_then(|at| run.instructions.get(at));
    instruction
        .filter(|_| row.text.contains('&'))
        .map_or(row.text, |instruction| &instruction.text)
}

/// The lines to show: all lines of the files with code if there is room, otherwise those with the most clocks.
fn listed<'a>(run: &Run, own: &[&'a Row<'a>]) -> Vec<Line<'a>> {
    let mut executed: BTreeMap<(u32, u32), &Row> = BTreeMap::new();
    for (file, source) in (0..).zip(&run.files) {
        let name = source.name.as_str();
        let inside = own.iter().filter(|row| std::ptr::eq(row.file, name));
        executed.extend(inside.map(|row| ((file, row.line), *row)));
    }
    let with_code = |file: u32| executed.range((file, 0)..(file + 1, 0)).next().is_some();
    let files = (0..).zip(&run.files).filter(|&(file, _)| with_code(file));
    let all: Vec<(u32, u32)> = files
        .flat_map(|(file, source)| (1..).zip(source.text.lines()).map(move |(line, _)| (file, line)))
        .take(ROWS + 1)
        .collect();
    let chosen = if all.len() <= ROWS {
        all
    } else {
        let mut by_clocks: Vec<(u32, u32)> = executed.keys().copied().collect();
        by_clocks.sort_by_key(|place| (Reverse(executed[place].sum.cycles), *place));
        by_clocks.truncate(ROWS);
        by_clocks.sort_unstable();
        by_clocks
    };
    let line = |place: (u32, u32)| Line {
        file: place.0,
        number: place.1,
        row: executed.get(&place).copied(),
    };
    chosen.into_iter().map(line).collect()
}

fn controls(run: &Run) -> Markup {
    html! {
        form .controls role="search" aria-label="Filter the listing" {
            label { "Text " input #filter type="search" autocomplete="off" spellcheck="false"; }
            @if !run.regions.is_empty() {
                label {
                    "Region "
                    select #region {
                        option value="" { "all lines" }
                        @for (index, region) in run.regions.iter().enumerate().take(REGIONS) {
                            option value=(index) { (name(&region.name)) }
                        }
                    }
                }
            }
            label { input #waits type="checkbox"; " only lines that wait" }
            button type="reset" { "Show all" }
            span #shown role="status" {}
        }
    }
}

fn table(caption: &str, rows: &[Markup]) -> Markup {
    html! {
        div .scroll tabindex="0" role="region" aria-label=(caption) {
            table .listing.sortable {
                caption {
                    (caption) ". Lost: clocks in which no instruction of the line began or went on."
                }
                (columns(COLUMNS))
                tbody { @for row in rows { (row) } }
            }
        }
    }
}

/// A line: its file, its number, and whether its row names the file because it no longer stands below the file's name.
type Place = (u32, u32, bool);

fn one(run: &Run, place: Place, source: &str, row: Option<&Row>, most: u64, rules: &mut Rules) -> Markup {
    let (file, line, named) = place;
    let source = text(source.trim_end());
    let id = (file != u32::MAX).then(|| format!("L{file}-{line}"));
    let number = html! {
        th .n scope="row" data-v=(line) {
            @if let Some(name) = lines::file_name(run, file).filter(|_| named) { span .in { (text(name)) " " } }
            @if line > 0 { (line) } @else { span .none { "-" } }
        }
        td .source {
            @if let Some(name) = row.and_then(|row| row.name.as_deref()) { span .in { (text(name)) " " } }
            code { (source) }
        }
    };
    let Some(row) = row else {
        return html! { tr .idle id=[id] { (number) @for _ in 0..6 { td .n {} } td {} } };
    };
    let sum = &row.sum;
    let inside = |region: &&(usize, &p5_results::RegionResult)| {
        region.1.file == file && (region.1.start_line..=region.1.end_line).contains(&line)
    };
    let regions: Vec<(usize, _)> = run.regions.iter().enumerate().take(REGIONS).collect();
    let regions: Vec<String> = regions
        .iter()
        .filter(inside)
        .map(|(index, _)| index.to_string())
        .collect();
    let regions = (!regions.is_empty()).then(|| regions.join(" "));
    let lost = sum.lost();
    let each = sum
        .times
        .filter(|_| sum.most_times.is_none())
        .map(|times| sum.cycles as f64 / times.max(1) as f64);
    let width = sum.cycles as f64 * 100.0 / most as f64;
    html! {
        tr id=[id] data-regions=[regions] data-waits=[(lost > 0).then_some(lost)] {
            (number)
            @match sum.times.filter(|_| sum.most_times.is_some()) {
                Some(times) => { td .n data-v=(times) { (super::number(times)) "+" } },
                None => (figure(sum.times.map(i128::from))),
            }
            td .n.clocks data-v=(sum.cycles) {
                svg .share width="100%" height="3" aria-hidden="true" {
                    rect width={ (format!("{width:.1}")) "%" } height="3" {}
                }
                (super::number(sum.cycles))
            }
            @match each {
                Some(each) => { td .n data-v={ (format!("{each:.6}")) } { (format!("{each:.2}")) } },
                None => (figure(None)),
            }
            (figure(Some(sum.u.into())))
            (figure(Some(sum.v.into())))
            (figure(Some(lost.into())))
            td { (rules.link(&text(&sum.remarks(usize::MAX)), &rules_of(row))) }
        }
    }
}

/// The rules that explain the reason of a line: causes of clocks, the largest first, then reasons not to pair.
fn rules_of(row: &Row) -> Vec<Rule> {
    let causes = Cause::ALL.iter().filter(|&&cause| cause != Cause::Issue);
    let mut causes: Vec<(u64, Rule)> = causes
        .map(|&cause| (row.sum.spent(cause), Rule::Cause(cause)))
        .collect();
    let refusals = Refusal::ALL
        .iter()
        .filter(|refusal| !matches!(refusal, Refusal::TakenBranch | Refusal::LastInstruction));
    causes.extend(refusals.map(|&refusal| (row.sum.refused(refusal), Rule::Refusal(refusal))));
    causes.retain(|&(weight, _)| weight > 0);
    causes.sort_by_key(|&(weight, rule)| (Reverse(weight), rule));
    causes.into_iter().take(RULES).map(|(_, rule)| rule).collect()
}
