//! Programs that destroy the tables that the processor needs: each ends with a result that has the chain of its faults.

use runtime::machine::Options;
use runtime::run::{Run, StopReason};

const PROGRAM: &str = "
.586p
.model flat
.data
align 4096
directory dd 1024 dup(0)
gdt     dq 0
        dw 0FFFFh, 0, 9A00h, 0CFh
        dw 0FFFFh, 0, 9200h, 0CFh
task    dw 67h, 0, 8900h, 0
gdtr    dw 31
        dd offset gdt
none    dw 0
        dd offset gdt
idt     dq 64 dup(0)
idtr    dw 511
        dd offset idt
state   dd 26 dup(0)
.code
gate    macro vector, handler
        mov eax,offset handler
        mov word ptr idt[vector*8],ax
        mov word ptr idt[vector*8+2],8
        mov word ptr idt[vector*8+4],8E00h
        shr eax,16
        mov word ptr idt[vector*8+6],ax
        endm
start:  mov eax,offset state
        mov task+2,ax
        shr eax,16
        mov byte ptr task+4,al
        mov byte ptr task+7,ah
        lgdt fword ptr gdtr
        lidt fword ptr idtr
        {act}
        hlt
        end start
";

/// The code, the vectors of the exceptions that could not be delivered, and the vector of the last fault.
const CASES: &[(&str, &[u8], u32)] = &[
    // There is no gate, not even for double faults.
    ("db 0Fh,0Bh", &[6, 13, 13, 8], 13),
    ("mov ax,0F0h / mov ds,ax", &[13, 13, 8], 13),
    // The stack is outside of memory.
    (
        "gate 6,handler / gate 8,handler / gate 14,handler / mov esp,10h / handler: db 0Fh,0Bh",
        &[6, 14, 14, 8],
        14,
    ),
    // The descriptor table is empty.
    (
        "gate 13,handler / lgdt fword ptr none / mov ax,10h / handler: mov ds,ax",
        &[13, 13, 8],
        13,
    ),
    // The tables are outside of memory.
    (
        "mov dword ptr gdtr+2,0F0000000h / lgdt fword ptr gdtr / mov ax,10h / mov ds,ax",
        &[14, 13, 8],
        13,
    ),
    (
        "mov dword ptr idtr+2,0F0000000h / lidt fword ptr idtr / db 0Fh,0Bh",
        &[6, 14, 14, 8],
        14,
    ),
    (
        "mov dword ptr idtr+2,0FFFFFFFCh / lidt fword ptr idtr / db 0Fh,0Bh",
        &[6, 14, 14, 8],
        14,
    ),
    ("mov eax,0FFFFF000h / mov cr3,eax / nop", &[14, 14, 8], 14),
    // The task state segment is outside of memory, used for the stack of an inner level and for a task.
    (
        "mov task+2,0 / mov byte ptr task+7,0F0h / mov ax,18h / ltr ax / mov byte ptr task+5,89h / jmp 18h:0",
        &[14, 13, 8],
        13,
    ),
    // The task that handles double faults is the current one.
    (
        "mov ax,18h / ltr ax / mov word ptr idt[42h],18h / mov word ptr idt[44h],8500h / db 0Fh,0Bh",
        &[6, 13, 13, 8],
        13,
    ),
    // A nested task has no caller, or there is no task at all.
    ("push 4002h / popfd / iretd", &[10, 13, 8], 13),
    ("jmp 18h:0", &[10, 13, 8], 13),
    // Virtual 8086 mode at IOPL 0 has no page at its code.
    (
        "push 0 / push 0 / push 0 / push 0 / push 0 / push 0FFFEh / push 20002h / push 1000h / push 0 / iretd",
        &[14, 13, 8],
        13,
    ),
    // The directory is each of its page tables, so nothing keeps its address.
    (
        "mov ecx,1024 / xor edi,edi / mov eax,offset directory / or eax,1 / again: mov directory[edi*4],eax / inc edi / \
         dec ecx / jnz again / mov eax,offset directory / mov cr3,eax / mov edi,0FFFFFFFFh / mov [edi],edi",
        &[14, 13, 8],
        13,
    ),
];

/// Programs that never end: a handler that faults at its first instruction, one whose return repeats the fault, a task
/// that switches to itself.
const ENDLESS: &[&str] = &[
    "gate 6,handler / handler: db 0Fh,0Bh",
    "gate 14,handler / mov eax,ds:[0] / handler: add esp,4 / iretd",
    "mov ax,18h / ltr ax / mov state[20h],offset again / mov state[24h],2 / mov state[4Ch],8 / mov state[50h],10h / \
     mov state[54h],10h / again: mov ax,10h / mov ds,ax / mov state[20h],offset again / mov byte ptr task+5,89h / \
     jmp 18h:0",
];

fn run(act: &str) -> Run {
    let lines = act.replace(" / ", "\n        ");
    let program = PROGRAM.replace("{act}", &lines);
    let run = |one_op_blocks| {
        let options = Options {
            runs: 1,
            one_op_blocks,
            limit: 200_000,
            ..Options::default()
        };
        let run = snapshots::run("hostile.asm", &program, snapshots::chip(), &options);
        run.unwrap_or_else(|why| panic!("{why}\n{program}"))
    };
    let (blocks, single) = (run(false), run(true));
    assert_eq!(
        (&blocks.stop, blocks.registers),
        (&single.stop, single.registers),
        "{act}"
    );
    blocks
}

#[test]
fn the_last_fault_and_all_before_it_are_the_result() {
    let mut wrong = Vec::new();
    for &(act, before, vector) in CASES {
        let stop = run(act).stop;
        let fault = (stop.reason, stop.code, stop.shutdown) == (StopReason::Fault, Some(vector), true);
        let raised: Vec<u8> = stop.raised.iter().map(|raised| raised.vector).collect();
        if !fault || raised != before {
            wrong.push(format!("{act}\n{raised:?}, {stop:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_program_that_faults_for_ever_is_stopped_by_the_limit() {
    for act in ENDLESS {
        let stop = run(act).stop;
        assert_eq!(stop.reason, StopReason::Limit, "{act}\n{stop:?}");
    }
}
