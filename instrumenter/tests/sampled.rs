//! `p5inst sample`: `query` answers from its file, the same seed writes the same file, filters and lists of registers
//! have their effect, and wrong options are rejected in one line.

use instrumenter::command::samples::read;
use runtime::model::ibs::{
    DC_MISS, DC_MISS_LAT, IBS_BR_TARGET, IBS_DC_LIN_AD, IBS_DC_PHYS_AD, IBS_OP_DATA3, IBS_OP_RIP,
};
use runtime::samples::Analysis;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Reads 64 KiB twice: the reads miss the data cache, and the second time they hit the second level cache.
const PROGRAM: &str = ".586\n.model flat\n.data?\nalign 32\narray db 65536 dup(?)\n.code\nstart:\nmov edx,2\npass:\nmov \
                       esi,offset array\nmov ecx,2048\nnext:\nadd eax,[esi]\nadd esi,32\ndec ecx\njnz next\ndec \
                       edx\njnz pass\nret\nend start\n";

fn sample(folder: &Path, name: &str, options: &[&str]) -> (Output, PathBuf) {
    let source = folder.join("strided.asm");
    std::fs::write(&source, PROGRAM).expect("a file");
    let target = folder.join(name);
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target).args(options);
    command
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    (command.output().expect("the command starts"), target)
}

fn recorded(folder: &Path, name: &str, options: &[&str]) -> Analysis {
    let (output, path) = sample(folder, name, options);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{options:?}: {error}");
    read(&path).expect("a file of samples")
}

#[test]
fn the_same_seed_writes_the_same_file() {
    let folder = TempDir::new().expect("a directory");
    let of = |name, seed| {
        let options = ["--op", "100", "--fetch", "20", "--seed", seed];
        let (output, path) = sample(folder.path(), name, &options);
        assert!(output.status.success());
        std::fs::read(path).expect("a file")
    };
    let first = of("one", "7");
    assert!(first == of("two", "7"), "two files of one seed differ");
    assert!(first != of("three", "8"), "the seed has no effect");
}

#[test]
fn events_of_oprofile_sample_what_they_are_of() {
    let folder = TempDir::new().expect("a directory");
    for (number, (events, plain)) in [
        (&["--event", "IBS_OP_ALL:100:1"][..], &["--op", "100"][..]),
        (&["--event", "f206:100"], &["--op", "100"]),
        (
            &["--event", "IBS_OP_LOAD:100:0x0:1:1", "--event", "ibs_op_store:100:0"],
            &["--op", "100", "--mode", "cycles"],
        ),
        (&["--event", "IBS_FETCH_ICACHE_MISSES:20"], &["--fetch", "20"]),
        (
            &["--event", "IBS_FETCH_ALL:20:0", "--event", "IBS_OP_ALL:70:7"],
            &["--fetch", "20", "--op", "70"],
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let [by_event, by_period] = [(events, "event"), (plain, "plain")].map(|(options, name)| {
            let (output, path) = sample(folder.path(), &format!("{name}{number}"), options);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{options:?}: {error}");
            std::fs::read(path).expect("a file")
        });
        assert!(by_event == by_period, "{events:?} is not {plain:?}");
    }
    let (output, path) = sample(
        folder.path(),
        "asked",
        &["--event", "IBS_OP_LOAD:70", "--event", "F206:70"],
    );
    let said = String::from_utf8(output.stdout).expect("UTF-8").replace("\n", " ");
    assert!(
        said.contains("`p5inst query FILE top --pm op_load,op_data_cache_miss --by line` shows"),
        "{said}"
    );
    assert!(path.exists());
    // Registers that an event or its log needs are kept as well.
    let kept = |events: &[&str]| {
        let options = [&["--keep", "rip"], events].concat();
        let recording = recorded(folder.path(), "kept", &options);
        let first = recording.samples.first().expect("a sample");
        first.images.iter().map(|(register, _)| register).collect::<Vec<u32>>()
    };
    assert_eq!(kept(&["--op", "70"]), [IBS_OP_RIP]);
    assert_eq!(kept(&["--event", "IBS_OP_ALL:70"]), [IBS_OP_RIP]);
    assert_eq!(kept(&["--event", "F206:70"]), [IBS_OP_RIP, IBS_OP_DATA3]);
    assert_eq!(
        kept(&["--event", "IBS_OP_ALL:70:7"]),
        [IBS_OP_RIP, IBS_DC_LIN_AD, IBS_DC_PHYS_AD, IBS_BR_TARGET]
    );
}

#[test]
fn filters_and_registers_to_keep_leave_out_the_rest() {
    let folder = TempDir::new().expect("a directory");
    let all = recorded(folder.path(), "all", &["--op", "1", "--rand", "none"]);
    let missed = |sample: &&runtime::record::Sample| sample.images.flag(&DC_MISS);
    let slow = |least| {
        let samples = all.samples.iter().filter(missed);
        samples
            .filter(|sample| sample.images.field(&DC_MISS_LAT) >= Some(least))
            .count()
    };
    assert!(slow(1) >= 4096 && slow(1) > slow(12), "{} {}", slow(1), slow(12));
    let options = ["--op", "1", "--rand", "none", "--ldlat", "12", "--keep", "rip,data3"];
    let some = recorded(folder.path(), "some", &options);
    assert_eq!(some.samples.len(), slow(12));
    for sample in &some.samples {
        let registers: Vec<u32> = sample.images.iter().map(|(register, _)| register).collect();
        assert_eq!(registers, [IBS_OP_RIP, IBS_OP_DATA3]);
    }
    let attempts = some.sampling.op.expect("on");
    assert_eq!(attempts.filtered + some.samples.len() as u64, attempts.made);
    let size = |name: &str| std::fs::metadata(folder.path().join(name)).expect("a file").len();
    assert!(size("some") < size("all") / 2);
}

#[test]
fn pairs_lie_within_their_window() {
    let folder = TempDir::new().expect("a directory");
    let options = ["--op", "200", "--paired", "--window", "8"];
    let recording = recorded(folder.path(), "pairs", &options);
    let distances: Vec<u32> = recording
        .samples
        .iter()
        .filter_map(|sample| sample.pair.as_ref())
        .map(|pair| pair.distance)
        .collect();
    assert!(distances.len() + 1 >= recording.samples.len() && distances.len() > 50);
    assert!((1..=8).all(|distance| distances.contains(&distance)), "{distances:?}");
    assert!(
        distances.iter().all(|distance| (1..=8).contains(distance)),
        "{distances:?}"
    );
}

#[test]
fn what_cannot_be_sampled_is_said_in_one_line() {
    let folder = TempDir::new().expect("a directory");
    for (options, said) in [
        (
            &["--op", "10"][..],
            "--op 10 is too small for --rand hw, which needs at least 64",
        ),
        (
            &["--fetch", "20", "--ldlat", "16"],
            "--ldlat is for samples of ops, and only fetches are sampled",
        ),
        (&["--fetch", "20", "--paired"], "--paired is for samples of ops"),
        (&["--fetch", "20", "--mode", "cycles"], "--mode is for samples of ops"),
        (
            &["--fetch", "20", "--rand", "lfsr12"],
            "--rand lfsr12 is for samples of ops",
        ),
        (
            &["--event", "ibs_fetch_all:20", "--rand", "lfsr12"],
            "--rand lfsr12 is for samples of ops",
        ),
        (
            &["--event", "IBS_OP_ALL:50:1"],
            "--event IBS_OP_ALL:50:1 is too small for --rand hw, which needs at least 64",
        ),
        (
            &["--event", "IBS_OP_ALL:50000:1", "--event", "IBS_OP_LOAD:60000:1"],
            "--event IBS_OP_ALL:50000:1 and IBS_OP_LOAD:60000:1 differ in the count: one sampler takes all ops",
        ),
        (
            &[
                "--event",
                "IBS_OP_ALL:50000",
                "--event",
                "IBS_FETCH_ALL:10",
                "--event",
                "IBS_OP_LOAD:50000:0",
            ],
            "differ in the mask",
        ),
        (&["--keep", "ripp"], "there is no register or field `ripp`"),
        (&["--keep", "?"], "lists the fields"),
    ] {
        let (output, path) = sample(folder.path(), "none", options);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{options:?}: {error}");
        assert!(
            error.contains(said) && error.lines().count() == 1,
            "{options:?}: {error}"
        );
        assert!(!path.exists());
    }
    for (options, said) in [
        (["--op", "-1"], "a distance is a whole number from 1 to 134217712"),
        (
            ["--fetch", "1_048_561"],
            "a distance is a whole number from 1 to 1048560",
        ),
        (["--op", "_1"], "a distance is a whole number"),
        (["--seed", "-1"], "a seed is a whole number from 0 to"),
        (
            ["--event", "IBS_OP_ALL"],
            "the count is missing, as in IBS_OP_ALL:1000:1",
        ),
        (["--event", "F008"], "the count is missing, as in F008:1000\n"),
        (["--event", "IBS_OP_LAOD:1000"], "did you mean IBS_OP_LOAD?"),
        (
            ["--event", "IbsDcMissLat:1000"],
            "IbsDcMissLat is a field of a sample, not an event",
        ),
        (
            ["--event", "IBS_FETCH_ALL:1048561"],
            "the count is a whole number from 1 to 1048560",
        ),
        (
            ["--event", "IBS_OP_ALL:0"],
            "the count is a whole number from 1 to 134217712",
        ),
        (
            ["--event", "IBS_OP_ALL:1000:8"],
            "the mask of an event of ops is 0 to 7",
        ),
        (
            ["--event", "IBS_FETCH_ALL:1000:1"],
            "the mask of an event of fetches is 0",
        ),
        (["--event", "IBS_OP_ALL:1000:1:0:1"], "at every privilege level"),
    ] {
        let (output, _) = sample(folder.path(), "none", &options);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(error.contains(said), "{options:?}: {error}");
    }
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "mine").expect("a file");
    let (output, _) = sample(folder.path(), "notes.txt", &[]);
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(error.contains("exists and is no file of samples"), "{error}");
    assert_eq!(std::fs::read_to_string(notes).expect("kept"), "mine");
    assert_eq!(
        recorded(folder.path(), "lfsr", &["--rand", "lfsr12"])
            .sampling
            .op
            .expect("on")
            .period,
        4096
    );
    recorded(folder.path(), "lfsr", &[]);
    let source = folder.path().join("strided.asm");
    let (output, _) = sample(folder.path(), "strided.asm", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(source).expect("kept"), PROGRAM);
}

/// Before anything is measured, so on any machine.
#[test]
fn samples_of_this_machine_replace_no_other_file() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, text, why) in [
        ("strided.asm", PROGRAM, "strided.asm"),
        ("notes.txt", "mine", "exists and is no file of samples"),
    ] {
        std::fs::write(folder.path().join("strided.asm"), PROGRAM).expect("a file");
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command
            .args(["host", "sample", "strided.asm", "-o", name])
            .current_dir(folder.path());
        let output = command.output().expect("the command starts");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert!(
            output.status.code() == Some(2) && error.contains(why),
            "{name}: {error}"
        );
        assert_eq!(std::fs::read_to_string(file).expect("kept"), text);
    }
}

#[test]
fn samples_come_from_standard_input_and_go_to_files_only() {
    let folder = TempDir::new().expect("a directory");
    let (output, path) = sample(folder.path(), "some", &["--op", "100"]);
    assert!(output.status.success());
    let run = |arguments: &[&str], input: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
        command.args(arguments).current_dir(&folder).env_remove("COLUMNS");
        command.stdin(input).output().expect("the command starts")
    };
    let refused = run(&["sample", "strided.asm", "-o", "-"], Stdio::null());
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("name a file"));
    assert!(!folder.path().join("-").exists(), "a file named `-`");
    let stored = std::fs::File::open(path).expect("a file");
    let [piped, named] = [("-", Stdio::from(stored)), ("some", Stdio::null())]
        .map(|(file, input)| run(&["query", file, "derive"], input));
    assert!(piped.status.success() && !piped.stdout.is_empty());
    assert_eq!(piped.stdout, named.stdout);
}
