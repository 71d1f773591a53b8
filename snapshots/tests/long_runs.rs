//! Runs of more clocks than 32 bits hold: statistics are collected in between, and the report still adds up.

use runtime::machine::Options;
use snapshots::{chip, run};

const ROUNDS: u64 = 12_000_000;
const DIVISIONS: u64 = 8;

#[test]
fn rows_add_up_to_more_than_32_bits_of_clocks() {
    let division = "idiv ebx\nxor edx,edx\n".repeat(DIVISIONS as usize);
    let text =
        format!("start:\nmov ebx,1\nxor edx,edx\nmov ecx,{ROUNDS}\nagain:\n{division}dec ecx\njnz again\nend start\n");
    let options = Options {
        runs: 1,
        limit: 1 << 40,
        ..Options::default()
    };
    let run = run("long.asm", &text, chip(), &options).expect("assembles");
    let clocks = run.whole.totals.cycles;
    assert!(clocks > 1 << 32, "{clocks}");
    let of_causes: u64 = run
        .instructions
        .iter()
        .flat_map(|row| &row.causes)
        .map(|cause| cause.cycles)
        .sum();
    assert_eq!(of_causes, clocks);
    let divisions = run.instructions.iter().filter(|row| row.text.starts_with("idiv"));
    let executions: Vec<u64> = divisions.map(|row| row.executions).collect();
    assert_eq!(executions, [ROUNDS; DIVISIONS as usize]);
    let instructions: u64 = run.instructions.iter().map(|row| row.executions).sum();
    assert_eq!(instructions, run.whole.totals.instructions);
}
