#!/usr/bin/env bash
# Fetches the Debian source packages `gmp` and `openssl` and assembles the routines whose authors state clocks into the
# folder that is given. Nothing is installed, and the system's own lists of packages stay as they are.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
for tool in apt-get m4 perl as tar; do
    command -v $tool >/dev/null || { echo "this needs $tool, which is not installed" >&2; exit 1; }
done
work=$folder/source
mkdir -p "$work/lists/partial" && cd "$work"

# The sources of the packages, from where this system has its packages.
for list in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    [ -s "$list" ] && break
done
case $list in
    *.sources) own=$work/own.sources; sed -n '/^Types:/,/^$/p' "$list" | sed 's/^Types: .*/Types: deb-src/' > "$own" ;;
    *) own=$work/own.list; sed -n 's/^deb /deb-src /p' "$list" > "$own" ;;
esac
apt() {
    apt-get -q -o APT::Sandbox::User= -o Dir::Etc::sourcelist="$own" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$work/lists" "$@"
}
apt update > log 2>&1 || { cat log >&2; exit 1; }
for package in gmp openssl; do
    # Only the original archive is needed; those of Debian's changes may fail.
    apt source --download-only $package >> log 2>&1 || true
    archive=$(ls ${package}_*.orig.tar.* 2>/dev/null | grep -v '\.asc$' | tail -n 1)
    [ -n "$archive" ] || { cat log >&2; echo "the source of $package did not arrive" >&2; exit 1; }
    mkdir -p $package && tar -xf "$archive" -C $package --strip-components=1
done

# What the configuration of GMP would find out: GNU as for ELF, 32-bit limbs, a Pentium.
cat > gmp/config.m4 << 'M4'
changequote(<,>)
ifdef(<__CONFIG_M4_INCLUDED__>,,<
define(<CONFIG_TOP_SRCDIR>,<`..'>)
define(<WANT_ASSERT>,0)
define(<WANT_PROFILING>,<`no'>)
define(<M4WRAP_SPURIOUS>,<no>)
define(<TEXT>,<.text>)
define(<DATA>,<.data>)
define(<LABEL_SUFFIX>,<:>)
define(<GLOBL>,<.globl>)
define(<GLOBL_ATTR>,<>)
define(<GSYM_PREFIX>,<>)
define(<RODATA>,<.section .rodata>)
define(<TYPE>,<.type	$1,@$2>)
define(<SIZE>,<.size	$1,$2>)
define(<LSYM_PREFIX>,<.L>)
define(<W32>,<.long>)
define(<ALIGN_LOGARITHMIC>,<no>)
define(<ALIGN_FILL_0x90>,<yes>)
define(<HAVE_COFF_TYPE>,<no>)
define(<GOT_GOTOFF>,<yes>)
define(<WANT_SHLDL_CL>,<1>)
define(<HAVE_HOST_CPU_pentium>)
define(<HAVE_ABI_32>)
define(<GMP_LIMB_BITS>,32)
define(<GMP_NAIL_BITS>,0)
define(<GMP_NUMB_BITS>,32)
define(<SIZEOF_UNSIGNED>,4)
>)
changequote(`,')
ifdef(`__CONFIG_M4_INCLUDED__',,`
include(CONFIG_TOP_SRCDIR`/mpn/asm-defs.m4')
include(CONFIG_TOP_SRCDIR`/mpn/x86/x86-defs.m4')
')
define(`__CONFIG_M4_INCLUDED__')
M4
limbs() {
    (cd gmp/mpn && m4 -DOPERATION_"$3" "x86/$1.asm") > "$2.s"
    as --32 -o "$folder/$2.o" "$2.s"
}
limbs pentium/aors_n pentium_add_n add_n
limbs pentium/aors_n pentium_sub_n sub_n
limbs pentium/mul_1 pentium_mul_1 mul_1
limbs pentium/copyi pentium_copyi copyi
limbs pentium/logops_n pentium_and_n and_n
limbs pentium/lshift pentium_lshift lshift
limbs pentium/mod_34lsub1 pentium_mod_34lsub1 mod_34lsub1
limbs pentium/popcount pentium_popcount popcount
limbs pentium/mmx/lshift pentium_mmx_lshift lshift
limbs aors_n generic_add_n add_n
limbs mul_1 generic_mul_1 mul_1
limbs mod_34lsub1 generic_mod_34lsub1 mod_34lsub1

# The scripts ask which assembler there is, by running $CC. Their ENDBR32 is removed: the authors measured without it,
# and a Pentium has no such instruction.
cipher() {
    CC=gcc perl "openssl/crypto/$1.pl" elf "$2.s" > /dev/null 2>> log
    sed -i '/\.byte[[:space:]]*243,15,30,251/d' "$2.s"
    as --32 -o "$folder/$2.o" "$2.s"
}
cipher sha/asm/sha1-586 sha1
cipher rc4/asm/rc4-586 rc4
cipher aes/asm/aes-586 aes
cipher chacha/asm/chacha-x86 chacha
cd / && rm -rf "$work"
