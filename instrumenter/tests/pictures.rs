//! `--format screen`: the picture that a program leaves, in the colours that it wrote.

use crate::started;
use started::{finished, text};
use std::fs;

fn run(source: &str, line: &str) -> (std::process::Output, Option<Vec<u8>>) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let output = finished(folder.path(), line);
    (output, fs::read(folder.path().join("a.ppm")).ok())
}

fn program(lines: &str) -> String {
    format!(".model tiny\n.386\n.code\norg 100h\nstart: {lines}\nmov ax,4C00h\nint 21h\nend start\n")
}

#[test]
fn pixels_have_the_colours_of_the_ports_or_of_a_vga() {
    let draws = program(
        "mov ax,13h\nint 10h\nmov dx,3C8h\nmov al,7\nout dx,al\ninc dx\nmov al,63\nout dx,al\nmov al,0\nout dx,al\n\
         mov al,32\nout dx,al\npush 0A000h\npop es\nmov byte ptr es:[321],7\nmov byte ptr es:[63999],40",
    );
    let (output, picture) = run(&draws, "a.asm -o a.ppm");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let picture = picture.expect("a picture");
    let pixels = picture.strip_prefix(b"P6\n320 200\n255\n").expect("a portable pixmap");
    assert_eq!(pixels.len(), 3 * 64_000);
    assert_eq!(pixels[..3], [0; 3]);
    assert_eq!(pixels[3 * 321..][..3], [255, 0, 130]);
    assert_eq!(pixels[3 * 63_999..], [255, 0, 0], "red of the usual colours");
    let (_, named) = run(&draws, "a.asm --format screen -o a.ppm");
    assert_eq!(named, Some(picture));
    // The colours are no port without a device.
    let (output, _) = run(&draws, "a.asm --long");
    assert!(
        !text(&output.stdout).contains("a port was written"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_text_mode_is_text_and_other_modes_are_none() {
    let characters = program("push 0B800h\npop es\nmov word ptr es:[160],0741h\nmov word ptr es:[162],07DBh");
    let (output, shown) = run(&characters, "a.asm --format screen -o a.ppm");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown = String::from_utf8(shown.expect("a file")).expect("text");
    assert_eq!(shown.lines().count(), 25);
    assert_eq!(shown.lines().nth(1), Some("A█"));
    let chained = "mov ax,13h\nint 10h\nmov dx,3C4h\nmov ax,0604h\nout dx,ax";
    let cases = [
        (program("mov ax,12h\nint 10h"), "the program set mode 12h"),
        (program("nop"), "has left nothing in the memory of the screen"),
        (program(chained), "has unchained the planes"),
        ("mov eax,1\nret\n".to_owned(), "no memory of a video card"),
    ];
    for (source, why) in cases {
        let (output, shown) = run(&source, "a.asm -o a.ppm");
        let told = text(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("there is no picture") && told.contains(why), "{told}");
        assert!(!output.status.success() && shown.is_none(), "{told}");
    }
}
