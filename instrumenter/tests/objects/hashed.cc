/* g++ -m32 -march=pentium -O2 -g -fno-pic -fno-exceptions -fno-stack-protector -fno-asynchronous-unwind-tables \
       -fcf-protection=none -fdebug-prefix-map=$PWD=. -c hashed.cc
   A function of C++ with another one inlined into its loop, and a call of a third. */
namespace table {
static inline unsigned step(unsigned hash, unsigned char letter)  // p5: instructions <= 4
{
    return (hash ^ letter) * 33;
}
__attribute__((noinline)) unsigned final(unsigned hash)
{
    return hash ^ hash >> 7;
}
}
extern "C" unsigned hash(const unsigned char *text, int letters)  // p5: cycles <= 9
{
    unsigned hash = 5381;
    while (letters--)
        hash = table::step(hash, *text++);  // p5: cycles <= 99, misprediction <= 0.5
    return table::final(hash);
}
