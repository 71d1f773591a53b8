//! A sweep that the user interrupts.
#![cfg(unix)]

mod started;

use started::p5inst;
use std::fs;
use std::process::{Command, Stdio};

#[test]
fn an_interrupted_sweep_says_how_to_go_on() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (line, said) in [
        (
            "endless.asm -D N=1..4 -o table.csv",
            "the finished rows are kept in `table.csv.unfinished`, and the same",
        ),
        ("endless.asm -D N=1..4", "nothing is kept: with `-o FILE`"),
    ] {
        fs::write(folder.path().join("endless.asm"), "start: jmp start\nend start\n").expect("a file is written");
        let child = p5inst(folder.path(), &["sweep"])
            .args(line.split(' '))
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the command starts");
        // Until it runs, an interrupt ends it without a word.
        let journal = folder.path().join("table.csv.unfinished");
        let begun = std::time::Instant::now();
        while begun.elapsed().as_millis() < 500 || line.ends_with("csv") && !journal.exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let id = child.id().to_string();
        Command::new("kill").args(["-INT", &id]).status().expect("kill starts");
        let mut told = String::new();
        let mut errors = child.stderr.take().expect("a pipe");
        std::io::Read::read_to_string(&mut errors, &mut told).expect("UTF-8");
        assert_eq!(child.wait().expect("it ends").code(), Some(130), "{told}");
        assert!(told.contains("interrupted") && told.contains(said), "{told}");
    }
}
