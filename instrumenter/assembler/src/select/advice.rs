//! Help for the most frequent mistakes of beginners, by instruction: the forms say what an instruction requires, and
//! the texts here what to use instead.

use super::SelectError;
use super::forms::Name;
use super::registers::spelling;
use crate::operand::{CodeSize, Operand};
use crate::remedy::Remedy;
use iced_x86::Register;

/// The error for operands that no form of the instruction accepts, if it is a frequent mistake.
pub(super) fn frequent(name: &Name, operands: &[Operand], size: CodeSize) -> Option<SelectError> {
    let text = name.text.as_str();
    let error = |index: usize, message: String| Some(SelectError::new(message).at(index));
    match (text, operands) {
        ("shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "rcl" | "rcr", [_, count])
        | ("shld" | "shrd", [_, _, count])
            if matches!(count, Operand::Register(_) | Operand::Memory(_)) =>
        {
            let message = format!("the count of `{text}` must be `cl` or an immediate");
            error(operands.len() - 1, message).map(|error| error.help("load the count into `cl`"))
        }
        ("in", [to, port]) => ports(text, (0, to), (1, port)),
        ("out", [port, from]) => ports(text, (1, from), (0, port)),
        ("imul", [Operand::Register(_), Operand::Immediate(_), Operand::Register(_)]) => {
            let message = "the immediate of `imul` is its last operand".to_owned();
            error(1, message).map(|error| error.help("swap the last two operands"))
        }
        ("imul", [Operand::Register(to), _]) if to.is_gpr8() => {
            let message = "`imul` of bytes has one operand".to_owned();
            error(0, message).map(|error| error.help("it multiplies `al` by its operand; the product is in `ax`"))
        }
        ("mul" | "div" | "idiv" | "imul", [Operand::Immediate(_)]) => Some(
            SelectError::new(format!("`{text}` cannot take an immediate"))
                .at(0)
                .help("load the number into a register first"),
        ),
        ("inc" | "dec" | "not" | "neg" | "pop", [Operand::Immediate(_)]) => Some(
            SelectError::new(format!("`{text}` changes its operand, which cannot be an immediate"))
                .at(0)
                .help("use a register or memory"),
        ),
        ("lea", [Operand::Register(_), Operand::Register(from)]) => {
            let error = SelectError::new("`lea` takes the address of a memory operand, not a register").at(1);
            Some(error.help(Remedy::AddressInRegister(spelling(*from))))
        }
        ("lea", [Operand::Register(_), Operand::Immediate(_)]) => Some(
            SelectError::new("`lea` takes the address of a memory operand, not an immediate")
                .at(1)
                .help("use `mov` to load a number"),
        ),
        ("push" | "pop", [Operand::Register(register)]) if register.is_gpr8() => Some(
            SelectError::new(format!(
                "`{text}` takes 16 or 32 bits, and `{}` has 8",
                spelling(*register)
            ))
            .at(0)
            .help(format!("use `{}`", spelling(pushable(*register, size)))),
        ),
        ("xchg", [_, Operand::Immediate(_)]) => {
            let error = SelectError::new("`xchg` changes both operands, which cannot be immediates").at(1);
            Some(error.help("use `mov` to load a number"))
        }
        ("xadd" | "cmpxchg" | "test", [Operand::Register(_), Operand::Memory(_)]) => {
            error(1, format!("the memory operand of `{text}` is its first operand"))
                .map(|error| error.help("swap the operands"))
        }
        ("movzx" | "movsx", [Operand::Register(to), Operand::Register(from)]) if from.size() >= to.size() => {
            let error = SelectError::new(format!("`{text}` widens, and `{}` is not wider", spelling(*to))).at(0);
            Some(if from.size() == to.size() {
                error.help("use `mov` to copy between registers of one size")
            } else {
                error
            })
        }
        ("movzx" | "movsx", [_, Operand::Immediate(_)]) => Some(
            SelectError::new(format!("`{text}` cannot take an immediate"))
                .at(1)
                .help("use `mov` to load a number"),
        ),
        ("mov", [Operand::Register(a), Operand::Register(b)]) if a.is_mm() || b.is_mm() => {
            Some(SelectError::new("`mov` cannot access MMX registers").help("use `movd` for 32 bits and `movq` for 64"))
        }
        ("movq", [Operand::Register(a), Operand::Register(b)]) if a.is_gpr32() || b.is_gpr32() => {
            let error = SelectError::new("`movq` moves 64 bits, and a general register has 32");
            Some(error.help("use `movd`"))
        }
        ("mov", [Operand::Register(to), Operand::Immediate(_)]) if to.is_cr() || to.is_dr() || to.is_tr() => Some(
            SelectError::new(format!("`mov` cannot load `{}` with an immediate", spelling(*to)))
                .at(1)
                .help("load it through a general register"),
        ),
        (_, [Operand::Register(register)]) if text.starts_with("set") && register.is_gpr() => {
            let error = SelectError::new(format!("`{text}` sets a byte, and `{}` is wider", spelling(*register))).at(0);
            Some(match low_part(*register, 1) {
                Some(low) => error.help(format!("use `{}`", spelling(low))),
                None => error.help("use a register of 8 bits"),
            })
        }
        ("fstsw" | "fnstsw", [Operand::Register(register)]) if register.is_gpr() => {
            let error = SelectError::new(format!("`{text}` cannot store to `{}`", spelling(*register))).at(0);
            Some(error.help("use `ax` or memory of 16 bits"))
        }
        (_, [.., Operand::Register(register)]) if text.starts_with('f') && register.is_gpr() => Some(
            SelectError::new(format!("`{text}` cannot access general registers"))
                .at(operands.len() - 1)
                .help("use memory: the floating point unit reads and writes memory and its own registers"),
        ),
        (_, [Operand::Immediate(_)]) if text.starts_with('f') => Some(
            SelectError::new(format!("`{text}` cannot take an immediate"))
                .at(0)
                .help("define the number as data and load it from there"),
        ),
        _ => None,
    }
}

/// The error for operands of `in` and `out`: they take the accumulator, and the port as `dx` or a small number.
fn ports(text: &str, value: (usize, &Operand), port: (usize, &Operand)) -> Option<SelectError> {
    let accumulator = |operand: &Operand| matches!(operand, Operand::Register(register) if register.full_register32() == Register::EAX && *register != Register::AH);
    match port.1 {
        Operand::Register(Register::DX) => {}
        Operand::Immediate(number) if number.volatile || (0..256).contains(&number.value) => {}
        Operand::Immediate(number) => {
            let message = format!("port {} does not fit in 8 bits", number.value);
            return Some(
                SelectError::new(message)
                    .at(port.0)
                    .help("load it into `dx` and use `dx`"),
            );
        }
        _ => {
            let message = format!("the port of `{text}` must be `dx` or an immediate below 256");
            return Some(SelectError::new(message).at(port.0).help("load it into `dx`"));
        }
    }
    if accumulator(value.1) {
        return None;
    }
    let message = format!("`{text}` transfers `al`, `ax` or `eax` only");
    Some(SelectError::new(message).at(value.0).help(match text {
        "in" => "read into one of these, then move it",
        _ => "move the value into one of these first",
    }))
}

/// The advice for a wrong number of operands.
pub(super) fn count(text: &str, given: usize) -> Option<String> {
    Some(match (text, given) {
        ("push" | "pop", 2..) => format!("write one `{text}` for each operand"),
        ("mul", 2..) => {
            "it multiplies `eax`, `ax` or `al` by its operand; `imul` can have two or three operands".to_owned()
        }
        ("div" | "idiv", 2..) => {
            "it divides `edx:eax` by its operand: quotient in `eax`, remainder in `edx`".to_owned()
        }
        ("inc", 2..) => "it adds 1; use `add`".to_owned(),
        ("dec", 2..) => "it subtracts 1; use `sub`".to_owned(),
        ("neg" | "not", 2..) => "it changes its operand in place; copy it with `mov` first".to_owned(),
        ("mov" | "lea" | "movzx" | "movsx" | "xchg", 0 | 1) => "write the destination and the source".to_owned(),
        ("add" | "sub" | "adc" | "sbb" | "and" | "or" | "xor", 3..) => {
            "the first operand is the destination and one of the sources".to_owned()
        }
        ("add" | "sub" | "adc" | "sbb" | "and" | "or" | "xor" | "cmp" | "test", 0 | 1) => {
            "write both operands".to_owned()
        }
        ("int", 0) => "write the number of the interrupt".to_owned(),
        ("jmp" | "call", 0) => "write a label".to_owned(),
        (branch, 0) if branch.starts_with('j') || branch.starts_with("loop") => "write a label".to_owned(),
        _ => return None,
    })
}

/// The register with a byte register that PUSH takes in code of this size.
fn pushable(byte: Register, size: CodeSize) -> Register {
    match size {
        CodeSize::Bits16 => low_part(byte, 2).unwrap_or(byte),
        CodeSize::Bits32 => byte.full_register32(),
    }
}

/// The register to use instead of `wide` for a value of `bytes` bytes.
pub(super) fn low_part(wide: Register, bytes: usize) -> Option<Register> {
    let full = wide.full_register32();
    let parts = [
        (Register::EAX, Register::AL, Register::AX),
        (Register::ECX, Register::CL, Register::CX),
        (Register::EDX, Register::DL, Register::DX),
        (Register::EBX, Register::BL, Register::BX),
        (Register::ESP, Register::None, Register::SP),
        (Register::EBP, Register::None, Register::BP),
        (Register::ESI, Register::None, Register::SI),
        (Register::EDI, Register::None, Register::DI),
    ];
    let (_, byte, word) = parts.into_iter().find(|(whole, ..)| *whole == full)?;
    let part = if bytes == 1 { byte } else { word };
    (part != Register::None).then_some(part)
}
