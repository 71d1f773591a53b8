//! Files of every kind and size: written files can be read, and recordings too large for a file are rejected before
//! writing.

use super::{answered, refused, stored};
use crate::samples::specimen::{CODE, LATER, recording, seed};
use fastrand::Rng;
use instrumenter::command::samples::{read, write};
use runtime::model::ibs::SampleKind;
use runtime::record::{Attempts, SampledCode, SampledLine, SampledSymbol};
use runtime::samples::Analysis;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A recording of a program of NOPs, with consecutive lines of these lengths.
fn with_code(lengths: impl Iterator<Item = u32>) -> Analysis {
    let mut given = recording(&mut Rng::with_seed(seed()), 60);
    let mut address = CODE;
    given.lines.clear();
    for (length, line) in lengths.zip(1..) {
        given.lines.push(SampledLine {
            address,
            length,
            file: 0,
            line,
        });
        address += length;
    }
    let bytes = vec![0x90; (address - CODE) as usize];
    given.code = vec![SampledCode {
        address: CODE,
        bytes,
        bits: 32,
    }];
    given
}

/// The rows of the table `code`: address and length of each piece.
fn pieces(path: &Path) -> Vec<(u32, usize)> {
    let database = rusqlite::Connection::open(path).expect("a file of SQLite");
    let mut rows = database
        .prepare("SELECT address, length(bytes) FROM code ORDER BY address")
        .expect("a table");
    let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.map(|row| row.expect("a row")).collect()
}

#[test]
fn what_the_reader_refuses_is_not_written() {
    let given = with_code([4, 4, 4].into_iter());
    let mut twice = given.clone();
    twice.code.push(SampledCode {
        address: CODE + 11,
        bytes: vec![0x90; 4],
        bits: 32,
    });
    let mut gap = given.clone();
    gap.samples.last_mut().expect("a sample").number += 1;
    for (recording, why) in [(twice, "h twice"), (gap, "there is no sample ")] {
        let folder = TempDir::new().expect("a directory");
        let path = folder.path().join("refused.samples");
        let error = write(&recording, &path).expect_err("refused");
        assert!(error.contains(why) && !path.exists(), "{error}");
    }
    // Pieces that only touch are not twice there.
    let mut beside = given;
    beside.code.push(SampledCode {
        address: CODE + 12,
        bytes: vec![0x90; 4],
        bits: 32,
    });
    let (_folder, path) = stored(&beside);
    assert_eq!(read(&path).expect("a recording").code[0].bytes.len(), 16);
}

#[test]
fn code_of_any_length_is_read_as_it_was_written() {
    for (what, given) in [
        ("instructions", with_code((0..100_000).map(|at| 1 + at % 15))),
        ("one line", with_code([1, 300_000, 1].into_iter())),
        ("no code", with_code(std::iter::empty())),
        ("a row", with_code([1 << 15].into_iter())),
    ] {
        let mut given = given;
        given.code.retain(|piece| !piece.bytes.is_empty());
        let (_folder, path) = stored(&given);
        assert!(read(&path).expect(what) == given, "{what}");
        for question in ["calc", "topstalls", "whatcg"] {
            let asked = super::query(&path, &[question]);
            let error = String::from_utf8_lossy(&asked.stderr);
            assert!(!error.contains("panicked"), "{what}: {error}");
        }
        let pieces = pieces(&path);
        assert!(
            pieces.iter().all(|&(_, length)| length <= 1 << 15),
            "{what}: {pieces:?}"
        );
        if what == "instructions" {
            let begins = |address: &u32| given.lines.iter().any(|line| line.address == *address);
            assert!(pieces.iter().all(|(address, _)| begins(address)), "{pieces:?}");
        }
        // Questions in SQL must handle these rows as well.
        let question = "select ifnull(sum(length(bytes)), 0) as bytes from code";
        let bytes: usize = given.code.iter().map(|piece| piece.bytes.len()).sum();
        assert_eq!(
            answered(&path, &[question, "--format", "csv"]),
            format!("bytes\n{bytes}\n")
        );
    }
}

#[test]
fn code_in_one_row_as_earlier_versions_wrote_it_is_read() {
    let given = with_code((0..100_000).map(|_| 2));
    let (_folder, path) = stored(&given);
    let database = rusqlite::Connection::open(&path).expect("a file of SQLite");
    let old = "DELETE FROM code; ALTER TABLE code DROP COLUMN bits";
    database.execute_batch(old).expect("statements");
    let piece = &given.code[0];
    database
        .execute("INSERT INTO code VALUES (?, ?)", (piece.address, &piece.bytes))
        .expect("a row");
    drop(database);
    assert_eq!(pieces(&path), [(CODE, 200_000)]);
    assert!(read(&path).expect("a recording") == given);
    answered(&path, &["select count(*) from ops"]);
    assert!(refused(&path, &["select instr(bytes, x'91') from code"]).contains("too big"));
}

#[test]
fn what_no_file_can_hold_is_not_written() {
    let base = || with_code([1, 1].into_iter());
    let line = |address| SampledLine {
        address,
        length: 1,
        file: 0,
        line: 1,
    };
    let symbol = |address| SampledSymbol {
        name: String::new(),
        address,
        size: 0,
        code: true,
        library: false,
    };
    let most = 4 << 20;
    type Change<'a> = &'a dyn Fn(&mut Analysis);
    let cases: [(&str, Change<'_>); 10] = [
        ("4194305 lines", &|given| given.lines = (0..=most).map(line).collect()),
        ("4194305 symbols", &|given| {
            given.symbols = (0..=most).map(symbol).collect();
        }),
        ("67108865 bytes of code", &|given| {
            given.code[0].bytes = vec![0x90; (64 << 20) + 1];
        }),
        ("a line is in file 7", &|given| given.lines[0].file = 7),
        ("no `code_bits`", &|given| given.code_bits = 0),
        ("is 24, which is no size", &|given| given.code_bits = 24),
        ("is 33, which is no size", &|given| given.code[0].bits = 33),
        ("which is no number of pipes", &|given| given.machine.width = Some(0)),
        ("says that 0 were taken", &|given| given.sampling.op = None),
        ("a sum of", &|given| {
            let truth = given.truth.as_mut().expect("a truth");
            truth.instructions.iter_mut().for_each(|one| one.clocks = 1 << 61);
        }),
    ];
    for (why, change) in cases {
        let mut given = base();
        if why == "a sum of" {
            let truth = given.truth.as_mut().expect("a truth");
            let one = truth.instructions[0].clone();
            truth.instructions = (0..4)
                .map(|at| (CODE + at, one.clone()))
                .map(|(address, one)| runtime::record::TrueInstruction { address, ..one })
                .collect();
        }
        change(&mut given);
        let folder = TempDir::new().expect("a directory");
        let path = folder.path().join("x.samples");
        let error = write(&given, &path).expect_err(why);
        assert!(error.contains(why) && !error.contains('\n'), "{why}: {error}");
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a directory").count(),
            0,
            "{why}"
        );
    }
}

#[test]
fn very_many_names_and_lines_are_read_as_they_were_written() {
    let mut given = with_code((0..400_000).map(|_| 1));
    given.symbols = (0..300_000)
        .map(|at| SampledSymbol {
            name: format!("label_{at}"),
            address: CODE + at,
            size: at % 7,
            code: at % 3 > 0,
            library: at % 5 == 0,
        })
        .collect();
    let (_folder, path) = stored(&given);
    assert!(read(&path).expect("a recording") == given);
}

#[test]
fn a_recording_of_a_host_is_read_as_it_was_written() {
    let mut given = recording(&mut Rng::with_seed(seed()), 900);
    given.machine.chip = "host".to_owned();
    given.machine.width = None;
    (given.truth, given.sampling.choice.window) = (None, None);
    given.samples.iter_mut().for_each(|sample| sample.pair = None);
    let of = |kind| given.samples.iter().filter(|sample| sample.kind == kind).count() as u64;
    let attempts = |kind| Attempts {
        period: 100_000,
        made: of(kind) + 20,
        filtered: 3,
        ..Attempts::default()
    };
    let [fetch, op] = SampleKind::ALL.map(attempts);
    (given.sampling.fetch, given.sampling.op) = (Some(fetch), Some(op));
    (given.sampling.cut, given.sampling.lost) = (9, 4);
    let (_folder, path) = stored(&given);
    assert_eq!(read(&path).expect("a recording"), given);
    assert!(given.samples.iter().any(|sample| sample.images.get(LATER).is_some()));
}

/// A loop with branches, misses, misaligned accesses and floating point, and `more` lines of code that run once.
fn program(more: usize) -> String {
    format!(
        ".586\n.model flat\n.data\ntable dd 4096 dup(1)\n.code\nstart:\n{}mov ecx,3000\nmov esi,offset table\nagain: \
         mov eax,[esi]\nadd eax,[esi+65]\nfld1\nfmul st(0),st(0)\nfstp st(0)\nadd esi,4\ntest eax,8\njz skip\ncall \
         inner\nskip: dec ecx\njnz again\nret\ninner proc\nmov ebx,[table+1]\nret\ninner endp\nend start\n",
        "add eax,12345678h\n".repeat(more)
    )
}

/// The output of the command, and the file of samples if it exists.
fn sampled(folder: &Path, source: &str, options: &[&str]) -> (std::process::Output, std::path::PathBuf) {
    std::fs::write(folder.join("a.asm"), source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command
        .current_dir(folder)
        .args(["sample", "a.asm", "-o", "a.samples"])
        .args(options);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    (output, folder.join("a.samples"))
}

#[test]
fn every_question_to_every_kind_of_recording_is_answered() {
    let folder = TempDir::new().expect("a directory");
    let ibs = "mov ecx,0C0011033h\nmov eax,0A0010h\nxor edx,edx\nwrmsr\n";
    let own = program(0).replace("start:\n", &format!("start:\n{ibs}"));
    let (small, large) = (program(0), program(20_000));
    for (source, options) in [
        (&small, &["--op", "100"][..]),
        (&small, &["--fetch", "50", "--truth"]),
        (&small, &["--op", "100", "--fetch", "50", "--truth"]),
        (&small, &["--op", "100", "--paired", "--truth"]),
        (&small, &["--op", "100", "--mode", "cycles", "--truth"]),
        (&small, &["--op", "100", "--ldlat", "5", "--truth"]),
        (&small, &["--op", "100", "--keep", "OpRip"]),
        (&small, &["--op", "2000000"]),
        (&small, &["--op", "100", "--runs", "1", "--limit", "1"]),
        (&small, &["--op", "1", "--rand", "none", "--truth"]),
        (&own, &["--op", "100", "--monitor", "ibs", "--cpl", "0", "--truth"]),
        (&large, &["--op", "100", "--fetch", "50", "--truth"]),
    ] {
        let (output, path) = sampled(folder.path(), source, options);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{options:?}: {error}");
        let found = read(&path).unwrap_or_else(|why| panic!("{options:?}: {why}"));
        let bytes: usize = found.code.iter().map(|piece| piece.bytes.len()).sum();
        assert_eq!(source.len() > 100_000, bytes > 1 << 16, "{bytes} bytes of code");
        for question in [
            &[][..],
            &["derive"],
            &["data"],
            &["top"],
            &["calc"],
            &["topstalls"],
            &["whatcg"],
            &["ear"],
            &["pairs"],
        ] {
            let asked = super::query(&path, &[question, &["--truth"]].concat());
            let error = String::from_utf8_lossy(&asked.stderr);
            assert!(
                matches!(asked.status.code(), Some(0 | 2)),
                "{options:?} {question:?}: {error}"
            );
            let refused = ["calc", "topstalls", "whatcg"].iter().any(|one| question == [*one]);
            assert!(asked.status.success() || refused, "{options:?} {question:?}: {error}");
            assert!(!error.contains("damaged"), "{options:?} {question:?}: {error}");
        }
    }
}

#[test]
fn a_program_that_no_file_can_hold_is_refused_before_it_runs() {
    let folder = TempDir::new().expect("a directory");
    // Each row has a label and the name of the procedure around it.
    let long = "a".repeat(240);
    let labels: String = (0..300_000).map(|at| format!("{}{at}: nop\n", &long[..30])).collect();
    let longest = long.repeat(16);
    let source =
        format!(".586\n.model flat\n.code\n{longest} proc\nhere: jmp here\n{labels}{longest} endp\nend here\n");
    let (output, path) = sampled(folder.path(), &source, &["--op", "100"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("the names of the program take up to"), "{error}");
    assert!(!path.exists());
}
