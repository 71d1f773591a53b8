//! The clocks by cause, as a bar and as a table: of the last run and of each traced pass. The parts add up to the
//! clocks.

use super::rules::{Rule, Rules};
use super::{figure, number, title};
use crate::diagram::{Group, clocks_by_cause};
use crate::formats::timeline::letter;
use crate::header::library;
use crate::summary;
use maud::{Markup, html};
use p5_results::{Cause, Part, Run};
use std::collections::BTreeMap;

pub(super) struct Stack {
    parts: BTreeMap<Cause, u64>,
    /// The clocks lost for lesser causes, which a trace does not name.
    others: u64,
}

/// The share of a bar, in percent, from which on a part has room for its letter.
const LETTERED: f64 = 3.0;

impl Stack {
    fn of_part(part: &Part) -> Stack {
        Stack {
            parts: part.cycle_stack.iter().map(|part| (part.cause, part.cycles)).collect(),
            others: 0,
        }
    }

    pub(super) fn of_pass(groups: &[Group]) -> Stack {
        let (parts, others) = clocks_by_cause(groups);
        Stack { parts, others }
    }

    fn total(&self) -> u64 {
        self.parts.values().sum::<u64>() + self.others
    }
}

pub(super) fn section(run: &Run, rules: &mut Rules) -> Markup {
    let own = chart(&Stack::of_part(&run.own), "Clocks of the last run by cause", rules);
    let probes = run.probes.as_ref().filter(|probes| probes.totals.cycles > 0);
    let probes = probes.zip(library(run)).map(|(probes, name)| {
        let caption = format!("Clocks of the macros in {name} by cause");
        (name, chart(&Stack::of_part(probes), &caption, rules))
    });
    let unexplained = summary::unexplained(run);
    html! {
        (title("clocks", "Where the clocks went"))
        (own)
        @if let Some((name, chart)) = probes {
            details {
                summary { "The macros in " (name) ", which the other figures leave out" }
                (chart)
            }
        }
        @if unexplained != 0 {
            p .warning { (unexplained) " clocks have no cause: this is a bug in the simulator." }
        }
    }
}

pub(super) fn chart(stack: &Stack, caption: &str, rules: &mut Rules) -> Markup {
    let total = stack.total();
    let share = |clocks: u64| clocks as f64 * 100.0 / total.max(1) as f64;
    let named = stack.parts.iter().map(|(&cause, &clocks)| (Some(cause), clocks));
    let parts: Vec<(Option<Cause>, u64)> = named.chain([(None, stack.others)]).filter(|part| part.1 > 0).collect();
    let name = |cause: Option<Cause>| cause.map_or("lesser causes", Cause::name);
    let sign = |cause: Option<Cause>| cause.map_or('~', letter);
    let class = |cause: Option<Cause>| format!("c{}", cause.map_or(Cause::ALL.len(), |cause| cause as usize));
    let mut at = 0.0;
    let bars: Vec<(f64, f64, Option<Cause>)> = parts
        .iter()
        .map(|&(cause, clocks)| {
            let begin = at;
            at += share(clocks);
            (begin, share(clocks), cause)
        })
        .collect();
    let rows: Vec<Markup> = parts
        .iter()
        .map(|&(cause, clocks)| {
            let rule: Vec<Rule> = cause.into_iter().map(Rule::Cause).collect();
            html! {
                tr data-cause=(name(cause)) {
                    th scope="row" {
                        svg .key viewBox="0 0 16 16" aria-hidden="true" {
                            rect class=(class(cause)) width="16" height="16" rx="3" {}
                            text x="8" y="12" text-anchor="middle" { (sign(cause)) }
                        }
                        " " (rules.link(name(cause), &rule))
                    }
                    (figure(Some(clocks.into())))
                    td .n data-v=(clocks) { (summary::percent(clocks, total)) }
                }
            }
        })
        .collect();
    html! {
        figure .stack {
            svg .bar width="100%" height="28" role="img" aria-label={ (caption) ", which the table below has in figures" } {
                @for &(begin, width, cause) in &bars {
                    rect class=(class(cause)) x={ (format!("{begin:.3}")) "%" } width={ (format!("{width:.3}")) "%" }
                        height="28" {
                        title { (name(cause)) }
                    }
                    @if width >= LETTERED {
                        text x={ (format!("{:.3}", begin + width / 2.0)) "%" } y="19" text-anchor="middle" {
                            (sign(cause))
                        }
                    }
                }
            }
            table .sortable {
                caption { (caption) }
                thead {
                    tr {
                        th scope="col" { "cause" }
                        th .n scope="col" { "clocks" }
                        th .n scope="col" { "share" }
                    }
                }
                tbody { @for row in &rows { (row) } }
                tfoot {
                    tr {
                        th scope="row" { "total" }
                        td .n data-v=(total) { (number(total)) }
                        td .n { (summary::percent(total, total)) }
                    }
                }
            }
        }
    }
}
