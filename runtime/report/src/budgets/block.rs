//! The lines of a block that a line of a compiled language opens, as `loop {` does, for a budget on that line.

use p5_results::{Budget, Flow, InstructionResult, Run, Scope};
use std::collections::HashMap;

/// The most lines of a block that are read.
const LINES: usize = 1_000;
const NONE: &str = "the line opens a block and has no instruction of its own that was executed;";
const LIMIT: &str = "limit that line, or the function";

/// The lines of the files whose blocks were looked at.
#[derive(Default)]
pub(super) struct Blocks<'a>(HashMap<u32, Vec<&'a str>>);

impl<'a> Blocks<'a> {
    /// What is said of a line without executed instructions, if it opens a block with lines that were executed: where
    /// the loop in it begins, or else which of them was executed most often.
    pub(super) fn opened(&mut self, run: &'a Run, budget: &Budget) -> Option<String> {
        let Scope::Statement(line) = budget.scope else {
            return None;
        };
        let source = run.files.get(budget.file as usize)?;
        let lines = self
            .0
            .entry(budget.file)
            .or_insert_with(|| source.text.lines().collect());
        let last = line + closed(lines.get((line as usize).checked_sub(1)?..)?)?;
        let in_block = |one: &InstructionResult| {
            let (_, at) = one.place.filter(|&(file, _)| file == budget.file)?;
            (!one.library && one.executions > 0 && (line..=last).contains(&at)).then_some(at)
        };
        let rows = || run.instructions.iter().filter_map(|one| Some((one, in_block(one)?)));
        let head = |(one, _): (&InstructionResult, u32)| {
            let back = one.needs.target.filter(|&target| target <= one.address);
            let target = back.filter(|_| one.needs.flow == Flow::Jump)?;
            // The compiler may begin a loop in the middle.
            let of_loop = rows().filter(|(row, _)| (target..=one.address).contains(&row.address));
            Some((one.executions, of_loop.map(|(_, at)| at).min()?))
        };
        // The first one of several.
        if let Some((_, at)) = rows().filter_map(head).rev().max_by_key(|&(times, _)| times) {
            return Some(format!("{NONE} the loop in it begins in line {at}: {LIMIT}"));
        }
        let (_, at) = rows().rev().max_by_key(|(one, _)| one.executions)?;
        Some(format!("{NONE} line {at} was executed most often of it: {LIMIT}"))
    }
}

/// How many lines after the first one the block closes that it opens; `None` if it opens none or that is too far.
/// Braces in texts count as well, as they seldom stand alone.
fn closed(lines: &[&str]) -> Option<u32> {
    let mut depth = 0_i32;
    for (number, text) in (0..).zip(lines.iter().take(LINES)) {
        let code = text.split("//").next().unwrap_or_default();
        for one in code.bytes() {
            depth += i32::from(one == b'{') - i32::from(one == b'}');
        }
        if depth <= 0 {
            return Some(number).filter(|&number| number > 0);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn a_block_ends_where_it_is_closed() {
        let closed = |text: &str| closed(&text.lines().collect::<Vec<_>>());
        assert_eq!(closed("loop { // }\n if x {\n break; }\n}\n}\n"), Some(3));
        assert_eq!(closed("x = { 1 };\ny\n"), None);
        assert_eq!(closed("x = 1;\n}\n"), None);
        assert_eq!(closed("while x {\n"), None);
    }
}
