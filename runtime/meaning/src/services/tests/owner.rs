//! Tests of calls that set what is fixed, or that only advise.

use super::*;

const EPERM: u32 = error(1);
const ESRCH: u32 = error(3);
const ENOMEM: u32 = error(12);
const ESPIPE: u32 = error(29);
const EAFNOSUPPORT: u32 = error(97);
const UNSET: u32 = u32::MAX;

#[test]
fn a_program_may_set_its_owner_to_what_it_is() {
    let mut program = Program::new();
    for (call, [b, c, d], answer) in [
        (213, [1000, 0, 0], 0),
        (214, [1000, 0, 0], 0),
        (213, [0, 0, 0], EPERM),
        (23, [1000, 0, 0], 0),
        (203, [1000, UNSET, 0], 0),
        (203, [UNSET, 0, 0], EPERM),
        (70, [0xFFFF, 1000, 0], 0),
        (208, [1000, UNSET, 1000], 0),
        (210, [1000, 1000, 0], EPERM),
        (170, [0xFFFF, 0xFFFF, 1000], 0),
        (215, [0, 0, 0], 1000),
        (206, [0, 0, 0], EPERM),
    ] {
        assert_eq!(
            program.asks(call, [b, c, d, 0, 0]),
            (answer, None),
            "{call} {b} {c} {d}"
        );
    }
}

#[test]
fn a_program_may_only_give_way() {
    let mut program = Program::new();
    for (call, [b, c, d], answer) in [
        (96, [0, 0, 0], 20),
        (97, [0, 0, 5], 0),
        (96, [0, 0, 0], 15),
        (97, [0, 1, 4], EACCES),
        (34, [50, 0, 0], 0),
        (96, [0, 0, 0], 1),
        (34, [error(1), 0, 0], EPERM),
        (97, [3, 0, 0], EINVAL),
        (97, [0, 77, 0], ESRCH),
    ] {
        assert_eq!(
            program.asks(call, [b, c, d, 0, 0]),
            (answer, None),
            "{call} {b} {c} {d}"
        );
    }
}

#[test]
fn there_is_no_network_and_advice_does_nothing() {
    let mut program = Program::new();
    // socket, by itself and by socketcall
    assert_eq!(program.asks(359, [1, 1, 0, 0, 0]), (EAFNOSUPPORT, None));
    assert_eq!(program.asks(102, [1, ROOM, 0, 0, 0]), (EAFNOSUPPORT, None));
    assert_eq!(program.open("hello", 0), (3, None));
    assert_eq!(program.asks(250, [3, 0, 0, 5, 2]), (0, None));
    assert_eq!(program.asks(250, [3, 0, 0, 5, 6]), (EINVAL, None));
    assert_eq!(program.asks(250, [1, 0, 0, 5, 2]), (ESPIPE, None));
    program.state.registers.general[5] = 2;
    assert_eq!(program.asks(272, [3, 0, 0, 5, 0]), (0, None));
    assert_eq!(program.asks(272, [9, 0, 0, 5, 0]), (EBADF, None));
    // mincore
    assert_eq!(program.asks(218, [PATH, 0x2000, ROOM, 0, 0]), (0, None));
    assert_eq!(program.text(3), [1, 1, 0]);
    assert_eq!(program.asks(218, [PATH, 0x3000, ROOM, 0, 0]), (ENOMEM, None));
    assert_eq!(program.asks(218, [PATH + 1, 0x1000, ROOM, 0, 0]), (EINVAL, None));
}
