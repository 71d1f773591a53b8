//! Errors whose help tells what may be meant instead.

use super::complaints;

fn first(text: &str, expected: &str) {
    let found = complaints(text);
    assert_eq!(found.first().map(String::as_str), Some(expected), "{text}\n{found:#?}");
}

/// What is said of a variable of bytes whose word goes to SI.
const OTHER_SIZE: &str = "the variable has another size than the other operand, which decides how many bytes are \
    accessed | for the address of `msg`, write `offset msg` or `lea si,msg`; for its contents, write `byte ptr ...`, \
    `word ptr ...` or `dword ptr ...` if that is intended";

#[test]
fn the_name_of_a_string_may_mean_its_address() {
    let flat = |line: &str| {
        format!(".386\n.model flat\n.data\nmsg db \"hello\",0\nb db 3\n.code\nstart:\n{line}\nret\nend start\n")
    };
    let byte = "8: the memory operand is declared as a byte, but";
    let widen = "use `movzx` or `movsx` to widen it; write `dword ptr ...` to read what follows it, too";
    let address = |name: &str, register: &str| {
        format!("for the address of `{name}`, write `offset {name}` or `lea {register},{name}`")
    };
    for (line, help) in [
        (
            "mov esi, msg",
            format!("{}; for its contents, {widen}", address("msg", "esi")),
        ),
        (
            "mov eax, msg",
            format!("{}; for its contents, {widen}", address("msg", "eax")),
        ),
        ("mov edi, b", format!("{widen}; {}", address("b", "edi"))),
        ("mov eax, b", widen.to_owned()),
        ("mov eax, msg[ecx]", widen.to_owned()),
    ] {
        let register = &line[4..7];
        first(
            &flat(line),
            &format!("{byte} `mov` with `{register}` takes a dword | {help}"),
        );
    }
    let to_add = "widen it into a free register with `movzx` first, and `add` that; `dword ptr ...` reads what \
                  follows it, too";
    first(
        &flat("add eax, b"),
        &format!("{byte} `add` with `eax` takes a dword | {to_add}"),
    );
    first(
        &flat("add b, eax"),
        &format!("{byte} `add` with `eax` takes a dword | write `dword ptr ...` if that is intended"),
    );
    let ideal =
        ".386\nideal\nmodel flat\ndataseg\nmsg db \"hello\",0\ncodeseg\nstart:\nmov esi,[msg]\nret\nend start\n";
    first(
        ideal,
        "8: the memory operand is declared as a byte, but `mov` with `esi` takes a dword | for the address of `msg`, \
         write `offset msg` or `lea esi,[msg]`; for its contents, use `movzx` or `movsx` to widen it; write \
         `[dword ...]` to read what follows it, too",
    );
    let small = ".model small\n.data\nmsg db \"hello\",0\n.code\nstart:\nmov si,msg\nret\nend start\n";
    first(small, &format!("6: {OTHER_SIZE}"));
    // The same where the variable stands after its use.
    let later = ".model tiny\n.code\norg 100h\nstart:\nmov si,msg\nret\nmsg db \"hello\",0\nend start\n";
    first(later, &format!("5: {OTHER_SIZE}"));
    first(
        "org 100h\nmov si,msg\nret\nmsg db \"hello\",0\n",
        &format!("2: {OTHER_SIZE}"),
    );
}

#[test]
fn names_of_other_systems_have_what_to_write_instead() {
    first(
        ".386\n.model flat,stdcall\nExitThread proto :dword\n.code\nstart:\ninvoke ExitThread,0\nend start",
        "6: external symbol `ExitThread` is not defined in this program | p5inst has no Windows: end the program with \
         `ret`",
    );
    first(
        ".386\n.model flat,stdcall\n.code\nstart:\npush 0\ncall ExitProcess\nend start",
        "6: undefined symbol `ExitProcess` | it is there for flat programs that declare it, `ExitProcess PROTO, \
         dwExitCode:DWORD`, and `ret` ends a program, too",
    );
    // What is declared is there.
    assert_eq!(
        complaints(
            ".386\n.model flat,stdcall\nExitProcess proto :dword\n.code\nstart:\ninvoke ExitProcess,0\nend start"
        ),
        [""; 0]
    );
    let course = complaints("include irvine16.inc\n.code\nmain proc\ncall WriteInt\nexit\nmain endp\nend main");
    for (line, help) in [
        (
            "1: cannot include `irvine16.inc`",
            "write `INCLUDE Irvine32.inc` for a flat program",
        ),
        (
            "4: undefined symbol `WriteInt`",
            "write `INCLUDE Irvine32.inc` in the first line",
        ),
        (
            "5: unknown instruction, directive or macro `exit`",
            "`ret` ends a program, too",
        ),
    ] {
        let told = course.iter().any(|one| one.starts_with(line) && one.contains(help));
        assert!(told, "{line}: {course:#?}");
    }
    let windows = complaints(".386\n.model flat\ninclude \\masm32\\include\\windows.inc\n.code\nret\nend");
    assert!(
        windows[0].contains("p5inst has no Windows but `ExitProcess`"),
        "{windows:#?}"
    );
    // The name of a text is not the text.
    let text = complaints("name equ <other.inc>\ninclude NAME\n.386\n.model flat\n.code\nret\nend");
    assert!(
        text[0].starts_with("2: cannot include `NAME`") && text[0].ends_with("write `% include NAME`"),
        "{text:#?}"
    );
    // A name of the program's own is not meant.
    assert_eq!(
        complaints(".386\n.model flat\n.code\nstart: call exit\nexit: ret\nend start"),
        [""; 0]
    );
}

#[test]
fn ends_with_a_label_may_mean_the_end() {
    first(
        ".386\n.model flat\n.code\nstart: ret\nends start\n",
        "5: only a segment is closed here, and `start` is a label | write `end start` if the program \
         ends here and starts there",
    );
    assert_eq!(
        complaints(".386\n.model flat\n.code\nstart: ret\nends\nend start\n"),
        [""; 0]
    );
}

#[test]
fn a_mnemonic_and_a_register_without_a_blank_are_two_words() {
    first(
        "moveax, 5",
        "1: unknown instruction, directive or macro `moveax` | did you mean `mov eax`?",
    );
    first(
        "pushebx",
        "1: unknown instruction, directive or macro `pushebx` | did you mean `push ebx`?",
    );
}

#[test]
fn an_origin_of_100h_before_all_code_begins_a_com_program() {
    use p5_assembler::{Options, assemble};
    use p5_image::Start;
    let image = |text: &str| {
        let assembly = assemble(
            &p5_assembler::source::Sources::single("a.asm", text),
            &Options::default(),
        );
        let told: Vec<String> = assembly.diagnostics.iter().map(|one| one.message.clone()).collect();
        (assembly.image.unwrap_or_else(|| panic!("{text}: {told:?}")), told)
    };
    let (com, told) = image("; eax\norg 100h\nmov cx,8\nmov dx,offset m\nmov ah,9\nint 21h\nret\nm db 'eax ; $'\n");
    assert!(
        matches!(com.start, Start::Real(start) if start.code == start.data),
        "{told:?}"
    );
    assert_eq!(com.bytes_at(com.entry)[..6], [0xB9, 8, 0, 0xBA, 0x0B, 1], "{told:?}");
    assert_eq!((com.fragment.is_some(), &told[..]), (false, &[][..]));
    // Before a memory model, too, whatever its name: templates of emulators begin so.
    for model in [".model tiny", ".model small", ".model tiny\n.286", ".model small\n.186"] {
        let text =
            format!("org 100h\n{model}\n.data\na db 5\nb db 7\n.code\nstart: mov al,a\nadd al,b\nret\nend start\n");
        for text in [&text[..], &text.replace(" start\n", "\n")] {
            let (com, told) = image(text);
            assert!(
                matches!(com.start, Start::Real(start) if start.code == start.data),
                "{text}: {told:?}"
            );
            assert_eq!(com.bytes_at(com.entry)[..3], [0xA0, 16, 1], "{text}: {told:?}");
            assert!(told.is_empty(), "{text}: {told:?}");
        }
    }
    let taken = "taken as 32-bit code, in which an origin of 100h does not make a COM program";
    for (text, expected) in [
        ("org 100h\nmov eax,8\nret\n", &[taken][..]),
        (".386\norg 100h\nmov ax,8\nret\n", &[taken][..]),
        ("org 200h\nmov ax,8\nret\n", &[][..]),
        ("mov ax,8\norg 100h\nret\n", &[][..]),
    ] {
        let (image, told) = image(text);
        assert_eq!(
            (image.start == Start::Flat, &told[..]),
            (
                true,
                &expected.iter().map(|one| one.to_string()).collect::<Vec<_>>()[..]
            ),
            "{text}"
        );
    }
}
