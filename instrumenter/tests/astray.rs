//! Programs that leave their code: every end says from where they did, also the limits.

use crate::started;
use started::{finished, printed, text};
use std::path::Path;

/// Jumps to two bytes of data that are a jump to themselves.
const ENDLESS: &str =
    ".586\n.model flat\n.code\nstart:\nmov edi,offset cell\njmp edi\n.data\ncell db 0EBh,0FEh\nend start\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    file("endless.asm", ENDLESS);
    let elf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects/nowhere.elf");
    std::fs::copy(elf, folder.path().join("nowhere")).expect("the program is beside the tests");
    folder
}

/// The words about the end of a run, in one line.
fn told(folder: &Path, line: &str) -> String {
    let output = finished(folder, line);
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_limit_names_the_line_from_which_a_program_went_astray() {
    let folder = folder();
    let path = folder.path();
    let left = "this line jumped out of the program's code (endless.asm:6)";
    let told_of = |line: &str| told(path, line);
    let clocks = told_of("endless.asm --limit 5000");
    let words = format!("stopped at the clock limit, `--limit`: still running after 5000 clocks; {left}");
    assert!(clocks.contains(&words), "{clocks}");
    let time = told_of("endless.asm --limit 18446744073709551615 --timeout 0.2");
    let words = format!("still running after 190ms, the other 10ms of 200ms are for the report; {left}");
    assert!(time.contains(&words), "{time}");
    let json = finished(path, "endless.asm --limit 5000 --format json");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(
        (&json["stop"]["line"], &json["stop"]["reason"]),
        (&6.into(), &"limit".into())
    );
    // A program that is stopped in its own code has not left it, whatever it did before.
    std::fs::write(
        path.join("back.asm"),
        ENDLESS
            .replace("0EBh,0FEh", "0C3h")
            .replace("jmp edi", "call edi\nl: loop l"),
    )
    .expect("a file is written");
    let back = told_of("back.asm --limit 5000");
    assert!(
        back.contains("still running after 5000 clocks (back.asm:7)") && !back.contains("this line jumped"),
        "{back}"
    );
}

#[test]
fn a_program_without_lines_names_the_function_that_jumped_to_nowhere() {
    let folder = folder();
    let path = folder.path();
    let fault = told(path, "nowhere");
    let words = "#PF: instruction fetch from unmapped memory (address 00000000h); the program's code was left by the \
                 jump at leap+Eh (08048062h)";
    assert!(fault.contains(words), "{fault}");
    let limit = told(path, "--limit 5000 nowhere more");
    let words = "still running after 5000 clocks; the program's code was left by the jump at leap+Eh (08048062h)";
    assert!(limit.contains(words), "{limit}");
}

#[test]
fn a_row_where_nothing_can_be_fetched_says_that_there_is_no_memory() {
    let folder = folder();
    let path = folder.path();
    // The handler of SIGSEGV and SIGILL exits. The first jump leads to unmapped memory, the second one to the last byte
    // of a page, where an instruction begins, the third one to bytes that are no instruction.
    let program = |jump: &str| {
        format!(
            ".586\n.model flat\n.code\nstart:\nmov ebx,11\ncall handle\nmov ebx,4\ncall handle\n{jump}\n\
             handle:\nmov eax,174\nmov ecx,offset act\nxor edx,edx\nmov esi,8\nint 80h\nret\n\
             handler:\nmov eax,1\nmov ebx,3\nint 80h\n.data\nact dd handler,4,0,0,0\nwrong db 0FFh,0FFh\n\
             room db 8192 dup(?)\nend start\n"
        )
    };
    for (jump, row) in [
        ("xor eax,eax\njmp eax", "(unmapped)"),
        (
            "mov eax,offset room+8191\nor eax,4095\nmov byte ptr [eax],0B8h\njmp eax",
            "(partly-unmapped)",
        ),
        ("mov eax,offset wrong\njmp eax", "(bad)"),
    ] {
        std::fs::write(path.join("fetch.asm"), program(jump)).expect("a file is written");
        let words = told(path, "fetch.asm --long");
        assert!(words.contains("exit with code 3"), "{words}");
        for other in ["(unmapped)", "(partly-unmapped)", "(bad)"] {
            assert_eq!(words.contains(other), other == row, "{other}: {words}");
        }
        let page = printed(path, "fetch.asm --format html");
        for (of, remark) in [
            ("(unmapped)", "there is no memory; "),
            ("(partly-unmapped)", "the memory ends within the instruction; "),
        ] {
            // In the diagram and the listing, of the text and of the page.
            let said = [words.matches(remark).count() > 0, page.matches(remark).count() >= 2];
            assert_eq!(said, [of == row; 2], "{remark}: {words}");
        }
    }
}
