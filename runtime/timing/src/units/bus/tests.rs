//! Tests of the bus.

use super::*;
use p5_chips::MODELS;

fn bus_with(write_buffers: WriteBuffers) -> Bus {
    let geometry = Geometry {
        write_buffers,
        ..MODELS[0].geometry
    };
    Bus::new(MemoryPreset::by_name("ideal").expect("a preset"), &geometry)
}

fn bus() -> Bus {
    bus_with(WriteBuffers::OfEachPipe(1))
}

#[test]
fn the_wanted_quadword_comes_first() {
    let mut bus = bus();
    assert_eq!(bus.fill_data(0x58, 100, None), 104);
    assert_eq!(
        [0x40, 0x48, 0x50, 0x58].map(|address| bus.arrival(address)),
        [107, 106, 105, 104]
    );
    assert_eq!(bus.arrival(0x60), 0, "another line is not waited for");
    assert_eq!(bus.collect(104), (1, 4), "the rest is to come");
    assert_eq!(bus.collect(200), (0, 3));
}

#[test]
fn each_pipe_has_one_write_buffer_and_reads_wait_for_both() {
    let mut bus = bus();
    assert_eq!(bus.buffer_write(0, 0, 10), 0);
    assert_eq!(bus.buffer_write(4, 1, 10), 0);
    assert_eq!(bus.buffer_write(8, 0, 11), 1, "U's buffer empties at 12");
    assert_eq!(bus.drained(), 16);
    assert_eq!(bus.fill_data(0, 11, None), 20);
}
#[test]
fn shared_buffers_take_the_writes_of_either_pipe() {
    let mut bus = bus_with(WriteBuffers::Shared(4));
    let waits: Vec<u64> = (0..6).map(|write| bus.buffer_write(0, write & 1, 10)).collect();
    assert_eq!(waits, [0, 0, 0, 0, 2, 4], "one write leaves every two clocks");
    assert_eq!(bus.drained(), 22);
}

#[test]
fn a_second_level_cache_answers_for_the_lines_that_were_read() {
    let preset = MemoryPreset::by_name("l2").expect("a preset");
    let mut bus = Bus::new(preset, &MODELS[0].geometry);
    assert_eq!(bus.fill_data(0, 1000, None), 1016, "from memory");
    assert_eq!(bus.fill_data(0, 2000, None), 2008);
    bus.buffer_write(0, 0, 3000);
    assert_eq!(bus.drained(), 3006, "its line is cached");
    bus.buffer_write(0x40, 0, 4000);
    assert_eq!(bus.drained(), 4014, "goes to memory");
    assert_eq!(bus.fill_data(256 << 10, 5000, None), 5016);
    // The line that the write modified is written back after the fill of 16 + 3 * 6 clocks.
    assert_eq!(bus.fill_data(256 << 10, 5000, None), 5000 + 34 + 32 + 8);
}

#[test]
fn a_second_level_cache_answers_reads_past_the_first_level() {
    let preset = MemoryPreset::by_name("l2").expect("a preset");
    let mut bus = Bus::new(preset, &MODELS[0].geometry);
    assert_eq!(bus.read_uncached(0x68, 1000), 1016, "from memory, and kept nowhere");
    assert_eq!(bus.read_uncached(0x68, 2000), 2016);
    bus.fill_data(0x60, 3000, None);
    assert_eq!(bus.read_uncached(0x68, 4000), 4008);
    bus.buffer_write(0x60, 0, 5000);
    assert_eq!(bus.read_uncached(0x68, 6000), 6008, "modified");
    assert_eq!(bus.read_uncached(0x80, 7000), 7016, "the next line");
}

#[test]
fn a_write_to_a_line_waits_for_its_fill_and_for_write_backs() {
    let mut bus = bus();
    bus.fill_data(0x40, 100, Some(0x1040));
    assert_eq!(bus.write_ready(0x48), 107 + 5, "the fill, then the write-back");
    assert_eq!(bus.write_ready(0x80), 107 + 5, "the write-back alone");
    bus.fill_data(0xC0, 200, None);
    assert_eq!((bus.write_ready(0xC0), bus.write_ready(0x80)), (207, 112));
}

#[test]
fn a_code_line_is_read_ahead_once_the_bus_is_free() {
    let mut bus = bus();
    bus.prefetch(0x2020, 100);
    assert!(matches!(bus.prefetched(100), (None, true)), "not before it is wanted");
    let (fill, to_come) = bus.prefetched(101);
    assert_eq!(
        (fill.map(|fill| (fill.line, fill.end)), to_come),
        (Some((0x2020, 107)), false)
    );
    bus.fill_data(0x40, 200, None);
    bus.prefetch(0x2040, 201);
    assert!(
        matches!(bus.prefetched(206), (None, true)),
        "a line is being filled until 207"
    );
    bus.cancel_prefetch();
    assert!(matches!(bus.prefetched(300), (None, false)), "the fetch left before");
    bus.prefetch(0x2060, 400);
    // A read that comes later waits for it.
    assert_eq!(bus.fill_data(0x80, 402, None), 407 + 4);
    assert_eq!(bus.prefetched(402).0.map(|fill| fill.end), Some(407));
}

#[test]
fn a_line_read_ahead_first_has_its_place_in_the_second_level_first() {
    let preset = MemoryPreset::by_name("l2").expect("a preset");
    let mut bus = Bus::new(preset, &MODELS[0].geometry);
    bus.prefetch(256 << 10, 1000);
    bus.fill_data(0, 1001, None);
    assert_eq!(
        bus.fill_data(0, 2000, None),
        2008,
        "the data line is the later one of the set"
    );
}

#[test]
fn a_locked_access_modifies_what_the_second_level_holds() {
    let preset = MemoryPreset::by_name("l2").expect("a preset");
    let mut bus = Bus::new(preset, &MODELS[0].geometry);
    assert_eq!(bus.lock(&[0x40], 1000), 1028, "in memory");
    bus.fill_data(0x40, 2000, None);
    assert_eq!(
        bus.lock(&[0x40, 0x60], 3000),
        3000 + 12 + 28,
        "the second part is in memory"
    );
    bus.flush(true, 4000);
    assert_eq!(bus.drained(), 4032, "one modified line");
}
