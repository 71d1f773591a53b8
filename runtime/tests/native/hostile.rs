//! Programs that attack their process: each attack is reported, and the parent continues.

use crate::native::images::{CODE, DATA, cannot, image, quick, start};
use runtime::native::{Note, Options, run};
use runtime::report::wording;
use runtime::run::StopReason;
use std::time::{Duration, Instant};

/// `jmp far 33h:behind`, then 64-bit code.
fn long_mode(code: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xEA];
    bytes.extend((CODE + 7).to_le_bytes());
    bytes.extend([0x33, 0]);
    bytes.extend(code);
    bytes
}

fn message(code: &[u8]) -> String {
    let stop = start(&image(code)).stop;
    assert_eq!(stop.reason, StopReason::Fault, "{stop:?}");
    wording::stop(&stop).unwrap_or_default()
}

#[test]
fn an_endless_loop_is_left_in_time_and_says_where_it_was() {
    if cannot() {
        return;
    }
    let mut image = image(&[0xEB, 0xFE]);
    image.lines.push(runtime::image::LineRow {
        address: CODE,
        length: 2,
        file: 0,
        line: 9,
        written: (0, 0),
        origin: None,
        ..runtime::image::LineRow::default()
    });
    // On a busy machine, the time may be over before the loop begins.
    let mut seen = Vec::new();
    for limit in [100, 1_000, 10_000].map(Duration::from_millis) {
        let options = Options {
            runs: 10,
            patience: limit / 5,
            limit,
        };
        let native = run(&image, &options).expect("runs");
        assert_eq!(native.stop.reason, StopReason::Limit);
        assert!(native.runs.is_empty());
        if native.stop.place == Some((0, 9)) && !native.empty.is_empty() {
            return;
        }
        seen.push(native.stop);
    }
    panic!("{seen:?}");
}

#[test]
fn a_loop_that_is_entered_late_leaves_the_runs_before_it() {
    if cannot() {
        return;
    }
    // The time stamp counter decides at random: rdtsc; shr eax,5; and eax,63; jnz behind; jmp $
    let code = [0x0F, 0x31, 0xC1, 0xE8, 5, 0x83, 0xE0, 63, 0x75, 2, 0xEB, 0xFE];
    let options = Options {
        runs: 100_000,
        patience: Duration::from_millis(300),
        limit: Duration::from_millis(400),
    };
    // One run in 64 loops, sometimes the very first, and on a busy machine a child may not reach its first run.
    for _ in 0..40 {
        let native = run(&image(&code), &options).expect("runs");
        assert_eq!(native.stop.reason, StopReason::Limit, "{:?}", native.stop);
        assert!(native.runs.iter().all(|run| run.ticks > 0));
        if !native.runs.is_empty() {
            return;
        }
    }
    panic!("forty times the first run was lost");
}

#[test]
fn an_endless_loop_in_64_bit_code_is_killed() {
    if cannot() {
        return;
    }
    let options = Options {
        limit: Duration::from_millis(50),
        ..quick()
    };
    let native = run(&image(&long_mode(&[0xEB, 0xFE])), &options).expect("runs");
    assert_eq!(native.stop.reason, StopReason::Limit, "{:?}", native.stop);
}

#[test]
fn wild_writes_jumps_and_stacks_are_faults() {
    if cannot() {
        return;
    }
    // xor edi,edi; mov ecx,40000000h; rep stosd
    assert!(message(&[0x31, 0xFF, 0xB9, 0, 0, 0, 0x40, 0xF3, 0xAB]).contains("write to unmapped memory"));
    // xor eax,eax; jmp eax
    assert!(message(&[0x31, 0xC0, 0xFF, 0xE0]).contains("instruction fetch from unmapped memory (address 00000000h)"));
    // again: push eax; jmp again
    assert!(message(&[0x50, 0xEB, 0xFD]).contains("write to unmapped memory (address 002FFFFCh)"));
    // xor esp,esp; ret
    assert!(message(&[0x31, 0xE4, 0xC3]).contains("read from unmapped memory"));
    // mov edi,0FFFFE000h; stosd: the way back
    assert!(message(&[0xBF, 0, 0xE0, 0xFF, 0xFF, 0xAB]).contains("write to read-only memory"));
}

#[test]
fn system_calls_of_64_bit_code_are_refused() {
    if cannot() {
        return;
    }
    // mov eax,57 (fork); syscall
    let words = message(&long_mode(&[0xB8, 57, 0, 0, 0, 0x0F, 0x05]));
    assert!(
        words.contains("64-bit code") && words.contains("system call 57"),
        "{words}"
    );
    // The x32 way: mov eax,40000000h + 57; syscall
    let words = message(&long_mode(&[0xB8, 57, 0, 0, 0x40, 0x0F, 0x05]));
    assert!(words.contains("refused"), "{words}");
    // mov eax,2 (fork); int 80h, from 64-bit code
    let words = message(&long_mode(&[0xB8, 2, 0, 0, 0, 0xCD, 0x80]));
    assert!(words.contains("refused"), "{words}");
}

#[test]
fn a_child_that_ends_itself_is_reported() {
    if cannot() {
        return;
    }
    // mov eax,231; mov edi,3; syscall
    let words = message(&long_mode(&[0xB8, 231, 0, 0, 0, 0xBF, 3, 0, 0, 0, 0x0F, 0x05]));
    assert!(words.contains("exited with status 3"), "{words}");
}

#[test]
fn a_child_that_overwrites_its_harness_is_reported() {
    if cannot() {
        return;
    }
    // mov rsp,0; push rax: no stack remains but that of the handler
    let words = message(&long_mode(&[0x48, 0x31, 0xE4, 0x50]));
    assert!(words.contains("64-bit code"), "{words}");
    assert!(!words.contains("address"), "an address of the host: {words}");
    // mov eax,15 (rt_sigreturn); syscall, on a stack without a frame
    let words = message(&long_mode(&[0xB8, 15, 0, 0, 0, 0x0F, 0x05]));
    assert!(!words.is_empty());
    // The gate reveals the address of the 64-bit code, which reveals that of the memory shared with the parent:
    // mov esi,0FFFFF007h; mov rsi,[rsi]; mov rdi,[rsi+10]; or rax,-1; mov ecx,1000h; rep stosq; hlt
    let wreck = [
        0xBE, 0x07, 0xF0, 0xFF, 0xFF, 0x48, 0x8B, 0x36, 0x48, 0x8B, 0x7E, 10, 0x48, 0x83, 0xC8, 0xFF, 0xB9, 0, 0x10, 0,
        0, 0xF3, 0x48, 0xAB, 0xF4,
    ];
    let native = start(&image(&long_mode(&wreck)));
    assert_eq!(native.stop.reason, StopReason::Fault, "{:?}", native.stop);
    let words = wording::stop(&native.stop).unwrap_or_default();
    assert!(words.contains("may have overwritten its surroundings"), "{words}");
    assert!(native.runs.len() <= 40 && native.empty.len() <= 4_096);
}

#[test]
fn a_report_that_the_program_forges_is_said_to_be_damaged() {
    if cannot() {
        return;
    }
    // The same code, then an exit as if the child had finished: mov eax,231; xor edi,edi; syscall
    let forged = |byte: u8| {
        let mut code = vec![0xBE, 0x07, 0xF0, 0xFF, 0xFF, 0x48, 0x8B, 0x36, 0x48, 0x8B, 0x7E, 10];
        code.extend([0xB0, byte, 0xB9, 0, 0x10, 0, 0, 0xF3, 0xAA]);
        code.extend([0xB8, 231, 0, 0, 0, 0x31, 0xFF, 0x0F, 0x05]);
        image(&long_mode(&code))
    };
    for byte in [0xFF, 0x7F, 1] {
        let native = start(&forged(byte));
        assert_eq!(native.stop.reason, StopReason::Fault, "{:?}", native.stop);
        let words = wording::stop(&native.stop).unwrap_or_default();
        assert!(words.contains("left a damaged report"), "{words}");
        assert!(native.runs.is_empty() && native.empty.is_empty() && native.chain.is_empty());
        assert!(native.notes.is_empty(), "{:?}", native.notes);
    }
}

#[test]
fn flags_and_selectors_left_behind_do_no_harm() {
    if cannot() {
        return;
    }
    // pushfd; or dword ptr [esp],40400h (alignment check, direction); popfd;
    // xor eax,eax; mov ds,ax; mov es,ax; mov fs,ax
    let code = [
        0x9C, 0x81, 0x0C, 0x24, 0, 4, 4, 0, 0x9D, 0x31, 0xC0, 0x8E, 0xD8, 0x8E, 0xC0, 0x8E, 0xE0, 0x31, 0xE4,
    ];
    let native = start(&image(&code));
    assert_eq!(native.stop.reason, StopReason::End, "{:?}", native.stop);
    assert_eq!(native.runs.len(), 40);
}

#[test]
fn nothing_of_the_host_is_below_4_gib() {
    if cannot() {
        return;
    }
    // The code reads one byte of every page but its own; the first mapped page ends the loop.
    for address in [
        0x0000_1000u32,
        0x0040_0000,
        0x0100_0000,
        0x4000_0000,
        0x8000_0000,
        0xF7FF_0000,
    ] {
        let mut code = vec![0xA0];
        code.extend(address.to_le_bytes());
        assert!(message(&code).contains("read from unmapped memory"), "{address:X}");
    }
    assert_eq!(
        start(&image(&[0xA0, 0, 0, 0x50, 0])).stop.reason,
        StopReason::End,
        "{DATA:X}"
    );
}

/// This runs in a separate process, so that no other test loses the counter.
#[test]
fn rdtsc_that_is_disabled_is_said_to_be() {
    if cannot() {
        return;
    }
    const AGAIN: &str = "P5INST_TEST_WITHOUT_RDTSC";
    if std::env::var_os(AGAIN).is_none() {
        let this = std::env::current_exe().expect("a test has a file");
        let output = std::process::Command::new(this)
            .args([
                "--exact",
                "native::hostile::rdtsc_that_is_disabled_is_said_to_be",
                "--nocapture",
            ])
            .env(AGAIN, "1")
            .output()
            .expect("starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        return;
    }
    // SAFETY: changes only whether this thread and its children may execute RDTSC.
    let set = unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV) };
    assert_eq!(set, 0);
    let native = run(&image(&[0x90, 0x0F, 0x31]), &quick());
    let other = run(&image(&[0x90]), &quick());
    // SAFETY: as above. Later code may read the time stamp counter.
    unsafe { libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_ENABLE) };
    let native = native.expect("runs");
    let words = wording::stop(&native.stop).unwrap_or_default();
    assert_eq!(native.stop.code, Some(13), "{words}");
    assert!(words.contains("CR4.TSD") && words.contains("PR_SET_TSC"), "{words}");
    let other = other.expect("runs");
    assert_eq!(other.stop.reason, StopReason::End);
    assert!(other.runs.is_empty());
    assert_eq!(
        other.quantum,
        Err(asm_macros::Unavailable(asm_macros::Reason::TscDisabled))
    );
    assert!(matches!(other.notes[..], [Note::Untimed(_)]), "{:?}", other.notes);
}

#[test]
fn floating_point_exceptions_left_unmasked_do_no_harm() {
    if cannot() {
        return;
    }
    // push 0; ldmxcsr [esp]; fldcw [esp]; fldz; fld1; fdivrp st(1),st: an exception is pending; pop eax
    let code = [
        0x6A, 0, 0x0F, 0xAE, 0x14, 0x24, 0xD9, 0x2C, 0x24, 0xD9, 0xEE, 0xD9, 0xE8, 0xDE, 0xF1, 0x58,
    ];
    let native = start(&image(&code));
    assert_eq!(native.stop.reason, StopReason::End, "{:?}", native.stop);
    assert_eq!(native.runs.len(), 40);
}

#[test]
fn a_child_that_is_asked_before_it_listens_ran_out_of_time() {
    if cannot() {
        return;
    }
    let options = Options {
        limit: Duration::from_millis(1),
        patience: Duration::ZERO,
        ..quick()
    };
    // Mapping and comparing much memory takes longer than the limit; if not, the loop does.
    let mut large = image(&[0xEB, 0xFE]);
    large.segments[1].bytes = vec![1; 64 << 20];
    for _ in 0..3 {
        let native = run(&large, &options).expect("runs");
        assert_eq!(native.stop.reason, StopReason::Limit, "{:?}", native.stop);
    }
}

#[test]
fn memory_that_the_parent_shares_with_others_is_not_reached() {
    if cannot() {
        return;
    }
    let both = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping.
    let page = unsafe { libc::mmap(std::ptr::null_mut(), 4096, both, flags, -1, 0) };
    assert_ne!(page, libc::MAP_FAILED);
    // mov rax,page; mov byte ptr [rax],1
    let mut code = vec![0x48, 0xB8];
    code.extend((page.expose_provenance() as u64).to_le_bytes());
    code.extend([0xC6, 0, 1]);
    let words = message(&long_mode(&code));
    assert!(words.contains("#PF") && words.contains("64-bit code"), "{words}");
    // SAFETY: the page is mapped, and nothing else should write to it.
    assert_eq!(unsafe { page.cast::<u8>().read_volatile() }, 0);
    // SAFETY: mapped above, and nothing else refers to it.
    unsafe { libc::munmap(page, 4096) };
}

#[test]
fn the_child_holds_no_descriptor_of_the_parents() {
    if cannot() {
        return;
    }
    let mut seen = Vec::new();
    // The machine may be too busy for the child to start in time, or for this thread to check in time.
    for limit in [1_500, 6_000, 24_000].map(Duration::from_millis) {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let started = Instant::now();
        let options = Options { limit, ..quick() };
        let running = std::thread::spawn(move || run(&image(&[0xEB, 0xFE]), &options));
        std::thread::sleep(Duration::from_millis(200));
        drop(writer);
        // The reading end sees no hangup while another process holds the writing end.
        let mut poll = libc::pollfd {
            fd: std::os::fd::AsRawFd::as_raw_fd(&reader),
            events: 0,
            revents: 0,
        };
        // SAFETY: the structure outlives the call.
        unsafe { libc::poll(&raw mut poll, 1, 1_000) };
        let told = poll.revents & libc::POLLHUP != 0;
        let after = started.elapsed();
        let native = running.join().expect("no panic").expect("runs");
        if told && after < limit && native.stop.reason == StopReason::Limit {
            return;
        }
        seen.push((told, after, native.stop));
    }
    panic!("{seen:?}");
}
