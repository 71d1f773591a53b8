//! What there is to know about the address of an access that faulted: what another option puts there, or what ended.

use p5_chips::{LOCAL_APIC_PAGE, VIDEO};
use p5_image::{PROCESS_STACK_SIZE, PROCESS_STACK_TOP, STACK_SIZE, STACK_TOP};
use p5_words::fault::FaultCause;
use p5_words::isa::PAGE;

/// The address of a fault's access, if it has one.
pub(super) fn concerned(address: Option<u32>) -> String {
    address.map_or_else(String::new, |address| format!(" (address {address:08X}h)"))
}

/// The lowest addresses of the stacks of flat programs and of Linux programs.
const STACKS: [u32; 2] = [STACK_TOP - STACK_SIZE, PROCESS_STACK_TOP - PROCESS_STACK_SIZE];

/// Whether there is a stack at `address`, of a flat program or of one of Linux. Programs in real mode are below them.
pub(super) fn in_stack(address: u32) -> bool {
    let tops = STACKS.into_iter().zip([STACK_TOP, PROCESS_STACK_TOP]);
    tops.into_iter().any(|(end, top)| (end..top).contains(&address))
}

/// The bytes below a stack that still tell of a full one: a frame may be that large.
const BELOW_STACK: u32 = 1 << 16;

/// What there is to know about the address of a fault's access.
pub(super) fn owner(cause: FaultCause, address: Option<u32>) -> &'static str {
    match address.filter(|_| matches!(cause, FaultCause::Page(_))) {
        Some(address) if address & !(PAGE - 1) == LOCAL_APIC_PAGE => {
            "; the local APIC is there with `--monitor perfmon` or `ibs`"
        }
        Some(address) if (VIDEO.first..=VIDEO.last).contains(&address) => "; a video card is there with `--memory vga`",
        Some(address) if STACKS.iter().any(|end| (end - BELOW_STACK..*end).contains(&address)) => {
            "; the stack is full: do calls or pushes go on for ever?"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_words::fault::PageAccess;

    #[test]
    fn a_frame_of_pages_below_a_stack_tells_of_a_full_one() {
        let full = |address: u32| owner(FaultCause::Page(PageAccess::Write), Some(address)).contains("stack is full");
        let end = PROCESS_STACK_TOP - PROCESS_STACK_SIZE;
        assert!(full(end - 4) && full(end - 0x1A88));
        assert!(!full(end) && !full(end - BELOW_STACK - 1));
    }
}
