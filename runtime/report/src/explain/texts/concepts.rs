//! Concepts that several causes or refusals share.
//!
//! Modelled: the texts. Not modelled: the rules, which are in `pipeline` and `units`.

use super::{Concept, FOG, IDENTITIES, TABLE};
use p5_chips::Text;

/// The kinds of mispredictions in reports.
const PREDICTIONS: (&str, &str) = (
    "snapshots/tests/reports.rs",
    "mispredictions_of_each_kind_are_told_apart_and_explained",
);

/// The topics that are neither a cause nor a refusal, an event or an assumption.
pub(crate) static CONCEPTS: &[Concept] = &[
    Concept {
        name: "pairing",
        text: Text {
            rule: "Two instructions in a row issue in one clock if the first may go to U and the second to V, and \
                   nothing refuses: a register between them, a prefix, their constants or lengths, the first \
                   execution. Reports name the refusal, and each is a topic.",
            source: "Intel, Architecture Optimization Manual 1997, 3 and appendix A; Agner Fog, Microarchitecture \
                     2020, 4; Intel, Pentium Processor Family Developer's Manual 1997, 2",
            not_modelled: "",
            tests: &[
                (TABLE, "S0-a"),
                (TABLE, "ABR-21c"),
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                ("snapshots/tests/tables.rs", "the_table_as_it_is"),
            ],
            said: &[
                "pair",
                "pairs",
                "u",
                "v",
                "uv",
                "why does it not pair",
                "hazard",
                "data hazard",
            ],
        },
    },
    Concept {
        name: "btb",
        text: Text {
            rule: "The branch target buffer has {btb}. It predicts by {prediction}. A branch enters it when it is \
                   taken; what is not in it is predicted to fall through. A wrong prediction is the cause \
                   `misprediction`.",
            source: FOG,
            not_modelled: "Prediction of far transfers; the order of replacement.",
            tests: &[
                ("runtime/timing/src/units/btb.rs", "the_measured_state_machine"),
                (
                    "runtime/timing/src/units/history.rs",
                    "patterns_of_up_to_five_are_learned",
                ),
                (
                    "snapshots/tests/geometry.rs",
                    "the_branch_target_buffer_is_as_large_as_the_chip_says",
                ),
            ],
            said: &[
                "branch target buffer",
                "prediction",
                "branch",
                "branches",
                "mispredict",
                "flush",
                "branch history",
                "return stack",
                "return address",
                "return addresses",
            ],
        },
    },
    Concept {
        name: "tight",
        text: Text {
            rule: "{tight_loop}",
            source: "Agner Fog, Microarchitecture 2020, 3.2 and 3.3",
            not_modelled: "That complex integer instructions do not count. DOUBT: how many outcomes are late, which the \
                           sources tell by examples only.",
            tests: &[(
                "runtime/timing/src/units/history.rs",
                "a_short_loop_of_six_or_seven_rounds_is_predicted",
            )],
            said: &[
                "its last outcomes come too late in so short a loop",
                "too short for the history",
                "pattern",
                "history",
                "late outcomes",
            ],
        },
    },
    Concept {
        name: "misprediction right after another",
        text: Text {
            rule: "{right_after}",
            source: "Agner Fog, Microarchitecture 2020, 3.2",
            not_modelled: "",
            tests: &[PREDICTIONS],
            said: &[
                "right after a misprediction",
                "no prediction can be used",
                "as it follows a mispredicted branch",
                "follows a mispredicted branch",
                "right after another",
            ],
        },
    },
    Concept {
        name: "entry met by another",
        text: Text {
            rule: "{entry_met}",
            source: "Agner Fog, Microarchitecture 2020, 3.2",
            not_modelled: "",
            tests: &[
                PREDICTIONS,
                (
                    "runtime/timing/src/units/btb.rs",
                    "an_entry_is_met_while_it_predicts_a_taken_branch",
                ),
            ],
            said: &[
                "the next group, which has no branch, met a branch's entry",
                "the predictor took it for a branch",
                "met the branch's entry",
                "met a branch's entry",
                "met a branch",
                "met an entry",
            ],
        },
    },
    Concept {
        name: "branch to the next address",
        text: Text {
            rule: "{to_next}",
            source: "Agner Fog, Microarchitecture 2020, 3.2",
            not_modelled: "",
            tests: &[PREDICTIONS],
            said: &["as it leads to the next address", "to the next address"],
        },
    },
    Concept {
        name: "entry of two branches",
        text: Text {
            rule: "{entry_shared}",
            source: "Agner Fog, Microarchitecture 2020, 3.2 and 3.3",
            not_modelled: "",
            tests: &[(
                "runtime/timing/src/units/history.rs",
                "branches_that_end_in_the_same_dword_share_an_entry",
            )],
            said: &["shares its entry"],
        },
    },
    Concept {
        name: "cache",
        text: Text {
            rule: "{caches}",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2 and 3",
            not_modelled: "Code in pages that are marked as not cacheable; parity; code reads while line fills are \
                           inhibited.",
            tests: &[
                (
                    "runtime/timing/src/units/data_cache.rs",
                    "the_least_recently_used_way_leaves",
                ),
                (
                    "runtime/timing/src/units/code_cache.rs",
                    "a_touched_line_outlives_an_older_one",
                ),
                (
                    "snapshots/tests/geometry.rs",
                    "the_data_cache_is_as_large_as_the_chip_says",
                ),
            ],
            said: &[
                "caches",
                "line",
                "lines",
                "not cached",
                "cached",
                "miss",
                "misses",
                "allocate",
                "allocates",
                "write allocate",
                "no write allocate",
                "write miss",
                "write misses",
            ],
        },
    },
    Concept {
        name: "mmx",
        text: Text {
            rule: "The first MMX instruction after one of the floating-point unit waits for {to_packed} from the end \
                   of that one, and until the unit has done all its work, such as a square root; the first one of the \
                   unit after MMX waits for {from_packed} from the end of the last MMX instruction. Other work in \
                   between, such as a loop, hides as much of the wait. EMMS stands between them. Chips without MMX \
                   wait for neither. Doubted: the figures, which were measured as about that; that other work hides \
                   them and that MMX waits for the unit, for which there is no source.",
            source: "Agner Fog, Instruction tables 2021, Pentium MMX; Intel, Architecture Optimization Manual 1997, 2",
            not_modelled: "A switch that costs less because few registers were used.",
            tests: &[
                ("snapshots/asm/packed_latency.asm", "expect"),
                ("snapshots/asm/packed_behind_unit.asm", "expect"),
                ("snapshots/asm/packed_pairs.asm", "expect"),
            ],
            said: &["emms", "packed", "registers are switched"],
        },
    },
    Concept {
        name: "budget",
        text: Text {
            rule: "A comment that begins with `p5:` sets limits that a run must keep, as `; p5: cycles <= 16, agi == \
                   0`: of its line, of a region in the line of its start macro, of a loop in the line of its label, \
                   of a procedure in the line of its `proc`. What a conditional leaves out has none. In C of a \
                   program that was built with `-g`: of a line, or of a function where it begins. Quantities are \
                   cycles, `cold cycles` of a region, instructions, pairs, v, cpi and each cause of lost clocks; a \
                   limit has `<=`, `<`, `>=`, `>` or `==`, and `%` for pairs and v. The figures are of the last run, \
                   by execution or pass. One that does not hold is an error, exit code 1; `--format junit` and \
                   `sarif` tell CI.",
            source: "the command's own rule",
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/budgets.rs",
                "budgets_that_hold_change_nothing_but_a_line",
            )],
            said: &["budgets", "p5:"],
        },
    },
    Concept {
        name: "measured",
        text: Text {
            rule: "StartTSC and EndTSC read the time stamp counter and subtract what an empty region takes, as on a \
                   Pentium; `measured` is their result. The clocks beside it are the simulator's own: from the issue \
                   of the region's first instruction to that of the first one after it.",
            source: "TalkieToaster, P5 basics, release 2; Intel, Pentium Processor Family Developer's Manual 1997, 16",
            not_modelled: "",
            tests: &[
                (
                    "instrumenter/tests/library.rs",
                    "a_region_of_known_clocks_measures_exactly_these",
                ),
                (
                    "snapshots/tests/engines.rs",
                    "the_time_stamp_counter_tells_the_machines_own_clocks",
                ),
            ],
            said: &[
                "overhead",
                "tsc",
                "not measured",
                "the end macro left no result",
                "probe",
                "probes",
                "probe of",
            ],
        },
    },
    Concept {
        name: "rdtsc and pairing",
        text: Text {
            rule: "RDTSC never pairs (`p5inst timings rdtsc`). TalkieToaster's text of 1996 says that it seems to pair \
                   with almost any instruction; the tables of Intel and of Agner Fog, who measured, have it as not \
                   pairable, and so it is here. What comes and goes in front of it is a clock for its 0Fh, which is \
                   decoded as a prefix: an instruction of several clocks right before it, such as the IMUL of the \
                   macros, hides that clock, as a partner would. The macros' constant of 27 clocks, which was \
                   measured, comes out without a pair.",
            source: "TalkieToaster, P5 basics, release 2; Agner Fog, Instruction tables 2021, Pentium, note j; Agner \
                     Fog, Pentium optimization 1996, Testing speed; Intel instruction set reference",
            not_modelled: "",
            tests: &[
                (TABLE, "S0-e cpl 0"),
                (TABLE, "RDTSC, CPL 0"),
                ("snapshots/tests/tables.rs", "the_table_as_it_is"),
            ],
            said: &[],
        },
    },
    Concept {
        name: "what if",
        text: Text {
            rule: "`--what-if` runs the program again without one of the chip's costs, and on each other chip: \
                   `no-agi`, no address waits for a register of the clock before; `predicted`, every near branch is \
                   foreseen; `cached`, every line and translation is there, and code has been decoded before; \
                   `aligned`, no access crosses a boundary; `banks`, two accesses of one clock never meet in one; \
                   `together`, these five at once; `one-pipe`, V is off. Savings do not add \
                   up: a clock may be lost to two causes at once, and where one ends another may begin, so that a \
                   program may even take more clocks. With `cached`, one cause of waiting for code remains: the \
                   pipeline, empty after reset, takes two clocks of the first run to fill (one on a chip without \
                   a stage before D1).",
            source: "the command's own rule; the suppositions are changes of the chip's rules, as assumptions are",
            not_modelled: "A program that is written for such a chip.",
            tests: &[
                (
                    "snapshots/tests/engines/suppositions.rs",
                    "a_supposition_ends_its_causes_and_changes_nothing_else",
                ),
                (
                    "snapshots/tests/engines/suppositions.rs",
                    "the_lines_of_a_comparison_add_up_to_the_program",
                ),
            ],
            said: &["--what-if", "what-if", "no-agi", "one-pipe"],
        },
    },
    Concept {
        name: "audit",
        text: Text {
            rule: "`p5inst audit` says what a region's macros reported, what was true, and by cause where the \
                   difference comes from. Edges are the clocks from the start macro's reading to the region and from \
                   there to the end macro's reading, less those around the empty region that the macros subtract; \
                   region is what the macros change inside, against the same pass without macros. A pair that they \
                   split is an issue more; a prefix that the code before hides no longer, a line that they evict or \
                   cache, an address that now waits are causes of their own. The second calibration subtracts what a \
                   number of copies of the region takes from what twice as many take, so that the macros cancel.",
            source: "TalkieToaster, P5 basics, release 2, a dry run; nanoBench, n against 2n copies",
            not_modelled: "Causes of counted events, which are told by place: before the region, or after it.",
            tests: &[
                (
                    "snapshots/tests/engines/audits.rs",
                    "the_causes_of_an_error_add_up_to_it_in_random_programs",
                ),
                (
                    "snapshots/tests/engines/audits.rs",
                    "the_causes_of_an_error_add_up_to_it_in_every_program_with_regions",
                ),
            ],
            said: &[
                "calibration",
                "doubtful",
                "edges",
                "error by cause",
                "copies",
                "without macros",
                "dry run",
            ],
        },
    },
    Concept {
        name: "warm",
        text: Text {
            rule: "A program is run several times (`--runs`), and caches and predictions stay. The first run, and a \
                   region's first pass in it, is cold; every later one is warm. A region's warm figures are those of \
                   the last run, or of a single run those of all its passes but the first. Runs are `not settled` if \
                   the last two took different clocks: more of them may yet give other figures. Behind it stands in what \
                   the last run differs: in instructions, if the program does other work each time, as with data that it \
                   keeps; or else in clocks of some causes, as the state of the predictor or of a cache goes on moving, \
                   often between two states in turn.",
            source: "the command's own rule",
            not_modelled: "",
            tests: &[
                (
                    "runtime/report/src/summary.rs",
                    "warm_is_the_last_run_or_all_but_the_first_pass",
                ),
                ("snapshots/src/figures/claims.rs", "S1-b"),
            ],
            said: &[
                "cold",
                "not settled",
                "settled",
                "passes a run",
                "the warm figure is of",
            ],
        },
    },
    Concept {
        name: "part of a wait",
        text: Text {
            rule: "`waited 5, 3 of it: AGI, 2: prefix` means that five clocks passed before the row's own, three of \
                   them for the cause that took most, and two for another one. Clocks after a mispredicted branch \
                   are in the row of the branch. `+5, 3 of it` says the same of clocks after the row's own.",
            source: "the report's own rule: every clock has exactly one cause",
            not_modelled: "",
            tests: &[
                IDENTITIES,
                (
                    "runtime/report/src/explain/tests.rs",
                    "every_reason_of_a_row_is_explained",
                ),
            ],
            said: &["of it"],
        },
    },
    Concept {
        name: "before the region",
        text: Text {
            rule: "A region's clocks count from the issue of its first instruction. What that waited before its issue \
                   is shown in its row, but belongs to no clock of the region. If it is the second half of a pair, the \
                   first half belongs to the start macro, and U is empty in its row.",
            source: "the report's own rule",
            not_modelled: "",
            tests: &[
                (
                    "instrumenter/tests/library.rs",
                    "a_region_of_known_clocks_measures_exactly_these",
                ),
                (
                    "runtime/report/src/explain/tests.rs",
                    "every_reason_of_a_row_is_explained",
                ),
            ],
            said: &[],
        },
    },
    Concept {
        name: "rounds",
        text: Text {
            rule: "A diagram folds a loop's rounds: of those with the same instructions it shows the most frequent \
                   one, with clocks counted from its start (`+0`; in a loop inside another `++0`), and says how many \
                   rounds there are, in how many clocks, and why others take more. Rounds with other instructions are \
                   other paths. Equal rows in a row are one, marked with their number (`x3`) and the clocks of the \
                   first and the last.",
            source: "the report's own rule",
            not_modelled: "",
            tests: &[(
                "runtime/tests/diagram.rs",
                "no_loop_beats_its_bound_and_no_round_is_lost",
            )],
            said: &[
                "round",
                "each",
                "round from clock",
                "rounds from clock",
                "the first round began in v",
                "rounds traced",
                "clocks in all",
                "in all",
                "in the other",
                "in the others",
                "rounds from",
                "on * paths",
                "path",
                "paths",
                "in * of them",
                "v is used in",
                "v in * clock",
                "v in * clocks",
                "traced of",
                "other path",
                "other paths",
                "clocks * to",
                "mean",
                "mean round",
            ],
        },
    },
    Concept {
        name: "icebp",
        text: Text {
            rule: "ICEBP, the byte F1h, which is also written INT1, raises #DB after itself, as a trap of its own: \
                   without the trap flag and without a debug register. A handler finds the address of the next \
                   instruction, a Linux program the signal SIGTRAP with the reason TRAP_BRKPT; without a handler the \
                   run ends there.",
            source: "Intel, Software Developer's Manual 2, INT n/INTO/INT3/INT1; Linux for the i386",
            not_modelled: "An emulator in the place of the processor, for which it was made.",
            tests: &[("snapshots/asm/linux_debug_interrupt.asm", "icebp")],
            said: &[
                "int1",
                "f1h",
                "debug interrupt",
                "debug interrupt instruction",
                "debug interrupt instruction *",
            ],
        },
    },
    super::changed::CHANGED_CODE,
    super::ending::END_OF_A_RUN,
    Concept {
        name: "strayed",
        text: Text {
            rule: "A program strays if execution leaves its source lines: by a jump, or by running on after the last \
                   instruction. Zeros there are executed as ADD of AL to memory. The report names the line that led \
                   there, counts instructions of empty memory in one row, and ends at the first fault; in real mode at \
                   the latest at the reset vector, F000h:FFF0h, where nothing but a BIOS could be. A jump to that \
                   vector on purpose resets the processor, which ends the run.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 3: reset in real mode",
            not_modelled: "A BIOS, and what a real machine has in memory that the program has not.",
            tests: &[
                ("snapshots/asm/slide_to_the_reset_vector.asm", "strayed"),
                ("snapshots/asm/jump_into_zeros.asm", "instructions of empty memory"),
            ],
            said: &[
                "stray",
                "astray",
                "reset",
                "reset vector",
                "empty memory",
                "instructions of empty memory",
                "jumped out of the program's code",
            ],
        },
    },
];
