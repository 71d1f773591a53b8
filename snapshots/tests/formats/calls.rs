//! Calls in the format of callgrind, of programs whose calls are counted by hand.

use super::{in_format, readers, run};
use crate::consumers;
use runtime::report::Detail;
use std::process::Command;

/// Three calls of `outer`, each of which calls `inner` in two lines; `inner` has three instructions.
const NESTED: &str = "\
.code
start:  mov ecx,3
again:  call outer
        dec ecx
        jnz again
        ret
outer proc
        call inner
        mov eax,ecx
        call inner
        ret
outer endp
inner proc
        mov edx,eax
        add edx,edx
        ret
inner endp
end start
";

/// A function that calls itself four times, and one that leaves its caller without a return.
const DEEP: &str = "\
.code
start:  mov eax,5
        call down
        mov ebp,esp
        call leaves
        nop
landed: call down
        ret
down proc
        dec eax
        jle done
        call down
done:   ret
down endp
leaves proc
        call jumps
        ret
leaves endp
jumps proc
        mov esp,ebp
        jmp landed
jumps endp
end start
";

fn calls(text: &str) -> readers::Calls {
    let run = run("calls.asm", text);
    readers::callgrind(&in_format(&run, "callgrind", Detail::Short)).2
}

/// The function and line that call, the function called, how often, and the instructions until it returned.
fn told(calls: &readers::Calls) -> Vec<(&str, u64, &str, u64, u64)> {
    calls
        .iter()
        .map(|([from, to], times, costs)| (from.0.as_str(), from.1, to.0.as_str(), *times, costs[1]))
        .collect()
}

#[test]
fn a_call_has_its_times_and_all_instructions_until_its_return() {
    let found = calls(NESTED);
    let outer = 4 + 2 * 3;
    assert_eq!(
        told(&found),
        [
            ("start", 3, "outer", 3, 3 * outer),
            ("outer", 8, "inner", 3, 3 * 3),
            ("outer", 10, "inner", 3, 3 * 3)
        ]
    );
    let clocks: Vec<u64> = found.iter().map(|(_, _, costs)| costs[0]).collect();
    assert!(clocks[0] > clocks[1] + clocks[2] && clocks[2] > 0, "{clocks:?}");
}

#[test]
fn recursion_counts_once_and_what_leaves_without_a_return_ends() {
    let found = calls(DEEP);
    // `dec`, `jle` and `call` in all but the last of the first five, which does not call; all return.
    let first = 5 * 2 + 4 + 5;
    // `jumps` leaves without a return; it ends where it jumps to, and its caller with it.
    let jumps = 2;
    assert_eq!(
        told(&found),
        [
            ("start", 3, "down", 1, first),
            ("start", 5, "leaves", 1, 1 + jumps),
            ("start", 7, "down", 1, 3),
            ("down", 12, "down", 4, 0),
            ("leaves", 16, "jumps", 1, jumps),
        ]
    );
}

/// `first` begins with a jump to another procedure; `by_table` jumps through memory; the label `inner` is not a
/// function.
const JUMPS: &str = "\
.586
.model flat
.data
table   dd second
.code
start proc
        call first
        call by_table
        ret
start endp
first proc
        jmp second
first endp
by_table proc
        jmp table
by_table endp
second proc
        mov ecx,3
inner:  dec ecx
        jnz inner
        ret
second endp
end start
";

#[test]
fn a_function_that_begins_with_a_jump_is_called() {
    let found = calls(JUMPS);
    let second = 1 + 3 * 2 + 1;
    assert_eq!(
        told(&found),
        [
            ("start", 7, "first", 1, 1 + second),
            ("start", 8, "by_table", 1, 1 + second),
            ("first", 12, "second", 1, second),
            ("by_table", 15, "second", 1, second),
        ]
    );
}

#[test]
fn costs_of_calls_and_of_the_program_add_up_to_the_run() {
    for text in [NESTED, DEEP, JUMPS] {
        let run = run("calls.asm", text);
        let profile = in_format(&run, "callgrind", Detail::Short);
        let (summary, _, calls) = readers::callgrind(&profile);
        let own: u64 = own_clocks(&profile, "start");
        let called = calls
            .iter()
            .filter(|([from, to], ..)| from.0 == "start" && to.0 != "start");
        let called: u64 = called.map(|(_, _, costs)| costs[0]).sum();
        assert_eq!(own + called, summary["cycles"], "{profile}");
    }
}

/// The clocks of the lines of a function, without its calls.
fn own_clocks(profile: &str, function: &str) -> u64 {
    let named = format!(") {function}");
    let section = profile
        .split("\nfn=")
        .find(|section| section.lines().next().is_some_and(|name| name.ends_with(&named)));
    let mut lines = section.expect("the function").lines().skip(1);
    let mut own = 0;
    while let Some(line) = lines.next() {
        if line.starts_with("calls=") {
            lines.next();
        } else if let Some((_, costs)) = line.split_once(' ').filter(|(number, _)| number.parse::<u64>().is_ok()) {
            own += costs
                .split(' ')
                .next()
                .expect("clocks")
                .parse::<u64>()
                .expect("a number");
        }
    }
    own
}

#[test]
fn callgrind_annotate_adds_up_what_is_called() {
    if !consumers::available("callgrind_annotate", "sh", &["-c", "command -v callgrind_annotate"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = run("calls.asm", NESTED);
    let file = folder.path().join("callgrind.out");
    std::fs::write(&file, in_format(&run, "callgrind", Detail::Short)).expect("a file is written");
    let output = Command::new("callgrind_annotate")
        .args(["--threshold=100", "--inclusive=yes", "--show=Instructions"])
        .arg(&file)
        .output()
        .expect("it starts");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    for (function, instructions) in [("outer", 30), ("inner", 18)] {
        let line = told
            .lines()
            .find(|line| line.contains(&format!("calls.asm:{function}")));
        let first = line.and_then(|line| line.split_whitespace().next());
        assert_eq!(first, Some(instructions.to_string().as_str()), "{told}");
    }
}
