//! Common data of joined modules: each is made once, as large as the largest declaration, unless a module defines it.

use super::{Combine, Module, Place, Problem};
use crate::module::{Segment, Shared};
use std::borrow::Cow;
use std::collections::HashMap;

/// The group in which near data lies.
const GROUP: &str = "DGROUP";
/// The most bytes of common data.
const MOST: u64 = 1 << 26;
/// An address at which no module has anything.
const NOWHERE: u32 = u32::MAX / 2;

/// The modules with their common data in segments: that of each in the first module that declares it.
pub(super) fn made(modules: &[Module]) -> Result<Cow<'_, [Module]>, Vec<Problem>> {
    let is_common = |place: Place| matches!(place, Place::Common(_));
    let mut symbols = modules.iter().flat_map(|module| &module.symbols);
    if !symbols.any(|symbol| is_common(symbol.place)) {
        return Ok(Cow::Borrowed(modules));
    }
    let mut modules = modules.to_vec();
    let mut sizes: HashMap<String, Option<u32>> = HashMap::new();
    let mut spellings: HashMap<String, &str> = HashMap::new();
    let mut total = 0;
    let all = modules.iter().enumerate();
    for (number, symbol) in all.flat_map(|(number, module)| module.symbols.iter().map(move |symbol| (number, symbol))) {
        match symbol.place {
            Place::Common(Shared { count, size, .. }) => {
                let known = spellings
                    .entry(symbol.name.to_ascii_lowercase())
                    .or_insert(&symbol.name);
                if **known != *symbol.name {
                    let message = format!("common data is spelled `{known}` and `{}`", symbol.name);
                    let help = "spell it alike wherever it is declared";
                    return Err(vec![Problem::new(message, help).at(number, symbol.span)]);
                }
                let bytes = count.saturating_mul(size);
                total += u64::from(bytes);
                let known = sizes.entry(symbol.name.clone()).or_insert(Some(0));
                *known = known.map(|known| known.max(bytes));
            }
            Place::In(..) | Place::Number(_) => {
                sizes.insert(symbol.name.clone(), None);
            }
            Place::Elsewhere => {}
        }
    }
    if total > MOST {
        let message = format!("common data of {total} bytes");
        return Err(vec![Problem::new(
            message,
            "declare fewer elements: 64 MiB are the most",
        )]);
    }
    for module in &mut modules {
        make(module, &mut sizes);
    }
    Ok(Cow::Owned(modules))
}

/// Makes the common data of a module whose sizes are still there; the rest is elsewhere.
fn make(module: &mut Module, sizes: &mut HashMap<String, Option<u32>>) {
    let unit = if module.segmented { 2 } else { 4 };
    let mut near = None;
    for index in 0..module.symbols.len() {
        let symbol = &module.symbols[index];
        let Place::Common(Shared { far, .. }) = symbol.place else {
            continue;
        };
        let place = match sizes.get_mut(&symbol.name).and_then(Option::take) {
            None => Place::Elsewhere,
            Some(bytes) => {
                let far = far && module.segmented;
                let segment = near.filter(|_| !far).unwrap_or_else(|| segment(module, far, unit));
                if !far {
                    near = Some(segment);
                }
                let length = &mut module.segments[segment].length;
                let offset = length.next_multiple_of(unit);
                *length = offset + bytes;
                Place::In(segment as u32, offset)
            }
        };
        module.symbols[index].place = place;
    }
}

/// A new segment for near data of the group, or for one far variable.
fn segment(module: &mut Module, far: bool, unit: u32) -> usize {
    let group = (module.segmented && !far).then(|| {
        let known = module.groups.iter().position(|name| name.eq_ignore_ascii_case(GROUP));
        known.unwrap_or_else(|| {
            module.groups.push(GROUP.to_owned());
            module.groups.len() - 1
        }) as u32
    });
    module.segments.push(Segment {
        name: if far { "FAR_BSS" } else { "c_common" }.to_owned(),
        class: if far { "FAR_BSS" } else { "BSS" }.to_owned(),
        alignment: if far { 16 } else { unit },
        combine: if far { Combine::Private } else { Combine::Public },
        wide: !module.segmented,
        rank: if far { 1 } else { 3 },
        group,
        address: NOWHERE,
        ..Segment::default()
    });
    module.segments.len() - 1
}
