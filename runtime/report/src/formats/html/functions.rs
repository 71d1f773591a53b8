//! The clocks by function, the most first.

use super::{columns, figure, name, text, title};
use crate::callees::why_untold;
use crate::functions::{Part, inlining, parts};
use crate::lines;
use crate::{Detail, summary};
use maud::{Markup, html};
use p5_results::Run;

const COLUMNS: &[(&str, bool)] = &[
    ("function", false),
    ("line", false),
    ("share", true),
    ("clocks", true),
    ("with callees", true),
    ("per call", true),
    ("times", true),
    ("executions", true),
    ("in U", true),
    ("in V", true),
];
/// The maximum number of rows.
const ROWS: usize = 300;

/// The section; `None` for a program of one function.
pub(super) fn section(run: &Run) -> Option<Markup> {
    let parts = parts(run, Detail::Short);
    if parts.len() < 2 {
        return None;
    }
    let all: u64 = parts.iter().map(|part| part.sum.cycles).sum();
    let left_out = parts.len().saturating_sub(ROWS);
    Some(html! {
        (title("functions", "Functions"))
        p {
            "What the tools that made the program call functions, and labels that are called. Their clocks are without "
            "those of what they call, which the column beside them has as well, and of what the compiler inlined into "
            "them."
        }
        div .scroll tabindex="0" role="region" aria-label="Functions" {
            table .sortable {
                caption { "Clocks by function" }
                (columns(COLUMNS))
                tbody { @for part in parts.iter().take(ROWS) { (row(run, part, all)) } }
            }
        }
        @if parts.iter().all(|part| part.with_callees.is_none()) {
            p .note { (why_untold(run)) }
        }
        @if left_out > 0 { p .note { (left_out) " further functions, with fewer clocks, are left out." } }
    })
}

/// The clocks of a call.
fn each(part: &Part) -> Markup {
    let whole = part.with_callees.and_then(|whole| Some((whole, whole.each()?)));
    html! {
        @match whole {
            Some((whole, each)) => td .n data-v=(format!("{:.3}", whole.clocks as f64 / whole.calls as f64)) { (each) },
            None => td .n { span .none { "-" } },
        }
    }
}

fn row(run: &Run, part: &Part, all: u64) -> Markup {
    let place = part
        .place
        .and_then(|(file, line)| Some((lines::file_name(run, file)?, line)));
    html! {
        tr {
            th scope="row" {
                @match part.name {
                    Some(function) => { code { (name(function)) } (inlining(part, false)) },
                    None => span .none { "code outside of functions" },
                }
            }
            td {
                @match place {
                    Some((file, line)) => { (text(file)) ":" (line) },
                    None => span .none { "-" },
                }
            }
            td .n data-v=(part.sum.cycles) { (summary::percent(part.sum.cycles, all)) }
            (figure(Some(part.sum.cycles.into())))
            (figure(part.with_callees.map(|whole| whole.clocks.into())))
            (each(part))
            (figure(part.times.map(Into::into)))
            (figure(Some(part.sum.executions.into())))
            (figure(Some(part.sum.u.into())))
            (figure(Some(part.sum.v.into())))
        }
    }
}
