//! What a video card would show at the end of a run.

/// The memory of a video card at the end of a run, with what decides how it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The state of the card.
    pub display: Display,
    /// The bytes from A0000h, [`Picture::WIDTH`] times [`Picture::HEIGHT`].
    pub pixels: Vec<u8>,
    /// The bytes from B8000h: a character and its colours for each of 80 columns of 25 rows.
    pub text: Vec<u8>,
}

impl Picture {
    /// The pixels of a row in mode 13h.
    pub const WIDTH: usize = 320;
    /// Its rows.
    pub const HEIGHT: usize = 200;
    /// The columns of text, and its rows.
    pub const TEXT: [usize; 2] = [80, 25];
}

/// The state of a video card: the mode of its BIOS, its colours, and whether its planes are one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Display {
    /// The mode that was set, without the bit that keeps memory; `None` if none was.
    pub mode: Option<u8>,
    /// Red, green and blue of each colour, 0 to 63.
    pub palette: [[u8; 3]; 256],
    /// The bits of a pixel that count.
    pub mask: u8,
    /// Whether the sequencer was told not to chain the four planes, as for modes of 320x240.
    pub unchained: bool,
}

impl Default for Display {
    fn default() -> Display {
        Display {
            mode: None,
            palette: standard_palette(),
            mask: 0xFF,
            unchained: false,
        }
    }
}

/// The colours that the BIOS of a VGA sets for mode 13h: those of text, greys, and 24 hues in three saturations of
/// three intensities.
///
/// Source: IBM, Video Subsystem Technical Reference 1992, the default palette of mode 13h (remembered).
fn standard_palette() -> [[u8; 3]; 256] {
    const GREYS: [u8; 16] = [0, 5, 8, 11, 14, 17, 20, 24, 28, 32, 36, 40, 45, 50, 56, 63];
    /// For each intensity and saturation, the parts of a colour from none to all.
    const LEVELS: [[u8; 5]; 9] = [
        [0, 16, 31, 47, 63],
        [31, 39, 47, 55, 63],
        [45, 49, 54, 58, 63],
        [0, 7, 14, 21, 28],
        [14, 17, 21, 24, 28],
        [20, 22, 24, 26, 28],
        [0, 4, 8, 12, 16],
        [8, 10, 12, 14, 16],
        [11, 12, 13, 15, 16],
    ];
    let mut palette = [[0; 3]; 256];
    for (number, colour) in palette.iter_mut().enumerate() {
        *colour = match number {
            // Brown is a darker yellow.
            6 => [42, 21, 0],
            0..16 => [4, 2, 1].map(|bit| {
                let bright = if number & 8 != 0 { 21 } else { 0 };
                if number & bit != 0 { 42 + bright } else { bright }
            }),
            16..32 => [GREYS[number - 16]; 3],
            32..248 => {
                let (levels, hue) = (LEVELS[(number - 32) / 24], (number - 32) % 24);
                // From blue through red and green back to blue, each part rises and falls over four hues.
                let part = |from: usize| {
                    let at = (hue + 24 - from) % 24;
                    let level = match at {
                        0..4 => at,
                        4..12 => 4,
                        12..16 => 16 - at,
                        _ => 0,
                    };
                    levels[level]
                };
                [part(0), part(8), part(16)]
            }
            _ => [0; 3],
        };
    }
    palette
}

#[cfg(test)]
mod tests {
    use super::standard_palette;

    #[test]
    fn the_standard_palette_has_the_known_colours() {
        let palette = standard_palette();
        let known = [
            (1, [0, 0, 42]),
            (6, [42, 21, 0]),
            (9, [21, 21, 63]),
            (15, [63, 63, 63]),
            (31, [63, 63, 63]),
            (32, [0, 0, 63]),
            (33, [16, 0, 63]),
            (36, [63, 0, 63]),
            (37, [63, 0, 47]),
            (40, [63, 0, 0]),
            (44, [63, 63, 0]),
            (48, [0, 63, 0]),
            (52, [0, 63, 63]),
            (55, [0, 16, 63]),
            (56, [31, 31, 63]),
            (104, [0, 0, 28]),
            (176, [0, 0, 16]),
            (247, [11, 12, 16]),
            (255, [0, 0, 0]),
        ];
        for (number, colour) in known {
            assert_eq!(palette[number], colour, "colour {number}");
        }
    }
}
