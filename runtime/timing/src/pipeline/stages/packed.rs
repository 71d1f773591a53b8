//! Groups with MMX instructions: the work they leave under way, and the events of MMX.
//!
//! Modelled: instructions by pipe, EMMS, saturations, the accesses of MMX instructions and their waits. Only an MMX
//! instruction accesses memory beside one that does, so the counts of the group's accesses are its own. Not modelled:
//! an instruction that EMMS or an exception of the floating-point unit restarts.

use crate::block::Op;
use crate::pipeline::core::Core;
use crate::pipeline::group::{Group, WRITES};
use asm_macros::events::Event;
use p5_chips::Class;
use p5_words::facts::Facts;

/// Each event of an access, with the corresponding event of an access by an MMX instruction.
const ACCESSES: [(Event, Event); 8] = [
    (Event::DATA_READ, Event::MMX_DATA_READ),
    (Event::DATA_WRITE, Event::MMX_DATA_WRITE),
    (Event::DATA_READ_MISS, Event::MMX_DATA_READ_MISS),
    (Event::DATA_WRITE_MISS, Event::MMX_DATA_WRITE_MISS),
    (Event::MISALIGNED_REFERENCES, Event::MMX_MISALIGNED_REFERENCES),
    (Event::DATA_READ_STALL, Event::MMX_DATA_READ_STALL),
    (Event::WRITE_BUFFER_FULL_STALL, Event::MMX_WRITE_BUFFER_FULL_STALL),
    (Event::WRITE_TO_M_OR_E_LINE_STALL, Event::MMX_WRITE_TO_M_OR_E_LINE_STALL),
];

impl Core {
    /// Executes a group with an MMX instruction, except for its branch. Returns the word at which the facts of the next
    /// group begin.
    pub(in crate::pipeline) fn execute_packed(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        let u = &ops[group.u as usize];
        let accesses = u.packed_use.is_some() && group.u_accesses > 0;
        let before = ACCESSES.map(|(event, _)| self.counts.tally.counted(event));
        self.execute_plainly::<true>(group, facts, at);
        let tally = &mut self.counts.tally;
        if accesses {
            // The schedule counts the access itself.
            let event = if group.shapes[0] & WRITES == 0 {
                Event::MMX_DATA_READ
            } else {
                Event::MMX_DATA_WRITE
            };
            tally.count(event, 1);
            for ((event, own), before) in ACCESSES.into_iter().zip(before) {
                let [occurrences, clocks] = tally.counted(event);
                tally.lasted(own, occurrences.wrapping_sub(before[0]), clocks.wrapping_sub(before[1]));
            }
        }
        let mut next = at;
        let executed = [(group.u, group.carried), (group.v, false)];
        for (pipe, (number, carried)) in executed.into_iter().enumerate() {
            let Some(op) = ops.get(number as usize) else { continue };
            let words = op.fact_words();
            let last = if carried {
                self.carried[words.saturating_sub(1) % self.carried.len()]
            } else {
                next += words;
                facts.word(next.wrapping_sub(1))
            };
            if op.packed_use.is_none() {
                continue;
            }
            let tally = &mut self.counts.tally;
            tally.count(
                [
                    Event::MMX_INSTRUCTIONS_EXECUTED_U_PIPE,
                    Event::MMX_INSTRUCTIONS_EXECUTED_V_PIPE,
                ][pipe],
                1,
            );
            tally.count(Event::EMMS_EXECUTED, u64::from(op.row.class == Class::Np));
            if op.counted {
                tally.count(Event::SATURATING_MMX_EXECUTED, 1);
                tally.count(Event::SATURATIONS_PERFORMED, u64::from(last));
            }
        }
        self.leave_packed(group, ops);
        next
    }
}
