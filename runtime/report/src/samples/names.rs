//! `names`: all names that `hist`, `--pm`, `--where` and `--keep` accept; and the fields that `hist` shows.

use super::{Answer, Columns, Unit, Value};
use p5_chips::ibs::{Field, FieldUnit, SAMPLE_REGISTERS, register_name};
use p5_record::derived::PROFILE_ME;
use p5_record::derived::{DERIVED, derived};
use p5_samples::{Analysis, Figure};

struct Named<'a> {
    name: &'a str,
    kind: &'static str,
    unit: &'static str,
    /// Whether the samples have an image of it.
    kept: bool,
    title: String,
}

/// All names: those of ProfileMe, derived events, fields and registers.
pub fn names(recording: &Analysis) -> Answer<'_> {
    let machine = &recording.machine;
    let mut answer = Answer::new("names", &recording.program, &machine.chip_title, &machine.memory);
    answer.lead("figures of `--pm` and `--where`: every name but those of registers".to_owned());
    answer.lead("`hist`: fields; `sample --keep`: fields and registers, with or without `Ibs`".to_owned());
    answer.lead("`--where` also takes `proc=NAME`; it compares by =, !=, <, <=, > and >=".to_owned());
    let profile_me = PROFILE_ME
        .iter()
        .filter_map(|(name, code)| Some((*name, "ProfileMe", derived(*code)?)));
    let events = DERIVED.iter().map(|event| (event.name, "event", event));
    let events = profile_me.chain(events).map(|(name, kind, event)| Named {
        name,
        kind,
        unit: Figure::Derived(event).unit().name(),
        kept: recording.knows(event),
        title: format!("{:04X}, {}", event.code, event.title),
    });
    let fields = recording.fields().map(|field| Named {
        name: field.name,
        kind: "field",
        unit: field.unit.name(),
        kept: recording.has(field.register),
        title: field.title.to_owned(),
    });
    let registers = SAMPLE_REGISTERS.iter().chain(recording.described.registers());
    let registers = registers.map(|register| Named {
        name: register.name,
        kind: "register",
        unit: "",
        kept: recording.has(register.number),
        title: register.title.to_owned(),
    });
    let mut columns = Columns::default();
    columns.add("name", "name", Unit::Text, |row: &Named<'_>| {
        Value::Text(row.name.to_owned())
    });
    columns.add("kind", "kind", Unit::Text, |row| Value::Text(row.kind.to_owned()));
    columns.add("unit", "unit", Unit::Text, |row| Value::Text(row.unit.to_owned()));
    columns.add("kept", "", Unit::Text, |row| {
        Value::Text(if row.kept { "yes" } else { "no" }.to_owned())
    });
    columns.add("title", "says", Unit::Text, |row| Value::Text(row.title.clone()));
    answer.table(columns, events.chain(fields).chain(registers));
    answer
}

/// The fields that are more than a flag.
pub fn fields(recording: &Analysis) -> Answer<'_> {
    let machine = &recording.machine;
    let mut answer = Answer::new("hist", &recording.program, &machine.chip_title, &machine.memory);
    let mut columns = Columns::default();
    columns.add("name", "field", Unit::Text, |field: &&Field| {
        Value::Text(field.name.to_owned())
    });
    columns.add("register", "register", Unit::Text, |field| {
        let register = recording.register(field.register);
        Value::Text(register.map_or_else(|| register_name(field.register), |register| register.name.to_owned()))
    });
    columns.add("unit", "unit", Unit::Text, |field| {
        Value::Text(field.unit.name().to_owned())
    });
    columns.add("title", "says", Unit::Text, |field| Value::Text(field.title.to_owned()));
    let fields = recording.fields();
    answer.table(
        columns,
        fields.filter(|field| field.unit != FieldUnit::Flag && recording.has(field.register)),
    );
    answer
}
