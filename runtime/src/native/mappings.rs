//! Unmaps the memory that the child shares with other processes before anything runs, so that no write can reach them.
//!
//! The child does this itself after the fork, because another thread of the parent may have changed the mappings until
//! then. Nothing here allocates.

use std::ptr;

/// The maximum number of mappings unmapped at a time.
const MOST: usize = 64;
/// The bytes of the listing read at a time.
const CHUNK: usize = 4096;

/// A partially read line of the listing: `start-end rwxs ...`, with the addresses in hexadecimal.
#[derive(Clone, Copy, Default)]
struct Line {
    start: usize,
    end: usize,
    /// The number of separators read, which divide addresses, permissions and the rest.
    field: u8,
    /// The number of permission characters read.
    permissions: u8,
    shared: bool,
}

impl Line {
    /// Processes the next character.
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

/// Unmaps every shared mapping except the one at `ours`. The error is in `errno`.
pub(super) fn give_up_shared(ours: usize) -> Result<(), ()> {
    loop {
        let (found, count) = shared_mappings(ours)?;
        for &(start, end) in &found[..count] {
            // SAFETY: this process has one thread, which from here on uses only its own memory and the mapping at
            // `ours`.
            if unsafe { libc::munmap(ptr::with_exposed_provenance_mut(start), end - start) } != 0 {
                return Err(());
            }
        }
        if count < MOST {
            return Ok(());
        }
    }
}

/// The first shared mappings, as start and end.
fn shared_mappings(ours: usize) -> Result<([(usize, usize); MOST], usize), ()> {
    // SAFETY: the name is terminated by a zero.
    let file = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return Err(());
    }
    let mut found = [(0, 0); MOST];
    let mut count = 0;
    let mut line = Line::default();
    let mut chunk = [0u8; CHUNK];
    loop {
        // SAFETY: reads at most as many bytes as `chunk` holds.
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
    // SAFETY: this function owns the descriptor.
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
        // SAFETY: a new anonymous mapping.
        let page = unsafe { libc::mmap(ptr::null_mut(), CHUNK, libc::PROT_READ, flags, -1, 0) };
        assert_ne!(page, libc::MAP_FAILED);
        let at = page.expose_provenance();
        let holds = |ours| {
            let (found, count) = shared_mappings(ours).expect("a listing");
            found[..count].iter().any(|&(start, end)| (start..end).contains(&at))
        };
        assert!(holds(0));
        // SAFETY: mapped above, and nothing else refers to it.
        unsafe { libc::munmap(page, CHUNK) };
    }
}
