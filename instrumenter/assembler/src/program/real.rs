//! Converts real numbers to the three x87 formats and to the two of Microsoft's older languages; the 80-bit conversion
//! is implemented here, correctly rounded.

use crate::diag::{Fault, Span, fault};
use crate::statement::RealFormat;

/// A real number as written: in decimal, or its bytes in hexadecimal followed by `r`.
pub(super) struct Real<'t> {
    pub(super) text: &'t str,
    pub(super) negative: bool,
    /// The format of a decimal number of 4 or 8 bytes.
    pub(super) format: RealFormat,
}

impl Real<'_> {
    fn is_microsoft(&self, size: u8) -> bool {
        self.format == RealFormat::Microsoft && matches!(size, 4 | 8)
    }
}

/// The approximate number of steps that converting a real number takes; 0 for sizes that are cheap to convert.
pub(super) fn steps(real: &Real<'_>, size: u8) -> u64 {
    if size != 10 && !real.is_microsoft(size) {
        return 0;
    }
    let exponent = real
        .text
        .find(['e', 'E'])
        .and_then(|at| real.text.get(at + 1..)?.parse().ok());
    let digits = real.text.len() as u64 + exponent.map_or(0, |exponent: i64| exponent.unsigned_abs().min(6000));
    let words = digits / 9 + 8;
    2 * words * words
}

/// Appends a real number of `size` bytes.
pub(super) fn real(bytes: &mut Vec<u8>, real: &Real<'_>, size: u8, span: Span) -> Result<(), Fault> {
    let Real { text, negative, .. } = *real;
    if let Some(hexadecimal) = text.strip_suffix(['r', 'R']) {
        let digits = hexadecimal.trim_start_matches('0');
        let Ok(bits) = u128::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16) else {
            return Err(fault(span, "invalid hexadecimal real number"));
        };
        let little = bits.to_le_bytes();
        if negative || little.iter().skip(usize::from(size)).any(|&byte| byte != 0) {
            return Err(fault(span, format!("hexadecimal digits do not fit in {size} bytes")));
        }
        bytes.extend(little.iter().take(usize::from(size)));
        return Ok(());
    }
    if real.is_microsoft(size) {
        let encoded = extended(text).and_then(|extended| microsoft(extended, size));
        let mut encoded = encoded.ok_or_else(|| fault(span, "real number out of range for Microsoft's format"))?;
        encoded[6] |= u8::from(negative && encoded[7] != 0) << 7;
        bytes.extend(encoded.iter().skip(8 - usize::from(size)));
        return Ok(());
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let unreadable = || fault(span, "invalid real number");
    match size {
        4 => {
            let number: f32 = text.parse().map_err(|_| unreadable())?;
            if !number.is_finite() {
                return Err(fault(span, "real number out of range for 32 bits"));
            }
            bytes.extend((number * sign as f32).to_le_bytes());
        }
        8 => {
            let number: f64 = text.parse().map_err(|_| unreadable())?;
            if !number.is_finite() {
                return Err(fault(span, "real number out of range for 64 bits"));
            }
            bytes.extend((number * sign).to_le_bytes());
        }
        10 => {
            let mut encoded = extended(text).ok_or_else(|| fault(span, "real number out of range for 80 bits"))?;
            encoded[9] |= u8::from(negative) << 7;
            bytes.extend(encoded);
        }
        _ => {
            bytes.extend(std::iter::repeat_n(0, usize::from(size)));
            return Err(fault(span, "a real number must have 4, 8 or 10 bytes"));
        }
    }
    Ok(())
}

/// The eight bytes of an 80-bit number in Microsoft's format; the last four of them are the number in 4 bytes; `None`
/// if it is out of range. The exponent, of the power of two above the number, is the last byte; the sign is in the
/// place of the highest bit of the mantissa, which is always 1.
fn microsoft(extended: [u8; 10], size: u8) -> Option<[u8; 8]> {
    /// The difference of the exponents of a number in both formats.
    const BIAS: i32 = 16_383 - 129;
    let mantissa = u64::from_le_bytes(*extended.first_chunk()?);
    let mut exponent = i32::from(u16::from_le_bytes([extended[8], extended[9]])) - BIAS;
    if mantissa == 0 {
        return Some([0; 8]);
    }
    let lost = match size {
        4 => 40,
        8 => 8,
        _ => return None,
    };
    let (kept, rest) = (mantissa >> lost, mantissa & ((1 << lost) - 1));
    let half = 1 << (lost - 1);
    let up = rest > half || (rest == half && kept & 1 == 1);
    let mut bits = kept + u64::from(up);
    if bits >> (64 - lost) != 0 {
        bits >>= 1;
        exponent += 1;
    }
    let exponent = u8::try_from(exponent).ok().filter(|&exponent| exponent != 0)?;
    let mut encoded = (bits << (lost - 8)).to_le_bytes();
    encoded[6] &= 0x7F;
    encoded[7] = exponent;
    Some(encoded)
}

/// The ten bytes of a decimal such as `3.25e-4`, without its sign; `None` if it is out of range or not a number.
fn extended(text: &str) -> Option<[u8; 10]> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Vec<u8> = whole
        .bytes()
        .chain(fraction.bytes())
        .skip_while(|&digit| digit == b'0')
        .collect();
    if digits.is_empty() {
        return Some([0; 10]);
    }
    if digits.len() > 1000 || !digits.iter().all(u8::is_ascii_digit) || exponent.abs() > 6000 {
        return None;
    }
    let ten = exponent - fraction.len() as i64;
    let mut numerator = Big::new();
    for digits in digits.chunks(DIGITS) {
        let number = digits
            .iter()
            .fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
        numerator.multiply_add(10u32.pow(digits.len() as u32), number);
    }
    let mut denominator = Big::one();
    let scaled = if ten > 0 { &mut numerator } else { &mut denominator };
    let tens = ten.unsigned_abs();
    for _ in 0..tens / DIGITS as u64 {
        scaled.multiply_add(10u32.pow(DIGITS as u32), 0);
    }
    scaled.multiply_add(10u32.pow((tens % DIGITS as u64) as u32), 0);
    // Scale so that the quotient has exactly 64 bits.
    let mut two = numerator.bits() - denominator.bits() - 64;
    if two > 0 {
        denominator.shift_left(two as usize);
    } else {
        numerator.shift_left((-two) as usize);
    }
    let (mut quotient, mut rest) = numerator.divide(&denominator);
    if quotient >> 64 != 0 {
        let odd = quotient & 1;
        quotient >>= 1;
        two += 1;
        // The new remainder is compared with half of the old divisor.
        if odd == 1 {
            rest.add(&denominator);
        }
        denominator.shift_left(1);
    }
    rest.shift_left(1);
    let half = rest.compare(&denominator);
    if half.is_gt() || (half.is_eq() && quotient & 1 == 1) {
        quotient += 1;
        if quotient >> 64 != 0 {
            quotient >>= 1;
            two += 1;
        }
    }
    let exponent = two + 63 + 16383;
    if !(1..0x7FFF).contains(&exponent) {
        return None;
    }
    let mut bytes = [0; 10];
    bytes[..8].copy_from_slice(&(quotient as u64).to_le_bytes());
    bytes[8..].copy_from_slice(&(exponent as u16).to_le_bytes());
    Some(bytes)
}

/// The maximum number of decimal digits that always fit in a word.
const DIGITS: usize = 9;

/// An integer of any size, least significant word first, without leading zero words.
#[derive(Clone)]
struct Big(Vec<u32>);

impl Big {
    fn new() -> Big {
        Big(Vec::new())
    }

    fn one() -> Big {
        Big(vec![1])
    }

    fn multiply_add(&mut self, factor: u32, addend: u32) {
        let mut carry = u64::from(addend);
        for word in &mut self.0 {
            carry += u64::from(*word) * u64::from(factor);
            *word = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    fn bits(&self) -> i64 {
        match self.0.last() {
            Some(top) => self.0.len() as i64 * 32 - i64::from(top.leading_zeros()),
            None => 0,
        }
    }

    fn shift_left(&mut self, count: usize) {
        let bits = count % 32;
        if bits > 0 {
            let mut carry = 0;
            for word in &mut self.0 {
                let next = *word >> (32 - bits);
                *word = (*word << bits) | carry;
                carry = next;
            }
            if carry != 0 {
                self.0.push(carry);
            }
        }
        if !self.0.is_empty() {
            self.0.splice(0..0, std::iter::repeat_n(0, count / 32));
        }
    }

    fn shift_right_once(&mut self) {
        let mut carry = 0;
        for word in self.0.iter_mut().rev() {
            let next = *word << 31;
            *word = (*word >> 1) | carry;
            carry = next;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    fn compare(&self, other: &Big) -> std::cmp::Ordering {
        self.0
            .len()
            .cmp(&other.0.len())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn add(&mut self, other: &Big) {
        let mut carry = 0u64;
        for place in 0..self.0.len().max(other.0.len()) {
            if place == self.0.len() {
                self.0.push(0);
            }
            carry += u64::from(self.0[place]) + u64::from(other.0.get(place).copied().unwrap_or(0));
            self.0[place] = carry as u32;
            carry >>= 32;
        }
        if carry != 0 {
            self.0.push(carry as u32);
        }
    }

    fn subtract(&mut self, other: &Big) {
        let mut borrow = 0i64;
        for (place, word) in self.0.iter_mut().enumerate() {
            let difference = i64::from(*word) - i64::from(other.0.get(place).copied().unwrap_or(0)) + borrow;
            *word = difference as u32;
            borrow = difference >> 32;
        }
        self.trim();
    }

    /// The quotient, which must fit in 128 bits, and the remainder, computed one bit at a time.
    fn divide(mut self, divisor: &Big) -> (u128, Big) {
        let mut quotient = 0u128;
        let steps = (self.bits() - divisor.bits()).max(0) as usize;
        let mut shifted = divisor.clone();
        shifted.shift_left(steps);
        for _ in 0..=steps {
            quotient <<= 1;
            if self.compare(&shifted).is_ge() {
                self.subtract(&shifted);
                quotient |= 1;
            }
            shifted.shift_right_once();
        }
        (quotient, self)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests {
    use super::*;

    #[test]
    fn extended_numbers_are_rounded_to_64_bits() {
        let pi = extended("3.14159265358979323846264338327950288").unwrap();
        assert_eq!(pi, [0x35, 0xC2, 0x68, 0x21, 0xA2, 0xDA, 0x0F, 0xC9, 0x00, 0x40]);
        assert_eq!(extended("1.0").unwrap(), [0, 0, 0, 0, 0, 0, 0, 0x80, 0xFF, 0x3F]);
        assert_eq!(extended("0.0").unwrap(), [0; 10]);
        let tenth = extended("0.1").unwrap();
        assert_eq!(tenth, [0xCD, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC, 0xFB, 0x3F]);
        assert!(extended("1.0e5000").is_none());
    }

    #[test]
    fn numbers_a_double_holds_exactly_come_out_as_that_double() {
        let seed = p5_seeds::seed();
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..2000 {
            let number = f64::from_bits(random.u64(0x0010_0000_0000_0000..0x7FE0_0000_0000_0000));
            let text = format!("{number:.1100e}");
            // Small doubles have more digits than the reader accepts; the accepted ones must be exact.
            let digits = text.split('e').next().unwrap().trim_end_matches('0');
            let text = format!("{digits}e{}", text.split('e').nth(1).unwrap());
            let Some(bytes) = extended(&text) else {
                assert!(digits.len() > 1000, "seed {seed}: {text}");
                continue;
            };
            let mantissa = u64::from_le_bytes(bytes[..8].try_into().unwrap());
            let exponent = i32::from(u16::from_le_bytes(bytes[8..].try_into().unwrap())) - 16383 - 63;
            let bits = number.to_bits();
            assert_eq!(mantissa, (bits << 11) | 1 << 63, "seed {seed}: {number:e}");
            assert_eq!(exponent + 11, (bits >> 52) as i32 - 1075, "seed {seed}: {number:e}");
        }
    }
}
