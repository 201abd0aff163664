// A pointer that walks through an array, and its distance from the start.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int values[5];

int main(void) {
    int *p = values, sum = 0;
    values[3] = 2;
    while (p < values + 5 && *p == 0) { p++; }
    assert(p - values == 3);
    int weight = p - values;
    int few = __VERIFIER_nondet_int();
    if (few < 0 || few > 3) { return 1; }
    sum = (few % 4) * weight;
    assert(sum <= 9 && sum >= 0);
    return 0;
}
