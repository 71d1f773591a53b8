//! What several causes or refusals have in common.
//!
//! Modelled: the texts. Not modelled: the rules, which are in `pipeline` and `units`.

use super::{FOG, OPTIMIZATION, TABLE, Text};

/// A topic of its own.
#[derive(Clone, Copy, Debug)]
pub struct Concept {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: Text,
}

/// The topics that are neither a cause nor a refusal, an event or an assumption.
pub static CONCEPTS: &[Concept] = &[
    Concept {
        name: "pairing",
        text: Text {
            rule: "Two instructions in a row issue in one clock if the first may go to U and the second to V, and nothing \
                   refuses: a register between them, a prefix, their constants or lengths, the first execution. Reports \
                   name the refusal, and each is a topic.",
            source: "Intel, Architecture Optimization Manual 1997, 3 and appendix A; Agner Fog, Microarchitecture 2020, 4; \
                     Intel, Pentium Processor Family Developer's Manual 1997, 2",
            not_modelled: "",
            tests: &[
                (TABLE, "S0-a"),
                (TABLE, "ABR-21c"),
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                ("snapshots/tests/tables.rs", "the_table_as_it_is"),
            ],
            said: &["pair", "pairs", "u", "v", "uv"],
        },
    },
    Concept {
        name: "btb",
        text: Text {
            rule: "The branch target buffer has {btb}. It predicts by {prediction}. A branch enters it when it is taken; \
                   what is not in it is predicted to fall through. A wrong prediction is the cause `misprediction`.",
            source: FOG,
            not_modelled: "Prediction of far transfers; the order of replacement.",
            tests: &[
                ("runtime/src/units/btb.rs", "the_measured_state_machine"),
                ("runtime/src/units/history.rs", "patterns_of_up_to_five_are_learned"),
                (
                    "snapshots/tests/geometry.rs",
                    "the_branch_target_buffer_is_as_large_as_the_chip_says",
                ),
            ],
            said: &["branch target buffer", "prediction", "branch", "branches"],
        },
    },
    Concept {
        name: "cache",
        text: Text {
            rule: "Code has {code_cache}, data {data_cache}. Both fill a line on a read miss and replace the least recently \
                   used way; data is written back. `--memory` names what is behind them.",
            source: "Intel, Pentium Processor Family Developer's Manual 1997, 2 and 3",
            not_modelled: "Pages that are marked as not cacheable; parity; code reads while line fills are inhibited.",
            tests: &[
                ("runtime/src/units/data_cache.rs", "the_least_recently_used_way_leaves"),
                (
                    "runtime/src/units/code_cache.rs",
                    "a_touched_line_outlives_an_older_one",
                ),
                (
                    "snapshots/tests/geometry.rs",
                    "the_data_cache_is_as_large_as_the_chip_says",
                ),
            ],
            said: &["caches", "line", "lines"],
        },
    },
    Concept {
        name: "mmx",
        text: Text {
            rule: "The first MMX instruction after one of the floating-point unit waits {to_packed}, the first one of the \
                   unit after MMX {from_packed}; EMMS stands between them. A chip without MMX waits for neither.",
            source: "Agner Fog, Instruction tables 2021, Pentium MMX; Intel, Architecture Optimization Manual 1997, 2",
            not_modelled: "",
            tests: &[
                ("snapshots/asm/packed_latency.asm", "expect"),
                ("snapshots/asm/packed_pairs.asm", "expect"),
            ],
            said: &["emms", "packed"],
        },
    },
    Concept {
        name: "measured",
        text: Text {
            rule: "StartTSC and EndTSC read the time stamp counter and subtract what an empty region takes, as on a \
                   Pentium; `measured` is their result. The clocks beside it are the simulator's own: from the issue of \
                   the region's first instruction to that of the first one behind it.",
            source: "TalkieToaster, P5 basics, release 2; Intel, Pentium Processor Family Developer's Manual 1997, 16",
            not_modelled: "",
            tests: &[
                (
                    "instrumenter/tests/library/main.rs",
                    "a_region_of_known_clocks_measures_exactly_these",
                ),
                (
                    "snapshots/tests/engines.rs",
                    "the_time_stamp_counter_tells_the_machines_own_clocks",
                ),
            ],
            said: &["overhead", "tsc", "starttsc", "endtsc"],
        },
    },
    Concept {
        name: "bound",
        text: Text {
            rule: "Under a diagram stands how few clocks the same instructions need: two pipes, the longest chain of \
                   dependent results, what only U or one unit can do. No code beats its bound.",
            source: OPTIMIZATION,
            not_modelled: "Whether an order of the instructions reaches it.",
            tests: &[
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                (
                    "runtime/tests/diagram.rs",
                    "no_loop_beats_its_bound_and_no_round_is_lost",
                ),
            ],
            said: &["clocks need", "two pipes"],
        },
    },
];
