/* What ordinary programs consist of: a checksum by table, SHA-1, records, strings, calls through pointers, recursion,
   divisions, and data that is not aligned. */
#include "start.h"

#define SIZE 4096

struct record {
    struct record *next;
    char name[18];
    unsigned short kind;
    int amount;
};

static unsigned table[256];
static unsigned char data[SIZE + 4];
static struct record records[64];

static unsigned checksum(const unsigned char *bytes, unsigned size)
{
    unsigned sum = ~0u;
    for (unsigned i = 0; i < size; i++)
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    return ~sum;
}

static unsigned rotated(unsigned value, int places)
{
    return value << places | value >> (32 - places);
}

static void sha_1(unsigned hash[5], const unsigned char *block)
{
    unsigned w[80], a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4];
    for (int i = 0; i < 16; i++)
        w[i] = block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 80; i++)
        w[i] = rotated(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    for (int i = 0; i < 80; i++) {
        unsigned mixed, constant;
        if (i < 20)
            mixed = (b & c) | (~b & d), constant = 0x5A827999;
        else if (i < 40)
            mixed = b ^ c ^ d, constant = 0x6ED9EBA1;
        else if (i < 60)
            mixed = (b & c) | (b & d) | (c & d), constant = 0x8F1BBCDC;
        else
            mixed = b ^ c ^ d, constant = 0xCA62C1D6;
        unsigned next = rotated(a, 5) + mixed + e + constant + w[i];
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
}

static int equal(const char *one, const char *other)
{
    while (*one && *one == *other)
        one++, other++;
    return *one == *other;
}

static int shrinks(int amount) { return amount / 3; }
static int grows(int amount) { return amount * 5 + 1; }
static int turns(int amount) { return -amount % 1009; }

static int (*const changes[3])(int) = {shrinks, grows, turns};

static unsigned depth(unsigned number)
{
    return number < 2 ? number : depth(number - 1) + depth(number - 2);
}

static unsigned run(void)
{
    unsigned hash[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0}, sum = 0;
    for (unsigned i = 0; i < 256; i++) {
        unsigned value = i;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? value >> 1 ^ 0xEDB88320u : value >> 1;
        table[i] = value;
    }
    for (unsigned i = 0; i < 64; i++) {
        struct record *record = &records[i];
        record->next = &records[(i * 29 + 1) % 64];
        for (int k = 0; k < 17; k++)
            record->name[k] = 'A' + (i * k) % 26;
        record->kind = i % 3;
        record->amount = i * 77;
    }
    for (unsigned round = 0; round < 800; round++) {
        for (unsigned i = 0; i < SIZE; i++)
            data[i] = i * round + (i >> 3);
        sum += checksum(data, SIZE);
        for (unsigned i = 0; i < SIZE; i += 64)
            sha_1(hash, data + i);
        struct record *record = records;
        for (unsigned i = 0; i < 640; i++) {
            record->amount = changes[record->kind](record->amount + round);
            if (equal(record->name, record->next->name))
                sum++;
            records[(i + round) % 64].kind = (record->kind + i) % 3;
            record = record->next;
        }
        for (unsigned i = 1; i < SIZE; i += 5)
            *(unsigned *)(data + i - 1) += round / (i % 7 + 1);
        sum += depth(12) + records[round % 64].amount;
    }
    return sum ^ hash[0] ^ hash[4];
}
