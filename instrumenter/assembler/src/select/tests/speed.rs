//! The processor time to build the table and to encode an instruction, printed and held to generous bounds.

use super::*;
use cpu_time::ThreadTime;

#[test]
fn the_table_and_the_encoder_are_fast() {
    let start = ThreadTime::now();
    let table = forms::build(CodeSize::Bits32, false);
    let built = start.elapsed();
    let mut selector = Selector::new(CodeSize::Bits32);
    let cases: Vec<_> = CLASSIC.iter().map(|&(text, _)| parse(text)).collect();
    let start = ThreadTime::now();
    let mut bytes = 0u64;
    let rounds = 2_000;
    for _ in 0..rounds {
        for (mnemonic, prefixes, operands) in &cases {
            if let Ok(encoded) = selector.encode(mnemonic, *prefixes, operands, 0x1000) {
                bytes += u64::from(encoded.length);
            }
        }
    }
    let elapsed = start.elapsed().as_secs_f64();
    let encoded = (rounds * cases.len()) as f64;
    eprintln!(
        "{} names, {} forms in {built:?}; {:.1} million instructions a second, {bytes} bytes",
        table.names.len(),
        table.forms.len(),
        encoded / elapsed / 1e6
    );
    assert!(built.as_millis() < 100, "the table took {built:?}");
    assert!(
        encoded / elapsed > 3e5,
        "only {} instructions a second",
        encoded / elapsed
    );
}
