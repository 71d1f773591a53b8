//! Symbols, structures and text names: who defines what, and who wins.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{ExpressionId, Location, Type};
use crate::diag::Span;
use crate::directive::procedure::Language;
use crate::names::{NONE, NameId};
use iced_x86::Register;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Definition {
    /// Only used so far.
    Undefined,
    /// Declared by `extrn`.
    External,
    Number(i64),
    Address(Location),
    /// Memory at so many bytes from ebp: a parameter or local variable of a procedure.
    Frame(i64),
    /// An `equ` whose value depends on addresses or on names further down.
    Expression(ExpressionId),
}

/// A name that stands for a number or an address.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) spelled: Box<str>,
    pub(crate) definition: Definition,
    pub(crate) kind: Type,
    /// Elements of the definition's first line.
    pub(crate) count: u32,
    /// Bytes of the definition's line.
    pub(crate) size: u32,
    pub(crate) library: bool,
    /// Whether `=` defined it, so that another `=` may change it.
    pub(crate) redefinable: bool,
    /// Whether it is the assembler's own and not for reports.
    pub(crate) hidden: bool,
    /// Whether its type's numbers have a sign.
    pub(crate) signed: bool,
    /// The number of the procedure whose label or variable it is, or 0.
    pub(crate) owner: u32,
    /// Whether other procedures have a label of this name, too.
    pub(crate) ambiguous: bool,
    pub(crate) span: Span,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: NameId,
    pub(crate) offset: u32,
    pub(crate) kind: Type,
    pub(crate) size: u32,
    /// The initialiser as the structure's definition writes it.
    pub(crate) initialiser: String,
    /// Whether a shorter string is filled up with blanks.
    pub(crate) text: bool,
}

/// A structure or union.
#[derive(Clone, Debug)]
pub(crate) struct Structure {
    pub(crate) size: u32,
    pub(crate) fields: Vec<Field>,
    pub(crate) union: bool,
    /// The bytes of its default values, if they depend on no address.
    pub(crate) blank: Option<Vec<u8>>,
}

/// A structure between `struc` and `ends`.
pub(crate) struct StructureInProgress {
    pub(crate) name: NameId,
    pub(crate) structure: Structure,
    pub(crate) alignment: u32,
    pub(crate) span: Span,
}

/// A procedure that is open.
pub(crate) struct Procedure {
    pub(crate) name: NameId,
    /// From 1, in the order of the source.
    pub(crate) number: u32,
    pub(crate) uses: Vec<Register>,
    pub(crate) span: Span,
    pub(crate) symbol: u32,
    pub(crate) start: Location,
    pub(crate) language: Language,
    /// Bytes of its parameters.
    pub(crate) parameters: u32,
    /// Bytes of its locals.
    pub(crate) locals: u32,
    /// Whether its frame or saved registers are still to be made.
    pub(crate) pending: bool,
}

/// A name that stands for text.
pub(crate) struct TextMacro {
    pub(crate) text: String,
    pub(crate) library: bool,
}

impl Assembler<'_> {
    /// The names that are always there.
    pub(crate) fn predefine(&mut self) {
        for (name, number) in [
            ("@version", 613),
            ("@wordsize", 4),
            ("@cpu", 0x0D3F),
            ("@model", 7),
            ("@codesize", 0),
            ("@datasize", 0),
            ("@p5_cpl", i64::from(self.cpl)),
            ("@p5_site", 0),
            ("@p5_uses_tsc", 0),
            ("@p5_uses_profile", 0),
        ] {
            self.set_number(name, number);
        }
        for (name, text) in [("@code", "_TEXT"), ("@data", "_DATA"), ("@curseg", "_TEXT")] {
            let id = self.names.intern(name);
            self.set_text(id, text.to_owned());
        }
    }

    /// Defines a name of the command line: a number if its text is one, else text.
    pub(crate) fn define_option(&mut self, name: &str, value: &str) {
        let id = self.names.intern(name);
        let value = if value.is_empty() { "1" } else { value };
        if let Ok(number) = self.number_in(value, Span::default()) {
            let defined = self.define(id, name, Definition::Number(number), Type::None, Span::default());
            match defined {
                Ok(Some(index)) => self.symbols[index as usize].redefinable = true,
                Ok(None) => {}
                Err(problem) => self.report(problem),
            }
        } else {
            self.set_text(id, value.to_owned());
        }
    }

    /// Sets one of the assembler's own numbers.
    pub(crate) fn set_number(&mut self, name: &str, number: i64) {
        let id = self.names.intern(name);
        let index = self.symbol_for(id, name, Span::default());
        let symbol = &mut self.symbols[index as usize];
        symbol.definition = Definition::Number(number);
        symbol.hidden = true;
        symbol.library = true;
        symbol.redefinable = true;
    }

    /// The symbol of `name`, made undefined if there is none.
    pub(crate) fn symbol_for(&mut self, name: NameId, spelled: &str, span: Span) -> u32 {
        let index = self.names.info(name).symbol;
        if index != NONE {
            return index;
        }
        let index = self.symbols.len() as u32;
        self.symbols.push(Symbol {
            spelled: spelled.into(),
            definition: Definition::Undefined,
            kind: Type::None,
            count: 1,
            size: 0,
            library: self.in_library,
            redefinable: false,
            hidden: false,
            signed: false,
            owner: 0,
            ambiguous: false,
            span,
        });
        self.names.info_mut(name).symbol = index;
        index
    }

    /// The symbol that `name` stands for within a procedure, or `NONE`.
    pub(crate) fn symbol_index(&self, name: NameId, procedure: u32) -> u32 {
        if procedure != 0
            && let Some(&index) = self.local_symbols.get(&(name, procedure))
        {
            return index;
        }
        self.names.info(name).symbol
    }

    /// Defines a code label. Within a procedure it hides other procedures' labels of its name, unless it is `global`.
    pub(crate) fn define_label(
        &mut self,
        name: NameId,
        spelled: &str,
        location: Location,
        span: Span,
        global: bool,
    ) -> Result<(), Fault> {
        let procedure = if global { 0 } else { self.procedure_number() };
        let known = self.names.info(name).symbol;
        let others = self.symbols.get_mut(known as usize).filter(|symbol| {
            let label = matches!(symbol.definition, Definition::Address(_)) && symbol.kind == Type::Near;
            label && symbol.owner != 0 && symbol.owner != procedure
        });
        let apart = others.is_some();
        if let Some(other) = others {
            other.ambiguous = procedure != 0;
            self.names.info_mut(name).symbol = NONE;
        }
        let defined = self.define(name, spelled, Definition::Address(location), Type::Near, span);
        if apart && (procedure != 0 || defined.is_err()) {
            self.names.info_mut(name).symbol = known;
        }
        if let Some(index) = defined?
            && procedure != 0
            && let Some(symbol) = self.symbols.get_mut(index as usize)
        {
            symbol.owner = procedure;
            self.local_symbols.insert((name, procedure), index);
        }
        Ok(())
    }

    /// Defines `name`; the user's definition wins over the library's, whichever comes first.
    ///
    /// Returns the symbol's index, or `None` if the user's definition stands already.
    pub(crate) fn define(
        &mut self,
        name: NameId,
        spelled: &str,
        definition: Definition,
        kind: Type,
        span: Span,
    ) -> Result<Option<u32>, Fault> {
        if self.symbols.len() >= self.limits.symbols {
            self.stopped = true;
            return Err(fault(
                span,
                format!("there are more than {} symbols", self.limits.symbols),
            ));
        }
        let info = *self.names.info(name);
        if info.register != Register::None {
            return Err(fault(span, format!("`{spelled}` is a register and cannot be defined")));
        }
        let library = self.in_library;
        if info.text != NONE {
            match self.texts.get(info.text as usize) {
                Some(text) if text.library && !library => self.names.info_mut(name).text = NONE,
                _ => {
                    return Err(fault(
                        span,
                        format!("`{spelled}` is already an `equ` that stands for text"),
                    ));
                }
            }
        }
        let index = self.symbol_for(name, spelled, span);
        let symbol = &mut self.symbols[index as usize];
        let known = !matches!(symbol.definition, Definition::Undefined | Definition::External);
        if known {
            if symbol.library && !library && !symbol.hidden {
                // The user's own definition replaces the library's.
            } else if library && !symbol.library {
                return Ok(None);
            } else if symbol.redefinable || symbol.definition == definition {
                // `=` again, or the same number again.
            } else {
                let line = symbol.span.line;
                return Err(fault(span, format!("`{spelled}` is defined twice"))
                    .with_help(format!("the first definition is in line {line}; rename one of them")));
            }
        }
        symbol.spelled = spelled.into();
        symbol.definition = definition;
        symbol.kind = kind;
        symbol.library = library;
        symbol.redefinable = false;
        symbol.span = span;
        let internal = library && spelled.starts_with("P5_");
        symbol.hidden = symbol.hidden || internal || spelled.starts_with("??") || spelled.starts_with("@@");
        Ok(Some(index))
    }

    /// Makes `name` stand for `text`.
    pub(crate) fn set_text(&mut self, name: NameId, text: String) {
        let library = self.in_library;
        let index = self.names.info(name).text;
        if let Some(known) = self.texts.get_mut(index as usize) {
            if library && !known.library {
                return;
            }
            *known = TextMacro { text, library };
            return;
        }
        self.names.info_mut(name).text = self.texts.len() as u32;
        self.texts.push(TextMacro { text, library });
    }

    /// Bytes of one element of `kind`; 0 for code and for what is not known.
    pub(crate) fn size_of(&self, kind: Type) -> u32 {
        match kind {
            Type::Bytes(size) => u32::from(size),
            Type::Structure(structure) => self
                .structures
                .get(structure as usize)
                .map_or(0, |structure| structure.size),
            Type::None | Type::Near | Type::Far => 0,
        }
    }

    /// Whether `ifdef` finds anything of this name.
    pub(crate) fn is_defined(&self, name: NameId) -> bool {
        let info = self.names.info(name);
        let symbol = self.symbols.get(info.symbol as usize);
        info.body != NONE
            || info.text != NONE
            || info.structure != NONE
            || info.register != Register::None
            || symbol.is_some_and(|symbol| symbol.definition != Definition::Undefined)
    }
}
