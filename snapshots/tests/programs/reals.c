/* Planets, a matrix and a series: floating point as a compiler writes it. */
#include "start.h"

struct body { double x, y, z, vx, vy, vz, mass; };

static struct body bodies[4] = {
    {0, 0, 0, 0, 0, 0, 39.5},
    {4.84, -1.16, -0.10, 0.6, 2.8, -0.02, 0.037},
    {8.34, 4.12, -0.4, -1.01, 1.82, 0.008, 0.011},
    {12.89, -15.1, -0.22, 1.08, 0.86, -0.01, 0.0017},
};
static float matrix[12][12], square[12][12];

static double root(double value)
{
    double result;
    __asm__("fsqrt" : "=t"(result) : "0"(value));
    return result;
}

static void advance(double step)
{
    int i, j;
    for (i = 0; i < 4; i++)
        for (j = i + 1; j < 4; j++) {
            struct body *a = &bodies[i], *b = &bodies[j];
            double dx = a->x - b->x, dy = a->y - b->y, dz = a->z - b->z;
            double squared = dx * dx + dy * dy + dz * dz, factor = step / (squared * root(squared));
            a->vx -= dx * b->mass * factor;
            a->vy -= dy * b->mass * factor;
            a->vz -= dz * b->mass * factor;
            b->vx += dx * a->mass * factor;
            b->vy += dy * a->mass * factor;
            b->vz += dz * a->mass * factor;
        }
    for (i = 0; i < 4; i++) {
        bodies[i].x += step * bodies[i].vx;
        bodies[i].y += step * bodies[i].vy;
        bodies[i].z += step * bodies[i].vz;
    }
}

static void real(const char *name, double value)
{
    union { double real; unsigned words[2]; } stored;
    stored.real = value;
    number(name, stored.words[0]);
    number(name, stored.words[1]);
}

int main(void)
{
    int i, j, k;
    double series = 0;
    for (i = 0; i < 200; i++)
        advance(0.01);
    real("x", bodies[1].x);
    real("vy", bodies[2].vy);
    for (i = 0; i < 12; i++)
        for (j = 0; j < 12; j++)
            matrix[i][j] = (float)(i * 3 - j * 2) / (float)(i + j + 1);
    for (i = 0; i < 12; i++)
        for (j = 0; j < 12; j++) {
            float sum = 0;
            for (k = 0; k < 12; k++)
                sum += matrix[i][k] * matrix[k][j];
            square[i][j] = sum;
        }
    real("square", square[5][7]);
    for (i = 1; i < 1000; i++)
        series += (i & 1 ? 1.0 : -1.0) / (2 * i - 1);
    real("series", series * 4);
    number("whole", (unsigned)(int)(series * 1e6));
    return 0;
}
