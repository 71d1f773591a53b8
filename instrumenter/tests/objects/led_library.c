/* Made without -g: see led.c. */
static __attribute__((noinline)) int part(const int *a, int n)
{
    int s = 0;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < n; i++)
            s = s * 3 + a[i];
    return s;
}
__attribute__((noinline)) int whole(const int *a, int n, int (*f)(int))
{
    int s = 0;
    for (int i = 1; i < n; i += 16)
        s += f(part(a, i));
    return s + 1;
}
__attribute__((noinline)) void copy(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}
