/* Multiplies two matrices of doubles. */
#include "start.h"

#define SIZE 128

static double left[SIZE][SIZE], right[SIZE][SIZE], product[SIZE][SIZE];

static unsigned run(void)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            left[i][j] = (i * 7 + j * 3) % 17 / 16.0;
            right[i][j] = (i * 5 + j * 11) % 19 / 8.0;
        }
    double trace = 0;
    for (int round = 0; round < 8; round++) {
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++) {
                double sum = 0;
                for (int k = 0; k < SIZE; k++)
                    sum += left[i][k] * right[k][j];
                product[i][j] = sum;
            }
        for (int i = 0; i < SIZE; i++)
            trace += product[i][i];
        left[round][round] += 0.5;
    }
    return trace;
}
