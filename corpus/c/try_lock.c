// Whoever gets the lock without waiting.
#include <pthread.h>
#include <assert.h>

int inside = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    if (pthread_mutex_trylock(&lock) == 0) {
        inside++;
        assert(inside == 1);
        inside--;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    while (1) { pthread_create(&thread, 0, worker, 0); }
}
