//! What a comparison tells in one row: the code of a function without source lines that a report sums up.
//!
//! A report lists the instructions with the most clocks, and which these are differs from run to run. Their rows are
//! told one by one only if both reports list them; all others of the function are added to its sum on their own side.
//! Both sums are then of the same code: the function without the instructions that have rows.

use super::pairs::Lines;
use super::saved_lines::SavedLine;
use std::collections::HashMap;

/// The rows of one function that are told as one.
pub(super) struct Summed<'a> {
    pub(super) file: &'a str,
    /// Its name; `None` for code that belongs to no function.
    pub(super) function: Option<&'a str>,
    /// The rows of the older and of the newer run.
    pub(super) lines: [Vec<&'a SavedLine>; 2],
}

/// The pairs that are told by themselves, and the sums, in the order in which their functions first occur.
pub(super) fn summed(pairs: Vec<Lines<'_>>) -> (Vec<Lines<'_>>, Vec<Summed<'_>>) {
    let place = |line: &SavedLine| line.line == 0;
    let sides = |(before, after): &Lines<'_>| [before, after].into_iter().flatten().any(|line| place(line));
    let mut sums: Vec<Summed<'_>> = Vec::new();
    let mut of_function: HashMap<Option<&str>, usize> = HashMap::new();
    for one in pairs.iter().filter(|pair| sides(pair)) {
        for line in [one.0, one.1].into_iter().flatten().filter(|line| line.is_sum()) {
            let function = line.own_function();
            of_function.entry(function).or_insert_with(|| {
                sums.push(Summed {
                    file: &line.file,
                    function,
                    lines: [Vec::new(), Vec::new()],
                });
                sums.len() - 1
            });
        }
    }
    let mut rest = Vec::new();
    for pair in pairs {
        let lone = match pair {
            (Some(line), None) => Some((0, line)),
            (None, Some(line)) => Some((1, line)),
            _ => None,
        };
        let sum = lone
            .filter(|(_, line)| place(line))
            .and_then(|(side, line)| Some((side, line, *of_function.get(&line.own_function())?)));
        match sum.and_then(|(side, line, at)| Some((side, line, sums.get_mut(at)?))) {
            Some((side, line, sum)) => sum.lines[side].push(line),
            None => rest.push(pair),
        }
    }
    (rest, sums)
}
