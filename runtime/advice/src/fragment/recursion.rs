//! Functions that call themselves: the arguments that end the recursion are small, as its calls multiply with them.

use super::{Choice, Told};
use crate::target;
use iced_x86::{FlowControl, Mnemonic, OpKind};

/// The argument of a function that calls itself, and each of several: Fibonacci's function calls itself some 200 times
/// for 10, Ackermann's some 2,400 times for 3 and 3.
const ALONE: i32 = 10;
const OF_SEVERAL: i32 = 3;
/// How many instructions after a comparison the branch may stand that it decides.
const NEAR: usize = 4;

impl Choice<'_> {
    /// Chooses the arguments that a function which calls itself compares with numbers.
    pub(super) fn recur(&mut self) {
        if !self.calls_itself() {
            return;
        }
        let deciding = self.deciding();
        let value = if deciding.len() > 1 { OF_SEVERAL } else { ALONE };
        for origin in deciding {
            self.recursion |= 1 << origin;
            self.set(origin, value, Told::Number);
        }
    }

    /// Whether code that is reached calls a function within which it is reached again.
    fn calls_itself(&self) -> bool {
        let code = &self.flow.code;
        let calls = (0..code.len())
            .filter(|&at| code[at].flow_control() == FlowControl::Call && self.flow.states[at].is_some());
        calls
            .into_iter()
            .any(|call| self.called(call).is_some_and(|first| self.reaches(first, call)))
    }

    /// The instruction that a branch or a call goes to.
    fn called(&self, at: usize) -> Option<usize> {
        target(&self.flow.code[at]).and_then(|address| self.flow.index(address))
    }

    fn reaches(&self, from: usize, to: usize) -> bool {
        let code = &self.flow.code;
        let mut seen = vec![false; code.len()];
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            if at >= code.len() || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if at == to {
                return true;
            }
            open.extend(self.called(at));
            match code[at].flow_control() {
                FlowControl::UnconditionalBranch | FlowControl::IndirectBranch | FlowControl::Return => {}
                _ => open.push(at + 1),
            }
        }
        false
    }

    /// The arguments on the stack that are compared with a number before a conditional branch.
    fn deciding(&mut self) -> Vec<u8> {
        let mut found = Vec::new();
        for at in 0..self.flow.code.len() {
            let instruction = self.flow.code[at];
            let compares = matches!(
                instruction.mnemonic(),
                Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Dec | Mnemonic::Sub
            );
            let with_number = match instruction.op1_kind() {
                OpKind::Register => instruction.op1_register() == instruction.op0_register(),
                kind => kind != OpKind::Memory,
            };
            let behind = self.flow.code.iter().skip(at + 1).take(NEAR);
            let decides = behind
                .take_while(|one| one.flow_control() != FlowControl::Call)
                .any(|one| one.flow_control() == FlowControl::ConditionalBranch);
            let Some(state) = self.flow.states[at]
                .clone()
                .filter(|_| compares && with_number && decides)
            else {
                continue;
            };
            let value = match instruction.op0_kind() {
                OpKind::Register => state.value(instruction.op0_register()),
                _ => self.flow.loaded(&instruction, &state),
            };
            let Some((Some(origin), _)) = value.exact else { continue };
            let known = usize::from(origin) < self.values.len();
            if known && self.is_argument(origin) && !self.role(origin).pointer && !found.contains(&origin) {
                found.push(origin);
            }
        }
        found
    }
}
