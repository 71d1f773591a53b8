/* gcc -m32 -march=pentium -O1 -fno-pic -fno-asynchronous-unwind-tables -c helper.c */
int helper(int x)
{
    return x * 10;
}
