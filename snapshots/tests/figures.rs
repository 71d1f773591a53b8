//! Published figures for real Pentiums, compared with the model: one table, one row per figure.
//!
//! A *fragment* is placed in a loop between two NOTs, which take one clock and never pair, so that it starts in the U
//! pipe and nothing after it pairs with it; its figure is the clocks per iteration of that loop minus those of the loop
//! without it. A *loop* runs n and n + k times; its figure is the difference in clocks divided by k. Everything is
//! warm: the third run counts, the data lines are read in advance, and neither method sees prologue or epilogue. A
//! *program* leaves its figure in the symbol `_TSC`.
//!
//! Excluded: pushes of words before a call, which are an example in 16-bit code.

#[path = "figures/table.rs"]
mod table;

use runtime::machine::Options;
use runtime::run::StopReason;
use table::{Kind, Method, ROWS, Row};

/// Warm clocks of a program, and what it left in `_TSC`.
fn warm(row: &Row, text: &str) -> (u64, Option<u64>) {
    let options = Options {
        cpl: row.cpl,
        runs: 3,
        ..Options::default()
    };
    let run =
        snapshots::run(row.id, text, snapshots::chip(), &options).unwrap_or_else(|why| panic!("{}: {why}", row.id));
    assert_eq!(
        run.stop.reason,
        StopReason::Return,
        "{}: {:?}\n{text}",
        row.id,
        run.stop
    );
    (run.whole.totals.cycles, snapshots::value(&run, "_TSC"))
}

/// `a / b` as lines.
fn lines(text: &str) -> String {
    text.split(" / ").map(|line| format!("    {line}\n")).collect()
}

/// A program around the text of a row: data whose lines are read first, and the routines that fragments call.
fn frame(body: &str) -> String {
    format!(
        "
.586
.model flat
.data
align 4096
area dd 1024 dup(0)
far_away dd 7200 dup(0)
m1 dd 0
m2 dd 0
zero dd 0
stack_at_start dd 0
counter dd 0
.code
start:
    sub esp,64
    mov stack_at_start,esp
    mov esi,offset area
touch:
    mov eax,[esi]
    add esi,32
    cmp esi,offset area+4096
    jnz touch
    mov eax,m1
    mov eax,counter
    mov eax,stack_at_start
    mov eax,[esp]
    mov eax,[esp-32]
    mov eax,[esp+32]
{body}
    mov esp,stack_at_start
    add esp,64
    ret
never:
    ret
returns:
    ret
returns_4:
    ret 4
reads_stack:
    mov eax,[esp+8]
    ret
end start
"
    )
}

fn fragment_loop(row: &Row, text: &str, iterations: u32) -> String {
    let before = if row.before.is_empty() {
        String::new()
    } else {
        lines(row.before)
    };
    frame(&format!(
        "
    mov counter,{iterations}
again_and_again:
    mov esp,stack_at_start
    mov esi,offset area
    mov edi,offset area+1028
    mov ebx,offset area+72
    mov edx,offset area+140
    mov eax,3
    mov ecx,5
{before}    not ebp
    not ebp
{text}over_line:
    not ebp
    not ebp
    dec counter
    jnz again_and_again
"
    ))
}

/// The additional clocks of a loop for `MORE` more iterations.
fn difference(row: &Row, program: impl Fn(u32) -> String) -> f64 {
    const FEW: u32 = 100;
    const MORE: u32 = 400;
    let (few, many) = (warm(row, &program(FEW)).0, warm(row, &program(FEW + MORE)).0);
    (many as f64 - few as f64) / f64::from(MORE)
}

fn ours(row: &Row) -> f64 {
    match row.method {
        Method::Program => warm(row, row.text).1.expect("the program has a `_TSC`") as u32 as i32 as f64,
        Method::Fragment => {
            let with = difference(row, |iterations| fragment_loop(row, &lines(row.text), iterations));
            let without = difference(row, |iterations| fragment_loop(row, "", iterations));
            with - without
        }
        Method::Loop => difference(row, |iterations| {
            frame(&format!(
                "    mov esi,offset area\n    mov ecx,{iterations}\n{}",
                lines(row.text)
            ))
        }),
    }
}

#[test]
fn published_figures_come_out() {
    let mut wrong = Vec::new();
    let mut error = 0.0;
    println!(
        "{:<24} {:>7} {:>7} {:>10}  kind and source",
        "row", "figure", "ours", "difference"
    );
    for row in ROWS {
        let ours = ours(row);
        let difference = ours - row.figure;
        let kind = match row.kind {
            Kind::Measured => 'M',
            Kind::Counted => 'C',
        };
        println!(
            "{:<24} {:>7} {ours:>7} {difference:>10}  {kind} {}",
            row.id, row.figure, row.source
        );
        error += difference.abs();
        if difference.abs() > row.tolerance {
            wrong.push(format!("{}: {ours} instead of {}", row.id, row.figure));
        }
    }
    println!(
        "mean absolute error over {} rows: {:.4} clocks",
        ROWS.len(),
        error / ROWS.len() as f64
    );
    assert!(
        wrong.is_empty(),
        "{} figures are missed:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
