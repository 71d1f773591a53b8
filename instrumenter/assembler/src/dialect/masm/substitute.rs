//! Text substitution: text macros, text functions, and the short names of the bundled library.

use super::Parser;
use super::argument::without_quotes;
use super::condition;
use super::function::{call, function_call};
use super::keyword::{I86, I586};
use super::{Keyword, keyword};
use crate::diag::Fault;
use crate::dialect::Substitution;
use crate::lex::{Kind, Line, Token, is_word};
use crate::names::{NONE, NameId};
use std::borrow::Cow;

/// The names whose texts depend on the place where they are used.
pub(super) const PLACES: [&str; 4] = ["@line", "@filecur", "@interface", "@cpu"];

/// The substitution to make in a line before it is parsed.
pub(super) fn substitute(parser: &mut Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    let mut text = false;
    for token in tokens {
        let Kind::Name(name) = token.kind else {
            continue;
        };
        let info = parser.session.names.info(name);
        text |= info.text != NONE || info.function || info.local_text || info.later_text != NONE;
        if info.library && !parser.session.in_library && uses(parser, name, tokens) {
            return Ok(Substitution::Library);
        }
    }
    if let Some(masked) = quotes_hidden(parser, line, tokens) {
        let mut outside = Vec::new();
        parser.lex(&masked, &mut outside);
        match function_call(parser, line, &outside)? {
            Substitution::None => {}
            called => return Ok(called),
        }
    }
    if matches!(tokens.first().map(|token| token.kind), Some(Kind::Mark(b'%'))) {
        match in_strings(parser, line, tokens)? {
            Substitution::None => {}
            substitution => return Ok(substitution),
        }
        if let Some(joined) = joined(parser, line, tokens) {
            return Ok(Substitution::Pasted(joined));
        }
    }
    // Most lines have nothing to substitute.
    if !text {
        return Ok(Substitution::None);
    }
    match function_call(parser, line, tokens)? {
        Substitution::None => Ok(match substituted(parser, line, tokens) {
            Some(pasted) => Substitution::Pasted(pasted),
            None => Substitution::None,
        }),
        called => Ok(called),
    }
}

/// The text of a line that takes literals in angle brackets, with blanks for the quotes in them: `<'>` begins no
/// string, and what stands before the next `<'>` has a meaning. `None` if there are no such quotes.
fn quotes_hidden(parser: &Parser<'_>, line: &Line, tokens: &[Token]) -> Option<String> {
    let quoted = |token: &Token| {
        let before = (token.start as usize).checked_sub(1);
        let literal = before.is_some_and(|at| line.text.as_bytes().get(at) == Some(&b'<'));
        literal && matches!(token.kind, Kind::String | Kind::Bad(_))
    };
    let first = tokens.iter().find(|token| quoted(token))?;
    let name_at = |place: usize| match tokens.get(place).map(|token| token.kind) {
        Some(Kind::Name(name)) => Some(name),
        _ => None,
    };
    let directive = matches!(
        name_at(1).and_then(keyword),
        Some(Keyword::TextEqu | Keyword::SubString | Keyword::InString | Keyword::SizeString)
    );
    let macro_call = || {
        let word = name_at(statement_start(tokens));
        word.is_some_and(|name| parser.session.names.info(name).body != NONE)
    };
    (directive || macro_call()).then(|| without_quotes(&line.text, first.start as usize - 1))
}

/// The text that a name stands for: that of a text macro, or one that depends on the place.
fn text_at<'t>(parser: &'t Parser<'_>, name: NameId, line: &Line) -> Option<Cow<'t, str>> {
    let session = &*parser.session;
    let known = parser.expander.text_of(session, name);
    if let Some(text) = known.or_else(|| parser.expander.later_text_of(session, name)) {
        return Some(Cow::Borrowed(text));
    }
    let info = session.names.info(name);
    if info.local_text
        && let Some(local) = parser.modes.labels.text(name)
    {
        return parser.expander.text_of(session, local).map(Cow::Borrowed);
    }
    if !info.function {
        return None;
    }
    match session.names.text(name) {
        // In a macro, the line that calls it.
        "@line" => {
            let outermost = session.steps(session.origin).last();
            let number = outermost.map_or(line.number, |(_, step)| step.span.line);
            Some(number.to_string().into())
        }
        "@filecur" => session
            .files
            .get(line.file as usize)
            .map(|file| Cow::Borrowed(&*file.name)),
        "@interface" => Some(parser.modes.interface.to_string().into()),
        "@cpu" => {
            let assumed = if parser.is_narrow() { I86 } else { I586 };
            let bits = parser.modes.processor_bits.unwrap_or(assumed);
            Some(format!("0{bits:X}h").into())
        }
        _ => None,
    }
}

/// An expression with its first text macro replaced; `None` if it contains none.
pub(super) fn in_expression(parser: &Parser<'_>, line: &Line, tokens: &[Token]) -> Option<Line> {
    tokens.iter().find_map(|token| match token.kind {
        Kind::Name(name) if !parser.session.is_library_text(name) => {
            let known = text_at(parser, name, line)?;
            line.pasted(token.start as usize, token.end as usize, &known)
        }
        _ => None,
    })
}

/// The substitution to make in the strings of a line that begins with `%`, in which `&` precedes each text macro and
/// text function.
fn in_strings(parser: &mut Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    let strings = tokens.iter().filter(|token| token.kind == Kind::String);
    for token in strings {
        let (start, end) = (token.start as usize, token.end as usize);
        let text = line.text.get(start..end).unwrap_or_default();
        for (at, _) in text.match_indices('&') {
            let behind = text.get(at + 1..).unwrap_or_default();
            let length = behind.bytes().take_while(|&byte| is_word(byte)).count();
            let word = behind.get(..length).unwrap_or_default();
            if word.is_empty() {
                continue;
            }
            let name = parser.session.names.intern(word);
            let from = start + at;
            let after = from + 1 + length;
            if let Some(known) = text_at(parser, name, line) {
                let joined = usize::from(line.text.get(after..).is_some_and(|rest| rest.starts_with('&')));
                if let Some(pasted) = line.pasted(from, after + joined, &known) {
                    return Ok(Substitution::Pasted(pasted));
                }
            }
            if parser.session.names.info(name).function && line.text.get(after..end).is_some_and(|s| s.starts_with('('))
            {
                return call(parser, line, name, (from, after + 1), line.span(token.start, token.end));
            }
        }
    }
    Ok(Substitution::None)
}

/// A line that begins with `%` with the text macros that `&` joins with what is beside them; `None` if there are none.
fn joined(parser: &Parser<'_>, line: &Line, tokens: &[Token]) -> Option<Line> {
    let joins = |token: &Token| token.kind == Kind::Mark(b'&');
    let (first, last) = (tokens.iter().position(joins)?, tokens.iter().rposition(joins)?);
    let near = tokens.get(first.saturating_sub(1)..(last + 2).min(tokens.len()))?;
    let (start, end) = (near.first()?.start as usize, near.last()?.end as usize);
    let mut text = String::new();
    let mut at = start;
    let mut found = false;
    for (place, token) in near.iter().enumerate() {
        let beside = |place: Option<usize>| place.and_then(|place| near.get(place)).is_some_and(joins);
        let Kind::Name(name) = token.kind else { continue };
        if !(beside(place.checked_sub(1)) || beside(Some(place + 1))) {
            continue;
        }
        let Some(known) = text_at(parser, name, line) else {
            continue;
        };
        let before = line.text.get(at..token.start as usize)?;
        text.push_str(before.trim_end_matches('&'));
        text.push_str(&known);
        found = true;
        at = token.end as usize;
        at += line.text.get(at..)?.bytes().take_while(|&byte| byte == b'&').count();
    }
    text.push_str(line.text.get(at..end)?);
    found.then(|| line.pasted(start, end, &text)).flatten()
}

/// Whether a line uses this name of the bundled library rather than defining it.
fn uses(parser: &Parser<'_>, name: NameId, tokens: &[Token]) -> bool {
    if parser.program.is_defined(&parser.session.names, name) {
        return false;
    }
    let defines = match tokens.get(1).map(|token| token.kind) {
        Some(Kind::Name(second)) => {
            matches!(
                keyword(second),
                Some(Keyword::Macro | Keyword::Equ | Keyword::TextEqu | Keyword::Define(_) | Keyword::Proc)
                    | Some(Keyword::TypeOfSize(_) | Keyword::Label)
            )
        }
        Some(Kind::Mark(b'=')) => true,
        // The name is a label, or a label precedes its use.
        Some(Kind::Mark(b':')) => {
            matches!(tokens.first(), Some(Token { kind: Kind::Name(first), .. }) if *first == name)
        }
        _ => false,
    };
    if defines {
        return false;
    }
    let start = statement_start(tokens);
    let statement = matches!(tokens.get(start), Some(Token { kind: Kind::Name(first), .. }) if *first == name);
    // The library's one-letter names count only as whole statements: `s` and `e` are too short to reserve.
    parser.session.names.text(name).len() > 1 || (statement && alone(tokens))
}

/// The line with its first text macro replaced; `None` if it contains none.
fn substituted(parser: &Parser<'_>, line: &Line, tokens: &[Token]) -> Option<Line> {
    let name_at = |place: usize| match tokens.get(place) {
        Some(Token {
            kind: Kind::Name(name), ..
        }) => Some(*name),
        _ => None,
    };
    if matches!(tokens.first().map(|token| token.kind), Some(Kind::Mark(b'%'))) {
        return substituted_from(parser, line, tokens, 1);
    }
    let first = name_at(0)?;
    let second = name_at(1).and_then(keyword);
    let from = match (keyword(first), second) {
        (Some(Keyword::Macro), _) | (_, Some(Keyword::Macro)) => return None,
        (_, Some(Keyword::Equ | Keyword::TextEqu | Keyword::SubString | Keyword::InString | Keyword::SizeString)) => {
            return None;
        }
        (
            Some(
                Keyword::Purge
                | Keyword::Echo
                | Keyword::Comment
                | Keyword::Include
                | Keyword::Tolerated
                | Keyword::Error
                | Keyword::ErrorIf(_)
                | Keyword::ExitMacro
                | Keyword::GoTo
                | Keyword::For
                | Keyword::ForCharacter,
            ),
            _,
        ) => return None,
        (Some(word), _) if condition::takes_text(word) => return None,
        _ if matches!(tokens.get(1).map(|token| token.kind), Some(Kind::Mark(b'='))) => 2,
        _ if name_at(statement_start(tokens)).is_some_and(|name| parser.session.names.info(name).body != NONE) => {
            return None;
        }
        _ => 0,
    };
    substituted_from(parser, line, tokens, from)
}

fn substituted_from(parser: &Parser<'_>, line: &Line, tokens: &[Token], from: usize) -> Option<Line> {
    let first = tokens.first().map(|token| token.kind);
    // `assume esi:type` needs to know what the type points to.
    let assumes = matches!(first, Some(Kind::Name(name)) if keyword(name) == Some(Keyword::Assume));
    for (place, token) in tokens.iter().enumerate().skip(from) {
        let Kind::Name(name) = token.kind else {
            continue;
        };
        if assumes && parser.modes.pointers.contains_key(&name) {
            continue;
        }
        let Some(known) = text_at(parser, name, line) else {
            continue;
        };
        if parser.session.is_library_text(name)
            && !parser.session.in_library
            && !(place == statement_start(tokens) && alone(tokens))
        {
            continue;
        }
        return line.pasted(token.start as usize, token.end as usize, &known);
    }
    None
}

/// Whether a statement is a short name of the library, alone or followed by a region name.
fn alone(tokens: &[Token]) -> bool {
    match tokens.get(statement_start(tokens)..).unwrap_or(&[]) {
        [_] => true,
        [_, second] => match second.kind {
            Kind::Name(name) => keyword(name).is_none(),
            Kind::String => true,
            _ => false,
        },
        _ => false,
    }
}

/// The token after the label, if there is one.
fn statement_start(tokens: &[Token]) -> usize {
    match tokens.get(1).map(|token| token.kind) {
        Some(Kind::Mark(b':')) => 2,
        _ => 0,
    }
}
