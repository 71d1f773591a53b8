//! The words of NASM for fixing a problem.

use crate::remedy::{Construct, Remedy, list};

pub(super) fn wording(remedy: &Remedy) -> String {
    let sizes = |bytes: &[u8], rest: &str| {
        let words = bytes.iter().filter_map(|&bytes| size(bytes));
        let operands: Vec<String> = words.map(|word| format!("`{word}{rest}`")).collect();
        list(&operands, "or")
    };
    match remedy {
        Remedy::Size(bytes) => format!("write {}", sizes(bytes, " [...]")),
        Remedy::OtherSize(bytes) => format!("write {} if that is intended", sizes(bytes, " [...]")),
        Remedy::DataSize(bytes) => match size(*bytes).and_then(|word| word.chars().next()) {
            Some(initial) => format!("define it with `d{initial}`"),
            None => remedy.plain(),
        },
        Remedy::Widen(bytes) => format!(
            "use `movzx` or `movsx` to widen it; write {} to read what follows it, too",
            sizes(bytes, " [...]")
        ),
        Remedy::WidenFirst(bytes, name) => format!(
            "widen it into a free register with `movzx` first, and `{name}` that; {} reads what follows it, too",
            sizes(bytes, " [...]")
        ),
        Remedy::AddressOf { variable, rest, .. } => {
            format!("write `{variable}` without brackets for its address; {}", wording(rest))
        }
        Remedy::OfLibrary(_) => "the C library defines it: link a program, `nasm -g -F dwarf -f elf32 FILE.asm -o \
                                 FILE.o`, `gcc -m32 -g -static FILE.o -o PROGRAM`, then `p5inst PROGRAM`; or begin \
                                 the source with `_start:` and write by `int 80h`, without the library"
            .to_owned(),
        Remedy::EndOfProgram(_) => "a source of NASM ends with its last line".to_owned(),
        Remedy::SizeOfCode => "write `bits 32` or `bits 16` before it".to_owned(),
        Remedy::Destination => {
            "the first operand is the destination; for memory at a fixed address, write `[1234h]`".to_owned()
        }
        Remedy::NotShort => "remove `short`".to_owned(),
        Remedy::NotNear => "remove `near`: the branch reaches 127 bytes forward and 128 back".to_owned(),
        Remedy::AddressInRegister(register) => {
            format!("write `[{register}]`, or use `mov` to copy the register")
        }
        Remedy::FieldOfRegister => "write `[ebx+structure.field]`".to_owned(),
        Remedy::Hexadecimal(digits) => format!("write `0x{digits}`"),
        Remedy::Assume(_) => "write `[es:...]` where ES holds its segment".to_owned(),
        Remedy::FarBranch => "write `far` before it".to_owned(),
        Remedy::Close(construct) => match construct {
            Construct::Conditional => "add `%endif`".to_owned(),
            Construct::Body => "add `%endmacro` or `%endrep`".to_owned(),
            Construct::Structure(_) => "add `endstruc`".to_owned(),
            _ => remedy.plain(),
        },
        _ => remedy.plain(),
    }
}

/// The word for a size in bytes.
fn size(bytes: u8) -> Option<&'static str> {
    Some(match bytes {
        1 => "byte",
        2 => "word",
        4 => "dword",
        8 => "qword",
        10 => "tword",
        _ => return None,
    })
}
