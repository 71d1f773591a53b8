/* gcc -m32 -march=pentium -O2 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code structure.c \
       -o structure.elf
   Lines whose kinds of instructions occur several times, and that are no copies. */
typedef struct { int x, y, z; } V;
static V a[64], b[64];
static volatile int words[4];
__attribute__((noinline)) static void copy(V *p, const V *q) {
    *p = *q; // p5: cycles <= 20
}
__attribute__((noinline)) static void fill(void)
{
    for (int i = 0; i < 100; i++) {
        words[0] = i; words[1] = i; words[2] = i; words[3] = i; // p5: cycles <= 20
    }
}
void _start(void)
{
    for (int r = 0; r < 20; r++)
        for (int i = 0; i < 64; i++)
            copy(&b[i], &a[63 - i]);
    fill();
    __asm__ volatile("int $0x80" :: "a"(1), "b"(0));
}
