//! What follows the name of a program of Linux or DOS on the command line: its own arguments.

use super::Arguments;
use clap::{Command, CommandFactory};
use runtime::load::{Content, content};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::Path;

/// The command line with `--` after the name of such a program, so that what follows belongs to the program, a `--` of
/// its own included. A line with `--against`, whose options follow the program and its arguments, stays as it
/// is.
pub(crate) fn with_own_arguments(line: Vec<OsString>) -> Vec<OsString> {
    let name = program(&line).filter(|&index| is_executable(Path::new(&line[index])));
    match name {
        Some(index) if line.len() > index + 1 && !line[index + 1..].iter().any(|later| later == "--against") => {
            let (before, own) = line.split_at(index + 1);
            before
                .iter()
                .cloned()
                .chain([OsString::from("--")])
                .chain(own.iter().cloned())
                .collect()
        }
        _ => line,
    }
}

/// The program that a line names before an argument which is none of ours, if there is no such file: its name is what
/// is wrong then.
pub(crate) fn missing_before<'a>(line: &'a [OsString], unknown: &str) -> Option<&'a Path> {
    let index = program(line)?;
    let after = line[index + 1..]
        .iter()
        .any(|later| later.to_str().is_some_and(|later| later.starts_with(unknown)));
    let before = line[..index]
        .iter()
        .any(|one| one.to_str().is_some_and(|one| one.starts_with(unknown)));
    let path = Path::new(&line[index]);
    let is_missing = path.as_os_str() != OsStr::new("-") && !path.exists();
    (after && !before && is_missing).then_some(path)
}

/// The index of the argument that names the program, for a command that takes the arguments of one.
fn program(line: &[OsString]) -> Option<usize> {
    let whole = Arguments::command();
    let mut command = &whole;
    let mut names = 0;
    let mut arguments = line.iter().enumerate().skip(1);
    while let Some((index, argument)) = arguments.next() {
        let text = argument.to_str().unwrap_or_default();
        let option = match text.strip_prefix("--") {
            Some("") => return None,
            Some(long) => command.get_arguments().find(|arg| arg.get_long() == Some(long)),
            // More characters than one are the value.
            None => match text
                .strip_prefix('-')
                .map(|short| (short.chars().next(), short.chars().count()))
            {
                Some((letter @ Some(_), 1)) => command.get_arguments().find(|arg| arg.get_short() == letter),
                _ => None,
            },
        };
        if text.starts_with('-') && text != "-" {
            if option.is_some_and(|option| option.get_action().takes_values()) {
                arguments.next();
            }
        } else if let Some(inner) = command.find_subcommand(argument).filter(|_| names == 0) {
            command = inner;
        } else if takes_own_arguments(command, names) {
            return Some(index);
        } else {
            names += 1;
        }
    }
    None
}

/// Whether name `position` of a command is that of a program, and names of more files may follow it.
fn takes_own_arguments(command: &Command, position: usize) -> bool {
    let mut names = command
        .get_positionals()
        .skip(position)
        .map(|arg| arg.get_id().as_str());
    names.next() == Some("file") && names.next() == Some("more")
}

/// Whether the name is that of a .com file of DOS.
pub(crate) fn is_com(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("com"))
}

/// Whether the file is an executable in ELF, or a .com or .exe file of DOS.
fn is_executable(path: &Path) -> bool {
    /// The length of what tells the kinds of files apart.
    const HEAD: u64 = 64;
    if path.as_os_str() == OsStr::new("-") || !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return false;
    }
    let mut head = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && (is_com(path) || matches!(content(&head), Content::Program | Content::DosProgram))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::path::PathBuf;

    #[test]
    fn what_follows_an_executable_is_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |name: &str, kind: u8| {
            let mut head = b"\x7fELF\x01\x01\x01".to_vec();
            head.resize(KIND_PLACE, 0);
            head.extend([kind, 0, 3, 0]);
            let path = folder.path().join(name);
            fs::write(&path, head).expect("a file");
            path.to_str().expect("text").to_owned()
        };
        const KIND_PLACE: usize = 16;
        let (program, object) = (name("program", 2), name("object.o", 1));
        let own = |line: &[&str]| -> String {
            let line = std::iter::once(&"p5inst").chain(line).map(OsString::from).collect();
            let given: Vec<String> = with_own_arguments(line)
                .iter()
                .map(|part| {
                    part.to_str()
                        .expect("text")
                        .replace(folder.path().to_str().expect("text"), "")
                })
                .collect();
            given.join(" ")
        };
        assert_eq!(own(&[&program, "-x", "--long"]), "p5inst /program -- -x --long");
        assert_eq!(
            own(&["--long", "--runs", "2", &program, "a"]),
            "p5inst --long --runs 2 /program -- a"
        );
        assert_eq!(
            own(&["--runs=2", "-DA", "-D", "B", &program, "-"]),
            "p5inst --runs=2 -DA -D B /program -- -"
        );
        assert_eq!(own(&[&program, "--", "-x"]), "p5inst /program -- -- -x");
        assert_eq!(
            own(&["--limit", "9", &program, "-x", "--", "y"]),
            "p5inst --limit 9 /program -- -x -- y"
        );
        assert_eq!(own(&[&program]), "p5inst /program");
        let given =
            Arguments::try_parse_from(["p5inst", &program, "--", "a", "", "b"]).expect("an argument may be empty");
        assert_eq!(given.run.program.more, ["a", "", "b"].map(PathBuf::from));
        assert_eq!(own(&["--", &program, "-x"]), "p5inst -- /program -x");
        assert_eq!(own(&["stat", &program, "-x"]), "p5inst stat /program -- -x");
        assert_eq!(
            own(&["stat", &program, "x", "--against", "--cpu", "p55c"]),
            "p5inst stat /program x --against --cpu p55c"
        );
        assert_eq!(
            own(&["ratio", "1Ah", &program, "-x"]),
            "p5inst ratio 1Ah /program -- -x"
        );
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).expect("a file");
            path.to_str().expect("text").to_owned()
        };
        let mut header = [0x90; 28];
        header[..3].copy_from_slice(b"MZ\0");
        let (tiny, old) = (file("TINY.COM", b"\xC3"), file("old.exe", &header));
        let source = file("sign.asm", b"MZ_SIGN equ 5A4Dh\n.code\nstart: ret\nend start\n");
        assert_eq!(own(&[&source, "--long"]), "p5inst /sign.asm --long");
        assert_eq!(own(&[&tiny, "-s42"]), "p5inst /TINY.COM -- -s42");
        assert_eq!(own(&["stat", &old, "--long"]), "p5inst stat /old.exe -- --long");
        // An object is none, nor is a file that an option takes.
        assert_eq!(own(&["a.asm", &program, "--long"]), "p5inst a.asm /program --long");
        assert_eq!(own(&[&object, "--long"]), "p5inst /object.o --long");
        assert_eq!(
            own(&["-o", &program, "a.asm", "--long"]),
            "p5inst -o /program a.asm --long"
        );
    }
}
