//! Random operands for floating-point instructions: every class of value, and bits that make rounding difficult.

use fastrand::Rng;

const INTEGER_BIT: u64 = 1 << 63;

/// A random significand, in one of several patterns, without its integer bit.
fn fraction(random: &mut Rng) -> u64 {
    let bits = match random.u8(..9) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << random.u32(..64),
        3 => u64::MAX << random.u32(..64),
        4 => u64::MAX >> random.u32(..64),
        // Around half of a unit in the last place of 53 or 24 bits.
        5 => random.u64(..) << 11 | 0x400 | random.u64(..3),
        6 => random.u64(..) << 40 | 0x80_0000_0000 | random.u64(..3),
        _ => random.u64(..),
    };
    bits & !INTEGER_BIT
}

fn exponent(random: &mut Rng) -> u16 {
    match random.u8(..16) {
        0 => random.u16(..0x7FFF),
        1 => 0x7FFE - random.u16(..70),
        2 => 1 + random.u16(..70),
        3 => 0x3FFF + random.u16(..0x500),
        4 => 0x3FFF - random.u16(..0x500),
        5 | 6 => 0x3FFF + random.u16(..66),
        _ => 0x3FFF + 5 - random.u16(..10),
    }
}

/// A random 80-bit value: sign and exponent, then the significand.
pub(crate) fn extended(random: &mut Rng) -> (u16, u64) {
    let sign = u16::from(random.bool()) << 15;
    let (exponent, significand) = match random.u8(..48) {
        0 | 1 => (0, 0),
        2 => (0x7FFF, INTEGER_BIT),
        // NaNs: quiet, signalling, and those with the same significand.
        3 => (0x7FFF, 0xC000_0000_0000_0000 | fraction(random)),
        4 => (0x7FFF, INTEGER_BIT | (fraction(random) >> 2).max(1)),
        5 => (0x7FFF, 0xC000_0000_0000_0000 | random.u64(..2)),
        // Denormals and pseudo-denormals.
        6 => (0, fraction(random)),
        7 => (0, fraction(random) >> random.u32(..63)),
        8 => (0, INTEGER_BIT | fraction(random)),
        // Unsupported formats: unnormals, and infinities and others without an integer bit.
        9 => (exponent(random), fraction(random)),
        10 => (0x7FFF, fraction(random)),
        11 => (0x7FFF, 0),
        // Small integers and halves.
        12..16 => {
            let bits = random.u32(1..20);
            let number = random.u64(1..1 << bits);
            let shift = number.leading_zeros();
            (0x3FFF + 63 - shift as u16 - random.u16(..2), number << shift)
        }
        16 => (random.u16(..0x8000) & 0x7FFF, random.u64(..)),
        _ => (exponent(random), INTEGER_BIT | fraction(random)),
    };
    (sign | exponent, significand)
}

/// Random bytes for a memory operand of any format.
pub(crate) fn memory(random: &mut Rng) -> [u8; 16] {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    let sign = random.u64(..2);
    match random.u8(..12) {
        0..=2 => {
            let special = [0, 1, 2, 0x3FE, 0x3FF, 0x400, 0x43D, 0x43E, 0x43F, 0x7FD, 0x7FE, 0x7FF];
            let exponent = special[random.usize(..special.len())];
            let bits = sign << 63 | exponent << 52 | fraction(random) >> 11;
            bytes[..8].copy_from_slice(&bits.to_le_bytes());
        }
        3..=5 => {
            let special = [0, 1, 2, 0x7E, 0x7F, 0x80, 0x9D, 0x9E, 0xFD, 0xFE, 0xFF];
            let exponent = special[random.usize(..special.len())];
            let bits = sign << 31 | exponent << 23 | fraction(random) >> 40;
            bytes[..4].copy_from_slice(&(bits as u32).to_le_bytes());
        }
        6 => bytes[..8].copy_from_slice(&(random.i64(-200..200)).to_le_bytes()),
        7 => bytes[..8].copy_from_slice(&(i64::MIN >> random.u32(..64)).to_le_bytes()),
        8 => {
            // Packed decimal.
            for byte in &mut bytes[..9] {
                *byte = random.u8(..10) << 4 | random.u8(..10);
            }
            bytes[9] &= 0x80;
        }
        9..=10 => {
            let (sign_exponent, significand) = extended(random);
            bytes[..8].copy_from_slice(&significand.to_le_bytes());
            bytes[8..10].copy_from_slice(&sign_exponent.to_le_bytes());
        }
        _ => {}
    }
    bytes
}
