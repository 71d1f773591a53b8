//! A module as an object in the format that Microsoft's and Borland's linkers of DOS and Windows 3 take.
//!
//! Types for debuggers are not written, and the line numbers of files that the source includes are not, either: a
//! record of lines names no file.

use super::lines::of_segment;
use super::{Combine, Field, Holds, Module, Place, Problem, Shared, Target};
use std::borrow::Cow;

/// The most bytes of a segment in one record.
const CHUNK: u32 = 1024;
/// The group of flat segments, by which a linker counts offsets from 0.
const FLAT: &str = "FLAT";

/// Bytes of a record without its head.
#[derive(Default)]
struct Record(Vec<u8>);

impl Record {
    fn byte(&mut self, byte: u8) -> &mut Record {
        self.0.push(byte);
        self
    }

    fn word(&mut self, word: u32) -> &mut Record {
        self.0.extend_from_slice(&(word as u16).to_le_bytes());
        self
    }

    /// An offset or a length, in 32 bits if the record is of that kind.
    fn number(&mut self, number: u32, wide: bool) -> &mut Record {
        match wide {
            true => self.0.extend_from_slice(&number.to_le_bytes()),
            false => self.0.extend_from_slice(&(number as u16).to_le_bytes()),
        }
        self
    }

    /// An index from 1 on, in one or two bytes.
    fn index(&mut self, index: usize) -> &mut Record {
        if index >= 0x80 {
            self.0.push(0x80 | (index >> 8) as u8);
        }
        self.0.push(index as u8);
        self
    }

    /// A length in one byte, or after a mark in two to four.
    fn length(&mut self, length: u32) -> &mut Record {
        let (mark, bytes) = match length {
            0..=0x80 => return self.byte(length as u8),
            0x81..=0xFFFF => (0x81, 2),
            0x1_0000..=0xFF_FFFF => (0x84, 3),
            _ => (0x88, 4),
        };
        self.0.push(mark);
        self.0.extend_from_slice(&length.to_le_bytes()[..bytes]);
        self
    }

    fn text(&mut self, text: &str) -> &mut Record {
        let bytes = text.as_bytes();
        let bytes = &bytes[..bytes.len().min(LONGEST_NAME)];
        self.0.push(bytes.len() as u8);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Appends the record to a file, with its length and checksum.
    fn end(&self, kind: u8, file: &mut Vec<u8>) {
        let start = file.len();
        file.push(kind);
        file.extend_from_slice(&(self.0.len() as u16 + 1).to_le_bytes());
        file.extend_from_slice(&self.0);
        let sum = file[start..].iter().fold(0u8, |sum, &byte| sum.wrapping_add(byte));
        file.push(sum.wrapping_neg());
    }
}

/// The length of the longest name, which has a byte for it.
const LONGEST_NAME: usize = 255;

/// The numbers by which records name things, from 1 on.
struct Numbers {
    /// Those of symbols of other modules; 0 for others.
    external: Vec<usize>,
    /// That of the group of flat segments.
    flat: usize,
}

/// The bytes of an object file.
pub fn write(module: &Module) -> Result<Vec<u8>, Problem> {
    // No definition gives way in this format: what refers to one refers to its place.
    let mut module = Cow::Borrowed(module);
    if module.symbols.iter().any(|symbol| symbol.weak) {
        let Module { fields, symbols, .. } = module.to_mut();
        for field in fields {
            if let Target::Symbol(symbol) = field.target
                && let Place::In(segment, offset) = symbols[symbol as usize].place
            {
                field.target = Target::Segment(segment);
                field.addend += i64::from(offset);
            }
        }
    }
    let module = &*module;
    let mut file = Vec::new();
    let most = 0x7FFF;
    if module.segments.len() > most || module.symbols.len() > most || module.groups.len() > most {
        let message = format!("`{}` has more than {most} segments, groups or symbols", module.name);
        return Err(Problem::new(
            message,
            "this format has no numbers for more; split the module",
        ));
    }
    if let Some(symbol) = module.symbols.iter().find(|symbol| symbol.name.len() > LONGEST_NAME) {
        let message = format!("a name of {} bytes does not fit in this format", symbol.name.len());
        let help = format!("shorten it to {LONGEST_NAME} bytes");
        return Err(Problem::new(message, help).at(0, symbol.span));
    }
    Record::default().text(&module.name).end(0x80, &mut file);
    for library in module.libraries.iter().filter(|library| library.len() <= LONGEST_NAME) {
        let mut record = Record::default();
        // The class of comments that name a library to search.
        record.byte(0).byte(0x9F).0.extend_from_slice(library.as_bytes());
        record.end(0x88, &mut file);
    }
    names(module, &mut file);
    for (number, segment) in module.segments.iter().enumerate() {
        let alignment = match (segment.combine, segment.alignment) {
            (Combine::At(_), _) => 0,
            (_, 0 | 1) => 1,
            (_, 2) => 2,
            (_, 4) => 5,
            (_, 8..=16) => 3,
            _ => 4,
        };
        let combine = match segment.combine {
            Combine::Private | Combine::At(_) => 0,
            Combine::Public => 2,
            Combine::Stack => 5,
            Combine::Common => 6,
        };
        let large = segment.length > 0xFFFF && segment.wide;
        let full = segment.length == 0x1_0000 && !segment.wide;
        let attributes = alignment << 5 | combine << 2 | u8::from(full) << 1 | u8::from(segment.wide);
        let mut record = Record::default();
        record.byte(attributes);
        if let Combine::At(paragraph) = segment.combine {
            record.word(u32::from(paragraph)).byte(0);
        }
        record.number(segment.length, large);
        // The names are numbered in the order in which `names` writes them, from 2 on.
        record.index(2 + 2 * number).index(3 + 2 * number).index(1);
        record.end(if large { 0x99 } else { 0x98 }, &mut file);
    }
    groups(module, &mut file);
    let numbers = symbols(module, &mut file);
    for (number, segment) in module.segments.iter().enumerate() {
        if !matches!(segment.combine, Combine::At(_)) {
            contents(module, number, &numbers, &mut file);
        }
    }
    for number in 0..module.segments.len() {
        line_numbers(module, number, &numbers, &mut file);
    }
    ending(module, &numbers, &mut file);
    Ok(file)
}

/// The names of segments and classes, and then of groups, after an empty one.
fn names(module: &Module, file: &mut Vec<u8>) {
    let segments = module
        .segments
        .iter()
        .flat_map(|segment| [&segment.name, &segment.class]);
    let all = segments
        .map(String::as_str)
        .chain(module.groups.iter().map(String::as_str));
    let flat = (!module.segmented).then_some(FLAT);
    let mut record = Record::default();
    record.text("");
    for name in all.chain(flat) {
        if record.0.len() + name.len() > 1000 {
            record.end(0x96, file);
            record.0.clear();
        }
        record.text(name);
    }
    record.end(0x96, file);
}

fn groups(module: &Module, file: &mut Vec<u8>) {
    let first = 2 + 2 * module.segments.len();
    for number in 0..module.groups.len() {
        let mut record = Record::default();
        record.index(first + number);
        for (index, segment) in module.segments.iter().enumerate() {
            if segment.group == Some(number as u32) {
                record.byte(0xFF).index(index + 1);
            }
        }
        record.end(0x9A, file);
    }
    if !module.segmented {
        Record::default().index(first + module.groups.len()).end(0x9A, file);
    }
}

/// Writes the names of other modules and those for other modules.
fn symbols(module: &Module, file: &mut Vec<u8>) -> Numbers {
    let mut external = vec![0; module.symbols.len()];
    let mut record = Record::default();
    let elsewhere = |place: Place| place == Place::Elsewhere;
    let others = module
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| elsewhere(symbol.place));
    for (number, (index, symbol)) in others.enumerate() {
        external[index] = number + 1;
        if record.0.len() + symbol.name.len() > 1000 {
            record.end(0x8C, file);
            record.0.clear();
        }
        record.text(&symbol.name).index(0);
    }
    if !record.0.is_empty() {
        record.end(0x8C, file);
    }
    // Common data is numbered after them.
    let mut number = external.iter().filter(|&&number| number > 0).count();
    for (index, symbol) in module.symbols.iter().enumerate() {
        if let Place::Common(Shared { count, size, far, .. }) = symbol.place {
            number += 1;
            external[index] = number;
            let mut record = Record::default();
            record.text(&symbol.name).index(0);
            match far {
                true => record.byte(0x61).length(count).length(size),
                false => record.byte(0x62).length(count.saturating_mul(size)),
            };
            record.end(0xB0, file);
        }
    }
    let numbers = Numbers {
        external,
        flat: if module.segmented { 0 } else { module.groups.len() + 1 },
    };
    for symbol in &module.symbols {
        let mut record = Record::default();
        let (offset, wide) = match symbol.place {
            Place::Elsewhere | Place::Common(_) => continue,
            Place::Number(number) => {
                record.index(0).index(0).word(0);
                (number as u32, !(-0x8000..=0xFFFF).contains(&number))
            }
            Place::In(segment, offset) => {
                let group = module.segments.get(segment as usize).and_then(|segment| segment.group);
                let group = group.map_or(numbers.flat, |group| group as usize + 1);
                record.index(group).index(segment as usize + 1);
                (offset, offset > 0xFFFF)
            }
        };
        record.text(&symbol.name).number(offset, wide).index(0);
        record.end(if wide { 0x91 } else { 0x90 }, file);
    }
    numbers
}

/// Writes the bytes of a segment and the fields in them.
fn contents(module: &Module, number: usize, numbers: &Numbers, file: &mut Vec<u8>) {
    let mut segment = module.segments[number].clone();
    let first = module.fields.partition_point(|field| (field.segment as usize) < number);
    let fields = module.fields[first..]
        .iter()
        .take_while(|field| field.segment as usize == number);
    let fields: Vec<&Field> = fields.collect();
    for field in &fields {
        let own = if field.holds == Holds::Paragraph {
            0
        } else {
            field.holds.part_of(field.addend)
        };
        segment.put(field.offset, own, field.holds.size());
    }
    let end = segment.first + segment.bytes.len() as u32;
    let mut at = segment.first;
    let mut left = fields.as_slice();
    while at < end {
        let mut until = end.min(at + CHUNK);
        // No field may lie in two records.
        if let Some(cut) = left
            .iter()
            .find(|one| one.offset < until && one.offset + one.holds.size() > until)
        {
            until = cut.offset;
        }
        let wide = until > 0x1_0000;
        let bytes = &segment.bytes[(at - segment.first) as usize..(until - segment.first) as usize];
        let mut record = Record::default();
        record.index(number + 1).number(at, wide);
        record.0.extend_from_slice(bytes);
        record.end(if wide { 0xA1 } else { 0xA0 }, file);
        let count = left.iter().take_while(|field| field.offset < until).count();
        let (here, after) = left.split_at(count);
        let mut record = Record::default();
        for field in here {
            fixup(module, field, field.offset - at, numbers, &mut record);
            if record.0.len() > 1000 {
                record.end(0x9C, file);
                record.0.clear();
            }
        }
        if !record.0.is_empty() {
            record.end(0x9C, file);
        }
        left = after;
        at = until;
    }
}

/// Writes the lines of a segment that are in the file of the source itself.
fn line_numbers(module: &Module, number: usize, numbers: &Numbers, file: &mut Vec<u8>) {
    let places = of_segment(module, number);
    let own: Vec<_> = places
        .iter()
        .filter(|place| place.file == 0 && place.line <= 0xFFFF)
        .collect();
    let wide = own.iter().any(|place| place.offset > 0xFFFF);
    let group = module.segments[number].group;
    for part in own.chunks(100) {
        let mut record = Record::default();
        record.index(group.map_or(numbers.flat, |group| group as usize + 1));
        record.index(number + 1);
        for place in part {
            record.word(place.line).number(place.offset, wide);
        }
        record.end(if wide { 0x95 } else { 0x94 }, file);
    }
}

/// Appends how a linker fills in a field. What it adds stands in the field.
fn fixup(module: &Module, field: &Field, offset: u32, numbers: &Numbers, record: &mut Record) {
    let (relative, location) = match field.holds {
        Holds::Paragraph => (false, 2),
        Holds::LowByte => (false, 0),
        Holds::HighByte => (false, 4),
        Holds::LowWord => (false, 1),
        Holds::Offset(size) => (false, if size == 4 { 9 } else { 1 }),
        Holds::Distance(size) => (true, if size == 4 { 9 } else { 1 }),
    };
    record.byte(0x80 | u8::from(!relative) << 6 | location << 2 | (offset >> 8) as u8);
    record.byte(offset as u8);
    let group_of = |segment: u32| module.segments.get(segment as usize).and_then(|segment| segment.group);
    let (frame, of_frame) = match (field.frame, field.target) {
        (Some(Target::Segment(segment)), _) => (0, Some(segment as usize + 1)),
        (Some(Target::Group(group)), _) => (1, Some(group as usize + 1)),
        _ if !module.segmented => (1, Some(numbers.flat)),
        (_, Target::Segment(segment)) => match group_of(segment) {
            Some(group) => (1, Some(group as usize + 1)),
            None => (5, None),
        },
        _ => (5, None),
    };
    let (target, of_target) = match field.target {
        Target::Segment(segment) => (4, segment as usize + 1),
        Target::Group(group) => (5, group as usize + 1),
        Target::Symbol(symbol) => (6, numbers.external[symbol as usize]),
    };
    record.byte(frame << 4 | target);
    if let Some(number) = of_frame {
        record.index(number);
    }
    record.index(of_target);
}

/// Ends the object, with the place where the program starts.
fn ending(module: &Module, numbers: &Numbers, file: &mut Vec<u8>) {
    let mut record = Record::default();
    let Some((segment, offset)) = module.entry else {
        record.byte(0).end(0x8A, file);
        return;
    };
    let group = module.segments.get(segment as usize).and_then(|segment| segment.group);
    let group = group.map_or(numbers.flat, |group| group as usize + 1);
    let wide = offset > 0xFFFF;
    record.byte(0xC1);
    match group {
        0 => record.byte(0x50),
        group => record.byte(0x10).index(group),
    };
    record.index(segment as usize + 1).number(offset, wide);
    record.end(if wide { 0x8B } else { 0x8A }, file);
}
