//! The text of each cause of clocks.
//!
//! Modelled: one text for each cause. Not modelled: the charging of clocks to causes, which is in `pipeline`.

use super::{FOG, IDENTITIES, INTEL, TABLE};
use p5_chips::Text;
use p5_words::causes::Cause;

/// What a cause means.
pub(crate) fn of_cause(cause: Cause) -> Text {
    match cause {
        Cause::Issue => Text {
            rule: "Each instruction, or pair, that begins to execute takes this clock. It is the least that code \
                   takes: half a clock an instruction if all pair.",
            source: INTEL,
            not_modelled: "",
            tests: &[(TABLE, "S0-a"), IDENTITIES],
            said: &["issued"],
        },
        Cause::Execution => Text {
            rule: "An instruction that takes several clocks holds its stage for the clocks beyond the first: an \
                   operation that reads memory takes one more, one that writes it back two. So does an instruction \
                   that waits for the result of a multiply. `p5inst timings` has the clocks of each form.",
            source: "Agner Fog, Instruction tables 2021; Intel instruction set reference",
            not_modelled: "",
            tests: &[
                (TABLE, "ALU r,m"),
                ("snapshots/tests/tables.rs", "every_form_a_chip_has_is_timed"),
                IDENTITIES,
            ],
            said: &["takes", "has no result yet", "takes several clocks", "slow instruction"],
        },
        Cause::FloatingPoint => Text {
            rule: "An instruction waits for a result of the floating-point unit, or until the unit accepts it: an \
                   addition or a multiply is ready some clocks after its issue (`p5inst timings fadd`), and a store \
                   wants its operand a clock earlier.{unit_waits} FDIV and the like keep the \
                   unit busy for tens of clocks, in which integer instructions go on: a row says how many of these \
                   clocks such work hides.",
            source: "Intel, Architecture Optimization Manual 1997, 3 and 5; Agner Fog, Instruction tables 2021; \
                     Abrash, Graphics Programming Black Book, 63",
            not_modelled: "Operands' part in the clocks of transcendental instructions, which take their least, and \
                           the operations that run beside them.",
            tests: &[
                (TABLE, "ABR-63-2"),
                (TABLE, "FADD in two streams"),
                (
                    "runtime/machine/src/tests/long_work.rs",
                    "a_long_result_is_waited_for_when_it_is_used_however_far_away",
                ),
                ("snapshots/asm/x87_overlap.asm", "expect"),
            ],
            said: &[
                "floating point",
                "floating point, mmx",
                "fpu",
                "x87",
                "is not ready",
                "occupies the floating-point unit",
                "unit busy",
                "hidden by other work",
                "occupies the multiplier",
                "may raise an exception",
                "right before an integer instruction",
            ],
        },
        Cause::Lockstep => Text {
            rule: "Both instructions of a pair leave EX together, and V touches memory only after the last access of \
                   U. A pair takes the clocks of the slower one; if U reads, changes and writes memory, V begins two \
                   clocks later. Two such instructions take 5 instead of 3.",
            source: "Agner Fog, Microarchitecture 2020, 4.1; Intel developer's manual 1997, 2; Abrash, 20",
            not_modelled: "",
            tests: &[(TABLE, "AGN-01 rmw rmw"), (TABLE, "lockstep 1"), IDENTITIES],
            said: &["in lockstep", "imperfect pairing"],
        },
        Cause::Agi => Text {
            rule: "Address generation interlock: an address is computed a stage before EX. If the group of the clock \
                   before, in either pipe, wrote a register of the address, it waits {interlock}. A part of a register \
                   counts as the whole. PUSH, POP, CALL and RET wait for an ESP that other instructions wrote, but not \
                   for each other's, and an address with ESP does not wait for theirs. Nothing waits for what microcode writes before its last clock, as LOOP does with \
                   ECX: `p5inst timings` marks such registers as early, and the assumption `early_writes` says of \
                   which forms it was measured.",
            source: "Intel, Architecture Optimization Manual 1997, 3; Agner Fog, Microarchitecture 2020, 4; Abrash, \
                     19; measured loops with LOOP",
            not_modelled: "",
            tests: &[
                (TABLE, "AGI in V"),
                (TABLE, "AGI, ESP then PUSH"),
                (TABLE, "ABR-19a"),
                ("snapshots/asm/early_writes.asm", "expect"),
                IDENTITIES,
            ],
            said: &["address generation interlock", "interlock"],
        },
        Cause::Prefix => Text {
            rule: "{prefixes}",
            source: "{prefixes_from}",
            not_modelled: "",
            tests: &[
                (TABLE, "prefix, shadowed"),
                (TABLE, "ABR-M1"),
                ("snapshots/src/figures/claims.rs", "shadow_reach=2"),
            ],
            said: &["prefixes", "shadow", "shadowing"],
        },
        Cause::BankConflict => Text {
            rule: "{banks_met}",
            source: FOG,
            not_modelled: "",
            tests: &[
                (TABLE, "bank, same dword"),
                (TABLE, "bank, far same"),
                (
                    "snapshots/tests/geometry.rs",
                    "the_data_cache_has_as_many_banks_as_the_chip_says",
                ),
            ],
            said: &["bank", "banks", "both access bank", "both access the same bank"],
        },
        Cause::Misaligned => Text {
            rule: "An access that crosses a multiple of {alignment} bytes takes {misaligned} more; one of 8 bytes, if \
                   it does not begin at a multiple of {wide_alignment}. Events count it as two accesses.",
            source: FOG,
            not_modelled: "Misaligned accesses of both instructions of a pair are taken to wait at the same time. \
                           Misaligned port accesses.",
            tests: &[
                (TABLE, "misaligned read"),
                (TABLE, "aligned odd word"),
                ("runtime/timing/src/units/data_cache.rs", "boundaries"),
            ],
            said: &["misaligned access", "alignment"],
        },
        Cause::DataReadMiss => Text {
            rule: "A read waits for the quadword it wants, which comes first of its line; a later read of the same \
                   line waits for its own. The data cache has {data_cache}. Writes that miss do not fill a line. \
                   While another transfer holds the bus, the read waits until that is done: a line fill, or a write \
                   from a buffer, which takes 18 clocks if it is to a video card. These clocks are told with the \
                   read, `until the bus is free`, with the instruction of the write if it was that. \
                   Event 1Ah also has clocks of page walks, and clocks in which a read waits that are charged to a \
                   bank conflict, so that it may be more.",
            source: INTEL,
            not_modelled: "DRAM pages, pipelined bus cycles.",
            tests: &[
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "the_wanted_quadword_comes_first",
                ),
                (
                    "snapshots/tests/geometry.rs",
                    "the_data_cache_is_as_large_as_the_chip_says",
                ),
            ],
            said: &[
                "read miss",
                "data cache miss",
                "until the bus is free",
                "the bus is free",
            ],
        },
        Cause::DataTlbMiss => Text {
            rule: "A data access to a page that is not among the {data_tlb} of the data TLB reads two entries of the \
                   page tables through the data cache{large_pages}. A run says in a note that the walk's own clocks \
                   are an estimate.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2 and 3; no document has the clocks",
            not_modelled: "Whether an entry of the Pentium MMX holds all of a page of 4 MiB is not documented.",
            tests: &[
                (
                    "snapshots/tests/geometry.rs",
                    "the_data_tlb_is_as_large_as_the_chip_says",
                ),
                (
                    "runtime/machine/src/tests/page_kinds.rs",
                    "a_large_page_is_one_entry_of_a_tlb_of_its_own",
                ),
                ("runtime/timing/src/units/tlb.rs", "a_forgotten_page_misses"),
            ],
            said: &["tlb miss", "tlb", "page walk"],
        },
        Cause::WriteBufferFull => Text {
            rule: "{which_writes} goes to a write buffer, and on to the bus when that is free: \
                   {write_buffers}. A write that finds no free buffer waits. {fewer_writes}",
            source: INTEL,
            not_modelled: "",
            tests: &[
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "each_pipe_has_one_write_buffer_and_reads_wait_for_both",
                ),
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "shared_buffers_take_the_writes_of_either_pipe",
                ),
            ],
            said: &[
                "write buffer full",
                "write buffer",
                "write buffers",
                "evicted lines, or other writes",
            ],
        },
        Cause::WriteOrder => Text {
            rule: "{write_order}",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2 and 16.4",
            not_modelled: "",
            tests: &[
                (
                    "runtime/timing/src/pipeline/stages/access.rs",
                    "write_hits_in_both_pipes_wait_in_the_same_clocks",
                ),
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "a_write_to_a_line_waits_for_its_fill_and_for_write_backs",
                ),
            ],
            said: &["write order", "other writes are under way"],
        },
        Cause::CodeMiss => Text {
            rule: "D1 waits for bytes of a line that is not in the code cache, which has {code_cache}. Once the bus is \
                   free, the line after the one that is fetched is read ahead, unless a page ends between them: the \
                   assumption `read_ahead`. It may evict what a loop as large as the cache begins with, and a line \
                   that is read again pairs only once it has been decoded again. A write to data in a line of \
                   code removes that line, see `p5inst explain \"changed code\"`.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2.1.1",
            not_modelled: "Lines beyond the next one; bytes prefetched before a store changed them.",
            tests: &[
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "a_code_line_is_read_ahead_once_the_bus_is_free",
                ),
                (
                    "snapshots/tests/geometry.rs",
                    "the_code_cache_is_as_large_as_the_chip_says",
                ),
                ("snapshots/asm/code_as_large_as_its_cache.asm", "expect"),
                ("snapshots/src/figures/claims.rs", "S0-f"),
            ],
            said: &["code cache miss", "prefetch"],
        },
        Cause::PrefetchQueue => Text {
            rule: "On a chip with one cache for code and data, an access of data keeps the prefetch from it in that \
                   clock. The queue takes up to 16 bytes in each other clock; an instruction whose bytes are not \
                   there waits.",
            source: "Intel, i486 Microprocessor Hardware Reference Manual 1990, 2 (remembered)",
            not_modelled: "Prefetches that a branch makes useless.",
            tests: &[
                (
                    "runtime/timing/src/pipeline/state/prefetched.rs",
                    "accesses_in_every_clock_leave_none_for_prefetches",
                ),
                ("snapshots/asm/prefetch_queue.asm", "expect"),
            ],
            said: &["prefetch queue"],
        },
        Cause::CodeTlbMiss => Text {
            rule: "As with data, for the {code_tlb} pages of {code_tlb_is}.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2 and 3; no document has the clocks",
            not_modelled: "",
            tests: &[(
                "runtime/timing/src/units/tlb.rs",
                "four_pages_of_a_set_stay_and_a_fifth_evicts_one",
            )],
            said: &["code tlb miss"],
        },
        Cause::Misprediction => Text {
            rule: "A branch that the branch target buffer predicts wrongly refills the pipeline: {in_ex}, or {in_wb} \
                   for a conditional branch in V, which is resolved a stage later. For a direct JMP or CALL, one \
                   source has a clock less: the assumption `mispredicted_jump`. A taken branch that is not in the \
                   buffer is predicted wrongly too. Special cases have rules of their own: `p5inst explain right \
                   after another`, `p5inst explain entry met by another`.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2.2; Agner Fog, Microarchitecture 2020, 3",
            not_modelled: "Prediction of far transfers; the buffer's order of replacement.",
            tests: &[
                (TABLE, "Jcc in V, to and fro"),
                (TABLE, "Jcc in U, to and fro"),
                ("runtime/timing/src/units/btb.rs", "the_measured_state_machine"),
            ],
            said: &["mispredicted", "misprediction"],
        },
        Cause::LockedBus => Text {
            rule: "XCHG with memory and LOCK read and write over the bus, past the cache, once earlier writes are done. \
                   The line that holds the data is written back and removed from the data cache first, so that the \
                   next read of it is a read miss. Two MOVs exchange with memory without that.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 6",
            not_modelled: "Other processors.",
            tests: &[
                (
                    "runtime/timing/src/pipeline/stages/access.rs",
                    "a_locked_access_across_pages_looks_both_up",
                ),
                (
                    "runtime/timing/src/units/bus/tests.rs",
                    "a_locked_access_modifies_what_the_second_level_holds",
                ),
                (
                    "instrumenter/tests/beyond.rs",
                    "misses_after_locked_accesses_are_told_by_the_lines_of_these",
                ),
            ],
            said: &["lock", "locked", "locked access", "follow the locked access"],
        },
        Cause::Io => Text {
            rule: "An access to I/O space goes over the bus and waits for it. No device answers: reads give ones.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 6",
            not_modelled: "Devices; misaligned port accesses.",
            tests: &[
                ("runtime/chips/src/stimuli.rs", "IO_CYCLE"),
                ("snapshots/asm/repeated_ports.asm", "expect"),
            ],
            said: &["port", "ports"],
        },
        Cause::Serialize => Text {
            rule: "A serialising instruction, such as CPUID, WRMSR, IRETD or a move to a control register, begins once \
                   all earlier writes are done, and the pipeline is refilled after it.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2.6.2",
            not_modelled: "",
            tests: &[
                ("snapshots/asm/privileged.asm", "expect"),
                ("snapshots/tests/event_counts.rs", "cpuid"),
            ],
            said: &["serialising", "serializing", "waits until all writes are done"],
        },
        Cause::Interrupt => Text {
            rule: "An interrupt or exception is delivered in place of the instruction that it interrupts or that \
                   raises it: beside that instruction stand the clocks from the first one until its handler can be \
                   entered. `p5inst timings` has them by the way to the handler, as `exception`. As in the Pentium's \
                   event 16h, the delivery counts as an instruction, so that line may have more executions than the \
                   program gave it. INT n, INT3 and INTO are instructions themselves, and their clocks are execution.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 16.4 (instructions executed)",
            not_modelled: "The bus cycles that acknowledge an interrupt from outside.",
            tests: &[("snapshots/asm/interrupt_delivered.asm", "expect"), IDENTITIES],
            said: &[
                "interrupts",
                "delivery",
                "exception",
                "exceptions",
                "the delivery of an interrupt or exception takes",
            ],
        },
        Cause::Halted => Text {
            rule: "HLT stops the core until an interrupt from outside comes, as that of a timer or of a counter. \
                   Beside HLT stand the clocks in between; the clock in which it issues and those of its execution are \
                   of their own causes. The time stamp counter goes on meanwhile, counters of core clocks do not. If \
                   no interrupt can come, HLT ends the run.",
            source: "Intel, IA-32 Software Developer's Manual, volume 2 (HLT) and volume 3B, 18.6 (unhalted clocks)",
            not_modelled: "The clocks that stopping and going on take.",
            tests: &[("snapshots/asm/halt_with_a_timer.asm", "expect"), IDENTITIES],
            said: &["halt", "hlt", "sleep", "sleeps", "idle"],
        },
    }
}
