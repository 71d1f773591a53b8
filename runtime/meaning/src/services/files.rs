//! The files that a Linux program may read: those of one folder, which a host shows it.
//!
//! The folder is the root of the program's file system and at first its current folder. Nothing in it can be changed. A
//! host finds the files, so that nothing here accesses a file system.

use super::Process;
use super::built_in;
use super::descriptors::Target;
use super::devices::Device;
use super::errors::{EACCES, EBADF, EFAULT, EINVAL, EMFILE, ENFILE, ENOENT, ENOTDIR};
use super::host_files::{Answer, CREATES, FOLDER, Found, Identity, Kind, MOST_FILE, NotFound, WRITES};
use super::status::Facts;
use super::words::{byte, words};
use crate::exec::State;
use p5_results::RefusedService;

/// The maximum number of bytes of all files that a program has open.
const MOST_OPEN: u64 = 256 << 20;

/// The negated error numbers of calls with paths.
const EIO: u32 = -5i32 as u32;
const EFBIG: u32 = -27i32 as u32;
const EROFS: u32 = -30i32 as u32;
const ENAMETOOLONG: u32 = -36i32 as u32;
const ELOOP: u32 = -40i32 as u32;

/// The maximum length of a path with its last zero.
const LONGEST_PATH: u32 = 4096;

/// The descriptor that stands for the current folder.
pub(super) const CURRENT_FOLDER: u32 = -100i32 as u32;

/// More flags of a file that is opened.
const TRUNCATES: u32 = 0o1000;
const TEMPORARY: u32 = 0o20_000_000;
/// The call that opens a new file.
const CREAT: u32 = 8;
/// The flag of a path that may be empty, for the file of the descriptor itself.
const EMPTY_PATH: u32 = 0x1000;

pub(super) fn answer_of(why: NotFound) -> Answer {
    match why {
        NotFound::Missing => (ENOENT, None),
        NotFound::NotAFolder => (ENOTDIR, None),
        NotFound::Denied => (EACCES, None),
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
        match byte(state, address.wrapping_add(place)) {
            Some(0) => return Ok(path),
            Some(byte) => path.push(byte),
            None => return Err(EFAULT),
        }
    }
    Err(ENAMETOOLONG)
}

impl Process {
    /// The path at `address` from the root, if it begins in the folder `from`.
    fn whole_path(&self, state: &State, from: u32, address: u32) -> Result<Vec<u8>, Answer> {
        let path = path_at(state, address).map_err(|answer| (answer, None))?;
        self.path_from_root(&path, from)
    }

    /// The same of `path` itself.
    pub(super) fn path_from_root(&self, path: &[u8], from: u32) -> Result<Vec<u8>, Answer> {
        if path.is_empty() {
            return Err((ENOENT, None));
        }
        let from = match from {
            _ if path.starts_with(b"/") => b"".as_slice(),
            CURRENT_FOLDER => self.current.as_slice(),
            from => match self.descriptors.what(from) {
                Some(Target::Folder { path, .. }) => path,
                Some(_) => return Err((ENOTDIR, None)),
                None => return Err((EBADF, None)),
            },
        };
        let mut whole = Vec::new();
        let names = from.split(|&byte| byte == b'/').chain(path.split(|&byte| byte == b'/'));
        for name in names.filter(|name| !matches!(*name, b"" | b".")) {
            whole.push(b'/');
            whole.extend(name);
        }
        // What ends like this must be a folder.
        if whole.is_empty() || path.ends_with(b"/") || path.ends_with(b"/.") {
            whole.push(b'/');
        }
        Ok(whole)
    }

    /// What the path at `address` leads to, from the folder `from`.
    fn look(&self, state: &State, from: u32, address: u32) -> Result<Found, Answer> {
        self.describe(&self.whole_path(state, from, address)?)
    }

    /// What a path from the root leads to.
    pub(super) fn describe(&self, path: &[u8]) -> Result<Found, Answer> {
        let missing = match self.files.map(|files| files.0.describe(path)) {
            Some(Ok(found)) => return Ok(found),
            Some(Err(NotFound::Missing)) => (ENOENT, None),
            Some(Err(why)) => return Err(answer_of(why)),
            None => (ENOENT, Some(RefusedService::File)),
        };
        let built_in = self.is_linux_process().then(|| built_in::found(path)).flatten();
        built_in.ok_or(missing)
    }

    /// The bytes of a file, at most `most`.
    fn bytes_of(&self, path: &[u8], identity: Identity, most: u64) -> Result<Vec<u8>, NotFound> {
        match (built_in::bytes(identity), self.files) {
            (Some(bytes), _) => Ok(bytes.to_vec()),
            (None, Some(files)) => files.0.read(path, most),
            (None, None) => Err(NotFound::Missing),
        }
    }

    /// The device that the path at `address` names.
    fn device_at(&self, state: &State, address: u32) -> Option<Device> {
        Device::named(&path_at(state, address).ok()?)
    }

    /// Serves `open` and `openat`: returns a descriptor of the file.
    pub(super) fn open_file(&mut self, state: &State, from: u32, address: u32, flags: u32) -> Answer {
        if let Some(device) = self.device_at(state, address) {
            let opened = Device::opens(flags);
            return opened.map_or_else(
                |answer| answer,
                |()| (self.add_descriptor(Target::Device(device), flags), None),
            );
        }
        let changes = flags & WRITES != 0 || flags & (CREATES | TRUNCATES) != 0 || flags & TEMPORARY == TEMPORARY;
        if changes {
            return self.refuse_to_write(state, address);
        }
        let whole = self.whole_path(state, from, address);
        match whole.and_then(|whole| self.opened(whole, flags & FOLDER != 0)) {
            Ok(what) => (self.add_descriptor(what, flags), None),
            Err((ENOENT, refused)) => {
                self.refused_path = path_at(state, address).ok();
                // A program that names the file from another root is told where paths begin.
                let elsewhere =
                    self.files.is_some() && self.refused_path.as_ref().is_some_and(|path| path.starts_with(b"/"));
                (ENOENT, refused.or(elsewhere.then_some(RefusedService::File)))
            }
            Err(answer) => answer,
        }
    }

    /// The answer to a call that opens the file at `address` to write.
    fn refuse_to_write(&mut self, state: &State, address: u32) -> Answer {
        match path_at(state, address) {
            Ok(path) => {
                self.refused_path = Some(path);
                (EROFS, Some(RefusedService::FileChanged))
            }
            Err(answer) => (answer, None),
        }
    }

    /// What `path` in the current folder opens.
    pub(super) fn opened_here(&self, path: &[u8]) -> Result<Target, Answer> {
        self.opened(self.path_from_root(path, CURRENT_FOLDER)?, false)
    }

    /// What a path from the root opens. A file is read only if it may be opened.
    fn opened(&self, path: Vec<u8>, wants_folder: bool) -> Result<Target, Answer> {
        if self.next_descriptor().is_none() {
            return Err((EMFILE, None));
        }
        let Found { kind, size, identity } = self.describe(&path)?;
        let room = MOST_OPEN.saturating_sub(self.descriptors.bytes_open());
        match kind {
            Kind::Folder => Ok(Target::Folder {
                path,
                identity,
                listed: None,
            }),
            Kind::File if wants_folder => Err((ENOTDIR, None)),
            Kind::File if size > MOST_FILE => Err(answer_of(NotFound::TooLarge)),
            Kind::File if size > room => Err((ENFILE, None)),
            Kind::File => {
                let read = self.bytes_of(&path, identity, room.min(MOST_FILE));
                let bytes = read.map_err(|why| match why {
                    NotFound::TooLarge if room < MOST_FILE => (ENFILE, None),
                    why => answer_of(why),
                })?;
                Ok(Target::File { bytes, identity })
            }
        }
    }

    /// Serves calls that tell whether a file may be used in a way: bit 0 is to execute it, bit 1 to write.
    pub(super) fn may_use(&self, state: &State, from: u32, address: u32, how: u32) -> Answer {
        const WAYS: u32 = 7;
        const WRITE: u32 = 2;
        const EXECUTE: u32 = 1;
        if how & !WAYS != 0 {
            return (EINVAL, None);
        }
        if self.device_at(state, address).is_some() {
            return Device::may_use(how & EXECUTE != 0);
        }
        match self.look(state, from, address) {
            Err(answer) => answer,
            Ok(_) if how & WRITE != 0 => (EROFS, None),
            Ok(found) if found.kind == Kind::File && how & EXECUTE != 0 => (EACCES, None),
            Ok(_) => (0, None),
        }
    }

    /// Serves calls that describe a file by its path, in the form that `put` stores.
    pub(super) fn describe_path(
        &mut self,
        state: &mut State,
        [from, address, flags]: [u32; 3],
        put: impl FnOnce(&mut State, Facts) -> Option<()>,
    ) -> Answer {
        let of_descriptor = flags & EMPTY_PATH != 0 && (address == 0 || path_at(state, address) == Ok(Vec::new()));
        let facts = if of_descriptor {
            match self.facts_of_descriptor(from) {
                Some(facts) => facts,
                None => return (EBADF, None),
            }
        } else if let Some(device) = self.device_at(state, address) {
            self.facts_of_device(device)
        } else {
            match self.look(state, from, address) {
                Ok(found) => self.facts_of(found),
                Err(answer) => return answer,
            }
        };
        (put(state, facts).map_or(EFAULT, |()| 0), None)
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

    /// The answer to calls that would change files. The times of an open file, which its descriptor names alone, are
    /// those of the program's own copy: they can be set, and nothing shows them.
    pub(super) fn change_file(&mut self, state: &State, [number, path, times, descriptor]: [u32; 4]) -> Answer {
        if sets_times(number) && path == 0 {
            return match times_at(state, number, times) {
                None => (EFAULT, None),
                Some(_) if self.descriptors.what(descriptor).is_none() => (EBADF, None),
                Some(true) => (0, None),
                Some(false) => (EINVAL, None),
            };
        }
        if number == CREAT && self.files.is_some() {
            return self.refuse_to_write(state, descriptor);
        }
        self.refused_path = None;
        match self.files {
            Some(_) => (EROFS, Some(RefusedService::FileChanged)),
            None => (ENOENT, Some(RefusedService::File)),
        }
    }
}

/// Whether call `number` sets the times of a file that it may name by a descriptor alone.
fn sets_times(number: u32) -> bool {
    // futimesat, utimensat, utimensat_time64
    matches!(number, 299 | 320 | 412)
}

/// Whether the two times at `address`, in the form of call `number`, can be set; `None` if they cannot be read. Without
/// an address they are the present time.
fn times_at(state: &State, number: u32, address: u32) -> Option<bool> {
    const NOW: u32 = 0x3FFF_FFFF;
    const AS_THEY_ARE: u32 = 0x3FFF_FFFE;
    if address == 0 {
        return Some(true);
    }
    Some(match number {
        299 => {
            let [_, first, _, second] = words(state, address)?;
            first.max(second) < 1_000_000
        }
        320 => {
            let [_, first, _, second] = words(state, address)?;
            [first, second]
                .iter()
                .all(|&part| matches!(part, ..1_000_000_000 | NOW | AS_THEY_ARE))
        }
        // The upper halves of the parts of a second do not count.
        _ => {
            let [_, _, first, _, _, _, second, _] = words(state, address)?;
            [first, second]
                .iter()
                .all(|&part| matches!(part, ..1_000_000_000 | NOW | AS_THEY_ARE))
        }
    })
}
