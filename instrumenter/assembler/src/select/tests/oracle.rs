//! Forms on which assemblers agree, compared with NASM if it is installed.

use super::*;
use std::process::Command;

/// Forms that MASM and NASM encode differently, or that NASM spells differently.
fn differs(text: &str, operands: &[Operand]) -> bool {
    let two_registers = matches!(operands, [Operand::Register(_), Operand::Register(_), ..]);
    let first = text.split(' ').next().unwrap_or(text).to_ascii_lowercase();
    let alu = ["mov", "add", "or", "adc", "sbb", "and", "sub", "xor", "cmp", "test"];
    // The assemblers choose different directions between registers.
    if two_registers && alu.contains(&first.as_str()) {
        return true;
    }
    // No operands, string operands, addresses that NASM rewrites, and names that it does not know.
    let other = [
        "fadd", "fmul", "fsub", "fsubr", "fdiv", "fdivr", "movs", "lods", "cmps", "scas", "ins", "outs", "xlat", "sal",
        "pushw", "popw", "pushd", "fldenvw", "iret", "arpl", "lar", "lsl", "ltr", "lmsw", "str", "fnop", "fsave",
        "fstenv",
    ];
    other.contains(&first.as_str())
        || text.contains("volatile")
        || text.contains("*2]")
        || text.contains("int 3")
        || text.contains("word ptr 5")
        || text.contains("fword")
        || text.contains("far")
        || text.contains("[eax+esp]")
        || text.contains("ds:[ebx]")
        || text.contains("ss:[ebp]")
        || text.contains("loopw")
        || text.contains("tr6")
        // The default size of a push or call, and an address with an optional size.
        || ["push [ebx]", "call [ebx]", "invlpg byte ptr [ebx]"].contains(&text)
}

#[test]
fn nasm_writes_the_same_where_assemblers_agree() {
    let cases: Vec<&str> = CLASSIC
        .iter()
        .map(|&(text, _)| text)
        .filter(|text| !differs(text, &parse(text).2))
        .collect();
    let directory = tempfile::tempdir().expect("a directory for NASM's files");
    let source = directory.path().join("forms.asm");
    let listing = directory.path().join("forms.bin");
    let mut text = String::from("bits 32\norg 1000h\n");
    // The forms are at multiples of 16 from 1000h on; branches give their distance from there.
    for case in &cases {
        let line = case
            .replace(" ptr ", " ")
            .replace("st,st", "st0,st")
            .replace("tbyte", "tword");
        let line = line.replace("st(", "st").replace(')', "");
        let line = if line == "fld st" { "fld st0".to_owned() } else { line };
        let line = match line.strip_suffix(",st") {
            Some(start) => format!("{start},st0"),
            None => line,
        };
        let line = if let Some(at) = line.find("to ") {
            format!("{}$+({}-1000h)", &line[..at], &line[at + 3..])
        } else {
            line
        };
        text.push_str(&nasm_addresses(&line));
        text.push_str("\ntimes 16-(($-$$)&15) nop\n");
    }
    std::fs::write(&source, text).expect("NASM's source");
    let run = Command::new("nasm")
        .arg("-f")
        .arg("bin")
        .arg("-o")
        .arg(&listing)
        .arg(&source)
        .output();
    let Ok(run) = run else {
        eprintln!("SKIPPED: nasm is not installed, {} forms not compared", cases.len());
        return;
    };
    let lines = std::fs::read_to_string(&source).expect("NASM's source");
    let numbered: Vec<String> = lines
        .lines()
        .enumerate()
        .map(|(at, line)| format!("{} {line}", at + 1))
        .collect();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{complaints}\n{}", numbered.join("\n"));
    let bytes = std::fs::read(&listing).expect("NASM's output");
    let mut wrong = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let mut theirs = <[u8; 16]>::try_from(&bytes[index * 16..index * 16 + 16]).expect("16 bytes");
        order_prefixes(&mut theirs, Prefixes::NONE);
        let (mnemonic, prefixes, operands) = parse(case);
        let encoded = encode(&mnemonic, prefixes, &operands, wide(0x1000)).expect(case);
        let ours = encoded.as_slice();
        if !theirs.starts_with(ours) || theirs[ours.len()..].iter().any(|&byte| byte != 0x90) {
            wrong.push(format!("{case}: {ours:02X?}, NASM {theirs:02X?}"));
        }
    }
    eprintln!("{} forms compared with NASM", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() > 150, "only {} forms were compared", cases.len());
}

/// `es:[edi]` as NASM writes it, `[es:edi]`.
fn nasm_addresses(line: &str) -> String {
    match line.find(":[") {
        Some(at) if at >= 2 => format!("{}[{}:{}", &line[..at - 2], &line[at - 2..at], &line[at + 2..]),
        _ => line.to_owned(),
    }
}
