//! Direct branches: the distances that a target allows, the error when it is out of range, and branches that become
//! several instructions.

use super::forms::{Form, Name};
use super::slots::{Slot, Slots};
use super::{Encoded, Prefixes, SelectError, Selector};
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

/// Several instructions as one.
fn joined(parts: &[Encoded]) -> Encoded {
    let mut whole = Encoded {
        bytes: [0; 16],
        length: 0,
        relaxable: false,
        resized: false,
    };
    for part in parts {
        let (start, length) = (usize::from(whole.length), usize::from(part.length));
        if let (Some(place), Some(bytes)) = (whole.bytes.get_mut(start..start + length), part.bytes.get(..length)) {
            place.copy_from_slice(bytes);
        }
        whole.length += part.length;
    }
    whole
}

impl Selector {
    /// Encodes a branch that is always short: by itself if it reaches its target, otherwise as a branch over a jump
    /// around a near jump.
    pub(super) fn lengthened(&mut self, mnemonic: &str, target: Target, address: u32) -> Result<Encoded, SelectError> {
        let to = |address: u32, distance: Distance| [Operand::Target(Target { address, distance })];
        let short = to(target.address, Distance::Short);
        if target.distance == Distance::Any
            && let Ok(encoded) = self.encode(mnemonic, Prefixes::NONE, &short, address)
        {
            return Ok(Encoded {
                relaxable: true,
                ..encoded
            });
        }
        let length = u32::from(
            self.encode(mnemonic, Prefixes::NONE, &to(address, Distance::Short), address)?
                .length,
        );
        let around = address.wrapping_add(length);
        let far = around.wrapping_add(SHORT_JUMP);
        let jump = self.encode("jmp", Prefixes::NONE, &to(target.address, Distance::Near), far)?;
        let after = far.wrapping_add(u32::from(jump.length));
        let over = self.encode(mnemonic, Prefixes::NONE, &to(far, Distance::Short), address)?;
        let skip = self.encode("jmp", Prefixes::NONE, &to(after, Distance::Short), around)?;
        Ok(joined(&[over, skip, jump]))
    }

    /// Encodes a conditional branch of a processor without a near form: by itself if it reaches its target, otherwise
    /// as the opposite branch over a near jump.
    pub(super) fn inverted(&mut self, mnemonic: &str, target: Target, address: u32) -> Result<Encoded, SelectError> {
        let to = |address: u32, distance: Distance| [Operand::Target(Target { address, distance })];
        if target.distance == Distance::Any
            && let Ok(encoded) = self.encode(mnemonic, Prefixes::NONE, &to(target.address, Distance::Short), address)
        {
            return Ok(Encoded {
                relaxable: true,
                ..encoded
            });
        }
        let mut over = self.encode(mnemonic, Prefixes::NONE, &to(address, Distance::Short), address)?;
        let around = address.wrapping_add(u32::from(over.length));
        let jump = self.encode("jmp", Prefixes::NONE, &to(target.address, Distance::Near), around)?;
        // The lowest bit of the opcode turns the condition around.
        over.bytes[0] ^= 1;
        over.bytes[1] = jump.length;
        Ok(joined(&[over, jump]))
    }
}

/// Whether they are the forms of a branch with a condition.
pub(super) fn is_conditional(forms: &[Form]) -> bool {
    forms.iter().any(|form| form.code.is_jcc_short()) && forms.iter().any(|form| form.slots[0] == Slot::Near)
}

/// The length in bytes of a short jump.
const SHORT_JUMP: u32 = 2;

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
