// The outcome is not looked at.
#include <pthread.h>
#include <assert.h>

int inside = 0;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *worker(void *argument) {
    pthread_mutex_trylock(&lock);
    {
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
