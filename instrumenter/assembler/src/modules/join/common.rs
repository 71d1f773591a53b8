//! Common data of joined modules: each is made once, as large as the largest declaration, unless a module defines it.

use super::{Combine, Module, Place, Problem};
use crate::Limits;
use crate::module::{COMMON_GROUP, Segment, common_segment};
use p5_image::{ElementKind, SymbolKind};
use std::borrow::Cow;
use std::collections::HashMap;

/// What the declarations of common data ask for together.
#[derive(Clone, Copy)]
struct Extent {
    bytes: u32,
    alignment: u32,
}

/// Addresses at which no module has anything, for far data and for the segment of near data in a module's own image.
const FAR: u32 = 0x8000_0000;
const NEAR: u32 = 0x9000_0000;

/// The modules with their common data in segments: that of each in the first module that declares it.
pub(super) fn made(modules: &[Module]) -> Result<Cow<'_, [Module]>, Vec<Problem>> {
    let is_common = |place: Place| matches!(place, Place::Common(_));
    let mut symbols = modules.iter().flat_map(|module| &module.symbols);
    if !symbols.any(|symbol| is_common(symbol.place)) {
        return Ok(Cow::Borrowed(modules));
    }
    let mut modules = modules.to_vec();
    let mut sizes: HashMap<String, Option<Extent>> = HashMap::new();
    let mut spellings: HashMap<String, &str> = HashMap::new();
    let all = modules.iter().enumerate();
    for (number, symbol) in all.flat_map(|(number, module)| module.symbols.iter().map(move |symbol| (number, symbol))) {
        match symbol.place {
            Place::Common(shared) => {
                let known = spellings
                    .entry(symbol.name.to_ascii_lowercase())
                    .or_insert(&symbol.name);
                if **known != *symbol.name && !modules[number].by_case {
                    let message = format!("common data is spelled `{known}` and `{}`", symbol.name);
                    let help = "spell it alike wherever it is declared";
                    return Err(vec![Problem::new(message, help).at(number, symbol.span)]);
                }
                let one = Extent {
                    bytes: shared.count.saturating_mul(shared.size),
                    alignment: shared.alignment(),
                };
                let known = sizes.entry(symbol.name.clone()).or_insert(Some(one));
                *known = known.map(|known| Extent {
                    bytes: known.bytes.max(one.bytes),
                    alignment: known.alignment.max(one.alignment),
                });
            }
            // Common data comes before a definition that gives way.
            Place::In(..) | Place::Number(_) if symbol.weak => {}
            Place::In(..) | Place::Number(_) => {
                sizes.insert(symbol.name.clone(), None);
            }
            Place::Elsewhere => {}
        }
    }
    let total: u64 = sizes.values().flatten().map(|one| u64::from(one.bytes)).sum();
    let most = Limits::default().image;
    if total > most {
        let message = format!("the common data has {total} bytes, and {most} are the most");
        return Err(vec![Problem::new(message, "declare fewer elements")]);
    }
    for module in &mut modules {
        make(module, &mut sizes);
    }
    Ok(Cow::Owned(modules))
}

/// Makes the common data of a module whose sizes are still there; the rest is elsewhere.
fn make(module: &mut Module, sizes: &mut HashMap<String, Option<Extent>>) {
    let mut near = None;
    for index in 0..module.symbols.len() {
        let symbol = &module.symbols[index];
        let name = symbol.name.clone();
        let Place::Common(shared) = symbol.place else {
            continue;
        };
        let place = match sizes.get_mut(&name).and_then(Option::take) {
            None => Place::Elsewhere,
            Some(extent) => {
                let far = shared.far && module.segmented;
                let segment = near.filter(|_| !far).unwrap_or_else(|| segment(module, far));
                if !far {
                    near = Some(segment);
                }
                let Segment {
                    length,
                    address,
                    alignment,
                    ..
                } = &mut module.segments[segment];
                *alignment = extent.alignment.max(*alignment);
                let offset = length.next_multiple_of(extent.alignment);
                *length = offset + extent.bytes;
                let named = p5_image::Symbol {
                    name,
                    value: *address + offset,
                    size: extent.bytes,
                    kind: SymbolKind::Data {
                        element: shared.size,
                        kind: ElementKind::Unsigned,
                    },
                    library: false,
                    typed: true,
                };
                module.image.symbols.push(named);
                Place::In(segment as u32, offset)
            }
        };
        module.symbols[index].place = place;
    }
}

/// A new segment for near data of the group, or for one far variable.
fn segment(module: &mut Module, far: bool) -> usize {
    let group = (module.segmented && !far).then(|| {
        let known = module
            .groups
            .iter()
            .position(|name| name.eq_ignore_ascii_case(COMMON_GROUP));
        known.unwrap_or_else(|| {
            module.groups.push(COMMON_GROUP.to_owned());
            module.groups.len() - 1
        }) as u32
    });
    let mut made = module.segments.iter().rev();
    let last = made.find(|segment| (FAR..NEAR).contains(&segment.address));
    let far_end = last.map_or(FAR, |segment| segment.address + segment.length);
    let [name, class] = common_segment(far);
    module.segments.push(Segment {
        name: name.to_owned(),
        class: class.to_owned(),
        alignment: if far { 16 } else { 1 },
        combine: if far { Combine::Private } else { Combine::Public },
        wide: !module.segmented,
        rank: if far { 1 } else { 3 },
        group,
        address: if far { far_end } else { NEAR },
        ..Segment::default()
    });
    module.segments.len() - 1
}
