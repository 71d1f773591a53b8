/* gcc -m32 -march=pentium -O3 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -funroll-loops -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code \
       adjoining.c -o adjoining.elf
   Loops of 1024 rounds, of which gcc makes eight copies that adjoin each other: in line 9 without code of other lines
   between them, in line 15 with two statements each. */
int a[1024], b[1024];
__attribute__((noipa)) void scale(int c) {
    for (int i = 0; i < 1024; i++)
        b[i] = c + i; // p5: cycles <= 2
}
__attribute__((noipa)) int sum(void) {
    int t = 0;
    for (int i = 0; i < 1024; i++)
    {
        t ^= a[i]; t += b[i];
    }
    return t;
}
void _start(void)
{
    scale(3);
    __asm__ volatile("int $0x80" :: "a"(1), "b"(sum() & 127));
}
