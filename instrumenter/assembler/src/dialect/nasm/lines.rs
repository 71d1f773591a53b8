//! Macros of several lines, and repeats: their heads, their bodies, their calls, and lines that go on.

use super::arguments::{arguments, parts, without_braces};
use super::expression::constant;
use super::instruction::expect_end;
use super::tokens::{comment_start, name_length};
use super::{Parser, single};
use crate::diag::{Fault, Span, fault};
use crate::dialect::DefinedName;
use crate::expand::{Body, BodyLine, BodyWord, Collected, Piece};
use crate::lex::{Cursor, Kind};
use crate::names::{NONE, NameId, Names};
use crate::statement::{Collect, Head, Repeat, Signature, Statement};
use std::ops::Range;

/// A macro of a name: those with other numbers of arguments are others.
pub(super) struct Overload {
    least: usize,
    most: usize,
    /// Whether the last parameter takes the rest of the line.
    greedy: bool,
    /// The arguments that a call may leave out, from the one behind `least` on.
    defaults: Vec<String>,
    /// The name under which the expander has it.
    id: NameId,
    any_case: bool,
}

impl Overload {
    fn takes(&self, count: usize) -> bool {
        self.least <= count && (count <= self.most || self.greedy)
    }
}

/// The first word of a line, in lower case, if it begins with a percent sign.
pub(super) fn percent_word(text: &str) -> Option<String> {
    let text = text.trim_start();
    let rest = text.strip_prefix('%')?;
    let length = name_length(rest);
    (length > 0).then(|| text[..=length].to_ascii_lowercase())
}

/// The role of a line in a body.
pub(super) fn body_word(_: &mut Names, text: &str) -> BodyWord {
    match percent_word(text).as_deref() {
        Some("%macro" | "%imacro" | "%rmacro" | "%irmacro" | "%rep") => BodyWord::Begins,
        Some("%endmacro" | "%endm" | "%endrep") => BodyWord::Ends(0),
        _ => BodyWord::Other,
    }
}

/// The length to keep of a line that goes on behind a backslash.
pub(super) fn continues(_: &mut Names, text: &str, _: usize) -> Option<usize> {
    let before = text.trim_end_matches('\r').strip_suffix('\\')?;
    (comment_start(before) == before.len()).then_some(before.len())
}

/// The lines of a body as they are written: what they ask for is known when they are read.
pub(super) fn body(signature: Signature, kept: &Collected) -> Body {
    let mut body = Body::new(signature, kept);
    for line in &kept.lines {
        let start = body.text.len() as u32;
        body.text.push_str(&line.text);
        let first = body.pieces.len() as u32;
        body.pieces.push(Piece::Text {
            start,
            end: body.text.len() as u32,
            column: 0,
        });
        body.lines.push(BodyLine {
            first,
            last: first + 1,
            file: line.file,
            number: line.number,
        });
    }
    body
}

/// The name that a line defines, from its first words alone.
pub(super) fn defined_name(names: &mut Names, line: &str) -> Option<DefinedName> {
    let text = line.trim_start();
    let is_macro = match percent_word(text).as_deref() {
        Some("%macro" | "%imacro" | "%rmacro" | "%irmacro") => true,
        Some("%define" | "%idefine" | "%xdefine" | "%ixdefine" | "%assign" | "%iassign") => false,
        Some(_) => return None,
        None => {
            let name = &text[..name_length(text)];
            let rest = text[name.len()..].trim_start_matches([':', ' ', '\t']);
            let word = &rest[..name_length(rest)];
            let defines = !name.is_empty() && word.eq_ignore_ascii_case("equ");
            return defines.then(|| DefinedName {
                name: names.intern(name),
                is_macro: false,
            });
        }
    };
    let rest = text.split_once([' ', '\t'])?.1.trim_start();
    let name = &rest[..name_length(rest)];
    (!name.is_empty()).then(|| DefinedName {
        name: names.intern(name),
        is_macro,
    })
}

/// `%macro name 1-2 default`; the body follows.
pub(super) fn begin_macro(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    any_case: bool,
    span: Span,
) -> Statement<'static> {
    let head = match head(parser, cursor, any_case) {
        Ok(signature) => Head::Macro(signature),
        Err(problem) => {
            parser.session.report(problem);
            Head::Dropped
        }
    };
    cursor.at = cursor.tokens.len();
    Statement::Collect(Box::new(Collect {
        head,
        first: None,
        span,
    }))
}

fn head(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, any_case: bool) -> Result<Signature, Fault> {
    let place = cursor.here();
    let Some((name, token)) = cursor.name() else {
        return Err(fault(place, "expected the name of a macro").with_help("write `%macro name 2`"));
    };
    let spelled = cursor.text(token).to_owned();
    let count = |cursor: &mut Cursor<'_>| match cursor.peek().map(|token| token.kind) {
        Some(Kind::Number(number)) if number <= u64::from(u16::MAX) => {
            cursor.at += 1;
            Some(number as usize)
        }
        _ => None,
    };
    let least = count(cursor).unwrap_or(0);
    let mut most = least;
    if cursor.eat(b'-') {
        most = match cursor.eat(b'*') {
            true => usize::MAX,
            false => count(cursor).ok_or_else(|| {
                fault(cursor.here(), "expected the largest number of arguments").with_help("write `1-3` or `1-*`")
            })?,
        };
    }
    if most < least {
        return Err(fault(place, format!("a macro cannot take {least} to {most} arguments")));
    }
    let greedy = cursor.eat(b'+');
    if let Some((_, token)) = cursor.name()
        && !cursor.text(token).eq_ignore_ascii_case(".nolist")
    {
        cursor.at -= 1;
    }
    let rest = cursor.rest().to_owned();
    let defaults = arguments(&rest);
    let key = key(&spelled, any_case);
    let known = parser.modes.overloads.entry(key).or_default();
    known.retain(|one| one.least != least || one.most != most);
    let id = match known.is_empty() {
        true => name,
        false => parser.session.names.intern(&format!("{spelled};{least}-{most}")),
    };
    known.push(Overload {
        least,
        most,
        greedy,
        defaults,
        id,
        any_case,
    });
    Ok(Signature {
        name: id,
        spelled,
        parameters: Vec::new(),
    })
}

fn key(spelled: &str, any_case: bool) -> String {
    match any_case {
        true => spelled.to_ascii_lowercase(),
        false => spelled.to_owned(),
    }
}

/// The key of the macro with this name.
fn known_key(parser: &Parser<'_>, spelled: &str) -> Option<String> {
    let overloads = &parser.modes.overloads;
    if overloads.contains_key(spelled) {
        return Some(spelled.to_owned());
    }
    let lower = spelled.to_ascii_lowercase();
    let any_case = overloads
        .get(&lower)
        .is_some_and(|known| known.iter().any(|one| one.any_case));
    any_case.then_some(lower)
}

/// Whether a name is that of a macro of several lines.
pub(super) fn is_name(parser: &Parser<'_>, spelled: &str) -> bool {
    known_key(parser, spelled).is_some()
}

/// Forgets the macros of a name that take so many arguments.
pub(super) fn forget(parser: &mut Parser<'_>, spelled: &str, least: usize, most: usize) {
    if let Some(key) = known_key(parser, spelled)
        && let Some(known) = parser.modes.overloads.get_mut(&key)
    {
        known.retain(|one| one.least != least || one.most != most);
        if known.is_empty() {
            parser.modes.overloads.remove(&key);
        }
    }
}

/// Whether a macro of several lines is at the cursor.
pub(super) fn is_macro(parser: &Parser<'_>, cursor: &Cursor<'_>) -> bool {
    let token = cursor.peek().filter(|token| matches!(token.kind, Kind::Name(_)));
    token.is_some_and(|token| is_name(parser, cursor.text(token)))
}

/// The call of a macro of several lines, at the cursor.
pub(super) fn call(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Statement<'static>, Fault> {
    let Some((name, token)) = cursor.name() else {
        return Err(fault(cursor.here(), "expected a macro"));
    };
    let span = cursor.span(token);
    let spelled = cursor.text(token);
    let begin = cursor.offset();
    let rest = cursor.take_rest();
    let parts = parts(rest);
    let mut all: Vec<String> = parts
        .iter()
        .map(|part| without_braces(&rest[part.clone()]).to_owned())
        .collect();
    let Some(key) = known_key(parser, spelled) else {
        // One of the bundled library, in which an argument is a text.
        let place = |part: &Range<usize>| {
            let [start, end] = [part.start, part.end].map(|at| (begin + at) as u32);
            cursor.line.span(start, end)
        };
        let places = parts.iter().map(place).collect();
        return Ok(Statement::Call {
            name,
            arguments: all,
            places,
            span,
        });
    };
    let known = parser.modes.overloads.get(&key).map(Vec::as_slice).unwrap_or_default();
    let Some(found) = known.iter().find(|one| one.takes(all.len())) else {
        let wanted: Vec<String> = known
            .iter()
            .map(|one| match (one.least, one.most) {
                (least, usize::MAX) => format!("{least} or more"),
                (least, most) if least == most => least.to_string(),
                (least, most) => format!("{least} to {most}"),
            })
            .collect();
        let message = format!("macro `{spelled}` does not take {} arguments", all.len());
        let help = format!("it takes {}", crate::remedy::list(&wanted, "or"));
        return Err(fault(span, message).with_help(help));
    };
    if found.greedy && all.len() > found.most {
        let last = all.split_off(found.most.saturating_sub(1)).join(",");
        all.push(last);
    }
    while all.len() < found.least + found.defaults.len() {
        let Some(default) = found.defaults.get(all.len() - found.least) else {
            break;
        };
        all.push(default.clone());
    }
    Ok(Statement::Call {
        name: found.id,
        arguments: all,
        places: Vec::new(),
        span,
    })
}

/// The number of passes of a repeat.
pub(super) fn passes(parser: &Parser<'_>, count: i64, place: Span) -> Result<u64, Fault> {
    let most = parser.session.limits.repeats;
    match u64::try_from(count) {
        Ok(count) if count <= most => Ok(count),
        Ok(count) => Err(fault(
            place,
            format!("repeat count {count} exceeds the limit of {most}"),
        )),
        // NASM repeats nothing then, and warns.
        Err(_) => Err(fault(place, format!("invalid repeat count {count}"))),
    }
}

/// `%rep count`; the body follows.
pub(super) fn begin_repeat(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Statement<'static> {
    let place = cursor.here();
    let count = match cursor.done() {
        true => Err(fault(place, "expected the number of passes").with_help("write `%rep 4`")),
        false => constant(parser, cursor)
            .and_then(|count| expect_end(parser, cursor).map(|()| count))
            .and_then(|count| passes(parser, count, place)),
    };
    cursor.at = cursor.tokens.len();
    let head = match count {
        Ok(count) => Head::Repeat {
            signature: Signature {
                name: NONE,
                spelled: "%rep".to_owned(),
                parameters: Vec::new(),
            },
            repeat: Repeat::Count(count),
        },
        Err(problem) => {
            parser.session.report(problem);
            Head::Dropped
        }
    };
    Statement::Collect(Box::new(Collect {
        head,
        first: None,
        span,
    }))
}

/// The words of a line behind its first one, with macros replaced.
pub(super) fn expanded_rest(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let span = cursor.here();
    let rest = cursor.take_rest();
    single::expanded(parser, rest, span)
}
