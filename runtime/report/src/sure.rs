//! The certainty of clocks: their range under other answers to open questions, and their part from doubted rows of the
//! timing table.
//!
//! A figure under other answers is from a whole run, and the range is from the least to the greatest of these. If the
//! doubt of a row is a question that was tried, the range includes it; for every other doubted row, the clocks that it
//! gives its instructions are counted, whatever else these wait for. Of code that the program changed, all clocks
//! of its lines are.

use super::ending::{CLOCK_LIMIT, ended};
use super::lines::{self, Sum};
use super::phrases::{counted, lines as sentence};
use super::{Detail, Style, printable, summary};
use p5_chips::{Choice, Doubt};
use p5_results::{Answered, Note, RegionResult, Run, Stop, Untried, Variant};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

/// The certainty of a figure of clocks, its bar: its range under other answers, and its clocks from doubted rows.
pub(super) struct Bar<'a> {
    pub(super) clocks: u64,
    /// The figure under other answers; without those under which it does not exist.
    pub(super) under: Vec<(&'a Variant, u64)>,
    /// Its clocks from doubted rows, most first, without doubts that were tried as open questions.
    pub(super) doubted: Vec<(Doubt, u64)>,
    /// Whether `doubted` is complete: a pass may be longer than its trace.
    pub(super) all_doubted: bool,
    /// The most clocks from doubted rows that it can have if `doubted` is not complete.
    pub(super) most_doubted: u64,
}

impl<'a> Bar<'a> {
    fn of(run: &'a Run, clocks: u64, doubts: &[(Doubt, u64)], of: impl Fn(&Answered) -> Option<u64>) -> Bar<'a> {
        let known = run.answers.variants.iter();
        let known = known.filter_map(|variant| Some((variant, of(variant.figures.as_ref().ok()?)?)));
        let all = doubts.iter().copied().filter(|(_, clocks)| *clocks > 0);
        let was_tried = |doubt: &Doubt| doubt.question.is_some_and(|name| run.answers.tried.contains(&name));
        let mut doubted: Vec<_> = all.filter(|(doubt, _)| !was_tried(doubt)).collect();
        doubted.sort_by_key(|&(doubt, clocks)| (std::cmp::Reverse(clocks), doubt.form));
        Bar {
            clocks,
            under: known.collect(),
            most_doubted: doubted.iter().map(|(_, clocks)| clocks).sum(),
            doubted,
            all_doubted: true,
        }
    }

    /// The least and the greatest of the figure itself and the figures under the answers that were tried.
    pub(super) fn range(&self) -> (u64, u64) {
        let all = || self.under.iter().map(|&(_, clocks)| clocks).chain([self.clocks]);
        (all().min().unwrap_or(self.clocks), all().max().unwrap_or(self.clocks))
    }

    pub(super) fn others(&self) -> impl Iterator<Item = (&'a Variant, u64)> {
        self.under.iter().copied().filter(|&(_, clocks)| clocks != self.clocks)
    }

    /// The questions on which it depends: those that change it alone or beside others.
    pub(super) fn questions(&self) -> Vec<&'static str> {
        questions(&self.under, self.clocks)
    }

    pub(super) fn doubted_clocks(&self) -> u64 {
        self.doubted.iter().map(|(_, clocks)| clocks).sum()
    }

    /// Whether every answer that was tried gives the same figure, and no doubted row has a part in it.
    pub(super) fn is_sure(&self) -> bool {
        self.others().next().is_none() && self.doubted.is_empty() && self.all_doubted
    }

    /// Its certainty in words, in one line of `columns` if the names fit; nothing if it is sure.
    pub(super) fn line(&self, columns: usize) -> Option<String> {
        let (least, most) = self.range();
        let names = self.questions();
        let range = range_words(least, most, &names);
        let forms: Vec<&str> = self.doubted.iter().map(|(doubt, _)| doubt.form).collect();
        let (known, most) = (self.doubted_clocks(), self.most_doubted);
        let clocks = if known < most {
            format!("{known} to {}", counted(most, "clock"))
        } else {
            counted(most, "clock")
        };
        let rest = if most == 1 { "rests" } else { "rest" };
        let rows = match forms.len() {
            0 => "instruction timings".to_owned(),
            number => counted(number as u64, "instruction timing"),
        };
        let come = if most == 1 { "comes" } else { "come" };
        let doubts = [
            format!("{clocks} {rest} on doubted {}", forms.join(", ")),
            format!("{clocks} {come} from {rows} in doubt"),
        ];
        // The longest form that fits says most; a single row has a name in any case.
        let brief = |[long, short]: [String; 2]| {
            if forms.len() == 1 || !forms.is_empty() && long.chars().count() <= columns {
                long
            } else {
                short
            }
        };
        match (names.is_empty(), most == 0) {
            (true, true) => None,
            (false, true) => Some(range),
            (true, false) => Some(brief(doubts)),
            (false, false) => Some(brief(doubts.map(|doubt| format!("{range}; {doubt}")))),
        }
    }
}

/// The questions on which a figure depends that is `own` in the run itself: those whose answer changes it, alone or
/// beside the other answers of a variant. If no two of the variants differ in one answer, all of those that change it.
fn questions<T: PartialEq + Copy>(known: &[(&Variant, T)], own: T) -> Vec<&'static str> {
    let without = |variant: &Variant, left: &Choice| {
        if variant.choices.len() == 1 {
            return Some(own);
        }
        let rest = || variant.choices.iter().filter(|choice| *choice != left);
        let found = known.iter().find(|(other, _)| other.choices.iter().eq(rest()));
        found.map(|&(_, figure)| figure)
    };
    let named = |changes: &dyn Fn(&Variant, T, &Choice) -> bool| {
        let mut names: Vec<&'static str> = Vec::new();
        for (variant, figure) in known {
            for choice in variant
                .choices
                .iter()
                .filter(|choice| changes(variant, *figure, choice))
            {
                if !names.contains(&choice.assumption.name) {
                    names.push(choice.assumption.name);
                }
            }
        }
        names
    };
    let names = named(&|variant, figure, choice| without(variant, choice).is_some_and(|rest| rest != figure));
    if names.is_empty() {
        return named(&|_, figure, _| figure != own);
    }
    names
}

fn range_words(least: impl Display, most: impl Display, names: &[&str]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    format!("or {least} to {most} under open question{plural} {}", names.join(", "))
}

/// The range of a count of events, or of cold clocks, under the answers that were tried.
pub(super) struct FigureRange {
    /// The least figure, of this run and under each answer.
    pub(super) least: i64,
    /// The greatest such figure.
    pub(super) most: i64,
    pub(super) questions: Vec<&'static str>,
}

impl FigureRange {
    /// The range of a figure: `own` is its value in this run, and `of` returns it for a run under other answers.
    fn of(run: &Run, own: i64, of: impl Fn(&Answered) -> Option<i64>) -> FigureRange {
        let known = run.answers.variants.iter();
        let known = known.filter_map(|variant| Some((variant, of(variant.figures.as_ref().ok()?)?)));
        let known: Vec<(&Variant, i64)> = known.collect();
        let all = || known.iter().map(|&(_, figure)| figure).chain([own]);
        FigureRange {
            least: all().min().unwrap_or(own),
            most: all().max().unwrap_or(own),
            questions: questions(&known, own),
        }
    }

    /// The range in words; nothing if every answer gives the same figure.
    pub(super) fn words(&self) -> Option<String> {
        let FigureRange { least, most, questions } = self;
        (least < most).then(|| range_words(least, most, questions))
    }
}

/// The range of a region's count of the event of counter `figure`; nothing if it was never passed, or counts clocks.
pub(super) fn count(run: &Run, index: usize, figure: usize) -> Option<FigureRange> {
    let own = counts(run, run.regions.get(index)?)?[figure];
    Some(FigureRange::of(run, own, |other| {
        Some(other.counts.get(index)?.as_ref()?[figure])
    }))
}

/// The range of the program's clocks in the first of several runs.
pub(super) fn cold(run: &Run) -> Option<FigureRange> {
    let [first, _, ..] = &run.runs[..] else { return None };
    let own = first.own.cycles as i64;
    Some(FigureRange::of(run, own, |other| Some(other.cold as i64)))
}

/// The range of the clocks of a region's first pass, if it has warm ones.
pub(super) fn cold_region(run: &Run, index: usize) -> Option<FigureRange> {
    let summary = summary::region(run, run.regions.get(index)?);
    let own = summary.warm.as_ref().and(summary.cold)?.cycles as i64;
    Some(FigureRange::of(run, own, |other| {
        Some((*other.cold_regions.get(index)?)? as i64)
    }))
}

/// Writes the range of a cold figure, if there is one.
pub(super) fn write_cold(range: Option<FigureRange>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let words = range
        .filter(|_| style.detail > Detail::Short)
        .and_then(|range| range.words());
    let columns = style.width.saturating_sub(2);
    let folded = words.map(|words| printable::folded(&format!("cold {words}"), columns));
    let mut lines = folded.into_iter().flatten();
    lines.try_for_each(|line| writeln!(out, "  {line}"))
}

/// The counts of the events of a region, as reports show them; nothing if it counts clocks.
fn counts(run: &Run, region: &RegionResult) -> Option<[i64; 2]> {
    let truth = summary::region(run, region).shown().truth?;
    (summary::figures(region.kind) == 2).then_some(truth)
}

/// The certainty of the clocks of the user's program in the last run.
pub(super) fn program(run: &Run) -> Bar<'_> {
    let own: Vec<_> = lines::entries(run)
        .filter(|&entry| !lines::in_library(run, entry))
        .collect();
    let mut sum = Sum::of_entries(run, &own);
    let pairs = own.iter().map(|&entry| changed_in_v(run, entry)).sum();
    if pairs > 0 {
        sum.doubt(lines::CHANGED_CODE, pairs);
    }
    let mut left = run.own.totals.cycles;
    for (_, clocks) in &mut sum.doubts {
        *clocks = left.min(*clocks);
        left -= *clocks;
    }
    Bar::of(run, run.own.totals.cycles, &sum.doubts, |other| Some(other.clocks))
}

/// The certainty of the clocks of a region; nothing if it was never passed.
pub(super) fn region(run: &Run, index: usize) -> Option<Bar<'_>> {
    let region = run.regions.get(index)?;
    let clocks = summary::region(run, region).clocks()?;
    let doubts = of_pass(run, region);
    let mut bar = Bar::of(run, clocks, &doubts, |other| *other.regions.get(index)?);
    let changes = run.instructions.iter().any(|one| one.changed);
    let whole = !region.trace.cut || region.beyond.is_some() && !changes;
    bar.all_doubted = !region.trace.issued.is_empty() && whole;
    if !bar.all_doubted {
        // The run has executed the pass with all that its trace lacks.
        bar.most_doubted = program(run).doubted_clocks().min(clocks).max(bar.most_doubted);
    }
    Some(bar)
}

pub(super) fn line<'a>(run: &'a Run, row: &lines::Row) -> Bar<'a> {
    // A line that is not executed there takes no clocks.
    Bar::of(run, row.sum.cycles, &row.sum.doubts, |other| {
        Some(other.lines.get(&row.place).copied().unwrap_or(0))
    })
}

/// The clocks from doubted rows in the traced pass of a region: by its trace, and beyond it by their sums.
fn of_pass(run: &Run, region: &RegionResult) -> Vec<(Doubt, u64)> {
    let mut doubts = region.beyond.as_ref().map_or(vec![], |beyond| beyond.doubts.clone());
    let traced = region.beyond.as_ref().map_or(usize::MAX, |beyond| beyond.at);
    // The clocks that the first instruction after the pass waits are part of it.
    let after = region.trace.after.map_or(0, |(late, _)| late);
    let groups = region.trace.issued.chunk_by(|_, next| next.cycles == 0);
    let numbered = groups.scan(0, |at, group| {
        let begin = *at;
        *at += group.len();
        Some((begin, group))
    });
    let mut groups = numbered.peekable();
    while let Some((_, group)) = groups.next_if(|(begin, _)| *begin < traced) {
        let late = groups.peek().map_or(after, |(_, next)| next[0].late);
        let mut instructions = group
            .iter()
            .filter_map(|one| run.instructions.get(one.instruction as usize));
        let Some(doubt) = instructions.find_map(|one| one.doubt.filter(|_| !one.changed)) else {
            continue;
        };
        let taken = u64::from(group[0].cycles.saturating_sub(late));
        let clocks = taken.saturating_sub(group[0].longer.into());
        match doubts.iter_mut().find(|(known, _)| *known == doubt) {
            Some((_, sum)) => *sum += clocks,
            None => doubts.push((doubt, clocks)),
        }
    }
    let changed = of_changed(run, region);
    doubts.extend((changed > 0).then_some((lines::CHANGED_CODE, changed)));
    doubts
}

/// The clocks of pairs with changed code that are counted for their instruction in U, which was not changed: one at
/// least for each execution of the instruction of this entry in V.
fn changed_in_v(run: &Run, entry: usize) -> u64 {
    let of = |entry: usize| run.instructions.get(entry);
    // The first execution after a change, which alone is doubted, has no partner.
    let Some(one) = of(entry).filter(|one| one.changed && one.removals == 0) else {
        return 0;
    };
    let before = entry.checked_sub(1).and_then(of);
    let in_u =
        before.is_some_and(|before| before.changed && before.address.wrapping_add(before.length.into()) == one.address);
    if in_u { 0 } else { one.v }
}

/// The clocks of changed code in the traced pass of a region: those that it has in the run, by the share of its
/// executions that the pass has.
fn of_changed(run: &Run, region: &RegionResult) -> u64 {
    let mut executed: BTreeMap<u32, u64> = BTreeMap::new();
    for one in region.trace.issued.iter().filter(|one| !one.delivery) {
        if run
            .instructions
            .get(one.instruction as usize)
            .is_some_and(|of| of.changed)
        {
            *executed.entry(one.instruction).or_default() += 1;
        }
    }
    let clocks = executed.into_iter().map(|(entry, times)| {
        let of = &run.instructions[entry as usize];
        let clocks = lines::doubted_clocks(of) + changed_in_v(run, entry as usize);
        (u128::from(clocks) * u128::from(times) / u128::from((of.u + of.v).max(times))) as u64
    });
    clocks.sum()
}

/// The figures of a run that are kept for comparison under other answers.
pub fn answered(run: &Run) -> Answered {
    let regions = run.regions.iter().map(|region| summary::region(run, region).clocks());
    let cold = run.regions.iter();
    let cold = cold.map(|region| Some(summary::region(run, region).cold?.cycles));
    let rows = lines::rows(run).into_iter();
    Answered {
        clocks: run.own.totals.cycles,
        instructions: run.own.totals.instructions,
        regions: regions.collect(),
        cold: run.runs.first().map_or(0, |first| first.own.cycles),
        cold_regions: cold.collect(),
        lines: rows.map(|row| (row.place, row.sum.cycles)).collect(),
        counts: run.regions.iter().map(|region| counts(run, region)).collect(),
    }
}

/// The figures of `other` that are kept: a run under other answers, while the original ends with `stop`.
///
/// # Errors
/// The end of `other`, in words, if it is another one.
pub fn compared(stop: &Stop, other: &Run) -> Result<Answered, String> {
    if (stop.reason, stop.code) != (other.stop.reason, other.stop.code) {
        return Err(ended(&other.stop, &other.files, CLOCK_LIMIT));
    }
    Ok(answered(other))
}

/// The answers of a variant, as `--assume` takes them.
pub(super) fn choices(variant: &Variant) -> String {
    let each = variant
        .choices
        .iter()
        .map(|choice| format!("{}={}", choice.assumption.name, choice.answer.value));
    each.collect::<Vec<_>>().join(", ")
}

/// Why a question that the run touches was not tried, in words; nothing if it was.
pub(super) fn why_untried(run: &Run, name: &str) -> Option<String> {
    let answers = &run.answers;
    if answers.chosen.contains(&name) {
        return Some("the user chose its answer".to_owned());
    }
    (!answers.tried.contains(&name)).then(|| match answers.untried {
        Some(Untried::Long { most }) => {
            format!("the runs have more than {most} clocks, and `--sure` was not given")
        }
        Some(Untried::OutOfTime) => "no time was left of `--timeout`".to_owned(),
        Some(Untried::Unfinished) => "the run was stopped before its end".to_owned(),
        None => "nobody asked for it".to_owned(),
    })
}

/// The open questions that the run touches and that were not tried.
pub(super) fn untried(run: &Run) -> Vec<&'static str> {
    let answers = &run.answers;
    let known = |name: &&&str| answers.chosen.contains(name) || answers.tried.contains(name);
    answers.touched.iter().filter(|name| !known(name)).copied().collect()
}

/// Writes the certainty of the whole program's clocks and the questions that were not tried, if there is any doubt.
pub(super) fn write_program(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let bar = program(run);
    let mut words = not_tried(run);
    let line = bar.line(style.width.saturating_sub(2));
    // Both in one line if there is room for them.
    let both = line
        .zip(words.first())
        .map(|(line, first)| format!("  {line}; {first}"));
    if let Some(both) = both.filter(|both| both.chars().count() <= style.width) {
        writeln!(out, "{both}")?;
        words.remove(0);
    } else {
        write(&bar, style, out)?;
    }
    words.iter().try_for_each(|words| sentence(words, style, out))
}

/// Writes the line of a bar, if there is one.
pub(super) fn write(bar: &Bar, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let columns = style.width.saturating_sub(2);
    let folded = bar.line(columns).map(|line| printable::folded(&line, columns));
    let mut lines = folded.into_iter().flatten();
    lines.try_for_each(|line| writeln!(out, "  {line}"))
}

/// Other doubt, the questions that were not tried, and the runs that ended in another way, a sentence each.
pub(super) fn not_tried(run: &Run) -> Vec<String> {
    let mut words = Vec::new();
    if run.notes.contains(&Note::DoubtedVideo) {
        words.push("the clocks of the video card are doubted".to_owned());
    }
    let left = untried(run);
    if !left.is_empty() {
        let count = counted(left.len() as u64, "open question");
        words.push(match run.answers.untried {
            Some(Untried::Long { .. }) => {
                let them = if left.len() == 1 { "it" } else { "them" };
                format!("{count} may change these clocks; `--sure` tries {them}")
            }
            Some(Untried::OutOfTime) => format!("{count} not tried: no time was left of `--timeout`"),
            Some(Untried::Unfinished) => format!("{count} not tried, as the run was stopped before its end"),
            None => format!("{count} not tried"),
        });
    } else if run.answers.untried == Some(Untried::OutOfTime) {
        words.push(match run.answers.all_combined {
            false => "not every combination of answers was tried: no time was left of `--timeout`".to_owned(),
            true => {
                "beside the fewest and the most clocks, not every answer was tried: no time was left of `--timeout`"
                    .to_owned()
            }
        });
    }
    for variant in &run.answers.variants {
        if let Err(ended) = &variant.figures {
            words.push(printable::printable(&format!("under {}: {ended}", choices(variant))));
        }
    }
    words
}

#[cfg(test)]
mod tests;
