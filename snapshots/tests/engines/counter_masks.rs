//! CMASK, INV and EDGE on random programs, for every event: a counter never decreases and never counts more clocks than
//! pass, and a condition and its inverse divide the clocks between them.

use super::simulate_on;
use fastrand::Rng;
use runtime::machine::Options;
use runtime::model::{CoreRatio, monitor};
use runtime::run::StopReason;
use std::fmt::Write;

/// The events whose selection has its own unit mask.
const ARCHITECTURAL: [u64; 7] = [0x003C, 0x00C0, 0x013C, 0x4F2E, 0x412E, 0x00C4, 0x00C5];
/// The codes of the Pentium's own events.
const OWN: std::ops::Range<u64> = 0..0x2A;
/// The number of readings of the counters before they stop.
const READINGS: usize = 6;
/// The four general counters and the fixed one of core clocks.
const COUNTERS: [u32; 5] = [0xC1, 0xC2, 0xC3, 0xC4, 0x30A];

const ENABLED: u64 = 0x43 << 16;
const EDGE: u64 = 1 << 18;
const INVERTED: u64 = 1 << 23;

fn write(register: u32, value: u64) -> String {
    let (low, high) = (value as u32, value >> 32);
    format!(" mov ecx,{register}\n mov eax,{low}\n mov edx,{high}\n wrmsr\n")
}

/// Instructions that fill caches and buffers and keep both pipes busy, with `reading`s among them, and without an
/// effect on EDI.
fn body(random: &mut Rng) -> String {
    const LINES: &[&str] = &[
        "add eax,ebx",
        "mov ebx,[esi]",
        "mov [esi+4],eax",
        "add dword ptr [esi+8],3",
        "imul ebx,eax",
        "add esi,1056",
        "mov ebx,[esi+62]",
        "mov [esi+2048],ebx",
        "lock inc dword ptr [esi]",
        "push eax\n pop eax",
        "cmp eax,7\n jb $+2",
        "fld qword ptr [esi]\n fstp qword ptr [esi+8]",
        "mov esi,offset memory",
        "in al,dx",
        "nop",
    ];
    let mut text = String::new();
    for reading in 0..READINGS {
        let rounds = random.u32(1..6);
        let _ = writeln!(text, " mov ebp,{rounds}\nround{reading}:");
        for _ in 0..random.u32(1..12) {
            let _ = writeln!(text, " {}", LINES[random.usize(..LINES.len())]);
        }
        let _ = writeln!(
            text,
            " dec ebp\n jnz round{reading}\n call reading\n mov esi,offset memory"
        );
    }
    text
}

/// The value of each counter at each reading, selected by `selects`, and its value after the stop.
fn readings(random: &mut Rng, selects: [u64; 4], seed: u64) -> (Vec<[u64; 5]>, u64, String) {
    let mut setup = write(0x38F, 0) + &write(0x38D, 0x30);
    for (number, select) in (0..).zip(selects) {
        setup += &write(0x186 + number, select);
    }
    let mut reading = String::new();
    for (place, register) in COUNTERS.iter().enumerate() {
        let at = place * 8;
        let _ = writeln!(
            reading,
            " mov ecx,{register}\n rdmsr\n mov [edi+{at}],eax\n mov [edi+{at}+4],edx"
        );
    }
    let values: String = (0..(READINGS + 1) * COUNTERS.len())
        .map(|place| format!("value{place} dq 0\n"))
        .collect();
    let text = format!(
        ".586p\n.model flat\n.data\nalign 8\n{values}status dq 0\nmemory dd 65536 dup(1)\n.code\n\
         reading:\n push eax\n push edx\n{reading} add edi,40\n pop edx\n pop eax\n ret\n\
         start:\n{setup} mov edi,offset value0\n mov esi,offset memory\n{}{}{} call reading\n\
         mov ecx,38Eh\n rdmsr\n mov dword ptr status,eax\n ret\nend start\n",
        write(0x38F, 0x2_0000_000F),
        body(random),
        write(0x38F, 0),
    );
    let options = Options {
        runs: random.u32(1..3),
        core_ratio: CoreRatio::parse(["1/1", "3/2"][random.usize(..2)]).expect("a ratio"),
        ..Options::default()
    };
    let model = snapshots::chip().with_monitors(&[monitor("perfmon").expect("exists")]);
    let run = simulate_on(model.expect("has model specific registers"), &text, &options, seed);
    assert_eq!(run.stop.reason, StopReason::Return, "seed {seed}\n{text}");
    let value = |name: &str| snapshots::value(&run, name).expect("a symbol");
    let of = |reading: usize| std::array::from_fn(|counter| value(&format!("value{}", reading * 5 + counter)));
    ((0..=READINGS).map(of).collect(), value("status"), text)
}

#[test]
fn masked_counters_never_run_backwards_and_share_the_clocks_with_their_inverse() {
    let first = p5_seeds::seed();
    let (mut held, mut doubled, mut begun) = (0, 0, 0);
    for (seed, event) in (first..).zip(OWN.chain(ARCHITECTURAL)) {
        let mut random = Rng::with_seed(seed);
        let select = |least: u64, flags: u64| event | ENABLED | flags | least << 24;
        let edge = EDGE | if random.bool() { INVERTED } else { 0 };
        let selects = [select(1, 0), select(1, INVERTED), select(2, 0), select(1, edge)];
        let (readings, status, text) = readings(&mut random, selects, seed);
        let context = || format!("seed {seed}, event {event:X}h: {readings:?}\n{text}");
        assert_eq!(status, 0, "nothing overflows; {}", context());
        for pair in readings.windows(2) {
            assert!(
                (0..5).all(|counter| pair[0][counter] <= pair[1][counter]),
                "{}",
                context()
            );
        }
        let last = readings[READINGS];
        let [any, none, two, edges, clocks] = last;
        assert_eq!(any + none, clocks, "{}", context());
        assert!(two <= any, "{}", context());
        let holding = if edge & INVERTED == 0 { any } else { none };
        assert!(edges <= holding, "{}", context());
        (held, doubled, begun) = (held + any, doubled + two, begun + edges);
    }
    assert!(held > 0 && doubled > 0 && begun > 0, "seed {first}: nothing is counted");
}

#[test]
fn without_a_mask_no_counter_runs_backwards() {
    let first = p5_seeds::seed();
    let events: Vec<u64> = OWN.chain(ARCHITECTURAL).collect();
    for (seed, events) in (first..).zip(events.chunks(4)) {
        let mut random = Rng::with_seed(seed);
        let mut selects = [0; 4];
        for (select, event) in selects.iter_mut().zip(events) {
            *select = event | ENABLED;
        }
        let (readings, status, text) = readings(&mut random, selects, seed);
        assert_eq!(status, 0, "seed {seed}, {events:X?}: {readings:?}\n{text}");
        for pair in readings.windows(2) {
            let forwards = (0..5).all(|counter| pair[0][counter] <= pair[1][counter]);
            assert!(forwards, "seed {seed}, {events:X?}: {readings:?}\n{text}");
        }
    }
}
