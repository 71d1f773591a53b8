//! FLDENV, FNSTENV, FRSTOR and FNSAVE: the images of the unit in memory, with 16 and 32 bits, in real and protected
//! mode.

use super::{Flow, Leave, MicroOp, State};
use p5_words::fpu::{ENVIRONMENT_WORDS, EXCEPTIONS, Extended, Fpu, LastInstruction, STACK};
use p5_words::registers::{CR0_PE, VM};

const REGISTER: u32 = 10;

/// Whether an image has the selectors of protected mode rather than linear addresses.
fn is_protected(state: &State) -> bool {
    state.registers.cr0 & CR0_PE != 0 && state.registers.flags.rest & VM == 0
}

/// The environment as the words of an image. The unused halves in images of 32 bits are ones.
fn image<const N: u32>(fpu: &Fpu, protected: bool) -> [u32; ENVIRONMENT_WORDS] {
    let last = &fpu.last;
    let opcode = u32::from(last.opcode & 0x7FF);
    let words = [fpu.control(), fpu.status(), fpu.tags()].map(u32::from);
    let linear = |selector: u16, offset: u32| (u32::from(selector) << 4).wrapping_add(offset);
    let code = linear(last.code_selector, last.code_offset);
    let data = linear(last.data_selector, last.data_offset);
    let pointers = match (N, protected) {
        (16, true) => [
            last.code_offset,
            u32::from(last.code_selector),
            last.data_offset,
            u32::from(last.data_selector),
        ],
        (16, false) => [code, code >> 4 & 0xF000 | opcode, data, data >> 4 & 0xF000],
        (_, true) => [
            last.code_offset,
            u32::from(last.code_selector) | opcode << 16,
            last.data_offset,
            u32::from(last.data_selector) | 0xFFFF_0000,
        ],
        _ => [
            code & 0xFFFF | 0xFFFF_0000,
            code >> 4 & 0x0FFF_F000 | opcode,
            data & 0xFFFF | 0xFFFF_0000,
            data >> 4 & 0x0FFF_F000,
        ],
    };
    let unused = if N == 16 { 0 } else { 0xFFFF_0000 };
    let mut image = [0; ENVIRONMENT_WORDS];
    image[..3].copy_from_slice(&words.map(|word| word | unused));
    image[3..].copy_from_slice(&pointers);
    image
}

/// Sets the environment from the words of an image.
fn take<const N: u32>(fpu: &mut Fpu, protected: bool, image: &[u32; ENVIRONMENT_WORDS]) {
    let [control, status, tags, code, code_selector, data, data_selector] = *image;
    fpu.last = match (N, protected) {
        (16, true) => LastInstruction {
            code_selector: code_selector as u16,
            code_offset: code,
            opcode: fpu.last.opcode,
            data_selector: data_selector as u16,
            data_offset: data,
        },
        (_, true) => LastInstruction {
            code_selector: code_selector as u16,
            code_offset: code,
            opcode: (code_selector >> 16) as u16 & 0x7FF,
            data_selector: data_selector as u16,
            data_offset: data,
        },
        // Addresses are linear, with bits 12 and up in the next word.
        _ => LastInstruction {
            code_selector: 0,
            code_offset: code & 0xFFFF | code_selector << 4 & 0xFFFF_0000,
            opcode: code_selector as u16 & 0x7FF,
            data_selector: 0,
            data_offset: data & 0xFFFF | data_selector << 4 & 0xFFFF_0000,
        },
    };
    fpu.set_status(status as u16);
    fpu.set_tags(tags as u16);
    fpu.set_control(control as u16);
}

impl State {
    fn image_offset(op: &MicroOp, offset: u32, distance: u32) -> u32 {
        offset.wrapping_add(distance) & op.offset_mask
    }

    /// Checks that `length` bytes are writable before any is written.
    fn probe_image(&mut self, op: &MicroOp, offset: u32, length: u32) -> Result<(), Leave> {
        for distance in (0..length).step_by(2) {
            self.probe_store(op.segment(), Self::image_offset(op, offset, distance), 2)?;
        }
        Ok(())
    }

    fn store_environment<const N: u32>(&mut self, op: &MicroOp, offset: u32) -> Result<(), Leave> {
        let protected = is_protected(self);
        let image = image::<N>(&self.registers.fpu, protected);
        for (index, word) in (0..).zip(image) {
            self.store_at::<N>(op.segment(), Self::image_offset(op, offset, index * (N / 8)), word)?;
        }
        Ok(())
    }

    /// Loads a register from an image. The alignment check applies to its words of `N` bits.
    fn load_register<const N: u32>(&mut self, op: &MicroOp, offset: u32) -> Result<Extended, Leave> {
        let [first, second] = self.register_parts::<N>(op, offset, State::load_address)?;
        let significand = self.read_quad(op.segment(), first)?;
        let sign_exponent = self.read_linear::<16>(op.segment(), second)?;
        Ok(Extended::new(sign_exponent as u16, significand))
    }

    /// Stores a register to an image, all of whose bytes are known to be writable.
    fn store_register<const N: u32>(&mut self, op: &MicroOp, offset: u32, value: Extended) -> Result<(), Leave> {
        let [first, second] = self.register_parts::<N>(op, offset, State::store_address)?;
        self.write_quad_oddly(op.segment(), first, value.significand)?;
        self.write_linear::<16>(op.segment(), second, u32::from(value.sign_exponent))
    }

    /// The linear addresses of a register's significand and of the rest, which are facts.
    fn register_parts<const N: u32>(
        &mut self,
        op: &MicroOp,
        offset: u32,
        checked: fn(&mut State, u8, u32, u32) -> Result<u32, Leave>,
    ) -> Result<[u32; 2], Leave> {
        let second = Self::image_offset(op, offset, 8);
        let parts = [
            checked(self, op.segment(), offset, N / 8)?,
            checked(self, op.segment(), second, 2)?,
        ];
        parts.iter().for_each(|&linear| self.facts.push(linear));
        Ok(parts)
    }

    fn load_image<const N: u32>(&mut self, op: &MicroOp, offset: u32) -> Result<[u32; ENVIRONMENT_WORDS], Leave> {
        let mut image = [0; ENVIRONMENT_WORDS];
        for (index, word) in (0..).zip(&mut image) {
            *word = self.load_at::<N>(op.segment(), Self::image_offset(op, offset, index * (N / 8)))?;
        }
        Ok(image)
    }
}

/// The size in bytes of the image that FNSAVE stores in 32-bit code.
pub(crate) const UNIT_IMAGE: usize = ENVIRONMENT_WORDS * 4 + STACK * REGISTER as usize;

/// The image that FNSAVE stores in 32-bit code of protected mode, for an operating system.
pub(crate) fn unit_image(fpu: &Fpu) -> [u8; UNIT_IMAGE] {
    let mut bytes = [0; UNIT_IMAGE];
    let (environment, registers) = bytes.split_at_mut(ENVIRONMENT_WORDS * 4);
    for (place, word) in environment.chunks_exact_mut(4).zip(image::<32>(fpu, true)) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    for (number, place) in (0..).zip(registers.chunks_exact_mut(REGISTER as usize)) {
        let value = fpu.st(number);
        let (low, high) = place.split_at_mut(8);
        low.copy_from_slice(&value.significand.to_le_bytes());
        high.copy_from_slice(&value.sign_exponent.to_le_bytes());
    }
    bytes
}

/// Loads such an image, as FRSTOR does.
pub(crate) fn take_unit_image(fpu: &mut Fpu, bytes: &[u8; UNIT_IMAGE]) {
    let (environment, registers) = bytes.split_at(ENVIRONMENT_WORDS * 4);
    let mut words = [0; ENVIRONMENT_WORDS];
    for (word, bytes) in words.iter_mut().zip(environment.as_chunks::<4>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    take::<32>(fpu, true, &words);
    for (number, bytes) in (0..).zip(registers.as_chunks::<{ REGISTER as usize }>().0) {
        let (low, high) = bytes.split_at(8);
        let significand = low.iter().rev().fold(0, |whole, &byte| whole << 8 | u64::from(byte));
        let sign_exponent = high.iter().rev().fold(0, |whole, &byte| whole << 8 | u16::from(byte));
        fpu.restore(number, Extended::new(sign_exponent, significand));
    }
}

/// FNSTENV, which then masks all exceptions.
pub(super) fn store<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    let offset = state.offset(op);
    state.probe_image(op, offset, ENVIRONMENT_WORDS as u32 * (N / 8))?;
    state.store_environment::<N>(op, offset)?;
    let fpu = &mut state.registers.fpu;
    fpu.set_control(fpu.control() | EXCEPTIONS);
    state.settle()
}

/// FLDENV.
pub(super) fn load<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let image = state.load_image::<N>(op, offset)?;
    let protected = is_protected(state);
    take::<N>(&mut state.registers.fpu, protected, &image);
    Ok(())
}

/// FNSAVE, which then initializes the unit.
pub(super) fn save<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    let offset = state.offset(op);
    let registers = ENVIRONMENT_WORDS as u32 * (N / 8);
    state.probe_image(op, offset, registers + STACK as u32 * REGISTER)?;
    state.store_environment::<N>(op, offset)?;
    for number in 0..8 {
        let value = state.registers.fpu.st(number);
        let place = State::image_offset(op, offset, registers + REGISTER * u32::from(number));
        state.store_register::<N>(op, place, value)?;
    }
    state.registers.fpu.initialize();
    state.settle()
}

/// FRSTOR.
pub(super) fn restore<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let image = state.load_image::<N>(op, offset)?;
    let mut values = [Extended::ZERO; STACK];
    for (number, value) in (0..).zip(&mut values) {
        let place = State::image_offset(op, offset, ENVIRONMENT_WORDS as u32 * (N / 8) + REGISTER * number);
        *value = state.load_register::<N>(op, place)?;
    }
    let protected = is_protected(state);
    let fpu = &mut state.registers.fpu;
    take::<N>(fpu, protected, &image);
    for (number, value) in (0..).zip(values) {
        fpu.restore(number, value);
    }
    Ok(())
}
