//! Macros, repeats, conditionals and text macros.

use super::{code, complaints, data, good, image};
use p5_assembler::diag::Severity;
use p5_assembler::source::{Included, Sources, Unavailable};
use p5_assembler::{Options, assemble};
use p5_image::SourceFile;

#[test]
fn macros_bind_their_parameters() {
    code(
        "set macro r , v\nmov r,v\nendm\nset eax , 5\nSET ebx,<6>\n",
        "b805000000 bb06000000",
    );
    code(
        "t macro a:REQ, b:=<7>, c:vararg\nmov al,a\nmov ah,b\ndb c\nendm\nt 1\nt 2,3,4,5\n"
            .replace("db c", "ifnb <c>\ndb c\nendif")
            .as_str(),
        "b001b407 b002b403 0405",
    );
    code("m macro n\nx&n&y: nop\njmp x&n&y\nendm\nm 1\nm 2\n", "90ebfd 90ebfd");
    code(
        "m macro r\nlocal l\nl: dec r\njnz l\nendm\nm eax\nm ecx\n",
        "4875fd 4975fd",
    );
    data("m macro a\ndb '&a a'\nendm\nm xy", "78792061");
    code("o macro v\ni macro\nmov al,v\nendm\nendm\no 3\ni\n", "b003");
    code("m macro a\nifb <a>\nexitm\nendif\nmov al,a\nendm\nm\nm 4\n", "b004");
    code(
        "n = 3\nm macro a\nmov al,a\nendm\nm %n+1\nm <%n>\n"
            .replace("m <%n>\n", "")
            .as_str(),
        "b004",
    );
    data("m macro a\ndb a\nendm\nm <1,2>\nm <'!>'>", "01023e");
}

#[test]
fn a_users_macro_wins_over_an_instruction_and_an_equ_may_name_it() {
    code("RDMSR MACRO\ndb 0fh, 032h\nENDM\nrdmsr\n", "0f32");
    code("Count MACRO\ninc eax\nENDM\nc equ Count\nc\nc\n", "4040");
    code("nop macro\nendm\nnop\npurge nop\nnop\n", "90");
}

#[test]
fn text_names() {
    code(
        "counter equ ecx\nfive equ 5\nptr1 equ dword ptr [ebx+4]\nmov counter,five\nmov eax,ptr1\n",
        "b905000000 8b4304",
    );
    code("a textequ <mov eax>\na,1\nb equ <nop>\nb\n", "b801000000 90");
    code("x equ y\ny equ 3\nmov al,x\n", "b003");
}

#[test]
fn repeats() {
    data("rept 3\ndb 1\nendm", "010101");
    data("irp v,<1,2,'a'>\ndb v\nendm", "010261");
    data("for v,<1,2>\nrept 2\ndb v\nendm\nendm", "01010202");
    data("irpc c,ab\ndb '&c'\nendm", "6162");
    data("n = 0\nwhile n lt 3\ndb n\nn = n+1\nendm", "000102");
    data("rept 0\ndb 1\nendm\ndb 2", "02");
}

#[test]
fn conditions() {
    data("if 1\ndb 1\nelse\ndb 2\nendif", "01");
    data("if 0\ndb 1\nif 1\ndb 9\nendif\nelseif 1\ndb 2\nelse\ndb 3\nendif", "02");
    data(
        "ifdef nothing\ndb 1\nelse\ndb 2\nendif\nx equ 1\nifdef x\ndb 3\nendif",
        "0203",
    );
    data(
        "ifidn <a>,<a>\ndb 1\nendif\nifidni <a>,<A>\ndb 2\nendif\nifdif <a>,<b>\ndb 3\nendif",
        "010203",
    );
    // What names a macro in the first pass, or an external name in the second, is there in the only one.
    data(
        "if1\nm macro\ndb 1\nendm\nendif\nif2\nifndef x\nx equ 2\nendif\nendif\nm\ndb x\nife 0\ndb 3\nendif",
        "010203",
    );
}

#[test]
fn lines_know_their_macro_and_errors_their_trail() {
    let image = image("inner macro\nnop\nendm\nouter macro\ninner\nendm\nrept 2\nouter\nendm\n");
    let row = image.lines.get(1).expect("a second row");
    assert_eq!((row.line, image.outermost(&row)), (2, (0, 7)));
    let mut names = Vec::new();
    let mut next = row.origin;
    while let Some(index) = next {
        let step = &image.origins[index as usize];
        names.push((step.name.clone(), step.pass, step.line));
        next = step.parent;
    }
    let expected = [("inner", None, 5), ("outer", None, 8), ("REPT", Some(2), 7)];
    assert_eq!(names, expected.map(|(name, pass, line)| (name.to_owned(), pass, line)));

    let text = "bad macro r\n  mov r,nowhere\nendm\nbad eax\n";
    let assembly = assemble(&Sources::single("t", text), &Options::default());
    let [error] = &assembly.diagnostics[..] else {
        panic!("{:#?}", assembly.diagnostics);
    };
    assert_eq!(error.severity, Severity::Error);
    let span = error.span.unwrap();
    assert_eq!(
        (span.line, span.start, span.end),
        (2, 8, 15),
        "the caret is under the word in the body"
    );
    assert_eq!(
        (error.trail[0].message.as_str(), error.trail[0].span.line),
        ("in macro bad", 4)
    );
}

#[test]
fn includes_are_asked_of_the_sources() {
    let sources = Sources {
        objects: &[],
        main: SourceFile::new("main.asm", "include lib.inc\nmov eax,five\n"),
        include: &|name| match name {
            "lib.inc" => Ok(Included::File {
                name: "dir/lib.inc".to_owned(),
                bytes: b"five equ 5 ; \x80\r\n".to_vec(),
            }),
            _ => Err(Unavailable::because("no such file")),
        },
    };
    let assembly = assemble(&sources, &Options::default());
    assert_eq!(assembly.files[1].name, "dir/lib.inc");
    assert_eq!(super::bytes(&good("", assembly), "_TEXT"), "b805000000");
    assert_eq!(
        complaints("include other.inc\nnop\n"),
        ["1: cannot include `other.inc`: only one text was given, without files to include"]
    );
}
