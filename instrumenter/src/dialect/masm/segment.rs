//! Segments: `segment`, `.code`, `.data` and similar, `org`, `align`.

use super::expression::{constant, expression};
use super::made::later;
use super::{Keyword, Parser};
use crate::diag::{Fault, Span, fault};
use crate::expression::NodeKind;
use crate::lex::{Cursor, Kind};
use crate::statement::{Named, Segment, SegmentRole, Statement};

/// The offset at which COM files are loaded, behind the prefix that DOS makes.
const PREFIX_OF_COM: i64 = 0x100;

/// `.code`, `.data` and similar directives.
pub(super) fn simplified_segment<'l>(word: Keyword, cursor: &mut Cursor<'l>) -> Result<Statement<'l>, Fault> {
    let name = cursor.name().map(|(_, token)| cursor.text(token));
    cursor.expect_end()?;
    let role = match word {
        Keyword::Code => SegmentRole::Code,
        Keyword::DataUninitialised => SegmentRole::Uninitialised,
        Keyword::Const => SegmentRole::Constants,
        _ => SegmentRole::Data,
    };
    Ok(Statement::Segment(Segment::Usual { role, name }))
}

/// `name segment dword public use32 'CODE'`.
pub(super) fn begin_segment<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let is_code = |text: &str| text.to_ascii_uppercase().contains("CODE");
    let mut code = is_code(named.spelled) || named.spelled.to_ascii_uppercase().contains("TEXT");
    let mut narrow = None;
    while let Some(token) = cursor.next() {
        let text = cursor.text(token);
        match token.kind {
            Kind::String => code = is_code(text),
            Kind::Name(_) if text.eq_ignore_ascii_case("use32") => parser.modes.wide = true,
            Kind::Name(_) if text.eq_ignore_ascii_case("use16") => narrow = Some(cursor.span(token)),
            Kind::Bad(why) => return Err(fault(cursor.span(token), why)),
            _ => {}
        }
    }
    if let Some(span) = narrow {
        return Err(fault(span, "16-bit segments are not simulated yet")
            .with_help("write `use32`: programs are flat and have 32 bits")
            .deciding());
    }
    let (name, span) = (named.spelled, named.span);
    Ok(Statement::Segment(Segment::Begin { name, code, span }))
}

/// `org address`.
pub(super) fn origin(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Statement<'static>, Fault> {
    let span = cursor.here();
    let target = expression(parser, cursor)?;
    let begins = parser.program.layout.location_in_segment() == 0;
    if begins
        && !parser.modes.wide
        && matches!(
            parser.session.expressions.node(target).kind,
            NodeKind::Number(PREFIX_OF_COM)
        )
    {
        return Err(fault(
            span,
            "programs at 100h have 16 bits (COM files) and are not simulated yet",
        )
        .with_help("remove `org 100h` and write `.386` and `.model flat`: programs are flat and have 32 bits")
        .deciding());
    }
    later(parser, cursor.expect_end());
    Ok(Statement::Origin { target, span })
}

/// `align unit`.
pub(super) fn align(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let place = cursor.here();
    let unit = if cursor.done() { 4 } else { constant(parser, cursor)? };
    if !(1..=65_536).contains(&unit) || unit & (unit - 1) != 0 {
        return Err(fault(
            place,
            format!("alignment must be a power of two up to 65536, not {unit}"),
        ));
    }
    cursor.expect_end()?;
    let unit = unit as u32;
    Ok(Statement::Align { unit, span })
}
