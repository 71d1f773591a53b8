//! Text reports of small programs: bounds, reasons, notes and length.

use instrumenter::source::{Included, Sources};
use runtime::machine::{self, Options};
use runtime::model::{MODELS, by_name};
use runtime::report::{self, Detail, Format, Style};
use runtime::run::Run;

const START: &str = ".586\n.model flat\n.data\na dd 64 dup(1)\nb dd 64 dup(?)\nd dd 64 dup(7)\nc1 dd 0\n.code\n";

/// A procedure with a loop that programs may include.
const INCLUDED: &str = "count proc\nmov ecx,5\n@@:\ndec ecx\njnz @b\nret\ncount endp\n";

/// Runs `code` after [`START`]; ` / ` ends a line. It may include [`INCLUDED`] as `count.inc`.
fn run(code: &str, runs: u32) -> Run {
    let source = format!("{START}{}\nend main\n", code.replace(" / ", "\n"));
    let sources = Sources {
        include: &|name| {
            Ok(Included::File {
                name: name.to_owned(),
                bytes: INCLUDED.into(),
            })
        },
        ..Sources::single("t.asm", &source)
    };
    let assembly = instrumenter::assemble(&sources, &Default::default());
    assert!(assembly.diagnostics.is_empty(), "{:?}", assembly.diagnostics);
    let image = assembly.image.expect("what assembles has an image");
    let options = Options {
        runs,
        ..Options::default()
    };
    machine::simulate(&image, "t.asm", MODELS[0], &options, &mut |_| {})
}

/// The text report of a run, for a terminal of this width.
fn told(run: &Run, width: usize, detail: Detail) -> String {
    let style = Style::plain(width, detail);
    let mut text = Vec::new();
    report::write(Format::Text, run, &style, &mut text).expect("a vector takes everything");
    String::from_utf8(text).expect("UTF-8")
}

/// The report of `code` after `runs` runs, for a wide terminal.
fn wide(code: &str, runs: u32) -> String {
    told(&run(code, runs), 160, Detail::Short)
}

#[track_caller]
fn says(report: &str, words: &[&str]) {
    for words in words {
        assert!(report.contains(words), "`{words}` is missing:\n{report}");
    }
}

#[test]
fn the_bound_of_a_round_takes_the_clocks_of_its_outcome() {
    let twice = "main: mov ecx,2 / StartTSC r / l: inc eax / loop l / EndTSC / ret";
    let need = "no order takes less than 6 (`loop` never pairs)";
    says(
        &wide(twice, 1),
        &[": 6 in 1 of them, 10 in the other (mispredicted)", need],
    );
    // The mispredicted round is the one shown.
    says(
        &wide(twice, 5),
        &[": 9 in 1 of them (mispredicted), 7 in the other.", need],
    );
    let often = twice.replace("ecx,2", "ecx,40");
    says(&wide(&often, 5), &["no order takes less than 7 (`loop` never pairs)"]);
    let zero = "main: mov ecx,2 / StartTSC r / l: dec ecx / inc eax / jecxz out_ / jmp l / out_: / EndTSC / ret";
    says(&wide(zero, 1), &["no order takes less than 7"]);
}

#[test]
fn a_division_keeps_the_unit_busy_for_as_long_as_its_own_precision_lets_it() {
    let rounded_to = |word: &str| format!("push {word} / fldcw [esp] / pop eax");
    let twice = |region: &str| format!("StartTSC {region} / fdiv st,st(1) / fdiv st,st(1) / EndTSC");
    let code = format!(
        "main: finit / fld1 / fld1 / {} / {} / {} / {} / finit / ret",
        twice("full"),
        rounded_to("27fh"),
        twice("half"),
        rounded_to("7fh") + " / fdiv st,st(1)",
    );
    let report = wide(&code, 2);
    let (full, half) = report.split_once("half, line").expect("two regions");
    says(
        full,
        &[
            "fdiv st,st(1)  -  unit busy for 39 clocks",
            "No order takes less than 40",
        ],
    );
    says(
        half,
        &[
            "fdiv st,st(1)  -  unit busy for 33 clocks",
            "No order takes less than 34",
        ],
    );
    // The unit also makes sure of extreme operands before it takes the next instruction.
    let tiny = "main: finit / fld1 / push 1 / push 80000000h / push 0 / fld tbyte ptr [esp] / StartTSC r / \
                fdiv st,st(1) / fadd st,st / EndTSC / finit / add esp,12 / ret";
    says(&wide(tiny, 2), &["unit busy for 41 clocks"]);
}

#[test]
fn what_a_round_waits_longer_is_not_made_up_for_by_another_one() {
    // Two reads share a line; the first round finds its data elsewhere, and the last one is mispredicted.
    let copy = ".data? / align 4096 / src db 16384 dup(?) / dst db 16384 dup(?) / .code / main: mov esi,offset src / \
                mov edi,offset dst / mov ecx,256 / StartTSC r / l: mov eax,[esi] / mov ebx,[esi+4] / mov [edi],eax / \
                mov [edi+4],ebx / add esi,64 / add edi,64 / dec ecx / jnz l / EndTSC / ret";
    says(&wide(copy, 5), &["(read miss, mispredicted); mean"]);
}

#[test]
fn a_loop_without_a_label_names_its_file_if_that_is_not_the_region_s() {
    let own = "main: StartTSC r / mov ecx,5 / @@: / dec ecx / jnz @b / EndTSC / ret";
    says(&wide(own, 2), &["loop at line 12: 5 rounds"]);
    let other = "include count.inc / main: StartTSC r / call count / EndTSC / ret";
    says(&wide(other, 2), &["loop at count.inc:4: 5 rounds"]);
    // Without a region, the main file is taken.
    let plain = "include count.inc / main: call count / mov ecx,5 / @@: / dec ecx / jnz @b / ret";
    says(
        &wide(plain, 2),
        &["loop at count.inc:4: 5 rounds", "loop at line 13: 5 rounds"],
    );
}

#[test]
fn a_loop_that_is_continued_at_several_places_is_one_loop() {
    // Jumps back lead to three places, and the first round begins at the last of them, as compilers write `continue`.
    let code = "main: mov ecx,40 / StartTSC r / jmp c_ / a_: add ebx,edx / b_: dec ecx / jz out_ / c_: mov edx,ecx / \
                test dl,1 / jnz b_ / test dl,2 / jnz a_ / inc eax / dec ecx / jnz c_ / out_: / EndTSC / ret";
    let report = wide(code, 2);
    assert_eq!(report.matches(" clocks in all").count(), 1, "{report}");
    says(&report, &["c_: 40 rounds, ", "on 3 paths"]);
    // What goes on inside of a round is a loop of its own.
    let nested = "main: mov ecx,9 / StartTSC r / outer: mov edx,5 / inner: dec edx / jnz inner / dec ecx / jnz outer / \
                  EndTSC / ret";
    says(&wide(nested, 2), &["outer: 9 rounds, ", "inner: 5 rounds, "]);
}

#[test]
fn a_bound_is_named_after_what_decides_it() {
    let round = |first: &str| {
        wide(
            &format!(
                "main: mov ecx,9 / StartTSC k / l: {first} / inc ebx / inc esi / inc edi / inc ebp / dec ecx / jnz l / \
                 EndTSC / ret"
            ),
            5,
        )
    };
    says(&round("cdq"), &["no order takes less than 5 (cdq never pairs)"]);
    says(&round("inc edx / inc eax"), &["no order takes less than 4 (two pipes)"]);
    let indirect = "main: mov edx,offset x / StartTSC / inc eax / inc ebx / jmp edx / x: inc ecx / inc eax / inc ebx / \
                    inc ecx / inc esi / EndTSC / ret";
    says(
        &wide(indirect, 5),
        &["No order takes less than 6 clocks (`jmp r/m near` never pairs)"],
    );
}

#[test]
fn a_bound_beyond_the_clocks_of_the_instructions_does_not_name_these() {
    let code = "main: fld a / StartTSC k / fmul a / fstp b / EndTSC / ret";
    says(
        &wide(code, 5),
        &["No order takes less than 6 clocks (a chain of results)."],
    );
}

#[test]
fn the_address_of_a_wait_is_that_of_the_data_waited_for() {
    let code = "main: mov esi,offset a / mov edi,offset b / mov ecx,64 / StartTSC / rep movsd / EndTSC / ret";
    let each = [
        (1, "872 of it: write buffer full, b+4"),
        (5, "+819: write buffer full, b+4"),
    ];
    for (runs, words) in each {
        let run = run(code, runs);
        says(&told(&run, 160, Detail::Short), &[words]);
        let mut json = Vec::new();
        report::write(Format::Json, &run, &Style::plain(80, Detail::Short), &mut json)
            .expect("a vector takes everything");
        let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
        let b = run
            .symbols
            .iter()
            .find(|symbol| symbol.name == "b")
            .expect("b is known");
        let text = json.to_string();
        assert!(text.contains(&format!("\"data\":{}", b.address + 4)), "{text}");
    }
    let pushes = "main: mov esi,offset a / mov ecx,6 / StartTSC / l: push dword ptr [esi] / dec ecx / jnz l / EndTSC / \
                  add esp,24 / ret";
    says(&wide(pushes, 1), &["write buffer full, the stack is not cached"]);
}

#[test]
fn a_wait_before_a_region_that_begins_with_a_loop_is_told() {
    let code = "main: mov ecx,40 / StartTSC r / l: mov bx,dx / add edx,ebp / loop l / EndTSC / ret";
    let report = wide(code, 5);
    says(&report, &["Before the region it waited 1: prefix."]);
}

#[test]
fn only_the_registers_that_prevent_a_pair_are_named() {
    let code = "main: push eax / push ebx / push ecx / StartTSC / pop edx / pop edx / mov edx,1 / pop edx / \
                push eax / push esp / pop ecx / EndTSC / ret";
    let report = wide(code, 5);
    says(&report, &["next pop writes edx too", "uses the esp that"]);
    assert!(!report.contains("edx, esp") && !report.contains("esp too"), "{report}");
}

#[test]
fn a_region_of_seven_instructions_takes_a_screen() {
    let loops = [
        "main: mov ecx,63 / StartTSC fix / l: mov eax,a[ecx*4] / imul eax,3 / sar eax,2 / mov edx,eax / \
         mov b[ecx*4],edx / dec ecx / jns l / EndTSC / ret",
        "main: mov esi,offset a / mov ecx,40 / xor eax,eax / xor ebp,ebp / xor edx,edx / fldz / fld1 / StartTSC r / \
         l: or ebp,ebp / adc [esi+32],eax / imul edx,eax / mov ebx,edx / loop l / EndTSC / ret",
        "main: mov esi,offset a / mov ecx,40 / xor ebx,ebx / xor edx,edx / xor ebp,ebp / xor edi,edi / fldz / fld1 / \
         StartTSC r / l: mov bx,dx / add edx,ebp / adc [esi+4],ebx / test ebp,ebp / add edi,8 / loop l / EndTSC / ret",
    ];
    for code in loops {
        let run = run(code, 5);
        let report = told(&run, 80, Detail::Short);
        // A terminal of 25 lines.
        assert!(report.lines().count() <= 25, "{report}");
        says(&report, &["`--long` says why"]);
        says(&told(&run, 80, Detail::Long), &["timing of "]);
    }
}

#[test]
fn a_floating_point_unit_without_changes_is_not_shown() {
    let code = "main: StartTSC / fld a / fstp b / EndTSC / ret";
    let run = run(code, 5);
    assert!(!told(&run, 80, Detail::Short).contains("control"), "nothing changed");
    says(&told(&run, 80, Detail::Long), &["control 037Fh"]);
}

#[test]
fn a_region_without_a_name_says_its_lines_once_and_a_cut_one_its_bound() {
    let code = format!(
        "main: StartTSC / {} EndTSC / ret",
        "imul ebx,ecx / add eax,1 / ".repeat(30)
    );
    let report = told(&run(&code, 5), 80, Detail::Short);
    says(
        &report,
        &[
            "\nlines 9-70: ",
            "more rows; `--long` shows all",
            "No order takes less than 285 clocks (imul never pairs).",
        ],
    );
    assert!(!report.contains("line 9"), "{report}");
}

#[test]
fn mispredictions_of_each_kind_are_told_apart_and_explained() {
    let each = [
        (
            "main: StartTSC / inc c1 / l: mov eax,1 / jmp m / m: inc c1 / cmp c1,0 / EndTSC / ret",
            "mispredicted, as it leads to the next address",
            "branch to the next address",
        ),
        (
            "main: inc c1 / jmp main",
            "mispredicted: right after a misprediction no prediction can be used",
            "misprediction right after another",
        ),
        (
            "main: mov esi,offset d / StartTSC r / mov c1,5 / o: mov ecx,2 / i: mov ebx,[esi+4] / imul eax,edx / \
             inc esi / cmp eax,edx / ja @f / sub edx,3 / @@: mov ebx,[esi+4] / dec ecx / jnz i / shl eax,1 / call f / \
             add eax,[esi] / dec c1 / jnz o / EndTSC / ret / f: inc edx / ret",
            "waited 3: the predictor took it for a branch",
            "entry met by another",
        ),
    ];
    for (code, words, topic) in each {
        let source = format!("{START}{}\nend main\n", code.replace(" / ", "\n"));
        let assembly = instrumenter::assemble(&Sources::single("t.asm", &source), &Default::default());
        let image = assembly.image.expect("what assembles has an image");
        let options = Options {
            limit: 9_000,
            ..Options::default()
        };
        let run = machine::simulate(&image, "t.asm", MODELS[0], &options, &mut |_| {});
        says(&told(&run, 160, Detail::Short), &[words]);
        let found = report::explained(MODELS[0], words);
        let names: Vec<&str> = found.iter().map(|topic| topic.name.as_str()).collect();
        assert_eq!(names, [topic]);
    }
}

#[test]
fn a_branch_that_shares_its_entry_is_said_to_on_the_chip_that_finds_entries_by_branches() {
    // Two branches end in one aligned dword, and the branch before each is mispredicted, which matters on P54C only.
    let code = "align 32 / f: ret / nop / nop / nop / nop / g: call f / ret / main: mov ecx,20 / StartTSC r / \
                k: call g / dec ecx / jnz k / EndTSC / ret";
    let source = format!("{START}{}\nend main\n", code.replace(" / ", "\n"));
    let assembly = instrumenter::assemble(&Sources::single("t.asm", &source), &Default::default());
    let image = assembly.image.expect("what assembles has an image");
    let run = |chip| {
        let model = by_name(chip).expect("a chip");
        told(
            &machine::simulate(&image, "t.asm", model, &Options::default(), &mut |_| {}),
            160,
            Detail::Short,
        )
    };
    let shared = run("p55c");
    says(
        &shared,
        &[
            "mispredicted, `jnz k` shares its entry",
            "mispredicted, `ret` shares its entry",
        ],
    );
    assert!(!shared.contains("as it follows"), "{shared}");
    assert!(!run("p54c").contains("shares its entry"));
}

#[test]
fn a_narrow_report_stays_within_its_columns() {
    let codes = [
        "main: mov esi,offset a / mov ecx,40 / fldz / StartTSC r / l: mov bx,dx / add edx,ebp / \
         adc dword ptr [esi+ecx*4+4],12345678h / test ebp,ebp / add edi,8 / loop l / EndTSC / fstp st / ret",
        "main: StartProfile EV_DATA_READ, EV_CODE_READ / mov eax,a / EndProfile / ret",
    ];
    for code in codes {
        let run = run(code, 5);
        for width in 40..80 {
            let report = told(&run, width, Detail::Short);
            let long = report.lines().find(|line| line.chars().count() > width);
            assert_eq!(long, None, "{width}:\n{report}");
        }
        let report = told(&run, 40, Detail::Long);
        let (_, listing) = report.split_once("\nListing\n").expect("a listing");
        let (listing, _) = listing.split_once("\n\n").expect("an end");
        assert!(listing.lines().all(|line| line.chars().count() <= 40), "{listing}");
    }
    let profile = told(&run(codes[1], 5), 40, Detail::Long);
    says(&profile, &["\n  and 0Ch: cold ", "\n  region "]);
    assert!(!profile.contains("region ,"), "{profile}");
}

#[test]
fn an_event_of_another_chip_says_which_chip_it_needs() {
    let source = "StartProfile EV_MMX_INSTRUCTIONS_EXECUTED_U_PIPE, 1\nnop\nEndProfile\n";
    let assembly = instrumenter::assemble(&Sources::single("t.asm", source), &Default::default());
    let complaints = instrumenter::command::diagnostics::render(&assembly.diagnostics, &assembly.files, false, 120);
    says(
        &complaints,
        &[
            "unknown event `EV_MMX_INSTRUCTIONS_EXECUTED_U_PIPE`",
            "help: needs `--cpu p55c`",
        ],
    );
}

#[test]
fn the_line_of_a_hot_repeat_is_listed_with_its_body() {
    let cold = "inc edx / ".repeat(300);
    let code = format!("main: mov ecx,50 / {cold}l: rept 2 / add eax,ebx / endm / dec ecx / jnz l / ret");
    let report = told(&run(&code, 2), 100, Detail::Long);
    says(
        &report,
        &["These 200 lines took the most clocks", "rept 2", "add eax,ebx"],
    );
}

#[test]
fn a_full_write_buffer_does_not_make_cached_data_uncached_where_writes_go_through() {
    let code = "main: mov eax,a / StartTSC r / mov ecx,500 / k: mov a,ecx / mov a+4,ecx / mov a+8,ecx / dec ecx / jnz k / \
                EndTSC / ret";
    let source = format!("{START}{}\nend main\n", code.replace(" / ", "\n"));
    let assembly = instrumenter::assemble(&Sources::single("t.asm", &source), &Default::default());
    let image = assembly.image.expect("what assembles has an image");
    let model = by_name("i486").expect("a chip");
    let run = machine::simulate(&image, "t.asm", model, &Options::default(), &mut |_| {});
    let told = told(&run, 160, Detail::Short);
    says(&told, &["write buffer full, a+4 is written through"]);
    assert!(!told.contains("is not cached"), "{told}");
}
