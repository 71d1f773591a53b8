//! The frames of the functions that have not returned, from the call frame information of a Linux program.
//!
//! What compilers tell of a function says for each of its instructions where the return address and the saved
//! registers are, so that nothing has to be guessed from what lies on the stack. Functions without it, such as those of
//! hand-written assembly, end the way.

use crate::Image;
use gimli::{
    BaseAddresses, CfaRule, CieOrFde, EhFrame, EndianSlice, EvaluationResult, FrameDescriptionEntry, LittleEndian,
    Register, RegisterRule, UnwindContext, UnwindExpression, UnwindSection, Value,
};

/// The maximum size of the information in bytes: it is read once, and the part of one function for each frame.
const MOST_BYTES: usize = 1 << 22;
/// The maximum number of operations of an expression.
const MOST_OPERATIONS: u32 = 64;
const ADDRESS_SIZE: u8 = 4;
/// The numbers of ESP and of the return address in the information.
const STACK_POINTER: Register = Register(4);
const RETURN_ADDRESS: Register = Register(8);
/// EAX, ECX and EDX, which a function may change unless the information says that it saves them.
const CHANGED: [Register; 3] = [Register(0), Register(1), Register(2)];

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Where a function is executed, and with which registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The linear address of the next instruction.
    pub address: u32,
    /// The general registers by number from EAX = 0, as far as they are known.
    pub registers: [Option<u32>; 8],
    /// Whether a call stands before `address`, so that what is executed there is that call.
    pub called: bool,
}

/// The call frame information of a program.
pub struct Frames<'a> {
    table: EhFrame<Slice<'a>>,
    bases: BaseAddresses,
    /// By first address.
    functions: Vec<FrameDescriptionEntry<Slice<'a>>>,
}

impl<'a> Frames<'a> {
    /// The information of `image`; `None` if it has none, or none that can be read.
    pub fn of(image: &'a Image) -> Option<Frames<'a>> {
        let place = image.frames.clone()?;
        let bytes = image.bytes_at(place.start).get(..place.len())?;
        if bytes.len() > MOST_BYTES {
            return None;
        }
        let mut table = EhFrame::new(bytes, LittleEndian);
        table.set_address_size(ADDRESS_SIZE);
        let bases = BaseAddresses::default().set_eh_frame(place.start.into());
        let mut functions = Vec::new();
        let mut entries = table.entries(&bases);
        // Damage ends the reading.
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(partial) = entry else { continue };
            if let Ok(function) = partial.parse(EhFrame::cie_from_offset) {
                functions.push(function);
            }
        }
        functions.sort_by_key(FrameDescriptionEntry::initial_address);
        Some(Frames {
            table,
            bases,
            functions,
        })
    }

    /// The frame of the caller of `frame`, with what `read` returns of the memory; `None` if it is not known for sure.
    pub fn caller(&self, frame: &Frame, read: &dyn Fn(u32) -> Option<u32>) -> Option<Frame> {
        // A call that never returns may be the last instruction of its function.
        let at = u64::from(frame.address.wrapping_sub(frame.called.into()));
        let after = self
            .functions
            .partition_point(|function| function.initial_address() <= at);
        let function = &self.functions[after.checked_sub(1)?];
        if !function.contains(at) {
            return None;
        }
        let mut context = UnwindContext::new();
        let row = function
            .unwind_info_for_address(&self.table, &self.bases, &mut context, at)
            .ok()?;
        let held = |register: Register| *frame.registers.get(usize::from(register.0))?;
        let base = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => held(*register)?.wrapping_add(*offset as u32),
            CfaRule::Expression(expression) => self.evaluate(function, expression, &held, read)?,
        };
        let saved = |register: Register| match row.register(register) {
            None if CHANGED.contains(&register) => None,
            None | Some(RegisterRule::SameValue) => held(register),
            Some(RegisterRule::Offset(offset)) => read(base.wrapping_add(offset as u32)),
            Some(RegisterRule::ValOffset(offset)) => Some(base.wrapping_add(offset as u32)),
            Some(_) => None,
        };
        let mut registers: [Option<u32>; 8] = std::array::from_fn(|number| saved(Register(number as u16)));
        registers[usize::from(STACK_POINTER.0)] = Some(base);
        Some(Frame {
            address: saved(RETURN_ADDRESS)?,
            registers,
            called: true,
        })
    }

    fn evaluate(
        &self,
        function: &FrameDescriptionEntry<Slice<'a>>,
        expression: &UnwindExpression<usize>,
        held: &dyn Fn(Register) -> Option<u32>,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<u32> {
        let expression = expression.get(&self.table).ok()?;
        let mut evaluation = expression.evaluation(function.cie().encoding());
        evaluation.set_max_iterations(MOST_OPERATIONS);
        let mut result = evaluation.evaluate().ok()?;
        loop {
            result = match result {
                EvaluationResult::Complete => break,
                EvaluationResult::RequiresRegister { register, .. } => {
                    let value = held(register)?;
                    evaluation.resume_with_register(Value::Generic(value.into())).ok()?
                }
                EvaluationResult::RequiresMemory { address, size, .. } if size == ADDRESS_SIZE => {
                    let value = read(address as u32)?;
                    evaluation.resume_with_memory(Value::Generic(value.into())).ok()?
                }
                _ => return None,
            };
        }
        match evaluation.value_result()? {
            Value::Generic(value) => Some(value as u32),
            _ => None,
        }
    }
}
