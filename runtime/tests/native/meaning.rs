//! The meaning of native runs: results, ends, faults and services, compared with the simulated machine.

use crate::native::images::{CODE, DATA, cannot, image, quick, start};
use runtime::fault::{FaultCause, PageAccess};
use runtime::image::{ElementKind, Image, Log, Region, RegionKind, Segment, Symbol, SymbolKind};
use runtime::native::{Native, Note};
use runtime::report::wording;
use runtime::run::{RefusedService, Stop, StopDetail, StopReason};
use runtime::{machine, model};

fn stop(code: &[u8]) -> Stop {
    start(&image(code)).stop
}

/// Runs the same image in the simulated machine.
fn simulated(image: &Image) -> runtime::run::Run {
    machine::simulate(
        image,
        "test",
        model::MODELS[0],
        &machine::Options::default(),
        &mut |_| {},
    )
}

/// An image with a region whose results are the first dwords of its data.
fn with_results(code: &[u8], count: u32) -> Image {
    let mut image = image(code);
    let measured: Vec<u32> = (0..count).map(|index| DATA + 4 * index).collect();
    image.symbols = measured
        .iter()
        .map(|&address| Symbol {
            name: format!("result_{address:x}"),
            value: address,
            size: 4,
            kind: SymbolKind::Data {
                element: 4,
                kind: ElementKind::Unsigned,
            },
            library: false,
            typed: true,
        })
        .collect();
    image.regions = vec![Region {
        name: "results".to_owned(),
        kind: RegionKind::Tsc,
        file: 0,
        start_line: 1,
        end_line: 2,
        first: 0,
        after: 0,
        done: 0,
        measured,
        library: false,
        events: None,
    }];
    image
}

#[test]
fn arithmetic_leaves_what_the_simulated_machine_leaves() {
    if cannot() {
        return;
    }
    let mut code = Vec::new();
    // mov ebx,DATA; mov [ebx],esp; mov [ebx+4],eax; mov eax,12345678h; mov ecx,9; mul ecx;
    // mov [ebx+8],eax; mov [ebx+12],edx
    code.extend([0xBB]);
    code.extend(DATA.to_le_bytes());
    code.extend([
        0x89, 0x23, 0x89, 0x43, 4, 0xB8, 0x78, 0x56, 0x34, 0x12, 0xB9, 9, 0, 0, 0, 0xF7, 0xE1,
    ]);
    code.extend([0x89, 0x43, 8, 0x89, 0x53, 12]);
    // pop eax; mov [ebx+16],eax: the return address; pushfd; pop eax; and eax,0FD5h ... of a known sum
    code.extend([
        0x58, 0x89, 0x43, 16, 0x31, 0xC0, 0x48, 0x9C, 0x58, 0x25, 0xC5, 0x0C, 0, 0, 0x89, 0x43, 20,
    ]);
    // add dword ptr [ebx+24],7: the same in every run only if memory is restored
    code.extend([0x83, 0x43, 24, 7]);
    // mov fs:[28+ebx],ebp through a flat FS
    code.extend([0x64, 0x89, 0x6B, 28]);
    let image = with_results(&code, 8);
    let native = start(&image);
    let run = simulated(&image);
    assert_eq!(
        (native.stop.reason, run.stop.reason),
        (StopReason::End, StopReason::End),
        "{native:?}"
    );
    let expected: Vec<u32> = run
        .symbols
        .iter()
        .map(|symbol| symbol.value.expect("a dword") as u32)
        .collect();
    assert_eq!(expected.len(), 8);
    assert_eq!(expected[6], 7);
    assert!(native.runs.len() > 1);
    for run in &native.runs {
        assert_eq!(run.measured, std::slice::from_ref(&expected));
    }
}

#[test]
fn a_result_outside_the_programs_memory_is_missing_and_not_0() {
    if cannot() {
        return;
    }
    // mov dword ptr [DATA],7
    let mut code = vec![0xC7, 0x05];
    code.extend(DATA.to_le_bytes());
    code.extend(7u32.to_le_bytes());
    let mut image = with_results(&code, 1);
    let mut outside = image.regions[0].clone();
    outside.measured = vec![0x7000_0000];
    image.regions.insert(0, outside);
    let native = start(&image);
    let note = Note::ResultOutside {
        region: "results".to_owned(),
        address: 0x7000_0000,
    };
    assert_eq!(native.notes, [note]);
    assert!(!native.runs.is_empty());
    for run in &native.runs {
        assert_eq!(run.measured, [vec![], vec![7]]);
    }
}

#[test]
fn a_program_ends_at_its_end_or_returns_or_halts_or_exits() {
    if cannot() {
        return;
    }
    let reason = |code: &[u8]| {
        let native = start(&image(code));
        assert!(native.runs.len() > 1, "{native:?}");
        (native.stop.reason, native.stop.code)
    };
    assert_eq!(reason(&[0x90]), (StopReason::End, None));
    assert_eq!(reason(&[0xC3]), (StopReason::Return, None));
    assert_eq!(reason(&[0xF4]), (StopReason::Halt, None));
    assert_eq!(reason(&[0xCD, 0x20]), (StopReason::Exit, Some(0)));
    // mov ax,4C07h; int 21h
    assert_eq!(reason(&[0x66, 0xB8, 7, 0x4C, 0xCD, 0x21]), (StopReason::Exit, Some(7)));
    // mov eax,1; mov ebx,1FFh; int 80h
    let exit = [0xB8, 1, 0, 0, 0, 0xBB, 0xFF, 1, 0, 0, 0xCD, 0x80];
    assert_eq!(reason(&exit), (StopReason::Exit, Some(255)));
    // mov eax,238; mov ebx,1; mov ecx,6; int 80h
    let abort = [0xB8, 238, 0, 0, 0, 0xBB, 1, 0, 0, 0, 0xB9, 6, 0, 0, 0, 0xCD, 0x80];
    assert_eq!(reason(&abort), (StopReason::Signal, Some(6)));
}

#[test]
fn an_end_by_a_signal_has_samples_of_its_own() {
    if cannot() {
        return;
    }
    let native = start(&image(&[0xF4]));
    assert_eq!(native.notes, [Note::EndsBySignal]);
    assert!(native.ended_by_signal.len() > 10);
    let by_signal = median(&native.ended_by_signal);
    assert!(by_signal > 4 * median(&native.empty), "{by_signal}");
    assert!(start(&image(&[0x90])).ended_by_signal.is_empty());
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

#[test]
fn faults_are_told_as_the_simulated_machine_tells_them() {
    if cannot() {
        return;
    }
    for (code, vector, words) in [
        (&[0x31u8, 0xC9, 0xF7, 0xF1][..], 0, "#DE: division by zero"),
        (&[0xCC], 3, "#BP: breakpoint instruction"),
        (&[0x0F, 0x0B], 6, "#UD: the bytes 0F 0B"),
        (
            &[0xA1, 0, 0, 0, 0x70],
            14,
            "#PF: read from unmapped memory (address 70000000h)",
        ),
        (
            &[0xA3, 0, 0, 0, 0x70],
            14,
            "#PF: write to unmapped memory (address 70000000h)",
        ),
        (
            &[0xE9, 0, 0, 0, 0x70],
            14,
            "#PF: instruction fetch from unmapped memory",
        ),
        (&[0xCD, 0x33], 13, "#GP: nothing handles interrupt 33h"),
        (
            &[0x0F, 0x32],
            13,
            "#GP: RDMSR needs privilege level 0, but the program runs at level 3",
        ),
        (&[0x0F, 0x20, 0xE0], 13, "#GP: access to a control register"),
        (&[0xFA], 13, "#GP: CLI needs CPL <= IOPL"),
        (&[0xE4, 0x40], 13, "#GP: IN needs"),
        (
            &[0x66, 0xB8, 0x80, 0, 0x8E, 0xD8],
            13,
            "#GP: the host has no segment for selector 0080h",
        ),
        // push 100h or'ed into the flags: single step
        (&[0x68, 0, 1, 0, 0, 0x9D, 0x90, 0x90], 1, "#DB"),
        // mov eax,7FFFFFFFh; inc eax; into
        (&[0xB8, 0xFF, 0xFF, 0xFF, 0x7F, 0x40, 0xCE], 4, "#OF: INTO"),
        // syscall in 32-bit code: the host may have it, a Pentium does not
        (&[0x0F, 0x05], 6, "#UD"),
    ] {
        let stop = stop(code);
        let message = wording::stop(&stop).unwrap_or_default();
        assert_eq!(stop.reason, StopReason::Fault, "{code:02X?} {stop:?}");
        assert_eq!(stop.code, Some(vector), "{code:02X?} {stop:?}");
        assert!(message.contains(words), "{code:02X?} {message}");
    }
}

#[test]
fn a_fault_names_the_line_and_its_run_is_not_kept() {
    if cannot() {
        return;
    }
    let mut image = image(&[0x90, 0x31, 0xC9, 0xF7, 0xF1]);
    image.lines = [(0u32, 1u32), (1, 2), (3, 2)]
        .iter()
        .enumerate()
        .map(|(index, &(offset, length))| runtime::image::LineRow {
            address: CODE + offset,
            length,
            file: 0,
            line: index as u32 + 1,
            written: (0, 0),
            origin: None,
            ..runtime::image::LineRow::default()
        })
        .collect();
    let native = start(&image);
    assert_eq!(native.stop.place, Some((0, 3)));
    assert!(native.runs.is_empty());
}

#[test]
fn read_only_segments_are_read_only() {
    if cannot() {
        return;
    }
    let mut image = image(&[0xC7, 0x05, 0, 0, 0x50, 0, 1, 0, 0, 0]);
    image.segments[1].writable = false;
    let stop = start(&image).stop;
    let Some(StopDetail::Fault { cause, address, .. }) = stop.detail else {
        panic!("{stop:?}");
    };
    assert_eq!(
        (cause, address),
        (FaultCause::Page(PageAccess::WriteToReadOnly), Some(DATA))
    );
}

#[test]
fn code_that_writes_itself_is_put_back_before_each_run() {
    if cannot() {
        return;
    }
    // inc byte ptr [CODE+9]; mov eax,0 (its immediate counts); mov [DATA],eax
    let mut code = vec![0xFE, 0x05];
    code.extend((CODE + 7).to_le_bytes());
    code.extend([0xB8, 0, 0, 0, 0, 0xA3]);
    code.extend(DATA.to_le_bytes());
    let native = start(&with_results(&code, 1));
    assert!(native.runs.len() > 1);
    assert!(native.runs.iter().all(|run| run.measured == [[1]]), "{native:?}");
}

#[test]
fn large_memory_is_put_back_in_time() {
    if cannot() {
        return;
    }
    // mov edi,DATA+8 MiB; inc dword ptr [edi]; mov eax,[edi]; mov [DATA],eax
    let mut code = vec![0xBF];
    code.extend((DATA + (8 << 20)).to_le_bytes());
    code.extend([0xFF, 0x07, 0x8B, 0x07, 0xA3]);
    code.extend(DATA.to_le_bytes());
    let mut image = with_results(&code, 1);
    image.segments[1].zeroes = 16 << 20;
    let native = start(&image);
    assert!(native.runs.len() >= 4, "{} runs", native.runs.len());
    assert!(native.runs.iter().all(|run| run.measured == [[1]]));
}

#[test]
fn an_end_without_room_for_a_jump_is_still_the_end() {
    if cannot() {
        return;
    }
    // The last byte of the code segment is the last byte of its page, and another segment follows directly.
    let mut code = vec![0x90; 0x1000];
    let at = |code: Vec<u8>, next: Vec<u8>| {
        let mut image = image(&code);
        image.segments[1].address = CODE + 0x1000;
        image.segments[1].bytes = next;
        start(&image)
    };
    let native = at(code.clone(), vec![1, 2, 3, 4]);
    assert_eq!(native.stop.reason, StopReason::End, "{native:?}");
    assert_eq!(native.notes, [Note::DataAtEnd { end: CODE + 0x1000 }]);
    code.truncate(0xFFD);
    let native = at(code.clone(), vec![1, 2, 3, 4]);
    assert_eq!(native.stop.reason, StopReason::End, "{native:?}");
    let breakpoint = |end: u32, replaces: bool| Note::BreakpointAtEnd { end, replaces };
    assert_eq!(native.notes, [breakpoint(CODE + 0xFFD, false)]);
    // With nothing after it, the jump takes another page.
    let native = start(&image(&[0x90; 0x1000]));
    assert_eq!(
        (native.stop.reason, native.notes.len()),
        (StopReason::End, 0),
        "{:?}",
        native.notes
    );
    // An end outside of the program has no effect.
    let mut outside = image(&[0x90, 0xC3]);
    outside.end = Some(0x0030_0000);
    let native = start(&outside);
    assert_eq!(native.stop.reason, StopReason::Return, "{:?}", native.stop);
    assert_eq!(native.notes, [Note::EndOutside { end: 0x0030_0000 }]);
    // This end is in the middle of the program.
    let mut middle = image(&[0x40, 0x40, 0x0F, 0x0B]);
    middle.end = Some(CODE + 2);
    let native = start(&middle);
    assert_eq!(native.stop.reason, StopReason::End);
    assert_eq!(native.notes, [breakpoint(CODE + 2, true)]);
}

#[test]
fn services_answer_as_in_the_simulated_machine() {
    if cannot() {
        return;
    }
    let mut code = Vec::new();
    // Stores EAX and carry of each call: write to 1, write from unmapped memory, write to 5, open, kill another
    // process, tkill and tgkill of itself with an ignored signal, getpid, int 21h 40h and 57h.
    let mut result = DATA;
    let mut call = |eax: u32, ebx: u32, ecx: u32, edx: u32, interrupt: u8| {
        for (opcode, value) in [(0xB8u8, eax), (0xBB, ebx), (0xB9, ecx), (0xBA, edx)] {
            code.push(opcode);
            code.extend(value.to_le_bytes());
        }
        code.extend([0xF8, 0xCD, interrupt, 0xA3]); // clc; int; mov [result],eax
        code.extend(result.to_le_bytes());
        code.extend([0x19, 0xC0, 0xA3]); // sbb eax,eax; mov [result+4],eax
        code.extend((result + 4).to_le_bytes());
        result += 8;
    };
    call(4, 1, DATA, 16, 0x80);
    call(4, 1, 0x7000_0000, 16, 0x80);
    call(4, 5, DATA, 16, 0x80);
    call(5, DATA, 0, 0, 0x80);
    call(37, 2, 9, 0, 0x80);
    call(238, 1, 17, 0, 0x80);
    call(270, 1, 1, 65, 0x80);
    call(20, 0, 0, 0, 0x80);
    call(0x4000, 1, 16, DATA, 0x21);
    call(0x4000, 1, 16, 0x7000_0000, 0x21);
    call(0x5700, 1, 16, DATA, 0x21);
    call(0x0200, 0, 0, 65, 0x21);
    let image = with_results(&code, 24);
    let native = start(&image);
    let run = simulated(&image);
    let expected: Vec<u32> = run
        .symbols
        .iter()
        .map(|symbol| symbol.value.expect("a dword") as u32)
        .collect();
    assert_eq!(native.stop.reason, StopReason::End, "{:?}", native.stop);
    assert_eq!(native.runs[0].measured, [expected]);
    let refused = [RefusedService::Dos { function: 0x57 }, RefusedService::File];
    let notes: Vec<Note> = refused.map(Note::Refused).into();
    assert_eq!(native.notes, [vec![Note::OutputDropped], notes].concat());
}

/// A program with a log: three passes per run.
fn logged(room: u32, count: u32) -> Native {
    let mut code = Vec::new();
    for index in 0..6u32 {
        code.extend([0xC7, 0x05]); // mov dword ptr [entry],100+index
        code.extend((DATA + 8 + 4 * index).to_le_bytes());
        code.extend((100 + index).to_le_bytes());
    }
    code.extend([0xC7, 0x05]);
    code.extend(DATA.to_le_bytes());
    code.extend(count.to_le_bytes());
    let mut image = image(&code);
    image.segments[1].bytes = [0, room].iter().flat_map(|word| word.to_le_bytes()).collect();
    image.log = Some(Log {
        address: DATA,
        empty: 0,
    });
    start(&image)
}

#[test]
fn logged_passes_arrive() {
    if cannot() {
        return;
    }
    let native = logged(100, 3);
    assert!(native.runs.len() > 1);
    for run in &native.runs {
        assert_eq!(run.passes, [(100, 101), (102, 103), (104, 105)]);
    }
    assert!(native.notes.is_empty(), "{:?}", native.notes);
}

#[test]
fn a_log_full_of_garbage_is_bounded() {
    if cannot() {
        return;
    }
    let native = logged(2, 3);
    assert_eq!(native.runs[0].passes, [(100, 101), (102, 103)]);
    assert!(matches!(native.notes[..], [Note::LogFull { .. }]), "{:?}", native.notes);
    let native = logged(u32::MAX, u32::MAX);
    assert_eq!(native.stop.reason, StopReason::End);
    assert_eq!(native.runs[0].passes.len(), (0x2000 - 8) / 8, "two pages");
    let kept: usize = native.runs.iter().map(|run| run.passes.len()).sum();
    assert!(kept <= 1 << 20);
}

#[test]
fn images_that_do_not_fit_are_refused_with_the_reason() {
    let refused = |address: u32, length: u32| {
        let mut image = image(&[0x90]);
        image.segments.push(Segment {
            name: "odd".to_owned(),
            address,
            bytes: vec![1],
            zeroes: length - 1,
            writable: true,
        });
        runtime::native::run(&image, &quick()).expect_err("does not fit")
    };
    for (address, length, words) in [
        (0, 1, "vm.mmap_min_addr"),
        (0x0030_0000, 1, "share the page"),
        (0xFFFF_F000, 1, "share the page"),
        (0xFFFF_E000, 1, "share the page"),
        (0x1000_0000, 0x1100_0000, "more than 256 MiB"),
    ] {
        let why = refused(address, length).to_string();
        assert!(why.contains(words), "{address:X}: {why}");
    }
}
