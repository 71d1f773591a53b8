//! Waits that packets show and that cost nothing, as a longer wait hides them: refills of the pipeline while the
//! floating-point unit works or the registers are switched to MMX, and bank conflicts while stores wait.

use super::{answered, stored};
use fastrand::Rng;
use instrumenter::command::samples::read;
use runtime::samples::{Analysis, Blame, Confidence, Stalls};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The file of samples of a program.
fn sampled(text: &str, chip: &str, period: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a directory");
    let (source, target) = (folder.path().join("some.asm"), folder.path().join("some.samples"));
    std::fs::write(&source, text).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target);
    command.args(["--cpu", chip, "--runs", "1", "--truth", "--timeout", "0"]);
    command.args(["--op", period, "--fetch", "64"]);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, target)
}

fn stalls(recording: &Analysis) -> Stalls {
    recording.stalls().expect("stalls")
}

/// The estimated clocks of a cause, the exact ones, and how many standard errors lie between them.
fn compared(stalls: &Stalls, blame: Blame) -> (f64, u64, f64) {
    let estimate = stalls.cause(blame);
    let exact = stalls.rows.iter().filter_map(|row| row.exact.as_ref());
    let exact = exact.map(|exact| exact.causes[blame as usize]).sum();
    let sigmas = estimate.sigmas(stalls.scale, exact).unwrap_or(0.0);
    (estimate.clocks, exact, sigmas)
}

const DIVIDED: &str = ".data\nx dq 3.0\ny dq 7.0\nz dq 0\n.code\nstart:\nmov esi,30000\no: fld x\nfdiv y\nmov \
                       ecx,5\nf: add eax,ebx\nnop\ndec ecx\njnz f\nfstp z\ndec esi\njnz o\nend start\n";

#[test]
fn a_refill_behind_which_the_unit_still_works_costs_nothing() {
    let (_folder, path) = sampled(DIVIDED, "p5", "64");
    let recording = read(&path).expect("a file of samples");
    let stalls = stalls(&recording);
    let (estimate, exact, _) = compared(&stalls, Blame::Misprediction);
    let whole = stalls.clocks.expect("exact clocks") as f64;
    assert!(
        exact < 100 && estimate < 0.01 * whole,
        "{estimate} of {whole}, not {exact}"
    );
    let said = answered(&path, &["topstalls", "--truth"]);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let words =
        "100.0% of the exact stall clocks, and 100.0% of the estimated ones, are of instructions whose true cause";
    assert!(said.contains(words), "{said}");
}

#[test]
fn a_refill_that_a_square_root_or_the_switch_to_mmx_hides_is_not_blamed() {
    let root = ".data\nd dd 1000 dup(1.5)\ne dd 8 dup(?)\n.code\nstart:\nmov esi,40000\no: mov ecx,4\nmov ebx,offset \
                d\nfldz\nf: fadd dword ptr [ebx]\nadd ebx,4\nmov eax,[ebx]\ndec ecx\njnz f\nfst e\nfistp e[4]\nfld \
                d\nfsqrt\nmov ecx,5\ng: lea ebx,[ebx+ecx]\nmov edx,[ecx*4+d]\ndec ecx\njnz g\nfstp e[8]\ndec \
                esi\njnz o\nend start\n";
    let switch = ".586\n.mmx\n.model flat\n.code\nstart:\nmov esi,1000\no: fld1\nmov ecx,100\nf: fadd st,st\ndec \
                  ecx\njnz f\nmovq mm0,mm1\nemms\ndec esi\njnz o\nret\nend start\n";
    for (text, chip) in [(root, "p54c"), (switch, "p55c")] {
        let (_folder, path) = sampled(text, chip, "64");
        let recording = read(&path).expect("a file of samples");
        let (estimate, exact, sigmas) = compared(&stalls(&recording), Blame::Misprediction);
        println!("{chip}: {estimate}, not {exact}, {sigmas} standard errors");
        assert!(
            sigmas.abs() < 4.0,
            "{chip}: {estimate}, not {exact}, {sigmas} standard errors"
        );
    }
}

#[test]
fn a_bank_conflict_that_a_store_may_hide_is_not_trusted() {
    let text = ".data\nd db 32768 dup(1)\n.code\nstart:\nmov esi,200\nr: mov edi,offset d\nmov ebp,256\no: mov \
                eax,[edi]\nadd eax,[edi+32]\nmov [edi+4],eax\nmov [edi+68],eax\nimul eax,ebx\nmov edx,3\nw: dec \
                edx\nnop\njnz w\nmov eax,[edi+64]\nadd edi,96\ndec ebp\njnz o\ndec esi\njnz r\nend start\n";
    let (_folder, path) = sampled(text, "p54c", "64");
    let stalls = stalls(&read(&path).expect("a file of samples"));
    let (estimate, exact, sigmas) = compared(&stalls, Blame::BankConflict);
    println!("{estimate}, not {exact}, {sigmas} standard errors");
    assert!(sigmas.abs() < 4.0, "{estimate}, not {exact}, {sigmas} standard errors");
    let mut rows = stalls.rows.iter();
    let blamed = rows.find(|row| row.letters().starts_with('b'));
    assert!(
        blamed.is_none_or(|row| row.confidence() == Confidence::Low),
        "{blamed:?}"
    );
}

/// The number of random programs of which each has a loop after long work of the unit, and the variable that sets
/// another number.
const PROGRAMS: u64 = 6;
const MORE: &str = "P5INST_RANDOM_PROGRAMS";
const FIRST: u64 = 1;

#[test]
fn refills_of_random_loops_behind_long_work_are_within_their_error() {
    let first = p5_seeds::number("P5INST_SEED").unwrap_or(FIRST);
    let programs = p5_seeds::number(MORE).unwrap_or(PROGRAMS as usize);
    let mut wrong = Vec::new();
    for seed in (first..).take(programs) {
        let mut rng = Rng::with_seed(seed);
        let mut text = ".data\nx dq 3.0\ny dq 7.0\nz dq 0\n.code\nstart:\nmov esi,10000\no:\n".to_owned();
        for part in 0..rng.u32(1..4) {
            text += ["fld x\nfdiv y\n", "fld x\nfsqrt\n", "fld x\nfadd y\n"][rng.usize(..3)];
            text += &format!("mov ecx,{}\nf{part}:\n", rng.u32(2..20));
            for _ in 0..rng.u32(0..4) {
                text += ["add eax,ebx\n", "nop\n", "xor ebx,edx\n", "lea edx,[edx+4]\n"][rng.usize(..4)];
            }
            text += &format!("dec ecx\njnz f{part}\nfstp z\n");
        }
        text += "dec esi\njnz o\nend start\n";
        let chip = ["p5", "p54c", "p55c"][rng.usize(..3)];
        let (_folder, path) = sampled(&text, chip, "64");
        let stalls = stalls(&read(&path).expect("a file of samples"));
        let (estimate, exact, sigmas) = compared(&stalls, Blame::Misprediction);
        let right = stalls.blamed_right().expect("stalls that are known");
        let estimated = stalls.estimated_right().expect("stalls that are known");
        println!(
            "seed {seed}, {chip}: {estimate:.0}, not {exact}, {sigmas:.1} sigmas; {right:.3} and {estimated:.3} right"
        );
        let sure = |blamed: &&runtime::samples::StallRow| blamed.confidence() == Confidence::High;
        let false_rows = stalls.rows.iter().filter(sure).filter(|row| {
            let (own, exact) = (&row.causes[Blame::Misprediction as usize], row.exact.as_ref());
            let exact = exact.map_or(0, |exact| exact.causes[Blame::Misprediction as usize]);
            let sigmas = own.sigmas(stalls.scale, exact);
            row.letters().starts_with('p') && sigmas.is_some_and(|sigmas| sigmas.abs() > 4.0)
        });
        if right < 0.95 || sigmas.abs() > 4.0 || false_rows.count() > 0 {
            wrong.push((seed, right, sigmas, text));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What is left of the clocks is as uncertain as the causes that are taken from them. Causes that exceed the clocks by
/// less than that do not contradict them.
#[test]
fn what_is_left_of_the_clocks_has_the_error_of_the_causes() {
    let (_folder, path) = sampled(DIVIDED, "p5", "64");
    let recording = read(&path).expect("a file of samples");
    let left = |recording: &Analysis| {
        let (_folder, path) = stored(recording);
        let answer: serde_json::Value =
            serde_json::from_str(&answered(&path, &["whatcg", "--format", "json"])).expect("JSON");
        let row = answer["rows"]
            .as_array()
            .and_then(|rows| rows.last())
            .expect("rows")
            .clone();
        let exceeded = answer["notes"]
            .to_string()
            .contains("more than the clocks of the samples");
        (row["clocks"].as_f64(), row["standard_error"].as_f64(), exceeded)
    };
    let (clocks, error, exceeded) = left(&recording);
    let (clocks, error) = (clocks.expect("an estimate"), error.expect("its error"));
    assert!(error > 0.0 && !exceeded, "{clocks} give or take {error}");
    // The same samples in fewer clocks.
    let all = recording
        .samples
        .iter()
        .map(|sample| sample.clock)
        .max()
        .expect("samples");
    for (errors, expected) in [(0.5, (true, false)), (4.0, (false, true))] {
        let mut shorter = read(&path).expect("a file of samples");
        let factor = 1.0 - (clocks + errors * error) / all as f64;
        for sample in &mut shorter.samples {
            sample.clock = (sample.clock as f64 * factor) as u64;
        }
        let (clocks, _, exceeded) = left(&shorter);
        assert_eq!((clocks == Some(0.0), exceeded), expected, "{errors}: {clocks:?}");
    }
}
