/* gcc -m32 -march=pentium -O2 -fno-pic -fcf-protection=none -fno-stack-protector -ffreestanding -c ends_library.c
 * gcc -m32 -march=pentium -O2 -fno-pic -fcf-protection=none -fno-stack-protector -ffreestanding -g -I$PWD/system \
 *     -fdebug-prefix-map=$PWD=. -fdebug-prefix-map=$PWD/system=/usr/include -c ends.c
 * gcc -m32 -static -nostdlib -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code ends.o ends_library.o -o ends.elf
 * A program that ends in code without lines, `ends_library.c`: by a fault without an argument, with one by a signal.
 * `digits` stands in system/digits.h, which is taken for a header of the system:
 *     int number(const char *text);
 *     static inline int digits(const char *text) { return 10 * number(text); }
 */
#include <digits.h>

void quit(int signal);

static int value(const char *text) {
    return digits(text) + 1;
}

static void check(int count) {
    if (count > 1)
        quit(6);
}

__attribute__((noinline, used)) int run(int count, const char **texts) {
    check(count);
    return value(texts[1]) + value(texts[0]);
}

__asm__(".globl _start\n_start: movl (%esp),%eax\nleal 4(%esp),%edx\npushl %edx\npushl %eax\ncall run\nhlt");
