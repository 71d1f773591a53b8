/* The start and end of a program without a C library, for the kernel's system calls of 32-bit Linux. */

static void write_number(unsigned number)
{
    char text[11], *at = text + sizeof text;
    *--at = '\n';
    do
        *--at = '0' + number % 10;
    while (number /= 10);
    unsigned length = text + sizeof text - at;
    __asm__ volatile("int $0x80" : : "a"(4), "b"(1), "c"(at), "d"(length) : "memory");
}

static unsigned run(void);

/* Prints what the program has computed, so that a wrong run cannot pass for a fast one. */
void _start(void)
{
    write_number(run());
    __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
    __builtin_unreachable();
}

/* What the compiler calls for assignments of structures. */
void *memcpy(void *to, const void *from, unsigned size)
{
    char *at = to;
    const char *next = from;
    while (size--)
        *at++ = *next++;
    return to;
}
