//! Predictions of code that is not modified by other code.

use super::run_on;
use asm_macros::events::Event;
use p5_chips::MODELS;
use p5_results::{Cause, Run};

/// Four rounds of two jumps: one directly after the other, or with a NOT between them.
fn jumps(together: bool) -> Vec<u8> {
    let (jump, not): (&[u8], &[u8]) = (&[0xEB, 1, 0x90], &[0xF7, 0xD0]); // jmp over a nop; not eax
    let mut bytes = vec![0xBA, 4, 0, 0, 0]; // mov edx,4
    let order = if together {
        [not, jump, jump, not, not]
    } else {
        [not, jump, not, jump, not]
    };
    let body = order.concat();
    let back = (body.len() as u8 + 3).wrapping_neg();
    bytes.extend(body);
    bytes.extend([0x4A, 0x75, back]); // dec edx; jnz back
    bytes
}

/// A loop of one group whose entry was made while DEC issued alone: twice without the V pipe, then twice with it.
fn later_paired() -> Vec<u8> {
    let mut bytes = vec![0xBF, 4, 0, 0, 0]; // mov edi,4
    let mut body = vec![0xB8, 4, 0, 0, 0]; // mov eax,4: a single pipe
    body.extend([0x83, 0xFF, 3, 0x73, 2, 0x31, 0xC0]); // cmp edi,3; jae over; xor eax,eax; over:
    body.extend([0xB9, 0x0E, 0, 0, 0, 0x31, 0xD2, 0x0F, 0x30]); // mov ecx,0Eh; xor edx,edx; wrmsr
    body.extend([0xBE, 9, 0, 0, 0]); // mov esi,9
    body.extend([0x4E, 0x75, 0xFD, 0x90]); // dec esi; jnz back; nop
    let back = (body.len() as u8 + 3).wrapping_neg();
    bytes.extend(body);
    bytes.extend([0x4F, 0x75, back]); // dec edi; jnz back
    bytes
}

#[test]
fn two_branches_in_a_row_change_nothing_for_an_unrelated_loop() {
    let [together, apart] = [true, false].map(|together| {
        let jumps = jumps(together);
        let run = run_on(*MODELS[0], &[jumps.as_slice(), &later_paired()].concat());
        let own = run
            .instructions
            .iter()
            .skip_while(|one| !one.text.starts_with("mov edi"));
        own.map(|one| (one.text.clone(), one.cycles, one.causes.clone()))
            .collect::<Vec<_>>()
    });
    assert!(together.len() > 10);
    assert_eq!(together, apart);
    let (.., causes) = together
        .iter()
        .find(|(text, ..)| text == "nop")
        .expect("the NOP after the loop");
    assert!(
        causes.iter().any(|part| part.cause == Cause::Misprediction),
        "it meets the entry of the loop's branch: {causes:?}"
    );
}

#[test]
fn a_refill_after_the_last_instruction_takes_no_clock() {
    let jump = [0xEB, 1, 0x90]; // jmp over a nop
    for model in MODELS.iter().filter(|model| model.rules.pipes == 2) {
        let [last, followed] = [&jump[..], &[0xEB, 1, 0x90, 0xF7, 0xD0]].map(|bytes| run_on(**model, bytes));
        for run in [&last, &followed] {
            let flushes = run.whole.events.iter().find(|row| row.event == Event::PIPELINE_FLUSHES);
            assert_eq!(flushes.map(|row| row.occurrences), Some(1), "{}", model.name);
        }
        let refill = |run: &Run| {
            let causes = run.instructions.iter().flat_map(|one| &one.causes);
            let refills = causes.filter(|part| part.cause == Cause::Misprediction);
            refills.map(|part| part.cycles).sum::<u64>()
        };
        assert_eq!(refill(&last), 0, "{}", model.name);
        assert!(refill(&followed) >= 3, "{}", model.name);
    }
}
