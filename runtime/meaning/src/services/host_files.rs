//! The files of a folder that a host shows a Linux program, and how it may open them.

use p5_results::RefusedService;
use std::fmt;

/// The maximum size in bytes of a file that a program may open.
pub const MOST_FILE: u64 = 64 << 20;

/// The identity of a file of the host: the device and the number on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    /// The number of the device.
    pub device: u64,
    /// The number of the file on the device.
    pub number: u64,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The kind of file.
    pub kind: Kind,
    /// The size in bytes.
    pub size: u64,
    /// Its identity.
    pub identity: Identity,
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name.
    pub name: Vec<u8>,
    /// The kind of file.
    pub kind: Kind,
    /// Its identity.
    pub identity: Identity,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
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
    /// Too many symbolic links follow each other.
    Loop,
    /// A name in the path is too long.
    NameTooLong,
    /// The file has more bytes than may be read.
    TooLarge,
    /// Another error of the host.
    Failed,
}

/// A folder of a host, which a program sees as the root of its file system.
///
/// Paths begin with `/`, which is the folder itself, and have no empty names; a last `/` asks for a folder. The parent
/// of the folder is the folder.
pub trait Folder: Send + Sync {
    /// What a path leads to. Nothing is read.
    ///
    /// # Errors
    /// Why it leads to nothing.
    fn describe(&self, path: &[u8]) -> Result<Found, NotFound>;

    /// The bytes of a file, at most `most`.
    ///
    /// # Errors
    /// Why they cannot be read.
    fn read(&self, path: &[u8], most: u64) -> Result<Vec<u8>, NotFound>;

    /// What is in a folder, in any order and without `.` and `..`. A link is what it leads to; what is neither a file
    /// nor a folder, or leads to nothing, is left out.
    ///
    /// # Errors
    /// Why it is not known; [`NotFound::TooLarge`] if it is more than `most`.
    fn list(&self, path: &[u8], most: usize) -> Result<Vec<Entry>, NotFound>;
}

/// The files of a folder.
pub struct Files(pub(super) Box<dyn Folder>);

impl Files {
    /// The files in this folder.
    pub fn new(folder: impl Folder + 'static) -> Files {
        Files(Box::new(folder))
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Files")
    }
}

/// The answer to a call, and what of it was refused.
pub(super) type Answer = (u32, Option<RefusedService>);

/// The flags of a file that is opened.
pub(super) const WRITES: u32 = 3;
pub(super) const CREATES: u32 = 0o100;
pub(super) const ONLY_NEW: u32 = 0o200;
pub(super) const FOLDER: u32 = 0o200_000;
