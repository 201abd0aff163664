// A pointer that walks through an array, and its distance from the start.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int values[3];

int main(void) {
    int *p = values;
    values[2] = 2;
    while (p < values + 3 && *p == 0) { p++; }
    assert(p - values == 2);
    int few = __VERIFIER_nondet_int(), many = __VERIFIER_nondet_int();
    if (many < 1 || many > 1000) { return 1; }
    assert((few & 1) * many >= 0 && (few & 1) * many <= many);
    return 0;
}
