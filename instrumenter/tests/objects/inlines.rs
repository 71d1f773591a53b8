//! A program of Rust whose loops are mostly code of the library that was inlined.
//!
//! `rustc -O -g -C panic=abort --target i586-unknown-linux-gnu -C target-cpu=pentium -C relocation-model=static \
//!     --crate-name inlines --remap-path-prefix $PWD=. --emit obj inlines.rs`
//! `ld -m elf_i386 --gc-sections --build-id=none -z noseparate-code inlines.o -o inlines.elf`
#![no_std]
#![no_main]
use core::arch::asm;
use core::hint::black_box;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = !0u32;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[inline(never)]
fn differences(bytes: &[u8]) -> u32 {
    bytes
        .windows(2)
        .map(|pair| u32::from(pair[1].abs_diff(pair[0])))
        .sum()
}

static BYTES: [u8; 200] = {
    let mut bytes = [0; 200];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = (at * at) as u8;
        at += 1;
    }
    bytes
};

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let bytes = black_box(&BYTES);
    let code = crc(bytes) ^ differences(bytes);
    unsafe { asm!("int 0x80", in("eax") 1, in("ebx") code & 127, options(noreturn)) }
}
