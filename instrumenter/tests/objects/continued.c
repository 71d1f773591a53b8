/* Loops with several jumps back: `continue`, in the function itself and in one that is inlined. gcc -m32 -march=pentium
   -O2 -g -fno-pic -fno-pie -no-pie -static -nostdlib -fno-asynchronous-unwind-tables -fno-stack-protector
   -fcf-protection=none -fdebug-prefix-map=$PWD=. -Wl,--build-id=none continued.c -o continued.elf */
static inline int steps(unsigned number)
{
    int count = 0;
    while (number > 1) {
        count++;
        if (number & 1) {
            number = 3 * number + 1;
            continue;
        }
        number >>= 1;
    }
    return count;
}

static int longest(int below)
{
    int best = 0;
    for (int one = 1; one < below; one++) {
        if (one % 3 == 0)
            continue;
        int count = steps(one);
        if (count < best)
            continue;
        best = count;
    }
    return best;
}

__attribute__((used)) static int begun(int arguments)
{
    return longest(199 + arguments);
}

void _start(void)
{
    __asm__ volatile("movl (%esp), %eax\n\tpushl %eax\n\tcall begun\n\tmovl %eax, %ebx\n\tmovl $1, %eax\n\tint $0x80");
}
