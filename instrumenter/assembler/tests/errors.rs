//! Bad input: every error in a file is reported clearly, in bounded time and memory.

use super::complaints;
use cpu_time::ThreadTime;
use p5_assembler::diag::{Severity, first_error};
use p5_assembler::source::{Included, Sources, Unavailable};
use p5_assembler::{Library, Options, assemble};
use std::time::Duration;

fn first(text: &str, expected: &str) {
    let found = complaints(text);
    assert_eq!(found.first().map(String::as_str), Some(expected), "{text}\n{found:#?}");
}

#[test]
fn common_typing_errors() {
    first(
        "mov sub eax,_timer0",
        "1: expected an operand, found an instruction | write `sub eax,_timer0` or `mov eax,_timer0`",
    );
    first(
        "nop\nmvo eax,1",
        "2: unknown instruction, directive or macro `mvo` | did you mean `mov`?",
    );
    first(
        "counter dd 0\nmov eax,conter",
        "2: undefined symbol `conter` | did you mean `counter`?",
    );
    first(
        "lonely\nnop",
        "1: unknown instruction, directive or macro `lonely` | write `lonely:` to define a label",
    );
    first("mov eax,[ebx", "1: expected `]`");
    first("mov eax,(1+2", "1: expected `)`");
    first(
        "mov eax,1 nop",
        "1: unexpected second instruction | write one instruction per line",
    );
    first("mov eax,", "1: missing operand");
    first("mov eax,'open", "1: unterminated string");
    first(
        "mov eax,12a",
        "1: invalid digit in a decimal number; write `h` after a hexadecimal number",
    );
    first(
        "a: nop\na: nop",
        "2: `a` is already defined | rename one of them; the first definition is on line 1",
    );
    first("nop\nif 1", "2: conditional is never closed | add `endif`");
    for never in [
        "if 1\nnop\nend m",
        "if 1\nrept 2\nend m\nendm",
        "if 1\nend m\nif 1\nendif",
    ] {
        let text = format!(".code\nm:\n{never}\n");
        assert_eq!(
            complaints(&text),
            ["3: conditional is never closed | add `endif`"],
            "{text}"
        );
    }
    for (closed, line) in [
        ("if 1\nend m\nelse\nend q\nendif", 9),
        ("q macro\nif 1\nend m\nendif\nendm\nq\nq", 10),
    ] {
        let text = format!(".code\nm:\nnop\n{closed}\nnot read\nif 1\n");
        let unread = "nothing after the end of the program is read";
        let help = "move these lines before it, or make them comments";
        assert_eq!(complaints(&text), [format!("{line}: {unread} | {help}")], "{text}");
    }
    first("nop\nendif", "2: nothing to end: no conditional is open");
    first("nop\nm macro\nnop", "2: macro `m` is never closed | add `endm`");
    let skipped = assemble(
        &Sources::single("t.asm", "main proc\nrept 3\nret\nmain endp\nend main\n"),
        &Options::default(),
    );
    let found: Vec<_> = skipped.diagnostics.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        found,
        ["repeat `REPT` is never closed"],
        "what is skipped is not missed"
    );
    first(
        "main proc\nret\nmian endp\nend main\n",
        "3: `mian` cannot end: the open procedure is `main` from line 1 | did you mean `main`?",
    );
    first("nop\nrept 2\nnop", "2: repeat `REPT` is never closed | add `endm`");
    first(
        "nop\ncomment ~\nnop\n",
        "2: block comment is never closed | end the comment with a second `~`",
    );
    first(
        "Frame proc\nnop",
        "1: procedure `Frame` is never closed | add `Frame endp`",
    );
    first(
        "Point struc\nx dd 0\n",
        "1: structure `Point` is never closed | add `Point ends`",
    );
    first("else", "1: alternative without a conditional");
    first(
        "if 1\nelse\nelse\nendif\nnop",
        "3: the last alternative of the conditional from line 1 has already begun",
    );
    first(
        "m macro\nendif\nendm\nif 1\nm\nendif\nnop",
        "2: nothing to end: no conditional is open | the conditional from line 4 was opened outside this macro",
    );
    first(
        "Outer proc\nnop\nInner endp\n",
        "3: `Inner` cannot end: the open procedure is `Outer` from line 1 | end `Outer` first",
    );
    first(
        "ud2\nnop",
        "1: `ud2` is an instruction of other processors | the assembler has the instructions of the Pentium",
    );
    first(".Text\nnop", "1: unknown instruction, directive or macro `.Text`");
    first("Xyzzy a\nnop", "1: unknown instruction, directive or macro `Xyzzy`");
    first(
        "StartTSC\nEndTSC here\n",
        "2: too many arguments for `EndTSC`: expected 0, found 1 | `EndTSC` takes no arguments",
    );
    first("mov eax,NoWhere", "1: undefined symbol `NoWhere`");
    first("x = 1/0\nnop", "1: division by zero");
    first(
        "m macro a:req\nendm\nm\nnop",
        "3: macro `m` requires an argument for `a` | `m` takes one argument: `a`",
    );
    first(
        "extrn printf:near\ncall printf",
        "2: external symbol `printf` is not defined in this program | include the file that defines it, or name its object or library after the source",
    );
    first("jmp @F", "1: no anonymous label in this direction");
    first(
        "mov eax,[eax+ebx+ecx]",
        "1: an address can have at most a base and an index register",
    );
    first("mov eax,[ebx*3]", "1: index register scale must be 1, 2, 4 or 8");
    first("db 256\nnop", "1: 256 does not fit in 8 bits");
    first(
        ".data\nx dd 1\n.code\nmain: ret\nend mian",
        "5: undefined symbol `mian` | did you mean `main`?",
    );
    first(
        "x dd 1",
        "1: no instructions to run in this file | write instructions, in a code segment if the file has segments",
    );
    first("align 3\nnop", "1: alignment must be a power of two up to 65536, not 3");
}

#[test]
fn sizes_that_do_not_agree() {
    for text in ["v db 1\nmov eax,v", "mov [ebx],5", "v dd 1\nmov al,v"] {
        let found = complaints(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(" ptr"), "the help shows what to write: {found:?}");
    }
}

#[test]
fn all_errors_of_a_file_are_reported() {
    let found = complaints("mov eax,nowhere\nxyzzy 1\nmov al,300h\nnop\njmp away\n.err <stop>\n");
    let lines: Vec<_> = found.iter().map(|line| &line[..1]).collect();
    // Names are known to be undefined at the end.
    assert_eq!(lines, ["2", "3", "6", "1", "5"], "{found:#?}");
}

#[test]
fn errors_are_capped() {
    let found = complaints(&"mov eax,)\n".repeat(5000));
    assert_eq!(found.len(), 1001);
    assert_eq!(found[1000], "0: too many errors: stopped after 1000");
}

#[test]
fn bombs_are_rejected_clearly_and_at_once() {
    let deep = format!("mov eax,{}1{}", "(".repeat(200_000), ")".repeat(200_000));
    let nested = format!("mov eax,{}1{}", "(".repeat(2000), ")".repeat(2000));
    let chain = format!("mov eax,a{}", "+a".repeat(5000));
    let wide = format!("db {}1", "1,".repeat(5_000_000));
    let doubling: String = (0..60)
        .map(|n| format!("m{} macro\nm{n}\nm{n}\nendm\n", n + 1))
        .collect();
    let structures: String = (0..40)
        .map(|n| format!("s{} struc\na s{n} <>\nb s{n} <>\ns{} ends\n", n + 1, n + 1))
        .collect();
    for (text, expected) in [
        ("x db 1000000000 dup(0)".to_owned(), "larger than 64 MiB"),
        ("x db 1000000 dup(1000000 dup(0))".to_owned(), "larger than 64 MiB"),
        ("x db 10000 dup(10000 dup(?))".to_owned(), "larger than 64 MiB"),
        ("m macro\nm\nendm\nm".to_owned(), "nested deeper than 256"),
        ("rept 1000000000\nnop\nendm".to_owned(), "exceeds the limit"),
        ("while 1\nendm".to_owned(), "is endless"),
        ("while 1\nnop\nendm".to_owned(), "more than 1000000 times"),
        (deep, "longer than 64 KiB"),
        (nested, "nested deeper than 256"),
        (chain, "too complex"),
        (wide, "longer than 64 KiB"),
        (format!("{doubling}m0 macro\nnop\nendm\nm60"), "more than 2000000 lines"),
        (
            format!("s0 struc\nv dd 0\ns0 ends\n{structures}"),
            "larger than 1024 KiB",
        ),
        ("MZ\0\0\u{1}\u{2}".to_owned(), "is not assembly source"),
        (
            "a equ b+1\nb equ a+1\nmov eax,a".to_owned(),
            "symbol definition is recursive",
        ),
        ("a equ <a a>\na".to_owned(), "recursive text macro"),
        ("org 7fffffffh\nnop".to_owned(), "larger than 64 MiB"),
        (format!("{}nop", "if 1\n".repeat(100_000)), "nested deeper than"),
    ] {
        let begun = ThreadTime::now();
        let options = Options {
            limits: p5_assembler::Limits {
                expanded_lines: 2_000_000,
                ..Default::default()
            },
            ..Options::default()
        };
        let assembly = assemble(&Sources::single("bomb.asm", &text), &options);
        let found: Vec<_> = assembly.diagnostics.iter().map(|found| &found.message).collect();
        let head: String = text.chars().take(60).collect();
        assert!(
            found.iter().any(|line| line.contains(expected)),
            "{head}: {:#?}",
            &found[..found.len().min(3)]
        );
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{head}: {:?}",
            begun.elapsed()
        );
    }
}

#[test]
fn a_file_that_includes_itself_ends() {
    let sources = Sources {
        objects: &[],
        include: &|_| {
            Ok(Included::File {
                name: "again.asm".to_owned(),
                bytes: b"include again.asm\n".to_vec(),
            })
        },
        ..Sources::single("again.asm", "include again.asm\nnop\n")
    };
    let assembly = assemble(&sources, &Options::default());
    assert!(assembly.image.is_none());
    assert!(assembly.diagnostics[0].message.contains("nested deeper than 64"));
}

#[test]
fn no_text_makes_it_panic() {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    const PARTS: &[&str] = &[
        "mov",
        "eax",
        "ebx",
        ",",
        "[",
        "]",
        "(",
        ")",
        "+",
        "*",
        "4",
        "0fh",
        "db",
        "dd",
        "dup",
        "macro",
        "endm",
        "rept",
        "irp",
        "if",
        "else",
        "endif",
        "x",
        "y",
        "m",
        "equ",
        "=",
        ":",
        "'a",
        "'",
        "<",
        ">",
        "&",
        "%",
        "!",
        "\n",
        "\n",
        "\n",
        "struc",
        "ends",
        "proc",
        "endp",
        "local",
        "ptr",
        "dword",
        "offset",
        "$",
        "?",
        "@@",
        "@F",
        "@B",
        ".",
        ".data",
        ".code",
        "end",
        "exitm",
        "while",
        "StartTSC",
        "EndTSC",
        "s",
        "e",
        "jmp",
        "call",
        "rep",
        "lock",
        "é",
        "1.5",
        "-",
        "shl",
        "size",
        "org",
        "align",
        "comment",
        "include",
        "uses",
        "ret",
        "st",
        "es",
        "not",
        "label",
        "segment",
        "textequ",
        "purge",
        ";",
        "\t",
        ".pushsegment",
        ".popsegment",
        "ifb",
        "ifidn",
        "irpc",
        "byte",
        "near",
        "short",
        "far",
        "type",
        "this",
        "high",
        "low",
        "invoke",
        "proto",
        ".if",
        ".else",
        ".elseif",
        ".endif",
        ".while",
        ".endw",
        ".repeat",
        ".until",
        ".break",
        "&&",
        "||",
        "arg",
        "record",
        "mask",
        "typedef",
        "substr",
        "catstr",
        "@CatStr(",
        "@SubStr(",
        "goto",
        "\\",
        "union",
        "pushstate",
        "popstate",
        "::",
        ".model flat,stdcall\n",
        "ideal",
        "masm",
        "\u{feff}",
    ];
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.usize(1..60) {
            text.push_str(PARTS[random.usize(..PARTS.len())]);
            if random.u8(..) > 40 {
                text.push(' ');
            }
        }
        let options = Options {
            limits: p5_assembler::Limits {
                expanded_lines: 1000,
                repeats: 100,
                all_repeats: 1000,
                ..Default::default()
            },
            // The shorter library, and from time to time the one that measures.
            library: [Library::Unmeasured, Library::Pentium][usize::from(round % 16 == 0)],
            ..Options::default()
        };
        let result = std::panic::catch_unwind(|| assemble(&Sources::single("f", &text), &options));
        assert!(result.is_ok(), "seed {seed}, round {round}:\n{text}");
    }
}

#[test]
fn a_failed_include_is_an_error_whatever_the_file_is_called() {
    let sources = Sources {
        objects: &[],
        include: &|_| Err(Unavailable::because("it may not be read").with_help("ask its owner")),
        ..Sources::single("main.asm", "include p5.inc\nnop\n")
    };
    let assembly = assemble(&sources, &Options::default());
    let [found] = &assembly.diagnostics[..] else {
        panic!("{:?}", assembly.diagnostics);
    };
    assert_eq!(found.message, "cannot include `p5.inc`: it may not be read");
    assert_eq!(found.help.as_deref(), Some("ask its owner"));
}

#[test]
fn what_may_follow_from_a_failed_include_is_said_once() {
    let found = complaints("include one.inc\ninclude two.inc\nmov eax,Limit\nInitialise\n");
    let lines: Vec<&str> = found.iter().map(|line| &line[..2]).collect();
    assert_eq!(lines, ["1:", "2:", "4:", "3:"], "{found:#?}");
    let about: Vec<bool> = found.iter().map(|line| line.contains("may follow from this")).collect();
    assert_eq!(about, [true, false, false, false], "{found:#?}");
}

#[test]
fn an_undefined_name_is_reported_once_with_the_number_of_its_uses() {
    let text = "mov eax,cuonter\njmp nowhere\nmov ebx,cuonter\ncall nowhere\nfoo 1\nfoo 2\nfoo\nx dd cuonter\ncounter dd 1\n\
                extrn far_away:near\ncall far_away\njmp far_away\nmov al,300\nmov ah,300\n";
    let assembly = assemble(&Sources::single("test.asm", text), &Options::default());
    let found: Vec<(&str, Option<&str>)> = assembly
        .diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.message.as_str(), diagnostic.label.as_deref()))
        .collect();
    let expected = [
        ("unknown instruction, directive or macro `foo`", Some("one of 3 places")),
        ("300 does not fit in 8 bits", None),
        ("300 does not fit in 8 bits", None),
        ("undefined symbol `cuonter`", Some("one of 3 places")),
        ("undefined symbol `nowhere`", Some("one of 2 places")),
        (
            "external symbol `far_away` is not defined in this program",
            Some("one of 2 places"),
        ),
    ];
    assert_eq!(found, expected);
    let helps: Vec<&str> = assembly
        .diagnostics
        .iter()
        .filter_map(|one| one.help.as_deref())
        .collect();
    assert!(helps.contains(&"did you mean `counter`?"), "{helps:?}");
}

#[test]
fn the_body_of_a_macro_that_could_not_be_defined_is_quiet() {
    for text in [
        "macro\n",
        "x: macro\n",
        "name macro a,a\n",
        "rept many\n",
        "irp a\n",
        "while\n",
    ] {
        let found = complaints(&format!(
            "{text} bad line\n mov 1,2\n rept 2\n worse\n endm\nendm\nlast\n"
        ));
        let [first, last] = &found[..] else {
            panic!("{text}{found:#?}")
        };
        assert!(
            first.starts_with("1: ") && last.starts_with("8: unknown"),
            "{text}{found:#?}"
        );
    }
}

#[test]
fn a_warning_in_front_is_not_the_reason() {
    let diagnostics = |text: &str| assemble(&Sources::single("a.asm", text), &Options::default()).diagnostics;
    let found = diagnostics(" EndTSC\n nop\n mov eax,nothing\n");
    assert_eq!(found[0].severity, Severity::Warning);
    let error = first_error(&found).map(|one| one.message.as_str());
    assert!(error.is_some_and(|message| message.contains("nothing")), "{error:?}");
    assert_eq!(first_error(&diagnostics(" EndTSC\n nop\n")), None);
}
