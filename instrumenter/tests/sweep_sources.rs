//! What a sweep assembles: sources that take much memory, and lists of values outside of it.

use crate::started;
use started::{p5inst, text};
use std::fs;

#[test]
fn a_source_too_large_for_a_share_of_the_memory_is_assembled_alone() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\nstart:\nrept N\nnop\nendm\nret\nend start\n";
    fs::write(folder.path().join("many.asm"), program).expect("a file is written");
    let statuses = |values: &str| -> Vec<String> {
        // Each of so many threads has 8 MiB.
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
fn a_list_outside_of_a_sweep_is_one_text() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = ".586\n.model flat\n.code\nstart:\nmov ecx,N\nret\nend start\n";
    fs::write(folder.path().join("one.asm"), program).expect("a file is written");
    for value in ["4,foo", "1..4", "<1,2>"] {
        for command in ["", "stat "] {
            let output = started::finished(folder.path(), &format!("{command}one.asm -D N={value}"));
            assert_eq!(output.status.code(), Some(2));
            let told = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
            let is_list = value != "<1,2>";
            let words = format!("`-D N={value}` defines one text, `{value}`; `p5inst sweep` runs a list of values");
            assert_eq!(told.contains(&words), is_list, "{told}");
        }
    }
}
