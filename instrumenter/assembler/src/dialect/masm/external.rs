//! Names that other modules define or see: `extrn` and its kin, common data, and `public`.

use super::data::count_in_brackets;
use super::expression::constant;
use super::generated::later;
use super::keyword::Declares;
use super::named_type::named_type;
use super::procedure::{convention, decoration};
use super::{Keyword, Parser, keyword};
use crate::diag::{Fault, fault};
use crate::dialect::named;
use crate::expression::Type;
use crate::lex::{Cursor, Kind};
use crate::module::Decoration;
use crate::names::NONE;
use crate::statement::{Common, External, Statement};

/// `extrn a:dword, b:near` and its kin. Other modules see what `externdef` and `global` declare if this one defines it.
pub(super) fn external<'l>(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'l>,
    declares: Declares,
) -> Result<Statement<'l>, Fault> {
    let mut all = Vec::new();
    loop {
        let mut language = parser.modes.decoration;
        // Watcom's assembler writes `"C", name`.
        if let (Some(Kind::String), Some(Kind::Mark(b','))) = (
            cursor.peek().map(|token| token.kind),
            cursor.peek_second().map(|token| token.kind),
        ) && let Some(token) = cursor.next()
        {
            let word = cursor.text(token).trim_matches(['"', '\'']).to_ascii_lowercase();
            language = decoration(&word).unwrap_or(language);
            cursor.at += 1;
        }
        // What is made of a text for GNU's assembler says where common data may begin.
        let mut aligned = 0;
        let next = cursor.peek().map(|token| cursor.text(token));
        if next == Some(ALIGNED) && parser.program.layout.is_of_gnu() {
            cursor.at += 1;
            aligned = u32::try_from(constant(parser, cursor)?).unwrap_or_default();
        }
        let Some(mut external) = named(cursor) else {
            return Err(fault(cursor.here(), "expected a name"));
        };
        // A language may precede the name, and a distance that of common data.
        let mut far = parser.modes.far_data;
        while !cursor.is(b':')
            && (convention(parser.session.names.text(external.name)).is_some()
                || matches!(keyword(external.name), Some(Keyword::Near(_) | Keyword::Far(_))))
            && let Some(next) = named(cursor)
        {
            language = decoration(parser.session.names.text(external.name)).unwrap_or(language);
            far = match keyword(external.name) {
                Some(Keyword::Near(_)) => false,
                Some(Keyword::Far(_)) => true,
                _ => far,
            };
            external = next;
        }
        let info = parser.session.names.info_mut(external.name);
        info.public |= declares != Declares::Used;
        if info.decoration == Decoration::None {
            info.decoration = language;
        }
        // The count of TASM's common data may follow the name.
        let mut count = count_in_brackets(parser, cursor)?;
        let mut kind = Type::None;
        if cursor.eat(b':') {
            let place = cursor.here();
            let text = cursor.peek_name().map(|word| parser.session.names.text(word));
            if text == Some("abs") {
                // A number, as the name of code is where no branch goes to it.
                cursor.at += 1;
                kind = Type::Near;
            } else {
                let text = cursor
                    .peek_name()
                    .map_or("", |word| parser.session.names.spelling(word))
                    .to_owned();
                match named_type(parser, cursor) {
                    Some(known) => kind = known,
                    None if text.is_empty() => return Err(fault(place, "expected a type")),
                    None => {
                        let problem = fault(place, format!("`{text}` is not a type")).undefined(&text);
                        later(parser, Err(problem));
                    }
                }
            }
            // A count, as in `extrn table:dword:16`.
            if cursor.eat(b':') {
                count = constant(parser, cursor)?;
            }
        }
        let size = i64::from(parser.program.structures.size_of(kind));
        let most = i64::try_from(parser.session.limits.image).unwrap_or(i64::MAX);
        let Ok(elements) = u32::try_from(count) else {
            let message = format!("`{}` cannot have {count} elements", external.spelled);
            return Err(fault(external.span, message).with_help("write a count from 1 on: `name:byte:100`"));
        };
        if declares == Declares::Common && !(1..=most).contains(&count.saturating_mul(size)) {
            let message = format!("common data has 1 to {most} bytes");
            return Err(fault(external.span, message).with_help("write its type and count: `name:byte:100`"));
        }
        all.push(External {
            count: elements,
            aligned,
            elsewhere: declares == Declares::Used && is_certain(parser),
            common: match declares {
                Declares::Common if far => Common::Far,
                Declares::Common => Common::Near,
                Declares::Used | Declares::Shared => Common::No,
            },
            ..External::one(external, kind)
        });
        if !cursor.eat(b',') {
            later(parser, cursor.expect_end());
            return Ok(Statement::Extern(all));
        }
    }
}

/// Whether a declaration is made in every pass: a macro of MASM 5 may make it only if the second pass still lacks the
/// name, and for GNU's assembler it says nothing.
fn is_certain(parser: &Parser<'_>) -> bool {
    parser.session.origin == NONE && !parser.expander.is_conditional() && !parser.program.layout.is_of_gnu()
}

/// The word before the multiple at which common data begins, in lines made of a text for GNU's assembler.
const ALIGNED: &str = ".aligned";
/// The word before names whose definitions give way to others, in such lines.
const WEAK: &str = ".weak";

/// `public name, name`. A language may precede a name.
pub(super) fn public(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Statement<'static> {
    let mut names = Vec::new();
    let mut language = parser.modes.decoration;
    let mut weak = false;
    while let Some(token) = cursor.next() {
        let Kind::Name(name) = token.kind else {
            if token.kind != Kind::Mark(b',') {
                later(parser, Err(fault(cursor.span(token), "expected a name")));
                break;
            }
            continue;
        };
        // What is made of a text for GNU's assembler says which definitions give way to others.
        if cursor.text(token) == WEAK && parser.program.layout.is_of_gnu() {
            weak = true;
            continue;
        }
        parser.session.names.info_mut(name).weak |= weak;
        if let Some(named) = decoration(parser.session.names.text(name)).filter(|_| cursor.peek_name().is_some()) {
            language = named;
            continue;
        }
        names.push((name, cursor.span(token)));
        let info = parser.session.names.info_mut(name);
        if info.decoration == Decoration::None {
            info.decoration = language;
        }
        language = parser.modes.decoration;
    }
    Statement::Public(names)
}
