//! Breakpoints of debug registers, compared with the manual's cases on every chip: the accesses that meet them, the
//! value of DR6, and the counts of their events. The handler sets RF, as an instruction breakpoint requires.
//!
//! Source: Intel Architecture Software Developer's Manual 1997, volume 3, chapter 14.

use asm_macros::events::Event;
use runtime::machine::Options;
use runtime::model::{MODELS, Model};
use runtime::run::{Run, StopReason};

/// The kinds of breakpoints in DR7, with their lengths minus 1.
const EXECUTION: u32 = 0;
const WRITE: u32 = 1;
const PORT: u32 = 2;
const READ_WRITE: u32 = 3;

/// Bits of DR6: access to a guarded register; single step.
const GUARDED: u64 = 1 << 13;
const SINGLE_STEP: u64 = 1 << 14;

fn run(chip: &'static Model, setup: &str, act: &str) -> Run {
    let lines = |text: &str| text.replace(" / ", "\n        ");
    let program = format!(
        "
.586p
.model flat
.data
align 8
gdt     dq 0
        dw 0FFFFh, 0, 9A00h, 0CFh
        dw 0FFFFh, 0, 9200h, 0CFh
gdtr    dw 17h
        dd offset gdt
idt     dq 16 dup(0)
idtr    dw 7Fh
        dd offset idt
align 16
before  dd 0
memory  dd 2 dup(0)
behind  dd 0
hits    dd 0
seen    dd 0
refused dd 0
.code
gate    macro vector, handler
        mov eax,offset handler
        mov word ptr idt[vector*8],ax
        mov word ptr idt[vector*8+2],8
        mov word ptr idt[vector*8+4],8E00h
        shr eax,16
        mov word ptr idt[vector*8+6],ax
        endm
start:  gate 1, debugs
        gate 6, undefined
        lgdt fword ptr gdtr
        lidt fword ptr idtr
        mov esi,offset memory
        mov edi,offset behind
        mov ecx,3
        mov edx,80h
        {}
        {}
        xor eax,eax
        mov dr7,eax
        hlt
debugs: push eax
        inc hits
        or dword ptr [esp+12],10000h
        mov eax,dr6
        or seen,eax
        xor eax,eax
        mov dr6,eax
        pop eax
        iretd
undefined:
        inc refused
        add dword ptr [esp],3
        iretd
        end start
",
        lines(setup),
        lines(act)
    );
    let run = |one_op_blocks| {
        let options = Options {
            runs: 1,
            one_op_blocks,
            limit: 1_000_000,
            ..Options::default()
        };
        snapshots::run("debug.asm", &program, chip, &options).unwrap_or_else(|why| panic!("{why}\n{program}"))
    };
    let (blocks, single) = (run(false), run(true));
    assert_eq!(format!("{:?}", blocks.whole), format!("{:?}", single.whole), "{act}");
    assert_eq!(blocks.stop.reason, StopReason::Halt, "{:?}\n{program}", blocks.stop);
    blocks
}

fn value(run: &Run, name: &str) -> u64 {
    snapshots::value(run, name).expect("a name of the program")
}

fn has_counters(chip: &Model) -> bool {
    chip.name != "i486"
}

/// Each case has the kind, the length minus 1 and the address of a breakpoint, the code, and the number of its hits.
const CASES: &[(u32, u32, &str, &str, u64)] = &[
    (EXECUTION, 0, "offset spot", "spot: nop", 1),
    (EXECUTION, 0, "offset spot", "spot: dec ecx / jnz spot", 3),
    (EXECUTION, 0, "offset spot", "jmp over / spot: nop / over: nop", 0),
    (EXECUTION, 0, "offset spot+1", "spot: mov eax,1", 0),
    (EXECUTION, 0, "offset memory", "mov eax,[esi]", 0),
    (WRITE, 3, "offset memory", "mov [esi],eax", 1),
    (WRITE, 3, "offset memory", "mov eax,[esi]", 0),
    (WRITE, 3, "offset memory", "inc dword ptr [esi]", 1),
    (WRITE, 3, "offset memory", "mov [esi+3],al", 1),
    (WRITE, 3, "offset memory", "mov [esi+4],al", 0),
    (WRITE, 3, "offset memory", "mov [esi-1],ax", 1),
    (WRITE, 3, "offset memory", "mov [esi-1],al", 0),
    (WRITE, 3, "offset memory+2", "mov [esi],al", 1),
    (WRITE, 1, "offset memory", "mov [esi+1],al", 1),
    (WRITE, 1, "offset memory", "mov [esi+2],al", 0),
    (WRITE, 0, "offset memory+1", "mov [esi],eax", 1),
    (WRITE, 0, "offset memory+1", "mov [esi],al", 0),
    (READ_WRITE, 3, "offset memory", "mov eax,[esi]", 1),
    (READ_WRITE, 3, "offset memory", "mov [esi],eax", 1),
    (READ_WRITE, 3, "offset memory", "inc dword ptr [esi]", 1),
    (READ_WRITE, 3, "offset memory", "movsd", 1),
    (READ_WRITE, 3, "offset memory", "cmp al,[esi+4]", 0),
    (READ_WRITE, 3, "offset behind", "movsd", 1),
    (READ_WRITE, 3, "offset memory", "lea eax,[esi]", 0),
    (READ_WRITE, 3, "offset memory", "fild dword ptr [esi] / fstp st(0)", 1),
    (READ_WRITE, 3, "offset memory", "out dx,eax", 0),
];

/// The same for I/O ports, with CR4.DE.
const PORTS: &[(u32, &str, &str, u64)] = &[
    (0, "80h", "in al,80h", 1),
    (0, "80h", "in al,dx", 1),
    (0, "80h", "out 80h,al", 1),
    (0, "80h", "in al,81h", 0),
    (0, "81h", "in ax,80h", 1),
    (3, "80h", "out 83h,al", 1),
    (3, "80h", "out 84h,al", 0),
    (1, "80h", "in eax,7Eh", 1),
    (0, "80h", "rep outsb", 3),
    (0, "80h", "xor ecx,ecx / rep outsb", 0),
    (0, "80h", "mov edi,esi / rep insb", 3),
    (0, "offset memory", "mov [esi],eax", 0),
];

const MATCHES: [Event; 4] = [
    Event::BREAKPOINT_MATCH_DR0,
    Event::BREAKPOINT_MATCH_DR1,
    Event::BREAKPOINT_MATCH_DR2,
    Event::BREAKPOINT_MATCH_DR3,
];

/// Sets a breakpoint; `enables` holds its two bits in DR7.
fn breakpoint(number: u32, kind: u32, length: u32, place: &str, enables: u32) -> String {
    let control = enables << (2 * number) | (kind | length << 2) << (16 + 4 * number);
    format!("mov eax,{place} / mov dr{number},eax / mov eax,0{control:X}h / mov dr7,eax")
}

/// Whether a run met breakpoint `number` `hits` times, and counted them.
fn met(chip: &Model, run: &Run, number: u32, hits: u64) -> bool {
    let bit = if hits > 0 { 1 << number } else { 0 };
    let counted = MATCHES.iter().zip(0..).all(|(&event, other)| {
        let found = run.whole.events.iter().find(|count| count.event == event);
        let expected = if other == number { hits } else { 0 };
        !has_counters(chip) || found.is_some_and(|found| found.occurrences == expected)
    });
    value(run, "hits") == hits && value(run, "seen") & 0xF == bit && counted
}

#[test]
fn breakpoints_are_met_by_the_accesses_of_their_kind() {
    let mut wrong = Vec::new();
    for chip in MODELS.iter().copied() {
        for number in 0..4 {
            for &(kind, length, place, act, hits) in CASES {
                let run = run(chip, &breakpoint(number, kind, length, place, 1), act);
                if !met(chip, &run, number, hits) {
                    wrong.push(format!("{} DR{number}: {kind} {length} {place}: {act}", chip.name));
                }
            }
        }
        // Local enable, global enable, both, and neither.
        for (enables, hits) in [(0, 0), (1, 1), (2, 1), (3, 1)] {
            let run = run(
                chip,
                &breakpoint(1, WRITE, 3, "offset memory", enables),
                "mov [esi],eax",
            );
            if !met(chip, &run, 1, hits) {
                wrong.push(format!("{}: enables {enables}", chip.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn breakpoints_of_ports_need_cr4_de() {
    let mut wrong = Vec::new();
    for chip in MODELS.iter().copied().filter(|chip| has_counters(chip)) {
        for (extension, number) in [(0, 0), (8, 0), (8, 3)] {
            let extend = format!("mov eax,{extension} / mov cr4,eax / ");
            for &(length, place, act, hits) in PORTS {
                let hits = if extension == 0 { 0 } else { hits };
                let setup = extend.clone() + &breakpoint(number, PORT, length, place, 1);
                if !met(chip, &run(chip, &setup, act), number, hits) {
                    wrong.push(format!("{} DR{number}: CR4 {extension}, {place}: {act}", chip.name));
                }
            }
        }
        let names = |extension: u32| {
            let setup = format!("mov eax,{extension} / mov cr4,eax");
            value(&run(chip, &setup, "mov eax,dr4 / mov eax,dr5"), "refused")
        };
        assert_eq!((names(0), names(8)), (0, 2), "{}: DR4 and DR5", chip.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn single_steps_and_guarded_registers() {
    let step = "pushfd / or dword ptr [esp],100h / popfd / ";
    let off = " / pushfd / and dword ptr [esp],0FFFFFEFFh / popfd";
    for chip in MODELS.iter().copied() {
        // The instruction after POPFD is the first one that is stepped, and the second POPFD is the last.
        for (act, instructions) in [
            ("nop", 1),
            ("in al,80h / out 80h,al", 2),
            ("mov eax,cr0 / mov cr0,eax", 2),
        ] {
            let run = run(chip, "", &format!("{step}{act}{off}"));
            assert_eq!(value(&run, "hits"), instructions + 3, "{}: {act}", chip.name);
            assert_eq!(value(&run, "seen") & 0xE00F, SINGLE_STEP);
        }
        let run = run(chip, "", "mov eax,2400h / mov dr7,eax / mov eax,dr0");
        assert_eq!(
            (value(&run, "hits"), value(&run, "seen") & 0xE00F),
            (1, GUARDED),
            "{}",
            chip.name
        );
    }
}
