//! Tests of how much one call moves: the limits of Linux, and what keeps a call short.

use super::*;

const READV: u32 = 145;
const WRITEV: u32 = 146;
const MAPPED: u32 = 64 << 20;
const BUFFER: u32 = 0x1000_0000;

fn with_parts(parts: &[(u32, u32)]) -> Program {
    let mut program = Program::new();
    program.state.memory.map(BUFFER, MAPPED, true).expect("maps");
    for (index, &(address, length)) in (0..).zip(parts) {
        let memory = &mut program.state.memory;
        memory.write_u32(ROOM + 8 * index, address).expect("is mapped");
        memory.write_u32(ROOM + 8 * index + 4, length).expect("is mapped");
    }
    program
}

#[test]
fn a_call_writes_no_more_than_linux_does() {
    let longest = i32::MAX as u32;
    let mut program = with_parts(&[(BUFFER, longest), (BUFFER, longest), (BUFFER, longest)]);
    let (null, _) = program.open("/dev/null", 1);
    assert_eq!(program.call(WRITEV, [null, ROOM, 3, 0, 0]), 0x7FFF_F000);
    assert_eq!(program.call(WRITE, [null, BUFFER, u32::MAX, 0, 0]), 0x7FFF_F000);
}

#[test]
fn a_call_reads_zeros_and_random_bytes_in_short_parts() {
    let most = (32 << 20) - 1;
    for device in ["/dev/zero", "/dev/urandom"] {
        let mut program = with_parts(&[(BUFFER, MAPPED), (BUFFER, MAPPED)]);
        let (number, _) = program.open(device, 0);
        assert_eq!(program.call(READV, [number, ROOM, 2, 0, 0]), most, "{device}");
        assert_eq!(program.call(READ, [number, BUFFER, MAPPED, 0, 0]), most, "{device}");
    }
}
