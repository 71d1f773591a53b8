/* Three arrays whose elements of one number share a set of the data cache.
   gcc -m32 -march=pentium -g -O1 -fno-pic -fno-pie -no-pie -fno-asynchronous-unwind-tables -nostdlib -static \
       -Wl,--build-id=none sharing.c -o sharing.elf */
int one[1024] __attribute__((aligned(4096))), two[1024] __attribute__((aligned(4096))),
    three[1024] __attribute__((aligned(4096)));

static int added(void)
{
    int sum = 0;
    for (int i = 0; i < 1024; i++)
        sum += one[i] + two[i] + three[i];
    return sum;
}

void _start(void)
{
    int sum = added();
    __asm__ volatile("int $0x80" : : "a"(1), "b"(sum));
    for (;;)
        ;
}
