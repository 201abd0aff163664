// Gcc's built-in atomic operations.
#include <pthread.h>
#include <assert.h>

int held = 0, shared = 0;

void *worker(void *argument) {
    while (__sync_lock_test_and_set(&held, 1)) { }
    int old = shared;
    shared = old + 1;
    assert(shared == old + 1);
    __sync_lock_release(&held);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
