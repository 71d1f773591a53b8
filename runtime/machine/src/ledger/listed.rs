//! Which instructions of a run are listed one by one. The others are summed by line.

use super::{Kept, Line, Near, Owner};
use p5_image::Image;
use rustc_hash::FxHashMap;

/// The distance within which an instruction without a line counts as one of the next line.
const BEFORE_LINE: u32 = 64;

/// Whether each instruction, in any order, is one of the first `all`, and of the first `of_line` of its source line.
/// The user's come before the library's, and those executed more often come first.
pub(super) fn first_of(kept: &[Kept], image: &Image, all: usize, of_line: usize) -> Vec<bool> {
    // One number is compared faster than four: by part, by executions, most first, then by address; with the place in
    // the low bits. No run has 2 to the power of 63 executions.
    let mut order: Vec<u128> = (0u32..)
        .zip(kept)
        .map(|(place, kept)| {
            let rarely = u128::from(!kept.held.executions() & u64::MAX >> 1);
            u128::from(kept.library) << 127 | rarely << 64 | u128::from(kept.op.address) << 32 | u128::from(place)
        })
        .collect();
    let mut listed = vec![false; kept.len()];
    if of_line >= all {
        if all < order.len() {
            order.select_nth_unstable(all);
            order.truncate(all);
        }
        order.into_iter().for_each(|key| listed[key as u32 as usize] = true);
        return listed;
    }
    order.sort_unstable();
    let mut room = all;
    let mut by_line: FxHashMap<Line, usize> = FxHashMap::default();
    let mut recent = (None, (None, Owner::Program, None));
    let mut near = Near::default();
    for (address, place) in order.into_iter().map(|key| ((key >> 32) as u32, key as u32)) {
        let row = near.row(image, address);
        if recent.0 != row || row.is_none() {
            let before = row.is_none().then(|| before_line(image, address)).flatten();
            recent = (row, before.unwrap_or_else(|| near.line(image, row)));
        }
        let of_this = by_line.entry(recent.1).or_default();
        if room > 0 && *of_this < of_line {
            room -= 1;
            *of_this += 1;
            listed[place as usize] = true;
        }
    }
    listed
}

/// The line that begins shortly after code without one: compilers give none to some of what a function saves, and that
/// code leads into its loops.
fn before_line(image: &Image, address: u32) -> Option<Line> {
    let row = image.lines.starting_from(address).next()?;
    let near = !row.data && row.address - address < BEFORE_LINE;
    near.then(|| {
        (
            Some([(row.file, row.line), image.outermost(&row)]),
            Owner::Program,
            None,
        )
    })
}
