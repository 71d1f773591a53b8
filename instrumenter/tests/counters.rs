//! The commands that read the counters, as a user sees them.

use crate::started;
use serde_json::Value;
use started::finished;

/// A folder with two programs: one reads across dwords, the other does not. OFFSET makes them equal.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    let program = |offset: &str| {
        format!(
            "ifndef OFFSET_\nOFFSET_ equ {offset}\nendif\n.data\nalign 32\ncells dd 64 dup(0)\n.code\n\
             mov esi,offset cells+OFFSET_\nmov ecx,60\nagain: mov eax,[esi]\nadd esi,4\ndec ecx\njnz again\nret\n"
        )
    };
    file("crossing.asm", &program("2"));
    file("aligned.asm", &program("0"));
    file(
        "profiled.asm",
        "StartProfile EV_DATA_READ, EV_DATA_WRITE\nmov eax,cell\nEndProfile\nret\n.data\ncell dd 0\n",
    );
    for (name, start, end) in [
        ("plain.asm", "", ""),
        ("timed.asm", "StartTSC cells", "EndTSC"),
        (
            "own.asm",
            "StartTSC MACRO name\nrdtsc\nENDM\nEndTSC MACRO\nrdtsc\nENDM\nStartTSC cells",
            "EndTSC",
        ),
    ] {
        file(name, &format!("{start}\nmov eax,cell\n{end}\nret\n.data\ncell dd 0\n"));
    }
    // The instructions counted after each WRMSR: 4 and 1.
    file(
        "counts.asm",
        "mov ecx,11h\nmov eax,0D60000h\nxor edx,edx\nwrmsr\nmov ecx,186h\nmov eax,4300C0h\nwrmsr\nret\n",
    );
    file("sets.asm", "mov ecx,11h\nxor eax,eax\nxor edx,edx\nwrmsr\nret\n");
    file("faults.asm", "nop\ndb 0Fh,0Bh\n");
    file("wrong.asm", "mov eax,\n");
    file("endless.asm", "again: nop\njmp again\n");
    folder
}

fn text(arguments: &str) -> String {
    let folder = folder();
    let output = finished(folder.path(), arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments}: {errors}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let json = arguments.contains("json") || arguments.starts_with("schema");
    for line in text.lines().filter(|_| !json) {
        assert!(line.chars().count() <= 80, "{arguments}: {line}");
    }
    text
}

/// The lines of a text with one blank between words.
fn lines(text: &str) -> Vec<String> {
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.map(|words| words.join(" ")).collect()
}

fn json(arguments: &str) -> Value {
    serde_json::from_str(&text(&format!("{arguments} --format json"))).expect("JSON")
}

#[track_caller]
fn has(text: &str, wanted: &[&str]) {
    let lines = lines(text);
    for line in wanted {
        assert!(lines.iter().any(|other| other == line), "no `{line}` in\n{text}");
    }
}

#[test]
fn stat_lists_38_events_of_20_executions() {
    let told = text("stat crossing.asm --bytes 240 --mhz 60");
    has(
        &told,
        &[
            "crossing.asm on Pentium 75-200 (P54C), CPL 0, memory l2",
            "20 executions: 1 warms the caches, 19 count 35 of 38 events, two at a time",
            "00h 121 Data reads",
            "07h - External snoops [1]",
            "0Bh 60 Misaligned data memory or I/O references",
            "16h 243 Instructions executed in both pipes",
            "[1] not available: nothing snoops without the bus master of `--monitor",
            "snooper` or `dual`",
            "all events at once, in the last execution, give the same counts",
        ],
    );
    let events = told.lines().filter(|line| line.trim_start().get(2..4) == Some("h "));
    assert_eq!(events.count(), 38, "{told}");
    assert!(!told.contains("10h") && text("stat crossing.asm --all").contains("10h"));
    let report = json("stat crossing.asm --bytes 240 --mhz 60");
    let program = &report["programs"][0];
    let clocks = program["clocks"].as_array().expect("clocks");
    assert_eq!(
        (clocks.len(), report["programs"].as_array().map(Vec::len)),
        (20, Some(1))
    );
    let last = clocks[19].as_f64().expect("a number");
    assert_eq!(program["clocks_per_byte"].as_f64(), Some(last / 240.0));
    assert_eq!(program["seconds"].as_f64(), Some(last / 60e6));
    let speed = program["megabytes_per_second"].as_f64().expect("a number");
    assert!((speed * last - 240.0 * 60.0).abs() < 1e-6, "{speed}");
    for rate in [
        format!("{:.2} clocks per byte of 240", last / 240.0),
        format!("{speed:.1} MB/s"),
    ] {
        assert!(told.contains(&rate), "{rate}: {told}");
    }
    let events = program["events"].as_array().expect("events");
    assert_eq!(events.len(), 38);
    for event in events {
        let known = event["count"].is_u64();
        assert!(known != event["reason"].is_string(), "{event}");
        assert_eq!(event["count"], event["at_once"], "{event}");
        let execution = event["execution"].as_u64().expect("a number");
        assert!((2..=20).contains(&execution));
    }
}

#[test]
fn both_sides_of_a_comparison_are_those_of_each_alone() {
    let events = |report: &Value, side: usize| report["programs"][side]["events"].clone();
    let alone = ["crossing.asm", "aligned.asm"].map(|name| events(&json(&format!("stat {name}")), 0));
    for arguments in [
        "stat --compare crossing.asm aligned.asm",
        "stat crossing.asm --compare aligned.asm",
    ] {
        let report = json(arguments);
        assert_eq!([events(&report, 0), events(&report, 1)], alone, "{arguments}");
        let ratios = report["ratios"]["events"].as_array().expect("ratios");
        let of = |name: &str| ratios.iter().find(|ratio| ratio["name"] == name).expect("an event")["ratio"].clone();
        assert!(
            of("DATA_READ")
                .as_f64()
                .is_some_and(|ratio| (0.5..0.51).contains(&ratio))
        );
        assert_eq!(
            (of("MISALIGNED_REFERENCES"), of("BANK_CONFLICTS")),
            (0.0.into(), Value::Null)
        );
    }
    let told = text("stat --compare crossing.asm aligned.asm --bytes 240 --mhz 60");
    has(
        &told,
        &[
            "A: crossing.asm on Pentium 75-200 (P54C), CPL 0, memory l2",
            "B: aligned.asm on Pentium 75-200 (P54C), CPL 0, memory l2",
            "00h 121 61 0.50 Data reads",
            "0Bh 60 0 0.00 Misaligned data memory or I/O references",
            "07h - - - External snoops [1]",
        ],
    );
    // The same program with two sets of options: later options override, and definitions are added.
    let report = json("stat crossing.asm --cpu p5 --against --cpu p54c -D OFFSET_=0");
    assert_eq!([events(&report, 0), events(&report, 1)][1], alone[1]);
    assert_eq!(report["programs"][0]["cpu"], "p5");
    assert_eq!(report["programs"][1]["cpu"], "p54c");
    let told = text("stat crossing.asm --all --against --cpu p55c");
    assert!(told.contains("the chip of A does not count it"), "{told}");
    assert!(
        told.contains("A: 22 executions") && told.contains("B: 40 executions"),
        "{told}"
    );
}

#[test]
fn what_sets_the_counters_itself_is_left_out_or_said() {
    let told = text("stat profiled.asm");
    assert!(told.contains("without the measuring macros of the library"), "{told}");
    has(
        &told,
        &["00h 2 Data reads", "16h 2 Instructions executed in both pipes"],
    );
    let told = text("stat sets.asm");
    assert!(!told.contains("16h"), "{told}");
    assert!(
        told.contains("no event was counted; not available: the program writes the counters"),
        "{told}"
    );
    assert!(text("stat --event 16 sets.asm").contains("writes the counters"));
    assert!(text("stat --event 16 sets.asm --every 100_000").contains("writes the counters"));
}

#[test]
fn measuring_macros_of_either_kind_are_no_part_of_what_is_counted() {
    let counts = |name: &str| {
        let report = json(&format!("stat {name}"));
        let events = report["programs"][0]["events"].as_array().expect("events").clone();
        let counts: Vec<Value> = events.iter().map(|event| event["count"].clone()).collect();
        (report["programs"][0]["clocks"].clone(), counts)
    };
    let plain = counts("plain.asm");
    assert_eq!(counts("timed.asm"), plain);
    assert_eq!(counts("profiled.asm"), plain);
    // Macros that the program itself defines are its own.
    let told = text("stat own.asm");
    assert!(told.contains("defines itself are counted, too"), "{told}");
    assert_ne!(counts("own.asm"), plain);
    let told = text("stat --event misaligned_references crossing.asm");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("its mean is 1") && told.contains("--what-if"), "{told}");
    assert!(json("stat --event misaligned_references crossing.asm")["note"].is_string());
    assert_eq!(json("stat --event 19h crossing.asm")["note"], Value::Null);
}

#[test]
fn ratio_and_watch_show_the_event_that_is_named() {
    let report = json("stat --event misaligned_references crossing.asm");
    assert_eq!(
        (&report["selector"], &report["executions"][1]["occurrences"]),
        (&11.into(), &60.into())
    );
    assert_eq!(report["executions"][1]["mean"], 1.0);
    let told = text("stat --event 0Ah crossing.asm");
    assert!(
        told.contains("the event did not occur, so its length has no mean"),
        "{told}"
    );
    let told = text("stat --cpu p55c --event RETURNS crossing.asm");
    assert!(told.contains("counter 0 alone counts it"), "{told}");
    // One execution counts occurrences, the next one their clocks, and both are warm.
    let which = "cold is the first of 5 executions of the program, warm the last one";
    let rows = |told: &str, name: &str| told.lines().filter(|line| line.trim_start().starts_with(name)).count();
    assert_eq!((rows(&told, "cold "), told.contains(which)), (0, false), "{told}");
    let told = text("stat --event misaligned_references crossing.asm");
    assert_eq!((rows(&told, "cold "), rows(&told, "warm ")), (2, 1), "{told}");
    assert!(told.contains(which), "{told}");
    let report = json("stat --event 0B --event 16 --every 50 crossing.asm");
    let intervals = report["intervals"].as_array().expect("intervals");
    assert!(intervals.len() > 4, "{report}");
    for counter in 0..2 {
        let counts = intervals
            .iter()
            .map(|one| one["counts"][counter].as_u64().expect("a count"));
        assert_eq!(Some(counts.sum()), report["total"]["counts"][counter].as_u64());
    }
    let told = text("stat --event 0B --event 16 --every 50 crossing.asm");
    assert_eq!(told.lines().count(), intervals.len() + 6, "{told}");
    assert!(text("stat --event 0B crossing.asm --every 100_000").contains("`--every CLOCKS` makes them shorter"));
    // The busiest line of each interval: in the end it is always that of the loop.
    let shown = &intervals[intervals.len() - 2]["busiest"];
    let clocks = intervals[intervals.len() - 2]["clocks"].as_u64().expect("clocks");
    assert_eq!(shown["file"], "crossing.asm");
    assert!(
        shown["cycles"].as_u64().is_some_and(|most| most > 0 && most <= clocks),
        "{shown}"
    );
    assert_eq!(report["total"]["busiest"], Value::Null);
    let row = text("stat --event 0B --every 50 crossing.asm");
    let row = row.lines().rev().nth(2).expect("a row");
    assert!(
        row.contains(&format!("  {} ", shown["line"])) && row.contains('%'),
        "{row}"
    );
    // There is room for the line beside two events as well, and its share is complete, whatever the file name.
    let folder = folder();
    let include = folder.path().join("deep/a_file_of_a_long_name.inc");
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    std::fs::write(include, "again: dec ecx\njnz again\n").expect("a file");
    let source = "mov ecx,300\ninclude deep/a_file_of_a_long_name.inc\nret\n";
    std::fs::write(folder.path().join("deep.asm"), source).expect("a file");
    let told = started::printed(folder.path(), "stat --event 0B --event 16 --every 50 deep.asm");
    let row = told.lines().rev().nth(2).expect("a row");
    let [share, file] = row.split_whitespace().rev().take(2).collect::<Vec<_>>()[..] else {
        panic!("{told}");
    };
    assert!(
        file.starts_with("a_file") && file.ends_with("...:2") && share.ends_with('%'),
        "{told}"
    );
    // Names that users give to the event find it.
    let report = json("stat --event mispred crossing.asm --every 100_000");
    assert_eq!(report["events"][0]["name"], "PIPELINE_FLUSHES");
    // Each event gets a counter that can count it.
    let report = json("stat --cpu p55c --event 32h --event 32h crossing.asm --every 100_000");
    assert_eq!(report["events"][0]["name"], "FLOATING_POINT_STALL");
    assert_eq!(report["events"][1]["name"], "TAKEN_BRANCHES");
    let report = json("stat --cpu p55c --event TAKEN_BRANCHES --event RETURNS crossing.asm --every 100_000");
    assert_eq!(report["events"][0]["name"], "RETURNS");
    assert_eq!(report["total"]["counts"], serde_json::json!([1, 60]));
}

#[test]
fn msr_dump_tells_values_faults_and_the_time() {
    let report = json("msr dump --mhz 60");
    let registers = report["registers"].as_array().expect("registers");
    let with = |outcome: &str| {
        let rows = registers.iter().filter(|row| row["outcome"] == outcome);
        rows.map(|row| row["number"].as_u64().expect("a number"))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (with("fault"), with("hangs"), with("read").len()),
        (vec![3, 15], vec![10], 17)
    );
    assert_eq!(registers[3]["exception"], "#GP");
    let changing = registers.iter().filter(|row| row["values"][0] != row["values"][1]);
    assert_eq!(changing.map(|row| row["number"].clone()).collect::<Vec<_>>(), [16]);
    let seconds = report["seconds_since_power_up"].as_f64().expect("seconds");
    let clocks = report["time_stamp"].as_f64().expect("clocks");
    assert!(clocks > 0.0 && (seconds * 60e6 - clocks).abs() < 1e-6, "{report}");
    let told = text("msr dump --mhz 60");
    assert!(told.contains(&format!(
        "{seconds:.9} seconds since power-up: {clocks} clocks at 60 MHz"
    )));
    assert!(text("msr dump").contains("`--mhz RATE` shows them in seconds"));
    assert!(text("msr dump --cpu i486").contains("no time stamp counter"));
}

/// `counts.asm` sets a counter of the chip and one of `perfmon`; the time stamp counter runs, and the rest stays.
#[test]
fn msr_dump_around_a_program_marks_what_has_changed() {
    let report = json("msr dump counts.asm --monitor perfmon");
    let changed = |row: &&Value| row["changed"] == true;
    let rows = report["registers"].as_array().expect("registers").iter();
    let numbers: Vec<u64> = rows.filter(changed).filter_map(|row| row["number"].as_u64()).collect();
    // The registers are the time stamp counter, the control register and counter 1; and of perfmon the event select and
    // the first counter, by both of its numbers.
    assert_eq!(numbers, [0x10, 0x11, 0x13, 0xC1, 0x186, 0x4C1]);
    let value = |number: u64, at: usize| {
        let mut rows = report["registers"].as_array().expect("registers").iter();
        let row = rows.find(|row| row["number"] == number).expect("a register");
        row["values"][at].clone()
    };
    assert_eq!((value(0x11, 0), value(0x11, 1)), (0.into(), 0x00D6_0000.into()));
    assert_eq!(report["time_stamp"], value(0x10, 1));
    assert_eq!(report["around"]["program"], "counts.asm");
    // The instructions counted after each WRMSR.
    assert_eq!((value(0x13, 0), value(0x13, 1)), (0.into(), 4.into()));
    assert_eq!((value(0xC1, 0), value(0xC1, 1)), (0.into(), 1.into()));
    let told = text("msr dump counts.asm --monitor perfmon");
    assert!(told.contains("changed  control and event"), "{told}");
    // A name that is wider than its column is folded at a `_`.
    let pairs = told.lines().zip(told.lines().skip(1));
    let folded = pairs.filter(|(line, next)| line.ends_with(" IA32_PERF_GLOBAL_") && next.trim() == "OVF_CTRL");
    assert_eq!(folded.count(), 1, "{told}");
    assert!(!text("msr dump crossing.asm").contains("IA32_PMC0"));
}

#[test]
fn each_json_has_the_fields_of_its_schema() {
    for (report, arguments) in [
        ("stat", "stat --compare crossing.asm aligned.asm"),
        ("ratio", "stat --event 16 crossing.asm"),
        ("watch", "stat --event 16 crossing.asm --every 100_000"),
        ("msr-dump", "msr dump"),
        ("msr-dump", "msr dump crossing.asm"),
    ] {
        let schema: Value = serde_json::from_str(&text(&format!("schema {report}"))).expect("JSON");
        assert_eq!(schema["title"], format!("p5inst {}", report.replace('-', " ")));
        let known = schema["properties"].as_object().expect("fields");
        let found = json(arguments);
        let found = found.as_object().expect("an object");
        let flattened = |name: &str| schema.to_string().contains(&format!("\"{name}\":"));
        assert!(
            found.keys().all(|name| known.contains_key(name) || flattened(name)),
            "{found:?}"
        );
    }
}

#[test]
fn what_cannot_be_done_is_said_in_one_line() {
    let folder = folder();
    for (arguments, why) in [
        ("stat --cpu i486 aligned.asm", "has no event counters"),
        (
            "stat --compare aligned.asm",
            "needs two programs: `p5inst stat --compare A B`",
        ),
        ("stat missing.asm", "no such file"),
        ("stat aligned.asm --against other.asm", "takes options only"),
        (
            "stat --event 07h aligned.asm",
            "EXTERNAL_SNOOPS is not raised: nothing snoops without the bus master",
        ),
        ("stat --event BRANCHS aligned.asm", "did you mean `BRANCHES`?"),
        ("stat --event 2Bh aligned.asm", "needs `--cpu p55c`"),
        ("stat --event none --every 9 aligned.asm", "`p5inst events` lists all"),
        ("stat a.asm --event 0 --event 1 --event 2 --every 9", "two counters"),
        (
            "stat --cpu p55c --event RETURNS --event EMMS_EXECUTED aligned.asm --every 100_000",
            "counter 0 alone counts both RETURNS and EMMS_EXECUTED",
        ),
    ] {
        let output = finished(folder.path(), arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert!(error.contains(why), "{arguments}: {error}");
        assert_eq!(error.lines().count(), 1, "{arguments}: {error}");
        assert!(output.stdout.is_empty());
    }
    for arguments in [
        "stat aligned.asm --mhz 0",
        "stat aligned.asm --every 100_000",
        "stat --event 0 --every 0 aligned.asm",
        "stat wrong.asm",
    ] {
        let output = finished(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments}");
    }
    let output = finished(folder.path(), "stat faults.asm");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("stopped by fault #UD"), "{told}");
}

#[test]
fn what_the_time_limit_cuts_off_has_no_figures() {
    let folder = folder();
    let of = |arguments: &str| {
        let output = finished(folder.path(), &format!("{arguments} endless.asm --timeout 0.2"));
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let text = of("stat --bytes 4096 --mhz 60");
    has(
        &text,
        &[
            "no execution was completed",
            "no event was counted; not counted: the time limit, `--timeout`, was reached",
        ],
    );
    for unknown in ["cold", "per byte", "seconds at"] {
        assert!(!text.contains(unknown), "{unknown} in\n{text}");
    }
    let stat: Value = serde_json::from_str(&of("stat --format json --bytes 4096 --mhz 60")).expect("JSON");
    let program = &stat["programs"][0];
    assert_eq!(program["clocks"], serde_json::json!([]), "{program}");
    assert_eq!(
        [&program["clocks_per_byte"], &program["seconds"]],
        [&Value::Null; 2],
        "{program}"
    );
    let ratio: Value = serde_json::from_str(&of("stat --event 00 --format json")).expect("JSON");
    for row in ratio["executions"].as_array().expect("rows") {
        assert_eq!([&row["cycles"], &row["mean"]], [&Value::Null; 2], "{row}");
        assert!(row["reason"].is_string(), "{row}");
    }
}

/// In a loop with more intervals than are shown, the rest is one interval, and the sums are complete.
#[test]
fn intervals_that_are_too_many_are_told_as_one() {
    let folder = folder();
    let source = "mov ecx,120000\nagain: mov eax,[esp]\nimul eax,eax\ndec ecx\njnz again\nret\n";
    std::fs::write(folder.path().join("long.asm"), source).expect("a file is written");
    let watched = |more: &str| {
        let output = finished(
            folder.path(),
            &format!("stat long.asm --timeout 600 --event 0 --event 16 --every 1 {more}"),
        );
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let whole = watched("--format json");
    // 8 MiB, the interval that was begun, and the end of the document.
    let bytes = whole.len();
    assert!((8 << 20..(8 << 20) + (64 << 10)).contains(&bytes), "{bytes} bytes");
    let whole: Value = serde_json::from_str(&whole).expect("JSON");
    let intervals = whole["intervals"].as_array().expect("intervals");
    let (left, total) = (&whole["left_out"], &whole["total"]);
    assert!((20_000..100_000).contains(&intervals.len()), "{}", intervals.len());
    assert!(left["intervals"].as_u64() > Some(1000), "{left}");
    let number = |of: &Value| of.as_u64().unwrap_or_else(|| panic!("{of}"));
    let sums: [fn(&Value) -> &Value; 3] = [|one| &one["clocks"], |one| &one["counts"][0], |one| &one["counts"][1]];
    for of in sums {
        let shown: u64 = intervals.iter().map(|one| number(of(one))).sum();
        assert_eq!(shown + number(of(left)), number(of(total)));
    }
    assert_eq!(left["until"], total["until"]);
    assert_eq!(
        number(&left["clocks"]),
        number(&left["until"]) - number(&intervals[intervals.len() - 1]["until"])
    );
    let text = watched("");
    let all = intervals.len() as u64 + number(&left["intervals"]);
    let told = format!(
        "the last line before the total is {} intervals after the first 100000;",
        all - 100_000
    );
    assert!(
        text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&told),
        "{}",
        &text[text.len() - 600..]
    );
    let lines = text.lines().count();
    assert!((100_001..100_020).contains(&lines), "{lines}");
    let few = finished(folder.path(), "stat aligned.asm --event 0 --every 1 --format json").stdout;
    let few: Value = serde_json::from_slice(&few).expect("JSON");
    assert!(few["left_out"].is_null() && few["intervals"].as_array().is_some_and(|all| all.len() > 10));
}
