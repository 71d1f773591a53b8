/* Code of ends.elf without lines; ends.c says how it is compiled. */
static __attribute__((noinline)) int first(const volatile char *text) {
    return text[0] - '0';
}

int number(const char *text) {
    int all = first(text);
    return all > 9 ? 0 : all + first(text + 1);
}

static __attribute__((noinline)) int call(int number, int one, int two) {
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(one), "c"(two) : "memory");
    return answer;
}

void quit(int signal) {
    call(37, call(20, 0, 0), signal);
    for (;;)
        ;
}
