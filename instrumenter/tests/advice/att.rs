//! Advice for what GCC writes in AT&T syntax: the same as for the same program in Intel's syntax, written as GNU's
//! assembler reads it.

use super::{clocks_by_run, json};
use crate::started::printed;
use std::fs;
use std::path::Path;

/// A loop that compilers write for processors with other costs, in both syntaxes.
const ATT: &str = "\
	.text
	.globl	hash
hash:
	movl	$table, %ebx
	movl	$60, %edx
	xorl	%eax, %eax
.L3:
	imull	$33, %eax, %eax
	movzbl	(%ebx), %ecx	# a byte
	addl	%ecx, %eax
	addl	$3, count(,%edx,4)
	cmpl	$0, %eax
	incl	%ebx
	subl	$1, %edx
	jne	.L3
	xorl	%ecx, %ecx
	ret
	.data
table:	.zero	64
count:	.zero	256
";
const INTEL: &str = "\
	.intel_syntax noprefix
	.text
	.globl	hash
hash:
	mov	ebx, OFFSET table
	mov	edx, 60
	xor	eax, eax
.L3:
	imul	eax, eax, 33
	movzx	ecx, BYTE PTR [ebx]	# a byte
	add	eax, ecx
	add	DWORD PTR count[0+edx*4], 3
	cmp	eax, 0
	inc	ebx
	sub	edx, 1
	jne	.L3
	xor	ecx, ecx
	ret
	.data
table:	.zero	64
count:	.zero	256
";

#[test]
fn att_syntax_gets_the_advice_of_intels() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path();
    fs::write(path.join("att.s"), ATT).expect("a file is written");
    fs::write(path.join("intel.s"), INTEL).expect("a file is written");
    let [att, intel] = ["att.s", "intel.s"].map(|name| json(path, &format!("advise {name} --format json")));
    for field in ["clocks_before", "clocks_after"] {
        assert_eq!(att[field], intel[field], "{field}");
    }
    let saved = |report: &serde_json::Value| {
        let suggestions = report["suggestions"].as_array().expect("suggestions").iter();
        suggestions.map(|one| one["saved"].as_u64()).collect::<Vec<_>>()
    };
    assert_eq!(saved(&att), saved(&intel));
    assert!(att["clocks_after"].as_u64() < att["clocks_before"].as_u64());
    insta::assert_snapshot!("att", printed(path, "advise att.s"));
}

#[test]
fn what_is_written_in_att_syntax_saves_what_was_promised() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path: &Path = folder.path();
    fs::write(path.join("att.s"), ATT).expect("a file is written");
    let fixed = json(path, "advise --write att.s --format json");
    assert_eq!(fixed["written"], "att.s");
    let clocks = clocks_by_run(path, "att.s");
    let compared = fixed["runs"].as_u64().expect("runs") as usize;
    assert_eq!(fixed["clocks_after"], clocks[compared - 1]);
    let text = fs::read_to_string(path.join("att.s")).expect("a program");
    // Comments begin as GNU's assembler has them.
    assert!(text.contains("# a byte") && !text.contains(';'), "{text}");
}

#[test]
fn a_repeat_is_left_alone_and_named_as_its_source_does() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path: &Path = folder.path();
    let repeated = ATT.replace("\taddl\t%ecx, %eax\n", "\t.rept 2\n\taddl\t%ecx, %eax\n\t.endr\n");
    fs::write(path.join("a.s"), repeated).expect("a file is written");
    let told = printed(path, "advise a.s")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    assert!(told.contains("write them in place of `.rept` in line 10"), "{told}");
}
