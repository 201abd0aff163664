// A pointer is thought to be the first of two.
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int a = 0, b = 0;

int main(void) {
    int *p = __VERIFIER_nondet_int() ? &a : &b;
    *p = 1;
    assert(a == 1);
    return 0;
}
