//! Numbers and names that reports show: signs, clocks of a run that was stopped, pipes, spellings.

use crate::started;
use serde_json::Value;
use started::{finished, text};
use std::fs;
use std::path::Path;

/// What a command prints of a source, in one line.
fn told(source: &str, options: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), &format!("a.asm {options}"));
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn numbers_below_zero_stand_with_their_sign() {
    let source = ".586\n.model flat\n.data\nsum dd 0\nplace dd 0\nsize1 sdword 0\n.code\nmain: mov eax,-5\n\
                  mov sum,eax\nmov ebx,80000001h\nmov place,ebx\nmov size1,eax\nret\nend main\n";
    let told = told(source, "");
    for words in [
        "eax FFFFFFFBh (-5) ebx 80000001h",
        "sum = 4294967291 (-5, FFFFFFFBh), was 0",
        "place = 2147483649 (80000001h), was 0",
        "size1 = -5",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn one_pipe_has_no_clocks_of_the_other() {
    let source = "main: mov ecx,9\nl: add eax,ecx\nadd edx,eax\ndec ecx\njnz l\nret\nend main\n";
    let told = told(source, "--cpu i486");
    assert!(told.contains("No order takes less than 6 clocks (one pipe)."), "{told}");
    assert!(!told.contains("V is used") && !told.contains("V in "), "{told}");
}

#[test]
fn no_row_lies_beyond_the_clocks_of_a_run_that_was_stopped() {
    let source = ".386\n.model flat\n.data\nbuf db 99 dup (5)\n.code\nstart: mov ebx,5\nmov esi,offset buf\n\
                  mov edi,esi\nmov ecx,0\nStartTSC zero\nrep movsb\nEndTSC\nret\nend start\n";
    let mut compared = 0;
    for limit in (2700..2900).step_by(5) {
        let report: Value =
            serde_json::from_str(&told(source, &format!("--format json --limit {limit}"))).expect("JSON");
        let total = report["own"]["totals"]["cycles"].as_u64().expect("clocks");
        let rows = report["diagram"]["rows"].as_array().cloned().unwrap_or_default();
        let clocks = rows.iter().filter_map(|row| row["group"]["clock"].as_u64());
        for clock in clocks {
            assert!(clock < total, "{limit}: {clock} of {total}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn a_report_names_an_instruction_as_its_source_does() {
    let source = "main: mov ecx,9\nl: sal eax,1\nsetnz dl\ndec ecx\njz m\njnz l\nm: ret\nend main\n";
    let report: Value = serde_json::from_str(&told(source, "--format json")).unwrap_or_default();
    let texts: Vec<&str> = report["instructions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|one| one["text"].as_str())
        .collect();
    for text in ["sal eax,1", "setnz dl", "jz m", "jnz l"] {
        assert!(texts.contains(&text), "{text}: {texts:?} {report}");
    }
}

/// One in so many programs is run for their mispredictions.
const PROGRAMS_APART: usize = 2;

#[test]
fn mispredictions_of_instructions_add_up_to_the_event() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/asm");
    let files = fs::read_dir(&folder).expect("the programs").flatten();
    let mut names: Vec<String> = files
        .filter_map(|file| file.file_name().into_string().ok())
        .filter(|name| name.ends_with(".asm"))
        .collect();
    names.sort();
    let (mut counted, mut all) = (0, 0);
    for name in names.iter().step_by(PROGRAMS_APART) {
        let output = finished(&folder, &format!("--timeout 5 --all --format json {name}"));
        let Ok(report) = serde_json::from_slice::<Value>(&output.stdout) else {
            continue;
        };
        let Some(rows) = report["instructions"].as_array() else {
            continue;
        };
        let wrong = rows.iter().filter_map(|row| row["mispredictions"].as_u64());
        if report["stop"]["reason"] != "return" || wrong.clone().count() == 0 {
            continue;
        }
        let events = report["whole"]["events"].as_array().expect("events");
        let flushes = events
            .iter()
            .find(|event| event["name"] == "PIPELINE_FLUSHES")
            .expect("it");
        let sum: u64 = wrong.sum();
        assert_eq!(Some(sum), flushes["occurrences"].as_u64(), "{name}");
        let lines = report["lines"].as_array().expect("lines");
        let of_lines = lines.iter().filter_map(|line| line["mispredictions"].as_u64());
        assert_eq!(of_lines.sum::<u64>(), sum, "{name}");
        (counted, all) = (counted + 1, all + sum);
    }
    assert!(counted >= 10 && all > 100, "{counted} programs, {all}");
}

#[test]
fn a_row_says_how_often_its_branch_mispredicts() {
    let source = ".586\n.model flat\n.code\nstart: mov ecx,100\nnext: mov eax,ecx\nand eax,1\njz even\ninc ebx\neven: dec \
                  ecx\njnz next\nret\nend start\n";
    let told = told(source, "--long");
    let (before, _) = told.split_once(" of 100)").unwrap_or_else(|| panic!("{told}"));
    let wrong = before.rsplit('(').next().and_then(|word| word.parse::<u64>().ok());
    assert!(wrong.is_some_and(|wrong| (40..=60).contains(&wrong)), "{told}");
}
