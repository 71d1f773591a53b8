/* gcc -m32 -march=pentium -O1 -fno-pic -fno-asynchronous-unwind-tables -c member.c; ar rcsD library.a member.o helper.o stray.o */
extern int helper(int);
int chosen(int x)
{
    return helper(x) + 1;
}
