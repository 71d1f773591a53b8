//! Programs that sample themselves get the same samples at the same places, whether or not anything is observed between
//! two samples.

use super::generate::{Ending, Shape, program};
use super::identities::difference;
use super::{PROGRAMS, everything, sampled};
use fastrand::Rng;
use iced_x86::Code;
use runtime::machine::{self, Options};
use runtime::model::{MEMORY_PRESETS, MODELS, monitor};

const DATA: &str = "
sampling_table dq 41h dup(0)
sampling_limit dw sizeof sampling_table - 1
    dd offset sampling_table
sampling_hash dd 0
sampling_taken dd 0
";

/// The handler mixes all registers of both samplers and the address that it returns to.
const HANDLER: &str = "
sampling_handler:
    pushad
    mov ecx,0C0011030h
    mov ebx,sampling_hash
sampling_next:
    rdmsr
    rol ebx,5
    xor ebx,eax
    add ebx,edx
    inc ecx
    cmp ecx,0C001103Eh
    jne sampling_next
    rol ebx,5
    xor ebx,[esp+32]
    mov sampling_hash,ebx
    inc sampling_taken
    call sampling_arm
    mov dword ptr ds:[0FEE00000h+340h],sampling_entry
    mov dword ptr ds:[0FEE00000h+0B0h],0
    popad
    iretd
";

/// Arms the samplers that have a distance; every second time, the distances are others.
fn arming(random: &mut Rng) -> String {
    let mut text = "sampling_arm:\n".to_owned();
    let kinds = random.u8(1..4);
    let is_filtered = random.u8(..4) == 0;
    for (bit, register, enabled, most) in [(1, 0xC001_1033_u32, 0x20000, 24), (2, 0xC001_1030, 0x20000, 12)] {
        if kinds & bit == 0 {
            continue;
        }
        let [first, second] = [(); 2].map(|()| random.u32(1..most));
        let (kind, high) = match register {
            0xC001_1033 if is_filtered => (0x90000, 0),
            0xC001_1033 => (if random.u8(..4) > 0 { 0x80000 } else { 0 }, 0),
            // Bit 48 enables the fetch sampler.
            _ => (0, 0x1_0000 | u32::from(random.bool()) << 25),
        };
        let enabled = if register == 0xC001_1033 { enabled } else { 0 };
        text += &format!(
            "    mov eax,{}\n    test sampling_taken,1\n    jz sampling_same_{bit}\n    mov eax,{}\n\
             sampling_same_{bit}:\n    mov ecx,{register}\n    mov edx,{high}\n    wrmsr\n",
            first | enabled | kind,
            second | enabled | kind
        );
    }
    text + "    ret\n"
}

const BEGINNING: &str = "
    lidt fword ptr sampling_limit
    mov word ptr sampling_table[8*40h],offset sampling_handler and 0FFFFh
    mov word ptr sampling_table[8*40h+2],cs
    mov dword ptr sampling_table[8*40h+4],(offset sampling_handler and 0FFFF0000h)+8E00h
    mov dword ptr ds:[0FEE00000h+0F0h],1FFh
    mov word ptr sampling_table[8*2],offset sampling_handler and 0FFFFh
    mov word ptr sampling_table[8*2+2],cs
    mov dword ptr sampling_table[8*2+4],(offset sampling_handler and 0FFFF0000h)+8E00h
    mov dword ptr ds:[0FEE00000h+340h],sampling_entry
    sti
    call sampling_arm
";

#[test]
fn random_programs_sample_themselves_alike_observed_or_not() {
    let first = p5_seeds::seed();
    let ibs = monitor("ibs").expect("known");
    let mut taken = 0;
    for number in 0..8 * PROGRAMS {
        // A few programs take most samples: the usual number of programs may have none of these.
        if number >= 2 * PROGRAMS && taken > 8 * PROGRAMS {
            break;
        }
        let seed = first + number;
        let mut random = Rng::with_seed(seed);
        let models: Vec<_> = MODELS
            .iter()
            .filter(|model| model.isa.has(Code::Rdtsc))
            .filter_map(|model| model.with_monitors(&[ibs]).ok())
            .collect();
        let model = models[random.usize(..models.len())];
        let options = Options {
            runs: random.u32(1..=3),
            memory: &MEMORY_PRESETS[random.usize(..MEMORY_PRESETS.len())],
            limit: 200_000,
            ..Options::default()
        };
        let shape = Shape {
            privileged: true,
            modifies_itself: random.u8(..5) == 0,
            time: true,
            packed: model.isa.has(Code::Emms),
            ending: match random.u8(..8) {
                0 => Ending::WriteToNowhere,
                _ => Ending::Return,
            },
        };
        let arming = arming(&mut random);
        // The entry in the local APIC's table: vector 40h, or a non-maskable interrupt.
        let entry = if random.u8(..4) == 0 { "400h" } else { "40h" };
        let text = program(&mut random, shape)
            .replacen(".code\n", &format!("{DATA}.code\n{HANDLER}{arming}"), 1)
            .replacen("start:\n", &format!("start:\n{BEGINNING}"), 1)
            .replace("sampling_entry", entry);
        let image = snapshots::assembled("itself.asm", &text, 0);
        let image = image.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let seldom = machine::simulate(&image, "sampled.asm", model, &options, &mut |_| {});
        let always = sampled(&image, model, &options, &everything()).run;
        let of = |name| [&seldom, &always].map(|run| snapshots::value(run, name));
        for name in ["sampling_taken", "sampling_hash"] {
            let [seldom, always] = of(name);
            assert_eq!(seldom, always, "seed {seed}: {name}\n{text}");
        }
        if let Some(difference) = difference(&seldom, &always) {
            panic!("seed {seed}: {difference}\n{text}");
        }
        taken += of("sampling_taken")[0].unwrap_or_default();
    }
    assert!(taken > 8 * PROGRAMS, "only {taken} samples");
}
