//! `p5inst watch`: a line for each interval of an execution, written as the interval ends.

use super::super::event_list::selector;
use super::super::phrases::{counted, lines};
use super::super::printable::{cut, printable};
use super::super::summary::percent;
use super::super::{Column, Format, HEADING, Style, json_text, painted, paragraph, paragraphs};
use super::{ending, head, json, title, uncounted};
use p5_chips::Selection;
use p5_machine::instruments::{Interval, LeftOut, Subject, Watched};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use std::cell::{Cell, OnceCell};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::path::Path;

/// The state in which the only run begins.
const COLD: &str = "one run, cold: caches and predictions are empty at its beginning";

const MOST_IN: &str = "most clocks in";
/// The number of blanks before this column.
const GAP: usize = 2;
/// The minimum width, with these blanks, of a place that is worth showing.
const LEAST_PLACE: usize = GAP + MOST_IN.len();
/// The minimum width of a source line's text that is worth showing.
const LEAST_TEXT: usize = 6;
/// The width of a short file name, a line and a share: to make room for it, the other columns move closer together.
const USUAL_PLACE: usize = GAP + 17;

/// The maximum number of intervals in a report; the rest is one more interval. Otherwise intervals of few clocks would
/// make a report of any length.
const MOST_INTERVALS: u64 = 100_000;
/// The number of bytes of a document after which it has no further interval. Each repeats the name of a file, whose
/// length is the user's.
const MOST_BYTES: u64 = 8 << 20;

/// The subject of a watch.
#[derive(Clone, Copy, Debug)]
pub struct Watching<'a> {
    /// The program and its machine, before the run.
    pub subject: &'a Subject,
    /// The event of each counter; `None` for a counter that counts nothing.
    pub selections: [Option<Selection>; 2],
    /// The minimum length of an interval, in clocks.
    pub every: NonZeroU64,
}

/// Writes the counts of each interval. `run` runs the program and passes the intervals on.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe. The run is completed nevertheless.
pub fn write_watch(
    format: Format,
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    match format {
        Format::Json => write_json(watching, run, out),
        Format::Text => write(watching, run, style, out),
    }
}

fn write(
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    let Watching {
        subject, selections, ..
    } = watching;
    head(subject, style, out)?;
    lines(COLD, style, out)?;
    for selection in selections.into_iter().flatten() {
        let setting = selector(selection.selector, selection.counter);
        let words = format!("{setting} {}: {}", selection.event.name(), title(selection));
        lines(&words, style, out)?;
    }
    let layout = Layout::new(selections, style);
    layout.heading(style, out)?;
    let mut written = Ok(());
    let mut intervals = 0_u64;
    let mut left_out = None;
    let watched = run(&mut |interval| {
        intervals += 1;
        if intervals > MOST_INTERVALS {
            LeftOut::add(&mut left_out, interval);
        } else if written.is_ok() {
            // The user sees each line immediately.
            written = layout
                .row(interval, &interval.until.to_string(), subject, style, out)
                .and_then(|()| out.flush());
        }
    });
    written?;
    if let Some(LeftOut { sum, .. }) = &left_out {
        layout.row(sum, &sum.until.to_string(), subject, style, out)?;
    }
    layout.row(&watched.total, "total", subject, style, out)?;
    if let Some(LeftOut { intervals, .. }) = &left_out {
        let words = format!(
            "the last line before the total is {} after the first {MOST_INTERVALS}; `--every CLOCKS` makes them longer \
             and fewer",
            counted(*intervals, "interval")
        );
        paragraph(style, &words, out)?;
    }
    if let Err(why) = watched.total.counts {
        paragraph(style, &uncounted(why), out)?;
    }
    if intervals == 1 {
        let words = "one interval holds it all; `--every CLOCKS` makes them shorter";
        paragraph(style, words, out)?;
    }
    ending(&watched.subject, style, out)?;
    Ok(watched)
}

/// The source line with the most clocks of an interval, in at most `room` columns.
fn busiest(interval: &Interval, subject: &Subject, room: usize) -> Option<String> {
    let busiest = interval.busiest?;
    let (place, clocks) = (busiest.place, busiest.clocks);
    let file = subject.files.get(place.0 as usize);
    let share = percent(clocks, interval.clocks);
    // The line number and the share are essential, so the name of the file gives way to them.
    let line_and_share = format!("{} {share}", place.1);
    let name = match file {
        Some(file) if place.0 > 0 => {
            let last = Path::new(&*file.name).file_name().and_then(OsStr::to_str);
            let name = printable(last.unwrap_or(&file.name));
            let room = room.saturating_sub(line_and_share.chars().count() + 1);
            format!("{}:", cut(&name, room))
        }
        _ => String::new(),
    };
    let text = file.and_then(|file| file.text.lines().nth((place.1 as usize).checked_sub(1)?));
    let words = text.map_or_else(String::new, |text| {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let place = format!("{name}{line_and_share}");
    let left = room.saturating_sub(place.chars().count() + 1);
    Some(match cut(printable(&words).trim_end(), left) {
        words if left < LEAST_TEXT || words.is_empty() => place,
        words => format!("{place} {words}"),
    })
}

/// The columns of the table, which are fixed before the first figure is known.
struct Layout {
    selections: [Option<Selection>; 2],
    /// The name and the width of each column.
    columns: Vec<(String, usize)>,
    /// Whether the table fits; if not, each interval is a paragraph.
    fits: bool,
}

/// The widths of the columns end, clocks, count and rate: on narrow and on wide terminals.
const WIDTHS: [[usize; 4]; 2] = [[10, 9, 10, 8], [14, 10, 12, 11]];

impl Layout {
    fn new(selections: [Option<Selection>; 2], style: &Style) -> Layout {
        let of = |[until, clocks, count, rate]: [usize; 4]| {
            let mut columns = vec![("until".to_owned(), until), ("clocks".to_owned(), clocks)];
            for selection in selections.into_iter().flatten() {
                columns.push((format!("{:02X}h", selection.selector), count));
                columns.push(("per 1000".to_owned(), rate));
            }
            columns
        };
        let fits = |columns: &Vec<(String, usize)>, beside: usize| {
            columns.iter().map(|(_, width)| width + 1).sum::<usize>() + beside <= style.width + 1
        };
        let [narrow, wide] = WIDTHS.map(of);
        let closer = !fits(&wide, 0) || !fits(&wide, USUAL_PLACE) && fits(&narrow, USUAL_PLACE);
        let columns = if closer { narrow } else { wide };
        Layout {
            selections,
            fits: fits(&columns, 0),
            columns,
        }
    }

    fn heading(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        if !self.fits {
            return Ok(());
        }
        let names = self.columns.iter().map(|(name, width)| format!("{name:>width$}"));
        let mut names = names.collect::<Vec<_>>().join(" ");
        if style.width >= names.len() + LEAST_PLACE {
            names += &format!("  {MOST_IN}");
        }
        writeln!(out, "{}", painted(style, HEADING, &names))
    }

    /// Formats an interval, with its busiest line if there is room. A row that is too wide because of large figures
    /// becomes a paragraph.
    fn row(
        &self,
        interval: &Interval,
        name: &str,
        subject: &Subject,
        style: &Style,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut cells = vec![name.to_owned(), interval.clocks.to_string()];
        for counter in (0..2).filter(|&counter| self.selections[counter].is_some()) {
            let count = interval.counts.map(|counts| counts[counter].to_string());
            cells.push(count.unwrap_or_else(|_| "-".to_owned()));
            let rate = interval.rate(counter).map(|rate| format!("{rate:.1}"));
            cells.push(rate.unwrap_or_else(|| "-".to_owned()));
        }
        let aligned = cells
            .iter()
            .zip(&self.columns)
            .map(|(cell, (_, width))| format!("{cell:>width$}"));
        let line = aligned.collect::<Vec<_>>().join(" ");
        if self.fits && line.len() <= style.width {
            let room = (style.width - line.len()).saturating_sub(GAP);
            let place = (room + GAP >= LEAST_PLACE)
                .then(|| busiest(interval, subject, room))
                .flatten();
            return match place {
                Some(place) => writeln!(out, "{line}  {place}"),
                None => writeln!(out, "{line}"),
            };
        }
        let named = self.columns.iter().map(|(name, _)| (&**name, Column::Number));
        paragraphs(style, &named.collect::<Vec<_>>(), &[cells], out)
    }
}

fn write_json(
    watching: Watching<'_>,
    run: impl FnOnce(&mut dyn FnMut(&Interval)) -> Watched,
    out: &mut dyn Write,
) -> io::Result<Watched> {
    let written = Cell::new(0);
    let mut out = Counted { out, written: &written };
    let live = Live {
        written: &written,
        selections: watching.selections,
        subject: watching.subject,
        run: Cell::new(Some(run)),
        left_out: Cell::new(None),
        watched: OnceCell::new(),
    };
    let report = json::WatchReport {
        schema_version: 1,
        version: crate::document::P5INST,
        events: watching.selections.map(|selection| selection.map(json::Event::of)),
        every: watching.every.get(),
        cold: true,
        intervals: &live,
        end: End(&live),
    };
    json_text::write_json(&report, &mut out)?;
    let watched = live.watched.into_inner();
    watched.ok_or_else(|| io::Error::other("the program was not run"))
}

/// A writer that counts the bytes of a document.
struct Counted<'a> {
    out: &'a mut dyn Write,
    written: &'a Cell<u64>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written.set(self.written.get() + written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The intervals as a sequence that is serialized while the program runs, because there may be very many.
struct Live<'a, R> {
    /// The bytes of the document so far.
    written: &'a Cell<u64>,
    subject: &'a Subject,
    selections: [Option<Selection>; 2],
    run: Cell<Option<R>>,
    left_out: Cell<Option<LeftOut>>,
    watched: OnceCell<Watched>,
}

impl<R: FnOnce(&mut dyn FnMut(&Interval)) -> Watched> Serialize for Live<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(None)?;
        let mut written = Ok(());
        if let Some(run) = self.run.take() {
            let (mut intervals, mut left_out) = (0, None);
            let watched = run(&mut |interval| {
                intervals += 1;
                let full = intervals > MOST_INTERVALS || self.written.get() >= MOST_BYTES;
                if full || left_out.is_some() {
                    LeftOut::add(&mut left_out, interval);
                } else if written.is_ok() {
                    let interval = json::Interval::of(interval, self.selections, &self.subject.files);
                    written = sequence.serialize_element(&interval);
                }
            });
            self.left_out.set(left_out);
            let _ = self.watched.set(watched);
        }
        written?;
        sequence.end()
    }
}

/// The fields that are known only after the last interval.
struct End<'a, R>(&'a Live<'a, R>);

impl<R> Serialize for End<'_, R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let watched = self
            .0
            .watched
            .get()
            .map(|watched| json::WatchEnd::of(watched, self.0.left_out.get(), self.0.selections));
        watched.serialize(serializer)
    }
}
