//! Callers in flame graphs: each clock stands under the calls in which it was spent.

use crate::started;
use serde_json::Value;
use started::printed;
use std::fs;
use std::path::Path;

/// The stacks of a program with the clocks of each, by line and cause.
struct Stacks(String);

impl Stacks {
    fn of(folder: &Path, source: &str) -> Stacks {
        fs::write(folder.join("a.asm"), source).expect("a file is written");
        let stacks = Stacks(printed(folder, "a.asm --runs 2 --format collapsed"));
        let report: Value = serde_json::from_str(&printed(folder, "a.asm --runs 2 --format json")).expect("JSON");
        assert_eq!(report["own"]["totals"]["cycles"], stacks.clocks(""), "{}", stacks.0);
        stacks
    }

    /// The clocks of all stacks that begin so.
    fn clocks(&self, begin: &str) -> u64 {
        let lines = self.0.lines().filter(|line| line.starts_with(begin));
        let clocks = lines.map(|line| line.rsplit_once(' ').expect("clocks").1.parse::<u64>());
        clocks.map(|clocks| clocks.expect("a number")).sum()
    }

    /// The lines that stand below these functions, without those in functions called from there.
    fn lines_below(&self, begin: &str) -> Vec<&str> {
        let mut lines: Vec<&str> = (self.0.lines())
            .filter_map(|line| line.strip_prefix(begin)?.strip_prefix(";a.asm:")?.split(';').next())
            .collect();
        lines.dedup();
        lines
    }
}

fn stacks(source: &str) -> Stacks {
    let folder = tempfile::tempdir().expect("a temporary directory");
    Stacks::of(folder.path(), source)
}

#[test]
fn a_shared_function_keeps_its_lines_and_causes_under_each_caller() {
    let stacks = stacks(
        ".586\n.model flat\n.code\nstart: call f\ncall g\nret\nf: call h\nret\ng: call h\ncall h\nret\n\
         h: mov ecx,100\nagain: dec ecx\njnz again\nret\nend start\n",
    );
    // The loop is executed once for `f` and twice for `g`.
    for (cause, times) in [("issue", 100), ("execution", 0)] {
        for (caller, calls) in [("f", 1), ("g", 2)] {
            let clocks = stacks.clocks(&format!("a.asm;start;{caller};h;again;a.asm:13;{cause} "));
            assert_eq!(clocks, calls * times, "{}", stacks.0);
        }
    }
    assert!(stacks.0.contains("a.asm;start;f;a.asm:7;issue 1\n"), "{}", stacks.0);
}

#[test]
fn a_call_that_reads_its_own_address_calls_nothing() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".586\n.model flat\n.code\nstart: mov ecx,9\nagain: call next\nnext: pop ebx\nadd eax,ebx\n\
                  dec ecx\njnz again\ncall f\nret\nf: ret\nend start\n";
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let report: Value = serde_json::from_str(&printed(folder.path(), "a.asm --format json")).expect("JSON");
    let functions = report["functions"].as_array().expect("functions");
    let mut names: Vec<&str> = functions.iter().filter_map(|one| one["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["f", "start"]);
    let calls = printed(folder.path(), "a.asm --runs 1 --format callgrind");
    let called: Vec<&str> = calls.lines().filter(|line| line.starts_with("cfn=")).collect();
    assert!(called.len() == 1 && called[0].ends_with('f'), "{calls}");
}

#[test]
fn code_after_a_procedure_that_is_jumped_over_is_not_called_by_it() {
    let stacks = stacks(
        ".model tiny\n.code\norg 100h\nstart: jmp main\np: mov ax,1\nret\nmain: call p\nmov cx,50\nw: loop w\n\
         int 20h\nend start\n",
    );
    assert_eq!(stacks.lines_below("a.asm;start"), ["4"]);
    assert_eq!(stacks.lines_below("a.asm;start;p"), ["5", "6"]);
    assert_eq!(stacks.lines_below("a.asm;start;main"), ["7", "8"]);
    assert_eq!(stacks.lines_below("a.asm;start;w"), ["9", "10"]);
    assert_eq!(stacks.clocks("a.asm;start;p;main"), 0);
}

#[test]
fn a_function_keeps_its_clocks_when_it_jumps_to_another_one() {
    for [begin, end] in [["f:", ""], ["f proc", "f endp\n"]] {
        let stacks = stacks(&format!(
            ".586\n.model flat\n.code\nstart: call f\ncall g\nret\n{begin}\nmov eax,1\njmp g\n{end}g proc\nmov ecx,9\n\
             lp: dec ecx\njnz lp\nret\ng endp\nend start\n"
        ));
        assert_eq!(stacks.lines_below("a.asm;start;f"), ["8", "9"], "{}", stacks.0);
        let [after_f, alone] = ["start;f;g", "start;g"].map(|g| stacks.clocks(&format!("a.asm;{g};lp;")));
        assert!(after_f >= 9 && alone >= 9, "{}", stacks.0);
    }
}

#[test]
fn a_jump_back_to_the_first_function_ends_the_other_one() {
    let stacks = stacks(
        ".586\n.model flat\n.code\nstart: call f\nret\nf proc\nmov ecx,9\njmp g\nback: mov eax,1\nret\nf endp\n\
         g proc\ndec ecx\njmp back\ng endp\nend start\n",
    );
    assert_eq!(stacks.lines_below("a.asm;start;f;back"), ["9", "10"], "{}", stacks.0);
    assert_eq!(stacks.lines_below("a.asm;start;f;g"), ["13", "14"], "{}", stacks.0);
}

#[test]
fn a_return_or_a_jump_into_a_caller_ends_what_it_left() {
    // `f` returns to an address that its caller pushed before it jumped there.
    let returned = stacks(
        ".586\n.model flat\n.code\nstart: push offset back\njmp f\nback: mov ecx,9\nw: dec ecx\njnz w\nret\n\
         f proc\ninc eax\nret\nf endp\nend start\n",
    );
    assert_eq!(returned.lines_below("a.asm;start;f"), ["11", "12"], "{}", returned.0);
    // `g` drops the stacks of `f` and of itself, and jumps into `m`.
    let jumped = stacks(
        ".586\n.model flat\n.data\nsp0 dd 0\n.code\nm proc\nmov sp0,esp\ncall f\nret\nback:: mov ecx,9\nw: dec ecx\n\
         jnz w\nret\nm endp\nf proc\ncall g\nret\nf endp\ng proc\nmov esp,sp0\njmp back\ng endp\nstart: call m\n\
         ret\nend start\n",
    );
    assert_eq!(jumped.lines_below("a.asm;start;m;f;g"), ["20", "21"], "{}", jumped.0);
    assert!(jumped.clocks("a.asm;start;m;w;") >= 9, "{}", jumped.0);
}

#[test]
fn what_has_no_label_is_named_by_its_address() {
    // The call leads to the line after `ret`.
    let stacks = stacks(".586\n.model flat\n.code\nstart: call $+6\nret\nmov ecx,5\nret\nend start\n");
    assert_eq!(stacks.lines_below("a.asm;start"), ["4", "5"]);
    assert_eq!(stacks.clocks("a.asm;start;start"), 0);
    let called = stacks.clocks("a.asm;start;<memory> 401006h;a.asm:6;");
    assert!(called > 0, "{}", stacks.0);
}

#[test]
fn a_chain_that_is_too_long_says_what_is_left_out() {
    let mut source = ".586\n.model flat\n.code\nstart: call f0\nret\n".to_owned();
    for number in 0..300 {
        source += &format!("f{number}: call f{}\nret\n", number + 1);
    }
    source += "f300: mov eax,1\nret\nend start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    let stacks = Stacks::of(folder.path(), &source);
    let callers: Vec<String> = (0..255).map(|number| format!("f{number}")).collect();
    let told = format!("a.asm;start;{}", callers.join(";"));
    for number in [255, 299, 300] {
        let whole = stacks.clocks(&format!("{told};(deeper);f{number};a.asm:"));
        assert!(whole > 0, "f{number}: {}", stacks.0);
    }
    assert_eq!(stacks.clocks(&format!("{told};f")), 0, "f254 calls f255 only");
    let report = printed(folder.path(), "a.asm --format collapsed -o a.folded --format text -o -");
    assert!(report.contains("`(deeper)` for callers"), "{report}");
    let without = printed(folder.path(), "a.asm");
    assert!(!without.contains("(deeper)"), "{without}");
}

#[test]
fn frames_are_bounded_and_keep_all_clocks() {
    // Each line would have up to 255 names of 245 letters.
    let name = |number: usize| format!("f{number:0>244}");
    let mut source = format!(".586\n.model flat\n.code\nstart: call {}\nret\n", name(0));
    for number in 0..900 {
        source += &format!("{}: call {}\nret\n", name(number), name(number + 1));
    }
    source += &format!("{}: ret\nend start\n", name(900));
    let stacks = stacks(&source);
    assert!(stacks.0.len() < 65 << 20, "{}", stacks.0.len());
    assert!(stacks.clocks("a.asm;(beyond 64 MiB of frames);") > 0);
}

#[test]
fn a_region_before_the_first_instruction_leaves_the_start_its_name() {
    let stacks = stacks(
        ".586\n.model flat\n.code\nstart: StartTSC a\nmov ecx,9\nnext: call f\ndec ecx\njnz next\nEndTSC\nret\n\
         f: ret\ne: nop\nend start\n",
    );
    assert!(stacks.clocks("a.asm;start;f;a.asm:11;") > 0, "{}", stacks.0);
    assert_eq!(stacks.clocks("a.asm;start;"), stacks.clocks(""), "{}", stacks.0);
}

#[test]
fn a_function_that_calls_itself_is_not_deep() {
    let stacks = stacks(
        ".586\n.model flat\n.code\nstart: mov ecx,900\ncall f\nret\nf: dec ecx\njz last\ncall f\nret\n\
         last: call g\nret\ng: ret\nend start\n",
    );
    assert_eq!(stacks.clocks("a.asm;start;f;g;a.asm:13;issue "), 1, "{}", stacks.0);
    assert!(!stacks.0.contains("(deeper)"), "{}", stacks.0);
}

#[test]
fn more_chains_than_are_told_keep_all_clocks() {
    // Each of four functions calls the three others, ten deep: 29,524 ways.
    let mut source = ".586\n.model flat\n.code\nstart: mov ebp,10\ncall f0\nret\n".to_owned();
    for function in 0..4 {
        let others = (0..4).filter(|&other| other != function);
        let calls: String = others.map(|other| format!("call f{other}\n")).collect();
        let more = "nop\n".repeat(6);
        source += &format!("f{function}: dec ebp\njz x{function}\n{calls}x{function}: inc ebp\n{more}ret\n");
    }
    source += "end start\n";
    let folder = tempfile::tempdir().expect("a temporary directory");
    let stacks = Stacks::of(folder.path(), &source);
    let all = stacks.clocks("");
    let left_out: u64 = (stacks.0.lines())
        .filter(|line| line.contains(";(deeper);"))
        .map(|line| {
            line.rsplit_once(' ')
                .expect("clocks")
                .1
                .parse::<u64>()
                .expect("a number")
        })
        .sum();
    assert!(left_out > 0 && left_out < all, "{left_out} of {all}");
    assert!(stacks.0.contains(";(not listed);"), "too many lines in chains");
    // By function, each clock has its line.
    let profile = printed(folder.path(), "a.asm --runs 2 --format callgrind");
    assert!(profile.contains("desc: Calls: nested too deeply"), "{profile}");
    let costs = profile.split("summary:").nth(1).expect("a summary");
    assert!(!costs.lines().any(|line| line.starts_with("0 ")), "{profile}");
}
