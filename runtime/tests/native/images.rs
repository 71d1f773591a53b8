//! Images made from bytes, and native runs of them.

use runtime::image::{Image, Segment};
use runtime::native::{Native, Options, run};
use std::time::Duration;

pub(crate) const CODE: u32 = 0x0040_1000;
/// The address of a page of zeros.
pub(crate) const DATA: u32 = 0x0050_0000;

/// An image of code that starts at its first byte and ends after its last, and a page of data.
pub(crate) fn image(code: &[u8]) -> Image {
    let segment = |name: &str, address, bytes: &[u8], zeroes| Segment {
        name: name.to_owned(),
        address,
        bytes: bytes.to_vec(),
        zeroes,
        writable: true,
    };
    Image {
        entry: CODE,
        end: Some(CODE + code.len() as u32),
        segments: vec![segment("_TEXT", CODE, code, 0), segment("_DATA", DATA, &[], 0x1000)],
        ..Image::default()
    }
}

/// Options with few runs and a short time, for tests of meaning.
pub(crate) fn quick() -> Options {
    Options {
        runs: 40,
        patience: Duration::from_secs(2),
        limit: Duration::from_secs(5),
    }
}

/// Whether this host cannot run natively; prints the reason. A kernel with 32-bit processes and system call filters
/// that allows both to this process must be able to.
pub(crate) fn cannot() -> bool {
    let tried = run(&image(&[0x90]), &quick());
    tried.is_err_and(|why| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let able = std::path::Path::new("/proc/sys/abi/vsyscall32").exists()
            && status.lines().any(|line| line.split_whitespace().eq(["Seccomp:", "0"]));
        assert!(!able, "this kernel has all that is needed: {why}");
        eprintln!("SKIPPED: {why}");
        true
    })
}

pub(crate) fn start(image: &Image) -> Native {
    run(image, &quick()).expect("the image fits, and this host has run another")
}
