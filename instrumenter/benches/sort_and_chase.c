/* Sorts pseudo-random numbers, then follows pointers through them in that order: branches that no loop predicts.
   sort_and_chase.asm is what `gcc -m32 -march=pentium -O2 -fno-pic -fomit-frame-pointer -masm=intel -S` (gcc 12.2) made of
   it, with the assembler's directives rewritten. */

#define COUNT 4096

struct node {
    struct node *next;
    unsigned key;
};

static unsigned keys[COUNT];
static struct node nodes[COUNT];
static unsigned seed = 1;

static unsigned next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static void sort(unsigned *first, unsigned *last)
{
    while (last - first > 8) {
        unsigned pivot = first[(last - first) / 2], *low = first, *high = last - 1;
        while (low <= high) {
            while (*low < pivot)
                low++;
            while (*high > pivot)
                high--;
            if (low <= high) {
                unsigned kept = *low;
                *low++ = *high;
                *high-- = kept;
            }
        }
        sort(first, high + 1);
        first = low;
    }
    for (unsigned *at = first + 1; at < last; at++) {
        unsigned value = *at, *gap = at;
        while (gap > first && gap[-1] > value) {
            *gap = gap[-1];
            gap--;
        }
        *gap = value;
    }
}

unsigned sort_and_chase(unsigned rounds)
{
    unsigned sum = 0;
    while (rounds--) {
        for (unsigned i = 0; i < COUNT; i++)
            keys[i] = next_random();
        sort(keys, keys + COUNT);
        /* A permutation of all nodes, linked in an order that the keys decide. */
        for (unsigned i = 0; i < COUNT; i++) {
            nodes[i].key = keys[i];
            nodes[i].next = &nodes[(i * 1237 + 1) % COUNT];
        }
        struct node *node = nodes;
        for (unsigned i = 0; i < 4 * COUNT; i++) {
            if (node->key & 1)
                sum += node->key;
            else
                sum ^= node->key >> 3;
            node = node->next;
        }
    }
    return sum;
}
