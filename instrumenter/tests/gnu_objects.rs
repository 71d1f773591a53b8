//! Objects of texts for GNU's assembler: their data, their symbols, what a linker makes of them, and modules that are
//! joined without one.

use crate::gnu_assembler::{built, is_here, told};
use crate::started;
use started::{p5inst, text};
use std::fs;
use std::path::Path;

/// The object that GNU's assembler makes of a text, and ours.
#[track_caller]
fn both(source: &str, folder: &Path) {
    fs::write(folder.join("theirs.s"), source).expect("it is written");
    told("as", &["--32", "theirs.s", "-o", "theirs.o"], folder);
    assert_eq!(built("own.s", source, folder), Ok(()), "{source}");
}

/// What is printed of a run with these files.
#[track_caller]
fn run(files: &[&str], folder: &Path) -> String {
    let output = p5inst(folder, files).output().expect("the command starts");
    let all = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{files:?}: {all}");
    all
}

/// What a run prints of a register.
#[track_caller]
fn register(name: &str, files: &[&str], folder: &Path) -> u32 {
    let told = run(files, folder);
    let (_, changed) = told.split_once("Changed").unwrap_or_default();
    let mut words = changed.split_whitespace().skip_while(|word| *word != name);
    let value = words.nth(1).and_then(|value| value.strip_suffix('h'));
    let value = value.and_then(|value| u32::from_str_radix(value, 16).ok());
    value.unwrap_or_else(|| panic!("{files:?}: no {name}\n{told}"))
}

/// The symbols of an object that a linker sees, with their binding and place, but not their numbers of sections.
fn symbols(object: &str, folder: &Path) -> Vec<String> {
    let told = told("readelf", &["-sW", object], folder);
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [_, value, size, _, bind, _, place, name] = words[..] else {
            return None;
        };
        let shared = matches!(bind, "GLOBAL" | "WEAK");
        let place = match place {
            "UND" => "elsewhere".to_owned(),
            "COM" => format!("common {value} {size}"),
            _ => format!("here {value}"),
        };
        shared.then(|| format!("{name} {bind} {place}"))
    };
    let mut all: Vec<String> = told.lines().filter_map(of_line).collect();
    all.sort();
    all
}

#[test]
fn data_has_the_bytes_of_gnus_assembler() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for source in [
        "tab: .byte 1,2,3\ntab_end: .align 4\nnext: .long 1000\n .long tab_end-tab, next-tab\n .byte 9\nlast: .p2align 3\n \
         .long last-tab\n",
        "one: .rept 3\n .byte 7\n .endr\ntwo: .long two-one\n",
        " .float inf, -inf, nan, -NaN, infinity, 0f1.5, 0f-2, 1, .5\n .double Inf, nan, -infinity, 0d1.25\n",
        " .octa 1, 0x112233445566778899aabbccddeeff00, -1, 012\n",
        "x: .byte 1\n .org 12\n .byte 2\ny: .org x+20, 7\n .org .+4\n .byte 9\n .long y-x\n .org 0x30\n .byte 1\n",
    ] {
        both(&format!(".globl f\nf: ret\n .data\n{source}"), folder.path());
        let bytes = |object| {
            let told = told("objdump", &["-s", "-j", ".data", object], folder.path());
            told.lines().skip(3).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(bytes("own.o"), bytes("theirs.o"), "{source}");
    }
    // Where bytes come from several sections, the offset in one of them is not known, and no byte is put elsewhere.
    let several = ".globl f\nf: ret\n .data\n .byte 1\n .section .rodata\n .byte 2\n .data\n .org 16\n .byte 3\n";
    let told = built("own.s", several, folder.path());
    assert!(told.clone().is_err_and(|told| told.contains("`.org`")), "{told:?}");
}

#[test]
fn symbols_are_bound_as_by_gnus_assembler() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for source in [
        ".comm one,4,4\n .comm two,40,32\n .comm three,7\n .comm four,400\n .comm five,1\n .local six\n .comm six,4,4\n \
         .lcomm seven,8\n movl one, %eax\n movl six, %ecx\n movl seven, %edx\n",
        ".weak hook\nhook: ret\n .globl g\ng: call hook\n jmp hook\n .weak also\n .set also, hook\n .weak table\n .data\n \
         .byte 1\ntable: .long 5, table, hook\n",
        ".weak missing\n .weak data\n movl $missing, %eax\n call missing\n movl data+4, %ecx\n",
        // What is called is code, whatever names it before.
        "movl $other, %eax\n call other\n",
    ] {
        let source = format!(".text\n.globl f\nf: ret\n {source}");
        both(&source, folder.path());
        assert_eq!(
            symbols("own.o", folder.path()),
            symbols("theirs.o", folder.path()),
            "{source}"
        );
        let instructions = |object| {
            let told = told("objdump", &["-d", "--no-show-raw-insn", object], folder.path());
            let words = told.lines().filter_map(|line| line.split('\t').nth(1));
            let words = words.map(|text| text.split_whitespace().next().unwrap_or_default().to_owned());
            words.collect::<Vec<_>>()
        };
        assert_eq!(instructions("own.o"), instructions("theirs.o"), "{source}");
    }
}

#[test]
fn lists_of_functions_are_sections_of_objects() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let source = ".text\n.globl f\nf: ret\n .section .init_array,\"aw\"\n .align 4\n .long f\n .section \
                  .fini_array,\"aw\"\n .long f, f\n .section .init_array.00101,\"aw\"\n .long f\n .section \
                  .ctors,\"aw\"\n .long f\n .text\n ret\n .section .init_array\n .long f\n";
    both(source, folder.path());
    let sections = |object| {
        let told = told("readelf", &["-SW", object], folder.path());
        let listed = |line: &str| {
            let words: Vec<&str> = line.split(']').nth(1)?.split_whitespace().collect();
            let &[name, kind, _, _, size, _, flags, ..] = &words[..] else {
                return None;
            };
            let is_list = ["init_array", "fini_array", "ctors"]
                .iter()
                .any(|list| name.contains(list));
            (is_list && !name.starts_with(".rel")).then(|| format!("{name} {kind} {size} {flags}"))
        };
        let mut all: Vec<String> = told.lines().filter_map(listed).collect();
        all.sort();
        all
    };
    assert_eq!(sections("own.o"), sections("theirs.o"));
    assert_eq!(sections("own.o").len(), 4);
}

#[test]
fn modules_share_common_data() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let main = "\t.text\n\t.globl main\nmain:\tcall setit\n\tmovl shared, %eax\n\taddl Shared, %eax\n\tret\n\t.comm \
                shared,4,4\n\t.comm Shared,4,4\n";
    let set = "\t.text\n\t.globl setit\nsetit:\tmovl $9, shared\n\tmovl $100, Shared\n\tret\n\t.comm shared,4,4\n\t.comm \
               Shared,4,4\n";
    fs::write(folder.join("main.asm"), main).expect("it is written");
    fs::write(folder.join("set.asm"), set).expect("it is written");
    assert_eq!(register("eax", &["main.asm", "set.asm"], folder), 109);
    // Data that is local, or defined, is another matter.
    let local = set.replace("\t.comm shared", "\t.local shared\n\t.comm shared");
    fs::write(folder.join("set.asm"), &local).expect("it is written");
    assert_eq!(register("eax", &["main.asm", "set.asm"], folder), 100);
    let defined = set.replace("\t.comm shared,4,4", "\t.globl shared\n\t.data\nshared:\t.long 5");
    fs::write(folder.join("set.asm"), defined.replace("movl $9, shared", "nop")).expect("it is written");
    assert_eq!(register("eax", &["main.asm", "set.asm"], folder), 105);
}

#[test]
fn weak_definitions_give_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let main = "\t.text\n\t.weak hook\nhook:\tmovl $1, %eax\n\tret\n\t.globl main\nmain:\tcall hook\n\taddl number, \
                %eax\n\tret\n\t.weak number\n\t.data\nnumber:\t.long 100\n";
    let strong = "\t.text\n\t.globl hook\nhook:\tmovl $2, %eax\n\tret\n\t.globl number\n\t.data\nnumber:\t.long 200\n";
    let weak = strong.replace(".globl", ".weak");
    let missing = "\t.text\n\t.globl main\n\t.weak hook\nmain:\tmovl $hook, %eax\n\ttestl %eax, %eax\n\tje .L1\n\tcall \
                   hook\n.L1:\torl $64, %eax\n\tret\n";
    for (name, source) in [
        ("main.asm", main),
        ("strong.asm", strong),
        ("weak.asm", &weak),
        ("missing.asm", missing),
    ] {
        fs::write(folder.join(name), source).expect("it is written");
    }
    assert_eq!(register("eax", &["main.asm"], folder), 101);
    assert_eq!(register("eax", &["missing.asm"], folder), 64);
    for source in ["strong", "weak"] {
        let output = p5inst(
            folder,
            &["build", &format!("{source}.asm"), "-o", &format!("{source}.o")],
        )
        .output();
        assert!(output.expect("the command starts").status.success());
    }
    for end in ["asm", "o"] {
        let [strong, weak] = ["strong", "weak"].map(|name| format!("{name}.{end}"));
        assert_eq!(register("eax", &["main.asm", &strong], folder), 202, "{end}");
        assert_eq!(register("eax", &["main.asm", &weak], folder), 101, "{end}");
        assert_eq!(register("eax", &["missing.asm", &strong], folder), 66, "{end}");
    }
    assert_eq!(register("eax", &["missing.asm", "weak.asm"], folder), 66);
    let other = "\t.text\n\t.globl other\nother:\tret\n";
    fs::write(folder.join("other.asm"), other).expect("it is written");
    assert_eq!(register("eax", &["missing.asm", "other.asm"], folder), 64);
    assert_eq!(register("eax", &["strong.asm", "main.asm"], folder), 202);
}

#[test]
fn modules_say_which_functions_nothing_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let main = "\t.text\n\t.globl main\nmain:\tcall other\n\tret\n";
    let other = "\t.text\n\t.globl other\nother:\tret\n\t.section .fini_array,\"aw\"\n\t.long other\n";
    fs::write(folder.join("main.asm"), main).expect("it is written");
    fs::write(folder.join("other.asm"), other).expect("it is written");
    let told = run(&["main.asm", "other.asm"], folder);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "warning: `other.asm`: the functions in `.fini_array`, which a C library calls after `main`, do not \
                    run here";
    assert!(told.contains(expected), "{told}");
    let output = p5inst(folder, &["build", "other.asm", "-o", "other.o"]).output();
    let output = output.expect("the command starts");
    assert_eq!(text(&output.stderr), "");
}
