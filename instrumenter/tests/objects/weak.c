/* gcc -m32 -march=pentium -O1 -fcommon -fno-pic -fno-asynchronous-unwind-tables -c weak.c
   A weak function and a common variable: what others define comes first. */
__attribute__((weak)) int value(void)
{
    return 1;
}

int shared;

int both(void)
{
    return value() + shared;
}
