//! The folders of a Linux program: what is in them, and which one is the current folder.

use super::Process;
use super::descriptors::Target;
use super::errors::{EBADF, EFAULT, EINVAL, ENOTDIR};
use super::files::{CURRENT_FOLDER, path_at};
use super::host_files::{Answer, Entry, Kind, NotFound};
use super::status::Numbered;
use super::words::put_bytes;
use crate::exec::State;

/// The most entries of all open folders that are kept.
const MOST_ENTRIES: usize = 1 << 16;

/// The negated error number of an answer that does not fit.
const ERANGE: u32 = -34i32 as u32;

/// The layout of entries in the memory of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// That of `getdents`: words of 32 bits, and the kind after the name.
    Narrow,
    /// That of `getdents64`: words of 64 bits, and the kind before the name.
    Wide,
}

impl Layout {
    /// An entry: the number of its inode, the place of the next one, its kind and its name.
    fn entry(self, number: u32, next: u32, kind: Kind, name: &[u8]) -> Vec<u8> {
        let kind = match kind {
            Kind::Folder => 4,
            Kind::File => 8,
        };
        let mut bytes = Vec::new();
        let length = match self {
            Layout::Narrow => {
                bytes.extend(number.to_le_bytes());
                bytes.extend(next.to_le_bytes());
                (10 + name.len() + 2).next_multiple_of(4)
            }
            Layout::Wide => {
                bytes.extend(u64::from(number).to_le_bytes());
                bytes.extend(u64::from(next).to_le_bytes());
                (19 + name.len() + 1).next_multiple_of(8)
            }
        };
        bytes.extend((length as u16).to_le_bytes());
        if self == Layout::Wide {
            bytes.push(kind);
        }
        bytes.extend(name);
        bytes.resize(length, 0);
        if self == Layout::Narrow {
            bytes[length - 1] = kind;
        }
        bytes
    }
}

impl Process {
    /// Serves `getdents` and `getdents64`: stores what is in a folder, from where the last call ended. Returns `None`
    /// if there is too much.
    pub(super) fn list(
        &mut self,
        state: &mut State,
        descriptor: u32,
        [address, room]: [u32; 2],
        layout: Layout,
    ) -> Option<u32> {
        let (path, listed) = match self.descriptors.what(descriptor) {
            None => return Some(EBADF),
            Some(Target::Folder { path, listed, .. }) => (path.clone(), listed.is_some()),
            Some(_) => return Some(ENOTDIR),
        };
        if !listed {
            match self.entries(&path) {
                Ok(entries) => self.descriptors.set_listed(descriptor, entries),
                Err(NotFound::TooLarge) => return None,
                Err(why) => return Some(super::files::answer_of(why).0),
            }
        }
        let mut place = self.descriptors.position(descriptor);
        let mut stored = 0;
        while let Some(entry) = self.descriptors.entry(descriptor, place).cloned() {
            let number = self.number_of(Numbered::OfHost(entry.identity));
            let bytes = layout.entry(number, place as u32 + 1, entry.kind, &entry.name);
            let length = bytes.len() as u32;
            if length > room - stored {
                // No room for the first one.
                if stored == 0 {
                    return Some(EINVAL);
                }
                break;
            }
            if put_bytes(state, address.wrapping_add(stored), &bytes).is_none() {
                if stored == 0 {
                    return Some(EFAULT);
                }
                break;
            }
            stored += length;
            place += 1;
        }
        self.descriptors.set_position(descriptor, place);
        Some(stored)
    }

    /// What is in the folder at `path`, which is from the root: itself, the folder around it, and the others by name.
    fn entries(&self, path: &[u8]) -> Result<Vec<Entry>, NotFound> {
        let files = self.files.ok_or(NotFound::Missing)?;
        let room = MOST_ENTRIES.saturating_sub(self.descriptors.entries_open());
        let around = [path, b"/.."].concat();
        let named = |name: &[u8], path: &[u8]| {
            files.0.describe(path).map(|found| Entry {
                name: name.to_vec(),
                kind: found.kind,
                identity: found.identity,
            })
        };
        let mut entries = vec![named(b".", path)?, named(b"..", &without_empty(&around))?];
        let mut others = files.0.list(path, room)?;
        others.sort_by(|one, other| one.name.cmp(&other.name));
        entries.extend(others);
        Ok(entries)
    }

    /// Serves `chdir`. Returns `None` if the new path is not known, because a part of it is a link out of which `..`
    /// leads.
    pub(super) fn change_folder(&mut self, state: &State, address: u32) -> Option<Answer> {
        let path = match path_at(state, address) {
            Ok(path) => path,
            Err(answer) => return Some((answer, None)),
        };
        // The root is there also if no files are shown.
        let mut parts = path.split(|&byte| byte == b'/');
        if self.files.is_none() && !path.is_empty() && parts.all(|part| matches!(part, b"" | b"." | b"..")) {
            return Some((0, None));
        }
        match self.path_from_root(&path, CURRENT_FOLDER) {
            Ok(path) => self.enter(&path),
            Err(answer) => Some(answer),
        }
    }

    /// Serves `fchdir`.
    pub(super) fn change_to_open(&mut self, descriptor: u32) -> Option<Answer> {
        match self.descriptors.what(descriptor) {
            None => Some((EBADF, None)),
            Some(Target::Folder { path, .. }) => {
                let path = path.clone();
                self.enter(&path)
            }
            Some(_) => Some((ENOTDIR, None)),
        }
    }

    /// Makes the folder at `path`, which is from the root, the current one.
    fn enter(&mut self, path: &[u8]) -> Option<Answer> {
        let found = match self.describe(path) {
            Ok(found) if found.kind == Kind::Folder => found,
            Ok(_) => return Some((ENOTDIR, None)),
            Err(answer) => return Some(answer),
        };
        let mut names: Vec<&[u8]> = Vec::new();
        for name in path.split(|&byte| byte == b'/') {
            match name {
                b"" => {}
                b".." => _ = names.pop(),
                name => names.push(name),
            }
        }
        let plain = [b"/", names.join(&b'/').as_slice()].concat();
        let same = self
            .describe(&plain)
            .is_ok_and(|plain| plain.identity == found.identity);
        same.then(|| {
            self.current = plain;
            (0, None)
        })
    }

    /// Serves `getcwd`: the length of the path with its zero.
    pub(super) fn tell_folder(&self, state: &mut State, address: u32, room: u32) -> u32 {
        let path = [self.current.as_slice(), b"\0"].concat();
        match room as usize {
            room if room < path.len() => ERANGE,
            _ => put_bytes(state, address, &path).map_or(EFAULT, |()| path.len() as u32),
        }
    }
}

/// A path from the root without the empty names in it.
fn without_empty(path: &[u8]) -> Vec<u8> {
    let names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    names.flat_map(|name| [b"/", name].concat()).collect()
}
