//! The cache sets as a map: a cell for each set with its line fills in the last run, and its final contents.

use super::{figure, number, title};
use crate::symbols::Symbols;
use maud::{Markup, html};
use p5_results::{CacheKind, CacheResult, CacheSet, Run};

/// The number of sets in a row of the map.
const ROW: usize = 16;
/// The number of degrees of shading; the set with the most fills has the last one.
const DEGREES: u64 = 5;

pub(super) fn section(run: &Run) -> Markup {
    let symbols = Symbols::of(run);
    html! {
        (title("caches", "Cache sets"))
        @if run.caches.is_empty() {
            p {
                "Not available: the run did not record its cache sets, which "
                code { "--format html" } " on the command line asks for."
            }
        } @else {
            p .lead {
                "Each cell is a set: how many lines were filled in it in the last run, and below it a dot for each of "
                "its lines, filled if the line is cached at the end. The macros' own lines are included. A read miss "
                "fills a line, a write miss does not."
            }
        }
        @for cache in &run.caches { (map(&symbols, cache)) }
    }
}

fn name(cache: &CacheResult) -> String {
    let kind = match cache.kind {
        CacheKind::Code => "Code cache",
        CacheKind::Data => "Data cache",
        CacheKind::Unified => "Cache for code and data",
    };
    let ways = cache.ways;
    format!(
        "{kind}: {} sets of {ways} lines of {} bytes",
        cache.sets.len(),
        cache.line
    )
}

fn map(symbols: &Symbols, cache: &CacheResult) -> Markup {
    let name = name(cache);
    let most = cache.sets.iter().map(|set| set.fills).max().unwrap_or(0);
    let fills: i128 = cache.sets.iter().map(|set| i128::from(set.fills)).sum();
    let cached: usize = cache.sets.iter().map(|set| set.lines.len()).sum();
    let all = cache.sets.len() * cache.ways as usize;
    let used = |set: &&CacheSet| set.fills > 0 || !set.lines.is_empty();
    html! {
        h3 { (name) }
        p {
            (number(fills)) " lines filled in the last run; " (cached) " of " (all) " lines cached at the end; "
            @if most > u64::from(cache.ways) {
                "the most filled set was filled " (number(most)) " times, so its lines displaced one another."
            } @else {
                "no set was filled more often than it has lines."
            }
        }
        div .scroll {
            table .map data-cache=(cache.kind.name()) {
                caption { "Line fills by set; arrow keys move between sets" }
                thead {
                    tr {
                        th scope="col" { "set" }
                        @for column in 0..ROW.min(cache.sets.len()) { th scope="col" { "+" (column) } }
                    }
                }
                tbody {
                    @for (index, sets) in cache.sets.chunks(ROW).enumerate() {
                        tr {
                            th scope="row" { (index * ROW) }
                            @for (column, set) in sets.iter().enumerate() {
                                (cell(symbols, cache, (index * ROW + column, set), most))
                            }
                        }
                    }
                }
            }
        }
        details {
            summary { "The sets in use as a table" }
            div .scroll tabindex="0" role="region" aria-label=(format!("{name}: sets in use")) {
                table .sortable {
                    caption { (name) ": sets in use" }
                    thead {
                        tr {
                            th .n scope="col" { "set" }
                            th .n scope="col" { "fills" }
                            th scope="col" { "lines cached at the end, the one used last first" }
                        }
                    }
                    tbody {
                        @for (number, set) in cache.sets.iter().enumerate().filter(|(_, set)| used(set)) {
                            tr {
                                th .n scope="row" data-v=(number) { (number) }
                                (figure(Some(set.fills.into())))
                                td { (lines(symbols, cache, set).join("; ")) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn cell(symbols: &Symbols, cache: &CacheResult, (number, set): (usize, &CacheSet), most: u64) -> Markup {
    let degree = match (set.fills, most) {
        (0, _) | (_, 0) => 0,
        (fills, most) => (u128::from(fills) * u128::from(DEGREES)).div_ceil(u128::from(most)),
    };
    let lines = lines(symbols, cache, set);
    let told = if lines.is_empty() {
        format!("Set {number}: {} fills, empty at the end", set.fills)
    } else {
        format!("Set {number}: {} fills; {}", set.fills, lines.join("; "))
    };
    let ways = cache.ways as usize;
    let dots: String = (0..ways)
        .map(|way| if way < lines.len() { '\u{25cf}' } else { '\u{25cb}' })
        .collect();
    html! {
        td data-v=(set.fills) data-lines=(lines.len()) data-degree=(degree) data-tip=(told)
            tabindex=(if number == 0 { "0" } else { "-1" }) {
            b { (brief(set.fills)) }
            span aria-hidden="true" { (dots) }
        }
    }
}

/// A number in at most four characters; the table shows all digits.
fn brief(value: u64) -> String {
    match value {
        0 => "\u{b7}".to_owned(),
        1..=9_999 => value.to_string(),
        10_000..=9_999_999 => format!("{}k", value / 1_000),
        10_000_000..=9_999_999_999 => format!("{}M", value / 1_000_000),
        _ => format!("{}G", value / 1_000_000_000),
    }
}

/// The cached lines of a set, each with its address and the data in it.
fn lines(symbols: &Symbols, cache: &CacheResult, set: &CacheSet) -> Vec<String> {
    let line = |line: &p5_results::CachedLine| {
        let last = line.address.saturating_add(cache.line - 1);
        let holds = symbols
            .first([line.address, last])
            .and_then(|first| symbols.name(first));
        let holds = holds.map_or_else(String::new, |name| format!(" {}", super::name(&name)));
        let modified = if line.modified { " (modified)" } else { "" };
        format!("{:08X}h{holds}{modified}", line.address)
    };
    set.lines.iter().map(line).collect()
}
