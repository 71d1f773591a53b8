//! Instructions of later processors, which a chip executes only with `--also`.

use super::{expecting, run_on};
use iced_x86::Mnemonic;
use p5_chips::{LATER_INSTRUCTIONS, MODELS, Model, later};
use p5_results::StopReason;

fn with(name: &str) -> Model {
    *MODELS[0]
        .with_monitors(&[later(name).expect("a name")])
        .expect("every chip can")
}

fn holds(model: Model, bytes: &[u8], register: u8, expected: u32) -> bool {
    run_on(model, &expecting(bytes, register, expected)).stop.reason == StopReason::End
}

#[test]
fn a_move_happens_if_its_condition_holds() {
    let model = with("cmov");
    // mov eax,1; mov ecx,2; cmp eax,ecx; cmovcc eax,ecx
    let moved = |condition: u8, prefix: &[u8]| {
        let start = [0xB8, 1, 0, 0, 0, 0xB9, 2, 0, 0, 0, 0x39, 0xC8];
        [&start[..], prefix, &[0x0F, 0x40 + condition, 0xC1]].concat()
    };
    // B, NE, BE, S, L and LE hold, and P does not: -1 has an even number of bits.
    for condition in 0..16 {
        let happens = [1, 2, 5, 6, 8, 10, 12, 14].contains(&condition);
        let expected = if happens { 2 } else { 1 };
        assert!(
            holds(model, &moved(condition, &[]), 0, expected),
            "condition {condition}"
        );
        assert!(
            holds(model, &moved(condition, &[0x66]), 0, expected),
            "condition {condition} of words"
        );
    }
    // push 7; xor eax,eax; cmove eax,[esp]; the source is read even if nothing moves: cmovne eax,[0]
    assert!(holds(model, &[0x6A, 7, 0x31, 0xC0, 0x0F, 0x44, 0x04, 0x24], 0, 7));
    let stop = run_on(model, &[0x31, 0xC0, 0x0F, 0x45, 0x05, 0, 0, 0, 0]).stop;
    assert_eq!((stop.reason, stop.code), (StopReason::Fault, Some(14)));
}

#[test]
fn a_comparison_of_reals_sets_flags() {
    let model = with("cmov");
    // fld1; fldz; fcomip st,st(1): 0 is below 1. fucomi st,st(0): equal. pushfd; pop eax; and eax,8D5h
    let flags = |code: &[u8]| [code, &[0x9C, 0x58, 0x25, 0xD5, 8, 0, 0]].concat();
    assert!(
        holds(model, &flags(&[0xD9, 0xE8, 0xD9, 0xEE, 0xDF, 0xF1]), 0, 0x01),
        "CF"
    );
    assert!(
        holds(
            model,
            &flags(&[0xD9, 0xE8, 0xD9, 0xEE, 0xDF, 0xF1, 0xDB, 0xE8]),
            0,
            0x40
        ),
        "ZF"
    );
    assert!(
        holds(model, &flags(&[0xD9, 0xEE, 0xD9, 0xE8, 0xDB, 0xF1]), 0, 0),
        "above"
    );
    // fldz; fdiv st,st(0): a NaN, which has no order.
    assert!(
        holds(model, &flags(&[0xD9, 0xEE, 0xD8, 0xF0, 0xDB, 0xE8]), 0, 0x45),
        "unordered"
    );
    // fldz; fld1; stc; fcmovb st,st(1), then the same with fcmovnb; fistp [esp]
    let chosen = |opcode: u8| [0xD9, 0xEE, 0xD9, 0xE8, 0xF9, opcode, 0xC1, 0x50, 0xDB, 0x1C, 0x24, 0x58];
    assert!(holds(model, &chosen(0xDA), 0, 0), "fcmovb");
    assert!(holds(model, &chosen(0xDB), 0, 1), "fcmovnb");
}

#[test]
fn a_mark_of_a_target_does_nothing() {
    let endbr = [0xF3, 0x0F, 0x1E, 0xFB];
    let code = [&[0xB8, 5, 0, 0, 0][..], &endbr].concat();
    assert!(holds(with("endbr"), &code, 0, 5));
    for model in MODELS {
        assert_eq!(run_on(**model, &endbr).stop.code, Some(6), "{}", model.name);
    }
    assert_eq!(run_on(with("cmov"), &endbr).stop.code, Some(6));
    // rdsspd eax: there is no shadow stack, and EAX stays as it is.
    let asks = [0xF3, 0x0F, 0x1E, 0xC8];
    assert!(holds(with("endbr"), &[&code[..], &asks].concat(), 0, 5));
    assert_eq!(run_on(with("cmov"), &asks).stop.code, Some(6));
    // nop dword ptr [eax]: nothing is read, whatever the address is.
    let long = [0x0F, 0x1F, 0x00];
    assert!(holds(with("endbr"), &[&code[..], &long].concat(), 0, 5));
    assert_eq!(run_on(with("cmov"), &long).stop.code, Some(6));
}

/// The clocks of each of the instructions `code`, from loops with four and eight of them.
fn clocks(model: Model, code: &[u8]) -> u64 {
    const ROUNDS: u8 = 100;
    let [four, eight] = [4, 8].map(|copies| {
        // push 7; fldz; fld1; mov ebx,ROUNDS; the instructions; dec ebx; jnz
        let body = [&code.repeat(copies)[..], &[0x4B]].concat();
        let back = 0u8.wrapping_sub(body.len() as u8 + 2);
        let program = [
            &[0x6A, 7, 0xD9, 0xEE, 0xD9, 0xE8, 0xBB, ROUNDS, 0, 0, 0][..],
            &body,
            &[0x75, back],
        ]
        .concat();
        run_on(model, &program).runs.last().expect("a run").whole.cycles
    });
    // The first round is longer, by much less than a clock in each round.
    let all = 4 * u64::from(ROUNDS);
    (eight - four + all / 4) / all
}

#[test]
fn they_take_the_clocks_of_their_rows() {
    // cmovne eax,ecx; cmovne eax,[esp]; fcmovb st,st(1); fcomi st,st(1). Decoding 0Fh takes a clock, which those of
    // the one before it hide where that has memory.
    let rows: [(&[u8], u64); 4] = [
        (&[0x0F, 0x45, 0xC1], 2),
        (&[0x0F, 0x45, 0x04, 0x24], 2),
        (&[0xDA, 0xC1], 1),
        (&[0xDB, 0xF1], 5),
    ];
    let found = rows.map(|(code, _)| clocks(with("cmov"), code));
    assert_eq!(found, rows.map(|(_, expected)| expected));
    // A clock, and one for each prefix.
    assert_eq!(clocks(with("endbr"), &[0xF3, 0x0F, 0x1E, 0xFB]), 3);
    // nop word ptr [eax+eax]: a clock, and one for each of 66h and 0Fh.
    assert_eq!(clocks(with("endbr"), &[0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00]), 3);
    assert_eq!(
        clocks(with("endbr"), &[0x90, 0x90]),
        1,
        "NOP of one byte stays as it is"
    );
}

#[test]
fn each_chip_can_have_all_of_them_and_says_that_their_clocks_are_assumed() {
    for model in MODELS {
        let with = model
            .with_monitors(LATER_INSTRUCTIONS)
            .expect("no chip lacks anything for them");
        assert_eq!(with.leaf(1), model.leaf(1), "CPUID stays the chip's");
        for row in LATER_INSTRUCTIONS.iter().flat_map(|later| later.rows) {
            assert!(row.doubt.is_some(), "{}", row.form);
            for &mnemonic in row.mnemonics {
                assert!(
                    with.all_rows().any(|row| row.mnemonics.contains(&mnemonic)),
                    "{mnemonic:?}"
                );
                // Each chip has NOP, but none that reads an operand.
                let is_long = mnemonic == Mnemonic::Nop && !row.when.is_empty();
                assert!(
                    is_long || model.all_rows().all(|row| !row.mnemonics.contains(&mnemonic)),
                    "{mnemonic:?}"
                );
            }
        }
    }
}
