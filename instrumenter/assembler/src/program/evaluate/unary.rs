//! Unary operators and field access.

use super::combine::combine;
use super::known::{Known, Way};
use super::symbol::symbol_value;
use super::{Value, expression_value, first_unknown, paragraph};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, Location, NodeKind, Type, Unary};
use crate::names::{NONE, NameId};
use crate::operand::CodeSize;
use crate::program::structure::Field;
use crate::program::{Definition, Frame, Program, Symbol, refused};
use crate::remedy::Remedy;
use crate::session::Session;
use crate::spelling::nearest;
use iced_x86::Register;

pub(super) fn unary_value(
    session: &Session,
    program: &Program,
    operator: Unary,
    (operand, value): (ExpressionId, Value),
    span: Span,
    way: Way<'_, Value>,
) -> Result<Value, Fault> {
    let described = || described(session, program, operand, &value, way);
    match operator {
        Unary::Subscript if value.is_number() && !value.relocatable && !value.unresolved && !value.frame.is_some() => {
            return Ok(Value {
                offset: false,
                symbol: NONE,
                ..value
            });
        }
        Unary::Bracket | Unary::Subscript => {
            let mut value = value;
            if value.register != Register::None {
                value.base = value.register;
                value.register = Register::None;
                if !(value.base.is_gpr32() || value.base.is_gpr16()) {
                    return Err(fault(
                        span,
                        "only a 32-bit or 16-bit general register can form an address",
                    ));
                }
            }
            if matches!(value.kind, Type::Near | Type::Far) && !value.explicit {
                value.kind = Type::None;
            }
            value.memory = true;
            value.offset = false;
            value.symbol = NONE;
            return Ok(value);
        }
        Unary::Large | Unary::Small if value.is_number() => {
            return Ok(Value {
                kind: Type::Bytes(if operator == Unary::Large { 4 } else { 2 }),
                explicit: true,
                ..value
            });
        }
        Unary::Large | Unary::Small => return Ok(value),
        Unary::Short => return Ok(Value { short: true, ..value }),
        Unary::Offset | Unary::Segment if value.has_registers() => {
            return Err(fault(span, "an operand with registers has no constant offset")
                .with_help("use `lea` to compute an address at run time"));
        }
        Unary::Offset if let Some(start) = start_of_segment(program, value.frame) => return Ok(start),
        Unary::Offset => {
            return Ok(Value {
                memory: false,
                offset: true,
                kind: Type::None,
                explicit: false,
                segment: Register::None,
                symbol: NONE,
                ..value
            });
        }
        Unary::Segment if !program.layout.segmented && (value.relocatable || value.unresolved || value.offset) => {
            return Ok(Value {
                unresolved: value.unresolved,
                volatile: value.unresolved,
                ..program.selector_of(value.anchor.0)
            });
        }
        Unary::Segment if value.frame.is_some() || value.unresolved => {
            return Ok(Value {
                memory: false,
                offset: true,
                kind: Type::None,
                ..value
            });
        }
        Unary::Segment if value.relocatable && value.anchor.0 == NONE => {
            return Ok(paragraph(program, Frame::elsewhere(value.anchor.1)));
        }
        Unary::Segment if value.relocatable => {
            return Ok(paragraph(program, program.layout.frame_of(value.anchor.0)));
        }
        Unary::Segment => return Err(fault(span, "only an address has a segment")),
        Unary::Attributes => return Ok(Value::number(attributes(program, &value))),
        Unary::Type => {
            let number = match described().kind {
                kind @ (Type::Near | Type::Far) => distance(program, &value, kind),
                kind => i64::from(program.structures.size_of(kind)),
            };
            return Ok(Value {
                unresolved: value.unresolved,
                volatile: value.unresolved,
                ..Value::number(number)
            });
        }
        Unary::Size | Unary::Length | Unary::FirstSize | Unary::FirstLength => {
            let found = described();
            let number = match operator {
                Unary::Size | Unary::FirstSize if matches!(found.kind, Type::Near | Type::Far) => {
                    distance(program, &value, found.kind)
                }
                Unary::Size => i64::from(found.size),
                Unary::Length => i64::from(found.count),
                Unary::FirstLength => i64::from(found.first),
                _ => i64::from(found.first) * i64::from(program.structures.size_of(found.kind)),
            };
            return Ok(Value {
                unresolved: value.unresolved,
                volatile: value.unresolved,
                ..Value::number(number)
            });
        }
        Unary::This => return Ok(value),
        Unary::StackRegister => return stack_register(session, program, operand, value, span),
        Unary::Minus | Unary::Not | Unary::High | Unary::Low | Unary::HighWord | Unary::LowWord => {}
    }
    // The low or high byte of a variable is the variable itself, accessed as bytes.
    let variable = value.memory || (value.explicit && value.has_registers());
    if variable && value.kind != Type::None && matches!(operator, Unary::Low | Unary::High) {
        let number = value.number + i64::from(operator == Unary::High);
        return Ok(Value {
            number,
            kind: Type::Bytes(1),
            explicit: true,
            ..value
        });
    }
    if value.has_registers() || (value.memory && !value.unresolved) {
        return Err(fault(span, "operator requires a number"));
    }
    let number = match operator {
        Unary::Minus => value.number.wrapping_neg(),
        Unary::Not => !value.number,
        Unary::High => (value.number >> 8) & 0xFF,
        Unary::Low => value.number & 0xFF,
        Unary::HighWord => (value.number >> 16) & 0xFFFF,
        _ => value.number & 0xFFFF,
    };
    Ok(Value {
        volatile: value.volatile,
        unresolved: value.unresolved,
        ..Value::number(number)
    })
}

/// The first byte of a segment that is named, from which offsets in it are counted; `None` for a group.
pub(super) fn start_of_segment(program: &Program, frame: Frame) -> Option<Value> {
    let segment = program.layout.of_frame(frame)?.ok()?;
    let location = Location {
        segment,
        fragment: 0,
        offset: 0,
    };
    Some(Value {
        relocatable: true,
        volatile: true,
        offset: true,
        anchor: (segment, 0),
        ..Value::number(i64::from(program.layout.address(location)))
    })
}

/// The number for the distance of code.
fn distance(program: &Program, value: &Value, kind: Type) -> i64 {
    match (kind, program.layout.size_of(value.anchor.0)) {
        (Type::Near, CodeSize::Bits16) => 0xFF02,
        (Type::Near, CodeSize::Bits32) => 0xFF04,
        (_, CodeSize::Bits16) => 0xFF05,
        (_, CodeSize::Bits32) => 0xFF06,
    }
}

/// What a definition holds.
struct Described {
    kind: Type,
    /// The number of its elements, and of those that its first value makes.
    count: u32,
    first: u32,
    size: u32,
}

/// What `operand`, of this value, holds: a type, a register, a field or a variable.
fn described(
    session: &Session,
    program: &Program,
    operand: ExpressionId,
    value: &Value,
    way: Way<'_, Value>,
) -> Described {
    let one = |kind: Type, size: u32| Described {
        kind,
        count: 1,
        first: 1,
        size,
    };
    let node = session.expressions.node(operand).kind;
    if let NodeKind::TypeName(type_name) = node {
        return one(type_name, program.structures.size_of(type_name));
    }
    if value.register != Register::None {
        let size = value.register.size();
        return one(Type::Bytes(size as u8), size as u32);
    }
    if let NodeKind::Field(owner, field) = node
        && let Some(field) = field_of(session, program, owner, field, way)
    {
        return Described {
            kind: field.kind,
            count: field.count,
            first: field.first,
            size: field.size,
        };
    }
    match program.symbols.get(value.symbol) {
        Some(symbol) => Described {
            kind: symbol.kind,
            count: symbol.count,
            first: symbol.first,
            size: symbol.size,
        },
        None => one(value.kind, program.structures.size_of(value.kind)),
    }
}

/// The type that an expression names; a structure that comes later is known by now.
pub(super) fn type_named(session: &Session, program: &Program, id: ExpressionId) -> Option<Type> {
    match session.expressions.node(id).kind {
        NodeKind::TypeName(type_name) => Some(type_name),
        NodeKind::Symbol(name, _) => {
            let info = session.names.info(name);
            let structure = info.structure != NONE && program.symbols.get(info.symbol).is_none();
            structure.then_some(Type::Structure(info.structure))
        }
        _ => None,
    }
}

/// The field of this name that `owner` has, or of the structure that last defined it.
fn field_of<'p>(
    session: &Session,
    program: &'p Program,
    owner: ExpressionId,
    name: NameId,
    way: Way<'_, Value>,
) -> Option<&'p Field> {
    let kind = match type_named(session, program, owner) {
        Some(type_name) => type_name,
        None => expression_value(session, program, owner, way.below()).ok()?.kind,
    };
    let find = |structure: u32| program.structures.get(structure)?.field(name);
    let own = match kind {
        Type::Structure(structure) => find(structure),
        _ => None,
    };
    own.or_else(|| program.structures.fields.get(&name).and_then(|&owner| find(owner)))
}

/// What kind of operand a value is: the bits that MASM documents.
fn attributes(program: &Program, value: &Value) -> i64 {
    const CODE: i64 = 1;
    const MEMORY: i64 = 2;
    const CONSTANT: i64 = 4;
    const DIRECT: i64 = 8;
    const REGISTER: i64 = 16;
    const DEFINED: i64 = 32;
    const ON_STACK: i64 = 64;
    const EXTERNAL: i64 = 128;
    let symbol = program.symbols.get(value.symbol);
    let external = symbol.is_some_and(|symbol| symbol.definition == Definition::External);
    if value.unresolved && !external {
        return 0;
    }
    let on_stack = [value.base, value.index]
        .iter()
        .any(|register| matches!(register, Register::BP | Register::EBP | Register::ESP));
    let kind = match value {
        _ if value.register != Register::None => REGISTER,
        _ if matches!(value.kind, Type::Near | Type::Far) && !value.memory => CODE | CONSTANT,
        _ if value.has_registers() => MEMORY | if on_stack { ON_STACK } else { 0 },
        _ if value.memory => MEMORY | DIRECT,
        _ => CONSTANT,
    };
    kind | DEFINED | if external { EXTERNAL } else { 0 }
}

fn stack_register(
    session: &Session,
    program: &Program,
    operand: ExpressionId,
    value: Value,
    span: Span,
) -> Result<Value, Fault> {
    const STACK: [Register; 8] = [
        Register::ST0,
        Register::ST1,
        Register::ST2,
        Register::ST3,
        Register::ST4,
        Register::ST5,
        Register::ST6,
        Register::ST7,
    ];
    if value.unresolved {
        return Err(first_unknown(session, program, operand).unwrap_or_else(|| refused::forward_reference(span)));
    }
    if value.has_registers() || (value.memory && !value.relocatable) {
        return Err(fault(span, "expected a number"));
    }
    let register = usize::try_from(value.number).ok().and_then(|number| STACK.get(number));
    match register {
        Some(&register) => Ok(Value {
            register,
            displaced: false,
            ..Value::number(0)
        }),
        None => Err(fault(span, "expected `st(0)` to `st(7)`")),
    }
}

pub(super) fn field_value(
    session: &Session,
    program: &Program,
    owner: Value,
    type_name: Option<Type>,
    field: NameId,
    span: Span,
) -> Result<Value, Fault> {
    let own = match type_name.unwrap_or(owner.kind) {
        Type::Structure(structure) => Some(structure),
        _ => None,
    };
    let find = |structure: u32| program.structures.get(structure)?.field(field);
    let found = own
        .and_then(find)
        .or_else(|| program.structures.fields.get(&field).and_then(|&owner| find(owner)));
    let Some(found) = found else {
        // MASM adds a plain number after the dot.
        if let Some(symbol) = program.symbols.get(session.names.info(field).symbol)
            && let Definition::Number(number) = symbol.definition
        {
            let kind = match owner.kind {
                Type::None => symbol.kind,
                kind => kind,
            };
            return Ok(Value {
                number: owner.number.wrapping_add(number),
                displaced: true,
                kind,
                ..owner
            });
        }
        // It adds a variable, too.
        let symbol = program.symbols.get(session.names.info(field).symbol);
        let is_variable = |symbol: &Symbol| {
            matches!(
                symbol.definition,
                Definition::Address(_) | Definition::External | Definition::Linked(_)
            )
        };
        if symbol.is_some_and(is_variable) {
            let known = Known::default();
            let variable = symbol_value(session, program, field, 0, span, Way::new(&known))?;
            return combine(Binary::Index, owner, variable, span);
        }
        if !program.layout.resolved && own.is_none() {
            // A structure or a variable that comes later may have this name.
            return Ok(Value {
                unresolved: true,
                volatile: true,
                ..owner
            });
        }
        let text = session.names.spelling(field);
        let mut fault = fault(span, format!("undefined field `{text}`")).recurring();
        if own.is_none() {
            // A later line may make it a text.
            fault = fault.undefined(text);
        }
        let fields = own.and_then(|own| program.structures.all.get(own as usize));
        let known = fields
            .into_iter()
            .flat_map(|own| own.fields.iter())
            .filter(|field| field.name != NONE)
            .map(|field| session.names.spelling(field.name));
        return Err(match nearest(text, known) {
            Some(near) => fault.with_help(format!("did you mean `{near}`?")),
            None => fault,
        });
    };
    let offset = i64::from(found.offset);
    if type_name.is_some() {
        return Ok(Value {
            kind: found.kind,
            ..Value::number(offset)
        });
    }
    let mut value = owner;
    if value.explicit && (value.register.is_gpr32() || value.register.is_gpr16()) {
        // `[(POINT ptr ebx).x]`: the outer brackets make it an address.
        value.base = std::mem::replace(&mut value.register, Register::None);
    }
    if value.register != Register::None {
        return Err(fault(span, "a field relative to a register requires brackets").with_help(Remedy::FieldOfRegister));
    }
    value.number = value.number.wrapping_add(offset);
    value.kind = found.kind;
    value.explicit = false;
    value.displaced = true;
    value.symbol = NONE;
    Ok(value)
}
