//! How long a block may take, for compiled code: it runs up to a clock from which on a listener wants groups, and must
//! not issue one later than that.
//!
//! Modelled: nothing; this is an upper bound, made of the longest waits of this chip and this memory. Not modelled:
//! another bus master, beside which no code runs, and what follows the issue of a block's last group: a repeated string
//! instruction, whose clocks have no bound, is in that.

use crate::pipeline::Pipeline;
use crate::pipeline::group::NONE;
use crate::pipeline::noted::attention::Demand;
use p5_chips::{MemoryPreset, Model, Row, VIDEO};
use p5_words::isa::LONGEST_INSTRUCTION;
use std::cmp::Reverse;

/// The longest waits.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Longest {
    /// For what was under way before.
    before: u32,
    op: u32,
    access: u32,
    line: u32,
}

impl Longest {
    /// Those of a chip with a memory.
    pub(in crate::pipeline) fn new(model: &'static Model, memory: &MemoryPreset) -> Longest {
        let (geometry, rules) = (&model.geometry, &model.rules);
        let quadwords = |line: u32| line.div_ceil(geometry.bus_width);
        // For each fill, a line may have to be written back from either cache.
        let (data, code) = (quadwords(geometry.data_cache.line), quadwords(geometry.code_cache.line));
        let write_back = 2 * memory.memory.write_burst(data);
        let fill = memory.memory.read_burst(data) + write_back;
        let walk = memory.page_walk + 2 * fill;
        let slow = [
            memory.memory.locked,
            memory.io,
            VIDEO.transfers.first_quadword + VIDEO.transfers.write,
        ];
        let uncached = 4 * slow.into_iter().max().unwrap_or(0) + 2 * write_back;
        // An access may lie in two lines and two pages, and waits for the one before it.
        let access = rules.misaligned + rules.bank_conflict + (2 * (walk + fill)).max(uncached);
        let slowest = model.all_rows().map(Row::most_clocks).max().unwrap_or(0);
        let prefixes = &rules.prefix_decode;
        let prefix = prefixes.size.max(prefixes.escape).max(prefixes.other);
        let issue = rules.mispredicted_in_wb
            + rules.mispredicted_in_wb
            + rules.address_interlock
            + LONGEST_INSTRUCTION as u32 * u32::from(prefix);
        Longest {
            before: 4 * access + slowest,
            // An instruction of the floating-point unit may wait for the one before it.
            op: issue + 2 * slowest,
            access,
            line: 2 * (walk + memory.memory.read_burst(code) + write_back),
        }
    }

    /// The most clocks from the end of what precedes a block until its last group issues.
    pub(in crate::pipeline) fn of_block(self, ops: usize, accesses: usize, lines: usize) -> u32 {
        let [ops, accesses, lines] = [ops, accesses, lines].map(|count| count as u32);
        self.before + ops * self.op + accesses * self.access + lines * self.line
    }
}

impl Pipeline {
    /// The clock from which on compiled code must not issue groups, because a listener wants them, or `u64::MAX` if
    /// none does; `None` if no code may run now.
    #[inline]
    pub fn compiled_until(&self) -> Option<u64> {
        let attention = &self.core.attention;
        let until = match attention.demand {
            None => u64::MAX,
            // Samplers count what passes meanwhile.
            Some(Demand::Clock(Reverse(clock))) if !attention.observes && self.end() < clock => clock,
            Some(_) => return None,
        };
        (!self.core.switches.general_accesses && self.core.entry.open() == NONE).then_some(until)
    }
}
