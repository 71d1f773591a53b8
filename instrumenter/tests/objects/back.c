/* gcc -m32 -march=pentium -O1 -fPIC -fcommon -fno-asynchronous-unwind-tables -c back.c
   Position-independent: the table of offsets, common symbols, a group of sections. */
extern int twice(int);
extern int seed;
int counter;
int again[8];
static int last;

int call_back(int x)
{
    counter++;
    last = twice(x) + seed;
    again[3] = last;
    return last;
}
