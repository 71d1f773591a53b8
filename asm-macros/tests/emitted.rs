//! The machine code of the macros at the highest optimisation level. On every path through a function, the measured
//! code is between two reads of the counter, together with nothing of significance.

use asm_macros::tsc::Features;
use asm_macros::{end_tsc, start_tsc, tsc};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use std::collections::HashSet;
use std::hint::black_box;

/// A number that occurs only in the measured code.
const MARK: u64 = 0x0135_79BD;

/// Decodes the instruction at `address` in this program.
fn instruction_at(address: u64) -> Instruction {
    // SAFETY: `address` is that of an instruction in a function of this program; the 15 bytes from there are in its
    // text segment, which extends beyond the functions of this test.
    let bytes = unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), 15) };
    Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode()
}

fn is_read(instruction: &Instruction) -> bool {
    matches!(instruction.mnemonic(), Mnemonic::Rdtsc | Mnemonic::Rdtscp)
}

fn is_marked(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| {
        matches!(
            instruction.op_kind(operand),
            OpKind::Immediate32 | OpKind::Immediate32to64 | OpKind::Immediate64
        ) && instruction.immediate(operand) == MARK
    })
}

/// The state at a place on a path through the code.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Seen {
    reads: u32,
    marks: u32,
    /// Whether there was a fence since the last read or mark.
    fenced: bool,
}

/// Follows every path from the entry of a function to its returns; returns the largest number of instructions between
/// the reads.
fn walk(entry: u64, fenced: bool) -> usize {
    let mut met = HashSet::new();
    let mut ways = vec![(entry, Seen::default(), Vec::new())];
    let (mut returns, mut longest) = (0, 0);
    while let Some((address, mut seen, mut between)) = ways.pop() {
        if !met.insert((address, seen)) {
            continue;
        }
        let instruction = instruction_at(address);
        if seen.reads == 1 && !is_read(&instruction) {
            between.push(instruction);
        }
        let text = instruction.to_string();
        match instruction.mnemonic() {
            Mnemonic::Lfence | Mnemonic::Cpuid => seen.fenced = true,
            Mnemonic::Rdtsc | Mnemonic::Rdtscp => {
                if seen.reads == 1 {
                    assert_eq!(seen.marks, 1, "a read comes before the measured code at {text}");
                    longest = longest.max(between.len());
                }
                // RDTSCP itself waits for earlier instructions.
                let waits = seen.fenced || instruction.mnemonic() == Mnemonic::Rdtscp;
                assert!(waits || !fenced, "no fence before {text}");
                seen.reads += 1;
                seen.fenced = false;
            }
            _ if is_marked(&instruction) => {
                assert_eq!(seen.reads, 1, "the measured code stands outside of the reads: {text}");
                assert!(seen.fenced || !fenced, "no fence between the first read and {text}");
                seen.marks += 1;
                seen.fenced = false;
            }
            _ => {}
        }
        assert!(seen.reads <= 2 && seen.marks <= 1, "twice on one way: {text}");
        if seen.reads == 1 {
            for between in &between {
                let forbidden = matches!(
                    between.mnemonic(),
                    Mnemonic::Syscall | Mnemonic::Int | Mnemonic::Sysenter
                ) || between.has_lock_prefix()
                    || matches!(between.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
                assert!(!forbidden, "{between} between the reads");
            }
        }
        match instruction.flow_control() {
            FlowControl::Return => {
                assert_eq!((seen.reads, seen.marks), (2, 1), "a way without a measurement");
                returns += 1;
            }
            FlowControl::UnconditionalBranch => ways.push((instruction.near_branch_target(), seen, between)),
            FlowControl::ConditionalBranch => {
                ways.push((instruction.near_branch_target(), seen, between.clone()));
                ways.push((instruction.next_ip(), seen, between));
            }
            // A failed assertion: a call that does not return.
            FlowControl::Exception => {}
            FlowControl::Next | FlowControl::Call | FlowControl::IndirectCall => {
                ways.push((instruction.next_ip(), seen, between));
            }
            other => panic!("{text}: {other:?} is not expected in these functions"),
        }
    }
    assert!(returns > 0, "no way leads to a return");
    longest
}

macro_rules! measured {
    ($name:ident, $($fence:ident)?) => {
        #[inline(never)]
        extern "C" fn $name(number: u64) -> u64 {
            let product;
            let elapsed = tsc!($($fence,)? { product = black_box(black_box(number).wrapping_mul(MARK)) });
            elapsed.ticks() ^ product
        }
    };
}
measured!(with_lfence, lfence);
measured!(with_rdtscp, rdtscp);
measured!(with_none, none);
measured!(with_cpuid, cpuid);
measured!(with_the_default,);

#[inline(never)]
extern "C" fn with_the_pair(number: u64) -> u64 {
    let start = start_tsc!(lfence);
    let product = black_box(black_box(number) ^ MARK);
    let elapsed = end_tsc!(start);
    elapsed.ticks() ^ product
}

/// A store without a value, which stays in place without `black_box` like every memory access.
#[inline(never)]
extern "C" fn with_a_store(place: &mut u64) -> u64 {
    tsc!(lfence, { *place = MARK }).ticks()
}

/// A block whose value is not used otherwise.
#[inline(never)]
extern "C" fn with_an_unused_value(number: u64) -> u64 {
    tsc!(lfence, { black_box(number).wrapping_add(MARK) }).ticks()
}

type Function = extern "C" fn(u64) -> u64;

fn entry(function: Function) -> u64 {
    // Runs the function as well, if this processor supports it.
    if function as usize != with_rdtscp as Function as usize || Features::of_this_processor().rdtscp {
        black_box(function)(black_box(5));
    } else {
        eprintln!("not run: no RDTSCP");
    }
    (function as *const ()).expose_provenance() as u64
}

#[test]
fn the_measured_code_stays_between_two_fenced_reads() {
    for function in [
        with_lfence as Function,
        with_rdtscp,
        with_the_pair,
        with_an_unused_value,
    ] {
        let between = walk(entry(function), true);
        assert!(between <= 16, "{between} instructions between the reads");
    }
}

#[test]
fn cpuid_fences_on_every_way_too() {
    let between = walk(entry(with_cpuid), true);
    assert!(between <= 24, "{between} instructions between the reads");
}

#[test]
fn a_store_stays_between_the_reads_without_help() {
    let mut place = 0;
    assert!(with_a_store(&mut place) < u64::MAX && place == MARK);
    walk((with_a_store as *const ()).expose_provenance() as u64, true);
}

#[test]
fn bare_reads_have_no_fence_and_still_enclose_the_code() {
    let between = walk(entry(with_none), false);
    assert!(between <= 14, "{between} instructions between the reads");
}

#[test]
fn the_default_chooses_a_fence_without_a_call_between_the_reads() {
    walk(entry(with_the_default), true);
}
