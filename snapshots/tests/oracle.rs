//! Pairing, compared with an independent model: GCC's scheduler for the Pentium.
//!
//! `oracle/pairs.py` compiles C and lists consecutive instructions with GCC's verdict: `+` they issue in one cycle; `u`
//! they do not, because a unit is not free; `d` they do not, because the second one needs a result of the first. Here
//! each pair is executed warm. Where the two models differ, `REASONS` has the reason.

use runtime::machine::Options;
use runtime::run::{Refusal, Run, StopReason};
use std::collections::BTreeMap;
use std::path::Path;

/// A pair with GCC's verdict.
struct Pair {
    verdict: char,
    first: String,
    second: String,
}

/// Our verdict: `None` if the instructions pair, otherwise the reason why not.
type Ours = Option<Refusal>;

/// The number of pairs in one program, such that its code stays in the code cache.
const AT_ONCE: usize = 60;

fn pairs() -> Vec<Pair> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/pairs.txt");
    let text = std::fs::read_to_string(path).expect("the list");
    let listed = text.lines().filter(|line| !line.starts_with(';'));
    listed
        .map(|line| {
            let (verdict, pair) = line.split_at(1);
            let (first, second) = pair.split_once('|').expect("two instructions");
            Pair {
                verdict: verdict.chars().next().expect("one character"),
                first: first.trim().to_owned(),
                second: second.trim().to_owned(),
            }
        })
        .collect()
}

/// The numbers of the registers in an address of `text`, used as a base (false) or as an index (true).
fn address_registers(text: &str) -> Vec<(usize, bool)> {
    const NAMES: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    let mut found = Vec::new();
    for address in text.split('[').skip(1).filter_map(|rest| rest.split(']').next()) {
        let mut based = false;
        for term in address.split(['+', '-']) {
            let (name, scaled) = term.split_once('*').map_or((term, false), |(name, _)| (name, true));
            if let Some(number) = NAMES.iter().position(|known| *known == name) {
                found.push((number, scaled || based));
                based |= !scaled;
            }
        }
    }
    found
}

/// A pair, preceded by code that sets up its registers.
fn set_up(pair: &Pair) -> String {
    const NAMES: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    let used = address_registers(&format!("{} / {}", pair.first, pair.second));
    let mut text = String::from("    mov esp,stack_at_start\n");
    for (number, name) in NAMES.iter().enumerate().filter(|(_, name)| **name != "esp") {
        let index = used.contains(&(number, true));
        let value = if index { "16" } else { "offset area+32768" };
        text.push_str(&format!("    mov {name},{value}\n"));
    }
    if [&pair.first, &pair.second].iter().any(|text| text.starts_with('f')) {
        text.push_str("    fninit\n    fld1\n    fld1\n    fld1\n    fld1\n");
    }
    text + "    cld\n    cld\n"
}

/// Runs `pairs` and returns our verdict on each; `None` for a pair that cannot be executed alone.
fn judged(pairs: &[&Pair]) -> Vec<Option<Ours>> {
    let mut judged: Vec<Option<Ours>> = vec![None; pairs.len()];
    let mut left: Vec<usize> = (0..pairs.len()).collect();
    while !left.is_empty() {
        let mut text = String::from(
            ".586\n.model flat\n.data\nalign 4096\narea dd 32768 dup(offset area+32768)\nstack_at_start dd 0\n.code\nstart:\n\
             sub esp,4096\nmov stack_at_start,esp\n",
        );
        let mut lines = Vec::new();
        for (place, &index) in left.iter().enumerate() {
            text.push_str(&set_up(pairs[index]).replace("next", "unused"));
            lines.push(text.lines().count() as u32 + 1);
            let own = |text: &str| text.replace("next", &format!("next{place}"));
            text.push_str(&format!(
                "    {}\n    {}\nnext{place}:\n    cld\n",
                own(&pairs[index].first),
                own(&pairs[index].second)
            ));
        }
        text.push_str("mov esp,stack_at_start\nadd esp,4096\nret\nend start\n");
        let options = Options {
            runs: 3,
            ..Options::default()
        };
        let failed = match snapshots::run("oracle.asm", &text, snapshots::chip(), &options) {
            Ok(run) if run.stop.reason == StopReason::Return => {
                for (&index, &line) in left.iter().zip(&lines) {
                    judged[index] = verdict(&run, line);
                }
                return judged;
            }
            Ok(run) => run.stop.place.map(|(_, line)| line),
            Err(why) => why
                .split("oracle.asm:")
                .nth(1)
                .and_then(|rest| rest.split(':').next()?.parse().ok()),
        };
        let failed = failed.expect("a line");
        let place = lines
            .iter()
            .rposition(|&line| line <= failed)
            .expect("a pair has the line");
        left.remove(place);
    }
    judged
}

/// Whether the instruction of `line` pairs with the next one.
fn verdict(run: &Run, line: u32) -> Option<Ours> {
    let of = |line: u32| run.instructions.iter().find(|one| one.place == Some((0, line)));
    let (first, second) = (of(line)?, of(line + 1)?);
    match (second.v > 0, first.refusals.first()) {
        (true, _) => Some(None),
        (false, Some(&(refusal, _))) => Some(Some(refusal)),
        (false, None) => None,
    }
}

/// The reason why the two verdicts differ, if it is known.
fn reason(pair: &Pair, ours: Ours) -> Option<&'static str> {
    REASONS
        .iter()
        .find(|(verdict, refusal, fits, _)| *verdict == pair.verdict && *refusal == ours && fits(pair))
        .map(|(.., why)| *why)
}

type Reason = (char, Ours, fn(&Pair) -> bool, &'static str);

/// Each reason has GCC's verdict, ours, and the pairs to which it applies.
const REASONS: &[Reason] = &[
    (
        '+',
        Some(Refusal::FirstOnlyWithExchange),
        |_| true,
        "GCC pairs x87 instructions with integer ones; by every manual they pair with FXCH only",
    ),
    (
        '+',
        Some(Refusal::SecondOnlyU),
        |pair| pair.second.starts_with('f'),
        "GCC pairs x87 instructions with integer ones; by every manual they pair with FXCH only",
    ),
    (
        '+',
        Some(Refusal::FirstNotPairable),
        |pair| pair.first.starts_with('f'),
        "GCC pairs x87 stores and FTST, which issue alone",
    ),
    (
        '+',
        Some(Refusal::SecondNotPairable),
        |pair| pair.second.starts_with('f'),
        "GCC pairs x87 stores and FTST, which issue alone",
    ),
    (
        '+',
        Some(Refusal::FirstNotPairable),
        |pair| pair.first.starts_with("test "),
        "GCC has one class for TEST; with an immediate only the short form with the accumulator pairs",
    ),
    (
        '+',
        Some(Refusal::SecondNotPairable),
        |pair| pair.second.starts_with("test "),
        "GCC has one class for TEST; with an immediate only the short form with the accumulator pairs",
    ),
    (
        '+',
        Some(Refusal::SecondOnlyU),
        |pair| pair.second.starts_with("sbb ") || pair.second.starts_with("adc "),
        "GCC issues some forms of ADC and SBB in V; by the manuals they go to U",
    ),
    (
        '+',
        Some(Refusal::DisplacementAndImmediate),
        |_| true,
        "GCC pairs displacement with immediate; by Intel and Agner Fog that pairs on no Pentium without MMX",
    ),
    (
        '+',
        Some(Refusal::SecondPrefix),
        |pair| pair.second.contains("WORD PTR") || of_16_bits(&pair.second),
        "GCC does not count the operand size prefix of some 16-bit moves",
    ),
    (
        '+',
        Some(Refusal::ReadAfterWrite),
        |pair| adds_a_constant(&pair.first) && pair.second.contains('['),
        "GCC changes the displacement of the second when it swaps the two, and so sees no dependency",
    ),
    (
        '+',
        Some(Refusal::WriteAfterWrite),
        |pair| {
            pair.second.starts_with("mov ")
                && words(&pair.second)
                    .nth(1)
                    .is_some_and(|word| word.ends_with(['l', 'h']))
        },
        "GCC knows that the first result is not used; two writes to parts of one register never pair",
    ),
    (
        'd',
        None,
        |pair| is_stack(&pair.first) && is_stack(&pair.second),
        "GCC has no exception for ESP between two pushes or two pops",
    ),
    (
        'd',
        None,
        |pair| pair.second.starts_with('j'),
        "GCC pairs a jump with comparisons only; by the manuals with all that writes flags",
    ),
    (
        'd',
        None,
        |pair| !share_a_register(pair),
        "GCC waits for flags, memory or the order at a call; only registers keep two from pairing",
    ),
    (
        'u',
        None,
        |_| true,
        "GCC leaves a slot empty for an instruction of higher priority or two accesses to memory",
    ),
];

/// Whether an instruction has a 16-bit register as its operand.
fn of_16_bits(text: &str) -> bool {
    words(text).any(|word| ["ax", "cx", "dx", "bx", "si", "di", "bp"].contains(&word))
}

/// Whether an instruction adds a constant to a register.
fn adds_a_constant(text: &str) -> bool {
    ["lea ", "add ", "sub ", "inc ", "dec "]
        .iter()
        .any(|start| text.starts_with(start))
}

fn is_stack(text: &str) -> bool {
    text.starts_with("push ") || text.starts_with("pop ")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric())
}

/// Whether the second instruction names the register that the first one writes, or a part of it.
fn share_a_register(pair: &Pair) -> bool {
    let written = words(&pair.first).nth(1).unwrap_or_default();
    let whole = |name: &str| match name.trim_start_matches('e').as_bytes() {
        [letter @ (b'a' | b'b' | b'c' | b'd'), b'x' | b'l' | b'h'] => char::from(*letter).to_string(),
        other => String::from_utf8_lossy(other).into_owned(),
    };
    let writes_none = ["cmp ", "test "].iter().any(|start| pair.first.starts_with(start));
    !writes_none
        && !pair.first.split(',').next().is_some_and(|target| target.contains('['))
        && words(&pair.second).skip(1).any(|word| whole(word) == whole(written))
}

#[test]
fn pairs_are_those_of_another_model() {
    let pairs = pairs();
    let (mut agreed, mut skipped) = (0, 0);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut unexplained = Vec::new();
    for part in pairs.iter().collect::<Vec<_>>().chunks(AT_ONCE) {
        for (pair, ours) in part.iter().zip(judged(part)) {
            let Some(ours) = ours else {
                skipped += 1;
                continue;
            };
            if (pair.verdict == '+') == ours.is_none() {
                agreed += 1;
            } else if let Some(why) = reason(pair, ours) {
                *classes.entry(why).or_default() += 1;
            } else {
                unexplained.push(format!("{} {:?}: {} | {}", pair.verdict, ours, pair.first, pair.second));
            }
        }
    }
    println!(
        "{} pairs: {agreed} agree, {skipped} cannot be executed alone",
        pairs.len()
    );
    for (why, count) in &classes {
        println!("{count:>6} differ: {why}");
    }
    assert!(skipped * 20 < pairs.len(), "{skipped} of {} are skipped", pairs.len());
    assert!(
        unexplained.is_empty(),
        "{} differ:\n{}",
        unexplained.len(),
        unexplained.join("\n")
    );
}
