//! The text of instructions, with the names of addresses.

use super::Machine;
use super::spellings::lines_of;
use iced_x86::{DecoderError, Formatter, Instruction, MasmFormatter, OpKind, Register, SymbolResolver, SymbolResult};
use p5_image::{LineRow, Symbol, SymbolKind};
use p5_results::{PARTLY_UNMAPPED, UNMAPPED};
use p5_timing::block::Op;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Displacements at least this far below zero are written as large unsigned numbers.
const FAR: i32 = 0x1_0000;

/// The program's labels and data.
pub(super) struct Names {
    /// The name of each address. If there are several, the first one defined is used.
    at: BTreeMap<u32, String>,
    /// The data with more than its first byte, by address.
    data: Vec<Extent>,
}

struct Extent {
    first: u32,
    last: u32,
    name: String,
    /// The index of the extent that ends last, among the extents up to this one.
    farthest: usize,
}

impl Names {
    pub(super) fn of(symbols: &[Symbol]) -> Names {
        let mut at = BTreeMap::new();
        let mut data = Vec::new();
        for symbol in symbols {
            if symbol.kind != SymbolKind::Constant {
                at.entry(symbol.value).or_insert_with(|| symbol.name.clone());
            }
            if matches!(symbol.kind, SymbolKind::Data { .. }) && symbol.size > 1 {
                data.push(Extent {
                    first: symbol.value,
                    last: symbol.value.saturating_add(symbol.size - 1),
                    name: symbol.name.clone(),
                    farthest: 0,
                });
            }
        }
        // Of the extents that begin at an address, the first one defined comes last, because the search begins at the
        // end.
        data.reverse();
        data.sort_by_key(|extent| extent.first);
        for index in 1..data.len() {
            let before = data[index - 1].farthest;
            let farther = data[index].last >= data[before].last;
            data[index].farthest = if farther { index } else { before };
        }
        Names { at, data }
    }

    /// The data that contains an address: the extent with the nearest beginning before it, or else the one that ends
    /// last.
    fn around(&self, address: u32) -> Option<&Extent> {
        let nearest = self
            .data
            .partition_point(|extent| extent.first <= address)
            .checked_sub(1)?;
        let candidates = [nearest, self.data[nearest].farthest];
        let mut candidates = candidates.into_iter().map(|index| &self.data[index]);
        candidates.find(|extent| address <= extent.last)
    }
}

/// The labels and data of a program by name in lower case, found when the first one is asked for.
#[derive(Default)]
pub(super) struct ByName(Option<FxHashMap<String, Vec<Symbol>>>);

impl ByName {
    /// The symbols of `all` whose names are words of a text.
    fn in_text(&mut self, all: &[Symbol], text: &str) -> Vec<Symbol> {
        let known = self.0.get_or_insert_with(|| {
            let mut known: FxHashMap<String, Vec<Symbol>> = FxHashMap::default();
            for symbol in all.iter().filter(|symbol| symbol.kind != SymbolKind::Constant) {
                known
                    .entry(symbol.name.to_lowercase())
                    .or_default()
                    .push(symbol.clone());
            }
            known
        });
        let in_name = |one: char| one.is_alphanumeric() || "_@$?".contains(one);
        let words = text.split(|one| !in_name(one)).filter(|word| !word.is_empty());
        words
            .filter_map(|word| known.get(&word.to_lowercase()))
            .flatten()
            .cloned()
            .collect()
    }
}

impl Machine<'_> {
    pub(super) fn formatter(&self) -> MasmFormatter {
        let mut names = Names::of(&self.image.symbols);
        // In source they have a meaning in one part only, and its lines show them.
        if self.image.process_stack().is_some() {
            for (address, name) in &self.image.local_labels {
                names.at.entry(*address).or_insert_with(|| name.clone());
            }
        }
        formatter(Some(Box::new(names)))
    }

    /// The text of an instruction of a macro or repeat, with the names that its line or the calls around it have. Other
    /// names are of its addresses by chance: 320 bytes of a row of pixels may be the address of a variable.
    pub(super) fn text_in_body(
        &self,
        op: &Op,
        row: &LineRow,
        named: String,
        lines: &FxHashMap<(u32, u32), &str>,
        known: &mut ByName,
    ) -> String {
        let (instruction, plain) = self.text_of(op, &mut formatter(None));
        let registers = [instruction.memory_base(), instruction.memory_index()];
        let memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
        let is_fixed = memory && registers == [Register::None; 2];
        if is_near_branch(&instruction) {
            return named;
        }
        let base = op.address.wrapping_sub(op.mode.offset(op.address));
        let texts = lines_of(self.image, row).filter_map(|place| lines.get(&place));
        let symbols: Vec<Symbol> = texts
            .flat_map(|text| known.in_text(&self.image.symbols, text))
            .map(|symbol| Symbol {
                value: symbol.value.wrapping_sub(base),
                ..symbol
            })
            .collect();
        if !symbols.is_empty() {
            let (_, written) = self.text_of(op, &mut formatter(Some(Box::new(Names::of(&symbols)))));
            if written != plain {
                return written;
            }
        }
        if is_fixed { named } else { plain }
    }

    pub(super) fn text_of(&self, op: &Op, formatter: &mut MasmFormatter) -> (Instruction, String) {
        let bytes = &op.bytes[..usize::from(op.length)];
        let mut decoder = self
            .model
            .isa
            .decoder(op.mode.bits(), bytes, op.mode.offset(op.address));
        let instruction = decoder.decode();
        let mut text = String::new();
        if op.delivery && instruction.is_invalid() && decoder.last_error() == DecoderError::NoMoreBytes {
            text.push_str(match self.state.memory.fetch(op.address, &mut [0]) {
                0 => UNMAPPED,
                _ => PARTLY_UNMAPPED,
            });
        } else {
            // A number far below zero is a constant rather than a distance.
            let near = instruction.memory_displacement32() as i32 >= -FAR;
            formatter.options_mut().set_signed_memory_displacements(near);
            formatter.format(&instruction, &mut text);
        }
        (instruction, text)
    }
}

fn formatter(names: Option<Box<dyn SymbolResolver>>) -> MasmFormatter {
    let mut formatter = MasmFormatter::with_options(names, None);
    let options = formatter.options_mut();
    options.set_space_after_operand_separator(false);
    options.set_show_branch_size(false);
    formatter
}

/// Whether the only operand of an instruction is the target of a jump or call in the same segment.
pub(super) fn is_near_branch(instruction: &Instruction) -> bool {
    matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::NearBranch32)
}

impl SymbolResolver for Names {
    fn symbol(
        &mut self,
        instruction: &Instruction,
        _operand: u32,
        instruction_operand: Option<u32>,
        address: u64,
        _size: u32,
    ) -> Option<SymbolResult<'_>> {
        let address = u32::try_from(address).ok()?;
        if let Some(name) = self.at.get(&address) {
            return Some(SymbolResult::with_str(u64::from(address), name));
        }
        // A number may lie between the addresses of an array by chance; an operand in memory seldom does.
        if instruction_operand.is_none_or(|operand| instruction.op_kind(operand) != OpKind::Memory) {
            return None;
        }
        let extent = self.around(address)?;
        Some(SymbolResult::with_str(u64::from(extent.first), &extent.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, Formatter, MasmFormatter};
    use p5_image::ElementKind;

    fn symbol(name: &str, value: u32, size: u32) -> Symbol {
        Symbol {
            name: name.to_owned(),
            value,
            size,
            kind: SymbolKind::Data {
                element: 4,
                kind: ElementKind::Unsigned,
            },
            library: false,
            typed: true,
        }
    }

    #[test]
    fn an_address_inside_of_data_is_an_offset_from_its_name() {
        let symbols = [
            symbol("a", 0x40_3000, 64),
            symbol("same", 0x40_3000, 4),
            symbol("inner", 0x40_3010, 8),
            symbol("behind", 0x40_3040, 4),
        ];
        let text = |bytes: &[u8]| {
            let mut formatter = MasmFormatter::with_options(Some(Box::new(Names::of(&symbols))), None);
            let mut text = String::new();
            let instruction = Decoder::with_ip(32, bytes, 0x40_1000, DecoderOptions::NONE).decode();
            formatter.format(&instruction, &mut text);
            text
        };
        let load = |offset: u8| text(&[0xA1, offset, 0x30, 0x40, 0]);
        assert_eq!(load(0), "mov eax,[a]");
        assert_eq!(load(4), "mov eax,[a+4]");
        assert_eq!(load(15), "mov eax,[a+0Fh]");
        assert_eq!(load(0x14), "mov eax,[inner+4]");
        assert_eq!(load(0x18), "mov eax,[a+18h]");
        assert_eq!(load(0x3F), "mov eax,[a+3Fh]");
        assert_eq!(load(0x43), "mov eax,[behind+3]");
        assert_eq!(load(0x44), "mov eax,ds:[403044h]");
        assert_eq!(text(&[0x03, 0x04, 0x8D, 8, 0x30, 0x40, 0]), "add eax,[ecx*4+a+8]");
        assert_eq!(text(&[0xB8, 4, 0x30, 0x40, 0]), "mov eax,403004h");
    }
}
