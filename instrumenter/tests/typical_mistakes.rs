//! What programs with typical mistakes are told: labels without a colon, counters that wrap, arrays that are left at
//! either end, jumps to themselves, and runs that are compared although they do other work.

use crate::started::{finished, text};
use serde_json::Value;
use std::path::Path;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file is written");
    }
    folder
}

/// What the command prints in a folder, on one line, and its exit code.
fn told(folder: &Path, line: &str) -> (String, Option<i32>) {
    let output = finished(folder, line);
    let all = [text(&output.stdout), text(&output.stderr)].join(" ");
    let words = all.split_whitespace().collect::<Vec<_>>().join(" ");
    (words, output.status.code())
}

/// The same of one source, in the file `a.asm`.
fn said(source: &str, line: &str) -> (String, Option<i32>) {
    told(folder(&[("a.asm", source)]).path(), line)
}

const SMALL: &str = ".model small\n.stack 64\n.data\narr dw 3,1,2\n.code\nmain: mov ax,@data\nmov ds,ax\n";
const ENDS: &str = "mov ax,4c00h\nint 21h\nend main\n";

#[test]
fn a_label_without_a_colon_is_one_error() {
    let source = format!("{SMALL}again mov bx,1\ndec bx\njnz again\n{ENDS}");
    let (report, code) = said(&source, "check a.asm");
    assert_eq!(code, Some(2), "{report}");
    assert_eq!(report.matches("error:").count(), 1, "{report}");
    let help = "write `again:` if it is a label: a label before an instruction needs a colon";
    assert!(report.contains(help) && report.contains("a.asm:8:1"), "{report}");
    // What is nearly a prefix is none.
    let (report, _) = said(&format!("{SMALL}reep movsb\n{ENDS}"), "check a.asm");
    assert!(
        report.contains("unknown instruction") && !report.contains("needs a colon"),
        "{report}"
    );
}

#[test]
fn a_counter_that_begins_as_0_is_told_with_its_rounds() {
    let loops = |count: &str, body: &str| said(&format!("{SMALL}{count}\n{body}\n{ENDS}"), "a.asm").0;
    let sum = "l: add ax,bx\nloop l";
    let report = loops("mov cx,0", sum);
    assert!(
        report.contains("line 10: `loop` counts cx down from 0, so that the loop has up to 65,536 rounds"),
        "{report}"
    );
    assert!(
        !loops("mov cx,3", sum).contains("counts cx"),
        "it is counted down from 3"
    );
    let report = loops("xor dx,dx", "l: add ax,bx\ndec dx\njnz l");
    assert!(report.contains("line 10: `dec dx` counts dx down from 0"), "{report}");
    // It ends at a limit, long before ECX has wrapped.
    let (report, _) = said(
        ".586\n.model flat\n.code\nstart: xor ecx,ecx\nl: dec ecx\njnz l\nret\nend start\n",
        "a.asm --limit 3000000",
    );
    assert!(report.contains("up to 4,294,967,296 rounds"), "{report}");
}

#[test]
fn a_jump_to_itself_ends_the_run_without_success() {
    let source = ".586\n.model flat\n.code\nstart: mov eax,5\nadd eax,eax\nhang: jmp hang\nend start\n";
    let (report, code) = said(source, "a.asm");
    assert_eq!(code, Some(1), "{report}");
    assert!(
        report.contains("ended in a jump to itself, which goes on for ever (a.asm:6)"),
        "{report}"
    );
    assert!(
        report.contains("5 runs") && report.contains("eax 0000000Ah"),
        "{report}"
    );
    let (report, _) = said(source, "a.asm --format json");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["stop"]["reason"], "endless");
    // What changes on the way round is no jump to itself.
    let (report, _) = said(".586\n.model flat\n.code\ns: nop\njmp s\nend s\n", "a.asm --limit 1000");
    assert!(report.contains("still running after 1000 clocks"), "{report}");
}

/// The macros of a region keep all registers, and so set none.
#[test]
fn a_register_that_is_never_set_is_told_beside_regions() {
    let source = |before: &str, inside: &str, after: &str| {
        format!(".586\n.model flat\n.code\nstart: {before}\nStartTSC a\n{inside}\nEndTSC\n{after}\nret\nend start\n")
    };
    // After a loop, what nothing has set is still told.
    let after =
        ".586\n.model flat\n.data\nr dd ?\n.code\nstart: mov ecx,4\nn: dec ecx\njnz n\nmov r,edi\nret\nend start\n";
    let (report, code) = said(after, "--fail-on-mistakes a.asm");
    assert_eq!(code, Some(1), "{report}");
    assert!(report.contains("edi is read in line 9"), "{report}");
    for (source, line) in [
        (source("add edi,1", "nop", "nop"), 4),
        (source("nop", "add ebx,1", "nop"), 6),
        (source("nop", "nop", "add eax,1"), 8),
    ] {
        let (report, code) = said(&source, "--fail-on-mistakes a.asm");
        assert_eq!(code, Some(1), "{report}");
        assert!(
            report.contains(&format!("is read in line {line}, and nothing has set it")),
            "{report}"
        );
    }
    let (report, code) = said(
        &source("mov edi,1", "mov ebx,edi", "mov eax,ebx"),
        "--fail-on-mistakes a.asm",
    );
    assert_eq!(code, Some(0), "{report}");
}

#[test]
fn dos_leaves_the_character_that_it_wrote_in_al() {
    let (report, _) = said(
        &format!("{SMALL}mov dl,'A'\nmov ah,2\nint 21h\nmov ah,4ch\nint 21h\nend main\n"),
        "a.asm",
    );
    assert!(report.contains("ended by exit with code 65"), "{report}");
}

#[test]
fn arrays_are_left_at_the_end_of_a_negative_index_and_in_repeats() {
    let flat = |data: &str, code: &str| {
        let source = format!(".586\n.model flat\n.data\n{data}\n.code\nstart: {code}\nret\nend start\n");
        said(&source, "a.asm").0
    };
    let list = "list dd 8 dup(1)\ntop dd 5";
    let report = flat(list, "mov ecx,-8\nl: mov list[ecx*4+32],eax\ninc ecx\ncmp ecx,1\njl l");
    assert!(report.contains("line 8 writes list[8], which is top"), "{report}");
    let report = flat(list, "mov ecx,-8\nl: mov list[ecx*4+32],eax\ninc ecx\njnz l");
    assert!(!report.contains("list[8]"), "{report}");
    let walk = "mov esi,offset list\nmov ecx,9\nl: rept 1\nadd ebx,[esi]\nendm\nadd esi,4\ndec ecx\njnz l";
    let report = flat(list, walk);
    assert!(report.contains("line 10 reads list[8], which is top"), "{report}");
    // However far it goes, what is outside of all data is no other variable.
    for rounds in [9, 20, 1000, 2000] {
        let walk = format!("mov edi,offset list\nmov ecx,{rounds}\nl: mov [edi],ecx\nadd edi,4\nloop l");
        let report = flat("list dd 8 dup(1)", &walk);
        assert!(
            report.contains("line 8 writes list[8]: list has 8 elements"),
            "{rounds}: {report}"
        );
    }
    // A loop that ends at what it reads may end after the array.
    let report = flat(
        "list dd 4,5,6,7\nfin dd 0",
        "xor ecx,ecx\nl: mov eax,list[ecx*4]\ninc ecx\ntest eax,eax\njnz l",
    );
    assert!(!report.contains("list[4]"), "{report}");
}

#[test]
fn fragments_of_other_work_are_not_compared() {
    let rounds = |size: u32| {
        let body: String = (0..size).map(|at| format!("add eax,[esi+{}]\n", 4 * at)).collect();
        format!("next: {body}add esi,{}\ndec ecx\njnz next\n", 4 * size)
    };
    let folder = folder(&[("old.asm", &rounds(1)), ("new.asm", &rounds(8))]);
    let path = folder.path();
    for name in ["old", "new"] {
        assert_eq!(told(path, &format!("{name}.asm -o {name}.json")).1, Some(0));
    }
    let (report, code) = told(path, "compare old.json new.json --fail-over 2%");
    assert_eq!(code, Some(1), "{report}");
    assert!(
        report.contains(
            "not comparable: the fragments may do other work: ecx = 1,000 is assumed of the older one, ecx = "
        ),
        "{report}"
    );
    assert_eq!(told(path, "new.asm --set ecx=1000 -o new.json").1, Some(0));
    let sweep = "next:\nk = 0\nrept U\nadd eax,[esi+k]\nk = k+4\nendm\nadd esi,4*U\ndec ecx\njnz next\n";
    std::fs::write(path.join("sweep.asm"), sweep).expect("a file is written");
    let (report, _) = told(path, "sweep sweep.asm -D U=1,8");
    assert!(
        report.contains("The runs may do other work, so that their clocks are not comparable: for define.U 1, "),
        "{report}"
    );
    let (report, _) = told(path, "sweep sweep.asm -D U=1");
    assert!(
        report.contains("Assumed") && !report.contains("not comparable"),
        "{report}"
    );
}

#[test]
fn sources_are_run_to_be_compared() {
    let program = |body: &str| {
        format!(".586\n.model flat\n.code\nstart: mov ecx,10\nl: {body}\ndec ecx\njnz l\nret\nend start\n")
    };
    let files = [
        ("slow.asm", program("imul eax,ebx")),
        ("fast.asm", program("add eax,ebx")),
        ("wrong.asm", "mov eax\n".to_owned()),
    ];
    let folder = folder(&files.each_ref().map(|(name, text)| (*name, &**text)));
    let path = folder.path();
    let (report, code) = told(path, "compare slow.asm fast.asm");
    assert_eq!(code, Some(0), "{report}");
    assert!(
        report.contains("imul eax,ebx") && report.contains("add eax,ebx"),
        "{report}"
    );
    let (report, code) = told(path, "compare fast.asm slow.asm --fail-over 2%");
    assert_eq!(code, Some(1), "{report}");
    let (report, code) = told(path, "compare --memory ideal --cpu p55c slow.asm fast.asm");
    assert_eq!(code, Some(0), "{report}");
    assert!(report.contains("p55c") && report.contains("ideal"), "{report}");
    assert_eq!(told(path, "compare --memory nowhere slow.asm fast.asm").1, Some(2));
    told(path, "slow.asm -o slow.json");
    assert_eq!(told(path, "compare slow.json slow.asm --fail-over 0%").1, Some(0));
    let (report, code) = told(path, "compare fast.asm wrong.asm");
    assert_eq!(code, Some(2), "{report}");
    assert!(
        report.contains("wrong.asm:1") && report.contains("`wrong.asm` has no run, as said above"),
        "{report}"
    );
}

#[test]
fn suppositions_on_code_that_changes_itself_are_doubted() {
    let source = ".586\n.model flat\n.code\nstart: mov ecx,20\nl: mov byte ptr [p+1],cl\np: mov al,1\ndec ecx\njnz l\n\
                  ret\nend start\n";
    let (report, _) = said(source, "a.asm --what-if");
    assert!(
        report.contains("Pentium MMX (P55C); doubted, as it changes its code"),
        "{report}"
    );
    assert!(report.contains("published: about 19 a change, 31 with MMX"), "{report}");
}
