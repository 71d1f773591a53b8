//! Loops that are compiled, and whose code other code displaces from the cache now and then: what a block meets before
//! its lines are read must not matter to compiled code either.

use super::{difference, simulate};
use fastrand::Rng;
use runtime::machine::EngineChoice::{Interpreter, Jit};
use runtime::machine::Options;

const PROGRAMS: u64 = 24;

/// Up to `most` instructions that issue in the usual way.
fn some(random: &mut Rng, most: usize) -> String {
    let instructions = [
        "inc eax",
        "add ebx,eax",
        "mov eax,ebx",
        "lea eax,[ebx+4]",
        "xor ebx,eax",
        "mov eax,values[ebp*4]",
        "mov values[ebp*4],eax",
        "nop",
    ];
    let count = random.usize(..=most);
    (0..count)
        .map(|_| format!("{}\n", instructions[random.usize(..instructions.len())]))
        .collect()
}

/// A loop with a short inner loop, whose exit has entries of two branches. `one` and `two` lie in the sets of `there`.
fn program(random: &mut Rng) -> String {
    let counts: Vec<String> = (0..4).map(|_| [1, 1, 1, 2][random.usize(..4)].to_string()).collect();
    let offset = [96, 256, 512, 1024][random.usize(..4)];
    let rarely = [15, 31, 63][random.usize(..3)];
    let waits = [5, 9, 20, 30][random.usize(..4)];
    let mut parts = [4, 1, 12, 6, 6].map(|most| some(random, most));
    parts[2].push_str("inc eax\n");
    let [before, between, there, one, two] = parts;
    let mut place = || {
        format!(
            "align 4096\ndb {} dup (90h)\n",
            offset + [0, 0, 3, 8][random.usize(..4)]
        )
    };
    let places = [place(), place(), place()];
    format!(
        ".586\n.model flat\n.data\nvalues dd 64 dup (1)\ncounts dd {}\n.code\n\
         start: mov ecx,4000\nxor esi,esi\nxor ebp,ebp\n\
         again: inc esi\nand esi,3\ntest ecx,{rarely}\njnz on\ncall one\ncall two\n\
         on: mov edx,{waits}\nwaits: dec edx\njnz waits\nmov edx,counts[esi*4]\n{before}\
         back: dec edx\njz there\n{between}jmp back\n\
         {}there:\n{there}dec ecx\njnz again\nret\n{}one:\n{one}ret\n{}two:\n{two}ret\nend start\n",
        counts.join(", "),
        places[0],
        places[1],
        places[2]
    )
}

#[test]
fn code_that_is_displaced_now_and_then_is_compiled_to_the_same() {
    let first = p5_seeds::seed();
    for seed in first..first + p5_seeds::number("P5INST_ROUNDS").unwrap_or(PROGRAMS) {
        let text = program(&mut Rng::with_seed(seed));
        let run = |engine| {
            let options = Options {
                runs: 2,
                engine,
                ..Options::default()
            };
            simulate(&text, &options, seed)
        };
        assert_eq!(difference(&run(Interpreter), &run(Jit)), None, "seed {seed}\n{text}");
    }
}
