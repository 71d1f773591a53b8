//! The concept of the sources of a program that another tool has built.
//!
//! Modelled: the text. Not modelled: which files are read, which the command decides.

use super::Concept;
use p5_chips::Text;

/// The topic that says which sources of a built program are read.
pub(super) static SOURCES: &[Concept] = &[Concept {
    name: "sources",
    text: Text {
        rule: "The debugging information of a program names its sources (`-g`). A program may name any file of this \
               machine, so that only those are read that you have chosen: below the folder of the program and the \
               current folder, where hidden files and folders are left out, and below a folder of `-I`; the root \
               of the machine counts only if `-I` names it. A source is looked for at the path at which it was \
               compiled, then by its name, which is relative to the folder of the compilation, in each of these \
               folders; in one whose path ends with the first folders of that name, by the rest of it, as `util.c` of \
               `a/util.c` in a folder `a`. A link counts as what it leads to. A note names the \
               sources that were not read, but no headers of the system: reports show the instructions of their lines, `p5inst compare` does not \
               compare these lines, budgets in them are not known, JUnit has a skipped case and SARIF a warning for \
               them. Start p5inst in the folder in which the program was compiled, or name that with `-I`. The \
               sources of objects that are linked with an assembly source are looked for by their names below its \
               folder and below the folders of `-I`, and told of in the same way.",
        source: "the report's own rule",
        not_modelled: "Sources that have changed since the program was built: their lines are shown as they are now.",
        tests: &[
            (
                "instrumenter/tests/sources_of_programs.rs",
                "a_source_below_the_current_folder_is_read_and_no_link_that_leaves_it",
            ),
            (
                "instrumenter/tests/sources_of_programs.rs",
                "a_source_that_is_not_read_is_named_and_its_budgets_are_skipped",
            ),
            (
                "instrumenter/tests/sources_of_programs.rs",
                "a_source_whose_name_has_a_folder_is_read_below_that_folder_and_in_it",
            ),
            (
                "instrumenter/tests/budgets_of_objects.rs",
                "a_source_of_an_object_that_is_not_read_is_named_and_its_budgets_are_skipped",
            ),
        ],
        said: &[
            "source",
            "source files",
            "debugging information",
            "dwarf",
            "no source",
            "not read",
            "unread",
        ],
    },
}];
