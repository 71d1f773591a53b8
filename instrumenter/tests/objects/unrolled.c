/* gcc -m32 -march=pentium -O3 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code unrolled.c -o unrolled.elf
   A loop of eight rounds that gcc unrolls: its lines are executed 800, 528 and 272 times. */
static int a[64], out;
void _start(void)
{
    for (int r = 0; r < 100; r++)
        for (int i = 0; i < 8; i++)
            if (a[i] > r)
                out += a[i];
            else
                a[i] += 3;
    __asm__ volatile("int $0x80" :: "a"(1), "b"(out & 127));
}
