/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code shrunk.c \
       -o shrunk.elf
   A function whose first line of code is that of its loop: gcc saves registers only behind the test of the loop. */
static int v[1000];
static __attribute__((noinline)) int most(const int *o, int n)
{   // p5: cycles < 100
    int m = 0;
    for (int i = 0; i < n; i++)
        if (o[i] > m)
            m = o[i];
    return m;
}
void _start(void)
{
    for (int i = 0; i < 1000; i++) v[i] = (i * 7919) & 0x3fff;
    int r = most(v, 1000);
    __asm__ volatile("int $0x80" : : "a"(1), "b"(r & 1));
}
