// Only one of the functions is thought to be called.
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
int up(int n) { return n + 1; }
int down(int n) { return n - 1; }

int main(void) {
    int (*step)(int);
    if (__VERIFIER_nondet_int()) { step = up; } else { step = &down; }
    int n = step(10);
    assert(n == 11);
    return 0;
}
