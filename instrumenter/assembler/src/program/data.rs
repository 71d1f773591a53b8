//! Data: the values of a definition as bytes, with addresses filled in later.

use super::real::{Real, real, steps};
use super::structure::{add_field, structure_value};
use super::{Definition, FragmentKind, Program, evaluate, first_unknown, refused};
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, Location, Type};
use crate::operand::narrowed;
use crate::session::{Assumption, Session};
use crate::statement::{Data, Item, Items, SegmentRole};
use iced_x86::Register;
use p5_image::ElementKind;

pub(crate) struct Fixup {
    pub(crate) location: Location,
    pub(crate) size: u8,
    pub(crate) expression: ExpressionId,
    pub(crate) span: Span,
    pub(crate) origin: u32,
}

/// The bytes of one definition.
#[derive(Default)]
pub(crate) struct Emission {
    pub(crate) bytes: Vec<u8>,
    pub(crate) fixups: Vec<(u32, u8, ExpressionId, Span)>,
    /// The number of elements.
    pub(crate) count: u64,
    /// How often the first value is repeated, once it is known; 0 before.
    first: u64,
    /// Zero bytes instead of `bytes`, for large arrays.
    pub(crate) zeroes: u64,
    /// Whether the initializers include a string.
    pub(crate) text: bool,
    /// Whether they include a real number.
    pub(crate) real: bool,
    /// Whether they include a number below zero.
    pub(crate) negative: bool,
}

/// Consumes a definition of `values`; its expressions are the nodes since `mark`.
pub(crate) fn data(
    session: &mut Session,
    program: &mut Program,
    data: &Data<'_>,
    values: &Items,
    mark: usize,
) -> Result<(), Fault> {
    let mut emission = std::mem::take(&mut program.emission);
    emission.clear();
    let defined = define_data(session, program, data, values, &mut emission, mark);
    program.emission = emission;
    defined
}

fn define_data(
    session: &mut Session,
    program: &mut Program,
    data: &Data<'_>,
    values: &Items,
    emission: &mut Emission,
    mark: usize,
) -> Result<(), Fault> {
    let size = data.kind.element();
    let assumed = session.assumptions.len();
    let built = items(session, program, size, (&values.list, &values.bytes), emission, 0);
    if program.structures.open.is_some() {
        built?;
        let name = data.named.map(|named| named.name);
        let kind = (data.kind, elements(data, emission));
        add_field(session, program, name, kind, values.clone(), emission, data.span)?;
        program.structures.last_holds(data.record);
        return Ok(());
    }
    if matches!(data.kind, Type::Structure(_)) && built.is_err() {
        return built;
    }
    // Names for parts of what an origin went back to leave its bytes alone.
    if program.layout.has_turned_back() && emission.is_blank() && !values.list.iter().any(Item::is_value) {
        emission.zeroes = emission.zeroes.max(emission.bytes.len() as u64);
        emission.bytes.clear();
    }
    // A definition with an error still defines its name, so that its uses are not reported too.
    place_data(session, program, data, emission)?;
    if emission.fixups.is_empty() && session.assumptions.len() == assumed {
        session.expressions.forget(mark);
    }
    emission.clear();
    built
}

/// Places the bytes of a file as data without a name.
pub(crate) fn place_bytes(session: &mut Session, program: &mut Program, bytes: &[u8], span: Span) -> Result<(), Fault> {
    let location = program.layout.emit(bytes, span)?;
    if !bytes.is_empty() {
        program
            .layout
            .note_data(session.origin, location, bytes.len() as u32, span);
    }
    Ok(())
}

/// The kind of the elements of a definition: without a keyword for it, a real number among them makes them real, and
/// one below zero gives them a sign, unless there is text beside it.
fn elements(data: &Data<'_>, emission: &Emission) -> ElementKind {
    match data.elements {
        ElementKind::Unsigned if emission.real => ElementKind::Real,
        ElementKind::Unsigned if emission.negative && !emission.text => ElementKind::Signed,
        elements => elements,
    }
}

fn place_data(session: &mut Session, program: &mut Program, data: &Data<'_>, emission: &Emission) -> Result<(), Fault> {
    let layout = &mut program.layout;
    let back = layout.current;
    // Bytes with a label may be an instruction that an assembler lacks, except where each name is one of data or code.
    let is_data = layout.untyped || data.kind != Type::Bytes(1);
    if is_data && layout.snippet && !session.in_library && layout.data_behind.is_none() {
        let here = layout.location();
        let label = layout.labelled.filter(|(location, _)| *location == here);
        // With a name, it lies there only where each section has its own data.
        let named = data.named.map(|named| named.name).filter(|_| layout.sections);
        let name = named.or(label.map(|(_, name)| name));
        layout.data_behind = name.map(|name| (here, name));
    }
    if layout.sections {
        // Each name of data stands in the section of its data.
    } else if data.named.is_some() && layout.snippet && !session.in_library {
        layout.current = layout.usual(SegmentRole::Data);
        layout.after_data = true;
    } else if layout.after_data {
        layout.after_data = false;
        if !session.in_library {
            let problem = fault(data.span, "unnamed data is placed between instructions")
                .with_help("give it a name, or keep data and code in segments of their own");
            session.warn(problem);
        }
    }
    let placed = place_here(session, program, data, emission);
    program.layout.current = back;
    placed
}

fn place_here(session: &mut Session, program: &mut Program, data: &Data<'_>, emission: &Emission) -> Result<(), Fault> {
    let mut location = program.layout.location();
    let total = emission.zeroes.max(emission.bytes.len() as u64);
    let continued = program.continued.take();
    let mut owner = continued.filter(|&(_, end)| data.named.is_none() && end == location);
    if let Some((index, _)) = owner {
        program.symbols.table[index as usize].continue_with(total, data.kind);
    }
    if let Some(named) = data.named
        && let Some(index) = program
            .symbols
            .define(session, named, Definition::Address(location), data.kind)?
    {
        let symbol = &mut program.symbols.table[index as usize];
        (symbol.count, symbol.first) = emission.counts();
        symbol.size = u32::try_from(total).unwrap_or(u32::MAX);
        symbol.extent = symbol.size;
        owner = Some((index, location));
        symbol.elements = elements(data, emission);
    }
    if emission.zeroes > 0 {
        program.layout.reserve(emission.zeroes, data.span)?;
        location = program
            .layout
            .emit_fragment(FragmentKind::Zeroes, emission.zeroes as u32);
    } else {
        program.layout.emit(&emission.bytes, data.span)?;
    }
    program.continued = owner.map(|(index, _)| (index, program.layout.location()));
    if total > 0 {
        program
            .layout
            .note_data(session.origin, location, total as u32, data.span);
    }
    let most = session.limits.addresses;
    if emission.fixups.len() > most.saturating_sub(program.fixups.len()) {
        return Err(refused::too_many_addresses(most, data.span));
    }
    for &(offset, size, expression, span) in &emission.fixups {
        program.fixups.push(Fixup {
            location: Location {
                offset: location.offset + offset,
                ..location
            },
            size,
            expression,
            span,
            origin: session.origin,
        });
    }
    Ok(())
}

/// Appends values of `size` bytes each; `list` contains the items and their text bytes.
pub(super) fn items(
    session: &mut Session,
    program: &mut Program,
    size: u8,
    list: (&[Item], &[u8]),
    out: &mut Emission,
    depth: u32,
) -> Result<(), Fault> {
    let (mut list, bytes) = list;
    while let Some((item, rest)) = list.split_first() {
        let (inside, rest) = rest.split_at(item.inside());
        list = rest;
        let text = |start: u32, end: u32| bytes.get(start as usize..end as usize).unwrap_or(&[]);
        match *item {
            Item::Uninitialised { span } => put(out, 0, size, span)?,
            Item::Number { number, span } => put(out, program.layout.taken(number, size), size, span)?,
            Item::Expression { id, span } => expression(session, program, id, size, out, span)?,
            Item::Text { start, end, span } => {
                out.text = true;
                put_string(session, out, text(start, end), size, span)?;
            }
            Item::Real {
                start,
                end,
                negative,
                format,
                span,
            } => {
                let written = Real {
                    text: str::from_utf8(text(start, end)).unwrap_or(""),
                    negative,
                    format,
                };
                out.flatten();
                out.count += 1;
                out.real = true;
                program.count_converted(&session.limits, steps(&written, size), span)?;
                real(&mut out.bytes, &written, size, span)?;
            }
            Item::Repeat { count, span, .. } => {
                let count = repeat_count(session, program, count, span)?;
                if out.first == 0 && out.count == 0 {
                    out.first = count.max(1);
                }
                let repeated = Repeated {
                    inside: (inside, bytes),
                    count,
                    last: list.is_empty(),
                    span,
                };
                repeat(session, program, size, &repeated, out, depth)?;
            }
            Item::Structure { structure, span, .. } => {
                if depth > session.limits.nesting.min(64) {
                    return Err(fault(span, "structures are nested too deeply"));
                }
                out.flatten();
                structure_value(session, program, structure, (inside, bytes), out, span, depth)?;
            }
            Item::Field { .. } => {}
        }
    }
    Ok(())
}

fn expression(
    session: &Session,
    program: &Program,
    id: ExpressionId,
    size: u8,
    out: &mut Emission,
    span: Span,
) -> Result<(), Fault> {
    let value = evaluate(session, program, id)?;
    if value.register != Register::None || (value.memory && value.base != Register::None) {
        return Err(refused::register_in_data(span));
    }
    if value.volatile || value.unresolved {
        out.flatten();
        out.fixups.push((out.bytes.len() as u32, size, id, span));
        return put(out, 0, size, span);
    }
    put(out, program.layout.taken(value.number, size), size, span)
}

fn repeat_count(session: &mut Session, program: &Program, count: ExpressionId, span: Span) -> Result<u64, Fault> {
    let value = evaluate(session, program, count)?;
    if value.unresolved || value.relocatable || value.frame.is_some() || !value.is_number() {
        return Err(first_unknown(session, program, count)
            .unwrap_or_else(|| fault(span, "the repeat count must be known at this point")));
    }
    if value.volatile {
        // A distance: its value so far is checked when the layout is known.
        session.assumptions.push(Assumption {
            expression: count,
            value: value.number,
            span,
            origin: session.origin,
        });
    }
    u64::try_from(value.number).map_err(|_| fault(span, "negative repeat count"))
}

struct Repeated<'i> {
    inside: (&'i [Item], &'i [u8]),
    count: u64,
    /// Whether no values follow them.
    last: bool,
    span: Span,
}

fn repeat(
    session: &mut Session,
    program: &mut Program,
    size: u8,
    repeated: &Repeated<'_>,
    out: &mut Emission,
    depth: u32,
) -> Result<(), Fault> {
    let Repeated { count, span, .. } = *repeated;
    let before = session.weight;
    let mut inner = Emission::default();
    items(session, program, size, repeated.inside, &mut inner, depth + 1)?;
    // The size is checked before any byte is allocated.
    let unit = inner.bytes.len().max(inner.zeroes as usize) as u64;
    let total = unit.saturating_mul(count);
    let needed = total.saturating_add(out.bytes.len() as u64);
    let label = || format!("{count} times {unit} bytes");
    if program.structures.open.is_some() {
        let limit = session.limits.structure;
        if needed > limit {
            return Err(refused::structure_too_large(limit, span).with_label(label()));
        }
    } else if needed > program.layout.room() {
        return Err(refused::too_large(session.limits.image, span).with_label(label()));
    }
    out.count = out.count.saturating_add(inner.count.saturating_mul(count));
    out.text |= inner.text;
    out.real |= inner.real;
    out.negative |= inner.negative;
    if inner.is_blank() && size > 0 && total > 4096 && out.bytes.is_empty() && out.zeroes == 0 && repeated.last {
        out.zeroes = total;
        return Ok(());
    }
    program.count_filled(&session.limits, total, span)?;
    let places = (inner.fixups.len() as u64).saturating_mul(count);
    let most = session.limits.addresses;
    if places > most.saturating_sub(program.fixups.len()) as u64 {
        return Err(refused::too_many_addresses(most, span));
    }
    inner.flatten();
    out.flatten();
    // What is repeated stands in the definition, in its segment and in the image; each copy of it within another one
    // lasts until that one is complete.
    let places_inside = inner.fixups.len().saturating_mul(Emission::ADDRESS);
    session.weight = before.saturating_add(inner.bytes.len()).saturating_add(places_inside);
    let taken = (3 * total).saturating_add(places.saturating_mul(Emission::ADDRESS as u64));
    session.weigh(usize::try_from(taken).unwrap_or(usize::MAX), span)?;
    out.bytes.reserve(usize::try_from(total).unwrap_or(0));
    for _ in 0..if unit == 0 { 0 } else { count } {
        let base = out.bytes.len() as u32;
        out.bytes.extend_from_slice(&inner.bytes);
        out.fixups.extend(
            inner
                .fixups
                .iter()
                .map(|&(offset, size, id, span)| (base + offset, size, id, span)),
        );
    }
    session.weight = before.saturating_add(usize::try_from(taken).unwrap_or(usize::MAX));
    Ok(())
}

impl Emission {
    /// The capacity in bytes that is kept for the next definition; few have more.
    const KEPT: usize = 1 << 16;
    /// The bytes of memory that an address takes here and in the program.
    const ADDRESS: usize = size_of::<(u32, u8, ExpressionId, Span)>() + size_of::<Fixup>();

    fn clear(&mut self) {
        self.bytes.clear();
        self.fixups.clear();
        self.bytes.shrink_to(Emission::KEPT);
        self.fixups.shrink_to(Emission::KEPT);
        (self.count, self.first) = (0, 0);
        self.zeroes = 0;
        self.text = false;
        self.real = false;
        self.negative = false;
    }

    /// The number of elements, and how often the first value is repeated.
    pub(super) fn counts(&self) -> (u32, u32) {
        let [count, first] = [self.count, self.first.max(1)].map(|count| u32::try_from(count).unwrap_or(u32::MAX));
        (count, first)
    }

    fn is_blank(&self) -> bool {
        self.fixups.is_empty() && self.bytes.iter().all(|&byte| byte == 0)
    }

    pub(crate) fn flatten(&mut self) {
        if self.zeroes > 0 {
            self.bytes.resize(self.zeroes as usize, 0);
            self.zeroes = 0;
        }
    }
}

fn put(out: &mut Emission, number: i64, size: u8, span: Span) -> Result<(), Fault> {
    out.flatten();
    out.count += 1;
    out.negative |= number < 0;
    write_number(&mut out.bytes, number, size, span)
}

/// Appends the low bytes of `number`, if it fits with a sign of its own.
pub(crate) fn write_number(bytes: &mut Vec<u8>, number: i64, size: u8, span: Span) -> Result<(), Fault> {
    let bits = u32::from(size) * 8;
    let fits = bits >= 64 || narrowed(number, bits).unsigned_abs() < 1u64 << bits;
    let filler = if number < 0 && size > 8 { 0xFF } else { 0 };
    let little = number.to_le_bytes();
    for place in 0..usize::from(size) {
        bytes.push(little.get(place).copied().unwrap_or(filler));
    }
    if fits {
        Ok(())
    } else {
        Err(fault(span, format!("{number} does not fit in {bits} bits")))
    }
}

fn put_string(session: &mut Session, out: &mut Emission, bytes: &[u8], size: u8, span: Span) -> Result<(), Fault> {
    out.flatten();
    if size == 1 {
        if bytes.is_empty() {
            // TASM takes it and makes nothing of it.
            session.warn(fault(span, "an empty string makes no bytes").with_help("remove it, or write `0` for a byte"));
            return Ok(());
        }
        out.count += bytes.len() as u64;
        out.bytes.extend_from_slice(bytes);
        return Ok(());
    }
    let size = usize::from(size);
    if bytes.len() > size {
        return Err(
            fault(span, format!("{} characters do not fit in {size} bytes", bytes.len()))
                .with_help("define the string as bytes"),
        );
    }
    out.count += 1;
    out.bytes.extend(bytes.iter().rev());
    out.bytes.extend(std::iter::repeat_n(0, size - bytes.len()));
    Ok(())
}
