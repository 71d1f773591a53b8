/* What Linux gives a process: memory at places of its own and its protection, a stack that grows, limits, a stack for
   handlers of signals, the signals of traps, and descriptors that can be closed. */
#include "start.h"

typedef unsigned int word;

static int call(int number, word b, word c, word d, word esi, word edi)
{
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "0"(number), "b"(b), "c"(c), "d"(d), "S"(esi), "D"(edi) : "memory");
    return answer;
}

/* mmap2 has a sixth argument in EBP, which is 0 for memory without a file. */
static word map(word address, word length, word protection, word flags)
{
    word answer;
    __asm__ volatile("push %%ebp\n xor %%ebp,%%ebp\n int $0x80\n pop %%ebp"
                     : "=a"(answer)
                     : "0"(192), "b"(address), "c"(length), "d"(protection), "S"(flags), "D"(-1)
                     : "memory");
    return answer;
}

struct action { word handler, flags, restorer, mask[2]; };
struct stack { word base, flags, size; };

static void handle(int signal, void (*handler)(), word flags)
{
    struct action action = { (word)handler, flags, 0, { 0, 0 } };
    number("sigaction", call(174, signal, (word)&action, 0, 8, 0));
}

static char other[8192];
static volatile word page, last_code, last_at, skip, steps, places[16], handler_stack, frame_size;

/* A wrong access: the instruction that made it, of `skip` bytes, is left out. */
static void on_access(int signal, word *information, word *context)
{
    last_code = information[2];
    last_at = information[3];
    context[5 + 14] += skip;
}

static word write_at(word address)
{
    last_code = last_at = 0;
    skip = 6;
    __asm__ volatile("movl $1,(%0)" : : "r"(address) : "memory");
    return last_code;
}

static word read_at(word address)
{
    word value = 0;
    last_code = last_at = 0;
    skip = 2;
    __asm__ volatile("movl (%1),%0" : "+r"(value) : "r"(address) : "memory");
    return last_code;
}

static void on_trap(int signal, word *information, word *context)
{
    if (steps < 16)
        places[steps] = context[5 + 14];
    steps++;
    last_code = information[2];
    last_at = information[3];
    handler_stack = (word)&signal;
    frame_size = context[4];
}

static void memory(void)
{
    page = map(0, 3 * 4096, 3, 0x22);
    number("mapped", page > 0xfffff000);
    number("inside", map(page + 4096, 4096, 1, 0x32) == page + 4096);
    number("keeps", *(word *)page);
    number("write", write_at(page));
    number("to read-only", write_at(page + 4096));
    number("at", last_at - page);
    number("from it", read_at(page + 4096));
    number("mprotect", call(125, page + 4096, 4096, 3, 0, 0));
    number("write", write_at(page + 4096));
    number("forbid", call(125, page + 4096, 4096, 0, 0, 0));
    number("read", read_at(page + 4096));
    number("write", write_at(page + 4096));
    number("answer", call(4, 1, page + 4096, 1, 0, 0));
    number("allow", call(125, page + 4096, 1, 1, 0, 0));
    number("still", *(word *)(page + 4096));
    number("odd", call(125, page + 1, 4096, 1, 0, 0));
    number("munmap", call(91, page + 4096, 4096, 0, 0, 0));
    number("read", read_at(page + 4096));
    number("protect it", call(125, page, 3 * 4096, 1, 0, 0));
    number("again", map(page + 4096, 4096, 3, 0x100022) == page + 4096);
    number("in use", map(page, 4096, 3, 0x100022));
    number("odd place", map(page + 8, 4096, 3, 0x32));
    number("wanted", map(page + 4096, 4096, 3, 0x22) == page + 4096);
    number("too far", map(0xfffff000, 0x2000, 3, 0x32));
}

static void traps(void)
{
    word at;
    steps = 0;
    __asm__ volatile("movl $1f,%0\n int3\n1:" : "=m"(at));
    number("int3", places[0] - at);
    number("code", last_code);
    number("at", last_at);
    steps = 0;
    __asm__ volatile("movl $1f,%0\n movb $127,%%al\n incb %%al\n into\n1:" : "=m"(at) : : "eax");
    number("into", places[0] - at);
    number("code", last_code);
    steps = 0;
    __asm__ volatile("movl $1f,%0\n pushf\n orl $0x100,(%%esp)\n popf\n1: nop\n nop\n movl $20,%%eax\n int $0x80\n nop\n"
                     " pushf\n andl $~0x100,(%%esp)\n popf\n nop"
                     : "=m"(at) : : "eax");
    number("steps", steps);
    for (word step = 0; step < steps; step++)
        number("to", places[step] - at);
    number("code", last_code);
    number("at", last_at - places[steps - 1]);
}

static void stacks(void)
{
    struct stack own = { (word)other, 0, sizeof other }, before = { 1, 1, 1 };
    number("none", call(186, 0, (word)&before, 0, 0, 0));
    number("base", before.base);
    number("flags", before.flags);
    number("size", before.size);
    own.size = 100;
    number("small", call(186, (word)&own, 0, 0, 0, 0));
    own.size = sizeof other;
    own.flags = 4;
    number("odd", call(186, (word)&own, 0, 0, 0, 0));
    own.flags = 0;
    number("set", call(186, (word)&own, 0, 0, 0, 0));
    handle(5, on_trap, 0x08000004);
    __asm__ volatile("int3");
    number("on it", handler_stack - (word)other < sizeof other);
    number("told", frame_size == sizeof other);
    handle(5, on_trap, 4);
    __asm__ volatile("int3");
    number("not on it", handler_stack - (word)other < sizeof other);
    number("get", call(186, 0, (word)&before, 0, 0, 0));
    number("flags", before.flags);
    number("size", before.size);
    own.flags = 2;
    number("drop", call(186, (word)&own, 0, 0, 0, 0));
}

static void deep(word levels)
{
    volatile char room[60000];
    room[0] = (char)levels;
    if (levels)
        deep(levels - 1);
    room[59999] = room[0];
}

static void limits(void)
{
    word limit[4] = { 0, 0, 0, 0 };
    number("stack", call(191, 3, (word)limit, 0, 0, 0));
    limit[0] = 0x600000;
    number("less", call(75, 3, (word)limit, 0, 0, 0));
    limit[0] = 0;
    number("stack", call(191, 3, (word)limit, 0, 0, 0));
    number("now", limit[0]);
    number("old", call(76, 3, (word)limit, 0, 0, 0));
    number("now", limit[0]);
    number("wide", call(340, 0, 3, 0, (word)limit, 0));
    number("now", limit[0]);
    number("high", limit[1]);
    number("none", call(191, 16, (word)limit, 0, 0, 0));
    number("nowhere", call(191, 3, 1, 0, 0, 0));
    limit[0] = 100;
    limit[1] = 50;
    number("above", call(75, 7, (word)limit, 0, 0, 0));
    limit[0] = 20;
    number("set", call(75, 7, (word)limit, 0, 0, 0));
    limit[0] = limit[1] = 0;
    number("get", call(191, 7, (word)limit, 0, 0, 0));
    number("now", limit[0]);
    number("most", limit[1]);
}

/* What a C library asks for. */
static void inquiries(void)
{
    static const char name[] = "/nonexistent";
    word time[2] = { 0, 1000 }, set[2] = { 1 << 9, 0 }, fs;
    word place = map(0, 8192, 3, 0x22);
    *(word *)place = 7;
    number("not needed", call(219, place, 4096, 4, 0, 0));
    number("then", *(word *)place);
    *(word *)place = 8;
    place = call(163, place, 8192, 0x40000, 1, 0);
    number("longer", *(word *)place);
    *(word *)(place + 0x3fffc) = 9;
    number("shorter", call(163, place, 0x40000, 4096, 1, 0) - place);
    number("cut", read_at(place + 4096));
    number("sleep", call(162, (word)time, 0, 0, 0, 0));
    time[1] = 1000000000;
    number("not so", call(162, (word)time, 0, 0, 0, 0));
    number("yield", call(158, 0, 0, 0, 0, 0));
    number("resolution", call(266, 1, (word)time, 0, 0, 0));
    number("no clock", call(266, 99, (word)time, 0, 0, 0));
    number("user", call(199, 0, 0, 0, 0, 0) == call(201, 0, 0, 0, 0, 0));
    number("session", call(147, 0, 0, 0, 0, 0) == call(147, call(20, 0, 0, 0, 0, 0), 0, 0, 0, 0));
    number("path", call(33, (word)name, 0, 0, 0, 0));
    number("describe", call(197, 77, (word)other, 0, 0, 0));
    number("describe", call(197, 1, (word)other, 0, 0, 0));
    number("seek", call(19, 77, 0, 0, 0, 0));
    number("flags", call(221, 77, 3, 0, 0, 0));
    number("random", call(355, (word)other, 16, 0, 0, 0));
    number("wake", call(240, (word)other, 1, 1, 0, 0));
    number("hold", call(175, 0, (word)set, 0, 8, 0));
    number("raise", call(238, call(224, 0, 0, 0, 0, 0), 10, 0, 0, 0));
    time[0] = 0;
    number("pending", call(176, (word)time, 8, 0, 0, 0));
    number("signals", time[0]);
    __asm__("mov %%fs,%0" : "=r"(fs));
    number("fs", fs & 0xffff);
}

int main(void)
{
    handle(11, on_access, 4);
    memory();
    inquiries();
    handle(5, on_trap, 4);
    handle(11, on_trap, 4);
    traps();
    stacks();
    deep(120);
    limits();
    number("close", call(6, 0, 0, 0, 0, 0));
    number("read", call(3, 0, (word)other, 1, 0, 0));
    number("again", call(6, 0, 0, 0, 0, 0));
    number("other", call(6, 3, 0, 0, 0, 0));
    return 0;
}
