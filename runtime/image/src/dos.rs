//! Where programs lie in memory under DOS, and the prefix before them.

use crate::Segment;

/// The linear address of the prefix, and of a COM file's segment.
pub const PREFIX: u32 = 0x1_0000;
/// The size of the prefix in bytes.
pub const PREFIX_SIZE: u32 = 0x100;
/// The linear address at which the memory for programs ends.
pub const CONVENTIONAL: u32 = 0xA_0000;
/// The end of the memory of a program that starts in real mode. What is above [`REAL_MEMORY`](crate::REAL_MEMORY) can
/// be reached in protected mode, or by segments whose limits are kept from there.
pub const EXTENDED_END: u32 = 0x0040_0000;
/// The value of SP at the start of a COM file; above it lies a zero to which a near return goes.
pub const COM_STACK: u16 = 0xFFFE;
/// The most bytes of a COM file: a segment without the prefix and a word of stack.
pub const MOST_OF_COM: usize = 0x1_0000 - PREFIX_SIZE as usize - 2;
/// The size in bytes of the stack of a program that defines none.
pub const OWN_STACK: u16 = 0x1000;
/// The name of the segment that is the prefix.
const NAME: &str = "prefix";
/// The offset in the prefix of the byte with the length of the arguments, which follow it.
const ARGUMENTS: usize = 0x80;
/// The most bytes of the arguments, without the carriage return that ends them.
pub const MOST_ARGUMENTS: usize = 0x7E;

/// The prefix before a program without arguments: a return to its first bytes ends the program.
pub fn prefix() -> Segment {
    let mut bytes = vec![0; PREFIX_SIZE as usize];
    // INT 20h, and the paragraph at which memory ends.
    bytes[..2].copy_from_slice(&[0xCD, 0x20]);
    bytes[2..4].copy_from_slice(&((CONVENTIONAL >> 4) as u16).to_le_bytes());
    bytes[ARGUMENTS + 1] = 0x0D;
    Segment {
        name: NAME.to_owned(),
        address: PREFIX,
        bytes,
        zeroes: 0,
        writable: true,
    }
}

/// Whether a segment is the prefix before a program.
pub fn is_prefix(segment: &Segment) -> bool {
    segment.address == PREFIX && segment.name == NAME
}

/// The prefix before a program with `arguments`; `None` if they are longer than [`MOST_ARGUMENTS`].
pub fn prefix_with(arguments: &[&str]) -> Option<Segment> {
    let mut prefix = prefix();
    let tail: String = arguments.iter().map(|argument| format!(" {argument}")).collect();
    let length = u8::try_from(tail.len()).ok().filter(|_| tail.len() <= MOST_ARGUMENTS)?;
    let text = ARGUMENTS + 1..ARGUMENTS + 1 + tail.len();
    prefix.bytes[ARGUMENTS] = length;
    prefix.bytes.get_mut(text.clone())?.copy_from_slice(tail.as_bytes());
    *prefix.bytes.get_mut(text.end)? = 0x0D;
    Some(prefix)
}
