//! The mapped page of a Linux performance event: how the kernel converts ticks to nanoseconds.

use perf_event::Builder;
use perf_event::events::Software;
use std::os::fd::AsRawFd;

const PAGE: usize = 4096;
/// The dwords of the page that are read, up to the time offset (`struct perf_event_mmap_page`, a stable interface).
const WORDS: usize = 14;
/// The dword that changes whenever the kernel writes the page.
const LOCK: usize = 2;
/// The low dword of the capabilities; bit 3 says that the conversion is valid.
const CAPABILITIES: usize = 10;
const CAP_USER_TIME: u32 = 1 << 3;
/// The dword with the width of the counter in its low half and the shift in its high half.
const SHIFT: usize = 12;
const MULTIPLIER: usize = 13;

/// Ticks per second from the page of an event that counts nothing.
pub(super) fn frequency() -> Option<u64> {
    let counter = Builder::new(Software::DUMMY).build().ok()?;
    // SAFETY: creates a new read-only mapping of one page of the event at an address the kernel chooses.
    let page = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            PAGE,
            libc::PROT_READ,
            libc::MAP_SHARED,
            counter.as_raw_fd(),
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    let mut words = [0u32; WORDS];
    let mut hertz = None;
    // The kernel sets the lock to an odd value while it writes, which is rare.
    for _ in 0..100 {
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: the page is mapped, aligned and long enough; the kernel may write to it concurrently.
            *word = unsafe { page.cast::<u32>().add(index).read_volatile() };
        }
        // SAFETY: as above.
        let after = unsafe { page.cast::<u32>().add(LOCK).read_volatile() };
        if words[LOCK] == after && after & 1 == 0 {
            hertz = of_page(&words);
            break;
        }
    }
    // SAFETY: unmaps the mapping made above, which nothing refers to.
    unsafe { libc::munmap(page, PAGE) };
    hertz
}

/// nanoseconds = ticks * multiplier / 2^shift, so a second is 10^9 * 2^shift / multiplier ticks.
fn of_page(words: &[u32; WORDS]) -> Option<u64> {
    let (shift, multiplier) = (words[SHIFT] >> 16, words[MULTIPLIER]);
    if words[CAPABILITIES] & CAP_USER_TIME == 0 || multiplier == 0 || shift > 63 {
        return None;
    }
    u64::try_from((1_000_000_000u128 << shift) / u128::from(multiplier)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with these capabilities, shift and multiplier.
    fn page(capabilities: u32, shift: u32, multiplier: u32) -> [u32; WORDS] {
        let mut words = [0xFFFF_FFFF; WORDS];
        words[CAPABILITIES] = capabilities;
        words[SHIFT] = shift << 16 | 48;
        words[MULTIPLIER] = multiplier;
        words
    }

    #[test]
    fn multiplier_and_shift_give_the_frequency() {
        // 2.592 GHz: a tick is 0.3858 ns. The figures of the kernel are rounded by less than one part in a billion.
        let multiplier = ((1u64 << 32) * 1000 / 2592) as u32;
        let hertz = of_page(&page(0b11110, 32, multiplier)).expect("a frequency");
        assert!(hertz.abs_diff(2_592_000_000) < 10, "{hertz}");
    }

    #[test]
    fn a_page_without_the_capability_says_nothing() {
        assert_eq!(of_page(&page(0b00110, 31, 1 << 30)), None);
        assert_eq!(of_page(&page(0b01000, 31, 0)), None);
        assert_eq!(of_page(&page(0b01000, 64, 5)), None);
    }
}
