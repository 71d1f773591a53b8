/* gcc -m32 -march=pentium -O2 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code folded.c \
       -o folded.elf
   Budgets where the bodies of functions begin. gcc has no code of `again`, the same as `most`, and of `one`, makes
   only `total.constprop.0` of `total`. */
static int v[1000];
__attribute__((noinline)) int most(const int *o, int n)
{   // p5: cycles < 100
    int m = 0;
    for (int i = 0; i < n; i++)
        if (o[i] > m)
            m = o[i];
    return m;
}
static __attribute__((noinline)) int again(const int *o, int n)
{   // p5: cycles < 100
    int m = 0;
    for (int i = 0; i < n; i++)
        if (o[i] > m)
            m = o[i];
    return m;
}
__attribute__((noinline)) int least(const int *o, int n) // p5: cycles < 200
{
    int m = 0;
    for (int i = 0; i < n; i++)
        if (o[i] < m)
            m = o[i];
    return m;
}
static __attribute__((noinline)) int
total(const int *o,
      int n,
      int by)   // p5: cycles < 300
{
    int s = 0;
    for (int i = 0; i < n; i += by)
        s += o[i];
    return s;
}
static int one(int n)
// p5: cycles < 400
{
    return n * 7 + v[n];
}
void _start(void)
{
    for (int i = 0; i < 1000; i++)
    {                           // p5: cycles < 500
        v[i] = (i * 7919) & 0x3fff;
    }
    int r = most(v, 1000) + again(v, 1000) + least(v, 1000) + total(v, 1000, 2) + one(v[3] & 7);
    __asm__ volatile("int $0x80" : : "a"(1), "b"(r & 1));
}
