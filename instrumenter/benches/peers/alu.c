/* Registers only: a generator of pseudo-random numbers, rotations, and branches that depend on them now and then. */
#include "start.h"

static unsigned run(void)
{
    unsigned state = 2463534242u, sum = 0, longest = 0, streak = 0;
    for (unsigned round = 0; round < 20000000; round++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        sum += state << 7 | state >> 25;
        if (state < 0xF0000000u)
            streak++;
        else {
            if (streak > longest)
                longest = streak;
            streak = 0;
        }
    }
    return sum + longest;
}
