// A lock by compare and exchange.
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>

atomic_int held;
int shared;

void *worker(void *argument) {
    int expected = 0;
    while (!atomic_compare_exchange_weak(&held, &expected, 1)) { expected = 0; }
    shared = 1;
    assert(shared == 1);
    shared = 0;
    atomic_store(&held, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
