//! The concepts of programs of Rust: how one is compiled for a Pentium, and what ends it.
//!
//! Modelled: the texts. Not modelled: the ends themselves, which `machine` finds.

use super::Concept;
use p5_chips::Text;

const ENDS: (&str, &str) = (
    "instrumenter/tests/objects/rust.rs",
    "a_panic_is_at_the_line_that_panicked_whatever_its_handler_does",
);

pub(super) static RUST: &[Concept] = &[COMPILED, PANIC];

const COMPILED: Concept = Concept {
    name: "rust",
    text: Text {
        rule: "A program of Rust is a static Linux program. With the standard library: `rustup target add \
               i586-unknown-linux-gnu`, then `rustc -O -g --target i586-unknown-linux-gnu -C target-cpu=pentium -C \
               target-feature=+crt-static FILE.rs` and `p5inst --also cmov,endbr FILE`, as glibc's own code has CMOV. \
               The libraries of the i686 targets are compiled in advance for a processor with SSE2, and `-C \
               target-cpu=pentium` does not compile them again: a program with their `std` stops in it. Without it: \
               `rustc -O -g -C panic=abort --target i686-unknown-linux-musl -C target-cpu=pentium -C \
               relocation-model=static -C link-arg=-nostdlib -C link-arg=-nostartfiles -C link-self-contained=no \
               FILE.rs`, of a file that begins with `#![no_std]` and `#![no_main]`, and has a `#[panic_handler]`, \
               `_start` as `#[unsafe(no_mangle)] extern \"C\"`, and an end by system call 1 (`int 80h`); rustc's \
               warning that SSE2 is off is meant so. Of that target's `core`, what the compiler puts into the \
               program's own functions is compiled for the Pentium; what is called is not, such as the formatting of \
               numbers: print numbers by a function of your own, or have `cargo +nightly build -Z build-std=core` \
               compile `core` for the Pentium, too. \
               The linker may ask for `memset`, `memcpy`, `memcmp` and `bcmp`: write them, with `write_volatile`. To \
               measure one function, compile with `--crate-type lib --emit obj`, then `p5inst DRIVER.asm FILE.o`, \
               whose source has `extern NAME:proc` and `call NAME`; or with `--emit asm`, whose text p5inst runs as a \
               fragment: `p5inst --entry NAME FILE.s`.",
        source: "The rustc book: codegen options, platform support of i586-unknown-linux-gnu and \
                 i686-unknown-linux-musl",
        not_modelled: "",
        tests: &[
            ENDS,
            (
                "instrumenter/tests/objects/rust.rs",
                "an_instruction_that_only_rusts_library_has_has_its_own_remedy",
            ),
        ],
        said: &[
            "rustc",
            "cargo",
            "no std",
            "#![no_std]",
            "target cpu",
            "lang_start_internal",
        ],
    },
};

const PANIC: Concept = Concept {
    name: "panic",
    text: Text {
        rule: "What ends a program of Rust that finds an error of its own: an index that is out of bounds, a division \
               by zero, `unwrap` of nothing. The program's line calls a function of `core::panicking` or one like \
               `core::option::unwrap_failed`, which calls the `#[panic_handler]`, `rust_begin_unwind`. The run \
               ends there or in what that calls: by an exit with a code of the handler's own, by `ud2` or another \
               fault, by a signal, or in a loop, by the limit. The report then names the function that panicked and \
               its line, rather than those of the handler: mend that line. To see the message, let the handler \
               write its argument, which formats numbers (`p5inst explain rust`).",
        source: "The Rust Reference, panic; the report's own rule",
        not_modelled: "A panic that unwinds: the way from the handler to the line is told, not what is dropped on it.",
        tests: &[ENDS],
        said: &[
            "rust panic",
            "a rust panic",
            "rust begin unwind",
            "panicking",
            "core::panicking",
            "panic handler",
            "panicked",
        ],
    },
};
