// A spin lock protects a counter.
#include <pthread.h>
#include <assert.h>

int count = 0;
pthread_spinlock_t lock;

void *worker(void *argument) {
    pthread_spin_lock(&lock);
    int old = count;
    count = old + 1;
    assert(count == old + 1);
    count = old;
    pthread_spin_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
