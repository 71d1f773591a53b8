//! COM programs without a memory model: `org 100h` before all code, as several small assemblers take it.
//!
//! Lines without a program around them may be taken as 16-bit code in the same way.
//!
//! Such a text is the same with `.model tiny` and `.code` before that line, if nothing in it speaks for 32-bit code.

use super::Parser;
use super::generated::Generated;
use super::model::{COM_ORIGIN, TINY, selected};
use crate::diag::{Span, fault};
use crate::select::register;
use crate::statement::Statement;

/// The directives that choose the size of segments, or name them, as the first or second word of a line.
const CHOOSING: [&str; 5] = [".model", "model", "segment", ".code", "codeseg"];

/// `.model tiny` in place of an origin at `target` that begins a COM program; the segment of code and the origin
/// follow.
pub(super) fn begin(parser: &mut Parser<'_>, target: Option<i64>, span: Span) -> Option<Statement<'static>> {
    let layout = &parser.program.layout;
    let begins = layout.snippet && !layout.segmented && layout.location_in_segment() == 0;
    if target != Some(COM_ORIGIN)
        || !begins
        || parser.modes.has_model
        || parser.modes.origin_seen
        || parser.session.in_library
    {
        return None;
    }
    let text = parser.session.files.get(span.file as usize)?.text.clone();
    parser.modes.origin_seen = true;
    let lines = || text.lines().map(code);
    let chosen = lines().any(|line| {
        words(&line)
            .take(2)
            .any(|word| CHOOSING.iter().any(|one| word.eq_ignore_ascii_case(one)))
    });
    if chosen {
        return None;
    }
    let wide = parser.modes.wide
        || lines().any(|line| words(&line).any(|word| register(word).is_some_and(|register| register.is_gpr32())));
    if wide {
        let message = "taken as 32-bit code, in which an origin of 100h does not make a COM program";
        let help = "write `.model tiny` and `.code` before it, and `.386` after `.model` for registers of 32 bits";
        parser.session.warn(fault(span, message).with_help(help));
        return None;
    }
    parser.session.narrow.com = true;
    parser.modes.generated.push_back(Generated::Code);
    parser.modes.generated.push_back(Generated::ComOrigin { span });
    Some(Statement::Model(selected(parser.modes, TINY)))
}

/// `.model tiny` before the first statement of lines without a program around them that are taken as 16-bit code; the
/// origin follows.
pub(super) fn begin_lines(parser: &mut Parser<'_>, span: Span) -> Option<Statement<'static>> {
    if !parser.session.narrow.taken || parser.modes.has_model || parser.session.in_library {
        return None;
    }
    parser.modes.origin_seen = true;
    parser.modes.generated.push_back(Generated::ComOrigin { span });
    Some(Statement::Model(selected(parser.modes, TINY)))
}

/// The size of code that a line with nothing else says, as it stands in sources for other assemblers: `bits 16` and
/// `use16`; whether it is 16 bits.
pub(super) fn size_alone(parser: &mut Parser<'_>, text: &str, rest: &str, span: Span) -> Option<()> {
    let narrow = match (text.to_ascii_lowercase().as_str(), rest.trim()) {
        ("use16", "") | ("bits", "16") => true,
        ("use32", "") | ("bits", "32") => false,
        _ => return None,
    };
    let program = &parser.program;
    let alone = program.layout.snippet || parser.session.narrow.com;
    if !program.may_be_fragment || !alone || parser.session.in_library {
        return None;
    }
    let first = parser.session.narrow.said.map_or(span, |(first, _)| first);
    parser.session.narrow.said = Some((first, narrow));
    Some(())
}

/// A line without its comment and the contents of its quotes.
fn code(line: &str) -> String {
    let mut quote = None;
    let mut code = String::new();
    for character in line.chars() {
        match (quote, character) {
            (None, ';') => break,
            (None, '\'' | '"') => quote = Some(character),
            (None, _) => code.push(character),
            (Some(open), _) if character == open => quote = None,
            _ => {}
        }
    }
    code
}

/// The words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let between = |one: char| !one.is_ascii_alphanumeric() && !"._@$?".contains(one);
    line.split(between).filter(|word| !word.is_empty())
}
