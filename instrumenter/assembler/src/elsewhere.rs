//! Names that the libraries of other systems define, which programs from books and courses use: what to write instead.

/// What to write where nothing defines this name or this file; `None` for other names.
pub(crate) fn remedy(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let name = name.rsplit(['\\', '/']).next().unwrap_or(&name);
    let found = |&(names, help): &(&[&str], &'static str)| names.contains(&name).then_some(help);
    NAMES.iter().find_map(found)
}

/// What to do where a compiler's output calls this name, which its libraries for C or C++ define; `None` for other
/// names.
pub(crate) fn of_compilers(name: &str) -> Option<&'static str> {
    let plain = name.trim_start_matches('_');
    let plain = plain.split('@').next().unwrap_or(plain);
    let known = |names: &[&str]| names.binary_search(&plain).is_ok();
    let begins = |begins: &[&str]| begins.iter().any(|begin| name.starts_with(begin));
    if begins(&OF_CXX) {
        return Some(
            "the library of C++ defines it: link a program, `g++ -m32 -g -static FILE.cpp -o PROGRAM`, then `p5inst \
             PROGRAM`",
        );
    }
    let helps = name.starts_with("__") && known(&OF_GCC);
    (helps || known(&OF_C)).then_some(
        "the C library defines it: link a program, `gcc -m32 -g -static FILE.c -o PROGRAM`, then `p5inst PROGRAM`; or \
         keep only functions that call no library, with `-fno-builtin` where the compiler makes the call",
    )
}

/// How names of the library of C++ begin, as linkers see them or made readable.
const OF_CXX: [&str; 14] = [
    "std::",
    "operator new",
    "operator delete",
    "__cxa_",
    "__gxx_",
    "_ZSt",
    "_ZNSt",
    "_ZNKSt",
    "_Znw",
    "_Zna",
    "_Zdl",
    "_Zda",
    "_ZTVSt",
    "_ZTVN10__cxxabiv",
];

/// The functions that GCC calls by itself, in order.
const OF_GCC: [&str; 18] = [
    "chk_fail",
    "divdi3",
    "divmoddi4",
    "fixdfdi",
    "fixsfdi",
    "fixunsdfdi",
    "fixunssfdi",
    "floatdidf",
    "floatdisf",
    "floatundidf",
    "floatundisf",
    "fprintf_chk",
    "moddi3",
    "popcountdi2",
    "printf_chk",
    "stack_chk_fail",
    "udivdi3",
    "umoddi3",
];

/// Functions of the C library, in order.
#[rustfmt::skip] // Several names in a line.
const OF_C: [&str; 96] = [
    "abort", "abs", "acos", "asin", "assert_fail", "atan", "atan2", "atexit", "atof", "atoi", "atol", "bcmp", "bsearch",
    "calloc", "ceil", "clock", "cos", "exit", "exp", "fabs", "fclose", "feof", "fflush", "fgetc", "fgets", "floor",
    "fmod", "fopen", "fprintf", "fputc", "fputs", "fread", "free", "fscanf", "fseek", "ftell", "fwrite", "getc",
    "getchar", "getenv", "gets", "isalnum", "isalpha", "isdigit", "islower", "isspace", "isupper", "labs", "ldexp",
    "log", "log10", "longjmp", "malloc", "memchr", "memcmp", "memcpy", "memmove", "memset", "perror", "pow", "printf",
    "putc", "putchar", "puts", "qsort", "rand", "realloc", "scanf", "setjmp", "sin", "snprintf", "sprintf", "sqrt",
    "srand", "sscanf", "stderr", "stdin", "stdout", "strcat", "strchr", "strcmp", "strcpy", "strdup", "strlen",
    "strncmp", "strncpy", "strrchr", "strstr", "strtol", "strtoul", "system", "tan", "time", "tolower", "toupper",
    "vprintf",
];

#[rustfmt::skip] // Several names in a line.
const NAMES: [(&[&str], &str); 9] = [
    (
        &["exitprocess", "_exitprocess@4"],
        "it is there for flat programs that declare it, `ExitProcess PROTO, dwExitCode:DWORD`, and `ret` ends a program, \
         too",
    ),
    (&["exitthread"], "p5inst has no Windows: end the program with `ret`"),
    (
        &["exit", "_exit"],
        "`INCLUDE Irvine32.inc` defines it for flat programs; `ret` ends a program, too",
    ),
    (
        &["irvine16.inc", "smallwin.inc", "irvine32.lib"],
        "it is not part of p5inst: write `INCLUDE Irvine32.inc` for a flat program, and leave this out",
    ),
    (
        &[
            "closefile", "clrscr", "createoutputfile", "crlf", "delay", "dumpmem", "dumpregs", "getmaxxy",
            "getmseconds", "gettextcolor", "gotoxy", "isdigit", "mdumpmem", "mgotoxy", "mreadstring", "mwrite",
            "mwriteln", "mwritespace", "mwritestring", "openinputfile", "parsedecimal32", "parseinteger32", "random32",
            "randomize", "randomrange", "readchar", "readdec", "readfromfile", "readhex", "readint", "readkey",
            "readstring", "settextcolor", "str_compare", "str_copy", "str_length", "str_trim", "str_ucase", "waitmsg",
            "writebin", "writebinb", "writechar", "writedec", "writehex", "writehexb", "writeint", "writestring",
            "writetofile",
        ],
        "Irvine32 has it: write `INCLUDE Irvine32.inc` in the first line of a flat program",
    ),
    (
        &[
            "getcommandtail", "getdatetime", "ishexdigit", "msgbox", "msgboxask", "writestackframe",
            "writestackframename", "writewindowsmsg", "mdump", "mshow", "mshowregister",
        ],
        "p5inst's Irvine32 lacks it: leave this out; variables that change are printed at the end",
    ),
    (
        &[
            "windows.inc", "kernel32.inc", "user32.inc", "gdi32.inc", "advapi32.inc", "masm32.inc", "masm32rt.inc",
            "msvcrt.inc",
        ],
        "p5inst has no Windows but `ExitProcess`, `GetStdHandle`, `WriteConsoleA`, `ReadConsoleA`, `WriteFile` and \
         `ReadFile`: remove this line, write `.586` and `.model flat,stdcall`, and declare those that you call, \
         `ExitProcess PROTO, dwExitCode:DWORD`",
    ),
    (
        &[
            "getstdhandle", "writeconsole", "writeconsolea", "readconsole", "readconsolea", "writefile", "readfile",
        ],
        "p5inst has `GetStdHandle`, `WriteConsoleA`, `ReadConsoleA`, `WriteFile` and `ReadFile` for flat programs that \
         declare them as they are called, with `PROTO`",
    ),
    (
        &[
            "messagebox", "messageboxa", "getmodulehandle", "getmodulehandlea", "stdout", "stdin", "inkey",
        ],
        "p5inst has no Windows: leave this out; variables that change are printed at the end",
    ),
];

#[cfg(test)]
mod tests {
    use super::{OF_C, OF_GCC, of_compilers};

    #[test]
    fn names_of_libraries_are_known_however_they_are_written() {
        assert!(OF_C.is_sorted() && OF_GCC.is_sorted());
        for name in [
            "printf",
            "_printf",
            "__printf_chk",
            "__stack_chk_fail",
            "strlen",
            "__udivdi3",
        ] {
            assert!(of_compilers(name).is_some_and(|help| help.contains("gcc")), "{name}");
        }
        for name in [
            "std::terminate()",
            "operator new(unsigned int)",
            "_ZSt4cout",
            "_Znwj",
            "_ZdlPvj",
            "_ZTVN10__cxxabiv117__class_type_infoE",
            "__cxa_throw",
        ] {
            assert!(of_compilers(name).is_some_and(|help| help.contains("g++")), "{name}");
        }
        for name in [
            "print",
            "divdi3",
            "f(int)",
            "sum",
            "_ZneRK1AS1_",
            "_ZdvRK1AS1_",
            "_ZTV1A",
        ] {
            assert_eq!(of_compilers(name), None, "{name}");
        }
    }
}
