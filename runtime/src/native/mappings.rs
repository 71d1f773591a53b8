//! What the child shares with other processes is given up before anything runs: memory that a write would reach elsewhere.
//!
//! The child asks itself, once it is alone: what the parent knew before the fork, another thread of it may have changed since.
//! Nothing here allocates.

use std::ptr;

/// The most such mappings that are given up in one go.
const MOST: usize = 64;
/// Bytes of the listing that are read at a time.
const CHUNK: usize = 4096;

/// A line of the listing, as far as it was read: `start-end rwxs ...`, addresses in hexadecimal.
#[derive(Clone, Copy, Default)]
struct Line {
    start: usize,
    end: usize,
    /// How many of the characters that part addresses, permissions and the rest were met.
    field: u8,
    /// How many permissions were met.
    permissions: u8,
    shared: bool,
}

impl Line {
    /// Takes the next character.
    fn take(&mut self, character: u8) {
        let digit = || (character as char).to_digit(16).unwrap_or(0) as usize;
        match (self.field, character) {
            (0, b'-') | (1, b' ') | (2, b' ') => self.field += 1,
            (0, _) => self.start = self.start << 4 | digit(),
            (1, _) => self.end = self.end << 4 | digit(),
            (2, _) => {
                self.permissions += 1;
                self.shared |= self.permissions == 4 && character == b's';
            }
            _ => {}
        }
    }
}

/// Unmaps every mapping that others can see, but the one at `ours`. The error stands in `errno`.
pub(super) fn give_up_shared(ours: usize) -> Result<(), ()> {
    loop {
        let (found, count) = shared_mappings(ours)?;
        for &(start, end) in &found[..count] {
            // SAFETY: this process has one thread, and what it goes on to use is its own or the mapping at `ours`.
            if unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), end - start) } != 0 {
                return Err(());
            }
        }
        if count < MOST {
            return Ok(());
        }
    }
}

/// The first of them, as start and end.
fn shared_mappings(ours: usize) -> Result<([(usize, usize); MOST], usize), ()> {
    // SAFETY: opens a file of the kernel by a name that ends in a zero.
    let file = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return Err(());
    }
    let mut found = [(0, 0); MOST];
    let mut count = 0;
    let mut line = Line::default();
    let mut chunk = [0u8; CHUNK];
    loop {
        // SAFETY: reads into `chunk`, no more than it holds.
        let got = unsafe { libc::read(file, chunk.as_mut_ptr().cast(), CHUNK) };
        if got < 0 {
            return Err(());
        }
        for &character in &chunk[..got as usize] {
            if character != b'\n' {
                line.take(character);
                continue;
            }
            if line.shared && line.start != ours && count < MOST {
                found[count] = (line.start, line.end);
                count += 1;
            }
            line = Line::default();
        }
        if got == 0 {
            break;
        }
    }
    // SAFETY: the descriptor is ours.
    unsafe { libc::close(file) };
    Ok((found, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_listing_is_understood() {
        let read = |text: &str| {
            let mut line = Line::default();
            text.bytes().for_each(|character| line.take(character));
            (line.start, line.end, line.shared)
        };
        let private = "7f12a0000000-7f12a0021000 rw-p 00000000 00:00 0 [heap]";
        assert_eq!(read(private), (0x7f12_a000_0000, 0x7f12_a002_1000, false));
        let shared = "00400000-00452000 r--s 00000000 08:02 173521 /usr/share/paths";
        assert_eq!(read(shared), (0x0040_0000, 0x0045_2000, true));
    }

    #[test]
    fn a_shared_mapping_of_this_process_is_found() {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh anonymous mapping.
        let page = unsafe { libc::mmap(ptr::null_mut(), CHUNK, libc::PROT_READ, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let at = page.expose_provenance();
        let holds = |ours| {
            let (found, count) = shared_mappings(ours).expect("a listing");
            found[..count].iter().any(|&(start, end)| (start..end).contains(&at))
        };
        assert!(holds(0));
        // SAFETY: mapped above, and nobody else knows of it.
        unsafe { libc::munmap(page, CHUNK) };
    }
}
