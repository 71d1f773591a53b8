//! The initial stack of a Linux program: arguments, environment and auxiliary vector.

use crate::{PROCESS_STACK_TOP, USER};
use p5_words::isa::PAGE;

/// The size of a program header in bytes.
const PROGRAM_HEADER: u32 = 32;
/// The keys of entries in the auxiliary vector.
const AT_NULL: u32 = 0;
const AT_PHDR: u32 = 3;
const AT_PHENT: u32 = 4;
const AT_PHNUM: u32 = 5;
const AT_PAGESZ: u32 = 6;
const AT_BASE: u32 = 7;
const AT_FLAGS: u32 = 8;
const AT_ENTRY: u32 = 9;
const AT_UID: u32 = 11;
const AT_EUID: u32 = 12;
const AT_GID: u32 = 13;
const AT_EGID: u32 = 14;
const AT_CLKTCK: u32 = 17;
const AT_SECURE: u32 = 23;
const AT_RANDOM: u32 = 25;
const AT_EXECFN: u32 = 31;
/// Ticks in a second.
const TICKS: u32 = 100;
/// What stands for random bytes: every run is the same.
const RANDOM: [u8; 16] = *b"\x31\x41\x59\x26\x53\x58\x97\x93\x23\x84\x62\x64\x33\x83\x27\x95";

/// The room for the name of a program is a multiple of this, in bytes.
const ROOM_OF_NAME: usize = 1024;

/// The bytes from the initial ESP to the top of the stack. `headers` are the address and the number of the program
/// headers.
pub(super) fn initial_stack([arguments, environment]: [&[&str]; 2], headers: [u32; 2], entry: u32) -> Vec<u8> {
    let mut strings = RANDOM.to_vec();
    let mut place = |text: &str| {
        let offset = strings.len() as u32;
        strings.extend_from_slice(text.as_bytes());
        strings.push(0);
        offset
    };
    let own = arguments.iter().take(1).map(|_| 0);
    let mut offsets: Vec<u32> = own.collect();
    offsets.extend(arguments.iter().skip(1).map(|argument| place(argument)));
    let variables: Vec<u32> = environment.iter().map(|variable| place(variable)).collect();
    strings.resize(strings.len().next_multiple_of(16), 0);
    // Its own name comes last, in room for a path of any usual length: clocks do not depend on where it stands.
    if let (Some(name), Some(offset)) = (arguments.first(), offsets.first_mut()) {
        *offset = strings.len() as u32;
        strings.extend_from_slice(name.as_bytes());
        strings.resize(*offset as usize + (name.len() + 1).next_multiple_of(ROOM_OF_NAME), 0);
    }
    let at = PROCESS_STACK_TOP - strings.len() as u32;
    let mut words = vec![arguments.len() as u32];
    words.extend(offsets.iter().map(|offset| at + offset));
    words.push(0);
    words.extend(variables.iter().map(|offset| at + offset));
    words.push(0);
    for (kind, value) in [
        (AT_PHDR, headers[0]),
        (AT_PHENT, PROGRAM_HEADER),
        (AT_PHNUM, headers[1]),
        (AT_PAGESZ, PAGE),
        (AT_BASE, 0),
        (AT_FLAGS, 0),
        (AT_ENTRY, entry),
        (AT_UID, USER),
        (AT_EUID, USER),
        (AT_GID, USER),
        (AT_EGID, USER),
        (AT_CLKTCK, TICKS),
        (AT_SECURE, 0),
        (AT_RANDOM, at),
        (AT_EXECFN, offsets.first().map_or(0, |offset| at + offset)),
        (AT_NULL, 0),
    ] {
        words.extend([kind, value]);
    }
    // ESP is a multiple of 16.
    words.resize(words.len().next_multiple_of(4), 0);
    let mut stack: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    stack.extend(strings);
    stack
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_finds_its_arguments_and_its_variables() {
        let stack = initial_stack([&["name", "one"], &["HOME=/", "A="]], [0x8048034, 2], 0x8048100);
        let start = PROCESS_STACK_TOP - stack.len() as u32;
        let word = |index: usize| u32::from_le_bytes(stack[4 * index..][..4].try_into().expect("four bytes"));
        let text = |index: usize| {
            let text = &stack[(word(index) - start) as usize..];
            text.split(|byte| *byte == 0).next().expect("a first part")
        };
        assert_eq!((start % 16, word(0), word(3), word(6)), (0, 2, 0, 0));
        assert_eq!([1, 2, 4, 5].map(text), [&b"name"[..], b"one", b"HOME=/", b"A="]);
        assert_eq!(initial_stack([&[], &[]], [0, 0], 0)[..12], [0; 12]);
    }
}
