/* gcc -m32 -march=pentium -O1 -fno-pic -fno-asynchronous-unwind-tables -c indirect.c
   A function whose address is chosen when the program is loaded. */
static int real(void)
{
    return 42;
}

static void *choose(void)
{
    return real;
}

int indirect(void) __attribute__((ifunc("choose")));
