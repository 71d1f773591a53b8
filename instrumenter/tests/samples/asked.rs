//! Notes of answers beside their figures, and the structure of exports.

use super::{answered, refused};
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// A loop with a load that misses and a branch.
const PROGRAM: &str = ".586
.model flat
.data
align 32
buffer db 65536 dup(1)
.code
work proc
mov esi,offset buffer
mov ecx,2000
next:
mov eax,[esi]
add esi,32
dec ecx
jnz next
ret
work endp
start:
call work
ret
end start
";

fn sample(folder: &TempDir, options: &[&str]) -> Output {
    let source = folder.path().join("asked.asm");
    std::fs::write(&source, PROGRAM).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["sample", "--runs", "1"]).arg(&source).args(options);
    command.stdin(Stdio::null()).output().expect("the command starts")
}

/// Records the program with these options.
fn recorded(folder: &TempDir, name: &str, options: &[&str]) -> PathBuf {
    let path = folder.path().join(name);
    let target = path.to_str().expect("UTF-8");
    let output = sample(folder, &[options, &["-o", target]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

fn said(path: &Path, question: &[&str]) -> String {
    answered(path, question)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn numbers_of_sql_are_not_rounded_to_two_digits() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "one.samples", &["--op", "500"]);
    let said = said(
        &path,
        &["select 0.004 as a, 1e300 as b, 0.1 + 0.2 as c, 2.0 as d, 1.0 / 3 as e"],
    );
    assert!(said.ends_with("0.004 1e300 0.3 2.0 0.333333333333333"), "{said}");
}

#[test]
fn a_procedure_is_the_same_in_sql_in_columns_and_in_exports() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "one.samples", &["--op", "100", "--fetch", "100", "--paired"]);
    let of_sql = "select procedure, count(*) from ops group by procedure order by 2 desc";
    let sql = answered(&path, &[of_sql, "--format", "csv"]);
    let top = answered(&path, &["top", "--pm", "retired", "--by", "proc", "--format", "csv"]);
    let (names, counts): (Vec<&str>, Vec<&str>) = top
        .lines()
        .skip(1)
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (*cells.last().expect("a name"), cells[1])
        })
        .unzip();
    let expected: Vec<String> = names
        .iter()
        .zip(&counts)
        .map(|(name, count)| format!("{name},{count}"))
        .collect();
    assert_eq!(sql.lines().skip(1).collect::<Vec<_>>(), expected, "{top}");
    assert!(names.contains(&"work") && !names.contains(&"next"), "{top}");
    let labels = answered(&path, &["select distinct label from ops order by 1", "--format", "csv"]);
    assert!(labels.lines().any(|label| label == "next"), "{labels}");

    let lake = folder.path().join("lake");
    if !cfg!(feature = "parquet") {
        let said = refused(&path, &["--export", "lake"]);
        assert!(said.contains("--features parquet") && !said.contains("csv"), "{said}");
        return;
    }
    answered(&path, &["--export", lake.to_str().expect("UTF-8")]);
    let columns = |kind: &str| -> Vec<String> {
        let file = lake.join(format!("kind={kind}/recording=one/part-00000.parquet"));
        let reader = SerializedFileReader::new(std::fs::File::open(file).expect("a file")).expect("Parquet");
        let schema = reader.metadata().file_metadata().schema_descr().columns().to_vec();
        schema.iter().map(|column| column.name().to_owned()).collect()
    };
    assert_eq!(columns("op"), columns("pair"));
    assert_eq!(columns("op"), columns("fetch"));
    for name in ["number", "run", "clock", "distance", "procedure", "IbsOpRip"] {
        assert!(columns("op").iter().any(|own| own == name), "{name}");
    }
}

/// A procedure with a label, whose code goes on after its end.
const AFTER: &str = ".586
.model flat
.code
start:
mov ecx,9000
again:
call f
dec ecx
jnz again
ret
f proc
inc eax
inner:
add eax,3
f endp
nop
imul eax,5
ret
end start
";

#[test]
fn code_after_a_procedure_is_no_part_of_it() {
    let folder = TempDir::new().expect("a directory");
    let (source, path) = (folder.path().join("after.asm"), folder.path().join("after.samples"));
    for text in [AFTER, &AFTER.replace("inner:\n", "")] {
        std::fs::write(&source, text).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command
            .args(["sample", "--op", "64", "--runs", "1"])
            .arg(&source)
            .arg("-o")
            .arg(&path);
        let output = command.stdin(Stdio::null()).output().expect("the command starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let rows = |question: &[&str]| -> Vec<(String, u64)> {
            let told = answered(&path, &[question, &["--format", "csv"]].concat());
            let heads: Vec<&str> = told.lines().next().expect("a heading").split(',').collect();
            let column = |name: &str| heads.iter().position(|head| *head == name).expect("a column");
            let (name, samples) = (column("procedure"), column("samples"));
            let row = |line: &str| {
                let cells: Vec<&str> = line.split(',').collect();
                (cells[name].to_owned(), cells[samples].parse().expect("a number"))
            };
            let mut rows: Vec<(String, u64)> = told.lines().skip(1).map(row).collect();
            rows.sort();
            rows
        };
        let top = rows(&["top", "--by", "proc"]);
        let names: Vec<&str> = top.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["after f", "again", "f"], "{text}");
        assert_eq!(rows(&["hist", "IbsTagToRetCtr", "--by", "proc"]), top);
        assert_eq!(
            rows(&["select procedure, count(*) as samples from ops group by procedure"]),
            top
        );
        // Each is a condition, of the same samples.
        for (name, samples) in &top {
            let condition = format!("proc={name}");
            let found = rows(&["top", "--by", "proc", "--where", &condition]);
            assert_eq!(found, [(name.clone(), *samples)], "{text}");
        }
        // IMUL takes most of the time of a round.
        assert!(top[0].1 > 0 && top[2].1 > 0);
    }
    let said = refused(&path, &["top", "--where", "proc=after g"]);
    assert!(said.contains("there is no procedure or label `after g`"), "{said}");
}

#[test]
fn notes_of_rows_are_of_those_that_are_shown() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "rows.samples", &["--op", "200", "--paired"]);
    for (question, few) in [
        (
            &["top", "--pm", "retired", "--by", "insn"][..],
            "fewer than 100 samples",
        ),
        (&["pairs"], "fewer than 100 pairs"),
    ] {
        assert!(said(&path, question).contains(few), "{}", said(&path, question));
        let one = said(&path, &[question, &["--rows", "1"]].concat());
        assert!(!one.contains("rows with fewer"), "{one}");
    }
}

/// Records a Linux program from `objects` without its section headers, which also hold its names and lines.
fn stripped(folder: &TempDir, name: &str) -> PathBuf {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    let mut program = std::fs::read(objects.join(name)).expect("a program");
    // The place of the section headers, then their number and the index of their names.
    program[0x20..0x24].fill(0);
    program[0x30..0x34].fill(0);
    std::fs::write(folder.path().join(name), program).expect("a file");
    let path = folder.path().join("stripped.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["sample", "--op", "64", "--runs", "1", "-o"]);
    command.arg(&path).arg(folder.path().join(name));
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    path
}

#[test]
fn code_without_a_name_has_an_address() {
    let folder = TempDir::new().expect("a directory");
    let path = stripped(&folder, "loops.elf");
    for (by, column, words) in [("proc", "procedure", "(no symbol)"), ("line", "location", "(no line)")] {
        for question in [&["top"][..], &["hist", "IbsTagToRetCtr"]] {
            let question = [question, &["--by", by]].concat();
            let text = answered(&path, &question);
            assert!(text.contains(words) && !text.contains("(no address)"), "{text}");
            let json = answered(&path, &[&question[..], &["--format", "json"]].concat());
            let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            let row = &json["rows"][0];
            assert_eq!(json["rows"].as_array().map(Vec::len), Some(1), "{json}");
            assert!(row["address"].is_null() && row["place"].is_null(), "{row}");
            assert_eq!(row[column], words, "{row}");
        }
    }
    let instructions = answered(&path, &["top", "--by", "insn"]);
    assert!(!instructions.contains("(no"), "{instructions}");
    // Where no column has addresses, they are the only places of instructions.
    for question in ["topstalls", "top"] {
        let text = answered(&path, &[question, "--truth"]);
        let rows = text.lines().skip_while(|line| !line.ends_with(" where"));
        let rows: Vec<&str> = rows.skip(2).take_while(|line| !line.is_empty()).collect();
        let placed = |row: &&str| {
            row.split_whitespace()
                .any(|word| word.len() == 9 && word.ends_with('h'))
        };
        assert!(!rows.is_empty() && rows.iter().all(placed), "{question}: {text}");
    }
}

#[test]
fn memory_without_a_symbol_is_the_stack_or_the_heap_or_has_an_address() {
    let folder = TempDir::new().expect("a directory");
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/heap.elf");
    let path = folder.path().join("heap.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["sample", "--op", "64", "--runs", "1", "-o"]);
    let output = command.arg(&path).arg(&program).stdin(Stdio::null()).output();
    assert!(output.expect("the command starts").status.success());
    let symbols = said(&path, &["data"]);
    for words in [
        " (stack) 5 ",
        " (heap) 16 ",
        " named 9 ",
        " (no symbol) 08049000h 7 ",
        "(stack): BF800000h to BFFFFFFFh; (heap): 080490B7h to BF7FFFFFh, where no symbol is",
    ] {
        assert!(symbols.contains(words), "{words}: {symbols}");
    }
    let lines = said(&path, &["data", "--by", "line"]);
    for words in [" 0804A040h (heap) ", " BFFFFB40h (stack) ", " 080490A0h named "] {
        assert!(lines.contains(words), "{words}: {lines}");
    }
}

#[test]
fn what_latencies_are_of_is_said() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "loads.samples", &["--op", "100"]);
    assert!(!said(&path, &["data"]).contains("latency is that of"));
    let source = folder.path().join("stores.asm");
    std::fs::write(&source, PROGRAM.replace("mov eax,[esi]", "mov [esi],eax")).expect("a file");
    let path = folder.path().join("stores.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command
        .args(["sample", "--op", "100", "--runs", "1"])
        .arg(&source)
        .arg("-o")
        .arg(&path);
    assert!(
        command
            .stdin(Stdio::null())
            .output()
            .expect("the command starts")
            .status
            .success()
    );
    let told = said(&path, &["data"]);
    assert!(told.contains("latency is that of the 0 loads that missed"), "{told}");
}

#[test]
fn each_answer_says_what_it_has_nothing_exact_of() {
    let folder = TempDir::new().expect("a directory");
    let both = ["--op", "100", "--fetch", "100", "--truth"];
    let path = recorded(&folder, "exact.samples", &both);
    let of = |figures: &str| said(&path, &["top", "--pm", figures, "--truth"]);
    assert!(of("icmiss").contains("of `icmiss`, nothing exact is recorded"));
    assert!(!of("icmiss").contains("of the ops"), "{}", of("icmiss"));
    assert!(of("IbsDcMissLat").contains("of `IbsDcMissLat`, nothing exact is recorded"));
    assert!(
        !of("retired,dcmiss::ldst").contains("nothing exact"),
        "{}",
        of("retired")
    );
    let other = recorded(
        &folder,
        "other.samples",
        &["--op", "100", "--cpu", "p5", "--monitor", "perfmon"],
    );
    let difference = said(&path, &["diff", other.to_str().expect("UTF-8"), "--truth"]);
    let machines = "the two were recorded on different machines: chip Pentium 75-200 (P54C) and Pentium 60/66 (P5); \
                    --monitor none and perfmon";
    assert!(difference.contains(machines), "{difference}");
    assert!(
        difference.contains("`--truth` is for questions to one file"),
        "{difference}"
    );
}

#[test]
fn what_was_chosen_by_clocks_or_not_at_all_is_said() {
    let folder = TempDir::new().expect("a directory");
    let clocks = recorded(&folder, "clocks.samples", &["--op", "1_00", "--mode", "cycles"]);
    assert!(said(&clocks, &["hist", "IbsTagToRetCtr"]).contains("ops were sampled by clocks"));
    let path = folder.path().join("none.samples");
    let none = sample(&folder, &["--op", "100000000", "-o", path.to_str().expect("UTF-8")]);
    let told = String::from_utf8(none.stdout).expect("UTF-8");
    assert!(told.contains("no sample of ops was taken"), "{told}");
    let fetches = recorded(&folder, "fetches.samples", &["--fetch", "100"]);
    assert!(!said(&fetches, &[]).contains("ops that were flushed"));
}

#[test]
fn a_study_replaces_no_samples() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "one.samples", &["--op", "500"]);
    let before = std::fs::read(&path).expect("a file");
    let study = [
        "--study",
        "--seeds",
        "2",
        "--periods",
        "128",
        "-o",
        path.to_str().expect("UTF-8"),
    ];
    let output = sample(&folder, &study);
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains("is a file of samples, and --study writes a report"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).expect("kept"), before);
}

#[test]
fn a_condition_on_fetches_is_none_on_ops() {
    let folder = TempDir::new().expect("a directory");
    let path = recorded(&folder, "both.samples", &["--op", "100", "--fetch", "100"]);
    for (figures, condition) in [
        ("retired", "IbsIcMiss=0"),
        ("icmiss", "op_load"),
        ("icmiss,retired", "IbsFetchLat<5"),
    ] {
        let said = refused(&path, &["top", "--pm", figures, "--where", condition]);
        assert!(
            said.contains("holds of samples of the one kind"),
            "{figures}, {condition}: {said}"
        );
    }
    let both = said(&path, &["top", "--pm", "retired,icmiss", "--where", "proc=work"]);
    assert!(both.contains("next"), "{both}");
}

/// The samples of such programs were decoded in one width.
#[test]
fn loops_in_code_of_both_widths_are_judged_as_what_they_are() {
    let folder = TempDir::new().expect("a directory");
    let source = folder.path().join("loop.asm");
    let path = folder.path().join("loop.samples");
    let store = "        mov     dword ptr [edi],12345678h\n";
    let wide = "mov ecx,20000\nround: add eax,12345678h\nmov edx,[edi+4096]\nadd edi,32\nimul edx,eax\n\
                lea ebx,[edi+ecx*4+1234h]\nmov esi,[ebx+8]\ndec ecx\njnz round\nsub edi,20000*32\n";
    let load = "        mov     again,77\n";
    let narrow = "mov cx,30000\nagain16: mov ax,1234h\nadd ax,[si]\nimul dx,ax,1000\nadd bx,dx\ndec cx\njnz again16\n";
    let whole = include_str!("../../../snapshots/asm/entering_protected_mode.asm");
    assert_eq!([whole.matches(store).count(), whole.matches(load).count()], [1, 1]);
    // Two loads that miss and IMUL wait; DEC and ADD, beside which they stand, do not. In 16 bits, IMUL is slow,
    // and ADD of memory.
    for (narrow, right) in [("", 3), (narrow, 5)] {
        let text = whole.replace(store, &format!("{wide}{store}"));
        let text = text.replace(load, &format!("{narrow}{load}"));
        std::fs::write(&source, text).expect("a file is written");
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command.args(["sample", "--runs", "1", "--op", "64", "--fetch", "64", "--truth", "-o"]);
        let output = command.arg(&path).arg(&source).output().expect("the command starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let stalls = said(&path, &["topstalls", "--truth"]);
        assert_eq!(stalls.matches(" right ").count(), right, "{stalls}");
        assert!(stalls.contains("100.0% of the exact stall clocks"), "{stalls}");
        let calculated = said(&path, &["calc"]);
        assert!(!calculated.contains("is not in this file"), "{calculated}");
    }
}
