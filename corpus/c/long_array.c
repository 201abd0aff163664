// An array of many elements.
#include <pthread.h>
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);
int table[100];

int main(void) {
    unsigned i = __VERIFIER_nondet_uint();
    if (i >= 100) { return 0; }
    table[i] = 1;
    if (i != 3) { assert(table[3] == 0); }
    assert(table[i] == 1);
    return 0;
}
