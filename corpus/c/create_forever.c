// Threads are created for ever, and a lock protects a variable.
#include <pthread.h>
#include <assert.h>

int shared;
pthread_mutex_t lock;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    shared = 1;
    assert(shared == 1);
    shared = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_init(&lock, 0);
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
