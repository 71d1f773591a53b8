//! Notations of other assemblers: for each, a table of the constructions by which it is recognised.

use crate::select::register;

/// A construction, and its weight as a sign of the notation.
pub(crate) type Sign = (Construction, u32);

/// A construction that a line may contain.
#[derive(Clone, Copy)]
pub(crate) enum Construction {
    /// The first word is this.
    First(&'static str),
    /// The second word is this.
    Second(&'static str),
    /// The line begins with the first word, and the next word begins with the second.
    FirstThen(&'static str, &'static str),
    /// The first word occurs, and the next word begins with the second.
    Then(&'static str, &'static str),
    /// The first word is a label, which ends with a colon, and the second word is this.
    Labelled(&'static str),
    /// The line begins with this word, and the next word begins with a digit.
    FirstNumber(&'static str),
    /// The line begins with this word and contains no colon.
    FirstPlain(&'static str),
    /// The line begins with a label that begins with a dot.
    DottedLabel,
    /// A word contains this text.
    Contains(&'static str),
    /// The line pushes a number of a size that is named without `ptr`.
    PushedNumber,
    /// A register has this mark before it.
    MarkedRegister(char),
    /// A number has this mark before it.
    MarkedNumber(char),
}

use Construction::{
    Contains, DottedLabel, First, FirstNumber, FirstPlain, FirstThen, Labelled, MarkedNumber, MarkedRegister,
    PushedNumber, Second, Then,
};

impl Construction {
    /// Whether it is one of the first two words of a line.
    pub(super) fn begins_lines(self) -> bool {
        matches!(self, First(_) | Second(_))
    }

    /// Whether it is this first word.
    pub(super) fn is_first(self, word: &str) -> bool {
        matches!(self, First(first) if first == word)
    }

    /// Whether it may stand among instructions of NASM.
    pub(super) fn is_of_fragments(self) -> bool {
        matches!(self, Then(..) | DottedLabel)
    }

    pub(super) fn is_dotted_label(self) -> bool {
        matches!(self, DottedLabel)
    }

    /// Whether it is a directive that begins with a dot.
    pub(super) fn is_directive(self) -> bool {
        matches!(self, First(word) if word.starts_with('.'))
    }
}

/// The signs of the notation with this name.
pub(super) fn foreign_signs(name: &'static str) -> impl Iterator<Item = &'static Sign> + Clone {
    let named = FOREIGN.iter().filter(move |foreign| foreign.name == name);
    named.flat_map(|foreign| foreign.signs)
}

/// A notation.
pub(super) struct Foreign {
    pub(super) name: &'static str,
    pub(super) signs: &'static [Sign],
    /// What to do with a source in it.
    pub(super) help: &'static str,
}

#[rustfmt::skip] // One construction per line.
pub(super) static FOREIGN: &[Foreign] = &[
    Foreign {
        name: "NASM",
        help: "run what NASM makes of it: `nasm -g -F dwarf -f elf32 FILE.asm -o FILE.o`, `ld -m elf_i386 -o FILE \
               FILE.o`, then `p5inst FILE`; or write it for MASM or TASM: `.code` and `.data` begin segments, `name dd \
               8 dup (?)` reserves data, memory is `dword ptr [eax]`",
        signs: &[
            (FirstThen("section", "."), 2),
            (FirstThen("segment", "."), 2),
            (FirstThen("default", "rel"), 2),
            (First("[section"), 2),
            (First("[bits"), 2),
            (First("%define"), 2),
            (First("%macro"), 2),
            (First("%endmacro"), 2),
            (First("%include"), 2),
            (First("%assign"), 2),
            (First("%ifdef"), 2),
            (First("%rep"), 2),
            (First("bits"), 1),
            (FirstThen("bits", "16"), 1),
            (First("global"), 1),
            (FirstPlain("extern"), 1),
            (DottedLabel, 1),
            (Contains("$$"), 1),
            (Labelled("times"), 1),
            (Labelled("resb"), 1),
            (Labelled("resw"), 1),
            (Labelled("resd"), 1),
            (Labelled("resq"), 1),
            (FirstNumber("times"), 1),
            (First("times"), 1),
            (Second("times"), 1),
            (First("resb"), 1),
            (Second("resb"), 1),
            (First("resw"), 1),
            (Second("resw"), 1),
            (First("resd"), 1),
            (Second("resd"), 1),
            (First("resq"), 1),
            (Second("resq"), 1),
            (PushedNumber, 2),
            (Then("byte", "["), 1),
            (Then("word", "["), 1),
            (Then("dword", "["), 1),
        ],
    },
    Foreign {
        name: "GNU assembler",
        help: "link what the GNU assembler makes of it: `gcc -m32 -g -static MAIN.c FILE.s -o PROGRAM`, then \
               `p5inst PROGRAM`; or `gcc -m32 -g -c FILE.s`, then `p5inst DRIVER.asm FILE.o`, where the driver calls it",
        signs: &[
            (First(".text"), 1),
            (First(".globl"), 2),
            (First(".global"), 2),
            (First(".section"), 2),
            (First(".intel_syntax"), 2),
            (First(".att_syntax"), 2),
            (First(".cfi_startproc"), 2),
            (First(".cfi_def_cfa_offset"), 2),
            (First(".cfi_offset"), 2),
            (First(".type"), 1),
            (First(".macro"), 1),
            (First(".endm"), 1),
            (First(".rept"), 1),
            (First(".endr"), 1),
            (First(".equ"), 1),
            (First(".set"), 1),
            (First(".file"), 1),
            (First(".size"), 1),
            (First(".align"), 1),
            (First(".balign"), 2),
            (First(".byte"), 1),
            (First(".word"), 1),
            (First(".quad"), 2),
            (First(".comm"), 1),
            (First(".lcomm"), 1),
            (First(".code32"), 1),
            (First("#"), 1),
            (First("/*"), 1),
            (First("//"), 1),
            (First(".ascii"), 1),
            (First(".asciz"), 2),
            (First(".string"), 1),
            (First(".long"), 2),
            (First(".p2align"), 2),
            (MarkedRegister('%'), 2),
            (MarkedNumber('$'), 1),
        ],
    },
    Foreign {
        name: "Rust",
        help: "compile it for a Pentium and run the program: `rustc -O -g -C panic=abort \
               --target i686-unknown-linux-musl -C target-cpu=pentium -C relocation-model=static \
               -C link-arg=-nostdlib -C link-arg=-nostartfiles -C link-self-contained=no FILE.rs`, then `p5inst FILE`; \
               `p5inst explain rust` says what the file needs",
        signs: &[
            (Contains("#!["), 3),
            (Contains("#["), 2),
            (Contains("&mut"), 2),
            (Contains("core::"), 2),
            (FirstThen("use", "std::"), 2),
            (FirstThen("fn", "main"), 3),
            (FirstThen("pub", "fn"), 2),
            (FirstThen("pub", "struct"), 2),
            (FirstThen("let", "mut"), 2),
            (First("fn"), 1),
            (First("let"), 1),
            (First("impl"), 2),
            (First("use"), 1),
            (First("match"), 1),
            (First("unsafe"), 1),
            (FirstThen("static", "mut"), 2),
            (First("for"), 1),
            (First("return"), 1),
            (First("}"), 1),
            (First("{"), 1),
        ],
    },
    Foreign {
        name: "C",
        help: "compile it for a Pentium and run the program: `gcc -m32 -march=pentium -O2 -g -static FILE.c -o \
               PROGRAM`, then `p5inst --also cmov,endbr PROGRAM`",
        signs: &[
            (First("#include"), 3),
            (First("#define"), 2),
            (First("#ifdef"), 2),
            (First("#ifndef"), 2),
            (First("#pragma"), 2),
            (FirstThen("int", "main"), 3),
            (FirstThen("void", "main"), 3),
            (FirstThen("static", ""), 1),
            (FirstThen("unsigned", ""), 1),
            (FirstThen("typedef", "struct"), 1),
            (First("for"), 1),
            (First("return"), 1),
            (First("}"), 1),
            (First("{"), 1),
        ],
    },
];

/// Whether a line has a register or an operand with a mark of AT&T syntax.
pub(super) fn is_att(line: &str) -> bool {
    let plain = without_texts(line).to_ascii_lowercase();
    let words: Vec<&str> = plain.split([' ', '\t', ',', '(', ')']).collect();
    let marked = |word: &&str| {
        let rest = word.strip_prefix('$');
        rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_'))
    };
    strength(&[(MarkedRegister('%'), 1)], &words) > 0 || words.iter().skip(1).any(marked)
}

/// Whether a text has a 64-bit register or a system call of 64-bit code.
pub(super) fn is_wide(text: &str) -> bool {
    text.lines().any(|line| {
        let plain = without_texts(line).to_ascii_lowercase();
        let mut words = plain.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
        words.any(|word| word == "syscall" || register(word).is_some_and(|found| found.is_gpr64()))
    })
}

/// A line without its comment and its quoted strings.
pub(super) fn without_texts(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut quote = None;
    for character in line.chars() {
        match (quote, character) {
            (Some(begun), _) if begun == character => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(character),
            (None, ';') => break,
            (None, _) => plain.push(character),
        }
    }
    plain
}

/// The total weight of a line's words as signs of a notation.
pub(super) fn strength(signs: &[Sign], words: &[&str]) -> u32 {
    let next = |index: usize| words.get(index + 1).copied().unwrap_or_default();
    let starts =
        |index: usize, word: &str, then: &str| words.get(index) == Some(&word) && next(index).starts_with(then);
    let has = |construction: Construction| match construction {
        First(word) => words.first() == Some(&word),
        Second(word) => words.get(1) == Some(&word),
        FirstThen(word, then) => starts(0, word, then),
        Then(word, then) => (0..words.len()).any(|index| starts(index, word, then)),
        Labelled(word) => words.first().is_some_and(|first| first.ends_with(':')) && words.get(1) == Some(&word),
        FirstNumber(word) => words.first() == Some(&word) && next(0).starts_with(|first: char| first.is_ascii_digit()),
        FirstPlain(word) => words.first() == Some(&word) && !words.iter().any(|word| word.contains(':')),
        DottedLabel => words
            .first()
            .is_some_and(|first| first.starts_with('.') && first.ends_with(':')),
        Contains(part) => words.iter().any(|word| word.contains(part)),
        PushedNumber => {
            let number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
            matches!(words, ["push", "byte" | "word" | "dword", ..]) && words.get(2).is_some_and(number)
        }
        MarkedRegister(mark) => {
            let rest = |word: &&str| word.strip_prefix(mark).and_then(register);
            words.iter().any(|word| rest(word).is_some())
        }
        MarkedNumber(mark) => words.iter().any(|word| {
            let rest = word.strip_prefix(mark);
            rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
        }),
    };
    signs
        .iter()
        .filter(|(construction, _)| has(*construction))
        .map(|(_, strength)| strength)
        .sum()
}
