//! `p5inst host` as a user sees it: exit code 0 with a report whatever the program does, 2 for bad input.
//!
//! The report itself tells whether this host has a feature; if not, the test prints a message.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `p5inst` with `source` as its standard input.
fn p5inst(arguments: &[&str], source: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .spawn()
        .expect("the command starts");
    // A command that rejects its arguments does not read its input.
    let _ = child.stdin.take().expect("a pipe").write_all(source.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn report(arguments: &[&str], source: &str) -> String {
    let output = p5inst(arguments, source);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn json(what: &str, more: &[&str], source: &str) -> Value {
    let arguments = [&["host", what, "-", "--format", "json"], more].concat();
    serde_json::from_str(&report(&arguments, source)).expect("JSON")
}

/// The number of measurements, of which one must agree with the expectation.
const ATTEMPTS: usize = 5;

/// The native side of a report; prints a message if this host has none.
fn native(report: &Value) -> Option<&Value> {
    let native = &report["native"];
    if let Some(why) = native["missing"].as_str() {
        eprintln!("skipped: this host runs nothing natively: {why}");
        return None;
    }
    Some(&native["value"])
}

/// Fails because the last measurement is wrong as well, unless the report says that the machine was disturbed, or that
/// the processor changed its rate. That excuses a figure which is off, not one of another order of magnitude: callers
/// assert this before.
fn disagrees(told: &Value) {
    let before = told["host"]["counter"]["value"]["core_clocks_per_tick"].as_f64();
    let during = told["native"]["value"]["core_clocks_per_tick"]["value"].as_f64();
    if let (Some(before), Some(during)) = (before, during)
        && (before - during).abs() > before * 0.02
    {
        eprintln!("not compared: the rate of the processor changed from {before} to {during} clocks per tick");
        return;
    }
    let disturbances = told["disturbances"].as_array().expect("a list");
    assert!(!disturbances.is_empty(), "{told:#}");
    eprintln!("not compared: the machine was not quiet: {disturbances:?}");
}

#[test]
fn bad_input_is_exit_code_2_and_says_why() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let [missing, one, other] = ["missing.asm", "a.asm", "b.txt"].map(path);
    for file in [&one, &other] {
        std::fs::write(file, "ret\n").expect("a file");
    }
    for (arguments, why) in [
        (&["host", "run", &missing][..], "no such file"),
        (&["host", "cpi", &missing], "no such file"),
        (&["host", "run", &one, &other], "only one program"),
        (&["host"], "Usage"),
        (&["host", "run"], "FILE.asm"),
        (&["host", "run", "-", "--host-runs", "0"], "--host-runs"),
        (&["host", "tsc", "a.asm"], "unexpected argument"),
        (&["schema", "nothing"], "invalid value"),
    ] {
        let output = p5inst(arguments, "ret\n");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            text(&output.stderr).contains(why),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    for what in ["run", "cpi"] {
        let output = p5inst(&["host", what, "-"], "nop\nmov eax,\n");
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains("<stdin>:2") && error.contains('^'), "{error}");
        assert_eq!(error.matches("error").count(), 1, "said once: {error}");
    }
}

#[test]
fn help_has_examples_that_fit_a_terminal() {
    for what in ["run", "cpi"] {
        let help = report(&["host", what, "--help"], "");
        let examples: Vec<&str> = help.lines().skip_while(|line| *line != "Examples:").collect();
        assert!(
            examples.len() > 5 && examples.iter().all(|line| line.len() <= 80),
            "{help}"
        );
    }
}

#[test]
fn the_counter_is_described_or_its_absence_explained() {
    let plain = report(&["host", "tsc"], "");
    assert!(plain.contains("time stamp counter"), "{plain}");
    let told: Value = serde_json::from_str(&report(&["host", "tsc", "--format", "json"], "")).expect("JSON");
    assert_eq!(told["schema_version"], 1);
    let counter = &told["host"]["counter"];
    match counter["missing"].as_str() {
        Some(why) => eprintln!("skipped: {why}"),
        None => {
            let counter = &counter["value"];
            assert!(
                counter["quantum_ticks"].as_u64().is_some_and(|step| step >= 1),
                "{counter}"
            );
            let ratio = counter["core_clocks_per_tick"].as_f64();
            assert!(ratio.is_some_and(|ratio| (0.2..8.0).contains(&ratio)), "{counter}");
            assert_eq!(counter["fences"].as_array().map(Vec::len), Some(4));
        }
    }
}

#[test]
fn ten_thousand_dependent_additions_take_as_many_core_clocks() {
    let source = "mov ebp,100\nagain:\nStartTSC chain\nmov ecx,100\n@@:\nREPT 100\nadd eax,ebx\nENDM\ndec ecx\njnz @B\nEndTSC\n\
                  StartTSC nothing\nEndTSC\ndec ebp\njnz again\nret\n";
    // Other users of the processor may change its rate during a measurement, so one of several must agree.
    let mut told = Value::Null;
    for _ in 0..ATTEMPTS {
        told = json("run", &["--runs", "2", "--host-runs", "200"], source);
        let Some(native) = native(&told) else { return };
        assert_eq!(native["stop"]["reason"], "return", "{told:#}");
        let [chain, nothing] = [0, 1].map(|index| &told["regions"][index]);
        assert_eq!(
            (&chain["name"], &chain["start_line"]),
            (&Value::from("chain"), &Value::from(3))
        );
        assert!(
            chain["simulated"]["true"]["median"]
                .as_u64()
                .is_some_and(|clocks| clocks >= 10_000)
        );
        let mean = |region: &Value| region["host"]["ticks"]["value"]["mean"].as_f64().expect("a mean");
        assert!(
            mean(chain) > 1000.0 && mean(chain) > mean(nothing).abs() * 10.0,
            "{told:#}"
        );
        let clocks = chain["host"]["core_clocks"]["value"].as_f64().expect("core clocks");
        let step = native["quantum_ticks"]["value"].as_f64().expect("a step");
        assert!((2_500.0..50_000.0).contains(&clocks), "{told:#}");
        // An empty region takes no ticks.
        if (9_000.0..11_000.0).contains(&clocks) && mean(nothing).abs() < step / 2.0 {
            return;
        }
    }
    disagrees(&told);
}

#[test]
fn both_worlds_execute_the_same_instructions_for_their_clocks_per_instruction() {
    let source = "StartTSC all\nmov ecx,20000\n@@: add eax,ebx\nadd eax,ebx\ndec ecx\njnz @B\nEndTSC\nret\n";
    let mut told = Value::Null;
    for _ in 0..ATTEMPTS {
        told = json("cpi", &["--runs", "2", "--host-runs", "300"], source);
        assert_eq!(
            told["simulated"]["instructions"],
            1 + 4 * 20_000 + 1,
            "no instruction of a macro is among them"
        );
        assert!(
            told["events"]["missing"]
                .as_str()
                .is_some_and(|why| why.contains("INST_RETIRED"))
        );
        if native(&told).is_none() {
            return;
        }
        let ticks = told["ticks_per_instruction"]["value"].as_f64().expect("known");
        let clocks = told["core_clocks_per_instruction"]["value"].as_f64().expect("known");
        assert!((0.1..3.0).contains(&clocks) && (0.02..6.0).contains(&ticks), "{told:#}");
        // Each iteration has four instructions, of which two are dependent additions.
        if (0.4..0.7).contains(&clocks) && ticks > 0.1 {
            return;
        }
    }
    disagrees(&told);
}

#[test]
fn a_files_own_macros_run_as_they_are() {
    let own = "StartTSC MACRO\npushad\npopad\npushad\nmov eax,_TSC\nimul _TSC\ndb 0Fh,31h\nmov _TSC,eax\npopad\nENDM\n\
               EndTSC MACRO\npushad\nimul edx\ndb 0Fh,31h\nsub eax,27\nsub eax,_TSC\nmov _TSC,eax\npopad\nENDM\n\
               s equ StartTSC\ne equ EndTSC\n";
    let program = "s\nmov ecx,1000\n@@: dec ecx\njnz @B\ne\nret\n_TSC dd 0\n";
    let told = json("run", &["--host-runs", "300"], &format!("{own}{program}"));
    if native(&told).is_none() {
        return;
    }
    let host = &told["regions"][0]["host"];
    let mean = host["ticks"]["value"]["mean"].as_f64().expect("a mean");
    assert!((100.0..20_000.0).contains(&mean), "{told:#}");
    assert_eq!(host["ticks"]["value"]["overhead"], 0.0, "they take off their own");
    assert!(
        host["notes"][0]
            .as_str()
            .is_some_and(|note| note.contains("the program's own macros")),
        "{told:#}"
    );
}

#[test]
fn a_program_that_faults_natively_is_a_report() {
    let source = "StartTSC one\nmov ecx,11h\ndb 0Fh,32h\nEndTSC\nret\n";
    let plain = report(&["host", "run", "-", "--host-runs", "10"], source);
    let told = json("run", &["--host-runs", "10"], source);
    assert_eq!(
        told["simulated"]["stop"]["reason"], "return",
        "RDMSR is allowed at the simulated CPL 0"
    );
    let Some(native) = native(&told) else { return };
    assert_eq!(
        (&native["stop"]["reason"], &native["stop"]["code"]),
        (&Value::from("fault"), &Value::from(13))
    );
    assert_eq!(native["stop"]["line"], 3);
    assert!(plain.contains("#GP") && plain.contains("<stdin>:3"), "{plain}");
    let missing = told["regions"][0]["host"]["ticks"]["missing"].as_str();
    assert!(missing.is_some_and(|why| why.contains("the program did not complete on the host")));
}

#[test]
fn a_linked_object_runs_natively() {
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/objects/routine.o");
    let source = ".586\n.model flat\nextern weigh:near\n.data\nvalues dd 10,20,30,40\n.code\nstart: push offset values\n\
                  call weigh\nadd esp,4\nret\nend start\n";
    let told = json("run", &["--host-runs", "10", object], source);
    let Some(native) = native(&told) else { return };
    assert_eq!(native["stop"]["reason"], "return", "{told:#}");
    assert_eq!(told["simulated"]["stop"]["reason"], "return");
}

#[test]
fn an_instruction_that_is_too_long_or_cut_off_has_the_same_fault_in_both_worlds() {
    let too_long = "start:\ninc eax\ndb 15 dup(2Eh)\nnop\nend start\n";
    // The last page of the data ends within `mov eax,imm32`.
    let cut_off = ".data\nalign 4096\ndb 4095 dup(90h)\nlast db 0B8h\n\
                   .code\nstart:\nmov eax,offset last\njmp eax\nend start\n";
    for (source, vector) in [(too_long, 13), (cut_off, 14)] {
        let told = json("run", &["--host-runs", "2"], source);
        assert_eq!(told["simulated"]["stop"]["code"], vector, "{told:#}");
        if let Some(native) = native(&told) {
            assert_eq!(native["stop"]["code"], vector, "{native:#}");
            let message = native["stop"]["message"].as_str().unwrap_or_default();
            assert!(vector != 14 || message.contains("00403000h"), "{message}");
        }
    }
}

#[test]
fn a_program_that_does_not_end_is_a_report() {
    let told = json(
        "run",
        &["--limit", "10000", "--host-runs", "10"],
        "StartTSC\nl: nop\njmp l\nEndTSC\n",
    );
    assert_eq!(told["simulated"]["stop"]["reason"], "limit");
    if let Some(native) = native(&told) {
        assert_eq!(native["stop"]["reason"], "limit");
        assert_eq!(native["runs"], 0);
    }
}

#[test]
fn a_profile_region_says_why_nothing_is_counted() {
    let told = json(
        "run",
        &["--host-runs", "10"],
        "StartProfile EV_BRANCHES,EV_FLOPS,both\nnop\nEndProfile\nret\n",
    );
    assert_eq!(
        (&told["regions"][0]["name"], &told["regions"][0]["kind"]),
        (&Value::from("both"), &Value::from("profile"))
    );
    if native(&told).is_some() {
        let why = told["regions"][0]["host"]["ticks"]["missing"].as_str();
        assert!(why.is_some_and(|why| why.contains("RDMSR")), "{told:#}");
        assert_eq!(told["native"]["value"]["stop"]["reason"], "return");
    }
}

#[test]
fn each_report_has_its_schema() {
    let title = |arguments: &[&str]| {
        let schema: Value = serde_json::from_str(&report(arguments, "")).expect("JSON");
        schema["title"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(title(&["schema"]), "p5inst report");
    assert_eq!(title(&["schema", "report"]), "p5inst report");
    assert_eq!(title(&["schema", "host-run"]), "p5inst host run");
    assert_eq!(title(&["schema", "host-cpi"]), "p5inst host cpi");
    assert_eq!(title(&["schema", "host-tsc"]), "p5inst host tsc");
}
