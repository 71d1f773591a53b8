//! Forms that the source may write differently from the encoder's table: with operands swapped or omitted.

use super::{Fill, Form, Slot};
use iced_x86::{Code, Mnemonic, Register};

/// The form with its two operands swapped, if the instruction treats them alike.
pub(super) fn swapped(mnemonic: Mnemonic, form: &Form) -> Option<Form> {
    let [first, second, _] = form.slots;
    if !matches!(mnemonic, Mnemonic::Test | Mnemonic::Xchg) || second.immediate_bits().is_some() {
        return None;
    }
    let [into_first, into_second, rest] = form.fills;
    if into_first != Fill::Operand(0) || into_second != Fill::Operand(1) {
        return None;
    }
    let slots = [second, first, Slot::Absent];
    Some(Form {
        slots,
        masks: slots.map(Slot::bit),
        fills: [Fill::Operand(1), Fill::Operand(0), rest],
        ..*form
    })
}

/// The forms in which the source omits operands.
pub(super) fn shorthand(form: &Form) -> Vec<Form> {
    let with = |slots: [Slot; 3], fills: [Fill; 3]| Form {
        slots,
        masks: slots.map(Slot::bit),
        fills,
        ..*form
    };
    let none = [Slot::Absent; 3];
    let one = |slot| [slot, Slot::Absent, Slot::Absent];
    let unused = Fill::Number(0);
    let top = Fill::Fixed(Register::ST0);
    let next = Fill::Fixed(Register::ST1);
    let given = Fill::Operand(0);
    match form.code {
        Code::Aad_imm8 | Code::Aam_imm8 => vec![with(none, [Fill::Number(10), unused, unused])],
        Code::Imul_r16_rm16_imm8 => imul_by_number(form, Slot::R16, Slot::Signed16, Fill::Immediate8To16(1)),
        Code::Imul_r16_rm16_imm16 => imul_by_number(form, Slot::R16, Slot::Imm16, Fill::Immediate16(1)),
        Code::Imul_r32_rm32_imm8 => imul_by_number(form, Slot::R32, Slot::Signed32, Fill::Immediate8To32(1)),
        Code::Imul_r32_rm32_imm32 => imul_by_number(form, Slot::R32, Slot::Imm32, Fill::Immediate32(1)),
        Code::Int_imm8 => {
            let breakpoint = one(Slot::Three);
            let fills = [unused; 3];
            vec![Form {
                code: Code::Int3,
                slots: breakpoint,
                masks: breakpoint.map(Slot::bit),
                fills,
                filled: 0,
                ..*form
            }]
        }
        Code::Fxch_st0_sti => {
            let reversed = [Slot::Stack, Slot::StackTop, Slot::Absent];
            vec![
                with(none, [top, next, unused]),
                with(one(Slot::Stack), [top, given, unused]),
                with(reversed, [top, given, unused]),
            ]
        }
        Code::Fcom_st0_sti | Code::Fcomp_st0_sti | Code::Fucom_st0_sti | Code::Fucomp_st0_sti => {
            vec![
                with(none, [top, next, unused]),
                with(one(Slot::Stack), [top, given, unused]),
            ]
        }
        Code::Fadd_st0_sti
        | Code::Fmul_st0_sti
        | Code::Fsub_st0_sti
        | Code::Fsubr_st0_sti
        | Code::Fdiv_st0_sti
        | Code::Fdivr_st0_sti => {
            let popping = match form.code {
                Code::Fadd_st0_sti => Code::Faddp_sti_st0,
                Code::Fmul_st0_sti => Code::Fmulp_sti_st0,
                Code::Fsub_st0_sti => Code::Fsubp_sti_st0,
                Code::Fsubr_st0_sti => Code::Fsubrp_sti_st0,
                Code::Fdiv_st0_sti => Code::Fdivp_sti_st0,
                _ => Code::Fdivrp_sti_st0,
            };
            let bare = Form {
                code: popping,
                ..with(none, [next, top, unused])
            };
            vec![bare, with(one(Slot::Stack), [top, given, unused])]
        }
        Code::Faddp_sti_st0
        | Code::Fmulp_sti_st0
        | Code::Fsubp_sti_st0
        | Code::Fsubrp_sti_st0
        | Code::Fdivp_sti_st0
        | Code::Fdivrp_sti_st0 => {
            vec![
                with(none, [next, top, unused]),
                with(one(Slot::Stack), [given, top, unused]),
            ]
        }
        _ => Vec::new(),
    }
}

/// `imul eax,5` means `imul eax,eax,5`.
fn imul_by_number(form: &Form, register: Slot, number: Slot, fill: Fill) -> Vec<Form> {
    let slots = [register, number, Slot::Absent];
    let fills = [Fill::Operand(0), Fill::Operand(0), fill];
    vec![Form {
        slots,
        masks: slots.map(Slot::bit),
        fills,
        ..*form
    }]
}
