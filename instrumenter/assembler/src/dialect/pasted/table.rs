//! The words of GNU's assembler and of objdump for which MASM has others, and those that belong together in both.

use crate::select;

/// The prefixes that stand as words before an instruction, as MASM writes them. Those that mean nothing to this
/// processor still take its time.
const PREFIXES: [(&str, &str); 15] = [
    ("rep", "rep"),
    ("repe", "repe"),
    ("repz", "repe"),
    ("repne", "repne"),
    ("repnz", "repne"),
    ("lock", "lock"),
    ("notrack", "segds"),
    ("bnd", "repne"),
    ("cs", "segcs"),
    ("ds", "segds"),
    ("es", "seges"),
    ("ss", "segss"),
    ("fs", "segfs"),
    ("gs", "seggs"),
    ("data16", ""),
];
/// Names that Intel has others for.
const NAMES: [(&str, &str); 24] = [
    ("cltd", "cdq"),
    ("cwtl", "cwde"),
    ("cbtw", "cbw"),
    ("cwtd", "cwd"),
    ("lret", "retf"),
    ("lretl", "retf"),
    ("lretw", "retfw"),
    ("retl", "ret"),
    ("iretl", "iretd"),
    ("pushal", "pushad"),
    ("popal", "popad"),
    ("pushfl", "pushfd"),
    ("popfl", "popfd"),
    ("leavel", "leave"),
    ("enterl", "enter"),
    ("calll", "call"),
    ("callw", "call"),
    ("jmpl", "jmp"),
    ("jmpw", "jmp"),
    ("loopl", "loop"),
    ("ud2a", "ud2"),
    ("movsl", "movsd"),
    ("fcmovae", "fcmovnb"),
    ("fcmovna", "fcmovbe"),
];
/// The string instructions without the letters of their sizes.
pub(super) const STRINGS: [&str; 7] = ["movs", "cmps", "stos", "lods", "scas", "ins", "outs"];
/// The instructions that shift by one bit without a second operand.
const SHIFTS: [&str; 8] = ["shl", "sal", "shr", "sar", "rol", "ror", "rcl", "rcr"];
/// The words for the size of memory, before `PTR`.
const SIZES: [&str; 8] = ["byte", "word", "dword", "fword", "qword", "tbyte", "mmword", "xmmword"];
/// The other words before an operand.
const BEFORE: [&str; 5] = ["ptr", "offset", "short", "near", "far"];

fn is_among(word: &str, words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// A prefix as MASM writes it; `None` for other words.
pub(super) fn prefix(word: &str) -> Option<&'static str> {
    let found = PREFIXES.iter().find(|(prefix, _)| word.eq_ignore_ascii_case(prefix));
    found.map(|(_, masm)| *masm)
}

/// Intel's name for an instruction in lower case that has another one; `None` if it has none.
pub(super) fn renamed(word: &str) -> Option<&'static str> {
    let found = NAMES.iter().find(|(other, _)| *other == word);
    found.map(|(_, name)| *name)
}

/// Whether an instruction in lower case shifts, by one bit if it has only one operand.
pub(super) fn is_shift(word: &str) -> bool {
    SHIFTS.contains(&word)
}

/// Whether these words of a line, in lower case, are a shift with one operand.
pub(super) fn is_lone_shift(words: &[&str]) -> bool {
    let code = words.iter().position(|word| !word.ends_with(':'));
    let code = &words[code.unwrap_or(words.len())..];
    matches!(code, [shift, operand] if is_shift(shift) && select::register(operand).is_some())
}

/// Whether an instruction compares the top of the floating-point stack, or moves to it, with a register that stands
/// alone.
pub(super) fn is_of_top(word: &str) -> bool {
    word.starts_with("fcmov") || matches!(word, "fcomi" | "fcomip" | "fucomi" | "fucomip")
}

/// Whether a word says the size of memory.
pub(super) fn is_size(word: &str) -> bool {
    is_among(word, &SIZES)
}

/// Whether a word stands before an operand.
pub(super) fn is_before_operand(word: &str) -> bool {
    is_size(word) || is_among(word, &BEFORE)
}
