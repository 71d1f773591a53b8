//! The program: consumes statements and owns symbols, types, structures, segments and the layout.
//!
//! It consumes one statement at a time and resolves names at that point. Nothing here depends on a dialect, a macro or
//! a condition.

mod address_meant;
mod bit_fields;
mod common;
mod contents;
mod data;
mod encode;
mod entry;
mod evaluate;
mod fragment;
mod frame;
mod frame_macro;
mod instruction;
mod layout;
mod padding;
mod procedure;
mod real;
mod record;
mod redefined;
mod refused;
mod region;
mod segment;
mod segmented;
mod settle;
mod structure;
mod symbols;

pub(crate) use bit_fields::record;
pub(crate) use common::{define_weak, has_weak, make_common};
pub(crate) use contents::{Fragment, FragmentKind, SegmentData};
pub(crate) use data::{Emission, Fixup, data, place_bytes, write_number};
pub(crate) use encode::{PUSH_CS, Site, encode_values, evaluate_operands};
pub(crate) use entry::{STARTS, enter, entry, standalone, startup};
pub(crate) use evaluate::{Value, addresses, condition_value, constant, evaluate, first_unknown, unknown};
pub(crate) use fragment::{code_end, supply};
pub(crate) use frame::{Frame, MOST_OF_SEGMENT};
pub(crate) use frame_macro::{epilogue_call, epilogue_made, prologue_call, prologue_made};
pub(crate) use instruction::Deferred;
pub(crate) use layout::{FIRST_SEGMENT, IMAGE_BASE, Layout};
pub use padding::Padding;
pub(crate) use procedure::{
    MOST_FRAME, Procedures, end_procedure, frame, instruction, procedure, procedure_body, saves,
};
pub(crate) use record::{PlacedExtent, Record};
pub(crate) use refused::register_in_data;
pub(crate) use region::{Regions, begin_region, end_region};
pub(crate) use segment::{align, assume, ends, group, keep_assumptions, model, origin, segment, stack};
pub(crate) use settle::settle;
pub(crate) use structure::{Field as StructureField, RecordType, Structures, structure};
pub(crate) use symbols::{Definition, Symbol, Symbols};

use crate::Limits;
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, Location, Type};
use crate::module::Field;
use crate::names::{NONE, NameId, Names};
use crate::remedy::{Construct, Remedy};
use crate::session::Session;
use crate::statement::{Equated, External, Named, SegmentNames};
use iced_x86::Register;
use procedure::Mnemonics;

/// The main contents of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    Code,
    Data,
}

/// The selectors of code and of data in a flat program at the privilege levels 0 and 3.
pub(crate) const FLAT_SELECTORS: [[u16; 2]; 2] = [[0x08, 0x10], [0x1B, 0x23]];

pub(crate) struct Program {
    pub(crate) symbols: Symbols,
    pub(crate) structures: Structures,
    pub(crate) procedures: Procedures,
    pub(crate) layout: Layout,
    pub(crate) regions: Regions,
    /// The instructions deferred until addresses are known.
    pub(crate) deferred: Vec<Deferred>,
    /// The data fixups applied when addresses are known.
    pub(crate) fixups: Vec<Fixup>,
    /// Whether external symbols are defined in another module; otherwise they are missing.
    pub(crate) is_module: bool,
    /// The fields that hold addresses, if the module becomes an object.
    pub(crate) fields: Option<Vec<Field>>,
    /// The selectors of code and of data in a flat program.
    pub(crate) selectors: [u16; 2],
    /// The lengths that instructions with addresses had in the last pass over the source, in their order.
    pub(crate) lengths: Vec<u8>,
    /// The expressions that were assigned to names before all their parts were defined, each with its origin.
    pub(crate) promised: Vec<(ExpressionId, u32)>,
    /// The label after `end` and its span.
    pub(crate) start: Option<(ExpressionId, Span)>,
    /// Whether it may be a few lines without a program around them.
    pub(crate) may_be_fragment: bool,
    /// The name of the function with which a run is to begin.
    pub(crate) begins: Option<String>,
    /// The names of functions that are defined by labels.
    pub(crate) functions: Vec<String>,
    /// Whether `end` closes it, with or without a label.
    pub(crate) is_closed: bool,
    /// The symbol to which data without a name belongs, and the location at which that data must begin.
    continued: Option<(u32, Location)>,
    /// The bytes of the definition being read.
    emission: Emission,
    /// The number of bytes filled so far by repeated values and structures.
    filled: u64,
    /// The number of steps taken so far to convert real numbers.
    converted: u64,
    mnemonics: Mnemonics,
}

impl Program {
    pub(crate) fn new(limits: &Limits, segments: SegmentNames, padding: Padding, names: &mut Names) -> Program {
        Program {
            symbols: Symbols::default(),
            structures: Structures::default(),
            procedures: Procedures::default(),
            layout: Layout::new(segments, limits.image, padding),
            regions: Regions::default(),
            deferred: Vec::new(),
            fixups: Vec::new(),
            is_module: false,
            fields: None,
            selectors: FLAT_SELECTORS[0],
            lengths: Vec::new(),
            promised: Vec::new(),
            start: None,
            may_be_fragment: false,
            begins: None,
            functions: Vec::new(),
            is_closed: false,
            continued: None,
            emission: Emission::default(),
            filled: 0,
            converted: 0,
            mnemonics: Mnemonics::new(names),
        }
    }

    /// The selector of a segment of a flat program, whose segments are one; of a group, that of data.
    pub(crate) fn selector_of(&self, segment: u32) -> Value {
        let code = self.layout.segments.get(segment as usize).map(|segment| segment.kind) == Some(SegmentKind::Code);
        let [of_code, of_data] = self.selectors;
        Value {
            offset: true,
            ..Value::number(i64::from(if code { of_code } else { of_data }))
        }
    }

    /// Counts `bytes` before an initializer fills them.
    fn count_filled(&mut self, limits: &Limits, bytes: u64, span: Span) -> Result<(), Fault> {
        self.filled = self.filled.saturating_add(bytes);
        match self.filled <= limits.filled {
            true => Ok(()),
            false => Err(refused::too_much_filled(limits.filled, span)),
        }
    }

    /// Counts the `steps` of a real number before it is converted.
    fn count_converted(&mut self, limits: &Limits, steps: u64, span: Span) -> Result<(), Fault> {
        self.converted = self.converted.saturating_add(steps);
        match self.converted <= limits.converted {
            true => Ok(()),
            false => Err(fault(span, "too many real numbers with many digits or large exponents").ending()),
        }
    }

    /// Whether a symbol, a structure, a register, a macro or a text macro has the name.
    pub(crate) fn is_defined(&self, names: &Names, name: NameId) -> bool {
        let info = names.info(name);
        let symbol = self.symbols.get(info.symbol);
        info.body != NONE
            || info.function
            || info.text != NONE
            || info.structure != NONE
            || info.register != Register::None
            || symbol.is_some_and(|symbol| symbol.definition != Definition::Undefined)
    }

    /// Reports constructs that are still open after the last line.
    pub(crate) fn close(&mut self, session: &mut Session) {
        if let Some(open) = self.structures.open.take() {
            let name = match open.name {
                NONE => String::new(),
                name => session.names.spelling(name).to_owned(),
            };
            let message = match name.as_str() {
                "" => "structure is never closed".to_owned(),
                name => format!("structure `{name}` is never closed"),
            };
            let mut problem = fault(open.span, message).with_help(Remedy::Close(Construct::Structure(name)));
            if let Some((span, _)) = open.intruder {
                problem = problem.with_label(format!("line {} cannot be in it", span.line));
            }
            // A use of the structure may have told of it.
            if !session.is_reported(&problem.message) {
                session.report(problem);
            }
        }
        self.structures.outer.clear();
        while let Some(open) = self.procedures.open.pop() {
            let name = session.names.spelling(open.name).to_owned();
            let message = format!("procedure `{name}` is never closed");
            session.warn(fault(open.span, message).with_help(Remedy::Close(Construct::Procedure(name))));
        }
        let unknown: Vec<_> = self.layout.unknown_assumed().collect();
        for (name, span) in unknown {
            let message = format!("nothing is called `{}`", session.names.spelling(name));
            session.report(fault(span, message));
        }
        let unknown: Vec<_> = self.layout.unknown_grouped().collect();
        for (name, span) in unknown {
            let message = format!("no segment is called `{}`", session.names.spelling(name));
            session.warn(fault(span, message).with_help("it is left out, which some assemblers refuse"));
        }
        while let Some(open) = self.layout.open.pop() {
            let segment = self.layout.segments.get(open.segment as usize);
            let name = segment.map(|segment| segment.name.clone()).unwrap_or_default();
            let message = format!("segment `{name}` is never closed");
            session.warn(fault(open.span, message).with_help(Remedy::Close(Construct::Segment(name))));
        }
    }
}

pub(crate) fn label(session: &mut Session, program: &mut Program, named: Named<'_>, global: bool) -> Result<(), Fault> {
    let location = program.layout.location();
    if let Some(record) = &mut program.layout.record {
        record.place(location, PlacedExtent::Label);
    }
    program.layout.labelled = Some((location, named.name));
    let procedure = if global {
        0
    } else {
        program.procedures.procedure_number()
    };
    program.symbols.define_label(session, named, location, procedure)
}

/// `name label type`.
pub(crate) fn place(session: &mut Session, program: &mut Program, named: Named<'_>, kind: Type) -> Result<(), Fault> {
    let location = if matches!(kind, Type::Near | Type::Far) {
        program.layout.location()
    } else {
        program.layout.data_location(session.in_library)
    };
    let size = program.structures.size_of(kind);
    let definition = Definition::Address(location);
    if let Some(index) = program.symbols.define(session, named, definition, kind)? {
        program.symbols.table[index as usize].size = size;
        program.continued = Some((index, location));
    }
    Ok(())
}

/// `name = value`.
pub(crate) fn assign(
    session: &mut Session,
    program: &mut Program,
    named: Named<'_>,
    value: ExpressionId,
    place: Span,
    mark: usize,
) -> Result<(), Fault> {
    // The number of an address, or of what is defined later, is known after the last line.
    let found = evaluate(session, program, value)?;
    let (segment, fragment) = found.anchor;
    if found.unresolved && session.expressions.mentions(value, named.name) {
        return Err(first_unknown(session, program, value).unwrap_or_else(|| refused::forward_reference(place)));
    }
    if found.unresolved && !found.has_registers() {
        program.promised.push((value, session.origin));
        let definition = Definition::Expression(value);
        return program.symbols.reassign(session, named, definition, Type::None);
    }
    if found.relocatable && !found.has_registers() {
        let start = program.layout.address(Location {
            segment,
            fragment,
            offset: 0,
        });
        let place = Location {
            segment,
            fragment,
            offset: (found.number as u32).wrapping_sub(start),
        };
        let kind = if found.offset { Type::Near } else { found.kind };
        // A name may stand for its own last value many times over.
        let definition = match session.expressions.has_variable(value) && segment != NONE {
            true => Definition::Address(place),
            false => Definition::Expression(value),
        };
        return program.symbols.reassign(session, named, definition, kind);
    }
    let kind = found.kind;
    let number = constant(session, program, value, place, mark)?;
    if found.is_number() && matches!(kind, Type::Bytes(_)) {
        // `field = word ptr 4`: memory at this offset has the type.
        let definition = Definition::Number(number);
        return program.symbols.reassign(session, named, definition, kind);
    }
    program.symbols.assign(session, named, number)
}

/// `name equ value`.
pub(crate) fn equate(
    session: &mut Session,
    program: &mut Program,
    named: Named<'_>,
    value: &Equated,
) -> Result<(), Fault> {
    let definition = match *value {
        Equated::Number(number) => Definition::Number(number),
        Equated::Expression(id) => Definition::Expression(id),
    };
    program
        .symbols
        .define(session, named, definition, Type::None)
        .map(|_| ())
}

/// Declares names public. All names of a program are public, but only the declared ones of the bundled library are
/// shown.
pub(crate) fn public(session: &mut Session, names: &[(NameId, Span)]) {
    for &(name, _) in names {
        session.names.info_mut(name).public = true;
    }
}

pub(crate) fn external(session: &mut Session, program: &mut Program, names: &[External<'_>]) -> Result<(), Fault> {
    for External {
        named,
        kind,
        count,
        common,
        aligned,
        elsewhere,
    } in names
    {
        let index = program.symbols.symbol_for(session, *named);
        let symbol = &mut program.symbols.table[index as usize];
        if symbol.definition == Definition::Undefined {
            symbol.definition = Definition::External;
            symbol.kind = *kind;
            (symbol.count, symbol.first) = (*count, *count);
            (symbol.common, symbol.aligned) = (*common, *aligned);
            symbol.size = program.structures.size_of(*kind).saturating_mul(*count);
            symbol.elsewhere = *elsewhere;
            symbol.span = named.span;
        } else if *elsewhere && !symbol.library && matches!(symbol.definition, Definition::Address(_)) {
            let line = symbol.span.line;
            let message = format!("`{}` is defined in this module, on line {line}", named.spelled);
            return Err(fault(named.span, message).with_help(Remedy::DeclaredElsewhere(named.spelled.to_owned())));
        }
    }
    Ok(())
}
