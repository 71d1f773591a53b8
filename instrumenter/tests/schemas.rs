//! Every JSON report follows the schema that `p5inst schema` publishes for it and has no field that the schema lacks.

use crate::started;
use jsonschema::Validator;
use serde_json::Value;
use started::{finished, printed, text};
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

/// A loop with regions that miss, wait and have budgets, and a profile.
const LOOP: &str = "        .586\n        .model  flat\n        .data\ntable   dd      64 dup(1)\n        .code\n\
                    start:  mov     edx,3\npass:   StartTSC sum\n        mov     esi,offset table\n        \
                    mov     ecx,64\nnext:   mov     ebx,[esi]       ; p5: cycles <= 1\n        add     eax,ebx\n        \
                    add     esi,4\n        dec     ecx\n        jnz     next\n        EndTSC\n        dec     edx\n        \
                    jnz     pass\n        StartProfile EV_DATA_READ, EV_DATA_READ_MISS, reads\n        \
                    mov     eax,table\n        EndProfile\n        ret\n        end     start\n";
/// Floating point, output, a region that never ends, and a fault.
const FAULT: &str = "        .586\n        .model  flat\n        .data\ntext    db      'half',10\none     dq      1.5\n        \
                     .code\nstart:  fld     one\n        fmul    st,st\n        mov     eax,4\n        mov     ebx,1\n        \
                     mov     ecx,offset text\n        mov     edx,5\n        int     80h\n        StartTSC open\n        \
                     mov     eax,ds:[0]\n        EndTSC\n        ret\n        end     start\n";
/// A loop of packed instructions that can be improved.
const PACKED: &str = "        .586\n        .mmx\n        .model  flat\n        .code\nstart:  mov     ecx,9\n        \
                      StartTSC packed\nagain:  movd    mm0,ecx\n        paddw   mm1,mm0\n        mov     esi,esp\n        \
                      mov     eax,[esi]\n        dec     ecx\n        jnz     again\n        EndTSC\n        emms\n        \
                      ret\n        end     start\n";
/// A program whose only instruction is the last one.
const EMPTY: &str = "        .code\n        ret\n        end\n";
const WRONG: &str = "        .code\nstart:  mov     eax,missing\n        shl     [esi],1\n        end     start\n";

/// Command lines, each with the name of its report. `SOURCE` stands for each of the programs that run.
const REPORTS: [(&str, &str); 43] = [
    ("report", "SOURCE"),
    ("report", "SOURCE --all --runs 3"),
    ("report", "SOURCE --cpu p55c --cpl 3 --memory dram --errata --limit 300"),
    ("report", "SOURCE --monitor perfmon,ibs,rdtscp --core-ratio 3/2"),
    ("refused", "wrong.asm"),
    ("check", "check SOURCE"),
    ("check", "check wrong.asm"),
    ("stat", "stat SOURCE"),
    ("stat", "stat SOURCE --all --bytes 256 --mhz 60"),
    ("stat", "stat --compare loop.asm packed.asm --bytes 256 --mhz 60"),
    ("ratio", "stat --event 03 SOURCE"),
    ("audit", "audit SOURCE"),
    ("watch", "stat SOURCE --event 0B --event 16 --every 50"),
    ("msr-dump", "msr dump --mhz 60"),
    ("msr-dump", "msr dump --cpu p55c"),
    ("msr-dump", "msr dump SOURCE --monitor perfmon"),
    ("advise", "advise SOURCE"),
    ("advise", "advise --write packed.asm"),
    ("compare", "compare loop.json packed.json"),
    ("compare", "compare loop.json loop.json --fail-over 1%"),
    ("sweep", "sweep loop.asm --cpu p5,p55c --memory l2,dram -D N=1..2"),
    ("query", "query all.samples derive"),
    ("query", "query all.samples hist"),
    ("query", "query all.samples hist IbsDcMissLat"),
    ("query", "query all.samples data"),
    ("query", "query all.samples top --truth"),
    ("query", "query all.samples calc"),
    ("query", "query all.samples topstalls"),
    ("query", "query all.samples whatcg"),
    ("query", "query all.samples ear --lat 2"),
    ("query", "query all.samples pairs"),
    ("query", "query all.samples diff all.samples"),
    ("query", "query all.samples names"),
    ("study", "sample loop.asm --study"),
    ("what-if", "SOURCE --what-if"),
    ("host-run", "host run loop.asm --host-runs 10"),
    ("events", "events"),
    ("events", "events --cpu p55c mispredicted"),
    ("timings", "timings"),
    ("timings", "timings --cpu p55c --assumptions"),
    ("timings", "timings fsqrt"),
    ("explain", "explain"),
    ("explain", "explain agi"),
];

/// Command lines that are not repeated for every program.
const OF_THE_HOST: [(&str, &str); 2] = [
    ("host-cpi", "host cpi loop.asm --host-runs 10"),
    ("host-tsc", "host tsc"),
];

/// The schema with all other fields forbidden in its objects.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(strict);
            let object = fields.get("type").is_some_and(|kind| kind == "object");
            if object && fields.get("properties").is_some_and(Value::is_object) {
                fields.entry("additionalProperties").or_insert(false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

fn published(folder: &Path, name: &str) -> Validator {
    let mut schema: Value = serde_json::from_str(&printed(folder, &format!("schema {name}"))).expect("JSON");
    jsonschema::meta::validate(&schema).unwrap_or_else(|why| panic!("{name} is no schema: {why}"));
    strict(&mut schema);
    jsonschema::validator_for(&schema).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn every_report_follows_its_published_schema() {
    let folder = TempDir::new().expect("a directory");
    let folder = folder.path();
    let programs = [
        ("loop.asm", LOOP),
        ("fault.asm", FAULT),
        ("packed.asm", PACKED),
        ("empty.asm", EMPTY),
    ];
    for (name, source) in programs.into_iter().chain([("wrong.asm", WRONG)]) {
        std::fs::write(folder.join(name), source).expect("a file");
    }
    for made in [
        "loop.asm --format json -o loop.json",
        "packed.asm --format json -o packed.json",
        "sample loop.asm -o all.samples --op 5 --fetch 3 --rand none --paired",
    ] {
        let output = finished(folder, made);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{made}: {}",
            text(&output.stderr)
        );
    }
    let mut seen = BTreeSet::new();
    let mut faults = Vec::new();
    for (schema, line) in REPORTS.into_iter().chain(OF_THE_HOST) {
        let validator = published(folder, schema);
        seen.insert(schema);
        let all = if line.contains("SOURCE") {
            &programs[..]
        } else {
            &programs[..1]
        };
        for (program, _) in all {
            let line = format!("{} --format json", line.replace("SOURCE", program));
            let output = finished(folder, &line);
            match serde_json::from_slice(&output.stdout) {
                Ok(mut report) => {
                    let errors = validator.iter_errors(&report);
                    faults.extend(errors.map(|why| format!("{line}: {}: {why:.200}", why.instance_path())));
                    // A list has no fields itself, but its objects have. There may be no findings.
                    let object = match &mut report {
                        Value::Array(all) if all.is_empty() && schema == "check" => continue,
                        Value::Array(all) => all.first_mut().unwrap_or_else(|| panic!("{line}: an empty list")),
                        other => other,
                    };
                    let fields = object.as_object_mut().expect("an object");
                    fields.insert("unknown".to_owned(), Value::Null);
                    assert!(!validator.is_valid(&report), "{line}: another field is not noticed");
                }
                Err(why) => faults.push(format!("{line}: {why}: {}", text(&output.stderr))),
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let listed = printed(folder, "schema --help");
    let listed = listed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- ")?.split_once(':'));
    assert_eq!(
        seen,
        listed.map(|(name, _)| name).collect(),
        "every schema is compared with a report"
    );
}
