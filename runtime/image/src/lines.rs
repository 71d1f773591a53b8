//! The source line of each instruction, in a compact form for millions of rows.
//!
//! A run of rows begins with a whole row; the other rows store only their differences from it.

use super::{LineRow, partition_point_near};
use std::fmt;

/// The beginning of a statement, as a compiler says. Each copy of a statement in an unrolled loop has one; a part of a
/// statement that was moved away has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Statement {
    /// The linear address from which its code follows; the instruction there may be of another line.
    pub address: u32,
    /// The file of its line, as an index into [`Image::files`](super::Image::files).
    pub file: u32,
    /// The number of its line, from 1.
    pub line: u32,
    /// The column of the line at which it stands, from 1.
    pub column: u32,
}

/// Rows in ascending address order.
#[derive(Clone, Default)]
pub struct Lines {
    runs: Vec<Run>,
    /// The rows of all runs without the first row of each.
    others: Vec<Other>,
}

/// Rows of one file, one origin, one width and one group.
#[derive(Clone, Copy)]
struct Run {
    /// The number of the run's first row.
    first: u32,
    /// The group that its addresses are relative to until they are known.
    group: u32,
    row: LineRow,
}

/// The differences of a row from the first row of its run.
#[derive(Clone, Copy)]
struct Other {
    address: u16,
    line: u16,
    length: u16,
    /// The start and length of the instruction's text in the line.
    written: (u16, u16),
}

impl Other {
    /// The differences, if they are small enough; a row without a length has some too.
    fn of(first: &LineRow, row: &LineRow) -> Option<Other> {
        let kind = |row: &LineRow| (row.file, row.origin, row.data, row.bits);
        let alike = kind(first) == kind(row);
        let known = alike && first.length > 0 && row.length > 0;
        let small = |number: Option<u32>| u16::try_from(number?).ok();
        let (start, end) = row.written;
        known.then_some(Other {
            address: small(row.address.checked_sub(first.address))?,
            line: small(row.line.checked_sub(first.line))?,
            length: small(Some(row.length))?,
            written: (small(Some(start))?, small(end.checked_sub(start))?),
        })
    }

    fn row(self, first: &LineRow) -> LineRow {
        let (start, length) = self.written;
        LineRow {
            address: first.address + u32::from(self.address),
            line: first.line + u32::from(self.line),
            length: u32::from(self.length),
            written: (u32::from(start), u32::from(start) + u32::from(length)),
            ..*first
        }
    }
}

/// The place of a row that was found; the next one is probably close to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Near {
    run: usize,
    within: usize,
}

impl Lines {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.runs.len() + self.others.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The bytes of memory that the rows take.
    pub fn bytes(&self) -> usize {
        self.runs.len() * size_of::<Run>() + self.others.len() * size_of::<Other>()
    }

    /// Adds a row after the others.
    pub fn push(&mut self, row: LineRow) {
        self.push_in(0, row);
    }

    /// Adds a row after the others, with an address relative to `group` until [`Lines::place`]. A length of 0 means the
    /// length of the group.
    pub fn push_in(&mut self, group: u32, row: LineRow) {
        if let Some(run) = self.runs.last().filter(|run| run.group == group)
            && let Some(other) = Other::of(&run.row, &row)
            && self.last_of(run).is_none_or(|last| last.address <= other.address)
        {
            self.others.push(other);
            return;
        }
        let first = self.len() as u32;
        self.runs.push(Run { first, group, row });
    }

    /// The last row of the last run, if that has more than one.
    fn last_of(&self, run: &Run) -> Option<&Other> {
        (self.len() - run.first as usize > 1).then(|| self.others.last())?
    }

    /// Makes addresses relative to groups absolute: `of` returns the start and the length of a group.
    pub fn place(&mut self, of: impl Fn(u32) -> (u32, u32)) {
        for Run { group, row, .. } in &mut self.runs {
            let (start, length) = of(std::mem::take(group));
            row.address += start;
            if row.length == 0 {
                row.length = length;
            }
        }
    }

    /// Adds rows after these.
    pub fn append(&mut self, mut more: Lines) {
        if self.is_empty() {
            *self = more;
            return;
        }
        let count = self.len() as u32;
        more.runs.iter_mut().for_each(|run| run.first += count);
        self.runs.append(&mut more.runs);
        self.others.append(&mut more.others);
    }

    /// Sorts the rows by address; rows with the same address keep their order.
    pub fn sort(&mut self) {
        let ends = |run: usize| self.row(run, self.others_of(run).len()).address;
        let sorted = (1..self.runs.len()).all(|run| ends(run - 1) <= self.runs[run].row.address);
        if !sorted {
            let mut rows: Vec<LineRow> = self.iter().collect();
            rows.sort_by_key(|row| row.address);
            *self = rows.into_iter().collect();
        }
    }

    /// Replaces the origin of each row by the one that `of` returns for it.
    pub fn replace_origins(&mut self, mut of: impl FnMut(u32) -> Option<u32>) {
        for run in &mut self.runs {
            run.row.origin = run.row.origin.and_then(&mut of);
        }
    }

    /// The row with this number; `None` if there are not so many.
    pub fn get(&self, number: usize) -> Option<LineRow> {
        let run = self
            .runs
            .partition_point(|run| run.first as usize <= number)
            .checked_sub(1)?;
        let within = number - self.runs[run].first as usize;
        (within <= self.others_of(run).len()).then(|| self.row(run, within))
    }

    /// All rows in their order.
    pub fn iter(&self) -> Rows<'_> {
        Rows {
            lines: self,
            run: 0,
            within: 0,
            left: self.len(),
        }
    }

    /// The rows that begin at or after an address, in ascending order.
    pub fn starting_from(&self, address: u32) -> impl Iterator<Item = LineRow> {
        let after = self.runs.partition_point(|run| run.row.address < address);
        let run = after.saturating_sub(1);
        let before = self.runs.get(run).map_or(0, |run| run.first as usize);
        let rows = Rows {
            lines: self,
            run,
            within: 0,
            left: self.len() - before,
        };
        rows.skip_while(move |row| row.address < address)
    }

    /// The last row that begins at or before an address, and its number. The search is fast close to `near`, which is
    /// then set to the row.
    pub(crate) fn near(&self, address: u32, near: &mut Near) -> Option<(usize, LineRow)> {
        let after = partition_point_near(&self.runs, near.run, |run| run.row.address <= address);
        let run = after.checked_sub(1)?;
        let first = &self.runs[run];
        let from = if run == near.run { near.within } else { 0 };
        let offset = address - first.row.address;
        let within = partition_point_near(self.others_of(run), from, |one| u32::from(one.address) <= offset);
        *near = Near { run, within };
        Some((first.first as usize + within, self.row(run, within)))
    }

    /// The rows of a run without its first.
    fn others_of(&self, run: usize) -> &[Other] {
        // The first row of each preceding run is not in `others`.
        let others = |run: usize, first: usize| first - run;
        let first = others(run, self.runs[run].first as usize);
        let end = self
            .runs
            .get(run + 1)
            .map_or(self.others.len(), |next| others(run + 1, next.first as usize));
        &self.others[first..end]
    }

    /// A row of a run.
    fn row(&self, run: usize, within: usize) -> LineRow {
        let first = &self.runs[run];
        match within {
            0 => first.row,
            within => self.others[first.first as usize - run + within - 1].row(&first.row),
        }
    }
}

impl FromIterator<LineRow> for Lines {
    fn from_iter<T: IntoIterator<Item = LineRow>>(rows: T) -> Lines {
        let mut lines = Lines::default();
        rows.into_iter().for_each(|row| lines.push(row));
        lines
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<'a> IntoIterator for &'a Lines {
    type Item = LineRow;
    type IntoIter = Rows<'a>;

    fn into_iter(self) -> Rows<'a> {
        self.iter()
    }
}

/// The iterator over all rows of [`Lines`].
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    lines: &'a Lines,
    run: usize,
    within: usize,
    left: usize,
}

impl Iterator for Rows<'_> {
    type Item = LineRow;

    fn next(&mut self) -> Option<LineRow> {
        self.left = self.left.checked_sub(1)?;
        if self.within > self.lines.others_of(self.run).len() {
            (self.run, self.within) = (self.run + 1, 0);
        }
        self.within += 1;
        Some(self.lines.row(self.run, self.within - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Rows<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of consecutive instructions. Some are far apart or long, or have a file, an origin or data of their own.
    fn rows(rng: &mut fastrand::Rng, count: usize) -> Vec<LineRow> {
        let mut address = 0;
        let mut line = 1_u32;
        let mut rows = Vec::new();
        for _ in 0..count {
            address += [0, 0, 0, 1, 100, 65_530, 70_000][rng.usize(..7)];
            line = match rng.u8(..8) {
                0 => rng.u32(1..200_000),
                1 => line,
                _ => line + 1,
            };
            let length = [1, 2, 15, 65_535, 65_536][if rng.u8(..20) == 0 {
                rng.usize(3..5)
            } else {
                rng.usize(..3)
            }];
            let start = [0, 8, 65_535, 65_536][if rng.u8(..20) == 0 {
                rng.usize(2..4)
            } else {
                rng.usize(..2)
            }];
            let rare = rng.u8(..10) == 0;
            rows.push(LineRow {
                address,
                length,
                file: u32::from(rare) * rng.u32(..3),
                line,
                written: (start, start + [0, 3, 70_000][rng.usize(..3)]),
                origin: rare.then(|| rng.u32(..3)),
                data: rare && rng.bool(),
                bits: 16 * u8::from(rare),
            });
            address += length;
        }
        rows
    }

    fn assert_same(lines: &Lines, rows: &[LineRow], context: &str) {
        assert_eq!(lines.len(), rows.len(), "{context}");
        assert!(lines.iter().eq(rows.iter().copied()), "{context}");
        for (number, row) in rows.iter().enumerate() {
            assert_eq!(lines.get(number), Some(*row), "{context}");
        }
        assert_eq!(lines.get(rows.len()), None, "{context}");
    }

    #[test]
    fn rows_are_what_was_put_in() {
        let seed = p5_seeds::seed();
        let mut rng = fastrand::Rng::with_seed(seed);
        for round in 0..100 {
            let context = format!("seed {seed}, round {round}");
            let count = rng.usize(..200);
            let rows = rows(&mut rng, count);
            let mut lines: Lines = rows.iter().copied().collect();
            assert_same(&lines, &rows, &context);
            // Addresses between rows, before and after them, from any place.
            let mut near = Near::default();
            for _ in 0..200 {
                let last = rows.last().map_or(10, |row| row.address + row.length + 10);
                let address = rng.u32(..last);
                let expected = rows.iter().rposition(|row| row.address <= address);
                let found = lines.near(address, &mut near);
                assert_eq!(found, expected.map(|at| (at, rows[at])), "{context}");
            }
            let cut = rng.usize(..=rows.len());
            let (first, second) = rows.split_at(cut);
            let mut turned: Lines = second.iter().copied().collect();
            turned.append(first.iter().copied().collect());
            turned.sort();
            assert_same(&turned, &rows, &context);
            lines.replace_origins(|origin| (origin != 1).then_some(origin + 5));
            let replaced = rows.iter().map(|row| LineRow {
                origin: row.origin.filter(|origin| *origin != 1).map(|origin| origin + 5),
                ..*row
            });
            assert_same(&lines, &replaced.collect::<Vec<_>>(), &context);
        }
    }

    #[test]
    fn groups_are_placed() {
        let row = |address, length| LineRow {
            address,
            length,
            line: 7,
            ..LineRow::default()
        };
        let mut lines = Lines::default();
        for (group, row) in [(3, row(0, 2)), (3, row(2, 1)), (4, row(0, 0)), (5, row(1, 4))] {
            lines.push_in(group, row);
        }
        lines.place(|group| (group * 100, group));
        assert_same(&lines, &[row(300, 2), row(302, 1), row(400, 4), row(501, 4)], "placed");
    }

    #[test]
    fn a_row_like_its_neighbours_takes_ten_bytes() {
        let rows = (0..1_000_000).map(|at| LineRow {
            address: at,
            length: 1,
            line: at + 1,
            written: (0, 3),
            ..LineRow::default()
        });
        let lines: Lines = rows.collect();
        assert_eq!(size_of::<Other>(), 10);
        assert!(lines.bytes() < 10_010_000, "{}", lines.bytes());
        assert!(lines.runs.len() <= 16, "{}", lines.runs.len());
    }
}
