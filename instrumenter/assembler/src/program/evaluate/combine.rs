//! Combines two values: sums of registers and addresses, distances, overrides and arithmetic.

use super::Value;
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, Type, arithmetic};
use crate::names::NONE;
use iced_x86::Register;

/// `value` with the type `type_name`.
pub(super) fn retyped(value: Value, type_name: Type) -> Value {
    let memory = value.memory || (value.relocatable && !value.offset) || value.unresolved;
    Value {
        kind: type_name,
        explicit: true,
        memory: match type_name {
            Type::Near | Type::Far => value.memory && (value.has_registers() || value.symbol == NONE),
            _ => memory || (value.offset && value.relocatable),
        },
        ..value
    }
}

/// Applies a binary operator to two values.
pub(super) fn combine(operator: Binary, left: Value, right: Value, span: Span) -> Result<Value, Fault> {
    match operator {
        Binary::Add => return sum(left, right, false, span),
        Binary::Index => return sum(left, right, true, span),
        Binary::Subtract => return difference(left, right, span),
        Binary::Override => return overridden(left, right, span),
        Binary::Multiply if left.register != Register::None => return scaled(left, right, span),
        Binary::Multiply if right.register != Register::None => return scaled(right, left, span),
        _ => {}
    }
    let fits = |value: &Value| !value.has_registers() && (!value.memory || value.unresolved || value.relocatable);
    if !fits(&left) || !fits(&right) {
        return Err(fault(span, "operator requires two numbers"));
    }
    let Some(number) = arithmetic(operator, left.number, right.number) else {
        if right.volatile {
            // The divisor is not known yet.
            return Ok(Value {
                volatile: true,
                unresolved: true,
                ..Value::number(0)
            });
        }
        return Err(fault(span, "division by zero"));
    };
    Ok(Value {
        volatile: left.volatile || right.volatile,
        unresolved: left.unresolved || right.unresolved,
        ..Value::number(number)
    })
}

fn scaled(index: Value, factor: Value, span: Span) -> Result<Value, Fault> {
    let register = index.register;
    let scale = match factor.number {
        1 | 2 | 4 | 8 if factor.is_number() && !factor.unresolved => factor.number as u8,
        _ => return Err(fault(span, "index register scale must be 1, 2, 4 or 8")),
    };
    if register == Register::ESP || !register.is_gpr32() {
        return Err(fault(
            span,
            "only a 32-bit general register other than `esp` can be scaled",
        ));
    }
    Ok(Value {
        index: register,
        scale,
        segment: index.segment,
        displaced: false,
        ..Value::number(0)
    })
}

/// The sum of two values. Of two registers without a scale, the last one is the base, or the first if `in_order`.
fn sum(left: Value, right: Value, in_order: bool, span: Span) -> Result<Value, Fault> {
    let unresolved = left.unresolved || right.unresolved;
    if left.relocatable && right.relocatable && !unresolved {
        return Err(fault(span, "cannot add two addresses").with_help("subtract them to get their distance"));
    }
    let mut value = left;
    for (register, is_index, scale) in [
        (left.register, false, 1),
        (right.register, false, 1),
        (right.base, false, 1),
        (right.index, true, right.scale),
    ] {
        if register == Register::None {
            continue;
        }
        if register == left.register {
            value.register = Register::None;
        }
        if !(register.is_gpr32() || register.is_gpr16()) {
            return Err(fault(span, "only general registers can be part of an address"));
        }
        if is_index {
            // An unscaled register in the index position becomes the base.
            if value.index != Register::None && value.base == Register::None && value.scale == 1 {
                value.base = value.index;
                value.index = Register::None;
            }
            if value.index != Register::None {
                return Err(too_many_registers(span));
            }
            value.index = register;
            value.scale = scale;
        } else if value.base == Register::None {
            value.base = register;
        } else if value.index == Register::None {
            let swaps = !in_order && value.base.is_gpr32() && value.base != Register::ESP;
            value.index = if swaps {
                std::mem::replace(&mut value.base, register)
            } else {
                register
            };
            value.scale = 1;
        } else {
            return Err(too_many_registers(span));
        }
    }
    let typed = |value: &Value| value.kind != Type::None && !matches!(value.kind, Type::Near | Type::Far);
    if right.explicit && !left.explicit || (!left.explicit && !typed(&left) && typed(&right)) {
        value.kind = right.kind;
        value.explicit = right.explicit;
    }
    if right.relocatable {
        value.relocatable = true;
        value.anchor = right.anchor;
        value.counted_from = right.counted_from;
        if !typed(&value) && !value.explicit {
            value.kind = right.kind;
        }
    }
    if right.segment != Register::None {
        value.segment = right.segment;
    }
    value.number = left.number.wrapping_add(right.number);
    value.volatile |= right.volatile;
    value.unresolved |= right.unresolved;
    value.memory |= right.memory;
    value.displaced |= right.displaced;
    value.offset |= right.offset && !value.memory;
    value.short |= right.short;
    value.symbol = NONE;
    Ok(value)
}

fn too_many_registers(span: Span) -> Fault {
    fault(span, "an address can have at most a base and an index register")
}

fn difference(left: Value, right: Value, span: Span) -> Result<Value, Fault> {
    if right.memory && right.register == Register::None && right.has_registers() && !right.relocatable {
        // `b-1[si]`: what brackets add is not subtracted.
        let taken = Value {
            volatile: right.volatile,
            unresolved: right.unresolved,
            ..Value::number(right.number)
        };
        let distance = difference(left, taken, span)?;
        return sum(distance, Value { number: 0, ..right }, true, span);
    }
    if right.has_registers() {
        return Err(fault(span, "cannot subtract a register in an address"));
    }
    // What a name that comes later makes of either one is not known yet.
    let unresolved = left.unresolved || right.unresolved;
    if right.relocatable && !left.relocatable && !unresolved {
        return Err(fault(span, "cannot subtract an address from a number"));
    }
    if right.relocatable && left.relocatable {
        return Ok(Value {
            relocatable: false,
            volatile: left.anchor != right.anchor || unresolved,
            unresolved,
            anchor: (NONE, NONE),
            memory: left.has_registers() || left.segment != Register::None,
            offset: false,
            kind: if left.explicit { left.kind } else { Type::None },
            // Either offset may lie before its segment, as that of `$ - 1000`.
            number: i64::from(left.number.wrapping_sub(right.number) as i32),
            symbol: NONE,
            ..left
        });
    }
    if left.register != Register::None {
        let negative = Value {
            volatile: right.volatile,
            unresolved: right.unresolved,
            ..Value::number(right.number.wrapping_neg())
        };
        return sum(left, negative, false, span);
    }
    Ok(Value {
        number: left.number.wrapping_sub(right.number),
        volatile: left.volatile || right.volatile,
        unresolved: left.unresolved || right.unresolved,
        displaced: true,
        symbol: NONE,
        ..left
    })
}

fn overridden(left: Value, right: Value, span: Span) -> Result<Value, Fault> {
    if left.register.is_segment_register() {
        let mut value = right;
        if value.segment.is_segment_register() && value.segment != left.register {
            let name = |register| format!("{register:?}").to_ascii_lowercase();
            let message = format!(
                "an address in `{}` and in `{}`",
                name(left.register),
                name(value.segment)
            );
            return Err(fault(span, message).with_help("write one segment register before the address"));
        }
        // In brackets, as in TASM's `[es:edi]`, the register becomes an address.
        let general = value.register.is_gpr32() || value.register.is_gpr16();
        if value.register != Register::None && !general {
            return Err(fault(span, "expected an address after the segment"));
        }
        value.segment = left.register;
        value.memory |= !general;
        return Ok(value);
    }
    if left.is_number()
        && !left.relocatable
        && !left.unresolved
        && let Ok(selector) = u16::try_from(left.number)
        && right.selector == NONE
    {
        return Ok(Value {
            selector: u32::from(selector),
            ..right
        });
    }
    Err(fault(span, "expected a segment register before `:`"))
}
