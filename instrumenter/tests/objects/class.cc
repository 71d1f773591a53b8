// g++ -m32 -march=pentium -O2 -g -static -nostdlib -fno-pie -no-pie -ffreestanding -fno-tree-vectorize -fno-exceptions
struct S {
  int v;
  int f(int x);
  int g(int x);
};
int a[64];

__attribute__((noinline)) int S::f(int x) {
  int t = v;
  for (int i = 0; i < x; i++) t += a[i] * 3;
  return t;
}

__attribute__((noinline)) int S::g(int x) {
  int t = v;
  for (int i = 0; i < x; i++) t ^= a[i];
  return t;
}
extern "C" void _start(void) {
  S s; s.v = 1;
  int r = s.f(64) + s.g(64);
  a[0] = r;
  __asm__ volatile("int $0x80" :: "a"(1), "b"(0));
}
