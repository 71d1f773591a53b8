//! Instructions that cannot be executed, each of which stops the program with a fault of its own.

use super::{CODE, image};
use crate::{Options, simulate};
use iced_x86::{CpuidFeature, Mnemonic};
use p5_chips::MODELS;
use p5_image::LineRow;
use p5_results::{Stop, StopDetail, StopReason};
use p5_words::fault::{FaultCause, PageAccess};

/// The stop of a program that is alone in memory. It must be the same in blocks of one.
fn stop_of(bytes: &[u8]) -> Stop {
    let image = image(bytes.to_vec(), u32::MAX, Vec::new());
    let run = |one_op_blocks| {
        let options = Options {
            runs: 1,
            one_op_blocks,
            ..Options::default()
        };
        simulate(&image, "stop", MODELS[0], &options, &mut |_| {}).stop
    };
    let stop = run(false);
    assert_eq!(stop, run(true));
    stop
}

#[test]
fn an_instruction_that_is_too_long_or_cut_off_has_a_fault_of_its_own() {
    let fault = |stop: Stop| match stop.detail {
        Some(StopDetail::Fault { cause, address, .. }) => (stop.code, cause, address),
        other => panic!("{other:?}"),
    };
    // inc eax, then `count` prefixes before nop
    let prefixed = |count: usize| [&[0x40][..], &vec![0x2E; count], &[0x90, 0xF4]].concat();
    assert_eq!(stop_of(&prefixed(14)).reason, StopReason::Halt);
    let too_long = (Some(13), FaultCause::InstructionTooLong, Some(CODE + 1));
    assert_eq!(fault(stop_of(&prefixed(15))), too_long);
    assert_eq!(fault(stop_of(&prefixed(40))), too_long);
    // add dword ptr cs:[12345678h],imm32 has 11 bytes with one prefix.
    let long = |count: usize| {
        let add = [0x81, 0x05, 0x78, 0x56, 0x34, 0x12, 1, 2, 3, 4];
        [&[0x40][..], &vec![0x2E; count], &add, &[0xF4]].concat()
    };
    assert_eq!(fault(stop_of(&long(5))).1, FaultCause::ReadOnlySegment);
    assert_eq!(fault(stop_of(&long(6))), too_long);
    // An undefined opcode stays undefined after any number of prefixes, and a wrong prefix makes no instruction too
    // long.
    for undefined in [&[&[0x2E; 13][..], &[0x0F, 0x0A]].concat()[..], &[0xF0, 0x90]] {
        assert_eq!(stop_of(undefined).code, Some(6), "{undefined:02X?}");
    }
    // The page ends within an instruction: mov eax,imm32; add [edi],imm32; only prefixes; a byte that begins an
    // opcode.
    let page = 4096;
    for tail in [&[0xB8, 1, 2, 3][..], &[0x81, 0x07], &[0x66, 0x66, 0x66], &[0x0F]] {
        let mut bytes = vec![0x40; page - tail.len()];
        bytes.extend(tail);
        let end = CODE + page as u32;
        let cut_off = (Some(14), FaultCause::Page(PageAccess::Fetch), Some(end));
        assert_eq!(fault(stop_of(&bytes)), cut_off, "{tail:02X?}");
    }
    // An opcode that is undefined whatever follows stays so at the end of memory.
    let mut bytes = vec![0x40; page - 2];
    bytes.extend([0x0F, 0x0B]);
    assert_eq!(stop_of(&bytes).code, Some(6));
}

#[test]
fn a_fault_outside_of_every_line_names_the_line_that_led_there_last() {
    // Line 1: mov ecx,2; line 2: l: test cl,1; line 3: jz over; line 4: call 1020h; line 5: over: dec ecx; line 6: js
    // out; line 7: jmp l; line 8: out: jmp 1020h.
    let lines: [(u32, &[u8]); 8] = [
        (1, &[0xB9, 2, 0, 0, 0]),
        (2, &[0xF6, 0xC1, 1]),
        (3, &[0x74, 5]),
        (4, &[0xE8, 0x11, 0, 0, 0]),
        (5, &[0x49]),
        (6, &[0x78, 2]),
        (7, &[0xEB, 0xF1]),
        (8, &[0xEB, 0x0A]),
    ];
    let mut image = image(Vec::new(), u32::MAX, Vec::new());
    let bytes = &mut image.segments[0].bytes;
    for (line, one) in lines {
        image.lines.push(LineRow {
            address: CODE + bytes.len() as u32,
            length: one.len() as u32,
            file: 0,
            line,
            written: (0, 0),
            origin: None,
            ..LineRow::default()
        });
        bytes.extend(one);
    }
    bytes.resize(0x20, 0x90);
    // At 1020h, without a line: test ecx,ecx; js 1026h; ret; nop; 1026h: nop; ud2.
    bytes.extend([0x85, 0xC9, 0x78, 2, 0xC3, 0x90, 0x90, 0x0F, 0x0B]);
    for one_op_blocks in [false, true] {
        let options = Options {
            one_op_blocks,
            ..Options::default()
        };
        let stop = simulate(&image, "strays", MODELS[0], &options, &mut |_| {}).stop;
        assert_eq!((stop.code, stop.place), (Some(6), Some((0, 8))), "{stop:?}");
    }
    // Without the call, and with nothing but NOPs from line 8 on, execution runs past the last line.
    image.segments[0].bytes[0x0A..0x0F].fill(0x90);
    image.segments[0].bytes[0x14..].fill(0x90);
    image.segments[0].bytes.extend([0x0F, 0x0B]);
    for one_op_blocks in [false, true] {
        let options = Options {
            one_op_blocks,
            ..Options::default()
        };
        let stop = simulate(&image, "strays", MODELS[0], &options, &mut |_| {}).stop;
        assert_eq!((stop.code, stop.place), (Some(6), Some((0, 8))), "{stop:?}");
    }
}

#[test]
fn an_instruction_of_a_later_chip_says_which_one_has_it() {
    let cause = |bytes: &[u8]| match stop_of(bytes).detail {
        Some(StopDetail::Fault { cause, .. }) => cause,
        other => panic!("{other:?}"),
    };
    let later = |mnemonic, monitor| FaultCause::OnlyOnLaterChip {
        mnemonic,
        chip: "p55c",
        monitor,
    };
    assert_eq!(cause(&[0x0F, 0x77]), later(Mnemonic::Emms, None), "emms");
    let moved = cause(&[0x40, 0x0F, 0x6F, 0xC1]);
    assert_eq!(moved, later(Mnemonic::Movq, None), "movq mm0,mm1");
    let counters = later(Mnemonic::Rdpmc, Some("perfmon"));
    assert_eq!(cause(&[0x0F, 0x33]), counters, "rdpmc");
    let moved = FaultCause::OfLaterProcessors {
        mnemonic: Mnemonic::Cmove,
        also: "cmov",
        with: None,
    };
    assert_eq!(cause(&[0x0F, 0x44, 0xC1]), moved, "cmovz eax,ecx");
    let nowhere = |mnemonic, extension| FaultCause::NeverHere { mnemonic, extension };
    let added = nowhere(Mnemonic::Addps, CpuidFeature::SSE);
    assert_eq!(cause(&[0x0F, 0x58, 0xC1]), added, "addps xmm0,xmm1");
    let moved = nowhere(Mnemonic::Movdqa, CpuidFeature::SSE2);
    assert_eq!(cause(&[0x66, 0x0F, 0x6F, 0xC1]), moved, "movdqa xmm0,xmm1");
    assert_eq!(cause(&[0x0F, 0x0B]), FaultCause::UndefinedOnPurpose, "ud2");
}
