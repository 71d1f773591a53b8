//! How often a line was executed, from the executions of its instructions.

use p5_results::{Flow, InstructionResult, TrailStep};
use std::collections::BTreeMap;

/// A copy of a line's code: the macro calls and repeats that made it, its function, and its inlined call.
type Copy<'a> = (&'a [TrailStep], Option<u32>, Option<u32>);

/// How often the code of a line was executed: as often as the most executed of its instructions. A line has several
/// copies if a macro, a repeat, or a compiler that inlines repeats it; their executions add up.
///
/// A compiler may move instructions of a line out of a loop, or spread them over the branches of the line, so that no
/// single one is executed each time. The copies of a loop that it has unrolled count as one here: see [`most_times`].
pub(super) fn times<'a>(instructions: impl Iterator<Item = &'a InstructionResult>) -> u64 {
    let mut copies: BTreeMap<Copy, u64> = BTreeMap::new();
    for one in instructions {
        let most = copies.entry((&one.trail, one.function, one.inlined)).or_default();
        *most = one.executions.max(*most);
    }
    copies.values().sum()
}

/// The fewest executions of each kind of instruction that show copies of a line.
const FEWEST: u64 = 4;

/// How often the code of a line of a compiled program was executed at most: a compiler that unrolls a loop makes copies
/// of its lines in one function, of which nothing tells whether they are copies. A line has copies if each kind of its
/// instructions, of those that together were executed as often as the line at least, occurs several times; it was
/// executed as often as those of one kind then, at most. Kinds are mnemonics with kinds of operands, without the jumps
/// and uses of the stack by which copies differ.
pub(super) fn most_times<'a>(instructions: impl Iterator<Item = &'a InstructionResult>) -> u64 {
    let mut copies: BTreeMap<Copy, Vec<&InstructionResult>> = BTreeMap::new();
    for one in instructions {
        copies
            .entry((&one.trail, one.function, one.inlined))
            .or_default()
            .push(one);
    }
    let of_copy = |all: Vec<&InstructionResult>| {
        let times = all.iter().map(|one| one.executions).max().unwrap_or(0);
        let mut kinds: BTreeMap<(&str, Vec<Operand>), u64> = BTreeMap::new();
        for one in all.iter().filter(|one| one.needs.flow == Flow::Next) {
            if let Some(kind) = kind(&one.text) {
                *kinds.entry(kind).or_default() += one.executions;
            }
        }
        let sums = || kinds.values().copied().filter(|&sum| sum >= times);
        match sums().min() {
            // Two stores, say, of a line that was executed once are no copies.
            Some(least) if least > times && least >= FEWEST => sums().max().unwrap_or(times),
            _ => times,
        }
    };
    copies.into_values().map(of_copy).sum()
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Operand {
    Memory,
    Number,
    Register,
}

/// The mnemonic of an instruction and the kinds of its operands; `None` of one that uses the stack.
fn kind(text: &str) -> Option<(&str, Vec<Operand>)> {
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
    use p5_results::InstructionResult;

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
    fn a_line_whose_kinds_of_instructions_all_occur_again_may_have_been_executed_more_often() {
        let line = |all: &[(&str, u64)]| {
            let all: Vec<InstructionResult> = (all.iter())
                .map(|&(text, executions)| {
                    let mut one = specimen::run().instructions.swap_remove(3);
                    (one.text, one.executions) = (text.to_owned(), executions);
                    (one.needs.flow, one.trail) = (Flow::Next, Vec::new());
                    one
                })
                .collect();
            (times(all.iter()), most_times(all.iter()))
        };
        // One store, whatever the number of loads.
        assert_eq!(
            line(&[
                ("mov eax,[a]", 9),
                ("add eax,[b]", 9),
                ("add eax,[c]", 9),
                ("mov [d],eax", 9)
            ]),
            (9, 9)
        );
        assert_eq!(
            line(&[("add edx,ebx", 7), ("mov cl,1", 7), ("add edx,esi", 5), ("mov cl,1", 5)]),
            (7, 12)
        );
        // What the compiler moved before the loop is no copy.
        assert_eq!(
            line(&[("mov eax,[a]", 1), ("mov eax,[b]", 1), ("add eax,edx", 9)]),
            (9, 9)
        );
        assert_eq!(line(&[("push eax", 3), ("push edx", 3)]), (3, 3));
    }
}
