__attribute__((noipa)) int second(int n) // p5: cycles <= 10
{
    int s = 0;
    while (n--)
        s ^= n * 5;
    return s;
}
