/* Functions that the compiler inlines, two of them in several places; prints how often their lines were executed. */
#include "start.h"

static volatile unsigned cells[64];

static inline __attribute__((always_inline)) unsigned sum(int from, int to)
{
    unsigned all = 0;
    for (int at = from; at < to; at++)
        all += cells[at]; /* 40 and 24 times, each twice */
    return all;
}

static inline __attribute__((always_inline)) unsigned both(void)
{
    return sum(0, 40) * sum(40, 64);
}

static __attribute__((noinline)) void fill(void)
{
    for (int at = 0; at < 64; at++)
        cells[at] = at * 3; /* 64 times */
}

int main(void)
{
    fill();
    unsigned first = both();
    cells[0] = first;
    number("product", first + both());
    return 0;
}
