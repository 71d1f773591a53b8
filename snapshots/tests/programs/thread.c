/* A thread's own data, as a C library sets it up: a segment that GS selects. */
#include "start.h"

struct area { unsigned entry, base, limit, flags; };

static unsigned own[4] = {11, 22, 33, 44};

static int call(int which, const void *one)
{
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "0"(which), "b"(one) : "memory");
    return answer;
}

int main(void)
{
    struct area area = {~0u, (unsigned)own, 0xFFFFF, 0x51};
    unsigned found, answer = call(243, &area);
    __asm__ volatile("mov %w0, %%gs" : : "r"(area.entry * 8 + 3));
    __asm__ volatile("movl %%gs:8, %0" : "=r"(found));
    __asm__ volatile("movl %0, %%gs:4" : : "r"(found + 1) : "memory");
    number("answer", answer);
    number("found", found);
    number("written", own[1]);
    area.flags = 0;
    number("refused", call(243, &area));
    return 0;
}
