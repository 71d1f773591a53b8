//! The functions and labels of a closed run, and what was assumed of a fragment.

use super::Machine;
use super::calls::rust::in_source;
use iced_x86::{Decoder, DecoderOptions, OpKind};
use p5_image::{Assumed, Functions, Image, Symbol, SymbolKind};
use p5_results::{Entered, Function, InlinedCall, InstructionResult, Label, Remainder, StatementStart, StopDetail};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A file and a line, and the number of the function in which the line stands.
type LineOfFunction = ((u32, u32), Option<usize>);

impl Machine<'_> {
    /// The functions that were executed, by address, and the inlined calls. Gives each instruction and
    /// each remainder the number of its own; beside the remainders stand the addresses of their functions.
    pub(super) fn name_functions(
        &self,
        instructions: &mut [InstructionResult],
        remainders: &mut [(Remainder, Option<u32>)],
    ) -> (Vec<Function>, Vec<InlinedCall>) {
        let called: BTreeSet<u32> = instructions
            .iter()
            .filter_map(|one| called_at(self.image, one.address))
            .collect();
        let functions = Functions::of(self.image, &called.into_iter().collect::<Vec<_>>());
        let places = self.image.inlined.declared.iter();
        let declared: FxHashMap<u32, (u32, u32)> = places.map(|one| (one.address, (one.file, one.line))).collect();
        let mut executed: Vec<Function> = Vec::new();
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut number = |address: u32| {
            let at = functions.at(address)?;
            let next = numbers.len() as u32;
            Some(*numbers.entry(at).or_insert_with(|| {
                let function = &functions.0[at];
                executed.push(Function {
                    name: in_source(&function.name),
                    address: function.address,
                    declared: declared.get(&function.address).copied(),
                });
                next
            }))
        };
        let mut inlined: Vec<InlinedCall> = Vec::new();
        let mut calls: FxHashMap<u32, u32> = FxHashMap::default();
        let mut call = |address: u32| {
            let innermost = self.image.inlined.at(address)?;
            let around = |&call: &u32| self.image.inlined.calls.get(call as usize)?.within;
            let unknown: Vec<u32> = std::iter::successors(Some(innermost), around)
                .take_while(|call| !calls.contains_key(call))
                .collect();
            for call in unknown.into_iter().rev() {
                let replaced = self.image.inlined.calls.get(call as usize)?;
                inlined.push(InlinedCall {
                    name: self.image.inlined.name(call).unwrap_or_default().to_owned(),
                    place: replaced.place,
                    declared: replaced.declared,
                    within: replaced.within.and_then(|around| calls.get(&around).copied()),
                });
                calls.insert(call, inlined.len() as u32 - 1);
            }
            calls.get(&innermost).copied()
        };
        for one in instructions.iter_mut() {
            one.function = number(one.address);
            one.inlined = call(one.address);
        }
        // A line that is inlined belongs to several functions, each of which has a sum of it.
        let key = |one: &Remainder, function: &Option<u32>| {
            let at = function.and_then(|address| functions.at(address));
            one.place.map(|place| (place, at))
        };
        let summed = remainders.iter().filter_map(|(one, function)| key(one, function));
        let mut firsts: FxHashMap<LineOfFunction, Option<u32>> = summed.map(|key| (key, None)).collect();
        // A program may have many more lines than those that are summed.
        let mut unknown = firsts.len();
        let mut rows = self.image.lines.iter();
        while let Some(row) = rows.next().filter(|_| unknown > 0) {
            let place = (row.file, row.line);
            for key in [(place, functions.at(row.address)), (place, None)] {
                if let Some(first @ None) = firsts.get_mut(&key) {
                    *first = Some(row.address);
                    unknown -= 1;
                }
            }
        }
        for (one, function) in remainders {
            let first = key(one, function).and_then(|key| firsts.get(&key).copied()?);
            let address = first.or(*function);
            one.function = address.and_then(&mut number);
            one.inlined = address.and_then(&mut call);
        }
        (executed, inlined)
    }

    /// The labels and procedures, by address.
    pub(super) fn labels(&self) -> Vec<Label> {
        let code = |symbol: &&Symbol| symbol.kind == SymbolKind::Code && !symbol.library;
        let mut labels: Vec<Label> = self
            .image
            .symbols
            .iter()
            .filter(code)
            .map(|symbol| Label {
                address: symbol.value,
                name: symbol.name.clone(),
            })
            .collect();
        labels.sort_by_key(|label| label.address);
        labels
    }

    /// The labels that only loops are named by, by address.
    pub(super) fn local_labels(&self) -> Vec<Label> {
        let labels = self.image.local_labels.iter();
        let labels = labels.map(|(address, name)| Label {
            address: *address,
            name: name.clone(),
        });
        let mut labels: Vec<Label> = labels.collect();
        labels.sort_by_key(|label| label.address);
        labels
    }

    /// What was assumed of a fragment. A loop that ended before its rounds needs none, and neither does a procedure
    /// that was not called.
    pub(super) fn assumed(&self, instructions: &[InstructionResult]) -> Vec<Assumed> {
        let mut assumed = self.image.preset.assumed.clone();
        let ended = match self.stop.detail {
            Some(StopDetail::Rounds(rounds)) => Some(rounds),
            _ => None,
        };
        let executed = |wanted: &str| {
            let named = |symbol: &&Symbol| symbol.kind == SymbolKind::Code && symbol.name == wanted;
            let stub = self.image.symbols.iter().find(named).map(|symbol| symbol.value);
            let panicked = stub == Some(self.state.registers.eip);
            let row = stub.and_then(|stub| instructions.binary_search_by_key(&stub, |one| one.address).ok());
            stub.is_none() || panicked || row.is_some_and(|row| instructions[row].executions > 0)
        };
        let unneeded = |one: &Assumed| match one {
            Assumed::Rounds { rounds } => Some(*rounds) != ended,
            Assumed::Procedure { name, .. } => !executed(name),
            _ => false,
        };
        assumed.retain(|one| !unneeded(one));
        assumed
    }

    /// Which function of a source without a program was executed, if it has several.
    pub(super) fn entered(&self, instructions: &[InstructionResult]) -> Option<Entered> {
        let all = &self.image.standalone.functions;
        let mut named: Vec<u32> = (self.image.symbols.iter())
            .filter(|symbol| symbol.kind == SymbolKind::Code)
            .map(|symbol| symbol.value)
            .collect();
        named.sort_unstable();
        // A function that runs begins to, and what follows the next name may be another one.
        let not_run = all.iter().filter(|function| {
            let next = named.partition_point(|address| *address <= function.address);
            let next = named.get(next).copied().unwrap_or(u32::MAX);
            let end = match function.size {
                0 => next,
                size => next.min(function.address.saturating_add(size)),
            };
            let first = instructions.partition_point(|one| one.address < function.address);
            let mut own = instructions[first..].iter().take_while(|one| one.address < end);
            !own.any(|one| one.executions > 0)
        });
        let mut functions = all.iter();
        let function = functions.find(|function| function.address == self.image.standalone.entered)?;
        (all.len() > 1).then(|| Entered {
            function: function.name.clone(),
            not_run: not_run.map(|function| function.name.clone()).collect(),
        })
    }

    /// Where the compiler begins statements of executed lines, for the lines with several such addresses.
    pub(super) fn statements(&self, instructions: &[InstructionResult]) -> Vec<StatementStart> {
        let places: FxHashSet<(u32, u32)> = instructions.iter().filter_map(|one| one.place).collect();
        let starts = self.image.statements.iter().map(|one| StatementStart {
            place: (one.file, one.line),
            column: one.column,
            address: one.address,
        });
        let mut starts: Vec<StatementStart> = starts.filter(|one| places.contains(&one.place)).collect();
        starts.sort_unstable();
        let is_again = |both: &[StatementStart]| both[0].column == both[1].column;
        let of_lines = starts.chunk_by(|one, next| one.place == next.place);
        let several = of_lines.filter(|starts| starts.windows(2).any(is_again));
        several.flatten().copied().collect()
    }
}

/// The targets of the direct near calls in code with source lines, in ascending order.
pub fn called_in(image: &Image) -> Vec<u32> {
    let code = image.lines.iter().filter(|row| !row.data);
    let called: BTreeSet<u32> = code.filter_map(|row| called_at(image, row.address)).collect();
    called.into_iter().collect()
}

/// The target of a direct near call at an address, unless it only reads its own address: the target of such a call is
/// the next instruction.
pub(super) fn called_at(image: &Image, address: u32) -> Option<u32> {
    let bytes = image.bytes_at(address);
    let bits = image.code_bits_at(address);
    let instruction = Decoder::with_ip(bits, bytes, u64::from(address), DecoderOptions::NONE).decode();
    if !instruction.is_call_near() {
        return None;
    }
    let next = instruction.next_ip32();
    let target = match instruction.op0_kind() {
        OpKind::NearBranch32 => instruction.near_branch32(),
        // The decoder takes the linear address for the offset in the segment: only the distance is right.
        OpKind::NearBranch16 => {
            let distance = instruction.near_branch16().wrapping_sub(next as u16);
            next.wrapping_add_signed((distance as i16).into())
        }
        _ => return None,
    };
    (target != next).then_some(target)
}
