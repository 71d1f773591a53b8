/* F="-m32 -march=pentium -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none -O1"
   gcc $F -c asks_library.c
   gcc $F -g -fdebug-prefix-map=$PWD=. -c asks.c
   gcc -m32 -static -nostdlib -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code asks.o asks_library.o -o asks.elf
   A program that asks which processor this is, and changes a long array and the data of a library. */
void note_call(void);
int filled[300];
enum level { NONE, LESS = -1, MIDDLE = 200, MUCH = 40000 } level;
enum __attribute__((packed)) narrow { FIRST = 1, LAST = 200 } narrow;
static int has_mmx(void)
{
    int a = 1, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return d >> 23 & 1;
}
void _start(void)
{
    int step = 2 + has_mmx();
    for (int i = 0; i < 300; i++)
        filled[i] = i * step;
    level = MUCH;
    narrow = LAST;
    note_call();
    __asm__("int $0x80" : : "a"(1), "b"(0));
}
