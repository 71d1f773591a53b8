//! Fragments whose instructions address memory by registers that they do not name, names of ends that are only compared
//! with, and what memory without a definition holds.

use crate::started;
use serde_json::Value;
use started::finished;
use std::fs;

fn report(source: &str, options: &str) -> Value {
    let folder = tempfile::tempdir().expect("a temporary directory");
    fs::write(folder.path().join("lines.asm"), source).expect("a file is written");
    let output = finished(folder.path(), &format!("lines.asm --format json {options}"));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn words(report: &Value) -> &str {
    report["fragment"]["words"].as_str().unwrap_or_default()
}

fn ended(report: &Value) -> bool {
    let reason = report["stop"]["reason"].as_str().unwrap_or_default();
    ["end", "return", "rounds"].contains(&reason)
}

#[test]
fn implicit_pointers_have_scratch_memory() {
    for (source, expected) in [
        ("L: xlat\nstosb\ndec ecx\njnz L\n", "ebx -> scratch memory of 256 bytes"),
        (
            "L: mov al,[esi]\nxlat\nmov [edi],al\ninc esi\ninc edi\ndec ecx\njnz L\n",
            "ebx -> scratch memory of 256",
        ),
        ("leave\nret\n", "ebp = esp-4"),
        ("mov esp,ebp\npop ebp\nret\n", "ebp = esp-4"),
        (
            "L: bts [edi],eax\nadd eax,9\ndec ecx\njnz L\n",
            "edi -> scratch memory of 8,192",
        ),
        ("L: pop eax\nadd ebx,eax\nloop L\n", "ecx = 50"),
        ("les edi,[ebx]\nmov eax,es:[edi]\n", "ebx -> scratch memory"),
        ("lds esi,[ebx]\nlodsd\n", "ebx -> scratch memory"),
        ("fnsave [esi]\nfrstor [esi]\n", "esi -> scratch memory of 128 bytes"),
        ("fnstenv [edi]\nfldenv [edi]\n", "edi -> scratch memory"),
        ("cmpxchg8b [esi]\n", "esi -> scratch memory"),
        ("L: scasb\nloopne L\n", "edi -> scratch memory of 1,024 bytes"),
        ("rep outsb\n", "esi -> scratch memory of 1,024 bytes"),
        ("rep insb\n", "edi -> scratch memory of 1,024 bytes"),
    ] {
        let report = report(source, "");
        assert!(words(&report).contains(expected), "{source}: {}", words(&report));
        assert!(ended(&report), "{source}: {}", report["stop"]);
    }
}

#[test]
fn a_name_that_is_only_compared_with_is_where_the_rounds_end() {
    for (source, expected, rounds) in [
        (
            "L: mov eax,[esi]\nadd ebx,eax\nadd esi,4\ncmp esi,offset table_end\njb L\n",
            "esi -> scratch memory of 4,096 bytes, offset table_end = esi+4,000, ebx = 0; `--set REG=VALUE` changes it",
            1000,
        ),
        (
            "mov edi,offset screen\nL: mov [edi],al\ninc edi\ncmp edi,offset end_of_screen\njne L\n",
            "offset end_of_screen = offset screen+1,000, eax = 0; screen: 4,096 bytes of data",
            1000,
        ),
        (
            "lea esi,table\nlea ebx,table_end\nL: lodsd\nadd edx,eax\ncmp esi,ebx\njne L\n",
            "offset table_end = offset table+4,000, edx = 0; table: 4,096 bytes of data",
            1000,
        ),
        (
            "L: mov eax,[esi]\nsub esi,8\ncmp esi,offset table\njne L\n",
            "offset table = esi-4,000",
            500,
        ),
        (
            "mov esi,offset table+4\nL: add eax,[esi]\nadd esi,12\ncmp esi,offset last+12\njne L\n",
            "offset last = offset table+2,992",
            250,
        ),
    ] {
        let report = report(source, "");
        assert!(words(&report).contains(expected), "{source}: {}", words(&report));
        let lines = report["lines"].as_array().expect("lines");
        let most = lines.iter().filter_map(|line| line["times"].as_u64()).max();
        assert_eq!(
            (ended(&report), most),
            (true, Some(rounds)),
            "{source}: {}",
            report["stop"]
        );
    }
    // Its memory is used: it is data like others.
    let used = report(
        "mov esi,offset a\nL: lodsb\nadd al,b\ncmp esi,offset b\njne L\n",
        "--limit 10_000",
    );
    assert!(words(&used).contains("b: "), "{used}");
}

#[test]
fn memory_of_names_holds_what_that_of_pointers_holds() {
    let bytes = report("mov eax,[table+ebx*4]\n", "");
    assert_eq!(bytes["registers"]["eax"][1], 0x0101_0101);
    let dwords = report("L: mov eax,[next+eax*4]\ndec ecx\njnz L\n", "");
    assert_eq!((ended(&dwords), &dwords["registers"]["eax"][1]), (true, &1.into()));
    for reals in [
        "fld x\nfdiv y\nfist z\nmov eax,z\n",
        "fld a[ebx*4]\nfdiv b[ebx*4]\nfist z\nmov eax,z\n",
    ] {
        let reals = report(reals, "");
        assert_eq!(reals["registers"]["eax"][1], 1, "{reals}");
    }
    // A variable of integers is 0, as at the beginning of most programs.
    let count = report("mov eax,count\n", "");
    assert_eq!(count["registers"]["eax"][1], 0);
    let text = report("L: mov al,[text+esi]\ninc esi\ncmp esi,200\njb L\n", "");
    let symbols = text["symbols"].as_array().expect("symbols");
    assert!(symbols.iter().all(|one| one["changed"].is_null()), "{symbols:?}");
}

#[test]
fn a_fault_beyond_scratch_memory_names_its_pointer() {
    let lines = "L: mov eax,[esi]\nadd esi,100\ndec ecx\njnz L\n";
    let beyond = report(lines, "--set ecx=5000");
    let said = beyond["stop"]["message"].as_str().expect("a fault");
    let expected = "; esi began in scratch memory of 65,536 bytes, and this is outside of it: define as many bytes as \
                    the code needs, `data db COUNT dup (1)`, and run with `--set esi=data`";
    assert!(said.ends_with(expected), "{said}");
    let defined = report(&format!("data db 500100 dup (1)\n{lines}"), "--set ecx=5000,esi=data");
    assert!(ended(&defined), "{}", defined["stop"]);
}
