//! The bound that reports print is one: no order that the dependences allow takes less, by trying all of them.

use crate::started;
use instrumenter::source::Sources;
use instrumenter::{Library, Options, assemble};
use runtime::advice::{Banks, Dependences, Live, Steady, best_orders, instruction_at};
use runtime::machine;
use runtime::model::{self, MEMORY_PRESETS, Model};
use runtime::report::least_clocks;
use std::fs;

/// A loop of a body of registers.
fn program(body: &str) -> String {
    format!(".586\n.code\nstart: mov ebp,50\nblock:\n{body} dec ebp\n jnz block\nbehind: ret\n end start\n")
}

/// The bound of a round of `body`, and the fewest clocks of all legal orders of it.
fn bound_and_best(body: &str, chip: &'static Model) -> (u64, u64) {
    let options = Options {
        library: Library::Unmeasured,
        chip,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("block.asm", &program(body)), &options);
    let image = assembly.image.unwrap_or_else(|| panic!("{:#?}", assembly.diagnostics));
    let named = |name: &str| {
        let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
        symbol.expect("a label").value
    };
    let mut instructions = Vec::new();
    let mut at = named("block");
    while at < named("behind") {
        let instruction = instruction_at(&image, at).expect("an instruction");
        at = instruction.next_ip32();
        instructions.push(instruction);
    }
    let run = machine::simulate(&image, "block", chip, &machine::Options::default(), &mut |_| {});
    let rows = instructions.iter().map(|one| {
        let row = run.instructions.iter().position(|row| row.address == one.ip32());
        row.expect("a row")
    });
    let bound = least_clocks(&run, &rows.collect::<Vec<_>>(), true);
    let dependences = Dependences::of(&instructions, Live::ALL.flags);
    let code: Vec<_> = instructions
        .iter()
        .map(|one| (*one, &image.bytes_at(one.ip32())[..one.len()]))
        .collect();
    let mut steady =
        Steady::new(chip, &MEMORY_PRESETS[0], &code, &dependences, (32, Banks::Apart)).expect("known timing");
    let found = best_orders(&dependences, 100_000, 1, &mut |order| Some(steady.clocks(order))).expect("a search");
    assert!(found.all, "{body}");
    let best = found.orders.first().map_or(found.original, |(clocks, _)| *clocks);
    (bound, best)
}

#[test]
fn no_legal_order_takes_less_than_the_bound() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let registers = ["eax", "ecx", "edx", "ebx", "esi", "edi"];
    let mut reached = 0;
    for number in 0..200 {
        // Few registers are written again and again.
        let few = &registers[..random.usize(2..=registers.len())];
        let mut choose = || few[random.usize(..few.len())];
        let pairs: Vec<[&str; 2]> = (0..6).map(|_| [choose(), choose()]).collect();
        let body: String = pairs[..random.usize(1..=pairs.len())]
            .iter()
            .map(|[one, other]| match random.u8(..8) {
                0 | 1 => format!(" mov {one},{other}\n"),
                2 => format!(" mov {one},5\n"),
                3 => format!(" add {one},{other}\n"),
                4 => format!(" shl {one},1\n"),
                5 => format!(" lea {one},[{other}+4]\n"),
                6 => format!(" imul {one},{other}\n"),
                _ => format!(" inc {one}\n"),
            })
            .collect();
        let chip = model::MODELS[number % model::MODELS.len()];
        let (bound, best) = bound_and_best(&body, chip);
        assert!(
            bound <= best,
            "seed {seed}: {}: {bound}, but {best} of\n{body}",
            chip.name
        );
        reached += u32::from(bound == best);
    }
    assert!(
        reached > 40,
        "seed {seed}: a bound that is rarely reached says little: {reached}"
    );
}

/// The addition of LEA comes before that of INC in the best order, so that it does not wait for its address.
#[test]
fn the_bound_allows_additions_to_change_places() {
    let body = " lea ecx,[eax+4]\n inc eax\n lea eax,[eax+4]\n shl ecx,1\n";
    assert_eq!(bound_and_best(body, model::MODELS[0]), (3, 3));
    // A load is no addition: its address waits in every order.
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = program(" mov eax,[eax]\n mov eax,[eax]\n").replace("start: ", "a dd a\nstart: mov eax,offset a\n ");
    fs::write(folder.path().join("a.asm"), source).expect("a file is written");
    let report = started::printed(folder.path(), "a.asm");
    let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("no order takes less than 4 (a chain of results)"),
        "{report}"
    );
}

#[test]
fn values_of_one_register_and_the_stack_pointer_are_part_of_the_bound() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (body, expected) in [
        // Four values of EAX, one after another; three pairs would do otherwise.
        (
            " mov eax,ebx\n mov eax,ecx\n mov eax,edx\n mov eax,esi\n",
            "4 (one register)",
        ),
        // An address waits for its register, which no other value may take meanwhile.
        (
            " lea eax,[ebx+4]\n mov ecx,[eax]\n lea eax,[ebx+8]\n mov edx,[eax]\n",
            "4 (one register)",
        ),
        // Pushes and pops change ESP one after another, but two of a kind together.
        (" push eax\n pop ebx\n push ecx\n pop edx\n", "4 (a chain of results)"),
        (" push eax\n push ecx\n pop edx\n pop ebx\n", "3 (two pipes)"),
        // The address of the stack waits for an explicit change of ESP.
        (
            " add esp,-4\n pop ecx\n add esp,-4\n pop edx\n",
            "6 (a chain of results)",
        ),
    ] {
        let program = program(body).replace("start: ", "start: mov ebx,esp\n sub ebx,64\n ");
        fs::write(folder.path().join("a.asm"), program).expect("a file is written");
        let report = started::printed(folder.path(), "a.asm");
        let words = report.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = format!("less than {expected}");
        assert!(words.contains(&expected), "{expected}: {report}");
    }
}

#[test]
fn a_division_is_in_the_bound_with_the_precision_of_most_rounds() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let source = ".586\n.model flat\n.code\nstart: mov ecx,40\nnext: fdiv st,st(2)\npush 7Fh\nfldcw word ptr [esp]\n\
                  pop eax\ndec ecx\njnz next\nret\nend start\n";
    fs::write(folder.path().join("single.asm"), source).expect("a file is written");
    let report = started::printed(folder.path(), "single.asm");
    // The first round divides in 39 clocks, and each other one in 19.
    assert!(
        report.contains(": 27 in 38") && report.contains("no order takes less than 25"),
        "{report}"
    );
}
