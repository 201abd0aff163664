// A thread that has not been created does not run.
#include <pthread.h>
#include <assert.h>

int shared = 0;

void *worker(void *argument) {
    shared = 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    assert(shared == 0);
    pthread_create(&thread, 0, worker, 0);
    return 0;
}
