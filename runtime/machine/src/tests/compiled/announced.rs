//! Whether code is compiled, which is known before a run.

use super::{CODE, DATA};
use crate::{EngineChoice, Machine, NotCompiled, Options, not_compiled};
use p5_chips::{MODELS, MONITORS};
use p5_image::{Image, Segment};
use p5_results::StopReason;

/// What is said of the options is what happens with them: code is made, or there is a reason.
#[test]
fn whether_code_is_compiled_is_known_before_the_run() {
    // mov ecx,100000; again: mov eax,[ebx]; dec ecx; jnz again; hlt
    let bytes = [0xB9, 0xA0, 0x86, 1, 0, 0x8B, 0x03, 0x49, 0x75, 0xFB, 0xF4];
    let code = [&[0xBB][..], &DATA.to_le_bytes(), &bytes].concat();
    let segment = |name: &str, address, bytes: Vec<u8>| Segment {
        name: name.to_owned(),
        address,
        zeroes: 64,
        bytes,
        writable: true,
    };
    let image = Image {
        entry: CODE,
        segments: vec![segment("code", CODE, code), segment("data", DATA, vec![0; 64])],
        ..Image::default()
    };
    let mut reasons = Vec::new();
    for model in MODELS {
        let with = MONITORS
            .iter()
            .filter_map(|monitor| model.with_monitors(&[monitor]).ok());
        for model in [*model].into_iter().chain(with) {
            for calls in [false, true] {
                let options = Options {
                    engine: EngineChoice::Jit,
                    runs: 1,
                    calls,
                    ..Options::default()
                };
                let known = not_compiled(model, &options);
                let mut machine = Machine::new(model, &image, options);
                machine.run_all(&mut |_| {});
                let stop = machine.stop.reason;
                assert_eq!(stop, StopReason::Halt, "{}", model.name);
                let names: Vec<_> = model.monitors.iter().map(|monitor| monitor.name).collect();
                let compiled = machine.engine.compiler.is_some();
                assert_eq!(
                    compiled,
                    known.is_none(),
                    "{} with {names:?}, {calls}: {known:?}",
                    model.name
                );
                if let Some(known) = known
                    && !reasons.contains(&known)
                {
                    reasons.push(known);
                }
            }
        }
    }
    let host_compiles = reasons.contains(&NotCompiled::StepByStep);
    assert!(!host_compiles || reasons.len() == 4, "{reasons:?}");
}
