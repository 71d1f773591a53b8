//! The concept of code that a program changes.
//!
//! Modelled: the text. Not modelled: the rules, which are in `pipeline` and `units`.

use super::Concept;
use p5_chips::Text;

/// What is known of the clocks of such code.
pub(super) const CHANGED_CODE: Concept = Concept {
    name: "changed code",
    text: Text {
        rule: "A store into code removes its line from the code cache, so what is executed next there waits for a code \
                   miss, and the changed instruction is a first execution again, as are the branches of its line, which therefore \
                   may be mispredicted (`p5inst explain btb`). Rows show what was executed, with the \
                   instruction of the source beside it; `inside` an instruction, execution began within its bytes. \
                   For code that is changed immediately before it is executed, more clocks are published than the \
                   model gives, and more with MMX than without: a note of such a run has the figures. Nothing holds \
                   those of the model against silicon: take them for a rough guess.",
        source: "Agner Fog, How to optimize for the Pentium family of microprocessors, 27.9",
        not_modelled: "What these published clocks consist of; bytes prefetched before a store changed them.",
        tests: &[(
            "instrumenter/tests/changed_code.rs",
            "a_diagram_shows_what_was_executed_where_the_source_has_something_else",
        )],
        said: &[
            "self-modifying",
            "self-modifying code",
            "self modifying code",
            "code changed by the program",
            "code changed by the program *",
            "clocks of code that the program changes *",
            "with code that is executed",
        ],
    },
};
