//! The layout of the listing: widths of columns, and rows as lines of text.

use super::Row;
use crate::{Detail, NARROW, STALL, Style, painted, printable};

/// The minimum width of source lines in columns, however narrow the terminal is.
const LEAST_SOURCE: usize = 12;
/// The width of source lines up to which reasons stay at their minimum.
const GOOD_SOURCE: usize = 20;
/// The minimum width of a reason in columns; longer reasons are folded.
const LEAST_REASON: usize = 14;
/// The number of blanks between two columns.
const GAP: usize = 2;

/// The widths of the columns, from their contents; `share` and `clock` are 0 if no row has one.
pub(super) struct Columns {
    line: usize,
    pub(super) share: usize,
    times: usize,
    pipe: usize,
    pub(super) clock: usize,
    cycles: usize,
    pub(super) with: usize,
    reason: usize,
    /// Whether reasons stand below the sources rather than beside them.
    below: bool,
}

impl Columns {
    /// The widths for these rows. If they exceed the width of `style`, the reasons get less.
    pub(super) fn fit(rows: &[&Row], clocks: bool, style: &Style) -> Columns {
        let widest = |head: &str, of: fn(&Row) -> &str| {
            let widths = rows.iter().map(|row| of(row).chars().count());
            widths.max().unwrap_or(0).max(head.len())
        };
        let mut columns = Columns {
            line: widest("line", |row| &row.line),
            share: match rows.iter().any(|row| !row.share.is_empty()) {
                true => widest("share", |row| &row.share),
                false => 0,
            },
            times: widest("times", |row| &row.times),
            pipe: widest("pipe", |row| &row.pipe),
            clock: if clocks { widest("at", |row| &row.clock) } else { 0 },
            cycles: widest("clocks", |row| &row.cycles),
            // With shares, lines do not stand in the order of the source.
            with: match rows.iter().all(|row| row.share.is_empty()) {
                true => widest("with", |row| &row.with),
                false => 0,
            },
            reason: widest("reason", |row| &row.reason),
            below: false,
        };
        let sources = rows.iter().map(|row| row.indent + row.source.chars().count());
        let source = sources.max().unwrap_or(0).max("source".len());
        // Between numbers and reasons, long lines of the hottest would be cut to a few words.
        let beside = columns.before() + columns.reason.min(LEAST_REASON) + GAP + source;
        columns.below = columns.share > 0 && style.width < NARROW && beside > style.width;
        if columns.below {
            columns.reason = 0;
            return columns;
        }
        let source = source.min(GOOD_SOURCE);
        let room = style.width.saturating_sub(columns.before() + GAP + source);
        columns.reason = columns.reason.min(room.max(LEAST_REASON));
        columns
    }

    /// The width of the columns before the reason.
    fn before(&self) -> usize {
        let shown = |width: usize| if width > 0 { width + GAP } else { 0 };
        let clock = shown(self.clock) + shown(self.share);
        1 + self.line + self.times + self.pipe + clock + self.cycles + shown(self.with) + 4 * GAP
    }

    /// Whether there is room for the partner beside the figures.
    fn partner_beside(&self, width: usize) -> bool {
        self.before() - GAP <= width
    }

    pub(super) fn head(&self, width: usize) -> String {
        let names = [
            "line", "share", "times", "pipe", "at", "clocks", "with", "reason", "source",
        ];
        let [line, share, times, pipe, clock, cycles, with, reason, source] = names.map(str::to_owned);
        let row = Row {
            line,
            share,
            times,
            pipe,
            clock,
            cycles,
            with,
            reason,
            heat: 0,
            instructions: 0,
            indent: 0,
            source,
            bundled: false,
        };
        let plain = Style::plain(usize::MAX, Detail::Short);
        if self.below {
            let row = Row {
                reason: String::new(),
                source: "source, reason below".to_owned(),
                ..row
            };
            return self.lines(&row, &plain).concat();
        }
        let head = self.lines(&row, &plain).concat();
        if self.before() + LEAST_REASON + GAP + LEAST_SOURCE > width {
            let partner = if self.partner_beside(width) { 0 } else { self.with + GAP };
            head.chars().take(self.before() - partner).collect()
        } else {
            head
        }
    }

    /// A row, with further lines for the rest of a long reason.
    pub(super) fn lines(&self, row: &Row, style: &Style) -> Vec<String> {
        let mut line = format!(" {:>1$}", row.line, self.line);
        if self.share > 0 {
            line += &format!("  {:>1$}", row.share, self.share);
        }
        line += &format!("  {:>1$}", row.times, self.times);
        line += &format!("  {:<1$}", row.pipe, self.pipe);
        if self.clock > 0 {
            line += &format!("  {:>1$}", row.clock, self.clock);
        }
        line += &format!("  {:>1$}", row.cycles, self.cycles);
        if self.with > 0 && self.partner_beside(style.width) {
            line += &format!("  {:>1$}", row.with, self.with);
        }
        line += "  ";
        let before = self.before();
        if before + LEAST_REASON + GAP + LEAST_SOURCE > style.width {
            return self.stacked(line, row, style);
        }
        if self.below {
            let source = row.source.split_whitespace().collect::<Vec<_>>().join(" ");
            line += &printable::cut(&source, style.width.saturating_sub(before));
            return self.with_reason_below(line, row, style);
        }
        let room = style.width.saturating_sub(before + self.reason + GAP);
        let mut source = row.source.trim_end().to_owned();
        if row.indent + source.chars().count() > room {
            // If the space is short, blanks between words go first, then the indentation, then words.
            source = source.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        let needed = source.chars().count().max(LEAST_SOURCE);
        let indent = row.indent.min(room.saturating_sub(needed));
        let room = room.saturating_sub(indent).max(LEAST_SOURCE);
        let source = printable::cut(&source, room);
        let mut reasons = printable::folded(&row.reason, self.reason).into_iter();
        let first = reasons.next().unwrap_or_default();
        let padding = self.reason.saturating_sub(first.chars().count()) + GAP + indent;
        line += &painted(style, STALL, &first);
        if !source.is_empty() {
            line += &format!("{}{source}", " ".repeat(padding));
        }
        let mut lines = vec![line.trim_end().to_owned()];
        lines.extend(reasons.map(|reason| format!("{}{}", " ".repeat(before), painted(style, STALL, &reason))));
        lines
    }

    /// A row for a terminal that is too narrow for all columns: the numbers in `line`, then the source and the reason
    /// below them.
    fn stacked(&self, line: String, row: &Row, style: &Style) -> Vec<String> {
        let indent = " ".repeat(self.line + 1 + GAP);
        let room = style.width.saturating_sub(indent.len());
        let source = row.source.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut lines = vec![line.trim_end().to_owned()];
        if !source.is_empty() {
            lines.push(format!("{indent}{}", printable::cut(&source, room)));
        }
        if !self.partner_beside(style.width) && !matches!(&*row.with, "" | "-") {
            lines.push(format!("{indent}with {}", row.with));
        }
        lines.extend(self.reasons_below(row, style));
        lines
    }

    fn with_reason_below(&self, line: String, row: &Row, style: &Style) -> Vec<String> {
        let mut lines = vec![line.trim_end().to_owned()];
        lines.extend(self.reasons_below(row, style));
        lines
    }

    /// The reason, as wide as the terminal.
    fn reasons_below(&self, row: &Row, style: &Style) -> Vec<String> {
        let indent = " ".repeat(self.line + 1 + GAP);
        let reasons = printable::folded(&row.reason, style.width.saturating_sub(indent.len()));
        let reasons = reasons.iter().filter(|reason| !reason.is_empty());
        reasons
            .map(|reason| format!("{indent}{}", painted(style, STALL, reason)))
            .collect()
    }
}
