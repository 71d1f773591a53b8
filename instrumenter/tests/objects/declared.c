/* gcc -m32 -march=pentium -O2 -g -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code declared.c \
       -o declared.elf
   A function of which the compiler has made another, whose first line has an instruction that is not the first. */
__attribute__((noinline)) static unsigned hash(const char *s)  // p5: cycles <= 5
{
    unsigned h = 2166136261u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 16777619u;
    return h & 127;
}
void _start(void)
{
    __asm__ volatile("int $0x80" :: "a"(1), "b"(hash("hello world")));
}
