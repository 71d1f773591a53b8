/* F="-m32 -march=pentium -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
       -fno-tree-loop-distribute-patterns"
   gcc $F -O1 -c led_library.c
   gcc $F -O2 -g -fdebug-prefix-map=$PWD=. -c led.c
   gcc -m32 -static -nostdlib -no-pie -Wl,--build-id=none -Wl,-z,noseparate-code led.o led_library.o -o led.elf
   A program that calls code without lines, which takes most clocks and, with an argument, overwrites the address of a
   call. */
int whole(const int *a, int n, int (*f)(int));
void copy(char *to, const char *from);
struct set { char name[8]; void (*tell)(void); };
static int a[256];
static struct set one;
static int twice(int n)
{
    int s = n;
    for (int i = 0; i < 50; i++)
        s = s * 5 + i;
    return s;
}
static void tell(void)
{
}
static __attribute__((noinline)) void load(struct set *set, const char *text)
{
    copy(set->name, text);
    set->tell();
}
__asm__(".globl _start\n_start: push (%esp)\n call begin\n hlt");
__attribute__((used, noinline)) static void begin(int arguments)
{
    one.tell = tell;
    a[3] = whole(a, 256, twice);
    load(&one, arguments > 1 ? "a name much too long" : "short");
    __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
