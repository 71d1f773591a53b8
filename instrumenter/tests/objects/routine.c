/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-asynchronous-unwind-tables -ffunction-sections -c routine.c */
static const int weights[4] = {1, 2, 3, 4};
int calls;
int total = 5;

int weigh(const int *values)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += values[i] * weights[i];
    calls++;
    total += sum;
    return sum;
}
