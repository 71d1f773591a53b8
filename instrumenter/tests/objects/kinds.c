/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -nostdlib -static -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code kinds.c -o kinds.elf
   A variable of each kind, which the program changes. */
enum color { RED, GREEN = 5, BLUE };
enum color paint, palette[3];
_Bool flag;
char letter = 'a', text[8] = "hello", odd = 'b';
signed char small = -1;
struct point {
    short x, y;
    enum color color;
} points[3] = {{1, 2}, {3, 4}, {5, 6}};
int numbers[4] = {1, 2, 3, 4}, *pointer;
int (*function)(int);
double real = 1.5;

__attribute__((noinline)) static int twice(int number)
{
    static int calls;
    calls++;
    return 2 * number;
}

void _start(void)
{
    paint = GREEN;
    palette[1] = BLUE;
    flag = 1;
    letter = 'z';
    text[0] = 'J';
    odd = -3;
    small = -7;
    points[1].y = -40;
    points[2].color = GREEN;
    numbers[2] = -30;
    pointer = &numbers[1];
    function = twice;
    real = -2.25;
    __asm__ volatile("int $0x80" ::"a"(1), "b"(twice(0)));
}
