//! Programs that store over their own code in all ways, between executions of it: what was decoded before must not be
//! executed again, in compiled code either, whether its line is in the code cache or not.

use super::{difference, simulate};
use fastrand::Rng;
use runtime::machine::EngineChoice::{Auto, Interpreter, Jit};
use runtime::machine::Options;
use std::fmt::Write;

const PROGRAMS: u64 = 24;
const EVICTING: usize = 6;

/// Ways to store over the dword at EDI; EBX is a new value for it. `{n}` is replaced by a number.
const STORES: &[&str] = &[
    "mov [edi],ebx",
    "mov [edi],bl",
    "mov [edi],bx",
    "mov word ptr [edi+1],bx",
    "lea esp,[edi+4]\npush ebx",
    "lea esp,[edi+4]\npush 12345",
    "lea esp,[edi+4]\npush passes",
    "lea esp,[edi+4]\npushfd",
    "lea esp,[edi+4]\ncall after{n}\nafter{n}:",
    "mov eax,offset after{n}\nlea esp,[edi+4]\ncall eax\nafter{n}:",
    "lea esp,[edi+4]\ncall targets{n}\nafter{n}:",
    "xchg [edi],ebx",
    "xadd [edi],ebx",
    "mov eax,[edi]\ncmpxchg [edi],ebx",
    "mov eax,ebx\nstosd",
    "mov scratch,ebx\nmov esi,offset scratch\nmovsd",
    "mov eax,ebx\npush ecx\nmov ecx,1\nrep stosd\npop ecx",
    "push ebx\npop dword ptr [edi]",
    "fst dword ptr [edi]",
    "fist dword ptr [edi]",
    "fnstcw [edi]",
    "fnstsw [edi]",
    "setc byte ptr [edi]",
    "bts dword ptr [edi],3",
    "shld [edi],ebx,5",
    "rol dword ptr [edi],3",
    "inc byte ptr [edi+1]",
    "inc dword ptr [edi]",
    "not byte ptr [edi]",
    "add [edi],ebx",
];

fn one<'a>(random: &mut Rng, of: &[&'a str]) -> &'a str {
    of[random.usize(..of.len())]
}

/// Procedures that add a number of their own to ECX, in data, and a loop that stores over the numbers and calls them.
fn program(random: &mut Rng) -> String {
    let procedures = random.usize(2..=8);
    let (mut data, mut code, mut targets) = (String::new(), String::new(), String::new());
    for number in 0..procedures {
        let align = one(random, &["", "align 32\n", "align 4096\n"]);
        let before = [0, 0, 1, 3, 29, 31, 61, 400][random.usize(..8)];
        let more = one(random, &["", "90h,", "43h,4Bh,", "69h,0DBh,7,0,0,0,"]);
        let value = random.u32(..1 << 30);
        // mov eax,value; add ecx,eax; ...; ret
        let _ = writeln!(
            data,
            "{align}db {before} dup (90h)\np{number}: db 0B8h\nv{number} dd {value}\ndb 01h,0C1h,{more}0C3h"
        );
    }
    for place in 0..random.usize(2..=9) {
        let stored = random.usize(..procedures);
        let value = one(
            random,
            &["mov ebx,ecx", "lea ebx,[ecx+ebp]", "mov ebx,12345", "imul ebx,ebp,77"],
        );
        let store = one(random, STORES).replace("{n}", &place.to_string());
        if store.contains("targets") {
            let _ = writeln!(targets, "targets{place} dd offset after{place}");
        }
        let _ = writeln!(
            code,
            "mov edi,offset v{stored}\n{value}\nmov kept,esp\n{store}\nmov esp,kept"
        );
        for _ in 0..random.usize(..3) {
            let _ = writeln!(code, "call e{}", random.usize(..EVICTING));
        }
        let called = match random.usize(..3) {
            0 => random.usize(..procedures),
            _ => stored,
        };
        let call = match random.bool() {
            true => format!("call p{called}"),
            false => format!("call procedures[{}]", 4 * called),
        };
        let rounds = [1, 1, 3, 6][random.usize(..4)];
        let _ = writeln!(code, "mov edx,{rounds}\nc{place}:\n{call}\ndec edx\njnz c{place}");
    }
    let mut evicting = String::new();
    for number in 0..EVICTING {
        let align = one(random, &["align 32", "align 4096", "align 4096"]);
        let before = [0, 0, 32, 64][random.usize(..4)];
        let nops = [1, 20, 40][random.usize(..3)];
        let _ = writeln!(
            evicting,
            "{align}\ndb {before} dup (0CCh)\ne{number}: db {nops} dup (90h)\nret"
        );
    }
    let offsets: Vec<String> = (0..procedures).map(|number| format!("offset p{number}")).collect();
    let passes = [40, 300, 1000][random.usize(..3)];
    format!(
        ".586\n.model flat\n.data\n{data}align 64\nscratch dd 64 dup (0)\nkept dd 0\npasses dd 0\nsum dd 0\nreal dd 1.5\n\
         {targets}procedures dd {}\n.code\nstart: mov ebp,{passes}\nxor ecx,ecx\nfld real\n\
         again:\n{code}inc passes\ndec ebp\njnz again\nmov sum,ecx\nret\n{evicting}end start\n",
        offsets.join(",")
    )
}

#[test]
fn code_that_is_stored_to_is_not_executed_as_it_was() {
    let first = p5_seeds::seed();
    for seed in first..first + p5_seeds::number("P5INST_ROUNDS").unwrap_or(PROGRAMS) {
        let text = program(&mut Rng::with_seed(seed));
        let run = |engine, one_op_blocks| {
            let options = Options {
                runs: 2,
                engine,
                one_op_blocks,
                ..Options::default()
            };
            simulate(&text, &options, seed)
        };
        let expected = run(Interpreter, false);
        for (engine, one_op_blocks) in [(Jit, false), (Auto, false), (Interpreter, true)] {
            let run = run(engine, one_op_blocks);
            assert_eq!(difference(&expected, &run), None, "{engine:?}, seed {seed}\n{text}");
        }
    }
}
