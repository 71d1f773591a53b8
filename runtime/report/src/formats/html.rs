//! The run as one self-contained page of HTML: the regions, U and V clock by clock, the clocks by cause, the listing,
//! the cache sets, the events, and the rules that explain them.
//!
//! The page is complete without its script, which sorts, filters, shows rules beside the text that they explain, and
//! switches between light and dark. Its size is bounded by [`LARGEST`](crate::page::LARGEST) bytes for every program:
//! each table has a maximum number of rows and each cell a maximum number of characters, and the page says what it
//! leaves out.

mod caches;
mod events;
mod functions;
mod head;
mod lanes;
mod listing;
mod passes;
mod regions;
mod rules;
mod stacks;
mod state;

use crate::Style;
use crate::page::page as framed;
use crate::printable::{cut, printable};
use maud::{Markup, html};
use p5_results::Run;
use rules::Rules;
use std::io::{self, Write};

/// The maximum length in characters of a cell, such as a source line or a reason, and of a name or an instruction.
const LONGEST: usize = 120;
/// The most characters of a sentence.
const LONGEST_SENTENCE: usize = 2_000;
const LONGEST_NAME: usize = 60;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(run).into_string().as_bytes())
}

fn page(run: &Run) -> Markup {
    let mut rules = Rules::of(run);
    let (listing, places) = listing::section(run, &mut rules);
    let functions = functions::section(run).map(|functions| ("functions", "Functions", functions));
    let sections = [
        ("regions", "Regions", regions::section(run)),
        ("pipeline", "U and V", passes::section(run, &places, &mut rules)),
        ("clocks", "Clocks", stacks::section(run, &mut rules)),
        ("listing", "Listing", listing),
        ("state", "State", state::section(run)),
        ("caches", "Caches", caches::section(run)),
        ("events", "Events", events::section(run)),
    ];
    let last = [
        ("rules", "Rules", rules.section()),
        ("model", "Model", head::model(run)),
    ];
    let sections = || {
        sections[..1]
            .iter()
            .chain(&functions)
            .chain(&sections[1..])
            .chain(&last)
    };
    let body = html! {
        a .skip href="#main" { "Skip to the figures" }
        (head::header(run))
        nav aria-label="Sections" {
            ul {
                @for (id, name, _) in sections() {
                    li { a href={ "#" (id) } { (name) } }
                }
            }
        }
        main id="main" tabindex="-1" {
            @for (id, _, section) in sections() {
                section id=(id) aria-labelledby={ (id) "-title" } { (section) }
            }
        }
        footer {
            p {
                "Written by p5inst " (env!("CARGO_PKG_VERSION")) ". The page loads nothing; "
                code { "--format json --all" } " has every figure of it for programs."
            }
        }
        div id="tip" role="tooltip" hidden="" {}
    };
    framed(&format!("{} - p5inst", text(&run.program)), STYLE, Some(SCRIPT), &body)
}

fn title(id: &str, words: &str) -> Markup {
    html! { h2 id={ (id) "-title" } { (words) } }
}

/// Text of the program or its source, made safe for display: it contains no control or reordering characters, and at
/// most [`LONGEST`] characters.
fn text(untrusted: &str) -> String {
    cut(&printable(untrusted), LONGEST)
}

/// A sentence of our own with parts of the program, made safe in the same way.
fn sentence(words: &str) -> String {
    cut(&printable(words), LONGEST_SENTENCE)
}

/// A name or an instruction, made safe in the same way.
fn name(untrusted: &str) -> String {
    cut(&printable(untrusted), LONGEST_NAME)
}

/// Text of our own, in which grave accents enclose code.
fn said(words: &str) -> Markup {
    html! {
        @for (index, part) in words.split('`').enumerate() {
            @if index % 2 == 0 { (part) } @else { code { (part) } }
        }
    }
}

/// A number, with its thousands separated if it is long.
fn number(value: impl Into<i128>) -> String {
    let digits = value.into().to_string();
    let (sign, digits) = digits.split_at(usize::from(digits.starts_with('-')));
    let mut result = sign.to_owned();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) && digits.len() > 4 {
            result.push(',');
        }
        result.push(digit);
    }
    result
}

/// The head row of a table: the name of each column, and whether the column holds numbers.
fn columns(names: &[(&str, bool)]) -> Markup {
    html! {
        thead {
            tr {
                @for &(name, numbers) in names {
                    @if numbers { th .n scope="col" { (name) } } @else { th scope="col" { (name) } }
                }
            }
        }
    }
}

/// A cell with a number, by which the script sorts.
fn figure(value: Option<i128>) -> Markup {
    html! {
        @match value {
            Some(value) => td .n data-v=(value) { (number(value)) },
            None => td .n { span .none { "-" } },
        }
    }
}

#[cfg(test)]
mod tests;
