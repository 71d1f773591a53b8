//! AMD's instruction-based sampling of fetches and ops.
//!
//! Modelled: its bits in CPUID, and its registers, whose fields are in `ibs.rs`. Not modelled: the entries of AMD's
//! extended local vector table. Samples interrupt by the entry of the performance counters, and IbsControl states that
//! it names no entry. DOUBT: the writable bits of the registers, and the effect of a reserved bit.

use super::{LeafBits, Monitor};
use crate::Text;
use crate::ibs::*;
use crate::{ModelRegister, Role};
use asm_macros::events::Event;

/// Leaf 8000001Bh, EAX: the flags are valid; fetch sampling, op sampling, writable current count, dispatched ops,
/// branch target, 27 bits of count, the extended fetch control, IbsOpData4, the filters of misses and of latency.
const CAPABILITIES: u32 = 0x1E7F;

const fn register(number: u32) -> ModelRegister {
    ModelRegister {
        number,
        role: Role::Sampling(number),
        reset: 0,
    }
}

pub(super) static IBS: Monitor = Monitor {
    name: "ibs",
    title: "AMD's instruction-based sampling of fetches and ops",
    text: Text {
        rule: "With `--monitor ibs` there are the registers C0011030h to C001103Dh, by which a program samples itself, \
               and CPUID says so. The fetch unit tags one fetch of 16 times the maximum count, the op unit one op. \
               When a tagged op retires, or a tagged fetch ends, its register image is whole and it interrupts by the \
               counters' entry of the local APIC. `p5inst sample` takes the same samples from outside. An op is a step \
               of an instruction that makes one access, or reads, modifies and writes an operand; an instruction \
               without accesses is one op, PUSHA is 8, and the steps of the delivery of an interrupt count for the \
               instruction that it interrupts. A count of clocks goes on when an op has been tagged, or none was \
               there: the wait for it adds to the distance. The fetch unit counts completed fetches and tags the next \
               one of any kind, so that a fetch is never tagged right after one that was killed or aborted; a period \
               that ends with such a one is a fetch short, which counts of periods below 16 show.",
        source: "AMD, BIOS and Kernel Developer's Guide for Family 10h, 3.12 (instruction based sampling registers)",
        not_modelled: "The entries of AMD's extended local vector table: IbsControl names none. How long a cycle count \
                       waits for an op to tag is a guess of 8 clocks, and so is which op of a pair it tags. Reserved \
                       bits and those of a fetch's sample ignore what is written, where families may fault or take it.",
        tests: &[
            ("snapshots/asm/sampled_by_the_program.asm", "samples"),
            ("snapshots/asm/fetches_sampled_at_random.asm", "random_least"),
            ("snapshots/asm/last_level_misses_sampled.asm", "far_misses"),
            ("snapshots/asm/slow_loads_sampled.asm", "slow_samples"),
            ("snapshots/asm/ops_sampled_by_clocks.asm", "clock_behind"),
            ("snapshots/asm/current_counts_of_samplers.asm", "after_write"),
            ("snapshots/asm/samplers_and_a_counter_at_once.asm", "first_fetch"),
            (
                "snapshots/tests/sampling.rs",
                "ops_and_fetches_of_the_test_programs_add_up_to_their_events",
            ),
        ],
        said: &["sampling", "sample", "samples", "with ibs attached"],
    },
    cpuid: &[
        LeafBits {
            leaf: 0x8000_0001,
            bits: [0, 0, 1 << 10, 0],
        },
        LeafBits {
            leaf: 0x8000_001B,
            bits: [CAPABILITIES, 0, 0, 0],
        },
    ],
    registers: &[
        register(IBS_FETCH_CTL),
        register(IBS_FETCH_LIN_AD),
        register(IBS_FETCH_PHYS_AD),
        register(IBS_OP_CTL),
        register(IBS_OP_RIP),
        register(IBS_OP_DATA),
        register(IBS_OP_DATA2),
        register(IBS_OP_DATA3),
        register(IBS_DC_LIN_AD),
        register(IBS_DC_PHYS_AD),
        register(IBS_CONTROL),
        register(IBS_BR_TARGET),
        register(IC_IBS_EXTD_CTL),
        register(IBS_OP_DATA4),
    ],
    features: &[],
    control_register_4: 0,
    forms: &[],
    rows: &[],
    interrupts: true,
    raises: &[Event::HARDWARE_INTERRUPTS],
    master: None,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guess_is_told_as_it_is_made() {
        let told = format!("a guess of {CLOCKS_TO_A_GROUP} clocks");
        assert!(IBS.text.not_modelled.contains(&told));
    }
}
