//! How often a line was executed, from the executions of its instructions.

use p5_results::{InstructionResult, TrailStep};
use std::collections::BTreeMap;

/// A copy of a line's code: the macro calls and repeats that made it, its function, and its inlined call.
type Copy<'a> = (&'a [TrailStep], Option<u32>, Option<u32>);

/// How often the code of a line was executed: as often as the most executed of its instructions. A line has several
/// copies if a macro, a repeat, or a compiler that inlines repeats it; their executions add up.
///
/// A compiler may move instructions of a line out of a loop, or spread them over the branches of the line, so that no
/// single one is executed each time. The copies of a loop that it has unrolled count as one.
pub(super) fn times<'a>(instructions: impl Iterator<Item = &'a InstructionResult>) -> u64 {
    let mut copies: BTreeMap<Copy, u64> = BTreeMap::new();
    for one in instructions {
        let most = copies.entry((&one.trail, one.function, one.inlined)).or_default();
        *most = one.executions.max(*most);
    }
    copies.values().sum()
}

#[cfg(test)]
mod tests {
    use super::times;
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
}
