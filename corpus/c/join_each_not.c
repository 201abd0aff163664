// A thread is joined before the next one is created.
#include <pthread.h>
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int busy;

void *worker(void *argument) {
    busy++;
    assert(busy == 1);
    busy--;
    return 0;
}

int main(void) {
    while (__VERIFIER_nondet_int()) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
        if (__VERIFIER_nondet_int()) { pthread_join(thread, 0); }
    }
    return 0;
}
