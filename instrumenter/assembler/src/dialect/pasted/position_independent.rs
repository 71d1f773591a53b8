//! Position-independent code, which finds its data by its own address: read as if the table that it computes the
//! address of began at 0, so that an offset in that table is an address.
//!
//! `call __x86.get_pc_thunk.bx` and `add ebx, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_` leave 0 in EBX: the addition becomes
//! the subtraction of its own address, which is as long and takes the same time.

use crate::diag::{Fault, Span, fault};
use std::ops::Range;

/// The table that a linker makes.
pub(super) const TABLE: &str = "_GLOBAL_OFFSET_TABLE_";
/// The functions that only return where they are called from, by the beginning of their names.
pub(super) const THUNK: &str = "__x86.get_pc_thunk.";
/// What only a linker or a loader knows.
const OF_LOADER: [&str; 7] = [
    "@TLSGD",
    "@TLSLDM",
    "@GOTNTPOFF",
    "@INDNTPOFF",
    "@DTPOFF",
    "@GOTPC",
    "@TLSDESC",
];

/// The name of the data with the address of `name`.
pub(super) fn cell(name: &str) -> String {
    format!(".got.{name}")
}

/// What subtracts the address of an addition from the register to which the table is added, in Intel's syntax or in
/// AT&T's; `None` if it is another instruction.
pub(super) fn subtraction(line: &str, part: Range<usize>) -> Option<String> {
    let text = line[part].to_ascii_lowercase();
    let (mnemonic, operands) = text.split_once([' ', '\t'])?;
    let table = TABLE.to_ascii_lowercase();
    let (first, second) = operands.split_once(',')?;
    let (register, value) = match mnemonic {
        "add" if !first.trim().starts_with('$') => (first.trim(), second.trim()),
        "add" | "addl" => (second.trim().strip_prefix('%')?, first.trim()),
        _ => return None,
    };
    let value = value.trim_start_matches(['$', ' ']);
    let value = value.strip_prefix("offset").unwrap_or(value).trim_start();
    let value = value.strip_prefix("flat:").unwrap_or(value);
    let distance = value.strip_prefix(&table)?;
    // Clang: what it popped is the address of a label, `+(.Ltmp0-.L0$pb)`.
    let place = match distance.trim() {
        "" => "$".to_owned(),
        distance => {
            let inside = distance.strip_prefix("+(")?.strip_suffix(')')?;
            let (_, label) = inside.split_once('-')?;
            let start = line.to_ascii_lowercase().find(label)?;
            line[start..start + label.len()].to_owned()
        }
    };
    crate::select::register(register)?;
    Some(format!("sub {register}, offset {place}"))
}

/// The fault of an instruction that uses what only a linker knows.
pub(super) fn not_known(line: &str, number: u32, part: &Range<usize>) -> Option<Fault> {
    let text = &line[part.clone()];
    let word = OF_LOADER.iter().chain([&TABLE]).find(|word| text.contains(**word))?;
    let start = part.start + text.find(word)?;
    Some(refusal(number, start..start + word.len()))
}

/// The fault of a listing that finds its own address first.
pub(super) fn of_listing(text: &str) -> Option<Fault> {
    let (number, line, word) = (1..).zip(text.lines()).find_map(|(number, line)| {
        let word = [TABLE, "get_pc_thunk", "@GOT"]
            .into_iter()
            .find(|word| line.contains(word))?;
        Some((number, line, word))
    })?;
    let start = line.find(word)?;
    Some(refusal(number, start..start + word.len()))
}

fn refusal(number: u32, part: Range<usize>) -> Fault {
    let span = Span::of(number, &part);
    let message = "position-independent code, which finds its data through a table that the linker makes";
    fault(span, message).with_help(
        "compile it without: `gcc -m32 -march=pentium -O2 -fno-pic -S -masm=intel FILE.c`; or link a program and run \
         that",
    )
}

#[cfg(test)]
mod tests {
    use super::subtraction;

    #[test]
    fn the_addition_of_the_table_becomes_a_subtraction() {
        for (line, made) in [
            ("add\tedx, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_", Some("sub edx, offset $")),
            ("addl\t$_GLOBAL_OFFSET_TABLE_, %ebx", Some("sub ebx, offset $")),
            (
                "addl $_GLOBAL_OFFSET_TABLE_+(.Ltmp0-.L0$pb), %eax",
                Some("sub eax, offset .L0$pb"),
            ),
            ("mov eax, OFFSET FLAT:_GLOBAL_OFFSET_TABLE_", None),
        ] {
            assert_eq!(subtraction(line, 0..line.len()).as_deref(), made, "{line}");
        }
    }
}
