//! `p5inst audit`, as a user sees it.

use crate::started;
use serde_json::Value;
use started::finished;

/// A loop, a region that evicts the lines of its macros, a profile, and programs without a region or without copies.
const PROGRAMS: [(&str, &str); 9] = [
    (
        "plain.asm",
        "StartTSC loop\nmov ecx,9\nagain: dec ecx\njnz again\nEndTSC\nret\n",
    ),
    (
        // TalkieToaster's macros of 1996 use the stack between the reading and the region, and subtract 27.
        "constant.asm",
        "StartTSC MACRO name\npushad\nmov eax,_TSC\nimul eax,_TSC\ndb 0Fh,31h\nmov _TSC,eax\npopad\nENDM\n\
         EndTSC MACRO\npushad\nimul edx,edx\ndb 0Fh,31h\nsub eax,27\nsub eax,_TSC\nmov _TSC,eax\npopad\nENDM\n\
         .data\n_TSC dd 0\nalign 4096\nbuffer db 16384 dup(1)\n.code\n\
         StartTSC evicts\nmov ecx,512\nmov esi,offset buffer\nagain: mov al,[esi]\nadd esi,32\ndec ecx\njnz again\nEndTSC\n\
         ret\n",
    ),
    (
        "counted.asm",
        "StartProfile EV_DATA_READ, EV_DATA_WRITE\nmov eax,cell\nEndProfile\nret\n.data\ncell dd 0\n",
    ),
    (
        // One of several passes evicts the lines that the end macro needs.
        "sometimes.asm",
        "StartTSC MACRO name\npushad\nmov eax,_TSC\nimul eax,_TSC\ndb 0Fh,31h\nmov _TSC,eax\npopad\nENDM\n\
         EndTSC MACRO\npushad\nimul edx,edx\ndb 0Fh,31h\nsub eax,27\nsub eax,_TSC\nmov _TSC,eax\npopad\nENDM\n\
         .data\n_TSC dd 0\nalign 4096\nbuffer db 16384 dup(1)\n.code\nmov ebx,5\npasses:\nStartTSC middle\ncmp ebx,3\n\
         jne skip\nmov ecx,512\nmov esi,offset buffer\nagain: mov al,[esi]\nadd esi,32\ndec ecx\njnz again\nskip:\n\
         EndTSC\ndec ebx\njnz passes\nret\n",
    ),
    (
        "profile.asm",
        ".data\ntable dd 64 dup(1)\n.code\nmov esi,offset table\nmov ecx,64\n\
         StartProfile EV_DATA_READ, EV_DATA_READ_MISS, reads\nnext: add eax,[esi]\ndec ecx\nlea esi,[esi+4]\njnz next\n\
         EndProfile\nret\n",
    ),
    ("nothing.asm", "nop\nret\n"),
    (
        "once.asm",
        "StartTSC once\nmov eax,place\nmov eax,[eax]\nmov place,eax\nEndTSC\nmov place,offset cell\nret\n\
         .data\nplace dd offset cell\ncell dd 0\n",
    ),
    (
        // What the region writes is read after it, so that it is cached except for the macros.
        "evicted.asm",
        ".data\nalign 4096\nsrc db 8192 dup(55h)\ndst db 8192 dup(0)\n.code\ncld\nmov esi,offset src\n\
         mov edi,offset dst\nmov ecx,16\nStartTSC moved\nrep movsd\nEndTSC\nmov eax,dword ptr dst\n\
         mov eax,dword ptr dst+32\nret\n",
    ),
    (
        // The second copy begins with a counter of 0.
        "outside.asm",
        "mov ecx,9\nStartTSC\nagain: dec ecx\njnz again\nEndTSC\nret\n",
    ),
];

fn text(arguments: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text) in PROGRAMS {
        std::fs::write(folder.path().join(name), text).expect("a file is written");
    }
    let output = finished(folder.path(), arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    for line in text
        .lines()
        .filter(|_| !arguments.contains("json") && !arguments.starts_with("schema"))
    {
        assert!(line.chars().count() <= 80, "{arguments}: {line}");
    }
    text
}

fn region(arguments: &str) -> Value {
    let report: Value = serde_json::from_str(&text(&format!("{arguments} --format json"))).expect("JSON");
    report["regions"][0].clone()
}

#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    let lines: Vec<String> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for line in wanted {
        assert!(lines.iter().any(|other| other == line), "no `{line}` in\n{text}");
    }
}

/// Checks that the causes of each pass add up to its error.
#[track_caller]
fn adds_up(region: &Value) {
    for pass in region["passes"].as_array().expect("passes") {
        let parts = pass["causes"].as_array().expect("causes").iter();
        let sum: i64 = parts.filter_map(|part| part["error"].as_i64()).sum();
        let uncalibrated = pass["uncalibrated"].as_i64().expect("a number");
        assert_eq!(pass["error"][0], sum - uncalibrated, "{pass}");
    }
}

fn kinds(region: &Value) -> Vec<&str> {
    let doubts = region["doubts"].as_array().expect("a list");
    doubts.iter().filter_map(|doubt| doubt["kind"].as_str()).collect()
}

#[test]
fn a_region_of_clocks_is_told_by_pass_by_cause_and_by_two_calibrations() {
    let told = text("audit plain.asm");
    has(
        &told,
        &[
            "Region loop, lines 1-5",
            "passes reported true without macros error",
            "run 1 1 45 45 33 +12",
            "runs 3-5 3 41 41 38 +3",
            "issue 0 -5 -5 pairs lost (+) or gained (-)",
            "misprediction 0 +3 +3 predictions of the edge",
            "dry run 41 +3 the macros subtract 94 clocks",
            "copies 45 +7 4 reported 176, 8 356",
            "doubtful: with macros around it, the region takes 3 clocks more than without:",
            "41, not 38 (misprediction +3)",
        ],
    );
    let region = region("audit plain.asm");
    adds_up(&region);
    assert_eq!(kinds(&region), ["first-pass", "changed", "disagree"]);
    assert_eq!(region["calibrations"]["copies"]["result"], 45.0);
    assert_eq!(region["calibrations"]["copied"][1][1], 356);
}

#[test]
fn the_worst_pass_has_its_causes_and_a_profile_its_figures() {
    let told = text("audit sometimes.asm --runs 2 --copies 0");
    has(&told, &["run 1, 3 1 17608 17564 17564 +44", "error by cause, run 1, 3"]);
    let of_worst = told.split("error by cause, run 1, 3").nth(1).expect("a table");
    has(of_worst, &["write buffer full +44 0 +44 macros' data or stack evicted"]);
    let told = text("audit profile.asm");
    let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("the region takes 5 clocks fewer than without: 259, not 264 ("),
        "{told}"
    );
    assert!(
        words.contains("counter 1 counted 8 events more in the first pass than in the last"),
        "{told}"
    );
    assert!(!words.contains("reported 8 clocks"), "{told}");
}

#[test]
fn an_evicted_stack_and_a_constant_are_told() {
    has(
        &text("audit constant.asm"),
        &[
            "runs 2-5 4 7226 7194 7194 +32",
            "execution +22 0 +22 the macros' own clocks",
            "write buffer full +32 0 +32 macros' data or stack evicted",
            "subtracted -27 -27 the program's constant",
            "constant 7226 +32 the macros subtract 27 clocks",
        ],
    );
    let region = region("audit constant.asm");
    adds_up(&region);
    let kinds = kinds(&region);
    assert!(
        ["not-calibrated", "data-evicted"]
            .iter()
            .all(|kind| kinds.contains(kind)),
        "{kinds:?}"
    );
}

#[test]
fn a_buffer_that_is_full_since_the_macros_evict_lines_is_told_of_as_that() {
    let report = text("audit evicted.asm");
    let line = report
        .lines()
        .find(|line| line.trim_start().starts_with("write buffer full"));
    assert!(
        line.is_some_and(|line| line.ends_with("evicted lines, or other writes")),
        "{report}"
    );
}

#[test]
fn a_profile_is_told_by_place() {
    has(
        &text("audit counted.asm"),
        &[
            "counter 0: DATA_READ; counter 1: DATA_WRITE",
            "counter reported true before after subtracted error",
            "run 1 0 1 1 3 0 3 0",
            "1 0 0 1 4 5 0",
        ],
    );
    let region = region("audit counted.asm");
    assert_eq!(region["passes"][0]["causes"], Value::Null);
    assert_eq!(region["calibrations"]["reason"], "not available for events");
    assert_eq!(region["doubts"], Value::Array(Vec::new()));
}

#[test]
fn a_program_that_faults_is_told_apart_from_copies_that_do() {
    // The second copy reads data that the first one did not bring into the cache.
    let told = text("audit once.asm");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("the program with 4 copies is stopped by fault #PF"),
        "{told}"
    );
    assert!(told.contains("(once.asm:3)"), "{told}");
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "StartTSC fine\nmov ecx,9\nEndTSC\nmov eax,ds:[0]\nret\n";
    std::fs::write(folder.path().join("faults.asm"), program).expect("a file is written");
    let output = finished(folder.path(), "audit faults.asm");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stdout);
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("the program itself does not end by itself"), "{told}");
    assert_eq!(told.matches("(faults.asm:4)").count(), 2, "{told}");
}

#[test]
fn what_cannot_be_had_has_a_reason() {
    assert!(text("audit nothing.asm").contains("no region is measured"));
    let reason = |arguments: &str| region(arguments)["calibrations"]["reason"].as_str().map(str::to_owned);
    assert_eq!(
        reason("audit plain.asm --copies 0").as_deref(),
        Some("not wanted: `--copies` is 0")
    );
    let endless = reason("audit outside.asm").expect("a reason");
    assert!(endless.contains("does not end by itself"), "{endless}");
    let schema: Value = serde_json::from_str(&text("schema audit")).expect("JSON");
    assert_eq!(schema["title"], "p5inst audit");
}

#[test]
fn the_passes_that_are_kept_have_one_bound_for_all_runs() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let loops = "mov ecx,1200\nnext: push ecx\nStartTSC often\nmov eax,1\nEndTSC\npop ecx\ndec ecx\njnz next\nret\n";
    std::fs::write(folder.path().join("a.asm"), loops).expect("a file is written");
    let output = finished(folder.path(), "audit a.asm --runs 25 --format json");
    let audit: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let region = &audit["regions"][0];
    let passes = region["passes"].as_array().expect("passes");
    assert_eq!(region["pass_count"], 25 * 1200);
    assert_eq!(passes.len(), 20_000, "1,001 of each run would be 25,025");
    let place = |index: usize| (passes[index]["run"].as_u64(), passes[index]["number"].as_u64());
    assert_eq!(
        [place(999), place(1000), place(1001)],
        [(Some(1), Some(1000)), (Some(1), Some(1200)), (Some(2), Some(1))],
        "the first 1,000 of each run and the last one"
    );
    assert_eq!(place(19_998), (Some(20), Some(980)), "until there is no room");
    assert_eq!(place(19_999), (Some(25), Some(1200)), "and the last one of all");
    let output = finished(folder.path(), "audit a.asm --runs 25");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("10000 of 30000 passes are not audited"), "{text}");
}

#[test]
fn each_pass_is_compared_with_the_same_pass_without_macros() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "mov edx,30\nnext: mov ecx,edx\nStartTSC shrinking\nagain: dec ecx\njnz again\nEndTSC\n\
                   sub edx,10\njnz next\nret\n";
    std::fs::write(folder.path().join("passes.asm"), program).expect("a file is written");
    let output = finished(folder.path(), "audit passes.asm --runs 2 --format json");
    let audit: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let region = &audit["regions"][0];
    assert_eq!(region["incomparable"], Value::Null);
    adds_up(region);
    let passes = region["passes"].as_array().expect("passes");
    let places: Vec<_> = passes
        .iter()
        .map(|pass| (pass["run"].as_u64(), pass["number"].as_u64()))
        .collect();
    let expected = [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)];
    assert_eq!(places, expected.map(|(run, number)| (Some(run), Some(number))));
    for pass in passes {
        assert_eq!(pass["without_macros_reason"], Value::Null);
        assert!(pass["error"][0].as_i64().expect("a number").abs() < 20, "{pass}");
    }
    // A round takes at least two clocks, so ten rounds fewer show in each pass.
    let without = |index: usize| passes[index]["without_macros"].as_i64().expect("a number");
    for index in [0, 1, 3, 4] {
        assert!(without(index) - without(index + 1) >= 10, "{passes:?}");
    }
}

#[test]
fn what_is_not_known_without_macros_is_not_shown_as_none() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // Without the macros, the code is shorter and makes two rounds.
    let program = "mov edi,1\nahead:\nStartTSC\nmov ecx,9\nagain: dec ecx\njnz again\nEndTSC\nbehind:\n\
                   mov ebx,offset behind\nsub ebx,offset ahead\ncmp ebx,20\nja done\ndec edi\njz ahead\n\
                   done: ret\n";
    std::fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let output = finished(folder.path(), "audit a.asm --format json");
    let audit: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let pass = &audit["regions"][0]["passes"][0];
    assert_eq!(pass["without_macros"], Value::Null, "{pass}");
    let reason = pass["without_macros_reason"].as_str().expect("a reason");
    assert!(reason.contains("the number of passes is then"), "{reason}");
    let parts = pass["causes"].as_array().expect("causes");
    assert!(!parts.is_empty());
    for part in parts {
        assert_eq!(
            (&part["region"], &part["error"]),
            (&Value::Null, &Value::Null),
            "{part}"
        );
    }
    let edges: i64 = parts.iter().filter_map(|part| part["edges"].as_i64()).sum();
    assert_eq!(pass["error"][0], edges);
}

#[test]
fn a_run_without_macros_that_was_stopped_is_not_called_a_shorter_one() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program =
        "mov esi,1000\npasses:\nStartTSC\nmov ecx,9\nagain: dec ecx\njnz again\nEndTSC\ndec esi\njnz passes\nret\n";
    std::fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let output = finished(folder.path(), "audit a.asm --limit 5000 --runs 1 --format json");
    assert_eq!(output.status.code(), Some(1));
    let audit: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reason = audit["regions"][0]["passes"][0]["without_macros_reason"].to_string();
    assert!(reason.contains("the run was stopped by `--limit` after"), "{reason}");
}

#[test]
fn a_region_that_only_is_there_with_macros_does_not_take_the_place_of_another() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\nstart:\nStartTSC first\nnop\nEndTSC\nIF ($ - start) GT 20\n\
                   StartTSC second\nmov eax,1\nEndTSC\nENDIF\nStartTSC third\nmov ecx,9\nagain: dec ecx\njnz again\n\
                   EndTSC\nret\nend start\n";
    std::fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let output = finished(folder.path(), "audit a.asm --format json");
    let audit: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let [first, second, third] = [0, 1, 2].map(|index| &audit["regions"][index]);
    for region in [first, third] {
        assert_eq!(region["incomparable"], Value::Null, "{region}");
        adds_up(region);
    }
    let reason = second["passes"][0]["without_macros_reason"].to_string();
    assert!(reason.contains("without them there is no such region"), "{reason}");
}
