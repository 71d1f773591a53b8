// Templates of the C++ library between lines of the program: a sort by its own order, and a search.
//
// `g++ -m32 -march=pentium -mno-sse -O2 -fno-exceptions -fno-pic -no-pie -fno-stack-protector -fcf-protection=none \
//     -fno-asynchronous-unwind-tables -nostdlib -static -g -fdebug-prefix-map=$PWD=. -Wl,--build-id=none ranked.cc \
//     -o ranked.elf`
#include <algorithm>

static int numbers[200];

static bool lower(int one, int other) { return one % 100 < other % 100; }

static void fill()
{
    for (int at = 0; at < 200; at++)
        numbers[at] = at * 7919 % 1009;
}

extern "C" void _start()
{
    fill();
    std::make_heap(numbers, numbers + 200, lower);
    int place = *std::lower_bound(numbers, numbers + 200, 500);
    std::reverse(numbers, numbers + 200);
    asm volatile("int $0x80" : : "a"(1), "b"(place > 2000));
}
