//! Names that the libraries of other systems define, which programs from books and courses use: what to write instead.

/// What to write where nothing defines this name or this file; `None` for other names.
pub(crate) fn remedy(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let name = name.rsplit(['\\', '/']).next().unwrap_or(&name);
    let found = |&(names, help): &(&[&str], &'static str)| names.contains(&name).then_some(help);
    NAMES.iter().find_map(found)
}

#[rustfmt::skip] // Several names in a line.
const NAMES: [(&[&str], &str); 6] = [
    (
        &["exitprocess", "_exitprocess@4", "exitthread"],
        "p5inst has no Windows: end the program with `ret`",
    ),
    (
        &["exit", "_exit"],
        "p5inst has no library that defines it: end the program with `ret`",
    ),
    (
        &["irvine32.inc", "irvine16.inc", "smallwin.inc", "irvine32.lib"],
        "Irvine32 is not part of p5inst: remove this line, write `.586` and `.model flat`, and end the program with \
         `ret`; variables that change are printed at the end",
    ),
    (
        &[
            "clrscr", "crlf", "delay", "dumpmem", "dumpregs", "getmseconds", "gotoxy", "ishexdigit", "msgbox",
            "parsedecimal32", "parseinteger32", "random32", "randomize", "randomrange", "readchar", "readdec",
            "readhex", "readint", "readkey", "readstring", "settextcolor", "str_compare", "str_copy", "str_length",
            "str_trim", "str_ucase",
            "waitmsg", "writebin", "writebinb", "writechar", "writedec", "writehex", "writehexb", "writeint",
            "writestring", "writewindowsmsg", "mwrite", "mwritestring",
        ],
        "Irvine32 is not part of p5inst: leave this out; variables that change are printed at the end",
    ),
    (
        &[
            "windows.inc", "kernel32.inc", "user32.inc", "gdi32.inc", "advapi32.inc", "masm32.inc", "masm32rt.inc",
            "msvcrt.inc",
        ],
        "p5inst has no Windows: remove this line, write `.586` and `.model flat`, and end the program with `ret`; \
         variables that change are printed at the end",
    ),
    (
        &[
            "getstdhandle", "writeconsole", "writeconsolea", "readconsole", "readconsolea", "writefile", "readfile",
            "messagebox", "messageboxa", "getmodulehandle", "getmodulehandlea", "stdout", "stdin", "inkey",
        ],
        "p5inst has no Windows: leave this out; variables that change are printed at the end",
    ),
];
