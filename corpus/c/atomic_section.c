// A section that no other thread interrupts.
#include <pthread.h>
#include <assert.h>

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);
int a = 0, b = 0;

void *worker(void *argument) {
    __VERIFIER_atomic_begin();
    a++;
    b++;
    __VERIFIER_atomic_end();
    return 0;
}

void *observer(void *argument) {
    __VERIFIER_atomic_begin();
    int difference = a - b;
    __VERIFIER_atomic_end();
    assert(difference == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_create(&thread, 0, observer, 0);
    return 0;
}
