//! Tests of the tags and of the top of the stack.

use super::*;

#[test]
fn tags_follow_from_values() {
    let mut fpu = Fpu::default();
    assert_eq!(fpu.tags(), 0xFFFF);
    fpu.push(Extended::ONE);
    fpu.push(Extended::ZERO);
    fpu.push(Extended::INDEFINITE);
    assert_eq!((fpu.top(), fpu.tags()), (5, 0b00_01_10_11_11_11_11_11));
    fpu.pop();
    assert_eq!(fpu.tags(), 0b00_01_11_11_11_11_11_11);
    fpu.set_tags(0b10_10_10_11_11_11_11_11);
    assert_eq!(fpu.tags(), 0b00_01_10_11_11_11_11_11, "only emptiness is taken");
}

#[test]
fn the_summary_follows_masks() {
    let mut fpu = Fpu::default();
    fpu.report(0, INVALID | C1);
    assert_eq!(fpu.status(), INVALID | C1);
    fpu.set_control(0);
    assert_eq!(fpu.control(), 0x40);
    assert_eq!(fpu.status(), INVALID | C1 | SUMMARY | BUSY);
    fpu.set_control(0x7F);
    assert!(!fpu.is_pending());
}
