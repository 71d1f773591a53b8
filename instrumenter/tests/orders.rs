//! Every order that the analysis of dependences allows leaves the same final state: random blocks on the machine.

use instrumenter::source::Sources;
use instrumenter::{Library, Options, assemble};
use runtime::advice::{Dependences, Live, Ways, dead_after, instruction_at};
use runtime::image::Image;
use runtime::machine::{self, Ending, Excused, Machine};
use runtime::model::{self, Model};
use std::fmt::Write;

const BLOCKS: usize = 400;
const ORDERS: usize = 4;
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

/// What the instructions of a block are drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Floating,
    Packed,
}

struct Writer {
    random: fastrand::Rng,
}

impl Writer {
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

    fn instruction(&mut self, kind: Kind) -> String {
        let list = match kind {
            Kind::Floating if self.random.bool() => FLOATING,
            Kind::Packed if self.random.bool() => PACKED,
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

    /// A program: its registers, flags and data are random, and so is the block behind its label.
    fn program(&mut self, kind: Kind) -> String {
        let mut text = String::from(".586\n.mmx\n.data\ndb 64 dup (1)\ndata label byte\n");
        for _ in 0..64 {
            let _ = writeln!(
                text,
                " dd {}",
                if self.random.bool() {
                    self.random.u32(..)
                } else {
                    self.random.u32(..9)
                }
            );
        }
        text.push_str(".code\nstart: fninit\n fld1\n fldpi\n fldz\n fld1\n");
        if kind == Kind::Packed {
            text.push_str(" emms\n");
        }
        let _ = writeln!(
            text,
            " push {}\n popfd",
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
        text + "behind: nop\n end start\n"
    }
}

fn assembled(text: &str, chip: &'static Model) -> Image {
    let options = Options {
        library: Library::Unmeasured,
        chip,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("block.asm", text), &options);
    assembly
        .image
        .unwrap_or_else(|| panic!("{text}\n{:#?}", assembly.diagnostics))
}

fn address(image: &Image, name: &str) -> u32 {
    let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
    symbol.expect("a label").value
}

fn ending(image: &Image, chip: &'static Model) -> Ending {
    let options = machine::Options {
        limit: 100_000,
        ..machine::Options::default()
    };
    let mut machine = Machine::new(chip, image, options);
    machine.run(&mut |_| {});
    machine.ending()
}

/// The same image with the instructions of the block in another order.
fn permuted(image: &Image, parts: &[(u32, usize)], order: &[usize]) -> Image {
    let mut new = image.clone();
    let first = parts[0].0;
    let bytes: Vec<u8> = order
        .iter()
        .flat_map(|&index| runtime::advice::bytes_at(image, parts[index].0)[..parts[index].1].to_vec())
        .collect();
    let segment = new
        .segments
        .iter_mut()
        .find(|segment| (segment.address..segment.address + segment.bytes.len() as u32).contains(&first));
    let segment = segment.expect("code");
    let start = (first - segment.address) as usize;
    segment.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
    new
}

#[test]
fn every_order_that_is_allowed_leaves_the_same_state() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut writer = Writer {
        random: fastrand::Rng::with_seed(seed),
    };
    let (mut compared, mut forbidden, mut told) = (0, 0, 0);
    for number in 0..BLOCKS {
        let kind = [Kind::Integer, Kind::Integer, Kind::Floating, Kind::Packed][number % 4];
        let chip = model::by_name(if kind == Kind::Packed { "p55c" } else { "p5" }).expect("a chip");
        let text = writer.program(kind);
        let image = assembled(&text, chip);
        let (begin, end) = (address(&image, "block"), address(&image, "behind"));
        let mut instructions = Vec::new();
        while let Some(instruction) = instructions.last().map_or(Some(begin), next_of).filter(|&at| at < end) {
            instructions.push(instruction_at(&image, instruction).expect("an instruction"));
        }
        let parts: Vec<(u32, usize)> = instructions.iter().map(|one| (one.ip32(), one.len())).collect();
        let dependences = Dependences::of(&instructions, Live::ALL.flags);
        let before = ending(&image, chip);
        let code = [begin..end];
        let excused = Excused {
            memory: &code,
            timed: &[],
            moved: &|_| None,
        };
        let identity: Vec<usize> = (0..parts.len()).collect();
        assert!(dependences.allow(&identity), "seed {seed}:\n{text}");
        let mut order = identity.clone();
        for _ in 0..ORDERS {
            for _ in 0..20 {
                let mut moved = order.clone();
                let taken = moved.remove(writer.random.usize(..moved.len()));
                moved.insert(writer.random.usize(..=moved.len()), taken);
                if dependences.allow(&moved) {
                    order = moved;
                }
            }
            if order == identity {
                break;
            }
            let after = ending(&permuted(&image, &parts, &order), chip);
            match before.difference(&after, &excused) {
                None => compared += 1,
                // The block faults: what is visible then is not kept.
                Some(_) if !before.ended_by_program() => break,
                Some(difference) => panic!("seed {seed}: {difference:?} differs in the order {order:?} of\n{text}"),
            }
        }
        // Two neighbours that may not change places do differ, in many blocks.
        let at = writer.random.usize(..parts.len() - 1);
        let mut swapped = identity.clone();
        swapped.swap(at, at + 1);
        if !dependences.allow(&swapped) {
            forbidden += 1;
            let after = ending(&permuted(&image, &parts, &swapped), chip);
            told += usize::from(before.difference(&after, &excused).is_some());
        }
    }
    assert!(compared > BLOCKS, "seed {seed}: only {compared} orders were compared");
    assert!(
        told * 3 > forbidden,
        "seed {seed}: only {told} of {forbidden} forbidden swaps differ"
    );
}

fn next_of(instruction: &iced_x86::Instruction) -> Option<u32> {
    Some(instruction.next_ip32())
}

#[test]
fn what_is_dead_is_overwritten_on_every_way() {
    let text = "\
.586
.code
start: add eax,ebx
 jz other
 mov ecx,1
 xor eax,eax
 hlt
other: mov ecx,2
 call part
 hlt
part: sub edx,1
last: ret
 end start
";
    let image = assembled(text, model::MODELS[0]);
    let mut ways = Ways::of(&image);
    let dead = |name: &str| dead_after(&image, &ways, address(&image, name), Live::ALL);
    let register = |number| runtime::advice::Places::of(runtime::advice::general(number));
    assert!(dead("start").places.holds(register(1)), "ECX is written on both ways");
    assert!(!dead("start").places.meets(register(0)), "EAX is read");
    assert!(!dead("start").places.meets(register(2)), "EDX is read by the procedure");
    assert_eq!(dead("start").flags, 0x3F, "the six status flags are written at once");
    assert_eq!(dead("other").flags, 0x3F, "and by the procedure");
    assert!(
        !dead("other").places.meets(register(0)),
        "EAX is left behind at the end"
    );
}
