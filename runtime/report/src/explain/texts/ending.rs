//! The concept of the end of a run.
//!
//! Modelled: the text. Not modelled: the ends themselves, which are reasons of `Stop`.

use super::Concept;
use p5_chips::Text;

/// How a run ends, and what stops it.
pub(super) const END_OF_A_RUN: Concept = Concept {
    name: "end of a run",
    text: Text {
        rule: "A program ends its run by RET from its entry, after its last instruction, by HLT at privilege level 0, \
               by a service of its system, by a signal, by a jump to itself, which nothing interrupts here, or by a \
               jump to the reset vector; a loop that waits for ever ends it, too: one that reads memory, a port or \
               the keyboard, and leaves registers and memory as they were. Of Windows there are \
               `ExitProcess` and the console, and with `INCLUDE Irvine32.inc` its procedures and `exit`. It is \
               stopped by a fault that nothing handles, by `--limit` clocks in one run, by `--timeout` seconds for \
               all runs together, and by what is not simulated. A stopped run is reported up to there, its first line \
               says why and where, and p5inst exits with 1, as it does after a signal, a jump to itself or a loop that waits for ever. Of a fault the report names the exception, the \
               instruction and the address. `--limit` and `--timeout` take a number without an exponent, such as \
               `--limit 5_000_000`.",
        source: "the report's own rule; Intel, Pentium Processor Family Developer's Manual 1997, 3: exceptions",
        not_modelled: "What a system does after a fault that nothing handles.",
        tests: &[
            (
                "instrumenter/tests/astray.rs",
                "a_limit_names_the_line_from_which_a_program_went_astray",
            ),
            (
                "instrumenter/tests/report_texts.rs",
                "every_format_says_why_a_run_was_stopped",
            ),
        ],
        said: &[
            "end",
            "ends",
            "exit",
            "exitprocess",
            "windows",
            "irvine",
            "irvine32",
            "ended",
            "ended in a jump to itself which goes on for ever",
            "ended in a loop that goes on for ever",
            "waits for ever",
            "jump to itself",
            "endless",
            "for ever",
            "stopped",
            "fault",
            "faults",
            "exception",
            "exceptions",
            "de",
            "gp",
            "pf",
            "ud",
            "divide error",
            "page fault",
            "general protection",
            "limit",
            "clock limit",
            "timeout",
            "time limit",
        ],
    },
};
