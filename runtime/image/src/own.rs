//! Which text of a program of another tool is its own, rather than that of the system's headers or of Rust's library.

use crate::{Image, SourceFile};

/// The folders of the crates of Rust's library.
const FOLDERS: [&str; 6] = [
    "core",
    "alloc",
    "std",
    "compiler-builtins",
    "panic_abort",
    "panic_unwind",
];

/// The sources of a C library by which a program starts, before any line of its own, and a part of their folders.
const STARTS: [&str; 7] = [
    "crt1.c",
    "rcrt1.c",
    "Scrt1.c",
    "start.S",
    "libc-start.c",
    "libc_start_call_main.h",
    "__libc_start_main.c",
];
const START_FOLDERS: [&str; 4] = ["crt/", "csu/", "sysdeps/", "src/env/"];

impl SourceFile {
    /// Whether it is one of the sources by which a C library starts a program.
    fn is_of_start(&self) -> bool {
        let path = self.elsewhere.as_deref().unwrap_or(&self.name);
        let name = path.rsplit('/').next().unwrap_or(path);
        STARTS.contains(&name) && START_FOLDERS.iter().any(|folder| path.contains(folder))
    }

    /// Whether it is a header of the system or of the compiler, of Rust's library, or what a C library starts with.
    pub fn is_of_system(&self) -> bool {
        let of_system = |path: &String| {
            let begins = ["/usr/include/", "/usr/lib/", "/usr/local/include/"];
            begins.iter().any(|begin| path.starts_with(begin)) || path.contains("/lib/gcc/")
        };
        self.elsewhere.as_ref().is_some_and(of_system) || self.is_of_rust_library() || self.is_of_start()
    }

    /// Whether it is a source of Rust's library: compilers name it by a path without the folder that it was built in,
    /// by one that has the compiler's version, or by that of the installed copy.
    pub fn is_of_rust_library(&self) -> bool {
        let path = self.elsewhere.as_deref().unwrap_or(&self.name);
        let (root, rest) = match path.rsplit_once("/library/") {
            Some((root, rest)) => (root, rest),
            None => match path.strip_prefix("library/") {
                Some(rest) => ("", rest),
                None => return false,
            },
        };
        let named = root.is_empty() || root.starts_with("/rustc/") || root.ends_with("/rustlib/src/rust");
        named && rest.split_once('/').is_some_and(|(first, _)| FOLDERS.contains(&first)) && self.is_of_rust()
    }

    /// Whether it is source of Rust.
    pub fn is_of_rust(&self) -> bool {
        self.name.ends_with(".rs")
    }
}

impl Image {
    /// The file and line of the program's own text for the code at `address`: its line or, if that is in a file of the
    /// system, the call that was replaced by the code of that file. Beside it the call that the line itself is
    /// in, if that was inlined, too.
    pub fn own_place(&self, address: u32) -> Option<((u32, u32), Option<u32>)> {
        let own = |place: (u32, u32)| {
            let file = self.files.get(place.0 as usize);
            file.is_some_and(|file| !file.is_of_system()).then_some(place)
        };
        let row = self.line_at(address)?;
        let mut call = self.inlined.at(address);
        if let Some(place) = own(self.outermost(&row)) {
            return Some((place, call));
        }
        while let Some(inlined) = call.and_then(|call| self.inlined.calls.get(call as usize)) {
            if let Some(place) = inlined.place.and_then(own) {
                return Some((place, inlined.within));
            }
            call = inlined.within;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InlinedCall, InlinedPiece, LineRow};

    fn file(name: &str, elsewhere: Option<&str>) -> SourceFile {
        SourceFile {
            elsewhere: elsewhere.map(str::to_owned),
            ..SourceFile::new(name, "")
        }
    }

    #[test]
    fn rusts_library_is_told_from_a_library_of_the_program() {
        let version = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/ptr/mod.rs";
        let installed = "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/alloc/src/vec/mod.rs";
        for (name, elsewhere, of_library) in [
            ("library/core/src/panicking.rs", None, true),
            ("mod.rs", Some(version), true),
            ("mod.rs", Some(installed), true),
            ("mod.rs", Some("/home/me/library/core/src/mod.rs"), false),
            ("library/src/lib.rs", None, false),
            ("library/core/core.c", None, false),
            ("src/main.rs", None, false),
        ] {
            let file = file(name, elsewhere);
            assert_eq!(file.is_of_rust_library(), of_library, "{name} {elsewhere:?}");
            assert_eq!(file.is_of_system(), of_library, "{name} {elsewhere:?}");
        }
    }

    #[test]
    fn the_files_that_start_a_program_are_not_its_own() {
        for (name, elsewhere, of_system) in [
            ("crt1.c", Some("/build/musl-1.2.3/crt/crt1.c"), true),
            ("../sysdeps/i386/start.S", None, true),
            ("src/env/__libc_start_main.c", None, true),
            ("start.S", Some("/home/me/kernel/start.S"), false),
            ("crt/mine.c", None, false),
        ] {
            assert_eq!(file(name, elsewhere).is_of_system(), of_system, "{name} {elsewhere:?}");
        }
    }

    #[test]
    fn code_of_a_header_of_the_system_is_at_the_call_that_it_replaces() {
        let mut image = Image {
            files: vec![
                file("main.c", None),
                file("stdlib.h", Some("/usr/include/stdlib.h")),
                file("mine.h", Some("/home/me/mine.h")),
            ],
            ..Image::default()
        };
        for (number, (file, line)) in (0..).zip([(0, 7), (1, 364), (1, 366), (2, 3), (1, 1)]) {
            image.lines.push(LineRow {
                address: 0x1000 + 0x10 * number,
                length: 0x10,
                file,
                line,
                ..LineRow::default()
            });
        }
        let call = |place, within| InlinedCall {
            place,
            within,
            ..InlinedCall::default()
        };
        image.inlined.names = vec!["atoi".to_owned()];
        image.inlined.calls = vec![
            call(Some((0, 9)), None),
            call(Some((1, 365)), Some(0)),
            call(Some((0, 4)), None),
        ];
        image.inlined.pieces = vec![
            InlinedPiece {
                start: 0x1000,
                end: 0x1010,
                call: 2,
            },
            InlinedPiece {
                start: 0x1010,
                end: 0x1020,
                call: 0,
            },
            InlinedPiece {
                start: 0x1020,
                end: 0x1030,
                call: 1,
            },
        ];
        let at = [0x1008, 0x1018, 0x1028, 0x1038, 0x1048, 0x1058].map(|address| image.own_place(address));
        assert_eq!(
            at,
            [
                Some(((0, 7), Some(2))),
                Some(((0, 9), None)),
                Some(((0, 9), None)),
                Some(((2, 3), None)),
                None,
                None
            ]
        );
    }
}
