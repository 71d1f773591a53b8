//! The words for services that were refused.

use super::printable::{cut, printable};
use p5_results::{Note, RefusedService};
use syscalls::x86::Sysno;

/// The name of a call of Linux for the 32-bit x86.
fn call_name(number: u32) -> Option<&'static str> {
    Sysno::new(number as usize).map(|call| call.name())
}

/// The most columns of a path in a sentence.
const PATH: usize = 240;

/// A path that a program gave, as a sentence has it.
fn shown(path: &str) -> String {
    cut(&printable(path), PATH)
}

/// The calls of Linux that were refused, by name, with the error that each returned, and the functions of DOS; `None`
/// if none was.
pub(super) fn refused_calls(notes: &[Note]) -> Option<String> {
    /// The most that are named.
    const MOST: usize = 8;
    let calls = notes.iter().filter_map(|note| match note {
        Note::Refused(RefusedService::Linux { call }) => Some(match call_name(*call) {
            Some(name) => name.to_owned(),
            None => format!("call {call}"),
        }),
        _ => None,
    });
    let functions = notes.iter().filter_map(|note| match note {
        Note::Refused(RefusedService::Dos { function }) => Some(format!("AH={function:02X}h")),
        _ => None,
    });
    let more_refused = notes.iter().any(|note| matches!(note, Note::MoreRefused { .. }));
    let named = |names: Vec<String>| {
        let more = names.len().saturating_sub(MOST);
        let named = names[..names.len() - more].join(", ");
        match more {
            _ if names.is_empty() => None,
            0 => Some(named),
            more if more_refused => Some(format!("{named} and more than {more} others")),
            more => Some(format!("{named} and {more} more")),
        }
    };
    let calls = named(calls.collect()).map(|calls| format!("{calls} (ENOSYS)"));
    let functions = named(functions.collect()).map(|functions| format!("int 21h {functions} (carry flag set)"));
    let told: Vec<String> = calls.into_iter().chain(functions).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// What is said beside the end of a run that opened or looked for a file that it is not shown.
pub(super) fn no_file(notes: &[Note]) -> Option<String> {
    notes.iter().find_map(|note| match note {
        Note::NoFile { path, dos, folder } => Some(missing("it", path, *dos, *folder)),
        Note::Refused(RefusedService::File) => {
            Some("it looked for a file, and is shown none: `--dir DIR` lets it read those of DIR".to_owned())
        }
        _ => None,
    })
}

/// What a program, which is called `who`, opened to write.
pub(super) fn not_written(who: &str, path: &str) -> String {
    format!("{who} opened `{}` to write, and files are read only", shown(path))
}

/// What is said beside the end of a run that tried to change files or asked for too much memory.
pub(super) fn not_given(notes: &[Note]) -> Option<String> {
    let written = notes.iter().find_map(|note| match note {
        Note::NotWritten { path } => Some(not_written("it", path)),
        _ => None,
    });
    let refused = |wanted: fn(&RefusedService) -> Option<String>| {
        let mut services = notes.iter().filter_map(|note| match note {
            Note::Refused(service) => Some(service),
            _ => None,
        });
        services.find_map(wanted)
    };
    let changed = || {
        refused(|service| match service {
            RefusedService::FileChanged => Some("it tried to change a file, and files are read only".to_owned()),
            _ => None,
        })
    };
    let memory = refused(|service| match service {
        RefusedService::Memory { most } => Some(format!("it asked for more than its {} MiB of memory", most >> 20)),
        _ => None,
    });
    let said: Vec<String> = written.or_else(changed).into_iter().chain(memory).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// Whether a path of DOS names a device.
fn is_device(path: &str) -> bool {
    const DEVICES: [&str; 4] = ["CON", "NUL", "PRN", "AUX"];
    let name = path.rsplit(['\\', '/', ':']).next().unwrap_or_default();
    let name = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|kind| {
        let number = name.strip_prefix(kind);
        number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
    });
    numbered || DEVICES.contains(&name.as_str())
}

/// A path of DOS as the host would write it below a folder, out of which `..` does not lead.
fn below(path: &str) -> String {
    let path = match path.as_bytes() {
        [_, b':', ..] => &path[2..],
        _ => path,
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['\\', '/']) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// What a program, which is called `who`, opened and is not shown; `dos` is a path of DOS.
pub(super) fn missing(who: &str, path: &str, dos: bool, folder: bool) -> String {
    let name = shown(path);
    if dos && is_device(path) {
        return format!("{who} opened `{name}`, which was not found: devices are not served");
    }
    let leads_up = dos && path.split(['\\', '/', ':']).any(|part| part == "..");
    match folder {
        true if leads_up => format!(
            "{who} opened `{name}`, and nothing is there: with `--dir DIR` paths begin at DIR, and `..` does not lead \
             out of it: this is `DIR/{}`",
            shown(&below(path))
        ),
        true => format!("{who} opened `{name}`, and nothing is there: with `--dir DIR` paths begin at DIR"),
        false => format!(
            "{who} opened `{name}`, which was not found: files are served with `--dir DIR`, and with `--dir .` this \
             is `./{}`",
            match dos {
                true => shown(&below(path)),
                false => name.clone(),
            }
            .trim_start_matches('/')
        ),
    }
}

/// What a simulated run says of a service that was refused: also how it would be served.
pub(super) fn refused_in_simulation(service: RefusedService) -> String {
    let said = refused(service);
    match service {
        RefusedService::File => format!("{said}; with `--dir DIR` it can read the files of DIR"),
        _ => said,
    }
}

pub(super) fn refused(service: RefusedService) -> String {
    match service {
        RefusedService::Dos { function } => {
            format!("int 21h function {function:02X}h is not supported: it returned with the carry flag set")
        }
        RefusedService::Video { function: 0 } => {
            "int 10h function 00h: there is no screen, and so no mode to set; the pixels of mode 13h are \
             memory from A0000h, the characters of mode 3 from B8000h, counted as accesses to a video card; \
             `--format screen` shows either at the end"
                .to_owned()
        }
        RefusedService::Video { function } => {
            format!("int 10h function {function:02X}h is not supported: nothing was done")
        }
        RefusedService::Keyboard => {
            "no key was left in standard input, which is what is typed if it is a file or a pipe: the program was told \
             that Esc was pressed"
                .to_owned()
        }
        RefusedService::KeyboardFunction { function } => {
            format!("int 16h function {function:02X}h is not supported: nothing was done")
        }
        RefusedService::ClockFunction { function } => {
            format!("int 1Ah function {function:02X}h is not supported: nothing was done")
        }
        RefusedService::DosTextWithoutEnd => "int 21h function 09h: the text has no terminating `$`".to_owned(),
        RefusedService::OutputLimit { capacity } => format!(
            "the program wrote more than the {} MiB a run that are kept: the rest was refused",
            capacity >> 20
        ),
        RefusedService::File => "the program opened a file: there is none (ENOENT)".to_owned(),
        RefusedService::FileChanged => {
            "the program tried to create or change a file: it was told that it can only read (EROFS)".to_owned()
        }
        RefusedService::FileTooLarge { most } => format!(
            "the program opened a file of more than {} MiB: it was told that it is too large (EFBIG)",
            most >> 20
        ),
        RefusedService::Memory { most } => format!(
            "the program asked for more memory than the {} MiB that it may have, and did not get it",
            most >> 20
        ),
        RefusedService::Linux { call } => format!(
            "int 80h call {call}{} is not supported: it returned ENOSYS",
            call_name(call).map_or(String::new(), |name| format!(" ({name})"))
        ),
    }
}

/// What is said of a read of a port.
pub(super) const PORT_READ: &str = "a port was read: no device is simulated, and ports read as all ones, but the \
    retraces of port 3DAh begin and end with each read, and port 60h has the code of Esc";

/// What is said of an interrupt that nothing handles.
pub(super) fn unhandled(vector: u8) -> String {
    /// Interrupts that people raise.
    const MEANT: [u8; 4] = [0x10, 0x16, 0x21, 0x80];
    /// That of the BIOS which only 16-bit programs have.
    const OF_REAL_MODE: u8 = 0x15;
    let decimal = MEANT.iter().any(|meant| format!("{meant:X}") == vector.to_string());
    let itself = format!("int {vector:X}h is served with AH=88h or AX=E801h, in 16-bit programs only");
    let why = match (decimal, vector == OF_REAL_MODE) {
        (true, true) => format!("`int {vector}` in decimal is that, and `int {vector}h` may be meant; {itself}"),
        (true, false) => format!("{vector} is decimal in the source; for interrupt {vector}h write `int {vector}h`"),
        (false, true) => itself,
        (false, false) => {
            "served are int 20h and int 21h of DOS, int 10h, 16h and 1Ah of the BIOS, in 16-bit programs \
                           int 15h (88h, E801h), and int 80h of Linux"
                .to_owned()
        }
    };
    format!("nothing handles interrupt {vector:02X}h: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refused_calls_are_counted_after_the_first_ones() {
        let notes = |calls: &[u32]| {
            let refused = calls.iter().map(|&call| Note::Refused(RefusedService::Linux { call }));
            refused.collect::<Vec<_>>()
        };
        assert_eq!(refused_calls(&[Note::PortRead]), None);
        let eight = refused_calls(&notes(&[435, 436, 437, 438, 439, 440, 441, 99_999]));
        let named = "clone3, close_range, openat2, pidfd_getfd, faccessat2, process_madvise, epoll_pwait2, call 99999";
        assert_eq!(eight, Some(format!("{named} (ENOSYS)")));
        let ten = refused_calls(&notes(&[435, 436, 437, 438, 439, 440, 441, 99_999, 1, 2]));
        assert_eq!(ten, Some(format!("{named} and 2 more (ENOSYS)")));
    }
}
