//! Calls of Linux programs: through stubs, and in code without lines.

use crate::started::{finished, printed, text};
use runtime::load::program;
use runtime::machine::{Options, simulate};
use runtime::model::MODELS;
use std::collections::BTreeMap;

/// What remains of each line of a report after `begin`.
fn after<'a>(report: &'a str, begin: &str) -> Vec<&'a str> {
    report.lines().filter_map(|line| line.strip_prefix(begin)).collect()
}

#[test]
fn a_call_of_a_stub_calls_the_function_that_it_leads_to() {
    let folder = super::path("");
    let stacks = printed(&folder, "--runs 1 --format collapsed stubs.elf");
    // The stub itself is executed in its caller.
    assert_eq!(
        after(&stacks, "stubs.elf;_start;resolver@plt;<memory> 8048080h;issue "),
        ["1"],
        "{stacks}"
    );
    assert_eq!(
        after(&stacks, "stubs.elf;_start;chosen;<memory> 80480B2h;issue "),
        ["1"],
        "{stacks}"
    );
    // A function that begins with a jump is none.
    assert_eq!(
        after(&stacks, "stubs.elf;_start;first;<memory> 80480B5h;issue "),
        ["1"],
        "{stacks}"
    );
    assert_eq!(
        after(&stacks, "stubs.elf;_start;first;second;<memory> 80480B7h;issue "),
        ["1"],
        "{stacks}"
    );
}

#[test]
fn calls_of_code_without_lines_add_up_to_the_program() {
    let profile = printed(&super::path(""), "--runs 1 --format callgrind stubs.elf");
    let name = |line: &str| line.split_once(") ").map(|(_, name)| name.to_owned());
    let called: Vec<String> = after(&profile, "cfn=").into_iter().filter_map(name).collect();
    assert_eq!(called, ["resolver", "chosen", "first", "second"], "{profile}");
    let clocks = |costs: &str| costs.split(' ').next().and_then(|clocks| clocks.parse::<u64>().ok());
    let summary = after(&profile, "summary: ")[0];
    let sections: Vec<&str> = profile.split("\nfn=").collect();
    // All code has line 0: first the costs of the function itself, then those of its calls.
    let start = sections
        .iter()
        .find(|section| section.starts_with("(1) _start"))
        .expect("the program");
    let inclusive: u64 = after(start, "0 ").into_iter().filter_map(clocks).sum();
    assert_eq!(Some(inclusive), clocks(summary), "{profile}");
    assert!(!profile.contains("left out"), "{profile}");
}

#[test]
fn functions_that_no_tool_calls_so_begin_at_their_global_names() {
    let folder = super::path("");
    let stacks = printed(&folder, "--runs 1 --format collapsed untyped.elf");
    let frames = |line: &str| line.rsplit_once(";<memory> ").map(|(frames, _)| frames.to_owned());
    let mut called: Vec<String> = stacks.lines().filter_map(frames).collect();
    called.sort_unstable();
    called.dedup();
    let chains = ["", ";add", ";shift", ";times", ";whole"].map(|name| format!("untyped.elf;_start{name}"));
    assert_eq!(called, chains, "{stacks}");
    // Each has its own instructions: no label is a function, and none has those of the function after it.
    let bytes = super::fixture("untyped.elf").bytes;
    let image = program(&bytes, &["untyped.elf"]).expect("a static program");
    let run = simulate(&image, "untyped.elf", MODELS[0], &Options::default(), &mut |_| {});
    let mut executed: BTreeMap<&str, u64> = BTreeMap::new();
    for one in &run.instructions {
        let function = one.function.and_then(|number| run.functions.get(number as usize));
        *executed
            .entry(function.map_or("", |function| &function.name))
            .or_default() += one.executions;
    }
    let expected = [("_start", 8), ("add", 32), ("shift", 3), ("times", 2), ("whole", 5)];
    assert_eq!(executed, expected.into());
}

#[test]
fn an_end_in_code_without_lines_is_at_the_line_that_called_it() {
    let ended = |arguments: &str| {
        let output = finished(&super::path(""), &format!("--runs 1 --long {arguments}"));
        text(&output.stdout).replace("\n  ", " ")
    };
    // The line calls a function of a header of the system, which was inlined.
    let fault = ended("ends.elf");
    for words in [
        "stopped by fault #PF: read from unmapped memory",
        "at first (080480E0h), called from value (ends.c:15)",
    ] {
        assert!(fault.contains(words), "{words}: {fault}");
    }
    let aborted = ended("ends.elf x");
    let words = "ended by raising SIGABRT, exit code 134 in a shell: in quit, called from check (ends.c:20)";
    assert!(aborted.contains(words), "{aborted}");
    let json = finished(&super::path(""), "--runs 1 --format json ends.elf x");
    for field in [
        r#""called": "quit""#,
        r#""caller": "check""#,
        r#""file": "ends.c""#,
        r#""line": 20"#,
    ] {
        assert!(text(&json.stdout).contains(field), "{field}: {}", text(&json.stdout));
    }
    // What is inlined of a header of the system belongs to the line that calls it.
    let profile = finished(&super::path(""), "--runs 1 --format callgrind ends.elf");
    assert!(!text(&profile.stdout).contains("digits.h"), "{}", text(&profile.stdout));
    // What reads a profile finds a header whose code is a function by its whole path.
    let profile = finished(&super::path(""), "--runs 1 --format callgrind ranked.elf");
    let header = |line: &str| line.contains(" /usr/include/") && line.ends_with("/bits/predefined_ops.h");
    assert!(text(&profile.stdout).lines().any(header), "{}", text(&profile.stdout));
}

#[test]
fn the_instructions_of_later_processors_that_a_program_has_are_named_at_once() {
    let run = |options: &str| {
        let output = finished(&super::path(""), &format!("--runs 1 {options} later.elf"));
        text(&output.stdout).replace("\n  ", " ")
    };
    for (options, asks) in [
        ("", "p5inst --also cmov,endbr PROGRAM"),
        ("--also cmov", "p5inst --also cmov,endbr PROGRAM"),
        ("--also endbr", "p5inst --also endbr,cmov PROGRAM"),
        ("--also cmov,endbr", "ended by exit with code 7"),
    ] {
        let told = run(options);
        assert!(told.contains(asks), "{options}: {told}");
    }
}

#[test]
fn the_loop_that_is_shown_has_lines_unless_it_is_negligible() {
    let report = printed(&super::path(""), "--runs 1 loops.elf").replace("\n  ", " ");
    let words = "The loop with source lines that takes the most clocks of the 4096 instructions traced";
    assert!(report.contains(words) && report.contains("own: 200 rounds"), "{report}");
    for caller in [
        "before: called 1 time by loops.s:7 (",
        "behind: called 1 time by loops.s:13 (",
    ] {
        assert!(report.contains(caller), "{caller}: {report}");
    }
}

#[test]
fn the_line_that_calls_code_without_lines_is_named_with_all_of_its_clocks_and_with_what_it_wrote() {
    let run = |options: &str| {
        let output = finished(&super::path(""), &format!("--runs 1 {options}"));
        text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let report = run("led.elf");
    let place = "part: called through whole by led.c:32 (";
    let (_, clocks) = report.split_once(place).unwrap_or_else(|| panic!("{report}"));
    let (clocks, _) = clocks
        .split_once(" with all that whole calls)")
        .unwrap_or_else(|| panic!("{report}"));
    let (own, all) = clocks.split_once(" clocks; ").unwrap_or_else(|| panic!("{clocks}"));
    let [own, all] = [own, all].map(|clocks| clocks.parse::<u64>().expect("clocks"));
    assert!(own > 50_000 && all > own + 2_000, "{clocks}");
    let fault = run("led.elf x");
    let words =
        "h, in copy, called from load.constprop.0 at led.c:25) had written the address that it took from memory";
    assert!(fault.contains(words), "{fault}");
}

#[test]
fn a_short_program_shows_its_own_loop_and_not_the_start_up_around_it() {
    let report = printed(&super::path(""), "--runs 1 started.elf").replace("\n  ", " ");
    let words = "The loop with the most clocks of the ";
    let (_, shown) = report.split_once(words).unwrap_or_else(|| panic!("{report}"));
    let (shown, _) = shown.split_once("Changed").unwrap_or_else(|| panic!("{report}"));
    // The four rounds that call, with the loop of 256 rounds in what they call.
    for words in ["loop at line 22: ", "loop at line 11: 25", "imul"] {
        assert_eq!(shown.contains(words), words != "imul", "{words}: {report}");
    }
    // Functions have the lines that declare them, not those of their first instructions.
    for function in ["mixed (line 9)", "main (line 19)"] {
        assert!(report.contains(function), "{function}: {report}");
    }
    let profile = printed(&super::path(""), "--runs 1 --format callgrind started.elf");
    assert!(profile.contains("\ncalls=4 9\n"), "{profile}");
    let json = printed(&super::path(""), "--runs 1 --format json started.elf");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let functions = json["functions"].as_array().expect("functions");
    let mixed = functions
        .iter()
        .find(|one| one["name"] == "mixed")
        .expect("the function");
    assert_eq!((&mixed["file"], &mixed["line"]), (&"started.c".into(), &9.into()));
}

/// The entry of a definition outside of its class has a line, and shares the file of the declaration in the class.
#[test]
fn member_functions_have_the_lines_of_their_definitions() {
    let json = printed(&super::path(""), "--runs 1 --format json class.elf");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let functions = json["functions"].as_array().expect("functions");
    for (name, line) in [("S::f", 9), ("S::g", 15)] {
        let function = functions.iter().find(|one| one["name"] == name);
        assert_eq!(function.expect("the function")["line"], line, "{name}");
    }
}

#[test]
fn a_hot_function_of_a_library_names_the_lines_that_led_to_it() {
    let report = printed(&super::path(""), "--runs 1 unkept.elf 1 2").replace("\n  ", " ");
    let json = printed(&super::path(""), "--runs 1 --format json unkept.elf 1 2");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let functions = json["functions"].as_array().expect("functions");
    let hot = functions
        .iter()
        .find(|one| one["name"] == "counts")
        .expect("the function");
    let all = hot["cycles"].as_u64().expect("clocks");
    let clocks = |line: u32| {
        let (_, rest) = report
            .split_once(&format!("through middle by unkept.s:{line} ("))
            .unwrap_or_else(|| panic!("line {line}: {report}"));
        let number = rest.split(' ').next().expect("a word");
        number.parse::<u64>().expect("a number")
    };
    // Both calls share the clocks of the function; the first one fetches its code.
    assert_eq!(clocks(23) + clocks(24), all, "{report}");
    assert!(clocks(23) >= clocks(24) && clocks(24) >= 900, "{report}");
}

#[test]
fn a_fault_names_the_function_that_did_not_keep_a_register() {
    let ended = |arguments: &str| {
        let output = finished(&super::path(""), &format!("--runs 1 unkept.elf{arguments}"));
        text(&output.stdout).replace("\n  ", " ")
    };
    let words = "; takes (unkept.s:15) returned with another ebx than it was called with; C functions keep ebx, esi, \
                 edi and ebp";
    let told = ended("");
    assert!(told.contains(words), "{told}");
    let other = ended(" 1");
    assert!(
        other.contains("stopped by fault #PF") && !other.contains("returned with another"),
        "{other}"
    );
}

#[test]
fn a_report_of_c_shows_its_own_data_and_says_what_the_program_asks() {
    let told = |arguments: &str| printed(&super::path(""), arguments).replace("\n  ", " ");
    let report = told("--runs 1 asks.elf");
    for words in [
        "filled: 299 elements of 300 changed; filled[1] = 2, was 0",
        "level = MUCH (40000), was NONE (0)",
        "narrow = LAST (200), was 0",
        "and 2 more symbols; `--long` lists all",
        "the program asks which processor this is, by `cpuid` in _start (line 13): on a newer one",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    let long = told("--runs 1 --long asks.elf");
    assert!(long.contains("594, 596, 598"), "{long}");
    assert!(long.contains("last = 7, was 0"), "{long}");
}

#[test]
fn variables_are_for_linux_programs() {
    let output = finished(&super::path(""), "--env HOME=/ asks.c");
    let error = text(&output.stderr);
    assert!(
        error.contains("`--env` is for Linux programs, but `asks.c` is none"),
        "{error}"
    );
    let output = finished(&super::path(""), "--env HOME asks.elf");
    assert!(text(&output.stderr).contains("write NAME=VALUE"), "{output:?}");
}
