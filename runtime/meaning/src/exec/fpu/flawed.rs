//! Division on the first Pentiums: radix 4, with quotient digits from a table that lacks five entries.
//!
//! Sources: A. Edelman, The mathematics of the Pentium division bug, SIAM Review 39 (1997); T. Coe and P. Tang, It
//! takes six ones to reach a flaw (1995). The partial remainder is kept as a sum and separate carries. The upper bits
//! of both and of the divisor select a digit. Where digits overlap, the bounds of the table are chosen to give the
//! published quotients.

/// The number of bits below the binary point of a partial remainder; four bits are above it.
const FRACTION: u32 = 68;
/// The number of unused bits of an `i128` above a partial remainder.
const UNUSED: u32 = 128 - FRACTION - 4;
/// The number of digits in a quotient: enough for 64 bits, rounding, and the digit before the point.
const DIGITS: u32 = 35;
/// The divisors, in sixteenths, whose uppermost table entry is missing.
const MISSING: [i32; 5] = [17, 20, 23, 26, 29];

/// The quotient digit for a partial remainder in eighths and a divisor in sixteenths, both truncated.
fn digit(remainder: i32, divisor: i32) -> i32 {
    // Positive entries end where the remainder reaches 8/3 of the divisor. Outside of the table there are zeros.
    let upper = (8 * (divisor + 1) + 5) / 6;
    let missing = MISSING.contains(&divisor) && remainder == upper - 1;
    if missing || remainder >= upper || remainder < -upper - 2 {
        return 0;
    }
    // Digit 2 begins at 4/3 of the divisor, digit 1 at 1/3 of it.
    let two = 12 + 2 * ((divisor - 15) / 3);
    let one = (divisor + 6) / 6;
    match remainder {
        remainder if remainder >= two => 2,
        remainder if remainder >= one => 1,
        remainder if remainder >= -one - 1 => 0,
        remainder if remainder >= -two - 1 => -1,
        _ => -2,
    }
}

/// The quotient of two normalised significands, and whether its first bit, bit 127, stands for a half.
pub(super) fn quotient(dividend: u64, divisor: u64) -> (u128, bool) {
    let column = (divisor >> 59) as i32;
    let wide = i128::from(divisor) << (FRACTION - 63);
    let (mut sum, mut carries) = (i128::from(dividend) << (FRACTION - 63), 0i128);
    let mut quotient = 0i128;
    for _ in 0..DIGITS {
        // The estimate has seven bits, four of them before the point.
        let estimate = ((sum >> (FRACTION - 3)) + (carries >> (FRACTION - 3))) as i32;
        let digit = digit(estimate << 25 >> 25, column);
        quotient = 4 * quotient + i128::from(digit);
        // Subtraction adds the complement and one.
        let multiple = wide * i128::from(digit.abs());
        let (addend, one) = if digit > 0 { (!multiple, 1) } else { (multiple, 0) };
        let partial = sum ^ carries ^ addend;
        let carried = (sum & carries | sum & addend | carries & addend) << 1 | one;
        (sum, carries) = (partial << 2 << UNUSED >> UNUSED, carried << 2 << UNUSED >> UNUSED);
    }
    // A negative rest reduces the last digit by one. A rest of any sign is below the bits that are rounded.
    let rest = sum.wrapping_add(carries) << UNUSED >> UNUSED;
    let quotient = (quotient - i128::from(rest < 0)) as u128;
    let wide = quotient << (128 - 2 * DIGITS + 1) | u128::from(rest != 0);
    if wide >> 127 == 0 {
        (wide << 1, true)
    } else {
        (wide, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(a: u64, b: u64) -> f64 {
        let (shift_a, shift_b) = (a.leading_zeros(), b.leading_zeros());
        let (wide, below_one) = quotient(a << shift_a, b << shift_b);
        let scale = f64::from(shift_b as i32 - shift_a as i32 - i32::from(below_one)).exp2();
        (wide >> 64) as u64 as f64 / INTEGER * scale
    }

    const INTEGER: f64 = (1u64 << 63) as f64;

    #[test]
    fn the_published_flaws_are_there() {
        assert_eq!(divided(4_195_835, 3_145_727).to_string(), "1.3337390689020376");
        assert_eq!(format!("{:.14}", divided(5_506_153, 294_911)), "18.66990719233938");
        assert_eq!(format!("{:.8}", divided(5_505_001, 294_911)), "18.66600093");
        assert_eq!(divided(1, 3).to_string(), (1.0 / 3.0).to_string());
    }

    #[test]
    fn nearly_all_quotients_are_right() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..100_000 {
            let [a, b] = [0; 2].map(|_: u8| random.u64(..) | 1 << 63);
            let below_one = a < b;
            let exact = (u128::from(a) << (63 + u32::from(below_one))) / u128::from(b);
            let (wide, below) = quotient(a, b);
            assert_eq!((wide >> 64, below), (exact, below_one), "{a:x} / {b:x}");
        }
    }
}
