//! Text as people paste it from compilers, Compiler Explorer and disassemblers: the folder `pasted` has the texts, and
//! beside each the lines that the report or the refusal has, blanks aside. A line that begins with an exclamation
//! mark must not be there.

use crate::started;
use started::{finished, p5inst, text};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The words of a text with one blank between them.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is printed of a text on standard input, with the status.
fn of_input(source: &str, options: &[&str]) -> (Option<i32>, String) {
    let mut all = vec!["-"];
    all.extend(options);
    let mut command = p5inst(Path::new("."), &all);
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child.spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("it reads all");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let told = format!("{}\n{}", text(&output.stdout), text(&output.stderr));
    (output.status.code(), words(&told))
}

#[test]
fn pasted_text_is_read_as_it_stands() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted");
    let files = fs::read_dir(&folder).expect("the folder is beside the tests");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut texts = 0;
    for path in files {
        if path.extension().is_some_and(|end| end == "expected") {
            continue;
        }
        texts += 1;
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let expected = fs::read_to_string(path.with_extension("expected")).expect("what it prints");
        let output = finished(&folder, name);
        let told = words(&format!("{}\n{}", text(&output.stdout), text(&output.stderr)));
        let source = fs::read_to_string(&path).expect("text");
        let (_, piped) = of_input(&source, &[]);
        for line in expected.lines().filter(|line| !line.trim().is_empty()) {
            let (wanted, line) = match line.strip_prefix('!') {
                Some(line) => (false, words(line)),
                None => (true, words(line)),
            };
            assert_eq!(told.contains(&line), wanted, "{name}: {line}\n{told}");
            let line = line.replace(name, "<stdin>");
            assert_eq!(piped.contains(&line), wanted, "{name} from a pipe: {line}\n{piped}");
        }
    }
    assert!(texts >= 10, "{texts}");
}

#[test]
fn what_a_run_reads_check_reads_and_build_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted");
    let made = tempfile::tempdir().expect("a folder");
    let files = fs::read_dir(&folder).expect("the folder is beside the tests");
    let (mut read, mut built) = (0, 0);
    for path in files.map(|file| file.expect("a file").path()) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
        if name.ends_with(".expected") {
            continue;
        }
        let output = finished(&folder, name);
        let told = text(&output.stderr);
        // A module may leave names to others.
        let runs = !told.contains("error: ") || told.contains("error: undefined symbol");
        let checked = finished(&folder, &format!("check {name}"));
        let told = text(&checked.stderr);
        assert_eq!(checked.status.success(), runs, "{name}: {told}");
        read += u32::from(runs);
        let object = made.path().join(name).with_extension("o");
        let output = p5inst(&folder, &["build", name, "-o", object.to_str().expect("UTF-8")]).output();
        let output = output.expect("the command starts");
        let told = text(&output.stderr);
        built += u32::from(output.status.success());
        match (name.ends_with(".s") && runs, output.status.success()) {
            (_, true) => assert!(runs && object.exists(), "{name}"),
            (true, false) => panic!("{name}: {told}"),
            (false, false) => assert_eq!(told.matches("error: ").count(), 1, "{name}: {told}"),
        }
    }
    assert!(read >= 20 && built >= 15, "{read} {built}");
}

#[test]
fn names_of_a_listing_are_known_with_and_without_their_brackets() {
    let listing = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted/objdump_att.txt"));
    let listing = listing.expect("text");
    for name in ["sort", "<sort>"] {
        let (status, told) = of_input(&listing, &["--show", name]);
        assert_eq!(status, Some(0), "{told}");
        assert!(told.contains("5 rounds"), "{told}");
    }
    let (status, told) = of_input(&listing, &["--show", "<other>"]);
    assert_eq!(status, Some(2), "{told}");
}

#[test]
fn arguments_on_the_stack_can_be_set() {
    let sum = "sum:\n mov edx, DWORD PTR [esp+4]\n mov ecx, DWORD PTR [esp+8]\n xor eax, eax\n test ecx, ecx\n jle \
               .L1\n lea ecx, [edx+ecx*4]\n.L3: add eax, DWORD PTR [edx]\n add edx, 4\n cmp edx, ecx\n jne .L3\n.L1: \
               ret\n";
    let (status, told) = of_input(sum, &["--set", "[esp+8]=10"]);
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("47 instructions"), "{told}");
    assert!(!told.contains("[esp+8] ="), "{told}");
    let (_, told) = of_input(sum, &["--set", "[esp+8]=0"]);
    assert!(told.contains("6 instructions"), "{told}");
    let (status, told) = of_input(
        ".586\n.model flat\n.code\nstart: ret\nend start\n",
        &["--set", "[esp+8]=1"],
    );
    assert_eq!(status, Some(2), "{told}");
    assert!(told.contains("`--set` cannot give [esp+8]"), "{told}");
}

#[test]
fn instructions_in_comments_and_marks_of_numbers_are_told_of() {
    let (status, told) = of_input("mov eax, 5; add eax, 3\n", &[]);
    assert_eq!(status, Some(0), "{told}");
    let warning = "warning: what follows `;` is a comment and not executed";
    assert!(
        told.contains(warning) && told.contains("write one instruction a line"),
        "{told}"
    );
    for plain in [
        "mov eax, 5 ; add three to it\n",
        "mov eax, 5 ; five\n",
        "nop\nnop\nnop\nmov eax, 5 ; add eax, 3\n",
    ] {
        let (_, told) = of_input(plain, &[]);
        assert!(!told.contains("warning"), "{told}");
    }
    let (_, told) = of_input("add eax, $10\n", &[]);
    assert!(
        told.contains("write `10h`; if it is `$10` of AT&T syntax, a decimal number, write `10`"),
        "{told}"
    );
}

#[test]
fn a_run_begins_with_the_function_that_is_asked_for() {
    let two = include_str!("pasted/gcc_two_padded.s");
    let (status, told) = of_input(two, &["--entry", "hot"]);
    assert_eq!(status, Some(0), "{told}");
    for line in [
        "function hot; not run: cube; `--entry NAME` begins elsewhere",
        "assumed: [esp+4] -> scratch memory of 4,096 bytes, [esp+8] = 1,000; `--set [esp+8]=VALUE` changes it",
        ".L5: 510 of 1000 rounds traced",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (status, told) = of_input(two, &["--entry", "hto"]);
    assert_eq!(status, Some(2), "{told}");
    assert!(
        told.contains("error: `--entry hto`: the source has no such function") && told.contains("did you mean `hot`?"),
        "{told}"
    );
    let cxx = include_str!("pasted/compiler_explorer_cxx.txt");
    let (status, told) = of_input(cxx, &["--entry", "my_strlen"]);
    assert_eq!(status, Some(0), "{told}");
    assert!(
        told.contains("function my_strlen(char const*); not run: sum(int const*, int)"),
        "{told}"
    );
    // A part of a program, with segments; and a whole program.
    let part = ".386\n.model flat\n.code\nsum proc\nmov ecx,[esp+4]\nl: dec ecx\njnz l\nret\nsum endp\ntwice \
                proc\nmov eax,[esp+4]\nadd eax,eax\nret\ntwice endp\nend\n";
    let (status, told) = of_input(part, &["--set", "[esp+4]=10"]);
    assert_eq!(status, Some(0), "{told}");
    assert!(
        told.contains("function sum; not run: twice") && told.contains("l: 10 rounds"),
        "{told}"
    );
    let whole = format!("{}end sum\n", part.trim_end_matches("end\n"));
    let (_, told) = of_input(&whole, &["--limit", "10000"]);
    assert!(!told.contains("not run") && !told.contains("assumed"), "{told}");
    let (status, told) = of_input(&whole, &["--entry", "TWICE"]);
    assert_eq!(status, Some(0), "{told}");
    assert!(
        told.contains("function twice; not run: sum") && told.contains("assumed: [esp+4] = 0"),
        "{told}"
    );
}

#[test]
fn numbers_in_att_syntax_are_no_addresses_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = "\t.text\n\t.globl\tf\nf:\n\tmovl\t$100, %ecx\n.L2:\n\tmovl\t(%esi), %eax\n\taddl\t$7, %eax\n\t\
                  movl\t%eax, (%edi)\n\taddl\t$4, %esi\n\taddl\t$4, %edi\n\tdecl\t%ecx\n\tjne\t.L2\n\tret\n";
    fs::write(folder.path().join("a.s"), source).expect("a file is written");
    let output = finished(folder.path(), "advise a.s");
    let told = words(&format!("{}\n{}", text(&output.stdout), text(&output.stderr)));
    assert!(!told.contains("its own address"), "{told}");
}
