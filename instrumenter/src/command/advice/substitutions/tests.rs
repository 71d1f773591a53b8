//! Executes each substitution: on random registers, flags and data both forms leave the same state, except in the flags
//! and registers that must be dead for the substitution, which are overwritten afterwards.

use super::super::blocks;
use super::{Constants, Lines, Rule, Strings, Substitution, substitutions};
use p5_assembler::source::Sources;
use p5_assembler::{Library, Options, assemble};
use runtime::advice::{Live, RegisterParts, general};
use runtime::image::Image;
use runtime::machine::{self, Excused, Machine};
use runtime::model::MODELS;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;

/// The number of random states on which each substitution is executed.
const STATES: usize = 6;
/// The number of times that each form is drawn.
const ROUNDS: usize = 6;
/// The most times. A form with a substitution in a third of the cases has none in this many once in 10^17 times.
const MOST_ROUNDS: usize = 100;
/// What is dead has to matter in more states than these.
const MATTERS: usize = 40;

/// The forms that rules replace: R and S are registers, B is a byte of one, N is a number, M is memory. A form with a
/// label is a loop.
const FORMS: &[&str] = &[
    "mov R,0",
    "cmp R,0",
    "or R,R",
    "and R,R",
    "shl R,1",
    "add R,1",
    "sub R,1",
    "inc R",
    "dec R",
    "not R",
    "lea R,[R+N]",
    "lea R,[R-N]",
    "movzx R,byte ptr M",
    "movzx R,word ptr M",
    "movzx eax,B",
    "movzx edx,B",
    "movzx eax,al",
    "movzx esi,si",
    "xor eax,eax\nmov al,byte ptr M\nmovzx eax,al",
    "mov ecx,200\nadd cl,bl\nmovzx ecx,cl",
    "and edx,0FFFFh\ninc dx\nmovzx edx,dx",
    "movzx ebx,byte ptr M\nmov ecx,1\nmovzx ebx,bx",
    "shl R,2\nadd R,S",
    "shl R,3\nadd S,R",
    "shl R,1\nadd R,T",
    "add R,S\nadd R,N",
    "add R,S\nadd R,-12",
    "shl R,2\nadd R,S\nadd R,N",
    "and esi,3\nshl esi,2\nmov eax,cell[esi]",
    "and esi,3\nshl esi,2\nmov esi,cell[esi]",
    "and edi,7\nmov eax,offset cell\nadd eax,edi\nmov dl,[eax]",
    "mov eax,offset cell\nadd eax,8\nadd ebx,[eax-4]",
    "mov ebx,offset cell[8]\nsub ebx,4\nmov [ebx],edx",
    "and edi,3\nlea esi,[edi*4+4]\nmov cell[esi],eax",
    "mov ebx,offset cell\nand ecx,1\nshl ecx,3\nadd edx,[ebx+ecx]",
    "and eax,3\nshl eax,1\nlea edx,[eax+ebx+7]",
    "mov R,S\nadd T,R",
    "mov R,S\nmov R,R",
    "mov R,S\ninc T\ncmp R,T",
    "mov eax,offset cell\nmov ebx,eax\nmov ecx,[ebx+4]",
    "mov eax,offset cell\nmov esi,eax\nmov esi,[esi+4]",
    "add dword ptr M,N",
    "sub dword ptr M,R",
    "and dword ptr M,R",
    "or dword ptr M,N",
    "xor dword ptr M,R",
    "inc dword ptr M",
    "dec dword ptr M",
    "push dword ptr M",
    "mov dword ptr cell[4],N",
    "imul R,S,5",
    "imul R,8",
    "imul R,eight",
    "imul R,S,eight*5",
    "mov ebx,eight*40\nmul ebx",
    "cmp R,eight-8",
    "lea R,[R+eight]",
    "mov R,S\nadd R,-eight",
    "mov R,S\nadd R,N",
    "mov R,S\nadd R,T",
    "dec esi\nloop block",
    "lea R,[R+S+N]",
    "lea R,[S+R]",
    "add R,S\ncmp R,0",
    "and R,S\nmov T,5\ntest R,R",
    "dec R\nor R,R",
    "shr R,3\nand R,R",
    "test R,N",
    "test B,5",
    "imul R,S,40",
    "imul R,S,17",
    "imul R,S,7",
    "imul R,10",
    "imul R,45",
    "imul R,dword ptr cell[4],320",
    "mov ebx,320\nmul ebx",
    "mov ecx,9\nimul ecx",
    "cdq",
    "inc R\njecxz behind",
    "enter 8,0",
    "leave",
    "mov esi,offset cell\nlodsb",
    "mov esi,offset cell\nlodsd",
    "mov edi,offset cell\nstosb",
    "mov edi,offset cell\nstosw",
    "mov edi,offset cell\nscasb",
    "mov esi,offset cell\nmov edi,offset cell[8]\nmovsd",
    "mov esi,offset cell\nmov edi,offset cell[8]\nmovsb",
    "add byte ptr M,5",
    "inc byte ptr M",
    "neg dword ptr M",
    "not word ptr M",
    "adc dword ptr M,R",
    "sbb byte ptr M,3",
    "add R,dword ptr M",
    "cmp R,dword ptr M",
    "xor B,byte ptr M",
    "cmp dword ptr M,N",
    "cmp byte ptr M,7",
    "test dword ptr M,R",
    "xchg R,S",
    "xchg R,dword ptr M",
    "mov eax,offset cell\nfst dword ptr [eax+4]",
    "mov edi,offset cell\nfistp qword ptr [edi]",
    "xchg byte ptr M,B",
    "mov esi,offset cell[8]\ninc esi\nmov al,[esi-1]",
    "mov esi,offset cell\nadd esi,8\nxor eax,eax\nmov al,[esi-4]\ncmp eax,ebx",
    "mov esi,offset cell[8]\nmov al,[esi]\ninc esi",
    "mov esi,offset cell[8]\nadd ebx,[esi+4]\nmov edx,ebx\nsub esi,8",
    "mov ecx,1\nmov cell[ecx*4],ebx\nadd ecx,2",
    "mov byte ptr cell[4],9",
    "mov dword ptr M,R",
    "fadd st,st(2)\nfxch st(1)\nfmul st,st(3)\nfsub st,st(2)",
];

const REGISTERS: &[&str] = &["eax", "ecx", "edx", "ebx", "esi", "edi"];
const BYTES: &[&str] = &["al", "ah", "cl", "ch", "dl", "bl", "bh"];

/// A form with its letters replaced; a letter has the same meaning everywhere in the form.
fn drawn(form: &str, random: &mut fastrand::Rng) -> String {
    let mut names: Vec<&str> = REGISTERS.to_vec();
    random.shuffle(&mut names);
    let number = ["1", "5", "80h", "1000h"][random.usize(..4)];
    let memory = ["cell", "cell[4]", "[ebp]", "[ebp+8]"][random.usize(..4)];
    let byte = BYTES[random.usize(..BYTES.len())];
    let letters = form.chars().map(|letter| match letter {
        'R' => names[0].to_owned(),
        'S' => names[1].to_owned(),
        'T' => names[2].to_owned(),
        'B' => byte.to_owned(),
        'N' => number.to_owned(),
        'M' => memory.to_owned(),
        other => other.to_string(),
    });
    letters.collect()
}

/// A program in lines: the code before the block, the block, and the code after it.
struct Program {
    before: String,
    block: Vec<String>,
    behind: String,
}

impl Program {
    fn text(&self) -> String {
        format!("{}{}\n{}", self.before, self.block.join("\n"), self.behind)
    }

    fn lines(&self) -> Range<usize> {
        let first = self.before.lines().count();
        first..first + self.block.len()
    }
}

/// A program with random registers, flags and data; the part of them in `dead` is overwritten after the block.
fn program(block: Vec<String>, dead: Live, seed: u64) -> Program {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut value = || match random.u8(..4) {
        0 => random.u32(..3),
        1 => 0x7FFF_FFFF + random.u32(..3),
        2 => random.u32(..) >> 24,
        _ => random.u32(..),
    };
    let mut before = String::from(".586\neight equ 8\n.data\ncell dd ");
    let cells: Vec<String> = (0..8).map(|_| value().to_string()).collect();
    let _ = writeln!(
        before,
        "{}\n.code\nstart: fninit\nfld1\nfldpi\nfldl2e\nfldln2",
        cells.join(",")
    );
    let _ = writeln!(before, "mov ebp,offset cell");
    let flags = 2 | value() & 0x8D5;
    let _ = writeln!(before, "push {flags}\npopfd");
    for register in REGISTERS {
        let _ = writeln!(before, "mov {register},{}", value());
    }
    // Limits the number of a loop's rounds.
    before.push_str("mov ecx,CX\n");
    let count = value() % 5 + 1;
    let before = match block.iter().any(|line| line.contains("loop") || line.contains("jnz")) {
        true => before.replace("CX", &count.to_string()),
        false => before.replace("CX", &value().to_string()),
    };
    // Bit numbers of the flags in the decoder's order: OF SF ZF AF CF PF.
    let places = [11, 7, 6, 4, 0, 2];
    let cleared = (0..6).filter(|&flag| dead.flags >> flag & 1 != 0);
    let mask = cleared.fold(u32::MAX, |mask, flag| mask & !(1 << places[flag]));
    let mut behind = format!("behind: pushfd\nand dword ptr [esp],{mask}\npopfd\n");
    for number in 0..8 {
        if dead.parts.meets(RegisterParts::of(general(number))) {
            let _ = writeln!(behind, "mov {:?},0", general(number));
        }
    }
    behind.push_str("hlt\nend start\n");
    Program { before, block, behind }
}

fn assembled(text: &str) -> Image {
    let options = Options {
        library: Library::Unmeasured,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("form.asm", text), &options);
    assembly
        .image
        .unwrap_or_else(|| panic!("{text}\n{:#?}", assembly.diagnostics))
}

/// The substitutions offered for a block, by what is read after it.
fn offers(program: &Program) -> impl Fn(Live) -> Vec<Substitution> + use<> {
    let text = program.text();
    let image = assembled(&text);
    let lines = program.lines();
    move |live| {
        let all = Lines::of(&text, Options::default().dialect);
        let slots = blocks::slots(&image, &all, &lines).unwrap_or_else(|| panic!("no block in\n{text}"));
        let dead = |_: usize, wanted: Live| Live {
            parts: RegisterParts(wanted.parts.0 & !live.parts.0),
            flags: wanted.flags & !live.flags,
        };
        // The flags that the program begins with come from the stack, but DF is clear.
        let strings = Strings {
            forward: true,
            one_segment: true,
        };
        substitutions(&slots, &all, &dead, strings, &Constants::of(&image))
    }
}

/// The flags and registers that must be dead for this substitution to be offered.
fn needed(offered: &impl Fn(Live) -> Vec<Substitution>, wanted: &Substitution) -> Live {
    let mut needed = Live::default();
    let flags = (0..9).map(|flag| Live {
        flags: 1 << flag,
        ..Live::default()
    });
    let registers = (0..8).map(|number| Live {
        parts: RegisterParts::of(general(number)),
        ..Live::default()
    });
    for one in flags.chain(registers) {
        if !offered(one).contains(wanted) {
            needed.flags |= one.flags;
            needed.parts.0 |= one.parts.0;
        }
    }
    needed
}

/// Whether both programs leave the same state, except for their code.
fn same(own: &str, new: &str) -> bool {
    let [own, new] = [own, new].map(|text| {
        let image = assembled(text);
        let options = machine::Options {
            limit: 100_000,
            ..machine::Options::default()
        };
        let mut machine = Machine::new(MODELS[0], &image, options);
        machine.run(&mut |_| {});
        machine.into_final_state()
    });
    let code = 0x40_1000..0x40_2000;
    let excused = Excused {
        memory: std::slice::from_ref(&code),
        timed: &[],
        moved: &|_| None,
        flags: false,
    };
    assert!(own.ended_by_program() && new.ended_by_program());
    own.difference(&new, &excused).is_none()
}

/// Panics unless the words of a rule name both the replaced and the new instructions.
fn agrees(replaced: &[String], one: &Substitution) {
    let known = one.rule.words();
    let mnemonic = |text: &str| {
        let text = text.rsplit(':').next().unwrap_or(text).trim();
        text.split(' ').next().unwrap_or(text).to_owned()
    };
    let words = |text: &str| text.split([' ', ',']).map(str::to_owned).collect::<Vec<_>>();
    let (before, after) = (words(known.before), [words(known.after), words(known.needs)].concat());
    let old: Vec<String> = replaced.iter().map(|text| mnemonic(text)).collect();
    // These rules hold in both directions, for several operations, or for any step of a chain.
    let general = ["other way round", "and the like", "chains"];
    let general = general
        .iter()
        .any(|word| known.before.contains(word) || known.needs.contains(word));
    for name in &old {
        assert!(general || before.contains(name), "{name} is not in {:?}", known.before);
    }
    for name in one.texts.iter().map(|text| mnemonic(text)) {
        let told = after.contains(&name) || before.contains(&name) || old.contains(&name);
        assert!(told, "{name} is not in {:?}", known.after);
    }
}

#[test]
fn both_forms_leave_the_same_where_the_rule_says_so() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut matters = 0;
    let mut shown = BTreeSet::new();
    for form in FORMS {
        let mut executed = 0;
        // Of some forms, few registers and places have a substitution: more are drawn until one is offered.
        for round in 0..MOST_ROUNDS {
            if round >= ROUNDS && executed > 0 {
                break;
            }
            let text = drawn(form, &mut random);
            let mut block: Vec<String> = text.lines().map(str::to_owned).collect();
            block[0] = format!("block: {}", block[0]);
            let offered = offers(&program(block.clone(), Live::default(), 0));
            for one in offered(Live::default()) {
                agrees(&block[one.slots.clone()], &one);
                shown.insert(one.rule);
                let dead = needed(&offered, &one);
                let mut replaced = block.clone();
                let label = if one.slots.start == 0 { "block: " } else { "" };
                let mut texts = one.texts.clone();
                texts[0] = format!("{label}{}", texts[0]);
                replaced.splice(one.slots.clone(), texts);
                for _ in 0..STATES {
                    let state = random.u64(..);
                    let [own, new] = [&block, &replaced].map(|block| program(block.clone(), dead, state).text());
                    assert!(same(&own, &new), "seed {seed}: {text} -> {:?}\n{own}", one.texts);
                    executed += 1;
                    // The flags and registers that must be dead really differ in some states.
                    if dead != Live::default() && matters <= MATTERS {
                        let [own, new] =
                            [&block, &replaced].map(|block| program(block.clone(), Live::default(), state).text());
                        matters += usize::from(!same(&own, &new));
                    }
                }
            }
        }
        assert!(executed > 0, "seed {seed}: nothing is offered for {form}");
    }
    let all: BTreeSet<_> = Rule::ALL.iter().copied().collect();
    // A rule may have needed other registers than those that were drawn.
    for form in FORMS.iter().cycle().take(MOST_ROUNDS * FORMS.len()) {
        if shown == all {
            break;
        }
        let block: Vec<String> = drawn(form, &mut random).lines().map(str::to_owned).collect();
        let found = offers(&program(block, Live::default(), 0))(Live::default());
        shown.extend(found.iter().map(|one| one.rule));
    }
    assert_eq!(
        shown, all,
        "seed {seed}: each rule of the help has a form that shows it"
    );
    assert!(matters > MATTERS, "seed {seed}: what is dead never matters: {matters}");
}

#[test]
fn numbers_keep_their_spelling() {
    for (block, expected) in [
        (
            &["mov ebx,eax", "add ebx,5a827999h"] as &[&str],
            "lea ebx,[eax+5a827999h]",
        ),
        (&["mov ebx,eax", "add ebx,-12"], "lea ebx,[eax-12]"),
        (&["mov ebx,eax", "add ebx,0FFh"], "lea ebx,[eax+0FFh]"),
        (&["lea esi,[esi+4]"], "add esi,4"),
        (&["lea esi,[esi - 1010b]"], "sub esi,1010b"),
    ] {
        let mut block: Vec<String> = block.iter().map(|&line| line.to_owned()).collect();
        block[0] = format!("block: {}", block[0]);
        let found = offers(&program(block.clone(), Live::default(), 0))(Live::default());
        let texts: Vec<String> = found.into_iter().flat_map(|one| one.texts).collect();
        assert!(texts.iter().any(|text| text == expected), "{block:?}: {texts:?}");
    }
}
