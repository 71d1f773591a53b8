/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code uncounted.c \
       -o uncounted.elf
   A function with a line of more instructions than a report lists of one line. */
static __attribute__((noinline)) void many(void)
{
    __asm__ volatile(".rept 6000\n\tincl %%eax\n\t.endr" ::: "eax");
}

void _start(void)
{
    many();
    many();
    __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
