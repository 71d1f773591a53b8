//! The slot diagram of a report, compared with its run: its clocks add up, its loops have all rounds, and nothing is
//! faster than the bound printed beside it.

use fastrand::Rng;
use runtime::image::{Image, Segment};
use runtime::machine::{self, Options};
use runtime::model::MODELS;
use runtime::report::{self, Detail, Format, Style};
use runtime::run::{Cause, Pipe, TRACE_CAPACITY};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

const CODE: u32 = 0x1000;
const DATA: u32 = 0x8000;

/// Instructions that preserve ECX and ESP: pairable and not, of one clock and of several, with memory and without.
const INSTRUCTIONS: &[&[u8]] = &[
    &[0x01, 0xD8],             // add eax,ebx
    &[0x89, 0xC2],             // mov edx,eax
    &[0x40],                   // inc eax
    &[0x31, 0xD2],             // xor edx,edx
    &[0xC1, 0xE0, 3],          // shl eax,3: only U
    &[0xD3, 0xE0],             // shl eax,cl: never
    &[0x0F, 0xAF, 0xC2],       // imul eax,edx
    &[0x99],                   // cdq
    &[0x8B, 0x06],             // mov eax,[esi]
    &[0x03, 0x5E, 4],          // add ebx,[esi+4]
    &[0x01, 0x46, 8],          // add [esi+8],eax
    &[0x66, 0x40],             // inc ax
    &[0x8D, 0x7E, 4],          // lea edi,[esi+4]
    &[0x8B, 0x07],             // mov eax,[edi]
    &[0x50, 0x5A],             // push eax; pop edx
    &[0x50, 0x52, 0x58, 0x5A], // push eax; push edx; pop eax; pop edx
    // add esp,-4; mov [esp],eax; pop edx
    &[0x83, 0xC4, 0xFC, 0x89, 0x04, 0x24, 0x5A],
    &[0x11, 0xC3],             // adc ebx,eax
    &[0xEB, 0x00],             // jmp to the next instruction
    &[0x75, 0x00],             // jnz to the next instruction
    &[0xC1, 0xD0, 7],          // rcl eax,7: clocks by the count
    &[0x60, 0x61],             // pusha; popa: clocks by the stack's alignment
    &[0xE3, 0x00],             // jecxz to the next instruction: clocks by the outcome
    &[0x51, 0xE2, 0x00, 0x59], // push ecx; loop to the next instruction; pop ecx
    // push ecx; push edi; mov ecx,3; rep stosd; pop edi; pop ecx
    &[0x51, 0x57, 0xB9, 3, 0, 0, 0, 0xF3, 0xAB, 0x5F, 0x59],
];

/// The same for the floating-point unit.
const FLOATING: &[&[u8]] = &[
    &[0xD9, 0xE8],                         // fld1
    &[0xD9, 0x06],                         // fld dword ptr [esi]
    &[0xD8, 0xC1],                         // fadd st,st(1)
    &[0xDE, 0xC1],                         // faddp
    &[0xDC, 0xC9],                         // fmul st(1),st
    &[0xD8, 0x4E, 4],                      // fmul dword ptr [esi+4]
    &[0xD8, 0xF2],                         // fdiv st,st(2)
    &[0xD9, 0xC9],                         // fxch
    &[0xD9, 0xCB],                         // fxch st(3)
    &[0xD9, 0xCE],                         // fxch st(6)
    &[0xDD, 0xD9],                         // fstp st(1)
    &[0xD9, 0x56, 8],                      // fst dword ptr [esi+8]
    &[0xDD, 0x5E, 16],                     // fstp qword ptr [esi+16]
    &[0xDB, 0x46, 4],                      // fild dword ptr [esi+4]
    &[0xDB, 0x5E, 24],                     // fistp dword ptr [esi+24]
    &[0xD8, 0xD1, 0xDF, 0xE0],             // fcom; fnstsw ax
    &[0xD9, 0xFA],                         // fsqrt
    &[0xDA, 0x4E, 4],                      // fimul dword ptr [esi+4]
    &[0xD9, 0xE0],                         // fchs
    &[0xD9, 0xF7],                         // fincstp
    &[0x6A, 0x7F, 0xD9, 0x2C, 0x24, 0x58], // push 7Fh; fldcw [esp]; pop eax: 24 bits
];

/// The index of IMUL, for whose result the next instruction may have to wait.
const MULTIPLY: usize = 6;

fn report(bytes: Vec<u8>) -> (runtime::run::Run, Value, String) {
    let image = Image {
        entry: CODE,
        end: Some(CODE + bytes.len() as u32),
        segments: vec![
            Segment {
                name: "code".to_owned(),
                address: CODE,
                bytes,
                zeroes: 0,
                writable: false,
            },
            Segment {
                name: "data".to_owned(),
                address: DATA,
                bytes: Vec::new(),
                zeroes: 64,
                writable: true,
            },
        ],
        ..Image::default()
    };
    let run = machine::simulate(&image, "random", MODELS[0], &Options::default(), &mut |_| {});
    let style = Style::plain(80, Detail::Short);
    let [json, text] = [Format::Json, Format::Text].map(|format| {
        let mut bytes = Vec::new();
        report::write(format, &run, &style, &mut bytes).expect("a vector takes everything");
        String::from_utf8(bytes).expect("reports are UTF-8")
    });
    (run, serde_json::from_str(&json).expect("a report is JSON"), text)
}

fn pointers() -> Vec<u8> {
    let mut bytes = vec![0xBE];
    bytes.extend(DATA.to_le_bytes()); // mov esi,DATA
    bytes.push(0xBF);
    bytes.extend(DATA.to_le_bytes()); // mov edi,DATA
    bytes
}

fn body(random: &mut Rng) -> Vec<u8> {
    let count = random.usize(1..14);
    // In some programs most instructions are floating-point instructions, in others none.
    let floating = random.u8(0..3) * 5;
    let choose = |_| {
        let list = if random.u8(0..12) < floating {
            FLOATING
        } else {
            INSTRUCTIONS
        };
        random.choice(list).expect("not empty").to_vec()
    };
    (0..count).flat_map(choose).collect()
}

/// The maximum clocks after the end of a loop until all results of its instructions are ready, including those of a
/// chain through every register of the floating-point stack.
const TAIL: u64 = 8 * 70;

/// The clocks of the rows; each row begins where the previous one ends.
fn clocks(rows: &Value) -> u64 {
    let rows = rows.as_array().expect("rows");
    let mut clock = None;
    for row in rows {
        let row = row.get("group").or(row.get("loop")).expect("a group or a loop");
        let begins = row["clock"].as_u64().expect("a clock");
        assert!(clock.is_none_or(|clock| clock == begins), "{row}");
        clock = Some(begins + row["cycles"].as_u64().expect("clocks"));
    }
    clock.unwrap_or(0)
        - rows.first().map_or(0, |row| {
            let row = row.get("group").or(row.get("loop")).expect("a group or a loop");
            row["clock"].as_u64().expect("a clock")
        })
}

/// Whether a report says that no order takes less than `bound` clocks, in any of its wordings.
fn names(text: &str, bound: u64) -> bool {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = [" (", " clocks (", " clock ("];
    words
        .iter()
        .any(|words| text.contains(&format!(" less than {bound}{words}")))
}

#[test]
fn no_straight_code_beats_its_bound() {
    let first = p5_seeds::seed();
    let mut reached = 0;
    for seed in first..first + 400 {
        let mut random = Rng::with_seed(seed);
        let mut bytes = pointers();
        bytes.extend(body(&mut random));
        let (run, json, text) = report(bytes);
        let diagram = &json["diagram"];
        // The first group issues after a wait that belongs to no row.
        let waited = diagram["rows"][0]["group"]["clock"].as_u64().expect("a clock");
        assert_eq!(
            clocks(&diagram["rows"]) + waited,
            run.own.totals.cycles,
            "seed {seed}: {json}"
        );
        let bound = diagram["bound"]["clocks"].as_u64().expect("straight code has a bound");
        assert!(bound <= run.own.totals.cycles, "seed {seed}: {bound}\n{text}");
        reached += u32::from(bound == run.own.totals.cycles);
        assert!(names(&text, bound), "seed {seed}\n{text}");
    }
    assert!(reached > 10, "a bound that is never reached says little: {reached}");
}

#[test]
fn a_group_lasts_its_own_clocks_and_its_waits() {
    let mut compared = HashSet::new();
    let first = p5_seeds::seed();
    for seed in first..first + 400 {
        let mut random = Rng::with_seed(seed);
        let mut bytes = pointers();
        for _ in 0..random.usize(1..14) {
            let chosen = random.usize(..INSTRUCTIONS.len());
            if chosen != MULTIPLY {
                bytes.extend(INSTRUCTIONS[chosen]);
            }
        }
        let (run, _, text) = report(bytes);
        let mut own: HashMap<u32, u64> = HashMap::new();
        let mut paired = HashSet::new();
        let issued = &run.trace.issued;
        for (at, one) in issued.iter().enumerate().filter(|(_, one)| one.pipe == Pipe::U) {
            let mut rest = issued[at + 1..].iter();
            let next = rest.find(|other| other.pipe == Pipe::U);
            let waits = one.longer + next.map_or(0, |next| next.late);
            *own.entry(one.instruction).or_default() += u64::from(one.cycles - waits);
            if let Some(v) = issued.get(at + 1).filter(|v| v.pipe == Pipe::V) {
                paired.extend([one.instruction, v.instruction]);
            }
        }
        for (index, own) in own.into_iter().filter(|(index, _)| !paired.contains(index)) {
            let one = &run.instructions[index as usize];
            let worked = one.causes.iter();
            let worked = worked.filter(|part| matches!(part.cause, Cause::Issue | Cause::Execution));
            let worked: u64 = worked.map(|part| part.cycles).sum();
            assert_eq!(own, worked, "seed {seed}: {}\n{text}", one.text);
            compared.extend(one.text.split(' ').next().map(str::to_owned));
        }
    }
    for mnemonic in ["rcl", "popa", "jecxz", "loop", "rep", "shl"] {
        assert!(compared.contains(mnemonic), "{mnemonic}: {compared:?}");
    }
}

#[test]
fn no_loop_beats_its_bound_and_no_round_is_lost() {
    let first = p5_seeds::seed();
    for seed in first..first + 400 {
        let mut random = Rng::with_seed(seed);
        let body = body(&mut random);
        // A trace has room for all of them, because no instruction is shorter than a byte.
        let most = TRACE_CAPACITY as u32 / (body.len() as u32 + 3) - 8;
        let rounds = random.u32(3..if seed % 4 == 0 { most } else { 20 });
        let mut bytes = pointers();
        bytes.push(0xB9);
        bytes.extend(rounds.to_le_bytes()); // mov ecx,rounds
        let length = body.len() as u8;
        let floating = body.iter().any(|byte| (0xD8..=0xDF).contains(byte));
        bytes.extend(body);
        bytes.extend([0x49, 0x75, (length + 3).wrapping_neg()]); // dec ecx; jnz back
        let (run, json, text) = report(bytes);
        let rows = json["diagram"]["rows"].as_array().expect("rows");
        let found = rows
            .iter()
            .find_map(|row| row.get("loop"))
            .unwrap_or_else(|| panic!("seed {seed}\n{text}"));
        let [path] = found["paths"].as_array().expect("paths").as_slice() else {
            panic!("seed {seed}: the body has no branches\n{text}");
        };
        let number = |field: &str| {
            found[field]
                .as_u64()
                .or_else(|| path[field].as_u64())
                .expect("a number")
        };
        let more = u64::from(found["entered_in_v"].as_bool().expect("a flag"));
        assert_eq!(number("rounds") + more, u64::from(rounds), "seed {seed}\n{text}");
        assert!(number("alike") <= number("rounds"), "seed {seed}\n{text}");
        assert_eq!(clocks(&path["round"]), number("round_cycles"), "seed {seed}\n{text}");
        let waited = rows[0]["group"]["clock"].as_u64().expect("a clock");
        let diagram = &json["diagram"]["rows"];
        assert_eq!(clocks(diagram) + waited, run.own.totals.cycles, "seed {seed}\n{text}");
        let bound = path["bound"]["clocks"].as_u64().expect("an innermost loop has a bound");
        assert!(
            bound * number("rounds") <= number("cycles") + if floating { TAIL } else { 0 },
            "seed {seed}: {bound}\n{text}"
        );
        assert!(names(&text, bound), "seed {seed}\n{text}");
    }
}

#[test]
fn loops_in_loops_are_folded_inside_first() {
    let mut bytes = vec![0xBA, 5, 0, 0, 0]; // mov edx,5
    bytes.extend([0xB9, 9, 0, 0, 0]); // outer: mov ecx,9
    bytes.extend([0x40, 0x43, 0x49, 0x75, 0xFB]); // inner: inc eax; inc ebx; dec ecx; jnz inner
    bytes.extend([0x4A, 0x75, 0xF3]); // dec edx; jnz outer
    let (_, json, text) = report(bytes);
    let loops = |rows: &Value| {
        let rows = rows.as_array().expect("rows").clone();
        rows.into_iter()
            .filter_map(|row| row.get("loop").cloned())
            .collect::<Vec<Value>>()
    };
    // The first round of the outer loop begins in V beside the code before it, so it precedes the four others, and the
    // loop says so.
    let outermost = loops(&json["diagram"]["rows"]);
    let [first, outer] = outermost.as_slice() else {
        panic!("{text}");
    };
    let within = loops(&outer["paths"][0]["round"]);
    let [inner] = within.as_slice() else {
        panic!("{text}");
    };
    let rounds =
        |of: &Value| of["rounds"].as_u64().expect("rounds") + u64::from(of["entered_in_v"].as_bool().expect("a flag"));
    assert_eq!((rounds(first), rounds(outer), rounds(inner)), (9, 5, 9), "{text}");
    let path = &outer["paths"][0];
    let bound = path["bound"]["clocks"]
        .as_u64()
        .expect("a bound of all its instructions");
    let clocks = path["round_cycles"].as_u64().expect("clocks");
    // A pair takes a clock, and each of the nine inner rounds is a pair.
    assert!((10..=clocks).contains(&bound), "{bound} of {clocks}\n{text}");
}
