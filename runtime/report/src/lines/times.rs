//! How often a line was executed, from the executions of its instructions.

use p5_results::{Flow, InstructionResult, StatementStart, TrailStep};
use std::collections::{BTreeMap, BTreeSet};

/// A copy of a line's code: the macro calls and repeats that made it, its function, and its inlined call.
type Copy<'a> = (&'a [TrailStep], Option<u32>, Option<u32>);

/// How often the code of a line was executed: as often as the most executed of its instructions. A line has several
/// copies if a macro, a repeat, or a compiler that inlines repeats it; their executions add up.
///
/// A compiler may move instructions of a line out of a loop, or spread them over the branches of the line, so that no
/// single one is executed each time. The copies of a loop that it has unrolled count as one here: see [`most_times`].
pub(super) fn times<'a>(instructions: impl Iterator<Item = &'a InstructionResult>) -> u64 {
    // What a library does for a line, beside the line's own copies: it is executed as often as one of them.
    let mut copies: [BTreeMap<Copy, u64>; 2] = Default::default();
    for one in instructions {
        let of_library = &mut copies[usize::from(one.brought.is_some())];
        let most = of_library.entry((&one.trail, one.function, one.inlined)).or_default();
        *most = one.executions.max(*most);
    }
    let sums = copies.iter().map(|copies| copies.values().sum());
    sums.max().unwrap_or(0)
}

/// How often a line with this code was executed: [`times`], and [`most_times`] by equal runs of instructions.
pub(crate) fn least_and_most(instructions: &[InstructionResult]) -> (u64, u64) {
    (times(instructions.iter()), most_times(instructions.iter(), &[]))
}

/// The fewest executions of each kind of instruction that show copies of a line.
const FEWEST: u64 = 4;

/// How often the code of a line of a compiled program was executed at most: a compiler that unrolls a loop makes copies
/// of its lines in one function, and nothing tells for sure whether they are copies. `instructions` are in the
/// order of their addresses.
///
/// `starts` has the addresses at which the compiler says that statements of the line begin, by column, if one of them
/// begins several times: see [`by_statements`].
///
/// Otherwise copies show themselves where code of other lines stands between them: as equal runs of instructions.
/// Whatever stands in one run of addresses is no copy, as the loads and stores of a structure that is copied are none.
/// A line has copies if each kind of its instructions, of those that together were executed as often as the line at
/// least, stands in equal runs, and together was executed more often; the line was executed as often as those of one
/// kind then, at most. Kinds are mnemonics with kinds of operands, without the jumps and uses of the stack by which
/// copies differ.
pub(super) fn most_times<'a, T>(instructions: T, starts: &[StatementStart]) -> u64
where
    T: Iterator<Item = &'a InstructionResult> + Clone,
{
    if !starts.is_empty() {
        let (times, most) = (times(instructions.clone()), by_statements(instructions, starts));
        // A loop's condition that is also evaluated once before the loop is no copy of note.
        return if most > times + times / 8 { most } else { times };
    }
    let mut copies: BTreeMap<Copy, Vec<&InstructionResult>> = BTreeMap::new();
    for one in instructions.filter(|one| one.brought.is_none()) {
        copies
            .entry((&one.trail, one.function, one.inlined))
            .or_default()
            .push(one);
    }
    let of_copy = |all: Vec<&InstructionResult>| {
        let times = all.iter().map(|one| one.executions).max().unwrap_or(0);
        let runs = all.chunk_by(|one, next| one.address.wrapping_add(u32::from(one.length)) == next.address);
        let mut equal: BTreeMap<Vec<Kind>, usize> = BTreeMap::new();
        let mut sums: BTreeMap<Kind, u64> = BTreeMap::new();
        for run in runs {
            let plain = run.iter().filter(|one| one.needs.flow == Flow::Next);
            let kinds = plain.filter_map(|one| Some((kind(&one.text)?, one.executions)));
            let kinds: Vec<(Kind, u64)> = kinds.collect();
            for (kind, executions) in &kinds {
                *sums.entry(kind.clone()).or_default() += executions;
            }
            *equal
                .entry(kinds.into_iter().map(|(kind, _)| kind).collect())
                .or_default() += 1;
        }
        let repeated: BTreeSet<&Kind> = equal
            .iter()
            .filter(|&(_, &runs)| runs > 1)
            .flat_map(|(run, _)| run)
            .collect();
        let often = || sums.iter().filter(|&(_, &sum)| sum >= times);
        let of_all = often().all(|(kind, _)| repeated.contains(kind));
        match often().map(|(_, &sum)| sum).min() {
            // Two stores, say, of a line that was executed once are no copies.
            Some(least) if of_all && least > times && least >= FEWEST => {
                often().map(|(_, &sum)| sum).max().unwrap_or(times)
            }
            _ => times,
        }
    };
    copies.into_values().map(of_copy).sum()
}

/// How often that statement of a line was executed at most that has the most executions, if each of its beginnings is
/// that of a copy. A copy was executed as often as the first instruction of the line after its beginning, and before
/// the next beginning of any statement of the line.
///
/// A compiler may also begin a statement twice that it has not copied, and it copies a loop's condition to a place
/// before the loop, where it is evaluated once.
pub(super) fn by_statements<'a>(
    instructions: impl Iterator<Item = &'a InstructionResult>,
    starts: &[StatementStart],
) -> u64 {
    let addresses: BTreeSet<u32> = starts.iter().map(|start| start.address).collect();
    let mut copies: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
    for one in instructions {
        if let Some(&start) = addresses.range(..=one.address).next_back() {
            let this = (one.address, one.executions);
            let first = copies.entry(start).or_insert(this);
            *first = this.min(*first);
        }
    }
    let executions = |start: &StatementStart| copies.get(&start.address).map_or(0, |&(_, executions)| executions);
    let columns = starts.chunk_by(|one, next| one.column == next.column);
    let sums = columns.map(|starts| starts.iter().map(executions).sum());
    sums.max().unwrap_or(0)
}

/// A mnemonic with the kinds of its operands.
type Kind<'a> = (&'a str, Vec<Operand>);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    Memory,
    Number,
    Register,
}

/// The mnemonic of an instruction and the kinds of its operands; `None` of one that uses the stack.
fn kind(text: &str) -> Option<Kind<'_>> {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let operands = operands.split(',').map(|operand| match operand.as_bytes() {
        bytes if bytes.contains(&b'[') => Operand::Memory,
        [b'0'..=b'9' | b'-', ..] => Operand::Number,
        _ => Operand::Register,
    });
    (!["push", "pop"].contains(&mnemonic)).then(|| (mnemonic, operands.collect()))
}

#[cfg(test)]
mod tests {
    use super::{Flow, most_times, times};
    use crate::specimen;
    use p5_results::{InstructionResult, StatementStart};

    #[test]
    fn a_line_is_executed_as_often_as_its_most_executed_instruction_in_each_copy() {
        let instruction = |executions, pass: Option<u32>, inlined| {
            let mut one = specimen::run().instructions.swap_remove(3);
            (one.executions, one.inlined) = (executions, inlined);
            one.trail = Vec::from_iter(pass.map(|pass| p5_results::TrailStep {
                name: "rept".to_owned(),
                pass: Some(pass),
                place: (0, 1),
            }));
            one
        };
        let of = |all: &[InstructionResult]| times(all.iter());
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[instruction(1, None, None), instruction(20, None, None)]), 20);
        assert_eq!(of(&[instruction(7, Some(1), None), instruction(7, Some(2), None)]), 14);
        assert_eq!(
            of(&[
                instruction(5, None, Some(0)),
                instruction(3, None, Some(0)),
                instruction(2, None, Some(1))
            ]),
            7
        );
    }

    #[test]
    fn each_beginning_of_a_statement_is_that_of_a_copy() {
        // Instructions of one line by address, with their executions, and beginnings by column.
        let line = |all: &[(u32, u64)], starts: &[(u32, u32)]| {
            let all = all.iter().map(|&(address, executions)| {
                let mut one = specimen::run().instructions.swap_remove(3);
                (one.address, one.length, one.executions) = (address, 4, executions);
                one.trail = Vec::new();
                one
            });
            let all: Vec<InstructionResult> = all.collect();
            let starts = starts.iter().map(|&(column, address)| StatementStart {
                place: (0, 3),
                column,
                address,
            });
            let starts: Vec<StatementStart> = starts.collect();
            (times(all.iter()), most_times(all.iter(), &starts))
        };
        let four = [(0, 9), (4, 9), (8, 9), (12, 7)];
        assert_eq!(line(&four, &[(5, 0), (5, 8)]), (9, 18));
        // What was moved before the first beginning belongs to no copy.
        assert_eq!(line(&four, &[(5, 4), (5, 12)]), (9, 16));
        // Beginnings without code of the line after them are no copies; the statement with the most copies counts.
        assert_eq!(line(&four, &[(5, 0), (5, 16)]), (9, 9));
        assert_eq!(line(&four, &[(5, 0), (5, 8), (19, 0), (19, 4), (19, 8)]), (9, 27));
        // The condition before a loop, with the step of the loop after it in either order.
        let rounds = [(0, 1), (8, 100), (12, 100)];
        assert_eq!(line(&rounds, &[(5, 0), (5, 12), (19, 8)]), (100, 100));
        assert_eq!(line(&rounds, &[(5, 0), (5, 8), (19, 12)]), (100, 100));
        assert_eq!(line(&rounds, &[(5, 0), (5, 12)]), (100, 100));
    }

    #[test]
    fn a_line_of_equal_runs_between_those_of_others_may_have_been_executed_more_often() {
        // The number of executions is 0 for an instruction of another line.
        let line = |all: &[(&str, u64)]| {
            let all = all.iter().zip(1..).map(|(&(text, executions), number)| {
                let mut one = specimen::run().instructions.swap_remove(3);
                (one.text, one.executions) = (text.to_owned(), executions);
                (one.address, one.length) = (4 * number, 4);
                (one.needs.flow, one.trail) = (Flow::Next, Vec::new());
                one
            });
            let all: Vec<InstructionResult> = all.filter(|one| one.executions > 0).collect();
            (times(all.iter()), most_times(all.iter(), &[]))
        };
        let other = ("inc ecx", 0);
        // One store, whatever the number of loads.
        let sum = [
            ("mov eax,[a]", 9),
            other,
            ("add eax,[b]", 9),
            other,
            ("add eax,[c]", 9),
            other,
            ("mov [d],eax", 9),
        ];
        assert_eq!(line(&sum), (9, 9));
        let unrolled = [
            ("add edx,ebx", 7),
            other,
            ("mov cl,1", 7),
            other,
            ("add edx,esi", 5),
            other,
            ("mov cl,1", 5),
        ];
        assert_eq!(line(&unrolled), (7, 12));
        // A structure of three fields is copied, whatever another line does meanwhile.
        let fields = [
            "mov ecx,[edx]",
            "mov [eax],ecx",
            "mov ecx,[edx+4]",
            "mov [eax+4],ecx",
            "mov ecx,[edx+8]",
        ];
        let mut copied: Vec<(&str, u64)> = fields.map(|text| (text, 9)).to_vec();
        copied.push(("mov [eax+8],ecx", 9));
        assert_eq!(line(&copied), (9, 9));
        copied.insert(3, other);
        assert_eq!(line(&copied), (9, 9));
        // What the compiler moved before the loop is no copy.
        assert_eq!(
            line(&[("mov eax,[a]", 1), other, ("mov eax,[b]", 1), other, ("add eax,edx", 9)]),
            (9, 9)
        );
        assert_eq!(line(&[("push eax", 3), other, ("push edx", 3)]), (3, 3));
    }
}
