//! Routines of GNU MP and OpenSSL, whose authors state their clocks, executed from their own objects.

use super::{Method, Origin, Row, of, row};
use instrumenter::source::Binary;
use std::path::Path;

/// A routine, and the way to call it.
pub(super) struct Routine {
    /// The file name of its object, in the folder of fetched objects.
    pub(super) object: &'static str,
    /// The declaration of its external symbols.
    external: &'static str,
    /// The first address of its operands, which are read in advance.
    operands: &'static str,
    /// Code that is executed once before the call.
    before: &'static str,
    /// The call for `{n}` units.
    call: &'static str,
    /// The units of the short call, and the additional units of the long one.
    units: [u32; 2],
    /// The bytes per unit if the figure is per byte, otherwise 1.
    divisor: f64,
}

impl Routine {
    /// The object; `None` if it was not fetched. Panics if it exists but cannot be read.
    pub(super) fn object(&self, folder: &Path) -> Option<Binary> {
        let path = folder.join(self.object);
        path.exists().then(|| Binary {
            name: self.object.to_owned(),
            bytes: std::fs::read(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display())),
        })
    }

    /// The clocks per unit, from the clocks of two programs, with `scale` times the usual units.
    pub(super) fn per_unit(&self, scale: u32, clocks: impl Fn(u32) -> f64) -> f64 {
        let [few, more] = self.units.map(|units| units * scale);
        (clocks(few + more) - clocks(few)) / f64::from(more) / self.divisor
    }

    /// A program that calls the routine once for `units`. The operands are consecutive and, for the loops, fit the data
    /// cache, as does the stack, which is in a separate set.
    pub(super) fn program(&self, units: u32) -> String {
        let lines = |text: &str| -> String { text.split(" / ").map(|line| format!("    {line}\n")).collect() };
        let call = lines(self.call).replace("{n}", &units.to_string());
        format!(
            "
.586
.mmx
.model flat
{external}
.data
align 4096
destination dd 320 dup(?)
source      dd 320 dup(12345678h)
other       dd 320 dup(0EDCBA988h)
            dd 512 dup(?)
stack_end   dd 30 dup(?)
old_stack   dd ?
align 4096
text        db 65536 dup(37h)
sum_state   dd 67452301h, 0EFCDAB89h, 98BADCFEh, 10325476h, 0C3D2E1F0h
key         db 16 dup(9)
vector      db 16 dup(3)
schedule    dd 512 dup(?)
.code
start:
    mov old_stack,esp
    mov esp,offset stack_end
    mov esi,offset {operands}
touch:
    mov eax,[esi]
    add esi,32
    cmp esi,offset {operands}+3968
    jb touch
{before}{call}    mov esp,old_stack
    ret
end start
",
            external = self.external,
            operands = self.operands,
            before = lines(self.before),
        )
    }
}

/// A loop of GNU MP over limbs, with two sources, one source, or only the size after them.
const fn limbs(object: &'static str, external: &'static str, call: &'static str) -> Routine {
    Routine {
        object,
        external,
        operands: "destination",
        before: "",
        call,
        units: [60, 240],
        divisor: 1.0,
    }
}

const TWO_SOURCES: [&str; 2] = [
    "push {n} / push offset other / push offset source / push offset destination / call __gmpn_add_n / add esp,16",
    "push {n} / push offset other / push offset source / push offset destination / call __gmpn_and_n / add esp,16",
];
const BY_LIMB: &str =
    "push 12345 / push {n} / push offset source / push offset destination / call __gmpn_mul_1 / add esp,16";
const SHIFT: &str =
    "push 5 / push {n} / push offset source / push offset destination / call __gmpn_lshift / add esp,16";
const OF_THREE: &str = "push {n} / push offset source / call __gmpn_mod_34lsub1 / add esp,8";

const ADD: &str = "extern __gmpn_add_n:proc";
const MULTIPLY: &str = "extern __gmpn_mul_1:proc";
const LEFT: &str = "extern __gmpn_lshift:proc";
const MODULO: &str = "extern __gmpn_mod_34lsub1:proc";

static ADD_N: Routine = limbs("pentium_add_n.o", ADD, TWO_SOURCES[0]);
static SUB_N: Routine = limbs(
    "pentium_sub_n.o",
    "extern __gmpn_sub_n:proc",
    "push {n} / push offset other / push offset source / push offset destination / call __gmpn_sub_n / add esp,16",
);
static MUL_1: Routine = limbs("pentium_mul_1.o", MULTIPLY, BY_LIMB);
static COPYI: Routine = limbs(
    "pentium_copyi.o",
    "extern __gmpn_copyi:proc",
    "push {n} / push offset source / push offset destination / call __gmpn_copyi / add esp,12",
);
static AND_N: Routine = limbs("pentium_and_n.o", "extern __gmpn_and_n:proc", TWO_SOURCES[1]);
static LSHIFT: Routine = limbs("pentium_lshift.o", LEFT, SHIFT);
static MOD_34: Routine = limbs("pentium_mod_34lsub1.o", MODULO, OF_THREE);
static POPCOUNT: Routine = limbs(
    "pentium_popcount.o",
    "extern __gmpn_popcount:proc",
    "push {n} / push offset source / call __gmpn_popcount / add esp,8",
);
static MMX_LSHIFT: Routine = limbs("pentium_mmx_lshift.o", LEFT, SHIFT);
static GENERIC_ADD_N: Routine = limbs("generic_add_n.o", ADD, TWO_SOURCES[0]);
static GENERIC_MUL_1: Routine = limbs("generic_mul_1.o", MULTIPLY, BY_LIMB);
static GENERIC_MOD_34: Routine = limbs("generic_mod_34lsub1.o", MODULO, OF_THREE);

const GMP: &str = "GMP 6.2, mpn/x86/pentium";
const GENERIC: &str = "GMP 6.2, mpn/x86";
const README: &str = "GMP 6.2, mpn/x86/pentium/README";

/// A row for clocks per limb.
const fn per_limb(id: &'static str, routine: &'static Routine, figure: f64, source: &'static str) -> Row {
    row(Method::Routine(routine), id, "", figure, source)
        .measured()
        .within(0.1)
}

/// A shift and exclusive ORs that depend on nothing.
const SHIFT_2: &str = "shld ebx,eax,cl / xor edx,edx / xor esi,esi";
const SHIFT_4: &str = "shld ebx,eax,cl / xor edx,edx / xor esi,esi / xor edi,edi / xor ebp,ebp";

/// A row for groups of a shift by CL and exclusive ORs.
const fn shifts(id: &'static str, text: &'static str, figure: f64) -> Row {
    row(Method::Repeated, id, text, figure, README).measured().within(0.1)
}

#[rustfmt::skip] // One figure a row.
pub(super) static LOOPS: &[Row] = &of(Origin::Stated, [
    per_limb("GMP-01 add_n", &ADD_N, 2.375, GMP),
    per_limb("GMP-01 add_n, p55c", &ADD_N, 2.375, GMP).on("p55c"),
    per_limb("GMP-01 sub_n", &SUB_N, 2.375, GMP),
    per_limb("GMP-01 sub_n, p55c", &SUB_N, 2.375, GMP).on("p55c"),
    per_limb("GMP-03 mul_1", &MUL_1, 12.0, GMP),
    per_limb("GMP-03 mul_1, p55c", &MUL_1, 12.0, GMP).on("p55c"),
    per_limb("GMP-07 copyi", &COPYI, 1.25, GMP),
    per_limb("GMP-09 and_n", &AND_N, 3.0, GMP),
    per_limb("GMP-11 lshift", &LSHIFT, 6.0, GMP)
        .missed("its header counts 43 clocks for 8 limbs and 4 that are lost, which is 5.875; 6.0 is rounded"),
    per_limb("GMP-11 lshift, p55c", &LSHIFT, 5.375, GMP).on("p55c"),
    per_limb("GMP-15 mod_34lsub1", &MOD_34, 1.66, GMP),
    per_limb("GMP-16 popcount", &POPCOUNT, 8.0, GMP),
    per_limb("GMP-18 lshift, MMX, p55c", &MMX_LSHIFT, 1.75, GMP).on("p55c"),
    shifts("GMP-20 shld, 2 xor", SHIFT_2, 5.0),
    shifts("GMP-20 shld, 2 xor, p55c", SHIFT_2, 5.0).on("p55c"),
    shifts("GMP-20 shld, 4 xor", SHIFT_4, 7.0),
    shifts("GMP-20 shld, 4 xor, p55c", SHIFT_4, 6.0).on("p55c"),
    per_limb("GMPX-01 add_n", &GENERIC_ADD_N, 3.375, GENERIC),
    per_limb("GMPX-03 mul_1", &GENERIC_MUL_1, 12.5, GENERIC),
    per_limb("GMPX-08 mod_34lsub1", &GENERIC_MOD_34, 3.0, GENERIC),
]);

static SHA1: Routine = Routine {
    object: "sha1.o",
    external: "extern sha1_block_data_order:proc",
    operands: "text",
    before: "",
    call: "push {n} / push offset text / push offset sum_state / call sha1_block_data_order / add esp,12",
    units: [16, 32],
    divisor: 64.0,
};
static RC4: Routine = Routine {
    object: "rc4.o",
    external: "extern RC4:proc, RC4_set_key:proc",
    operands: "text",
    before: "push offset key / push 16 / push offset schedule / call RC4_set_key / add esp,12",
    call: "push offset text / push offset text / push {n} / push offset schedule / call RC4 / add esp,16",
    units: [1024, 2048],
    divisor: 1.0,
};
static AES: Routine = Routine {
    object: "aes.o",
    external: "extern AES_cbc_encrypt:proc, AES_set_encrypt_key:proc",
    operands: "text",
    before: "push offset schedule / push 128 / push offset key / call AES_set_encrypt_key / add esp,12",
    call: "push 1 / push offset vector / push offset schedule / push {n} / push offset text / push offset text / \
           call AES_cbc_encrypt / add esp,24",
    units: [1024, 2048],
    divisor: 1.0,
};
static CHACHA: Routine = Routine {
    object: "chacha.o",
    external: "extern ChaCha20_ctr32:proc",
    operands: "text",
    before: "",
    call: "push offset vector / push offset schedule / push {n} / push offset text / push offset text / \
           call ChaCha20_ctr32 / add esp,20",
    units: [1024, 2048],
    divisor: 1.0,
};

const PERLASM: &str = "OpenSSL 3.0, perlasm, its table of cycles per byte";

/// A row for clocks per byte, with a tolerance of 4 %.
const fn per_byte(id: &'static str, routine: &'static Routine, figure: f64) -> Row {
    row(Method::Routine(routine), id, "", figure, PERLASM)
        .measured()
        .within(figure * 0.04)
}

#[rustfmt::skip] // One figure a row.
pub(super) static PROGRAMS: &[Row] = &of(Origin::Stated, [
    per_byte("OSSL-01 SHA-1", &SHA1, 15.7),
    per_byte("OSSL-05 RC4", &RC4, 10.2),
    per_byte("OSSL-08 AES-128, CBC", &AES, 77.0),
    per_byte("OSSL-11 ChaCha20", &CHACHA, 17.5),
    per_byte("OSSL-01, beyond L1", &SHA1, 15.7).beyond_first_level(),
    per_byte("OSSL-05, beyond L1", &RC4, 10.2).beyond_first_level()
        .missed("each line is read in and written back over the bus; the author's memory is not stated"),
    per_byte("OSSL-08, beyond L1", &AES, 77.0).beyond_first_level(),
    per_byte("OSSL-11, beyond L1", &CHACHA, 17.5).beyond_first_level(),
]);

impl Row {
    /// The routine with 8 and 24 KB of text, more than the data cache holds.
    const fn beyond_first_level(self) -> Row {
        Row { scale: 8, ..self }
    }
}

/// A copy for which the header and the README give different figures.
pub(super) const COPY_OF_LIMBS: Method = Method::Routine(&COPYI);
/// A stream cipher that is slower on one processor than on another.
pub(super) const STREAM_CIPHER: Method = Method::Routine(&RC4);
