//! Claims in prose, and contradictions between sources.

use super::routines::{COPY_OF_LIMBS, STREAM_CIPHER};
use super::table::{ABRASH, FOG, FOG_TABLES, INTEL, INTEL_DEVELOPER, TOASTER};
use super::{Method, Origin, Row, fragment, looped, of, row};
use runtime::fault::Vector;
use runtime::machine::Options;
use runtime::run::{Cause, Run, StopDetail, StopReason};

/// A claim that has no figure of its own.
pub(super) struct Claim {
    pub id: &'static str,
    pub text: &'static str,
    /// Returns the evidence for the claim, or the contradiction.
    pub check: fn() -> Result<String, String>,
}

pub(super) static CLAIMS: &[Claim] = &[
    Claim {
        id: "S0-f",
        text: "code is slower the first time, as it pairs only once it has been executed",
        check: first_execution,
    },
    Claim {
        id: "S0-g",
        text: "RDMSR at CPL 3 is refused",
        check: refused,
    },
    Claim {
        id: "S1-b",
        text: "of 20 runs, the first one warms the caches",
        check: first_of_twenty,
    },
];

/// A row for one of the tutorial's word counts: the text before the call, the name and the procedure.
macro_rules! word_count {
    ($first:literal, $name:literal, $procedure:literal) => {
        concat!(
            ".586\n.model flat\n.data\n",
            include_str!("../../tutorials/18_word_count/ones.inc"),
            include_str!("../../tutorials/18_word_count/text.inc"),
            ".code\nstart:\n",
            $first,
            "\nStartTSC ",
            $name,
            "\ncall ",
            $name,
            "\nEndTSC\nret\n",
            include_str!($procedure),
            "\nend start\n"
        )
    };
}

const PLAIN: &str = word_count!("", "plain", "../../tutorials/18_word_count/plain.inc");
const ONE_PIPE: &str = word_count!(
    "mov ecx,0Eh\nmov eax,4\nxor edx,edx\nwrmsr",
    "plain",
    "../../tutorials/18_word_count/plain.inc"
);
const TUNED: &str = word_count!("", "tuned", "../../tutorials/18_word_count/tuned.inc");
const MATHISEN: &str = "Terje Mathisen, 1994";
/// The length in bytes of the text whose words are counted.
const TEXT: f64 = 3968.0;

/// A row for the clocks per byte of a word count.
const fn per_byte(id: &'static str, text: &'static str, region: &'static str, figure: f64) -> Row {
    row(Method::Region(region, TEXT), id, text, figure, MATHISEN)
        .measured()
        .within(0.05)
}

/// The word counts of 1996, represented by loops of this project with the same arrangement.
pub(super) static WORD_COUNT: &[Row] = &of(
    Origin::Stated,
    [
        per_byte("S1-a one pipe", ONE_PIPE, "plain", 2.86),
        per_byte("S1-a plain", PLAIN, "plain", 2.0),
        per_byte("S1-a tuned", TUNED, "tuned", 1.5),
    ],
);

const CHECKSUM: &str = "again: / add ax,[esi] / adc eax,0 / add esi,2 / dec ecx / jnz again";
const HEADER: &str = "GMP 6.2, copyi.asm";
const README: &str = "GMP 6.2, mpn/x86/pentium/README";
const PERLASM: &str = "OpenSSL 3.0, rc4-586.pl";

/// Figures that cannot all be right, each with the assumption under which the model yields it.
#[rustfmt::skip] // One figure a row.
pub(super) static CONTRADICTIONS: &[Row] = &[
    looped("shadow_reach=3", CHECKSUM, 4.0, ABRASH).assuming("shadow_reach=3").from(Origin::Stated),
    looped("shadow_reach=2", CHECKSUM, 5.0, FOG).assuming("shadow_reach=2").from(Origin::Derived),
    fragment("imul_r32=9", "mul ecx", 9.0, FOG_TABLES).assuming("imul_r32=9").measured().from(Origin::Entry),
    fragment("imul_r32=10", "mul ecx", 10.0, INTEL).assuming("imul_r32=10").from(Origin::Entry),
    fragment("imul_r32=10, 3 operands", "imul eax,ecx,7", 10.0, INTEL).assuming("imul_r32=10").from(Origin::Entry),
    fragment("imul_one_operand=9", "imul ecx", 9.0, FOG_TABLES).assuming("imul_one_operand=9").measured().from(Origin::Entry),
    fragment("imul_one_operand=10", "imul ecx", 10.0, TOASTER).assuming("imul_one_operand=10").from(Origin::Derived),
    fragment("imul_one_operand=9, RDTSC", "imul ecx / rdtsc", 16.0, TOASTER).assuming("imul_one_operand=9").measured().from(Origin::Derived),
    fragment("mispredicted_jump=4", "jmp over / over:", 4.0, INTEL_DEVELOPER).assuming("mispredicted_jump=4").from(Origin::Derived),
    fragment("mispredicted_jump=3", "jmp over / over:", 3.0, ABRASH).assuming("mispredicted_jump=3").from(Origin::Stated),
    fragment("mov_sreg=2", "mov es,ax", 2.0, INTEL).assuming("mov_sreg=2").after("mov ax,ds").from(Origin::Entry),
    row(COPY_OF_LIMBS, "copyi, header", "", 1.25, HEADER).measured().within(0.1).from(Origin::Stated),
    row(COPY_OF_LIMBS, "copyi, README", "", 1.0, README).measured().within(0.1).from(Origin::Stated)
        .missed("eight limbs are eight pairs and two clocks of loop; 1.0 leaves the loop out"),
    row(STREAM_CIPHER, "RC4, original", "", 10.2, PERLASM).measured().within(0.4).from(Origin::Stated),
    row(STREAM_CIPHER, "RC4, 10 % more", "", 11.2, PERLASM).measured().within(0.4).from(Origin::Stated)
        .missed("the text that is run is the one whose figure is 10.2"),
];

fn runs(text: &str, options: &Options) -> Result<Run, String> {
    crate::run("claim.asm", text, crate::chip(), options)
}

fn first_execution() -> Result<String, String> {
    let text = "mov eax,1\nmov edx,2\nmov ecx,3\nmov ebx,4\nret\n";
    let after = |runs_of: u32| {
        let options = Options {
            runs: runs_of,
            ..Options::default()
        };
        runs(text, &options)
    };
    let (cold, warm) = (after(1)?, after(3)?);
    let clocks = [&cold, &warm].map(|run| run.whole.totals.cycles);
    let pairs = [&cold, &warm].map(|run| run.whole.totals.v);
    let of = |run: &Run, cause: Cause| {
        let stack = &run.whole.cycle_stack;
        stack
            .iter()
            .find(|row| row.cause == cause)
            .map_or(0, |row| row.cycles as i64)
    };
    let more: Vec<(Cause, i64)> = Cause::ALL
        .iter()
        .map(|&cause| (cause, of(&cold, cause) - of(&warm, cause)))
        .filter(|(_, more)| *more != 0)
        .collect();
    let explained: i64 = more.iter().map(|(_, more)| more).sum();
    let causes: Vec<String> = more
        .iter()
        .map(|(cause, more)| format!("{} {more:+}", cause.name()))
        .collect();
    let found = format!(
        "{} clocks and {} pairs cold, {} and {} warm: {}",
        clocks[0],
        pairs[0],
        clocks[1],
        pairs[1],
        causes.join(", ")
    );
    let holds = clocks[0] > clocks[1] && pairs[0] < pairs[1] && explained == clocks[0] as i64 - clocks[1] as i64;
    if holds { Ok(found) } else { Err(found) }
}

fn refused() -> Result<String, String> {
    let options = Options {
        cpl: 3,
        ..Options::default()
    };
    let run = runs("mov ecx,10h\nrdmsr\nret\n", &options)?;
    let found = format!("{:?}", run.stop);
    let general = matches!(run.stop.detail, Some(StopDetail::Fault { .. }))
        && run.stop.code == Some(u32::from(Vector::GeneralProtection as u8));
    match run.stop.place {
        Some((0, 2)) if general && run.stop.reason == StopReason::Fault => {
            Ok("general protection fault, reported with line 2".to_owned())
        }
        _ => Err(found),
    }
}

fn first_of_twenty() -> Result<String, String> {
    const RUNS: usize = 20;
    let options = Options {
        runs: RUNS as u32,
        ..Options::default()
    };
    let run = runs(PLAIN, &options)?;
    let clocks: Vec<u64> = run.runs.iter().map(|run| run.whole.cycles).collect();
    let counted = run.whole.events.iter().filter(|row| row.unavailable.is_none()).count();
    let events = run.whole.events.len();
    let (least, most) = clocks[1..].iter().fold((u64::MAX, 0), |(least, most), &later| {
        (least.min(later), most.max(later))
    });
    let found = format!(
        "{} clocks, then {least} to {most}; {counted} of {events} events are counted",
        clocks[0]
    );
    // The remaining clocks are those of the branch target buffer, which learns over several runs.
    let settled = clocks[0] > most && (most - least) * 50 < clocks[0] - most;
    if settled { Ok(found) } else { Err(found) }
}
