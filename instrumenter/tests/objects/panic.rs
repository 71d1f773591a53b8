//! A program of Rust that panics; what its handler does depends on the number of arguments: an exit without one, a
//! fault with one, a loop with two. With three it formats a number, by code of Rust's library that a Pentium cannot
//! execute; with four it executes such code of its own.
//!
//! `R=$(rustc --print sysroot)/lib/rustlib/i686-unknown-linux-musl/lib; objcopy -g $R/libcore-*.rlib core.a`
//! `rustc -O -g -C panic=abort --target i686-unknown-linux-musl -C target-cpu=pentium -C relocation-model=static \
//!     --crate-name panic --remap-path-prefix $PWD=. --emit obj panic.rs`
//! `ld -m elf_i386 --gc-sections --build-id=none -z noseparate-code panic.o core.a -o panic.elf`
#![no_std]
#![no_main]
use core::arch::{asm, global_asm};
use core::fmt::{Result, Write};
use core::hint::black_box;
use core::panic::PanicInfo;

static mut ARGUMENTS: u32 = 0;

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    match unsafe { ARGUMENTS } {
        0 => exit(101),
        1 => unsafe { asm!("ud2", options(noreturn)) },
        _ => loop {},
    }
}

fn exit(code: u32) -> ! {
    unsafe { asm!("int 0x80", in("eax") 1, in("ebx") code, options(noreturn)) }
}

struct Ring {
    bytes: [u8; 16],
    head: usize,
}

trait Sink {
    fn put(&mut self, byte: u8);
}

impl Sink for Ring {
    #[inline(never)]
    fn put(&mut self, byte: u8) {
        self.bytes[self.head] = byte;
        self.head += 1;
    }
}

#[inline(never)]
fn feed<S: Sink>(sink: &mut S, count: u32) {
    for number in 0..count {
        sink.put(number as u8);
    }
}

struct Nowhere;

impl Write for Nowhere {
    fn write_str(&mut self, _: &str) -> Result {
        Ok(())
    }
}

#[inline(never)]
#[target_feature(enable = "sse2")]
fn wide() {
    unsafe { asm!("movq xmm0, [esp]", out("xmm0") _) }
}

#[unsafe(no_mangle)]
extern "C" fn run(words: u32) -> ! {
    unsafe { ARGUMENTS = words - 1 };
    match words - 1 {
        3 => {
            let _ = write!(Nowhere, "{}", 10_000 * words);
        }
        4 => unsafe { wide() },
        _ => feed(
            &mut Ring {
                bytes: black_box([0; 16]),
                head: 0,
            },
            black_box(20),
        ),
    }
    exit(0)
}

global_asm!(".globl _start", "_start:", "push dword ptr [esp]", "call run");
