#!/usr/bin/env bash
# Compiles the programs of this folder for the Pentium, and records what they print natively.
set -euo pipefail
cd "$(dirname "$0")"
for program in integers reals thread process; do
    gcc -m32 -march=pentium -mno-sse -O2 -fno-pic -no-pie -fno-stack-protector -fcf-protection=none \
        -fno-asynchronous-unwind-tables -ffreestanding -nostdlib -static -s -Wl,--build-id=none \
        $program.c -o $program -lgcc
    ./$program > $program.txt || true
done
# With lines and inlined functions, and without the paths of this machine.
gcc -m32 -march=pentium -mno-sse -O2 -fno-pic -no-pie -fno-stack-protector -fcf-protection=none \
    -fno-asynchronous-unwind-tables -ffreestanding -nostdlib -static -g -fdebug-prefix-map="$PWD"=. \
    -Wl,--build-id=none inlined.c -o inlined -lgcc
./inlined > inlined.txt
