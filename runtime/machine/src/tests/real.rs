//! Programs in real mode, and programs that change between real and protected mode.

use super::{run_both_ways, twice};
use crate::{Options, simulate};
use asm_macros::events::Event;
use p5_chips::{MODELS, MemoryPreset};
use p5_image::{Image, RealStart, Segment};
use p5_results::{Run, StopReason};

const START: RealStart = RealStart {
    code: 0x100,
    stack: 0x200,
    top: 0x1000,
    data: 0x300,
};

/// Runs 16-bit code from offset 0 of its segment, in blocks and in blocks of one, with more bytes at linear addresses.
fn run_with(code: &[u8], more: &[(u32, &[u8])]) -> Run {
    let segment = |address, bytes: &[u8]| Segment {
        name: format!("at {address:X}h"),
        address,
        bytes: bytes.to_vec(),
        zeroes: 0,
        writable: true,
    };
    let mut segments = vec![segment(0x1000, code)];
    segments.extend(more.iter().map(|&(address, bytes)| segment(address, bytes)));
    let image = Image::real(START, 0, segments);
    let options = Options {
        memory: MemoryPreset::by_name("ideal").expect("a preset"),
        ..twice()
    };
    run_both_ways(&image, MODELS[0], &options)
}

fn run(code: &[u8]) -> Run {
    run_with(code, &[])
}

fn count(run: &Run, event: Event) -> u64 {
    let found = run.whole.events.iter().find(|count| count.event == event);
    found.expect("the chip has it").occurrences
}

#[test]
fn returns_end_the_run_near_and_far() {
    for code in [&[0xC3][..], &[0xCB]] {
        let run = run(code);
        assert_eq!(run.stop.reason, StopReason::Return, "{code:02x?}");
    }
}

#[test]
fn a_jump_to_the_reset_vector_is_a_reset_unless_something_is_there() {
    // jmp F000:FFF0 and jmp FFFF:0000, which are one place
    let (usual, other) = ([0xEA, 0xF0, 0xFF, 0, 0xF0], [0xEA, 0, 0, 0xFF, 0xFF]);
    for jump in [usual, other] {
        assert_eq!(run(&jump).stop.reason, StopReason::Reset);
        // The program has a ROM at that address: inc di; retf
        let run = run_with(&jump, &[(0xF_FFF0, &[0x47, 0xCB])]);
        assert_eq!((run.stop.reason, run.registers[1][7]), (StopReason::Return, 1));
    }
    // The program writes code there: mov ax,F000h; mov ds,ax; mov byte [FFF0h],F4h, which is hlt; jmp F000:FFF0
    let written = [&[0xB8, 0, 0xF0, 0x8E, 0xD8, 0xC6, 0x06, 0xF0, 0xFF, 0xF4][..], &usual].concat();
    assert_eq!(run(&written).stop.reason, StopReason::Halt);
    // In protected mode that address has no special meaning: lgdt and mov cr0 as below, without a jump to 32-bit code.
    let protect = [&[0x0F, 0x20, 0xC0, 0x0C, 1, 0x0F, 0x22, 0xC0][..], &usual].concat();
    assert_eq!(run(&protect).stop.reason, StopReason::Fault);
}

#[test]
fn a_program_begins_at_a_reset_vector_of_its_own() {
    let rom = |code: &[u8]| {
        let mut bytes = vec![0; 0x1_0000];
        bytes[0xFFF0..][..code.len()].copy_from_slice(code);
        let segment = Segment {
            name: "rom".to_owned(),
            address: 0xF_0000,
            bytes,
            zeroes: 0,
            writable: false,
        };
        let start = RealStart { code: 0xF000, ..START };
        let image = Image::real(start, 0xFFF0, vec![segment]);
        let options = Options {
            runs: 1,
            limit: 10_000,
            ..Options::default()
        };
        simulate(&image, "rom", MODELS[0], &options, &mut |_| {})
    };
    // inc di; retf: it is called like every program
    let run = rom(&[0x47, 0xCB]);
    assert_eq!((run.stop.reason, run.registers[1][7]), (StopReason::Return, 1));
    // Again and again: inc di; jmp F000:FFF0
    assert_eq!(rom(&[0x47, 0xEA, 0xF0, 0xFF, 0, 0xF0]).stop.reason, StopReason::Limit);
}

#[test]
fn addresses_have_16_bits_and_segments_of_64_kib() {
    // mov bx,FFF0h; mov word [bx+20h],1234h; mov ax,[10h]; mov cx,ds; mov es,cx; mov dx,es:[10h]; retf
    let run = run(&[
        0xBB, 0xF0, 0xFF, 0xC7, 0x47, 0x20, 0x34, 0x12, 0xA1, 0x10, 0x00, 0x8C, 0xD9, 0x8E, 0xC1, 0x26, 0x8B, 0x16,
        0x10, 0x00, 0xCB,
    ]);
    assert_eq!(run.stop.reason, StopReason::Return);
    let [eax, ecx, edx, ..] = run.registers[1];
    assert_eq!((eax, ecx, edx), (0x1234, 0x300, 0x1234));
    assert_eq!(count(&run, Event::SEGMENT_REGISTER_LOADED), 2, "ES, and CS by RETF");
}

#[test]
fn interrupts_go_through_the_vectors_at_0_and_come_back() {
    // int 60h; mov bx,1; div by zero; hlt. The handlers: inc cx; iret, and add word [bp],2 to skip DIV.
    let code = [
        0xCD, 0x60, 0xBB, 1, 0, 0x31, 0xD2, 0x31, 0xF6, 0xF7, 0xF6, 0xF4, // until HLT at 0Bh
        0x90, 0x90, 0x90, 0x90, 0x41, 0xCF, // 10h: inc cx; iret
        0x89, 0xE5, 0x83, 0x46, 0, 2, 0x42, 0xCF, // 12h: mov bp,sp; add word [bp],2; inc dx; iret
    ];
    let vectors: &[(u32, &[u8])] = &[(0, &[0x12, 0, 0, 1]), (0x180, &[0x10, 0, 0, 1])];
    let run = run_with(&code, vectors);
    assert_eq!(run.stop.reason, StopReason::Halt, "{:?}", run.stop);
    assert_eq!(run.registers[1][1..4], [1, 1, 1]);
    assert_eq!(count(&run, Event::SEGMENT_REGISTER_LOADED), 4);
    // Five instructions of the program, six of the handlers, and the exception, which counts in the place of DIV.
    assert_eq!(count(&run, Event::INSTRUCTIONS_EXECUTED), 12);
}

#[test]
fn a_fault_without_a_vector_is_the_result() {
    let run = run(&[0x31, 0xF6, 0xF7, 0xF6]); // xor si,si; div si
    assert_eq!((run.stop.reason, run.stop.code), (StopReason::Fault, Some(0)));
    assert!(run.stop.raised.is_empty() && !run.stop.shutdown);
}

fn descriptor(base: u32, limit: u32, access: u8, flags: u8) -> [u8; 8] {
    let [low, middle, high, top] = base.to_le_bytes();
    let [first, second, third, _] = limit.to_le_bytes();
    [first, second, low, middle, high, access, flags << 4 | third, top]
}

#[test]
fn a_program_enters_protected_mode_and_leaves_it_again() {
    // lgdt [0]; mov eax,cr0; or al,1; mov cr0,eax; jmp 8:20h
    let code = [
        0x0F, 0x01, 0x16, 0, 0, 0x0F, 0x20, 0xC0, 0x0C, 1, 0x0F, 0x22, 0xC0, 0xEA, 0x20, 0, 8, 0, // 12h
    ];
    let mut code = code.to_vec();
    code.resize(0x20, 0x90);
    // 32-bit code: mov ax,10h; mov ds,ax; mov dword [100000h+4],12345678h; mov ecx,[100004h]; jmp 18h:40h
    code.extend([0x66, 0xB8, 0x10, 0, 0x8E, 0xD8]);
    code.extend([
        0xC7, 0x05, 4, 0, 0x10, 0, 0x78, 0x56, 0x34, 0x12, 0x8B, 0x0D, 4, 0, 0x10, 0,
    ]);
    code.extend([0xEA, 0x40, 0, 0, 0, 0x18, 0]);
    code.resize(0x40, 0x90);
    // 16-bit code: mov eax,cr0; and al,FEh; mov cr0,eax; jmp 100h:50h
    code.extend([0x0F, 0x20, 0xC0, 0x24, 0xFE, 0x0F, 0x22, 0xC0, 0xEA, 0x50, 0, 0, 1]);
    code.resize(0x50, 0x90);
    // mov bx,F000h; mov ds,bx; mov esi,10000h; mov dl,[esi]: the limit of 4 GiB is still there; hlt
    code.extend([
        0xBB, 0, 0xF0, 0x8E, 0xDB, 0x66, 0xBE, 0, 0, 1, 0, 0x67, 0x8A, 0x16, 0xF4,
    ]);
    let table: Vec<u8> = [
        [0x1F, 0, 0x20, 0x30, 0, 0, 0, 0],
        [0; 8],
        [0; 8],
        [0; 8],
        descriptor(0, 0, 0, 0),
        descriptor(0x1000, 0xFFFF, 0x9A, 4),
        descriptor(0, 0xF_FFFF, 0x92, 0xC),
        descriptor(0x1000, 0xFFFF, 0x9A, 0),
    ]
    .concat();
    let run = run_with(&code, &[(0x3000, &table), (0x10_0000, &[0x77])]);
    assert_eq!(run.stop.reason, StopReason::Halt, "{:?}", run.stop);
    assert_eq!(run.registers[1][1], 0x1234_5678);
    assert_eq!(run.registers[1][2] & 0xFF, 0x77);
}

#[test]
fn code_past_the_end_of_its_segment_is_a_general_protection_fault() {
    // jmp FFFFh, where a NOP is the last byte
    let run = run_with(&[0xE9, 0xFC, 0xFF], &[(0x1000 + 0xFFFF, &[0x90])]);
    assert_eq!(
        (run.stop.reason, run.stop.code),
        (StopReason::Fault, Some(13)),
        "{:?}",
        run.stop
    );
}

#[test]
fn a_stack_that_faults_in_every_handler_shuts_the_processor_down() {
    // mov sp,1; int 60h: the push of FLAGS wraps around the segment, and so does every other
    let vectors: &[(u32, &[u8])] = &[(0x180, &[0, 0, 0, 1]), (0x20, &[0, 0, 0, 1]), (0x30, &[0, 0, 0, 1])];
    let run = run_with(&[0xBC, 1, 0, 0xCD, 0x60], vectors);
    assert!(run.stop.shutdown, "{:?}", run.stop);
    assert_eq!((run.stop.reason, run.stop.code), (StopReason::Fault, Some(12)));
    let vectors: Vec<u8> = run.stop.raised.iter().map(|raised| raised.vector).collect();
    assert_eq!(vectors, [0x60, 12, 12, 8]);
}

#[test]
fn a_handler_that_faults_for_ever_is_stopped_by_the_limit() {
    // int 60h; its handler is an undefined opcode, and so is the handler of that
    let vectors: &[(u32, &[u8])] = &[(0x180, &[8, 0, 0, 1]), (0x18, &[8, 0, 0, 1])];
    let run = run_with(&[0xCD, 0x60, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x0F, 0x0B], vectors);
    assert!(matches!(run.stop.reason, StopReason::Limit), "{:?}", run.stop);
}

#[test]
fn breakpoints_of_debug_registers_and_single_steps() {
    let mut code: Vec<u8> = Vec::new();
    // mov eax,1034h; mov dr0,eax; mov eax,3000h; mov dr1,eax; mov eax,500405h; mov dr7,eax
    for (number, value) in [(0u8, 0x1034u32), (1, 0x3000), (7, 0x50_0405)] {
        code.extend([0x66, 0xB8]);
        code.extend(value.to_le_bytes());
        code.extend([0x0F, 0x23, 0xC0 | number << 3]);
    }
    code.resize(0x34, 0x90);
    // inc cx, which is breakpoint 0; mov [0],cx and mov [1],cl, which are breakpoint 1; mov [2],cl, which is none
    code.extend([0x41, 0x89, 0x0E, 0, 0, 0x88, 0x0E, 1, 0, 0x88, 0x0E, 2, 0]);
    // pushf; or word [esp],100h; popf: each of the next three is followed by a trap; hlt
    code.extend([0x9C, 0x67, 0x66, 0x81, 0x0C, 0x24, 0, 1, 0, 0, 0x9D, 0x90, 0x90, 0xF4]);
    code.resize(0x80, 0x90);
    // The handler: push eax; inc si; mov eax,dr6; or di,ax; mov eax,500404h; mov dr7,eax; xor eax,eax; mov dr6,eax; ...
    code.extend([
        0x66, 0x50, 0x46, 0x0F, 0x21, 0xF0, 0x09, 0xC7, 0x66, 0xB8, 4, 4, 0x50, 0, 0x0F, 0x23, 0xF8,
    ]);
    code.extend([0x66, 0x31, 0xC0, 0x0F, 0x23, 0xF0, 0x66, 0x58, 0xCF]); // pop eax; iret
    let run = run_with(&code, &[(4, &[0x80, 0, 0, 1])]);
    assert_eq!(run.stop.reason, StopReason::Halt, "{:?}", run.stop);
    let [_, ecx, .., esi, edi] = run.registers[1];
    assert_eq!(ecx, 1);
    // One instruction, two stores, and two NOPs after POPF.
    assert_eq!((esi, edi & 0x600F), (5, 0x4003));
    assert_eq!(count(&run, Event::BREAKPOINT_MATCH_DR0), 1);
    assert_eq!(count(&run, Event::BREAKPOINT_MATCH_DR1), 2);
    assert_eq!(count(&run, Event::BREAKPOINT_MATCH_DR2), 0);
}

#[test]
fn the_memory_of_a_video_card_is_not_cached() {
    let clocks = |segment: u16| {
        let [low, high] = segment.to_le_bytes();
        // mov ax,segment; mov es,ax; mov cx,100; again: mov al,es:[0]; dec cx; jnz again; hlt
        let code = [
            0xB8, low, high, 0x8E, 0xC0, 0xB9, 100, 0, 0x26, 0xA0, 0, 0, 0x49, 0x75, 0xF9, 0xF4,
        ];
        let run = run(&code);
        assert_eq!(run.stop.reason, StopReason::Halt);
        (run.whole.totals.cycles, count(&run, Event::NONCACHEABLE_READS))
    };
    let ((cached, none), (slow, reads)) = (clocks(0x9000), clocks(0xA000));
    assert_eq!((none, reads), (0, 100));
    assert!(slow > cached + 100 * 40, "{slow} and {cached}");
    assert_eq!(clocks(0xB800).1, 100);
    assert_eq!(clocks(0xC000).1, 0);
}
