//! Random programs with a block of straight code: its registers, flags and data are random.

use std::fmt::Write;

/// The maximum number of instructions in a block.
const MOST: usize = 14;

const SCRATCH: &[&str] = &["eax", "ecx", "edx"];
const WORDS: &[&str] = &["ax", "cx", "dx"];
const BYTES: &[&str] = &["al", "ah", "cl", "ch", "dl", "dh"];
const BASES: &[&str] = &["ebx", "esi", "edi"];
const TWO: &[&str] = &["add", "sub", "and", "or", "xor", "adc", "sbb", "cmp", "test", "mov"];
const ONE: &[&str] = &["inc", "dec", "neg", "not"];
const SHIFTS: &[&str] = &["shl", "shr", "sar", "rol", "ror", "rcl", "rcr"];
const CONDITIONS: &[&str] = &["z", "c", "o", "s", "p", "be", "l", "le"];
const FLOATING: &[&str] = &[
    "fld dword ptr M",
    "fadd dword ptr M",
    "fmul dword ptr M",
    "fsub st,st(1)",
    "fxch st(1)",
    "fxch st(2)",
    "fstp dword ptr M",
    "fst dword ptr M",
    "fild dword ptr M",
    "fchs",
    "fabs",
    "fnstsw ax",
    "fcom st(1)",
    "faddp st(1),st",
    "fld st(1)",
    "fistp dword ptr M",
    "fnstcw word ptr M",
];
const PACKED: &[&str] = &[
    "movd P,S",
    "movd S,P",
    "movq P,qword ptr M",
    "movq qword ptr M,P",
    "paddb P,P",
    "pxor P,P",
    "psllw P,3",
    "pmaddwd P,qword ptr M",
    "packuswb P,P",
    "movd dword ptr M,P",
    "emms",
    "fld dword ptr M",
];

/// The source of the instructions of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Integer,
    Floating,
    Packed,
    /// Integer instructions of 16-bit code in real mode, with 16-bit and 32-bit addresses.
    Real,
}

pub(crate) struct Writer {
    pub(crate) random: fastrand::Rng,
}

impl Writer {
    pub(crate) fn new(seed: u64) -> Writer {
        Writer {
            random: fastrand::Rng::with_seed(seed),
        }
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.random.usize(..list.len())]
    }

    fn memory(&mut self) -> String {
        let offset = self.random.usize(..8) * 2;
        match self.random.u8(..6) {
            0 => format!("[data+{offset}]"),
            1 => format!("[esp+{offset}]"),
            2 => format!("[ebp-{offset}]"),
            _ => format!("[{}+{offset}]", self.of(BASES)),
        }
    }

    fn sized(&mut self) -> (String, &'static str) {
        let memory = self.memory();
        match self.random.u8(..4) {
            0 => (format!("byte ptr {memory}"), self.of(BYTES)),
            1 => (format!("word ptr {memory}"), self.of(WORDS)),
            _ => (format!("dword ptr {memory}"), self.of(SCRATCH)),
        }
    }

    fn integer(&mut self) -> String {
        let (memory, register) = self.sized();
        let wide = format!("dword ptr {}", self.memory());
        let (scratch, other, base) = (self.of(SCRATCH), self.of(SCRATCH), self.of(BASES));
        let number = self.random.i8(-4..5);
        match self.random.u8(..34) {
            0..=4 => format!("{} {scratch},{other}", self.of(TWO)),
            5..=7 => format!("{} {memory},{register}", self.of(TWO)),
            8..=10 => format!("{} {register},{memory}", self.of(&TWO[..8])),
            11 => format!("{} {register},{number}", self.of(TWO)),
            12 => format!("{} {memory},{number}", self.of(TWO)),
            13 => format!(
                "{} {}",
                self.of(ONE),
                if self.random.bool() { register } else { scratch }
            ),
            14 => format!("{} {memory}", self.of(ONE)),
            15 => format!("{} {register},{}", self.of(SHIFTS), self.random.u8(..5)),
            16 => format!("{} {scratch},cl", self.of(SHIFTS)),
            17 => format!("add {base},{}", 4 * i32::from(number)),
            18 => format!("lea {base},[{base}+{}]", 4 * i32::from(number)),
            19 => format!("lea {scratch},[{base}+{other}*2+{number}]"),
            20 => format!("mov {scratch},{base}"),
            21 => format!("push {scratch}"),
            22 => format!("pop {scratch}"),
            23 => format!("push {wide}"),
            24 => format!("set{} {}", self.of(CONDITIONS), self.of(BYTES)),
            25 => format!("movzx {scratch},byte ptr {}", self.memory()),
            26 => format!("imul {scratch},{other}"),
            27 => self
                .of(&["cdq", "cwde", "lahf", "sahf", "clc", "stc", "cmc", "cld", "bswap edx"])
                .to_owned(),
            28 => format!("xchg {scratch},{other}"),
            29 => format!("b{} {scratch},{other}", self.of(&["t", "ts", "sf", "sr"])),
            30 => format!("shld {scratch},{other},{}", self.random.u8(..4)),
            31 => format!("mov {base},{}", self.of(BASES)),
            32 => format!("inc {base}"),
            _ => format!("mov {scratch},{wide}"),
        }
    }

    /// A random instruction of 16-bit code; half of the addresses that can have 16 bits have 16 bits.
    fn narrow(&mut self) -> String {
        let mut text = self.integer();
        if !text.contains('*') && self.random.bool() {
            for base in ["ebx", "esi", "edi", "ebp"] {
                for sign in ['+', '-'] {
                    text = text.replace(&format!("[{base}{sign}"), &format!("[{}{sign}", &base[1..]));
                }
            }
        }
        text
    }

    fn instruction(&mut self, kind: Kind) -> String {
        let list = match kind {
            Kind::Floating if self.random.bool() => FLOATING,
            Kind::Packed if self.random.bool() => PACKED,
            Kind::Real => return self.narrow(),
            _ => return self.integer(),
        };
        let mut text = self.of(list).to_owned();
        while let Some(place) = text.find(" P").or(text.find(",P")) {
            text.replace_range(place + 1..place + 2, &format!("mm{}", self.random.u8(..3)));
        }
        let scratch = self.of(SCRATCH);
        let text = text
            .replace(" S", &format!(" {scratch}"))
            .replace(",S", &format!(",{scratch}"));
        match text.strip_suffix('M') {
            Some(begin) => format!("{begin}{}", self.memory()),
            None => text.replace("ptr M,", &format!("ptr {},", self.memory())),
        }
    }

    /// A random program: registers, flags and data are random, and so is the block after its label.
    pub(crate) fn program(&mut self, kind: Kind) -> String {
        let mut data = String::from("db 64 dup (1)\ndata label byte\n");
        for _ in 0..64 {
            let _ = writeln!(
                data,
                " dd {}",
                if self.random.bool() {
                    self.random.u32(..)
                } else {
                    self.random.u32(..9)
                }
            );
        }
        let (mut text, behind) = match kind {
            Kind::Real => (
                ".model tiny\n.586\n.code\norg 100h\n".to_owned(),
                format!("behind: hlt\n{data} end start\n"),
            ),
            _ => (
                format!(".586\n.mmx\n.data\n{data}.code\n"),
                "behind: nop\n end start\n".to_owned(),
            ),
        };
        text.push_str("start: fninit\n fld1\n fldpi\n fldz\n fld1\n");
        if kind == Kind::Packed {
            text.push_str(" emms\n");
        }
        let _ = writeln!(
            text,
            " mov eax,{}\n push eax\n popfd",
            2 + 0x8D5 * self.random.u32(..2) + (self.random.u32(..) & 0x8D5 & 1)
        );
        text.push_str(" sub esp,64\n mov ebp,esp\n sub esp,32\n");
        for register in SCRATCH {
            let _ = writeln!(text, " mov {register},{}", self.random.u32(..));
        }
        for register in BASES {
            let _ = writeln!(text, " mov {register},offset data+{}", 4 * self.random.u32(8..20));
        }
        text.push_str("block:\n");
        for _ in 0..self.random.usize(2..MOST) {
            let _ = writeln!(text, " {}", self.instruction(kind));
        }
        text + &behind
    }
}
