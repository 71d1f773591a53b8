//! Which sources of a program that another tool has built are read, and what is said of those that are not.

use crate::started;
use serde_json::Value;
use started::{finished, printed, text};
use std::fs;
use std::path::Path;

/// A folder with a program of a tutorial in the folder `build` there, and the text of its source.
fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let tutorial = Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots/tutorials/10_c_program");
    fs::create_dir(folder.path().join("build")).expect("a new folder");
    fs::copy(tutorial.join("tally.elf"), folder.path().join("build/tally.elf")).expect("a program is copied");
    let source = fs::read_to_string(tutorial.join("tally.c")).expect("a source");
    (folder, source)
}

/// The text of line 15 in the report.
fn line_15(folder: &Path, arguments: &str) -> String {
    let output = finished(folder, &format!("--format json {arguments}"));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = report["lines"].as_array().expect("lines");
    let line = lines.iter().find(|line| line["line"] == 15).expect("executed");
    line["text"].as_str().expect("a text").to_owned()
}

#[test]
fn a_source_below_the_current_folder_is_read_and_no_link_that_leaves_it() {
    let (folder, source) = folder();
    let here = |name: &str| folder.path().join(name);
    fs::write(here("tally.c"), &source).expect("a file");
    let expected = source.lines().nth(14).expect("line 15");
    assert_eq!(line_15(folder.path(), "build/tally.elf"), expected);
    // The folder of the program is one that the user has chosen, wherever p5inst starts.
    fs::create_dir(here("elsewhere")).expect("a new folder");
    assert_eq!(line_15(&here("elsewhere"), "../build/tally.elf"), "");
    assert_eq!(line_15(&here("elsewhere"), "-I .. ../build/tally.elf"), expected);
    #[cfg(unix)]
    {
        fs::rename(here("tally.c"), here("elsewhere/real.c")).expect("a new name");
        fs::create_dir(here("project")).expect("a new folder");
        fs::rename(here("build"), here("project/build")).expect("a new place");
        std::os::unix::fs::symlink("../elsewhere/real.c", here("project/tally.c")).expect("a link");
        assert_eq!(line_15(&here("project"), "build/tally.elf"), "");
        fs::create_dir(here("project/.hidden")).expect("a new folder");
        fs::copy(here("elsewhere/real.c"), here("project/.hidden/tally.c")).expect("a file");
        fs::remove_file(here("project/tally.c")).expect("a link");
        std::os::unix::fs::symlink(".hidden/tally.c", here("project/tally.c")).expect("a link");
        assert_eq!(line_15(&here("project"), "build/tally.elf"), "");
        // Nor is it chosen by a program that lies beside it.
        fs::copy(here("project/build/tally.elf"), here("project/tally.elf")).expect("a file");
        assert_eq!(line_15(&here("project"), "tally.elf"), "");
        assert_eq!(line_15(&here("project"), "-I .hidden tally.elf"), expected);
    }
}

#[test]
fn a_source_that_is_not_read_is_named_and_its_budgets_are_skipped() {
    let (folder, source) = folder();
    let told = |format: &str| {
        let output = finished(folder.path(), &format!("{format} build/tally.elf"));
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let note = "`tally.c` was not read: reports lack the lines of it, and budgets there are not judged; `-I DIR`";
    assert!(told("").contains(note), "{}", told(""));
    for format in ["json", "html"] {
        let shown = told(&format!("--format {format}"));
        assert!(shown.contains("budgets there are not judged"), "{format}: {shown}");
    }
    let junit = told("--format junit");
    assert!(
        junit.contains("tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\""),
        "{junit}"
    );
    assert!(
        junit.contains("<testcase classname=\"tally.c\" name=\"budgets\" file=\"tally.c\"> <skipped message="),
        "{junit}"
    );
    let sarif = told("--format sarif");
    assert!(
        sarif.contains("\"level\": \"warning\"") && sarif.contains("\"unread\""),
        "{sarif}"
    );
    fs::write(folder.path().join("tally.c"), source).expect("a file");
    for format in ["", "--format junit", "--format sarif"] {
        let read = told(format);
        assert!(
            !read.contains("skipped") && !read.contains("`tally.c` was not read"),
            "{format}: {read}"
        );
    }
}

#[test]
fn each_of_many_sources_that_are_not_read_is_a_case_and_a_place() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let objects = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    fs::copy(objects.join("sources.elf"), folder.path().join("sources.elf")).expect("a program is copied");
    let told = |format: &str| text(&finished(folder.path(), &format!("{format} sources.elf")).stdout).to_string();
    let junit = told("--format junit");
    assert!(junit.contains("skipped=\"5\""), "{junit}");
    let sarif: Value = serde_json::from_str(&told("--format sarif")).expect("JSON");
    let unread = &sarif["runs"][0]["results"][0];
    assert_eq!(unread["locations"].as_array().map(Vec::len), Some(5), "{unread}");
    for name in ["one.c", "two.c", "three.c", "four.c", "five.c"] {
        assert!(junit.contains(&format!("classname=\"{name}\"")), "{junit}");
        assert!(
            unread["locations"].to_string().contains(&format!("\"{name}\"")),
            "{unread}"
        );
    }
    // A sentence names three.
    let words = told("").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(", 2 more were not read"), "{words}");
}

#[test]
fn lines_whose_text_a_report_lacks_are_not_paired() {
    let (folder, source) = folder();
    let report = |name: &str| finished(folder.path(), &format!("--format json -o {name} build/tally.elf"));
    report("without.json");
    fs::write(folder.path().join("tally.c"), source).expect("a file");
    report("with.json");
    let changed = |name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).expect("a report");
        let mut report: Value = serde_json::from_str(&text).expect("JSON");
        for line in report["lines"].as_array_mut().expect("lines") {
            if line["line"].as_u64() > Some(12) {
                line["line"] = (line["line"].as_u64().expect("a line") + 1).into();
                line["cycles"] = (line["cycles"].as_u64().expect("clocks") + 9).into();
            }
        }
        fs::write(folder.path().join("changed.json"), report.to_string()).expect("a file");
    };
    changed("without.json");
    for old in ["without.json", "with.json"] {
        let told = printed(folder.path(), &format!("compare {old} changed.json"));
        let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            told.contains("the lines of `tally.c` are not compared"),
            "{old}: {told}"
        );
        assert!(!told.contains("Lines that changed"), "{old}: {told}");
    }
    changed("with.json");
    let told = printed(folder.path(), "compare with.json changed.json");
    assert!(
        told.contains("Lines that changed") && !told.contains("not compared"),
        "{told}"
    );
}

#[test]
fn a_source_whose_name_has_a_folder_is_read_below_that_folder_and_in_it() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let here = |name: &str| folder.path().join(name);
    for name in ["start", "part", "other", "other/part"] {
        fs::create_dir(here(name)).expect("a new folder");
    }
    let part = ".586\n.model flat\n.code\npublic twice\ntwice proc ; p5: instructions == 2\nadd eax,eax\nret\n\
                twice endp\nend\n";
    fs::write(here("part/twice.asm"), part).expect("a file");
    let driver = ".586\n.model flat\nextern twice:near\n.code\nstart: mov eax,21\ncall twice\nret\nend start\n";
    fs::write(here("start/driver.asm"), driver).expect("a file");
    printed(folder.path(), "build --lines -o start/twice.o part/twice.asm");
    let told = |options: &str| {
        let output = finished(&here("start"), &format!("{options} driver.asm twice.o"));
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let unread = "`part/twice.asm` was not read: reports lack the lines of it, and budgets there are not judged; \
                  `-I DIR`, the folder with `part/` or such a `part/` itself, has it read";
    assert!(told("").contains(unread), "{}", told(""));
    for options in ["-I ..", "-I ../part", "-I ../other -I ../part"] {
        let told = told(options);
        assert!(
            told.contains("The budget holds") && !told.contains("was not read"),
            "{options}: {told}"
        );
    }
    // Another folder has a file of that name, which is not the source.
    fs::copy(here("part/twice.asm"), here("other/twice.asm")).expect("a file");
    assert!(told("-I ../other").contains(unread), "{}", told("-I ../other"));
}
