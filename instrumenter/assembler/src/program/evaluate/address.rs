//! The addresses in an expression, named in messages because their numbers mean nothing before linking.

use super::known::{Known, Way};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Unary};
use crate::listing::Relocation;
use crate::names::{NONE, NameId};
use crate::program::{Definition, Program};
use crate::session::Session;
use std::convert::Infallible;

/// The maximum depth of the search, counted across symbols that refer to other symbols.
const DEEPEST: u32 = 1200;

/// The segment of all symbols that other modules define.
const ELSEWHERE: u32 = NONE;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    /// The name of the first one; `None` for the current location.
    first: Option<NameId>,
    /// The segment of the first one.
    segment: u32,
    /// The name of the first one in another segment, if there is one.
    apart: Option<Option<NameId>>,
    /// The number of added addresses minus subtracted ones; `None` if they take part in any other operation.
    balance: Option<i32>,
    /// Whether another module defines one of them.
    external: bool,
}

impl Addresses {
    /// Whether the value is a distance within one segment, which does not depend on the address of the segment.
    pub(crate) fn is_distance(&self) -> bool {
        self.balance == Some(0) && self.apart.is_none()
    }

    /// Whether they are in several segments.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart.is_some()
    }

    /// The relocation that the linker of the modules applies to a value with these addresses.
    pub(crate) fn relocation(&self) -> Option<Relocation> {
        if self.external {
            Some(Relocation::External)
        } else {
            (!self.is_distance()).then_some(Relocation::Relocated)
        }
    }

    /// Whether the value is a distance from this segment.
    pub(crate) fn is_in(&self, segment: u32) -> bool {
        self.segment == segment && self.apart.is_none()
    }

    /// The quoted name of the first address.
    pub(crate) fn name(&self, session: &Session) -> String {
        quoted(session, self.first)
    }

    /// The fault for a value that is needed before the layout is known.
    pub(crate) fn not_known(&self, session: &Session, span: Span) -> Fault {
        let first = self.name(session);
        match self.apart {
            Some(other) => {
                let other = quoted(session, other);
                fault(span, format!("the distance of {first} and {other} is not known here"))
                    .with_help("they are in different segments, which are placed after the last line is read")
            }
            None => fault(span, format!("the address of {first} is not known here"))
                .with_help("addresses are assigned after the last line is read; a distance is known within a segment"),
        }
    }

    /// The addresses of both operands of an operation. `sign` is the sign of the right one, or 0 if the operation is no
    /// sum.
    fn joined(left: Option<Addresses>, right: Option<Addresses>, sign: i32) -> Option<Addresses> {
        let is_number = |side: &Option<Addresses>| side.is_none_or(|side| side.is_distance());
        if is_number(&left) && is_number(&right) {
            // Whatever is computed from distances is a number.
            return left.or(right);
        }
        let balance = |sides: [Option<Addresses>; 2]| match sides.map(|side| side.map_or(Some(0), |side| side.balance))
        {
            _ if sign == 0 => None,
            [Some(left), Some(right)] => left.checked_add(right.checked_mul(sign)?),
            _ => None,
        };
        let balance = balance([left, right]);
        let joined = match (left, right) {
            (Some(left), Some(right)) => Addresses {
                apart: left.apart.or(match right.segment == left.segment {
                    true => right.apart,
                    false => Some(right.first),
                }),
                external: left.external || right.external,
                ..left
            },
            (only, None) | (None, only) => only?,
        };
        Some(Addresses { balance, ..joined })
    }
}

fn quoted(session: &Session, name: Option<NameId>) -> String {
    match name {
        Some(name) => format!("`{}`", session.names.spelling(name)),
        None => "the current location".to_owned(),
    }
}

pub(crate) fn addresses(session: &Session, program: &Program, id: ExpressionId) -> Option<Addresses> {
    let known = Known::default();
    search(session, program, id, Way::new(&known))
}

fn search(
    session: &Session,
    program: &Program,
    id: ExpressionId,
    way: Way<'_, Option<Addresses>>,
) -> Option<Addresses> {
    if way.depth > DEEPEST {
        return None;
    }
    session.count_evaluated(session.expressions.node(id).span).ok()?;
    let below = |id| search(session, program, id, way.below());
    let of_symbol = |id| {
        let found = way.symbol(session, id, |way| {
            Ok::<_, Infallible>(search(session, program, id, way))
        });
        found.unwrap_or_else(|never| match never {})
    };
    let one = |first, segment| Addresses {
        first,
        segment,
        apart: None,
        balance: Some(1),
        external: segment == ELSEWHERE,
    };
    match session.expressions.node(id).kind {
        NodeKind::Here(location) => Some(one(None, location.segment)),
        NodeKind::Symbol(name, procedure) => {
            let index = program.symbols.index(&session.names, name, procedure);
            match program.symbols.get(index)?.definition {
                Definition::Address(location) => Some(one(Some(name), location.segment)),
                Definition::External | Definition::Linked(_) => Some(one(Some(name), ELSEWHERE)),
                Definition::Expression(id) => of_symbol(id),
                _ => None,
            }
        }
        NodeKind::Variable(index) => match program.symbols.get(index)?.definition {
            Definition::Address(location) => Some(one(None, location.segment)),
            Definition::Expression(id) => of_symbol(id),
            _ => None,
        },
        NodeKind::Unary(Unary::Offset, operand)
            if let Some((name, segment)) = segment_of(session, program, operand) =>
        {
            Some(one(Some(name), segment))
        }
        NodeKind::Unary(Unary::Type | Unary::Attributes, _) => None,
        NodeKind::Unary(Unary::Size | Unary::Length | Unary::FirstSize | Unary::FirstLength, _) => None,
        NodeKind::Unary(Unary::Minus, operand) => Addresses::joined(None, below(operand), -1),
        NodeKind::Unary(operator, operand) => {
            let kept = matches!(
                operator,
                Unary::Offset
                    | Unary::Bracket
                    | Unary::Subscript
                    | Unary::This
                    | Unary::Short
                    | Unary::Large
                    | Unary::Small
                    | Unary::Segment
            );
            Addresses::joined(None, below(operand), i32::from(kept))
        }
        NodeKind::Binary(Binary::Ptr, _, operand) => below(operand),
        NodeKind::Field(operand, field) if program.structures.fields.contains_key(&field) => below(operand),
        // A variable after the point is added.
        NodeKind::Field(operand, variable) => {
            let index = session.names.info(variable).symbol;
            let variable = program.symbols.get(index).and_then(|symbol| match symbol.definition {
                Definition::Address(location) => Some(one(Some(variable), location.segment)),
                Definition::External | Definition::Linked(_) => Some(one(Some(variable), ELSEWHERE)),
                _ => None,
            });
            Addresses::joined(below(operand), variable, 1)
        }
        NodeKind::Binary(operator, left, right) => {
            let sign = match operator {
                Binary::Add | Binary::Index | Binary::Override => 1,
                Binary::Subtract => -1,
                _ => 0,
            };
            let right = match segment_of(session, program, right) {
                Some((name, segment)) if operator == Binary::Subtract => Some(one(Some(name), segment)),
                _ => below(right),
            };
            Addresses::joined(below(left), right, sign)
        }
        NodeKind::Number(_) | NodeKind::Register(_) | NodeKind::TypeName(_) => None,
    }
}

/// The segment that an expression names, by its name and number.
fn segment_of(session: &Session, program: &Program, id: ExpressionId) -> Option<(NameId, u32)> {
    let NodeKind::Symbol(name, procedure) = session.expressions.node(id).kind else {
        return None;
    };
    let symbol = program
        .symbols
        .get(program.symbols.index(&session.names, name, procedure));
    if !program.layout.segmented || symbol.is_some_and(|symbol| symbol.definition != Definition::Undefined) {
        return None;
    }
    let frame = program.layout.frame_named(name)?;
    let segment = program.layout.of_frame(frame)?.ok()?;
    Some((name, segment))
}
