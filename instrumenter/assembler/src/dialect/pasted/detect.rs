//! Whether a text is one that compilers or disassemblers print, and how: by its directives, by the labels of compilers,
//! and by what only GNU's assembler has in instructions.

use super::clean::{Style, clean, uncommented};
use super::{att, cxx, listing, table, word};
use crate::diag::{Fault, Span, fault};
use crate::dialect::foreign::{Construction, Sign, foreign_signs, is_att, strength, without_texts};
use crate::operand::{CodeSize, Place};
use crate::select;
use std::collections::HashSet;
use std::ops::Range;

/// The most bytes of a text that are examined for its notation.
pub(super) const LOOKED_AT: usize = 1 << 20;
/// Directives that no other assembler has; and those that begin with `.cfi_`.
const CERTAIN: [&str; 28] = [
    ".text",
    ".globl",
    ".global",
    ".section",
    ".intel_syntax",
    ".att_syntax",
    ".type",
    ".size",
    ".file",
    ".ident",
    ".p2align",
    ".balign",
    ".long",
    ".quad",
    ".asciz",
    ".ascii",
    ".string",
    ".comm",
    ".lcomm",
    ".rept",
    ".endr",
    ".set",
    ".equ",
    ".endm",
    ".byte",
    ".space",
    ".skip",
    ".code32",
];

/// The directives that follow a name which NASM or MASM defines.
const DEFINING: [&str; 10] = ["db", "dw", "dd", "dq", "dt", "equ", "times", "resb", "resw", "resd"];

/// What is known of a text before it is read.
pub(super) struct Detected {
    /// Whether it is a listing.
    pub(super) listing: bool,
    /// Whether it is in AT&T syntax.
    pub(super) att: bool,
    pub(super) style: Style,
    /// The warning about how the text was read, if there is one.
    pub(super) warning: Option<Fault>,
}

/// How a text is to be read; `None` if it is in another notation.
pub(super) fn detect(text: &str, own: &[Sign]) -> Option<Detected> {
    let seen = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
    let is_listing = listing::is_listing(seen);
    let certain = is_listing || is_certain(seen, own);
    if !certain && !is_gnu(seen, own) {
        return None;
    }
    // A text begins in AT&T syntax unless it says otherwise before it has any.
    let says = |line: &str| match line.split_whitespace().next() {
        Some(".intel_syntax") => Some(false),
        _ => (is_att(uncommented(line)) || names_att(line)).then_some(true),
    };
    let att = certain && seen.lines().find_map(says).unwrap_or(false);
    let (separates, warning) = match is_listing {
        true => (false, None),
        false => semicolons(seen, certain, att),
    };
    Some(Detected {
        listing: is_listing,
        att,
        style: Style { certain, separates },
        warning,
    })
}

/// Whether the instruction of a line has a name, or an operand, that only AT&T syntax has.
fn names_att(line: &str) -> bool {
    let code = uncommented(line);
    if cxx::label(code).is_some() {
        return false;
    }
    let mut words = code.split_whitespace().filter(|word| !word.ends_with(':'));
    let first = words.next().unwrap_or_default().to_ascii_lowercase();
    let known = select::instruction(&first);
    let operands = || code.split([' ', '\t', ',']).skip(1).filter(|word| !word.is_empty());
    let immediate = |word: &str| word.starts_with('$') && word.len() > 1;
    if known.is_some() && operands().any(immediate) {
        return true;
    }
    let indirect = known.is_some_and(|one| one.takes_target) && words.next().is_some_and(|word| word.starts_with('*'));
    indirect || known.is_none() && !select::is_later(&first) && att::is_suffixed(&first)
}

/// The words of a line without its comment and its texts, in lower case.
fn words(plain: &str) -> Vec<&str> {
    let words = plain.split([' ', '\t', ',', '(', ')']);
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether a text can only be source for GNU's assembler: it has a directive or a register as only that has them, and
/// no directive of MASM.
fn is_certain(text: &str, own: &[Sign]) -> bool {
    let (mut found, mut marked, mut masm) = (false, false, false);
    for line in text.lines() {
        let code = uncommented(line);
        if cxx::label(code).is_some() {
            continue;
        }
        let plain = without_texts(code).to_ascii_lowercase();
        let words = words(&plain);
        let first = words
            .iter()
            .find(|word| !word.ends_with(':'))
            .copied()
            .unwrap_or_default();
        // C has names that are words of MASM.
        let others = own
            .iter()
            .filter(|(sign, _)| sign.is_directive() && !sign.is_first(".data"));
        if others.clone().any(|sign| strength(&[*sign], &words) > 0) || first.starts_with("%") {
            return false;
        }
        // A local label of NASM may have such a name, without a colon.
        let defines = words.iter().skip(1).take(1).any(|word| DEFINING.contains(word));
        let directive = CERTAIN.contains(&first) || first.starts_with(".cfi_");
        found |= directive && !defines;
        marked |= strength(&[(Construction::MarkedRegister('%'), 1)], &words) > 0;
        let mut words_of_masm = own
            .iter()
            .filter(|(sign, _)| sign.begins_lines() && !sign.is_first(".data"));
        masm |= select::instruction(first).is_none() && words_of_masm.any(|sign| strength(&[*sign], &words) > 0);
    }
    // A register with a mark may be an argument of a macro there.
    found || marked && !masm
}

/// Whether a text is source for GNU's assembler by less certain signs, without anything that only MASM, TASM or NASM
/// have.
fn is_gnu(text: &str, own: &[Sign]) -> bool {
    let mut score = 0;
    for line in text.lines() {
        let code = uncommented(line);
        if cxx::label(code).is_some() {
            score += 1;
            continue;
        }
        let plain = without_texts(code).to_ascii_lowercase();
        let words = words(&plain);
        let Some(first) = words.first() else {
            score += u32::from(code.len() < line.len() && line.trim_start().starts_with("# "));
            continue;
        };
        // Both have `.data`, and operands of both name their size.
        let masm = own
            .iter()
            .filter(|(sign, _)| sign.begins_lines() && !sign.is_first(".data"));
        if masm.clone().any(|sign| strength(&[*sign], &words) > 0) {
            return false;
        }
        let nasm = foreign_signs("NASM").filter(|(sign, _)| !sign.is_dotted_label());
        if nasm.clone().any(|sign| strength(&[*sign], &words) > 0) {
            return false;
        }
        let gnu = foreign_signs("GNU assembler").filter(|(sign, _)| sign.is_directive());
        score += gnu.map(|sign| strength(&[*sign], &words)).sum::<u32>();
        score += u32::from(words.iter().any(|word| word.starts_with("flat:")) || is_label(first));
        score += u32::from(table::is_lone_shift(&words) || code.len() < line.len() && !plain.contains(';'));
    }
    score > 0
}

/// Whether a word is a label as compilers make them: `.L3:`, `.LBB0_1:`, `.LC0:`.
pub(super) fn is_label(word: &str) -> bool {
    let name = word.strip_prefix(".l").and_then(|rest| rest.strip_suffix(':'));
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    name.is_some_and(|name| name.ends_with(|last: char| last.is_ascii_digit()) && name.bytes().all(of_name))
}

/// Whether semicolons separate statements, as they do for GNU's assembler, and what is told of them. Where that is open
/// or something else than code follows one, they begin comments, as in Intel's syntax elsewhere.
fn semicolons(text: &str, certain: bool, att: bool) -> (bool, Option<Fault>) {
    let (mut code, mut other) = (None, false);
    let style = Style {
        certain,
        separates: true,
    };
    let macros = defined_macros(text);
    let is_statement = |part: &str| is_call(part, &macros) || is_code(part, att, certain);
    for line in clean(text, style) {
        let behind = |part: &&Range<usize>| line.text[..part.start].trim_end().ends_with(';');
        for part in line.statements.iter().filter(behind) {
            match is_statement(&line.text[part.clone()]) {
                true => {
                    code.get_or_insert((line.number, part.clone()));
                }
                false => other = true,
            }
        }
    }
    let separates = certain && !other;
    let warning = code.filter(|_| !separates).map(|(line, part)| {
        let span = Span::of(line, &part);
        fault(span, "what follows `;` is a comment and not executed").with_help("write one instruction a line")
    });
    (separates, warning)
}

/// The names of the macros that a text defines.
fn defined_macros(text: &str) -> HashSet<String> {
    let name = |line: &str| {
        let behind = line.split_once(".macro")?.1;
        let name = behind.split([' ', '\t', ',']).find(|word| !word.is_empty())?;
        Some(name.to_ascii_lowercase())
    };
    text.lines().filter_map(name).collect()
}

/// Whether a statement calls one of these macros, or has a name that another one gives it.
fn is_call(text: &str, macros: &HashSet<String>) -> bool {
    let mut words = text
        .split([' ', '\t'])
        .filter(|word| !word.is_empty() && !word.ends_with(':'));
    words
        .next()
        .is_some_and(|word| !macros.is_empty() && (word.contains('\\') || macros.contains(&word.to_ascii_lowercase())))
}

/// Whether what follows a semicolon is code: a label, a directive, or an instruction with an operand if it takes one.
/// In AT&T syntax that is `certain`, a word may be the operand: to take a statement for a comment would be silent.
fn is_code(text: &str, att: bool, certain: bool) -> bool {
    let mut rest = uncommented(text);
    let (first, operand) = loop {
        let mut words = rest.split([' ', '\t', ',']).filter(|word| !word.is_empty());
        let Some(word) = words.next() else { return true };
        let operand = words.next().unwrap_or_default();
        let first = word.to_ascii_lowercase();
        let prefix = table::prefix(&first).is_some() && select::register(&first).is_none();
        let label = first
            .strip_suffix(':')
            .is_some_and(|name| name.bytes().all(word::is_name));
        if !prefix && !label {
            break (first, operand);
        }
        rest = rest.split_once(word).map_or("", |(_, behind)| behind);
    };
    if first.starts_with('.') {
        return true;
    }
    let known = select::instruction(&first).is_some() || att && att::is_instruction(&first);
    let place = Place {
        size: CodeSize::Bits32,
        address: 0,
    };
    let alone = || {
        let encoded = select::encode(&first, select::Prefixes::NONE, &[], place);
        encoded.is_ok() || att && (certain || !first.ends_with(['b', 'w', 'l'])) && att::is_instruction(&first)
    };
    let is_operand = operand.starts_with(['[', '$', '%', '(', '*', '.', '-']) || is_number(operand);
    let is_size = matches!(
        operand.to_ascii_lowercase().as_str(),
        "byte" | "word" | "dword" | "qword" | "offset"
    );
    let is_word = || {
        let operands = rest.trim_start().get(first.len()..).unwrap_or_default();
        att && certain && operands.split(',').all(|one| one.split_whitespace().count() == 1)
    };
    let branches = select::instruction(&first).is_some_and(|one| one.takes_target) && operand.contains('_');
    known
        && match operand {
            "" => alone(),
            _ => {
                let is_register = select::register(operand).is_some();
                is_operand || is_size || branches || is_register || operand.contains('(') || is_word()
            }
        }
}

fn is_number(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit())
}
