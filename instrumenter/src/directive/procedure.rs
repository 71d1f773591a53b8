//! Procedures: `proc`, `endp`, and the registers that `uses` saves.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{Instruction, MOST_OPERANDS, NodeKind, Type};
use crate::diag::Span;
use crate::directive::is_language;
use crate::evaluate::Value;
use crate::expr::Cursor;
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::symbols::{Definition, Procedure};
use iced_x86::Register;

impl Assembler<'_> {
    pub(crate) fn begin_procedure(
        &mut self,
        name: NameId,
        spelled: &str,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        if self.procedures.len() > 64 {
            return Err(fault(span, "procedures are nested more than 64 deep"));
        }
        if self.scoped_locals {
            self.scope += 1;
        }
        let start = self.location();
        let index = self.define(name, spelled, Definition::Address(start), Type::Near, span)?;
        let mut uses = Vec::new();
        let mut listed = false;
        let mut problem = None;
        while let Some(token) = cursor.peek() {
            let place = cursor.here();
            let Some((word, _)) = cursor.name() else {
                problem = Some(
                    fault(place, "a procedure's parameters are not supported yet")
                        .with_help("address them through ebp or esp"),
                );
                break;
            };
            let register = self.names.info(word).register;
            match keyword(word) {
                Some(Keyword::Near | Keyword::Far | Keyword::Public) => {}
                Some(Keyword::Uses) => listed = true,
                _ if listed && register != Register::None => uses.push(register),
                _ if is_language(self.names.text(word)) || cursor.text(token).eq_ignore_ascii_case("private") => {}
                _ => {
                    problem = Some(
                        fault(place, "a procedure's parameters are not supported yet")
                            .with_help("address them through ebp or esp"),
                    );
                    break;
                }
            }
            cursor.eat(b',');
        }
        for &register in &uses {
            self.stack_instruction("push", register, span)?;
        }
        self.procedures.push(Procedure {
            name,
            uses,
            span,
            symbol: index.unwrap_or(NONE),
            start,
        });
        problem.map_or(Ok(()), Err)
    }

    pub(crate) fn end_procedure(&mut self, name: Option<NameId>, span: Span) -> Result<(), Fault> {
        let Some(open) = self.procedures.pop() else {
            return Err(fault(span, "there is no open procedure that this could end"));
        };
        let here = self.location();
        let size = self.address(here).saturating_sub(self.address(open.start));
        if let Some(symbol) = self.symbols.get_mut(open.symbol as usize) {
            symbol.size = size;
        }
        if self.scoped_locals {
            self.scope += 1;
        }
        match name {
            Some(name) if name != open.name => {
                let text = self.names.text(open.name).to_owned();
                Err(fault(
                    span,
                    format!("the open procedure is `{text}`, from line {}", open.span.line),
                )
                .with_help(format!("write `{text} endp`")))
            }
            _ => Ok(()),
        }
    }

    /// Before a `ret` the registers that `uses` saved are taken back.
    pub(crate) fn leave_procedure(&mut self, instruction: &Instruction) -> Result<(), Fault> {
        let Some(open) = self.procedures.last() else {
            return Ok(());
        };
        if open.uses.is_empty() || self.names.text(instruction.mnemonic) != "ret" {
            return Ok(());
        }
        let uses = open.uses.clone();
        for &register in uses.iter().rev() {
            self.stack_instruction("pop", register, instruction.span)?;
        }
        Ok(())
    }

    fn stack_instruction(&mut self, mnemonic: &str, register: Register, span: Span) -> Result<(), Fault> {
        let operand = self.expressions.push(NodeKind::Register(register), span);
        let mut operands = [NONE; MOST_OPERANDS];
        operands[0] = operand;
        let mut values = [Value::number(0); MOST_OPERANDS];
        values[0] = self.evaluate(operand)?;
        let instruction = Instruction {
            mnemonic: self.names.intern(mnemonic),
            lock: false,
            repeat: 0,
            operands,
            operand_count: 1,
            span,
            origin: self.origin,
        };
        // The node stays: the instruction being assembled may have its own operands behind it.
        let mark = self.expressions.mark();
        self.place_instruction(instruction, &values, mark)
    }
}
