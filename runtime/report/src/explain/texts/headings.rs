//! The headings and columns of reports, which people ask for by the words that they see.
//!
//! Modelled: the texts. Not modelled: the columns themselves, which stand with each report.

use super::Concept;
use p5_chips::Text;

const REPORT: &str = "the report's own rule";

pub(super) static HEADINGS: &[Concept] = &[
    Concept {
        name: "callers",
        text: Text {
            rule: "The table of functions has a row for each function of the program with the clocks spent in its own \
                   code, without those of the functions that it calls, and the share of these in all. Code that a \
                   compiler inlined has a row of its own. Functions of libraries without lines are one row together, \
                   but for those with 5% or more; of those with a fifth or more, under the table stands which lines of \
                   the program call them, their callers. The clocks with callees of a function that is called while \
                   it is active, as one that calls itself, are those of its calls from outside, and so are those per call. `--format callgrind` has the clocks with those of all called functions, and each call \
                   with its caller; a flame graph (`--format collapsed`) has them by chains of calls.",
            source: REPORT,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/callers.rs",
                "a_shared_function_keeps_its_lines_and_causes_under_each_caller",
            )],
            said: &[
                "caller",
                "callee",
                "callees",
                "called",
                "called from",
                "call graph",
                "calls",
                "flame graph",
                "function",
                "functions",
                "inclusive",
                "inlined",
                "per call",
                "code without lines",
                "self",
            ],
        },
    },
    Concept {
        name: "columns",
        text: Text {
            rule: "A listing has a row for each line that was executed. `times` is how often, `clocks` what it took in \
                   the last run, `share` their part of all clocks; `pipe` is where it issued, U or V, or both in \
                   turns; `with` is the line that it paired with; `at` is the clock of a short region's pass at which \
                   it issued; `reason` is why it did not take less: causes of clocks, and reasons not to pair. A \
                   diagram has a row for each clock in which something issued: the clock, what issued in U and in V, \
                   and `why not faster`. The hottest lines are those with the most clocks.",
            source: REPORT,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/report_texts.rs",
                "a_partner_in_a_macro_is_named_with_the_line_of_its_call",
            )],
            said: &[
                "at",
                "column",
                "count",
                "cycles",
                "diagram",
                "hot part",
                "hottest",
                "hottest lines",
                "listing",
                "reason",
                "times",
                "why not faster",
                "with",
            ],
        },
    },
    Concept {
        name: "final state",
        text: Text {
            rule: "Under `Changed` stand the registers, the flags that are set, the registers of the floating-point \
                   stack and the data that the last run has changed, with what they are after it; of data also what \
                   it was. `fpu status` is the status word, with the exceptions that the unit has noted. Registers are hexadecimal; a number a little below zero stands in decimal beside it, too. \
                   A dword of assembly source from 0C0000000h on is shown without and with a sign, because only the \
                   code knows. Under `Output` stands what the program has written to its screen, the last part of it \
                   if it is long.",
            source: REPORT,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/report_numbers.rs",
                "numbers_below_zero_stand_with_their_sign",
            )],
            said: &[
                "changed",
                "flags",
                "output",
                "registers",
                "result",
                "results",
                "status",
                "fpu status *",
                "fpu control *",
                "symbols",
                "unsigned",
            ],
        },
    },
    Concept {
        name: "where the clocks went",
        text: Text {
            rule: "This table has all clocks of the last run by cause; they add up to the total. Each cause is a topic \
                   of its own, such as `explain agi`. The total is that of the program's own code: the clocks of the \
                   macros of p5.inc are told apart, and `--all` includes them. `Events` are what the chip's own \
                   counters would have counted, `Notes` what limits the report: doubted figures, what is estimated, \
                   and what was not supported.",
            source: REPORT,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/report_texts.rs",
                "every_format_says_why_a_run_was_stopped",
            )],
            said: &[
                "best",
                "cause",
                "causes",
                "event",
                "events",
                "counted",
                "counter",
                "notes",
                "occurrences",
                "stimuli",
                "total",
                "totals",
            ],
        },
    },
    Concept {
        name: "region columns",
        text: Text {
            rule: "The table of regions has a row for each: its lines, the passes that reached its end, what the \
                   macros measured in the first one (`cold`), and the least, the median and the most of the others, \
                   less the overhead that an empty region takes; `true` is what the simulation knows, `off by` the difference, \
                   `counts` the events of a profile region. Of `p5inst host`, ticks are those of the host's own time \
                   stamp counter; a fence is an instruction that keeps its reads in order, and disturbances are \
                   passes that something else on the host has lengthened.",
            source: REPORT,
            not_modelled: "",
            tests: &[("instrumenter/tests/report_texts.rs", "what_if_is_a_report_of_its_own")],
            said: &[
                "counts",
                "disturbances",
                "fence",
                "fences",
                "max",
                "median",
                "min",
                "orders",
                "regions",
                "ticks",
                "whole program",
            ],
        },
    },
    Concept {
        name: "left alone",
        text: Text {
            rule: "`p5inst advise` tries other orders of straight code and other instructions for lines that the source \
                   spells out. It leaves alone what a macro, a repeat or an include has made, because one line of these \
                   stands for several places; code that the program changes or whose address it reads; lines with \
                   budgets; and lines in which several instructions stand. It says how many clocks these take, and what to write so that \
                   they are examined.",
            source: REPORT,
            not_modelled: "",
            tests: &[("instrumenter/tests/advice.rs", "suggestions_of_each_program")],
            said: &["advise", "advice", "suggestion", "suggestions", "are left alone"],
        },
    },
    Concept {
        name: "compared columns",
        text: Text {
            rule: "`p5inst compare` has the figures of the old report, of the new one, and the change, by region, \
                   function and line, where they differ. `was` stands before the text that a line had in the old \
                   report, if the new one has another there, or none; \
                   `gone` after a region or function of the old report that the new one lacks. `other code` is that \
                   without a function, and `smaller` adds up the rows with the smallest changes. In a file with one text in both reports, lines \
                   correspond by number alone. `--what-if` has for each variant of the chip the clocks that \
                   it saves; `audit` what a counter or region has reported, the result of the subtracted calibration, \
                   and its error. A sweep has a row for each combination; those without figures, or left out, say why.",
            source: REPORT,
            not_modelled: "",
            tests: &[(
                "instrumenter/tests/compare.rs",
                "a_change_is_told_by_region_and_line_and_decides_the_exit_code",
            )],
            said: &[
                "change",
                "compare",
                "other code",
                "smaller",
                "gone",
                "lines that changed",
                "error",
                "left out",
                "new",
                "old",
                "reported",
                "saved",
                "subtracted",
                "variant",
                "without figures",
            ],
        },
    },
    Concept {
        name: "study columns",
        text: Text {
            rule: "A study of sampling compares estimates with what is true of the same runs. `rms` is the root of the \
                   mean squared error of the shares, in percentage points, `expected` that of independent samples, `ratio` the \
                   first by the second, `largest` the worst share. By period, `left` is what the period leaves divided \
                   by the rounds of the loop, `rand` the bits by which it varies, `chi2` with `df` degrees of freedom \
                   the distance of the samples from an even distribution, and `p` how often chance alone gives more; \
                   `most often` is the instruction that has the most samples. By place, `ops` are those that retired there, \
                   `waited` and `perhaps for` what held them up.",
            source: REPORT,
            not_modelled: "",
            tests: &[("instrumenter/tests/study.rs", "errors_are_those_of_the_samples")],
            said: &[
                "chi2",
                "df",
                "expected",
                "largest",
                "left",
                "most often",
                "ops",
                "p",
                "perhaps for",
                "period",
                "rand",
                "ratio",
                "rms",
            ],
        },
    },
];
