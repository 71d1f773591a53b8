/* gcc -m32 -march=pentium -O1 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -nostdlib -static
   -no-pie -fdebug-prefix-map=$PWD=. -Wl,--build-id=none,-z,noseparate-code types.c -o types.elf
   Variables of many types, each of which is changed in one place. */
enum colour { RED, GREEN = 5 };

struct point {
    short x;
    double y;
    char name[8];
    struct point *next;
    union {
        float real;
        unsigned bits;
    } both;
    unsigned first : 3, second : 5;
};

typedef const struct point *place;

double ratios[8];
float factor = 1.25f;
long double precise;
short offsets[4] = {1, 2, 3, -4};
int grid[3][4];
struct point points[2];
place current;
enum colour paint;
long long balance;
unsigned char bytes[4];
int kept = 7;

void _start(void)
{
    ratios[3] = 1.5;
    factor = -2.5f;
    precise = 0.1L;
    offsets[3] = -5;
    grid[1][2] = -6;
    points[1].both.real = 0.5f;
    points[0].second = 3;
    current = &points[1];
    paint = GREEN;
    balance = -1;
    bytes[2] = 200;
    __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
