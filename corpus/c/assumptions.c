// Threads wait for what they assume, and an abort ends everything.
#include <pthread.h>
#include <stdlib.h>

extern void __VERIFIER_assume(int);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
unsigned limit, used;

void assume_abort_if_not(int condition) { if (!condition) { abort(); } }

void *worker(void *argument) {
    __VERIFIER_assume(limit > 0);
    if (used > limit) { reach_error(); }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    unsigned n = __VERIFIER_nondet_uint();
    assume_abort_if_not(n >= 10);
    used = 5;
    if (used > n) { exit(1); }
    limit = n;
    return 0;
}
