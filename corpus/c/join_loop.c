// Threads that are created in a loop, and joined in another one.
#include <pthread.h>
#include <assert.h>

#define THREADS 3

int count;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) { pthread_create(&threads[i], 0, worker, (void *)(long)i); }
    for (int i = 0; i < THREADS; i++) { pthread_join(threads[i], 0); }
    assert(count == THREADS);
    return 0;
}
