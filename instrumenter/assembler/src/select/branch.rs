//! Direct branches: the distances that a target allows, and the error when it is out of range.

use super::forms::{Form, Name};
use super::slots::{Slot, Slots};
use super::{Prefixes, SelectError};
use crate::operand::{CodeSize, Distance, Operand, Target};
use crate::remedy::Remedy;
use iced_x86::Register;

/// The classes that a target matches from `address`; it matches a short one only if a short branch reaches it.
pub(super) fn classes(
    (name, forms): (&Name, &[Form]),
    target: &Target,
    prefixes: Prefixes,
    address: u32,
    size: CodeSize,
) -> Result<Slots, SelectError> {
    let near = Slot::Near.bit();
    if target.distance == Distance::Near {
        return Ok(near);
    }
    let Some(short) = forms.iter().find(|form| form.slots[0] == Slot::Short) else {
        return Ok(if target.distance == Distance::Any {
            near
        } else {
            Slot::Short.bit()
        });
    };
    let written = u32::from(prefixes.segment != Register::None);
    let next = address.wrapping_add(u32::from(short.short_length) + written);
    let away = target.address.wrapping_sub(next) as i32;
    // 16-bit code wraps from FFFFh to offset 0.
    let away = if size == CodeSize::Bits16 {
        i32::from(away as i16)
    } else {
        away
    };
    if i8::try_from(away).is_ok() {
        return Ok(match target.distance {
            Distance::Any => Slot::Short.bit() | near,
            _ => Slot::Short.bit(),
        });
    }
    let has_near = forms.iter().any(|form| form.slots[0] == Slot::Near);
    if has_near && target.distance == Distance::Any {
        return Ok(near);
    }
    let error = SelectError::new(format!(
        "branch target out of range: it is {} bytes {}, and a short branch reaches 127 forward and 128 back",
        away.unsigned_abs(),
        if away < 0 { "back" } else { "ahead" }
    ));
    Err(match name.text.as_str() {
        _ if has_near => error.help(Remedy::NotShort),
        "jecxz" => error.help("use `test ecx,ecx` and `jz`, which reaches any address"),
        "jcxz" => error.help("use `test cx,cx` and `jz`, which reaches any address"),
        "loop" if size == CodeSize::Bits16 => error.help("use `dec cx` and `jnz`, which reaches any address"),
        "loop" | "loopd" => error.help("use `dec ecx` and `jnz`, which reaches any address"),
        _ => error,
    })
}

/// The length in bytes of a short jump.
pub(super) const SHORT_JUMP: u32 = 2;

/// Whether all forms are short branches.
pub(super) fn is_always_short(forms: &[Form]) -> bool {
    !forms.is_empty() && forms.iter().all(|form| form.slots[0] == Slot::Short)
}

/// Whether the selected form is a short branch that also has a near form, and the assembler may choose.
pub(super) fn is_relaxable(form: &Form, operands: &[Operand], forms: Option<&[Form]>) -> bool {
    let [
        Operand::Target(Target {
            distance: Distance::Any,
            ..
        }),
    ] = operands
    else {
        return false;
    };
    form.slots[0] == Slot::Short && forms.is_some_and(|forms| forms.iter().any(|form| form.slots[0] == Slot::Near))
}
