//! The measurements of native runs.

use crate::native::images::{cannot, image};
use runtime::native::{Native, Options, run};
use std::time::Duration;

fn median(samples: impl IntoIterator<Item = u64>) -> f64 {
    let mut sorted: Vec<u64> = samples.into_iter().collect();
    sorted.sort_unstable();
    sorted[sorted.len() / 2] as f64
}

/// The mean of the uninterrupted samples, which is finer than a step of the counter.
fn mean(native: &Native, samples: impl Iterator<Item = u64> + Clone) -> f64 {
    let most = median(samples.clone()) + 4.0 * native.quantum.expect("a counter") as f64;
    let kept: Vec<f64> = samples
        .map(|ticks| ticks as f64)
        .filter(|&ticks| ticks <= most)
        .collect();
    kept.iter().sum::<f64>() / kept.len() as f64
}

/// The core clocks of the program, from the chain that was timed with it.
fn clocks(native: &Native) -> f64 {
    let empty = mean(native, native.empty.iter().copied());
    let chain = mean(native, native.chain.iter().copied()) - empty;
    let program = mean(native, native.runs.iter().map(|run| run.ticks)) - empty;
    program * f64::from(native.chain_length) / chain
}

#[test]
fn ten_thousand_dependent_additions_take_ten_thousand_clocks() {
    if cannot() {
        return;
    }
    // mov ecx,1000; again: ten times add eax,ebx; dec ecx; jnz again
    let mut code = vec![0xB9, 0xE8, 3, 0, 0];
    code.extend([0x01, 0xD8].repeat(10));
    code.extend([0x49, 0x75, 0xE9]);
    let mut seen = Vec::new();
    for _ in 0..3 {
        let native = run(
            &image(&code),
            &Options {
                runs: 2_000,
                patience: Duration::from_millis(300),
                limit: Duration::from_secs(5),
            },
        )
        .expect("runs");
        assert!(native.empty.len() >= 100 && native.chain.len() >= 32, "{native:?}");
        let clocks = clocks(&native);
        seen.push(clocks);
        if (9_000.0..11_000.0).contains(&clocks) {
            return;
        }
    }
    // Other programs on the processor affect every figure; a wrong method would be off by a factor.
    assert!(
        seen.iter().all(|clocks| (3_000.0..40_000.0).contains(clocks)),
        "{seen:?}"
    );
    eprintln!("BUSY: 10,000 dependent additions took {seen:?} core clocks: others use this machine's cores");
}

#[test]
fn samples_are_there_even_when_runs_are_few() {
    if cannot() {
        return;
    }
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    let native = run(&image(&[0x90]), &options).expect("runs");
    assert_eq!(native.runs.len(), 1);
    assert!(native.empty.len() >= 100 && native.chain.len() >= 32);
    assert!(native.quantum.is_ok_and(|step| step > 0));
    assert!(native.empty.iter().all(|&ticks| ticks > 0));
}

#[test]
fn no_run_begins_when_patience_is_over() {
    if cannot() {
        return;
    }
    // A run takes about 5 ms: mov ecx,2000000h; loop: dec ecx; jnz
    let code = [0xB9, 0, 0, 0, 1, 0x49, 0x75, 0xFD];
    let options = Options {
        runs: 1_000_000,
        patience: Duration::from_millis(50),
        limit: Duration::from_secs(5),
    };
    let native = run(&image(&code), &options).expect("runs");
    assert!((1..100).contains(&native.runs.len()), "{}", native.runs.len());
    assert_eq!(native.stop.reason, runtime::run::StopReason::End);
}

#[test]
fn a_hundred_clocks_are_told_apart_though_the_counter_has_steps() {
    if cannot() {
        return;
    }
    let additions = |count| {
        let native = run(
            &image(&[0x01, 0xD8].repeat(count)),
            &Options {
                runs: 4_000,
                patience: Duration::from_millis(200),
                limit: Duration::from_secs(5),
            },
        );
        clocks(&native.expect("runs"))
    };
    let mut seen = Vec::new();
    for _ in 0..5 {
        let difference = additions(164) - additions(64);
        seen.push(difference);
        if (92.0..108.0).contains(&difference) {
            return;
        }
    }
    assert!(seen.iter().any(|clocks| (30.0..400.0).contains(clocks)), "{seen:?}");
    eprintln!("BUSY: 100 dependent additions took {seen:?} core clocks: others use this machine's cores");
}
