// A thread may wake though nobody has called it.
#include <pthread.h>
#include <assert.h>

int ready = 0, data = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t filled = PTHREAD_COND_INITIALIZER;

void *producer(void *argument) {
    pthread_mutex_lock(&lock);
    data = 42;
    ready = 1;
    pthread_cond_signal(&filled);
    pthread_mutex_unlock(&lock);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    pthread_mutex_lock(&lock);
    if (!ready) { pthread_cond_wait(&filled, &lock); }
    assert(data == 42);
    pthread_mutex_unlock(&lock);
    return 0;
}
