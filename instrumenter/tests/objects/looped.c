/* Loops whose last jump back is that of a function which is inlined into them, and a division there.
   gcc -m32 -march=pentium -O2 -g -fno-pic -fno-pie -no-pie -static -nostdlib -fno-asynchronous-unwind-tables
   -fno-stack-protector -fcf-protection=none -fdebug-prefix-map=$PWD=. -Wl,--build-id=none looped.c -o looped.elf */
static int table[64];

static inline int left(int *number)
{
    if (--*number == 0)
        return 0;
    return 1;
}

static inline int share(int sum, int parts)
{
    return sum / parts;
}

static int walk(int rounds)
{
    int sum = 0;
    do {
        table[rounds & 63] += rounds;
        sum += table[rounds * 5 & 63];
    } while (left(&rounds));
    for (int place = 0; place < 64; place++)
        sum ^= table[place] * place;
    return sum;
}

__attribute__((used)) static int begun(int arguments)
{
    int sum = walk(9000);
    return share(sum, arguments - 2) & 127;
}

__asm__(".globl _start\n_start: movl (%esp), %eax\npushl %eax\ncall begun\nmovl %eax, %ebx\nmovl $1, %eax\nint $0x80\n");
