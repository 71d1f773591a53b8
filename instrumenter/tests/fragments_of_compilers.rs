//! Functions that a compiler has written, run as fragments: what is given to them, and what they need besides.

use crate::started::{finished, text};
use serde_json::Value;

/// The JSON report on a text in the file `a.s`, or the messages.
#[track_caller]
fn report(source: &str, options: &str) -> Value {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.s"), source).expect("a file is written");
    let output = finished(folder.path(), &format!("{options} --format json a.s"));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no report: {}", text(&output.stderr)))
}

fn eax(report: &Value) -> u64 {
    report["registers"]["eax"][1].as_u64().expect("a register")
}

/// `for (i = 0; i < 50; i++) { for (j = 0; j < 8; j++) s += a ^ j; s += i; }`, as GCC writes it with -O1: it leaves the
/// outer loop in the middle.
const NESTED: &str = "\
	.text
	.globl	f
	.type	f, @function
f:
	pushl	%esi
	pushl	%ebx
	movl	12(%esp), %ebx
	movl	$0, %edx
	movl	$0, %esi
	jmp	.L2
.L7:
	addl	%esi, %edx
	incl	%esi
	cmpl	$50, %esi
	je	.L1
.L2:
	movl	$0, %eax
.L3:
	movl	%ebx, %ecx
	xorl	%eax, %ecx
	addl	%ecx, %edx
	incl	%eax
	cmpl	$8, %eax
	jne	.L3
	jmp	.L7
.L1:
	movl	%edx, %eax
	popl	%ebx
	popl	%esi
	ret
";

#[test]
fn a_loop_that_is_left_in_the_middle_after_its_own_number_of_rounds_ends_by_itself() {
    let report = report(NESTED, "--set [esp+4]=5");
    let expected: u64 = (0..50).map(|i| i + (0..8).map(|j| 5 ^ j).sum::<u64>()).sum();
    assert_eq!(eax(&report), expected);
    assert_eq!(report["stop"]["reason"], "return");
}

#[test]
fn a_long_function_has_the_arguments_that_are_given() {
    let additions = "\taddl\t$1, %eax\n".repeat(600);
    let source = format!("\t.text\n\t.globl\tf\nf:\n\tmovl\t4(%esp), %eax\n{additions}\tret\n");
    assert_eq!(eax(&report(&source, "--set [esp+4]=1000")), 1600);
}

#[test]
fn a_register_that_addresses_memory_is_an_address_even_if_a_part_of_it_divides() {
    let report = report(
        "\t.text\nf:\n\tmovb\t(%edx), %dl\n\tmovsbl\t%dl, %ecx\n\tdivl\t%ecx\n\tret\n",
        "",
    );
    // The rest of the address is the upper half of what is divided.
    let message = report["stop"]["message"].as_str().unwrap_or_default();
    assert!(
        message.starts_with("#DE: the quotient of EDX:EAX"),
        "{}",
        report["stop"]
    );
}

/// What GCC writes with -fpie for `s = table[a & 3]; return limit ? s / limit : s`.
const INDEPENDENT: &str = "\
	.text
	.globl	f
	.type	f, @function
f:
	pushl	%esi
	call	__x86.get_pc_thunk.si
	addl	$_GLOBAL_OFFSET_TABLE_, %esi
	movl	8(%esp), %edx
	andl	$3, %edx
	movl	table@GOTOFF(%esi,%edx,4), %eax
	movl	limit@GOTOFF(%esi), %ecx
	testl	%ecx, %ecx
	je	.L4
	movl	%eax, %edx
	sarl	$31, %edx
	idivl	%ecx
.L4:
	popl	%esi
	ret
	.data
	.align 4
table:	.long	7, 70, 700, 7000
limit:	.long	7
";

#[test]
fn position_independent_code_has_its_own_data_and_nothing_is_assumed_of_it() {
    let report = report(INDEPENDENT, "--set [esp+4]=2");
    assert_eq!(eax(&report), 100);
    let assumed = report["fragment"].to_string();
    assert!(!assumed.contains("esi"), "{assumed}");
}

/// What adds one number of each of two slices; the pointers are loaded in the order of these lines.
fn two_pointers(loads: [&str; 2]) -> String {
    format!(
        "\t.text\n\t.globl\tf\nf:\n{}{}\taddl\t(%eax), %edx\n\taddl\t(%ecx), %edx\n\tret\n",
        loads[0], loads[1]
    )
}

#[test]
fn scratch_memory_is_where_it_is_whichever_pointer_the_code_uses_first() {
    let loads = ["\tmovl\t4(%esp), %eax\n", "\tmovl\t8(%esp), %ecx\n"];
    let of = |loads| report(&two_pointers(loads), "")["registers"].clone();
    let registers = of(loads);
    assert!(
        registers["eax"][1].as_u64() < registers["ecx"][1].as_u64(),
        "{registers}"
    );
    assert_eq!(registers, of([loads[1], loads[0]]));
}

#[test]
fn advice_finds_a_legal_order_of_code_that_loads_its_pointers() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    // The second load can go first, and each addition then has its address in time.
    let source = "\t.text\n\t.globl\tf\nf:\n\tmovl\t4(%esp), %eax\n\tmovl\t(%eax), %edx\n\tmovl\t8(%esp), \
                  %ecx\n\taddl\t(%ecx), %edx\n\tret\n";
    std::fs::write(folder.path().join("a.s"), source).expect("a file is written");
    let output = finished(folder.path(), "advise a.s");
    let told = text(&output.stdout).to_string();
    assert!(!told.contains("changes the final state"), "{told}");
    assert!(told.contains("instead of"), "{told}");
}

/// What GCC writes for `while (n--) s += *p++`.
const COUNTED: &str = "\t.text\n\t.globl\tf\n\t.type\tf, @function\nf:\n\tmovl\t4(%esp), %edx\n\tmovl\t8(%esp), \
                       %ecx\n\txorl\t%eax, %eax\n\ttestl\t%ecx, %ecx\n\tje\t.L1\n.L2:\n\taddl\t(%edx), \
                       %eax\n\taddl\t$4, %edx\n\tdecl\t%ecx\n\tjne\t.L2\n.L1:\n\tret\n";

#[test]
fn a_loop_that_a_length_of_0_leaves_out_is_told() {
    let notes = |options| {
        let report = report(COUNTED, options);
        report["notes"].to_string()
    };
    let words = "no loop was executed to the end of its first round";
    assert!(notes("--set [esp+8]=0").contains(words));
    assert!(!notes("").contains(words));
}

#[test]
fn a_text_of_rustc_without_functions_says_how_to_keep_them() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = "\t.file\t\"opt.c15eadc337d18563-cgu.0\"\n\t.ident\t\"rustc version 1.95.0\"\n";
    std::fs::write(folder.path().join("a.s"), source).expect("a file is written");
    let told = text(&finished(folder.path(), "a.s").stderr).to_string();
    assert!(told.contains("error: rustc left all functions out"), "{told}");
    assert!(told.contains("`#[unsafe(no_mangle)]`"), "{told}");
}

/// `for (i = 0; i < n; i++) s += a[i] * b[i];`, as GCC writes it without optimisation: all is in memory.
const IN_MEMORY: &str = "\
	.text
	.globl	dot
	.type	dot, @function
dot:
	pushl	%ebp
	movl	%esp, %ebp
	subl	$16, %esp
	movl	$0, -4(%ebp)
	movl	$0, -8(%ebp)
	jmp	.L2
.L3:
	movl	-8(%ebp), %eax
	leal	0(,%eax,4), %edx
	movl	8(%ebp), %eax
	addl	%edx, %eax
	movl	(%eax), %edx
	movl	-8(%ebp), %eax
	leal	0(,%eax,4), %ecx
	movl	12(%ebp), %eax
	addl	%ecx, %eax
	movl	(%eax), %eax
	imull	%edx, %eax
	addl	%eax, -4(%ebp)
	incl	-8(%ebp)
.L2:
	movl	-8(%ebp), %eax
	cmpl	16(%ebp), %eax
	jl	.L3
	movl	-4(%ebp), %eax
	movl	%ebp, %esp
	popl	%ebp
	ret
";

/// The same with the index and the sum in registers.
const IN_REGISTERS: &str = "\
	.text
	.globl	dot
	.type	dot, @function
dot:
	pushl	%edi
	pushl	%esi
	pushl	%ebx
	movl	24(%esp), %ebx
	movl	16(%esp), %esi
	movl	20(%esp), %edi
	xorl	%eax, %eax
	xorl	%ecx, %ecx
.L3:
	movl	(%esi,%eax,4), %edx
	imull	(%edi,%eax,4), %edx
	incl	%eax
	addl	%edx, %ecx
	cmpl	%eax, %ebx
	jne	.L3
	popl	%ebx
	movl	%ecx, %eax
	popl	%esi
	popl	%edi
	ret
";

/// The index is loaded, counted and stored, and the comparison is at the beginning of the loop.
const LOADED_AND_STORED: &str = "
        push ebp
        mov ebp,esp
        sub esp,8
        mov dword ptr [ebp-8],0
        mov dword ptr [ebp-4],0
        jmp test1
next:   mov eax,[ebp-8]
        add eax,1
        mov [ebp-8],eax
test1:  mov ecx,[ebp-8]
        cmp ecx,[ebp+12]
        jge done
        mov edx,[ebp-8]
        mov eax,[ebp+8]
        mov ecx,[eax+edx*4]
        add [ebp-4],ecx
        jmp next
done:   mov eax,[ebp-4]
        mov esp,ebp
        pop ebp
        ret
";

fn assumed(report: &Value) -> Vec<(String, i64)> {
    let all = report["fragment"]["assumed"].as_array().expect("assumptions");
    let known = all
        .iter()
        .filter_map(|one| Some((one["of"].as_str()?.to_owned(), one["value"].as_i64()?)));
    known.collect()
}

#[test]
fn an_index_in_memory_reaches_as_far_as_one_in_a_register() {
    let [memory, registers] = [IN_MEMORY, IN_REGISTERS].map(|source| report(source, "--set [esp+12]=100"));
    assert_eq!(memory["stop"]["reason"], "return");
    assert_eq!(assumed(&memory), assumed(&registers));
    assert_eq!(eax(&memory), eax(&registers));
    // All that the loop reads holds numbers that are not 0.
    let element = 0x0101_0101u32;
    let sum = element.wrapping_mul(element).wrapping_mul(100);
    assert_eq!(eax(&memory), u64::from(sum));
}

#[test]
fn a_loop_whose_count_is_assumed_ends_by_itself() {
    let [memory, registers] = [IN_MEMORY, IN_REGISTERS].map(|source| report(source, ""));
    assert_eq!(memory["stop"]["reason"], "return");
    assert_eq!(assumed(&memory), assumed(&registers));
    assert_eq!(eax(&memory), eax(&registers));
    let stored = report(LOADED_AND_STORED, "");
    assert_eq!(stored["stop"]["reason"], "return");
    let count = assumed(&stored).into_iter().find(|one| one.0 == "[esp+8]");
    let count = count.expect("a count").1 as u32;
    assert!(count >= 100, "{count}");
    assert_eq!(eax(&stored), u64::from(0x0101_0101u32.wrapping_mul(count)));
}
