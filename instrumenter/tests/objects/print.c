/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -nostdlib -static
   -no-pie -Wl,--build-id=none,-z,noseparate-code print.c -o print.elf
   A static program without a C library: arguments, input, heap and mappings. */
static int call(int number, int one, int two, int three)
{
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(one), "c"(two), "d"(three) : "memory");
    return answer;
}

static int length(const char *text)
{
    int count = 0;
    while (text[count])
        count++;
    return count;
}

static void print(const char *text)
{
    call(4, 1, (int)text, length(text));
}

int main(int argc, char **argv)
{
    static char line[16];
    static int mapping[6] = {0, 8192, 3, 0x22, -1, 0};
    char *heap = (char *)call(45, 0, 0, 0);
    int i, got;
    for (i = 1; i < argc; i++) {
        print(argv[i]);
        print("\n");
    }
    if (call(45, (int)heap + 5000, 0, 0) != (int)heap + 5000)
        return 2;
    heap[4999] = 'h';
    char *mapped = (char *)call(90, (int)mapping, 0, 0);
    if (mapped[8191] != 0)
        return 3;
    mapped[8191] = heap[4999];
    if (call(91, (int)mapped, 8192, 0) != 0)
        return 4;
    if (call(999, 0, 0, 0) != -38)
        return 5;
    while ((got = call(3, 0, (int)line, 16)) > 0)
        call(4, 1, (int)line, got);
    return 42;
}

__asm__(".globl _start\n_start: mov (%esp),%eax\n lea 4(%esp),%edx\n push %edx\n push %eax\n call main\n"
        "mov %eax,%ebx\n mov $1,%eax\n int $0x80\n");
