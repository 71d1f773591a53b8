//! Messages beside the lines that they concern. In each file of `tests/messages` lines of `;---` separate programs; the
//! text above the first such line belongs to all of them. The messages of a line are below it:
//!
//! ```text
//!     mov al, 300
//! ;! 300 | 300 does not fit in 8 bits
//! ```
//!
//! Each consists of the marked text, the message and its label, and a separate line with its help.
//! `INSTA_UPDATE=always` rewrites the files.

use p5_assembler::diag::{Diagnostic, Severity};
use p5_assembler::source::Sources;
use p5_assembler::{Extent, Options, assemble};
use std::fs;
use std::path::Path;

/// The line between two programs.
pub(super) const BETWEEN: &str = ";---\n";
/// The beginning of a line with a message.
const MARK: &str = ";!";

#[test]
fn each_line_has_the_messages_below_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let update = std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always");
    let mut programs = 0;
    for entry in fs::read_dir(&folder).expect("a folder").flatten() {
        let path = entry.path();
        let expected = fs::read_to_string(&path).expect("UTF-8");
        let source: String = expected
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(MARK))
            .collect();
        let mut parts = source.split_inclusive(BETWEEN);
        let head = parts.next().unwrap_or_default();
        let mut found = head.to_owned();
        for part in parts {
            programs += 1;
            found.push_str(&with_messages(head, part));
        }
        if update {
            fs::write(&path, &found).expect("a file that can be written");
        } else {
            assert_eq!(found, expected, "{}", path.display());
        }
    }
    assert!(programs > 45, "only {programs} programs were found");
}

/// The lines of `part`, each followed by its messages in the program of `head` and `part`.
fn with_messages(head: &str, part: &str) -> String {
    let options = Options {
        extent: Extent::Module,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("test.asm", &format!("{head}{part}")), &options);
    let above = head.lines().count() as u32;
    let of_line = |line: u32| {
        let places = assembly.diagnostics.iter().filter(move |one| {
            let place = one.span.map_or(above + 1, |span| span.line.max(above + 1));
            place == line
        });
        places.map(|one| format!("{MARK} {}\n", told(&format!("{head}{part}"), one)))
    };
    let lines = (above + 1..).zip(part.split_inclusive('\n'));
    lines
        .flat_map(|(number, line)| std::iter::once(line.to_owned()).chain(of_line(number)))
        .collect()
}

/// The marked text, the message, its label and its help.
pub(super) fn told(text: &str, diagnostic: &Diagnostic) -> String {
    let marked = diagnostic.span.and_then(|span| {
        let line = text.lines().nth(span.line.checked_sub(1)? as usize)?;
        line.get(span.start as usize..span.end as usize)
    });
    let mut told = format!("{} | ", marked.unwrap_or_default());
    if diagnostic.severity == Severity::Warning {
        told.push_str("warning: ");
    }
    told.push_str(&diagnostic.message);
    if let Some(label) = &diagnostic.label {
        told.push_str(&format!(" ({label})"));
    }
    if let Some(help) = &diagnostic.help {
        told.push_str(&format!("\n{MARK}   = {help}"));
    }
    told
}
