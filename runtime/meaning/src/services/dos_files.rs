//! Files and memory of a DOS program by int 21h: 3Dh, 3Eh, 3Fh and 42h open, close, read and seek the files of the
//! folder that a program is shown, below which the drive and the current folder are; 48h to 4Ah give memory above the
//! program.
//!
//! Not modelled: files that are written, and memory given back below memory that is kept, which is not given again.

use super::answer;
use super::descriptors::Target;
use super::errors::{EACCES, EBADF, EINVAL, EMFILE, ENFILE, ENOENT, ENOTDIR};
use super::files::path_at;
use super::host_files::Answer;
use super::{Process, Service};
use crate::exec::State;
use p5_image::dos::{CONVENTIONAL, PREFIX};
use p5_results::RefusedService;
use p5_words::mode::Operation;
use p5_words::registers::{DS, ES};
use std::ops::Range;

/// The errors of DOS: no such function, file, folder, too many files, access denied, no such handle, no memory, no such
/// block of memory.
const NO_FUNCTION: u32 = 1;
const NO_FILE: u32 = 2;
const NO_FOLDER: u32 = 3;
const TOO_MANY: u32 = 4;
const DENIED: u32 = 5;
const NO_HANDLE: u32 = 6;
const NO_MEMORY: u32 = 8;
const NO_BLOCK: u32 = 9;

/// The bits of a mode that say how a file is accessed, and those of a file that is only written. One that is read and
/// written is opened, because many programs ask for that and only read.
const ACCESS: u32 = 3;
const WRITES: u32 = 1;

/// The way to seek that counts from where the next byte is read.
const FROM_HERE: u32 = 1;
/// The paragraph after the 64 KiB of a COM file, below which no memory is given.
const AFTER_COM: u32 = (PREFIX + 0x1_0000) >> 4;
/// The paragraph at which memory for programs ends.
const END: u32 = CONVENTIONAL >> 4;

/// Serves `function`, if it is one of them. `mask` has the bits of an offset.
pub(super) fn call(state: &mut State, process: &mut Process, function: u8, mask: u32) -> Option<Service> {
    let [eax, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let address = state.registers.segments[DS].base().wrapping_add(edx & mask);
    let (handle, real) = (ebx & 0xFFFF, state.registers.operation() == Operation::Real);
    let mut refused = None;
    let answered = match function {
        0x3C => {
            process.refused_path = path_at(state, address).ok();
            refused = Some(RefusedService::FileChanged);
            Err(DENIED)
        }
        0x3D if eax & ACCESS == WRITES => {
            process.refused_path = path_at(state, address).ok();
            refused = Some(RefusedService::FileChanged);
            Err(DENIED)
        }
        0x3D => {
            let (opened, refusal) = match path_at(state, address) {
                Ok(path) => process.open_of_dos(&path),
                Err(error) => (error, None),
            };
            refused = refusal;
            of_linux(opened)
        }
        0x3E => of_linux(process.close(handle)).map(|_| eax),
        0x3F => match process.read_from(state, handle, address, ecx & mask) {
            Some(read) => of_linux(read),
            None => Err(DENIED),
        },
        // Opened files are only read; 1 and 2 are the outputs.
        0x40 if handle > 2 => {
            let open = process.seek(handle, 0, FROM_HERE) != Err(EBADF);
            process.refused_path = None;
            refused = open.then_some(RefusedService::FileChanged);
            Err(if open { DENIED } else { NO_HANDLE })
        }
        0x42 => {
            let offset = (ecx << 16 | edx & 0xFFFF) as i32;
            let sought = process.seek(handle, i64::from(offset), eax & 0xFF);
            sought
                .map_err(|error| of_linux(error).err().unwrap_or(DENIED))
                .map(|position| {
                    state.registers.general[2] = edx & 0xFFFF_0000 | (position >> 16) as u32 & 0xFFFF;
                    position as u32 & 0xFFFF
                })
        }
        0x48 if real => {
            let above = process.blocks.last().map_or(0, |block| block.end);
            let first = above.max(AFTER_COM).max(process.first_free() >> 4);
            let given = given(state, first..END, (ebx & 0xFFFF).max(1));
            given.inspect(|&first| process.blocks.push(block(first, ebx & 0xFFFF)))
        }
        0x49 if real => {
            process.blocks.retain(|block| block.start != block_asked(state));
            Ok(eax)
        }
        0x4A if real => {
            let first = block_asked(state);
            let next = process.blocks.iter().position(|block| block.start > first);
            let next = next.map_or(END, |next| process.blocks[next].start);
            let own = process.blocks.iter().position(|block| block.start == first);
            // Below all blocks is the program itself.
            if own.is_none() && process.blocks.iter().any(|block| block.start < first) {
                Err(NO_BLOCK)
            } else {
                given(state, first..next, ebx & 0xFFFF).map(|first| {
                    if let Some(own) = own.and_then(|own| process.blocks.get_mut(own)) {
                        *own = block(first, ebx & 0xFFFF);
                    }
                    eax
                })
            }
        }
        _ => return None,
    };
    let (value, carry) = match answered {
        Ok(value) => (value, false),
        Err(error) => (error, true),
    };
    answer(state, (eax & !mask | value & mask, carry));
    Some(refused.map_or(Service::Done, Service::Refused))
}

/// The paragraph at which the block that a program names begins.
fn block_asked(state: &State) -> u32 {
    u32::from(state.registers.segments[ES].selector())
}

/// The paragraphs of a block. An empty one keeps its first, so that no two blocks begin alike.
fn block(first: u32, wanted: u32) -> Range<u32> {
    first..first + wanted.max(1)
}

/// The first paragraph of `room`, if `wanted` paragraphs fit; BX gets the number that do otherwise.
fn given(state: &mut State, room: Range<u32>, wanted: u32) -> Result<u32, u32> {
    let free = room.end.saturating_sub(room.start);
    if wanted <= free {
        return Ok(room.start);
    }
    let ebx = &mut state.registers.general[3];
    *ebx = *ebx & 0xFFFF_0000 | free;
    Err(NO_MEMORY)
}

/// An answer of a call of Linux, or the error of DOS for its error.
fn of_linux(answer: u32) -> Result<u32, u32> {
    match answer {
        ENOENT => Err(NO_FILE),
        ENOTDIR => Err(NO_FOLDER),
        EMFILE | ENFILE => Err(TOO_MANY),
        EBADF => Err(NO_HANDLE),
        EINVAL => Err(NO_FUNCTION),
        error if (error as i32) < 0 => Err(DENIED),
        value => Ok(value),
    }
}

impl Process {
    /// Opens a file by a name of DOS, whose case does not matter: as it stands, or all in small or in capital letters.
    fn open_of_dos(&mut self, name: &[u8]) -> Answer {
        let without_drive = match name {
            [_, b':', rest @ ..] => rest,
            _ => name,
        };
        let path: Vec<u8> = without_drive
            .iter()
            .map(|&byte| if byte == b'\\' { b'/' } else { byte })
            .collect();
        let mut missing = None;
        for path in [path.clone(), path.to_ascii_lowercase(), path.to_ascii_uppercase()] {
            match self.opened_here(&path) {
                Ok(Target::Folder { .. }) => return (EACCES, None),
                Ok(what) => return (self.add_descriptor(what, 0), None),
                Err((ENOENT, refused)) => missing = refused,
                Err(answer) => return answer,
            }
        }
        self.refused_path = Some(name.to_vec());
        // With a folder as well, so that it is told which file was not there.
        let named = self.files.is_some() && !name.is_empty();
        (ENOENT, missing.or(named.then_some(RefusedService::File)))
    }
}
