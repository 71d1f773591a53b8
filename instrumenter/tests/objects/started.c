/* gcc -m32 -march=pentium -g -O1 -fno-pic -fno-stack-protector -fcf-protection=none -fdebug-prefix-map=$PWD=. -c \
   started.c -o /tmp/started.o
   as --32 started_library.s -o /tmp/started_library.o
   ld -m elf_i386 -z noseparate-code /tmp/started_library.o /tmp/started.o -o started.elf
   A short program behind a start-up that takes most of the clocks, as that of a C library does. */
unsigned table[256];

__attribute__((noinline)) static unsigned
mixed(unsigned seed)
{
    for (int index = 0; index < 256; index++) {
        seed = seed * 5 + index;
        table[index] ^= seed;
    }
    return seed;
}

int
main(void)
{
    unsigned sum = 0;
    for (int round = 0; round < 4; round++)
        sum += mixed(round);
    return sum & 63;
}
