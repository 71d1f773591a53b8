//! `p5inst advise` and `p5inst fix`: their output for the programs of the folder `advice`, and the files that they
//! write.

mod addresses;
mod att;
mod chips;
mod fragments;
mod left_out;
mod moved;
mod reads;
mod strings;

use crate::blocks;
use crate::{consumers, started};
use blocks::{Kind, Writer};
use instrumenter::source::Sources;
use instrumenter::{Options, assemble};
use runtime::image::Image;
use runtime::machine::{self, Difference, Excused, Machine};
use runtime::model::MODELS;
use serde_json::Value;
use started::{finished, printed};
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

/// The number of random programs that are fixed, and the variable that sets another number.
const RANDOM_PROGRAMS: usize = 24;
const MORE: &str = "P5INST_RANDOM_PROGRAMS";
const ORDER: &str = include_str!("advice/order.asm");
/// A region with a loop whose instructions have shorter and longer equivalents.
const REGION: &str = "\
        .586
        .model flat
        .data
bytes   db 64 dup(7)
        .code
start:  mov esi,offset bytes
        mov ecx,60
        xor edx,edx
        StartTSC sums
again:  movzx eax,byte ptr [esi]
        add edx,eax
        inc esi
        loop again
        EndTSC
        xor ecx,ecx
        ret
        end start
";

fn json(folder: &Path, line: &str) -> Value {
    serde_json::from_str(&printed(folder, line)).expect("JSON")
}

/// The clocks of the user's program in each of the five runs.
fn clocks_by_run(folder: &Path, name: &str) -> Vec<u64> {
    let report = json(folder, &format!("{name} --runs 5 --format json"));
    let runs = report["runs"].as_array().expect("runs").iter();
    runs.map(|run| run["own"]["cycles"].as_u64().expect("clocks")).collect()
}

#[test]
fn suggestions_of_each_program() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("advice");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        insta::glob!("advice/*.asm", |path| {
            let folder = path.parent().expect("a folder");
            let name = path.file_name().expect("a name").to_string_lossy();
            let text = printed(folder, &format!("advise {name}"));
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
            insta::assert_snapshot!("suggestions", text);
        });
    });
}

#[test]
fn what_is_written_saves_what_was_promised_and_is_the_best() {
    let programs = "order interlock modify chains carry rotate base compared strings steps";
    for program in programs.split(' ') {
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/advice/{program}.asm"));
        let text = fs::read_to_string(source).expect("a program");
        fs::write(path.join("a.asm"), &text).expect("a file is written");
        let before = clocks_by_run(path, "a.asm");
        let promised = json(path, "advise a.asm --format json");
        assert_eq!(fs::read_to_string(path.join("a.asm")).expect("a program"), text);
        let shown = json(path, "advise --write --dry-run a.asm --format json");
        assert_eq!(shown, promised, "{program}");
        let fixed = json(path, "advise --write a.asm --format json");
        assert_eq!(fixed["written"], "a.asm");
        assert_eq!(fixed["suggestions"], promised["suggestions"]);
        // This is the first run from which on the clocks are steady, but never the cold run.
        let steady = before.iter().rev().take_while(|clocks| Some(*clocks) == before.last());
        let compared = (before.len() + 1 - steady.count()).max(2);
        assert_eq!(promised["runs"], compared, "{program}: {before:?}");
        let [before, after] = [before, clocks_by_run(path, "a.asm")].map(|clocks| clocks[compared - 1]);
        assert_eq!(promised["clocks_before"], before, "{program}");
        assert_eq!(promised["clocks_after"], after, "{program}");
        assert!(after < before, "{program}");
        let saved = promised["suggestions"].as_array().expect("suggestions");
        let saved: u64 = saved.iter().filter_map(|one| one["saved"].as_u64()).sum();
        assert_eq!(saved, before - after, "{program}: savings add up");
        let again = json(path, "advise --write a.asm --format json");
        assert_eq!(again["written"], Value::Null, "{program}: {again:#}");
    }
}

/// The difference between the states that two programs leave, except for the bytes of their code, and for the flags if
/// `flags`.
fn difference(old: &str, new: &str, flags: bool) -> Option<Difference> {
    let images = [old, new].map(|text| {
        let assembly = assemble(&Sources::single("a.asm", text), &Options::default());
        assembly.image.expect("a program")
    });
    let code: Vec<Range<u32>> = images.iter().map(code).collect();
    assert_eq!(code[0].start, code[1].start);
    let all = code[0].start..code[0].end.max(code[1].end);
    let [old, new] = images.each_ref().map(|image| {
        let options = machine::Options {
            runs: 2,
            ..machine::Options::default()
        };
        let mut machine = Machine::new(MODELS[0], image, options);
        machine.run(&mut |_| {});
        machine.run(&mut |_| {});
        machine.into_final_state()
    });
    let excused = Excused {
        memory: std::slice::from_ref(&all),
        timed: &[],
        moved: &|_| None,
        flags,
    };
    old.difference(&new, &excused)
}

/// The range from the first instruction to the end of the last one.
fn code(image: &Image) -> Range<u32> {
    let rows = || image.lines.iter().filter(|row| !row.data);
    let first = rows().map(|row| row.address).min().unwrap_or(0);
    first..rows().map(|row| row.address + row.length).max().unwrap_or(0)
}

#[test]
fn random_programs_keep_their_state_and_save_what_was_promised() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut writer = Writer::new(seed);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let run = || json(path, "a.asm --runs 2 --format json");
    let asked = p5_seeds::number(MORE);
    let programs = asked.unwrap_or(RANDOM_PROGRAMS);
    let (mut tried, mut saved) = (0, 0);
    // Half of the programs gain, so that none of a few need do: more are tried until as many as expected have gained.
    let most = (4 * programs).max(96);
    while tried < programs || saved <= programs / 8 && tried < most {
        let kind = [Kind::Integer, Kind::Floating, Kind::Real][tried % 3];
        let text = writer.program(kind);
        fs::write(path.join("a.asm"), &text).expect("a file is written");
        if finished(path, "a.asm --runs 1").status.code() != Some(0) {
            continue;
        }
        tried += 1;
        let before = run();
        let fixed = json(path, "advise --write a.asm --runs 2 --format json");
        let after = run();
        let new = fs::read_to_string(path.join("a.asm")).expect("a program");
        // Data after the code move with its length. At a fixed place the states are equal, except for the flags: those
        // of the last instruction may be those of an address, and the same only where the data lie without `org`.
        let in_place = |text: &str| text.replace("\ndb 64 dup", "\norg 800h\ndb 64 dup");
        let found = difference(&in_place(&text), &in_place(&new), in_place(&text) != text);
        assert_eq!(found, None, "seed {seed}, program {tried}:\n{text}\n{new}");
        let clocks = |report: &Value| report["runs"][1]["own"]["cycles"].clone();
        assert_eq!(fixed["clocks_before"], clocks(&before), "seed {seed}, program {tried}");
        assert_eq!(fixed["clocks_after"], clocks(&after), "seed {seed}, program {tried}");
        saved += usize::from(fixed["written"].is_string());
    }
    println!("{saved} of {tried} programs gained");
    assert!(saved > programs / 8, "seed {seed}: only {saved} programs gained");
}

#[test]
fn the_differences_can_be_applied_with_patch() {
    if !consumers::available("patch", "patch", &["--version"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // In the second program, much of the block stays unchanged at one end.
    let lopsided = REGION.replace("again:", "again:  mov ebx,1\n        mov edx,2\n        mov edi,3\n");
    for text in [ORDER, REGION, &lopsided] {
        patched_is_fixed(path, text);
    }
}

/// The difference printed for a program turns it into the file that is written, without any fuzz in `patch`.
fn patched_is_fixed(path: &Path, text: &str) {
    for name in ["a.asm", "b.asm"] {
        fs::write(path.join(name), text).expect("a file is written");
    }
    fs::write(path.join("a.diff"), printed(path, "advise a.asm")).expect("a file is written");
    printed(path, "advise --write b.asm");
    let patch = Command::new("patch")
        .args(["-p0", "-F0", "-s", "-i", "a.diff"])
        .current_dir(path)
        .output()
        .expect("patch starts");
    assert!(patch.status.success(), "{}", String::from_utf8_lossy(&patch.stdout));
    let [patched, fixed] = ["a.asm", "b.asm"].map(|name| fs::read_to_string(path.join(name)).expect("a program"));
    assert_eq!(patched, fixed);
    assert_ne!(fixed, text);
}

#[test]
fn line_ends_comments_and_encoding_stay() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let with_returns = ORDER.replace('\n', "\r\n");
    // Code page 437: a comment of a DOS editor.
    let mut old: Vec<u8> = with_returns.replace("twice", "zw?lf").into_bytes();
    let place = old.iter().position(|&byte| byte == b'?').expect("the letter");
    old[place] = 0x94;
    let wide: Vec<u8> = [0xFEFF]
        .into_iter()
        .chain(with_returns.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked = [b"\xEF\xBB\xBF", ORDER.as_bytes()].concat();
    let no_last_end = ORDER.trim_end().as_bytes().to_vec();
    for (number, bytes) in [old, wide, marked, no_last_end].into_iter().enumerate() {
        fs::write(path.join("a.asm"), &bytes).expect("a file is written");
        printed(path, "advise --write a.asm");
        let fixed = fs::read(path.join("a.asm")).expect("a file");
        assert_ne!(fixed, bytes, "{number}");
        let lines = |bytes: &[u8]| {
            // In every encoding, only the characters of replaced instructions differ.
            let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
            lines.retain(|line| !String::from_utf8_lossy(line).replace('\0', "").contains("eax"));
            lines
        };
        assert_eq!(lines(&bytes).len(), lines(&fixed).len(), "{number}");
        assert_eq!(bytes[..16], fixed[..16], "{number}");
        assert_eq!(bytes[bytes.len() - 8..], fixed[fixed.len() - 8..], "{number}");
        let count = |bytes: &[u8], wanted: u8| bytes.iter().filter(|&&byte| byte == wanted).count();
        for wanted in [b'\r', b'\n', b';', 0x94, 0xEF] {
            assert_eq!(count(&bytes, wanted), count(&fixed, wanted), "{number}: {wanted:#X}");
        }
    }
}

#[test]
fn what_cannot_be_changed_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("mac.asm"), ORDER.replace('\n', "\r")).expect("a file is written");
    fs::write(path.join("error.asm"), " mov eax\n").expect("a file is written");
    fs::write(path.join("endless.asm"), "start: nop\njmp start\n end start\n").expect("a file is written");
    fs::write(path.join("fault.asm"), " mov eax,ds:[0]\n").expect("a file is written");
    for (line, code, said) in [
        ("advise --write mac.asm", 2, "cannot be written back exactly"),
        ("advise --write -", 2, "standard input cannot be changed"),
        ("advise missing.asm", 2, "no such file"),
        ("advise error.asm", 2, "mov"),
        ("advise fault.asm", 1, ""),
        ("advise endless.asm --limit 1000", 1, ""),
        ("advise order.asm --runs 0", 2, "--runs"),
    ] {
        let output = finished(path, line);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line}: {errors}");
        assert!(errors.contains(said), "{line}: {errors}");
    }
    let protected = path.join("protected.asm");
    fs::write(&protected, ORDER).expect("a file is written");
    let mut permissions = fs::metadata(&protected).expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&protected, permissions).expect("permissions");
    let output = finished(path, "advise --write protected.asm");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("write-protected"));
    assert_eq!(fs::read_to_string(&protected).expect("a file"), ORDER);
    let told = finished(path, "advise fault.asm");
    assert!(String::from_utf8_lossy(&told.stdout).contains("no advice"));
}

#[test]
fn every_run_reads_the_same_input() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // The program counts the blanks of its input; without input, the loop would end at once and seem to save clocks.
    let text = "\
        .586
        .data
text    db 64 dup(0)
blanks  dd 0
        .code
start:  mov eax,3
        mov ebx,0
        mov ecx,offset text
        mov edx,64
        int 80h
        mov ecx,eax
        mov esi,offset text
        test ecx,ecx
        jz done
next:   mov al,[esi]
        cmp al,32
        jne other
        inc blanks
other:  inc esi
        dec ecx
        jnz next
done:   mov eax,1
        mov ebx,0
        int 80h
        end start
";
    fs::write(folder.path().join("a.asm"), text).expect("a file is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.args(["advise", "a.asm", "--cpl", "3", "--format", "json"]);
    command
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(b"three blanks are here").expect("is read");
    drop(input);
    let output = child.wait_with_output().expect("the command ends");
    let advice: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let [before, after] = ["clocks_before", "clocks_after"].map(|name| advice[name].as_u64().expect("clocks"));
    assert!(before > 60, "21 characters take more than {before} clocks");
    assert!(
        after > before / 2,
        "{before} to {after} clocks: the input was not read again"
    );
}

#[test]
fn results_of_measuring_and_moved_addresses_do_not_count_as_changes() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // The return address remains below the stack pointer, and the program itself stores a time.
    let text = "\
        .586
        .data
began   dd 0
took    dd 0
values  dd 1, 2, 3, 4
        .code
start:  mov ecx,30
        rdtsc
        mov began,eax
again:  mov esi,offset values
        mov eax,[esi]
        call part
        loop again
        rdtsc
        sub eax,began
        mov took,eax
        xor eax,eax
        xor edx,edx
        ret
part:   mov edx,0
        mov ebx,[esi]
        add ebx,1
        ret
        end start
";
    fs::write(path.join("a.asm"), text).expect("a file is written");
    let report = json(path, "advise a.asm --format json");
    assert!(
        !report["suggestions"].as_array().expect("suggestions").is_empty(),
        "{report:#}"
    );
    // The order of two stores to the same place has an effect.
    let swapped = text.replace("        mov edx,0\n", "        mov [esi],ebx\n        mov [esi],edx\n");
    fs::write(path.join("a.asm"), swapped).expect("a file is written");
    let report = json(path, "advise a.asm --format json");
    let suggestions = report["suggestions"].as_array().expect("suggestions");
    assert!(!suggestions.is_empty(), "{report:#}");
    for one in suggestions {
        let diff = one["diff"].as_str().expect("a difference");
        let stores: Vec<&str> = diff.lines().filter(|line| line.contains("mov [esi],")).collect();
        let kept = stores.iter().filter(|line| !line.starts_with('-'));
        let order: Vec<bool> = kept.map(|line| line.ends_with("ebx")).collect();
        assert!(order.is_empty() || order == [true, false], "{diff}");
    }
}

#[test]
fn what_is_saved_elsewhere_has_its_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/advice");
    let report = json(&folder, "advise chains.asm --runs 1 --format json");
    let mut found = 0;
    for one in report["suggestions"].as_array().expect("suggestions") {
        let number = |value: &Value| value.as_i64().expect("a number");
        let inside = number(&one["block_clocks"][0]) - number(&one["block_clocks"][1]);
        let elsewhere = one["elsewhere"].as_array().expect("lines");
        let outside: i64 = elsewhere.iter().map(|line| number(&line["saved"])).sum();
        assert_eq!(inside + outside, number(&one["saved"]), "{one:#}");
        found += elsewhere.len();
    }
    assert!(found > 0, "{report:#}");
    let told = printed(&folder, "advise chains.asm --runs 1");
    assert!(told.contains(" elsewhere ("), "{told}");
}

#[test]
fn what_is_not_examined_has_a_reason() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    // The program has more instructions than a run lists one by one.
    let text = format!(".586\n.code\nstart:\n{}ret\nend start\n", "inc eax\n".repeat(17_000));
    fs::write(path.join("long.asm"), text).expect("a file is written");
    // The time is too short for all trials.
    let output = finished(path, "advise long.asm --runs 1 --timeout 2 --format json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let left_alone = report["left_alone"].as_array().expect("reasons").iter();
    let summed: Vec<&Value> = left_alone
        .filter(|one| {
            one["reason"]
                .as_str()
                .is_some_and(|words| words.contains("executed least often"))
        })
        .collect();
    assert_eq!(summed.len(), 1, "{}", report["left_alone"]);
    assert_eq!(summed[0]["instructions"], 17_001 - 16_384);
    let text = ".586\n.code\nstart: ret\nStartTSC never\nnop\nEndTSC\nend start\n";
    fs::write(path.join("never.asm"), text).expect("a file is written");
    let told = printed(path, "advise never.asm");
    assert!(
        told.contains("0 blocks examined: no instruction of the program was"),
        "{told}"
    );
}

#[test]
fn json_has_the_fields_of_its_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/advice");
    let schema = json(&folder, "schema advise");
    let known = schema["properties"].as_object().expect("fields");
    let report = json(&folder, "advise left_alone.asm --format json");
    let report = report.as_object().expect("an object");
    assert!(report.keys().eq(known.keys()), "{known:#?}");
    assert_eq!(report["schema_version"], 1);
    let reasons = report["left_alone"].as_array().expect("reasons");
    assert_eq!(reasons.len(), 3, "{reasons:#?}");
}

#[test]
fn only_lines_of_the_file_itself_with_one_instruction_are_changed() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let block = "\tadd\teax,[esi]\r\n\tdec\tecx\r\n\tlea\tesi,[esi+4]\r\n\tor\tecx,ecx\r\n";
    let included = block.replace("\r\n", "\n");
    fs::write(path.join("more.inc"), &included).expect("a file is written");
    let part = |name: &str| format!("MACRO_{name} MACRO\r\n{block}ENDM\r\n");
    // The file has tabs, DOS line endings, and no ending on the last line.
    let text = format!(
        ".586\r\n{}.data\r\nvalues dd 8 dup(3)\r\n.code\r\nstart:\tmov\tesi,offset values\r\n\tMACRO_ONE\r\n\
         \tinclude more.inc\r\nREPT 2\r\n{block}ENDM\r\n\tmov\tesi,offset values\r\n\tmov ecx,8\r\n\
         here:\tadd eax,[esi]\t; sum\r\n\tdec ecx\r\n\tlea esi,[esi+4]\r\n\tjnz here\r\n\tret\r\n\tend start",
        part("ONE")
    );
    fs::write(path.join("a.asm"), &text).expect("a file is written");
    let report = json(path, "advise --write a.asm --format json");
    assert_eq!(report["written"], "a.asm", "{report:#}");
    let fixed = fs::read_to_string(path.join("a.asm")).expect("a program");
    assert_eq!(fs::read_to_string(path.join("more.inc")).expect("a file"), included);
    let halves = |text: &str| {
        let (before, own) = text.split_once("here:").expect("the label");
        (before.to_owned(), own.to_owned())
    };
    let (old, new) = (halves(&text), halves(&fixed));
    let first = |text: &str| text.split_once("\tMACRO_ONE").expect("the call").1.to_owned();
    assert_eq!(first(&old.0), first(&new.0), "calls, includes and repeats stay");
    assert!(
        fixed.starts_with(&format!(".586\r\n{}", part("ONE"))),
        "and so do macros"
    );
    assert_ne!(old.1, new.1);
    assert!(new.1.contains("; sum\r\n") && fixed.ends_with("\tend start"));
    assert_eq!(fixed.matches('\n').count(), fixed.matches("\r\n").count());
    let words: Vec<String> = report["left_alone"]
        .as_array()
        .expect("reasons")
        .iter()
        .map(|one| one["reason"].as_str().unwrap_or_default().to_owned())
        .collect();
    assert!(!words.is_empty(), "{report:#}");
}
