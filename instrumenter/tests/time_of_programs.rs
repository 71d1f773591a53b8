//! The time that a program reads, at the clock rate of a command.

use crate::started::printed;

/// Reads the time until 20 microseconds have passed. A round takes 36 clocks, with two branches and the service.
const WAITS: &str = "
    .586
    .model flat
    .data
    times dd 4 dup(0)
    .code
    start:  mov eax,78
            mov ebx,offset times
            xor ecx,ecx
            int 80h
    again:  mov eax,78
            mov ebx,offset times+8
            int 80h
            mov eax,times+12
            sub eax,times+4
            cmp eax,20
            jb again
            ret
    end start
";

#[test]
fn a_program_is_told_the_time_of_the_rate_given() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("waits.asm"), WAITS).expect("a file is written");
    for (options, branches) in [("", "114"), ("--mhz 100", "114"), ("--mhz 2.5", "6")] {
        let told = printed(folder.path(), &format!("stat waits.asm {options}"));
        let counted = told
            .lines()
            .any(|line| line.split_whitespace().eq(["12h", branches, "Branches"]));
        assert!(counted, "not {branches} branches with `{options}`:\n{told}");
    }
}

#[test]
fn a_plain_run_has_a_rate_too() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("waits.asm"), WAITS).expect("a file is written");
    for (options, rounds) in [("", "56"), ("--mhz 100", "56"), ("--mhz 2.5", "2")] {
        let told = printed(folder.path(), &format!("waits.asm --format csv {options}"));
        let line = told.lines().find(|line| line.contains("again:  mov"));
        let times = line.and_then(|line| line.split(',').nth(4)).unwrap_or_default();
        assert_eq!(times, rounds, "with `{options}`:\n{told}");
    }
}

/// Adds a number of a table to a sum three hundred times.
const ADDS: &str = "
    .586
    .model flat
    .data
    operand dd NUMBER
    .code
    start:  mov ecx,300
            fldz
    again:  fld operand
            fadd operand
            fstp st(0)
            fadd operand
            dec ecx
            jnz again
            ret
    end start
";

#[test]
fn a_denormal_operand_takes_no_clocks_of_its_own() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let clocks = |number: &str| {
        std::fs::write(folder.path().join("adds.asm"), ADDS.replace("NUMBER", number)).expect("a file is written");
        let report = printed(folder.path(), "adds.asm --format json");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        report["own"]["totals"]["cycles"].as_u64().expect("clocks")
    };
    // 1.0 and the smallest denormal of this format.
    assert_eq!(clocks("3F800000h"), clocks("1"));
}
