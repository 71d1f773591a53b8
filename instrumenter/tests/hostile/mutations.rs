//! Programs with random damage, assembled and run: no panic, bounded time.

use cpu_time::ThreadTime;
use instrumenter::source::Sources;
use instrumenter::{Limits, Options, assemble};
use p5_seeds::bounds::{assert_bounded_memory, slowness};
use runtime::{machine, model};
use std::path::Path;
use std::time::Duration;

/// The processor time after which no round begins.
const PATIENCE: Duration = Duration::from_secs(5);
const ROUNDS: u32 = 15_000;
/// The limit of processor time for one program, of which the slowest takes a fifth.
const MOST_OF_ONE: Duration = Duration::from_secs(10);
/// The variable that sets the number of rounds, regardless of their time.
const MORE: &str = "P5INST_ROUNDS";

/// Small programs that exercise rare features.
const SEEDS: &[&str] = &[
    "mov ecx,5\na: dec ecx\njnz a\n",
    ".586\n.model flat,stdcall\n.data\nx dd 5 dup(1)\nmsg db 'hello$'\n.code\nf proc a:dword\nlocal t:dword\nmov eax,a\nmov t,eax\nret\n\
     f endp\nstart: invoke f, x\nmov ah,9\nmov edx,offset msg\nint 21h\nmov ah,4ch\nint 21h\nend start\n",
    "StartTSC one\nadd eax,ebx\nEndTSC\nStartProfile 0,16h\nmov eax,[esp]\nEndProfile\n",
    "m macro a,b\nlocal l\nmov a,b\nl: dec a\njnz l\nendm\nm eax,3\nrept 3\nm ecx,2\nendm\nirp r,<eax,ebx>\npush r\npop r\nendm\n",
    "s struc\na db 1\nb dd 2 dup(3)\ns ends\nv s <4>\nmov al,v.a\nmov eax,v.b[4]\nx equ 5\ny = x*2\nif y eq 10\nmov ebx,y\nelse\n.err\nendif\n",
    "f macro n\nexitm %n+1\nendm\nmov eax,f(3)\nt textequ <mov ebx>\nt,@SizeStr(<abc>)\n.if eax > 3\ninc eax\n.else\ndec eax\n.endif\n",
    "mov edi,offset b\nmov ecx,16\ncld\nrep stosb\npushfd\npopfd\nxor edx,edx\nmov ebx,7\ndiv ebx\nb db 16 dup(?)\n",
    "mov eax,offset p\nmov byte ptr p,43h\ncall eax\nmov ecx,10h\nrdmsr\nwrmsr\nmov eax,cr0\ncpuid\nrdtsc\nint 20h\np: inc eax\nret\n",
];

fn collect(directory: &Path, wanted: &[&str], depth: u32, found: &mut Vec<Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    // A seed repeats its programs only if they are in the same order everywhere.
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && depth < 6 && !hidden && !path.ends_with("target") {
            collect(&path, wanted, depth + 1, found);
        } else if path
            .extension()
            .is_some_and(|extension| wanted.iter().any(|one| extension == *one))
            && let Ok(bytes) = std::fs::read(&path)
            && bytes.len() < 20_000
        {
            found.push(bytes);
        }
    }
}

/// Damages a text: flips bytes; swaps, doubles or drops lines; cuts off the end; inserts parts of another text.
fn damage(text: &mut Vec<u8>, others: &[Vec<u8>], random: &mut fastrand::Rng) {
    for _ in 0..random.usize(1..6) {
        if text.is_empty() {
            return;
        }
        let at = random.usize(..text.len());
        match random.u8(..8) {
            0 => text[at] ^= 1 << random.u8(..8),
            1 => text[at] = random.u8(..),
            2 => text.truncate(at),
            3 => text.insert(at, *random.choice(b"(),[]<>'\"&%!;:.\\\n?@$=0 ").unwrap_or(&b' ')),
            4 => {
                text.remove(at);
            }
            choice => {
                let mut lines: Vec<Vec<u8>> = text.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
                let (one, two) = (random.usize(..lines.len()), random.usize(..lines.len()));
                match choice {
                    5 => lines.swap(one, two),
                    6 => lines.insert(one, lines[two].clone()),
                    _ => {
                        let other = &others[random.usize(..others.len())];
                        let foreign: Vec<&[u8]> = other.split(|&byte| byte == b'\n').collect();
                        lines.insert(one, foreign[random.usize(..foreign.len())].to_vec());
                    }
                }
                *text = lines.join(&b'\n');
            }
        }
    }
}

#[test]
fn damaged_programs_do_no_harm() {
    let mut programs: Vec<Vec<u8>> = SEEDS.iter().map(|text| text.as_bytes().to_vec()).collect();
    let all = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    collect(all, &["asm", "inc"], 0, &mut programs);
    do_no_harm(&programs);
}

#[test]
fn damaged_texts_of_compilers_and_disassemblers_do_no_harm() {
    let mut texts = Vec::new();
    let all = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pasted"));
    collect(all, &["s", "txt"], 0, &mut texts);
    do_no_harm(&texts);
}

/// Reads programs with random damage, and runs those that are still programs.
fn do_no_harm(programs: &[Vec<u8>]) {
    let seed = p5_seeds::seed();
    let mut random = fastrand::Rng::with_seed(seed);
    let options = Options {
        limits: Limits {
            expanded_lines: 20_000,
            repeats: 1000,
            all_repeats: 10_000,
            image: 1 << 20,
            ..Limits::default()
        },
        ..Options::default()
    };
    let begun = ThreadTime::now();
    let asked: Option<u32> = p5_seeds::number(MORE);
    let (mut rounds, mut ran) = (0, 0);
    while asked.map_or(rounds < ROUNDS && begun.elapsed() < PATIENCE, |asked| rounds < asked) {
        rounds += 1;
        let mut text = programs[random.usize(..programs.len())].clone();
        damage(&mut text, programs, &mut random);
        let text = instrumenter::source::decode(&text);
        let one = ThreadTime::now();
        let options = Options {
            cpl: if random.bool() { 3 } else { 0 },
            ..options.clone()
        };
        let result = std::panic::catch_unwind(|| {
            let assembly = assemble(&Sources::single("damaged.asm", &text), &options);
            let Some(image) = assembly.image else {
                assert!(!assembly.diagnostics.is_empty(), "no program and no word why");
                return false;
            };
            let simulate = machine::Options {
                cpl: options.cpl,
                runs: 2,
                limit: 20_000,
                ..machine::Options::default()
            };
            let run = machine::simulate(&image, "damaged.asm", model::MODELS[0], &simulate, &mut |_| {});
            assert!(run.runs.len() <= 2);
            true
        });
        let Ok(it_ran) = result else {
            panic!("seed {seed}, round {rounds}:\n{text}");
        };
        ran += u32::from(it_ran);
        assert!(
            one.elapsed() < MOST_OF_ONE.mul_f64(slowness()),
            "seed {seed}, round {rounds}: too slow\n{text}"
        );
    }
    assert_bounded_memory("damaged programs");
    // A twentieth of them, less five standard deviations, by which chance may lower the number.
    let expected = f64::from(rounds) / 20.0;
    assert!(
        f64::from(ran) >= expected - 5.0 * expected.sqrt(),
        "seed {seed}: only {ran} of {rounds} ran"
    );
}
