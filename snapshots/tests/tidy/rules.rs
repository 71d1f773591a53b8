//! Which module may use which: one row per module, with what it may not name and why.

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
        "runtime/src/exec",
        &[
            "pipeline", "units", "model", "counters", "block", "machine", "report", "run::", "native",
        ],
        "meaning does not depend on time",
    ),
    (
        "runtime/src/memory.rs",
        &["pipeline", "units", "model", "counters"],
        "meaning does not depend on time",
    ),
    (
        "runtime/src/registers.rs",
        &["pipeline", "units", "model", "counters"],
        "meaning does not depend on time",
    ),
    (
        "runtime/src/pipeline",
        &["registers", "memory", "exec", "machine", "report", "image", "native"],
        "time reads neither registers nor memory",
    ),
    (
        "runtime/src/units",
        &["registers", "memory", "exec", "machine", "report", "image", "native"],
        "time reads neither registers nor memory",
    ),
    (
        "runtime/src/block",
        &[
            "registers",
            "memory",
            "exec",
            "pipeline",
            "units",
            "machine",
            "counters",
            "report",
            "run",
            "native",
        ],
        "classifying looks at instructions alone",
    ),
    (
        "runtime/src/isa.rs",
        &[
            "registers",
            "memory",
            "exec",
            "pipeline",
            "units",
            "model",
            "machine",
            "counters",
            "block",
            "report",
            "run",
            "native",
        ],
        "which instructions exist depends on nothing else",
    ),
    (
        "runtime/src/counters.rs",
        &[
            "registers",
            "memory",
            "exec",
            "pipeline",
            "units",
            "machine",
            "block",
            "report",
            "run",
            "native",
        ],
        "the tally counts what it is told",
    ),
    (
        "runtime/src/facts.rs",
        &[
            "registers",
            "memory",
            "exec",
            "pipeline",
            "units",
            "model",
            "machine",
            "counters",
            "block",
            "report",
            "run",
            "native",
        ],
        "facts are all that meaning tells time",
    ),
    (
        "runtime/src/report",
        &[
            "machine",
            "exec",
            "pipeline",
            "units",
            "registers",
            "memory",
            "block",
            "counters",
        ],
        "reports see only closed runs, simulated or native",
    ),
    (
        "runtime/src/native/summary.rs",
        &["exec", "memory"],
        "the summary of native runs depends on their readings alone",
    ),
    (
        "runtime/src/model",
        &[
            "registers",
            "memory",
            "exec",
            "pipeline",
            "units",
            "machine",
            "counters",
            "block",
            "report",
        ],
        "a chip is data",
    ),
    (
        "runtime/src/instruments",
        &[
            "exec",
            "pipeline",
            "units",
            "registers",
            "memory",
            "block",
            "counters",
            "report",
            "native",
        ],
        "instruments see of a machine what its registers say",
    ),
    (
        "runtime/src/advice",
        &[
            "registers",
            "memory",
            "units",
            "machine",
            "counters",
            "report",
            "native",
        ],
        "advice looks at code, not at a run",
    ),
    (
        "runtime/src/machine",
        &["native", "report", "instruments"],
        "the simulated machine depends neither on the host nor on reports",
    ),
    (
        "runtime/src/services",
        &["native", "report"],
        "services answer the program; reports word what they refused",
    ),
    (
        "runtime/src/fault.rs",
        &["exec", "pipeline", "units", "machine", "report", "native", "run"],
        "a fault is data that meaning, runs and reports share",
    ),
    (
        "runtime/src/native",
        &[
            "machine",
            "pipeline",
            "units",
            "model",
            "counters",
            "block",
            "report",
            "registers",
        ],
        "the host's processor is measured, not the simulated one",
    ),
    (
        "runtime/src/image.rs",
        &["exec", "pipeline", "units", "model", "machine", "run", "native"],
        "the image is the interface between assembler and machine",
    ),
    (
        "runtime/src/load",
        &[
            "exec",
            "memory",
            "registers",
            "pipeline",
            "units",
            "model",
            "machine",
            "counters",
            "block",
            "report",
            "run",
            "services",
            "native",
        ],
        "a file is read as data, whatever is done with it",
    ),
    (
        "runtime/src/run.rs",
        &["exec", "pipeline", "units", "machine", "report"],
        "a run is closed",
    ),
    (
        "instrumenter/src/probe",
        &["link", "lex", "select", "source"],
        "probes are statements and know nothing of a line",
    ),
    (
        "instrumenter/src/dialect",
        &["link"],
        "a dialect makes statements and does not know who reads them",
    ),
    (
        "instrumenter/src/expand",
        &["program", "link", "select", "operand", "source"],
        "the expander knows no layout and no symbol",
    ),
    (
        "instrumenter/src/link",
        &["lex", "select", "source"],
        "linking parses nothing",
    ),
    (
        "instrumenter/src/program",
        &["lex", "source"],
        "the program does not know which layer produced a statement",
    ),
    (
        "instrumenter/src/statement",
        &["select", "session", "lex", "source"],
        "a statement is free of any layout",
    ),
    (
        "instrumenter/src/select",
        &["session", "expression", "lex", "source", "names", "diag"],
        "instructions are selected one by one",
    ),
    (
        "instrumenter/src/lex",
        &["session", "expression"],
        "tokens do not depend on statements",
    ),
    ("instrumenter/src/expression.rs", &["source"], "expressions are nodes"),
    (
        "instrumenter/src/names.rs",
        &["operand", "source", "diag", "spelling"],
        "a name is a number",
    ),
    (
        "instrumenter/src/operand.rs",
        &["source", "diag", "spelling"],
        "an operand is data",
    ),
    ("instrumenter/src/source.rs", &["diag", "spelling"], "text is data"),
    ("instrumenter/src/diag.rs", &["spelling"], "a diagnostic is data"),
    ("instrumenter/src/remedy.rs", &["spelling"], "a remedy is data"),
];

/// The modules of the assembler from the top down: each uses only those below it. `ARCHITECTURE.md` has the same order.
pub(crate) const LAYERS: &[&str] = &[
    "command",
    "assemble",
    "probe",
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
    "source",
    "diag",
    "remedy",
    "listing",
    "spelling",
];

/// Modules whose texts may contain no word of a dialect: they speak of things.
pub(crate) const OF_NO_DIALECT: &[&str] = &[
    "instrumenter/src/assemble/",
    "instrumenter/src/expand/",
    "instrumenter/src/lex/",
    "instrumenter/src/link/",
    "instrumenter/src/names.rs",
    "instrumenter/src/probe/",
    "instrumenter/src/program/",
    "instrumenter/src/remedy.rs",
    "instrumenter/src/select.rs",
    "instrumenter/src/select/",
    "instrumenter/src/session/",
    "instrumenter/src/statement/",
];

/// Words of a dialect that are no keywords: the names of its standard segments.
pub(crate) const NO_KEYWORDS: &[&str] = &["_text", "_data", "_bss"];

/// Keywords that are prefixes or mnemonics of the processor, and so the same in every dialect.
pub(crate) const OF_THE_PROCESSOR: &[&str] = &[
    "and", "lock", "not", "or", "rep", "repe", "repne", "repnz", "repz", "shl", "shr", "xor",
];

/// Keywords that are also words of English or the field's names of sizes, allowed there outside of backquotes.
pub(crate) const ALSO_ENGLISH: &[&str] = &[
    "and", "byte", "comment", "dword", "end", "far", "for", "global", "high", "if", "include", "label", "length",
    "local", "low", "macro", "name", "near", "not", "offset", "option", "or", "page", "public", "qword", "record",
    "repeat", "segment", "short", "size", "stack", "this", "title", "type", "union", "uses", "while", "width", "word",
];
