__attribute__((noipa)) int first(int n) // p5: cycles <= 2000
{
    int s = 0;
    while (n--)
        s = s * 3 + n;
    return s;
}
