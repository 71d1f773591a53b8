//! Dense samples of a repeated string instruction that runs once: most clocks are its own, with the cause that they
//! truly have.

use instrumenter::command::samples::read;
use runtime::samples::Analysis;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The string instructions, and what sets the registers of each but EDI.
const REPEATED: &[(&str, &str)] = &[
    ("rep movsd", "mov esi,offset source\nmov ecx,1024"),
    ("rep movsb", "mov esi,offset source\nmov ecx,4000"),
    ("rep stosd", "mov ecx,1024\nxor eax,eax"),
    ("rep lodsd", "mov esi,offset source\nmov ecx,1024"),
    ("repne scasb", "mov al,1\nmov ecx,4000"),
    ("repe cmpsd", "mov esi,offset source\nmov ecx,1024"),
];

fn sampled(repeated: &str, before: &str, after: &str, period: u32) -> Analysis {
    let folder = TempDir::new().expect("a directory");
    let source = folder.path().join("repeated.asm");
    let text = format!(
        ".586\n.model flat\n.data?\nsource db 4096 dup(?)\ntarget db 4096 dup(?)\n.code\nstart:\nmov edi,offset target\n\
         {before}\ncld\n{repeated}\n{after}ret\nend start\n"
    );
    std::fs::write(&source, text).expect("a file");
    let target = folder.path().join("repeated.samples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_p5inst"));
    command.arg("sample").arg(&source).arg("-o").arg(&target);
    command.args(["--op", &period.to_string(), "--rand", "none", "--truth"]);
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    read(&target).expect("a file of samples")
}

#[test]
fn dense_samples_blame_the_instruction_that_is_repeated() {
    let mut wrong = Vec::new();
    for &(repeated, before) in REPEATED {
        for after in ["", "mov edx,1\nadd edx,2\n"] {
            for period in 1..=5 {
                let recording = sampled(repeated, before, after, period);
                let truth = recording.truth.as_ref().expect("exact figures");
                let all = truth.clocks as f64;
                let stalls = recording.stalls().expect("stalls");
                // The most ops are those of the string instruction.
                let most = stalls.rows.iter().max_by_key(|row| row.samples.samples).expect("rows");
                let others = stalls.rows.iter().filter(|row| row.address != most.address);
                let others: f64 = others.map(|row| row.stall.clocks).sum();
                let exact = most.exact.as_ref().expect("its exact figures").stall() as f64;
                // At an even distance each sample of MOVS is of its read, or each of its write.
                let by_chance = repeated.contains("movs") && period % 2 == 0;
                let near = by_chance || (most.stall.clocks - exact).abs() <= 0.1 * exact + 20.0 * f64::from(period);
                // With so few clocks beyond the best, no cause is the greatest by much.
                let right = most.right() == Some(true) || exact < 0.1 * all;
                println!(
                    "{repeated}, {period}: {} of {exact} clocks, {others} of others, {}",
                    most.stall.clocks,
                    most.letters()
                );
                if !near || !right || others > 0.05 * all {
                    wrong.push((
                        repeated,
                        after,
                        period,
                        most.stall.clocks,
                        exact,
                        most.letters(),
                        others,
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
