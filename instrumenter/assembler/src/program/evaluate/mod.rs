//! Evaluates expressions with the addresses known so far.

mod address;
mod combine;
mod known;
mod symbol;
mod unary;

pub(crate) use address::addresses;
pub(crate) use symbol::{first_unknown, unknown};

use super::{Definition, Frame, Program, refused};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Type, Unary};
use crate::names::NONE;
use crate::session::{Assumption, Open, Session};
use combine::{combine, retyped};
use iced_x86::Register;
use known::{Known, Way};
use symbol::{defined_value, symbol_value};
use unary::{field_value, start_of_segment, type_named, unary_value};

/// The value of an expression: a number, an address, a register, or the parts of a memory operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// The number, or the displacement including the address.
    pub(crate) number: i64,
    /// Its type, if symbols, fields or `ptr` give it.
    pub(crate) kind: Type,
    /// Whether `ptr` gave the type.
    pub(crate) explicit: bool,
    /// Whether `number` contains one address.
    pub(crate) relocatable: bool,
    /// The segment and fragment of that address; distances within one fragment are final. Of a symbol that another
    /// module defines, `NONE` and its number.
    pub(crate) anchor: (u32, u32),
    /// Whether the number may still change during layout.
    pub(crate) volatile: bool,
    /// Whether it contains an unresolved name.
    pub(crate) unresolved: bool,
    /// Whether it is a memory operand: in brackets, a data symbol, or with an override.
    pub(crate) memory: bool,
    /// Whether it contains a symbol or a number.
    pub(crate) displaced: bool,
    /// Whether `offset` converted an address to a number.
    pub(crate) offset: bool,
    /// Whether `short` was written.
    pub(crate) short: bool,
    /// A register outside brackets.
    pub(crate) register: Register,
    pub(crate) base: Register,
    pub(crate) index: Register,
    pub(crate) scale: u8,
    pub(crate) segment: Register,
    /// The selector of a far pointer written out, or `NONE`.
    pub(crate) selector: u32,
    /// The symbol, or `NONE` if the value is not exactly one symbol.
    pub(crate) symbol: u32,
    /// The segment or group whose paragraph `number` is, if it is one.
    pub(crate) frame: Frame,
    /// The segment or group from which an override counts the offset, if there is one.
    pub(crate) counted_from: Frame,
}

impl Value {
    pub(crate) fn number(number: i64) -> Value {
        Value {
            number,
            kind: Type::None,
            explicit: false,
            relocatable: false,
            anchor: (NONE, NONE),
            volatile: false,
            unresolved: false,
            memory: false,
            displaced: true,
            offset: false,
            short: false,
            register: Register::None,
            base: Register::None,
            index: Register::None,
            scale: 1,
            segment: Register::None,
            selector: NONE,
            symbol: NONE,
            frame: Frame::NONE,
            counted_from: Frame::NONE,
        }
    }

    pub(crate) fn has_registers(&self) -> bool {
        self.register != Register::None || self.base != Register::None || self.index != Register::None
    }

    pub(crate) fn linear(&self, program: &Program) -> u32 {
        let segment = program.layout.segments.get(self.anchor.0 as usize);
        (self.number as u32).wrapping_add(segment.map_or(0, |segment| segment.frame))
    }

    /// Whether it is a plain number, which may still depend on addresses.
    pub(crate) fn is_number(&self) -> bool {
        !self.has_registers() && !self.memory && self.segment == Register::None
    }
}

/// The maximum depth of evaluation, counted across symbols that refer to other symbols.
const DEEPEST: u32 = 1200;

/// Evaluates `id`, which must be a number at this point.
///
/// Drops the expression's nodes since `mark` unless the number still depends on the layout.
pub(crate) fn constant(
    session: &mut Session,
    program: &Program,
    id: ExpressionId,
    span: Span,
    mark: usize,
) -> Result<i64, Fault> {
    let value = evaluate(session, program, id)?;
    if value.unresolved {
        return Err(first_unknown(session, program, id).unwrap_or_else(|| refused::forward_reference(span)));
    }
    if value.has_registers() {
        return Err(fault(span, "expected a number").with_help("registers have values only when the program runs"));
    }
    if value.memory && !value.relocatable {
        return Err(fault(span, "expected a number"));
    }
    if value.frame.is_some() {
        return Err(fault(
            session.expressions.extent(id),
            "the address of a segment is not known here",
        )
        .with_help("addresses are assigned after the last line is read"));
    }
    if value.volatile {
        if let Some(addresses) = addresses(session, program, id)
            && (value.relocatable || addresses.is_apart())
        {
            return Err(addresses.not_known(session, session.expressions.extent(id)));
        }
        session.assumptions.push(Assumption {
            expression: id,
            value: value.number,
            span,
            origin: session.origin,
        });
    } else {
        session.expressions.forget(mark);
    }
    Ok(value.number)
}

/// The number of a condition. What is defined later has the value of the last pass over the source.
pub(crate) fn condition_value(
    session: &mut Session,
    program: &Program,
    id: ExpressionId,
    span: Span,
    mark: usize,
) -> Result<i64, Fault> {
    let value = evaluate(session, program, id)?;
    if !value.unresolved || value.has_registers() {
        return constant(session, program, id, span, mark);
    }
    let place = session.forward.len();
    session.forward.push(id);
    let Some(&known) = session.forward_known.get(place) else {
        // If what it asks for is defined later, another pass knows it.
        return Err(first_unknown(session, program, id).unwrap_or_else(|| refused::forward_reference(span)));
    };
    session.assumptions.push(Assumption {
        expression: id,
        value: known,
        span,
        origin: session.origin,
    });
    Ok(known)
}

/// The paragraph of a segment or group, or an estimate of it.
fn paragraph(program: &Program, frame: Frame) -> Value {
    Value {
        volatile: true,
        frame,
        ..Value::number(i64::from(program.layout.start_of(frame) >> 4))
    }
}

/// Whether an expression is the name of a segment or group of a flat program.
fn names_frame(session: &Session, program: &Program, id: ExpressionId) -> bool {
    let NodeKind::Symbol(name, procedure) = session.expressions.node(id).kind else {
        return false;
    };
    let symbol = program
        .symbols
        .get(program.symbols.index(&session.names, name, procedure));
    !program.layout.segmented
        && program.layout.frame_named(name).is_some()
        && symbol.is_none_or(|symbol| symbol.definition == Definition::Undefined)
}

/// `value` with its offset counted from another segment or group: `group:name`.
fn seen_from(program: &Program, frame: Frame, value: Value) -> Value {
    // Where another module puts a name is not known.
    if !value.relocatable || value.anchor.0 == NONE {
        return value;
    }
    let number = program.layout.seen_from(frame, value.anchor.0, value.number);
    Value {
        number,
        counted_from: frame,
        ..value
    }
}

/// The type before `ptr`: a type, or `type` of something of a size that memory operands have.
fn type_before(session: &Session, program: &Program, id: ExpressionId, way: Way<'_, Value>) -> Result<Type, Fault> {
    let node = session.expressions.node(id);
    let size = match node.kind {
        NodeKind::TypeName(type_name) => return Ok(type_name),
        NodeKind::Unary(Unary::Type, _) => expression_value(session, program, id, way.below())?.number,
        _ => 0,
    };
    match size {
        1 | 2 | 4 | 6 | 8 | 10 => Ok(Type::Bytes(size as u8)),
        _ => Err(fault(node.span, "expected a type before this operator")),
    }
}

/// Evaluates `id` with the addresses known so far.
pub(crate) fn evaluate(session: &Session, program: &Program, id: ExpressionId) -> Result<Value, Fault> {
    let known = Known::default();
    expression_value(session, program, id, Way::new(&known))
}

fn expression_value(
    session: &Session,
    program: &Program,
    id: ExpressionId,
    way: Way<'_, Value>,
) -> Result<Value, Fault> {
    let node = session.expressions.node(id);
    if way.depth > DEEPEST {
        return Err(fault(node.span, "symbol definition is recursive or nested too deeply"));
    }
    session.count_evaluated(node.span)?;
    match node.kind {
        NodeKind::Number(number) => Ok(Value::number(number)),
        NodeKind::Register(register) => Ok(Value {
            register,
            displaced: false,
            ..Value::number(0)
        }),
        NodeKind::Here(location) => {
            session.note_open(Open::ByAddress);
            Ok(Value {
                relocatable: true,
                volatile: true,
                anchor: (location.segment, location.fragment),
                kind: Type::Near,
                offset: true,
                ..Value::number(i64::from(program.layout.address(location)))
            })
        }
        NodeKind::TypeName(type_name) => {
            if matches!(type_name, Type::Structure(_)) {
                session.note_open(Open::ByAddress);
            }
            Ok(Value::number(i64::from(program.structures.size_of(type_name))))
        }
        NodeKind::Symbol(name, procedure) => symbol_value(session, program, name, procedure, node.span, way),
        NodeKind::Variable(index) => {
            session.note_open(Open::ByAddress);
            defined_value(session, program, index, node.span, way)
        }
        NodeKind::Unary(operator, operand) => {
            let value = expression_value(session, program, operand, way.below())?;
            unary_value(session, program, operator, (operand, value), node.span, way)
        }
        NodeKind::Field(operand, field) => {
            session.note_open(Open::ByAddress);
            let owner = expression_value(session, program, operand, way.below())?;
            let type_name = type_named(session, program, operand);
            field_value(session, program, owner, type_name, field, node.span)
        }
        NodeKind::Binary(Binary::Ptr, left, right) => {
            let value = expression_value(session, program, right, way.below())?;
            let type_name = type_before(session, program, left, way)?;
            if let NodeKind::Unary(Unary::High, whole) = session.expressions.node(right).kind {
                // The high part of a variable, of the size before the operator.
                let whole = expression_value(session, program, whole, way.below())?;
                let sizes = [whole.kind, type_name].map(|kind| i64::from(program.structures.size_of(kind)));
                if (whole.memory || whole.has_registers()) && sizes[0] > sizes[1] {
                    let number = whole.number + sizes[0] - sizes[1];
                    return Ok(retyped(Value { number, ..whole }, type_name));
                }
            }
            Ok(retyped(value, type_name))
        }
        // In a flat program all segments have one frame.
        NodeKind::Binary(Binary::Override, left, right) if names_frame(session, program, left) => {
            expression_value(session, program, right, way.below())
        }
        NodeKind::Binary(operator, left, right) => {
            let left_value = expression_value(session, program, left, way.below())?;
            let mut right_value = expression_value(session, program, right, way.below())?;
            if operator == Binary::Subtract
                && left_value.relocatable
                && let Some(start) = start_of_segment(program, right_value.frame)
            {
                right_value = start;
            }
            if matches!(operator, Binary::Equal | Binary::NotEqual)
                && left_value.anchor.0 != right_value.anchor.0
                && [left_value, right_value].iter().all(|value| value.relocatable)
                && [left_value, right_value]
                    .iter()
                    .any(|value| program.layout.is_before_all(value.anchor.0))
            {
                // No address of a segment is the one that `$` has before all segments.
                return Ok(Value::number(-i64::from(operator == Binary::NotEqual)));
            }
            if operator == Binary::Override && left_value.frame.is_some() {
                return Ok(seen_from(program, left_value.frame, right_value));
            }
            if operator == Binary::Override && left_value.unresolved {
                // A segment or a group that comes later may have this name.
                return Ok(Value {
                    unresolved: true,
                    volatile: true,
                    ..right_value
                });
            }
            combine(operator, left_value, right_value, node.span)
        }
    }
}
