//! Lines without a program around them that are 16-bit code: their addresses say so, or a line does.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;

/// The report in JSON of a source, and what the assembler says of it.
fn report(source: &str) -> (Value, String) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("lines.asm"), source).expect("a file is written");
    let output = finished(folder.path(), "lines.asm --format json");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (
        report,
        text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" "),
    )
}

fn words(report: &Value) -> &str {
    report["fragment"]["words"].as_str().unwrap_or_default()
}

#[test]
fn lines_whose_addresses_have_16_bits_are_16_bit_code() {
    let seen = "taken as 16-bit code: its addresses, segments or registers are; ";
    for (source, expected) in [
        (
            "L: mov bx,[si]\nadd si,2\nadd ax,bx\ndec cx\njnz L\n",
            "si -> scratch memory of 2,048 bytes, cx = 1,000, ax = 0; `--set REG=VALUE` changes it",
        ),
        (
            "mov [di],al\n",
            "di -> scratch memory of 64 bytes, ax = 0; `--set REG=VALUE` changes it",
        ),
        (
            "L: mov ax,[bx+si]\nmov [bp+di+4],ax\nadd si,2\nadd di,2\nloop L\n",
            "bx, bp -> scratch memory of 2,048 bytes each, cx = 1,000, si and di = 0; `--set REG=VALUE` changes it",
        ),
        (
            "L: lodsb\nmov [di],al\ninc di\nloop L\n",
            "si, di -> scratch memory of 1,024 bytes each, cx = 1,000; `--set REG=VALUE` changes it",
        ),
        (
            "lea bx,[si+8]\nmov ax,[bx]\nrep movsb\n",
            "si, di -> scratch memory of 1,024 bytes each, cx = 1,000; `--set REG=VALUE` changes it",
        ),
        (
            "L: mov eax,[si]\nadd si,4\nadd edx,eax\ndec ecx\njnz L\n",
            "si -> scratch memory of 4,096 bytes, cx = 1,000, dx = 0; `--set REG=VALUE` changes it",
        ),
        (
            "mov si,offset table\nL: mov ax,[si]\nadd si,2\nadd bx,ax\ncmp si,offset table_end\njb L\n",
            "offset table_end = offset table+2,000, bx = 0; table: 4,096 bytes of data; `--set REG=VALUE` changes it",
        ),
        (
            "L: mov ax,[bx+table]\nadd bx,2\ncmp bx,200\njb L\n",
            "bx = 0; table: 4,096 bytes of data; `--set REG=VALUE` changes it",
        ),
        (
            "mov si,offset table\nmov cx,100\nL: lodsb\nadd bl,al\nloop L\n",
            "table: 4,096 bytes of data",
        ),
        (
            "lea si,table\nL: lodsw\nadd bx,ax\nloop L\n",
            "cx = 1,000, bx = 0; table: 4,096 bytes of data; `--set REG=VALUE` changes it",
        ),
    ] {
        let (report, _) = report(source);
        let (told, holds) = words(&report).split_once("; memory holds ").expect("what memory holds");
        assert_eq!(told, format!("{seen}{expected}"), "{source}");
        assert!(
            holds.starts_with("bytes of ") || holds.starts_with("words of "),
            "{source}: {holds}"
        );
        assert_eq!(report["stop"]["reason"], "end", "{source}: {}", report["stop"]);
        assert_eq!(
            report["fragment"]["assumed"].as_array().map(|all| {
                all.iter()
                    .filter(|one| one["kind"] == "code" && one["value"] == 16)
                    .count()
            }),
            Some(1)
        );
    }
}

#[test]
fn lines_that_count_with_cx_alone_are_16_bit_code() {
    let seen = "taken as 16-bit code: its addresses, segments or registers are";
    for source in [
        "mov bx,10\nouter: mov cx,5\nL: call f\nloop L\ndec bx\njnz outer\nret\nf: add ax,dx\nret\n",
        "mov cx,5\nL: add ax,bx\nloop L\n",
    ] {
        let (report, _) = report(source);
        assert!(words(&report).starts_with(seen), "{source}: {}", words(&report));
        assert!(
            ["end", "return"].map(Value::from).contains(&report["stop"]["reason"]),
            "{source}"
        );
    }
    // A 32-bit register says otherwise, and 16-bit registers alone say nothing.
    for source in [
        "mov cx,5\nL: add ebx,2\nloop L\n",
        "mov ax,1\nmov bx,2\nadd ax,bx\n",
        "mov cx,5\nL: dec cx\njnz L\n",
    ] {
        let (report, _) = report(source);
        assert!(!words(&report).contains("16-bit"), "{source}: {}", words(&report));
    }
}

#[test]
fn a_line_may_say_that_the_lines_are_16_bit_code() {
    for line in [".8086", ".286", "bits 16", "use16"] {
        for lines in ["rep movsb", "L: lodsw\nstosw\nloop L", "L: lodsb\nadd [bx],al\nloop L"] {
            let (report, _) = report(&format!("{line}\n{lines}\n"));
            assert!(
                words(&report).starts_with("taken as 16-bit code; "),
                "{line}, {lines}: {report}"
            );
            assert_eq!(report["stop"]["reason"], "end", "{line}, {lines}");
        }
    }
    // Names of data are addresses in other notations.
    let (_, why) = report("bits 16\nmov si,table\nlodsb\n");
    assert!(why.starts_with("error: NASM source, which is not supported"), "{why}");
    let (_, why) = report("bits 16\nx db 1\nmov al,x\n");
    assert!(why.contains("the offset of `x` has"), "{why}");
    let (_, why) = report("use16\nmov si,table\nlodsb\n");
    assert!(why.starts_with("error: the size of code cannot be said here"), "{why}");
    // 32-bit code stays what it is.
    for lines in ["use32\nlodsb\n", ".386\nlodsb\n", "lodsb\n", ".8086\nmov al,[esi]\n"] {
        let (report, _) = report(lines);
        assert!(words(&report).starts_with("esi -> scratch memory"), "{lines}: {report}");
    }
}

#[test]
fn data_of_the_lines_lies_in_the_same_segment() {
    let (report, _) = report("table db 1,2,3,4\nmov si,offset table\nmov cx,4\nL: add al,[si]\ninc si\nloop L\n");
    assert_eq!(
        words(&report),
        "taken as 16-bit code: its addresses, segments or registers are"
    );
    assert_eq!(
        (&report["stop"]["reason"], &report["registers"]["eax"][1]),
        (&"end".into(), &10.into())
    );
}

#[test]
fn a_fault_at_an_address_of_16_bits_in_32_bit_code_says_what_to_do() {
    let (report, _) = report("L: mov ax,[si]\nadd ebx,[edi]\ndec ecx\njnz L\n");
    assert!(words(&report).starts_with("esi, edi -> scratch memory"), "{report}");
    let said = report["stop"]["message"].as_str().expect("a fault");
    let remedy =
        "write esi for si in the address, or make the code 16-bit code with `.model tiny` and `.code` before it";
    assert!(said.ends_with(remedy), "{said}");
}

#[test]
fn the_stack_has_what_a_procedure_finds() {
    let (report, _) = report("push bp\nmov bp,sp\nmov bx,[bp+4]\nmov ax,[bx]\npop bp\nret\n");
    assert_eq!(report["stop"]["reason"], "return", "{}", report["stop"]);
    let words = words(&report);
    assert!(words.contains("[sp+2] -> scratch memory"), "{words}");
}

#[test]
fn lines_that_set_segment_registers_are_16_bit_code() {
    for source in [
        "mov ax,0A000h\nmov es,ax\nxor di,di\nmov al,5\nmov cx,640\nrep stosb\n",
        "push 0A000h\npop es\nxor di,di\nmov cx,10\nrep stosw\n",
        "mov ax,13h\nint 10h\n",
    ] {
        let (report, error) = report(source);
        assert!(
            words(&report).contains("taken as 16-bit code"),
            "{source}: {report} {error}"
        );
        assert_eq!(report["stop"]["reason"], "end", "{source}: {report}");
    }
    // A 32-bit register speaks for 32-bit code.
    let (report, _) = report("mov eax,ds\nmov es,ax\nadd ebx,ecx\n");
    assert!(!words(&report).contains("16-bit"), "{report}");
}
