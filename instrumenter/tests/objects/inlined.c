/* gcc -m32 -march=pentium -O2 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code inlined.c \
       -o inlined.elf
   Functions that are inlined into the loops of others: one without a loop, one with a loop of its own, and one within
   another; and a row of an array. */
static unsigned char buf[256], text[64];
static unsigned head, total;
int grid[3][4];
static inline void put(unsigned char c)
{
    buf[head] = c;
    head = (head * 5 + 1) & 255;
}
static inline unsigned sum(const unsigned char *p)
{
    unsigned s = 0;
    while (*p)
        s += *p++;
    return s;
}
static inline void both(int i)
{
    put(i);
    total += sum(text + (i & 7));
}
void _start(void)
{
    for (int i = 0; i < 40; i++)
        text[i] = 1;
    for (int i = 0; i < 300; i++)
        put(i);
    for (int i = 0; i < 100; i++)
        total += sum(text + (i & 31));
    for (int i = 0; i < 50; i++)
        both(i);
    grid[1][2] = total;
    grid[1][3] = head;
    __asm__ volatile("int $0x80" :: "a"(1), "b"((head + total + buf[3]) & 127));
}
