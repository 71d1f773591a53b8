//! Every order that the dependences allow leaves the same final state: random blocks on the machine.

use crate::blocks;
use blocks::{Kind, Writer};
use iced_x86::Instruction;
use instrumenter::source::Sources;
use instrumenter::{Library, Options, assemble};
use runtime::advice::{Banks, ControlFlow, Dependences, Live, Steady, best_orders, dead_after, instruction_at};
use runtime::image::Image;
use runtime::machine::{self, Excused, FinalState, Machine};
use runtime::model::{self, MEMORY_PRESETS, Model};

/// The maximum clocks by which a branch is predicted late: those of a misprediction in V.
const LATEST: u64 = 4;

const BLOCKS: usize = 400;
const ORDERS: usize = 4;
fn assembled(text: &str, chip: &'static Model) -> Image {
    let options = Options {
        library: Library::Unmeasured,
        chip,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("block.asm", text), &options);
    assembly
        .image
        .unwrap_or_else(|| panic!("{text}\n{:#?}", assembly.diagnostics))
}

fn address(image: &Image, name: &str) -> u32 {
    let symbol = image.symbols.iter().find(|symbol| symbol.name == name);
    symbol.expect("a label").value
}

fn final_state(image: &Image, chip: &'static Model) -> FinalState {
    let options = machine::Options {
        limit: 100_000,
        ..machine::Options::default()
    };
    let mut machine = Machine::new(chip, image, options);
    machine.run(&mut |_| {});
    machine.into_final_state()
}

/// The image with the instructions of the block in another order.
fn permuted(image: &Image, parts: &[(u32, usize)], order: &[usize]) -> Image {
    let mut new = image.clone();
    let first = parts[0].0;
    let bytes: Vec<u8> = order
        .iter()
        .flat_map(|&index| image.bytes_at(parts[index].0)[..parts[index].1].to_vec())
        .collect();
    let segment = new
        .segments
        .iter_mut()
        .find(|segment| (segment.address..segment.address + segment.bytes.len() as u32).contains(&first));
    let segment = segment.expect("code");
    let start = (first - segment.address) as usize;
    segment.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
    new
}

#[test]
fn every_order_that_is_allowed_leaves_the_same_state() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut writer = Writer::new(seed);
    let (mut compared, mut forbidden, mut told) = (0, 0, 0);
    for number in 0..BLOCKS {
        let kind = [Kind::Integer, Kind::Real, Kind::Floating, Kind::Packed][number % 4];
        let chip = model::by_name(if kind == Kind::Packed { "p55c" } else { "p5" }).expect("a chip");
        let text = writer.program(kind);
        let image = assembled(&text, chip);
        let (begin, end) = (address(&image, "block"), address(&image, "behind"));
        let instructions = between(&image, begin, end);
        let parts: Vec<(u32, usize)> = instructions.iter().map(|one| (one.ip32(), one.len())).collect();
        let dependences = Dependences::of(&instructions, Live::ALL.flags);
        let before = final_state(&image, chip);
        let code = begin..end;
        let excused = Excused {
            memory: std::slice::from_ref(&code),
            timed: &[],
            moved: &|_| None,
            flags: false,
        };
        let identity: Vec<usize> = (0..parts.len()).collect();
        assert!(dependences.allow(&identity), "seed {seed}:\n{text}");
        let mut order = identity.clone();
        for _ in 0..ORDERS {
            for _ in 0..20 {
                let mut moved = order.clone();
                let taken = moved.remove(writer.random.usize(..moved.len()));
                moved.insert(writer.random.usize(..=moved.len()), taken);
                if dependences.allow(&moved) {
                    order = moved;
                }
            }
            if order == identity {
                break;
            }
            let after = final_state(&permuted(&image, &parts, &order), chip);
            match before.difference(&after, &excused) {
                None => compared += 1,
                // The block faults, and the state at a fault is not preserved.
                Some(_) if !before.ended_by_program() => break,
                Some(difference) => panic!("seed {seed}: {difference:?} differs in the order {order:?} of\n{text}"),
            }
        }
        // Two neighbours that may not change places do leave another state in many blocks.
        let at = writer.random.usize(..parts.len() - 1);
        let mut swapped = identity.clone();
        swapped.swap(at, at + 1);
        if !dependences.allow(&swapped) {
            forbidden += 1;
            let after = final_state(&permuted(&image, &parts, &swapped), chip);
            told += usize::from(before.difference(&after, &excused).is_some());
        }
    }
    assert!(compared > BLOCKS, "seed {seed}: only {compared} orders were compared");
    assert!(
        told * 3 > forbidden,
        "seed {seed}: only {told} of {forbidden} forbidden swaps differ"
    );
}

fn between(image: &Image, begin: u32, end: u32) -> Vec<Instruction> {
    let mut found: Vec<Instruction> = Vec::new();
    let mut at = begin;
    while at < end {
        let instruction = instruction_at(image, at).expect("an instruction");
        at = instruction.next_ip32();
        found.push(instruction);
    }
    found
}

/// All permutations of the numbers below `count`.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else {
        return vec![Vec::new()];
    };
    let shorter = permutations(last);
    let longer = shorter.iter().flat_map(|order| {
        (0..count).map(move |place| {
            let mut order = order.clone();
            order.insert(place, last);
            order
        })
    });
    longer.collect()
}

#[test]
fn the_search_tries_every_legal_order_and_finds_the_best() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut writer = Writer::new(seed);
    let chip = model::MODELS[0];
    let mut better = 0;
    for _ in 0..100 {
        let image = assembled(&writer.program(Kind::Integer), chip);
        let mut instructions = between(&image, address(&image, "block"), address(&image, "behind"));
        instructions.truncate(6);
        let dependences = Dependences::of(&instructions, Live::ALL.flags);
        let weights: Vec<u64> = instructions.iter().map(|_| writer.random.u64(..100)).collect();
        let clocks = |order: &[usize]| -> u64 {
            let places = order.iter().enumerate();
            places.map(|(place, &index)| place as u64 * weights[index]).sum()
        };
        let orders = permutations(instructions.len());
        let legal: Vec<&Vec<usize>> = orders.iter().filter(|order| dependences.allow(order)).collect();
        let best = legal.iter().map(|order| clocks(order)).min().expect("the original");
        let found = best_orders(&dependences, 1_000, 2, &mut |order| Some(clocks(order))).expect("a search");
        assert!(found.all && found.tried == legal.len() as u64, "seed {seed}: {found:?}");
        let reached = found.orders.first().map_or(found.original, |(clocks, _)| *clocks);
        assert_eq!(reached, best, "seed {seed}");
        better += usize::from(best < found.original);
        // With less room, the search still finds legal orders.
        let few = best_orders(&dependences, 3, 2, &mut |order| Some(clocks(order))).expect("a search");
        assert!(few.tried <= 3, "seed {seed}: {few:?}");
        assert!(
            few.orders.iter().all(|(_, order)| dependences.allow(order)),
            "seed {seed}"
        );
    }
    assert!(better > 10, "seed {seed}: {better}");
}

#[test]
fn a_steady_round_takes_what_the_machine_takes() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let registers = ["eax", "ecx", "edx", "ebx", "esi", "edi"];
    let chip = model::MODELS[0];
    for number in 0..60 {
        let body: String = (0..random.usize(1..10))
            .map(|_| {
                let [one, other] = [0, 1].map(|_| registers[random.usize(..registers.len())]);
                match random.u8(..7) {
                    0 => format!(" mov {one},{other}\n"),
                    1 => format!(" add {one},{other}\n"),
                    2 => format!(" shl {one},1\n"),
                    3 => format!(" lea {one},[{other}+4]\n"),
                    4 => format!(" adc {one},5\n"),
                    5 => format!(" imul {one},{other}\n"),
                    _ => format!(" inc {one}\n"),
                }
            })
            .collect();
        // The first body is a round of two pairs.
        let body = if number == 0 {
            " mov eax,ecx\n inc edx\n".to_owned()
        } else {
            body
        };
        let program = |rounds: u32| {
            format!(
                ".586\n.code\nstart: mov ebp,{rounds}\nblock:\n{body} dec ebp\n jnz block\nbehind: ret\n end start\n"
            )
        };
        let clocks = |rounds: u32| {
            let image = assembled(&program(rounds), chip);
            let mut machine = Machine::new(chip, &image, machine::Options::default());
            machine.run(&mut |_| {});
            machine.run(&mut |_| {});
            machine.last_run().whole.cycles
        };
        let image = assembled(&program(1), chip);
        let instructions = between(&image, address(&image, "block"), address(&image, "behind"));
        let dependences = Dependences::of(&instructions, Live::ALL.flags);
        let code: Vec<(Instruction, &[u8])> = instructions
            .iter()
            .map(|one| (*one, &image.bytes_at(one.ip32())[..one.len()]))
            .collect();
        let mut steady =
            Steady::new(chip, &MEMORY_PRESETS[0], &code, &dependences, (32, Banks::Apart)).expect("known timing");
        let order: Vec<usize> = (0..code.len()).collect();
        let (found, took) = (100 * steady.clocks(&order), clocks(200) - clocks(100));
        // The branch of a round of two groups is predicted late after some entries; this may be one of them.
        let late = number > 0 && code.len() <= 5 && found < took && took - found <= 100 * LATEST;
        assert!(found == took || late, "seed {seed}: {found}, but {took} of\n{body}");
        // The result does not depend on the orders that were tried before.
        let first = steady.clocks(&order);
        best_orders(&dependences, 200, 1, &mut |order| Some(steady.clocks(order)));
        assert_eq!(steady.clocks(&order), first, "seed {seed}:\n{body}");
    }
}

#[test]
fn what_is_dead_is_overwritten_on_every_way() {
    let text = "\
.586
.code
start: add eax,ebx
 jz other
 mov ecx,1
 xor eax,eax
 hlt
other: mov ecx,2
 call part
 hlt
part: sub edx,1
last: ret
 end start
";
    let image = assembled(text, model::MODELS[0]);
    let mut flow = ControlFlow::of(&image);
    let dead = |name: &str| dead_after(&image, &flow, address(&image, name), Live::ALL);
    let register = |number| runtime::advice::RegisterParts::of(runtime::advice::general(number));
    assert!(dead("start").parts.holds(register(1)), "ECX is written on both ways");
    assert!(!dead("start").parts.meets(register(0)), "EAX is read");
    assert!(!dead("start").parts.meets(register(2)), "EDX is read by the procedure");
    assert_eq!(dead("start").flags, 0x3F, "the six status flags are written at once");
    assert_eq!(dead("other").flags, 0x3F, "and by the procedure");
    assert!(!dead("other").parts.meets(register(0)), "EAX is left behind at the end");
    assert_eq!(dead("last").flags, 0, "flags are left behind at the end");
    flow.flags_at_end = false;
    let dead = |name: &str| dead_after(&image, &flow, address(&image, name), Live::ALL);
    assert_eq!(
        dead("last").flags,
        Live::ALL.flags,
        "behind the only call the program ends"
    );
    assert_eq!(dead("last").parts.0, 0, "registers are left behind");
}

#[test]
fn nothing_is_dead_behind_a_return_that_may_lead_elsewhere() {
    let text = "\
.586
.data
pointer dd 0
.code
start: mov ebx,1
place: push eax
 push eax
 call part
 CLEAN
 mov ebx,2
 hlt
part: BODY
 ret POPS
 end start
";
    let framed = "push ebp\nmov ebp,esp\nsub esp,8\nmov [ebp-4],eax\nmov [esp],ecx\nmov eax,[ebp+8]\nlea ecx,[ebp-8]";
    for (body, pops, clean, kept) in [
        ("nop", "", "add esp,8", true),
        ("nop", "8", "", true),
        (&*format!("{framed}\nleave"), "8", "", true),
        (&*format!("{framed}\nmov esp,ebp\npop ebp"), "", "lea esp,[esp+8]", true),
        ("enter 16,0\nmov [ebp-16],eax\nleave", "8", "", true),
        (
            "push ecx\ncall leaf\npop ecx\nret 8\nleaf: push edx\npop edx",
            "",
            "",
            true,
        ),
        ("mov [esp+4],eax\nmov eax,[esp]", "8", "", true),
        ("pop eax\nmov eax,1", "", "", false),
        ("add dword ptr [esp],5", "8", "", false),
        ("push offset start", "8", "", false),
        ("push eax", "8", "", false),
        ("push ebp\nmov ebp,esp\nmov [ebp+4],eax\nleave", "8", "", false),
        ("push ebp\nmov ebp,esp\nmov dword ptr [ebp+2],0\nleave", "8", "", false),
        ("mov eax,esp\nmov [eax],ecx", "8", "", false),
        ("lea eax,[esp]\nmov [eax],ecx", "8", "", false),
        ("push esp\npop eax\nmov [eax],ecx", "8", "", false),
        ("xchg esp,pointer\nxchg esp,pointer", "8", "", false),
        ("mov esp,pointer", "8", "", false),
        ("mov [esp+4*ecx],eax", "8", "", false),
        ("and esp,-16", "8", "", false),
        ("test eax,eax\njz both\npush eax\nboth: nop", "8", "", false),
        ("leave", "8", "", false),
    ] {
        let text = text.replace("BODY", body).replace("POPS", pops).replace("CLEAN", clean);
        let image = assembled(&text, model::MODELS[0]);
        let dead = dead_after(&image, &ControlFlow::of(&image), address(&image, "place"), Live::ALL);
        let ebx = runtime::advice::RegisterParts::of(runtime::advice::general(3));
        assert_eq!(dead.parts.holds(ebx), kept, "{body}, ret {pops}, {clean}: {dead:?}");
    }
}

#[test]
fn frames_of_16_bit_code_have_slots_of_two_bytes() {
    let text = "\
.model tiny
.586
.code
org 100h
start: mov bx,1
place: push ax
 push ax
 call part
 mov ebx,2
 hlt
part: BODY
 ret 4
 end start
";
    for (body, kept) in [
        ("nop", true),
        (
            "push bp\nmov bp,sp\nsub sp,8\nmov [bp-2],ax\nmov ax,[bp+4]\nleave",
            true,
        ),
        ("push bp\nmov bp,sp\nadd sp,-4\nmov sp,bp\npop bp", true),
        ("enter 4,0\nmov [bp-4],ax\nleave", true),
        ("push bp\nmov bp,sp\nmov [bp+4],ax\npop bp", true),
        ("enter 0,0\nmov [bp+2],ax\nleave", false),
        ("push bp\nmov bp,sp\nmov byte ptr [bp+3],al\npop bp", false),
        ("push bp\nmov bp,sp\nmov [bp+1],ax\npop bp", false),
        ("push bp\nmov bp,sp\nadd sp,-4\npop bp", false),
        ("pop ax\npush dx", false),
    ] {
        let image = assembled(&text.replace("BODY", body), model::MODELS[0]);
        let dead = dead_after(&image, &ControlFlow::of(&image), address(&image, "place"), Live::ALL);
        let ebx = runtime::advice::RegisterParts::of(runtime::advice::general(3));
        assert_eq!(dead.parts.holds(ebx), kept, "{body}: {dead:?}");
    }
}

#[test]
fn nothing_is_dead_where_a_handler_of_the_program_may_read_it() {
    let flat = "\
.586
.data
idt dq 256 dup(0)
pointer dw 2047
 dd idt
.code
start: PREPARE
place: mov eax,[ebx]
 xor eax,eax
 add eax,1
 ret
 end start
";
    let real = "\
.model tiny
.586
.code
org 100h
start: PREPARE
place: mov ax,[bx]
 xor ax,ax
 add ax,1
 ret
 end start
";
    for (text, prepare, dead) in [
        (flat, "nop", true),
        (flat, "lidt fword ptr pointer", false),
        (real, "nop", true),
        (real, "push cs\npop es", true),
        (real, "mov ax,1234h\nmov es,ax", true),
        (real, "mov ax,cs\nmov es,ax", true),
        (real, "xor ax,ax\nmov es,ax", false),
        (real, "mov ax,3Fh\nmov es,ax", false),
        (real, "pop ds", false),
        (real, "les di,[bx]", false),
        (real, "lidt fword ptr [bx]", false),
    ] {
        let image = assembled(&text.replace("PREPARE", prepare), model::MODELS[0]);
        let found = dead_after(&image, &ControlFlow::of(&image), address(&image, "place"), Live::ALL);
        assert_eq!(found.flags != 0, dead, "{prepare}: {found:?}");
        assert_eq!(found == Live::default(), !dead, "{prepare}: {found:?}");
    }
}

#[test]
fn many_returns_behind_many_calls_are_too_many_to_follow() {
    let calls = " call part\n".repeat(3_000);
    let returns: String = (0..2_000).map(|number| format!(" jz r{number}\n")).collect();
    let parts: String = (0..2_000).map(|number| format!("r{number}: ret\n")).collect();
    let text = format!(".586\n.code\nstart: {calls} hlt\npart: nop\n{returns} ret\n{parts} end start\n");
    let image = assembled(&text, model::MODELS[0]);
    let found = dead_after(&image, &ControlFlow::of(&image), address(&image, "part"), Live::ALL);
    assert_eq!(found, Live::default());
}
