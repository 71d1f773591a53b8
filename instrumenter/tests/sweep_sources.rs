//! Sweeps of sources that take much memory or have budgets, and lists of values.

use crate::started;
use started::{finished, p5inst, text};
use std::fs;
use std::process::Output;

#[test]
fn a_source_too_large_for_a_share_of_the_memory_is_assembled_alone() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\nstart:\nrept N\nnop\nendm\nret\nend start\n";
    fs::write(folder.path().join("many.asm"), program).expect("a file is written");
    let statuses = |values: &str| -> Vec<String> {
        // Each of this many threads has 2 MiB, and its program 1.5 MiB.
        let line = format!("sweep many.asm -D N={values} --runs 1 --format csv");
        let words: Vec<&str> = line.split(' ').collect();
        let output = p5inst(folder.path(), &words).env("RAYON_NUM_THREADS", "128").output();
        let output = output.expect("the command starts");
        let table = text(&output.stdout);
        let heads: Vec<&str> = table.lines().next().expect("a heading").split(',').collect();
        let status = heads.iter().position(|head| *head == "status").expect("a column");
        let cell = |row: &str| row.split(',').nth(status).expect("a cell").to_owned();
        table.lines().skip(1).map(cell).collect()
    };
    let done = statuses("1,2");
    assert_eq!(statuses("1,200000,250000"), vec![done[0].clone(); 3]);
}

#[test]
fn a_program_too_large_for_a_share_of_the_memory_runs_alone() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.data?\nroom db N dup(?)\n.code\nstart:\nmov room[N-1],1\nret\nend start\n";
    fs::write(folder.path().join("room.asm"), program).expect("a file is written");
    let table = |threads: &str| {
        let line = "sweep room.asm -D N=1,30000000,40000000 --runs 1 --format csv";
        let words: Vec<&str> = line.split(' ').collect();
        let output = p5inst(folder.path(), &words).env("RAYON_NUM_THREADS", threads).output();
        let output = output.expect("the command starts");
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    assert_eq!(table("16"), table("1"));
}

#[test]
fn a_source_that_is_never_assembled_takes_no_longer_than_a_row_may() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "rept 1000000\nnop\nendm\nmov eax,nothing\nrept N\nnop\nendm\n";
    fs::write(folder.path().join("many.asm"), program).expect("a file is written");
    let told = |timeout: &str| {
        let line = format!("sweep many.asm -D N=1,2 --timeout {timeout} --format csv");
        let output = finished(folder.path(), &line);
        text(&output.stdout).to_owned()
    };
    let table = told("0.001");
    assert_eq!(
        table
            .matches("assembling takes longer than 0.001 s (many.asm:2)")
            .count(),
        2,
        "{table}"
    );
    let table = told("0");
    assert_eq!(table.matches("undefined symbol").count(), 2, "{table}");
}

#[test]
fn a_list_outside_of_a_sweep_is_one_text() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\nstart:\nmov ecx,N\nret\nend start\n";
    fs::write(folder.path().join("one.asm"), program).expect("a file is written");
    for value in ["4,foo", "1..4", "<1,2>"] {
        for command in ["", "stat "] {
            let output = finished(folder.path(), &format!("{command}one.asm -D N={value}"));
            assert_eq!(output.status.code(), Some(2));
            let told = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
            let is_list = value != "<1,2>";
            let words = format!("`-D N={value}` defines one text, `{value}`; `p5inst sweep` runs a list of values");
            assert_eq!(told.contains(&words), is_list, "{told}");
        }
    }
}

#[test]
fn a_region_that_no_run_has_is_an_error_beside_the_table() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "start: StartTSC down\nnop\nEndTSC\nif N eq 8\nStartTSC even\nnop\nEndTSC\nendif\nret\nend start\n";
    fs::write(folder.path().join("a.asm"), program).expect("a file is written");
    let finished = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        p5inst(folder.path(), &words).output().expect("the command starts")
    };
    let output = finished("sweep a.asm -D N=8..12 --region donw --region down --format csv");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(
        text(&output.stderr).contains("no run has a region `donw`, so its columns are empty; did you mean `down`?"),
        "{}",
        text(&output.stderr)
    );
    assert!(text(&output.stdout).contains("region.down.cycles"));
    // One run has it, so the cells of the others are empty because they have none.
    let output = finished("sweep a.asm -D N=8..9 --region even --format csv");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn budgets_are_judged_in_every_run() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    let says = |output: &Output, words: &str| {
        let said = text(&output.stderr);
        assert!(said.contains(words), "{said}");
    };
    let source = "        mov ecx,N\nagain:                  ; p5: cycles <= 2\n        add eax,ecx\n        IF N EQ 3\n        \
                  mul ecx\n        ENDIF\n        dec ecx\n        jnz again\n";
    fs::write(path.join("b.asm"), source).expect("a file is written");
    let output = finished(path, "sweep b.asm -D N=2..4 -o b.csv -o b.txt -o b.html");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    says(&output, "of define.N 3:");
    says(&output, "but the budget is at most 2");
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("a table");
    let table = read("b.csv");
    let heads: Vec<&str> = table.lines().next().expect("headings").split(',').collect();
    let place = heads
        .iter()
        .position(|head| *head == "failed_budgets")
        .expect("a column");
    let failed: Vec<_> = table
        .lines()
        .skip(1)
        .map(|row| row.split(',').nth(place).expect("a cell"))
        .collect();
    assert_eq!(failed, ["0", "1", "0"]);
    for table in ["b.txt", "b.html"] {
        let table = read(table);
        assert!(table.contains("Budgets that do not hold"), "{table}");
        assert!(table.contains("1 run; define.N 3"), "{table}");
    }
    let output = finished(path, "sweep b.asm -D N=4..5");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    fs::write(path.join("c.asm"), "        nop ; p5: clock <= N\n").expect("a file is written");
    let output = finished(path, "sweep c.asm -D N=4..5");
    assert_eq!(output.status.code(), Some(2));
    says(&output, "did you mean `cycles`?");
}
