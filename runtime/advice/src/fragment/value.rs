//! Values of a fragment as far as they are known: the origins that each was computed from.

use iced_x86::Register;
use std::collections::BTreeMap;

/// The number of the stack pointer.
pub(super) const ESP: u8 = 4;

/// Something whose first value the fragment does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A general register, by number.
    Register(u8),
    /// Memory at a displacement from another origin, or at an address if there is no base.
    Memory { base: Option<u8>, displacement: i32 },
}

/// The product of an origin and a number, plus another origin and a number: as the end of an array, from the number of
/// its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) base: Option<u8>,
    pub(super) distance: i32,
    pub(super) of: u8,
    pub(super) factor: i32,
}

/// A value as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Value {
    /// The origins that it is the sum of.
    pub(super) sum: u64,
    /// The origins that it was computed from in other ways.
    pub(super) other: u64,
    /// The origins that it may be one of, as the address of a list's element is.
    pub(super) either: u64,
    /// The origins that it is on some path, without anything that is added: the counts of which it is the least.
    pub(super) alternatives: u64,
    /// The origin that it was where control flow first led here, but for numbers and sums that were added since.
    pub(super) begun: Option<u8>,
    /// The origin to which a number was added, or none, and the number, if it is no more than that. After a round of a
    /// loop it is what it was at first.
    pub(super) exact: Option<(Option<u8>, i32)>,
    /// Its formula, if that has a multiple of an origin.
    pub(super) product: Option<Product>,
    /// The number that origins were added to, which may be the address of a table.
    pub(super) constant: Option<i32>,
}

impl Value {
    pub(super) fn number(number: i32) -> Value {
        Value {
            exact: Some((None, number)),
            ..Value::default()
        }
    }

    pub(super) fn of(origin: u8) -> Value {
        Value {
            sum: 1 << origin,
            begun: Some(origin),
            exact: Some((Some(origin), 0)),
            ..Value::default()
        }
    }

    /// A value that is computed from this one, but not as a sum.
    pub(super) fn computed(self) -> Value {
        Value {
            other: self.sum | self.other,
            ..Value::default()
        }
    }

    pub(super) fn plus(self, number: i32) -> Value {
        let exact = self
            .exact
            .map(|(origin, distance)| (origin, distance.wrapping_add(number)));
        let product = self.product.map(|product| Product {
            distance: product.distance.wrapping_add(number),
            ..product
        });
        Value {
            exact,
            product,
            alternatives: 0,
            ..self
        }
    }

    /// The sum with a number that is a value of its own.
    fn with_constant(self, number: i32) -> Value {
        Value {
            constant: self.constant.or((self.sum | self.other != 0).then_some(number)),
            ..self.plus(number)
        }
    }

    /// The value multiplied by a number.
    pub(super) fn times(self, factor: i32) -> Value {
        let product = match (self.exact, self.product) {
            (Some((None, number)), _) => return Value::number(number.wrapping_mul(factor)),
            (Some((Some(of), distance)), _) => Some(Product {
                base: None,
                distance: distance.wrapping_mul(factor),
                of,
                factor,
            }),
            (None, Some(product)) if product.base.is_none() => Some(Product {
                distance: product.distance.wrapping_mul(factor),
                factor: product.factor.wrapping_mul(factor),
                ..product
            }),
            _ => None,
        };
        Value {
            product,
            ..self.computed()
        }
    }

    /// The sum of a multiple of an origin and another origin.
    fn product_with(self, other: Value) -> Option<Product> {
        let (base, distance) = self.exact?;
        match (other.exact, other.product) {
            (Some((Some(of), more)), _) => Some(Product {
                base,
                distance: distance.wrapping_add(more),
                of,
                factor: 1,
            }),
            (None, Some(product)) if product.base.is_none() => Some(Product {
                base,
                distance: distance.wrapping_add(product.distance),
                ..product
            }),
            _ => None,
        }
    }

    pub(super) fn plus_value(self, other: Value) -> Value {
        match (self.exact, other.exact) {
            (_, Some((None, number))) => self.with_constant(number),
            (Some((None, number)), _) => other.with_constant(number),
            _ => Value {
                constant: self.constant.or(other.constant),
                sum: self.sum | other.sum,
                other: self.other | other.other,
                either: self.either | other.either,
                alternatives: 0,
                begun: match (self.begun, other.begun) {
                    (Some(_), Some(_)) => None,
                    (one, other) => one.or(other),
                },
                exact: None,
                product: self.product_with(other).or_else(|| other.product_with(self)),
            },
        }
    }

    fn as_alternatives(self) -> u64 {
        match self.exact {
            Some((Some(origin), 0)) => 1 << origin,
            _ => self.alternatives,
        }
    }

    /// The value where control flow meets, of which `self` came first.
    fn join(self, other: Value) -> Value {
        let same = self
            .exact
            .filter(|one| other.exact.is_some_and(|other| one.0 == other.0));
        let origins = [self, other].map(|one| one.exact.and_then(|(origin, _)| origin));
        let either = match origins {
            [Some(one), Some(other)] if one != other => 1 << one | 1 << other,
            [None, Some(other)] if self.either != 0 => 1 << other,
            _ => 0,
        };
        // An address to which something is added in a later round is that of a table from the first round on.
        let constants = [self, other].map(|one| match one.exact {
            Some((None, number)) => Some(number),
            _ => one.constant,
        });
        Value {
            sum: self.sum | other.sum,
            other: self.other | other.other,
            either: self.either | other.either | either,
            alternatives: match same {
                Some(_) => self.alternatives | other.alternatives,
                None => self.as_alternatives() | other.as_alternatives(),
            },
            begun: self.begun.or(other.begun),
            exact: same,
            constant: constants[0].filter(|_| constants[0] == constants[1]),
            product: self.product.filter(|one| {
                let same = |other: Product| (one.base, one.of, one.factor) == (other.base, other.of, other.factor);
                other.product.is_some_and(same)
            }),
        }
    }

    /// The origin whose memory it addresses in `register`, if it is a sum with one: that of the register itself, if it
    /// is among several.
    pub(super) fn origin_in(self, register: Register) -> Option<u8> {
        let own = match register.is_gpr() {
            true => 1 << register.full_register32().number(),
            false => 0,
        };
        match (self.exact, self.sum) {
            (Some((origin, _)), _) => origin,
            (None, 0) => None,
            (None, sum) if sum & own != 0 => Some(own.trailing_zeros() as u8),
            (None, sum) if self.begun.is_some_and(|begun| sum >> begun & 1 != 0) => self.begun,
            (None, sum) => Some(sum.trailing_zeros() as u8),
        }
    }

    /// The origins that it is one of, if it is no more than one of them or a number.
    pub(super) fn one_of(self) -> u64 {
        match self.exact {
            None if (self.sum | self.other) & !self.alternatives == 0 => self.alternatives,
            _ => 0,
        }
    }

    /// The number that is added to that origin, as far as it is known.
    pub(super) fn distance(self) -> i32 {
        self.exact.map_or(0, |(_, distance)| distance)
    }
}

/// The values before an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) registers: [Value; 8],
    pub(super) memory: BTreeMap<(Option<u8>, i32), Value>,
}

impl State {
    pub(super) fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        for (one, other) in self.registers.iter_mut().zip(other.registers) {
            *one = one.join(other);
        }
        // What only one path has written is read from memory on the other one.
        self.memory.retain(|place, value| {
            other.memory.get(place).is_some_and(|known| {
                *value = value.join(*known);
                true
            })
        });
        *self != before
    }

    pub(super) fn value(&self, register: Register) -> Value {
        match register.is_gpr() {
            true => self.registers[register.full_register32().number()],
            false => Value::default(),
        }
    }
}
