//! Returns from the program's entry: a return or an indirect jump that has taken the return address from the place
//! where the loader put it. No other way to the same address counts.

use super::{run_both_ways, twice};
use p5_chips::MODELS;
use p5_image::{Image, RealStart, Segment};
use p5_results::{Run, StopReason};

fn run(image: &Image) -> Run {
    run_both_ways(image, MODELS[0], &twice())
}

fn segment(address: u32, bytes: &[u8]) -> Segment {
    Segment {
        name: "code".to_owned(),
        address,
        bytes: bytes.to_vec(),
        zeroes: 0,
        writable: true,
    }
}

/// A program in real mode at offset 0 of segment 100h, with more bytes at linear addresses.
fn real(code: &[u8], more: &[(u32, &[u8])]) -> Image {
    let start = RealStart {
        code: 0x100,
        stack: 0x3000,
        top: 0,
        data: 0x200,
    };
    let more = more.iter().map(|&(address, bytes)| segment(address, bytes));
    Image::real(start, 0, [segment(0x1000, code)].into_iter().chain(more).collect())
}

fn flat(code: &[u8]) -> Image {
    Image {
        segments: vec![segment(0x40_1000, code)],
        entry: 0x40_1000,
        ..Image::default()
    }
}

#[test]
fn returns_in_real_mode() {
    let returns: [&[u8]; 9] = [
        &[0xC3],                                     // ret
        &[0xC2, 4, 0],                               // ret 4
        &[0xCB],                                     // retf
        &[0xCF],                                     // iret
        &[0xEB, 1, 0x90, 0xC3],                      // jmp $+3; ret
        &[0x58, 0xFF, 0xE0],                         // pop ax; jmp ax
        &[0x58, 0x5A, 0xFF, 0xE0],                   // pop ax; pop dx; jmp ax
        &[0x89, 0xE5, 0x83, 0xC4, 4, 0xFF, 0x6E, 0], // mov bp,sp; add sp,4; jmp dword ptr [bp]
        &[0xE8, 1, 0, 0xCB, 0x58, 0x50, 0xC3],       // call $+4; retf; pop ax; push ax; ret
    ];
    for code in returns {
        assert_eq!(run(&real(code, &[])).stop.reason, StopReason::Return, "{code:02X?}");
    }
    // The program has a byte at the target of a near return. It returns all the same.
    let full = real(&[0xC3], &[(0x1_0FFF, &[0x90])]);
    assert_eq!(run(&full).stop.reason, StopReason::Return);
}

#[test]
fn what_only_goes_to_the_return_address_in_real_mode() {
    let others: [&[u8]; 8] = [
        &[0xE9, 0xFC, 0xFF],             // jmp FFFFh
        &[0xE8, 0xFC, 0xFF],             // call FFFFh
        &[0x0F, 0x84, 0xFB, 0xFF],       // jz FFFFh; after the load, ZF is 0: see below
        &[0xB8, 0xFF, 0xFF, 0xFF, 0xE0], // mov ax,-1; jmp ax
        &[0x6A, 0xFF, 0xC3],             // push -1; ret
        &[0x6A, 0xFF, 0x6A, 0xFF, 0xCB], // push -1; push -1; retf
        &[0xEA, 0xFF, 0xFF, 0xFF, 0xFF], // jmp FFFF:FFFF
        &[0x58, 0xE9, 0xFB, 0xFF],       // pop ax; jmp FFFFh
    ];
    for code in others {
        // cmp ax,ax sets ZF.
        let code = match code {
            [0x0F, ..] => &[0x39, 0xC0, 0x0F, 0x84, 0xF9, 0xFF],
            code => code,
        };
        let run = run(&real(code, &[]));
        assert_eq!(
            (run.stop.reason, run.stop.code),
            (StopReason::Fault, Some(13)),
            "{code:02X?}"
        );
    }
    // jmp FFF0h, where instructions run on into the return address.
    let slides = real(&[0xE9, 0xED, 0xFF], &[(0x1_0FF0, &[0x90; 15])]);
    let run = run(&slides);
    assert_eq!((run.stop.reason, run.stop.code), (StopReason::Fault, Some(13)));
}

#[test]
fn what_went_to_the_return_address_before_may_return_later() {
    // The program has a RETF at FFFFh. The same jump leads there with the return address on the stack, and returns
    // when that address is popped.
    let code = [
        0xB8, 0xFF, 0xFF, // mov ax,FFFFh
        0x0E, 0x68, 10, 0, // push cs; push 10
        0xEB, 2, 0x90, // jmp to the jump at 11
        0x59, // 10: pop cx
        0xFF, 0xE0, // 11: jmp ax
    ];
    let run = run(&real(&code, &[(0x1_0FFF, &[0xCB])]));
    assert_eq!((run.stop.reason, run.registers[1][1]), (StopReason::Return, 0xFFFF));
}

#[test]
fn returns_in_flat_code() {
    let returns: [&[u8]; 5] = [
        &[0xC3],                                  // ret
        &[0xC2, 8, 0],                            // ret 8
        &[0x58, 0xFF, 0xE0],                      // pop eax; jmp eax
        &[0x83, 0xC4, 4, 0xFF, 0x64, 0x24, 0xFC], // add esp,4; jmp [esp-4]
        &[0xEB, 0, 0xC3],                         // jmp $+2; ret
    ];
    for code in returns {
        assert_eq!(run(&flat(code)).stop.reason, StopReason::Return, "{code:02X?}");
    }
    let others: [&[u8]; 5] = [
        &[0x6A, 0xF0, 0xC3],             // push -10h; ret
        &[0x6A, 0xF0, 0x58, 0xFF, 0xE0], // push -10h; pop eax; jmp eax
        &[0xE9, 0xEB, 0xEF, 0xBF, 0xFF], // jmp FFFFFFF0h
        &[0x6A, 0xF0, 0xFF, 0x14, 0x24], // push -10h; call [esp]
        &[0x58, 0xFF, 0xD0],             // pop eax; call eax
    ];
    for code in others {
        let run = run(&flat(code));
        assert_eq!(
            (run.stop.reason, run.stop.code),
            (StopReason::Fault, Some(14)),
            "{code:02X?}"
        );
    }
}
