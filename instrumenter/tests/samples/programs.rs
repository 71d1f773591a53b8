//! Random programs that lose clocks in all ways of a Pentium: loops with stores, repeated strings, the floating-point
//! unit, cache misses, branches and calls, in any mixture.

use fastrand::Rng;
use std::fmt::Write;

/// A program, and the approximate number of ops that it executes.
pub(crate) struct Program {
    pub(crate) text: String,
    pub(crate) ops: u64,
}

/// The arrays: names and sizes in bytes, which are powers of two.
const ARRAYS: [(&str, u32); 4] = [
    ("small", 2 << 10),
    ("fit", 4 << 10),
    ("more", 32 << 10),
    ("much", 512 << 10),
];

struct Writer<'r> {
    rng: &'r mut Rng,
    text: String,
    labels: u32,
    /// The ops in a round of the current loop.
    ops: f64,
    procedures: String,
}

/// A random program of `parts` loops with about `ops` ops each.
pub(crate) fn program(rng: &mut Rng, parts: u32, ops: u64) -> Program {
    let mut writer = Writer {
        rng,
        text: String::new(),
        labels: 0,
        ops: 0.0,
        procedures: String::new(),
    };
    let mut all = 0;
    writer.text.push_str(".586\n.model flat\n.data\nalign 8\nreals dq 1.5,2.25,3.0,1000003.0\nwhole dd 7,100,12345\nquotient dq 0\n.data?\nalign 4096\n");
    for (name, bytes) in ARRAYS {
        let _ = writeln!(writer.text, "{name} db {bytes} dup(?)");
    }
    writer.text.push_str(
        "tail db 4096 dup(?)\n.code\nstart:\npush ebp\npush esi\npush edi\npush ebx\nfninit\nmov ebp,12345h\n",
    );
    for _ in 0..parts {
        all += writer.part(ops);
    }
    writer.text.push_str("pop ebx\npop edi\npop esi\npop ebp\nret\n");
    let procedures = std::mem::take(&mut writer.procedures);
    writer.text.push_str(&procedures);
    writer.text.push_str("end start\n");
    Program {
        text: writer.text,
        ops: all,
    }
}

impl Writer<'_> {
    fn line(&mut self, line: &str, ops: f64) {
        self.text.push_str(line);
        self.text.push('\n');
        self.ops += ops;
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.rng.usize(..of.len())]
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("at_{}", self.labels)
    }

    /// Adds a loop; returns its number of ops.
    fn part(&mut self, ops: u64) -> u64 {
        self.text
            .push_str("mov esi,0\nmov edi,0\nmov eax,1\nmov ebx,3\nmov edx,5\nmov ecx,ROUNDS\nalign 16\n");
        let top = self.label();
        let _ = writeln!(self.text, "{top}:");
        self.ops = 0.0;
        self.line("push ecx", 1.0);
        let wide = self.rng.u8(..6) == 0;
        for _ in 0..self.rng.u32(1..6) {
            self.item();
        }
        if wide {
            // The code exceeds the cache, or nearly does.
            let copies = self.rng.u32(20..120);
            let begun = self.text.len();
            self.item();
            self.plain();
            let piece = self.text[begun..].to_owned();
            let copied = ![":", "rep ", "call "].iter().any(|word| piece.contains(word));
            if copied {
                let each = piece.lines().count() as f64;
                for _ in 0..copies {
                    self.text.push_str(&piece);
                    self.ops += each;
                }
            }
        }
        self.line("pop ecx", 1.0);
        let end = self.pick(&["dec ecx\njnz", "sub ecx,1\njnz", "dec ecx\njne"]);
        self.line(&format!("{end} {top}"), 2.0);
        let rounds = ((ops as f64 / self.ops) as u64).max(2);
        self.text = self.text.replace("ROUNDS", &rounds.to_string());
        (rounds as f64 * self.ops) as u64
    }

    /// Adds instructions that take clocks.
    fn item(&mut self) {
        match self.rng.u8(..16) {
            0 | 1 => self.reads(),
            2 | 3 => self.stores(),
            4 => self.modifies(),
            5 => self.repeated(),
            6 | 7 => self.floating(),
            8 | 9 => self.branch(),
            10 => self.call(),
            11 => self.slow(),
            12 => self.prefixes(),
            13 => self.addresses(),
            14 => self.inner(),
            _ => (0..self.rng.u32(1..6)).for_each(|_| self.plain()),
        }
    }

    fn plain(&mut self) {
        let (one, other) = (
            self.pick(&["eax", "ebx", "edx"]),
            self.pick(&["eax", "ebx", "edx", "ebp"]),
        );
        let number = self.rng.u32(1..100);
        let line = match self.rng.u8(..6) {
            0 => format!("add {one},{other}"),
            1 => format!("xor {one},{number}"),
            2 => format!("lea {one},[{other}+{number}]"),
            3 => format!("sub {one},{other}"),
            4 => format!("mov {one},{other}"),
            _ => format!("inc {one}"),
        };
        self.line(&line, 1.0);
    }

    /// Returns an array, after adding a step through it with `register`.
    fn step(&mut self, register: &str) -> &'static str {
        let (name, bytes) = self.pick(&ARRAYS);
        let step = self.pick(&[4, 4, 4, 8, 20, 32, 36, 68, 4100, 1]);
        self.line(&format!("add {register},{step}"), 1.0);
        self.line(&format!("and {register},{}", bytes - 1), 1.0);
        name
    }

    fn reads(&mut self) {
        let register = self.pick(&["esi", "edi"]);
        let array = self.step(register);
        for number in 0..self.rng.u32(1..5) {
            let to = self.pick(&["eax", "ebx", "edx"]);
            let offset = number * self.pick(&[4, 4, 8, 32, 1]);
            let what = self.pick(&["mov", "mov", "add"]);
            self.line(&format!("{what} {to},dword ptr {array}[{register}+{offset}]"), 1.0);
            if self.rng.bool() {
                self.plain();
            }
        }
    }

    fn stores(&mut self) {
        let register = self.pick(&["esi", "edi"]);
        let array = self.step(register);
        if self.rng.u8(..3) == 0 {
            self.line(&format!("mov ebx,dword ptr {array}[{register}]"), 1.0);
        }
        for number in 0..self.rng.u32(1..6) {
            let from = self.pick(&["eax", "ebx", "edx"]);
            let offset = number * self.pick(&[4, 4, 4, 8, 32]);
            self.line(&format!("mov dword ptr {array}[{register}+{offset}],{from}"), 1.0);
            if self.rng.u8(..3) == 0 {
                self.plain();
            }
        }
    }

    fn modifies(&mut self) {
        let register = self.pick(&["esi", "edi"]);
        let array = self.step(register);
        for number in 0..self.rng.u32(1..4) {
            let what = self.pick(&["add", "xor", "inc", "or"]);
            let place = format!("dword ptr {array}[{register}+{}]", number * 4);
            match what {
                "inc" => self.line(&format!("inc {place}"), 1.0),
                _ => self.line(&format!("{what} {place},eax"), 1.0),
            }
        }
    }

    fn repeated(&mut self) {
        let (from, to) = (self.pick(&ARRAYS), self.pick(&ARRAYS));
        let count = self.pick(&[1, 3, 8, 16, 50, 200]);
        let (what, each) = self.pick(&[
            ("rep movsd", 2.0),
            ("rep movsd", 2.0),
            ("rep stosd", 1.0),
            ("rep stosb", 1.0),
            ("rep movsb", 2.0),
            ("rep lodsd", 1.0),
        ]);
        let moves = self.rng.bool();
        self.line("push esi\npush edi", 2.0);
        if moves {
            let (from_last, to_last) = (from.1 - 1, to.1 - 1);
            self.line(&format!("add ebp,{}", count * 4), 1.0);
            self.line("mov esi,ebp\nmov edi,ebp", 2.0);
            self.line(&format!("and esi,{from_last}\nand edi,{to_last}"), 2.0);
            self.line(&format!("add esi,offset {}\nadd edi,offset {}", from.0, to.0), 2.0);
        } else {
            self.line(&format!("mov esi,offset {}\nmov edi,offset {}", from.0, to.0), 2.0);
        }
        self.line(&format!("mov ecx,{count}\n{what}"), 1.0 + each * f64::from(count));
        self.line("pop edi\npop esi", 2.0);
    }

    fn floating(&mut self) {
        match self.rng.u8(..6) {
            0 => self.line("fld reals\nfadd reals+8\nfmul reals+16\nfstp quotient", 4.0),
            1 => self.line("fld reals\nfdiv reals+24\nfstp quotient", 3.0),
            2 => self.line(
                "fild whole+4\nfld reals\nfadd st,st(1)\nfmul st,st(1)\nfstp quotient\nfstp st(0)",
                6.0,
            ),
            3 => self.line(
                "fld reals\nfld reals+8\nfxch st(1)\nfadd st,st(1)\nfstp quotient\nfstp st(0)",
                6.0,
            ),
            4 => self.line("fld reals+8\nfistp whole+8", 2.0),
            _ => {
                let array = self.step("edi");
                self.line(
                    &format!("fld reals\nfadd dword ptr {array}[edi]\nfstp qword ptr {array}[edi]"),
                    3.0,
                );
            }
        }
        if self.rng.bool() {
            self.plain();
        }
    }

    fn branch(&mut self) {
        let over = self.label();
        match self.rng.u8(..3) {
            0 => self.line(
                &format!("imul ebp,ebp,1664525\nadd ebp,1013904223\ntest ebp,ebp\njs {over}"),
                4.0,
            ),
            1 => self.line(&format!("shr eax,1\njnc {over}\nxor eax,0A3000000h"), 2.5),
            _ => {
                let mask = self.rng.u32(1..8);
                self.line(&format!("inc ebp\ntest ebp,{mask}\njz {over}"), 3.0);
            }
        }
        for _ in 0..self.rng.u32(1..5) {
            self.plain();
        }
        self.line(&format!("{over}:"), 0.0);
    }

    fn call(&mut self) {
        let name = self.label();
        self.line(&format!("call {name}"), 2.0);
        let outer = std::mem::take(&mut self.text);
        let _ = writeln!(self.text, "{name}:");
        if self.rng.bool() {
            self.line("push ebx\npush edx", 2.0);
            self.item_inside();
            self.line("pop edx\npop ebx", 2.0);
        } else {
            self.item_inside();
        }
        self.line("ret", 1.0);
        let inner = std::mem::replace(&mut self.text, outer);
        self.procedures.push_str(&inner);
    }

    fn item_inside(&mut self) {
        match self.rng.u8(..5) {
            0 => self.reads(),
            1 => self.stores(),
            2 => self.floating(),
            3 => self.slow(),
            _ => (0..4).for_each(|_| self.plain()),
        }
    }

    fn slow(&mut self) {
        match self.rng.u8(..9) {
            0 => self.line("imul eax,ebx", 1.0),
            1 => self.line("push edx\nmov edx,0\nmov eax,1000\ndiv whole\npop edx", 5.0),
            2 => self.line("bsf eax,ebp", 1.0),
            3 => self.line("xchg eax,whole+8", 2.0),
            4 => self.line("pushad\npopad", 15.0),
            5 => self.line("cdq\nsahf", 2.0),
            6 => self.line("rcl eax,3", 1.0),
            7 => self.line("lock inc whole+8", 1.0),
            _ => self.line("mul ebx\nxchg eax,edx", 2.0),
        }
    }

    fn prefixes(&mut self) {
        match self.rng.u8(..3) {
            0 => self.line("add ax,bx\nadd bx,dx", 2.0),
            1 => self.line("mov ax,word ptr small+6\nmov word ptr small+8,bx", 2.0),
            _ => self.line("movzx eax,byte ptr small+5\nsetc dl", 2.0),
        }
    }

    fn addresses(&mut self) {
        self.line(
            "lea edx,small+8\nmov ebx,[edx]\nlea eax,small+16\nadd edx,4\nmov ebx,[edx+4]",
            5.0,
        );
    }

    fn inner(&mut self) {
        let (top, turns) = (self.label(), self.rng.u32(2..12));
        self.line(&format!("mov ecx,{turns}\n{top}:"), 1.0);
        let before = self.ops;
        for _ in 0..self.rng.u32(1..4) {
            match self.rng.u8(..3) {
                0 => self.reads(),
                1 => self.stores(),
                _ => self.plain(),
            }
        }
        match self.rng.bool() {
            true => self.line(&format!("dec ecx\njnz {top}"), 2.0),
            false => self.line(&format!("loop {top}"), 1.0),
        }
        self.ops = before + (self.ops - before) * f64::from(turns);
    }
}
