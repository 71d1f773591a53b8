//! Inline assembly: the lines in the quotes of C's `asm` and of Rust's `asm!`, in Watcom's `#pragma aux`, and in the
//! blocks that Microsoft's compilers call `__asm`. Each instruction becomes a line, with registers for the operands
//! that the compiler would choose; what stands around the instructions is left out.
//!
//! Read is one statement, or parts of one. `pieces` finds its strings, `operands` gives registers. A statement that
//! needs more than general registers, and several statements, are not read: `refused` says what to give instead.

mod operands;
mod pieces;
mod refused;

use super::Pasted;
use crate::diag::{Fault, Span, fault};
use crate::lex::{Edit, Made};
use crate::names::NONE;
use crate::program::Padding;
use operands::{Flavour, Operands};
use pieces::{Piece, pieces};
pub(super) use refused::inline;
use std::ops::Range;

/// The most bytes of a text that is read as such a statement.
const LONGEST: usize = 1 << 15;
/// More bytes than the longest word has that begins one.
const LONGEST_WORD: usize = 12;

/// The instructions of a statement.
pub(super) struct Inline {
    lines: Vec<Instructions>,
    /// Which registers stand for operands.
    told: Option<Fault>,
}

/// Instructions of one line, which begin at the column where they stand there.
#[derive(Default)]
struct Instructions {
    number: u32,
    text: String,
    /// What stands there otherwise.
    edits: Vec<Edit>,
}

impl Instructions {
    fn new(number: u32, column: usize) -> Instructions {
        Instructions {
            number,
            text: " ".repeat(column),
            edits: Vec::new(),
        }
    }

    /// Appends `text` for so many bytes of the line that begin at a column.
    fn put(&mut self, text: &str, column: usize, length: usize) {
        let made = self.text.len()..self.text.len() + text.len();
        let source = column..column + length;
        self.edits.push(Edit { made, source });
        self.text.push_str(text);
    }
}

impl Inline {
    /// The instructions as lines of MASM, with `read` for what is in the notation of compilers.
    pub(super) fn lines(self, read: &mut dyn FnMut(&str) -> Option<Pasted>) -> Pasted {
        let lines = self.lines;
        let place = |line: u32| {
            let line = lines.get(line as usize - 1);
            line.map_or((1, &[][..]), |line| (line.number, &line.edits[..]))
        };
        let whole: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
        let mut pasted = match read(&whole.join("\n")) {
            Some(mut pasted) => {
                for (fault, _) in pasted.warnings.iter_mut().chain(&mut pasted.refused) {
                    fault.span.line = place(fault.span.line).0;
                }
                pasted
            }
            None => {
                let made = (1..).zip(&lines).map(|(number, line)| {
                    let mut made = Made::new(number);
                    made.copy(&line.text, 0..line.text.len());
                    made
                });
                Pasted {
                    lines: made.collect(),
                    padding: Padding::Moves,
                    of_compilers: false,
                    functions: Vec::new(),
                    refused: None,
                    warnings: Vec::new(),
                }
            }
        };
        pasted.lines = pasted.lines.iter().map(|line| line.moved(place)).collect();
        pasted.warnings.extend(self.told.map(|told| (told, NONE)));
        pasted
    }
}

/// Reads such a statement; `None` if the text is none, or has more than this.
pub(super) fn read(text: &str) -> Option<Inline> {
    if text.len() > LONGEST || refused::is_whole(text) {
        return None;
    }
    let pieces = pieces(text);
    if let Some(lines) = block(text, &pieces) {
        return Some(Inline { lines, told: None });
    }
    let statement = Statement::of(text, &pieces)?;
    let quoted: Vec<&str> = statement.template.iter().map(|part| &text[part.clone()]).collect();
    let operands = Operands::of(&text[statement.operands.clone()], statement.flavour, &quoted)?;
    let mut lines = Vec::new();
    for part in &statement.template {
        instructions(text, part.clone(), &operands, &mut lines)?;
    }
    let told = operands.told().map(|words| {
        let start = statement.template.first().map_or(0, |part| part.start);
        let (line, column) = place(text, start);
        let end = text[start..].lines().next().map_or(column, |rest| column + rest.len());
        fault(Span::of(line, &(column..end)), words).with_help(
            "these are the registers here of what the compiler chooses; write others in place of the operands",
        )
    });
    lines
        .iter()
        .any(|line| !line.text.trim().is_empty())
        .then_some(Inline { lines, told })
}

/// Where the instructions of a statement are.
struct Statement {
    flavour: Flavour,
    /// The contents of the strings.
    template: Vec<Range<usize>>,
    /// What follows them in the parentheses.
    operands: Range<usize>,
}

impl Statement {
    fn of(text: &str, pieces: &[Piece]) -> Option<Statement> {
        let mut found = None;
        for (index, piece) in pieces.iter().enumerate() {
            let Piece::Code(code) = piece else { continue };
            let Some(begun) = begin(&text[code.clone()]) else {
                continue;
            };
            if found.is_some() {
                // Several statements share no registers.
                return None;
            }
            let start = code.start + begun.at;
            found = match begun.flavour {
                Flavour::Watcom => Some(Statement {
                    flavour: Flavour::Watcom,
                    template: strings(&pieces[index..]),
                    operands: text.len()..text.len(),
                }),
                flavour => Some(Statement::in_parentheses(text, &pieces[index..], start, flavour)?),
            };
        }
        found.or_else(|| {
            // Lines out of the middle of a statement: nothing but strings, commas and its end.
            let bare = |piece: &Piece| match piece {
                Piece::Code(code) => text[code.clone()]
                    .chars()
                    .all(|one| one.is_whitespace() || ",);".contains(one)),
                Piece::Quoted(_) => true,
            };
            let template = strings(pieces);
            let begins = text.trim_start().starts_with('"') && pieces.iter().all(bare);
            let flavour = match template.iter().any(|part| text[part.clone()].contains('{')) {
                true => Flavour::Rust,
                false => Flavour::C,
            };
            begins.then_some(Statement {
                flavour,
                template,
                operands: text.len()..text.len(),
            })
        })
    }

    /// The statement whose parenthesis opens at `start`, in the first of these pieces.
    fn in_parentheses(text: &str, pieces: &[Piece], start: usize, flavour: Flavour) -> Option<Statement> {
        let mut depth = 0;
        let mut template = Vec::new();
        let mut behind: Option<usize> = None;
        for piece in pieces {
            match piece {
                Piece::Quoted(part) if behind.is_none() && depth == 1 => template.push(part.clone()),
                Piece::Quoted(_) => {}
                Piece::Code(code) => {
                    for (at, one) in text[code.clone()].char_indices() {
                        let at = code.start + at;
                        if at < start {
                            continue;
                        }
                        match one {
                            '(' | '[' | '{' => depth += 1,
                            ')' | ']' | '}' => depth -= 1,
                            _ => {}
                        }
                        if depth == 0 {
                            let end = behind.unwrap_or(at);
                            return Some(Statement {
                                flavour,
                                template,
                                operands: end..at,
                            });
                        }
                        let ends = match flavour {
                            Flavour::Rust => one.is_alphanumeric() || one == '_',
                            _ => one == ':',
                        };
                        // A raw string has its mark before it.
                        let raw = one == 'r' && text[at + 1..].starts_with(['"', '#']);
                        if depth == 1 && ends && !raw && behind.is_none() {
                            behind = Some(at);
                        }
                    }
                }
            }
        }
        // The end is not among the lines.
        let end = behind.unwrap_or(text.len());
        (!template.is_empty()).then_some(Statement {
            flavour,
            template,
            operands: end..text.len(),
        })
    }
}

/// The contents of all strings.
fn strings(pieces: &[Piece]) -> Vec<Range<usize>> {
    let quoted = pieces.iter().filter_map(|piece| match piece {
        Piece::Quoted(part) => Some(part.clone()),
        Piece::Code(_) => None,
    });
    quoted.collect()
}

struct Begun {
    flavour: Flavour,
    /// Where its parenthesis opens.
    at: usize,
}

/// The beginning of a statement in code.
fn begin(code: &str) -> Option<Begun> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let bytes = code.as_bytes();
    if let Some(at) = code.find("#pragma aux") {
        return Some(Begun {
            flavour: Flavour::Watcom,
            at,
        });
    }
    for (at, _) in code.match_indices("asm") {
        let start = at - bytes[..at].iter().rev().take(LONGEST_WORD).take_while(is_name).count();
        let end = at + bytes[at..].iter().take(LONGEST_WORD).take_while(is_name).count();
        let mut rest = code[end..].trim_start();
        let flavour = match (&code[start..end], rest.starts_with('!')) {
            ("asm" | "global_asm" | "naked_asm", true) => Flavour::Rust,
            ("asm" | "__asm__" | "__asm", false) => Flavour::C,
            _ => continue,
        };
        rest = rest.trim_start_matches('!').trim_start();
        while let Some(word) = ["volatile", "__volatile__", "inline", "goto"]
            .iter()
            .find(|word| rest.starts_with(**word))
        {
            rest = rest[word.len()..].trim_start();
        }
        if rest.starts_with('(') {
            return Some(Begun {
                flavour,
                at: code.len() - rest.len(),
            });
        }
    }
    None
}

/// The number of the line, from 1, and the column of a place.
fn place(text: &str, at: usize) -> (u32, usize) {
    let before = &text[..at];
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() as u32 + 1, at - start)
}

/// Adds the instructions of a string; `None` if one has an operand that has no register.
fn instructions(text: &str, part: Range<usize>, operands: &Operands, lines: &mut Vec<Instructions>) -> Option<()> {
    let (first, start) = place(text, part.start);
    for (number, content) in (first..).zip(text[part].split('\n')) {
        let column = if number == first { start } else { 0 };
        of_line(content, number, column, operands, lines)?;
    }
    Some(())
}

/// Adds the instructions of a string that are in one line, from this column on.
fn of_line(
    content: &str,
    number: u32,
    column: usize,
    operands: &Operands,
    lines: &mut Vec<Instructions>,
) -> Option<()> {
    let mut line = Instructions::new(number, column);
    let mut at = 0;
    while let Some(one) = content[at..].chars().next() {
        let rest = &content[at..];
        let here = column + at;
        let escaped = rest.strip_prefix('\\').map(|rest| rest.chars().next());
        if escaped == Some(Some('n')) || operands.separates(one) {
            at += if escaped.is_some() { 2 } else { 1 };
            lines.push(std::mem::replace(&mut line, Instructions::new(number, column + at)));
            continue;
        }
        if let Some(character) = escaped {
            let length = 1 + character.map_or(0, char::len_utf8);
            let meant = match character {
                // Without a character, the string goes on in the next line.
                Some('t' | 'r') | None => " ".to_owned(),
                Some(other) => other.to_string(),
            };
            line.put(&meant, here, length);
            at += length;
            continue;
        }
        at += match operands.placed(rest)? {
            Some((meant, length)) => {
                line.put(&meant, here, length);
                length
            }
            None => {
                line.text.push(one);
                one.len_utf8()
            }
        };
    }
    lines.push(line);
    Some(())
}

/// The lines of a block of Microsoft's compilers, `__asm { .. }`, or of single instructions after that word.
fn block(text: &str, pieces: &[Piece]) -> Option<Vec<Instructions>> {
    let word = |line: &str| {
        let line = line.trim_start();
        let found = ["__asm", "_asm"].iter().find(|word| line.starts_with(**word))?;
        let rest = &line[found.len()..];
        (!rest.starts_with(|one: char| one.is_ascii_alphanumeric() || one == '_')
            && !rest.trim_start().starts_with('('))
        .then_some(found.len())
    };
    if !text.lines().any(|line| word(line).is_some()) || pieces.iter().any(|piece| matches!(piece, Piece::Quoted(_))) {
        return None;
    }
    // Comments are no pieces.
    let mut bare = vec![b' '; text.len()];
    for piece in pieces {
        let Piece::Code(code) = piece else { continue };
        bare[code.clone()].copy_from_slice(&text.as_bytes()[code.clone()]);
    }
    for (at, byte) in text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n') {
        bare[at] = byte;
    }
    let bare = String::from_utf8(bare).ok()?;
    let mut lines = Vec::new();
    let mut inside = false;
    for (number, line) in (1..).zip(bare.lines()) {
        let begins = word(line);
        let mut code = line.to_owned();
        if let Some(length) = begins {
            let start = line.len() - line.trim_start().len();
            code.replace_range(start..start + length, &" ".repeat(length));
        }
        let alone = begins.is_some() && !code.trim_start().starts_with('{') && !code.trim().is_empty();
        let waits = begins.is_some() && code.trim().is_empty();
        let opens = code.trim_start().starts_with('{') && (begins.is_some() || inside);
        inside |= opens || waits;
        if inside || alone {
            let closes = code.contains('}');
            code = code.replace(['{', '}'], " ");
            lines.push(Instructions {
                number,
                text: code,
                edits: Vec::new(),
            });
            inside &= !closes;
        }
    }
    lines.iter().any(|line| !line.text.trim().is_empty()).then_some(lines)
}
