// A pointer to one of two globals.
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int a = 0, b = 0;

int main(void) {
    int *p = __VERIFIER_nondet_int() ? &a : &b;
    *p = 1;
    assert(a + b == 1);
    return 0;
}
