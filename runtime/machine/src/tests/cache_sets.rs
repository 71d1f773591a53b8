//! Cache sets: their line fills add up to the events of the last run, and the lines in a set belong to it.

use super::{CODE, image};
use crate::{Options, simulate};
use asm_macros::events::Event;
use p5_chips::MODELS;
use p5_results::{CacheKind, Run};

/// Reads 3 lines of one data cache set, 64 times: more than the set has.
fn run(chip: usize, cache_sets: bool) -> Run {
    // mov ecx,64; next: mov eax,[1000h]; mov eax,[2000h]; mov eax,[3000h]; dec ecx; jnz next; ret
    let mut bytes = vec![0xB9, 64, 0, 0, 0];
    for address in [0x1000u32, 0x2000, 0x3000] {
        bytes.push(0xA1);
        bytes.extend(address.to_le_bytes());
    }
    bytes.extend([0x49, 0x75, 0xEE, 0xC3]);
    bytes.resize(0x3000, 0);
    let options = Options {
        runs: 2,
        cache_sets,
        ..Options::default()
    };
    simulate(
        &image(bytes, CODE + 0x3000, Vec::new()),
        "sets",
        MODELS[chip],
        &options,
        &mut |_| {},
    )
}

#[test]
fn fills_add_up_to_the_misses_of_the_last_run_and_lines_belong_to_their_sets() {
    let run = run(0, true);
    let occurred = |event| {
        let found = run.whole.events.iter().find(|count| count.event == event);
        found.map_or(0, |count| count.occurrences)
    };
    let kinds: Vec<CacheKind> = run.caches.iter().map(|cache| cache.kind).collect();
    assert_eq!(kinds, [CacheKind::Code, CacheKind::Data]);
    assert_eq!(
        occurred(Event::DATA_TLB_MISS) + occurred(Event::CODE_TLB_MISS),
        0,
        "no walk fills a line"
    );
    let fills = |cache: usize| -> u64 { run.caches[cache].sets.iter().map(|set| set.fills).sum() };
    assert_eq!(fills(0), occurred(Event::CODE_CACHE_MISS));
    assert_eq!(fills(1), occurred(Event::DATA_READ_MISS));
    assert_eq!(
        run.caches[1].sets[0].fills,
        3 * 64,
        "each read displaces the line read next"
    );
    for cache in &run.caches {
        for (number, set) in (0..).zip(&cache.sets) {
            assert!(set.lines.len() <= cache.ways as usize);
            for line in &set.lines {
                assert_eq!(line.address / cache.line % cache.sets.len() as u32, number);
                assert!(!line.modified);
            }
        }
    }
    let cached: Vec<u32> = run.caches[1].sets[0].lines.iter().map(|line| line.address).collect();
    assert_eq!(cached, [0x3000, 0x2000], "the one used last first");
}

#[test]
fn every_chip_has_its_caches_and_recording_them_changes_no_clock() {
    for (index, chip) in MODELS.iter().enumerate() {
        let (plain, recorded) = (run(index, false), run(index, true));
        assert!(plain.caches.is_empty());
        assert_eq!(plain.runs, recorded.runs, "{}", chip.name);
        let sizes: Vec<u32> = recorded
            .caches
            .iter()
            .map(|cache| cache.sets.len() as u32 * cache.ways * cache.line)
            .collect();
        let geometry = &chip.geometry;
        let expected = if geometry.unified {
            vec![geometry.data_cache.size]
        } else {
            vec![geometry.code_cache.size, geometry.data_cache.size]
        };
        assert_eq!(sizes, expected, "{}", chip.name);
    }
}
