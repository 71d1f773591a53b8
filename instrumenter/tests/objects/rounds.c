/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code rounds.c -o rounds.elf
   Loops of which gcc takes the first instruction from elsewhere: the argument count selects one. */
static int numbers[64];
static unsigned state = 1;

static inline __attribute__((always_inline)) unsigned next(void)
{
    state = state * 69069 + 1;
    return state >> 26;
}

static inline __attribute__((always_inline)) unsigned turned(unsigned value)
{
    return value << 3 | value >> 29;
}

static int continued(int count)
{
    int sum = 0;
    int i = 0;
    while (i < count) {
        int value = numbers[i & 63] + i;
        i++;
        if (value & 1)
            continue;
        if (value & 2) {
            sum += 2;
            continue;
        }
        sum += value;
    }
    return sum;
}

static unsigned mixed(int count)
{
    unsigned sum = 7;
    for (int i = 0; i < count; i++)
        sum = turned(sum) ^ numbers[i & 63];
    return sum;
}

static unsigned drawn(void)
{
    unsigned sum = 0;
    do {
        sum++;
    } while (next());
    return sum;
}

void _start(void)
{
    int count = *(int *)((char *)__builtin_frame_address(0) + 4);
    unsigned code = 0;
    if (count == 1)
        code = continued(200);
    else if (count == 2)
        code = mixed(200);
    else
        for (int i = 0; i < 9; i++)
            code += drawn();
    __asm__ volatile("int $0x80" : : "a"(1), "b"(code));
    __builtin_unreachable();
}
