//! Regions that count events: each event, several regions, and the register that selects them.

use super::{assert_ended, looped, measuring, run, run_with, symbol};
use asm_macros::events::Event;

#[test]
fn every_event_counts_the_same_on_both_counters_and_warm_as_it_truly_is() {
    let body = "mov ebx,esi\nmov ecx,[ebx]\nadd [ebx+4],ecx\nmov eax,[esi+8]\nmov edx,[esi+40]\nmov ecx,[esi+2]\n\
                mov ecx,3\ninner:\ndec ecx\njnz inner\nimul eax,ebx\npush ds\npop es";
    let chips = measuring().flat_map(|model| model.events.selections().map(move |row| (model, row)));
    for (model, row) in chips.filter(|(_, row)| row.counter.is_none()) {
        // Code reads also depend on where cache lines end between the two readings; cold code reads also depend on the
        // code that is read ahead.
        if row.event == Event::CODE_READ {
            continue;
        }
        for mode in ["", " + COUNT_CYCLES"] {
            let name = row.event.name();
            let source = looped(
                &format!("StartProfile EV_{name}{mode}, EV_{name}{mode}"),
                body,
                "EndProfile",
            );
            let run = run_with(&source, 0, model, "l2");
            assert_ended(&run, &source);
            for pass in &run.regions[0].passes {
                let [first, second] = pass.measured.expect("EndProfile has finished");
                if pass.run > 0 || ![Event::CODE_CACHE_MISS, Event::BUS_CYCLE_DURATION].contains(&row.event) {
                    assert_eq!(first, second, "{} {name}{mode}, run {}", model.name, pass.run);
                }
                if pass.run > 1 {
                    assert_eq!([first, second], pass.truth, "{} {name}{mode}", model.name);
                }
            }
        }
    }
}

#[test]
fn profiles_of_other_events_share_a_program() {
    let source = "mov ecx,3\nagain:\nStartProfile EV_INSTRUCTIONS_EXECUTED, EV_INSTRUCTIONS_EXECUTED_V_PIPE, one\n\
                  nop\nnop\nnop\nnop\nEndProfile\nStartProfile EV_BRANCHES, EV_DATA_READ, two\n\
                  mov eax,[esp]\njmp $+2\nEndProfile\ndec ecx\njnz again\n";
    let run = run(source, 0);
    assert_ended(&run, source);
    let values = ["_prof0_1", "_prof1_1", "_prof0_2", "_prof1_2", "_prof0", "_prof1"].map(|name| symbol(&run, name));
    assert_eq!(values, [4, 2, 1, 1, 1, 1]);
}

#[test]
fn the_control_register_keeps_its_reserved_bits() {
    let source = ".586\n.model flat\n.data\nafter dd 0\nuser dd 0\n.code\nstart:\nmov ecx,11h\nmov eax,0FFFFFFFFh\nxor edx,edx\n\
                  wrmsr\nSetMSRTimers EV_BRANCHES, EV_AGI_STALLS + COUNT_CYCLES\nrdmsr\nmov after,eax\n\
                  SetMSRTimers EV_BRANCHES + SYS_CODE, EV_BRANCHES + USER_CODE + PM0_OVERFLOWS\nrdmsr\nmov user,eax\n\
                  ret\nend start\n";
    let run = run(source, 0);
    assert_ended(&run, source);
    assert_eq!(symbol(&run, "after"), 0xFDDF_FCD2);
    assert_eq!(symbol(&run, "user"), 0xFE92_FC52);
}
