//! Data that a fragment names but does not define, and whose address it uses: scratch memory like that of pointers.

use crate::started;
use serde_json::Value;
use std::fs;

/// The report of the lines of a file.
fn report(lines: &str) -> Value {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("lines.asm"), lines).expect("a file is written");
    let output = started::finished(folder.path(), "lines.asm --format json");
    assert!(output.stderr.is_empty(), "{}", started::text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn words(report: &Value) -> &str {
    report["fragment"]["words"].as_str().expect("something is assumed")
}

fn message(report: &Value) -> &str {
    report["stop"]["message"].as_str().unwrap_or_default()
}

/// A string instruction has no rounds to compare, so these are the clocks that it takes in the last run of both.
#[test]
fn a_repeated_string_instruction_takes_what_it_takes_in_a_program() {
    let lines = "mov ecx,100\nmov esi,offset src\nmov edi,offset dst\ncld\nrep movsd\n";
    let data = "align 32\nsrc dd 100 dup(1)\nalign 32\ndst dd 100 dup(?)\n";
    let program = format!(".586\n.model flat\n.data\n{data}.code\nstart:\n{lines}ret\nend start\n");
    let copy = |report: &Value| {
        let rows = report["diagram"]["rows"].as_array().expect("rows");
        rows.iter().filter_map(|row| row["group"]["cycles"].as_u64()).max()
    };
    let (own, whole) = (report(lines), report(&program));
    assert!(copy(&own) > Some(1000), "each store waits: {:?}", copy(&own));
    assert_eq!(copy(&own), copy(&whole));
}

#[test]
fn memory_is_as_large_as_a_known_count_asks_for() {
    let loop_of = |count: u32| {
        report(&format!(
            "mov ecx,{count}\nl: mov eax,src[ecx*4-4]\nmov dst[ecx*4-4],eax\ndec ecx\njnz l\n"
        ))
    };
    let small = loop_of(100);
    let holds = "memory holds bytes of 1";
    assert_eq!(
        words(&small),
        format!("src: 2,048 bytes of data; dst: 2,048 bytes of data; {holds}")
    );
    let large = loop_of(10_000);
    assert_eq!(
        words(&large),
        format!("src: 65,536 bytes of data; dst: 65,536 bytes of data; {holds}")
    );
    for one in [&small, &large] {
        assert_eq!(one["stop"]["reason"], "end", "{}", one["stop"]);
    }
    let upwards = report("mov ecx,9000\nmov esi,offset src\nl: mov eax,[esi]\nadd esi,4\ndec ecx\njnz l\n");
    assert_eq!(words(&upwards), format!("src: 65,536 bytes of data; {holds}"));
    // What is used by its name alone stays small.
    let scalars = report("mov eax,count\nadd eax,other\nmov count,eax\n");
    assert_eq!(
        words(&scalars),
        "count: 16 bytes of data; other: 16 bytes of data; memory holds zeros"
    );
}

#[test]
fn a_fault_behind_the_memory_of_a_name_says_so() {
    let said = |name: &str| {
        format!(
            "; the fragment's memory for `{name}`, 65,536 bytes, ends before that: define it, `{name} dd COUNT dup \
             (?)`, and so each other name of data"
        )
    };
    let index = report("mov ecx,100000\nl: mov eax,src[ecx*4-4]\nmov dst[ecx*4-4],eax\ndec ecx\njnz l\n");
    assert!(message(&index).ends_with(&said("src")), "{}", message(&index));
    let pointer = "mov ecx,100000\nmov edi,offset dst\nl: mov [edi],eax\nadd edi,4\ndec ecx\njnz l\n";
    let found = report(pointer);
    assert!(message(&found).ends_with(&said("dst")), "{}", message(&found));
    let defined = report(&format!("dst dd 100000 dup (?)\n{pointer}"));
    assert_eq!(defined["stop"]["reason"], "end", "{}", defined["stop"]);
}

#[test]
fn a_jump_through_an_assumed_table_names_it() {
    for (lines, bytes) in [
        ("mov eax,[esi]\njmp dword ptr table[eax*4]\n", "2,048"),
        ("jmp dword ptr table\n", "16"),
    ] {
        let report = report(lines);
        let said =
            format!("; the fragment does not define `table`, whose {bytes} bytes hold no address of code: define it");
        assert!(message(&report).contains(&said), "{}", message(&report));
    }
}

/// A table of distances leads from one of its places to another.
#[test]
fn what_is_added_to_the_address_of_a_table_is_an_index() {
    let once = report("mov ebx,offset tab\nmov eax,[ebx]\nadd ebx,eax\nmov ecx,[ebx+4]\nadd edx,ecx\n");
    assert_eq!(once["stop"]["reason"], "end", "{}", message(&once));
    assert!(!words(&once).contains("points to itself"), "{}", words(&once));
    let rounds = report(
        "mov ebx,offset tab\nmov esi,100\nl: mov eax,[ebx]\nadd eax,offset tab\nmov ecx,[eax+4]\nadd edx,ecx\ndec \
         esi\njnz l\n",
    );
    assert_eq!(rounds["stop"]["reason"], "end", "{}", message(&rounds));
    assert!(!words(&rounds).contains("points to itself"), "{}", words(&rounds));
    let chain =
        report("mov ebx,offset tab\nmov esi,100\nl: mov eax,[ebx]\nadd ebx,eax\nmov ecx,[ebx+4]\ndec esi\njnz l\n");
    assert_eq!(chain["stop"]["reason"], "end", "{}", message(&chain));
}
