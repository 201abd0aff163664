// A loop creates three threads.
#include <pthread.h>
#include <assert.h>

int count = 0;

void __VERIFIER_atomic_raise(void) { count++; }

void *worker(void *argument) {
    __VERIFIER_atomic_raise();
    assert(count <= 2);
    return 0;
}

int main(void) {
    pthread_t thread;
    for (int i = 0; i < 3; i++) { pthread_create(&thread, 0, worker, 0); }
    return 0;
}
