//! Options of how a source is encoded.

use super::MACHINE;
use clap::{Args, ValueEnum};
use p5_assembler::Padding;

/// Whose bytes are written where assemblers differ.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct EncodingArguments {
    /// Whose bytes `align` and `even` put into code: NOPs, as tasm does, or MOV and LEA, as masm does
    ///
    /// Where code runs into them, they are executed. Those of masm are fewer instructions.
    #[arg(help_heading = MACHINE, long, value_name = "ASSEMBLER", value_enum, default_value = "tasm")]
    #[arg(hide_possible_values = true)]
    pub(crate) encode: Encode,
}

impl EncodingArguments {
    /// The padding of code.
    pub(crate) fn padding(self) -> Padding {
        match self.encode {
            Encode::Moves => Padding::Moves,
            Encode::Nops => Padding::Nops,
        }
    }
}

/// Assemblers that write different bytes for the same source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Encode {
    #[value(name = "masm")]
    Moves,
    #[default]
    #[value(name = "tasm")]
    Nops,
}
