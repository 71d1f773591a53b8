/* Counts how often a generator of random numbers hits each of `size` slots, a power of two. */

static unsigned slots[1024];

static unsigned next(unsigned seed)
{
    return seed * 1664525u + 1013904223u;
}

__attribute__((noipa)) static void tally(unsigned size, unsigned rounds)
{
    unsigned seed = 1;
    while (rounds--) {
        seed = next(seed);
        slots[seed & (size - 1)]++;
    }
}

__attribute__((noipa)) static unsigned fullest(unsigned size)
{
    unsigned most = 0;
    for (unsigned slot = 0; slot < size; slot++)
        if (slots[slot] > slots[most])
            most = slot;
    return slots[most];
}

void _start(void)
{
    tally(1024, 10000);
    /* The system call 1, exit. */
    __asm__ volatile("int $0x80" : : "a"(1), "b"(fullest(1024)));
}
