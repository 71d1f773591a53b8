//! Line tables whose files share the bytes of their names, which are many times the file.

use super::{SECONDS, within};
use serde_json::Value;

/// The address of the code, and its place in the file.
const BASE: u32 = 0x0804_8000;
const CODE: usize = 0x1000;

/// A number in LEB128.
fn leb(mut number: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The length of the text of which all names are ends, and of that for all folders.
const LONG: u32 = 4096;

/// A line table of version 5 with this many files, each of one byte of code.
fn line_table(files: u32) -> Vec<u8> {
    let mut header = vec![1, 1, 1, 0xFB, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
    header.extend([1, 1, 0x1F, 5]);
    // The folder of the compilation is the longest.
    for length in [LONG, 100, 200, 300, 400] {
        header.extend((2 * LONG + 1 - length).to_le_bytes());
    }
    header.extend([2, 1, 0x1F, 2, 0x0B]);
    header.extend(leb(files));
    for file in 0..files {
        header.extend((LONG - 50 - file % 4000).to_le_bytes());
        header.push((1 + file / 4000 % 4) as u8);
    }
    let mut rows = vec![0, 5, 2];
    rows.extend((BASE + CODE as u32).to_le_bytes());
    for file in 0..files {
        rows.push(4);
        rows.extend(leb(file));
        rows.extend([1, 2, 1]);
    }
    rows.extend([2, 9, 0, 1, 1]);
    let mut unit = vec![5, 0, 4, 0];
    unit.extend((header.len() as u32).to_le_bytes());
    unit.extend(header);
    unit.extend(rows);
    let mut table = (unit.len() as u32).to_le_bytes().to_vec();
    table.extend(unit);
    table
}

/// A program of this many NOPs, each of a source file of its own.
fn program(files: u32) -> Vec<u8> {
    let mut code = vec![0x90; files as usize];
    code.extend(b"\xB8\x01\0\0\0\x31\xDB\xCD\x80");
    let names = [b'n', b'd'].map(|letter| [vec![letter; LONG as usize], vec![0]].concat());
    let titles = b"\0.text\0.debug_line\0.debug_line_str\0.shstrtab\0".to_vec();
    let contents = [code, line_table(files), names.concat(), titles];
    let mut file = vec![0; CODE];
    // The names' places in the titles, the kinds, the flags, the addresses.
    let mut headers = vec![[0; 10]];
    for ((title, kind), bytes) in [(1, 1), (7, 1), (19, 1), (35, 3)].into_iter().zip(&contents) {
        let [flags, address] = if title == 1 { [6, BASE + CODE as u32] } else { [0; 2] };
        headers.push([
            title,
            kind,
            flags,
            address,
            file.len() as u32,
            bytes.len() as u32,
            0,
            0,
            1,
            0,
        ]);
        file.extend(bytes);
    }
    file.resize(file.len().next_multiple_of(4), 0);
    let sections = file.len() as u32;
    file.extend(headers.iter().flatten().flat_map(|word| word.to_le_bytes()));
    let mut head = b"\x7FELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0".to_vec();
    let words = [BASE + CODE as u32, 52, sections, 0];
    head.extend(words.iter().flat_map(|word: &u32| word.to_le_bytes()));
    let halves: [u16; 6] = [52, 32, 1, 40, 5, 4];
    head.extend(halves.iter().flat_map(|half| half.to_le_bytes()));
    let end = CODE as u32 + contents[0].len() as u32;
    head.extend(
        [1, 0, BASE, BASE, end, end, 5, 0x1000]
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes()),
    );
    file[..head.len()].copy_from_slice(&head);
    file
}

#[test]
fn names_that_share_their_bytes_take_little_memory() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for files in [9, 16_000] {
        std::fs::write(folder.path().join("names.elf"), program(files)).expect("a file");
        // A quarter of a gigabyte.
        let arguments = ["--format", "json", "--runs", "1", "names.elf"];
        let output = within(SECONDS, 1 << 18, &arguments, b"", folder.path());
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let size = output.stdout.len();
        assert!(size < 16 << 20, "{size}");
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let named = report["lines"].as_array().expect("lines").iter();
        let named = named
            .filter(|line| line["file"].as_str().is_some_and(|name| name.len() > 10))
            .count();
        assert!((9..4000).contains(&named), "{named} of {files}");
    }
}
