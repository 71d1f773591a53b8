//! The text report of `--what-if`.

use super::super::ending::{CLOCK_LIMIT, stopped};
use super::super::header::title;
use super::super::lines as source_lines;
use super::super::lines::instruction_name;
use super::super::phrases::{counted, lines as sentence};
use super::super::printable::{cut, printable};
use super::super::summary::change;
use super::super::{Column, Detail, LEAST_TEXT, PADDING, Style, heading, paragraph, table};
use super::{Comparison, Figures, Place, Variant, is_foreign};
use p5_results::InstructionResult;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};

/// The maximum number of lines, unless all are shown. So few are shown whatever they change.
const LINES: usize = 20;
/// One in this many of them is an instruction without a line, if there is one.
const FOREIGN: usize = 4;
/// The width that figures leave to the text of lines, and the most columns of the name of such an instruction.
const TEXT: usize = 24;
const NAME: usize = 24;

/// A line has a row if a variant changes it by one part in this many of the program's clocks.
const LEAST_SHARE: u128 = 100;

#[derive(Clone)]
struct Rows<'a> {
    columns: Vec<(&'a str, Column)>,
    rows: Vec<Vec<String>>,
}

pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Comparison { run, base, .. } = comparison;
    title(run, style, out)?;
    let last = if run.runs.len() > 1 { "the last of " } else { "" };
    let runs = counted(run.runs.len() as u64, "run");
    // Macros of the program itself are part of it.
    let without = if run.library.is_some() {
        ", without measuring macros"
    } else {
        ""
    };
    let clocks = counted(base.clocks, "clock");
    sentence(&format!("{last}{runs}: {clocks}{without}"), style, out)?;
    if let Some(stopped) = stopped(&run.stop, &run.files, CLOCK_LIMIT, style) {
        sentence(&stopped, style, out)?;
    }
    variants(comparison, style, out)?;
    regions(comparison, style, out)?;
    lines(comparison, style, out)
}

/// Writes the clocks and savings of the whole program under each variant.
fn variants(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "What if", out)?;
    let base = &comparison.base;
    let shared = comparison.shared_reasons();
    let mut rows = vec![vec![
        "as it is".to_owned(),
        base.clocks.to_string(),
        String::new(),
        String::new(),
        comparison.run.cpu_title.to_owned(),
    ]];
    for one in &comparison.variants {
        let (name, supposes) = (one.variant.name().to_owned(), one.variant.supposes());
        rows.push(match &one.figures {
            Ok(figures) => {
                let mut words = supposes.to_owned();
                if figures.instructions != base.instructions {
                    words += &format!(
                        "; executes {}, not {}, so it does other work",
                        counted(figures.instructions, "instruction"),
                        base.instructions
                    );
                }
                if comparison.changes_code() && matches!(one.variant, Variant::Chip(_)) {
                    words += "; doubted, as it changes its code";
                }
                // Savings need no sign, and what takes longer saves nothing.
                let share = change(base.clocks, figures.saved);
                let share = match share.strip_prefix('-') {
                    Some(share) => format!("{share} more"),
                    None => share.strip_prefix('+').unwrap_or(&share).to_owned(),
                };
                vec![
                    name,
                    figures.clocks.to_string(),
                    figures.saved.to_string(),
                    share,
                    words,
                ]
            }
            Err(_) => {
                let none = || "-".to_owned();
                let words = match one.reason(base) {
                    Some(reason) if shared.iter().all(|(other, _)| *other != reason) => {
                        format!("{supposes}: {}", printable(&reason))
                    }
                    _ => supposes.to_owned(),
                };
                vec![name, none(), none(), String::new(), words]
            }
        });
    }
    let columns = &[
        ("variant", Column::Name),
        ("clocks", Column::Number),
        ("saved", Column::Number),
        ("", Column::Number),
        ("", Column::Text),
    ];
    table(style, columns, &rows, out)?;
    let mut words = "saved: clocks fewer than now; negative if more".to_owned();
    if let Some(combined) = comparison.combined() {
        let [single, together] = [combined.sum, combined.saved];
        let names = combined.names.join(", ");
        words += &if single == together {
            format!(". The savings of {names} add up: {single} clocks")
        } else {
            format!(
                ". {names} save {single} clocks one by one, but {together} in `{}`: savings do not add up, because a \
                 clock may be lost to two causes, and where one ends another may begin",
                combined.name
            )
        };
    }
    for (reason, names) in &shared {
        words += &format!(". Without figures: {}: {}", names.join(", "), printable(reason));
    }
    paragraph(style, &words, out)?;
    let doubts = comparison.doubts();
    doubts.iter().try_for_each(|doubt| paragraph(style, doubt, out))
}

impl Comparison<'_> {
    /// The reasons that several variants have for having no figures, in the order of the variants, each with their
    /// names.
    fn shared_reasons(&self) -> Vec<(String, Vec<&'static str>)> {
        let mut reasons: Vec<(String, Vec<&'static str>)> = Vec::new();
        for one in &self.variants {
            let Some(reason) = one.reason(&self.base) else { continue };
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, names)) => names.push(one.variant.name()),
                None => reasons.push((reason, vec![one.variant.name()])),
            }
        }
        reasons.retain(|(_, names)| names.len() > 1);
        reasons
    }

    /// The variants that change something in one of `rows`, each with its savings.
    fn columns<'c>(
        &'c self,
        rows: usize,
        saved: impl Fn(&'c Figures, usize) -> Option<i64>,
    ) -> Vec<(&'static str, Vec<String>)> {
        let known = self
            .variants
            .iter()
            .filter_map(|one| Some((one.variant.name(), one.figures.as_ref().ok()?)));
        known
            .filter_map(|(name, figures)| {
                let cells: Vec<Option<i64>> = (0..rows).map(|row| saved(figures, row)).collect();
                let differs = cells.iter().any(|cell| cell.is_some_and(|saved| saved != 0));
                let told = |cell: &Option<i64>| cell.map_or_else(|| "-".to_owned(), |saved| saved.to_string());
                differs.then(|| (name, cells.iter().map(told).collect()))
            })
            .collect()
    }

    /// The variants with figures but without a column.
    fn others(&self, columns: &[(&'static str, Vec<String>)]) -> Vec<&'static str> {
        let known = self.variants.iter().filter(|one| one.figures.is_ok());
        let names = known.map(|one| one.variant.name());
        names
            .filter(|name| columns.iter().all(|(column, _)| column != name))
            .collect()
    }
}

/// Writes rows that begin with the cells of `first`, followed by the savings of the variants and, if there is room,
/// `texts`, in as many tables as the width requires.
fn tables(
    first: &Rows,
    columns: &[(&'static str, Vec<String>)],
    texts: &[String],
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut left = columns;
    loop {
        let mut rows = first.clone();
        while let Some(((name, cells), others)) = left.split_first() {
            let mut more = rows.clone();
            more.columns.push((name, Column::Number));
            for (row, cell) in more.rows.iter_mut().zip(cells) {
                row.push(cell.clone());
            }
            let text = if texts.is_empty() { 0 } else { TEXT };
            if width(&more) + text > style.width && rows.columns.len() > first.columns.len() {
                break;
            }
            (rows, left) = (more, others);
        }
        let room = style.width.saturating_sub(width(&rows) + PADDING);
        if room >= LEAST_TEXT && !texts.is_empty() {
            rows.columns.push(("", Column::Name));
            for (row, text) in rows.rows.iter_mut().zip(texts) {
                row.push(cut(text, room));
            }
        }
        table(style, &rows.columns, &rows.rows, out)?;
        if left.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
    }
}

/// Writes the clocks of each region and its savings under each variant.
fn regions(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Comparison { run, base, .. } = comparison;
    if run.regions.is_empty() {
        return Ok(());
    }
    heading(style, "Clocks saved by region", out)?;
    let columns = comparison.columns(run.regions.len(), |figures, row| figures.regions[row]);
    let rows = run.regions.iter().zip(&base.regions).map(|(region, clocks)| {
        vec![
            printable(&region.name),
            format!("{}-{}", region.start_line, region.end_line),
            clocks.map_or_else(|| "-".to_owned(), |clocks| clocks.to_string()),
        ]
    });
    let rows = Rows {
        columns: vec![
            ("region", Column::Name),
            ("lines", Column::Name),
            ("clocks", Column::Number),
        ],
        rows: rows.collect(),
    };
    tables(&rows, &columns, &[], style, out)?;
    unchanged(comparison, &columns, ": no region takes other clocks", style, out)
}

/// Names the variants that change nothing `anywhere`.
fn unchanged(
    comparison: &Comparison,
    columns: &[(&'static str, Vec<String>)],
    anywhere: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let others = comparison.others(columns);
    if others.is_empty() {
        return Ok(());
    }
    paragraph(style, &format!("{}{anywhere}", others.join(", ")), out)
}

/// Writes the lines whose clocks differ in a variant.
fn lines(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Clocks saved by line", out)?;
    let places = comparison.differing_lines();
    let changed = |difference: u64| u128::from(difference) * LEAST_SHARE >= u128::from(comparison.base.clocks);
    let all = style.detail == Detail::All || places.len() <= LINES;
    let most = if style.detail == Detail::All { usize::MAX } else { LINES };
    let matters = |&&(_, difference): &&(&Place, u64)| all || changed(difference);
    let of = |is: bool| {
        places
            .iter()
            .filter(matters)
            .filter(move |(place, _)| is_foreign(place) == is)
    };
    // Foreign ones come last.
    let own = of(false).count().min(most - (most / FOREIGN).min(of(true).count()));
    let shown: Vec<&Place> = of(false)
        .take(own)
        .chain(of(true).take(most - own))
        .map(|&(place, _)| place)
        .collect();
    let left = places
        .iter()
        .map(|&(place, _)| place)
        .filter(|place| !shown.contains(place));
    let left: Vec<&Place> = left.collect();
    // The sum of the lines left out is a row, so that each column has all that its variant saves.
    let groups: Vec<&[&Place]> = shown
        .chunks(1)
        .chain((!left.is_empty()).then_some(left.as_slice()))
        .collect();
    let mut columns = comparison.columns(groups.len(), |figures, row| {
        let saved = groups[row].iter().filter_map(|place| figures.lines.get(*place));
        Some(saved.sum())
    });
    // What the lines are ordered by comes first.
    let together = comparison.combined().map(|combined| combined.name);
    columns.sort_by_key(|(name, _)| Some(*name) != together);
    let main = comparison.run.files.first().map(|file| file.name.as_str());
    // Where lines of several files stand, each says which, as among the hottest lines.
    let files: BTreeSet<&str> = places
        .iter()
        .map(|(place, _)| place)
        .filter(|place| place.1 > 0)
        .map(|place| place.0.as_str())
        .collect();
    let alone = files.len() == 1;
    let instructions = comparison.run.instructions.iter();
    let by_address: HashMap<u32, &InstructionResult> = instructions.map(|one| (one.address, one)).collect();
    let rows = shown.iter().map(|place| {
        let (file, line, address) = place;
        let name = match line {
            0 if *address == 0 => "-".to_owned(),
            0 => match by_address.get(address) {
                Some(instruction) => short(&instruction_name(comparison.run, instruction)),
                None => format!("{address:08X}h"),
            },
            _ if alone && main == Some(file) => line.to_string(),
            _ => format!("{}:{line}", printable(file)),
        };
        vec![name, comparison.line(place).0.to_string()]
    });
    let others = (!left.is_empty()).then(|| {
        let clocks: u64 = left.iter().map(|place| comparison.line(place).0).sum();
        vec!["others".to_owned(), clocks.to_string()]
    });
    let rows = Rows {
        columns: vec![("line", Column::Number), ("clocks", Column::Number)],
        rows: rows.chain(others).collect(),
    };
    let text = |place: &&Place| printable(comparison.line(place).1.trim());
    let mut texts: Vec<String> = shown.iter().map(text).collect();
    if !left.is_empty() {
        texts.push(counted(left.len() as u64, "line"));
    }
    if !groups.is_empty() {
        tables(&rows, &columns, &texts, style, out)?;
    }
    if !left.is_empty() {
        let below = left.len() == places.iter().filter(|place| !matters(place)).count();
        let why = if below {
            ", each of which no variant changes by 1% of all clocks"
        } else {
            ""
        };
        paragraph(
            style,
            &format!("others: the lines left out{why}; `--all` shows them"),
            out,
        )?;
    }
    met_entries(comparison, &shown, style, out)?;
    unchanged(
        comparison,
        &columns,
        ": none of these lines takes other clocks",
        style,
        out,
    )
}

/// The name of an instruction, whose distance from the beginning of its function is kept.
fn short(name: &str) -> String {
    match name.rsplit_once('+') {
        Some((name, distance)) => format!("{}+{distance}", cut(name, NAME.saturating_sub(distance.len() + 1))),
        None => cut(name, NAME),
    }
}

/// Names the lines that lose clocks to a misprediction without containing a branch.
fn met_entries(comparison: &Comparison, shown: &[&Place], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = source_lines::rows(comparison.run).into_iter();
    let met = rows.filter(|row| {
        let is_shown = |place: &&&Place| (place.0.as_str(), place.1) == (row.file, row.line);
        row.line > 0 && row.sum.met_entry() && shown.iter().any(|place| is_shown(&place))
    });
    let numbers: Vec<String> = met.map(|row| row.line.to_string()).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let words = format!(
        "mispredicted without a branch: line {}; it met the branch's entry (`p5inst explain entry met by another`)",
        numbers.join(", ")
    );
    paragraph(style, &words, out)
}

fn width(rows: &Rows) -> usize {
    let of_column = |(index, (name, _)): (usize, &(&str, Column))| {
        let cells = rows.rows.iter().map(|row| row[index].chars().count());
        cells.chain([name.chars().count()]).max().unwrap_or(0) + PADDING
    };
    rows.columns.iter().enumerate().map(of_column).sum()
}
