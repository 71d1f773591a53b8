//! Readers of the formats, each written from the format's documentation alone. They panic at anything that it forbids.

use runtime::run::{Run, Totals};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Figures by name, as the fields of the JSON report are called; figures of 0 are left out except for the plain ones.
pub(crate) type Costs = BTreeMap<String, u64>;
/// Figures by file and line.
pub(crate) type Lines = BTreeMap<(String, u64), Costs>;

/// The plain figures, which every line has.
const PLAIN: [&str; 4] = ["cycles", "executions", "u", "v"];

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Issue {
    pub(crate) instruction: u64,
    pub(crate) clock: u64,
    pub(crate) in_v: bool,
}

pub(crate) fn sum(lines: &Lines) -> Costs {
    let mut all = Costs::new();
    for (name, value) in lines.values().flatten() {
        *all.entry(name.clone()).or_default() += value;
    }
    all
}

fn add(costs: &mut Costs, name: &str, value: u64) {
    if value > 0 || PLAIN.contains(&name) {
        *costs.entry(name.to_owned()).or_default() += value;
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

/// Reads comma-separated values by their headings.
pub(crate) fn csv(text: &str) -> Lines {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headings = reader.headers().expect("headings").clone();
    let mut lines = Lines::new();
    for record in reader.records() {
        let record = record.expect("a record");
        let cells: BTreeMap<&str, &str> = headings.iter().zip(&record).collect();
        let costs = lines
            .entry((cells["file"].to_owned(), number(cells["line"])))
            .or_default();
        for (name, value) in cells {
            if PLAIN.contains(&name) || name.contains('.') {
                add(costs, name, number(value));
            }
        }
    }
    lines
}

/// Calls in the format of callgrind: the function and line that call, the function and line called, how often, and the
/// inclusive costs.
pub(crate) type Calls = Vec<([(String, u64); 2], u64, Vec<u64>)>;

/// Reads the format of callgrind: the summary, the lines and the calls.
pub(crate) fn callgrind(text: &str) -> (Costs, Lines, Calls) {
    let mut lines = text.lines();
    let mut explained = BTreeMap::new();
    let mut events: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for line in lines.by_ref() {
        if line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once(": ").expect("a line of the header");
        seen.insert(key.to_owned());
        match key {
            "version" | "creator" | "cmd" | "desc" => {}
            "positions" => assert_eq!(value, "line"),
            "event" => {
                let (name, long) = value.split_once(" : ").expect("an event and its name");
                let object = if name.starts_with("Alone") {
                    "not_paired"
                } else {
                    "reasons"
                };
                explained.insert(name.to_owned(), format!("{object}.{long}"));
            }
            "events" => {
                events = value.split_whitespace().map(str::to_owned).collect();
                break;
            }
            other => panic!("a header has no `{other}`"),
        }
    }
    assert!(seen.contains("version") && seen.contains("positions"));
    let plain = [
        ("Clocks", "cycles"),
        ("Instructions", "executions"),
        ("U", "u"),
        ("V", "v"),
    ];
    let fields: Vec<String> = events
        .iter()
        .map(|event| {
            let word = event.chars().all(|one| one.is_ascii_alphanumeric());
            assert!(
                word && event.starts_with(|first: char| first.is_ascii_alphabetic()),
                "{event}"
            );
            match plain.iter().find(|(name, _)| name == event) {
                Some((_, field)) => (*field).to_owned(),
                None => explained[event].clone(),
            }
        })
        .collect();
    assert_eq!(fields.iter().collect::<BTreeSet<_>>().len(), fields.len(), "{events:?}");
    let costs = |text: &str, costs: &mut Costs| {
        let values: Vec<u64> = text.split(' ').map(number).collect();
        assert_eq!(values.len(), fields.len());
        fields
            .iter()
            .zip(values)
            .for_each(|(field, value)| add(costs, field, value));
    };
    let mut summary = Costs::new();
    let mut found = Lines::new();
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let (mut file, mut function) = (None, None);
    let (mut called, mut calls): (Option<String>, Calls) = (None, Vec::new());
    let mut times: Option<(u64, u64)> = None;
    for line in lines.filter(|line| !line.is_empty()) {
        if let Some(values) = line.strip_prefix("summary: ") {
            costs(values, &mut summary);
        } else if let Some((kind @ ("fl" | "fi" | "fn" | "cfi" | "cfn"), name)) = line.split_once('=') {
            let (key, new) = name.split_once(')').expect("a compressed name");
            // Files and functions have numbers of their own.
            let key = format!("{} {key}", if kind.ends_with('n') { "function" } else { "file" });
            if !new.is_empty() {
                let known = names.insert(key.clone(), new.trim_start().to_owned());
                assert_eq!(known, None, "{key} is given twice");
            }
            let name = Some(names[&key].clone());
            match kind {
                "fl" | "fi" => file = name,
                "fn" => function = name,
                "cfn" => called = name,
                _ => {}
            }
        } else if let Some((count, place)) = line.strip_prefix("calls=").and_then(|calls| calls.split_once(' ')) {
            times = Some((number(count), number(place)));
        } else if let Some((count, place)) = times.take() {
            let (from, costs) = line.split_once(' ').expect("a line of costs");
            let from = (function.clone().expect("a function"), number(from));
            let to = (called.take().expect("a called function"), place);
            let costs: Vec<u64> = costs.split(' ').map(number).collect();
            assert_eq!(costs.len(), fields.len());
            calls.push(([from, to], count, costs));
        } else {
            assert!(function.is_some(), "costs before a function");
            let (place, values) = line.split_once(' ').expect("a line of costs");
            let file = file.clone().expect("a file");
            costs(values, found.entry((file, number(place))).or_default());
        }
    }
    (summary, found, calls)
}

/// The place in a frame of a line, `file:12`, or of code without one.
fn place(frame: &str) -> (String, u64) {
    match frame.rsplit_once(':') {
        Some((file, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => (file.to_owned(), number(line)),
        _ => (frame.split(' ').next().expect("a word").to_owned(), 0),
    }
}

/// Reads collapsed stacks: the clocks of each line by cause.
pub(crate) fn collapsed(text: &str) -> Lines {
    let mut lines = Lines::new();
    for line in text.lines() {
        let (stack, clocks) = line.rsplit_once(' ').expect("a stack and a count");
        let frames: Vec<&str> = stack.split(';').collect();
        let [_, .., leaf, cause] = frames[..] else {
            panic!("{line}");
        };
        assert!(frames.iter().all(|frame| !frame.is_empty()), "{line}");
        add(
            lines.entry(place(leaf)).or_default(),
            &format!("reasons.{cause}"),
            number(clocks),
        );
    }
    lines
}

/// Reads a processed profile: the clocks of each line by category.
pub(crate) fn firefox(text: &str) -> Lines {
    let profile: Value = serde_json::from_str(text).expect("JSON");
    for field in [
        "version",
        "interval",
        "startTime",
        "processType",
        "product",
        "categories",
    ] {
        assert!(!profile["meta"][field].is_null(), "meta has no {field}");
    }
    let categories = profile["meta"]["categories"].as_array().expect("categories");
    let threads = profile["threads"].as_array().expect("threads");
    let [thread] = &threads[..] else {
        panic!("{} threads", threads.len())
    };
    let strings = match &thread["stringArray"] {
        Value::Null => &profile["shared"]["stringArray"],
        own => own,
    };
    let column = |table: &str, name: &str| thread[table][name].as_array().expect(name).clone();
    let index = |value: &Value| value.as_u64().expect("an index") as usize;
    let samples = (
        column("samples", "stack"),
        column("samples", "weight"),
        column("samples", "timeDeltas"),
    );
    let (stack_frames, stack_before) = (column("stackTable", "frame"), column("stackTable", "prefix"));
    let (functions, frame_categories) = (column("frameTable", "func"), column("frameTable", "category"));
    let names = column("funcTable", "name");
    assert_eq!(
        samples.0.len() as u64,
        thread["samples"]["length"].as_u64().expect("a length")
    );
    assert!(
        samples
            .2
            .iter()
            .all(|delta| delta.as_f64().is_some_and(|delta| delta >= 0.0))
    );
    let mut lines = Lines::new();
    for (stack, weight) in samples.0.iter().zip(&samples.1) {
        let stack = index(stack);
        assert!(!stack_before[stack].is_null(), "a line has frames above it");
        let frame = index(&stack_frames[stack]);
        let name = &strings[index(&names[index(&functions[frame])])];
        let cause = &categories[index(&frame_categories[frame])]["name"];
        let cause = format!("reasons.{}", cause.as_str().expect("a name"));
        let clocks = weight.as_u64().expect("a weight");
        add(
            lines.entry(place(name.as_str().expect("a name"))).or_default(),
            &cause,
            clocks,
        );
    }
    lines
}

/// Reads a pipeline log of Kanata: for each thread in order, its clocks and the instructions that began to execute.
pub(crate) fn kanata(text: &str) -> Vec<(u64, Vec<Issue>)> {
    #[derive(Default)]
    struct Instruction {
        number: u64,
        thread: usize,
        labelled: bool,
        stages: BTreeMap<u64, String>,
    }
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Kanata\t0004"));
    assert_eq!(lines.next(), Some("C=\t0"));
    let mut clock = 0;
    let mut alive: BTreeMap<u64, Instruction> = BTreeMap::new();
    let mut retired = BTreeSet::new();
    let mut begins: Vec<u64> = Vec::new();
    let mut passes: Vec<Vec<Issue>> = Vec::new();
    let mut next = 0;
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        match fields[..] {
            ["C", clocks] => {
                assert!(number(clocks) > 0, "{line}");
                clock += number(clocks);
            }
            ["I", id, instruction, thread] => {
                assert_eq!(number(id), next, "{line}");
                next += 1;
                let thread = number(thread) as usize;
                if thread == passes.len() {
                    passes.push(Vec::new());
                    begins.push(clock);
                }
                assert_eq!(thread + 1, passes.len(), "{line}");
                let new = Instruction {
                    number: number(instruction),
                    thread,
                    ..Instruction::default()
                };
                alive.insert(number(id), new);
            }
            ["L", id, "0" | "1", text] => {
                assert!(!text.is_empty(), "{line}");
                alive.get_mut(&number(id)).expect("alive").labelled = true;
            }
            ["S", id, lane, stage] => {
                let one = alive.get_mut(&number(id)).expect("alive");
                one.stages.insert(number(lane), stage.to_owned());
                if lane == "0" {
                    passes[one.thread].push(Issue {
                        instruction: one.number,
                        clock: clock - begins[one.thread],
                        in_v: stage == "V",
                    });
                    assert!(["U", "V"].contains(&stage), "{line}");
                }
            }
            ["E", id, lane, stage] => {
                let one = alive.get_mut(&number(id)).expect("alive");
                assert_eq!(one.stages.remove(&number(lane)).as_deref(), Some(stage), "{line}");
            }
            ["R", id, _, "0"] => {
                let one = alive.remove(&number(id)).expect("alive");
                assert!(one.labelled && one.stages.contains_key(&0), "{line}");
                assert!(!one.stages.contains_key(&1), "{line}: a stall goes on");
                retired.insert(number(id));
            }
            ["W", consumer, producer, "0"] => {
                assert!(alive.contains_key(&number(consumer)), "{line}");
                let producer = number(producer);
                assert!(alive.contains_key(&producer) || retired.contains(&producer), "{line}");
            }
            _ => panic!("`{line}` is no command"),
        }
    }
    assert!(alive.is_empty(), "not all instructions retire");
    begins.push(clock);
    let clocks = begins.windows(2).map(|pair| pair[1] - pair[0]);
    clocks.zip(passes).collect()
}

/// Reads Chrome's trace events: for each process, its clocks and the instructions that began; and the totals of the
/// run.
pub(crate) fn perfetto(text: &str) -> (Vec<(u64, Vec<Issue>)>, Value) {
    let trace: Value = serde_json::from_str(text).expect("JSON");
    let mut passes: BTreeMap<u64, (u64, Vec<Issue>)> = BTreeMap::new();
    let mut named = BTreeSet::new();
    // For each track, the end of its last event: events of a track follow one another.
    let mut ends: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for event in trace["traceEvents"].as_array().expect("events") {
        let number = |field: &str| event[field].as_u64().unwrap_or_else(|| panic!("{field} of {event}"));
        let (pid, tid) = (number("pid"), number("tid"));
        assert!(event["name"].is_string() && event["args"].is_object(), "{event}");
        if event["ph"] == "M" {
            if event["name"] == "process_name" {
                assert!(event["args"]["name"].is_string() && named.insert(pid), "{event}");
            }
            continue;
        }
        assert_eq!(event["ph"], "X", "{event}");
        assert!(named.contains(&pid), "{event}");
        let (begin, end) = (number("ts"), number("ts") + number("dur"));
        let before = ends.insert((pid, tid), end).unwrap_or(0);
        assert!(before <= begin, "{event} begins before {before}");
        let (clocks, issues) = passes.entry(pid).or_default();
        *clocks = end.max(*clocks);
        if event["cat"] == "instruction" {
            issues.push(Issue {
                instruction: event["args"]["instruction"].as_u64().expect("a number"),
                clock: begin,
                in_v: tid == 2,
            });
        }
    }
    (passes.into_values().collect(), trace["otherData"]["last run"].clone())
}

/// Reads a timeline of whole passes: the clocks of each.
pub(crate) fn timeline(text: &str) -> Vec<u64> {
    let mut passes: Vec<u64> = Vec::new();
    for line in text.lines() {
        let Some(clocks) = line.strip_prefix("  clock ") else {
            continue;
        };
        for clock in clocks.split_whitespace() {
            let (first, last) = clock.split_once('-').unwrap_or((clock, clock));
            if number(first) == 0 {
                passes.push(0);
            }
            let end = passes.last_mut().expect("a pass begins with clock 0");
            assert_eq!(*end, number(first), "{line}");
            *end = number(last) + 1;
        }
    }
    passes
}

/// The tables of the text report with a row for each cause and each event.
#[derive(Debug, PartialEq)]
pub(crate) struct Tables {
    causes: Vec<(String, u64)>,
    events: Vec<(u64, u64, u64)>,
}

impl Tables {
    pub(crate) fn of(text: &str) -> Tables {
        let rows = |heading: &'static str| {
            let rows = text.lines().skip_while(move |line| *line != heading).skip(2);
            rows.take_while(|line| line.starts_with(' '))
        };
        // `data read miss  12  3.4%  ###`
        let cause = |line: &str| -> Option<(String, u64)> {
            let words: Vec<&str> = line.split_whitespace().collect();
            let share = words.iter().position(|word| word.ends_with('%'))?;
            let name = words[..share - 1].join(" ");
            Some((name, words[share - 1].parse().ok()?))
        };
        // `0Ch  1  1  CODE_READ`; `-` replaces a missing count.
        let event = |line: &str| {
            let mut words = line.split_whitespace();
            let selector = u64::from_str_radix(words.next()?.strip_suffix('h')?, 16).ok()?;
            Some((selector, words.next()?.parse().ok()?, words.next()?.parse().ok()?))
        };
        let causes = rows("Where the clocks went").filter_map(cause);
        Tables {
            causes: causes.filter(|(name, _)| name != "total").collect(),
            events: rows("Events").filter_map(event).collect(),
        }
    }

    pub(crate) fn expected(part: &Value) -> Tables {
        let rows = |field: &str| part[field].as_array().expect("rows").iter();
        let number = |row: &Value, field: &str| row[field].as_u64();
        let mut causes: Vec<(String, u64)> = rows("cycle_stack")
            .filter_map(|row| Some((row["cause"].as_str()?.to_owned(), number(row, "cycles")?)))
            .collect();
        causes.retain(|(_, clocks)| *clocks > 0);
        let events = rows("events").filter(|row| row["available"] == true);
        let event = |row: &Value| {
            Some((
                number(row, "selector")?,
                number(row, "occurrences")?,
                number(row, "clocks")?,
            ))
        };
        Tables {
            causes,
            events: events.filter_map(event).collect(),
        }
    }
}

/// Checks that the JSON report has the figures of its run.
pub(crate) fn agrees_with_run(json: &Value, run: &Run, what: &str) {
    let totals = |totals: &Totals| {
        let Totals {
            cycles,
            instructions,
            u,
            v,
        } = totals;
        serde_json::json!({ "cycles": cycles, "instructions": instructions, "u": u, "v": v })
    };
    for (name, part) in [("whole", &run.whole), ("own", &run.own)] {
        assert_eq!(json[name]["totals"], totals(&part.totals), "{what}: {name}");
        let stack = part.cycle_stack.iter().map(|one| one.cycles);
        let told = json[name]["cycle_stack"].as_array().expect("causes").iter();
        assert!(
            told.map(|one| one["cycles"].as_u64()).eq(stack.map(Some)),
            "{what}: {name}"
        );
    }
    let runs = json["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), run.runs.len(), "{what}");
    for (told, run) in runs.iter().zip(&run.runs) {
        assert_eq!(
            (&told["whole"], &told["own"]),
            (&totals(&run.whole), &totals(&run.own)),
            "{what}"
        );
    }
    assert_eq!(json["stop"]["reason"], run.stop.reason.name(), "{what}");
    let regions = json["regions"].as_array().expect("regions");
    assert_eq!(regions.len(), run.regions.len(), "{what}");
    for (told, region) in regions.iter().zip(&run.regions) {
        assert_eq!(told["pass_count"], region.pass_count, "{what}");
        let passes = told["passes"].as_array().expect("passes");
        let clocks = passes
            .iter()
            .map(|pass| (pass["run"].as_u64(), pass["cycles"].as_u64()));
        let expected = region
            .passes
            .iter()
            .map(|pass| (Some(pass.run.into()), Some(pass.cycles)));
        assert!(clocks.eq(expected), "{what}: the passes of {}", region.name);
    }
}
