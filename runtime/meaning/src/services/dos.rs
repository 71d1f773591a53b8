//! DOS services by int 21h: 02h, 06h, 09h and 40h write, 00h and 4Ch end; others read the keyboard and files, and tell
//! the time. In 32-bit code they are those of a DOS extender; 16-bit code passes offsets and counts in 16 bits. In real
//! mode 35h and 25h read and set interrupt vectors, 30h returns the version, and 51h and 62h the segment of the prefix.
//! 0Dh, 0Eh, 33h, 44h with AL = 0, 47h and 4Dh answer for a machine with one drive, on which a program is alone. A
//! native run serves what [`asked`] names.

use super::descriptors::Target;
use super::{Asked, ESI, OUTPUT_CAPACITY, OUTPUT_LIMIT, Process, Service, Written, answer, clock, dos_files, keyboard};
use crate::exec::State;
use p5_image::dos::PREFIX;
use p5_results::RefusedService;
use p5_words::mode::Operation;
use p5_words::registers::{DS, ES, SegmentRegister};

/// The version that function 30h returns: DOS 5.0.
const VERSION: u32 = 0x0005;

/// The handle of standard error.
const STANDARD_ERROR: u32 = 2;

/// In DL, with which function 06h reads a key instead of writing one.
const READS: u8 = 0xFF;

/// The service that the registers EAX, ECX, EDX, EBX request; the function is in AH.
pub fn asked([eax, ecx, edx, ebx]: [u32; 4]) -> Asked {
    match (eax >> 8) as u8 {
        0x00 => Asked::Exit(0),
        0x02 => Asked::Character(edx as u8),
        0x06 if edx as u8 != READS => Asked::Character(edx as u8),
        0x09 => Asked::Text { address: edx },
        0x40 if matches!(ebx & 0xFFFF, 1 | STANDARD_ERROR) => Asked::Bytes {
            address: edx,
            length: ecx,
        },
        0x4C => Asked::Exit(eax & 0xFF),
        function => Asked::Other(u32::from(function)),
    }
}

/// EAX and the carry flag after a write of `length` bytes: the number written, which is 0 on a full disk, or error 5,
/// access denied.
pub fn written(written: Written, length: u32) -> (u32, bool) {
    match written {
        Written::All => (length, false),
        Written::Unreadable => (5, true),
        Written::Full => (0, false),
    }
}

/// EAX after a character was written, which DOS leaves in AL.
pub fn after_character(eax: u32, byte: u8) -> u32 {
    eax & !0xFF | u32::from(byte)
}

/// EAX after a text was written: AL is the `$` at its end.
pub fn after_text(eax: u32) -> u32 {
    eax & !0xFF | u32::from(b'$')
}

/// EAX and the carry flag after an unsupported function: error 1, no such function, in AX.
pub fn not_served(eax: u32) -> (u32, bool) {
    ((eax & 0xFFFF_0000) | 1, true)
}

pub(super) fn call(state: &mut State, process: &mut Process) -> Service {
    let [eax, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let mode = state.registers.mode();
    let mask = if mode.wide_code { u32::MAX } else { 0xFFFF };
    let base = state.registers.segments[DS].base();
    if mode.operation == Operation::Real && serve_vectors(state, (eax >> 8) as u8) {
        return Service::Done;
    }
    let function = (eax >> 8) as u8;
    if clock::call_of_dos(state, process, function) || serve_inquiry(state, process, function, mask) {
        return Service::Done;
    }
    // A program that stays in memory after its end leaves a machine on which nothing else runs.
    if function == 0x31 {
        return Service::Exit(eax & 0xFF);
    }
    let reads = keyboard::call_of_dos(state, process, function, mask);
    if let Some(service) = reads.or_else(|| dos_files::call(state, process, function, mask)) {
        return service;
    }
    match asked([eax, ecx & mask, edx & mask, ebx]) {
        Asked::Exit(code) => Service::Exit(code),
        Asked::Character(byte) => {
            if process.output.len() >= OUTPUT_CAPACITY {
                return Service::Refused(OUTPUT_LIMIT);
            }
            process.output.push(byte);
            state.registers.general[0] = after_character(eax, byte);
            Service::Done
        }
        Asked::Text { address } => {
            let service = write_text(state, &mut process.output, address, mask);
            if matches!(service, Service::Done) {
                state.registers.general[0] = after_text(eax);
            }
            service
        }
        Asked::Bytes { address, length } => {
            let errors = ebx & 0xFFFF == STANDARD_ERROR;
            let outcome = process.write_output(state, [base.wrapping_add(address), length], errors);
            let (answered, carry) = written(outcome, length);
            answer(state, (eax & !mask | answered & mask, carry));
            outcome.service()
        }
        Asked::BadFile
        | Asked::Open
        | Asked::OwnNumber
        | Asked::Raise { .. }
        | Asked::RaiseElsewhere
        | Asked::RaiseNowhere
        | Asked::Other(_) => {
            answer(state, not_served(eax));
            Service::Refused(RefusedService::Dos {
                function: (eax >> 8) as u8,
            })
        }
    }
}

/// Writes the text at offset `from` of DS, up to its `$`. After offset `last` it goes on at 0; a text that comes back
/// to where it began has no end.
fn write_text(state: &State, output: &mut Vec<u8>, from: u32, last: u32) -> Service {
    let base = state.registers.segments[DS].base();
    let (mut offset, mut left) = (from, u64::from(last) + 1);
    while left > 0 {
        if output.len() >= OUTPUT_CAPACITY {
            return Service::Refused(OUTPUT_LIMIT);
        }
        let Some(bytes) = state.memory.rest_of_page(base.wrapping_add(offset)) else {
            break;
        };
        let room = (left.min(u64::from(last - offset) + 1) as usize).min(OUTPUT_CAPACITY - output.len());
        let bytes = bytes.get(..room).unwrap_or(bytes);
        let end = bytes.iter().position(|&byte| byte == b'$');
        output.extend_from_slice(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default());
        if end.is_some() {
            return Service::Done;
        }
        offset = offset.wrapping_add(bytes.len() as u32) & last;
        left -= bytes.len() as u64;
    }
    Service::Refused(RefusedService::DosTextWithoutEnd)
}

/// Serves the functions of real mode alone: 25h, 30h and 35h. Returns whether `function` is one of them.
fn serve_vectors(state: &mut State, function: u8) -> bool {
    let general = state.registers.general;
    let vector = (general[0] & 0xFF) * 4;
    match function {
        0x25 => {
            let handler = u32::from(state.registers.segments[DS].selector()) << 16 | general[2] & 0xFFFF;
            state.memory.write_u32(vector, handler).is_ok()
        }
        0x30 => {
            state.registers.general[0] = general[0] & 0xFFFF_0000 | VERSION;
            true
        }
        0x35 => {
            let Ok(handler) = state.memory.read_u32(vector) else {
                return false;
            };
            let selector = (handler >> 16) as u16;
            let extra = &mut state.registers.segments[ES];
            *extra = SegmentRegister::reloaded_in_real_mode(extra, selector);
            state.registers.general[3] = general[3] & 0xFFFF_0000 | handler & 0xFFFF;
            true
        }
        _ => false,
    }
}

/// Serves functions that tell of the machine, the drive and the program. Returns whether `function` is one of them.
fn serve_inquiry(state: &mut State, process: &Process, function: u8, mask: u32) -> bool {
    /// The drives from A on; the current one is C.
    const DRIVES: u32 = 3;
    /// What a device is that is both input and output of the console, and a file on drive C.
    const CONSOLE: u32 = 0x80D3;
    const FILE: u32 = 2;
    let [eax, ebx] = [0, 3].map(|register: usize| state.registers.general[register]);
    let al = eax & 0xFF;
    let set = |state: &mut State, register: usize, bits: u32, value: u32| {
        let before = state.registers.general[register];
        state.registers.general[register] = before & !bits | value;
    };
    match function {
        // Written buffers are flushed.
        0x0D => {}
        // A drive becomes the current one.
        0x0E => set(state, 0, 0xFF, DRIVES),
        // Whether Ctrl+Break is looked for: it is not, and setting it in DL changes nothing.
        0x33 if al == 0 => set(state, 2, 0xFF, 0),
        0x33 if al == 1 => {}
        // The drive from which the system was started.
        0x33 if al == 5 => set(state, 2, 0xFF, DRIVES),
        // What a handle is.
        0x44 if al == 0 => {
            let is = match process.descriptors.what(ebx & 0xFFFF) {
                Some(Target::Input | Target::Output { .. }) => CONSOLE,
                Some(_) => FILE,
                None => return false,
            };
            set(state, 2, 0xFFFF, is);
            answer(state, (eax & 0xFFFF_0000 | is, false));
        }
        // The current folder without its first backslash: the root.
        0x47 => {
            let address = state.registers.segments[DS].base();
            let offset = state.registers.general[ESI] & mask;
            if state.memory.write_u8(address.wrapping_add(offset), 0).is_err() {
                return false;
            }
            answer(state, (eax & 0xFFFF_0000 | 0x0100, false));
        }
        // How the last program ended that this one started.
        0x4D => answer(state, (eax & 0xFFFF_0000, false)),
        0x51 | 0x62 if state.registers.operation() == Operation::Real => set(state, 3, 0xFFFF, PREFIX >> 4),
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use p5_image::Image;
    use p5_words::registers::Registers;

    /// What function 9 writes of a segment of dots with a text across its end, from `offset`, and what is refused.
    fn written_from(offset: u32, text: &[u8]) -> (Vec<u8>, Option<RefusedService>) {
        let mut memory = Memory::new();
        memory.map(0x1_0000, 0x2_0000, true).expect("is mapped");
        memory.load(0x1_0000, &[b'.'; 0x2_0000]).expect("is mapped");
        for (place, byte) in (0xFFFD..).zip(text) {
            memory.write_u8(0x1_8000 + (place & 0xFFFF), *byte).expect("is mapped");
        }
        let mut state = State::new(Registers::real(0x1800, 0x100, 0x1800, 0xFFFE, 0x1800), memory);
        state.registers.general[0] = 0x0900;
        state.registers.general[2] = 0xABCD_0000 | offset;
        let mut process = Process::new(&Image::default(), [Vec::new, Vec::new], None);
        match call(&mut state, &mut process) {
            Service::Done => (process.output, None),
            Service::Refused(refused) => (process.output, Some(refused)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_text_goes_on_at_the_begin_of_its_segment() {
        assert_eq!(written_from(0xFFFE, b"-ab\0c$"), (b"ab\0c".to_vec(), None));
        assert_eq!(written_from(0x0002, b"-ab\0c$"), (Vec::new(), None));
    }

    #[test]
    fn a_text_without_end_is_written_once() {
        for offset in [0, 1, 0x7FFF, 0xFFFF] {
            let (output, refused) = written_from(offset, b"");
            assert_eq!(output, vec![b'.'; 0x1_0000], "from {offset:X}h");
            assert_eq!(refused, Some(RefusedService::DosTextWithoutEnd));
        }
    }
}
