//! The pairing requirements of the instructions of artificial runs.

use p5_results::*;

/// The pairing requirements of the few instructions of these runs.
pub(super) fn needs(text: &str) -> Needs {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let register = |name: &str| {
        let at = RegisterSet::GENERAL_NAMES.iter().position(|&register| register == name);
        at.map_or(RegisterSet::EMPTY, |at| RegisterSet::of_general_bits(1 << at))
    };
    let (first, second) = operands.split_once(',').unwrap_or((operands, ""));
    let address = register(second.trim_matches(['[', ']']));
    let addresses = if second.starts_with('[') {
        address
    } else {
        RegisterSet::EMPTY
    };
    let old = [register(first), RegisterSet::EMPTY][usize::from(mnemonic == "mov")];
    Needs {
        floating: None,
        packed: None,
        varies: false,
        // Bit 0 is the zero flag.
        flags_read: u8::from(mnemonic == "jnz"),
        flags_written: u8::from(matches!(mnemonic, "add" | "dec")),
        takes: match mnemonic {
            "mov" | "add" | "dec" | "nop" => &[],
            "jnz" => &[Pipe::V],
            _ => &[Pipe::U, Pipe::V],
        },
        clocks: if mnemonic == "rdtsc" { 6 } else { 1 },
        reads: old.union(register(second)).union(addresses),
        writes: register(first),
        addresses,
        interlocks: register(first),
        address_wait: 1,
        flow: if mnemonic == "jnz" { Flow::Jump } else { Flow::Next },
        to_next: false,
        target: None,
        falls_through: true,
        stack: Default::default(),
        short_store: false,
        unpaired_form: None,
    }
}
