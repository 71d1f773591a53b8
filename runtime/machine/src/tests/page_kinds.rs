//! Pages of 4 MiB, and pages whose data is not cached or is written through, observed by events.

use super::{CODE, image, run_both_ways};
use crate::Options;
use asm_macros::events::Event;
use p5_chips::{self as model, MemoryPreset};
use p5_image::Segment;
use p5_results::{Run, StopReason};

const DIRECTORY: u32 = 0x1_0000;
const TABLE: u32 = 0x1_1000;
/// The addresses of pages with PCD, with PWT and with neither.
const UNCACHED: u32 = 0x2_0000;
const WRITE_THROUGH: u32 = 0x2_1000;
const USUAL: u32 = 0x2_2000;
/// The size of a large page, and an address in the first one. Each large page maps the first 4 MiB of memory.
const LARGE: u32 = 0x40_0000;
const IN_LARGE: u32 = LARGE + USUAL;

/// Runs `code` with these pages: the first 4 MiB mapped by a table, then 63 large pages.
fn run(chip: &str, code: &[u8]) -> Run {
    let mut words = vec![0x83u32; 2048];
    words[0] = TABLE | 3;
    words[64..1024].fill(0);
    for (page, word) in (0u32..).zip(&mut words[1024..]) {
        let bits = match page << 12 {
            UNCACHED => 0x13,
            WRITE_THROUGH => 0x0B,
            _ => 3,
        };
        *word = page << 12 | bits;
    }
    // mov eax,DIRECTORY; mov cr3,eax; mov eax,cr4; or al,10h; mov cr4,eax
    let begin = [
        0xB8, 0, 0, 1, 0, 0x0F, 0x22, 0xD8, 0x0F, 0x20, 0xE0, 0x0C, 0x10, 0x0F, 0x22, 0xE0,
    ];
    let code = [&begin, code].concat();
    let mut image = image(code.clone(), CODE + code.len() as u32, Vec::new());
    let data = |address, bytes: Vec<u8>, zeroes| Segment {
        name: format!("at {address:X}h"),
        address,
        bytes,
        zeroes,
        writable: true,
    };
    let tables = words.into_iter().flat_map(u32::to_le_bytes).collect();
    image.segments.push(data(DIRECTORY, tables, 0));
    image.segments.push(data(UNCACHED, Vec::new(), 0x10_0000));
    let options = Options {
        runs: 1,
        memory: MemoryPreset::by_name("l2").expect("a preset"),
        ..Options::default()
    };
    let run = run_both_ways(&image, model::by_name(chip).expect("a chip"), &options);
    assert_eq!(run.stop.reason, StopReason::End, "{:?}", run.stop);
    run
}

fn count(run: &Run, event: Event) -> u64 {
    let found = run.whole.events.iter().find(|count| count.event == event);
    found.map_or(0, |found| found.occurrences)
}

/// Code that reads one dword at each of `count` places, `step` apart from `first` on, ten times.
fn reads(first: u32, step: u32, count: u32) -> Vec<u8> {
    let mut code = vec![0xB9, 10, 0, 0, 0, 0xBE]; // mov ecx,10; again: mov esi,first
    code.extend(first.to_le_bytes());
    code.push(0xBA); // mov edx,count
    code.extend(count.to_le_bytes());
    code.extend([0x8B, 0x06, 0x81, 0xC6]); // inner: mov eax,[esi]; add esi,step
    code.extend(step.to_le_bytes());
    code.extend([0x4A, 0x75, 0xF5, 0x49, 0x75, 0xE8]); // dec edx; jnz inner; dec ecx; jnz again
    code
}

#[test]
fn a_large_page_is_one_entry_of_a_tlb_of_its_own() {
    let misses = |chip, first, step, count_of| count(&run(chip, &reads(first, step, count_of)), Event::DATA_TLB_MISS);
    for chip in ["p5", "p54c"] {
        assert_eq!(misses(chip, IN_LARGE, 0x1000, 100), 1, "{chip}: 100 small parts of one");
        assert_eq!(misses(chip, IN_LARGE, LARGE, 8), 8, "{chip}: as many as entries");
        assert!(misses(chip, IN_LARGE, LARGE, 9) > 9, "{chip}: one more");
        // Two sets of four ways: five pages of one set.
        assert!(misses(chip, IN_LARGE, 2 * LARGE, 5) > 5, "{chip}: one set");
        assert_eq!(misses(chip, IN_LARGE, 2 * LARGE, 4), 4, "{chip}: one set");
        // The small pages have their own 64 entries.
        let mut both = reads(IN_LARGE, LARGE, 8);
        both.extend(reads(USUAL, 0x1000, 64));
        assert_eq!(count(&run(chip, &both), Event::DATA_TLB_MISS), 72, "{chip}");
    }
    assert_eq!(misses("p55c", IN_LARGE, LARGE, 60), 60, "in the one TLB of 64 entries");
    assert_eq!(misses("p55c", IN_LARGE, 0x1000, 100), 1);
    let mut both = reads(IN_LARGE, LARGE, 8);
    both.extend(reads(USUAL, 0x1000, 64));
    both.extend(reads(IN_LARGE, LARGE, 8));
    assert!(
        count(&run("p55c", &both), Event::DATA_TLB_MISS) > 72,
        "p55c: they share it"
    );
}

#[test]
fn a_walk_to_a_large_page_reads_one_entry() {
    // The clocks of a first read, which misses the TLB, in pages whose entries are not cached.
    let clocks = |address: u32| {
        let mut code = vec![0xA1]; // mov eax,[address]
        code.extend(address.to_le_bytes());
        run("p54c", &code).whole.totals.cycles
    };
    assert!(clocks(LARGE + 0x3_0040) < clocks(0x3_0040));
}

#[test]
fn invlpg_and_cr3_discard_large_pages() {
    let read = [0xA1, 0, 0x20, 0x42, 0]; // mov eax,[IN_LARGE]
    let twice = |between: &[u8]| {
        let code = [&read[..], between, &read].concat();
        count(&run("p54c", &code), Event::DATA_TLB_MISS)
    };
    assert_eq!(twice(&[]), 1);
    assert_eq!(twice(&[0x0F, 0x01, 0x3D, 0, 0x50, 0x40, 0]), 2, "invlpg [LARGE+5000h]");
    assert_eq!(
        twice(&[0x0F, 0x20, 0xD8, 0x0F, 0x22, 0xD8]),
        2,
        "mov eax,cr3; mov cr3,eax"
    );
}

/// Code that reads `page`, and then reads and writes it ten times.
fn reads_and_writes(page: u32) -> Vec<u8> {
    let mut code = vec![0xBE]; // mov esi,page
    code.extend(page.to_le_bytes());
    code.extend([0x8B, 0x06, 0xB9, 10, 0, 0, 0]); // mov eax,[esi]; mov ecx,10
    code.extend([0x8B, 0x46, 4, 0x89, 0x46, 8, 0x49, 0x75, 0xF7]); // mov eax,[esi+4]; mov [esi+8],eax; dec ecx; jnz
    code
}

#[test]
fn pages_decide_whether_the_cache_keeps_a_line_and_keeps_writes() {
    let counts = |chip, page| {
        let run = run(chip, &reads_and_writes(page));
        [
            Event::DATA_READ,
            Event::DATA_READ_MISS,
            Event::NONCACHEABLE_READS,
            Event::DATA_WRITE,
            Event::DATA_WRITE_MISS,
            Event::WRITE_HIT_TO_M_OR_E_LINE,
            Event::NONCACHEABLE_WRITES,
        ]
        .map(|event| count(&run, event))
    };
    assert_eq!(counts("p54c", USUAL), [11, 1, 0, 10, 0, 10, 0]);
    assert_eq!(counts("p54c", UNCACHED), [11, 11, 11, 10, 10, 0, 0]);
    assert_eq!(counts("p54c", WRITE_THROUGH), [11, 1, 0, 10, 0, 0, 0]);
    assert_eq!(counts("p55c", UNCACHED), [11, 11, 11, 10, 10, 0, 10]);
}

#[test]
fn writes_of_both_pipes_go_through() {
    // mov esi,page; mov eax,[esi]; mov edx,10; again: mov [esi],eax | mov [esi+4],ecx; dec edx; jnz again
    let counts = |page: u32| {
        let mut code = vec![0xBE];
        code.extend(page.to_le_bytes());
        code.extend([
            0x8B, 0x06, 0xBA, 10, 0, 0, 0, 0x89, 0x06, 0x89, 0x4E, 4, 0x4A, 0x75, 0xF8,
        ]);
        let run = run("p54c", &code);
        let clocks = |event| {
            let found = run.whole.events.iter().find(|count| count.event == event);
            found.map_or([0; 2], |found| [found.occurrences, found.clocks])
        };
        (
            clocks(Event::WRITE_HIT_TO_M_OR_E_LINE),
            clocks(Event::MEMORY_ACCESSES_IN_BOTH_PIPES),
        )
    };
    assert_eq!(counts(USUAL), ([20, 11], [9, 9]), "the first pass is not paired");
    assert_eq!(counts(WRITE_THROUGH), ([0, 0], [9, 9]));
}
