//! The modules of a crate that a module may use: a row for each module, with the names that it must not use and the
//! reason. The manifests have the crates that a crate may use.

/// Names that a module must not use in paths, as whole words of code.
pub(crate) const NOT_NAMED: &[(&str, &[&str], &str)] = &[
    (
        "asm-macros/src/reason.rs",
        &["events", "msr", "profile", "cpi", "tsc", "measure", "bench", "library"],
        "a reason is text only",
    ),
    (
        "asm-macros/src/events.rs",
        &["msr", "profile", "cpi", "tsc", "measure", "bench", "library"],
        "the list does not know its users",
    ),
    (
        "asm-macros/src/profile.rs",
        &["msr", "cpi", "tsc", "measure", "bench", "library"],
        "events are counted without the time stamp counter",
    ),
    (
        "asm-macros/src/profile",
        &["msr", "cpi", "tsc", "measure", "bench", "library"],
        "events are counted without the time stamp counter",
    ),
    (
        "asm-macros/src/cpi.rs",
        &["msr", "tsc", "measure", "bench", "library"],
        "clocks per instruction are events",
    ),
    (
        "runtime/timing/src/block",
        &["pipeline", "units", "counters"],
        "classifying looks at instructions alone",
    ),
    (
        "runtime/timing/src/units",
        &["block", "pipeline"],
        "units see addresses, not instructions",
    ),
    (
        "runtime/timing/src/counters.rs",
        &["block", "pipeline", "units"],
        "the tally counts what it is told",
    ),
    (
        "runtime/machine/src/monitor",
        &["Machine", "instruments", "recording", "sampler", "sampling", "watcher"],
        "monitors see the tally and their own registers",
    ),
    (
        "runtime/host/src/native",
        &["perf"],
        "a native run does not know who samples it",
    ),
    (
        "runtime/host/src/native/summary.rs",
        &["child", "parent", "runner"],
        "the summary of native runs depends on their readings alone",
    ),
    (
        "instrumenter/assembler/src/measuring",
        &["link", "lex", "select", "source"],
        "measuring macros are statements and know nothing of a line",
    ),
    (
        "instrumenter/assembler/src/dialect",
        &["link"],
        "a dialect makes statements and does not know who reads them",
    ),
    (
        "instrumenter/assembler/src/expand",
        &["program", "link", "select", "operand", "source"],
        "the expander knows no layout and no symbol",
    ),
    (
        "instrumenter/assembler/src/link",
        &["lex", "select", "source"],
        "linking parses nothing",
    ),
    (
        "instrumenter/assembler/src/program",
        &["lex", "source"],
        "the program does not know which layer produced a statement",
    ),
    (
        "instrumenter/assembler/src/statement",
        &["select", "session", "lex", "source"],
        "a statement is free of any layout",
    ),
    (
        "instrumenter/assembler/src/select",
        &["session", "expression", "lex", "source", "names", "diag"],
        "instructions are selected one by one",
    ),
    (
        "instrumenter/assembler/src/lex",
        &["session", "expression"],
        "tokens do not depend on statements",
    ),
    (
        "instrumenter/assembler/src/expression.rs",
        &["source"],
        "expressions are nodes",
    ),
    (
        "instrumenter/assembler/src/names.rs",
        &["operand", "source", "diag", "spelling"],
        "a name is a number",
    ),
    (
        "instrumenter/assembler/src/operand.rs",
        &["source", "diag", "spelling"],
        "an operand is data",
    ),
    (
        "instrumenter/assembler/src/source.rs",
        &["diag", "spelling"],
        "text is data",
    ),
    (
        "instrumenter/assembler/src/diag.rs",
        &["spelling"],
        "a diagnostic is data",
    ),
    (
        "instrumenter/assembler/src/remedy.rs",
        &["spelling"],
        "a remedy is data",
    ),
];

/// The modules of the assembler from the top down: each uses only those below it. `ARCHITECTURE.md` has the same order.
pub(crate) const LAYERS: &[&str] = &[
    "command",
    "assemble",
    "modules",
    "measuring",
    "dialect",
    "expand",
    "link",
    "program",
    "statement",
    "select",
    "lex",
    "session",
    "expression",
    "names",
    "operand",
    "module",
    "source",
    "diag",
    "remedy",
    "listing",
    "spelling",
    "elsewhere",
];

/// Modules whose texts must not contain a word of a dialect: they name things.
pub(crate) const OF_NO_DIALECT: &[&str] = &[
    "instrumenter/assembler/src/assemble/",
    "instrumenter/assembler/src/expand/",
    "instrumenter/assembler/src/lex/",
    "instrumenter/assembler/src/link/",
    "instrumenter/assembler/src/names.rs",
    "instrumenter/assembler/src/measuring/",
    "instrumenter/assembler/src/program/",
    "instrumenter/assembler/src/remedy.rs",
    "instrumenter/assembler/src/select.rs",
    "instrumenter/assembler/src/select/",
    "instrumenter/assembler/src/session/",
    "instrumenter/assembler/src/statement/",
];

/// Words of a dialect that are not keywords: the names of its standard segments.
pub(crate) const NO_KEYWORDS: &[&str] = &["_text", "_data", "_bss"];

/// Keywords that are prefixes or mnemonics of the processor, and therefore the same in every dialect.
pub(crate) const OF_THE_PROCESSOR: &[&str] = &[
    "and", "lock", "not", "or", "rep", "repe", "repne", "repnz", "repz", "shl", "shr", "xor",
];

/// Keywords that are also English words or the field's names of sizes; they are allowed outside of backquotes.
pub(crate) const ALSO_ENGLISH: &[&str] = &[
    "and", "byte", "comment", "dword", "end", "far", "for", "global", "high", "if", "include", "label", "large",
    "length", "local", "low", "macro", "name", "near", "not", "offset", "option", "or", "page", "public", "qword",
    "record", "repeat", "segment", "short", "size", "small", "stack", "this", "title", "type", "union", "uses",
    "while", "width", "word",
];
