//! What a masked exception of the floating-point unit has done to a result.

use crate::printable::printable;
use p5_words::fpu::Spoiled;

/// The words for the first exception of its kind, which this instruction raised.
pub(super) fn told(kind: Spoiled, instruction: &str, line: u32) -> String {
    let mnemonic = instruction.split(' ').next().unwrap_or_default();
    let quoted = format!("`{}`", printable(instruction));
    let spoiled = match kind {
        Spoiled::StackOverflow { by_mmx: true } => format!(
            "{quoted} finds the registers of the floating-point unit in use, as MMX instructions leave them, and gives \
             a NaN; write `emms` before it"
        ),
        Spoiled::StackOverflow { by_mmx: false } => format!(
            "{quoted} finds all eight registers of the floating-point unit in use, and gives a NaN; pop values that \
             are not needed any more"
        ),
        Spoiled::StackUnderflow => format!(
            "{quoted} reads a register of the floating-point unit that is empty, and takes a NaN for it; the value was \
             never loaded, or popped before"
        ),
        Spoiled::Invalid => match mnemonic {
            "fist" | "fistp" | "fbstp" => {
                format!("{quoted} stores the least integer of its size, because the number does not fit, or is a NaN")
            }
            _ if mnemonic.starts_with("fcom") || mnemonic.starts_with("ficom") || mnemonic == "ftst" => {
                format!("{quoted} compares a NaN, which is not less, equal or greater")
            }
            _ => format!("{quoted} has no result for its operands, and gives a NaN"),
        },
        Spoiled::DividedByZero if mnemonic.starts_with("fdiv") || mnemonic.starts_with("fidiv") => {
            format!("{quoted} divides by 0, and gives an infinity")
        }
        Spoiled::DividedByZero => format!("{quoted} has an operand of 0, and gives an infinity"),
        Spoiled::Overflow => format!("the result of {quoted} is too large for its format"),
    };
    format!("line {line}: {spoiled}")
}
