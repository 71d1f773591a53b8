//! What a program does to the direction flag and to segments decides whether its string instructions are replaced.

use super::json;
use std::fs;

const STRINGS: &str = include_str!("strings.asm");

/// The replacements in the advice for a program, each as `before -> after`.
fn replaced(text: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("a.asm"), text).expect("a file is written");
    let report = json(folder.path(), "advise a.asm --format json");
    let suggestions = report["suggestions"].as_array().expect("suggestions").iter();
    let replaced = suggestions.flat_map(|one| one["replaced"].as_array().expect("instructions"));
    let text = |value: &serde_json::Value| value.as_str().expect("an instruction").to_owned();
    replaced
        .map(|one| format!("{} -> {}", text(&one["before"]), text(&one["after"])))
        .collect()
}

#[test]
fn string_instructions_stay_where_the_direction_may_be_set() {
    let of_strings = |text: &str| {
        let mut found = replaced(text);
        found.retain(|one| one.starts_with("lods") || one.starts_with("stos"));
        found.sort();
        found
    };
    assert_eq!(
        of_strings(STRINGS),
        ["lodsb -> mov al,[esi] / inc esi", "stosb -> mov [edi],al / inc edi"]
    );
    for setter in ["std\n cld", "pushfd\n popfd"] {
        let text = STRINGS.replace("start:", &format!("start: {setter}\n"));
        assert_eq!(of_strings(&text), [""; 0], "{setter}");
    }
    // ES may be another segment than DS.
    let text = STRINGS.replace("start:", "start: push ds\n pop es\n");
    assert_eq!(of_strings(&text), ["stosb -> mov es:[edi],al / inc edi"]);
    // The next instruction reads the flags of the addition.
    let text = STRINGS.replace("stosb", "stosb\n adc bl,0\n");
    let carried = of_strings(&text);
    assert!(
        carried.contains(&"stosb -> mov [edi],al / inc edi".to_owned()),
        "{carried:?}"
    );
    let text = STRINGS.replace("stosb", "stosb\n setz bl\n");
    let read = of_strings(&text);
    assert!(
        read.contains(&"stosb -> mov [edi],al / lea edi,[edi+1]".to_owned()),
        "{read:?}"
    );
}
