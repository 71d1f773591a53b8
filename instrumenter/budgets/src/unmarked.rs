//! Comments that would be budgets with a colon: `; p5 cycles <= 16`.

use super::comments::{Notation, split};
use super::problems::{error, in_files, with_help};
use super::{Diagnostic, MARK, quantity, results};
use memchr::memmem;
use p5_assembler::Assembly;
use p5_assembler::diag::{Severity, Span};
use p5_image::{Image, SourceFile};

/// The most of them that are told.
const MOST: usize = 20;

/// A warning for each comment in the sources of an assembly that begins as a budget does, without its colon.
pub fn unmarked_of_assembly(assembly: &Assembly) -> Vec<Diagnostic> {
    let library = assembly.image.as_ref().and_then(|image| image.library);
    let notation = match assembly.pasted {
        true => Notation::Gnu,
        false => Notation::Semicolon,
    };
    found(&assembly.files, library, &|_| notation, &|file, line| {
        assembly.leaves_out(file, line)
    })
}

/// The same for the sources of a program that another tool has built.
pub fn unmarked(image: &Image) -> Vec<Diagnostic> {
    found(
        &image.files,
        image.library,
        &|file| Notation::of(&file.name),
        &|_, _| false,
    )
}

fn found(
    files: &[SourceFile],
    library: Option<u32>,
    notation: &dyn Fn(&SourceFile) -> Notation,
    left_out: &dyn Fn(u32, u32) -> bool,
) -> Vec<Diagnostic> {
    let own = (0..)
        .zip(files)
        .filter(|(index, file)| Some(*index) != library && !file.is_of_system());
    let mut warnings = Vec::new();
    for (index, file) in own {
        // Most sources have no such word anywhere.
        let named = |word: &str| memmem::find(file.text.as_bytes(), word.as_bytes()).is_some();
        if !named("p5") && !named("P5") {
            continue;
        }
        let lines = (1..).zip(file.text.lines());
        for (number, line) in lines.filter(|(number, _)| !left_out(index, *number)) {
            let Some(start) = begins(line, notation(file)) else {
                continue;
            };
            let span = Span {
                file: index,
                line: number,
                start: start as u32,
                end: (start + MARK.len() - 1) as u32,
            };
            let warning = Diagnostic {
                severity: Severity::Warning,
                ..error(span, "this comment is no budget: `p5` has no colon")
            };
            warnings.push(with_help(
                warning,
                "write `p5:` and then the quantity, as in `p5: cycles <= 16`",
            ));
            if warnings.len() == MOST {
                return in_files(warnings, files);
            }
        }
    }
    in_files(warnings, files)
}

/// Where a comment of a line begins with the mark of a budget without its colon, and compares a quantity or a register
/// after that.
fn begins(line: &str, notation: Notation) -> Option<usize> {
    let word = &MARK[..MARK.len() - 1];
    if !line.contains(['<', '>', '=']) || !line.contains(word) && !line.contains(&word.to_ascii_uppercase()) {
        return None;
    }
    // In GNU's assembler, a semicolon begins a comment of budgets only.
    let notations = match notation {
        Notation::Gnu => &[Notation::Gnu, Notation::Semicolon][..],
        Notation::C => &[Notation::C],
        Notation::Semicolon => &[Notation::Semicolon],
    };
    let mut comments = notations
        .iter()
        .flat_map(|&notation| split(line, notation, &mut false).comments);
    comments.find_map(|place| {
        let text = line.get(place)?;
        let inside = text.trim_start_matches([';', '#', '/', '*', '!', ' ', '\t']);
        let begun = inside.get(..word.len())?.eq_ignore_ascii_case(word);
        let rest = inside
            .get(word.len()..)
            .filter(|rest| begun && rest.starts_with([' ', '\t']))?;
        let rest = rest.trim_start().trim_start_matches(':').trim_start();
        let sign = rest.find(['<', '>', '=', '!'])?;
        let name = rest[..sign].trim();
        let known = quantity(name).is_ok() || results::is_register(name);
        known.then_some(inside.as_ptr() as usize - line.as_ptr() as usize)
    })
}
