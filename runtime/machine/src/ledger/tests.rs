//! Tests of the ledger: the instructions kept one by one, those summed, and the bound of its memory.

use super::*;
use p5_chips::MODELS;
use p5_image::LineRow;
use p5_timing::block::Classifier;
use p5_words::mode::Mode;

fn nop(address: u32) -> Op {
    let mut decoder = MODELS[0].isa.decoder(32, &[0x90], address);
    let instruction = decoder.decode();
    let offsets = decoder.get_constant_offsets(&instruction);
    let op = Classifier::new(MODELS[0]).classify(&instruction, &offsets, &[0x90], &Mode::FLAT);
    op.expect("a row for it")
}

fn executed(times: u32) -> RecentStats {
    RecentStats {
        u: times as i32,
        ..RecentStats::default()
    }
}

/// An image with a line of 1,000 bytes from 1000h, and a line of 10 bytes after it.
fn image() -> Image {
    let row = |address, length, line| LineRow {
        address,
        length,
        file: 0,
        line,
        origin: None,
        written: (0, 0),
        ..LineRow::default()
    };
    Image {
        lines: [row(0x1000, 1000, 1), row(0x1000 + 1000, 10, 2)].into_iter().collect(),
        ..Image::default()
    }
}

#[test]
fn what_is_executed_most_often_is_kept_and_the_rest_is_summed_by_line() {
    let (image, op) = (image(), nop(0x1000));
    let mut ledger = Ledger::default();
    for at in 0..1020 {
        ledger.add(&image, &op.at(0x1000 + at), &executed(at % 7 + 1));
    }
    let wanted = HashSet::from([0x1000]);
    ledger.keep(&image, 20, 8, &wanted);
    let kept = ledger.listed().into_iter();
    let kept: Vec<(u32, u64)> = kept.map(|kept| (kept.op.address, kept.held.executions())).collect();
    let of_first = &kept[..9];
    assert_eq!(of_first[0], (0x1000, 1), "wanted");
    assert!(
        of_first[1..]
            .iter()
            .all(|&(at, times)| at < 0x1000 + 1000 && times == 7),
        "{kept:?}"
    );
    let lines: Vec<_> = ledger.remainders().into_iter().map(|(one, _)| one).collect();
    let of = |line| lines.iter().find(|one| one.place == line).map(|one| one.instructions);
    assert_eq!(of(Some((0, 1))), Some(991));
    // Ten instructions without a line, and ten of the second line, of which at most eight are kept.
    let others = of(None).unwrap_or(0) + of(Some((0, 2))).unwrap_or(0);
    assert_eq!(kept.len() as u64 + 991 + others, 1020);
    assert_eq!(kept.len(), 20 + 1, "twenty, and the one wanted");
    let total: u64 = (0..1020u32).map(|at| u64::from(at % 7) + 1).sum();
    let summed: u64 = lines.iter().map(|one| one.executions).sum();
    assert_eq!(kept.iter().map(|(_, times)| times).sum::<u64>() + summed, total);
    assert_eq!(ledger.summary().own.instructions, total);
    // Summed instructions stay summed.
    ledger.add(&image, &op.at(0x1000 + 7), &executed(1000));
    assert!(!ledger.places.contains_key(&(0x1000 + 7)));
    assert_eq!(ledger.summary().whole.instructions, total + 1000);
}

#[test]
fn the_users_instructions_come_before_the_librarys() {
    let image = Image {
        library: Some(0),
        ..image()
    };
    // Line 1, and the bytes after both lines, which have no owner and so count as the user's.
    let op = nop(0x1000);
    let mut ledger = Ledger::default();
    let own = 0x9000;
    for at in 0..8 {
        ledger.add(&image, &op.at(own + at), &executed(1));
        ledger.add(&image, &op.at(0x1000 + at), &executed(100));
    }
    ledger.keep(&image, 10, 10, &HashSet::new());
    let kept = ledger.listed();
    assert_eq!(kept.iter().filter(|kept| kept.op.address >= own).count(), 8);
    assert_eq!(kept.iter().filter(|kept| kept.library).count(), 2);
}

#[test]
fn memory_does_not_grow_with_what_is_executed_once() {
    let (image, op) = (image(), nop(0x1000));
    let mut ledger = Ledger::default();
    for at in 0..1 << 20 {
        ledger.add(&image, &op.at(at), &executed(1));
        if at % 1000 == 0 {
            ledger.condense(&image);
        }
    }
    ledger.add(&image, &op.at(1 << 20), &executed(2));
    assert!(ledger.places.contains_key(&(1 << 20)), "it was executed more often");
    assert!(ledger.kept.len() <= 2 * KEPT + 1000);
    let sums: Vec<_> = ledger.remainders().into_iter().map(|(one, _)| one).collect();
    assert_eq!(sums.len(), 1, "the lines come first, and of equals the first are kept");
    assert_eq!(
        sums.iter().map(|one| one.instructions).sum::<u64>() + ledger.kept.len() as u64,
        (1 << 20) + 1
    );
}

#[test]
fn addresses_are_kept_bit_by_bit() {
    let mut addresses = Addresses::default();
    for address in [0, 63, 64, 0xFFF, 0x1000, u32::MAX] {
        assert!(!addresses.contains(address));
        assert!(addresses.insert(address) && !addresses.insert(address));
        assert!(addresses.contains(address));
    }
    assert!(!addresses.contains(1) && !addresses.contains(0x1FFF));
}

#[test]
fn memory_does_not_grow_with_the_pages_that_one_is_mapped_to() {
    let (image, op) = (image(), nop(0x1000));
    let mut ledger = Ledger::default();
    let pages = addresses::PAGES as u32 + 100;
    for page in 0..pages {
        ledger.add(&image, &op.at(page << 12), &executed(1));
        if page % 1000 == 0 {
            ledger.condense(&image);
        }
    }
    assert_eq!(ledger.known.pages.len(), addresses::PAGES);
    assert_eq!(ledger.summary().whole.instructions, u64::from(pages));
}
