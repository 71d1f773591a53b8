//! Notes of reports that follow a rule of their own.
//!
//! Modelled: the texts. Not modelled: what the notes follow from, which is found where runs are closed or repeated.

use super::Concept;
use p5_chips::Text;

pub(super) static NOTES: &[Concept] = &[
    Concept {
        name: "misses by macros",
        text: Text {
            rule: "The measuring macros are code and data like any other: what they read and execute before and behind a \
               region takes the place of lines in the caches. A report leaves their clocks out, `without the clocks of \
               the macros`, but a region that fits into its cache may still miss its own lines in each pass, \
               of data or of code; such code is a first execution again. A note has the clocks of these misses: those \
               that the region lacks in the same program without macros, if they are a tenth of its clocks, or half of \
               its misses. Two runs without and with macros are compared for it, of programs that take at most \
               200,000 clocks. `p5inst audit` has all that the macros change. Where a program writes to its own \
                   code, another note has the misses of code that the macros themselves waited for: the last write of a \
                   region may remove a line that is fetched again behind the region only, so that the region has one \
                   miss less than it makes writes.",
            source: "the report's own rule",
            not_modelled: "",
            tests: &[("instrumenter/tests/lessons.rs", "misses_that_the_macros_cause_are_told")],
            said: &[
                "macro",
                "macros",
                "the macros",
                "macros evict",
                "misses of code",
                "of the measuring macros",
                "counted for no region",
                "the macros evict",
                "misses of lines that the macros evict",
                "misses that the macros cause",
                "macros cause",
                "evict",
                "evicts",
                "evicted",
                "of the macros in",
            ],
        },
    },
    Concept {
        name: "conflicts and capacity",
        text: Text {
            rule: "A note says why a line misses data that the program has read before, if these misses take a tenth of the \
                   clocks. The run, or its first 500,000 clocks, of a program its first 2,000,000, is repeated to \
                   follow the order of its reads. Between two reads of a cache line other lines are read: if these \
                   are more than all {data_cache} hold, the \
                   misses are of capacity, and reading the data in smaller blocks helps; if they are fewer, but more \
                   of them fall into one set than it has ways, the misses are conflicts, and other distances help: of \
                   the rows of an array, or of several arrays.",
            source: "the report's own rule",
            not_modelled: "Of a run that was stopped and of longer runs, the traced part alone is looked at for steps \
                           whose lines share few sets; lines that REP instructions, returns and the system read.",
            tests: &[
                (
                    "instrumenter/tests/beyond.rs",
                    "columns_whose_rows_share_a_set_are_told_with_the_remedy",
                ),
                (
                    "instrumenter/tests/beyond.rs",
                    "misses_of_data_that_was_read_before_are_of_capacity_or_conflicts",
                ),
            ],
            said: &[
                "the misses are conflicts",
                "the misses are of capacity",
                "conflict miss",
                "conflict misses",
                "capacity",
                "capacity miss",
                "capacity misses",
                "set conflict",
                "thrashing",
                "read again",
                "pad the rows",
                "padding",
            ],
        },
    },
    Concept {
        name: "spoiled result",
        text: Text {
            rule: "A note names the first instruction of the floating-point unit whose result an exception has spoiled, \
                   for each kind of exception: a register of the unit that was in use or empty, an operation without a \
                   result, a division by 0, and a result too large for its format. The control word masks these at \
                   first, so that the program goes on with a NaN or an infinity. MMX instructions leave all registers \
                   of the unit in use until `emms`.",
            source: "Intel, Architecture Software Developer's Manual 1, 7.8: floating-point exceptions; 8.3: using MMX \
                     with floating-point instructions",
            not_modelled: "Exceptions that the program does not mask are faults. Denormals, underflows and inexact \
                           results are not told; the status word has them.",
            tests: &[
                (
                    "instrumenter/tests/reals.rs",
                    "the_first_result_that_an_exception_spoils_is_told_by_line",
                ),
                ("instrumenter/tests/reals.rs", "an_exception_in_a_loop_is_told_once"),
            ],
            said: &[
                "and gives a nan",
                "gives a nan",
                "nan",
                "nans",
                "not a number",
                "infinity",
                "inf",
                "emms",
                "stack overflow",
                "stack underflow",
                "register stack",
                "divides by 0",
                "invalid operation",
                "has no result for its operands",
                "too large for its format",
                "masked exception",
            ],
        },
    },
    Concept {
        name: "past the end",
        text: Text {
            rule: "A note names a line that reads or writes past the end of an array, or before it: `line 9 writes list[8], \
               which is top: list has 8 elements`. A short run of source is repeated for this, and the first 500,000 \
               clocks of a longer one. An array is a variable of several numbers, with the lines without a name that \
               continue it. Looked at are operands that name it and add a register, as `list[ecx*4+4]`, and pointers \
               that go through it at equal steps, as `[esi]` and `[esi+4]` with `add esi,4`: of these, whatever began \
               in the array and had more accesses in it is told, a read only if the walk left out one element of the \
               array at most. A few elements too far are a mistake, and so is a write behind all data. Meant are an \
               index that is past the end most of the time, a walk far into other variables or over the whole of the \
               next array, one that ends at the value that it read last, and one from a LABEL at the beginning.",
            source: "the report's own rule",
            not_modelled: "What is not seen: REP and other instructions that repeat themselves, walks at changing steps, \
                       arrays on the stack, texts, structures, arrays of included files and of programs that another \
                       tool has built, instructions that are executed once or only past the end, and what is \
                       behind the last variable in the same segment without a name.",
            tests: &[
                (
                    "instrumenter/tests/beyond.rs",
                    "what_a_displacement_takes_past_an_array_is_told",
                ),
                ("instrumenter/tests/beyond.rs", "a_walk_that_is_meant_is_not_told"),
                (
                    "instrumenter/tests/run_reports.rs",
                    "an_index_past_the_end_of_a_variable_is_told",
                ),
            ],
            said: &[
                "has * elements",
                "past the end of a variable",
                "past the end of an array",
                "past an array",
                "past the array",
                "out of bounds",
                "off by one",
                "overrun",
                "buffer overrun",
                "overflow of an array",
                "buffer overflow",
                "bounds",
                "mistake",
                "mistakes",
                "note",
                "notes",
                "array",
                "arrays",
            ],
        },
    },
];
