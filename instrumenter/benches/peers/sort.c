/* Sorts pseudo-random numbers and follows pointers in the order that they gave: branches and addresses that nothing
   predicts. */
#include "start.h"

#define COUNT 32768

struct node {
    struct node *next;
    unsigned key;
};

static unsigned keys[COUNT];
static struct node nodes[COUNT];

static void sort(int low, int high)
{
    while (low < high) {
        unsigned pivot = keys[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (keys[i] < pivot)
                i++;
            while (keys[j] > pivot)
                j--;
            if (i <= j) {
                unsigned kept = keys[i];
                keys[i++] = keys[j];
                keys[j--] = kept;
            }
        }
        if (j - low < high - i) {
            sort(low, j);
            low = i;
        } else {
            sort(i, high);
            high = j;
        }
    }
}

static unsigned run(void)
{
    unsigned seed = 1, sum = 0;
    for (unsigned round = 0; round < 24; round++) {
        for (unsigned i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            keys[i] = seed >> 4;
        }
        sort(0, COUNT - 1);
        for (unsigned i = 0; i < COUNT; i++) {
            nodes[i].key = keys[i];
            nodes[i].next = &nodes[(i * 20021 + 7) % COUNT];
        }
        struct node *node = nodes;
        for (unsigned i = 0; i < 8 * COUNT; i++) {
            if (node->key & 4)
                sum += node->key;
            else
                sum ^= node->key >> 3;
            node = node->next;
        }
    }
    return sum;
}
