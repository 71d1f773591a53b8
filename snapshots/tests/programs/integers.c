/* Sorting, a checksum by table, primes, division and text: integer code as a compiler writes it. */
#include "start.h"

static unsigned table[256], values[500];
static unsigned char sieve[4000], text[2000];
static unsigned seed = 12345;

static unsigned next(void)
{
    seed = seed * 1103515245 + 12345;
    return seed >> 8;
}

static void sort(unsigned *first, int low, int high)
{
    int i = low, j = high;
    unsigned middle = first[(low + high) / 2];
    while (i <= j) {
        while (first[i] < middle)
            i++;
        while (first[j] > middle)
            j--;
        if (i <= j) {
            unsigned kept = first[i];
            first[i++] = first[j];
            first[j--] = kept;
        }
    }
    if (low < j)
        sort(first, low, j);
    if (i < high)
        sort(first, i, high);
}

static unsigned long long collatz(unsigned from)
{
    unsigned long long value = from, steps = 0;
    while (value != 1) {
        value = value & 1 ? 3 * value + 1 : value >> 1;
        steps++;
    }
    return steps;
}

int main(void)
{
    unsigned sum = 0, words = 0, primes = 0, steps = 0;
    int i, j;
    for (i = 0; i < 256; i++) {
        unsigned entry = i;
        for (j = 0; j < 8; j++)
            entry = entry & 1 ? entry >> 1 ^ 0xEDB88320u : entry >> 1;
        table[i] = entry;
    }
    for (i = 0; i < 2000; i++)
        text[i] = next() % 7 ? 'a' + next() % 26 : ' ';
    sum = ~0u;
    for (i = 0; i < 2000; i++) {
        sum = table[(sum ^ text[i]) & 255] ^ sum >> 8;
        words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    }
    number("crc", ~sum);
    number("words", words);
    for (i = 0; i < 500; i++)
        values[i] = next();
    sort(values, 0, 499);
    for (i = 0, sum = 0; i < 500; i++)
        sum = sum * 31 + values[i] / (i + 1) + values[i] % (i + 3);
    number("sorted", sum);
    for (i = 2; i < 4000; i++) {
        if (sieve[i])
            continue;
        primes++;
        for (j = i + i; j < 4000; j += i)
            sieve[j] = 1;
    }
    number("primes", primes);
    for (i = 1; i < 200; i++)
        steps += (unsigned)collatz(i);
    number("steps", steps);
    return words & 63;
}
