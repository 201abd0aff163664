// A thread is created before all is ready.
#include <pthread.h>
#include <assert.h>

int ready = 0;

void *worker(void *argument) {
    assert(ready == 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); ready = 1; }
}
