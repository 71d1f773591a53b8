//! Accesses past the ends of variables: `mov squares[ecx*4],eax` with an ECX as large as `squares` has elements.
//!
//! An instruction is looked at if its operand names one variable and computes an address from that with a register.
//! It is told if it is within the variable most times, and otherwise at most a few elements off, in another variable or
//! outside of all data: anything else is likely meant, such as a table that goes on in unnamed lines.

use super::pointers;
use super::walked;
use crate::decode::decoded;
use iced_x86::{Instruction, Mnemonic, Register};
use p5_image::{ElementKind, Image, Symbol, SymbolKind};
use p5_results::{InstructionResult, Note};
use p5_words::registers::Registers;
use rustc_hash::FxHashMap;

/// How many elements an access by mistake is at most past the last element.
const MOST_PAST: i64 = 4;
/// Of this many accesses, at most one is by mistake.
const SHARE: u64 = 2;

/// The instructions that are looked at, by address, and the access of the next one.
#[derive(Clone, Default)]
pub(super) struct Indexed {
    watched: FxHashMap<u32, Access>,
    // The address of an instruction that comes next, and the distance of its access from its variable.
    next: Option<(u32, i64)>,
}

/// The accesses of one instruction.
#[derive(Clone)]
struct Access {
    instruction: Instruction,
    /// The number of its file and its line.
    place: (u32, u32),
    /// The address and the size of its variable, and the size of an element.
    variable: u32,
    size: u32,
    element: u32,
    symbol: usize,
    within: u64,
    outside: u64,
    /// The first distance outside, and whether each is one by mistake.
    first: Option<i64>,
    mistaken: bool,
}

impl Indexed {
    /// Those of `rows` that access a variable by an index; `None` if none does.
    pub(super) fn of<'a>(
        rows: impl Iterator<Item = &'a InstructionResult>,
        variables: &Variables<'_>,
    ) -> Option<Indexed> {
        let watched: FxHashMap<u32, Access> = rows
            .filter_map(|row| Some((row.address, variables.accessed(row)?)))
            .collect();
        (!watched.is_empty()).then_some(Indexed { watched, next: None })
    }

    /// The notes on accesses by mistake, by line.
    pub(super) fn told(self, variables: &Variables<'_>) -> Vec<Note> {
        let mut found: Vec<Access> = self.watched.into_values().collect();
        found.sort_by_key(|access| (access.place, access.instruction.ip32()));
        found.iter().filter_map(|access| variables.told(access)).collect()
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        self.next = self
            .watched
            .get(&address)
            .and_then(|access| Some((address, access.distance(registers)?)));
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        let Some((_, distance)) = self.next.take_if(|(next, _)| *next == address) else {
            return;
        };
        let Some(access) = self.watched.get_mut(&address) else {
            return;
        };
        let element = i64::from(access.element);
        if (0..i64::from(access.size)).contains(&distance) {
            access.within += 1;
            return;
        }
        access.outside += 1;
        access.first.get_or_insert(distance);
        let last = i64::from(access.size) + MOST_PAST * element;
        access.mistaken &= distance % element == 0 && (-element..last).contains(&distance);
    }
}

/// Whether a file is the source of a module, rather than one that a source includes.
fn is_own(image: &Image, file: u32) -> bool {
    file == 0 || image.modules.contains(&file)
}

/// Whether the elements of a variable are numbers.
fn is_plain(element: u32, kind: ElementKind) -> bool {
    matches!(element, 1 | 2 | 4 | 8 | 10) && !matches!(kind, ElementKind::Structure(_))
}

impl Access {
    /// The distance of the address from the variable; `None` if the operand has no address
    /// of it.
    fn distance(&self, registers: &Registers) -> Option<i64> {
        let instruction = &self.instruction;
        let base = registers.segments[instruction.memory_segment().number()].base();
        let value = |register: Register| match register.size() {
            2 => registers.general[register.full_register32().number()] & 0xFFFF,
            4 => registers.general[register.number()],
            _ => 0,
        };
        let (first, second) = (instruction.memory_base(), instruction.memory_index());
        let offset = value(first)
            .wrapping_add(value(second).wrapping_mul(instruction.memory_index_scale()))
            .wrapping_add(instruction.memory_displacement32());
        let narrow = first.size() == 2 || second.size() == 2;
        let mask = if narrow { 0xFFFF } else { u32::MAX };
        let named = base.wrapping_add(instruction.memory_displacement32() & mask);
        let address = base.wrapping_add(offset & mask);
        // `squares[ecx*4+4]` begins in the variable, and `squares[ecx*4-4]` shortly before it; an index that counts up
        // to 0 is added to its end.
        let from = i64::from(named.wrapping_sub(self.variable) as i32);
        let near = (-MOST_PAST * i64::from(self.element)..=i64::from(self.size)).contains(&from);
        near.then(|| i64::from(address.wrapping_sub(self.variable) as i32))
    }

    /// Whether what it does outside is a mistake: it is rare and near.
    fn is_mistake(&self) -> bool {
        self.mistaken && self.outside > 0 && self.outside * SHARE <= self.within
    }
}

/// The variables of a program, by address.
pub(super) struct Variables<'a> {
    image: &'a Image,
    list: Vec<&'a Symbol>,
    /// The place in the list of each name, in lower case.
    names: FxHashMap<String, usize>,
    /// For each first word of a line of the program's own files, in lower case, whether one of them holds text.
    defined: FxHashMap<String, bool>,
}

impl<'a> Variables<'a> {
    pub(super) fn of(image: &'a Image) -> Variables<'a> {
        let symbols = image.symbols.iter();
        let data = symbols.filter(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }) && symbol.size > 0);
        let mut list: Vec<&Symbol> = data.collect();
        list.sort_by_key(|symbol| symbol.value);
        let mut defined: FxHashMap<String, bool> = FxHashMap::default();
        let own = (0..).zip(&image.files).filter(|(number, _)| is_own(image, *number));
        for line in own.flat_map(|(_, file)| file.text.lines()) {
            let code = line.split(';').next().unwrap_or_default();
            if let Some(word) = code.split_whitespace().next() {
                *defined.entry(word.to_lowercase()).or_default() |= code.contains(['\'', '"']);
            }
        }
        let own = list.iter().enumerate().filter(|(_, symbol)| !symbol.library);
        Variables {
            image,
            names: own.map(|(at, symbol)| (symbol.name.to_lowercase(), at)).collect(),
            defined,
            list,
        }
    }

    /// The arrays whose ends are known.
    pub(super) fn arrays(&self) -> Vec<walked::Array> {
        let data = self.image.symbols.iter().filter(|symbol| {
            let is_data = matches!(symbol.kind, SymbolKind::Data { .. });
            is_data && !symbol.library
        });
        let mut names: FxHashMap<u32, u32> = FxHashMap::default();
        data.for_each(|symbol| *names.entry(symbol.value).or_default() += 1);
        let plain = self.list.iter().enumerate().filter_map(|(symbol, variable)| {
            let SymbolKind::Data { element, kind } = variable.kind else {
                return None;
            };
            let plain = is_plain(element, kind) && variable.typed && !variable.library;
            let several = plain && variable.size >= 2 * element && variable.size % element == 0;
            let around = self
                .segment_around(variable)
                .filter(|_| several && !self.is_text(variable))?;
            // It may be a name for the beginning of several variables.
            let renamed = names.get(&variable.value).is_some_and(|names| *names > 1);
            (!renamed).then_some(walked::Array {
                around,
                start: variable.value,
                size: variable.size,
                element,
                symbol,
            })
        });
        plain.collect()
    }

    /// The file and line of an instruction whose operand names no variable.
    pub(super) fn pointed(&self, row: &InstructionResult) -> Option<(u32, u32)> {
        let place = row.place.filter(|(file, _)| is_own(self.image, *file))?;
        // A line of a macro or a repeat is known from its bytes.
        let text = row.written.as_deref().or(Some(&*row.text)).filter(|_| !row.changed)?;
        let is_name = |letter: char| letter.is_alphanumeric() || "_@$?".contains(letter);
        let mut words = text.split(|letter| !is_name(letter));
        if words.any(|word| self.names.contains_key(&word.to_lowercase())) {
            return None;
        }
        Some(place)
    }

    /// The access of an instruction whose operand names one variable with several elements, and adds a register.
    fn accessed(&self, row: &InstructionResult) -> Option<Access> {
        let place = row.place.filter(|(file, _)| is_own(self.image, *file))?;
        let text = row
            .written
            .as_deref()
            .or(Some(&*row.text))
            .filter(|text| text.contains('['))?;
        let instruction = decoded(self.image, row);
        let registers = [instruction.memory_base(), instruction.memory_index()];
        let computed = registers.iter().any(|register| register.is_gpr());
        if !computed || instruction.mnemonic() == Mnemonic::Lea || row.changed {
            return None;
        }
        // A field of a structure has a dot before its name.
        let (_, operands) = text.split_once([' ', '\t'])?;
        let is_name = |letter: char| letter.is_alphanumeric() || "_@$?".contains(letter);
        if operands.contains(['.', '\'', '"']) {
            return None;
        }
        let words = operands.split(|letter| !is_name(letter));
        let mut named: Vec<usize> = words
            .filter_map(|word| self.names.get(&word.to_lowercase()).copied())
            .collect();
        named.dedup();
        let &[symbol] = &named[..] else { return None };
        let variable = *self.list.get(symbol)?;
        let SymbolKind::Data { element, kind } = variable.kind else {
            return None;
        };
        let plain = is_plain(element, kind);
        let several = variable.size >= 2 * element && variable.size % element == 0;
        if !variable.typed || !plain || !several || self.is_text(variable) {
            return None;
        }
        Some(Access {
            instruction,
            place,
            variable: variable.value,
            size: variable.size,
            element,
            symbol,
            within: 0,
            outside: 0,
            first: None,
            mistaken: true,
        })
    }

    /// Whether the source spells a variable as text, which may end anywhere, or in another file.
    fn is_text(&self, variable: &Symbol) -> bool {
        self.defined.get(&variable.name.to_lowercase()).is_none_or(|text| *text)
    }

    /// What is said of an instruction; `None` if its accesses may be meant.
    fn told(&self, access: &Access) -> Option<Note> {
        let first = access.first.filter(|_| access.is_mistake())?;
        let variable = *self.list.get(access.symbol)?;
        if first == i64::from(access.size) && pointers::looks_for_a_value(&access.instruction, self.image) {
            return None;
        }
        let operand = (access.instruction.memory_base(), access.instruction.memory_index());
        // PUSH and CALL write to the stack, too.
        let writes = pointers::writes(&access.instruction, |used| (used.base(), used.index()) == operand);
        self.beyond(variable, access.element, first, (access.place, writes))
    }

    /// What is said of an instruction that walks by a pointer.
    pub(super) fn told_of_walk(&self, walk: &walked::Beyond) -> Option<Note> {
        let variable = *self.list.get(walk.array.symbol)?;
        self.beyond(variable, walk.array.element, walk.first, (walk.place, walk.writes))
    }

    /// What is said of an access at a distance from the beginning of a variable, in a line of a file, which may write;
    /// `None` if it may be meant.
    fn beyond(&self, variable: &Symbol, element: u32, first: i64, access: ((u32, u32), bool)) -> Option<Note> {
        let ((file, line), writes) = access;
        let address = variable.value.wrapping_add_signed(i32::try_from(first).ok()?);
        let other = match self.at(address) {
            Some(other) => Some(other),
            // What follows without a name may belong to the variable.
            None if self.is_outside(variable, address) => None,
            None => return None,
        };
        let named = self.image.files.get(file as usize).filter(|_| file > 0);
        Some(Note::PastVariable {
            file: named.map(|file| file.name.clone()),
            line,
            writes,
            variable: variable.name.clone(),
            index: first.div_euclid(i64::from(element)),
            elements: variable.size / element,
            other,
        })
    }

    /// The variable at an address, with its element.
    fn at(&self, address: u32) -> Option<String> {
        let after = self.list.partition_point(|symbol| symbol.value <= address);
        let symbol = self.list.get(after.checked_sub(1)?)?;
        let distance = address - symbol.value;
        let SymbolKind::Data { element, .. } = symbol.kind else {
            return None;
        };
        (distance < symbol.size).then(|| match (distance, distance.checked_rem(element)) {
            (0, _) => symbol.name.clone(),
            (_, Some(0)) => format!("{}[{}]", symbol.name, distance / element),
            _ => format!("{}+{distance}", symbol.name),
        })
    }

    /// Whether an address is before or after all that the variable's segment holds.
    fn is_outside(&self, variable: &Symbol, address: u32) -> bool {
        let around = self.segment_around(variable);
        around.is_some_and(|(first, last)| !(first..=last).contains(&address))
    }

    /// The first and the last address of the segment of a variable.
    fn segment_around(&self, variable: &Symbol) -> Option<(u32, u32)> {
        let segments = self.image.segments.iter().filter_map(|segment| {
            let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
            let last = u32::try_from(length.checked_sub(1)?).ok()?;
            Some((segment.address, segment.address.saturating_add(last)))
        });
        let mut around = segments.filter(|&(first, last)| (first..=last).contains(&variable.value));
        around.next()
    }
}
