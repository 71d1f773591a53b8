//! The order of prefixes, in which assemblers differ and processors see none.

use super::Prefixes;

/// Puts prefixes into the order of MASM and TASM: LOCK or REP, the sizes of the address and of the operand, the
/// segment. What a compiler wrote has the segment before the sizes, and so has NASM's order, with the size of the
/// operand before that of the address.
pub(super) fn order_prefixes(bytes: &mut [u8; 16], prefixes: Prefixes) {
    let segment = if prefixes.compiled || prefixes.stores { 1 } else { 4 };
    let address = if prefixes.stores { 4 } else { 2 };
    let rank = |byte: u8| match byte {
        0xF0 | 0xF2 | 0xF3 => Some(0),
        0x26 | 0x2E | 0x36 | 0x3E | 0x64 | 0x65 => Some(segment),
        0x67 => Some(address),
        0x66 => Some(3),
        _ => None,
    };
    // WAIT stands before the prefixes of the instruction that it waits for.
    let start = usize::from(bytes[0] == 0x9B);
    let rest = bytes.get_mut(start..).unwrap_or_default();
    let count = rest.iter().take_while(|&&byte| rank(byte).is_some()).count();
    if let Some(prefixes) = rest.get_mut(..count).filter(|prefixes| prefixes.len() > 1) {
        prefixes.sort_by_key(|&byte| rank(byte));
    }
}
