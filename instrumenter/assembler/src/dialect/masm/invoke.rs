//! Calls with arguments: `proto` declares how a procedure is called, `invoke` calls it.

use super::Parser;
use super::generated::{generate_instruction, later};
use super::procedure::{DeclaredType, Prototype, convention, declared_type, decoration, on_stack};
use super::pushed::{Overwritten, push_argument, push_word_argument, register_pair};
use super::{Keyword, keyword};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind, Token};
use crate::module::Decoration;
use crate::names::NameId;
use crate::statement::Convention;
use iced_x86::Register;

const MOST_ARGUMENTS: usize = 256;

/// `name proto convention a:dword, b:ptr byte`.
pub(super) fn prototype(parser: &mut Parser<'_>, name: NameId, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let mut prototype = Prototype {
        convention: parser.modes.convention,
        ..Prototype::default()
    };
    let mut language = parser.modes.decoration;
    while let Some(token) = cursor.peek() {
        if cursor.eat(b',') {
            continue;
        }
        if cursor.eat(b':') {
            if cursor.eat(b'?') {
                prototype.variable = true;
                continue;
            }
            let DeclaredType { kind, variable, .. } = declared_type(parser, cursor)?;
            prototype.variable |= variable;
            if !variable {
                prototype.sizes.push(parser.program.structures.size_of(kind).max(1));
            }
            continue;
        }
        let Some((word, token)) = cursor.name() else {
            return Err(fault(cursor.span(token), "expected a parameter").with_help("write `name:dword`"));
        };
        if parser.modes.procedure_types.contains_key(&word)
            && let Some(known) = parser.modes.prototypes.get(&word)
        {
            prototype = known.clone();
            continue;
        }
        // `c :dword` is a language and a parameter without a name, `c:dword` a parameter.
        let parameter = cursor.is(b':') && cursor.offset() == token.end as usize;
        if let Some(named) = convention(parser.session.names.text(word)).filter(|_| !parameter) {
            prototype.convention = named;
            language = decoration(parser.session.names.text(word)).unwrap_or_default();
        }
    }
    prototype.parameters = on_stack(parser, &prototype.sizes);
    if let Decoration::Sized(bytes) = &mut language {
        *bytes = prototype.parameters.iter().sum();
    }
    parser.session.names.info_mut(name).decoration = language;
    parser.modes.prototypes.insert(name, prototype);
    Ok(())
}

/// `name proctype c near a:word`: how procedures of this type are called.
pub(super) fn procedure_type<'l>(parser: &mut Parser<'_>, name: NameId, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let rest = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    let far = rest.iter().find_map(|token| match token.kind {
        Kind::Name(word) => match keyword(word) {
            Some(Keyword::Far(_)) => Some(true),
            Some(Keyword::Near(_)) => Some(false),
            _ => None,
        },
        _ => None,
    });
    prototype(parser, name, cursor)?;
    let far = far.unwrap_or(parser.modes.far_code);
    parser.modes.procedure_types.insert(name, far);
    Ok(None)
}

/// `invoke name, arguments`: generates the pushes of the arguments and the call.
pub(super) fn invoke(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    call(parser, cursor, span, true, None)
}

/// A call of a method with arguments, before which an instruction loads the registers of its target.
pub(super) fn call_target(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    span: Span,
    loading: Option<String>,
) -> Result<(), Fault> {
    call(parser, cursor, span, false, loading)
}

/// A call that checks its number of arguments. `declared` says whether a procedure without parameters in its head has
/// none: TASM's `arg` may declare them after the head, or `[ebp+8]` alone may imply them.
/// The instruction `loading` stands before the call.
fn call(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    span: Span,
    declared: bool,
    loading: Option<String>,
) -> Result<(), Fault> {
    let mut arguments = Vec::new();
    let place = cursor.here();
    let Some(mut target) = argument_text(cursor) else {
        return Err(fault(place, "expected a procedure after `invoke`"));
    };
    // TASM allows the calling convention after the name.
    let named = target
        .0
        .rsplit_once([' ', '\t'])
        .map(|(name, word)| (name.trim().to_owned(), word.to_ascii_lowercase()));
    let mut own_convention = None;
    if let Some((name, word)) = named
        && let Some(named) = convention(&word)
    {
        target.0 = name;
        own_convention = Some(named);
    }
    let known = parser.session.names.intern(target.0.trim());
    while cursor.eat(b',') {
        let place = cursor.here();
        let first = cursor.at;
        let Some(argument) = argument_text(cursor) else {
            return Err(fault(place, "expected an argument"));
        };
        let tokens = cursor.tokens.get(first..cursor.at).unwrap_or(&[]);
        let pieces = if declared {
            Vec::new()
        } else {
            operands(parser, cursor, tokens, true)
        };
        arguments.push((argument, pieces));
    }
    cursor.expect_end()?;
    let mut prototype = match parser.modes.prototypes.get(&known) {
        Some(prototype) => prototype.clone(),
        None => Prototype {
            convention: parser.modes.convention,
            variable: true,
            ..Prototype::default()
        },
    };
    prototype.convention = own_convention.unwrap_or(prototype.convention);
    prototype.variable |= !declared && prototype.parameters.is_empty();
    if prototype.convention == Convention::None && !declared {
        let problem = fault(span, "call with arguments requires a calling convention");
        return Err(problem.with_help(match parser.modes.ideal {
            true => "write `call name c, ...`, or `model flat, c`",
            false => "write `call name c, ...`, or `.model flat, c`",
        }));
    }
    let (count, wanted) = (arguments.len(), prototype.parameters.len());
    if count < wanted || (count > wanted && !prototype.variable) {
        let message = format!(
            "wrong number of arguments for `{}`: expected {wanted}, found {count}",
            target.0.trim()
        );
        return Err(fault(span, message));
    }
    if count > MOST_ARGUMENTS {
        return Err(fault(span, format!("more than {MOST_ARGUMENTS} arguments in a call")));
    }
    if prototype.convention != Convention::Pascal {
        arguments.reverse();
    }
    let mut bytes = 0;
    let of_arguments = |parameters: &[u32]| {
        let mut sizes = parameters.to_vec();
        sizes.resize(count, 0);
        if prototype.convention != Convention::Pascal {
            sizes.reverse();
        }
        sizes
    };
    let sizes = of_arguments(&prototype.parameters);
    let narrower = of_arguments(&prototype.sizes);
    let mut overwritten = Overwritten::default();
    for (index, ((argument, place), pieces)) in arguments.iter().enumerate() {
        if pieces.len() > 1 {
            for (piece, place) in pieces {
                bytes += match parser.is_narrow() {
                    true => push_word_argument(parser, piece, 0, &mut overwritten, *place)?,
                    false => push_argument(parser, piece, None, &mut overwritten, *place)?,
                };
            }
            continue;
        }
        if let Some(halves) = register_pair(parser, argument) {
            for (half, register) in halves {
                overwritten.check(register, *place)?;
                generate_instruction(parser, format!("push {half}"), *place);
            }
            bytes += if parser.is_narrow() { 4 } else { 8 };
            continue;
        }
        let wanted = sizes.get(index).copied().unwrap_or(0);
        let pushed = match parser.is_narrow() {
            true => push_word_argument(parser, argument, wanted, &mut overwritten, *place)?,
            false => {
                let most = narrower.get(index).copied().filter(|&most| declared && most > 0);
                push_argument(parser, argument, most, &mut overwritten, *place)?
            }
        };
        if wanted != 0 && wanted != pushed {
            let message = format!("the argument has {pushed} bytes, but the parameter has {wanted}");
            return Err(fault(*place, message));
        }
        bytes += pushed;
    }
    // A method is found through its object, whose register is read here.
    let reached = loading.as_deref().and_then(|loading| loading.split_once(','));
    let reached = reached.map_or(target.0.as_str(), |(_, object)| object);
    overwritten.check_target(parser, reached, target.1);
    if let Some(loading) = loading {
        generate_instruction(parser, loading, span);
    }
    generate_instruction(parser, format!("call {}", target.0), span);
    if prototype.convention == Convention::C && bytes > 0 {
        let top = if parser.is_narrow() { "sp" } else { "esp" };
        generate_instruction(parser, format!("add {top},{bytes}t"), span);
    }
    Ok(())
}

/// Expands TASM's `call name, arguments` and `push eax ebx`; returns whether the line was one of them.
pub(super) fn tasm_shorthand(parser: &mut Parser<'_>, name: NameId, cursor: &mut Cursor<'_>, span: Span) -> bool {
    let calls = match parser.session.names.text(name) {
        "call" => true,
        "push" | "pop" => false,
        _ => return false,
    };
    let behind = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    let listed = behind.len() > 1 && behind.iter().any(|token| token.kind == Kind::Mark(b','));
    // `call name c`: the convention alone.
    let named = match behind {
        [
            Token {
                kind: Kind::Name(target),
                ..
            },
            Token {
                kind: Kind::Name(word), ..
            },
        ] => keyword(*target).is_none() && convention(parser.session.names.text(*word)).is_some(),
        _ => false,
    };
    if (listed || named) && calls {
        let invoked = call(parser, cursor, span, false, None);
        later(parser, invoked);
        return true;
    }
    if listed {
        let word = parser.session.names.text(name).to_owned();
        while let Some((text, span)) = argument_text(cursor) {
            generate_instruction(parser, format!("{word} {text}"), span);
            if !cursor.eat(b',') {
                break;
            }
            if cursor.done() {
                later(
                    parser,
                    Err(fault(span, "expected another operand after the last comma")),
                );
            }
        }
        later(parser, cursor.expect_end());
        return true;
    }
    let pieces = if calls {
        Vec::new()
    } else {
        operands(parser, cursor, behind, false)
    };
    if pieces.len() < 2 {
        return false;
    }
    let word = parser.session.names.text(name).to_owned();
    for (piece, place) in pieces {
        generate_instruction(parser, format!("{word} {piece}"), place);
    }
    cursor.at = cursor.tokens.len();
    true
}

/// The operands that TASM takes without commas, as in `push es offset text [width]`. A word that is no register can be
/// a part of the operand before it or the start of a remark, so that only what can be neither starts the next. Among
/// the arguments of a call, `listed` says, there are no remarks.
fn operands(parser: &Parser<'_>, cursor: &Cursor<'_>, tokens: &[Token], listed: bool) -> Vec<(String, Span)> {
    let register = |token: &Token| match token.kind {
        Kind::Name(name) => parser.session.names.info(name).register != Register::None,
        _ => false,
    };
    let mut pieces = Vec::new();
    let mut piece: Option<(Token, Token)> = None;
    let mut depth = 0i32;
    for token in tokens {
        let starts = match token.kind {
            Kind::Name(name) => {
                let begins = matches!(parser.session.names.text(name), "offset" | "seg");
                register(token) || begins || (listed && keyword(name).is_none_or(Keyword::may_be_a_name))
            }
            Kind::Number(_) | Kind::String => listed,
            Kind::Mark(b'[') => piece.is_some_and(|(_, last)| register(&last)),
            _ => false,
        };
        let ended = piece.is_some_and(|(_, last)| match last.kind {
            Kind::Name(name) => keyword(name).is_none(),
            Kind::Number(_) | Kind::Mark(b']' | b')') => true,
            _ => false,
        });
        if starts && ended && depth == 0 {
            pieces.extend(piece.take());
        }
        match token.kind {
            Kind::Mark(b'(' | b'[') => depth += 1,
            Kind::Mark(b')' | b']') => depth -= 1,
            _ => {}
        }
        piece = Some((piece.map_or(*token, |(first, _)| first), *token));
    }
    pieces.extend(piece);
    let text = |(first, last): (Token, Token)| {
        let text = cursor.line.text.get(first.start as usize..last.end as usize)?;
        Some((text.to_owned(), cursor.line.span(first.start, last.end)))
    };
    pieces.into_iter().filter_map(text).collect()
}

fn argument_text(cursor: &mut Cursor<'_>) -> Option<(String, Span)> {
    let first = cursor.peek()?;
    let mut last = first;
    let mut depth = 0i32;
    while let Some(token) = cursor.peek() {
        match token.kind {
            Kind::Mark(b',') if depth <= 0 => break,
            Kind::Mark(b'(' | b'[') => depth += 1,
            Kind::Mark(b')' | b']') => depth -= 1,
            _ => {}
        }
        last = token;
        cursor.at += 1;
    }
    let text = cursor.line.text.get(first.start as usize..last.end as usize)?;
    (last.end > first.start && !text.starts_with(','))
        .then(|| (text.to_owned(), cursor.line.span(first.start, last.end)))
}
