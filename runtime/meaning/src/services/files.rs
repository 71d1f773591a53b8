//! The files that a Linux program may read: those of one folder, which a host shows it.
//!
//! The folder is the root of the program's file system and its current folder. Nothing in it can be changed. A host
//! finds the files, so that nothing here accesses a file system.

use super::Process;
use super::descriptors::What;
use super::linux::{CURRENT_FOLDER, EBADF, EFAULT, EINVAL, ENOENT};
use crate::exec::State;
use p5_results::RefusedService;
use std::fmt;
use std::sync::Arc;

/// The maximum size in bytes of a file that a program may open.
pub const MOST_FILE: u64 = 64 << 20;
/// The maximum number of bytes of all files that a program has open.
pub(super) const MOST_OPEN: usize = 256 << 20;

/// What a path leads to.
#[derive(Clone, Debug)]
pub enum Found {
    /// A file with these bytes, at most [`MOST_FILE`].
    File(Arc<[u8]>),
    /// A folder.
    Folder,
}

/// The reason why a path leads to nothing that a program may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFound {
    /// Nothing is there.
    Missing,
    /// A part of the path is a file rather than a folder.
    NotAFolder,
    /// The host may not read it, or it is neither a file nor a folder.
    Denied,
    /// The path leads out of the folder.
    Outside,
    /// Too many symbolic links follow each other.
    Loop,
    /// A name in the path is too long.
    NameTooLong,
    /// The file has more than [`MOST_FILE`] bytes.
    TooLarge,
    /// Another error of the host.
    Failed,
}

/// Looks up a path, which does not begin with `/`, in the folder.
type Look = dyn Fn(&[u8]) -> Result<Found, NotFound> + Send + Sync;

/// The files of a folder.
pub struct Files(Box<Look>);

impl Files {
    /// The files that `look` finds by their paths in the folder. A path does not begin with `/`; that of the folder
    /// itself is `.`.
    pub fn new(look: impl Fn(&[u8]) -> Result<Found, NotFound> + Send + Sync + 'static) -> Files {
        Files(Box::new(look))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Files")
    }
}

/// The negated error numbers of calls with paths.
const EIO: u32 = -5i32 as u32;
const EACCES: u32 = -13i32 as u32;
const ENOTDIR: u32 = -20i32 as u32;
const EFBIG: u32 = -27i32 as u32;
const EROFS: u32 = -30i32 as u32;
const ENAMETOOLONG: u32 = -36i32 as u32;
const ELOOP: u32 = -40i32 as u32;

/// The maximum length of a path with its last zero.
const LONGEST_PATH: u32 = 4096;

/// The flags of a file that is opened.
pub(super) const WRITES: u32 = 3;
const CREATES: u32 = 0o100;
const TRUNCATES: u32 = 0o1000;
const FOLDER: u32 = 0o200_000;
const TEMPORARY: u32 = 0o20_000_000;
/// The flag of a path that may be empty, for the file of the descriptor itself.
const EMPTY_PATH: u32 = 0x1000;

/// The answer to a call, and what of it was refused.
pub(super) type Answer = (u32, Option<RefusedService>);

fn answer_of(why: NotFound) -> Answer {
    match why {
        NotFound::Missing => (ENOENT, None),
        NotFound::NotAFolder => (ENOTDIR, None),
        NotFound::Denied => (EACCES, None),
        NotFound::Outside => (ENOENT, Some(RefusedService::OutsideFolder)),
        NotFound::Loop => (ELOOP, None),
        NotFound::NameTooLong => (ENAMETOOLONG, None),
        NotFound::TooLarge => (EFBIG, Some(RefusedService::FileTooLarge { most: MOST_FILE })),
        NotFound::Failed => (EIO, None),
    }
}

/// The text at `address` up to its zero.
pub(super) fn path_at(state: &State, address: u32) -> Result<Vec<u8>, u32> {
    let mut path = Vec::new();
    for place in 0..LONGEST_PATH {
        match state.memory.read_u8(address.wrapping_add(place)) {
            Ok(0) => return Ok(path),
            Ok(byte) => path.push(byte),
            Err(_) => return Err(EFAULT),
        }
    }
    Err(ENAMETOOLONG)
}

impl Process {
    /// What the path at `address` leads to, from the folder `from`.
    fn look(&self, state: &State, from: u32, address: u32) -> Result<(Vec<u8>, Found), Answer> {
        let path = path_at(state, address).map_err(|answer| (answer, None))?;
        if path.is_empty() {
            return Err((ENOENT, None));
        }
        let Some(files) = self.files else {
            return Err((ENOENT, Some(RefusedService::File)));
        };
        let from = match from {
            _ if path.starts_with(b"/") => b"",
            CURRENT_FOLDER => b"".as_slice(),
            from => match self.descriptors.what(from) {
                Some(What::Folder(path)) => path,
                Some(_) => return Err((ENOTDIR, None)),
                None => return Err((EBADF, None)),
            },
        };
        // The parent of the root is the root.
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in from.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/')) {
            match part {
                b"" | b"." => {}
                b".." if parts.is_empty() => {}
                part => parts.push(part),
            }
        }
        let mut whole = parts.join(&b'/');
        if whole.is_empty() {
            whole.push(b'.');
        } else if path.ends_with(b"/") {
            whole.push(b'/');
        }
        let found = (files.0)(&whole).map_err(answer_of)?;
        Ok((whole, found))
    }

    /// Serves `open` and `openat`: returns a descriptor of the file.
    pub(super) fn open_file(&mut self, state: &State, from: u32, address: u32, flags: u32) -> Answer {
        let changes = flags & WRITES != 0 || flags & (CREATES | TRUNCATES) != 0 || flags & TEMPORARY == TEMPORARY;
        if changes && self.files.is_some() {
            return match path_at(state, address) {
                Ok(_) => (EROFS, Some(RefusedService::FileChanged)),
                Err(answer) => (answer, None),
            };
        }
        let what = match self.look(state, from, address) {
            Err(answer) => return answer,
            Ok((_, Found::File(_))) if flags & FOLDER != 0 => return (ENOTDIR, None),
            Ok((_, Found::File(bytes))) => What::File(bytes),
            Ok((path, Found::Folder)) => What::Folder(path.into()),
        };
        (self.add_descriptor(what, flags), None)
    }

    /// Serves calls that tell whether a file may be used in a way: bit 0 is to execute it, bit 1 to write.
    pub(super) fn may_use(&self, state: &State, from: u32, address: u32, how: u32) -> Answer {
        const WAYS: u32 = 7;
        const WRITE: u32 = 2;
        const EXECUTE: u32 = 1;
        if how & !WAYS != 0 {
            return (EINVAL, None);
        }
        match self.look(state, from, address) {
            Err(answer) => answer,
            Ok(_) if how & WRITE != 0 => (EROFS, None),
            Ok((_, Found::File(_))) if how & EXECUTE != 0 => (EACCES, None),
            Ok(_) => (0, None),
        }
    }

    /// Serves calls that describe a file by its path, in the form that `put` stores.
    pub(super) fn describe_path(
        &self,
        state: &mut State,
        [from, address, flags]: [u32; 3],
        put: impl FnOnce(&mut State, &What) -> Option<()>,
    ) -> Answer {
        let of_descriptor = flags & EMPTY_PATH != 0 && (address == 0 || path_at(state, address) == Ok(Vec::new()));
        let looked;
        let what = if of_descriptor {
            match self.descriptors.what(from) {
                Some(what) => what,
                None => return (EBADF, None),
            }
        } else {
            looked = match self.look(state, from, address) {
                Err(answer) => return answer,
                Ok((_, Found::File(bytes))) => What::File(bytes),
                Ok((path, Found::Folder)) => What::Folder(path.into()),
            };
            &looked
        };
        (put(state, what).map_or(EFAULT, |()| 0), None)
    }

    /// Serves `readlink`: the only link is that to the program itself.
    pub(super) fn read_link(&self, state: &mut State, [from, address, place, room]: [u32; 4]) -> Answer {
        let path = match path_at(state, address) {
            Ok(path) => path,
            Err(answer) => return (answer, None),
        };
        if room as i32 <= 0 {
            return (EINVAL, None);
        }
        if path == b"/proc/self/exe" {
            let length = self.own_path.len().min(room as usize);
            let stored = super::words::put_bytes(state, place, &self.own_path[..length]);
            return (stored.map_or(EFAULT, |()| length as u32), None);
        }
        match self.look(state, from, address) {
            // Links have been followed, so that nothing in the folder is one.
            Ok(_) => (EINVAL, None),
            Err(answer) => answer,
        }
    }

    /// Serves `chdir` to the root, which is the current folder; `None` for every other path.
    pub(super) fn change_folder(&self, state: &State, address: u32) -> Option<u32> {
        let path = match path_at(state, address) {
            Ok(path) if path.is_empty() => return Some(ENOENT),
            Ok(path) => path,
            Err(answer) => return Some(answer),
        };
        let mut parts = path.split(|&byte| byte == b'/');
        parts.all(|part| matches!(part, b"" | b"." | b"..")).then_some(0)
    }

    /// The answer to calls that would change files.
    pub(super) fn change_file(&self) -> Answer {
        match self.files {
            Some(_) => (EROFS, Some(RefusedService::FileChanged)),
            None => (ENOENT, Some(RefusedService::File)),
        }
    }
}
