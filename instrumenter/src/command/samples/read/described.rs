//! The description in a file of registers and fields that this version does not know.

use super::{Read, at_most, number, rows, text};
use runtime::model::ibs::{FIELDS, FieldUnit, SampleKind, register_name, sample_register};
use runtime::record::{Described, MOST_DESCRIBED};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// The maximum number of rows in the tables `registers` and `fields`.
const MOST_DESCRIPTIONS: u64 = 1 << 12;

/// The registers and fields that this version does not know. Impossible, ambiguous or too many of them are an error.
pub(super) fn described(database: &Connection) -> Read<Described> {
    let mut described = Described::default();
    if has(database, "registers")? {
        let query = "SELECT number, name, kind, title FROM registers ORDER BY number";
        let registers = at_most(MOST_DESCRIPTIONS, database, query, |row| {
            let kind: Option<String> = row.get(2).map_err(|error| error.to_string())?;
            let kind = SampleKind::ALL
                .into_iter()
                .find(|one| kind.as_deref() == Some(one.name()));
            Ok((number::<u32>(row, 0)?, text(row, 1)?, kind, text(row, 3)?))
        })?;
        for (number, name, kind, title) in registers {
            // Without its own name and a kind, a register is not described.
            let unnamed = name == register_name(number) && kind.is_none();
            let unknown = sample_register(number).is_none() && !unnamed;
            if unknown && !described.add_register(number, &name, kind, &title) {
                return Err(format!(
                    "{name:?} in table `registers` cannot name a register: it is the name of another one, is too long \
                     or not made of letters, digits and `_`, or there are too many"
                ));
            }
        }
    }
    if has(database, "fields")? {
        let query = "SELECT register, name, first, last, unit, title FROM fields ORDER BY rowid";
        let fields = at_most(MOST_DESCRIPTIONS, database, query, |row| {
            let bits = (number::<u32>(row, 2)?, number::<u32>(row, 3)?);
            Ok((number(row, 0)?, text(row, 1)?, bits, text(row, 4)?, text(row, 5)?))
        })?;
        let mut names = BTreeSet::new();
        for (register, name, (first, last), unit, title) in fields {
            if !names.insert(name.to_ascii_lowercase()) {
                return Err(format!("field {name:?} stands twice in table `fields`"));
            }
            if FieldUnit::by_name(&unit).is_none() {
                return Err(format!(
                    "field {name:?} in table `fields` has the unit {unit:?}; units are {}",
                    FieldUnit::ALL.map(FieldUnit::name).join(", ")
                ));
            }
            if FIELDS.iter().any(|field| field.name.eq_ignore_ascii_case(&name)) {
                continue;
            }
            if first > last || last >= u64::BITS {
                return Err(format!("field {name:?} in table `fields` has bits {first} to {last}"));
            }
            if !described.add_field(register, &name, (first, last), &unit, &title) {
                return Err(match described.fields().len() < MOST_DESCRIBED {
                    true => format!(
                        "{name:?} in table `fields` cannot name a field: it is the name of another figure, or is not \
                         made of letters, digits and `_`"
                    ),
                    false => {
                        format!("table `fields` has more than {MOST_DESCRIBED} fields that this p5inst does not know")
                    }
                });
            }
        }
    }
    Ok(described)
}

/// Whether the database has a table; files of other programs may lack it.
fn has(database: &Connection, table: &str) -> Read<bool> {
    let query = format!("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{table}'");
    Ok(rows(database, &query, |row| number::<u8>(row, 0))? == [1])
}
