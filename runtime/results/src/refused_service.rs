//! Calls to the operating system that were refused.

/// A call to the operating system that was refused, which the program learned from an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedService {
    /// A function of INT 21h that is not available.
    Dos {
        /// The number of the function, in AH.
        function: u8,
    },
    /// INT 21h function 09h with a text that has no `$` before the end of memory.
    DosTextWithoutEnd,
    /// A write that exceeds the limit on output of a run; nothing of it was written.
    OutputLimit {
        /// The limit in bytes.
        capacity: usize,
    },
    /// A function of INT 10h that is not available.
    Video {
        /// The number of the function, in AH.
        function: u8,
    },
    /// A read of the keyboard, or a look at it, which found Esc.
    Keyboard,
    /// A function of int 1Ah of the BIOS, the clock.
    ClockFunction {
        /// The function, from AH.
        function: u8,
    },
    /// A function of INT 16h that is not available.
    KeyboardFunction {
        /// The number of the function, in AH.
        function: u8,
    },
    /// An attempt to open a file by INT 80h, where the program is shown none.
    File,
    /// An attempt to create or change a file, all of which can only be read.
    FileChanged,
    /// A file that has too many bytes to be opened.
    FileTooLarge {
        /// The limit in bytes.
        most: u64,
    },
    /// More memory than may be mapped, by INT 80h.
    Memory {
        /// The limit in bytes.
        most: u32,
    },
    /// A system call of INT 80h that is not available.
    Linux {
        /// The number of the call, in EAX.
        call: u32,
    },
}
