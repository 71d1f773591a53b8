//! Random damage to files, for tests of what reads them.

use fastrand::Rng;
use std::ops::Range;

/// Changes some bytes of a file, or its length.
pub fn bytes(random: &mut Rng, bytes: &mut Vec<u8>) {
    let head = 0..bytes.len().min(0x100);
    within(random, bytes, &[head]);
}

/// Changes some bytes of a file, or its length. `places` are those of sizes, offsets and counts, which are changed more
/// often than others; those that the file lacks are left out.
pub fn within(random: &mut Rng, bytes: &mut Vec<u8>, places: &[Range<usize>]) {
    for _ in 0..random.usize(1..6) {
        if bytes.is_empty() {
            return;
        }
        let at = random.usize(..bytes.len());
        match random.u8(..10) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] ^= 1 << random.u8(..8),
            3 => {
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(0xFF);
            }
            4 => {
                let from = random.usize(..bytes.len());
                let length = random.usize(1..64).min(bytes.len() - at.max(from));
                let part = bytes[from..from + length].to_vec();
                bytes[at..at + length].copy_from_slice(&part);
            }
            5 => {
                let length = random.usize(1..32).min(bytes.len() - at);
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part);
            }
            _ => {
                let there = places.iter().filter(|place| place.start < place.end.min(bytes.len()));
                let there: Vec<&Range<usize>> = there.collect();
                let Some(place) = random.choice(there) else {
                    continue;
                };
                let at = random.usize(place.start..place.end.min(bytes.len()));
                let value = [0, 1, 0x7F, 0xFF, 0x80][random.usize(..5)];
                let end = (at + random.usize(1..5)).min(bytes.len());
                match random.bool() {
                    true => bytes[at..end].fill(value),
                    false => bytes[at] = bytes[at].wrapping_add([1, 2, 0xFF, 0x10][random.usize(..4)]),
                }
            }
        }
    }
}

/// Changes values of a JSON text, so that most results are still JSON.
pub fn json(random: &mut Rng, text: &mut String) {
    const VALUES: &[&str] = &[
        "0",
        "1",
        "-1",
        "0.5",
        "1e308",
        "1e999",
        "255",
        "65536",
        "4294967295",
        "4294967296",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "null",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"cycles\"",
        "\"\\u202e\\u0000\\n\"",
        "\"\\ud83d\\ude00\"",
    ];
    for _ in 0..random.usize(1..5) {
        let values = values(text);
        let Some(value) = random.choice(&values).cloned() else {
            return;
        };
        match random.u8(..8) {
            0 => {
                let other = random
                    .choice(&values)
                    .map_or_else(String::new, |other| text[other.clone()].to_owned());
                text.replace_range(value, &other);
            }
            1 => text.replace_range(
                value,
                &format!("\"{}\"", "word ".repeat([1, 50, 5_000][random.usize(..3)])),
            ),
            2 => {
                // An element of a list more, or a key without its value.
                let again = text[value.clone()].to_owned();
                text.insert_str(value.end, &format!(",{again}"));
            }
            _ => text.replace_range(value, VALUES[random.usize(..VALUES.len())]),
        }
    }
}

/// The places of the numbers, literals and strings of a JSON text, keys among them.
fn values(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(bytes.len());
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || b"+-.".contains(&bytes[at])) {
                    at += 1;
                }
            }
            _ => {
                at += 1;
                continue;
            }
        }
        if text.is_char_boundary(start) && text.is_char_boundary(at) {
            found.push(start..at);
        }
    }
    found
}
