//! What `compare` leaves out: data that no source declares, and lines of programs that have little in common.

use crate::started;
use started::{finished, text};
use std::fs;
use std::path::Path;

#[test]
fn data_that_no_source_declares_is_no_result_of_a_compiled_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("types.elf"), folder.path().join("types.elf")).expect("a program is copied");
    finished(folder.path(), "--format json -o old.json types.elf");
    let old = fs::read_to_string(folder.path().join("old.json")).expect("a report");
    let mut new: serde_json::Value = serde_json::from_str(&old).expect("JSON");
    for symbol in new["symbols"].as_array_mut().expect("data") {
        match symbol["name"].as_str() {
            Some("kept") => symbol["value"] = 8.into(),
            Some("paint") => (symbol["value"], symbol["undeclared"]) = (8.into(), true.into()),
            _ => {}
        }
    }
    fs::write(folder.path().join("new.json"), new.to_string()).expect("a file is written");
    let told = started::printed(folder.path(), "compare old.json new.json");
    assert!(told.contains("`kept` (7, then 8)") && !told.contains("paint"), "{told}");
}

const SORTS: [&str; 2] = [
    ".386\n.model flat\n.data\na dd 9,3,7,1,8,2,6,4,5,0\n.code\nstart: mov ecx,9\nouter: mov esi,offset a\n\
     mov edx,ecx\ninner: mov eax,[esi]\ncmp eax,[esi+4]\njbe noswap\nmov ebx,[esi+4]\nmov [esi],ebx\n\
     mov [esi+4],eax\nnoswap: add esi,4\ndec edx\njnz inner\ndec ecx\njnz outer\nret\nend start\n",
    ".386\n.model flat\n.data\na dd 9,3,7,1,8,2,6,4,5,0\n.code\nstart: mov edi,4\nnext: mov eax,a[edi]\n\
     mov ebp,edi\nshift: mov edx,a[ebp-4]\ncmp edx,eax\njbe place\nmov a[ebp],edx\nsub ebp,4\njnz shift\n\
     place: mov a[ebp],eax\nadd edi,4\ncmp edi,40\njb next\nret\nend start\n",
];

#[test]
fn different_programs_are_compared_by_totals_and_functions() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    for (name, program) in ["exchange", "insert"].iter().zip(SORTS) {
        fs::write(path.join(format!("{name}.asm")), program).expect("a file is written");
        finished(path, &format!("{name}.asm --format json -o {name}.json"));
    }
    let compared = |line: &str| text(&finished(path, line).stdout).to_owned();
    insta::assert_snapshot!("two_sorts", compared("compare exchange.json insert.json"));
    // No line is a version of another, however alike: `add esi,4` and `add edi,4`.
    let long = compared("compare exchange.json insert.json --long");
    assert!(long.contains("add edi,4") && !long.contains("was "), "{long}");
}

#[test]
fn code_with_source_text_comes_before_that_of_libraries_and_both_say_why() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("a.asm"), SORTS[0]).expect("a file is written");
    finished(path, "a.asm --format json -o old.json");
    let old = fs::read_to_string(path.join("old.json")).expect("a report");
    let mut new: serde_json::Value = serde_json::from_str(&old).expect("JSON");
    let lines = new["lines"].as_array_mut().expect("lines");
    let mut foreign = lines[0].clone();
    (foreign["file"], foreign["line"], foreign["function"]) = ("<memory>".into(), 0.into(), "copy+1Ah".into());
    lines.push(foreign);
    let older = new.to_string();
    let lines = new["lines"].as_array_mut().expect("lines");
    let more = |line: &mut serde_json::Value, cause: &str, clocks: u64| {
        line["cycles"] = (line["cycles"].as_u64().expect("clocks") + clocks).into();
        line["reasons"][cause] = (line["reasons"][cause].as_u64().unwrap_or(0) + clocks).into();
    };
    more(&mut lines[3], "agi", 30);
    let last = lines.len() - 1;
    more(&mut lines[last], "data read miss", 400);
    for (name, text) in [("old.json", older), ("new.json", new.to_string())] {
        fs::write(path.join(name), text).expect("a file is written");
    }
    let told = started::printed(path, "compare old.json new.json");
    let place = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
    assert!(
        place("agi +30") < place("copy+1Ah") && place("copy+1Ah") < place("data read miss +400"),
        "{told}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&started::printed(path, "compare old.json new.json --format json")).expect("JSON");
    let of_library: Vec<bool> = json["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|one| one["of_library"] == true)
        .collect();
    assert_eq!(of_library, [false, true]);
    assert_eq!(json["lines"][1]["causes"][0]["cause"], "data read miss");
}

#[test]
fn both_run_on_the_chip_that_one_of_them_needs() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let plain = ".586\n.model flat\n.code\ns: mov ecx,100\nl: add eax,ecx\ndec ecx\njnz l\nret\nend s\n";
    let mmx = plain
        .replace(".586", ".586\n.mmx")
        .replace("add eax,ecx", "paddd mm0,mm1");
    for (name, text) in [("plain.asm", plain), ("mmx.asm", &mmx)] {
        fs::write(folder.path().join(name), text).expect("a file is written");
    }
    let told = |line: &str| text(&finished(folder.path(), line).stdout).to_owned();
    for line in ["compare plain.asm mmx.asm", "compare mmx.asm plain.asm"] {
        let report = told(line);
        assert!(
            report.contains("plain.asm on p55c") && report.contains("mmx.asm on p55c"),
            "{report}"
        );
        assert!(!report.contains("not comparable"), "{report}");
    }
    // Where a chip is asked for, the run is stopped there, which is said before any clocks.
    let report = told("compare --cpu p54c plain.asm mmx.asm");
    let (why, clocks) = (
        report.find("not comparable: the newer run was stopped"),
        report.find("last run"),
    );
    assert!(why.is_some() && why < clocks, "{report}");
    assert!(!report.contains("Lines that changed"), "{report}");
    assert!(told("compare --cpu p54c --long plain.asm mmx.asm").contains("Lines that changed"));
}

#[test]
fn two_runs_of_one_built_program_are_told_how_to_give_them_other_arguments() {
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    let told = started::printed(&objects, "compare looped.elf looped.elf");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "`--old-args` and `--new-args` give arguments to one of them, as in `--new-args large.txt`";
    assert!(told.contains(words) && !told.contains("FAST"), "{told}");
}
