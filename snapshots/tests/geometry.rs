//! Chips that differ only in the size of one unit, on programs whose hits and misses follow from that size: compares
//! the machine's counts with a prediction from sets, ways and lines.

use asm_macros::events::Event;
use runtime::machine::Options;
use runtime::model::{CacheGeometry, Geometry, Model, TableGeometry};
use runtime::run::Run;
use std::collections::HashMap;

const PASSES: u64 = 20;

/// The usual chip with a changed geometry.
fn chip(change: impl FnOnce(&mut Geometry)) -> &'static Model {
    let mut model = *snapshots::chip();
    change(&mut model.geometry);
    Box::leak(Box::new(model))
}

/// One run of a program, stopped without a stack access.
fn run(model: &'static Model, program: &str) -> Run {
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    snapshots::run("geometry.asm", program, model, &options).unwrap_or_else(|why| panic!("{why}\n{program}"))
}

fn count(run: &Run, event: Event) -> u64 {
    run.whole.events[usize::from(event.selector())].occurrences
}

/// The number of visits that miss in sets of `ways` ways with replacement of the least recently used one.
fn misses(sets: u32, ways: u32, visits: impl Iterator<Item = u32>) -> u64 {
    let mut recent: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut misses = 0;
    for visit in visits {
        let set = recent.entry(visit % sets).or_default();
        match set.iter().position(|&other| other == visit) {
            Some(way) => drop(set.remove(way)),
            None => misses += 1,
        }
        set.insert(0, visit);
        set.truncate(ways as usize);
    }
    misses
}

fn cache_misses(geometry: &CacheGeometry, addresses: impl Iterator<Item = u32>) -> u64 {
    misses(
        geometry.sets(),
        geometry.ways,
        addresses.map(|address| address / geometry.line),
    )
}

/// Reads every `stride`th byte of an array `reads` times a pass.
fn strides(passes: u64, stride: u32, reads: u32) -> String {
    format!(
        ".586\n.model flat\n.data\nalign 4096\narea db 524288 dup(0)\n.code\nstart:\n    mov ebp,{passes}\npass:\n    \
         mov esi,offset area\n    mov ecx,{reads}\nagain:\n    mov eax,[esi]\n    add esi,{stride}\n    dec ecx\n    \
         jnz again\n    dec ebp\n    jnz pass\n    hlt\nend start\n"
    )
}

/// The addresses that `strides` reads, relative to the beginning of the array.
fn read_addresses(passes: u64, stride: u32, reads: u32) -> impl Iterator<Item = u32> {
    (0..passes).flat_map(move |_| (0..reads).map(move |read| read * stride))
}

const CACHES: [CacheGeometry; 4] = [
    CacheGeometry {
        size: 8 << 10,
        ways: 2,
        line: 32,
    },
    CacheGeometry {
        size: 16 << 10,
        ways: 4,
        line: 32,
    },
    CacheGeometry {
        size: 8 << 10,
        ways: 4,
        line: 16,
    },
    CacheGeometry {
        size: 4 << 10,
        ways: 1,
        line: 32,
    },
];

#[test]
fn the_data_cache_is_as_large_as_the_chip_says() {
    // Cases: several reads per line; consecutive lines over 12 KiB; three and nine lines of one set. The second half of
    // the passes misses only for lack of room, because at first the entries of the page tables are read as well.
    let mut seen = Vec::new();
    for (stride, reads) in [(8, 512), (32, 384), (4096, 3), (2048, 9)] {
        let counted = CACHES.map(|cache| {
            let model = chip(|geometry| geometry.data_cache = cache);
            let of = |passes: u64| {
                let run = run(model, &strides(passes, stride, reads));
                assert_eq!(count(&run, Event::DATA_READ), passes * u64::from(reads));
                let predicted = cache_misses(&cache, read_addresses(passes, stride, reads));
                (count(&run, Event::DATA_READ_MISS), predicted)
            };
            let (short, long) = (of(PASSES), of(2 * PASSES));
            let (missed, predicted) = (long.0 - short.0, long.1 - short.1);
            assert_eq!(missed, predicted, "{cache:?}: {reads} reads {stride} bytes apart");
            missed
        });
        seen.push(counted);
    }
    let all = |reads: u64| reads * PASSES;
    assert_eq!(
        seen,
        [
            [0, 0, 0, 0],
            [all(384), 0, all(384), all(384)],
            [all(3), 0, 0, all(3)],
            [all(9), all(5), all(9), all(9)],
        ]
    );
}

#[test]
fn the_code_cache_is_as_large_as_the_chip_says() {
    // Jumps lead from page to page and back, in the last line of each: no line is read ahead across the end of a page.
    const LAST: &str = "align 4096\n    db 4096 - 16 dup(90h)\n";
    let mut program = format!(".586\n.model flat\n.code\n{LAST}start:\n    mov ebp,{PASSES}\n    jmp page_1\n");
    for page in 1..=3 {
        let next = page + 1;
        program.push_str(&format!("{LAST}page_{page}:\n    inc eax\n    jmp page_{next}\n"));
    }
    program.push_str(&format!(
        "{LAST}page_4:\n    dec ebp\n    jnz page_1\n    hlt\nend start\n"
    ));
    let counted = CACHES.map(|cache| {
        let run = run(chip(|geometry| geometry.code_cache = cache), &program);
        let visits = [0].into_iter().chain((0..PASSES).flat_map(|_| 1..=4));
        let missed = count(&run, Event::CODE_CACHE_MISS);
        assert_eq!(
            missed,
            cache_misses(&cache, visits.map(|page| page * 4096)),
            "{cache:?}"
        );
        missed
    });
    assert_eq!(counted, [4 * PASSES + 1, 5, 5, 4 * PASSES + 1]);
}

#[test]
fn the_data_tlb_is_as_large_as_the_chip_says() {
    // If a set holds all its pages, or has one way for several, the order of replacement does not matter.
    let tables = [(64, 4), (64, 1), (64, 64), (32, 32)].map(|(entries, ways)| TableGeometry { entries, ways });
    let mut seen = Vec::new();
    for (stride, reads) in [(32 * 4096, 4), (4096, 16)] {
        let counted = tables.map(|table| {
            let run = run(
                chip(|geometry| geometry.data_tlb = table),
                &strides(PASSES, stride, reads),
            );
            let missed = count(&run, Event::DATA_TLB_MISS);
            let pages = read_addresses(PASSES, stride, reads).map(|address| address / 4096);
            assert_eq!(missed, misses(table.sets(), table.ways, pages), "{table:?}");
            missed
        });
        seen.push(counted);
    }
    assert_eq!(seen, [[4, 4 * PASSES, 4, 4], [16; 4]]);
}

#[test]
fn the_branch_target_buffer_is_as_large_as_the_chip_says() {
    // The entry of each jump is attached to the preceding group, which starts at the target of the previous jump; they
    // are 256 bytes apart.
    let program = |passes: u64| {
        let mut program =
            format!(".586\n.model flat\n.code\nalign 4096\nstart:\n    mov ebp,{passes}\n    jmp jump_0\n");
        for jump in 0..4 {
            let next = jump + 1;
            program.push_str(&format!("align 256\njump_{jump}:\n    inc eax\n    jmp jump_{next}\n"));
        }
        program.push_str("align 16\njump_4:\n    dec ebp\n    jnz jump_0\n    hlt\nend start\n");
        program
    };
    let tables = [(256, 4), (256, 1), (64, 1), (256, 256)].map(|(entries, ways)| TableGeometry { entries, ways });
    let counted = tables.map(|table| {
        let model = chip(|geometry| geometry.branch_target_buffer = table);
        let (short, long) = (run(model, &program(PASSES)), run(model, &program(2 * PASSES)));
        let mut sets: HashMap<u32, u64> = HashMap::new();
        for one in &short.instructions {
            if one.text.starts_with("inc") || one.text.starts_with("dec") {
                *sets.entry(one.address % table.sets()).or_default() += 1;
            }
        }
        // After their creation, entries that fit hit in each pass, and those that share one way never do.
        let fitting: u64 = sets.values().filter(|&&entries| entries <= u64::from(table.ways)).sum();
        let hits = count(&long, Event::BTB_HITS) - count(&short, Event::BTB_HITS);
        assert_eq!(hits, fitting * PASSES, "{table:?}");
        fitting
    });
    assert_eq!(counted, [5, 1, 1, 5]);
}

#[test]
fn the_data_cache_has_as_many_banks_as_the_chip_says() {
    for (banks, bank_width, apart, conflicts) in [
        (8, 4, 32, true),
        (16, 4, 32, false),
        (8, 8, 32, false),
        (8, 4, 4, false),
    ] {
        let program = format!(
            ".586\n.model flat\n.data\nalign 4096\narea dd 64 dup(0)\n.code\nstart:\n    mov ebp,{PASSES}\n    \
             mov esi,offset area\npass:\n    mov eax,[esi]\n    mov ebx,[esi+{apart}]\n    dec ebp\n    jnz pass\n    \
             hlt\nend start\n"
        );
        let model = chip(|geometry| (geometry.banks, geometry.bank_width) = (banks, bank_width));
        let run = run(model, &program);
        let both = count(&run, Event::MEMORY_ACCESSES_IN_BOTH_PIPES);
        assert!(both >= PASSES - 1, "the first execution may not pair");
        let counted = count(&run, Event::BANK_CONFLICTS);
        assert_eq!(
            counted,
            u64::from(conflicts) * both,
            "{banks} banks of {bank_width} bytes"
        );
    }
}
