//! Numbers and addresses that a chain of executions hands on in a register.

use core::arch::asm;

/// What `chain = x` and `walk = x` of [`measure!`](crate::measure!) can keep in a register: a number of 32 or 64 bits,
/// or a raw pointer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not what `chain = ..` and `walk = ..` of `measure!` hand on",
    label = "the variable that it names is of the type `{Self}`",
    note = "they hand on a number of 32 or 64 bits or a raw pointer, in a register"
)]
pub trait Chained: Copy {
    /// The same number, of which the compiler knows nothing but the register that it is in.
    #[doc(hidden)]
    fn held(self) -> Self;
    /// Whether any bit of the other one is another.
    #[doc(hidden)]
    fn differs(self, other: Self) -> bool;
}

/// Hands on the number of a chain.
#[doc(hidden)]
#[inline(always)]
pub fn held<N: Chained>(number: N) -> N {
    number.held()
}

/// Whether two numbers differ in any bit.
#[doc(hidden)]
#[inline(always)]
pub fn differ<N: Chained>(one: N, other: N) -> bool {
    one.differs(other)
}

macro_rules! chained {
    ($class:ident, $text:literal, $differ:expr, $($number:ty)*) => {
        $(
            impl Chained for $number {
                #[inline(always)]
                fn held(self) -> Self {
                    let mut number = self;
                    // SAFETY: a comment, which executes nothing.
                    unsafe { asm!($text, inout($class) number, options(nomem, nostack, preserves_flags)) };
                    number
                }

                #[inline(always)]
                fn differs(self, other: Self) -> bool {
                    let differ: fn(&Self, &Self) -> bool = $differ;
                    differ(&self, &other)
                }
            }
        )*
    };
}
chained!(reg, "/* {0:e} */", PartialEq::ne, u32 i32);
chained!(reg, "/* {0} */", PartialEq::ne, u64 i64 usize isize);
chained!(xmm_reg, "/* {0} */", |one, other| one.to_bits() != other.to_bits(), f32 f64);

macro_rules! chained_pointer {
    ($($pointer:tt)*) => {
        impl<T> Chained for $($pointer)* T {
            #[inline(always)]
            fn held(self) -> Self {
                #![allow(clippy::pointers_in_nomem_asm_block, reason = "nothing reads through the pointer")]
                let mut pointer = self;
                // SAFETY: a comment, which executes nothing.
                unsafe { asm!("/* {0} */", inout(reg) pointer, options(nomem, nostack, preserves_flags)) };
                pointer
            }

            #[inline(always)]
            fn differs(self, other: Self) -> bool {
                self.addr() != other.addr()
            }
        }
    };
}
chained_pointer!(*const);
chained_pointer!(*mut);
