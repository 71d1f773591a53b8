//! Directives that change how later lines are read: `option` in all its forms, saved contexts, and TASM's operations on
//! flags.

use super::generated::generate_instruction;
use super::keyword::FlagOperation;
use super::procedure::{convention, decoration, interface};
use super::{Keyword, Parser, keyword};
use crate::diag::{Fault, Span, fault};
use crate::lex::{Cursor, Kind};
use crate::statement::{FrameCode, Statement};
use iced_x86::Register;

/// `option casemap:none, proc:private, ...`.
pub(super) fn options(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    while let Some((_, token)) = cursor.name() {
        let place = cursor.span(token);
        let word = cursor.text(token).to_ascii_lowercase();
        let mut value = String::new();
        if cursor.eat(b':') {
            let start = cursor.offset();
            let mut depth = 0u32;
            while let Some(token) = cursor.peek() {
                match token.kind {
                    Kind::Mark(b'<') => depth += 1,
                    Kind::Mark(b'>') => depth = depth.saturating_sub(1),
                    Kind::Mark(b',') if depth == 0 => break,
                    _ => {}
                }
                cursor.at += 1;
            }
            let end = cursor.tokens.get(cursor.at - 1).map_or(start, |last| last.end as usize);
            value = cursor.line.text.get(start..end).unwrap_or("").trim().to_owned();
        }
        option(parser, &word, &value, place)?;
        if !cursor.eat(b',') {
            break;
        }
    }
    cursor.expect_end()
}

fn option(parser: &mut Parser<'_>, word: &str, written: &str, place: Span) -> Result<(), Fault> {
    let value = &*written.to_ascii_lowercase();
    match word {
        "casemap" => parser.session.names.distinguish_case(value != "all"),
        "prologue" | "epilogue" => {
            parser.modes.frame_code[usize::from(word == "epilogue")] = match value {
                "none" => FrameCode::None,
                "" | "prologuedef" | "epiloguedef" => FrameCode::Usual,
                _ => FrameCode::Macro(parser.session.names.intern(written)),
            };
        }
        "language" => {
            parser.modes.convention = convention(value).unwrap_or(parser.modes.convention);
            parser.modes.decoration = decoration(value).unwrap_or(parser.modes.decoration);
            parser.modes.interface = interface(value).unwrap_or(parser.modes.interface);
        }
        "nokeyword" => {
            let words = value.trim_matches(['<', '>']).split([' ', ',', '\t']);
            for word in words.filter(|word| !word.is_empty()) {
                let name = parser.session.names.intern(word);
                if keyword(name).is_some() {
                    parser.session.note_ignored(format!("option nokeyword:<{word}>"), place);
                }
                let info = parser.session.names.info_mut(name);
                (info.mnemonic, info.branch, info.jump) = (false, false, false);
                info.register = Register::None;
            }
        }
        "renamekeyword" => rename(parser, written, place)?,
        "scoped" => parser.modes.unscoped = false,
        "noscoped" => parser.modes.unscoped = true,
        "ljmp" => parser.modes.jumps = true,
        "noljmp" => parser.modes.jumps = false,
        "m510" => (parser.modes.unscoped, parser.modes.old_macros) = (true, true),
        "oldmacros" => parser.modes.old_macros = true,
        "nooldmacros" => parser.modes.old_macros = false,
        "segment" => {
            parser.modes.wide = matches!(value, "use32" | "flat");
            parser.modes.by_processor = false;
        }
        "dotname" | "nodotname" | "emulator" | "noemulator" | "expr16" | "expr32" | "nom510" | "offset"
        | "oldstructs" | "nooldstructs" | "proc" | "readonly" | "noreadonly" | "setif2" | "nosignextend"
        | "signextend" => {
            parser.session.note_ignored(format!("option {word}"), place);
        }
        _ => return Err(fault(place, format!("unknown option `{word}`"))),
    }
    Ok(())
}

/// `option renamekeyword:<old>=new`. The old name keeps its meaning where the source gives it no other.
fn rename(parser: &mut Parser<'_>, written: &str, place: Span) -> Result<(), Fault> {
    let names = written.split_once('=');
    let Some((old, new)) = names.map(|(old, new)| (old.trim().trim_matches(['<', '>']).trim(), new.trim())) else {
        return Err(fault(place, "expected a word and its new name").with_help("write `renamekeyword:<old>=new`"));
    };
    let (names, renamed) = (&mut parser.session.names, &mut parser.modes.renamed);
    let (old_name, new_name) = (names.intern(old), names.intern(new));
    let meaning = *names.info(old_name);
    if new.is_empty() || !(meaning.mnemonic || meaning.register != Register::None) {
        let message = format!("`{old}` is no instruction or register: other words keep their names");
        return Err(fault(place, message));
    }
    let info = names.info_mut(new_name);
    (info.mnemonic, info.branch, info.jump) = (meaning.mnemonic, meaning.branch, meaning.jump);
    (info.address_only, info.register) = (meaning.address_only, meaning.register);
    if meaning.mnemonic {
        renamed.insert(new_name, renamed.get(&old_name).copied().unwrap_or(old_name));
    }
    Ok(())
}

/// `pushcontext assumes, radix` and `popcontext`: each saves or restores all that either may name.
pub(super) fn context(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    const MOST: usize = 256;
    cursor.at = cursor.tokens.len();
    let modes = &mut *parser.modes;
    let save = word == Keyword::PushContext;
    if save {
        if modes.contexts.len() >= MOST {
            return Err(fault(span, format!("saved states are nested deeper than {MOST}")));
        }
        modes.contexts.push((modes.radix, modes.wide));
    } else if let Some((radix, wide)) = modes.contexts.pop() {
        (modes.radix, modes.wide) = (radix, wide);
    }
    Ok(Statement::Assumptions { save, span })
}

/// `setflag operand, flags` and similar directives, as the instructions for them.
pub(super) fn change_flags(
    parser: &mut Parser<'_>,
    operation: FlagOperation,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    if cursor.done() {
        return Err(fault(cursor.here(), "expected an operand and its flags"));
    }
    let word = match operation {
        FlagOperation::Set => "or",
        FlagOperation::Mask => "and",
        FlagOperation::Test => "test",
        FlagOperation::Flip => "xor",
    };
    let text = format!("{word} {}", cursor.take_rest());
    generate_instruction(parser, text, span);
    Ok(())
}
