//! `esc number, operand`: an instruction of the coprocessor by its number, as books and emulators of the 8087 write it.

use super::Parser;
use super::expression::constant;
use super::generated::generate_instruction;
use crate::diag::{Fault, Span, fault};
use crate::lex::Cursor;

/// The instructions on memory, by the number: the three bits of the opcode, and the three of the byte after it. None
/// of them waits.
const OPERATIONS: [&str; 64] = [
    "fadd dword ptr",
    "fmul dword ptr",
    "fcom dword ptr",
    "fcomp dword ptr",
    "fsub dword ptr",
    "fsubr dword ptr",
    "fdiv dword ptr",
    "fdivr dword ptr",
    "fld dword ptr",
    "",
    "fst dword ptr",
    "fstp dword ptr",
    "fldenv",
    "fldcw word ptr",
    "fnstenv",
    "fnstcw word ptr",
    "fiadd dword ptr",
    "fimul dword ptr",
    "ficom dword ptr",
    "ficomp dword ptr",
    "fisub dword ptr",
    "fisubr dword ptr",
    "fidiv dword ptr",
    "fidivr dword ptr",
    "fild dword ptr",
    "",
    "fist dword ptr",
    "fistp dword ptr",
    "",
    "fld tbyte ptr",
    "",
    "fstp tbyte ptr",
    "fadd qword ptr",
    "fmul qword ptr",
    "fcom qword ptr",
    "fcomp qword ptr",
    "fsub qword ptr",
    "fsubr qword ptr",
    "fdiv qword ptr",
    "fdivr qword ptr",
    "fld qword ptr",
    "",
    "fst qword ptr",
    "fstp qword ptr",
    "frstor",
    "",
    "fnsave",
    "fnstsw word ptr",
    "fiadd word ptr",
    "fimul word ptr",
    "ficom word ptr",
    "ficomp word ptr",
    "fisub word ptr",
    "fisubr word ptr",
    "fidiv word ptr",
    "fidivr word ptr",
    "fild word ptr",
    "",
    "fist word ptr",
    "fistp word ptr",
    "fbld tbyte ptr",
    "fild qword ptr",
    "fbstp tbyte ptr",
    "fistp qword ptr",
];

/// `esc number, operand`, as the instruction of that number.
pub(super) fn escape(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    let place = cursor.here();
    let number = constant(parser, cursor)?;
    if !cursor.eat(b',') {
        return Err(fault(cursor.here(), "expected `,` and an operand"));
    }
    let operation = usize::try_from(number).ok().and_then(|number| OPERATIONS.get(number));
    match operation.copied() {
        None => Err(fault(
            place,
            format!("the number of an instruction is 0 to 63, not {number}"),
        )),
        Some("") => Err(
            fault(place, format!("the coprocessor has no instruction {number} on memory"))
                .with_help("write its bytes with `db`"),
        ),
        Some(operation) => {
            let text = format!("{operation} {}", cursor.take_rest());
            generate_instruction(parser, text, span);
            Ok(())
        }
    }
}
