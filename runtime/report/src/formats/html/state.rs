//! The final state: the registers and the data that the last run changed, in the words of the text report.

use super::{text, title};
use crate::Detail;
use crate::state::Changed;
use maud::{Markup, html};
use p5_results::Run;

const SYMBOLS: usize = 300;
/// The width of a line about the floating-point unit, in columns.
const WIDTH: usize = 76;

pub(super) fn section(run: &Run) -> Markup {
    let changed = Changed::of(run, Detail::Long, WIDTH);
    html! {
        (title("state", "Final state: what the last run changed"))
        @if changed.is_empty() {
            p { "It changed no register and no data." }
        }
        @if !changed.registers.is_empty() {
            ul .state {
                @for register in &changed.registers { li { code { (register) } } }
            }
        }
        @if !changed.floating.is_empty() {
            pre tabindex="0" {
                @for line in &changed.floating { (text(line)) "\n" }
            }
        }
        @if let Some(screen) = &changed.screen {
            p { (text(screen)) }
        }
        @if !changed.other_memory.is_empty() {
            ul .state {
                @for range in changed.other_memory.iter().take(SYMBOLS) { li { code { (text(range)) } } }
            }
        }
        @if changed.other_memory.len() > SYMBOLS {
            p .note { (SYMBOLS) " of " (changed.other_memory.len()) " ranges of memory without a name are listed." }
        }
        @if !changed.symbols.is_empty() {
            ul .state {
                @for symbol in changed.symbols.iter().take(SYMBOLS) { li { code { (text(symbol)) } } }
            }
        }
        @if changed.symbols.len() > SYMBOLS {
            p .note { (SYMBOLS) " of " (changed.symbols.len()) " changed symbols are listed." }
        }
    }
}
