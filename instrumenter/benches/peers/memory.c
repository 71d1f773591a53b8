/* Copies, read-modify-writes one to a line, and a walk by bytes over eight times the data cache. */
#include "start.h"

#define WORDS 16384

static unsigned from[WORDS], to[WORDS];

static unsigned run(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < WORDS; i++)
        from[i] = i * 2654435761u;
    for (unsigned round = 0; round < 450; round++) {
        for (unsigned i = 0; i < WORDS; i++)
            to[i] = from[i] + round;
        for (unsigned i = 0; i < WORDS; i += 8)
            to[i] ^= to[i] >> 3;
        const unsigned char *bytes = (const unsigned char *)to;
        for (unsigned i = 0; i < 4 * WORDS; i++)
            sum += bytes[i];
    }
    return sum;
}
