//! Mapping, bounds and stores to code.

use super::*;

#[test]
fn an_unmapped_page_faults_and_its_frame_is_used_again() {
    let mut memory = Memory::new();
    memory.map(0x1000, 0x3000, true).expect("maps");
    memory.write_u32(0x2000, 7).expect("writes");
    memory.mark_code(0x2000);
    memory.unmap(0x2000, 1).expect("unmaps");
    assert_eq!(memory.code_stores(), [(0x2000, PAGE)]);
    assert!(memory.take_code_stored() && memory.read_u8(0x2000).is_err());
    assert_eq!(
        (memory.mapped(), memory.first_mapped(0x2000, 0x2000)),
        (0x2000, Some(0x3000))
    );
    assert_eq!(memory.first_mapped(0x2000, PAGE), None);
    memory.map(0x9000, 0x1000, true).expect("maps");
    assert_eq!((memory.mapped(), memory.read_u32(0x9000)), (0x3000, Ok(0)));
    assert_eq!(memory.unmap(0xFFFF_F000, 0x2000), Err(MapError::PastEnd));
}

#[test]
fn a_store_over_two_pages_needs_both() {
    let mut memory = Memory::new();
    memory.map(0x1000, 0x1000, true).expect("maps");
    memory.map(0x2000, 1, false).expect("maps");
    let fault = memory.write_u32(0x1FFE, 7).expect_err("the second page is read-only");
    let expected = PageFault {
        address: 0x2000,
        write: true,
        present: true,
        forbidden: false,
    };
    assert_eq!(fault, expected);
    assert_eq!(memory.read_u32(0x1FFE), Ok(0));
    memory.load(0x1FFF, &[0x12, 0x34]).expect("loads");
    assert_eq!(memory.read_u16(0x1FFF), Ok(0x3412));
    assert_eq!(memory.read_u8(0x3000).map_err(|fault| fault.present), Err(false));
    assert_eq!(memory.read_bytes(0x1FFF, 2), Some(vec![0x12, 0x34]));
    assert_eq!(memory.read_bytes(0x2FFF, 2), None);
}

#[test]
fn the_limit_holds() {
    let mut memory = Memory::new();
    assert_eq!(memory.map(0, u32::MAX, true), Err(MapError::TooMuch));
    assert_eq!(memory.map(0xFFFF_F000, 0x1001, true), Err(MapError::PastEnd));
    assert_eq!(memory.map(0xFFFF_F000, 0x1000, true), Ok(()));
    assert_eq!(memory.mapped(), PAGE);
}

#[test]
fn stores_to_code_are_remembered() {
    let mut memory = Memory::new();
    memory.map(0x1000, 0x1000, true).expect("maps");
    memory.write_u8(0x1000, 1).expect("writes");
    memory.mark_code(0x1234);
    memory.write_u32(0x1010, 1).expect("writes");
    memory.write_u16(0x1014, 1).expect("writes");
    assert_eq!(memory.code_stores(), [(0x1010, 6)]);
    for index in 0..200 {
        memory.write_u8(0x1100 + index * 8, 1).expect("writes");
    }
    assert!(memory.code_stores().len() <= CODE_STORE_CAPACITY + 1);
    let covered = |address| {
        memory
            .code_stores()
            .iter()
            .any(|&(start, length)| address >= start && address - start < length)
    };
    assert!((0..200).all(|index| covered(0x1100 + index * 8)));
}

#[test]
fn memory_of_a_share_tells_that_more_was_asked_for() {
    let mut memory = Memory::new().of_at_most(2 * PAGE);
    assert_eq!(memory.map(0x1000, 2 * PAGE, true), Ok(()));
    assert!(!memory.was_refused());
    assert_eq!(memory.map(0x8000, PAGE, true), Err(MapError::TooMuch));
    assert!(memory.was_refused());
    let mut memory = Memory::new().of_at_most(u32::MAX);
    assert_eq!(memory.map(0, MEMORY_LIMIT + 1, true), Err(MapError::TooMuch));
}

/// The next memory finds no page of the one before it, whatever that one mapped, moved, unmapped or grew.
#[test]
fn a_memory_that_is_retired_leaves_an_empty_table() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..200 {
        let mut memory = Memory::with_capacity(random.usize(..0x8000));
        assert!(memory.pages.iter().all(|&entry| entry == 0), "seed {seed}");
        memory.grow_between(0x7000_0000, 0x7002_0000);
        for _ in 0..random.usize(..RANGE_CAPACITY + 100) {
            let address = random.u32(..0x400) << 12 | random.u32(..16) << 28;
            let length = random.u32(1..0x4000);
            // What is refused must leave nothing either.
            let _ = match random.u32(..10) {
                0 => memory.unmap(address, length),
                1 => memory.relocate(address, length, address ^ 0x0080_0000),
                2 => memory
                    .write_u8(0x7000_0000 + random.u32(..0x2_0000), 1)
                    .map_err(|_| MapError::NotMapped),
                _ => memory.map(address, length, random.bool()),
            };
            if memory.first_mapped(address, PAGE).is_some() {
                memory.mark_code(address);
            }
        }
        memory.retire();
    }
}
