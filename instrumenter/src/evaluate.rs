//! Expressions to values, with whatever is known of addresses at the time.

mod combine;

pub(crate) use combine::arithmetic;

use crate::assembler::{Assembler, Assumption, Fault, fault};
use crate::ast::{Binary, ExpressionId, NodeKind, Type, Unary};
use crate::diag::Span;
use crate::expr::Cursor;
use crate::names::{NONE, NameId, nearest};
use crate::symbols::Definition;
use combine::{combine, retyped};
use iced_x86::Register;

/// What an expression came to: a number, an address, a register or the parts of a memory operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value {
    /// The number, or the displacement with the address in it.
    pub(crate) number: i64,
    /// What it is made of, as far as symbols, fields or `ptr` say.
    pub(crate) kind: Type,
    /// Whether `ptr` said so.
    pub(crate) explicit: bool,
    /// Whether one address stands in `number`.
    pub(crate) relocatable: bool,
    /// Segment and fragment of that address: within one fragment distances are final.
    pub(crate) anchor: (u32, u32),
    /// Whether the number may still change when addresses are settled.
    pub(crate) volatile: bool,
    /// Whether a name in it is not known yet.
    pub(crate) unresolved: bool,
    /// Whether it is a memory operand: in brackets, a data symbol, or with an override.
    pub(crate) memory: bool,
    /// Whether a symbol or number stands in it at all.
    pub(crate) displaced: bool,
    /// Whether `offset` made a number of an address.
    pub(crate) offset: bool,
    /// Whether `short` was written.
    pub(crate) short: bool,
    /// A register outside brackets.
    pub(crate) register: Register,
    pub(crate) base: Register,
    pub(crate) index: Register,
    pub(crate) scale: u8,
    pub(crate) segment: Register,
    /// The selector of a far pointer written out, or `NONE`.
    pub(crate) selector: u32,
    /// The symbol it is, if it is nothing else, or `NONE`.
    pub(crate) symbol: u32,
}

impl Value {
    pub(crate) fn number(number: i64) -> Value {
        Value {
            number,
            kind: Type::None,
            explicit: false,
            relocatable: false,
            anchor: (NONE, NONE),
            volatile: false,
            unresolved: false,
            memory: false,
            displaced: true,
            offset: false,
            short: false,
            register: Register::None,
            base: Register::None,
            index: Register::None,
            scale: 1,
            segment: Register::None,
            selector: NONE,
            symbol: NONE,
        }
    }

    fn has_registers(&self) -> bool {
        self.register != Register::None || self.base != Register::None || self.index != Register::None
    }

    /// Whether it is just a number, which may still depend on addresses.
    pub(crate) fn is_number(&self) -> bool {
        !self.has_registers() && !self.memory && self.segment == Register::None
    }
}

/// How many steps of evaluation may stand upon each other, over all symbols that lead to symbols.
const DEEPEST: u32 = 1200;

impl Assembler<'_> {
    /// Reads an expression that must be a number now.
    pub(crate) fn constant(&mut self, cursor: &mut Cursor) -> Result<i64, Fault> {
        let mark = self.expressions.mark();
        let span = cursor.here();
        let id = self.expression(cursor)?;
        let value = self.evaluate(id)?;
        if value.unresolved {
            return Err(self
                .first_unknown(id)
                .unwrap_or_else(|| fault(span, "this must be a number that is known here, not only further down")));
        }
        if value.has_registers() || (value.memory && !value.relocatable) {
            return Err(fault(span, "a number is expected here"));
        }
        if value.volatile {
            self.assumptions.push(Assumption {
                expression: id,
                value: value.number,
                span,
                origin: self.origin,
            });
        } else {
            self.expressions.forget(mark);
        }
        Ok(value.number)
    }

    /// What `id` comes to with what is known now.
    pub(crate) fn evaluate(&self, id: ExpressionId) -> Result<Value, Fault> {
        self.value(id, 0)
    }

    /// The complaint about the first name in `id` that nothing defines.
    pub(crate) fn first_unknown(&self, id: ExpressionId) -> Option<Fault> {
        let node = self.expressions.node(id);
        match node.kind {
            NodeKind::Symbol(name, procedure) => {
                let symbol = self.symbols.get(self.symbol_index(name, procedure) as usize);
                let known = symbol
                    .is_some_and(|symbol| !matches!(symbol.definition, Definition::Undefined | Definition::External));
                (!known).then(|| self.unknown(name, node.span))
            }
            NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => self.first_unknown(operand),
            NodeKind::Binary(_, left, right) => self.first_unknown(left).or_else(|| self.first_unknown(right)),
            _ => None,
        }
    }

    /// The complaint about a name that nothing defines.
    pub(crate) fn unknown(&self, name: NameId, span: Span) -> Fault {
        let text = self.names.text(name);
        if text.starts_with("@@ ") {
            return fault(span, "there is no `@@:` in this direction");
        }
        let symbol = self.symbols.get(self.names.info(name).symbol as usize);
        if symbol.is_some_and(|symbol| symbol.definition == Definition::External) {
            return fault(
                span,
                format!("`{text}` is declared external, but nothing here defines it"),
            )
            .with_help("one file is the whole program: include the file that defines it");
        }
        let spelled = text.split(' ').next().unwrap_or(text);
        let known = self.symbols.iter().filter(|symbol| {
            !symbol.hidden && !matches!(symbol.definition, Definition::Undefined | Definition::External)
        });
        let fault = fault(span, format!("`{spelled}` is not defined"));
        match nearest(spelled, known.map(|symbol| &*symbol.spelled)) {
            Some(near) => fault.with_help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }

    fn value(&self, id: ExpressionId, depth: u32) -> Result<Value, Fault> {
        let node = self.expressions.node(id);
        if depth > DEEPEST {
            return Err(fault(
                node.span,
                "the symbols in this expression lead to each other without end",
            ));
        }
        match node.kind {
            NodeKind::Number(number) => Ok(Value::number(number)),
            NodeKind::Register(register) => Ok(Value {
                register,
                displaced: false,
                ..Value::number(0)
            }),
            NodeKind::Here(location) => Ok(Value {
                relocatable: true,
                volatile: true,
                anchor: (location.segment, location.fragment),
                kind: Type::Near,
                offset: true,
                ..Value::number(i64::from(self.address(location)))
            }),
            NodeKind::TypeName(type_name) => Ok(Value::number(i64::from(self.size_of(type_name)))),
            NodeKind::Symbol(name, procedure) => self.symbol_value(name, procedure, node.span, depth),
            NodeKind::Unary(operator, operand) => {
                let value = self.value(operand, depth + 1)?;
                self.unary_value(operator, operand, value, node.span)
            }
            NodeKind::Field(operand, field) => {
                let owner = self.value(operand, depth + 1)?;
                let type_name = match self.expressions.node(operand).kind {
                    NodeKind::TypeName(type_name) => Some(type_name),
                    _ => None,
                };
                self.field_value(owner, type_name, field, node.span)
            }
            NodeKind::Binary(Binary::Ptr, left, right) => {
                let value = self.value(right, depth + 1)?;
                let NodeKind::TypeName(type_name) = self.expressions.node(left).kind else {
                    return Err(fault(
                        self.expressions.node(left).span,
                        "a type such as `byte` or `dword` is expected before `ptr`",
                    ));
                };
                Ok(retyped(value, type_name))
            }
            NodeKind::Binary(operator, left, right) => {
                let left_value = self.value(left, depth + 1)?;
                let right_value = self.value(right, depth + 1)?;
                combine(operator, left_value, right_value, node.span)
            }
        }
    }

    fn symbol_value(&self, name: NameId, procedure: u32, span: Span, depth: u32) -> Result<Value, Fault> {
        let index = self.symbol_index(name, procedure);
        let unresolved = Value {
            volatile: true,
            unresolved: true,
            ..Value::number(0)
        };
        let Some(symbol) = self.symbols.get(index as usize) else {
            if self.resolved {
                return Err(self.unknown(name, span));
            }
            return Ok(unresolved);
        };
        match symbol.definition {
            Definition::Number(number) => Ok(Value::number(number)),
            Definition::Frame(offset) => Ok(Value {
                kind: symbol.kind,
                memory: true,
                base: Register::EBP,
                symbol: index,
                ..Value::number(offset)
            }),
            Definition::Address(_) if self.resolved && symbol.ambiguous && symbol.owner != procedure => {
                let text = self.names.text(name);
                Err(fault(
                    span,
                    format!("`{text}` is a label of several procedures, and of none that this stands in"),
                )
                .with_help(format!("write `{text}::` where the one is defined that is meant")))
            }
            Definition::Address(location) => Ok(Value {
                relocatable: true,
                volatile: true,
                // Another procedure's label: this procedure may have one of its own further down.
                unresolved: !self.resolved
                    && symbol.owner != 0
                    && symbol.owner != procedure
                    && (procedure != 0 || symbol.ambiguous),
                anchor: (location.segment, location.fragment),
                kind: symbol.kind,
                memory: matches!(symbol.kind, Type::Bytes(_) | Type::Structure(_)),
                symbol: index,
                ..Value::number(i64::from(self.address(location)))
            }),
            Definition::Expression(id) => self.value(id, depth + 8),
            Definition::Undefined | Definition::External if self.resolved => Err(self.unknown(name, span)),
            Definition::Undefined | Definition::External => Ok(Value {
                kind: symbol.kind,
                memory: matches!(symbol.kind, Type::Bytes(_)),
                ..unresolved
            }),
        }
    }

    fn unary_value(&self, operator: Unary, operand: ExpressionId, value: Value, span: Span) -> Result<Value, Fault> {
        let described = || match self.expressions.node(operand).kind {
            NodeKind::TypeName(type_name) => (type_name, 1, self.size_of(type_name)),
            _ => match self.symbols.get(value.symbol as usize) {
                Some(symbol) => (symbol.kind, symbol.count, symbol.size),
                None => (value.kind, 1, self.size_of(value.kind)),
            },
        };
        match operator {
            Unary::Bracket => {
                let mut value = value;
                if value.register != Register::None {
                    value.base = value.register;
                    value.register = Register::None;
                    if !(value.base.is_gpr32() || value.base.is_gpr16()) {
                        return Err(fault(
                            span,
                            "only a 32-bit or 16-bit general register can be an address",
                        ));
                    }
                }
                if matches!(value.kind, Type::Near | Type::Far) && !value.explicit {
                    value.kind = Type::None;
                }
                value.memory = true;
                value.offset = false;
                value.symbol = NONE;
                return Ok(value);
            }
            Unary::Short => return Ok(Value { short: true, ..value }),
            Unary::Offset | Unary::Segment if value.has_registers() => {
                return Err(fault(span, "an operand with registers has no fixed offset")
                    .with_help("use `lea` to compute an address at run time"));
            }
            Unary::Offset => {
                return Ok(Value {
                    memory: false,
                    offset: true,
                    kind: Type::None,
                    explicit: false,
                    segment: Register::None,
                    symbol: NONE,
                    ..value
                });
            }
            Unary::Segment => {
                return Err(fault(
                    span,
                    "`seg` has no value here: the program is flat and its selectors are the host's",
                )
                .with_help("use ds, es or cs as they are"));
            }
            Unary::Type => {
                let number = match described().0 {
                    Type::Near => 0xFF04,
                    Type::Far => 0xFF06,
                    kind => i64::from(self.size_of(kind)),
                };
                return Ok(Value {
                    unresolved: value.unresolved,
                    volatile: value.unresolved,
                    ..Value::number(number)
                });
            }
            Unary::Size | Unary::Length => {
                let (_, count, size) = described();
                let number = if operator == Unary::Size { size } else { count };
                return Ok(Value {
                    unresolved: value.unresolved,
                    volatile: value.unresolved,
                    ..Value::number(i64::from(number))
                });
            }
            Unary::This => return Ok(value),
            Unary::Minus | Unary::Not | Unary::High | Unary::Low | Unary::HighWord | Unary::LowWord => {}
        }
        // The low and high byte of a variable are the variable read as bytes.
        if value.memory && value.kind != Type::None && matches!(operator, Unary::Low | Unary::High) {
            let number = value.number + i64::from(operator == Unary::High);
            return Ok(Value {
                number,
                kind: Type::Bytes(1),
                explicit: true,
                ..value
            });
        }
        if value.has_registers() || (value.memory && !value.unresolved) {
            return Err(fault(span, "this operator needs a number"));
        }
        let number = match operator {
            Unary::Minus => value.number.wrapping_neg(),
            Unary::Not => !value.number,
            Unary::High => (value.number >> 8) & 0xFF,
            Unary::Low => value.number & 0xFF,
            Unary::HighWord => (value.number >> 16) & 0xFFFF,
            _ => value.number & 0xFFFF,
        };
        Ok(Value {
            volatile: value.volatile,
            unresolved: value.unresolved,
            ..Value::number(number)
        })
    }

    fn field_value(&self, owner: Value, type_name: Option<Type>, field: NameId, span: Span) -> Result<Value, Fault> {
        let own = match type_name.unwrap_or(owner.kind) {
            Type::Structure(structure) => Some(structure),
            _ => None,
        };
        let find = |structure: u32| {
            let structure = self.structures.get(structure as usize)?;
            structure.fields.iter().find(|candidate| candidate.name == field)
        };
        let found = own
            .and_then(find)
            .or_else(|| self.fields.get(&field).and_then(|&owner| find(owner)));
        let Some(found) = found else {
            // A plain number after the dot is added as MASM does.
            if let Some(symbol) = self.symbols.get(self.names.info(field).symbol as usize)
                && let Definition::Number(number) = symbol.definition
            {
                return Ok(Value {
                    number: owner.number.wrapping_add(number),
                    displaced: true,
                    ..owner
                });
            }
            let text = self.names.text(field);
            let fault = fault(span, format!("there is no field `{text}`"));
            let fields = own.and_then(|own| self.structures.get(own as usize));
            let known = fields
                .into_iter()
                .flat_map(|own| own.fields.iter())
                .filter(|field| field.name != NONE)
                .map(|field| self.names.text(field.name));
            return Err(match nearest(text, known) {
                Some(near) => fault.with_help(format!("did you mean `{near}`?")),
                None => fault,
            });
        };
        let offset = i64::from(found.offset);
        if type_name.is_some() {
            return Ok(Value {
                kind: found.kind,
                ..Value::number(offset)
            });
        }
        let mut value = owner;
        if value.explicit && value.register.is_gpr32() {
            // `[(POINT ptr ebx).x]`: the brackets around it make an address of it.
            value.base = std::mem::replace(&mut value.register, Register::None);
        }
        if value.register != Register::None {
            return Err(fault(span, "a field of a register needs brackets").with_help("write `[ebx].field`"));
        }
        value.number = value.number.wrapping_add(offset);
        value.kind = found.kind;
        value.explicit = false;
        value.displaced = true;
        value.symbol = NONE;
        Ok(value)
    }
}
