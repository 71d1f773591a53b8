//! A performance monitoring unit as sysfs describes it: its type number, and the positions of its options' bits.

use super::Host;

/// The folder in which the kernel describes its units.
pub const DEVICES: &str = "/sys/bus/event_source/devices";
/// The maximum number of bit ranges in one option.
const MOST_RANGES: usize = 64;

/// A word of `perf_event_attr` that holds option bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The word `config`.
    Config,
    /// The word `config1`.
    Config1,
    /// The word `config2`.
    Config2,
}

/// The positions of an option's bits, as `format/NAME` gives them: `config:19`, `config1:0-11` or `config:0-7,32-35`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The word that holds the bits.
    pub word: Word,
    /// The first and the last bit of each range, at most 63, from the option's lowest bit up. Ranges do not overlap.
    ranges: Vec<(u32, u32)>,
}

impl Bits {
    /// Reads the text of a file in `format`; `None` if this version does not understand it.
    pub fn parse(text: &str) -> Option<Bits> {
        let (word, ranges) = text.trim().split_once(':')?;
        let word = match word {
            "config" => Word::Config,
            "config1" => Word::Config1,
            "config2" => Word::Config2,
            _ => return None,
        };
        let mut parsed = Vec::new();
        let mut taken = 0u64;
        for range in ranges.split(',') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
            if first > last || last > 63 || parsed.len() == MOST_RANGES {
                return None;
            }
            let mask = mask(first, last);
            if taken & mask != 0 {
                return None;
            }
            taken |= mask;
            parsed.push((first, last));
        }
        Some(Bits { word, ranges: parsed })
    }

    /// The largest value that fits into the bits.
    pub fn most(&self) -> u64 {
        let width: u32 = self.ranges.iter().map(|&(first, last)| last - first + 1).sum();
        u64::MAX >> (64 - width)
    }

    /// The word with the bits of `value` in their positions; `None` if the value does not fit.
    pub fn place(&self, value: u64) -> Option<u64> {
        (value <= self.most()).then_some(())?;
        let mut rest = value;
        let mut placed = 0;
        for &(first, last) in &self.ranges {
            placed |= (rest << first) & mask(first, last);
            rest = rest.checked_shr(last - first + 1).unwrap_or(0);
        }
        Some(placed)
    }
}

/// The bits from `first` to `last`, both at most 63.
fn mask(first: u32, last: u32) -> u64 {
    (u64::MAX >> (63 - (last - first))) << first
}

/// The type number by which events of a unit are opened; `None` if the machine has no such unit.
pub fn unit_type(host: &dyn Host, unit: &str) -> Option<u32> {
    host.read(&format!("{DEVICES}/{unit}/type"))?.trim().parse().ok()
}

/// The text of an option's format; `None` if the unit has no such option.
pub fn format(host: &dyn Host, unit: &str, option: &str) -> Option<String> {
    host.read(&format!("{DEVICES}/{unit}/format/{option}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_placed_where_the_kernel_says() {
        for (text, value, word, placed) in [
            ("config:19\n", 1, Word::Config, 1 << 19),
            ("config:57", 1, Word::Config, 1 << 57),
            ("config1:0-11\n", 2_048, Word::Config1, 2_048),
            ("config2:0", 1, Word::Config2, 1),
            ("config:0-7,32-35\n", 0xABC, Word::Config, 0xA_0000_00BC),
            ("config:0-63", u64::MAX, Word::Config, u64::MAX),
        ] {
            let bits = Bits::parse(text).expect(text);
            assert_eq!((bits.word, bits.place(value)), (word, Some(placed)), "{text}");
            assert_eq!(bits.place(0), Some(0), "{text}");
        }
        let narrow = Bits::parse("config1:0-11").expect("a format");
        assert_eq!((narrow.most(), narrow.place(4_096)), (4_095, None));
    }

    #[test]
    fn other_texts_are_no_format() {
        for text in [
            "",
            "config",
            "config:",
            "config:x",
            "config:64",
            "config:9-3",
            "config:0-64",
            "config9:1",
            "config:1,",
            "config:1-2,2",
            "config:-1",
            "event=0x3c",
            "config:99999999999",
        ] {
            assert_eq!(Bits::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn random_texts_are_a_format_or_none() {
        let seed = p5_seeds::seed();
        let mut random = fastrand::Rng::with_seed(seed);
        let letters: Vec<char> = "config12:,-0359 ".chars().collect();
        for _ in 0..20_000 {
            let tail: String = (0..random.usize(..12))
                .map(|_| letters[random.usize(..letters.len())])
                .collect();
            let text = if random.bool() { format!("config:{tail}") } else { tail };
            if let Some(bits) = Bits::parse(&text) {
                let value = random.u64(..) & bits.most();
                let placed = bits.place(value).expect("it fits");
                assert_eq!(placed.count_ones(), value.count_ones(), "{text:?}, seed {seed}");
            }
        }
    }
}
