//! What ports answer. There are no devices, and every port reads as all ones, except for those on which programs wait
//! until a bit changes: the status of a video card, whose bits of the retraces change with every read, and the
//! keyboard's data, which say that Esc has been pressed; and for the colours of a video card, which keep what is
//! written.
//!
//! Not modelled: the time between two retraces; a wait for one ends at once.

use super::Process;
use super::display::Card;

/// Input status register 1 of cards with and without colour.
const STATUS: [u16; 2] = [0x3DA, 0x3BA];
/// In it, the bits of the display, which is blank during any retrace, and of the vertical retrace.
const RETRACES: u32 = 0b1001;
/// The data port of the keyboard's controller.
const KEYBOARD: u16 = 0x60;
/// The scan code of Esc when it is pressed.
const ESC: u32 = 0x01;

/// Whether two reads of a port differ.
pub fn changes(port: u16) -> bool {
    STATUS.contains(&port) || Card::changes(port)
}

/// A write of `size` bytes of `value` to a port and those after it. Returns whether something keeps all of them.
pub fn write(process: &mut Process, port: u16, size: u8, value: u32) -> bool {
    let bytes = value.to_le_bytes().into_iter().take(size.into());
    let kept = (0..).zip(bytes);
    kept.fold(true, |all, (next, byte)| {
        process.card.write(port.wrapping_add(next), byte) && all
    })
}

/// A read of `size` bytes from a port.
pub fn read(process: &mut Process, port: u16, size: u8) -> u32 {
    let ones = u32::MAX >> (32 - 8 * u32::from(size.clamp(1, 4)));
    match port {
        _ if size > 1 => ones,
        KEYBOARD => ESC,
        _ if STATUS.contains(&port) => {
            process.retrace = !process.retrace;
            if process.retrace { RETRACES } else { 0 }
        }
        _ => process.card.read(port).map_or(ones, u32::from),
    }
}
