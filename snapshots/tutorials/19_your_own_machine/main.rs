//! The cost of a multiplication on your own machine: from a single execution to a number that you can trust.

use asm_macros::events::{Event, HostEvent};
use asm_macros::tsc::Tsc;
use asm_macros::{Unavailable, cpi, measure, profile, tsc};
use std::arch::asm;
use std::hint::black_box;

fn main() -> Result<(), Unavailable> {
    let counter = Tsc::detect()?;
    println!("the counter runs at {}", counter.frequency?);
    println!("it advances in steps of {} ticks", counter.quantum);
    println!("a tick is {:.3} core clocks now", counter.core_clocks_per_tick);
    println!("reads are ordered by {}", counter.fence);

    let mut number = 3u64;
    let once = tsc!({
        // SAFETY: multiplies registers.
        unsafe { asm!("imul {0}, {0}", inout(reg) number) }
    });
    println!("one multiplication: {once}");

    let chain = measure!(chain = number, {
        // SAFETY: multiplies registers.
        unsafe { asm!("imul {0}, {0}", inout(reg) number) }
    });
    println!("in a chain: {chain}");

    let apart = measure!(unroll = 32, {
        // SAFETY: multiplies registers.
        unsafe { asm!("imul {1}, {0}, 3", in(reg) number, out(reg) _) }
    });
    println!("side by side: {apart}");

    let sum = 0u64;
    let ruler = measure!(chain = sum, unroll = 1, {
        // SAFETY: adds registers.
        unsafe { asm!(".rept 1000", "add {0}, {1}", ".endr", inout(reg) sum, in(reg) 1u64) }
    });
    println!("1000 additions in a chain: {ruler}");

    let words = "the counter counts what the counter can count ".repeat(1000);
    let count = || black_box(&words).split(' ').count();
    let profile = profile!(Event::INSTRUCTIONS_EXECUTED, HostEvent::BRANCH_MISSES, { count() });
    println!("{profile}");
    println!("{}", cpi!({ count() }));
    Ok(())
}
