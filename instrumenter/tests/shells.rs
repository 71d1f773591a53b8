//! Shell completions and manual pages.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn finished(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_p5inst"))
        .args(line.split(' '))
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

#[test]
fn completions_and_pages_know_every_command() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = finished(path, &format!("completions {shell}"));
        let script = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0));
        for word in ["timings", "compare", "fail-over"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        if shell == "bash" {
            fs::write(path.join("p5inst.bash"), script).expect("a file is written");
            let check = Command::new("bash")
                .args(["-n", "p5inst.bash"])
                .current_dir(path)
                .status();
            match check {
                Ok(status) => assert!(status.success()),
                Err(why) => println!("SKIPPED: bash does not start: {why}"),
            }
        }
    }
    let page = finished(path, "man");
    let page = text(&page.stdout);
    assert!(
        page.contains(".TH p5inst 1") && page.contains("p5inst\\-timings(1)"),
        "{page}"
    );
    let page = finished(path, "man compare");
    assert!(text(&page.stdout).contains("fail\\-over"), "{}", text(&page.stdout));
    let output = finished(path, "man compar");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `compare`?"));
}
