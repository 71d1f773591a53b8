//! Every order that the analysis of dependences allows leaves the same final state: random blocks on the machine.

mod blocks;

use blocks::{Kind, Writer};
use instrumenter::source::Sources;
use instrumenter::{Library, Options, assemble};
use runtime::advice::{Dependences, Live, Ways, dead_after, instruction_at};
use runtime::image::Image;
use runtime::machine::{self, Ending, Excused, Machine};
use runtime::model::{self, Model};

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

fn ending(image: &Image, chip: &'static Model) -> Ending {
    let options = machine::Options {
        limit: 100_000,
        ..machine::Options::default()
    };
    let mut machine = Machine::new(chip, image, options);
    machine.run(&mut |_| {});
    machine.ending()
}

/// The same image with the instructions of the block in another order.
fn permuted(image: &Image, parts: &[(u32, usize)], order: &[usize]) -> Image {
    let mut new = image.clone();
    let first = parts[0].0;
    let bytes: Vec<u8> = order
        .iter()
        .flat_map(|&index| runtime::advice::bytes_at(image, parts[index].0)[..parts[index].1].to_vec())
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
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut writer = Writer::new(seed);
    let (mut compared, mut forbidden, mut told) = (0, 0, 0);
    for number in 0..BLOCKS {
        let kind = [Kind::Integer, Kind::Integer, Kind::Floating, Kind::Packed][number % 4];
        let chip = model::by_name(if kind == Kind::Packed { "p55c" } else { "p5" }).expect("a chip");
        let text = writer.program(kind);
        let image = assembled(&text, chip);
        let (begin, end) = (address(&image, "block"), address(&image, "behind"));
        let mut instructions = Vec::new();
        while let Some(instruction) = instructions.last().map_or(Some(begin), next_of).filter(|&at| at < end) {
            instructions.push(instruction_at(&image, instruction).expect("an instruction"));
        }
        let parts: Vec<(u32, usize)> = instructions.iter().map(|one| (one.ip32(), one.len())).collect();
        let dependences = Dependences::of(&instructions, Live::ALL.flags);
        let before = ending(&image, chip);
        let code = begin..end;
        let excused = Excused {
            memory: std::slice::from_ref(&code),
            timed: &[],
            moved: &|_| None,
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
            let after = ending(&permuted(&image, &parts, &order), chip);
            match before.difference(&after, &excused) {
                None => compared += 1,
                // The block faults: what is visible then is not kept.
                Some(_) if !before.ended_by_program() => break,
                Some(difference) => panic!("seed {seed}: {difference:?} differs in the order {order:?} of\n{text}"),
            }
        }
        // Two neighbours that may not change places do differ, in many blocks.
        let at = writer.random.usize(..parts.len() - 1);
        let mut swapped = identity.clone();
        swapped.swap(at, at + 1);
        if !dependences.allow(&swapped) {
            forbidden += 1;
            let after = ending(&permuted(&image, &parts, &swapped), chip);
            told += usize::from(before.difference(&after, &excused).is_some());
        }
    }
    assert!(compared > BLOCKS, "seed {seed}: only {compared} orders were compared");
    assert!(
        told * 3 > forbidden,
        "seed {seed}: only {told} of {forbidden} forbidden swaps differ"
    );
}

fn next_of(instruction: &iced_x86::Instruction) -> Option<u32> {
    Some(instruction.next_ip32())
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
    let mut ways = Ways::of(&image);
    let dead = |name: &str| dead_after(&image, &ways, address(&image, name), Live::ALL);
    let register = |number| runtime::advice::Places::of(runtime::advice::general(number));
    assert!(dead("start").places.holds(register(1)), "ECX is written on both ways");
    assert!(!dead("start").places.meets(register(0)), "EAX is read");
    assert!(!dead("start").places.meets(register(2)), "EDX is read by the procedure");
    assert_eq!(dead("start").flags, 0x3F, "the six status flags are written at once");
    assert_eq!(dead("other").flags, 0x3F, "and by the procedure");
    assert!(
        !dead("other").places.meets(register(0)),
        "EAX is left behind at the end"
    );
    assert_eq!(dead("last").flags, 0, "flags are left behind at the end");
    ways.flags_at_end = false;
    let dead = |name: &str| dead_after(&image, &ways, address(&image, name), Live::ALL);
    assert_eq!(
        dead("last").flags,
        Live::ALL.flags,
        "behind the only call the program ends"
    );
    assert_eq!(dead("last").places.0, 0, "registers are left behind");
}
