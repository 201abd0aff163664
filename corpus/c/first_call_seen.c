// What a thread calls first is thought not to happen.
#include <pthread.h>
#include <assert.h>

int shared = 0;

void raise(void) { shared = 1; }

void *worker(void *argument) {
    raise();
    assert(shared == 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
