//! What the figures of reports are: how sure they are, what bounds them, and the errors of estimates.
//!
//! Modelled: the texts. Not modelled: how the figures are found, which is in `advice`, `sure` and `samples`.

use super::Concept;
use super::OPTIMIZATION;
use p5_chips::Text;

pub(crate) static FIGURES: &[Concept] = &[
    Concept {
        name: "how sure",
        text: Text {
            rule: "The line under a figure says what it would be under other answers to the questions that the sources \
                   leave open, and how many of its clocks doubted rows of the timing table give. The range is the \
                   least and the most of whole runs of the same program: each other answer to a question that concerns \
                   something it executes, then those together that change something; one more run with all other \
                   answers finds questions that change something only beside others. Beside the answers that give the \
                   program the fewest and the most clocks, each answer is then changed in turn. Runs of more than \
                   200,000 clocks together are repeated only with `--sure`. An answer that `--assume` names stays. A \
                   row that is doubted because of a question counts in the range alone. No line: no other answer \
                   changes the figure, and no other doubted row has a part in it. `--long` and JSON have the range of \
                   cold figures beside warm ones; their clocks from doubted rows are counted with `--runs 1` only.",
            source: "the report's own rule; `p5inst timings` has the doubts, with `--assumptions` the questions",
            not_modelled: "How far a doubted row may be off; doubts of memory presets and page walks, which `p5inst \
                           explain memory` names, and of rules without an answer to choose, such as all of a chip \
                           whose every row is doubted; what a question that changes nothing alone changes beside some \
                           other answers, if it changes nothing beside all of them nor beside those with the fewest \
                           and the most clocks; of more than 16 combinations those in which only a region or a line \
                           goes farther than in these, or two answers at once; questions about instructions that are \
                           executed under another answer only; counts of events but in regions, for which one that \
                           changes no clock is tried alone.",
            tests: &[
                (
                    "snapshots/tests/engines/open_questions.rs",
                    "a_question_that_a_run_does_not_touch_changes_nothing",
                ),
                (
                    "runtime/report/src/sure/tests.rs",
                    "a_bar_has_the_range_of_all_runs_and_the_questions_that_change_it",
                ),
                (
                    "instrumenter/tests/sure.rs",
                    "a_figure_has_the_range_of_runs_under_each_answer",
                ),
                (
                    "instrumenter/tests/sure.rs",
                    "a_question_that_changes_nothing_alone_is_tried_beside_others",
                ),
            ],
            said: &[
                "sure",
                "sureness",
                "bar",
                "range",
                "range of clocks",
                "rest on",
                "rests on",
                "or * to",
                "doubt",
                "doubts",
                "doubted",
                "instruction timings in doubt",
                "open questions may change these clocks",
                "open question may change these clocks",
                "doubted row",
                "doubted rows",
                "not tried",
                "under open question",
                "under open questions",
                "rests on doubted",
                "rest on doubted",
            ],
        },
    },
    Concept {
        name: "bound",
        text: Text {
            rule: "Under a diagram stands how few clocks the same instructions need: two pipes, the longest chain of \
                   dependent results, what only U or one unit can do, one register that holds one value after another: \
                   another register for some of them may help there. Uneven pairs last as long as their longer half, which \
                   one-clock instructions cannot fill. No order beats its bound; of a loop, that is the \
                   bound of a round that jumps back: the last one may take less where a jump costs more than going \
                   on.",
            source: OPTIMIZATION,
            not_modelled: "Whether an order of the instructions reaches it.",
            tests: &[
                ("runtime/tests/diagram.rs", "no_straight_code_beats_its_bound"),
                (
                    "runtime/tests/diagram.rs",
                    "no_loop_beats_its_bound_and_no_round_is_lost",
                ),
            ],
            said: &[
                "no order takes less than",
                "takes less than",
                "two pipes",
                "one pipe",
                "only u runs some",
                "some pair only in v",
                "one floating point unit",
                "one mmx multiplier",
                "one mmx shifter",
                "a chain of results",
                "chain of results",
                "one register",
                "lower bound",
                "least clocks",
                "no order",
                "no order takes less",
                "need",
                "needs",
                "some never pair",
                "uneven pairs",
                "uneven pair",
                "longer half",
                "the longest one",
            ],
        },
    },
    Concept {
        name: "sigmas",
        text: Text {
            rule: "Figures from samples are estimates: each sample stands for the ops of a period. One sigma is the \
                   standard error of such an estimate, how far chance alone moves it in two of three recordings; in \
                   one of twenty it is off by more than two. A column `sigmas` beside `exact` has the error in that \
                   unit, so that 0.5 is chance and 5 is not. Four times the samples halve it. An attempt to take a \
                   sample is dropped if there is no op to tag at the end of its period: `p5inst query FILE` counts them.",
            source: "the report's own rule; AMD, BIOS and Kernel Developer's Guide for Family 10h, 3.13: sampling",
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/samples/grading.rs",
                "what_is_taken_of_everything_has_no_error_by_chance",
            )],
            said: &[
                "sigma",
                "standard error",
                "standard errors",
                "error sigmas",
                "dropped",
                "dropped samples",
                "attempts",
            ],
        },
    },
];
