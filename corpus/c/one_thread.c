// Main waits for its only thread.
#include <pthread.h>
#include <assert.h>

int shared = 0;

void *worker(void *argument) {
    shared = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    shared = 0;
    assert(shared == 0);
    return 0;
}
