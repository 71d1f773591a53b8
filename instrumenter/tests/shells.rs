//! Shell completions and manual pages.

use crate::started;
use started::{finished, text};
use std::fs;
use std::process::Command;

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
    for line in [
        ".nf\np5inst [OPTIONS] <FILE.asm> [OBJECT]...",
        ".SH EXAMPLES\n.nf\n  p5inst loop.asm  ",
    ] {
        assert!(page.contains(line), "{page}");
    }
    let page = finished(path, "man compare");
    assert!(text(&page.stdout).contains("fail\\-over"), "{}", text(&page.stdout));
    let output = finished(path, "man compar");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("did you mean `compare`?"));
}
