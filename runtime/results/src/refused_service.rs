//! Calls to the operating system that were refused.

/// A call to the operating system that was refused. The program was told so by an error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedService {
    /// A function of INT 21h that is not offered.
    Dos {
        /// The function's number, in AH.
        function: u8,
    },
    /// INT 21h function 09h with a text that has no `$` before memory ends.
    DosTextWithoutEnd,
    /// A write beyond what a program may write in a run: nothing of it was written.
    OutputLimit {
        /// The most bytes.
        capacity: usize,
    },
    /// A function of INT 10h that is not offered.
    Video {
        /// The function's number, in AH.
        function: u8,
    },
    /// Opening a file by INT 80h: there are none.
    File,
    /// A system call of INT 80h that is not offered.
    Linux {
        /// The call's number, in EAX.
        call: u32,
    },
}
