//! The published schemas of all JSON reports, as files. A test derives them from the declarations of the reports.

/// The JSON schema (draft 2020-12) of a report. Within one `schema_version` of the report, fields are only added.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// The name of the report, as in the name of the schema's file.
    pub name: &'static str,
    /// The title of the report: the command that writes it.
    pub title: &'static str,
    /// The text of the schema, in JSON.
    pub text: &'static str,
}

macro_rules! schemas {
    ($(($name:literal, $title:literal)),* $(,)?) => {
        /// All schemas, that of a run first.
        pub const SCHEMAS: &[Schema] = &[$(Schema {
            name: $name,
            title: $title,
            text: include_str!(concat!("../schemas/", $name, ".json")),
        }),*];
    };
}

schemas![
    ("report", "Of a simulated run"),
    ("refused", "Of a source with errors"),
    ("check", "Of `check`"),
    ("stat", "Of `stat`"),
    ("ratio", "Of `stat --event`"),
    ("audit", "Of `audit`"),
    ("watch", "Of `stat --event --every`"),
    ("msr-dump", "Of `msr dump`"),
    ("advise", "Of `advise`"),
    ("compare", "Of `compare`"),
    ("sweep", "Of `sweep`"),
    ("query", "Of `query`"),
    ("study", "Of `sample --study`"),
    ("host-run", "Of `host run`"),
    ("host-cpi", "Of `host cpi`"),
    ("host-tsc", "Of `host tsc`"),
    ("what-if", "Of `--what-if`"),
    ("events", "Of `events`, an array"),
    ("timings", "Of `timings`, an array"),
    ("explain", "Of `explain`, an array"),
];

#[cfg(test)]
mod tests {
    use super::SCHEMAS;
    use crate::{
        advice, compare, event_list, explain, formats, host, instruments, json, samples, sweep, timings, what_if,
    };
    use instruments::json as tools;
    use schemars::{JsonSchema, generate::SchemaSettings};
    use std::path::Path;

    /// The schema of a type in the form of its file.
    fn of<T: JsonSchema>() -> String {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<T>();
        format!("{:#}\n", schema.to_value()).replace("\\n", " ")
    }

    /// Set this variable to write the files; without it, the test only compares them.
    const UPDATE: &str = "P5INST_UPDATE_SCHEMAS";

    #[test]
    fn the_files_are_what_the_declarations_say() {
        let declared = [
            ("report", of::<json::Report>()),
            ("refused", of::<formats::refused::Refused>()),
            ("stat", of::<tools::StatReport>()),
            ("ratio", of::<tools::RatioReport>()),
            ("audit", of::<instruments::audit::json::AuditReport>()),
            (
                "watch",
                of::<tools::WatchReport<Vec<tools::Interval>, tools::WatchEnd>>(),
            ),
            ("msr-dump", of::<tools::MsrReport>()),
            ("advise", of::<advice::json::AdviceReport>()),
            ("compare", of::<compare::Comparison>()),
            ("sweep", of::<sweep::json::Table>()),
            ("query", of::<samples::answer::AnswerReport>()),
            ("study", of::<samples::study::StudyReport>()),
            ("host-run", of::<host::json::RunReport>()),
            ("host-cpi", of::<host::json::CpiReport>()),
            ("host-tsc", of::<host::json::TscReport>()),
            ("what-if", of::<what_if::json::Report>()),
            ("events", of::<event_list::EventList>()),
            ("timings", of::<timings::TimingsReport>()),
            ("explain", of::<explain::ExplainReport>()),
        ];
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        for (name, text) in &declared {
            if std::env::var_os(UPDATE).is_some() {
                std::fs::write(folder.join(format!("{name}.json")), text).expect("the file is written");
            } else {
                let file = SCHEMAS
                    .iter()
                    .find(|schema| schema.name == *name)
                    .expect("it is listed");
                assert_eq!(
                    file.text, text,
                    "schemas/{name}.json differs; {UPDATE}=1 writes it anew"
                );
            }
        }
        // The findings of the assembler are declared with the command `check`, which has its own test.
        assert_eq!(declared.len() + 1, SCHEMAS.len());
    }
}
