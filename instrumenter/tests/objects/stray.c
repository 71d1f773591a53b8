/* gcc -m32 -march=pentium -O1 -fno-pic -fno-asynchronous-unwind-tables -c stray.c
   Never needed: what it refers to is nowhere. */
extern int nowhere(void);
int stray(void)
{
    return nowhere();
}
