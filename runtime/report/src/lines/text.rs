//! The text of source files by line.

use p5_results::Run;

/// The distance in lines between the known beginnings of lines, because a source may have millions of lines.
const STRIDE: usize = 64;

/// The source text, accessible by file index and line number from 1.
pub(crate) struct Text<'a> {
    /// For each file the text, and the beginning of every [`STRIDE`]th line.
    files: Vec<(&'a str, Vec<usize>)>,
}

impl<'a> Text<'a> {
    pub(crate) fn of(run: &'a Run) -> Text<'a> {
        let begin = |text: &str| {
            let ends = text
                .bytes()
                .zip(1..)
                .filter(|&(byte, _)| byte == b'\n')
                .map(|(_, end)| end);
            std::iter::once(0).chain(ends).step_by(STRIDE).collect()
        };
        let files = run.files.iter().map(|file| &*file.text);
        Text {
            files: files.map(|text| (text, begin(text))).collect(),
        }
    }

    /// A line as it is in the file; empty if there is no such line.
    pub(crate) fn line(&self, (file, line): (u32, u32)) -> &'a str {
        let found = |index: usize| {
            let (text, begin) = self.files.get(file as usize)?;
            let from = *begin.get(index / STRIDE)?;
            text.get(from..)?.lines().nth(index % STRIDE)
        };
        (line as usize).checked_sub(1).and_then(found).unwrap_or("")
    }
}

/// The endings of the names of assembly sources.
const ASSEMBLY: [&str; 4] = ["s", "asm", "inc", "nasm"];

/// Whether a file is assembly source, or none that is known.
pub(crate) fn is_assembly(run: &Run, file: u32) -> bool {
    let name = run.files.get(file as usize).map(|file| &*file.name);
    let ending = name.and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending);
    ending.is_none_or(|ending| ASSEMBLY.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::specimen;

    #[test]
    fn any_line_of_a_text_is_found() {
        let mut run = specimen::run();
        for text in [
            "",
            "a",
            "a\n",
            "a\r\nb\r\n\n",
            &"é\n".repeat(STRIDE),
            &"b\r\nc\n".repeat(3 * STRIDE),
        ] {
            run.files[0].text = text.into();
            let found = Text::of(&run);
            for (line, number) in text.lines().zip(1..) {
                assert_eq!(found.line((0, number)), line);
            }
            let behind = text.lines().count() as u32 + 1;
            assert_eq!(
                (found.line((0, 0)), found.line((0, behind)), found.line((99, 1))),
                ("", "", "")
            );
        }
    }
}
