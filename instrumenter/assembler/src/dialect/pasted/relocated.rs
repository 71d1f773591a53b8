//! Where in an instruction of a listing a linker puts an address: a 0, or the distance that it adds to the address.

/// The places of the numbers `0x...` in a text.
fn numbers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let begins = text.match_indices("0x").map(|(at, _)| at);
    let whole = begins.filter(|&at| {
        !text[..at]
            .bytes()
            .next_back()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
    });
    whole.map(|at| {
        let digits = text[at + 2..].bytes().take_while(u8::is_ascii_hexdigit).count();
        (at, &text[at..at + 2 + digits])
    })
}

/// The text with `name` where a linker puts its address, which is part of the instruction with `operands`: in place of
/// the only 0, or before the only number; `None` if that is not plain. `is_memory` tells of the text before a number
/// whether it is an operand of memory.
pub(super) fn with_name(operands: &str, name: &str, is_memory: impl Fn(&str) -> bool) -> Option<String> {
    let mut zeros = numbers(operands).filter(|(_, number)| *number == "0x0");
    let mut all = numbers(operands);
    let (at, number) = match (zeros.next(), zeros.next()) {
        (Some(zero), None) => zero,
        (None, _) => all.next().filter(|_| all.next().is_none())?,
        (Some(_), Some(_)) => return None,
    };
    let (before, behind) = (&operands[..at], &operands[at + number.len()..]);
    // The distance from the name, with its sign.
    let (before, distance) = match (number, before.strip_suffix('-')) {
        ("0x0", _) => (before, String::new()),
        (_, Some(before)) => (before, format!("-{number}")),
        (_, None) => (before, format!("+{number}")),
    };
    let (before, word) = match before.strip_suffix("ds:") {
        Some(before) => (before, ""),
        None if is_memory(before) => (before, ""),
        None => (before, "offset "),
    };
    let joined = if before.ends_with(|last: char| last.is_ascii_alphanumeric()) {
        "+"
    } else {
        ""
    };
    Some(format!("{before}{joined}{word}{name}{distance}{behind}"))
}

/// Whether an instruction that is no LEA accesses the address 0, or that of a register of which only a multiple is
/// added: what a listing has where a linker puts an address in, and no program does.
pub(super) fn is_open(mnemonic: &str, operands: &str) -> bool {
    let mut zeros = numbers(operands).filter(|(_, number)| *number == "0x0");
    let accesses = zeros.any(|(at, number)| {
        let (before, behind) = (&operands[..at], &operands[at + number.len()..]);
        let indexed = before.rsplit_once('[').is_some_and(|(_, inside)| {
            let inside = inside.strip_suffix('+').unwrap_or_default();
            behind.starts_with(']') && inside.contains('*') && !inside.contains(['+', '-'])
        });
        before.ends_with("ds:") || behind.starts_with("(,") || indexed
    });
    accesses && !mnemonic.to_ascii_lowercase().starts_with("lea")
}
