//! Texts for GNU's assembler, and listings of what it made: the bytes are its own.

use crate::consumers::available;
use crate::started;
use fastrand::Rng;
use started::{p5inst, text};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

pub(crate) fn is_here() -> bool {
    available("as", "as", &["--32", "--version"]) && available("objdump", "objdump", &["--version"])
}

/// What a program prints, which must succeed.
#[track_caller]
pub(crate) fn told(program: &str, arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.expect("the program starts");
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout).to_owned()
}

/// The object that the command makes of a text; what it says if it makes none.
pub(crate) fn built(name: &str, source: &str, folder: &Path) -> Result<(), String> {
    fs::write(folder.join(name), source).expect("it is written");
    let output = p5inst(folder, &["build", name, "-o", "own.o"]).output();
    let output = output.expect("the command starts");
    match output.status.success() {
        true => Ok(()),
        false => Err(text(&output.stderr).to_owned()),
    }
}

#[test]
fn a_source_for_it_is_a_module_of_a_program() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file is written");
    write(
        "drv.asm",
        ".586\n.model flat\nextern twice:near\n.code\nmain: mov eax,21\ncall twice\nret\nend main\n",
    );
    let kernel = ".intel_syntax noprefix\n.text\n.globl twice\ntwice: add eax,eax\n ret\n";
    for name in ["kern.s", "kern.S"] {
        write(name, kernel);
        let output = p5inst(folder.path(), &["drv.asm", name])
            .output()
            .expect("the command starts");
        assert!(
            text(&output.stdout).contains("eax 0000002Ah"),
            "{}",
            text(&output.stderr)
        );
    }
    write("kern.s", &format!(".incbin \"table\"\n{kernel}"));
    let output = p5inst(folder.path(), &["drv.asm", "kern.s"])
        .output()
        .expect("the command starts");
    let refused: Vec<&str> = text(&output.stderr).split_whitespace().collect();
    let refused = refused.join(" ");
    let object = refused.find("`gcc -m32 -g -c FILE.s`, then `p5inst DRIVER.asm FILE.o`");
    assert!(object.is_some() && object < refused.find("objdump"), "{refused}");
}

/// The bytes of the code of an object, two digits each.
fn code(object: &str, folder: &Path) -> String {
    let told = told("objdump", &["-s", object], folder);
    let mut lines = told.lines().skip_while(|line| !line.to_lowercase().contains("text"));
    lines.next();
    let own = lines.take_while(|line| line.starts_with(' '));
    // The address stands first, the characters last, after two blanks.
    let bytes = own.filter_map(|line| line.trim_start().split_once(' '));
    let bytes = bytes.map(|(_, rest)| rest.split("  ").next().unwrap_or_default().replace(' ', ""));
    bytes.collect()
}

/// What stands for numbers before the code of the texts: names of numbers, and places.
const BEFORE: &str = ".set c1, 7\n.set c2, -3\nc3 = 1<<33\n.equ c4, 'a'+1\n";
/// What names of numbers stand for that come after their uses.
const AFTER: &str = ".set e1, 9\ne2 = c1*3-50\n.set e3, e1<<4\n";
const PLACES: &str = "l1: nop\n nop\nl2: nop\n";
/// Distances and names of numbers, of which the last ones come later.
const NAMES: [&str; 9] = ["c1", "c2", "c3", "c4", "(l2-l1)", "(l1-l2)", "e1", "e2", "e3"];
/// Those that come before: the others are addresses in Intel's syntax, and have 32 bits in longer numbers.
const EARLIER: &[&str] = NAMES.split_at(6).0;
const DIVISORS: [&str; 2] = ["c1", "c4"];
const CHARACTERS: [&str; 12] = [
    "'a'", "'z", r"'\n'", r"'\\'", r"'\''", "'('", "' '", "'0'", "'-'", "','", r"'\0", "'#'",
];

/// An operand of an expression, which may be a divisor.
fn operand(random: &mut Rng, names: &[&str], divides: bool) -> String {
    let value = match random.u8(..6) {
        0 if !divides => [0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 1 << 33][random.usize(..4)],
        _ => random.u64(1..40),
    };
    match random.u8(..8) {
        0 => format!("{value:#x}"),
        1 => format!("0{value:o}"),
        2 | 3 if divides => DIVISORS[random.usize(..DIVISORS.len())].to_owned(),
        2 | 3 => names[random.usize(..names.len())].to_owned(),
        4 if !divides => CHARACTERS[random.usize(..CHARACTERS.len())].to_owned(),
        _ => value.to_string(),
    }
}

/// An expression of this many operators, some with an expression in parentheses, with names, distances and characters.
fn expression(random: &mut Rng, (operators, names): (&[&str], &[&str]), count: u32) -> String {
    let mut made = String::new();
    for number in 0..=count {
        let operator = operators[random.usize(..operators.len())];
        if number > 0 {
            made += operator;
        }
        let divides = number > 0 && matches!(operator, "/" | "%");
        if !divides {
            let unary = ["", "", "", "", "~", "-", "- -", "!", "~-"];
            let unary = unary[random.usize(..unary.len())];
            // A comparison with a negation would be read as two marks of one operator.
            if !(unary.starts_with('!') && number > 0) {
                made += unary;
            }
        }
        match random.u8(..5) {
            0 if count > 1 && !divides => {
                let inner = expression(random, (operators, names), count / 2);
                let _ = write!(made, "({inner})");
            }
            _ => made += &operand(random, names, divides),
        }
    }
    made
}

#[test]
fn expressions_have_the_values_of_gnus_assembler() {
    if !is_here() {
        return;
    }
    // Operands of instructions have no mark of equality, and in Intel's syntax these alone.
    const INTEL: [&str; 11] = ["+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^", " + "];
    const ATT: [&str; 16] = [
        "+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^", " + ", " ! ", "<>", "<", " && ", " || ",
    ];
    const DATA: [&str; 18] = [
        "+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^", " + ", " ! ", "<>", "<", " && ", " || ", "==", ">=",
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let seed = p5_seeds::seed();
    let mut random = Rng::with_seed(seed);
    let mut some = |operators: &[&str], names: &[&str]| -> Vec<String> {
        let known = [
            "~1+2",
            "1|2&4",
            "1|2^3&1",
            "~0<<4",
            "~3*2",
            "-1>>4",
            "-c1>>1",
            "-1>>c1",
            "(1<<40)/c1",
            "c1-~(l2-l1)",
        ];
        let count = |random: &mut Rng| random.u32(..6);
        let more = (0..300).map(|_| {
            let count = count(&mut random);
            expression(&mut random, (operators, names), count)
        });
        known.map(str::to_owned).into_iter().chain(more).collect()
    };
    let mut att = format!("{BEFORE}.text\n.globl f\nf: movl (%eax), %ecx\n{PLACES}");
    for one in some(&DATA, &NAMES) {
        let _ = writeln!(att, " .long {one}");
    }
    for one in some(&DATA, EARLIER) {
        let _ = writeln!(att, " .long {one}\n .quad {one}");
    }
    // The difference of a name from itself is known before the name is.
    for one in some(&ATT, &NAMES).into_iter().chain(["c1<e1-e1".to_owned()]) {
        let _ = writeln!(
            att,
            " movl ${one}, %eax\n addl ${one}, %ecx\n movl {one}(%ebx), %edx\n movl {one}, %ecx"
        );
    }
    att += AFTER;
    let mut intel = format!(".intel_syntax noprefix\n{BEFORE}.text\n.globl f\nf:\n{PLACES}");
    for one in some(&INTEL, EARLIER).iter().filter(|one| !one.contains('!')) {
        let _ = writeln!(intel, " mov eax, {one}\n mov ecx, DWORD PTR [ebx+({one})]");
    }
    intel += AFTER;
    for source in [att, intel] {
        compare(&source, folder.path(), &format!("seed {seed}"));
    }
}

/// Asserts that the code of a text is what GNU's assembler makes of it.
#[track_caller]
fn compare(source: &str, folder: &Path, named: &str) {
    fs::write(folder.join("theirs.s"), source).expect("it is written");
    told("as", &["--32", "theirs.s", "-o", "theirs.o"], folder);
    assert_eq!(built("own.s", source, folder), Ok(()), "{named}");
    let (own, theirs) = (code("own.o", folder), code("theirs.o", folder));
    assert!(theirs.len() > 1000, "{}", theirs.len());
    if own != theirs {
        let list = |object| told("objdump", &["-d", object], folder);
        let (own, theirs) = (list("own.o"), list("theirs.o"));
        let lines = own.lines().zip(theirs.lines()).skip(5);
        let other = lines.filter(|(one, other)| one != other).take(3).collect::<Vec<_>>();
        panic!("{named}: {other:#?}\n{source}");
    }
}

/// The instructions of an object with their addresses, without the names of places.
pub(crate) fn instructions(object: &str, folder: &Path) -> Vec<String> {
    let told = told("objdump", &["-d", "--no-show-raw-insn", object], folder);
    let lines = told.lines().filter(|line| line.starts_with(' '));
    // Where calls lead may be a linker's to say.
    let plain = lines.map(|line| {
        let plain = line.split(" <").next().unwrap_or_default().replace("0x", "");
        let calls = plain.split_once("call ").map(|(before, _)| before.to_owned());
        calls.unwrap_or(plain).trim().to_owned()
    });
    plain.collect()
}

/// Code with padding of all lengths and jumps of both lengths, and `more` after it.
fn padded(more: &str) -> String {
    let mut source = String::from(".text\n.globl f\nf:\n movl 4(%esp), %ecx\n");
    for length in 1..32 {
        let _ = write!(
            source,
            "{}.p2align 4\n.L{length}: decl %ecx\n jne .L{length}\n",
            " incl %eax\n".repeat(length)
        );
    }
    source + more + " jmp .L1\n.p2align 5\n ret\n"
}

/// The listings that are not compared with their sources, and why.
const NOT_COMPARED: &str = include_str!("listings_not_compared.txt");

#[test]
fn listings_become_the_code_that_they_show() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pasted");
    let files = fs::read_dir(&texts).expect("the folder is beside the tests");
    let mut sources: Vec<(String, String)> = files
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "s"))
        .map(|path| (path.display().to_string(), fs::read_to_string(&path).expect("text")))
        .collect();
    sources.push(("padded".to_owned(), padded("")));
    let longer = " .byte 0x8b, 0x84, 0x24, 4, 0, 0, 0\n .byte 0x81, 0xc0, 1, 0, 0, 0\n";
    sources.push(("padded, longer".to_owned(), padded(longer)));
    let mut left = Vec::new();
    for (name, source) in sources {
        let short = Path::new(&name)
            .file_name()
            .map_or(&*name, |name| name.to_str().unwrap_or_default());
        fs::write(folder.path().join("theirs.s"), &source).expect("it is written");
        let arguments = ["--32", "theirs.s", "-o", "theirs.o"];
        let made = Command::new("as").args(arguments).current_dir(folder.path()).output();
        if !made.expect("it starts").status.success() {
            left.push(format!("{short}: GNU's assembler refuses it"));
            continue;
        }
        let theirs = instructions("theirs.o", folder.path());
        let relocated = told("objdump", &["-r", "theirs.o"], folder.path()).contains("R_386_32");
        for options in [
            &["-d"][..],
            &["-d", "-M", "intel"],
            &["-dr"],
            &["-d", "--no-show-raw-insn"],
            &["-d", "-M", "intel", "--no-show-raw-insn"],
        ] {
            // Without bytes, a number does not tell how long it is, or that a linker adds to it.
            if options.contains(&"--no-show-raw-insn") && (relocated || name == "padded, longer") {
                left.push(format!(
                    "{short} {}: its numbers may have any length",
                    options.join(" ")
                ));
                continue;
            }
            let arguments: Vec<&str> = options.iter().copied().chain(["theirs.o"]).collect();
            let listing = told("objdump", &arguments, folder.path());
            // Each section has addresses of its own.
            if listing.matches("Disassembly of section").count() > 1 {
                left.push(format!("{short} {}: it has several sections", options.join(" ")));
                continue;
            }
            // Calls out of the text, and what a linker puts in, may be left out.
            if let Err(why) = built("own.txt", &listing, folder.path()) {
                let why = why.lines().find(|line| line.starts_with("error")).unwrap_or_default();
                left.push(format!("{short} {}: {why}", options.join(" ")));
                continue;
            }
            let own = instructions("own.o", folder.path());
            let differ = own.iter().zip(&theirs).find(|(one, other)| one != other);
            assert_eq!(differ, None, "{name} {options:?}");
            assert_eq!(own.len(), theirs.len(), "{name} {options:?}");
        }
    }
    left.sort();
    let expected: Vec<&str> = NOT_COMPARED.lines().collect();
    assert_eq!(left, expected, "what is not compared, and why");
}

#[test]
fn addresses_have_the_base_that_gnus_assembler_gives_them() {
    if !is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let registers = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    let mut source = String::from(".intel_syntax noprefix\n.text\n.globl f\nf:\n");
    for base in registers {
        for index in registers.iter().filter(|index| **index != "esp") {
            let _ = writeln!(
                source,
                " mov eax, [{base}+{index}]\n mov ecx, DWORD PTR [{base}+4+{index}]\n lea edx, [{index}*2+{base}]\n mov \
                 [{base}][{index}], eax\n cmp DWORD PTR [{base}+{index}-8], 5"
            );
        }
    }
    source += " mov eax, [eax+esp]\n fs mov eax, [ebx]\n gs lodsb\n";
    fs::write(folder.path().join("theirs.s"), &source).expect("it is written");
    told("as", &["--32", "theirs.s", "-o", "theirs.o"], folder.path());
    assert_eq!(built("own.s", &source, folder.path()), Ok(()));
    assert_eq!(
        instructions("own.o", folder.path()),
        instructions("theirs.o", folder.path())
    );
    let words = "fs movl (%eax), %ebx\n lods\n movs\n stos\n scas %es:(%edi)\n lods %ds:(%esi), %al\n ins (%dx), \
                 %es:(%edi)\n insb (%dx), %es:(%edi)\n outs (%esi), (%dx)\n rep fs movsb\n fcomip %st(2)\n movs \
                 %fs:(%esi), %es:(%edi)\n ds lodsb\n";
    let source = format!(".text\n.globl f\nf:\n {words}");
    fs::write(folder.path().join("theirs.s"), &source).expect("it is written");
    told("as", &["--32", "theirs.s", "-o", "theirs.o"], folder.path());
    assert_eq!(built("own.s", &source, folder.path()), Ok(()));
    assert_eq!(
        instructions("own.o", folder.path()),
        instructions("theirs.o", folder.path())
    );
}
