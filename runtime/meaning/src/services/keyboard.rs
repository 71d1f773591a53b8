//! The keyboard of a DOS program: services of the BIOS by int 16h in real mode, and those of DOS by int 21h that read
//! keys or lines. What is typed is standard input, whose ends of lines are the Enter key. When it is used up, Esc waits
//! to be read, so that a program that runs until a key is pressed ends.
//!
//! Not modelled: keys that are no characters, and the editing of a line while it is typed.

use super::answer;
use super::{OUTPUT_CAPACITY, OUTPUT_LIMIT, Process, Service};
use crate::exec::State;
use p5_results::RefusedService;
use p5_words::registers::DS;

const ESC: u8 = 0x1B;
const ENTER: u8 = b'\r';
const LINE_FEED: u8 = b'\n';
const ZF: u32 = 1 << 6;
/// The error of DOS if memory cannot hold what is read.
const ACCESS_DENIED: u32 = 5;
/// The keys of a US keyboard by scan code from 01h on, with and without Shift.
const KEYS: [&[u8]; 2] = [
    b"\x1B1234567890-=\x08\tqwertyuiop[]\r\0asdfghjkl;'`\0\\zxcvbnm,./\0\0\0 ",
    b"\x1B!@#$%^&*()_+\x08\tQWERTYUIOP{}\r\0ASDFGHJKL:\"~\0|ZXCVBNM<>?\0\0\0 ",
];

/// What is typed, and how much of it has been read.
pub(super) struct Typed {
    /// Reads all of it, once, when a program first asks for a key.
    read: fn() -> Vec<u8>,
    bytes: Option<Vec<u8>>,
    position: usize,
    /// Whether the line feed that follows Enter in a text is still to be read.
    line_feed: bool,
}

impl Typed {
    pub(super) fn new(read: fn() -> Vec<u8>) -> Typed {
        Typed {
            read,
            bytes: None,
            position: 0,
            line_feed: false,
        }
    }

    /// Begins another run, in which the same is typed again.
    pub(super) fn begin_run(&mut self) {
        self.position = 0;
        self.line_feed = false;
    }

    /// The next key, if there is any, and the bytes that stand for it.
    fn next(&mut self) -> Option<(u8, usize)> {
        let bytes = self.bytes.get_or_insert_with(self.read);
        match bytes.get(self.position..)? {
            [ENTER, LINE_FEED, ..] => Some((ENTER, 2)),
            [LINE_FEED, ..] => Some((ENTER, 1)),
            [key, ..] => Some((*key, 1)),
            [] => None,
        }
    }

    fn take(&mut self) -> Option<u8> {
        let (key, bytes) = self.next()?;
        self.position += bytes;
        self.line_feed = false;
        Some(key)
    }

    /// The next byte of a text, in which a line feed follows Enter.
    fn take_of_text(&mut self) -> Option<u8> {
        if std::mem::take(&mut self.line_feed) {
            return Some(LINE_FEED);
        }
        let key = self.take()?;
        self.line_feed = key == ENTER;
        Some(key)
    }
}

/// Serves int 16h.
pub(super) fn call(state: &mut State, typed: &mut Typed) -> Service {
    let eax = state.registers.general[0];
    let function = (eax >> 8) as u8;
    match function {
        // A key is read, or looked for.
        0x00 | 0x01 | 0x10 | 0x11 => {
            let looks = function & 1 != 0;
            let key = if looks {
                typed.next().map(|(key, _)| key)
            } else {
                typed.take()
            };
            let ascii = key.unwrap_or(ESC);
            state.registers.general[0] = eax & 0xFFFF_0000 | u32::from(scan_code(ascii)) << 8 | u32::from(ascii);
            if looks {
                key_is_there(state);
            }
            served(key)
        }
        // Neither Shift nor another such key is held.
        0x02 | 0x12 => {
            state.registers.general[0] = eax & 0xFFFF_FF00;
            Service::Done
        }
        _ => Service::Refused(RefusedService::KeyboardFunction { function }),
    }
}

/// Serves function `function` of DOS if it reads keys or looks for one. With DL = FFh, function 06h reads. `mask` has
/// the bits of an offset.
pub(super) fn call_of_dos(state: &mut State, process: &mut Process, function: u8, mask: u32) -> Option<Service> {
    let [eax, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let typed = &mut process.typed;
    let served = match function {
        0x01 | 0x07 | 0x08 => {
            let key = typed.take();
            set_al(state, key.unwrap_or(ESC));
            if function == 0x01 && !key.is_none_or(|key| echo(&mut process.output, key)) {
                return Some(Service::Refused(OUTPUT_LIMIT));
            }
            served(key)
        }
        0x06 if edx as u8 == 0xFF => {
            let key = typed.take();
            set_al(state, key.unwrap_or(ESC));
            key_is_there(state);
            served(key)
        }
        0x0B => {
            set_al(state, 0xFF);
            served(typed.next())
        }
        // What has been typed ahead is not forgotten: all of it has been.
        0x0C => match eax as u8 {
            reading @ (0x01 | 0x06 | 0x07 | 0x08 | 0x0A) => return call_of_dos(state, process, reading, mask),
            _ => {
                set_al(state, 0);
                Service::Done
            }
        },
        0x0A => line(state, process, edx & mask, mask)?,
        // Of handle 0, which is the keyboard.
        0x3F if ebx & 0xFFFF == 0 => {
            let read = text(state, typed, [edx & mask, ecx & mask, mask]);
            let (answered, carry) = read.map_or((ACCESS_DENIED, true), |read| (read, false));
            answer(state, (eax & !mask | answered, carry));
            Service::Done
        }
        _ => return None,
    };
    Some(served)
}

/// Reads a line into the buffer at `offset`: its first byte has its size, the second gets the number of characters
/// before Enter. Characters that do not fit are lost.
fn line(state: &mut State, process: &mut Process, offset: u32, mask: u32) -> Option<Service> {
    let base = state.registers.segments[DS].base();
    let at = |index: u32| base.wrapping_add(offset.wrapping_add(index) & mask);
    let Ok(size) = state.memory.read_u8(at(0)) else {
        return None;
    };
    let (mut length, first) = (0, process.typed.next());
    loop {
        let key = process.typed.take();
        let ends = matches!(key, None | Some(ENTER));
        if !ends && length + 1 >= size {
            continue;
        }
        let key = key.unwrap_or(ENTER);
        if size > 0 && state.memory.write_u8(at(2 + u32::from(length)), key).is_err() {
            return None;
        }
        if !echo(&mut process.output, key) {
            return Some(Service::Refused(OUTPUT_LIMIT));
        }
        if ends {
            break;
        }
        length += 1;
    }
    state.memory.write_u8(at(1), length).ok()?;
    Some(served(first))
}

/// Reads at most `most` bytes of a line, with its end, to `offset`. Returns their number, which is 0 when nothing is
/// left; `None` if memory cannot hold them.
fn text(state: &mut State, typed: &mut Typed, [offset, most, mask]: [u32; 3]) -> Option<u32> {
    let base = state.registers.segments[DS].base();
    let mut read = 0;
    while read < most {
        let Some(byte) = typed.take_of_text() else {
            break;
        };
        let address = base.wrapping_add(offset.wrapping_add(read) & mask);
        state.memory.write_u8(address, byte).ok()?;
        read += 1;
        if byte == LINE_FEED {
            break;
        }
    }
    Some(read)
}

/// Whether a key was served that was typed, rather than Esc in its place.
fn served<T>(key: Option<T>) -> Service {
    match key {
        Some(_) => Service::Done,
        None => Service::Refused(RefusedService::Keyboard),
    }
}

/// Shows a key that is typed. Returns whether there is room for it.
fn echo(output: &mut Vec<u8>, key: u8) -> bool {
    let room = output.len() < OUTPUT_CAPACITY;
    if room {
        output.push(key);
    }
    room
}

/// The scan code of the key of a character; 0 if there is none, as for one that is typed by its number.
fn scan_code(character: u8) -> u8 {
    let position = |keys: &[u8]| keys.iter().position(|&key| key == character && key != 0);
    KEYS.iter()
        .find_map(|keys| position(keys))
        .map_or(0, |position| position as u8 + 1)
}

fn set_al(state: &mut State, al: u8) {
    let eax = &mut state.registers.general[0];
    *eax = *eax & 0xFFFF_FF00 | u32::from(al);
}

fn key_is_there(state: &mut State) {
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !ZF);
}
