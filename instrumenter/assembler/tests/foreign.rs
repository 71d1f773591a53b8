//! Source of other assemblers has one error that names its notation; source of MASM and TASM never has it.

use super::complaints;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn a_file_for_another_assembler_has_one_error_that_says_so() {
    for (text, line, name) in [
        (
            ".model flat\n.globl f\n.section x\n.type f\nmovl 1\n",
            2,
            "GNU assembler",
        ),
        (
            "#![no_std]\nuse core::hint::black_box;\nfn twice(x: u32) -> u32 {\n    x + x\n}\n",
            1,
            "Rust",
        ),
        ("fn main() {\n    println!(\"hello\");\n}\n", 1, "Rust"),
        (
            "#![no_std]\n#![no_main]\npub extern \"C\" fn _start() -> ! {\n    loop {}\n}\n",
            1,
            "Rust",
        ),
        ("#include <stdio.h>\nint main(void) {\n    return 0;\n}\n", 1, "C"),
        (
            "static int x;\nvoid f(void)\n{\n    for (;;)\n        x++;\n}\n",
            1,
            "C",
        ),
    ] {
        let found = complaints(text);
        let [only] = &found[..] else {
            panic!("{text}\n{found:#?}")
        };
        let help = match name {
            "GNU assembler" => {
                "link what the GNU assembler makes of it: `gcc -m32 -g -static MAIN.c FILE.s -o PROGRAM`"
            }
            "Rust" if !text.contains("no_std") => {
                "compile it for a Pentium and run the program: `rustup target add i586-unknown-linux-gnu`, `rustc -O \
                 -g --target i586-unknown-linux-gnu -C target-cpu=pentium -C target-feature=+crt-static FILE.rs`, then \
                 `p5inst --also cmov,endbr FILE`; "
            }
            "Rust" => {
                "compile it for a Pentium and run the program: `rustc -O -g -C panic=abort --target \
                 i686-unknown-linux-musl -C target-cpu=pentium "
            }
            _ => "compile it for a Pentium and run the program: `gcc -m32 -march=pentium ",
        };
        let start = format!("{line}: {name} source, which is not supported | {help}");
        assert!(only.starts_with(&start), "{only}");
    }
}

/// The programs in a file of `tests/foreign`, which lines of `====` separate.
fn programs(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign").join(name);
    let text = fs::read_to_string(path).expect("UTF-8");
    let programs: Vec<String> = text.split("====\n").map(str::to_owned).collect();
    assert!(programs.len() >= 20, "{name}: {}", programs.len());
    programs
}

#[test]
fn short_programs_for_nasm_are_read() {
    for text in programs("nasm.txt") {
        let found = complaints(&text);
        let is_open = |line: &String| {
            [
                "undefined symbol",
                "external symbol",
                "no instruction of this name",
                "cannot include",
                "loaded at 7C00h",
                "for 64 bits",
            ]
            .iter()
            .any(|open| line.contains(open))
        };
        assert!(found.iter().all(is_open), "{text}\n{found:#?}");
    }
}

#[test]
fn short_programs_for_the_gnu_assembler_are_read() {
    for text in programs("gas.txt") {
        let found = complaints(&text);
        let is_open = |line: &String| line.contains("undefined symbol") || line.contains("source with `.macro`");
        assert!(found.iter().all(is_open), "{text}\n{found:#?}");
    }
}

#[test]
fn short_programs_for_masm_and_tasm_are_never_taken_for_others() {
    for text in programs("masm.txt") {
        let found = complaints(&text);
        assert!(!found.is_empty(), "{text}");
        assert!(
            !found.iter().any(|line| line.contains("which is not supported")),
            "{text}\n{found:#?}"
        );
    }
}

#[test]
fn an_error_in_a_file_for_masm_stays_an_error_of_its_line() {
    for text in [
        "global sum:near\n.model flat\nsection .text\n.code\nmov eax,[ebx]\n",
        ".model flat\n.code\nmov eax,dword [ebx\nmov eax,%ecx\nmov byte [eax\n",
        "message db 'section .text', 13, \".globl\"\n; %macro %define\n mov al,300\n",
        "first macro number\n mov eax,number\nendm\n first %ecx\n mov al,300\n",
        "mov eax,$1\n",
    ] {
        let found = complaints(text);
        assert!(
            !found.is_empty() && found.iter().all(|line| !line.contains("not supported |")),
            "{found:#?}"
        );
    }
}

#[test]
fn no_source_of_the_project_is_taken_for_one_of_another_assembler() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")];
    let mut sources: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_source = path.extension().is_some_and(|found| found == "asm" || found == "inc");
            if path.is_dir() && entry.file_name() != "target" && entry.file_name() != ".git" {
                folders.push(path);
            } else if is_source {
                sources.push(path);
            }
        }
    }
    assert!(sources.len() > 50, "only {} sources were found", sources.len());
    for path in sources {
        let text = fs::read_to_string(&path).expect("UTF-8");
        // Only a source with an error is looked at.
        let found = complaints(&format!(" mov al,300\n{text}"));
        assert!(!found.is_empty(), "{}", path.display());
        let foreign = found
            .iter()
            .find(|line| line.contains("source, which is not supported |"));
        assert_eq!(foreign, None, "{}", path.display());
    }
}

#[test]
fn inline_assembly_with_other_operands_has_one_error_that_says_what_to_give() {
    const ALONE: &str = "inline assembly, which is not read with the statement around it | give the lines between the \
                         quotes alone, one instruction a line";
    for (text, line, more) in [
        (
            "let r: f32;\nunsafe {\n    asm!(\n        \"addss {0}, {1}\",\n        inout(xmm_reg) x => r, in(xmm_reg) \
             y,\n    );\n}\n",
            3,
            ", and write a register for `{0}` and `{1}`",
        ),
        (
            "__asm__ volatile (\n    \"fmul %1, %%st\\n\\t\"\n    \"decl %[x]\\n\\t\"\n    : \"=t\"(r) : \"u\"(y));\n",
            1,
            ", and write a register for `%1` and `%[x]`, with one `%` before each",
        ),
        // Several statements have registers each.
        (
            "asm(\"movl %0, %%eax\" : : \"r\"(x));\nasm(\"addl %0, %%eax\" : : \"r\"(y));\n",
            1,
            ", and write a register for `%0`, with one `%` before each",
        ),
    ] {
        assert_eq!(complaints(text), [format!("{line}: {ALONE}{more}")], "{text}");
    }
    // A whole source has the error of its language, and a continued string is no inline assembly.
    let whole = complaints("fn main() {\n    unsafe { asm!(\"nop\") };\n}\n");
    assert!(whole[0].contains("Rust source"), "{whole:?}");
    let text =
        complaints(".586\n.model flat\n.data\ntext db \"asm(\",\n\"b\",0\n.code\nstart: movv eax,1\nret\nend start\n");
    assert!(!text.is_empty() && !text[0].contains("inline"), "{text:?}");
}

#[test]
fn inline_assembly_is_read_with_the_statement_around_it() {
    for text in [
        "asm!(\"add eax, ebx\", \"imul eax, 3\", in(\"ebx\") y, inout(\"eax\") x);\n",
        "core::arch::asm!(r\"\n    mov ecx, 10\nnext: dec ecx\n    jnz next\n\", out(\"ecx\") _);\n",
        "        \"mov eax, 10\",\n        \"next:\",\n        \"dec eax\",\n        \"jnz next\",\n",
        "asm!(\"mov {}, 10\", \"add {}, {}\", out(reg) a, inout(reg) b, in(reg) c);\n",
        "asm volatile(\"rdtsc\" : \"=a\"(low), \"=d\"(high));\n",
        "asm(\"movl $1, %eax\\n\\tdecl %eax\");\n",
        "asm(\"imull %2, %0; addl %3, %0\" : \"=r\"(x) : \"0\"(x), \"i\"(3), \"D\"(z));\n",
        "_asm mov eax, 1\n_asm inc eax // one more\n",
    ] {
        let told = complaints(text);
        assert!(
            told.iter().all(|one| one.contains("operands of inline assembly: ")),
            "{text}\n{told:#?}"
        );
    }
    // What is wrong in it has its place there, behind what a register stands for.
    let told = complaints("asm(\"movl %[at], %%eax; movk $1, %%ebx\" : : [at] \"r\"(x));\n");
    assert!(
        told.iter().any(|one| one.starts_with("1: unknown instruction")),
        "{told:#?}"
    );
}

#[test]
fn instructions_for_nasm_are_read() {
    for text in [
        "BITS 32\n    mov eax, dword [esp+4]\n    add eax, dword [esp+8]\n    ret\n",
        "f: push ebx\n.a: cmp byte [esi], 1\n je .b\n inc esi\n jmp short .a\n.b: pop ebx\n ret\ng:\n.a: fld tword [esp]\n \
         jmp .a\n",
        "MOV AL,BYTE [ES:EDI]\nADD WORD [EBX], BYTE 3\nREP MOVSD\n",
    ] {
        assert_eq!(complaints(text), Vec::<String>::new(), "{text}");
    }
    // A mistake in them has its place, and what is more than instructions is for NASM.
    let told = complaints("mov dword [esi],eax\nmvo eax,1\n");
    assert!(
        told[0].starts_with("2: unknown instruction, directive or macro `mvo`"),
        "{told:?}"
    );
    let told = complaints("mov dword [esi],eax\n%define x 1\ntimes 3 nop\n");
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn source_for_nasm_of_dos_is_read_and_64_bit_code_is_not() {
    let of_dos = "org 100h\n push word 0A000h\n pop es\n mov byte [es:di],1\n ret\n";
    assert_eq!(complaints(of_dos), Vec::<String>::new());
    let wide = "global _start\nsection .text\n_start: mov rax,60\n syscall\n";
    let told = complaints(wide);
    assert!(
        told[0].contains("NASM source for 64 bits, which a Pentium cannot execute"),
        "{told:?}"
    );
}

#[test]
fn a_number_is_a_label_of_a_fragment_alone() {
    let found = complaints(".586\n.model flat\n.code\nstart: mov ecx,5\n1: dec ecx\njnz 1b\nret\nend start\n");
    assert_eq!(
        found,
        ["5: a number is no label in MASM and TASM | write `@@:`, `@b` for `1b` and `@f` for `1f`, or a name"]
    );
}
