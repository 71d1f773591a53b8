//! The summed instructions with uncertain timing, of which a note names each kind once, whatever is summed first.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use p5_chips::Doubt;
use p5_timing::block::Op;

/// One instruction of each mnemonic and doubt, of the program's own and of the library's.
#[derive(Default)]
pub(super) struct Doubtful(Vec<Doubted>);

/// A summed instruction with uncertain timing.
pub(in super::super) struct Doubted {
    pub(in super::super) op: Op,
    pub(in super::super) doubt: Doubt,
    pub(in super::super) library: bool,
    mnemonic: Mnemonic,
}

impl Doubtful {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds an instruction, unless one of its kind is known.
    pub(super) fn add(&mut self, op: &Op, doubt: Doubt, library: bool) {
        let mnemonic = match op.row.mnemonics {
            [only] => *only,
            _ => Decoder::with_ip(op.mode.bits(), &op.bytes, 0, DecoderOptions::NONE)
                .decode()
                .mnemonic(),
        };
        let alike = |one: &Doubted| (one.mnemonic, one.doubt, one.library) == (mnemonic, doubt, library);
        if !self.0.iter().any(alike) {
            self.0.push(Doubted {
                op: op.clone(),
                doubt,
                library,
                mnemonic,
            });
        }
    }

    /// All of them, in an order that does not depend on which was added first.
    pub(super) fn listed(&self) -> Vec<&Doubted> {
        let mut listed: Vec<&Doubted> = self.0.iter().collect();
        listed.sort_by_key(|one| (one.mnemonic as usize, one.doubt.form, one.doubt.why, one.library));
        listed
    }
}
