//! The events of the last run with their selectors, and the unavailable events with the reason.

use super::{figure, title};
use crate::event_list::selector;
use maud::{Markup, html};
use p5_results::{EventCount, Run};

pub(super) fn section(run: &Run) -> Markup {
    html! {
        (title("events", "Events"))
        @if run.own.events.is_empty() {
            p { "This chip has no event counters." }
        } @else {
            div .scroll tabindex="0" role="region" aria-label="Events" {
                table .sortable {
                    caption { "Events of the program in the last run, by the selector that counts them" }
                    thead {
                        tr {
                            th scope="col" { "code" }
                            th scope="col" { "event" }
                            th .n scope="col" { "occurrences" }
                            th .n scope="col" { "clocks" }
                        }
                    }
                    tbody { @for count in &run.own.events { (row(count)) } }
                }
            }
        }
    }
}

fn row(count: &EventCount) -> Markup {
    let quiet = count.unavailable.is_none() && count.occurrences == 0 && count.clocks == 0;
    html! {
        tr .idle[quiet] {
            th scope="row" data-v=(count.selector) { (selector(count.selector, count.counter)) }
            td { code { (count.event.name()) } " " span .kind { (count.event.row().title) } }
            @match count.unavailable {
                None => {
                    (figure(Some(count.occurrences.into())))
                    (figure(Some(count.clocks.into())))
                }
                Some(why) => td colspan="2" .unavailable { "not available: " (why) },
            }
        }
    }
}
