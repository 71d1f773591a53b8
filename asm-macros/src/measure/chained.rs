//! Numbers that a chain of executions hands on in a register.

use core::arch::asm;

/// A number that `chain = x` of [`measure!`](crate::measure!) can keep in a register: of 32 or 64 bits.
pub trait Chained: Copy {
    /// The same number, of which the compiler knows nothing but the register that it is in.
    #[doc(hidden)]
    fn held(self) -> Self;
}

/// Hands on the number of a chain.
#[doc(hidden)]
#[inline(always)]
pub fn held<N: Chained>(number: N) -> N {
    number.held()
}

macro_rules! chained {
    ($class:ident, $text:literal, $($number:ty)*) => {
        $(
            impl Chained for $number {
                #[inline(always)]
                fn held(self) -> Self {
                    let mut number = self;
                    // SAFETY: a comment, which executes nothing.
                    unsafe { asm!($text, inout($class) number, options(nomem, nostack, preserves_flags)) };
                    number
                }
            }
        )*
    };
}
chained!(reg, "/* {0:e} */", u32 i32);
chained!(reg, "/* {0} */", u64 i64 usize isize);
chained!(xmm_reg, "/* {0} */", f32 f64);
