//! The results of two runs: variables that differ at their ends.
//!
//! Several variables may have one name, as the locals of two procedures. If both programs have as many, they belong
//! together in their order, else those of the same size at the same address.
//!
//! A variable of at most 8 bytes differs if its value does. A longer one is judged only if a run changed it: by the
//! digest of all its bytes if both reports have one, and else by what both say of its change. If only one of them says
//! something, the end of the other is not known, and the variable is left out. So is what no source declares in a
//! program whose compiler tells lines: the data of the C library, which have addresses in the program. Addresses are no
//! results: they depend on where a program lies.

use super::saved::{SavedChange, SavedRun, SavedVariable};
use crate::state::in_decimal;
use p5_image::ElementKind;
use std::collections::HashMap;

/// A variable of both programs whose last values differ.
#[derive(Default, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Differing {
    /// Its name.
    pub(super) name: String,
    /// The index of the first element that is known to differ, if it is an array.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) element: Option<u32>,
    /// The first field that differs, with a dot before each part, if it is a structure and the field is known; absent
    /// for others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) field: Option<String>,
    /// Its value, or that of the element or field, at the end of the older run as an unsigned number; null if it is
    /// longer than 8 bytes or not known.
    pub(super) old: Option<u64>,
    /// The value at the end of the newer run.
    pub(super) new: Option<u64>,
    /// Both values in decimal, if they are reals, signed numbers or addresses (these in hexadecimal); absent for
    /// others.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) texts: Option<[String; 2]>,
}

/// The variables of both programs.
pub(super) struct Results {
    /// How many of them are known at the ends of both runs.
    pub(super) known: usize,
    /// Those that differ, in the order of the newer program.
    pub(super) differing: Vec<Differing>,
}

/// Compares the variables of both programs.
pub(super) fn compared(old: &SavedRun, new: &SavedRun) -> Results {
    let (before, after) = (by_name(old), by_name(new));
    let placed: HashMap<_, _> = old.symbols.iter().rev().map(|one| (one.place(), one)).collect();
    let mut met: HashMap<&str, usize> = HashMap::new();
    let is_compiled = new.is_compiled();
    let known = new.symbols.iter().filter_map(|now| {
        let name = now.name.as_str();
        let number = met.entry(name).or_default();
        *number += 1;
        let then = before.get(name)?;
        let then = match then.len() == after.get(name)?.len() {
            true => then[*number - 1],
            false => placed.get(&now.place())?,
        };
        let of_library = now.library || now.undeclared && is_compiled;
        let is_address = matches!(now.kind(then), ElementKind::Address);
        let difference = difference(then, now).filter(|_| !of_library && !is_address)?;
        Some(difference.map(|found| Differing {
            name: now.name.clone(),
            ..found
        }))
    });
    let known: Vec<Option<Differing>> = known.collect();
    Results {
        known: known.len(),
        differing: known.into_iter().flatten().collect(),
    }
}

/// Where a variable differs, and its values there, `Some(None)` if it does not; `None` if that is not known, or no run
/// has changed it.
fn difference(then: &SavedVariable, now: &SavedVariable) -> Option<Option<Differing>> {
    if let (Some(was), Some(is)) = (then.value, now.value) {
        let whole = || match now.is_array() {
            true => Differing::default(),
            false => told(now.kind(then), now.size, [was, is]),
        };
        return Some((was != is).then(|| element(then, now).unwrap_or_else(whole)));
    }
    let changes = [&then.changed, &now.changed];
    if changes.iter().all(|change| change.is_none()) {
        return None;
    }
    let differs = match (&then.digest, &now.digest, changes) {
        (Some(was), Some(is), _) if then.size == now.size => was != is,
        (.., [Some(was), Some(is)]) => was.ends() != is.ends(),
        _ => return None,
    };
    let place = || element(then, now).or_else(|| field(then, now));
    Some(differs.then(|| place().unwrap_or_default()))
}

/// The difference of two values of this kind and of this many bytes.
fn told(kind: ElementKind, bytes: u32, values: [u64; 2]) -> Differing {
    let texts = match kind {
        ElementKind::Real if !matches!(bytes, 4 | 8) => None,
        ElementKind::Signed
        | ElementKind::Real
        | ElementKind::Address
        | ElementKind::Character
        | ElementKind::Boolean
        | ElementKind::Enumeration { .. } => Some(values.map(|value| in_decimal(kind, bytes, value.into()))),
        ElementKind::Unsigned | ElementKind::Structure(_) => None,
    };
    Differing {
        old: Some(values[0]),
        new: Some(values[1]),
        texts,
        ..Differing::default()
    }
}

/// The first of the elements that both reports tell which differs.
fn element(then: &SavedVariable, now: &SavedVariable) -> Option<Differing> {
    if then.element != now.element {
        return None;
    }
    let [was, is] = [then, now].map(SavedVariable::elements);
    let at = was.iter().zip(&is).position(|(was, is)| was != is)?;
    Some(Differing {
        element: Some(at as u32),
        ..told(now.kind(then), now.element, [was[at], is[at]])
    })
}

/// The difference in the element and the field that both runs changed first.
fn field(then: &SavedVariable, now: &SavedVariable) -> Option<Differing> {
    let (was, is) = (then.changed.as_ref()?, now.changed.as_ref()?);
    if (was.first, &was.field) != (is.first, &is.field) {
        return None;
    }
    let place = Differing {
        element: Some(is.first).filter(|_| now.is_array()),
        field: is.field.clone(),
        ..Differing::default()
    };
    if let (Some([_, was]), Some([_, is])) = (&was.reals, &is.reals) {
        let texts = [was.clone(), is.clone()];
        return (was != is).then_some(Differing {
            texts: Some(texts),
            ..place
        });
    }
    let values = [was.values?[1], is.values?[1]];
    let signed = was
        .signed
        .zip(is.signed)
        .map(|(was, is)| [was[1], is[1]].map(|value| value.to_string()));
    (values[0] != values[1]).then(|| Differing {
        old: Some(values[0]),
        new: Some(values[1]),
        texts: signed,
        ..place
    })
}

/// The variables of a run by name, those of one name in the order of the report.
fn by_name(run: &SavedRun) -> HashMap<&str, Vec<&SavedVariable>> {
    let mut all: HashMap<&str, Vec<&SavedVariable>> = HashMap::new();
    for variable in &run.symbols {
        all.entry(&variable.name).or_default().push(variable);
    }
    all
}

impl SavedChange {
    /// What it says of the end of a run: all but the values before it.
    #[expect(clippy::type_complexity, reason = "a key of comparison")]
    fn ends(&self) -> (u32, u32, Option<&str>, Option<u64>, Option<&str>, Option<&[i128]>) {
        (
            self.elements,
            self.first,
            self.field.as_deref(),
            self.values.map(|values| values[1]),
            self.reals.as_ref().map(|values| values[1].as_str()),
            self.now.as_deref(),
        )
    }
}

impl SavedVariable {
    /// A key that tells it from others of its name.
    fn place(&self) -> (&str, u32, u32) {
        (&self.name, self.address, self.size)
    }

    fn is_array(&self) -> bool {
        self.element > 0 && self.size > self.element
    }

    /// The kind of its elements, which one of the two reports may tell.
    fn kind(&self, other: &SavedVariable) -> ElementKind {
        match self.kind.as_deref().or(other.kind.as_deref()) {
            Some("signed") => ElementKind::Signed,
            Some("real") => ElementKind::Real,
            Some("address") => ElementKind::Address,
            _ => ElementKind::Unsigned,
        }
    }

    /// The elements of an array that are known.
    fn elements(&self) -> Vec<u64> {
        let now = self.changed.as_ref().and_then(|change| change.now.as_deref());
        match (now, self.value) {
            _ if !self.is_array() => Vec::new(),
            (Some(now), _) if !now.is_empty() => now.iter().map(|&value| value as u64).collect(),
            // A report that is not p5inst's may say any size.
            (_, Some(value)) if self.size <= 8 => {
                let bytes = value.to_le_bytes();
                let elements = bytes[..self.size as usize].chunks(self.element as usize);
                elements
                    .map(|element| {
                        let mut wide = [0; 8];
                        wide[..element.len()].copy_from_slice(element);
                        u64::from_le_bytes(wide)
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}
