//! Random programs that terminate: counted loops, forward branches, calls, and instructions that access an arena.

use fastrand::Rng;
use std::fmt::Write;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A return from its entry.
    #[default]
    Return,
    /// A division by zero in the middle of other instructions.
    DivideError,
    /// A store to unmapped memory.
    WriteToNowhere,
    /// An undefined opcode.
    Undefined,
}

/// The kinds of instructions that a program may contain.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Instructions that need privilege level 0.
    pub(crate) privileged: bool,
    /// Stores to the program's own code.
    pub modifies_itself: bool,
    pub(crate) time: bool,
    /// MMX instructions, in addition to those of the floating-point unit.
    pub(crate) packed: bool,
    pub(crate) ending: Ending,
}

struct Writer<'a> {
    random: &'a mut Rng,
    shape: Shape,
    text: String,
    labels: u32,
    floating: bool,
}

/// A random program. `start:` and `finish:` are on lines of their own, and its routines follow `routines:`.
pub(crate) fn program(random: &mut Rng, shape: Shape) -> String {
    let mut writer = Writer {
        floating: random.bool(),
        random,
        shape,
        text: String::new(),
        labels: 0,
    };
    writer.text.push_str(
        ".586\n.mmx\n.model flat\n.data\nalign 4096\narena dd 4096 dup(12345678h)\nroutine dd routine_0\ncount_0 dd 0\n\
         count_1 dd 0\ncount_2 dd 0\nresult_0 dd 0\nresult_1 dd 0\nstamp_0 dd 0\nstamp_1 dd 0\nsample_0 dd 0\n\
         sample_1 dd 0\n.code\nstart:\n",
    );
    writer.line("cld");
    writer.pointers();
    for _ in 0..writer.random.u32(2..6) {
        writer.part(0);
    }
    match shape.ending {
        Ending::Return => {}
        Ending::DivideError => {
            writer.plain();
            writer.line("mov ecx,0");
            writer.plain_keeping_ecx();
            writer.line("div ecx");
            writer.line("mov eax,1");
        }
        Ending::WriteToNowhere => {
            writer.line("mov ebx,70000000h");
            writer.line("add eax,edx");
            writer.line("mov [ebx],eax");
            writer.line("inc eax");
        }
        Ending::Undefined => {
            writer.line("inc eax");
            writer.line("inc edx");
            writer.line("db 0fh,0bh");
        }
    }
    writer.text.push_str("finish:\n");
    // None of these instructions pair, so they cause no events of pairs.
    for line in [
        "not ebp",
        "mov result_0,eax",
        "not ebp",
        "mov result_1,edx",
        "not ebp",
        "ret",
    ] {
        writer.line(line);
    }
    writer.text.push_str("routines:\nroutine_0:\n");
    for _ in 0..3 {
        writer.plain();
    }
    writer.line("ret");
    writer.text.push_str("routine_1:\n");
    writer.line("push ebp");
    writer.plain();
    writer.line("mov eax,[esp+4]");
    writer.line("pop ebp");
    writer.line("ret");
    writer.text.push_str("end start\n");
    writer.text
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "    {line}").expect("a string takes all");
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("at_{}", self.labels)
    }

    fn pick<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[self.random.usize(..of.len())]
    }

    /// Resets the pointers into the arena.
    fn pointers(&mut self) {
        for pointer in ["esi", "edi", "ebx"] {
            let alignment = if self.random.u8(..4) == 0 { 1 } else { 4 };
            let offset = 4096 + self.random.u32(..8192) / alignment * alignment;
            self.line(&format!("mov {pointer},offset arena+{offset}"));
        }
    }

    fn part(&mut self, depth: u32) {
        match self.random.u8(..10) {
            0..=3 if depth < 2 => {
                let (top, turns) = (self.label(), self.random.u32(1..12));
                let in_memory = self.random.bool();
                if in_memory {
                    self.line(&format!("mov count_{depth},{turns}"));
                } else {
                    self.line(&format!("mov ecx,{turns}"));
                }
                writeln!(self.text, "{top}:").expect("a string takes all");
                if !in_memory {
                    self.line("push ecx");
                }
                if self.random.bool() {
                    self.pointers();
                }
                for _ in 0..self.random.u32(1..4) {
                    self.part(depth + 1);
                }
                if in_memory {
                    self.line(&format!("dec count_{depth}"));
                } else {
                    self.line("pop ecx");
                    self.line("dec ecx");
                }
                self.line(&format!("jnz {top}"));
                self.pointers();
            }
            4 | 5 => {
                let over = self.label();
                let condition = self.pick(&["z", "nz", "c", "nc", "s", "ns", "o", "l", "ge", "a", "be", "p", "mp"]);
                self.plain();
                self.line(&format!("j{condition} {over}"));
                for _ in 0..self.random.u32(1..5) {
                    self.plain();
                }
                writeln!(self.text, "{over}:").expect("a string takes all");
            }
            6 => {
                let call = self.pick(&["call routine_0", "call routine_1", "call routine"]);
                self.line(call);
                self.pointers();
            }
            _ => {
                for _ in 0..self.random.u32(2..10) {
                    self.plain();
                }
            }
        }
    }

    /// Returns an operand in the arena.
    fn place(&mut self) -> String {
        let pointer = self.pick(&["esi", "edi", "ebx"]);
        match self.random.u8(..4) {
            0 => format!("[{pointer}]"),
            1 => format!("[{pointer}+{}]", self.random.u32(..64)),
            2 => format!("[{pointer}-{}]", self.random.u32(1..16) * 4),
            _ => format!("[{pointer}+{}]", self.random.u32(..32) * 4),
        }
    }

    fn plain(&mut self) {
        match self.random.u8(..12) {
            0 | 1 => self.odd(),
            2..=3 if self.floating && self.shape.packed => self.packed(),
            2..=5 if self.floating => self.floating(),
            _ => self.plain_keeping_ecx(),
        }
    }

    /// Adds one to eight MMX instructions, most of which depend on one another.
    fn packed(&mut self) {
        for _ in 0..self.random.u32(1..=8) {
            let place = self.place();
            let [one, other] = [0; 2].map(|_| self.random.u8(..3));
            let operation = self.pick(&[
                "paddb",
                "psubw",
                "pmullw",
                "pmulhw",
                "pmaddwd",
                "pxor",
                "pcmpgtd",
                "psllw",
                "psrlq",
                "packuswb",
                "punpcklwd",
                "pand",
            ]);
            let line = match self.random.u8(..12) {
                0..=5 => format!("{operation} mm{one},mm{other}"),
                6 => format!("{operation} mm{one},qword ptr {place}").replace("punpcklwd", "punpckhwd"),
                7 => format!("psraw mm{one},{}", self.random.u8(..20)),
                8 => format!("movq mm{one},qword ptr {place}"),
                9 => format!("movq qword ptr {place},mm{one}"),
                10 => format!("movd eax,mm{one}"),
                _ => self
                    .pick(&["emms", "movd mm1,ecx", "movd mm2,dword ptr [esi]"])
                    .to_owned(),
            };
            self.line(&line);
        }
    }

    /// Adds one to six floating-point instructions with all exceptions masked. They preserve the general registers
    /// except EAX.
    fn floating(&mut self) {
        for _ in 0..self.random.u32(1..=6) {
            let place = self.place();
            let number = self.random.u32(..8);
            let operation = self.pick(&["add", "sub", "subr", "mul", "div", "divr", "com", "comp"]);
            let size = self.pick(&["dword", "qword"]);
            let line = match self.random.u8(..24) {
                0..=4 => format!("fxch st({number})"),
                5 | 6 => format!("fld {size} ptr {place}"),
                7 | 8 => format!("f{operation} {size} ptr {place}"),
                9 => format!("f{operation} st(0),st({number})")
                    .replace("com st(0),", "com ")
                    .replace("comp st(0),", "comp "),
                10 => format!("f{}p st({number}),st(0)", self.pick(&["add", "sub", "mul", "div"])),
                11 => format!("f{} {size} ptr {place}", self.pick(&["st", "stp"])),
                12 => format!("f{} tbyte ptr {place}", self.pick(&["ld", "stp", "bld", "bstp"])),
                13 => format!("fild {size} ptr {place}"),
                14 => format!(
                    "fi{} dword ptr {place}",
                    self.pick(&["st", "stp", "add", "mul", "divr", "comp"])
                ),
                15 => self
                    .pick(&["fld1", "fldz", "fldpi", "fchs", "fabs", "fsqrt"])
                    .to_owned(),
                16 => self
                    .pick(&["fprem", "fsin", "fptan", "fyl2x", "fscale", "fxam", "frndint"])
                    .to_owned(),
                17 => self
                    .pick(&["fincstp", "fdecstp", "ftst", "fcompp", "fucompp", "fnop", "wait"])
                    .to_owned(),
                18 => format!("ffree st({number})"),
                19 => "fnstsw ax".to_owned(),
                20 => {
                    let control = self.pick(&["007Fh", "027Fh", "037Fh", "0F7Fh"]);
                    format!("push {control} / fldcw [esp] / add esp,4")
                }
                21 => "sub esp,108 / fnsave [esp] / frstor [esp] / add esp,108".to_owned(),
                22 => "sub esp,28 / fnstenv [esp] / fldenv [esp] / add esp,28".to_owned(),
                _ => "fninit / fldz / fld1".to_owned(),
            };
            for line in line.split(" / ") {
                self.line(line);
            }
        }
    }

    /// Adds an instruction that preserves ECX, ESP and the direction flag.
    fn plain_keeping_ecx(&mut self) {
        let register = self.pick(&["eax", "edx", "ebp"]);
        let other = self.pick(&["eax", "edx", "ebp", "ecx", "esi"]);
        let operation = self.pick(&["add", "sub", "and", "or", "xor", "adc", "sbb", "cmp", "mov", "test"]);
        let place = self.place();
        let number = self.random.u32(..300);
        let line = match self.random.u8(..20) {
            0..=2 => format!("{operation} {register},{other}"),
            3 | 4 if operation != "test" => format!("{operation} {register},{place}"),
            5 | 6 => format!("{operation} {place},{register}"),
            7 | 8 => format!("{operation} {register},{number}"),
            9 => format!("{operation} dword ptr {place},{number}"),
            10 => format!("{} {register}", self.pick(&["inc", "dec", "neg", "not"])),
            11 => format!("{} dword ptr {place}", self.pick(&["inc", "dec", "neg", "not"])),
            12 => format!(
                "{} {register},{}",
                self.pick(&["shl", "shr", "sar", "rol", "ror", "rcl"]),
                number % 32
            ),
            13 => format!("lea {register},[{other}+{number}]"),
            14 => format!("{operation} ax,dx"),
            15 => format!("{operation} al,byte ptr {place}").replace("test al,byte ptr", "mov al,byte ptr"),
            16 => format!("add {},{}", self.pick(&["esi", "edi", "ebx"]), self.random.u32(..3) * 4),
            17 => format!("push {register}\n    {operation} eax,edx\n    pop {other}")
                .replace("pop ecx", "pop edx")
                .replace("pop esi", "pop eax"),
            18 => format!("mov {place},{register}"),
            _ => format!("mov {register},{place}"),
        };
        self.line(&line);
    }

    /// Adds a rarer instruction or a short sequence; if the sequence uses ECX, it is saved on the stack.
    fn odd(&mut self) {
        let place = self.place();
        let number = self.random.u32(..32);
        let text = match self.random.u8(..28) {
            0 => "imul eax,edx".to_owned(),
            1 => "mul ebp".to_owned(),
            2 => format!("imul edx,eax,{number}"),
            3 => "mov ebp,7 / mov edx,0 / div ebp".to_owned(),
            4 => "cdq / mov ebp,9 / idiv ebp".to_owned(),
            5 => format!("movzx eax,word ptr {place}"),
            6 => "movsx edx,al".to_owned(),
            7 => {
                let string = self.pick(&[
                    "rep movsd",
                    "rep stosd",
                    "rep lodsd",
                    "repe cmpsd",
                    "repne scasd",
                    "rep movsb",
                ]);
                format!(
                    "push ecx / mov ecx,{number} / {string} / pop ecx / mov edi,offset arena+8000 / mov esi,offset arena+4100"
                )
            }
            8 => {
                let string = self.pick(&["movsd", "stosb", "lodsd", "cmpsb", "scasd", "lodsw"]);
                string.to_owned()
            }
            9 => "pushad / popad".to_owned(),
            10 => "pushfd / popfd".to_owned(),
            11 => format!("bt dword ptr {place},{number} / setc al"),
            12 => format!("shld eax,edx,{number}"),
            13 => "bsf eax,edx / bswap eax".to_owned(),
            14 => format!("xchg eax,{place}"),
            15 => format!("lock add dword ptr {place},edx").replace("dword ptr ", ""),
            16 => format!("cmpxchg {place},edx"),
            17 => "cwde / aam / lahf".to_owned(),
            18 => "xchg eax,edx / xchg ebp,edx".to_owned(),
            19 if self.shape.time => "rdtsc / mov stamp_0,eax / mov stamp_1,edx / mov eax,5 / mov edx,6".to_owned(),
            20 if self.shape.privileged => {
                "push ebx / push ecx / mov eax,0 / cpuid / pop ecx / pop ebx / mov ebp,cr0".to_owned()
            }
            22 => "push ds / pop es / mov ax,ds".to_owned(),
            23 => {
                let top = self.label();
                format!("push ecx / mov ecx,3 / {top}: / add eax,edx / mov {place},eax / loop {top} / pop ecx")
            }
            24 => {
                let over = self.label();
                format!("push ecx / and ecx,1 / jecxz {over} / add edx,{place} / {over}: / pop ecx")
            }
            25 => {
                let far = self.random.u32(..3) * 4096 + number * 4;
                format!("mov eax,arena[{far}] / mov arena[{far}+2],edx")
            }
            26 => {
                let rotate = self.pick(&["rcl", "rcr", "rol"]);
                format!("{rotate} dword ptr {place},{number} / {rotate} eax,cl")
            }
            21 if self.shape.modifies_itself => {
                let label = self.label();
                format!("mov byte ptr [{label}+1],{number} / jmp {label} / {label}: mov al,99")
            }
            _ => format!("enter 8,1 / mov [ebp-4],eax / leave / mov ebp,{number}"),
        };
        for line in text.split(" / ") {
            self.line(line);
        }
    }
}
