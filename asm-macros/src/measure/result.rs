//! What becomes of the result of a measured block.
//!
//! `black_box` puts a result into memory, often where the compiler has put the arguments of the block's calls: the next
//! copy's loads of these then wait for the store, which took a hash of 15 clocks for 66. A result that fits a register
//! stays in one.

use core::arch::asm;
use core::mem::{MaybeUninit, needs_drop, size_of, transmute_copy};

/// Has the compiler take `value` for used.
#[inline(always)]
pub(super) fn used<T>(value: T) {
    // SAFETY: the sizes are equal, and a value that may be uninitialised takes any bytes, padding included. The
    // assembly has no instruction.
    unsafe {
        match size_of::<T>() {
            _ if needs_drop::<T>() => {}
            2 => {
                let bits: MaybeUninit<u16> = transmute_copy(&value);
                return asm!("/* {0:x} */", in(reg) bits, options(nostack, preserves_flags));
            }
            4 => {
                let bits: MaybeUninit<u32> = transmute_copy(&value);
                return asm!("/* {0:e} */", in(reg) bits, options(nostack, preserves_flags));
            }
            #[cfg(target_pointer_width = "64")]
            8 => {
                let bits: MaybeUninit<u64> = transmute_copy(&value);
                return asm!("/* {0:r} */", in(reg) bits, options(nostack, preserves_flags));
            }
            1 => {
                let bits: MaybeUninit<u8> = transmute_copy(&value);
                return asm!("/* {0} */", in(reg_byte) bits, options(nostack, preserves_flags));
            }
            _ => {}
        }
    }
    core::hint::black_box(value);
}
