//! `p5inst explain` with the name of an instruction: its timing rows, and the topics that speak of it.

use super::explain::{Kind, Topic, topics_with_words, words};
use super::timings::write_timings;
use super::{Format, Style, paragraph};
use p5_chips::{Class, Row};
use std::io::{self, Write};

/// The most topics that are named.
const MOST: usize = 8;

/// The names of the topics among `all` that speak of the instruction that is called `wanted` and has these rows: those
/// whose rules name it, in capitals as instructions are written there, that of the way it pairs, and those that have
/// its name as a word of English.
fn topics_about<'a>(all: &'a [Topic], wanted: &str, rows: &[&'static Row]) -> Vec<&'a str> {
    let written = wanted.to_ascii_uppercase();
    let names = |topic: &&Topic| {
        let of_rule = !matches!(topic.kind, Kind::Event | Kind::DerivedEvent | Kind::Chip);
        of_rule && words(&written).iter().any(|name| words(&topic.rule).contains(name))
    };
    let classes = rows.iter().map(|row| match row.class {
        Class::Np => "not pairable",
        Class::Pv => "pairs only in v",
        Class::Fx => "pairs only with fxch",
        Class::Packed(_) => "mmx",
        Class::Uv | Class::Pu => "pairing",
    });
    let repeats = rows.iter().any(|row| row.form.starts_with("REP"));
    let early = rows.iter().any(|row| row.early.is_some());
    let of_row = [
        early.then_some("early_writes"),
        repeats.then_some("rep_zero"),
        Some("execution"),
    ];
    let of_row = classes.chain(of_row.into_iter().flatten());
    let of_row = of_row.filter_map(|name| all.iter().find(|topic| topic.name == name));
    let of_row = of_row.map(|topic| topic.name.as_str());
    let named = all.iter().filter(names).map(|topic| topic.name.as_str());
    let mut about: Vec<&str> = Vec::new();
    for name in of_row.chain(topics_with_words(all, wanted)).chain(named) {
        if !about.contains(&name) {
            about.push(name);
        }
    }
    about.truncate(MOST);
    about
}

/// Writes the timing rows of the instruction that is called `wanted`, and which of the topics `all` speak of it, as
/// text.
///
/// # Errors
/// Only what `out` itself reports.
pub fn write_instruction(
    all: &[Topic],
    wanted: &str,
    rows: &[&'static Row],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    write_timings(Format::Text, rows, style, out)?;
    let about = topics_about(all, wanted, rows).join(", ");
    paragraph(style, &format!("Topics of `p5inst explain` about it: {about}"), out)
}
