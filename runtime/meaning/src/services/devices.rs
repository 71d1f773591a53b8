//! The devices `/dev/null`, `/dev/zero`, `/dev/random` and `/dev/urandom`, which a Linux program has whatever folder it
//! is shown.

use super::Process;
use super::errors::{EACCES, EEXIST, EFAULT, ENOTDIR};
use super::host_files::{Answer, CREATES, FOLDER, ONLY_NEW, WRITES};
use super::random::give_random;
use super::words::put_bytes;
use crate::exec::State;

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Device {
    /// Reads give nothing.
    Null,
    /// Reads give zeros.
    Zero,
    /// Reads give what `getrandom` gives.
    Random,
    /// The same by another name.
    Urandom,
}

/// How many zeros are stored at once.
const PART: u32 = 4096;

impl Device {
    /// The device of this name.
    pub(super) fn named(path: &[u8]) -> Option<Device> {
        // What ends like this would be a folder.
        if !path.starts_with(b"/") || path.ends_with(b"/") || path.ends_with(b"/.") {
            return None;
        }
        let mut names = path.split(|&byte| byte == b'/');
        let mut next = || names.find(|name| !matches!(*name, b"" | b"."));
        match [next(), next(), next()] {
            [Some(b"dev"), Some(b"null"), None] => Some(Device::Null),
            [Some(b"dev"), Some(b"zero"), None] => Some(Device::Zero),
            [Some(b"dev"), Some(b"random"), None] => Some(Device::Random),
            [Some(b"dev"), Some(b"urandom"), None] => Some(Device::Urandom),
            _ => None,
        }
    }

    /// The numbers by which Linux knows it: that of its driver and that among the driver's devices.
    pub(super) fn numbers(self) -> [u32; 2] {
        match self {
            Device::Null => [1, 3],
            Device::Zero => [1, 5],
            Device::Random => [1, 8],
            Device::Urandom => [1, 9],
        }
    }

    /// Whether it can be opened with these flags.
    pub(super) fn opens(flags: u32) -> Result<(), Answer> {
        const NEW: u32 = CREATES | ONLY_NEW;
        match flags {
            _ if flags & NEW == NEW => Err((EEXIST, None)),
            _ if flags & FOLDER != 0 => Err((ENOTDIR, None)),
            _ => Ok(()),
        }
    }

    /// The answer to calls that tell whether it may be used in a way: it is no program.
    pub(super) fn may_use(executes: bool) -> Answer {
        (if executes { EACCES } else { 0 }, None)
    }
}

impl Process {
    /// Reads `length` bytes of a device to `address`. Returns their number, or an error number if memory cannot hold
    /// them.
    pub(super) fn read_device(&mut self, state: &mut State, device: Device, [address, length]: [u32; 2]) -> u32 {
        // The kernel reads no more of random bytes at once; of zeros, as many keep a call short here.
        let most = (32 << 20) - 1;
        match device {
            Device::Null => 0,
            Device::Zero => give_zeros(state, [address, length.min(most)]).unwrap_or(EFAULT),
            Device::Random | Device::Urandom => give_random(state, self, address, length.min(most)),
        }
    }
}

/// Stores `length` zeros. Returns their number; `None` if memory cannot hold them.
fn give_zeros(state: &mut State, [address, length]: [u32; 2]) -> Option<u32> {
    for place in (0..length).step_by(PART as usize) {
        let part = &[0; PART as usize][..(length - place).min(PART) as usize];
        if put_bytes(state, address.wrapping_add(place), part).is_none() {
            return Some(place).filter(|&place| place > 0);
        }
    }
    Some(length)
}

/// Whether a file that was opened with these flags can be read, and whether it can be written.
pub(super) fn uses(flags: u32) -> (bool, bool) {
    (flags & WRITES != 1, flags & WRITES != 0)
}
