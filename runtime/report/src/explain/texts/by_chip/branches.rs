//! Texts about the prediction of branches, which depend on how a chip finds an entry of its branch target buffer.
//!
//! Modelled: the texts. Not modelled: the rules, which are applied in `pipeline/stages/branch.rs` and `units`.

use p5_chips::{Model, Prediction};

/// An entry that an instruction without a branch finds.
pub(super) fn entry_met(model: &Model) -> String {
    match model.rules.prediction {
        Prediction::Counter => {
            "An entry of the branch target buffer is attached to the group before its branch. If that group ends with \
             a branch itself, it may lead elsewhere: a group there that has no branch meets the entry all the same, \
             and the jump that it predicts is undone by a refill of {in_ex}. The clocks are charged to the \
             instruction in U of the group that met it, though it is no branch."
        }
        Prediction::History => {
            "This chip finds an entry of the branch target buffer by the branch itself, not by the group before it. So \
             no instruction without a branch meets one, and none pays for it."
        }
        Prediction::None => "This chip predicts no branches, so there is no entry that another instruction could meet.",
        Prediction::Perfect => "Every near branch is foreseen, so no entry is met by another instruction.",
    }
    .to_owned()
}

/// The entry that two branches use in common.
pub(super) fn entry_shared(model: &Model) -> String {
    match model.rules.prediction {
        Prediction::Counter => {
            "An entry of the branch target buffer is attached to the group before its branch. Two branches that follow \
             the same group, such as one at the head of a loop and one behind its end, use one entry, and each finds \
             in it the target and the outcomes of the other."
        }
        Prediction::History => {
            "An entry of the branch target buffer belongs to the aligned dword in which a branch ends. Two branches \
             that end in the same dword use one entry: each finds the target and the outcomes of the other in it and \
             leaves its own, so that both may be mispredicted each time, though each always does the same. A NOP \
             between them, or an alignment, moves one to another dword. The event BTB_FALSE_ENTRIES counts such \
             predictions."
        }
        Prediction::None | Prediction::Perfect => "No two branches share anything.",
    }
    .to_owned()
}

/// A loop in which the history comes too late, on a chip that keeps one.
pub(super) fn tight_loop(model: &Model) -> String {
    format!(
        "A branch that is executed again within {} instructions is predicted by older outcomes: the last one, or from \
         the third time on the last two, are not part of its history yet. So a short loop may mispredict a pattern \
         that a longer one learns, such as taken and not taken in turn, and a short loop of 6 or 7 rounds has no \
         misprediction, where a longer one has one. Instructions are counted, not clocks: a few more MOVs in the loop, \
         or an unrolled round, may cost less than the mispredictions.",
        model.rules.history_update_instructions
    )
}

/// A prediction that is not used because the group before was mispredicted.
pub(super) fn right_after(model: &Model) -> String {
    match model.rules.prediction {
        Prediction::Counter => {
            "The group right after a misprediction cannot use a prediction, even if the branch target buffer has the \
             right one: a taken branch in it is mispredicted too, conditional or not. A loop that is one group, such \
             as `inc n` with `jmp main`, mispredicts in every round, because each round is the group right after the \
             misprediction of the one before; a further group without a branch ends that."
        }
        _ => "This chip predicts the branch right after a misprediction as any other: it has no such rule.",
    }
    .to_owned()
}

/// A taken branch to the next address.
pub(super) fn to_next(model: &Model) -> String {
    let meets = match model.rules.prediction {
        Prediction::Counter => "another branch that follows the same group",
        Prediction::History => "another branch that ends in the same aligned dword",
        Prediction::None | Prediction::Perfect => "another branch",
    };
    format!(
        "A taken branch to the next address gets no entry in the branch target buffer, so it is predicted to fall \
         through. Execution goes on at the same address, but the prediction counts as wrong, and the refill of \
         {{in_ex}} is paid each time. If {meets} has an entry already, the branch to the next address uses that \
         (`p5inst explain entry of two branches`): it puts its own target there and is then predicted rightly, until \
         the other one is taken again."
    )
}

/// How often a loop of one group flushes the pipeline.
pub(in super::super::super) fn flushes_of_one_group(model: &Model) -> &'static str {
    match model.rules.prediction {
        Prediction::Counter => {
            " It counts mispredicted branches, jumps and returns to another segment, and the refills after an \
             instruction that met the entry of a branch (`p5inst explain entry met by another`), so there may be more \
             than the mispredictions that a report shows. A refill after the last instruction of a run takes no \
             clock of it. A loop of one group, such as `dec ecx` with `jnz`, flushes in nearly every round, as Agner \
             Fog, Microarchitecture 2020, 3.2, has it: each round is the group right after a misprediction, which \
             cannot use a prediction (`p5inst explain misprediction right after another`). So a thousand rounds count \
             nearly a thousand, not 1."
        }
        _ => {
            " It counts mispredicted branches, and jumps and returns to another segment. A refill after the last \
             instruction of a run takes no clock of it. A loop of one group, such as `dec ecx` with `jnz`, is \
             predicted as any other: on this chip an entry belongs to the branch itself, not to the group before it."
        }
    }
}
