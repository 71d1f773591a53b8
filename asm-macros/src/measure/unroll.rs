//! Copies of a block, one after another.

/// Unrolls a block: `__unroll!(4, { ... })`.
#[doc(hidden)]
#[macro_export]
macro_rules! __unroll {
    (1, $block:block) => {
        $crate::measure::once(|| $block)
    };
    (2, $block:block) => {{
        $crate::__unroll!(1, $block);
        $crate::__unroll!(1, $block);
    }};
    (4, $block:block) => {{
        $crate::__unroll!(2, $block);
        $crate::__unroll!(2, $block);
    }};
    (8, $block:block) => {{
        $crate::__unroll!(4, $block);
        $crate::__unroll!(4, $block);
    }};
    (16, $block:block) => {{
        $crate::__unroll!(8, $block);
        $crate::__unroll!(8, $block);
    }};
    (32, $block:block) => {{
        $crate::__unroll!(16, $block);
        $crate::__unroll!(16, $block);
    }};
    (64, $block:block) => {{
        $crate::__unroll!(32, $block);
        $crate::__unroll!(32, $block);
    }};
    (128, $block:block) => {{
        $crate::__unroll!(64, $block);
        $crate::__unroll!(64, $block);
    }};
    ($other:tt, $block:block) => {
        ::core::compile_error!("unroll is 1, 2, 4, 8, 16, 32 or 64")
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __unroll_twice {
    (1, $block:block) => {
        $crate::__unroll!(2, $block)
    };
    (2, $block:block) => {
        $crate::__unroll!(4, $block)
    };
    (4, $block:block) => {
        $crate::__unroll!(8, $block)
    };
    (8, $block:block) => {
        $crate::__unroll!(16, $block)
    };
    (16, $block:block) => {
        $crate::__unroll!(32, $block)
    };
    (32, $block:block) => {
        $crate::__unroll!(64, $block)
    };
    (64, $block:block) => {
        $crate::__unroll!(128, $block)
    };
    // `__unroll!` has reported the error already.
    ($other:tt, $block:block) => {};
}
