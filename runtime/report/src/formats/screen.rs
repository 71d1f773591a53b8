//! What a video card shows at the end of a run: the picture of mode 13h as a portable pixmap, with the colours that the
//! program wrote, or the characters of a text mode as text.
//!
//! Without a mode that the program set by int 10h, the memory in which it has left something tells which.

use super::Style;
use p5_results::{Display, Picture, Run};
use std::io::{self, Write};

/// The mode of 320x200 pixels, and those of text.
const GRAPHICS: u8 = 0x13;
const TEXT: [u8; 5] = [0, 1, 2, 3, 7];

/// The characters 00h to 1Fh and 7Fh to FFh of code page 437, as a video card shows them.
const LOW: &str = " ☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼";
const HIGH: &str = "⌂ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀\
                    αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

pub(super) fn write(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(picture) = &run.picture else {
        return Err(none("the program has no memory of a video card"));
    };
    let Picture { display, pixels, text } = picture;
    let drawn = run.screen.is_some() || pixels.iter().any(|&pixel| pixel != 0);
    match display.mode {
        _ if display.unchained => Err(none(
            "the program has unchained the planes of the video card, and a picture in planes is not simulated",
        )),
        Some(GRAPHICS) => graphics(display, pixels, out),
        Some(mode) if TEXT.contains(&mode) => characters(text, out),
        Some(mode) => Err(none(&format!(
            "the program set mode {mode:02X}h, and only mode 13h and those of text can be shown"
        ))),
        None if drawn => graphics(display, pixels, out),
        None if text.iter().any(|&byte| byte != 0) => characters(text, out),
        None => Err(none(
            "the program set no mode, and has left nothing in the memory of the screen",
        )),
    }
}

fn none(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("there is no picture: {why}"))
}

fn graphics(display: &Display, pixels: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "P6\n{} {}\n255\n", Picture::WIDTH, Picture::HEIGHT)?;
    // Of eight bits, the first two follow the six.
    let wide = |part: u8| part << 2 | part >> 4;
    let colours = pixels
        .iter()
        .flat_map(|pixel| display.palette[usize::from(pixel & display.mask)].map(wide));
    out.write_all(&colours.collect::<Vec<u8>>())
}

fn characters(text: &[u8], out: &mut dyn Write) -> io::Result<()> {
    let [columns, _] = Picture::TEXT;
    let shown = |byte: u8| match byte {
        0x20..0x7F => Some(char::from(byte)),
        0x7F.. => HIGH.chars().nth(usize::from(byte - 0x7F)),
        _ => LOW.chars().nth(byte.into()),
    };
    for row in text.chunks(2 * columns) {
        let row: String = row.iter().step_by(2).filter_map(|&byte| shown(byte)).collect();
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{HIGH, LOW};

    #[test]
    fn every_character_has_its_sign() {
        assert_eq!((LOW.chars().count(), HIGH.chars().count()), (0x20, 0x81));
        assert_eq!(HIGH.chars().nth(0xDB - 0x7F), Some('█'));
    }
}
