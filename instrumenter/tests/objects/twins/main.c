/* F="-m32 -march=pentium -O2 -g -fno-pic -fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
      -fdebug-prefix-map=$PWD=."
   (cd a && gcc $F -c util.c -o ../first.o); (cd b && gcc $F -c util.c -o ../second.o)
   gcc $F -nostdlib -static -no-pie -Wl,--build-id=none,-z,noseparate-code main.c first.o second.o -o twins.elf
   Two sources of one name, each compiled in its own folder. */
int first(int), second(int);
void _start(void)
{
    __asm__ volatile("int $0x80" :: "a"(1), "b"((first(64) + second(64)) & 127));
}
