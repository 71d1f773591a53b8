//! The words of MASM and TASM for fixing a problem.

use crate::remedy::{Construct, Remedy, list};

/// Words a fix for TASM's IDEAL mode, where sizes are inside the brackets and keywords precede names.
pub(super) fn ideal(remedy: &Remedy) -> String {
    let sizes = |bytes: &[u8]| {
        let words = bytes.iter().filter_map(|&bytes| size(bytes));
        let operands: Vec<String> = words.map(|word| format!("`[{word} ...]`")).collect();
        list(&operands, "or")
    };
    match remedy {
        Remedy::Size(bytes) => format!("write {}", sizes(bytes)),
        Remedy::OtherSize(bytes) => format!("write {} if that is intended", sizes(bytes)),
        Remedy::Widen(bytes) => {
            format!(
                "use `movzx` or `movsx` to widen it; write {} to read what follows it, too",
                sizes(bytes)
            )
        }
        Remedy::WidenFirst(bytes, name) => widen_first(name, &sizes(bytes)),
        Remedy::AddressOf { .. } => with_address(remedy, ideal, |variable| format!("[{variable}]")),
        Remedy::Destination => {
            "the first operand is the destination; for memory at a fixed address, write `[ds:1234h]`".to_owned()
        }
        Remedy::FieldOfRegister => "write `[(structure ebx).field]`".to_owned(),
        Remedy::Assume(segment) => {
            format!("write `assume ds:{segment}` where DS holds it, or `[es:...]`")
        }
        Remedy::FarBranch => "write `far` before it, or declare its procedure `far`".to_owned(),
        Remedy::Close(Construct::Procedure(name)) => format!("add `endp {name}`"),
        Remedy::Close(Construct::Structure(name) | Construct::Segment(name)) if !name.is_empty() => {
            format!("add `ends {name}`")
        }
        _ => wording(remedy),
    }
}

pub(crate) fn wording(remedy: &Remedy) -> String {
    let sizes = |bytes: &[u8], rest: &str| {
        let words = bytes.iter().filter_map(|&bytes| size(bytes));
        let operands: Vec<String> = words.map(|word| format!("`{word} ptr{rest}`")).collect();
        list(&operands, "or")
    };
    match remedy {
        Remedy::Size(bytes) => format!("write {}", sizes(bytes, "")),
        Remedy::OtherSize(bytes) => format!("write {} if that is intended", sizes(bytes, " ...")),
        Remedy::DataSize(bytes) => match size(*bytes).and_then(|word| word.chars().next()) {
            Some(initial) => format!("define it with `d{initial}`"),
            None => remedy.plain(),
        },
        Remedy::Widen(bytes) => {
            format!(
                "use `movzx` or `movsx` to widen it; write {} to read what follows it, too",
                sizes(bytes, " ...")
            )
        }
        Remedy::WidenFirst(bytes, name) => widen_first(name, &sizes(bytes, " ...")),
        Remedy::AddressOf { .. } => with_address(remedy, wording, str::to_owned),
        Remedy::SizeOfCode => {
            "write `.model tiny` and `.code` before 16-bit code, `.model flat` and `.code` before 32-bit code, and \
             `offset` before a name whose address is meant"
                .to_owned()
        }
        Remedy::EndOfProgram(label) => format!("write `end {label}` if the program ends here and starts there"),
        Remedy::Destination => {
            "the first operand is the destination; for memory at a fixed address, write `ds:[1234h]`".to_owned()
        }
        Remedy::NotShort => "remove `short`".to_owned(),
        Remedy::NotNear => "remove `near`: the branch reaches 127 bytes forward and 128 back".to_owned(),
        Remedy::AddressInRegister(register) => {
            format!("write `[{register}]`, or use `mov` to copy the register")
        }
        Remedy::FieldOfRegister => "write `[ebx].field`".to_owned(),
        Remedy::MacroLabel(label) => format!("write `:{label}` on its own line in the macro"),
        Remedy::Assume(segment) => {
            format!("write `assume ds:{segment}` where DS holds it, or `es:` before the operand")
        }
        Remedy::Expand(line) => format!("to replace the name by its text, write `% {line}`"),
        Remedy::FarBranch => "write `far ptr` before it, or declare its procedure `far`".to_owned(),
        Remedy::DeclaredElsewhere(name) => {
            format!("drop the `extrn` of `{name}`, or write `externdef` or `global`, which both modules may have")
        }
        Remedy::Surround => {
            "write `.model small` and `.code`, or a segment, before it; a run takes lines without one".to_owned()
        }
        Remedy::Close(construct) => match construct {
            Construct::Conditional => "add `endif`".to_owned(),
            Construct::Body => "add `endm`".to_owned(),
            Construct::Source => {
                "write `end` after its last line, or `end start` if the program begins at `start`".to_owned()
            }
            Construct::Calibration => remedy.plain(),
            Construct::Procedure(name) => format!("add `{name} endp`"),
            Construct::Structure(name) if name.is_empty() => "add `ends`".to_owned(),
            Construct::Structure(name) | Construct::Segment(name) => format!("add `{name} ends`"),
            Construct::Comment(delimiter) => format!("end the comment with a second `{delimiter}`"),
        },
        Remedy::Hexadecimal(digits) => {
            let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) {
                ""
            } else {
                "0"
            };
            let hexadecimal = format!("a hexadecimal number ends in `h`: write `{zero}{digits}h`");
            match digits.parse::<u64>() {
                // AT&T syntax has the same mark before every number.
                Ok(_) => {
                    format!("{hexadecimal}; if it is `${digits}` of AT&T syntax, a decimal number, write `{digits}`")
                }
                Err(_) => hexadecimal,
            }
        }
        Remedy::Sentence(_) | Remedy::OfLibrary(_) | Remedy::LeadingDigit(_) => remedy.plain(),
    }
}

/// The words for [`Remedy::AddressOf`], with those for the other remedy and for the variable.
fn with_address(remedy: &Remedy, words: impl Fn(&Remedy) -> String, operand: impl Fn(&str) -> String) -> String {
    let Remedy::AddressOf {
        variable,
        register,
        first,
        rest,
    } = remedy
    else {
        return words(remedy);
    };
    let address = format!(
        "for the address of `{variable}`, write `offset {variable}` or `lea {register},{}`",
        operand(variable)
    );
    match first {
        true => format!("{address}; for its contents, {}", words(rest)),
        false => format!("{}; {address}", words(rest)),
    }
}

fn widen_first(name: &str, wider: &str) -> String {
    format!("widen it into a free register with `movzx` first, and `{name}` that; {wider} reads what follows it, too")
}

/// The keyword for a size in bytes.
fn size(bytes: u8) -> Option<&'static str> {
    Some(match bytes {
        1 => "byte",
        2 => "word",
        4 => "dword",
        6 => "fword",
        8 => "qword",
        10 => "tbyte",
        _ => return None,
    })
}
