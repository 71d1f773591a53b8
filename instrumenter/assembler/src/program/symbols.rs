//! Symbols and the precedence of their definitions.

use super::refused;
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, Location, Type};
use crate::module::Shared;
use crate::names::{Made, NONE, NameId, Names};
use crate::remedy::Remedy;
use crate::session::{ALLOCATION, Open, Session};
use crate::statement::{Common, Named};
use iced_x86::Register;
use p5_image::ElementKind;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// Only used so far.
    Undefined,
    /// Declared by `extrn`.
    External,
    /// In a linked object, at this address; 0 until the object is placed.
    Linked(u32),
    Number(i64),
    Address(Location),
    /// Memory at this offset from ebp or bp: a parameter or local variable of a procedure.
    Frame(i64, Register),
    /// An `equ` whose value depends on addresses or forward references.
    Expression(ExpressionId),
}

/// A name for a number or an address.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) spelled: Box<str>,
    pub(crate) definition: Definition,
    pub(crate) kind: Type,
    /// The number of elements in the definition's first line.
    pub(crate) count: u32,
    /// The number of those that the first value makes: of one that is repeated, how often.
    pub(crate) first: u32,
    /// The size of the definition's line in bytes.
    pub(crate) size: u32,
    /// The size in bytes of that line and of the nameless definitions that follow it, which reports show as one; and
    /// the size of the smallest of their elements, or 0 if all are of the same kind.
    pub(crate) extent: u32,
    pub(crate) smallest: u8,
    pub(crate) library: bool,
    /// Whether `=` defined it, so that another `=` may redefine it.
    pub(crate) redefinable: bool,
    /// Whether the source says that another module defines it.
    pub(crate) elsewhere: bool,
    /// Whether it is internal and hidden from reports.
    pub(crate) hidden: bool,
    /// Whether it is hidden only because its name has a meaning of its own in one part of the source.
    pub(crate) scoped: bool,
    /// The kind of its elements.
    pub(crate) elements: ElementKind,
    /// The number of the procedure that contains it, or 0.
    pub(crate) owner: u32,
    /// Whether it is a number that depends on the value of an option or on an address.
    pub(crate) open: Open,
    /// Whether other procedures have a label with this name.
    pub(crate) ambiguous: bool,
    pub(crate) common: Common,
    /// The multiple at which it begins as common data, if the source says so; otherwise 0.
    pub(crate) aligned: u32,
    pub(crate) span: Span,
}

impl Symbol {
    /// Its elements, if it is common data.
    pub(crate) fn shared(&self) -> Option<Shared> {
        let count = self.count.max(1);
        (self.common != Common::No).then(|| Shared {
            count,
            size: self.size / count,
            far: self.common == Common::Far,
            aligned: self.aligned,
        })
    }

    /// Adds `total` bytes of data without a name of its own.
    pub(super) fn continue_with(&mut self, total: u64, kind: Type) {
        self.extent = self.extent.saturating_add(u32::try_from(total).unwrap_or(u32::MAX));
        if kind != self.kind {
            // The elements of structures differ in size, so they are shown as bytes.
            let sizes = [self.kind.element(), kind.element()].map(|size| size.max(1));
            let known = Some(self.smallest).filter(|&size| size > 0);
            self.smallest = sizes.into_iter().chain(known).min().unwrap_or(1);
        }
    }
}

#[derive(Default)]
pub(crate) struct Symbols {
    pub(crate) table: Vec<Symbol>,
    /// The symbols of procedures (labels, parameters, locals), by name and procedure.
    pub(crate) local: HashMap<(NameId, u32), u32>,
    /// The bytes of all spellings.
    spelled: usize,
}

impl Symbols {
    /// The bytes of memory that the symbols take, with those of the image.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<Symbol>() + size_of::<p5_image::Symbol>() + 2 * ALLOCATION;
        let local = size_of::<((NameId, u32), u32)>() + 1;
        self.table.len() * each + 2 * self.spelled + 2 * self.local.len() * local
    }

    /// The symbol with this index; `None` for the index `NONE`.
    pub(crate) fn get(&self, index: u32) -> Option<&Symbol> {
        self.table.get(index as usize)
    }

    /// The names that are declared to be elsewhere, and that no object defines.
    pub(crate) fn elsewhere(&self) -> Vec<String> {
        let declared = self
            .table
            .iter()
            .filter(|symbol| symbol.definition == Definition::External);
        declared.map(|symbol| symbol.spelled.to_string()).collect()
    }

    /// The symbol that `name` refers to within a procedure, or `NONE`.
    pub(crate) fn index(&self, names: &Names, name: NameId, procedure: u32) -> u32 {
        if procedure != 0
            && let Some(&index) = self.local.get(&(name, procedure))
        {
            return index;
        }
        names.info(name).symbol
    }

    /// The location of a symbol, if it is an address.
    pub(crate) fn location_of(&self, name: &str) -> Option<Location> {
        let symbol = self
            .table
            .iter()
            .find(|symbol| symbol.spelled.eq_ignore_ascii_case(name))?;
        match symbol.definition {
            Definition::Address(location) => Some(location),
            _ => None,
        }
    }

    /// Sets an internal number.
    pub(crate) fn set_number(&mut self, session: &mut Session, spelled: &str, number: i64) {
        let named = Named {
            name: session.names.intern(spelled),
            spelled,
            span: Span::default(),
        };
        let index = self.symbol_for(session, named);
        let symbol = &mut self.table[index as usize];
        symbol.definition = Definition::Number(number);
        symbol.open = Open::No;
        symbol.hidden = true;
        symbol.library = true;
        symbol.redefinable = true;
    }

    /// Defines `named` as a number that may be redefined.
    pub(crate) fn assign(&mut self, session: &mut Session, named: Named<'_>, number: i64) -> Result<(), Fault> {
        let refers = |symbol: &Symbol| {
            matches!(symbol.definition, Definition::Address(_) | Definition::Expression(_)) || symbol.kind != Type::None
        };
        let last = self.get(session.names.info(named.name).symbol);
        if last.is_some_and(|last| last.redefinable && refers(last)) {
            session.names.info_mut(named.name).symbol = NONE;
        }
        if let Some(index) = self.define(session, named, Definition::Number(number), Type::None)? {
            self.table[index as usize].redefinable = true;
        }
        Ok(())
    }

    /// Defines `named` as an address, or as a value that is known later, and that may be redefined. What was read
    /// before keeps the last definition.
    pub(crate) fn reassign(
        &mut self,
        session: &mut Session,
        named: Named<'_>,
        definition: Definition,
        kind: Type,
    ) -> Result<(), Fault> {
        if self
            .get(session.names.info(named.name).symbol)
            .is_some_and(|last| last.redefinable)
        {
            session.names.info_mut(named.name).symbol = NONE;
        }
        if let Some(index) = self.define(session, named, definition, kind)? {
            let symbol = &mut self.table[index as usize];
            (symbol.redefinable, symbol.hidden) = (true, true);
        }
        Ok(())
    }

    /// The symbol of `named`, created undefined if there is none.
    pub(crate) fn symbol_for(&mut self, session: &mut Session, named: Named<'_>) -> u32 {
        let Named { name, spelled, span } = named;
        let index = session.names.info(name).symbol;
        if index != NONE {
            return index;
        }
        let index = self.table.len() as u32;
        self.spelled += spelled.len();
        self.table.push(Symbol {
            spelled: spelled.into(),
            definition: Definition::Undefined,
            kind: Type::None,
            count: 1,
            first: 1,
            size: 0,
            extent: 0,
            smallest: 0,
            library: session.in_library,
            redefinable: false,
            elsewhere: false,
            hidden: false,
            scoped: false,
            elements: ElementKind::Unsigned,
            owner: 0,
            ambiguous: false,
            open: Open::No,
            common: Common::No,
            aligned: 0,
            span,
        });
        session.names.info_mut(name).symbol = index;
        index
    }

    /// Defines a code label of a procedure; there it hides labels of other procedures. 0 means outside procedures.
    pub(crate) fn define_label(
        &mut self,
        session: &mut Session,
        named: Named<'_>,
        location: Location,
        procedure: u32,
    ) -> Result<(), Fault> {
        let name = named.name;
        let known = session.names.info(name).symbol;
        let others = self.table.get_mut(known as usize).filter(|symbol| {
            let label = matches!(symbol.definition, Definition::Address(_)) && symbol.kind == Type::Near;
            label && symbol.owner != 0 && symbol.owner != procedure
        });
        let apart = others.is_some();
        if let Some(other) = others {
            other.ambiguous = procedure != 0;
            session.names.info_mut(name).symbol = NONE;
        }
        let defined = self.define(session, named, Definition::Address(location), Type::Near);
        if apart && (procedure != 0 || defined.is_err()) {
            session.names.info_mut(name).symbol = known;
        }
        if let Some(index) = defined?
            && procedure != 0
            && let Some(symbol) = self.table.get_mut(index as usize)
        {
            symbol.owner = procedure;
            self.local.insert((name, procedure), index);
        }
        Ok(())
    }

    /// Defines `named`; the user's definition takes precedence over the library's in either order.
    ///
    /// Returns the symbol's index, or `None` if the user's definition already exists.
    pub(crate) fn define(
        &mut self,
        session: &mut Session,
        named: Named<'_>,
        definition: Definition,
        kind: Type,
    ) -> Result<Option<u32>, Fault> {
        let Named { name, spelled, span } = named;
        if self.table.len() >= session.limits.symbols {
            session.stopped = true;
            return Err(fault(
                span,
                format!("more than {} symbols defined", session.limits.symbols),
            ));
        }
        let info = *session.names.info(name);
        let numbered = info.register.is_st() && spelled.len() > 2;
        if numbered || (info.register.is_mm() && !session.mmx) {
            // Without MMX in the source, the register's name is like any other name; `st(1)` is the name of one.
            session.names.info_mut(name).register = Register::None;
        } else if info.register != Register::None {
            return Err(refused::register(spelled, span));
        }
        if info.plain_field != 0 {
            let message = format!(
                "`{spelled}` is the name of a field that line {} uses alone",
                info.plain_field
            );
            return Err(fault(span, message).with_help("rename one of them, or write the structure before the field"));
        }
        let library = session.in_library;
        if info.of_command_line && !library {
            let known = self.get(info.symbol).map(|symbol| symbol.definition);
            if known != Some(definition) {
                return Err(self.conflict(session, named));
            }
            // The definition now belongs to the source.
            session.names.info_mut(name).of_command_line = false;
            session.note_value_of(name);
        }
        if info.text != NONE {
            if library || !info.text_of_library {
                return Err(fault(span, format!("`{spelled}` is already defined as a text macro")));
            }
            session.names.info_mut(name).text = NONE;
        }
        let index = self.symbol_for(session, named);
        let symbol = &mut self.table[index as usize];
        if symbol.elsewhere && symbol.definition == Definition::External && !library {
            let message = format!(
                "`{spelled}` is declared on line {} as one of another module",
                symbol.span.line
            );
            return Err(fault(span, message).with_help(Remedy::DeclaredElsewhere(spelled.to_owned())));
        }
        let known = !matches!(symbol.definition, Definition::Undefined | Definition::External);
        let is_number = matches!(definition, Definition::Number(_) | Definition::Expression(_));
        if known {
            if symbol.library && !library && !symbol.hidden {
                // The user's definition replaces the library's.
            } else if library && !symbol.library {
                return Ok(None);
            } else if symbol.redefinable && (symbol.library || is_number) || symbol.definition == definition {
                // It is another `=`, or the same number.
            } else {
                let line = symbol.span.line;
                return Err(fault(span, format!("`{spelled}` is already defined"))
                    .with_help(format!("rename one of them; the first definition is on line {line}")));
            }
        }
        symbol.spelled = spelled.into();
        symbol.definition = definition;
        symbol.kind = kind;
        symbol.library = library;
        symbol.redefinable = false;
        symbol.open = if is_number { session.open() } else { Open::No };
        symbol.span = span;
        symbol.hidden = symbol.hidden || info.made != Made::No || (library && !info.public);
        symbol.scoped = info.made == Made::Scoped;
        Ok(Some(index))
    }

    /// The fault for a definition that differs from the one on the command line.
    pub(crate) fn conflict(&self, session: &Session, named: Named<'_>) -> Fault {
        let Named { name, spelled, span } = named;
        let message = match self
            .get(session.names.info(name).symbol)
            .map(|symbol| symbol.definition)
        {
            Some(Definition::Number(number)) => format!("the command line defines `{spelled}` as {number}"),
            _ => format!("the command line defines `{spelled}` as another text"),
        };
        fault(span, message)
            .with_label("another definition")
            .with_help("drop one of the two, or make this one conditional")
    }

    /// Whether `named` may become a text macro; `false` if the user's definition takes precedence over the library's.
    pub(crate) fn text_may_replace(&self, session: &Session, named: Named<'_>) -> Result<bool, Fault> {
        let info = session.names.info(named.name);
        let Some(symbol) = self.get(info.symbol) else {
            return Ok(true);
        };
        if info.of_command_line && !session.in_library {
            return Err(self.conflict(session, named));
        }
        let known = !matches!(symbol.definition, Definition::Undefined | Definition::External);
        if known && session.in_library && !symbol.library {
            return Ok(false);
        }
        if known && (!symbol.library || session.in_library) {
            return Err(fault(named.span, format!("`{}` is already defined", named.spelled)));
        }
        Ok(true)
    }
}
