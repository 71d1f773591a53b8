/* What stands in for a C library: the entry, and output by system calls. */
static void leave(int code) { __asm__ volatile("int $0x80" : : "a"(1), "b"(code)); }

static void put(const char *text, int length)
{
    int answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "0"(4), "b"(1), "c"(text), "d"(length) : "memory");
}

static void number(const char *name, unsigned value)
{
    char line[40];
    int at = 0, digits = 28;
    while (name[at]) {
        line[at] = name[at];
        at++;
    }
    line[at++] = ' ';
    while (digits >= 0) {
        line[at++] = "0123456789abcdef"[value >> digits & 15];
        digits -= 4;
    }
    line[at++] = '\n';
    put(line, at);
}

int main(void);
void _start(void) { leave(main()); }
